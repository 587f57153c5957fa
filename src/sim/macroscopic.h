/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file macroscopic.h
 * What is different for simulations that store density and momentum instead of populations
 * (RILL_MACROSCOPIC).
 */
#ifndef RILL_SIM_MACROSCOPIC_H
#define RILL_SIM_MACROSCOPIC_H

#include "sim/sim_priv.h"

/** Refuse relaxation times with which more than the equilibrium leaves a node. */
rill_status rill_macroscopic_check(const rill_sim_options *options);

/** Refuse what needs populations, for a simulation that has none. @param what  noun: "a sponge layer" */
rill_status rill_macroscopic_refuse(const rill_sim *sim, const char *what);

/**
 * List the mirrored links of a domain as its kernels take them: by the node that receives, node[0], and in
 * the order of these nodes. The caller frees the list.
 */
rill_status rill_macroscopic_swaps(const rill_domain *domain, rill_swap **out, size_t *count);

/**
 * Replace a mirrored link by that from which a population comes to it.
 * @return what the population is multiplied by; 1 for all other links and simulations
 */
int rill_macroscopic_mirrored(const rill_sim *sim, rill_cut_link *link);

#endif
