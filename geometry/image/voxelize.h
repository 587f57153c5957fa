/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file voxelize.h
 * From an image file to a clean voxel geometry: which grey values are pore, axes, crop, resampling,
 * mirror copies, and removal of pores that cannot conduct. In this order, whatever the order of the options.
 */
#ifndef RILL_GEOMETRY_IMAGE_VOXELIZE_H
#define RILL_GEOMETRY_IMAGE_VOXELIZE_H

#include "core/log.h"
#include "geometry/voxels/components.h"
#include "geometry/image/image.h"
#include "rill.h"

enum { RILL_PORE_RANGES = 32, RILL_GREYS_SHOWN = 8 };

/** Resample to cubes of the smallest spacing. */
#define RILL_RESAMPLE_ISOTROPIC (-1.0)

/** How an image becomes a geometry. */
typedef struct rill_voxelize_options {
    rill_image_options image;
    double pore[RILL_PORE_RANGES][2]; /**< [pore_count], grey values low … high that are pore, inclusive */
    int pore_count;                   /**< 0: the image's own, True of bool and 0 of numbers */
    int axes[3];         /**< where file axes 0, 1, 2 go (0 x, 1 y, 2 z); {-1, -1, -1}: the format's custom */
    uint32_t crop[3][2]; /**< first voxel and the one after the last, along x, y, z; UINT32_MAX: the end */
    double resample;     /**< new spacing in metres, RILL_RESAMPLE_ISOTROPIC, or 0 for none */
    bool mirror[3];      /**< put a mirrored copy behind the box along x, y, z */
    double voxel_size;   /**< edge of the cubic voxels of the file in metres; 0: what the file says */
    rill_side sides[3];
    rill_keep keep;
    int axis;            /**< for RILL_KEEP_PERCOLATING: 0, 1, 2, or -1 for any */
    const char *command; /**< provenance, borrowed, may be NULL */
} rill_voxelize_options;

/** A grey value that occurs. */
typedef struct rill_grey_value {
    double value, fraction;
    bool pore;
} rill_grey_value;

/** What was found on the way. */
typedef struct rill_voxelize_report {
    char kind[64]; /**< "raw, little-endian" */
    rill_grey type;
    uint32_t file_n[3]; /**< voxels along the file axes */
    int axes[3];        /**< where file axes 0, 1, 2 went */
    uint64_t greys;     /**< different grey values in the part used; 0: more than were counted */
    rill_grey_value grey[RILL_GREYS_SHOWN]; /**< the most frequent ones, by value; none when greys is 0 */
    double grey_min, grey_max;
    rill_components components;
    uint64_t fluid;     /**< fluid voxels that stay */
    char remarks[1024]; /**< sentences separated by newlines, may be empty */
} rill_voxelize_report;

/** Return: what the image takes as pore is pore, nothing cropped, mirrored or resampled, periodic,
 * percolating along any axis. */
rill_voxelize_options rill_voxelize_options_default(void);

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

/**
 * Turn an image file into a geometry with source, hash, command and porosities filled in.
 * @param[in]  path    see rill_image_open()
 * @param[out] report  may be NULL; filled in as far as the work came, also on failure
 * @return RILL_USAGE for a wrong image or option, all solid, all pore (unless everything is kept) and
 *         voxels that are no cubes; RILL_NUMERICS when percolating pores are to be kept and there are none;
 *         RILL_SYSTEM without memory
 */
rill_status rill_image_voxelize(const char *path, const rill_voxelize_options *options,
                                rill_progress progress, rill_geom **out, rill_voxelize_report *report);

#endif
