/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file read_case.h
 * A case with its geometry and its plan, for the commands that take cases.
 */
#ifndef RILL_CLI_READ_CASE_H
#define RILL_CLI_READ_CASE_H

#include "vessel/case.h"
#include "cli/cli.h"
#include "cli/devices.h"

/** What the options of every command that takes a case hold. */
typedef struct cli_case_choices {
    const char *json, *memory;
    int backend; /**< a rill_backend_kind */
    bool unmeasured, quiet, outside, program;
    bool grids;  /**< the case is to run on coarser grids, too: see vessel/grids.h */
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

#endif
