/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sensitivity.h
 * What the walls of a flow say of its permeability: how much it depends on them, and where.
 */
#ifndef RILL_PERMEABILITY_SENSITIVITY_H
#define RILL_PERMEABILITY_SENSITIVITY_H

#include "core/kept.h"
#include "rill.h"

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

#endif
