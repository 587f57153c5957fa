/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file nested_start.h
 * The flow of a coarser grid on its way to the simulation of a finer one.
 */
#ifndef RILL_PERMEABILITY_NESTED_START_H
#define RILL_PERMEABILITY_NESTED_START_H

#include "permeability/nested.h"

/**
 * Begin a simulation that has made no step with the flow of the coarser grid. Velocities are scaled so that
 * their mean is that of the k which coarser grids extrapolate to; the populations are the equilibrium of both
 * moments.
 */
rill_status rill_nested_start(const rill_follower *f, const rill_domain *domain, const rill_nested *nested,
                              rill_sim *sim);

/** Return the bytes of host memory that it takes where devices lack the flow. @param flow  bytes of it */
uint64_t rill_nested_start_bytes(uint64_t flow);

#endif
