/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bench.h
 * What the files of `rill bench` share.
 */
#ifndef RILL_CLI_BENCH_H
#define RILL_CLI_BENCH_H

#include "bench/bench.h"
#include "bench/bench_plan.h"
#include "bench/scaling.h"
#include "cli/cli.h"
#include "cli/devices.h"
#include "rill.h"

#include <jansson.h>

/* ---- what `rill bench` prints and writes ---- */

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

/** Write the record of a suite with rows of its own. @param path  NULL: nothing */
rill_status bench_results_write(const char *suite, const rill_device *device, const char *command,
                                json_t *results, const char *path);

/* ---- the parts of a model of the suite scaling: a table and JSON ---- */

/** Print a row for each part. @param[in] host  bytes of the host while a part is made, 0: not to be printed
 */
void bench_parts_print(const rill_scaling_part *each, int parts, uint64_t host);

/** Return an array with an object for each part; NULL without memory. */
json_t *bench_parts_json(const rill_scaling_part *each, int parts);

/* ---- the suite scaling of `rill bench`: one simulation on several devices ---- */

/** Options of the suite. */
typedef struct cli_scaling {
    cli_devices devices;
    uint64_t parts;                      /**< of a model; 0: devices that are there */
    bool model;                          /**< time parts alone and model the devices */
    bool each_part;                      /**< of a model: show its parts */
    double link_latency, link_bandwidth; /**< microseconds, GB/s */
} cli_scaling;

/** The options, for the table of the command. */
#define CLI_SCALING(s)                                                                                       \
    {.help = "Suite scaling"}, CLI_DEVICES((s).devices),                                                     \
        {"model", 0, CLI_FLAG, &(s).model,                                                                   \
         .help = "model more devices than there are: time single parts, their exchange looped back"},        \
        {"parts",         0,        CLI_COUNT,                                                               \
         &(s).parts,      "COUNT",  "largest number of devices of the model",                                \
         .fallback = "8", .min = 2, .max = 65536},                                                           \
        {"each-part", 0, CLI_FLAG, &(s).each_part,                                                           \
         .help = "of the model: show each part, planned and timed; with --dry-run, planned"},                \
        {"link-latency",                                                                                     \
         0,                                                                                                  \
         CLI_REAL,                                                                                           \
         &(s).link_latency,                                                                                  \
         "MICROSECONDS",                                                                                     \
         "of the model, in each step",                                                                       \
         .fallback = "2.7, a copy to a peer by NVLink",                                                      \
         .min = 0,                                                                                           \
         .max = 1e6},                                                                                        \
    {                                                                                                        \
        "link-bandwidth", 0, CLI_REAL, &(s).link_bandwidth, "GB/S", "of the model, what a device sends",     \
            .fallback = "300, 4 MB to a peer by NVLink", .min = 1e-3, .max = 1e6                             \
    }

/** Check that the options go together. @param chosen  the suite is */
rill_status cli_scaling_check(const cli_scaling *scaling, bool chosen);

/** What the suite is run with. */
typedef struct cli_scaling_run {
    cli_scaling *options;
    const rill_bench_plan *plan;
    rill_bench_options bench;
    double tau, magic, bandwidth; /**< the last: of the device's memory, bytes per second */
    const char *rock, *pore, *vessel;
    rill_progress progress;
    bool quiet;
    bool dry_run; /**< plan the parts of a model, and time nothing */
    const char *command;
} cli_scaling_run;

/**
 * Run all cases of the plan on one, two, four … devices, and print a table.
 * @param[in]  devices  of the parts, [part_count]
 * @param[out] results  records, owned by the caller
 * @return RILL_NUMERICS where several devices do not compute the bits of one
 */
rill_status cli_scaling_cases(const cli_scaling_run *run, json_t *results);

/* ---- the suite time-to-answer of `rill bench` ---- */

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

/* ---- the suite free-surface of `rill bench` ---- */

/** Options of the suite. */
typedef struct bench_splash_options {
    rill_backend_kind backend;
    uint32_t cells; /**< along edges; 0: the suite's own */
    rill_stream stream;
    const int *storages; /**< [storage_count], a rill_storage each */
    int storage_count;
    double seconds; /**< of nine rounds of the step without a surface */
    uint64_t steps; /**< set by the suite */
    const char *json, *command;
    rill_progress progress;
    bool quiet, dry_run;
} bench_splash_options;

/** Run the suite. */
rill_status bench_splash(const bench_splash_options *options);

/* ---- the suite cells of `rill bench` ---- */

/** Options of the suite. */
typedef struct bench_cells_options {
    rill_backend_kind backend;
    uint32_t count; /**< cells; 0: the suite's own */
    rill_stream stream;
    const int *storages; /**< [storage_count], a rill_storage each */
    int storage_count;
    double seconds; /**< of nine rounds, with cells and without */
    const char *json, *command;
    rill_progress progress;
    bool quiet, dry_run;
} bench_cells_options;

/** Run the suite. */
rill_status bench_cells(const bench_cells_options *options);

#endif
