/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file diffusivity.h
 * What the files of `rill diffusivity` share.
 */
#ifndef RILL_CLI_DIFFUSIVITY_H
#define RILL_CLI_DIFFUSIVITY_H

#include "cli/cli.h"
#include "cli/image_options.h"

/** Names of rill_diffusion_drive, ended by NULL. */
extern const char *const cli_diffusion_drives[];

/** All that is known at the end. */
typedef struct cli_diffusivity_result {
    const rill_geom *geom;
    const rill_diffusivity_options *options;
    const rill_phase *phases; /**< [options->phase_count] */
    const rill_diffusivity *result;
    const char *input, *command;
    const int *file_axes;      /**< [3], where axes 0, 1, 2 of the input go, 0 x, 1 y, 2 z */
    const char *json, *output; /**< file names, NULL for none */
    const char *fields[3];     /**< along x, y, z, NULL for none */
    double seconds_reading, seconds;
} cli_diffusivity_result;

/** Print the rows. */
void cli_diffusivity_print(const cli_diffusivity_result *r);

/** Print D and F alone, on one line. */
void cli_diffusivity_print_line(const cli_diffusivity_result *r);

/** Write the JSON of --json. */
rill_status cli_diffusivity_write_json(const cli_diffusivity_result *r);

/** Write the HDF5 file of -o. */
rill_status cli_diffusivity_write_hdf5(const cli_diffusivity_result *r);

#endif
