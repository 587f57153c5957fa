/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file info.h
 * What is in a file of ours or in an image, as a JSON document: for `rill info`.
 */
#ifndef RILL_IO_INFO_H
#define RILL_IO_INFO_H

#include "geometry/image/voxelize.h"
#include "geometry/surface/surface.h"
#include "rill.h"

#include <jansson.h>

/**
 * Describe a geometry, result, field or cells file. Large arrays are not read.
 * @param[out] out  the caller's reference
 * @return RILL_USAGE when the file is none of ours or damaged, RILL_SYSTEM without memory
 */
rill_status rill_info_read(const char *path, json_t **out);

/**
 * Describe an image, which is read once: size, type, voxel size, grey values and what is pore.
 * @param[in]  options  image, pore and axes are used
 * @param[out] out      the caller's reference
 * @return as rill_image_scan()
 */
rill_status rill_info_image(const char *path, const rill_voxelize_options *options, rill_progress progress,
                            json_t **out);

/**
 * Describe a surface or a folder of surfaces as rill voxelize would find it: openings, rims and caps that
 * stay closed, with the planes that open them, defects, and what voxels of several sizes come to.
 * @param[in] unit_known  the options' unit is that of the file: lengths are in mm; else in units of the file
 * @param[out] out        the caller's reference
 * @return as rill_surface_survey()
 */
rill_status rill_info_surface(const char *path, const rill_surface_options *options, bool unit_known,
                              rill_progress progress, json_t **out);

#endif
