/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file distances.h
 * Euclidean distances of voxels, exact.
 */
#ifndef RILL_NETWORK_DISTANCES_H
#define RILL_NETWORK_DISTANCES_H

#include "rill.h"

/** What a voxel without any marked voxel in the box has. */
#define RILL_DISTANCE_FAR 1e30f

/**
 * Find the square of the distance from the centre of each voxel to that of the closest marked one.
 * @param[in] n           voxels along x, y, z
 * @param[in,out] square  [nz][ny][nx], 0 for marked voxels, RILL_DISTANCE_FAR for all others
 * @return RILL_SYSTEM without memory
 * @see Felzenszwalb & Huttenlocher (2012), doi:10.4086/toc.2012.v008a019
 */
rill_status rill_distances_square(const uint32_t n[3], float *square);

/** Find the square of the distance from the centre of each voxel to that of the closest solid one; 0 for
 * solid ones. @param[out] out  [nz][ny][nx], see rill_array_destroy() */
rill_status rill_pore_distances(const rill_geom *geom, float **out);

#endif
