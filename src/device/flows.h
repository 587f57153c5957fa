/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file flows.h
 * Loops over the rows of a network of flows (network/solve.c), on processors or on a GPU: one source for
 * both, and the same bits. Rows do not wait for each other.
 */
#ifndef RILL_DEVICE_FLOWS_H
#define RILL_DEVICE_FLOWS_H

#include "device/device.h"
#include "kernel/platform.h"

/** What a row exchanges with another. In single precision: rounding is far below what is known of a
 * conductance. */
typedef struct rill_flow_link {
    uint32_t row;
    float conductance;
} rill_flow_link;

/** A network of the solver: that of the chambers, or a coarser one whose rows are what was joined. What is
 * joined stands side by side on every level. */
typedef struct rill_flow_level {
    uint32_t count;
    bool last;             /**< no row has links */
    uint32_t *begin;       /**< [count + 1], first link of a row */
    rill_flow_link *link;  /**< [begin[count]] */
    double *inverse;       /**< [count], of the conductances of all that leaves, and 1 where nothing does */
    uint32_t *first, *end; /**< [count], rows on the level before, `end` often first + 1; NULL on the first */
    uint32_t joined; /**< of the rows, those that are joined on the next level, and stand before the others */
    double *given, *value, *old; /**< [count], of the solver */
} rill_flow_level;

/** What is done to every row of a level, see rill_flow_row(). */
typedef enum rill_flow_work {
    RILL_FLOW_BEGIN,    /**< search direction 0; first smoothing step of the right-hand side */
    RILL_FLOW_GO,       /**< step along the search direction; first smoothing step of the residual */
    RILL_FLOW_DESCEND,  /**< restrict the residual of the finer level; first smoothing step */
    RILL_FLOW_ASCEND,   /**< second smoothing step; add the correction to the finer level */
    RILL_FLOW_FINISH,   /**< second smoothing step; sums up residual times correction */
    RILL_FLOW_MULTIPLY, /**< matrix times search direction; sums up the product of both */
    RILL_FLOW_TURN,     /**< next search direction */
    RILL_FLOW_WORKS
} rill_flow_work;

/** What a loop over rows works with. */
typedef struct rill_flow {
    rill_flow_level level, finer;     /**< and the level before it */
    double *found, *direction, *flow; /**< [rows of the first level]; NULL: a cycle alone is made */
    double *partial;                  /**< [chunks of it], sums of products over the rows of each chunk */
    double factor;                    /**< of the direction */
} rill_flow;

/** Rows of a chunk, whose products are summed up one after the other: the same bits everywhere. */
enum { RILL_FLOW_CHUNK = 256 };

/** Of a sweep of Jacobi. Below 1 what alternates from row to row decays, too. The sandstone and packs take
 * 5 and 4 iterations, smooth gains of a large network 9 with 0.9, 10 with 0.7 and 11 with 0.6. */
#define RILL_FLOW_DAMPING 0.9

/** Return what comes in through the links of a row. */
RILL_FN double rill_flow_inflow(const rill_flow_level *level, const uint32_t row, const double *x)
{
    double sum = 0;
    for (uint32_t k = level->begin[row]; k < level->begin[row + 1]; k++)
        sum += (double)level->link[k].conductance * x[level->link[k].row];
    return sum;
}

/** First smoothing step of a row, from 0; the exact solution of a row without links. */
RILL_FN void rill_flow_forward(const rill_flow_level *level, const uint32_t row)
{
    level->value[row] = (level->last ? 1 : RILL_FLOW_DAMPING) * level->given[row] * level->inverse[row];
    if (row >= level->joined) level->old[row] = level->value[row]; /* the next level adds nothing */
}

/** Second smoothing step of a row, from the value with the correction of the coarser level. */
RILL_FN void rill_flow_back(const rill_flow_level *level, const uint32_t row)
{
    const double old = level->old[row];
    const double far = (level->given[row] + rill_flow_inflow(level, row, level->old)) * level->inverse[row];
    level->value[row] = old + RILL_FLOW_DAMPING * (far - old);
}

/** Do some work to a row. @return the product that is summed up, if any */
RILL_FN double rill_flow_row(const rill_flow_work work, const rill_flow *f, const uint32_t row)
{
    const rill_flow_level *level = &f->level, *finer = &f->finer;
    double left = 0;
    switch (work) {
    case RILL_FLOW_BEGIN:
        if (f->found) f->found[row] = f->direction[row] = 0;
        rill_flow_forward(level, row);
        break;
    case RILL_FLOW_GO:
        f->found[row] += f->factor * f->direction[row];
        level->given[row] -= f->factor * f->flow[row];
        rill_flow_forward(level, row);
        break;
    case RILL_FLOW_DESCEND: /* value = DAMPING given / conductances there */
        for (uint32_t m = level->first[row]; m < level->end[row]; m++)
            left += (1 - RILL_FLOW_DAMPING) * finer->given[m] + rill_flow_inflow(finer, m, finer->value);
        level->given[row] = left;
        rill_flow_forward(level, row);
        break;
    case RILL_FLOW_ASCEND:
        if (!level->last) rill_flow_back(level, row);
        for (uint32_t m = level->first[row]; m < level->end[row]; m++)
            finer->old[m] = finer->value[m] + level->value[row];
        break;
    case RILL_FLOW_FINISH:
        if (!level->last) rill_flow_back(level, row);
        return level->given[row] * level->value[row];
    case RILL_FLOW_MULTIPLY:
        f->flow[row] = f->direction[row] / level->inverse[row] - rill_flow_inflow(level, row, f->direction);
        return f->flow[row] * f->direction[row];
    case RILL_FLOW_TURN:
        f->direction[row] = level->value[row] + f->factor * f->direction[row];
        break;
    case RILL_FLOW_WORKS:
        break;
    }
    return 0;
}

/** Return whether a work sums up products. */
RILL_CONSTANT_FN bool rill_flow_sums(const rill_flow_work work)
{
    return work == RILL_FLOW_FINISH || work == RILL_FLOW_MULTIPLY;
}

/** Return the chunks of so many rows. */
RILL_FN uint32_t rill_flow_chunks(const uint32_t rows)
{
    return (uint32_t)(((uint64_t)rows + RILL_FLOW_CHUNK - 1) / RILL_FLOW_CHUNK);
}

/** Return whether a device can work on rows in its own memory. */
bool rill_flow_reaches(const rill_device *device);

/** Do some work to all rows of a level. @param device  whose memory the arrays are in; NULL: the host's */
rill_status rill_flow_rows(const rill_device *device, rill_flow_work work, const rill_flow *flow);

#ifdef RILL_HAVE_CUDA
/** Start to do some work to all rows of a level, on a GPU. */
rill_status rill_cuda_flow_rows(const rill_device *device, rill_flow_work work, const rill_flow *flow);
#endif

#endif
