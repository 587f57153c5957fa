/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows that carry away what piles up at the nodes of a field that is no solution yet. With them the flow of
 * the field nowhere piles up, so that Thomson's principle holds for the sum; the energy of both principles
 * differs by that of these flows.
 *
 * They are found from the coarsest level to the nodes. What piles up in a row is that of all its nodes. A
 * flow between two rows is shared out over the links between their members, in proportion to what these
 * conduct; so is a flow to the ends. What then is left piles up to nothing within a row, and flows along a
 * tree of its strongest links.
 * @see Synge (1957), The Hypercircle in Mathematical Physics
 */
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "diffusion/block.h"

#include <math.h>
#include <string.h>

static const char *const name = "the bound of a diffusion";

enum { PIECE = 256 };

/* What is known of the rows of a level. */
typedef struct level {
    const rill_flow_level *rows;
    double *left;     /* [rows], what piles up */
    double *out;      /* [rows], conductance to the ends, and to rows held by them on finer levels */
    double *leaves;   /* [rows], flow to the ends */
    uint32_t *parent; /* [rows], row on the next level */
    double *flow;     /* [links] */
    double *shared;   /* [links], sum of the conductances that the link is made of */
} level;

/* What a loop over rows works with: a level, and the next, coarser one. */
typedef struct pair {
    const level *fine, *coarse;
    const rill_diffusor *d;
    double *partial; /* of the nodes */
} pair;

static rill_status create(uint64_t count, size_t size, void *out)
{
    return rill_array_create_zero(count, size, name, (void **)out);
}

static void level_free(level *l)
{
    rill_array_destroy(l->left); /* with out and leaves */
    rill_array_destroy(l->parent);
    rill_array_destroy(l->flow); /* with shared */
    *l = (level){.rows = NULL};
}

static rill_status level_make(const rill_flow_level *rows, level *l)
{
    rill_status status = RILL_OK;
    *l = (level){.rows = rows};
    RILL_TRY(create(3 * (uint64_t)rows->count, sizeof *l->left, &l->left));
    l->out = l->left + rows->count;
    l->leaves = l->out + rows->count;
    RILL_TRY(create(rows->count, sizeof *l->parent, &l->parent));
done:
    return status;
}

static rill_status flows_make(level *l)
{
    const uint64_t links = l->rows->begin[l->rows->count];
    const rill_status status = create(2 * links, sizeof *l->flow, &l->flow);
    l->shared = l->flow + links;
    return status;
}

/* Return the link of a row to another. */
static uint32_t link_to(const rill_flow_level *rows, uint32_t row, uint32_t other)
{
    uint32_t k = rows->begin[row];
    while (rows->link[k].row != other) k++;
    return k;
}

/* Sum up over the members of rows what piles up, and what they conduct to the ends. */
static void climb(const void *shared, uint64_t first, uint64_t end)
{
    const pair *p = shared;
    const level *fine = p->fine, *coarse = p->coarse;
    for (uint64_t c = first; c < end; c++)
        for (uint32_t m = coarse->rows->first[c]; m < coarse->rows->first[c + 1]; m++) {
            fine->parent[m] = (uint32_t)c;
            coarse->left[c] += fine->left[m];
            coarse->out[c] += fine->out[m];
            for (uint32_t k = fine->rows->begin[m]; k < fine->rows->begin[m + 1]; k++)
                if (fine->rows->link[k].row >= fine->rows->joined)
                    coarse->out[c] += fine->rows->link[k].conductance;
        }
}

/* Sum up the conductances that the links of rows are made of. */
static void share(const void *shared, uint64_t first, uint64_t end)
{
    const pair *p = shared;
    const rill_flow_level *fine = p->fine->rows, *coarse = p->coarse->rows;
    for (uint64_t c = first; c < end; c++)
        for (uint32_t m = coarse->first[c]; m < coarse->first[c + 1]; m++)
            for (uint32_t k = fine->begin[m]; k < fine->begin[m + 1]; k++) {
                const rill_flow_link *l = &fine->link[k];
                if (l->row >= fine->joined || p->fine->parent[l->row] == c) continue;
                p->coarse->shared[link_to(coarse, (uint32_t)c, p->fine->parent[l->row])] += l->conductance;
            }
}

/* Return the flow along a link of a member of row c that leads out of it. */
static double shared_flow(const pair *p, uint32_t c, const rill_flow_link *l)
{
    if (l->row >= p->fine->rows->joined) return p->coarse->leaves[c] * l->conductance / p->coarse->out[c];
    const uint32_t k = link_to(p->coarse->rows, c, p->fine->parent[l->row]);
    return p->coarse->flow[k] * l->conductance / p->coarse->shared[k];
}

/* A member of a row while a tree is made of them. */
typedef struct member {
    double strongest; /* of its links to the tree; negative: it is in it */
    uint32_t link;    /* that one */
} member;

enum { MEMBERS = 64 };

