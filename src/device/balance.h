/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file balance.h
 * Flows between the rows of a network's levels that carry away what piles up in them (diffusion/gap.c), on
 * processors or on a GPU: one source for both, and the same bits.
 *
 * What piles up in a row is that of all its members. A flow between two rows is shared out over the links
 * between their members, in proportion to what these conduct; so is a flow to the ends. What then is left
 * piles up to nothing within a row, and flows along a tree of its strongest links.
 * @see Synge (1957), The Hypercircle in Mathematical Physics
 */
#ifndef RILL_DEVICE_BALANCE_H
#define RILL_DEVICE_BALANCE_H

#include "device/flows.h"

/** A level while flows are found. In the vectors of its rows `given` is what piles up, `old` what they
 * conduct to the ends and to rows held by these on finer levels, `value` what flows there. */
typedef struct rill_balance_level {
    rill_flow_level rows;
    uint32_t *parent; /**< [rows], row on the next level */
    uint32_t *order;  /**< [rows], members of each row of the next level, as they join its tree */
    uint32_t *link;   /**< [rows], the link to that tree */
    float *strongest; /**< [rows], what it conducts; negative: they are in it */
    double *flow;     /**< [links] */
    double *shared;   /**< [links], sum of the conductances that a link is made of */
} rill_balance_level;

/** What a loop over rows works with: a level, and the next, coarser one. */
typedef struct rill_balance {
    rill_balance_level fine, coarse;
} rill_balance;

/** What is done to rows. */
typedef enum rill_balance_work {
    RILL_BALANCE_CLIMB,   /**< sum up over the members of a coarse row */
    RILL_BALANCE_END,     /**< let what piles up in a coarse row go to the ends, on the last level */
    RILL_BALANCE_SHARE,   /**< sum up the conductances that the links of a coarse row are made of */
    RILL_BALANCE_DESCEND, /**< find the flows of the members of a coarse row */
    RILL_BALANCE_HELD,    /**< find the flows of a fine row that an end holds, or that nothing leaves */
    RILL_BALANCE_WORKS
} rill_balance_work;

/** Return the link of a row to another. */
RILL_FN uint32_t rill_balance_link(const rill_flow_level *rows, const uint32_t row, const uint32_t other)
{
    uint32_t k = rows->begin[row];
    while (rows->link[k].row != other) k++;
    return k;
}

RILL_FN void rill_balance_climb(const rill_balance *b, const uint32_t c)
{
    const rill_flow_level *fine = &b->fine.rows, *coarse = &b->coarse.rows;
    double left = 0, out = 0;
    for (uint32_t m = coarse->first[c]; m < coarse->end[c]; m++) {
        b->fine.parent[m] = c;
        left += fine->given[m];
        out += fine->old[m];
        for (uint32_t k = fine->begin[m]; k < fine->begin[m + 1]; k++)
            if (fine->link[k].row >= fine->joined) out += fine->link[k].conductance;
    }
    coarse->given[c] = left;
    coarse->old[c] = out;
}

RILL_FN void rill_balance_share(const rill_balance *b, const uint32_t c)
{
    const rill_flow_level *fine = &b->fine.rows, *coarse = &b->coarse.rows;
    for (uint32_t k = coarse->begin[c]; k < coarse->begin[c + 1]; k++) b->coarse.shared[k] = 0;
    for (uint32_t m = coarse->first[c]; m < coarse->end[c]; m++)
        for (uint32_t k = fine->begin[m]; k < fine->begin[m + 1]; k++) {
            const rill_flow_link l = fine->link[k];
            if (l.row >= fine->joined || b->fine.parent[l.row] == c) continue;
            b->coarse.shared[rill_balance_link(coarse, c, b->fine.parent[l.row])] += l.conductance;
        }
}

/** Return the flow along a link of a member of row c that leads out of it. */
RILL_FN double rill_balance_shared(const rill_balance *b, const uint32_t c, const uint32_t row,
                                   const double conductance)
{
    const rill_flow_level *coarse = &b->coarse.rows;
    if (row >= b->fine.rows.joined) return coarse->value[c] * conductance / coarse->old[c];
    const uint32_t k = rill_balance_link(coarse, c, b->fine.parent[row]);
    return b->coarse.flow[k] * conductance / b->coarse.shared[k];
}

