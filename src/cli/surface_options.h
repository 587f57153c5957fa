/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file surface_options.h
 * The options that say how a triangle surface becomes a geometry, and how what came of it is shown.
 */
#ifndef RILL_CLI_SURFACE_OPTIONS_H
#define RILL_CLI_SURFACE_OPTIONS_H

#include "cli/cli.h"
#include "geometry/surface/surface.h"

#include <jansson.h>

/** What the options hold as they are read. */
typedef struct cli_surface {
    const char *units, *extend, *shell;
    double spacing, min_cells, weld;
    int caps; /**< a rill_caps_choice */
    uint64_t cells;
    cli_list names, planes, patches;
    bool close_holes, remove_most;
    bool given, units_given; /**< any option but --units; --units */
} cli_surface;

/** What `rill case` extends openings by. */
#define CLI_CASE_EXTEND "0.5D"

/** Set the defaults. */
void cli_surface_defaults(cli_surface *surface);

/** Return the options that say what the surface is; valid until the next call in this thread. */
const cli_option *cli_surface_shape_options(cli_surface *surface);

/** Return those that say what its voxels are, likewise. */
const cli_option *cli_surface_voxel_options(cli_surface *surface);

/** Openings that were given, as they are parsed. */
typedef struct cli_surface_openings {
    rill_plane planes[64];
    rill_group_name patches[64];
    char names[128][RILL_OPENING_NAME];
} cli_surface_openings;

/** Convert the options to those of rill_surface_survey(), which borrow likewise. */
rill_status cli_surface_shape_resolve(const cli_surface *surface, cli_surface_openings *openings,
                                      rill_surface_options *out);

/** Convert the options to those of rill_surface_voxelize(), which borrow from `surface` and `openings`. */
rill_status cli_surface_resolve(const cli_surface *surface, cli_surface_openings *openings,
                                rill_surface_options *out);

/** Read --axes, which images have, too. */
rill_status cli_surface_axes(const char *text, rill_surface_options *out);

/** Print what the surface was, its defects, openings and voxels. */
void cli_surface_rows(const rill_geom *geom, const rill_surface_report *report);

/** Return the same as JSON; NULL without memory. */
json_t *cli_surface_json(const rill_geom *geom, const rill_surface_report *report);

#endif
