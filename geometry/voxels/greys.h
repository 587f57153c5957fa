/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file greys.h
 * Grey values of the voxels of an image around its threshold, a byte each.
 */
#ifndef RILL_GEOMETRY_VOXELS_GREYS_H
#define RILL_GEOMETRY_VOXELS_GREYS_H

#include "rill.h"

/** Grey values beside a geometry. */
struct rill_greys {
    double threshold, width; /**< see rill_voxelize_options.threshold */
    double distance[256];    /**< of a code from the threshold, above 0 in solid voxels, in grey values */
    uint8_t *code;           /**< [nz][ny][nx], owned */
};

/** Create grey values of a threshold without codes. */
rill_status rill_greys_create(double threshold, double width, rill_greys **out);

/** Take the grey values of a part over. @param[in] first  voxel of the geometry that the part begins with;
 * its voxels are as large @param[in,out] part  without grey values as long as the geometry has none */
rill_status rill_greys_part(const rill_geom *geom, const uint32_t first[3], rill_geom *part);

/** Give a geometry the cuts of its links to solid voxels at which a line between the grey values of both is
 * at the threshold, and half-way those to pores that were made solid. @param[in,out] geom  with grey values,
 * without a surface */
rill_status rill_greys_cuts(rill_geom *geom);

/** Destroy grey values; NULL is allowed. */
void rill_greys_destroy(rill_greys *greys);

/**
 * Return how far a wall moves along a link when the threshold moves by its width, at most one voxel: by the
 * slope of a cubic through four voxels in a row, where the line between the two in the middle is at the
 * threshold. The slope is one half to 5/4 of the difference of these two.
 * @param[in] row  the voxel before a fluid voxel, that voxel, the solid voxel behind it, and the next
 */
double rill_greys_shift(const rill_greys *greys, const rill_voxel row[4]);

#endif
