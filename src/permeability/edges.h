/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file edges.h
 * The share of a flow that passes between voxels which touch at an edge, or at a corner, alone.
 */
#ifndef RILL_PERMEABILITY_EDGES_H
#define RILL_PERMEABILITY_EDGES_H

#include "permeability/follow.h"

/**
 * Set the edge_share of the run, from what its simulation holds now. Reads the populations piece by piece.
 * Leaves NAN where several processes hold the voxels.
 */
rill_status rill_edges_find(const rill_follower *f);

/** Add a note where the edge_share of a run is above 1 %. */
rill_status rill_edges_note(const rill_permeability_run *run, char **notes);

#endif
