/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file launch.h
 * The seam between the simulation and the compiled kernels. Kernels come in parts, one object per
 * lattice and storage (and processor level on a CPU), each with one rill_kernels table; pointers are the
 * backend's own memory.
 */
#ifndef RILL_KERNEL_LAUNCH_H
#define RILL_KERNEL_LAUNCH_H

#include "kernel/arrays.h"

/** Everything that a kernel call needs. */
typedef struct rill_launch {
    rill_variant variant;
    int parity; /**< number of the step to come & 1; 0 for schemes without parity */
    rill_arrays from,
        to; /**< read, written: two populations arrays, or twice the same for in-place schemes */
    rill_node nodes;
    double rate_even, rate_odd; /**< see rill_rates */
    double force[3];
} rill_launch;

/** Nodes whose totals are summed into one rill_partial. */
enum { RILL_CHUNK = 4096 };

/** Totals of one chunk of nodes. */
typedef struct rill_partial {
    double mass, momentum[3]; /**< sums */
    double speed_squared_max, density_max;
    uint64_t not_finite;
} rill_partial;

/** Two wall links whose slots exchange their values after every step, times `sign`; they may be one. */
typedef struct rill_swap {
    rill_node node[2];
    uint8_t direction[2]; /**< incoming velocity */
    int8_t sign;
} rill_swap;

/** The kernels of one part. Calls may return before the work is done. */
typedef struct rill_kernels {
    /** Make one step. @return false when the variant is not built */
    bool (*step)(const rill_launch *launch);
    /** Fill partials [(nodes + RILL_CHUNK - 1) / RILL_CHUNK]. */
    void (*totals)(const rill_launch *launch, rill_partial *partials);
    /** Fill moments [4][count]: rho - 1, u_x, u_y, u_z of nodes first … first + count - 1. */
    void (*moments)(const rill_launch *launch, rill_node first, rill_node count, double *moments);
    /** Set nodes to equilibrium at moments [4][count], or all to rest when NULL. */
    void (*set)(const rill_launch *launch, rill_node first, rill_node count, const double *moments);
    /** Exchange wall slots before the step that `launch` describes. */
    void (*swap)(const rill_launch *launch, const rill_swap *swaps, size_t count);
} rill_kernels;

#endif
