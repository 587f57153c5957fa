/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file axes.h
 * The axes of the flow: 0, 1, 2, or several, see rill/types.h.
 */
#ifndef RILL_GEOMETRY_VOXELS_AXES_H
#define RILL_GEOMETRY_VOXELS_AXES_H

#include "rill.h"

/** Return the axis that a slice is normal to: the only one along which there is one voxel; -1: no slice. */
int rill_axes_normal(const uint32_t n[3]);

/** Return axes with RILL_AXIS_AUTO and RILL_AXES_AUTO replaced by what they are for n voxels. */
int rill_axes_resolve(int axes, const uint32_t n[3]);

/** Return whether a run along axis a is requested. @param axes  resolved */
bool rill_axes_has(int axes, int a);

/** Return the number of axes. @param axes  resolved */
int rill_axes_count(int axes);

/** Return the first of the axes. @param axes  resolved */
int rill_axes_first(int axes);

/** Return the axes whose bits are set, of at least one. */
int rill_axes_of(unsigned bits);

/** Return "x", "xy", "xyz" ..., "auto" for both that are to be resolved; NULL for a number that is none. */
const char *rill_axes_name(int axes);

#endif
