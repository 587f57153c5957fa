/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file profile_priv.h
 * What makes profiles: the plane of an opening, its outline, and a grid over it.
 */
#ifndef RILL_VESSEL_PROFILE_PRIV_H
#define RILL_VESSEL_PROFILE_PRIV_H

#include "vessel/inlet/profile.h"

/** Lay plane, outline and grid. @param across  grid spacings along the longer side of the outline */
rill_status rill_profile_lay(rill_profile *profile, rill_profile_kind kind, const rill_opening *opening,
                             int across);

/** Return the coordinates of a place in the plane, m, along its normal. */
void rill_profile_to_plane(const rill_profile *profile, const double x[3], double out[2]);

/** Return whether a place of the plane lies inside the outline. */
bool rill_profile_inside(const rill_profile *profile, const double x[2]);

#endif
