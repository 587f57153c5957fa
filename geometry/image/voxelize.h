/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file voxelize.h
 * Options of rill_image_voxelize() as text, see rill/image.h.
 */
#ifndef RILL_GEOMETRY_IMAGE_VOXELIZE_H
#define RILL_GEOMETRY_IMAGE_VOXELIZE_H

#include "core/log.h"
#include "geometry/voxels/components.h"
#include "geometry/image/image.h"
#include "rill.h"

/** Read "0", "0-99,255", "-5--1" or "0.5:1.5" into pore. */
rill_status rill_voxelize_parse_pore(const char *text, rill_voxelize_options *options);

/** Read "0:240,0:240,10:" into crop; an empty bound is the image's own. */
rill_status rill_voxelize_parse_crop(const char *text, rill_voxelize_options *options);

/** Read "zyx" into axes: file axis 0 goes to z, and so on. */
rill_status rill_voxelize_parse_axes(const char *text, rill_voxelize_options *options);

/** Read "x", "xz" and the like into mirror. */
rill_status rill_voxelize_parse_mirror(const char *text, rill_voxelize_options *options);

/** Read "periodic", "mirror", "wall", or three of them separated by commas, into sides. */
rill_status rill_voxelize_parse_sides(const char *text, rill_voxelize_options *options);

/** Read "isotropic" or a length ("5 um") into resample. */
rill_status rill_voxelize_parse_resample(const char *text, rill_voxelize_options *options);

/** Read "480x480x480" into image.n. */
rill_status rill_voxelize_parse_size(const char *text, rill_voxelize_options *options);

#endif
