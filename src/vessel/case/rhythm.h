/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rhythm.h
 * How often things are done in a cycle of a run. A steady run has cycles, too, see run.h.
 */
#ifndef RILL_VESSEL_RHYTHM_H
#define RILL_VESSEL_RHYTHM_H

#include "vessel/case/case.h"

/** How often things are done in a cycle. */
typedef struct rill_run_rhythm {
    uint64_t cycle;  /**< steps */
    uint64_t lead;   /**< steps before the first cycle begins */
    uint64_t series; /**< rows of openings, probes and planes */
    uint64_t wall;   /**< samples of the wall shear and the centre line */
    uint64_t watch;  /**< looks for divergence */
    uint64_t phases; /**< snapshots in the recorded cycle */
    double remains;  /**< the largest part of a disturbance that a cycle may leave */
} rill_run_rhythm;

/** Return the place in its cycle of a step, 0 where a cycle begins; steps before the first cycle are at the
 * end of one that is not whole. */
uint64_t rill_run_rhythm_place(const rill_run_rhythm *rhythm, uint64_t steps);

/** Lay down how often things are done. @param[in] plan  with its steps */
void rill_run_rhythm_make(const rill_case *given, const rill_geom *geom, const rill_case_plan *plan,
                          rill_run_rhythm *out);

/** Return the steps within which a divergence is found. */
uint64_t rill_run_watch_steps(const rill_vessel *vessel);

#endif
