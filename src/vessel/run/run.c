/* SPDX-License-Identifier: Apache-2.0 */
/* The time loop of a vessel: steps from one thing to be done to the next. */
#include "vessel/run/run_priv.h"

#include "vessel/observe/loss.h"
#include "vessel/plan/plan.h"
#include "vessel/run/resume.h"
#include "core/clock.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/output.h"
#include "core/progress.h"
#include "core/status.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Speeds and densities that no flow of small Mach number has; lu. */
static const double SPEED_MAX = 0.45, DENSITY_MAX = 0.6;

#define MAY_DECAY 5.0 /* times the tolerance: a change that may be within it a cycle later */

static const double RETRY = 60; /* s, at least, after which a checkpoint that failed is tried again */

/* ---- what is due ------------------------------------------------------------------------------ */

/* The next place in a cycle, after `at`, where something is due that is due `times` times in it. */
static uint64_t next_due(uint64_t at, uint64_t times, uint64_t cycle)
{
    if (times == 0) return UINT64_MAX;
    const __uint128_t number = (__uint128_t)at * times / cycle + 1;
    return (uint64_t)((number * cycle + times - 1) / times);
}

/* Whether it is due now. @param[out] number  which time of the cycle, from 1 */
static bool is_due(uint64_t at, uint64_t times, uint64_t cycle, uint64_t *number)
{
    *number = (uint64_t)((__uint128_t)at * times / cycle);
    return times > 0 && next_due(at - 1, times, cycle) == at;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static double change_of(const rill_run_state *s)
{
    return fmax(fmax(s->change_flow, s->change_transport), fmax(s->change_pressure, s->change_wall));
}

/* Whether the run writes files. */
static bool writes(const rill_run_loop *loop) { return loop->options->directory != NULL; }

/* ---- what is done ---------------------------------------------------------------------------- */

bool rill_run_relay(void *context, const rill_progress_moment *moment)
{
    rill_run_loop *loop = context;
    const rill_progress progress = loop->options->progress;
    if (progress.fn && !loop->cancelled && !progress.fn(progress.context, moment)) loop->cancelled = true;
    return true;
}

static void show(rill_run_loop *loop)
{
    const double now = rill_now();
    if (!loop->options->progress.fn || now - loop->shown < 0.1) return;
    loop->shown = now;
    const double seconds = now - loop->started, made = (double)(loop->state.steps - loop->first);
    const double nodes = rill_domain_nodes(loop->vessel->domain);
    const rill_run_state *s = &loop->state;
    const rill_run_rhythm *r = &loop->rhythm;
    const rill_run_moment moment = {.cycles = fmax(0, (double)s->steps - (double)r->lead) / (double)r->cycle,
                                    .cycles_max = (double)(loop->steps_max - r->lead) / (double)r->cycle,
                                    .time = rill_observers_time(&loop->observers),
                                    .mach = loop->mach,
                                    .balance = s->balance,
                                    .change = s->compared ? rill_run_known(change_of(s)) : NAN,
                                    .mlups = made * nodes / seconds * 1e-6,
                                    .recording = s->recording};
    rill_progress_moment all =
        rill_progress_moment_of("stepping", (double)s->steps / (double)loop->steps_max, "");
    all.seconds_left = seconds / made * (double)(loop->steps_max - s->steps);
    all.run = &moment;
    (void)rill_run_relay(loop, &all);
}

static rill_status watch(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    rill_totals t;
    RILL_TRY(rill_sim_totals(loop->vessel->sim, &t));
    const rill_case_plan *plan = &loop->vessel->plan;
    if (t.not_finite > 0 || !(t.speed_max < SPEED_MAX) || !(t.density_max < DENSITY_MAX))
        return rill_run_diverged(loop, &t);
    loop->mach = sqrt(3) * t.speed_max;
    loop->state.mach_max = fmax(loop->state.mach_max, loop->mach);
    if (loop->mach > plan->peak.mach_limit) return rill_run_too_fast(loop);
    if (t.density_max / 3 * plan->scales.pressure > rill_case_plan_guard_pressure(plan, loop->state.steps))
        return rill_run_too_dense(loop);
    double *row = rill_record_append(&loop->observers.monitor, loop->state.steps,
                                     rill_observers_time(&loop->observers));
    if (!row) return rill_fail(RILL_SYSTEM, "out of memory for a series");
    row[2] = loop->mach;
    row[3] = loop->state.balance;
    row[4] = t.density_max;
done:
    return status;
}

static rill_status series(rill_run_loop *loop)
{
    const uint32_t steps = (uint32_t)(loop->state.steps - loop->state.last_series);
    rill_run_state *s = &loop->state;
    double excess, through;
    const rill_status status = rill_observers_series(&loop->observers, steps, &excess, &through);
    s->flow_most = fmax(s->flow_most, through);
    s->balance = s->flow_most > 0 ? excess / s->flow_most : excess; /* what is no number stays so */
    s->last_series = s->steps;
    return status;
}

/*
 * Whether the cycle that begins may repeat the last one: nothing is corrected, and what the first comparison
 * showed may have decayed. Snapshots that were written in vain cost less than a cycle, and are replaced.
 */
static bool may_repeat(const rill_run_loop *loop)
{
    const rill_run_state *s = &loop->state;
    const double tolerance = loop->vessel->given->run.tolerance;
    return loop->rhythm.lead > 0 && s->cycles > 0 && s->missing <= tolerance * s->range &&
           (!s->compared || change_of(s) <= MAY_DECAY * tolerance);
}

/* The beginning of a cycle. */
static rill_status cycle_begin(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    rill_run_state *s = &loop->state;
    s->recording = s->repeats || may_repeat(loop) || s->steps + loop->rhythm.cycle >= loop->steps_max;
    if (loop->observers.sample) rill_shear_cycle_restart(&loop->observers.cycle);
    s->samples = 0;
    RILL_TRY(rill_run_settle(loop));
done:
    return status;
}

/* The end of a cycle. @param[out] finished  nothing more is to be done */
static rill_status cycle_end(rill_run_loop *loop, bool *finished)
{
    rill_status status = RILL_OK;
    rill_run_state *s = &loop->state;
    /* While flow comes up slowly, short spans look alike. */
    const bool risen = s->steps >= loop->rhythm.cycle + loop->vessel->plan.start.soft;
    rill_losses_cycle(loop->vessel->losses, s->steps, risen && s->steps > loop->rhythm.lead);
    if (s->steps <= loop->rhythm.lead) return s->steps == loop->rhythm.lead ? cycle_begin(loop) : RILL_OK;
    s->cycles++;
    s->undisturbed = risen ? s->undisturbed + 1 : 0;
    rill_run_extremes(loop);
    RILL_TRY(rill_run_missing(loop));
    rill_run_compare(loop);
    const double change = change_of(s);
    s->repeats = s->compared && risen && change <= loop->vessel->given->run.tolerance;
    const bool pulsatile = loop->vessel->plan.cycle_steps > 0, last = s->steps >= loop->steps_max;
    /* Phases are written of a cycle that may repeat, or of the last one. */
    const bool phases_wanted = pulsatile && loop->rhythm.phases > 0;
    *finished = last || (s->repeats && (!phases_wanted || s->recording));
    if (!*finished) RILL_TRY(cycle_begin(loop));
done:
    return status;
}

/* Find the shear on the wall that was sampled last. */
static rill_status wall_end(rill_run_loop *loop)
{
    const rill_status status = rill_observers_wall_end(&loop->observers);
    loop->state.samples = loop->observers.cycle.samples;
    return status;
}

/* Do what is due at this step of the cycle. @param[out] finished  the run is at its end */
static rill_status events(rill_run_loop *loop, bool *finished)
{
    rill_status status = RILL_OK;
    const rill_run_rhythm *r = &loop->rhythm;
    const uint64_t place = rill_run_rhythm_place(r, loop->state.steps), at = place == 0 ? r->cycle : place;
    uint64_t number;
    const bool rows = is_due(at, r->series, r->cycle, &number);
    bool finite = true;
    if (rows) {
        char why[512];
        const rill_status came = series(loop);
        snprintf(why, sizeof why, "%s", rill_error_message());
        if (came == RILL_NUMERICS) { /* where the flow itself diverged, that is the reason */
            RILL_TRY(watch(loop));
            RILL_TRY(rill_fail(came, "%s", why));
        }
        RILL_TRY(came);
    }
    if (loop->model && (rows || loop->state.steps >= rill_model_next(loop->model)))
        RILL_TRY(rill_model_exchange(loop->model, &finite));
    /* A flow that is not finite is seen here first. */
    if (is_due(at, r->watch, r->cycle, &number) || (rows && !isfinite(loop->state.balance)) || !finite)
        RILL_TRY(watch(loop));
    if (is_due(at, r->wall, r->cycle, &number)) RILL_TRY(rill_observers_wall_begin(&loop->observers));
    if (loop->state.recording && is_due(at, r->phases, r->cycle, &number))
        RILL_TRY(rill_run_phase(loop, number));
    if (at == r->cycle) {
        RILL_TRY(wall_end(loop));
        RILL_TRY(cycle_end(loop, finished));
    }
    if (loop->state.steps >= loop->steps_max) *finished = true;
    show(loop);
done:
    return status;
}

/* Step to the next thing to be done. A device makes the steps while processors find the shear on the wall. */
static rill_status advance(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    const rill_run_rhythm *r = &loop->rhythm;
    const uint64_t at = rill_run_rhythm_place(r, loop->state.steps);
    uint64_t next = least(next_due(at, r->series, r->cycle), next_due(at, r->wall, r->cycle));
    next = least(next, next_due(at, r->watch, r->cycle));
    if (loop->state.recording) next = least(next, next_due(at, r->phases, r->cycle));
    uint64_t steps = least(next - at, loop->steps_max - loop->state.steps);
    if (loop->model) steps = least(steps, rill_model_next(loop->model) - loop->state.steps);
    if (loop->observers.begun.wall) {
        RILL_TRY(rill_sim_begin(loop->vessel->sim, steps));
        RILL_TRY(wall_end(loop));
        RILL_TRY(rill_sim_step(loop->vessel->sim, 0)); /* waits */
    } else {
        RILL_TRY(rill_sim_step(loop->vessel->sim, steps));
    }
    loop->state.steps += steps;
done:
    return status;
}

/* Write a checkpoint when one is due or requested, or the run is cancelled. @param[out] stop  it ends here */
static rill_status keep(rill_run_loop *loop, bool *stop)
{
    rill_status status;
    volatile sig_atomic_t *save = loop->options->save;
    const bool stopping = loop->cancelled, asked = save && *save;
    const double every = loop->options->checkpoint_every;
    if (save) *save = 0;
    *stop = stopping;
    if (!writes(loop)) return RILL_OK;
    if (!stopping && !asked && !(every > 0 && rill_now() - loop->saved >= every)) return RILL_OK;
    status = wall_end(loop);
    if (status != RILL_OK) return status;
    status = rill_run_save(loop);
    loop->saved = rill_now();
    if (status != RILL_OK && !stopping) { /* hours of steps are not given up for it */
        rill_log(RILL_LOG_NOTE, "step %llu: %s; the run goes on, and %s",
                 (unsigned long long)loop->state.steps, rill_error_message(),
                 loop->kept ? "the last checkpoint stays" : "there is no checkpoint yet");
        loop->saved += fmax(0, RETRY - every);
        return RILL_OK;
    }
    loop->kept = loop->state.steps;
    return status;
}

static rill_status cancelled(rill_run_loop *loop)
{
    loop->result->end = RILL_RUN_CANCELLED;
    return rill_fail(RILL_CANCELLED, "cancelled after step %llu%s%s", (unsigned long long)loop->state.steps,
                     writes(loop) ? ": continue from the checkpoint in " : "",
                     writes(loop) ? loop->options->directory : "");
}

static rill_status loop_run(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    bool finished = loop->state.steps >= loop->steps_max, stop = false;
    while (!finished && !stop) {
        RILL_TRY(advance(loop));
        RILL_TRY(events(loop, &finished));
        /* Only between rows: what the openings recorded since is not kept. */
        if (!finished && loop->state.last_series == loop->state.steps) RILL_TRY(keep(loop, &stop));
    }
    RILL_TRY(wall_end(loop));
    loop->result->end = loop->state.repeats ? RILL_RUN_REPEATS : RILL_RUN_LIMIT;
    if (stop) RILL_TRY(cancelled(loop));
done:
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void result_fill(rill_run_loop *loop)
{
    rill_run_result *r = loop->result;
    const rill_run_state *s = &loop->state;
    r->steps = s->steps;
    r->resumed = loop->first;
    r->cycles = (uint32_t)s->cycles;
    r->corrections = s->corrections;
    r->time = rill_observers_time(&loop->observers);
    r->compared = s->compared;
    r->changes.flow = rill_run_known(s->change_flow);
    r->changes.pressure = rill_run_known(s->change_pressure);
    r->changes.wall = rill_run_known(s->change_wall);
    r->changes.transport = rill_run_known(s->change_transport);
    r->changes.most = s->compared ? rill_run_known(change_of(s)) : NAN;
    r->soft = s->steps < loop->rhythm.cycle + loop->vessel->plan.start.soft;
    r->mach_max = s->mach_max;
    r->phases = (int)s->phases;
    r->shear.triangles = loop->observers.map.triangle_count;
    r->shear.missing = loop->observers.map.missing;
    r->shear.within = loop->observers.map.within;
    r->shear.flat = loop->observers.map.flat;
    r->seconds = rill_now() - loop->started;
    r->mlups = (double)(s->steps - loop->first) * rill_domain_nodes(loop->vessel->domain) / r->seconds * 1e-6;
    rill_helicity_result(&loop->helicity, r);
    rill_run_means(loop);
}

static rill_status loop_begin(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    char path[RILL_RUN_PATH];
    const rill_run_rhythm *r = &loop->rhythm;
    rill_run_state *s = &loop->state;
    status = rill_progress_report(loop->options->progress, "setting up the run", 0);
    if (status == RILL_CANCELLED) loop->result->end = RILL_RUN_CANCELLED;
    RILL_TRY(status);
    if (writes(loop)) {
        RILL_TRY(rill_run_path(loop, "run.h5", path));
        RILL_TRY(rill_output_try(path));
    } else if (loop->options->resume) {
        RILL_TRY(rill_fail(RILL_USAGE, "a run without a directory has no checkpoint to continue from"));
    }
    s->change_flow = s->change_pressure = s->change_wall = s->change_transport =
        loop->result->changes.difference = NAN;
    s->settled_at = UINT64_MAX;
    s->stored_low = INFINITY;
    s->stored_high = -INFINITY;
    for (int k = 0; k < loop->vessel->plan.opening_count; k++)
        s->flow_most = fmax(s->flow_most, fabs(loop->vessel->plan.openings[k].flow_peak));
    loop->steps_max = loop->vessel->plan.steps;
    if (loop->steps_max > r->lead + r->cycle)
        loop->steps_max -= (loop->steps_max - r->lead) % r->cycle; /* means are of whole cycles */
    loop->mach = s->balance = NAN;
    const uint64_t interval = r->cycle / r->series + 2;
    if (interval > UINT32_MAX)
        return rill_fail(RILL_USAGE, "a cycle of %llu steps is too long: choose a larger time step",
                         (unsigned long long)r->cycle);
    const rill_outlook *outlook = rill_vessel_outlook(loop->vessel);
    RILL_TRY(
        rill_settle_make(loop->vessel->given, outlook->ends, outlook->states, outlook->count, &loop->settle));
    RILL_TRY(rill_record_create("windkessels", 2 * (uint64_t)loop->settle.count, false, &loop->settled));
    rill_memory_note("before what is followed is set up");
    RILL_TRY(rill_observers_make(loop->vessel, (uint32_t)interval, &loop->observers));
    rill_memory_note("before the first step");
    RILL_TRY(rill_resume_text(loop->vessel->given, &loop->vessel->plan, r->cycle, r->phases, &loop->text));
    RILL_TRY(rill_helicity_make(loop->vessel, &loop->helicity));
    RILL_TRY(rill_model_start(loop->vessel, (uint32_t)interval, &loop->model));
    if (writes(loop)) RILL_TRY(loop->options->resume ? rill_run_resume(loop) : rill_run_forget(loop));
    if (loop->model) RILL_TRY(rill_model_exchange(loop->model, &(bool){true}));
    if (loop->options->resume) {
        loop->kept = s->steps;
        rill_run_widen(loop);
    }
    if (rill_run_rhythm_place(r, s->steps) == 0 && s->steps >= r->lead &&
        s->steps < loop->steps_max) { /* a cycle begins: of a run that ended here, too, and was given more */
        RILL_TRY(cycle_begin(loop));
    }
    loop->first = s->steps;
    loop->started = loop->saved = rill_now();
done:
    return status;
}

/* Write the results; what cannot be written is not lost where a checkpoint can. */
static rill_status files(rill_run_loop *loop)
{
    char why[768];
    const rill_status status = writes(loop) ? rill_run_files(loop) : RILL_OK;
    if (status == RILL_OK) return RILL_OK;
    snprintf(why, sizeof why, "%s", rill_error_message());
    if (rill_run_save(loop) == RILL_OK) loop->kept = loop->state.steps;
    if (loop->kept == 0) return rill_fail(status, "%s; there is no checkpoint either", why);
    return rill_fail(status, "%s; the checkpoint of step %llu is whole: continue with --resume then", why,
                     (unsigned long long)loop->kept);
}

uint64_t rill_run_watch_steps(const rill_vessel *vessel)
{
    rill_run_rhythm rhythm;
    rill_run_rhythm_make(vessel->given, vessel->geom, &vessel->plan, &rhythm);
    return (rhythm.cycle + rhythm.watch - 1) / rhythm.watch;
}

rill_status rill_case_run(rill_vessel *vessel, const rill_run_options *options, rill_run_result *result)
{
    rill_status status = RILL_OK;
    rill_run_loop loop = {.vessel = vessel, .options = options, .result = result};
    *result = (rill_run_result){.shear.mean = NAN,
                                .shear.max = NAN,
                                .shear.osi_mean = NAN,
                                .balance = NAN,
                                .helicity.mean = NAN,
                                .helicity.size = NAN};
    rill_run_rhythm_make(vessel->given, vessel->geom, &vessel->plan, &loop.rhythm);
    result->cycle_steps = loop.rhythm.cycle;
    result->watch_steps = rill_run_watch_steps(vessel);
    RILL_TRY(loop_begin(&loop));
    status = loop_run(&loop);
    rill_memory_note("behind the last step");
    if (status == RILL_NUMERICS) {
        result->end = RILL_RUN_DIVERGED;
        snprintf(result->why, sizeof result->why, "%s", rill_error_message());
    }
    if (status == RILL_OK) {
        /* A steady run has its one snapshot at the end. */
        if (vessel->plan.cycle_steps == 0 && loop.rhythm.phases > 0 && loop.state.phases == 0)
            RILL_TRY(rill_run_phase(&loop, 1));
        result_fill(&loop);
        RILL_TRY(rill_run_keep_shear(&loop));
        RILL_TRY(files(&loop));
        /* So that more cycles can be added. */
        if (writes(&loop) && result->end == RILL_RUN_LIMIT && result->compared &&
            rill_run_save(&loop) != RILL_OK)
            rill_log(RILL_LOG_NOTE, "%s; the results are whole, but --resume cannot continue from their end",
                     rill_error_message());
    } else {
        result_fill(&loop);
    }
done:
    rill_model_end(loop.model);
    rill_helicity_free(&loop.helicity);
    rill_observers_free(&loop.observers);
    rill_settle_free(&loop.settle);
    rill_record_free(&loop.settled);
    free(loop.text);
    return status;
}
