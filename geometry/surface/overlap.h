/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file overlap.h
 * Shells that overlap and were never united, such as two tubes that make a T: which parts of them lie within
 * the lumen of their union, with fluid on both sides, and are no wall.
 *
 * The voxels are those of the union whatever is found here.
 */
#ifndef RILL_GEOMETRY_SURFACE_OVERLAP_H
#define RILL_GEOMETRY_SURFACE_OVERLAP_H

#include "geometry/surface/repair.h"
#include "geometry/surface/tree.h"

/** What was found. */
typedef struct rill_overlap {
    uint8_t *state; /**< [triangle_count], RILL_WALL_WHOLE, RILL_WALL_WITHIN or RILL_WALL_PARTLY; owned */
    double within;  /**< m2, of the triangles and their parts that lie within */
    double area;    /**< m2, of all triangles */
    double volume;  /**< m3, of the union */
} rill_overlap;

/**
 * Find the parts of an oriented, closed surface with fluid on both sides: a point beside a triangle, on its
 * outer side, is within if the surface winds around it at least once. Winding numbers are sums of signed
 * crossings of a ray. Triangles that edges join, and that none cuts, are alike; those that are cut are
 * divided into parts.
 * @param[in] tree      of the mesh; rill_tree_intersections() was asked
 * @param[in] tolerance m, how far a place may be off by rounding: what is nearer does not count
 */
rill_status rill_overlap_find(const rill_mesh *mesh, const rill_tree *tree, double tolerance,
                              rill_overlap *out);

/** Free what it holds; a cleared one is allowed. */
void rill_overlap_free(rill_overlap *overlap);

/**
 * Find the same of a surface with several shells that is not closed yet: each boundary loop of a shell is
 * closed by a fan, in a copy.
 * @param[in]     of      [triangle_count], the shell of each triangle
 * @param[in]     sources number of triangles of the file
 * @param[in,out] shell   [shells], numbers of themselves; shells that cut each other get the same
 * @param[out]    state   [sources], as rill_overlap.state, by the number of a triangle in the file; owned by
 * the caller; NULL: no shell cuts another
 * @param[out] inner [vertex_count], 1 for vertices within the lumen of another shell; owned by the caller;
 * NULL likewise
 */
rill_status rill_overlap_shells(const rill_mesh *mesh, double tolerance, const uint32_t *of, uint32_t shells,
                                uint32_t sources, uint32_t *shell, uint8_t **state, uint8_t **inner);

#endif
