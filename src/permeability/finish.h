/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file finish.h
 * What is found at the end of a run: how much its permeability depends on its walls, and where; what it gains
 * where they move as far as the voxels leave open; how much flows through edges.
 */
#ifndef RILL_PERMEABILITY_FINISH_H
#define RILL_PERMEABILITY_FINISH_H

#include "core/kept.h"
#include "rill.h"
#include "permeability/follow.h"

/** Return the host memory that rill_sensitivity_find() takes, the field included. */
uint64_t rill_sensitivity_bytes(const rill_geom *geom, uint64_t nodes);

/**
 * Find the sensitivity of a permeability to its walls.
 * @param[in] k      k_aa of the flow, lu
 * @param[out] field [1][nodes], zeros before: k decided by the walls of each node, see rill_node_moments
 * @return as rill_wall_sensitivity()
 */
rill_status rill_sensitivity_find(const rill_geom *geom, const rill_node_moments *moments, double k,
                                  rill_kept *field, rill_permeability_walls *out);

/**
 * Find `threshold_network` of the runs of a geometry with grey values, whose walls are known.
 * @param[in,out] out  complete otherwise
 * @return RILL_SYSTEM without memory, RILL_CANCELLED
 * @see tests/network/test_threshold_networks.c
 */
rill_status rill_threshold_networks(const rill_geom *geom, const rill_permeability_options *options,
                                    rill_permeability *out);

/** Return the host memory that rill_threshold_networks() takes; 0: it does nothing.
 * @param nodes, chambers  of the run and its pore network */
uint64_t rill_threshold_networks_bytes(const rill_geom *geom, uint64_t nodes, uint32_t chambers);

/** Return whether it is known of such a run: not in planes, of exact walls and of a pressure drive. */
bool rill_wall_room_known(const rill_geom *geom, const rill_permeability_options *options);

/** Return the bytes of host memory that it takes beside the moments. @param faces  of pores at solids */
uint64_t rill_wall_room_bytes(const rill_geom *geom, uint64_t faces);

/**
 * Find `wall_shift` and `wall_room` of a run: the sums of rill_wall_sensitivity(), of a voxel's shift and of
 * the slack of rill_shape_planes().
 * @return RILL_SYSTEM without memory
 * @see tests/permeability/test_wall_room.c
 */
rill_status rill_wall_room(const rill_geom *geom, const rill_node_moments *moments,
                           rill_permeability_flow *run);

/**
 * Set the edge_share of the run, from what its simulation holds now. Reads the populations piece by piece.
 * Leaves NAN where several processes hold the voxels.
 */
rill_status rill_edges_find(const rill_follower *f);

/** Add a note where the edge_share of a run is above 1 %. */
rill_status rill_edges_note(const rill_permeability_flow *run, char **notes);

#endif
