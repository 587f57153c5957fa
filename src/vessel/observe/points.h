/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file points.h
 * Velocity and pressure at positions between nodes, by trilinear interpolation. A voxel of the solid counts
 * as at rest; pressures are taken from the fluid ones alone. Knows no simulation: nodes are listed, and their
 * values handed in.
 */
#ifndef RILL_VESSEL_POINTS_H
#define RILL_VESSEL_POINTS_H

#include "rill.h"

/** Positions and the nodes around them. Arrays are owned. */
typedef struct rill_points {
    uint64_t count;
    rill_node *nodes; /**< [node_count], ascending: where values are needed */
    uint64_t node_count;
    uint32_t (*slots)[8]; /**< [count], which of `nodes`; anything where the weight is 0 */
    float (*weights)[8];  /**< [count]; all 0: no fluid around the place */
} rill_points;

/**
 * Find the nodes around positions.
 * @param[in]  places  [count], m, as the geometry's surface counts
 * @param[out] out     zero before; see rill_points_free()
 */
rill_status rill_points_make(const rill_domain *domain, const double (*places)[3], uint64_t count,
                             rill_points *out);

/** How many positions there are, and nodes around them. */
typedef struct rill_points_size {
    uint64_t points, nodes;
} rill_points_size;

/** Find the nodes around positions as rill_points_make() does, and add how many there are. */
rill_status rill_points_count(const rill_domain *domain, const double (*places)[3], uint64_t count,
                              rill_points_size *size);

/** Free the arrays; a cleared one is allowed. */
void rill_points_free(rill_points *points);

/** Return whether there is fluid around a place. */
bool rill_points_has(const rill_points *points, uint64_t point);

/**
 * Interpolate at one place.
 * @param[in]  rho, u  [node_count], [3][node_count]: rho - 1 and velocity at `nodes`
 * @param[out] out     rho - 1, u; NaN without fluid around it
 */
void rill_points_take(const rill_points *points, uint64_t point, const double *rho, const double *u,
                      double out[4]);

#endif
