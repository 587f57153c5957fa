/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pore_map.h
 * Grey values to pore or solid, and a count of the grey values met.
 */
#ifndef RILL_GEOMETRY_IMAGE_PORE_MAP_H
#define RILL_GEOMETRY_IMAGE_PORE_MAP_H

#include "geometry/image/voxelize.h"

/** Ranges of grey values that are pore, and what was met while they were applied. */
typedef struct rill_pore_map rill_pore_map;

/**
 * Create a map for the number type of an image.
 * @param[in] options  pore and pore_count are used; with none, what the image says is pore, and nothing where
 * it says none
 * @return RILL_USAGE for a range that the type cannot hold
 */
rill_status rill_pore_map_create(const rill_image *image, const rill_voxelize_options *options,
                                 rill_pore_map **out);

/** Destroy a map; NULL is allowed. */
void rill_pore_map_destroy(rill_pore_map *map);

/**
 * Map grey values to RILL_FLUID or RILL_SOLID, and count them. Of a type of one byte, several threads may do
 * so at the same time.
 * @param[in]  grey    [count] of the map's type
 * @param[out] voxels  [count], which may be `grey` where that has one byte a value
 * @return RILL_USAGE for a value that is not a number
 */
rill_status rill_pore_map_apply(rill_pore_map *map, const void *grey, uint64_t count, uint8_t *voxels);

/** Return a map from grey values to codes for rill_greys, whose distances it writes. */
rill_status rill_grey_codes_create(const rill_image *image, const rill_voxelize_options *options,
                                   double distance[256], rill_pore_map **out);

/** Return grey value i of an array of a type. */
double rill_grey_real(rill_grey type, const void *grey, uint64_t i);

/** Put the counted grey values into a report: number, extremes, and the most frequent ones by value. */
void rill_pore_map_report(const rill_pore_map *map, rill_voxelize_report *report);

#endif
