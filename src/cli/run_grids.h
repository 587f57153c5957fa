/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file run_grids.h
 * rill run --error-bar: the case on two coarser grids, whose voxels are made again from the surface, and what
 * the three extrapolate to.
 */
#ifndef RILL_CLI_RUN_GRIDS_H
#define RILL_CLI_RUN_GRIDS_H

#include "cli/read_case.h"
#include "vessel/grids.h"

#include <jansson.h>

/** The coarser grids, and the results of all; the coarsest first. */
typedef struct cli_grids {
    cli_case coarser[RILL_GRIDS - 1];
    double spacing[RILL_GRIDS]; /**< m */
    rill_run_result results[RILL_GRIDS];
    float *tawss[RILL_GRIDS];        /**< on the triangles, owned; NULL: not requested */
    rill_grids_quantity *quantities; /**< [count], owned */
    int count;
    double seconds; /**< of all runs */
} cli_grids;

/** Voxelize the coarser grids and plan the case on them. @param[out] out  zero before; freed also after a
 * failure */
rill_status cli_grids_plan(const char *path, cli_case_choices *choices, const cli_case *fine,
                           rill_progress progress, cli_grids *out);

/** Print the plans of the coarser grids, and the time of all. */
void cli_grids_print_plan(const cli_grids *grids, const cli_case *fine);

/** Return RILL_USAGE or RILL_SYSTEM when a coarser grid cannot run. */
rill_status cli_grids_accept(const cli_grids *grids);

/** Run coarser grid k, and free its case. @return RILL_CANCELLED, RILL_NUMERICS: see rill_case_run() */
rill_status cli_grids_run(cli_grids *grids, int k, rill_progress progress);

/**
 * Extrapolate, after the finest grid ran, and write error-bar.vtkhdf.
 * @param[in] directory, command  of the run
 */
rill_status cli_grids_finish(cli_grids *grids, const rill_vessel *fine, const rill_run_result *result,
                             const char *directory, const char *command);

/** Print what the grids extrapolate to. */
void cli_grids_print(const cli_grids *grids);

/** Return it as JSON; null without grids. */
json_t *cli_grids_json(const cli_grids *grids);

/** Free it; a cleared one is allowed. */
void cli_grids_free(cli_grids *grids);

#endif
