/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file axis.h
 * The direction in which a vessel runs at a boundary loop: that to which the walls near the loop are
 * parallel.
 */
#ifndef RILL_GEOMETRY_SURFACE_AXIS_H
#define RILL_GEOMETRY_SURFACE_AXIS_H

#include "geometry/surface/mesh.h"

/** Triangles around each vertex. */
typedef struct rill_around {
    uint32_t *first;     /**< [vertex_count + 1] */
    uint32_t *triangles; /**< [3 triangle_count] */
    uint32_t vertex_count;
} rill_around;

/** List the triangles around each vertex. */
rill_status rill_around_create(const rill_mesh *mesh, rill_around *out);

/** Free the lists; a cleared one is allowed. */
void rill_around_destroy(rill_around *around);

/**
 * Find the direction of a vessel at a loop from the walls that are no further than `reach` from it.
 * @param[in]  outward  unit normal of the loop's plane, out of the vessel
 * @param[out] axis     of length 1, out of the vessel; `outward` where the walls run in no one direction
 * @see tests/surface/test_axis.c
 */
rill_status rill_axis_find(const rill_mesh *mesh, const rill_around *around, const uint32_t *loop,
                           uint32_t count, double reach, const double outward[3], double axis[3]);

#endif
