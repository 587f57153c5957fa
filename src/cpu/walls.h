/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file walls.h
 * The links of walls with interpolated bounce-back (kernel/boundary/walls.h), and their nodes, a row of
 * RILL_BLOCK of them at a time: all are read before one is written, and pairs, which come first, two by two,
 * are in one row.
 */
#ifndef RILL_CPU_WALLS_H
#define RILL_CPU_WALLS_H

#include "cpu/links.h"
#include "cpu/patch.h"
#include "kernel/boundary/walls.h"

/** Find the slots of a row of links: those that they are rewritten in, the others that they read, and of
 * links with another node beyond the next one what this has sent. @param[in] walls  from the first link on */
typedef void rill_cpu_find_walls(int lattice, int parity, const rill_arrays *arrays, const rill_walls *walls,
                                 size_t count, size_t *own, size_t *other, size_t *beyond);

/** Find the slots of what nodes have sent along opp(i), and of what comes in along i. */
typedef void rill_cpu_find_fluxes(int lattice, int parity, const rill_arrays *arrays, const rill_node *nodes,
                                  int i, size_t count, size_t *sent, size_t *in);

/* Scheme and addressing as constants: slots are what most of the time goes into. */
#define RILL_CPU_FIND_WALLS(S, A, exists)                                                                    \
    static inline void find_walls_##S##_##A(int lattice, int parity, const rill_arrays *arrays,              \
                                            const rill_walls *walls, size_t count, size_t *own,              \
                                            size_t *other, size_t *beyond)                                   \
    {                                                                                                        \
        const rill_layout layout = {lattice, RILL_##S, RILL_##A, RILL_HALF_WAY, RILL_FP32, RILL_SHIFTED};    \
        const rill_wall_cut *cuts = walls->cuts;                                                             \
        for (size_t k = 0; k < count; k++)                                                                   \
            own[k] = rill_wall_slot(layout, parity, arrays, cuts[k].node, rill_wall_direction(cuts[k].cut)); \
        for (size_t k = 0; k < count; k++)                                                                   \
            other[k] = rill_wall_other_slot(layout, parity, arrays, cuts[k], walls->meetings[k]);            \
        for (size_t k = 0; k < count && walls->next; k++)                                                    \
            beyond[k] = !rill_wall_curved(walls, k)                                                          \
                            ? own[k]                                                                         \
                            : rill_wall_beyond_slot(layout, parity, arrays, cuts[k], walls->next[k],         \
                                                    walls->beyond[k]);                                       \
    }                                                                                                        \
    static inline void find_fluxes_##S##_##A(int lattice, int parity, const rill_arrays *arrays,             \
                                             const rill_node *nodes, int i, size_t count, size_t *sent,      \
                                             size_t *in)                                                     \
    {                                                                                                        \
        const rill_layout layout = {lattice, RILL_##S, RILL_##A, RILL_HALF_WAY, RILL_FP32, RILL_SHIFTED};    \
        for (size_t k = 0; k < count; k++)                                                                   \
            rill_wall_flux_slots(layout, parity, arrays, nodes[k], i, &sent[k], &in[k]);                     \
    }
#define RILL_STREAM(value, name, slots, kinds, looks, ring, chased, meeting)                                 \
    RILL_CPU_ADDRESSINGS(RILL_CPU_FIND_WALLS, value, chased)
#include "kernel/variants.def"

/** Return the function that finds slots. */
static inline rill_cpu_find_walls *rill_cpu_walls_finder(rill_variant variant)
{
#define RILL_CPU_WALLS_FINDER(S, A, exists) [RILL_##S][RILL_##A] = (exists) ? find_walls_##S##_##A : NULL,
#define RILL_STREAM(value, name, slots, kinds, looks, ring, chased, meeting)                                 \
    RILL_CPU_ADDRESSINGS(RILL_CPU_WALLS_FINDER, value, chased)
    static rill_cpu_find_walls *const finders[RILL_STREAM_COUNT][RILL_ADDRESSING_COUNT] = {
#include "kernel/variants.def"
    };
    return finders[variant.stream][variant.addressing];
}

/** Return the function that finds slots of fluxes. */
static inline rill_cpu_find_fluxes *rill_cpu_fluxes_finder(rill_variant variant)
{
#define RILL_CPU_FLUXES_FINDER(S, A, exists) [RILL_##S][RILL_##A] = (exists) ? find_fluxes_##S##_##A : NULL,
#define RILL_STREAM(value, name, slots, kinds, looks, ring, chased, meeting)                                 \
    RILL_CPU_ADDRESSINGS(RILL_CPU_FLUXES_FINDER, value, chased)
    static rill_cpu_find_fluxes *const finders[RILL_STREAM_COUNT][RILL_ADDRESSING_COUNT] = {
#include "kernel/variants.def"
    };
    return finders[variant.stream][variant.addressing];
}

/** Copy `count` values of `size` bytes, a constant, between slots and a row. */
RILL_FN void rill_cpu_wall_copy(char *populations, const size_t *slots, size_t count, char *row,
                                const bool into, const size_t size)
{
    for (size_t k = 0; k < count; k++)
        memcpy(into ? row + k * size : populations + slots[k] * size,
               into ? populations + slots[k] * size : row + k * size, size);
}

static inline void rill_cpu_wall_move(const rill_cpu_patch_work *w, const size_t *slots, size_t count,
                                      char *row, bool into)
{
    char *populations = w->launch->from.populations;
    if (w->size == 2 && into) rill_cpu_wall_copy(populations, slots, count, row, true, 2);
    if (w->size == 4 && into) rill_cpu_wall_copy(populations, slots, count, row, true, 4);
    if (w->size == 8 && into) rill_cpu_wall_copy(populations, slots, count, row, true, 8);
    if (w->size == 2 && !into) rill_cpu_wall_copy(populations, slots, count, row, false, 2);
    if (w->size == 4 && !into) rill_cpu_wall_copy(populations, slots, count, row, false, 4);
    if (w->size == 8 && !into) rill_cpu_wall_copy(populations, slots, count, row, false, 8);
}

/** Read what slots hold, shifted. */
static inline void rill_cpu_wall_read(const rill_cpu_patch_work *w, const rill_wall_cut *cuts, size_t count,
                                      const size_t *slots, double *values)
{
    alignas(64) char stored[RILL_BLOCK * sizeof(double)] = {0}, row[RILL_BLOCK * sizeof(double)];
    rill_cpu_wall_move(w, slots, count, stored, true);
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
    rill_cpu_wall_move(w, slots, count, stored, false);
}

/** Take the corrections of fluxes through links i of a row of nodes from what the nodes have gained. */
static inline void rill_cpu_wall_fluxes(const rill_cpu_patch_work *w, const rill_walls *walls, uint64_t first,
                                        size_t count, int i, double *gains)
{
    size_t sent[RILL_BLOCK], in[RILL_BLOCK], owner[RILL_BLOCK], some = 0;
    double left[RILL_BLOCK], came[RILL_BLOCK];
    rill_node nodes[RILL_BLOCK];
    rill_wall_cut cuts[RILL_BLOCK];
    for (size_t k = 0; k < count; k++) {
        if (walls->fluxes[first + k][i - 1] == 0) continue;
        cuts[some] = (rill_wall_cut){walls->nodes[first + k].node, (uint32_t)i};
        nodes[some] = cuts[some].node;
        owner[some++] = k;
    }
    if (some == 0) return;
    rill_cpu_fluxes_finder(w->launch->variant)(w->layout.lattice, w->launch->parity, &w->launch->from, nodes,
                                               i, some, sent, in);
    rill_cpu_wall_read(w, cuts, some, sent, left);
    rill_cpu_wall_read(w, cuts, some, in, came);
    for (size_t k = 0; k < some; k++)
        gains[owner[k]] -=
            rill_wall_gain((rill_wall_real)walls->fluxes[first + owner[k]][i - 1], came[k], left[k]);
}

/** Subtract the mass that the links of a row of nodes have gained, less the fluxes, from their populations at
 * rest.
 */
static inline void rill_cpu_wall_balance(const rill_cpu_patch_work *w, const rill_walls *walls,
                                         uint64_t first)
{
    static const rill_wall_cut at_rest[RILL_BLOCK] = {{0, 0}};
    const rill_wall_node *nodes = walls->nodes + first;
    const rill_layout *p = &w->layout;
    const size_t count =
        walls->end_node - first < RILL_BLOCK ? (size_t)(walls->end_node - first) : RILL_BLOCK;
    size_t slots[RILL_BLOCK] = {0};
    double values[RILL_BLOCK], gains[RILL_BLOCK] = {0};
    for (size_t k = 0; k < count; k++)
        slots[k] = rill_incoming(p->lattice, p->stream, p->addressing, p->bounce, w->launch->parity,
                                 &w->launch->from, nodes[k].node, 0);
    rill_cpu_wall_read(w, at_rest, count, slots, values);
    for (size_t k = 0; k < count; k++)
        for (uint32_t l = nodes[k].first; l < nodes[k + 1].first; l++)
            gains[k] += walls->gains[walls->links[l]];
    for (int i = 1; i <= rill_wall_fluxes(p->lattice); i++)
        rill_cpu_wall_fluxes(w, walls, first, count, i, gains);
    for (size_t k = 0; k < count; k++) values[k] -= gains[k];
    rill_cpu_wall_write(w, at_rest, count, slots, values);
}

/** Do a task for a row of links. */
static inline void rill_cpu_wall_row(const rill_cpu_patch_work *w, rill_cpu_find_walls *find,
                                     const rill_walls *walls, uint64_t first, rill_walls_task task,
                                     double *exchange)
{
    const rill_wall_cut *cuts = walls->cuts + first;
    const size_t count = walls->end - first < RILL_BLOCK ? (size_t)(walls->end - first) : RILL_BLOCK;
    size_t own[RILL_BLOCK], other[RILL_BLOCK], beyond[RILL_BLOCK];
    double sent[RILL_BLOCK], seen[RILL_BLOCK], far[RILL_BLOCK] = {0};
    const rill_walls row = {.cuts = cuts,
                            .meetings = walls->meetings + first,
                            .next = walls->next ? walls->next + first : NULL,
                            .beyond = walls->next ? walls->beyond + first : NULL};
    for (size_t k = 0; k < count && task == RILL_WALLS_FIND; k++) {
        row.meetings[k] = rill_wall_meeting(w->layout, &w->launch->from, cuts[k]);
        if (row.next) row.beyond[k] = rill_wall_beyond(w->layout, &w->launch->from, cuts[k], row.next[k]);
    }
    if (task == RILL_WALLS_FIND) return;
    find(w->layout.lattice, w->launch->parity, &w->launch->from, &row, count, own, other, beyond);
    rill_cpu_wall_read(w, cuts, count, own, sent);
    for (size_t k = 0; k < count && task == RILL_WALLS_MEASURE; k++)
        rill_wall_measure(walls, first + k, sent[k], exchange);
    if (task == RILL_WALLS_MEASURE) return;
    rill_cpu_wall_read(w, cuts, count, other, seen);
    if (row.next) rill_cpu_wall_read(w, cuts, count, beyond, far);
    for (size_t k = 0; k < count; k++)
        sent[k] = rill_wall_answer(walls, first + k, cuts[k].cut, sent[k], seen[k], far[k]);
    rill_cpu_wall_write(w, cuts, count, own, sent);
}

/** What a loop over links or nodes of walls works with. */
typedef struct rill_cpu_wall_rows {
    const rill_cpu_patch_work *w;
    rill_cpu_find_walls *find;
    const rill_walls *walls;
    rill_walls_task task;
    double *exchange;
    uint64_t first; /**< link or node */
} rill_cpu_wall_rows;

static inline void rill_cpu_wall_range(const void *shared, uint64_t first, uint64_t end)
{
    const rill_cpu_wall_rows *r = shared;
    for (uint64_t k = r->first + first; k < r->first + end; k += RILL_BLOCK) {
        if (r->task == RILL_WALLS_BALANCE)
            rill_cpu_wall_balance(r->w, r->walls, k);
        else
            rill_cpu_wall_row(r->w, r->find, r->walls, k, r->task, r->exchange);
    }
}

/** See rill_kernels.walls. */
static inline void rill_cpu_walls(const rill_cpu_patch_work *w, rill_walls_task task, const rill_walls *walls,
                                  double *exchange)
{
    if (task == RILL_WALLS_BOTH) { /* a node gains what all of its links have */
        rill_cpu_walls(w, RILL_WALLS_REWRITE, walls, exchange);
        rill_cpu_walls(w, RILL_WALLS_BALANCE, walls, exchange);
        return;
    }
    const bool nodes = task == RILL_WALLS_BALANCE;
    const uint64_t first = nodes ? walls->first_node : walls->first,
                   end = nodes ? walls->end_node : walls->end;
    const rill_cpu_wall_rows rows = {w,    rill_cpu_walls_finder(w->launch->variant), walls, task, exchange,
                                     first};
    rill_threads_for(end - first, RILL_CPU_PIECE_NODES, rill_cpu_wall_range, &rows);
}

#endif
