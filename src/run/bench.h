/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bench.h
 * Timing of a variant on a geometry, as a ratio to the bandwidth measured in the same run.
 */
#ifndef RILL_RUN_BENCH_H
#define RILL_RUN_BENCH_H

#include "rill.h"

/** What one case came to. */
typedef struct rill_bench_record {
    char backend[16], device[256];
    uint64_t nodes;
    double porosity; /**< nodes per voxel of the box */
    double mlups;    /**< 1e6 node updates per second, median of the rounds */
    double mlups_min, mlups_max;
    double bandwidth;        /**< bytes per second of the yardstick, the best seen in this run */
    const char *yardstick;   /**< what was measured */
    double bytes_per_update; /**< by the model */
    double seconds;          /**< of all timed rounds */
    uint64_t steps;          /**< of all timed rounds */
    bool settled;            /**< the spread of the last nine rounds is within the tolerance */
    double mass_error;       /**< |mass gained| per node, 0 but for rounding */
} rill_bench_record;

/** How long a case is timed. */
typedef struct rill_bench_options {
    double seconds;     /**< of nine rounds; up to four times as many rounds where they do not settle */
    double tolerance;   /**< spread of nine rounds, over their median, at which a case counts as settled */
    uint64_t max_steps; /**< of a case, warm-up included; at least 30 */
    double
        known_bandwidth; /**< the best yardstick of earlier cases of this run, 0 without: a device's bandwidth
                              is one figure, and one measured between large allocations may be too low */
} rill_bench_options;

/**
 * Time a variant: warm up, then nine rounds, and more of them while the last nine are apart; check that mass
 * was kept.
 * @return RILL_NUMERICS when the timed result is wrong, so that its speed means nothing; RILL_USAGE for too
 * few steps
 */
rill_status rill_bench_run(const rill_geom *geom, const rill_sim_options *options,
                           const rill_bench_options *bench, rill_bench_record *out);

/** Write the versions of driver and CUDA, "" where there are none. */
void rill_bench_versions(rill_backend_kind kind, char *driver, size_t driver_size, char *cuda,
                         size_t cuda_size);

#endif
