/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sampler.h
 * Pressure and velocity of a simulation at positions between nodes.
 */
#ifndef RILL_VESSEL_SAMPLER_H
#define RILL_VESSEL_SAMPLER_H

#include "vessel/observe/points.h"

/** Positions and what is taken there. */
typedef struct rill_sampler {
    rill_points points;
    rill_sample *sample; /**< NULL without positions */
    double *values;      /**< [10][node_count], see rill_sim_sample_take() */
} rill_sampler;

/** Set up a sampler. @param[in] places  [count], m @param[out] out  zero before */
rill_status rill_sampler_make(rill_sim *sim, const rill_domain *domain, const double (*places)[3],
                              uint64_t count, rill_sampler *out);

/** Free it; a cleared one is allowed. */
void rill_sampler_free(rill_sampler *sampler);

/** Take the values of all nodes. */
rill_status rill_sampler_take(rill_sampler *sampler, rill_sim *sim);

/** Return pressure and velocity at a place as they were taken, SI. */
void rill_sampler_read(const rill_sampler *sampler, const rill_scales *scales, uint64_t place, double out[4]);

#endif
