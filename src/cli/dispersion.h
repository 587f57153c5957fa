/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file dispersion.h
 * What the files of `rill dispersion` share.
 */
#ifndef RILL_CLI_DISPERSION_H
#define RILL_CLI_DISPERSION_H

#include "cli/property.h"

/** All that is known at the end. */
typedef struct cli_dispersion_result {
    const cli_property *p;
    const rill_dispersion_options *options;
    const rill_dispersion *result;
    const char (*fields)[4096]; /**< [points], names of field files, NULL for none */
    double flow_tolerance;      /**< of the flow that was computed; 0: it was read */
    double seconds_flow, seconds;
} cli_dispersion_result;

/** Write and print it. */
rill_status cli_dispersion_report(const cli_dispersion_result *r);

/** Print the rows of the run in time of a point, if there is one. */
void cli_breakthrough_print(const cli_dispersion_result *r, int point);

/** Return what JSON has of the runs in time; null without any. */
json_t *cli_breakthrough_json(const cli_dispersion_result *r);

/** Write the groups /breakthrough/pe10 and so on. */
rill_status cli_breakthrough_write(rill_result *file, const cli_dispersion_result *r);

#endif
