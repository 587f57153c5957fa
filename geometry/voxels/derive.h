/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file derive.h
 * Geometries made from a geometry, voxel by voxel: a box out of it, and its voxels split into smaller ones.
 * Nothing is interpolated, and pores stay connected as they were within what is taken. Where several
 * processes keep the voxels of the geometry, they keep those that are made of it, too.
 */
#ifndef RILL_GEOMETRY_VOXELS_DERIVE_H
#define RILL_GEOMETRY_VOXELS_DERIVE_H

#include "rill.h"

/**
 * Take the voxels first … first + n - 1 along each axis as a geometry of its own, with the boundaries, the
 * spacing and the provenance of the whole. Porosities are those of the whole when all of it is taken, else
 * unknown.
 * @return RILL_USAGE for a box that is empty or not inside, RILL_SYSTEM without memory (checked before)
 */
rill_status rill_geom_crop(const rill_geom *geom, const uint32_t first[3], const uint32_t n[3],
                           rill_geom **out);

/**
 * Split each voxel into factor[0] × factor[1] × factor[2] voxels of its value. The surface stays the
 * staircase that it is, porosities and connections stay, too.
 *
 * The spacing is divided by the factor, which must be one number for that: where axes are split differently
 * (a plane of one voxel for D2Q9), the axes with a factor of 1 are taken not to count.
 * @param[in] factor  each at least 1; those above 1 are alike
 * @return RILL_USAGE for other factors or more than 2^32 - 1 voxels along an axis, RILL_SYSTEM without memory
 *         (checked before)
 * @see tests/voxels/test_derive.c
 */
rill_status rill_geom_split(const rill_geom *geom, const uint32_t factor[3], rill_geom **out);

#endif
