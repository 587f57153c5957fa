/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file walls.h
 * The links of interpolated walls (kernel/walls.h), a row of RILL_BLOCK of them at a time: all are read
 * before one is written, and pairs, which come first, two by two, are in one row.
 */
#ifndef RILL_CPU_WALLS_H
#define RILL_CPU_WALLS_H

#include "cpu/patch.h"
#include "kernel/walls.h"

/** Read what slots hold, shifted. */
static inline void rill_cpu_wall_read(const rill_cpu_patch_work *w, const rill_wall_cut *cuts, size_t count,
                                      const size_t *slots, double *values)
{
    alignas(64) char stored[RILL_BLOCK * sizeof(double)] = {0}, row[RILL_BLOCK * sizeof(double)];
    for (size_t k = 0; k < count; k++)
        memcpy(stored + k * w->size, (const char *)w->launch->from.populations + slots[k] * w->size, w->size);
    w->format->load(stored, row, 0);
    for (size_t k = 0; k < count; k++)
        values[k] = (w->launch->variant.arithmetic == RILL_SINGLE ? (double)((float *)(void *)row)[k]
                                                                  : ((double *)(void *)row)[k]) -
                    w->weights[rill_wall_direction(cuts[k].cut)];
}

/** Write slots. */
static inline void rill_cpu_wall_write(const rill_cpu_patch_work *w, const rill_wall_cut *cuts, size_t count,
                                       const size_t *slots, const double *values)
{
    alignas(64) char stored[RILL_BLOCK * sizeof(double)], row[RILL_BLOCK * sizeof(double)] = {0};
    for (size_t k = 0; k < count; k++) {
        const double value = values[k] + w->weights[rill_wall_direction(cuts[k].cut)];
        if (w->launch->variant.arithmetic == RILL_SINGLE)
            ((float *)(void *)row)[k] = (float)value;
        else
            ((double *)(void *)row)[k] = value;
    }
    w->format->store(stored, row, 0);
    for (size_t k = 0; k < count; k++)
        memcpy((char *)w->launch->from.populations + slots[k] * w->size, stored + k * w->size, w->size);
}

/** Do a task for a row of links. */
static inline void rill_cpu_wall_row(const rill_cpu_patch_work *w, const rill_walls *walls, uint64_t first,
                                     rill_walls_task task, double *exchange)
{
    const rill_wall_cut *cuts = walls->cuts + first;
    const size_t count = walls->count - first < RILL_BLOCK ? (size_t)(walls->count - first) : RILL_BLOCK;
    size_t own[RILL_BLOCK], other[RILL_BLOCK];
    double sent[RILL_BLOCK], seen[RILL_BLOCK];
    for (size_t k = 0; k < count && task == RILL_WALLS_FIND; k++)
        walls->meetings[first + k] = rill_wall_meeting(w->plan, &w->launch->from, cuts[k]);
    if (task == RILL_WALLS_FIND) return;
    for (size_t k = 0; k < count; k++)
        own[k] = rill_wall_slot(w->plan, w->launch->parity, &w->launch->from, cuts[k].node,
                                rill_wall_direction(cuts[k].cut));
    rill_cpu_wall_read(w, cuts, count, own, sent);
    for (size_t k = 0; k < count && task == RILL_WALLS_MEASURE; k++) {
        exchange[first + k] = sent[k] + walls->sent[first + k];
        exchange[walls->count + first + k] = sent[k] - walls->sent[first + k];
    }
    if (task == RILL_WALLS_MEASURE) return;
    for (size_t k = 0; k < count; k++)
        other[k] = rill_wall_other_slot(w->plan, w->launch->parity, &w->launch->from, cuts[k],
                                        walls->meetings[first + k]);
    rill_cpu_wall_read(w, cuts, count, other, seen);
    if (walls->sent) memcpy(walls->sent + first, sent, count * sizeof *sent);
    for (size_t k = 0; k < count; k++)
        sent[k] = rill_wall_back(cuts[k].cut, sent[k], seen[k],
                                 walls->values ? walls->scale * walls->values[first + k] : 0);
    rill_cpu_wall_write(w, cuts, count, own, sent);
}

/** See rill_kernels.walls. */
static inline void rill_cpu_walls(const rill_cpu_patch_work *w, rill_walls_task task, const rill_walls *walls,
                                  double *exchange)
{
#pragma omp parallel for schedule(static)
    for (uint64_t k = 0; k < walls->count; k += RILL_BLOCK) rill_cpu_wall_row(w, walls, k, task, exchange);
}

#endif
