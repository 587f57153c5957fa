/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bench_scaling.h
 * The suite scaling of `rill bench`: one simulation on several devices.
 */
#ifndef RILL_CLI_BENCH_SCALING_H
#define RILL_CLI_BENCH_SCALING_H

#include "bench/bench_plan.h"
#include "bench/scaling.h"
#include "cli/cli.h"
#include "cli/devices.h"

#include <jansson.h>

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

#endif
