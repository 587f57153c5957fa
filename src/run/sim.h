/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sim.h
 * Inside of a simulation, for observers and the benchmark.
 */
#ifndef RILL_RUN_SIM_H
#define RILL_RUN_SIM_H

#include "backend.h"
#include "domain/links.h"

/** Return the bytes that a simulation takes on its backend, without what mirrored sides add. */
uint64_t rill_sim_bytes(rill_variant variant, const rill_links_size *size);

/** Return the number that kernels know a fluid node by: with dense addressing that of its voxel. */
rill_node rill_sim_number(const rill_sim *sim, rill_node node);

/** Return the backend of a simulation. */
const rill_backend *rill_sim_backend_table(const rill_sim *sim);

/**
 * Add the equilibrium of a density and a velocity to every node: what else populations hold, stresses first
 * of all, stays as it is. @param rho [nodes], u [3][nodes] as rill_sim_set_moments() takes them
 */
rill_status rill_sim_add_moments(rill_sim *sim, const double *rho, const double *u);

#endif
