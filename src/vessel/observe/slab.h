/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file slab.h
 * The section of a vessel by a plane as positions at which velocity and pressure are averaged: a grid on the
 * plane, as far as fluid reaches from the point that was given.
 */
#ifndef RILL_VESSEL_SLAB_H
#define RILL_VESSEL_SLAB_H

#include "rill.h"

/** Positions on a plane. */
typedef struct rill_slab {
    double (*places)[3]; /**< [count], m, owned */
    uint64_t count;
    double area; /**< m2, of one place */
    double normal[3];
} rill_slab;

/**
 * Lay positions over the section around a point, half a voxel apart.
 * @param[in] centre  m, as the geometry's surface counts; within the fluid
 * @param[in] normal  of length 1
 * @param[in] name    of the plane, for messages
 * @return RILL_USAGE when the point is not within the fluid
 */
rill_status rill_slab_make(const rill_domain *domain, const double centre[3], const double normal[3],
                           const char *name, rill_slab *out);

/** Free the positions; a cleared one is allowed. */
void rill_slab_free(rill_slab *slab);

#endif
