/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file error_bar_output.h
 * What `rill permeability --error-bar` adds to rows and JSON.
 */
#ifndef RILL_CLI_ERROR_BAR_OUTPUT_H
#define RILL_CLI_ERROR_BAR_OUTPUT_H

#include "io/result.h"
#include "rill.h"

#include <jansson.h>

/**
 * Print the further runs, with what they cost.
 * @param peak  memory of the process at its peak, bytes  @param plain_seconds  expected of the plain run; 0:
 * unknown
 */
void cli_error_bar_print_plan(const rill_error_bar_plan *plan, uint64_t peak, double plain_seconds);

/** Print the rows, their total, and what is best known, of entries beside the diagonal, too.
 * @param m2  square metres per lu, NaN when unknown */
void cli_error_bar_print(const rill_error_bar *bar, const rill_permeability *plain, double m2);

/** Return the object "error_bar"; null without one. */
json_t *cli_error_bar_json(const rill_error_bar *bar, double m2);

/** Write the same into the group /error_bar. */
rill_status cli_error_bar_write(rill_result *file, const rill_error_bar *bar, double m2);

/** Name a part of the plan in a few words: "error bar 3 of 5, grid x 2". */
void cli_error_bar_part_name(const rill_error_bar_plan *plan, int part, char *text, size_t size);

#endif
