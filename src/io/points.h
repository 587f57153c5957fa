/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file points.h
 * Points of field files as CSV: voxel centres near a place with their velocities, such as `velocities` of a
 * case file takes them (vessel/velocities.h).
 */
#ifndef RILL_IO_POINTS_H
#define RILL_IO_POINTS_H

#include "rill.h"

/** Field files of a run of a vessel, at most. */
enum { RILL_POINTS_FILES = 512 };

/**
 * Write the points of field files within a distance of a place, with a column of times where there are
 * several files.
 * @param[in]  paths   [count], sparse field files with velocities in m/s
 * @param[in]  place   m, in the coordinates of the surface
 * @param[out] points  number of points of the first file; may be NULL
 * @return RILL_USAGE for other files, and where no point lies so near
 */
rill_status rill_points_write(const char *const *paths, int count, const double place[3], double reach,
                              const char *out, uint64_t *points);

#endif
