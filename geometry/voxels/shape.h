/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file shape.h
 * A smooth surface through the staircase of the voxels, as a field of distances from it, plane by plane.
 *
 * The indicator of the pores (1 in pores, -1 in solids) is smoothed by a Gaussian of standard deviation
 * sigma: G. At a plane surface G = erf(d / (sigma sqrt 2)), so that d = sigma sqrt 2 erfinv(G) is
 * the distance from it, positive in pores. Smoothing moves a curved surface by sigma^2/2 times its curvature
 * (Merriman, Bence & Osher 1994, doi:10.1006/jcph.1994.1105: that is how they compute motion by mean
 * curvature): d -= sigma^2/2 div(grad d / |grad d|) moves it back. At last the sign of d is made that of the
 * voxel: no voxel changes between pore and solid.
 *
 * Behind periodic and mirrored domain boundaries the sample goes on; behind solid ones is solid.
 */
#ifndef RILL_GEOMETRY_VOXELS_SHAPE_H
#define RILL_GEOMETRY_VOXELS_SHAPE_H

#include "rill.h"

#include <stddef.h>

/** Standard deviations of the Gaussian, voxels: where slack is measured, and of the surface that a flow is
 * computed on, which follows narrow pores more closely. At most 1.5: it is cut off at 6 voxels. */
#define RILL_SHAPE_SIGMA 1.4
#define RILL_SHAPE_SIGMA_FLOW 1.0

/** How far along each axis slack is looked for, voxels. */
enum { RILL_SHAPE_SLACK_REACH = 2 };

/** One plane of the field. Voxel (x, y) is at [y * row + x]; x from -1 to nx and y from -1 to ny exist. */
typedef struct rill_shape_plane {
    uint32_t z;
    ptrdiff_t row;
    const float *distance[3]; /**< of planes z - 1, z and z + 1, voxels, positive in pores; never 0 */
    const float *slack[2];    /**< of plane z, voxels; NULL where it was not requested. At pore voxels with a
                                   solid one beside them: how far the surface could move without that a voxel
                                   near it changes. [0] into the pore: the least distance of a pore voxel from
                                   the surface within RILL_SHAPE_SLACK_REACH voxels along each axis, at most
                                   1; [1] into the solid: that of a solid voxel. Elsewhere 0; beyond the box
                                   none */
} rill_shape_plane;

/** Take one plane. */
typedef rill_status rill_shape_take(void *context, const rill_shape_plane *plane);

/** Return the bytes that the field of so many voxels takes at a time: 44 planes. */
uint64_t rill_shape_bytes(const uint32_t n[3]);

/**
 * Find the field, and hand it out from plane 0 to the last. Its bits do not depend on the number of threads.
 * @param[in] sigma  standard deviation of the Gaussian, voxels
 * @param[in] slack  whether slack is requested
 * @return what `take` returned first but RILL_OK; RILL_SYSTEM without memory (checked before)
 * @see tests/voxels/test_shape.c
 */
rill_status rill_shape_planes(const rill_geom *geom, double sigma, bool slack, rill_shape_take *take,
                              void *context);

/**
 * Give a geometry the cuts of all its links from pores to solids where they cross that surface, as a surface
 * without triangles. Links across solid domain boundaries have none: those boundaries are where they are.
 * @param[in,out] geom  without a surface
 * @param[in] lattice   whose links are cut
 * @return RILL_USAGE for a geometry of several processes or with a surface, RILL_SYSTEM without memory
 *         (checked before)
 */
rill_status rill_shape_cuts(rill_geom *geom, rill_lattice lattice);

#endif
