/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file breakthrough.h
 * A solute on its way through a box, from one face to the other, in time.
 */
#ifndef RILL_DIFFUSION_BREAKTHROUGH_H
#define RILL_DIFFUSION_BREAKTHROUGH_H

#include "diffusion/closure.h"

/** Refuse options of runs in time that make no sense. */
rill_status rill_breakthrough_check(const rill_geom *geom, const rill_dispersion_options *o);

/**
 * Compute the runs of all Peclet numbers: `runs` of the result.
 * @param[in,out] c  velocities free of divergence; its periodic links along the axis are cut
 * @param done       runs that are in the result already
 * @param kept       called after each further run with the number of all that are there
 */
rill_status rill_breakthrough_compute(rill_closure *c, const rill_geom *geom,
                                      const rill_dispersion_options *o, int done,
                                      rill_status (*kept)(void *context, int runs), void *context,
                                      rill_dispersion *out);

#endif
