/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file coordinates.h
 * Spacing and axes of an image whose file states coordinates of voxels along each axis, as NetCDF and EMD do.
 */
#ifndef RILL_GEOMETRY_IMAGE_COORDINATES_H
#define RILL_GEOMETRY_IMAGE_COORDINATES_H

#include "geometry/image/image.h"

/** What a file states of one axis. */
typedef struct rill_coordinates {
    char name[64];   /**< "x"; "" where it states nothing */
    char unit[64];   /**< "um", EMD's "[n_m]"; "" where it states nothing */
    uint64_t count;  /**< numbers of coordinates: those of two voxels suffice; 0: none */
    double first[2]; /**< the first two */
    double last;     /**< the last one */
} rill_coordinates;

/** Take spacing and axes from coordinates. @param[in] c  [rank], of the file axes */
void rill_image_set_coordinates(rill_image *image, const rill_coordinates *c, int rank);

#endif
