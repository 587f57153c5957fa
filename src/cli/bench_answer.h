/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bench_answer.h
 * The suite time-to-answer of `rill bench`.
 */
#ifndef RILL_CLI_BENCH_ANSWER_H
#define RILL_CLI_BENCH_ANSWER_H

#include "rill.h"

/** Options of the suite. */
typedef struct bench_answer_options {
    rill_backend_kind backend;
    uint32_t cells; /**< along edges; 0: as the pore spaces have them */
    const char *json, *command;
    rill_geom *rock; /**< a further pore space; NULL: none */
    rill_progress progress;
    bool quiet, dry_run;
} bench_answer_options;

/** Run the suite. @return RILL_NUMERICS when an error is larger than the uncertainty */
rill_status bench_answer(const bench_answer_options *options);

#endif
