/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/flow.h
 * A permeability as the flow of a fluid: flow rate and mean velocity for a pressure drop, in SI units.
 */
#ifndef RILL_PUBLIC_FLOW_H
#define RILL_PUBLIC_FLOW_H

#include "rill/geometry.h"
#include "rill/permeability.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A Newtonian fluid. */
typedef struct rill_fluid {
    char name[32];    /**< "water, 20 C" */
    double viscosity; /**< dynamic, Pa s */
    double density;   /**< kg/m3; 0: unknown */
} rill_fluid;

/** A flow of a larger Reynolds number loses a part of its pressure drop to inertia. */
#define RILL_DARCY_REYNOLDS 1

/** The flow along one axis. */
typedef struct rill_darcy_flow {
    double velocity; /**< Darcy (superficial) velocity, flow rate per mean area of the sample, m/s */
    double rate;     /**< flow rate through the sample, m3/s */
    double reynolds; /**< mean pore velocity x hydraulic diameter x density / viscosity, as in
                          rill_permeability_flow; NaN where the density is unknown */
} rill_darcy_flow;

/**
 * Find a fluid by its name: "water", "brine" (1 mol of NaCl per kg of water) or "air", at 20 C and 101325 Pa.
 * @param[in] name the name
 * @param[out] out the fluid
 * @return RILL_USAGE for another name, with those that there are
 * @see data/fluids.csv for the sources
 */
rill_status rill_fluid_find(const char *name, rill_fluid *out);

/**
 * Compute the flow for a pressure drop over the length of the sample along an axis, by Darcy's law.
 * @param[in] geom that the result belongs to, with its voxel size
 * @param[in] result the permeability
 * @param[in] axis 0, 1, 2, with a result
 * @param[in] fluid the fluid
 * @param[in] drop pressure drop, Pa
 * @param[out] out the flow
 * @return RILL_USAGE without a voxel size, without k along the axis, or for values that are not positive
 */
rill_status rill_darcy_flow_compute(const rill_geom *geom, const rill_permeability *result, int axis,
                                    const rill_fluid *fluid, double drop, rill_darcy_flow *out);

#ifdef __cplusplus
}
#endif

#endif