/* Let what is left in the members of row c flow along a tree of their strongest links (Prim). */
static void tree_flow(const level *fine, uint32_t first, uint32_t count, double *left, member *in,
                      uint32_t *order)
{
    const rill_flow_level *rows = fine->rows;
    for (uint32_t m = 0; m < count; m++) in[m] = (member){0, UINT32_MAX};
    for (uint32_t made = 0; made < count; made++) {
        uint32_t next = 0;
        for (uint32_t m = 1; m < count; m++)
            if (in[m].strongest > in[next].strongest) next = m;
        order[made] = next;
        in[next].strongest = -1;
        for (uint32_t k = rows->begin[first + next]; k < rows->begin[first + next + 1]; k++) {
            const rill_flow_link *l = &rows->link[k];
            if (l->row < first || l->row >= first + count) continue;
            member *other = &in[l->row - first];
            if (other->strongest >= 0 && l->conductance > other->strongest)
                *other = (member){l->conductance, link_to(rows, l->row, first + next)};
        }
    }
    for (uint32_t made = count; made-- > 1;) {
        const uint32_t m = order[made], k = in[m].link, to = rows->link[k].row;
        fine->flow[k] = left[m];
        fine->flow[link_to(rows, to, first + m)] = -left[m];
        left[to - first] += left[m];
    }
}

/* Find the flows of the members of rows. */
static void descend(const void *shared, uint64_t first, uint64_t end)
{
    const pair *p = shared;
    const level *fine = p->fine;
    const rill_flow_level *rows = fine->rows;
    double few_left[MEMBERS];
    member few_in[MEMBERS];
    uint32_t few_order[MEMBERS];
    for (uint64_t row = first; row < end; row++) {
        const uint32_t c = (uint32_t)row, from = p->coarse->rows->first[c];
        const uint32_t count = p->coarse->rows->first[c + 1] - from;
        if (count > MEMBERS) continue; /* see levels_fit() */
        for (uint32_t m = 0; m < count; m++) {
            const uint32_t r = from + m;
            few_left[m] = fine->left[r];
            if (p->coarse->out[c] > 0)
                fine->leaves[r] = p->coarse->leaves[c] * fine->out[r] / p->coarse->out[c];
            few_left[m] -= fine->leaves[r];
            for (uint32_t k = rows->begin[r]; k < rows->begin[r + 1]; k++) {
                const uint32_t to = rows->link[k].row;
                if (to >= from && to < from + count) continue;
                fine->flow[k] = shared_flow(p, c, &rows->link[k]);
                few_left[m] -= fine->flow[k];
            }
        }
        tree_flow(fine, from, count, few_left, few_in, few_order);
    }
}

/* Rows that an end holds: all that comes goes there. */
static void held(const void *shared, uint64_t first, uint64_t end)
{
    const pair *p = shared;
    const level *fine = p->fine;
    const rill_flow_level *rows = fine->rows;
    for (uint64_t r = rows->joined + first; r < rows->joined + end; r++) {
        if (!(fine->out[r] > 0)) continue; /* closed: nothing piles up */
        fine->leaves[r] = fine->left[r];
        for (uint32_t k = rows->begin[r]; k < rows->begin[r + 1]; k++) {
            const uint32_t m = rows->link[k].row;
            if (m >= rows->joined) continue;
            const rill_flow_link back = {(uint32_t)r, rows->link[link_to(rows, m, (uint32_t)r)].conductance};
            fine->flow[k] = -shared_flow(p, fine->parent[m], &back);
            fine->leaves[r] -= fine->flow[k];
        }
    }
}

/* Sum up over the nodes of chambers. */
static void nodes_climb(const void *shared, uint64_t first, uint64_t end)
{
    const pair *p = shared;
    for (uint64_t k = first; k < end; k++) {
        rill_diffusion_row row = rill_diffusion_row_begin(p->d, k);
        for (rill_diffusion_block b; rill_diffusion_block_next(&row, &b);)
            for (uint32_t cells = b.cells; cells; cells &= cells - 1) {
                const uint32_t i = b.node[__builtin_ctz(cells)];
                p->coarse->left[p->d->coarse[i]] += p->d->all.residual[i];
            }
    }
}

/* Take over what the chambers conduct to the ends. */
static void ends_take(const void *shared, uint64_t first, uint64_t end)
{
    const pair *p = shared;
    for (uint64_t r = first; r < end; r++)
        p->coarse->out[r] = p->d->chambers.outlet[p->d->chambers.chamber[r]];
}

/* Let what is left in the nodes of a chamber flow along a tree. @return energy of that */
static double nodes_tree(const rill_diffusor *d, const rill_diffusion_block *b, uint32_t part, double left[8])
{
    uint32_t order[8] = {part}, from[8], count = 1, in = 1u << part;
    double sum = 0;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t side = 1; side < 8; side *= 2) {
            const uint32_t to = order[k] ^ side;
            if (!(b->cells >> to & 1) || b->part[to] != part || in >> to & 1) continue;
            in |= 1u << to;
            from[count] = order[k];
            order[count++] = to;
        }
    for (uint32_t k = count; k-- > 1;) {
        const double flow = left[order[k]];
        const uint8_t kind = d->kind ? d->kind[b->node[part]] : 0;
        sum += flow * flow / d->between[kind * (RILL_DIFFUSION_KINDS + 1)];
        left[from[k]] += flow;
    }
    return sum;
}

