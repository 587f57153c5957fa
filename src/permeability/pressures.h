/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pressures.h
 * What a permeability still misses because the pressures have not settled: a pore network sees what mass its
 * chambers gain per step, and which pressures would carry that away. Slow modes that hardly show in k, such
 * as a large chamber that fills through one narrow throat, show here.
 */
#ifndef RILL_PERMEABILITY_PRESSURES_H
#define RILL_PERMEABILITY_PRESSURES_H

#include "core/aside.h"
#include "network/network.h"
#include "permeability/follow.h"

/** What is not settled is uncertain by so many times what the network, of rough conductances, expects. */
#define RILL_PRESSURES_FACTOR 6

/** Plain data; zero before anything is begun. It stays where it is while its network is found. */
typedef struct rill_pressures {
    const rill_domain *domain; /**< whose network is found, or was */
    rill_geom *copy;    /**< of voxels that several processes keep, until the throats are found; NULL: none */
    rill_domain copied; /**< the domain, but for these */
    rill_aside chambers, throats; /**< that are being found: throats begin behind the chambers */
    bool leaves_one;              /**< a processor to the thread that waits for a GPU meanwhile */
    rill_permit *started;         /**< finding the throats waits for it; NULL: does not wait */
    rill_network network;
    rill_network_part part; /**< with the chambers of nodes: until the throats are found, or to the end where
                               the simulation reads them there */
    rill_sight before, after;
    double *sums[2]; /**< [chambers], mass at the two sights */
    double *gain;    /**< [chambers], per step */
    double *correction;
    double k;        /**< along the axis, from the energies of the flow: off in the second order */
    double expected; /**< what k would change by if the pressures were corrected */
    int iterations;  /**< of the last solution */
} rill_pressures;

/** Begin to find the network of a domain, which needs no simulation, beside what the caller does; where
 * several processes hold more voxels than are copied, only remember it. */
rill_status rill_pressures_begin(const rill_follower *f, const rill_domain *domain,
                                 rill_pressures *pressures);

/** Wait for the chambers, whose finding begins now where it has not, and label the nodes of the run's
 * simulation by them. */
rill_status rill_pressures_create(rill_follower *f, const rill_domain *domain, rill_pressures *pressures);

/** Free the arrays, of a network that is being found when it is there; does nothing to what was never begun.
 */
void rill_pressures_destroy(rill_pressures *pressures);

/** Take the mass of the chambers as they are after a sight. @param which  0 the first, 1 the second */
rill_status rill_pressures_see(rill_follower *f, rill_pressures *pressures, int which,
                               const rill_sight *sight);

/** Estimate k, expected and the correction from both sights. Waits for the throats. */
rill_status rill_pressures_estimate(const rill_follower *f, rill_pressures *pressures);

#endif
