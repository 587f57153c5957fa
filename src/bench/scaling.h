/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file scaling.h
 * Timing of one simulation on several devices: weak and strong scaling, what the exchange costs, and a model
 * of more devices than there are.
 */
#ifndef RILL_BENCH_SCALING_H
#define RILL_BENCH_SCALING_H

#include "bench/bench.h"

/** A part of a case. */
typedef struct rill_scaling_part {
    uint64_t nodes;
    uint64_t bytes;   /**< that it sends in a step: until it is made, at most */
    uint64_t planned; /**< bytes that it takes on its device; on a CPU without the segments of an index list
                           (method.md) where the geometry is drawn */
    uint64_t held;    /**< that its arrays and its exchange took there; 0: it was not made */
    uint64_t taken; /**< by which the free memory of its device fell; 0 on a CPU, and where it was not made */
    double looped;  /**< s of a step with its exchange looped back; 0: not timed */
    double alone;   /**< s of a step of all nodes at once, without exchange; 0: not timed */
    double making;  /**< s that it took to number its nodes, list its links and build its arrays */
} rill_scaling_part;

/** What is timed, and where. */
typedef struct rill_scaling_case {
    const rill_domain *domain;
    rill_variant variant;
    double tau, magic;
    rill_device *const *devices; /**< [parts], of a model: one */
    int parts;
    rill_bench_boundaries boundaries; /**< with any, parts are not timed alone, and there is no model */
    rill_bench_options bench;
    bool unhashed;           /**< leave the hash 0: it takes seconds where the state is gigabytes */
    rill_scaling_part *each; /**< [parts], filled in by a model; NULL: not needed */
} rill_scaling_case;

/** What one case came to. Times are of a step, in seconds. */
typedef struct rill_scaling_record {
    rill_bench_record timed; /**< nodes, porosity, MLUPS and its extrema, rounds, memory of all devices */
    uint64_t largest;        /**< nodes of the largest part */
    uint64_t bytes;          /**< that a part sends in a step, the largest of all parts */
    double step;             /**< of all parts, with what they exchange */
    double alone;  /**< of the slowest part alone, all nodes at once and without exchange; the step itself for
                        one part */
    double speed;  /**< of that part, MLUPS */
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

/**
 * Plan the parts of a model: their nodes, and what they send and take. Nothing is made of any node.
 * @param[out] each  [parts]
 * @param[out] host  bytes of this host while a part is made, at most
 * @return RILL_USAGE where the domain is too small for so many
 */
rill_status rill_scaling_plan(const rill_scaling_case *c, rill_scaling_part *each, uint64_t *host);

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
 * @return RILL_SYSTEM where a part is planned to take more memory than its device has
 */
rill_status rill_scaling_model(const rill_scaling_case *c, const rill_scaling_link *link, int most,
                               rill_scaling_record *out);

#endif
