/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file outside.h
 * Voxels outside of a sample, as runs along x: a core in a picture has two in a row. The first of several
 * processes holds them all.
 */
#ifndef RILL_GEOMETRY_VOXELS_OUTSIDE_H
#define RILL_GEOMETRY_VOXELS_OUTSIDE_H

#include "rill.h"

/** Create an empty set for a box of n voxels. */
rill_status rill_outside_create(const uint32_t n[3], rill_outside **out);

/** Free a set; NULL is allowed. */
void rill_outside_destroy(rill_outside *outside);

/** Return the number of voxels; 0 of NULL. */
uint64_t rill_outside_count(const rill_outside *outside);

/** Replace what is outside in plane z by the voxels that have this value. @param[in] plane  [ny][nx] */
rill_status rill_outside_set(rill_outside *outside, uint32_t z, const uint8_t *plane, uint8_t value);

/** Write 1 for the voxels of plane z that are outside, 0 for the others. @param[out] plane  [ny][nx] */
void rill_outside_show(const rill_outside *outside, uint32_t z, uint8_t *plane);

/**
 * Give a geometry that was made from `geom` what is outside in it.
 * @param[in] first   voxel of `geom` that the first one comes from
 * @param[in] factor  voxels that one of `geom` became, along each axis
 */
rill_status rill_outside_part(const rill_geom *geom, const uint32_t first[3], const uint32_t factor[3],
                              rill_geom *made);

/** Give a coarser geometry its share of what is outside: the number of voxels alone. */
rill_status rill_outside_share(const rill_geom *geom, rill_geom *made);

/** Find the least and the largest part of a plane across an axis that is in the sample. */
rill_status rill_outside_sections(const rill_geom *geom, int axis, double *least, double *most);

#endif
