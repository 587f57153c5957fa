/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tree.h
 * A tree of boxes around triangles, and what is asked of it: which triangles cut through each other, and
 * where a vessel is narrowest.
 */
#ifndef RILL_GEOMETRY_SURFACE_TREE_H
#define RILL_GEOMETRY_SURFACE_TREE_H

#include "geometry/surface/mesh.h"
#include "geometry/surface/repair.h"

/** Triangles in a binary tree of boxes. */
typedef struct rill_tree rill_tree;

/** Build the tree of a mesh, borrowed. */
rill_status rill_tree_create(const rill_mesh *mesh, rill_tree **out);

/** Destroy it; NULL is allowed. */
void rill_tree_destroy(rill_tree *tree);

/**
 * Count pairs of triangles without a common vertex where an edge of one goes through the other; to be asked
 * once.
 * @param[in]  tolerance  m, how far a place may be off by rounding: what is no deeper does not count
 * @param[in]  pair  is called with each pair, one after the other; NULL: nothing is
 * @param[out] whole  whether all pairs were examined: surfaces whose boxes overlap without end are given up
 */
rill_status rill_tree_intersections(rill_tree *tree, double tolerance,
                                    void (*pair)(void *context, uint32_t a, uint32_t b), void *context,
                                    rill_defect *defect, bool *whole);

/** Return whether another triangle goes through this one; false before intersections were requested. */
bool rill_tree_is_cut(const rill_tree *tree, uint32_t triangle);

/**
 * Return how often the surface winds around what is just beside a triangle: crossings outward less crossings
 * inward of a ray from a place on it.
 * @param[in] along    of any length, to the side that is asked about
 * @param[in] nearest  m, crossings up to there do not count: another triangle may lie on this one
 */
int rill_tree_winding(const rill_tree *tree, uint32_t triangle, const double place[3], const double along[3],
                      double nearest);

/** Leave triangles out of what rill_tree_narrowest() measures. @param skip  [triangle_count], of
 * rill_wall_state; borrowed; those of RILL_WALL_WHOLE stay */
void rill_tree_skip(rill_tree *tree, const uint8_t *skip);

/** Return how far a ray goes until it meets a triangle; infinite when it meets none. @param along  of length
 * 1 */
double rill_tree_ray(const rill_tree *tree, const double x[3], const double along[3]);

/**
 * Find the narrowest part: from the middle of wall triangles of the file (at most a hundred thousand)
 * straight inward to the wall opposite, the width that one part in a thousand of the wall's area falls below.
 * Triangles that others go through, once that was asked, and walls that meet in a corner are left out.
 * @param[out] width  m; 0 when no two walls face each other
 * @see Shapira et al. (2008), doi:10.1007/s00371-007-0197-5, of whose cone of rays this is the axis
 */
rill_status rill_tree_narrowest(const rill_tree *tree, double *width, double place[3]);

#endif
