/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file generate_priv.h
 * What the generators share; not for their users.
 */
#ifndef RILL_GEOMETRY_GENERATE_PRIV_H
#define RILL_GEOMETRY_GENERATE_PRIV_H

#include "geometry/generate.h"

/**
 * Count the porosity and note the generator's name: the last thing every generator does.
 * @return RILL_SYSTEM without memory
 */
rill_status rill_generate_finish(rill_geom *geom, const char *name);

/** Fill a geometry with one value. */
void rill_generate_fill(rill_geom *geom, uint8_t value);

/**
 * Set every voxel whose centre lies within a sphere (r <= R), or within one of its periodic images.
 * Radii of up to a few boxes are sensible: the work is the volume of the bounding slices.
 * @param[in] spheres  [count]; centres anywhere, they are wrapped into the box
 * @return RILL_SYSTEM without memory
 */
rill_status rill_generate_paint(rill_geom *geom, const rill_sphere *spheres, uint64_t count, uint8_t value);

#endif
