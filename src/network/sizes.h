/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sizes.h
 * How far pores are from walls.
 */
#ifndef RILL_NETWORK_SIZES_H
#define RILL_NETWORK_SIZES_H

#include "rill.h"

/** Find the square of the distance from the centre of each voxel to that of the closest solid one; 0 for
 * solid ones. @param[out] out  [nz][ny][nx], see rill_array_destroy() */
rill_status rill_pore_distances(const rill_geom *geom, float **out);

#endif
