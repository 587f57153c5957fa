/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file street.h
 * A circular cylinder across a channel, near its inlet: Schäfer & Turek (1996),
 * doi:10.1007/978-3-322-89849-4_39. In diameters D: the channel is 4.1 high, the cylinder's axis 2 above the
 * floor and 2 (2-D, one layer of voxels, 22 long) or 5 (3-D, 25 long, 4.1 wide) behind the inlet, where the
 * profile is a parabola (in y, in y and z) of mean U. c = 2 force/(U^2 D width).
 */
#ifndef RILL_VERIFY_STREET_H
#define RILL_VERIFY_STREET_H

#include "verify/steady.h"

/** A cylinder with a staircase surface, or an interpolated one. */
typedef struct rill_verify_street {
    uint32_t diameter;  /**< voxels, a multiple of 10 */
    double speed;       /**< U, lu */
    double reynolds;    /**< U D/nu */
    bool solid;         /**< 3-D */
    double start, time; /**< steps before and in all, in D/U */
    bool exact;         /**< interpolated */
} rill_verify_street;

/** What came of it between `start` and `time`. */
typedef struct rill_verify_street_flow {
    double strouhal;   /**< f D/U of the lift, from its upward crossings of its mean; NaN with fewer than 3 */
    double drag, lift; /**< mean coefficients */
    double drag_max, lift_max;
    double pressure; /**< p before less p behind the cylinder at the end, over rho U^2 */
    double *lifts;   /**< [count], coefficient of lift, owned */
    int count;
    double every; /**< time between two of them, in D/U */
} rill_verify_street_flow;

/**
 * Follow the flow.
 * @param[in]  options  tau and equilibrium are set here
 * @param[out] flow     freed by rill_verify_street_free(), also after a failure
 */
rill_status rill_verify_street_run(const rill_verify_street *street, const rill_sim_options *options,
                                   rill_verify_street_flow *flow);

/** Free what a flow owns; a cleared one is allowed. */
void rill_verify_street_free(rill_verify_street_flow *flow);

/** Run a case whose data is a rill_verify_street that becomes steady: found are coefficients of drag and
 * lift, and the difference of pressure. */
rill_status rill_verify_street_steady(const rill_verify_case *of, const rill_verify_setup *setup,
                                      rill_verify_values *values);

#endif
