/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file diffusivity.h
 * What the files of `rill diffusivity` share.
 */
#ifndef RILL_CLI_DIFFUSIVITY_H
#define RILL_CLI_DIFFUSIVITY_H

#include "cli/property.h"

/** Names of rill_diffusion_drive, ended by NULL. */
extern const char *const cli_diffusion_drives[];

/** All that is known at the end. */
typedef struct cli_diffusivity_result {
    const cli_property *p;
    const rill_diffusivity_options *options;
    const rill_phase *phases; /**< [options->phase_count] */
    const rill_diffusivity *result;
    const char *fields[3]; /**< along x, y, z, NULL for none */
    double seconds;
} cli_diffusivity_result;

/** Write and print it. */
rill_status cli_diffusivity_report(const cli_diffusivity_result *r);

#endif
