/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file carrier.h
 * Scalars that the flow of a simulation carries (rill_sim_options.carried): the velocities that a step of
 * theirs reads, and the openings that they come in and leave through. What a step does with them is in
 * kernel/collision/collide_advection.h.
 */
#ifndef RILL_SIM_CARRIER_H
#define RILL_SIM_CARRIER_H

#include "sim/sim_priv.h"

/** Allocate the velocities and openings that carried sets read, on the device of a simulation; none without
 * such a set. */
rill_status rill_carrier_create(rill_sim *sim);

/** Count it. @param scalars  number of sets that are carried; @param openings  RILL_OPENINGS at most */
void rill_carrier_count(const rill_links_size *size, uint64_t openings, int scalars, rill_room *room);

/** Free it. */
void rill_carrier_free(rill_sim *sim);

/** Take the velocities of some nodes before their step. */
void rill_carrier_take(const rill_sim *sim, void *queue, rill_node first, rill_node end);

/** Return what carries a set in the step of these nodes. */
rill_carrier rill_carrier_of(const rill_sim *sim, const rill_set *set, rill_node first, rill_node end);

/** Refuse what a flow does not carry, and flows that carry nothing. */
rill_status rill_carrier_check(const rill_sim_options *options, int count);

#endif
