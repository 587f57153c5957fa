/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file step_files.h
 * Files of single time steps beside a result, "drop.500.vtkhdf" beside "drop.h5": their names, and the steps
 * between them.
 */
#ifndef RILL_IO_STEP_FILES_H
#define RILL_IO_STEP_FILES_H

#include "rill.h"

/**
 * Return the name of a file of one step; to be freed, NULL: no memory.
 * @param kind  stands before the suffix: ".membrane" makes "c.500.membrane.vtkhdf"
 */
char *rill_step_file_name(const char *output, uint64_t step, const char *kind);

/** When a run stops between its steps. */
typedef struct rill_step_plan {
    uint64_t steps; /**< of the run */
    uint64_t row;   /**< between rows of the series, above 0 */
    uint64_t every; /**< between files; 0: none */
} rill_step_plan;

/** Return how many steps there are to the next row, file or end of a run that has made some, 0 at its end. */
uint64_t rill_step_plan_next(const rill_step_plan *plan, uint64_t made);

/** Return whether files of a step are to be written. */
bool rill_step_plan_writes(const rill_step_plan *plan, uint64_t step);

#endif
