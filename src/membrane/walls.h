/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file walls.h
 * Membranes that come near walls: where the kernel of a vertex reaches into a solid voxel, what it does to
 * the fluid is partly lost, and the vertex is pushed away from the voxel by strength (1 - distance / range),
 * rill_membrane_wall() in device/membrane_nodes.h.
 */
#ifndef RILL_MEMBRANE_WALLS_H
#define RILL_MEMBRANE_WALLS_H

#include "device/membranes.h"
#include "domain/numbering.h"

/** Return whether a voxel is solid; the place may lie outside of the box. */
typedef bool (*rill_solid_fn)(const void *context, const int64_t voxel[3]);

/**
 * Return the distance from a place, in voxels, to the nearest solid voxel within RILL_MEMBRANE_WALL_RANGE: 0
 * inside of one, INFINITY where there is none.
 * @param[out] away  of length 1, from that voxel; not set without one and inside; may be NULL
 */
double rill_membrane_wall_distance(rill_solid_fn solid, const void *context, const double x[3],
                                   double away[3]);

/** The nodes of a domain around which everything else is solid. */
typedef struct rill_membrane_walls {
    const rill_numbering *numbering; /**< not owned */
    bool open[3];                    /**< the box is periodic along the axis */
} rill_membrane_walls;

/** Return whether a place lies in a solid voxel. */
bool rill_membrane_walls_hold(const rill_membrane_walls *walls, const double x[3]);

#endif
