/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file macroscopic.h
 * What is stored of a node with RILL_MACROSCOPIC, rho - 1 and 3 m with m = rho u + F / 2, read and written:
 * no neighbour takes part. Steps are in lines.h.
 */
#ifndef RILL_CPU_MACROSCOPIC_H
#define RILL_CPU_MACROSCOPIC_H

#include "core/threads.h"
#include "cpu/rows.h"
#include "kernel/storage/address.h"
#include "kernel/storage/stream.h"

/** Return whether density and momentum are stored. */
RILL_FN bool rill_cpu_is_macroscopic(const rill_launch *launch)
{
    return rill_stream_macroscopic((int)launch->variant.stream);
}

/** What loops over lines, or over blocks of a list, work with. */
typedef struct rill_cpu_stored_step {
    const rill_launch *launch;
    const rill_cpu_lattice *lattice;
} rill_cpu_stored_step;

static void rill_cpu_step_lines(const void *shared, uint64_t first, uint64_t end)
{
    const rill_cpu_stored_step *s = shared;
    s->lattice->lines(s->launch, first, end);
}

static void rill_cpu_step_listed(const void *shared, uint64_t first, uint64_t end)
{
    const rill_cpu_stored_step *s = shared;
    const uint64_t before = s->launch->first / RILL_BLOCK;
    for (uint64_t k = before + first; k < before + end; k++) s->lattice->listed(s->launch, k * RILL_BLOCK);
}

/** Step the nodes of a launch. */
static inline void rill_cpu_step_stored(const rill_launch *launch, const rill_cpu_lattice *lattice)
{
    const rill_arrays *arrays = &launch->from;
    const rill_cpu_stored_step s = {launch, lattice};
    const uint64_t planes = (arrays->box[2] + (uint64_t)RILL_CPU_DEPTH - 1) / RILL_CPU_DEPTH;
    if (launch->variant.addressing == RILL_BITMAP)
        rill_threads_for(planes * arrays->box[1], RILL_CPU_LINES, rill_cpu_step_lines, &s);
    else
        rill_threads_for(((uint64_t)launch->end + RILL_BLOCK - 1) / RILL_BLOCK - launch->first / RILL_BLOCK,
                         RILL_CPU_PIECE, rill_cpu_step_listed, &s);
}

/** Return what is stored in a row of a node. */
RILL_FN double rill_cpu_stored(const rill_launch *launch, const rill_arrays *arrays, const int row,
                               const uint64_t n)
{
    const size_t at = (size_t)row * arrays->stride + n;
    return launch->variant.arithmetic == RILL_SINGLE ? (double)((const float *)arrays->populations)[at]
                                                     : ((const double *)arrays->populations)[at];
}

RILL_FN void rill_cpu_put_stored(const rill_launch *launch, const rill_arrays *arrays, const int row,
                                 const uint64_t n, const double value)
{
    const size_t at = (size_t)row * arrays->stride + n;
    if (launch->variant.arithmetic == RILL_SINGLE)
        ((float *)arrays->populations)[at] = (float)value;
    else
        ((double *)arrays->populations)[at] = value;
}

/** Take the moments of the block at node n. */
static inline void rill_cpu_moments_stored(const rill_launch *launch, uint64_t n, rill_cpu_moments *out)
{
    const int dimensions = rill_dimensions((int)launch->variant.lattice);
    for (uint64_t l = 0; l < RILL_BLOCK; l++)
        out->density[l] = rill_cpu_stored(launch, &launch->from, 0, n + l);
    for (int a = 0; a < 3; a++)
        for (uint64_t l = 0; l < RILL_BLOCK; l++)
            out->momentum[a][l] = a < dimensions ? rill_cpu_stored(launch, &launch->from, 1 + a, n + l) / 3 -
                                                       0.5 * launch->force[a]
                                                 : 0;
}

/** Set the moments of a node. @param given  of it, [4] at a distance; NULL: at rest */
static inline void rill_cpu_store_moments(const rill_launch *launch, uint64_t n, const double *given,
                                          uint64_t stride)
{
    const rill_arrays *arrays = &launch->from;
    const double density = given ? *given : 0;
    if (launch->add) {
        rill_cpu_put_stored(launch, arrays, 0, n, rill_cpu_stored(launch, arrays, 0, n) + density);
        return;
    }
    rill_cpu_put_stored(launch, arrays, 0, n, density);
    for (int a = 0; a < rill_dimensions((int)launch->variant.lattice); a++)
        rill_cpu_put_stored(launch, arrays, 1 + a, n,
                            3 * ((given ? given[(uint64_t)(a + 1) * stride] : 0) + 0.5 * launch->force[a]));
}

/** Return the population that leaves node n along velocity i, of what an array holds. */
RILL_FN double rill_cpu_sent(const rill_launch *launch, const rill_arrays *arrays, const uint64_t n,
                             const int i)
{
    const int lattice = (int)launch->variant.lattice;
    double value = rill_cpu_stored(launch, arrays, 0, n);
    for (int a = 0; a < rill_dimensions(lattice); a++)
        value += rill_c(lattice, i, a) * rill_cpu_stored(launch, arrays, 1 + a, n);
    return rill_w(lattice, i) * value;
}

/** Return what came back from a wall along velocity i in the last step. */
RILL_FN double rill_cpu_came_back(const rill_launch *launch, const uint64_t n, const int i)
{
    return rill_cpu_sent(launch, &launch->to, n, rill_opposite(i));
}

/** Write the population that arrives along a link in the next step as word k. */
static inline void rill_cpu_put_arriving(const rill_launch *launch, const rill_cut_link link,
                                         const uint64_t k, void *words)
{
    const rill_variant v = launch->variant;
    const int i = (int)link.direction;
    const rill_place place = rill_place_of((int)v.stream, (int)v.addressing, &launch->from, link.node);
    const rill_link from = rill_link_of((int)v.lattice, (int)v.stream, (int)v.addressing, (int)v.bounce,
                                        &launch->from, &place, i);
    const double value = rill_cpu_sent(launch, &launch->from, from.meeting, from.wall ? rill_opposite(i) : i);
    if (v.arithmetic == RILL_SINGLE)
        ((float *)words)[k] = (float)value;
    else
        ((double *)words)[k] = value;
}

/**
 * Let nodes receive what mirrored links have sent instead of what came back along them, after the step.
 * @param swaps  [count] by node[0], which receives along direction[0] what came back to node[1]
 */
static inline void rill_cpu_swap_stored(const rill_launch *launch, const rill_swap *swaps, uint64_t count)
{
    const int lattice = (int)launch->variant.lattice;
    for (uint64_t k = 0; k < count; k++) {
        const rill_swap s = swaps[k];
        const uint64_t n = s.node[0];
        const int i = s.direction[0];
        const double gain =
            s.sign * rill_cpu_came_back(launch, s.node[1], s.direction[1]) - rill_cpu_came_back(launch, n, i);
        rill_cpu_put_stored(launch, &launch->from, 0, n,
                            rill_cpu_stored(launch, &launch->from, 0, n) + launch->relaxation.density * gain);
        for (int a = 0; a < rill_dimensions(lattice); a++) {
            const int c = rill_c(lattice, i, a);
            if (c)
                rill_cpu_put_stored(launch, &launch->from, 1 + a, n,
                                    rill_cpu_stored(launch, &launch->from, 1 + a, n) +
                                        launch->relaxation.momentum * 3 * c * gain);
        }
    }
}

#endif
