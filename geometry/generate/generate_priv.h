/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file generate_priv.h
 * What the generators share; not for their users.
 */
#ifndef RILL_GEOMETRY_GENERATE_GENERATE_PRIV_H
#define RILL_GEOMETRY_GENERATE_GENERATE_PRIV_H

#include "geometry/generate/generate.h"

/**
 * Count the porosity and note the generator's name: the last thing every generator does.
 * @return RILL_SYSTEM without memory
 */
rill_status rill_generate_finish(rill_geom *geom, const char *name);

/** Fill a geometry with one value. */
rill_status rill_generate_fill(rill_geom *geom, uint8_t value);

/**
 * Set every voxel whose centre lies within a sphere (r <= R), or within one of its periodic images.
 * Radii of up to a few boxes are sensible: the work is the volume of the bounding slices.
 * @param[in] period   voxels after which the spheres repeat along z, at least those of the box
 * @param[in] spheres  [count]; centres anywhere, they are wrapped into the box
 * @return RILL_SYSTEM without memory
 */
rill_status rill_generate_paint(rill_geom *geom, uint64_t period, const rill_sphere *spheres, uint64_t count,
                                uint8_t value);

/** Spheres by the slice of their centre, to be set slice after slice. */
typedef struct rill_painter {
    uint32_t n[3];
    int64_t period, reach;      /**< slices after which they repeat; that a sphere may reach from its own */
    const rill_sphere *spheres; /**< borrowed */
    uint64_t *start, *order;    /**< [period + 1], first place of each slice in `order`; sphere numbers */
} rill_painter;

/** Sort spheres. See rill_generate_paint() for what they may be. */
rill_status rill_painter_create(const uint32_t n[3], uint64_t period, const rill_sphere *spheres,
                                uint64_t count, rill_painter *out);

/** Set voxels of a slice as rill_generate_paint() does; several threads may. @param[in,out] voxels  [ny][nx]
 */
void rill_painter_slice(const rill_painter *painter, uint32_t slice, uint8_t value, uint8_t *voxels);

/** Free what a painter owns; a zeroed one is allowed. */
void rill_painter_destroy(rill_painter *painter);

/**
 * Move spheres apart until none overlap (periodic box).
 * @param[in]     n        voxels of the box; no sphere is wider than it
 * @param[in,out] spheres  [count], centres within the box; their order changes
 * @return RILL_NUMERICS when they cannot be separated, RILL_SYSTEM without memory
 * @see generate_relax.c
 */
rill_status rill_generate_relax(const uint32_t n[3], rill_sphere *spheres, uint64_t count);

/** Return the cube root, with the same bits everywhere: those of cbrt() may differ between machines. */
double rill_generate_cube_root(double x);

/** Refuse a porosity that is not between 0 and 1, both excluded. */
rill_status rill_generate_check_porosity(double porosity);

/** Write the keys of one row of voxels. @param[out] keys  [nx]; the order of keys is the order of levels */
typedef void (*rill_generate_row_fn)(const void *context, uint32_t y, uint32_t z, uint32_t *keys);

/**
 * Make those voxels fluid whose keys are smallest, so many that the porosity is met.
 * @param[in] row    called three times for every row, from several threads
 * @param[in] split  true: of voxels with the same key at the level, the first ones only, so that the
 *                   count is exact; false: all or none, whichever is nearer and leaves pore and solid,
 *                   so that symmetry is kept
 * @return RILL_SYSTEM without memory, RILL_USAGE when no voxel or every voxel would be fluid
 */
rill_status rill_generate_threshold(rill_geom *geom, double porosity, bool split, rill_generate_row_fn row,
                                    const void *context);

#endif
