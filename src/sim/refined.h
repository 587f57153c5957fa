/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file refined.h
 * The flow of a coarser grid on its way to a simulation: each device interpolates for its own nodes, from a
 * view of some planes at a time. See kernel/refine.h.
 */
#ifndef RILL_SIM_REFINED_H
#define RILL_SIM_REFINED_H

#include "kernel/refine.h"
#include "sim/sim.h"

/** Some planes of both grids, on the devices of a simulation. */
typedef struct rill_refined rill_refined;

/**
 * Bring a view to the devices. Arrays of the host are borrowed until it is destroyed.
 * @param[in] view  whose rows are all of some planes, and are numbered as the nodes of the simulation's
 *                  domain; its pointers are the host's. Moments and sums are ignored
 * @param there     the flow lies on the device of the simulation already, which has one
 */
rill_status rill_refined_create(rill_sim *sim, const rill_refiner *view, bool there, rill_refined **out);

/** Destroy a view; NULL is allowed. */
void rill_refined_destroy(rill_refined *refined);

/** Add the sum of u along the axis, not scaled, over all nodes of the view: the same bits on any number of
 * devices. */
rill_status rill_refined_sum(rill_refined *refined, double *sum);

/** Set the nodes of the view to the equilibrium of the interpolated moments, in a simulation that has made no
 * step. */
rill_status rill_refined_set(rill_refined *refined, double u_scale);

/** Return the bytes that the numbers of both grids take on a device. @param numbers  of the finer grid */
uint64_t rill_refined_bytes(uint64_t numbers);

/**
 * Leave all moments of a simulation on its device, [4][nodes] rho - 1 and u, as the flow of a view. It has
 * one device, and lists its nodes.
 * @param[out] out  to be freed with rill_device_free()
 */
rill_status rill_sim_moments_leave(rill_sim *sim, double **out);

#endif
