/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file image_options.h
 * The options that say how an image becomes a geometry, shared by the commands that take images.
 */
#ifndef RILL_CLI_IMAGE_OPTIONS_H
#define RILL_CLI_IMAGE_OPTIONS_H

#include "cli/cli.h"
#include "geometry/image/voxelize.h"
#include "io/geom_file.h"

/** The options as they stand on the command line. */
typedef struct cli_image {
    const char *pore, *threshold, *axes, *crop, *mirror, *resample, *sides,
        *size; /**< and where the sample is */
    const char *outside, *core, *mask, *mask_inside;
    int format, type, endian;
    uint64_t skip;
    double voxel_size;
    bool given; /**< one of the options that a geometry file has no use for was given, but for --axes */
    bool axes_given, voxel_size_given, sides_given, allow_voxel_size, allow_outside;
} cli_image;

/** Return whether an option was given that a geometry file has no use for. */
bool cli_image_given(const cli_image *image);

/** Set the defaults. */
void cli_image_defaults(cli_image *image);

/** Return the table of the options bound to `image`; valid until the next call in this thread. */
const cli_option *cli_image_options(cli_image *image);

/** Put the options that say what a file holds (--pore, --axes, --format and those of raw files) into a table
 * with `room` for them and its end. */
void cli_image_file_options(cli_image *image, cli_option *table, int room);

/** Read --sides, which geometries and generated ones have too. */
rill_status cli_sides_parse(const char *text, rill_voxelize_options *out);

/** Convert the options to those of the library; keep, axis and command are left at their defaults. */
rill_status cli_image_resolve(const cli_image *image, rill_voxelize_options *out);

/** Read a geometry as a command on images does, and set the edge of a voxel and the boundaries that are
 * given.
 * @param[in] keeper  NULL: this process keeps all voxels
 * @return RILL_USAGE for options of images */
rill_status cli_image_geometry_read(const cli_image *image, const char *path, const rill_keeper *keeper,
                                    rill_geom **out);

/** Read a file of rill as a geometry, anything else as an image. @param pore  its values that are pore, as
 * --pore takes them; NULL: as the image says @param keep  of an image's pores
 */
rill_status cli_read_geometry(const char *path, const char *pore, rill_keep_kind keep, rill_progress progress,
                              rill_geom **out);

/** Print the rows of a summary table that say what was read: format, axes, grey values. */
void cli_image_rows(const rill_voxelize_report *report);

/** Find whether the threshold of an image has a width. */
rill_status cli_image_threshold_wide(const cli_image *image, bool *wide);

#endif
