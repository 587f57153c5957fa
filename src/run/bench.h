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
    double mass_error;       /**< |mass gained| per node, 0 but for rounding */
} rill_bench_record;

/**
 * Time a variant: warm up, then rounds of at least `seconds` in all; check that mass was kept.
 * @param[in] known_bandwidth  the best yardstick of earlier cases of this run, 0 without: a device's
 * bandwidth is one figure, and a measurement between large allocations can come out too low
 * @return RILL_NUMERICS when the timed result is wrong, so that its speed means nothing
 */
rill_status rill_bench_run(const rill_geom *geom, const rill_sim_options *options, double seconds,
                           double known_bandwidth, rill_bench_record *out);

/** Write the versions of driver and CUDA, "" where there are none. */
void rill_bench_versions(rill_backend_kind kind, char *driver, size_t driver_size, char *cuda,
                         size_t cuda_size);

#endif
