/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file case_kinds.h
 * Case files of other things than vessels: a kind registers the section of the file by which it is known, and
 * `rill check` and `rill run` hand such a file on.
 */
#ifndef RILL_CLI_CASE_KINDS_H
#define RILL_CLI_CASE_KINDS_H

#include "cli/vessel.h"

/** How `rill run` runs a case. */
typedef struct cli_kind_run {
    const cli_case_choices *common;
    const char *directory; /**< of the results; NULL: the plan alone is printed */
    rill_fields_kind fields;
    bool resume;
    double every; /**< s of wall clock between checkpoints; negative: as the case says */
    const char *line;
    rill_progress progress;
} cli_kind_run;

/** A kind. */
typedef struct cli_case_kind {
    const char *section;     /**< key of the case file */
    json_t *(*schema)(void); /**< as rill_case_schema() */
    rill_status (*check)(const char *path, const cli_case_choices *choices);
    rill_status (*run)(const char *path, const cli_kind_run *run);
} cli_case_kind;

extern const cli_case_kind cli_cells_kind;

/** Return the kind of a section's name, NULL for none. */
const cli_case_kind *cli_case_kind_find(const char *section);

/** Return the kind of a file, NULL for that of a vessel, a pipe, and what is no case file. */
const cli_case_kind *cli_case_kind_of(const char *path);

#endif
