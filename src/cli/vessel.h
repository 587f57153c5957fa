/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vessel.h
 * What the files of `rill check` and `rill run` share.
 */
#ifndef RILL_CLI_VESSEL_H
#define RILL_CLI_VESSEL_H

#include "cli/cli.h"
#include "cli/devices.h"
#include "vessel/case/case.h"
#include "rill/grids.h"
#include "vessel/case/rhythm.h"

#include <jansson.h>

/* ---- a case with its geometry and its plan, for the commands that take cases ---- */

/** What the options of every command that takes a case hold. */
typedef struct cli_case_choices {
    const char *json, *memory;
    int backend; /**< a rill_backend_kind */
    bool unmeasured, quiet, outside, program;
    bool grids;  /**< the case is to run on coarser grids, too: see rill/grids.h */
    bool schema; /**< the schema of case files is printed: no case is needed */
    cli_devices devices;
} cli_case_choices;

/**
 * Read the arguments of a command that takes a case.
 * @param[in]  own   options of the command alone
 * @param[out] path  the case; not set where help was requested
 */
rill_status cli_case_parse(const cli_command *command, const cli_option *own, cli_case_choices *choices,
                           int argc, char **argv, const char **path, bool *help);

/** Read a case file with the permissions of the options. */
rill_status cli_case_open(const char *path, const cli_case_choices *choices, rill_case **out);

/** A case that was read. */
typedef struct cli_case {
    rill_case *given;
    rill_geom *geom;
    rill_case_plan plan;
    cli_devices *devices; /**< opened; borrowed */
} cli_case;

/**
 * Read a case and its geometry, and plan it. The file of --json is refused before the geometry is read when
 * it would replace an input or cannot be written.
 * @param[in]  resume  directory of the run to continue from; NULL: none
 * @param[out] out     to be freed by cli_case_free() also after a failure, if it was cleared before
 */
rill_status cli_case_read(const char *path, cli_case_choices *choices, const char *resume, cli_case *out);

/** Free what a case owns; a cleared one is allowed. */
void cli_case_free(cli_case *c);

/**
 * Write what the line of progress of `rill run` shows of a moment, such as "Mach 0.050, 0.0412 GLUPS, at most
 * 12 s left". What is not measured yet (NaN) is left out.
 * @param[in]  seconds_left  at most
 * @param[out] text          cut where it is longer than size
 */
void cli_run_detail(const rill_run_moment *moment, double seconds_left, char *text, size_t size);

/* ---- what a case is going to do, as rows on standard output and as JSON ---- */

/** Print a plan with its verdicts. */
void cli_case_print_plan(const rill_case *given, const rill_geom *geom, const rill_case_plan *plan);

/** Return a plan as JSON; NULL without memory. */
json_t *cli_case_plan_json(const rill_case *given, const rill_geom *geom, const rill_case_plan *plan);

/* ---- rill run --error-bar: the case on two coarser grids, and extrapolation from the three ---- */

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

/* ---- what came of a run, as rows on standard output and as JSON ---- */

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
