/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sums.h
 * Totals of a block: sums and the like go side by side in RILL_CPU_BESIDE lanes, which the compiler makes
 * vectors of. Lanes that are not active add nothing.
 */
#ifndef RILL_CPU_SUMS_H
#define RILL_CPU_SUMS_H

#include "cpu/rows.h"
#include "kernel/sums.h"

#include <math.h>

enum { RILL_CPU_BESIDE = 8 };

/** Return the sum of [RILL_BLOCK]. */
static inline double rill_cpu_sum(const double *values)
{
    double sum[RILL_CPU_BESIDE] = {0};
    for (int k = 0; k < RILL_BLOCK; k += RILL_CPU_BESIDE)
        for (int l = 0; l < RILL_CPU_BESIDE; l++) sum[l] += values[k + l];
    for (int half = RILL_CPU_BESIDE / 2; half > 0; half /= 2)
        for (int l = 0; l < half; l++) sum[l] += sum[l + half];
    return sum[0];
}

/** The largest values of each lane, in all blocks that were added: compilers make vectors of comparisons lane
 * by lane, and of none within a block. */
typedef struct rill_cpu_peaks {
    double speed_squared[RILL_BLOCK], density[RILL_BLOCK];
} rill_cpu_peaks;

/** Keep the largest of [RILL_BLOCK], none of which is negative. */
static inline void rill_cpu_keep_largest(const double *values, double *largest)
{
    for (int l = 0; l < RILL_BLOCK; l++) largest[l] = values[l] > largest[l] ? values[l] : largest[l];
}

/** Bring the peaks of all lanes together. */
static inline void rill_cpu_add_peaks(const rill_cpu_peaks *peaks, rill_partial *p)
{
    for (int l = 0; l < RILL_BLOCK; l++) {
        p->speed_squared_max = fmax(p->speed_squared_max, peaks->speed_squared[l]);
        p->density_max = fmax(p->density_max, peaks->density[l]);
    }
}

static inline void rill_cpu_squares(const double velocity[3][RILL_BLOCK], double *out)
{
    for (int l = 0; l < RILL_BLOCK; l++)
        out[l] = velocity[0][l] * velocity[0][l] + velocity[1][l] * velocity[1][l] +
                 velocity[2][l] * velocity[2][l];
}

/** Write the velocities of the block at node n, or average them with those that were. */
static inline void rill_cpu_keep_or_average(const rill_launch *launch, uint64_t n,
                                            double velocity[3][RILL_BLOCK])
{
    const size_t nodes = launch->end - launch->first, at = n - launch->first, left = nodes - at;
    const size_t lanes = left < RILL_BLOCK ? left : RILL_BLOCK;
    for (size_t a = 0; a < 3; a++) {
        float *kept = launch->velocities + a * nodes + at;
        if (launch->mean)
            for (size_t l = 0; l < lanes; l++) velocity[a][l] = 0.5 * (velocity[a][l] + (double)kept[l]);
        else
            for (size_t l = 0; l < lanes; l++) kept[l] = (float)velocity[a][l];
    }
}

/** Add the densities of the block at node n to the sums of their labels; successive nodes have often the
 * same. */
static inline void rill_cpu_add_to_labels(const rill_launch *launch, uint64_t n, uint64_t active,
                                          const double *density)
{
    const uint32_t *labels = launch->labels + (n - launch->first);
    for (uint64_t left = active; left;) {
        const uint32_t label = labels[__builtin_ctzll(left)];
        uint64_t sum = 0; /* a sum that is too large wraps */
        for (; left && labels[__builtin_ctzll(left)] == label; left &= left - 1)
            sum += (uint64_t)rill_sum_units(density[__builtin_ctzll(left)]);
        rill_sum_add(&launch->label_sums[label], (int64_t)sum);
    }
}

/** Add the moments of the block at node n; those of lanes that are not active become 0. */
static inline void rill_cpu_add_moments(const rill_launch *launch, uint64_t n, uint64_t active,
                                        rill_cpu_moments *m, double velocity[3][RILL_BLOCK], rill_partial *p,
                                        rill_cpu_peaks *peaks)
{
    double squares[RILL_BLOCK], values[RILL_BLOCK];
    for (uint64_t left = ~active; left; left &= left - 1) {
        const int l = __builtin_ctzll(left);
        m->density[l] = 0;
        for (int a = 0; a < 3; a++) m->momentum[a][l] = velocity[a][l] = 0;
    }
    if (launch->labels) rill_cpu_add_to_labels(launch, n, active, m->density);
    const double mass = rill_cpu_sum(m->density);
    p->mass += mass;
    for (int a = 0; a < 3; a++) p->momentum[a] += rill_cpu_sum(m->momentum[a]);
    rill_cpu_squares(velocity, squares);
    const double squared = rill_cpu_sum(squares);
    p->kinetic += 0.5 * squared;
    if (!isfinite(mass + squared)) /* as it is where any lane is not */
        for (int l = 0; l < RILL_BLOCK; l++) p->not_finite += !isfinite(m->density[l] + squares[l]);
    for (int l = 0; l < RILL_BLOCK; l++) values[l] = fabs(m->density[l]);
    rill_cpu_keep_largest(values, peaks->density);
    for (int l = 0; l < RILL_BLOCK; l++) values[l] *= values[l];
    p->elastic += rill_cpu_sum(values) / 6;
    if (launch->velocities) {
        rill_cpu_keep_or_average(launch, n, velocity);
        rill_cpu_squares(velocity, squares);
    }
    for (int l = 0; l < RILL_BLOCK; l++) values[l] = sqrt(squares[l]);
    p->speed += rill_cpu_sum(values);
    rill_cpu_keep_largest(squares, peaks->speed_squared);
}

/** Take a row of the arithmetic type, with 0 in lanes that are not active. */
static inline void rill_cpu_values(const void *row, bool single, const bool *active, double *out)
{
    const float *floats = row;
    const double *doubles = row;
    if (single)
        for (int l = 0; l < RILL_BLOCK; l++) out[l] = active[l] ? (double)floats[l] : 0;
    else
        for (int l = 0; l < RILL_BLOCK; l++) out[l] = active[l] ? doubles[l] : 0;
}

/**
 * Add the rounding of one velocity: see rill_sim_rounding().
 * @param came, sent, kept  rows of the arithmetic type: what comes in along i, what is sent out along opp(i),
 *                          and what storing makes of that
 */
static inline void rill_cpu_add_rounding(int lattice, int i, bool single, const bool *active,
                                         const void *came, const void *sent, const void *kept,
                                         rill_partial *p)
{
    double before[RILL_BLOCK], error[RILL_BLOCK], influence[RILL_BLOCK];
    rill_cpu_values(came, single, active, influence);
    rill_cpu_values(sent, single, active, before);
    rill_cpu_values(kept, single, active, error);
    for (int l = 0; l < RILL_BLOCK; l++) error[l] -= before[l];
    for (int l = 0; l < RILL_BLOCK; l++) influence[l] *= error[l];
    const double errors = rill_cpu_sum(error);
    p->kinetic -= rill_cpu_sum(influence) / rill_w(lattice, i);
    p->mass += errors;
    for (int a = 0; a < 3; a++) p->momentum[a] -= rill_c(lattice, i, a) * errors;
}

#endif
