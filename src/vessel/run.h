/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file run.h
 * Runs a vessel until its cycles repeat, or until a steady flow is steady, writes what came of it, and keeps
 * checkpoints. A steady run has cycles, too: spans of time in which a disturbance of the flow decays to
 * 1/e, so that a change over one of them is about what is still missing.
 */
#ifndef RILL_VESSEL_RUN_H
#define RILL_VESSEL_RUN_H

#include "vessel/case.h"
#include "core/log.h"
#include "io/fields.h"

#include <signal.h>

/** How a run came to its end. */
typedef enum rill_run_end {
    RILL_RUN_REPEATS, /**< the last two cycles are the same within the tolerance */
    RILL_RUN_LIMIT,   /**< it made all the cycles or steps that it was allowed */
    RILL_RUN_STOPPED, /**< by a signal; a checkpoint was written */
    RILL_RUN_DIVERGED
} rill_run_end;

/** A moment of a run, for whoever watches. */
typedef struct rill_run_moment {
    double cycles, cycles_max; /**< made, and at most */
    double time;               /**< s, physical */
    double mach;               /**< largest speed / speed of sound of the lattice */
    double balance;            /**< what comes in too much, of the largest flow through the vessel */
    double change;             /**< from the last cycle but one to the last; NaN before there are two */
    double mlups;
    double seconds_left; /**< to the last cycle that is allowed */
    bool recording;      /**< this cycle is the one that results are written of */
} rill_run_moment;

/** Set by handlers of signals, looked at between steps. */
typedef struct rill_run_signals {
    volatile sig_atomic_t stop; /**< write a checkpoint and end */
    volatile sig_atomic_t save; /**< write a checkpoint and go on */
} rill_run_signals;

/** How it is run. */
typedef struct rill_run_options {
    const char *directory; /**< where everything goes; it must exist */
    rill_fields_kind fields;
    bool resume;             /**< go on from the checkpoint in the directory; else it is removed */
    double checkpoint_every; /**< s of wall clock; 0: none but on signals */
    rill_run_signals *signals;
    const char *command;    /**< provenance; may be NULL */
    rill_progress progress; /**< of writing files; fn may be NULL */
    void (*watch)(void *context,
                  const rill_run_moment *moment); /**< a few times a second at most; may be NULL */
    void *context;
} rill_run_options;

/** What came of a run, SI. */
typedef struct rill_run_result {
    rill_run_end end;
    bool compared;           /**< there were two cycles to compare */
    uint64_t steps, resumed; /**< made in all; that a checkpoint brought along */
    uint64_t cycle_steps;    /**< of a cycle, or of the span of a steady run */
    uint64_t watch_steps;    /**< divergence is found within so many */
    uint32_t cycles;         /**< completed */
    double time;             /**< s, physical */
    double change_flow, change_pressure,
        change_wall; /**< between the last two cycles, relative; NaN: unknown */
    double change;   /**< the largest of the three */
    bool soft;       /**< the last two cycles are not both after the soft start */
    double balance;  /**< what came in too much over the last cycle, of what came in */
    double mach_max;
    double flow[RILL_OPENINGS];                                       /**< m3/s, mean over the last cycle */
    double pressure[RILL_OPENINGS];                                   /**< Pa, mean over the last cycle */
    double pressure_low[RILL_OPENINGS], pressure_high[RILL_OPENINGS]; /**< in the last cycle */
    uint64_t triangles, triangles_missing, triangles_flat;            /**< see rill_wall_shear */
    double shear_mean, shear_max; /**< TAWSS over the surface, Pa; NaN without shear */
    double osi_mean;
    double seconds, mlups; /**< of this process, stepping and observing */
    char why[512];         /**< of a divergence: where and why */
    int phases;            /**< snapshots written */
} rill_run_result;

/** Return the steps within which a divergence is found. */
uint64_t rill_run_watch_steps(const rill_vessel *vessel);

/**
 * Run a vessel.
 * @param[out] result  filled in also when RILL_NUMERICS is returned
 * @return RILL_NUMERICS when it diverged (nothing is written but the checkpoint that there was); RILL_USAGE
 * for a checkpoint that is not its own or positions outside of the fluid; RILL_SYSTEM
 */
rill_status rill_case_run(rill_vessel *vessel, const rill_run_options *options, rill_run_result *result);

#endif
