/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file wall_room.h
 * What a permeability gains where its walls move, all of them alike, and as far as the voxels leave open.
 */
#ifndef RILL_PERMEABILITY_WALL_ROOM_H
#define RILL_PERMEABILITY_WALL_ROOM_H

#include "rill.h"

/** Return whether it is known of such a run: not in planes, of exact walls and of a pressure drive. */
bool rill_wall_room_known(const rill_geom *geom, const rill_permeability_options *options);

/** Return the bytes of host memory that it takes beside the moments. @param faces  of pores at solids */
uint64_t rill_wall_room_bytes(const rill_geom *geom, uint64_t faces);

/**
 * Find `wall_shift` and `wall_room` of a run: the sums of rill_wall_sensitivity(), of a voxel's shift and of
 * the slack of rill_shape_planes().
 * @return RILL_SYSTEM without memory
 * @see tests/test_wall_room.c
 */
rill_status rill_wall_room(const rill_geom *geom, const rill_node_moments *moments,
                           rill_permeability_run *run);

#endif
