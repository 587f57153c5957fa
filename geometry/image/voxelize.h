/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file voxelize.h
 * Options of rill_image_voxelize() as text, see rill/image.h, and what it does for several processes.
 */
#ifndef RILL_GEOMETRY_IMAGE_VOXELIZE_H
#define RILL_GEOMETRY_IMAGE_VOXELIZE_H

#include "core/log.h"
#include "geometry/voxels/components.h"
#include "geometry/image/image.h"
#include "geometry/voxels/planes.h"
#include "rill.h"

/** See rill_image_voxelize(). @param[in] keeper  of the voxels; NULL: the geometry has them as bytes */
rill_status rill_image_voxelize_kept(const char *path, const rill_voxelize_options *options,
                                     const rill_keeper *keeper, rill_progress progress, rill_geom **out,
                                     rill_voxelize_report *report);

/** Return whether an edge of a voxel, in metres, is one that images of pores have. */
bool rill_voxel_size_usual(double metres);

/** Refuse a given edge of a voxel in metres that images of pores do not have, unless `allow`; 0 is none. */
rill_status rill_voxel_size_check(double metres, bool allow);

/** Read "0", "0-99,255", "-5--1" or "0.5:1.5" into pore. */
rill_status rill_voxelize_parse_pore(const char *text, rill_voxelize_options *options);

/** Read "112", "112+-4" or "112±4", behind "<" (the default) or ">", into threshold. */
rill_status rill_voxelize_parse_threshold(const char *text, rill_voxelize_options *options);

/** Read grey values outside of the sample, as rill_voxelize_parse_pore() reads those of pores. */
rill_status rill_voxelize_parse_outside(const char *text, rill_voxelize_options *options);

/** Read "inscribed" or "x=250,y=248,d=480" with any of x, y, z, d and axis into core. */
rill_status rill_voxelize_parse_core(const char *text, rill_voxelize_options *options);

/** Read a value or a range of the mask. */
rill_status rill_voxelize_parse_mask_inside(const char *text, rill_voxelize_options *options);

/** Read "0:240,0:240,10:" into crop; an empty bound is the image's own. */
rill_status rill_voxelize_parse_crop(const char *text, rill_voxelize_options *options);

/** Read "zyx" into axes: file axis 0 goes to z, and so on. */
rill_status rill_voxelize_parse_axes(const char *text, rill_voxelize_options *options);

/** Read "x", "xz" and the like into mirror. */
rill_status rill_voxelize_parse_mirror(const char *text, rill_voxelize_options *options);

/** Read "periodic", "mirror", "wall", or three of them separated by commas, as domain boundaries. */
rill_status rill_voxelize_parse_sides(const char *text, rill_voxelize_options *options);

/** Read "isotropic" or a length ("5 um") into resample. */
rill_status rill_voxelize_parse_resample(const char *text, rill_voxelize_options *options);

/** Read "480x480x480" or "480,480,480" into image.n. */
rill_status rill_voxelize_parse_size(const char *text, rill_voxelize_options *options);

#endif
