/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file reservoir.h
 * A sample between two reservoirs of fluid, at whose outer faces pressures are held.
 *
 * The box of the sample is rotated so that the flow runs along z (x, y are the next axes, cyclically): node
 * numbers grow with z, so that the nodes of the front reservoir, of every plane of the sample, and of the
 * rear reservoir are successive.
 */
#ifndef RILL_PERMEABILITY_RESERVOIR_H
#define RILL_PERMEABILITY_RESERVOIR_H

#include "rill.h"
#include "sim/attached.h"

/** A sample between reservoirs, and which nodes are where. */
typedef struct rill_reservoirs {
    const rill_geom *sample; /**< borrowed */
    int axis;                /**< of the flow in the sample */
    uint32_t length;         /**< of a reservoir, in voxels */
    rill_geom *geom;         /**< owned; solid boundaries normal to z */
    uint64_t front, nodes;   /**< first node of the sample, its nodes */
    uint64_t planes[2];      /**< nodes in the first and in the last plane of the sample */
} rill_reservoirs;

/** Return whether the sample is rotated: its nodes have another order in it than in the box. */
bool rill_reservoirs_turn(const rill_reservoirs *reservoirs);

/** Return the bytes of the box's voxels that this process holds. */
uint64_t rill_reservoirs_bytes(const rill_reservoirs *reservoirs);

/** Put a sample between reservoirs of `length` voxels. @return RILL_USAGE when it is shorter than two planes
 */
rill_status rill_reservoirs_create(const rill_geom *sample, int axis, uint32_t length, rill_reservoirs *out);

/** Free what it owns; a cleared one is allowed. */
void rill_reservoirs_destroy(rill_reservoirs *reservoirs);

/**
 * Hold rho - 1 = drop / 2 and -drop / 2 at the outer faces, and start from a pressure that falls linearly
 * through the sample.
 */
rill_status rill_reservoirs_drive(const rill_reservoirs *reservoirs, const rill_domain *domain, rill_sim *sim,
                                  double drop);

/** Return what holds the pressure at one of these faces, before it is made. @param[in] box  the domain */
rill_attached_load rill_reservoirs_face(const rill_domain *box);

/** Take the fall of the mean rho from the first plane of the sample to the last, over its pores. */
rill_status rill_reservoirs_drop(const rill_reservoirs *reservoirs, rill_sim *sim, double *drop);

/**
 * Bring moments of the nodes of a rotated sample back into its own node order and axes.
 * @param[in]  turned  [4][nodes], rho - 1 and u as the simulation has them, from node `front` on
 * @param[out] moments  [4][nodes]
 */
rill_status rill_reservoirs_turn_back(const rill_reservoirs *reservoirs, const float *turned, float *moments);

#endif
