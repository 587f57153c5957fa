/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file read_case.h
 * A case with its geometry and its plan, for the commands that take cases.
 */
#ifndef RILL_CLI_READ_CASE_H
#define RILL_CLI_READ_CASE_H

#include "vessel/case.h"
#include "cli/cli.h"

/** A case that was read. */
typedef struct cli_case {
    rill_case *given;
    rill_geom *geom;
    rill_case_plan plan;
} cli_case;

/**
 * Read a case and its geometry, and plan it.
 * @param[in]  json  of --json, refused before the geometry is read when it would replace an input or cannot
 * be written; may be NULL
 * @param[out] out   to be freed by cli_case_free() also after a failure, if it was cleared before
 */
rill_status cli_case_read(const char *path, const char *json, const rill_plan_options *options,
                          cli_case *out);

/** Free what a case owns; a cleared one is allowed. */
void cli_case_free(cli_case *c);

#endif
