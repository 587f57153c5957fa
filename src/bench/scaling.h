/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file scaling.h
 * Timing of one simulation on several devices: weak and strong scaling, what the exchange costs, and a model
 * of more devices than there are.
 */
#ifndef RILL_BENCH_SCALING_H
#define RILL_BENCH_SCALING_H

#include "bench/bench.h"

/** What is timed, and where. */
typedef struct rill_scaling_case {
    const rill_domain *domain;
    rill_variant variant;
    double tau, magic;
    rill_device *const *devices; /**< [parts], of a model: one */
    int parts;
    rill_bench_boundaries boundaries; /**< with any, parts are not timed alone, and there is no model */
    rill_bench_options bench;
    bool unhashed; /**< leave the hash 0: it takes seconds where the state is gigabytes */
} rill_scaling_case;

/** What one case came to. Times are of a step, in seconds. */
typedef struct rill_scaling_record {
    rill_bench_record timed; /**< nodes, porosity, MLUPS and its extrema, rounds, memory of all devices */
    uint64_t largest;        /**< nodes of the largest part */
    uint64_t bytes;          /**< that a part sends in a step, the largest of all parts */
    double step;             /**< of all parts, with what they exchange */
    double alone;  /**< of the slowest part alone, all nodes at once and without exchange; the step itself for
                        one part */
    uint64_t hash; /**< XXH3 of all populations after a few steps from noise */
    int measured;  /**< parts that were timed alone */
    double random; /**< of a model: step of the slowest part that was chosen at random; 0: none was */
} rill_scaling_record;

/** How populations get from device to device, for a model. */
typedef struct rill_scaling_link {
    double latency;   /**< s, of each step */
    double bandwidth; /**< bytes per second, of what a part sends in both directions together */
} rill_scaling_link;

/** Make a geometry of `count` copies along z, which has to be periodic there. */
rill_status rill_scaling_repeat(const rill_geom *geom, uint32_t count, rill_geom **out);

/** Time a case on its devices: first the hash, then rounds, then each part alone on its device. */
rill_status rill_scaling_run(const rill_scaling_case *c, rill_scaling_record *out);

/** Fill in the hash alone, as rill_scaling_run() does. @return RILL_SYSTEM where the case does not fit */
rill_status rill_scaling_hash(const rill_scaling_case *c, uint64_t *hash);

/**
 * Model a case on as many devices as there are parts: time single parts on the first device, with what they
 * exchange looped back to themselves. A step takes as long as the slowest of them, or as long as the link
 * needs for what it sends, and the latency. Of more than `most` parts those are timed that should be slowest:
 * the first, the last, and in equal numbers those with the most work, the largest planes at their cuts and
 * the most planes; and as many that are chosen at random.
 */
rill_status rill_scaling_model(const rill_scaling_case *c, const rill_scaling_link *link, int most,
                               rill_scaling_record *out);

#endif
