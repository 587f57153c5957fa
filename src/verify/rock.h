/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rock.h
 * Corners of an image, as geometries of their own.
 */
#ifndef RILL_VERIFY_ROCK_H
#define RILL_VERIFY_ROCK_H

#include "rill.h"

/**
 * Copy the corner of a geometry at voxel 0 that is `cells` voxels wide, or all of it where it is smaller.
 * @param[in] side  what is to lie beyond all its faces
 */
rill_status rill_verify_rock_crop(const rill_geom *rock, uint32_t cells, rill_side side, rill_geom **out);

#endif
