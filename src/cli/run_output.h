/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file run_output.h
 * What came of a run, as rows on standard output and as JSON.
 */
#ifndef RILL_CLI_RUN_OUTPUT_H
#define RILL_CLI_RUN_OUTPUT_H

#include "cli/run_grids.h"
#include "vessel/run.h"

#include <jansson.h>

/** Print a result. @param directory  where its files are */
void cli_run_print(const rill_vessel *vessel, const rill_run_result *result, const char *directory);

/** Write why the last cycle does not count as periodic, with the figure; they were compared. @return text
 */
const char *cli_run_not_repeated(const rill_vessel *vessel, const rill_run_result *result, char *text,
                                 size_t size);

/** Return a result as JSON, with the plan; NULL without memory. @param[in] grids  of an error bar; NULL: none
 */
json_t *cli_run_json(const rill_vessel *vessel, const rill_run_result *result, const cli_grids *grids);

#endif