/* Sum up the energy of the flows between the nodes. */
static void nodes_descend(const void *shared, uint64_t first, uint64_t end)
{
    const pair *p = shared;
    const level *coarse = p->coarse;
    const rill_diffusor *d = p->d;
    for (uint64_t k = first; k < end; k++) {
        double sum = 0;
        rill_diffusion_row row = rill_diffusion_row_begin(d, k);
        for (rill_diffusion_block b; rill_diffusion_block_next(&row, &b);) {
            double left[8];
            for (uint32_t q = 0; q < 8; q++) {
                if (!(b.cells >> q & 1)) continue;
                const rill_diffusion_node node = rill_diffusion_cell_see(&row, &b, q);
                const uint32_t own = d->coarse[node.i];
                const double leaves =
                    coarse->out[own] > 0 ? RILL_DIFFUSOR_BETWEEN * coarse->leaves[own] / coarse->out[own] : 0;
                left[q] = d->all.residual[node.i] - leaves * (node.end[0] + node.end[1]);
                sum += leaves * leaves * (node.end[0] + node.end[1]);
                for (int s = 0; s < RILL_DIFFUSION_FACES; s++) {
                    const uint32_t other = d->coarse[node.beside[s]];
                    if (node.to[s] == 0 || other == own) continue;
                    double per = leaves; /* flow per conductance */
                    if (other != RILL_DIFFUSION_NONE) {
                        const uint32_t l = link_to(coarse->rows, own, other);
                        per = RILL_DIFFUSOR_BETWEEN * coarse->flow[l] / coarse->rows->link[l].conductance;
                    }
                    left[q] -= per * node.to[s];
                    /* The other side of a face between chambers counts it, too. */
                    sum += (other == RILL_DIFFUSION_NONE ? 1 : 0.5) * per * per * node.to[s];
                }
            }
            for (uint32_t q = 0; q < 8; q++)
                if (b.cells >> q & 1 && b.part[q] == q) sum += nodes_tree(d, &b, q, left);
        }
        p->partial[k] = sum;
    }
}

/* Whether all levels can be worked on: the last has no links, and rows have few members. */
static bool levels_fit(const rill_network *network)
{
    const rill_flow_level *last = &network->level[network->levels - 1];
    for (int k = 1; k < network->levels; k++)
        for (uint32_t c = 0; c < network->level[k].count; c++)
            if (network->level[k].first[c + 1] - network->level[k].first[c] > MEMBERS) return false;
    return last->last;
}

/* On the last level all goes to the ends. */
static void end_at(const level *last)
{
    for (uint32_t r = 0; r < last->rows->count; r++)
        if (last->out[r] > 0) last->leaves[r] = last->left[r];
}

rill_status rill_diffusor_gap(const rill_diffusor *d, double *gap)
{
    rill_status status = RILL_OK;
    const rill_network *network = &d->chambers;
    const uint64_t blocks = rill_diffusion_block_rows(d);
    level l[RILL_NETWORK_LEVELS + 1] = {{.rows = NULL}};
    pair p = {.d = d, .coarse = &l[0]};
    *gap = INFINITY;
    if (!levels_fit(network)) return RILL_OK;
    RILL_TRY(create(blocks, sizeof *p.partial, &p.partial));
    for (int k = 0; k < network->levels; k++) RILL_TRY(level_make(&network->level[k], &l[k]));
    rill_threads_for(blocks, 1, nodes_climb, &p);
    rill_threads_for(l[0].rows->count, PIECE, ends_take, &p);
    for (int k = 1; k < network->levels; k++) {
        const pair up = {.fine = &l[k - 1], .coarse = &l[k]};
        rill_threads_for(l[k].rows->count, PIECE, climb, &up);
    }
    end_at(&l[network->levels - 1]);
    for (int k = network->levels - 1; k > 0; k--) {
        const pair down = {.fine = &l[k - 1], .coarse = &l[k]};
        if (!l[k].flow) RILL_TRY(flows_make(&l[k]));
        RILL_TRY(flows_make(&l[k - 1]));
        rill_threads_for(l[k].rows->count, PIECE, share, &down);
        rill_threads_for(l[k].rows->count, PIECE, descend, &down);
        rill_threads_for(l[k - 1].rows->count - l[k - 1].rows->joined, PIECE, held, &down);
        level_free(&l[k]);
    }
    if (!l[0].flow) RILL_TRY(flows_make(&l[0]));
    rill_threads_for(blocks, 1, nodes_descend, &p);
    *gap = 0;
    for (uint64_t k = 0; k < blocks; k++) *gap += p.partial[k];
done:
    for (int k = 0; k <= RILL_NETWORK_LEVELS; k++) level_free(&l[k]);
    rill_array_destroy(p.partial);
    return status;
}
