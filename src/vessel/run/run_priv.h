/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file run_priv.h
 * What the parts of a run share: run.c steps, run_cycle.c compares cycles, run_settle.c corrects Windkessels,
 * run_state.c keeps checkpoints, run_diverged.c looks for the place of what is wrong, run_fields.c hands out
 * fields, run_slices.c draws planes, run_files.c writes results.
 */
#ifndef RILL_VESSEL_RUN_PRIV_H
#define RILL_VESSEL_RUN_PRIV_H

#include "vessel/observe/helicity.h"
#include "vessel/case/model.h"
#include "vessel/observe/observe.h"
#include "vessel/case/rhythm.h"
#include "vessel/observe/settle.h"

enum { RILL_RUN_PATH = 4096 };

/** What a checkpoint keeps beside arrays; no pointers. */
typedef struct rill_run_state {
    uint64_t steps;
    uint64_t last_series; /**< step of the last row of the openings */
    uint64_t cycles;      /**< completed */
    double samples;       /**< of the shear in this cycle */
    double change_flow, change_pressure, change_wall, change_transport;
    double mach_max;
    double balance;                        /**< of the last row; NAN before it */
    double flow_most;                      /**< m3/s, largest through the vessel: expected, or seen */
    uint64_t recording, repeats, compared; /**< 0 or 1 */
    uint64_t phases;
    double stored[RILL_OPENINGS]; /**< Pa, p_c of each Windkessel when this cycle began, see settle.h */
    double stored_low,
        stored_high;            /**< Pa, of all of them, of all cycles so far; infinite before the first */
    double missing;             /**< Pa, largest from there to the periodic state, as the last cycle showed */
    double range, flow_largest; /**< Pa, of the pressures of the last cycle; m3/s, of its flows */
    uint64_t undisturbed;       /**< cycles since the soft start, or since Windkessels were corrected */
    uint64_t settled_at;        /**< steps at which this cycle began; UINT64_MAX before the first */
    uint64_t corrections;       /**< cycles after which Windkessels were put into their periodic state */
    double slice_speed;         /**< m/s, largest on the slices that are written */
} rill_run_state;

/** A run. */
typedef struct rill_run_loop {
    rill_vessel *vessel;
    const rill_run_options *options;
    rill_run_result *result;
    rill_run_rhythm rhythm;
    rill_observers observers;
    rill_settle settle;
    rill_helicity helicity;
    rill_model *model;   /**< NULL: none */
    rill_record settled; /**< a row for each cycle: what Windkessels stored at its beginning and end, Pa */
    rill_run_state state;
    uint64_t steps_max;
    double mach;                  /**< as last seen */
    double started, saved, shown; /**< clock, s */
    bool cancelled;               /**< by the progress callback; the run ends between steps */
    uint64_t kept;                /**< steps of the last checkpoint; 0: none */
    uint64_t first;               /**< steps that this process began at */
    char *text;                   /**< of the case, for checkpoints; owned */
    char run_hash[17], geometry_hash[17], variant[160];
} rill_run_loop;

/**
 * A rill_progress_fn of a loop: hands moments to the caller's callback, and notes that it cancels the run. It
 * never ends what reports, so that files become whole.
 */
bool rill_run_relay(void *context, const rill_progress_moment *moment);

/** Find the range of the pressures at openings and the largest flow of the cycle that just ended. */
void rill_run_extremes(rill_run_loop *loop);

/** Return an estimate of what is still missing; NaN above 1, where it is none. */
double rill_run_known(double estimate);

/** Compare that cycle with the one before: after rill_run_extremes() and rill_run_missing(). */
void rill_run_compare(rill_run_loop *loop);

/** Find how far Windkessels were from their periodic state when the cycle that just ended began. */
rill_status rill_run_missing(rill_run_loop *loop);

/** Begin a cycle, once, also if a run goes on from a checkpoint of that step: put Windkessels into their
 * periodic state if more than the tolerance was missing, and keep what they store. */
rill_status rill_run_settle(rill_run_loop *loop);

/** Widen the limits of the pressure by what Windkessels have stored so far, as rill_run_settle() does. */
void rill_run_widen(rill_run_loop *loop);

/** Fill in the means of the last cycle. */
void rill_run_means(const rill_run_loop *loop);

/** Write "DIRECTORY/NAME". @return RILL_USAGE when that is too long */
rill_status rill_run_path(const rill_run_loop *loop, const char *name, char path[RILL_RUN_PATH]);

/** Write a checkpoint. */
rill_status rill_run_save(rill_run_loop *loop);

/** Go on from the checkpoint of the directory. */
rill_status rill_run_resume(rill_run_loop *loop);

/** Remove the checkpoint of the directory, so that nothing goes on from an earlier run. */
rill_status rill_run_forget(const rill_run_loop *loop);

/** Find out where and why the flow diverged. @return RILL_NUMERICS with a sentence */
rill_status rill_run_diverged(rill_run_loop *loop, const rill_totals *totals);

/** Find out where the flow is faster than its plan allows. @return RILL_NUMERICS with a sentence */
rill_status rill_run_too_fast(rill_run_loop *loop);

/** Find out where the pressure leaves what its plan allows. @return RILL_NUMERICS with a sentence */
rill_status rill_run_too_dense(rill_run_loop *loop);

/** A rill_moments_fn of a loop. */
rill_status rill_run_moments(void *context, rill_node first, rill_node count, double *rho, double *u);

/** A rill_scalar_fn of a loop: shear rates, 1/s. */
rill_status rill_run_rates(void *context, rill_node first, rill_node count, double *rate);

/** The same: helicity density, LNH, and its mean over the snapshots so far. */
rill_status rill_run_helicity(void *context, rill_node first, rill_node count, double *values);
rill_status rill_run_lnh(void *context, rill_node first, rill_node count, double *values);
rill_status rill_run_concentration(void *context, rill_node first, rill_node count, double *values);
rill_status rill_run_residence(void *context, rill_node first, rill_node count, double *values);
rill_status rill_run_lnh_mean(void *context, rill_node first, rill_node count, double *values);

/** Write the snapshot of phase `phase`, counted from 1. */
rill_status rill_run_phase(rill_run_loop *loop, uint64_t phase);

/** Write pictures of the speed, at the first phase, and at later ones where it is larger. */
rill_status rill_run_slices(rill_run_loop *loop, uint64_t phase);

/** Keep TAWSS and OSI of the last cycle for rill_vessel_wall_shear(), where wall shear was requested. */
rill_status rill_run_keep_shear(rill_run_loop *loop);

/** Write everything that a run leaves but its phases. */
rill_status rill_run_files(rill_run_loop *loop);

#endif
