/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file launch.h
 * The seam between the simulation and the compiled kernels: a backend hands out one rill_kernels table for a
 * variant. Pointers are the backend's own memory.
 */
#ifndef RILL_KERNEL_LAUNCH_H
#define RILL_KERNEL_LAUNCH_H

#include "kernel/arrays.h"
#include "kernel/platform.h"
#ifdef RILL_ARITHMETIC
#include "kernel/rates.h"
#endif

/** The kernels of one variant; see below. */
typedef struct rill_kernels rill_kernels;

/** Everything that a kernel call needs. */
typedef struct rill_launch {
    const rill_kernels *kernels; /**< the table that the called function stands in */
    rill_variant variant;
    int parity; /**< number of the step to come & 1; 0 for schemes without parity */
    rill_arrays from,
        to; /**< read, written: two populations arrays, or twice the same for in-place schemes */
    rill_node first, nodes; /**< a step is made of nodes first … nodes - 1; all else takes all nodes */
    const rill_node *order; /**< moments, set: kernel number of node first + k; NULL: first + k itself */
    bool add;               /**< set: add the equilibrium of a density, all that is given, to what is there */
    double rate_even, rate_odd, rate_bulk, rate_ghost; /**< see rill_rates */
    double magic, force[3];
    rill_carreau_yasuda carreau_yasuda;
} rill_launch;

#ifdef RILL_ARITHMETIC
/** Return rates and force in the arithmetic type. */
static inline rill_rates rill_rates_of(const rill_launch *launch)
{
    const rill_carreau_yasuda *law = &launch->carreau_yasuda;
    rill_rates rates = {0};
    rates.even = (rill_scalar)launch->rate_even;
    rates.odd = (rill_scalar)launch->rate_odd;
    rates.bulk = (rill_scalar)launch->rate_bulk;
    rates.ghost = (rill_scalar)launch->rate_ghost;
    for (int a = 0; a < 3; a++) rates.force[a] = (rill_scalar)launch->force[a];
    if (launch->variant.rheology == RILL_CARREAU_YASUDA) {
        rates.viscosity.infinite = (rill_scalar)law->nu_inf;
        rates.viscosity.range = (rill_scalar)(law->nu_0 - law->nu_inf);
        rates.viscosity.lambda = (rill_scalar)law->lambda;
        rates.viscosity.sharpness = (rill_scalar)law->a;
        rates.viscosity.exponent = (rill_scalar)((law->n - 1) / law->a);
        rates.viscosity.magic = (rill_scalar)launch->magic;
    }
    return rates;
}
#endif

/** Nodes whose totals are summed into one rill_partial. */
enum { RILL_CHUNK = 4096 };

/** Totals of one chunk of nodes. */
typedef struct rill_partial {
    double mass, momentum[3];       /**< sums */
    double speed, kinetic, elastic; /**< sums, see rill_totals */
    double resting;                 /**< mass in ghosts, see rill_resting() */
    double speed_squared_max, density_max;
    uint64_t not_finite;
} rill_partial;

/** Two wall links whose slots exchange their values after every step, times `sign`; they may be one. */
typedef struct rill_swap {
    rill_node node[2];
    uint8_t direction[2]; /**< incoming velocity */
    int8_t sign;
} rill_swap;

/** Two wall links of a patch that see each other in it, or twice the same. */
typedef struct rill_patch_pair {
    rill_node node[2];
    uint32_t at[2];       /**< the nodes among those of the patch */
    uint8_t direction[2]; /**< incoming velocity */
    uint8_t axis;         /**< normal of the plane that the pair is reflected at; 3 without one */
} rill_patch_pair;

/** A list of wall links that are rewritten or measured between steps; see kernel/boundary.h. */
typedef struct rill_patch {
    rill_boundary_kind kind;
    uint64_t count;               /**< pairs */
    const rill_patch_pair *pairs; /**< no link is in two of them */
    const double *values; /**< [count], velocity: 6 w_i c_i · u_w; pressure: rho_w - 1; not used by walls */
    double scale;         /**< factor of the values */
    double *terms;        /**< [count], what was added when the links were last rewritten */
    double force[3];      /**< body force per volume: half of it counts in velocities */
    uint64_t node_count;
    const rill_node *nodes; /**< [node_count], pressure: nodes of the pairs */
    double *velocities;     /**< [3][node_count], pressure: their velocities in the last step */
} rill_patch;

/** What a call of the patch kernel does: find velocities of nodes, rewrite pairs, measure pairs. */
enum { RILL_PATCH_VELOCITY, RILL_PATCH_REWRITE, RILL_PATCH_MEASURE };

/** Return whether a patch needs the velocities of its nodes before it is rewritten. */
RILL_FN bool rill_patch_flows(const int equilibrium, const rill_patch *patch)
{
    return patch->kind == RILL_BOUNDARY_PRESSURE && equilibrium == RILL_SECOND_ORDER;
}

/** The kernels of a variant, from rill_backend.kernels. Calls may return before the work is done. */
struct rill_kernels {
    /** Make one step. */
    void (*step)(const rill_launch *launch);
    /** Fill partials [(nodes + RILL_CHUNK - 1) / RILL_CHUNK]. */
    void (*totals)(const rill_launch *launch, rill_partial *partials);
    /** Fill moments [4][count]: rho - 1, u_x, u_y, u_z of nodes first … first + count - 1. */
    void (*moments)(const rill_launch *launch, rill_node first, rill_node count, double *moments);
    /** Set nodes to equilibrium at moments [4][count], or all to rest when NULL. */
    void (*set)(const rill_launch *launch, rill_node first, rill_node count, const double *moments);
    /** Exchange wall slots before the step that `launch` describes. */
    void (*swap)(const rill_launch *launch, const rill_swap *swaps, size_t count);
    /** Ring: copy the nodes that ghosts stand for to them, before the step that `launch` describes. */
    void (*wrap)(const rill_launch *launch);
    /** Rewrite the links of a patch before the step that `launch` describes; with `exchange` leave them, and
     * take what rill_patch_note() says. */
    void (*patch)(const rill_launch *launch, const rill_patch *patch, double *exchange);
    /** The backend's own: what these functions start. */
    const void *compiled;
};

#endif
