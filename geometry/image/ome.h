/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ome.h
 * What the OME-XML in the description of a TIFF says of its pixels: slices, channels, times, voxel size.
 */
#ifndef RILL_GEOMETRY_IMAGE_OME_H
#define RILL_GEOMETRY_IMAGE_OME_H

#include <stdbool.h>
#include <stdint.h>

/** The attributes of the first Pixels element. */
typedef struct rill_ome {
    uint64_t slices, channels, times; /**< SizeZ, SizeC, SizeT; 1 where it says nothing */
    double spacing[3];                /**< PhysicalSizeX, Y, Z; 0 where it says nothing */
    bool metric;                      /**< the spacing is in metres; otherwise only its ratios count */
} rill_ome;

/** Read a description; @return false where it is no OME-XML with pixels. NULL is allowed. */
bool rill_ome_read(const char *description, rill_ome *out);

#endif
