/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file scan.h
 * What is in an image, without making a geometry of it.
 */
#ifndef RILL_GEOMETRY_IMAGE_SCAN_H
#define RILL_GEOMETRY_IMAGE_SCAN_H

#include "geometry/image/pore_map.h"

/** An image as its file describes it, and the grey values that were met in it. */
typedef struct rill_image_account {
    rill_voxelize_report
        report;        /**< kind, type, file_n, axes, grey values, remarks; fluid: pore voxels, all of them */
    uint32_t n[3];     /**< voxels along x, y, z */
    double spacing[3]; /**< along x, y, z; all 0 when unknown */
    double pore; /**< the grey value that is pore where the options name none; NaN: the file says none */
    bool metric; /**< the spacing is in metres; otherwise only its ratios count */
} rill_image_account;

/**
 * Map all slices of an image and count its grey values in the map.
 * @param[in,out] pores  voxels that are pore are added to it
 */
rill_status rill_image_count(rill_image *image, rill_pore_map *map, rill_progress progress, uint64_t *pores);

/**
 * Read an image once, slice by slice.
 * @param[in] options  image, pore and axes are used
 * @return as rill_image_voxelize(), but any number of pores is right
 */
rill_status rill_image_scan(const char *path, const rill_voxelize_options *options, rill_progress progress,
                            rill_image_account *out);

#endif
