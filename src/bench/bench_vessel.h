/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bench_vessel.h
 * What stands on the walls of a vessel while it is timed.
 */
#ifndef RILL_BENCH_BENCH_VESSEL_H
#define RILL_BENCH_BENCH_VESSEL_H

#include "rill.h"

/** Boundaries of a case of the benchmark. */
typedef enum rill_bench_boundaries {
    RILL_BENCH_BARE,      /**< none: half-way bounce-back at rest, part of every step */
    RILL_BENCH_WALLS,     /**< interpolated bounce-back */
    RILL_BENCH_OPENINGS,  /**< an inlet, and outlets with Windkessels */
    RILL_BENCH_ALL,       /**< both */
    RILL_BENCH_QUADRATIC, /**< walls that are interpolated quadratically */
    RILL_BENCH_BOUNDARIES_COUNT
} rill_bench_boundaries;

/** Check that a geometry has walls and openings. @return RILL_USAGE when it was not cut from a surface */
rill_status rill_bench_vessel_check(const rill_geom *geom);

/** Put boundaries on a simulation of a geometry that was cut from a surface. @return RILL_USAGE for another
 */
rill_status rill_bench_vessel_attach(const rill_domain *domain, rill_bench_boundaries boundaries,
                                     rill_sim *sim);

#endif
