/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bench_output.h
 * What `rill bench` prints and writes.
 */
#ifndef RILL_CLI_BENCH_OUTPUT_H
#define RILL_CLI_BENCH_OUTPUT_H

#include "bench/bench.h"
#include "bench/bench_plan.h"

#include <jansson.h>

/** All that a run came to. */
typedef struct bench_report {
    const char *command;
    const rill_bench_plan *plan;
    const rill_bench_yardstick *yardstick;
    double seconds;                     /**< since the start */
    json_t *results, *skipped, *failed; /**< arrays, owned */
} bench_report;

/** Make the arrays. @return RILL_SYSTEM without memory */
rill_status bench_report_start(bench_report *report);

/** Free the arrays. */
void bench_report_free(bench_report *report);

/** Print the head of the table. */
void bench_print_heading(void);

/** Print what a case came to. */
void bench_print_record(const char *name, rill_variant variant, const rill_bench_record *record);

/** Print all cases of a plan with the time that each will take. */
void bench_print_plan(const rill_bench_plan *plan);

/** Append what a case came to. */
rill_status bench_report_add(bench_report *report, const rill_bench_case *c, const rill_bench_record *record);

/** Append a case to `list`, skipped or failed, with the reason. */
rill_status bench_report_add_reason(bench_report *report, json_t *list, const rill_bench_case *c,
                                    const char *reason);

/**
 * Return where dense gets better than sparse: of each lattice, collision and format of the suite porosity, by
 * speed and by memory, the best sparse against the best dense variant at each porosity. NULL without memory.
 */
json_t *bench_break_even(const json_t *results);

/** Return what a hybrid could gain, for each method of the suite hybrid. @return new reference */
json_t *bench_hybrid(const json_t *results);

/** Print what bench_hybrid() found. */
void bench_print_hybrid(const json_t *found);

/** Print what bench_break_even() found. */
void bench_print_break_even(const json_t *found);

/** Write the report as JSON. */
rill_status bench_report_write(const bench_report *report, const char *path);

/** Write the results as CSV (RFC 4180): a line of the keys that JSON has, and a line each. */
rill_status bench_report_write_csv(const bench_report *report, const char *path);

#endif
