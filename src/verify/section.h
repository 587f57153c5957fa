/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file section.h
 * Geometries of one layer of voxels, where their nodes are, and corners of images.
 */
#ifndef RILL_VERIFY_SECTION_H
#define RILL_VERIFY_SECTION_H

#include "rill.h"

/** Say whether the voxel with its centre at (x, y), in voxels, is fluid. */
typedef bool (*rill_verify_inside)(const void *context, double x, double y);

/** Make a layer of nx × ny × 1 voxels, periodic on every side. */
rill_status rill_verify_section(uint32_t nx, uint32_t ny, rill_verify_inside inside, const void *context,
                                rill_geom **out);

/**
 * List the positions of the fluid nodes of a geometry, which are in lexicographic order.
 * @param[out] places  [nodes], centres in voxels; freed by rill_array_destroy()
 */
rill_status rill_verify_places(const rill_geom *geom, double (**places)[3]);

/**
 * Copy the corner of a geometry at voxel 0 that is `cells` voxels wide, or all of it where it is smaller.
 * @param[in] side  what is to lie beyond all its faces
 */
rill_status rill_verify_rock_crop(const rill_geom *rock, uint32_t cells, rill_side side, rill_geom **out);

#endif
