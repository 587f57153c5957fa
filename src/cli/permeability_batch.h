/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file permeability_batch.h
 * rill permeability of several inputs, or of the blocks of one image.
 */
#ifndef RILL_CLI_PERMEABILITY_BATCH_H
#define RILL_CLI_PERMEABILITY_BATCH_H

#include "cli/devices.h"
#include "cli/image_options.h"
#include "cli/permeability_flow.h"

/** What the command line says. */
typedef struct cli_batch {
    const cli_compute *compute;
    cli_devices *devices;
    const cli_image *image;
    rill_permeability_options options; /**< of every item */
    const cli_flow *flow;              /**< that each row shows beside k */
    const char *const *inputs;
    int count;
    const char *csv;    /**< table; NULL: none */
    const char *blocks; /**< sizes of blocks, "50,100um"; NULL: whole images */
    int at_once;        /**< 0: chosen */
    bool resume, dry_run;
    const char *line; /**< the command */
    rill_progress progress;
} cli_batch;

/** Compute, print and write all of it. @return the status of the worst item */
rill_status cli_batch_run(const cli_batch *batch);

#endif
