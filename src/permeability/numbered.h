/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file numbered.h
 * The fluid nodes of a sample as runs number them: found while they are planned, and handed on.
 */
#ifndef RILL_PERMEABILITY_NUMBERED_H
#define RILL_PERMEABILITY_NUMBERED_H

#include "core/aside.h"
#include "network/network.h"
#include "permeability/reservoir.h"

/** What a run along an axis steps. */
struct rill_numbered {
    rill_reservoirs between; /**< with RILL_DRIVE_PRESSURE */
    rill_domain *domain;     /**< of the sample, or of it between reservoirs */
    rill_network counted;    /**< the chambers of its pore network, as far as they were counted, or found */
    rill_network_part part;  /**< the chambers of all nodes, where they were found */
    rill_aside chambers;     /**< that are being found */
    double seconds;          /**< that making it took */
};

/**
 * Number what a run along an axis steps. Nodes have the same numbers along every axis; how mirrored
 * boundaries join links depends on the axis.
 * @param[in] other  of another axis, whose numbers are borrowed; NULL: there is none
 */
rill_status rill_numbered_create(const rill_geom *geom, const rill_permeability_options *options, int axis,
                                 rill_progress progress, const rill_numbered *other, rill_numbered *out);

/** Return whether the numbers and links are those of a run along `axis`, too. */
bool rill_numbered_serves(const rill_numbered *numbered, int axis);

/** Begin to find the counted chambers in another thread; `numbered` must not move until
 * rill_numbered_chambers_end(). Does nothing if no chambers were counted or several processes hold the
 * voxels.
 */
void rill_numbered_chambers_begin(rill_numbered *numbered);

/** Wait for chambers that are being found, if any are.
 * @param wanted  false: stop finding them. The counts are freed then, as they are if finding failed */
void rill_numbered_chambers_end(rill_numbered *numbered, bool wanted);

/** Return the bytes that it holds. */
uint64_t rill_numbered_bytes(const rill_numbered *numbered);

/** Free what it owns; a cleared one is allowed. */
void rill_numbered_destroy(rill_numbered *numbered);

#endif
