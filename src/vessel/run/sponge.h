/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sponge.h
 * Sponge layers: in the extension of an outlet, behind the surface, the viscosity rises towards the opening,
 * so that the boundary condition there sees a small cell Reynolds number. See docs/vessels.md and
 * kernel/boundary/sponge.h.
 */
#ifndef RILL_VESSEL_SPONGE_H
#define RILL_VESSEL_SPONGE_H

#include "vessel/case/case.h"

/** Cell Reynolds number up to which an outlet needs no sponge layer: with cumulants and central moments, and
 * with the other collisions. A layer grows from none with the square of the cell Reynolds number, because its
 * steep viscosity disturbs the flow in front of it, up to the one that has RILL_SPONGE_CELL_MADE at its
 * opening. */
#define RILL_SPONGE_CELL 4.0
#define RILL_SPONGE_CELL_RATES 8.0
#define RILL_SPONGE_CELL_MADE 1.0

/** Limit of third moments of cumulants in pulsatile flow with extensions; see docs/method.md. */
#define RILL_SPONGE_THIRD 0.01

/** The nodes of all sponge layers of a vessel, and what the simulation needs of them. */
typedef struct rill_sponge_list {
    uint64_t count;
    rill_node *nodes; /**< [count], as kernels number them; owned */
    float *keep;      /**< [count], see kernel/boundary/sponge.h; owned */
} rill_sponge_list;

/** Find extensions, and plan the sponge layers of outlets. @param[in,out] plan  with scales and flows
 * @return RILL_SYSTEM without memory */
rill_status rill_sponge_plan(const rill_case *given, const rill_geom *geom, rill_case_plan *plan);

/** Return about how many nodes all layers have. */
uint64_t rill_sponge_nodes(const rill_geom *geom, const rill_case_plan *plan);

/** Find the nodes. @param[in] vessel  with plan, domain and simulation @param[out] list  to be freed */
rill_status rill_sponge_make(const rill_vessel *vessel, rill_sponge_list *list);

/** Free them; a cleared one is allowed. */
void rill_sponge_free(rill_sponge_list *list);

#endif
