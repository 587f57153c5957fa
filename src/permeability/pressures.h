/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pressures.h
 * What a permeability still misses because the pressures have not settled: a pore network sees what mass its
 * chambers gain per step, and which pressures would carry that away. Slow modes that hardly show in k, such
 * as a large chamber that fills through one narrow throat, show here.
 */
#ifndef RILL_PERMEABILITY_PRESSURES_H
#define RILL_PERMEABILITY_PRESSURES_H

#include "network/network.h"
#include "permeability/follow.h"

/** What is not settled is uncertain by so many times what the network, of rough conductances, expects. */
#define RILL_PRESSURES_FACTOR 6

/** Plain data; zero before it is created. */
typedef struct rill_pressures {
    rill_network network;
    rill_sight before, after;
    double *sums[2]; /**< [chambers], mass at the two sights */
    double *gain;    /**< [chambers], per step */
    double *correction;
    double k;        /**< along the axis, from the energies of the flow: off in the second order */
    double expected; /**< what k would change by if the pressures were corrected */
    int iterations;  /**< of the last solution */
} rill_pressures;

/** Find the network of a domain, and label the nodes of the run's simulation by its chambers. */
rill_status rill_pressures_create(rill_follower *f, const rill_domain *domain, rill_pressures *out);

/** Free the arrays; does nothing to what was never created. */
void rill_pressures_destroy(rill_pressures *pressures);

/** Take the mass of the chambers as they are after a sight. @param which  0 the first, 1 the second */
rill_status rill_pressures_see(rill_follower *f, rill_pressures *pressures, int which,
                               const rill_sight *sight);

/** Estimate k, expected and the correction from both sights. */
void rill_pressures_estimate(const rill_follower *f, rill_pressures *pressures);

#endif
