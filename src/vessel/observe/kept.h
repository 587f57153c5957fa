/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file kept.h
 * How much of its own profile an inlet keeps over a cycle.
 *
 * Where the flow of an inlet decreases, the profile of each harmonic reverses near the wall: a velocity
 * would be imposed on fluid that leaves, and comes with another profile. That may be unstable above some cell
 * Reynolds number of the outward velocity (docs/vessels.md). As much of the profile as is not kept is made
 * flat: the flow stays, and of all profiles with one flow the flat one lets out the slowest.
 */
#ifndef RILL_VESSEL_KEPT_H
#define RILL_VESSEL_KEPT_H

#include "vessel/inlet/profile.h"
#include "vessel/case/waveform.h"

enum { RILL_KEPT_MOMENTS = 512 }; /**< of a cycle */

/** The part of an inlet's profile that is kept, over a cycle. */
typedef struct rill_kept {
    double omega;                   /**< of the cycle; 0: everything is kept, or the flow is steady */
    double part[RILL_KEPT_MOMENTS]; /**< in [0, 1], smooth in time */
    double least, when;             /**< smallest part; s, when that is */
    double outward;                 /**< m/s, largest outward velocity of the whole profile */
    double reversed;                /**< m/s, largest mean velocity of flow that leaves */
} rill_kept;

/**
 * Find how much of an inlet's profile is kept.
 * @param[in] flow   m3/s, into the vessel
 * @param[in] area   of the opening, m2
 * @param[in] limit  m/s, the largest outward velocity that is accepted
 * @see tests/vessel/test_kept.c
 */
rill_status rill_kept_find(const rill_profile *profile, const rill_harmonics *flow, double area, double limit,
                           rill_kept *out);

/** Return the part that is kept at a time. */
double rill_kept_at(const rill_kept *kept, double time);

#endif
