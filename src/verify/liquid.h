/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file liquid.h
 * A box of liquid and gas that flows of the suite free-surface begin with.
 */
#ifndef RILL_VERIFY_LIQUID_H
#define RILL_VERIFY_LIQUID_H

#include "domain/domain.h"
#include "free_surface/free_surface.h"
#include "sim/sim.h"
#include "verify/verify.h"

/** A function of a place: cells, whose centres are at halves. @param context  of the box */
typedef double rill_verify_place(const void *context, const double x[3]);

/** A liquid in a box. */
typedef struct rill_verify_liquid {
    rill_variant variant; /**< its equilibrium is of second order always */
    rill_devices on;
    rill_progress progress;
    uint32_t n[3];
    rill_side sides[3];
    double tau, tension;
    double magic; /**< of the collision; 0: 3/16 */
    double force; /**< along -z */
    double angle; /**< of contact, degrees; 0: 90 */
    double gas;   /**< pressure, of which p V is constant where gas is closed; 0: constant in all gas */
    rill_free_surface_face atmosphere; /**< face that is open to it */
    rill_free_surface_face inflow, outflow;
    rill_verify_place *inside;  /**< above 0 in the liquid; changes by at most 2 in a cell */
    rill_verify_place *solid;   /**< above 0 in the solid; NULL: there is none */
    rill_verify_place *density; /**< rho - 1 at the start; NULL: 0 */
    double velocity[3];         /**< at the start */
    const void *context;
    rill_geom *geom; /**< this and the next by rill_verify_liquid_begin() */
    rill_domain *domain;
    rill_sim *sim;
    rill_free_surface *surface;
    uint64_t nodes;
    bool fit;    /**< as many threads as gain time; else as many as there are */
    int threads; /**< as many as there were before */
} rill_verify_liquid;

/** Return a box with the variant and the devices of a setup; the rest is for the caller. */
rill_verify_liquid rill_verify_liquid_of(const rill_verify_setup *setup);

/** Return why free surfaces cannot be asked of a setup, or NULL: `unfit` of rill_verify_case. */
const char *rill_verify_liquid_unfit(const rill_verify_case *of, const rill_verify_setup *setup);

/** Make the box, which rill_verify_liquid_end() frees after a failure, too. */
rill_status rill_verify_liquid_begin(rill_verify_liquid *liquid);

/** Step it, and bring fill levels from a GPU. */
rill_status rill_verify_liquid_step(rill_verify_liquid *liquid, uint64_t steps);

/** Take the sums. @return RILL_NUMERICS where one is not finite */
rill_status rill_verify_liquid_totals(rill_verify_liquid *liquid, rill_free_surface_totals *totals);

/** Free what it made. */
void rill_verify_liquid_end(rill_verify_liquid *liquid);

/** Call rill_progress_report() of a flow. @param fraction  of it that is done */
rill_status rill_verify_liquid_report(const rill_verify_liquid *liquid, double fraction);

#endif