/** Let what is left in the members of a row flow along a tree of their strongest links (Prim). */
RILL_FN void rill_balance_tree(const rill_balance_level *fine, const uint32_t first, const uint32_t end)
{
    const rill_flow_level *rows = &fine->rows;
    for (uint32_t m = first; m < end; m++) fine->strongest[m] = 0;
    for (uint32_t made = first; made < end; made++) {
        uint32_t next = first;
        for (uint32_t m = first + 1; m < end; m++)
            if (fine->strongest[m] > fine->strongest[next]) next = m;
        fine->order[made] = next;
        fine->strongest[next] = -1;
        for (uint32_t k = rows->begin[next]; k < rows->begin[next + 1]; k++) {
            const rill_flow_link l = rows->link[k];
            if (l.row < first || l.row >= end || !(l.conductance > fine->strongest[l.row]) ||
                fine->strongest[l.row] < 0)
                continue;
            fine->strongest[l.row] = l.conductance;
            fine->link[l.row] = rill_balance_link(rows, l.row, next);
        }
    }
    for (uint32_t made = end - 1; made > first; made--) {
        const uint32_t m = fine->order[made], k = fine->link[m], to = rows->link[k].row;
        fine->flow[k] = rows->given[m];
        fine->flow[rill_balance_link(rows, to, m)] = -rows->given[m];
        rows->given[to] += rows->given[m];
    }
}

RILL_FN void rill_balance_descend(const rill_balance *b, const uint32_t c)
{
    const rill_flow_level *fine = &b->fine.rows, *coarse = &b->coarse.rows;
    const uint32_t first = coarse->first[c], end = coarse->end[c];
    for (uint32_t m = first; m < end; m++) {
        fine->value[m] = coarse->old[c] > 0 ? coarse->value[c] * fine->old[m] / coarse->old[c] : 0;
        double left = fine->given[m] - fine->value[m];
        for (uint32_t k = fine->begin[m]; k < fine->begin[m + 1]; k++) {
            const rill_flow_link l = fine->link[k];
            const bool within = l.row >= first && l.row < end;
            b->fine.flow[k] = within ? 0 : rill_balance_shared(b, c, l.row, l.conductance);
            left -= b->fine.flow[k];
        }
        fine->given[m] = left;
    }
    rill_balance_tree(&b->fine, first, end);
}

RILL_FN void rill_balance_held(const rill_balance *b, const uint32_t row)
{
    const rill_flow_level *fine = &b->fine.rows;
    const bool open = fine->old[row] > 0; /* else nothing piles up */
    double leaves = open ? fine->given[row] : 0;
    for (uint32_t k = fine->begin[row]; k < fine->begin[row + 1]; k++) {
        const uint32_t m = fine->link[k].row;
        b->fine.flow[k] = 0;
        if (!open || m >= fine->joined) continue;
        const uint32_t back = rill_balance_link(fine, m, row);
        b->fine.flow[k] = -rill_balance_shared(b, b->fine.parent[m], row, fine->link[back].conductance);
        leaves -= b->fine.flow[k];
    }
    fine->value[row] = leaves;
}

/** Do some work to a row. */
RILL_FN void rill_balance_row(const rill_balance_work work, const rill_balance *b, const uint32_t row)
{
    const rill_flow_level *coarse = &b->coarse.rows;
    switch (work) {
    case RILL_BALANCE_CLIMB:
        rill_balance_climb(b, row);
        break;
    case RILL_BALANCE_END:
        coarse->value[row] = coarse->old[row] > 0 ? coarse->given[row] : 0;
        break;
    case RILL_BALANCE_SHARE:
        rill_balance_share(b, row);
        break;
    case RILL_BALANCE_DESCEND:
        rill_balance_descend(b, row);
        break;
    case RILL_BALANCE_HELD:
        rill_balance_held(b, b->fine.rows.joined + row);
        break;
    case RILL_BALANCE_WORKS:
        break;
    }
}

/** Return the rows that a work is done to. */
RILL_FN uint32_t rill_balance_count(const rill_balance_work work, const rill_balance *b)
{
    return work == RILL_BALANCE_HELD ? b->fine.rows.count - b->fine.rows.joined : b->coarse.rows.count;
}

/** Do some work to all rows. @param device  whose memory the arrays are in; NULL: the host's */
rill_status rill_balance_rows(const rill_device *device, rill_balance_work work, const rill_balance *b);

#ifdef RILL_HAVE_CUDA
/** Start to do some work to all rows, on a GPU. */
rill_status rill_cuda_balance_rows(const rill_device *device, rill_balance_work work, const rill_balance *b);
#endif

#endif
