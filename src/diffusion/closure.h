/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file closure.h
 * The closure problem of dispersion on the voxels of a box, by finite volumes. From node i to a neighbour j
 * flows s w (b_i + b_j) / 2 + g (b_i - b_j): w is the velocity through their face, free of divergence, s = 1
 * / D0, g = 1. The part with w is antisymmetric, so that an error e of b whose residual is r has the energy
 * <e, L e> = <e, r> whatever w is, L being the part with g: its root is at most that of <r, L^-1 r>, which
 * rill_diffusor_gap() bounds.
 */
#ifndef RILL_DIFFUSION_CLOSURE_H
#define RILL_DIFFUSION_CLOSURE_H

#include "diffusion/diffusion.h"

/** Vectors of the solver, beside the five of the diffusor. */
enum { RILL_CLOSURE_VECTORS = 3, RILL_CLOSURE_CHUNK = 4096, RILL_CLOSURE_NONE = -1 };

/** What leads from a row to another. */
typedef struct rill_closure_link {
    uint32_t to;
    float g;  /**< conductance */
    double w; /**< velocity towards it */
} rill_closure_link;

/** The nodes, or rows of a coarser grid. */
typedef struct rill_closure_level {
    uint32_t count;
    uint32_t *begin;             /**< [count + 1], first link */
    rill_closure_link *link;     /**< [begin[count]] */
    uint32_t *parent;            /**< [count], row of the next level; NULL on the last */
    double *given, *value, *old; /**< [count]; those of the nodes are the solver's, but for `old` */
} rill_closure_level;

/** The closure problem of a flow. */
typedef struct rill_closure {
    rill_diffusor diffusor; /**< nodes, coarser grids and bounds of pure diffusion */
    uint32_t nodes;
    uint8_t *face; /**< [links of the nodes]: -x, +x, -y, +y, -z, +z */
    rill_closure_level level[RILL_NETWORK_LEVELS + 2];
    int levels;
    double *own[RILL_CLOSURE_VECTORS], *b[3]; /**< [nodes] each, owned */
    double *partial;                          /**< [chunks][2], of sums */
    bool closed[3]; /**< periodic axes along which nothing conducts: x_i + b_i is 0, as D */
    double mean[3]; /**< velocity in the pores */
    double most;    /**< largest velocity through a face */
    double divergence, correction, left; /**< as rill_dispersion */
    uint64_t walls;                      /**< faces between a node and the solid */
    uint64_t bytes;
} rill_closure;

/** What a solution is to reach. */
typedef struct rill_closure_goal {
    double tolerance; /**< of D_ii, relative */
    uint64_t most;    /**< iterations */
    rill_progress progress;
} rill_closure_goal;

/**
 * Make nodes, links and velocities.
 * @param[in] through  axes along which the nodes conduct
 * @param[in] before   [voxels], those that u has values of, before others became solid
 * @param[in] u        [3][nodes of `before`]
 */
rill_status rill_closure_create(const rill_geom *geom, int axis, const bool through[3], const uint8_t *before,
                                const float *u, rill_progress progress, rill_closure *out);

/** Free what it owns; zeros are allowed. */
void rill_closure_destroy(rill_closure *c);

/** Take the divergence of the velocities away, by gradients of potentials, and find their means. */
rill_status rill_closure_project(rill_closure *c, const rill_closure_goal *goal);

/** Make the coarser grids, with the velocities as they are. Those before are freed. */
rill_status rill_closure_coarsen(rill_closure *c);

/** Solve approximately for `given`, [nodes], by a cycle through the levels: `value`. @param s  1 / D0 */
void rill_closure_cycle(rill_closure *c, double s, double *given, double *value);

/**
 * Solve for the axis of a gradient, from what b[axis] holds, until the bound of D is within the tolerance.
 * @param s  1 / D0
 * @param[out] error  root of what bounds the mean square of the gradient of the error
 */
rill_status rill_closure_solve(rill_closure *c, int axis, double s, const rill_closure_goal *goal,
                               double *error, uint64_t *iterations, bool *converged);

/** Return <grad(x_i + b_i) . grad(x_j + b_j)>, the mean over the nodes. */
double rill_closure_energy(const rill_closure *c, int i, int j);

/** Velocity along an axis at the centres of nodes. @param[out] u  [nodes] */
void rill_closure_centre(const rill_closure *c, int axis, double *u);

#endif
