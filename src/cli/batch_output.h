/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file batch_output.h
 * What `rill permeability` and `rill diffusivity` print and write of a batch, besides its table.
 */
#ifndef RILL_CLI_BATCH_OUTPUT_H
#define RILL_CLI_BATCH_OUTPUT_H

#include "cli/cli.h"

enum {
    CLI_BLOCK_SIZES = 32,  /**< sizes of blocks, at most */
    CLI_BATCH_NAME = 4096, /**< bytes of the name of a file */
};

/** Files of blocks. */
typedef struct cli_batch_files {
    char rev[CLI_BATCH_NAME], picture[CLI_BATCH_NAME], maps[CLI_BLOCK_SIZES][CLI_BATCH_NAME];
} cli_batch_files;

/** What came of a batch, and what it was. */
typedef struct cli_batch_result {
    const cli_command *shown_for;
    const rill_batch *batch;
    const rill_batch_item *items;
    const rill_geom *geom; /**< that blocks are cut from; NULL: whole inputs */
    const rill_block_grid *grids;
    int grid_count;
    const rill_batch_options *options;
    const cli_batch_files *files;
    const char *csv, *json, *command;
} cli_batch_result;

/** Print what is going to be done. */
void cli_batch_print_plan(const rill_batch_options *options, size_t count, const rill_geom *geom,
                          const rill_block_grid *grids, int grid_count);

/** Print the row of an input. */
void cli_batch_row(const char *name, const rill_batch_row *row);

/** Print the notes of all items, each once with the number of its items. @param quiet  to standard error */
void cli_batch_notes(const cli_batch_result *result, bool quiet);

/** Print the summary. */
void cli_batch_print(const cli_batch_result *result);

/** Write the summary with all rows as JSON. */
rill_status cli_batch_write_json(const cli_batch_result *result);

#endif
