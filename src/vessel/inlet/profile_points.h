/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file profile_points.h
 * Profiles of an inlet from measured points: magnetic resonance, a plane of another simulation.
 *
 * Points are laid onto the opening along its normal: those inside the outline that lie between the opening
 * and the end of the surface, which an extension is apart from it, or within one hydraulic diameter
 * of either. Points on a plane, straight or oblique, are taken as they are; of points in a volume
 * those within 1.5 spacings of the end of the surface. A local quadratic fit, weighted by the
 * distance, gives the velocity at grid points over the opening (moving least squares: Lancaster & Salkauskas
 * 1981, doi:10.1090/S0025-5718-1981-0616367-1): exact for quadratic fields, of third order for others, with
 * points anywhere. The outline is a line of points at rest. Times are joined by periodic cubic splines, whose
 * harmonics are exact.
 */
#ifndef RILL_VESSEL_PROFILE_POINTS_H
#define RILL_VESSEL_PROFILE_POINTS_H

#include "vessel/inlet/profile.h"
#include "vessel/inlet/velocities.h"

/** Points of a time that an opening needs, at least. */
enum { RILL_PROFILE_POINTS = 8 };

/**
 * Make the profiles of an opening.
 * @param[in] most  harmonics, at most
 * @return RILL_USAGE for too few points in the opening, and for points that let nothing in
 */
rill_status rill_profile_measure(const rill_velocities *velocities, const rill_opening *opening, int most,
                                 rill_profile **out);

/** Fit measured profiles to what an inlet is given: their changes over the cycle are multiplied by one
 * factor, 1 where the flow is that of the points. */
void rill_profile_fit(rill_profile *profile, const rill_end *end, const rill_opening *opening);

/** Take the flow of an inlet with a fitted measured profile apart; as rill_waveform_analyse(). */
void rill_profile_analyse(const rill_profile *profile, const rill_end *end, const rill_opening *opening,
                          double rest, rill_harmonics *flow);

/** Return the flow into the vessel that an inlet with a fitted measured profile has at a time, m3/s. */
double rill_profile_inflow(const rill_profile *profile, const rill_end *end, const rill_opening *opening,
                           double time);

#endif
