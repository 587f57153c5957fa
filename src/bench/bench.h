/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bench.h
 * Timing of a variant on a geometry, as a ratio to the bandwidth measured in the same run.
 */
#ifndef RILL_BENCH_BENCH_H
#define RILL_BENCH_BENCH_H

#include "device/device.h"
#include "rill.h"
#include "bench/bench_vessel.h"

/** What speeds are compared with: a backend and its memory bandwidth. */
typedef struct rill_bench_yardstick {
    rill_device *device;
    double
        bandwidth;   /**< bytes per second, read plus written: the best seen so far, because a device's
                          bandwidth is one figure, and one measured between large allocations may be too low */
    double measured; /**< when, by omp_get_wtime() */
} rill_bench_yardstick;

/** Open a device and measure its bandwidth. */
rill_status rill_bench_yardstick_start(rill_backend_kind kind, int ordinal, rill_bench_yardstick *out);

/** A geometry with what variants of one lattice share on it. */
typedef struct rill_bench_subject rill_bench_subject;

/** Number the nodes of a geometry. @param geom  borrowed: it must outlive the subject */
rill_status rill_bench_subject_create(const rill_geom *geom, rill_lattice lattice, rill_bench_subject **out);

/** Destroy a subject; NULL is allowed. */
void rill_bench_subject_destroy(rill_bench_subject *subject);

/**
 * Return whether a variant fits the memory of its backend, where links are built.
 * @return RILL_SYSTEM with need and what there is when it does not; RILL_USAGE when its numbers do not
 * suffice
 */
rill_status rill_bench_fits(const rill_bench_subject *subject, rill_variant variant,
                            const rill_bench_yardstick *yardstick);

/** What one case came to. */
typedef struct rill_bench_record {
    char device[256];
    uint64_t nodes;
    double porosity; /**< nodes per voxel of the box */
    double mlups;    /**< 1e6 node updates per second, median of the rounds */
    double mlups_min, mlups_max;
    double bandwidth;          /**< reference bandwidth, the best until the case ended */
    double bytes_per_update;   /**< by the model */
    double bytes_really_read;  /**< the same with the index bytes that this backend's step reads */
    uint64_t bytes_held;       /**< all that the case allocated on its backend */
    double seconds;            /**< of all timed rounds */
    uint64_t steps;            /**< of all timed rounds */
    bool settled;              /**< the spread of the last nine rounds is within the tolerance */
    double mass_error;         /**< |mass gained| per node, 0 but for rounding */
    double error, error_limit; /**< of the check against FP64, see rill_probe_check() */
    double seconds_created;    /**< that making the links and allocating took */
} rill_bench_record;

/** How long a case is timed. */
typedef struct rill_bench_options {
    double seconds;     /**< of nine rounds; up to four times as many rounds where they do not settle */
    double tolerance;   /**< spread of nine rounds, over their median, at which a case counts as settled */
    uint64_t max_steps; /**< of a case, warm-up included; see rill_bench_steps_check() */
    rill_bench_boundaries boundaries; /**< of a vessel; checked against FP64 before they are put on */
} rill_bench_options;

/** Check that a number of steps is enough for a case. @return RILL_USAGE with the least */
rill_status rill_bench_steps_check(uint64_t max_steps);

/**
 * Time a variant: warm up, then nine rounds, and more of them while the last nine are apart. Then check that
 * mass was kept and all is finite, and that the same simulation computes what FP64 does (bench/probe.h).
 * @return RILL_NUMERICS when the result is wrong, so that its speed means nothing; RILL_USAGE for too few
 * steps
 */
rill_status rill_bench_run(rill_bench_subject *subject, const rill_sim_options *options,
                           const rill_bench_options *bench, rill_bench_yardstick *yardstick,
                           rill_bench_record *out);

/**
 * Time rounds of steps as rill_bench_run() does: fill in MLUPS, seconds and steps of a record.
 * @param nodes  that a step updates
 */
rill_status rill_bench_time_rounds(rill_sim *sim, uint64_t nodes, const rill_bench_options *bench,
                                   rill_bench_record *record);

/** Write the versions of driver and CUDA, "" where there are none. */
void rill_bench_versions(rill_device *device, char *driver, size_t driver_size, char *cuda, size_t cuda_size);

#endif
