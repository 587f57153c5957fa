/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file wall_flux.h
 * What interpolated bounce-back takes from one node at a wall and brings to the next one.
 */
#ifndef RILL_SIM_WALL_FLUX_H
#define RILL_SIM_WALL_FLUX_H

#include "sim/boundary.h"

/** Return 2^25 q of link i of a node as it is used: half-way where the rule needs a node that does not exist.
 */
uint32_t rill_wall_used(const rill_boundary_node *node, rill_lattice lattice, int i, float q);

/** Find boundary->fluxes, see kernel/boundary/walls.h. The boundary is whole, not that of a part. */
rill_status rill_wall_flux_make(rill_boundary *boundary);

#endif
