/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sim.h
 * Inside of a simulation, for observers and the benchmark.
 */
#ifndef RILL_RUN_SIM_H
#define RILL_RUN_SIM_H

#include "backend.h"
#include "domain/domain.h"

/** Return the bytes that a simulation takes on its backend, and on the host beside the domain. */
uint64_t rill_sim_bytes(rill_variant variant, const rill_domain *domain);

/** Return the backend of a simulation. */
const rill_backend *rill_sim_backend_table(const rill_sim *sim);

#endif
