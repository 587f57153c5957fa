/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file wall_shear_priv.h
 * What finding the nodes around triangles shares with the estimate of its memory.
 */
#ifndef RILL_VESSEL_WALL_SHEAR_PRIV_H
#define RILL_VESSEL_WALL_SHEAR_PRIV_H

#include "geometry/surface/mesh.h"
#include "vessel/wall/wall_shear.h"

/* Voxels: how far nodes may be from a triangle and must be from the wall, and the longest side of a part. */
#define RILL_WALL_NEAR 4.4
#define RILL_WALL_LEAST 0.4
#define RILL_WALL_SIDE 2.0

/** A node of a triangle, and its weights in both fits. */
typedef struct rill_wall_entry {
    rill_node node;
    float weight, inner, velocity;
} rill_wall_entry;

/** Return what is left of a triangle as a wall, a rill_wall_state. */
static inline int rill_wall_state_of(const rill_surface *surface, uint64_t triangle)
{
    return surface->removed ? surface->removed[triangle] : RILL_WALL_WHOLE;
}

/** Return whether a triangle in this state is a wall; else fluid may be near, but no wall is. */
static inline bool rill_wall_stands(int state)
{
    return state == RILL_WALL_WHOLE || state == RILL_WALL_PARTLY;
}

#endif
