/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file exact_walls.h
 * Walls that are known exactly: where links cross them, as a surface without triangles.
 */
#ifndef RILL_GEOMETRY_VOXELS_EXACT_WALLS_H
#define RILL_GEOMETRY_VOXELS_EXACT_WALLS_H

#include "rill.h"

/**
 * Called from several threads. Return the part q of the link from a fluid voxel's centre x to the solid one
 * at x - c at which it meets the wall; what is not between 0 and 1 becomes 1/2.
 */
typedef double rill_wall_place(void *context, const double x[3], const int c[3]);

/**
 * Give a geometry the cuts of all its links from fluid to solid voxels; those across a solid boundary are
 * none.
 * @param[in,out] geom  without a surface
 */
rill_status rill_exact_walls(rill_geom *geom, rill_wall_place *place, void *context);

/** Return the number of the opening through which such a link leaves the fluid; -1: it meets a wall. Called
 * from several threads. */
typedef int rill_opening_place(void *context, const double x[3], const int c[3]);

/**
 * Make cuts of walls cuts of openings, and label their voxels.
 * @param[in,out] geom  after rill_exact_walls(), its surface with openings that have labels and no cuts
 */
rill_status rill_exact_openings(rill_geom *geom, rill_opening_place *place, void *context);

/** A sphere, or a cylinder. */
typedef struct rill_round_wall {
    double centre[3]; /**< or any place on the axis */
    double axis[3];   /**< of a cylinder, length 1; all 0: a sphere */
    double radius;
} rill_round_wall;

/**
 * Return where the link from x to x - c crosses a round wall, a part of it; infinity where it does not.
 * @param inside  x is inside
 */
double rill_round_wall_cut(const rill_round_wall *wall, const double x[3], const int c[3], bool inside);

/** Number the nodes of cuts: [count] voxels, in ascending order, freed by rill_array_destroy(). */
rill_status rill_cuts_voxels(const rill_geom *geom, const rill_cut *cuts, uint64_t count, rill_voxel **out);

/** Number cuts anew after fluid voxels became solid, and drop those at such. @param voxels  of before */
rill_status rill_cuts_renumber(const rill_geom *geom, const rill_voxel *voxels, rill_cut *cuts,
                               uint64_t *count);

#endif
