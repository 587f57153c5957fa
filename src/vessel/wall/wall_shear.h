/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file wall_shear.h
 * Wall shear stress on the triangles of the surface that a vessel was cut from, as a sum over fluid nodes
 * that depends on geometry alone: made once, applied as often as the stress is sampled.
 *
 * A quadratic function extrapolates the stress tensor to positions on each triangle from the nodes that see
 * them within a few voxels, and the traction on the triangle is taken with its own normal, less its normal
 * part. The nodes themselves are up to four voxels off the wall. A second function of the nearer nodes, of
 * their stress and of their velocity, which is 0 at the wall, replaces it where the two differ. Knows no
 * simulation.
 */
#ifndef RILL_VESSEL_WALL_SHEAR_H
#define RILL_VESSEL_WALL_SHEAR_H

#include "rill.h"

/** How nodes make up the triangles. Arrays are owned. */
typedef struct rill_wall_shear {
    uint64_t triangle_count;
    uint64_t missing; /**< triangles that are no wall: taken away for an opening, or without fluid nearby,
                         closed off, outside of the box, or without area */
    uint64_t within;  /**< of those, within the lumen of overlapping shells */
    uint64_t flat;    /**< triangles, of the others, where nodes allow no extrapolation: a mean instead */
    rill_node *nodes; /**< [node_count], ascending: where the stress is needed */
    uint64_t node_count;
    uint64_t *first;     /**< [triangle_count + 1] into slots and weights; none: missing */
    uint32_t *slots;     /**< which of `nodes` */
    float *weights;      /**< add up to 1 for each triangle */
    float *inner;        /**< of a fit of fewer nodes for thin boundary layers; add up to 1 where the velocity
                            has no weights */
    float *velocity;     /**< of this fit, per voxel, of velocities; 0 without `newtonian` */
    bool newtonian;      /**< one viscosity */
    double (*inward)[3]; /**< [triangle_count], normals of length 1 into the fluid; 0 without area */
    double *area;        /**< [triangle_count], m2 */
} rill_wall_shear;

/** What it takes, about, before it is made. */
typedef struct rill_wall_shear_size {
    uint64_t nodes;  /**< where the stress is needed */
    uint64_t bytes;  /**< of the arrays */
    uint64_t making; /**< more of them, while it is made */
} rill_wall_shear_size;

/** Estimate what the surface of a geometry takes that has `nodes` nodes. */
rill_wall_shear_size rill_wall_shear_measure(const rill_geom *geom, uint64_t nodes);

/**
 * Find the nodes around every triangle of the surface that a domain was cut from.
 * @param[in]  newtonian  whether the viscosity is the same everywhere: velocities are read as well
 * @param[out] out  zero before; see rill_wall_shear_free()
 * @return RILL_USAGE when the geometry has no surface or no voxel size, RILL_SYSTEM without memory
 */
rill_status rill_wall_shear_make(const rill_domain *domain, bool newtonian, rill_wall_shear *out);

/** Free the arrays; a cleared one is allowed. */
void rill_wall_shear_free(rill_wall_shear *wall);

/**
 * Compute the shear on every triangle: the force per area of the fluid on the wall, along the wall.
 * @param[in]  values  [10][node_count], at `nodes`: density, velocity, viscous stress xx yy zz xy xz yz, see
 *                     rill_sim_sample_take()
 * @param[in]  nu      viscosity, lu; without `newtonian` neither it nor velocities are read
 * @param[in]  factor  from the unit of stresses to that of `shear`
 * @param[out] shear   [triangle_count][3]; NaN where missing
 */
void rill_wall_shear_take(const rill_wall_shear *wall, const double *values, double nu, double factor,
                          float (*shear)[3]);

/** Return the mean of |shear| over the area of the triangles that have one; NaN without any. */
double rill_wall_shear_mean(const rill_wall_shear *wall, const float (*shear)[3]);

#endif
