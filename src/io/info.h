/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file info.h
 * What is in a file of ours or in an image, as a JSON document: for `rill info`.
 */
#ifndef RILL_IO_INFO_H
#define RILL_IO_INFO_H

#include "geometry/image/voxelize.h"
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
 * Describe a surface or a folder of surfaces: triangles, box in units of the file, groups.
 * @param[out] out  the caller's reference
 * @return as rill_surface_read()
 */
rill_status rill_info_surface(const char *path, json_t **out);

#endif
