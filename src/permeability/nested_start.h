/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file nested_start.h
 * The flow of a coarser grid on its way to the simulation of a finer one, interpolated in a thread of its
 * own.
 */
#ifndef RILL_PERMEABILITY_NESTED_START_H
#define RILL_PERMEABILITY_NESTED_START_H

#include "permeability/nested.h"

typedef struct rill_nested_start rill_nested_start;

/**
 * Begin to interpolate, which needs no simulation. All that is given is borrowed until the start is
 * destroyed.
 * @param[out] out  to be destroyed after a failure, too
 */
rill_status rill_nested_start_begin(const rill_follower *f, const rill_domain *domain,
                                    const rill_nested *nested, rill_nested_start **out);

/** Return the bytes of the moments on their way to a simulation. */
uint64_t rill_nested_start_bytes(uint64_t nodes);

/** Give the flow to a simulation that has made no step, once. */
rill_status rill_nested_start_finish(rill_nested_start *start, rill_sim *sim);

/** Free what it owns; NULL is allowed. */
void rill_nested_start_destroy(rill_nested_start *start);

#endif
