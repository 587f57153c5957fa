/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file dispersion.h
 * What the files of `rill dispersion` share.
 */
#ifndef RILL_CLI_DISPERSION_H
#define RILL_CLI_DISPERSION_H

#include "cli/cli.h"
#include "cli/image_options.h"
#include "io/result.h"

#include <jansson.h>

/** All that is known at the end. */
typedef struct cli_dispersion_result {
    const rill_geom *geom;
    const rill_dispersion_options *options;
    const rill_dispersion *result;
    const char *input, *command;
    const int *file_axes;       /**< [3], where axes 0, 1, 2 of the input go, 0 x, 1 y, 2 z */
    const char *json, *output;  /**< file names, NULL for none */
    const char (*fields)[4096]; /**< [points], names of field files, NULL for none */
    double flow_tolerance;      /**< of the flow that was computed; 0: it was read */
    double seconds_reading, seconds_flow, seconds;
} cli_dispersion_result;

/** Print the rows. */
void cli_dispersion_print(const cli_dispersion_result *r);

/** Print the rows of the run in time of a point, if there is one. */
void cli_breakthrough_print(const cli_dispersion_result *r, int point);

/** Return what JSON has of the runs in time; null without any. */
json_t *cli_breakthrough_json(const cli_dispersion_result *r);

/** Write the groups /breakthrough/pe10 and so on. */
rill_status cli_breakthrough_write(rill_result *file, const cli_dispersion_result *r);

/** Print Peclet number and components along and across the flow alone, a line for each. */
void cli_dispersion_print_lines(const cli_dispersion_result *r);

/** Write the JSON of --json. */
rill_status cli_dispersion_write_json(const cli_dispersion_result *r);

/** Write the HDF5 file of -o. */
rill_status cli_dispersion_write_hdf5(const cli_dispersion_result *r);

#endif
