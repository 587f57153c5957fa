/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file darcy.h
 * The flow that a permeability stands for, by Darcy's law.
 */
#ifndef RILL_PERMEABILITY_DARCY_H
#define RILL_PERMEABILITY_DARCY_H

#include "rill.h"

/** What a flow depends on beside the permeability. */
typedef struct rill_sample_shape {
    double length;   /**< along the flow, m */
    double volume;   /**< of the sample, solid included, m3; over the length: its mean area */
    double pores;    /**< fraction of it that takes part in the flow */
    double diameter; /**< hydraulic, 4 pore volume / wall area, m */
} rill_sample_shape;

/**
 * Return the flow for a pressure drop over the length of the sample.
 * @param[in] k     permeability, m2
 * @param[in] drop  Pa
 */
rill_darcy_flow rill_darcy_flow_of(double k, const rill_sample_shape *sample, const rill_fluid *fluid,
                                   double drop);

/** Note where the flow for a pressure drop is too fast for Darcy's law, along the axes that have a
 * permeability. @param[in,out] result  whose notes get it */
rill_status rill_darcy_note(const rill_geom *geom, const rill_fluid *fluid, double drop,
                            rill_permeability *result);

#endif
