/* SPDX-License-Identifier: Apache-2.0 */
/* What both ways of following a run share. */
#include "permeability/follow.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "kernel/storage/storage.h"
#include "kernel/variant.h"
#include "permeability/plan.h"
#include "permeability/tensor.h"
#include "sim/worst.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The most seconds that are stepped in one go. */
#define GO_SECONDS 0.2
/* Seconds between two looks at k for the watcher, and how many times as long as a look at least. */
#define SHOW_SECONDS 1.0
#define SHOW_TIMES 50
/* Units in the last place for each step that the flow remembers: a tenth of two thirds of it to all of that
 * were seen (docs/method.md). And for each step in which the force makes the flow: in a slit all nodes of a
 * layer round alike, and 2.9 were seen. */
#define ROUNDED 0.75
#define ROUNDED_ALIKE 3
/* A cycle of corrections leaves about this part of an uncertainty, until more is known. */
#define PACE 0.5

double rill_follow_patience(const rill_follower *f, double k)
{
    return rill_plan_patience(f->plan, f->plan->chambers ? 0 : k);
}

static rill_journal *journal_of(const rill_follower *f) { return f->pause ? &f->pause->journal : NULL; }

/* The part of the volume of a box that the sample takes: all of it, unless voxels are outside of the sample.
 */
static double volume_of(const rill_follower *f, const rill_geom *box)
{
    const double part = (double)rill_geom_sample(f->geom) / (double)rill_geom_voxels(f->geom);
    return part * (double)rill_geom_voxels(box);
}

/*
 * k_ba from the state as it is. Reservoirs: the flow along the axis is the same through every plane in the
 * end, so that its mean over all of them is taken, and the pressure falls between the centres of the first
 * and the last plane of the sample.
 */
static rill_status observe(const rill_follower *f, rill_speeds speeds, double *sums, double k[3],
                           rill_totals *totals)
{
    rill_status status = RILL_OK;
    const rill_geom *between = f->between.geom;
    const double nu = f->plan->nu, volume = volume_of(f, between ? between : f->geom);
    double drop = 0;
    if (sums)
        RILL_TRY(rill_sim_label_totals(f->sim, speeds, totals, sums));
    else
        RILL_TRY(rill_sim_totals_of(f->sim, speeds, totals));
    if (!between) {
        for (int b = 0; b < 3; b++) k[b] = nu * totals->momentum[b] / (f->plan->force * volume);
        return RILL_OK;
    }
    RILL_TRY(rill_reservoirs_drop(&f->between, f->sim, &drop));
    const double gradient = drop / 3 / (f->geom->n[f->run->axis] - 1.0);
    k[f->run->axis] = nu * totals->momentum[2] / volume / gradient;
done:
    return status;
}

/* k for the watcher between samples, when it is cheap against the steps. */
static rill_status show(rill_follower *f)
{
    rill_status status = RILL_OK;
    rill_totals totals;
    double k[3] = {0};
    const double begun = rill_now();
    if (begun - f->shown < fmax(SHOW_SECONDS, SHOW_TIMES * f->showing)) return RILL_OK;
    /* When depends on the clock: it has no place in the journal. */
    RILL_TRY(observe(f, RILL_SPEEDS_NOW, NULL, k, &totals));
    f->shown = rill_now();
    f->showing = f->shown - begun;
    f->shown_k = k[f->run->axis];
done:
    return status;
}

/* Steps that are likely still to be made. */
static double steps_left(const rill_follower *f, double relative)
{
    const rill_limit_estimate *e = &f->limits[f->run->axis].estimate;
    const double steps = (double)rill_sim_steps(f->sim), planned = f->plan->steps_expected - steps;
    const double wanted = f->options->tolerance, patience = rill_follow_patience(f, fabs(e->value));
    const double least = (double)f->plan->cycle / 2; /* more than planned: nobody knows how much */
    if (f->correcting && isfinite(relative)) {
        const double pace = f->pace > 0 ? f->pace : PACE;
        return (double)f->plan->cycle * fmax(1, ceil(log(wanted / relative) / log(pace)));
    }
    if (f->correcting || !isfinite(relative)) return fmax(planned, least);
    /* The slowest mode alone is left: the uncertainty falls with its e-folding time. */
    return fmax(relative > wanted ? log(relative / wanted) * e->efold : least, patience - steps);
}

static rill_status watch(rill_follower *f)
{
    static const char *const flows[] = {"flow along x", "flow along y", "flow along z"};
    rill_status status = RILL_OK;
    const double time = rill_now(), seconds = time - f->started;
    const rill_permeability_options *o = f->options;
    if (!o->progress.fn || time - f->watched < o->progress_seconds) return RILL_OK;
    f->watched = time;
    RILL_TRY(show(f));
    const int a = f->run->axis;
    const rill_limit_estimate *e = &f->limits[a].estimate;
    const uint64_t steps = rill_sim_steps(f->sim);
    /* What 16 bits round away is measured at the end. */
    const bool rounded = rill_storage_size((int)o->variant.storage) == 2;
    const double relative = e->uncertainty / fabs(e->value), each = seconds / (double)steps;
    const rill_permeability_moment moment = {.axis = a,
                                             .steps = steps,
                                             .k = f->shown_k,
                                             .predicted = e->value,
                                             .uncertainty = rounded ? INFINITY : relative,
                                             .mlups = (double)(f->plan->nodes + f->plan->reservoirs) / each *
                                                      1e-6};
    rill_progress_moment now = rill_progress_moment_of(flows[a], -1, "");
    now.seconds_left = steps_left(f, relative) * each;
    now.permeability = &moment;
    f->stopped = !o->progress.fn(o->progress.context, &now);
done:
    return status;
}

/* Count the steps that were made before a checkpoint; where it was written, put its state in. */
static rill_status replay(rill_follower *f, uint64_t *steps)
{
    const uint64_t left = journal_of(f)->until - rill_sim_steps(f->sim), some = *steps < left ? *steps : left;
    rill_sim_skip(f->sim, some);
    *steps -= some;
    return some == left ? rill_pause_arrive(f->pause, f->sim) : RILL_OK;
}

rill_status rill_follow_begin(rill_follower *f, uint64_t steps)
{
    rill_status status = RILL_OK;
    if (rill_journal_replays(journal_of(f))) RILL_TRY(replay(f, &steps));
    if (steps) RILL_TRY(rill_sim_begin(f->sim, steps));
done:
    return status;
}

static void note_sums(rill_follower *f, uint32_t count, const double *sums)
{
    rill_journal_put(journal_of(f), RILL_JOURNAL_LABEL_SUMS, rill_sim_steps(f->sim), sums,
                     count * sizeof *sums);
}

rill_status rill_follow_label_sums(rill_follower *f, uint32_t count, double *sums)
{
    rill_journal *journal = journal_of(f);
    const uint64_t step = rill_sim_steps(f->sim);
    if (rill_journal_replays(journal))
        return rill_journal_take(journal, RILL_JOURNAL_LABEL_SUMS, step, sums, count * sizeof *sums);
    const rill_status status = rill_sim_label_sums(f->sim, sums);
    if (status == RILL_OK) note_sums(f, count, sums);
    return status;
}

rill_status rill_follow_label_add(rill_follower *f, const double *density)
{
    rill_journal *journal = journal_of(f);
    const uint64_t step = rill_sim_steps(f->sim);
    if (rill_journal_replays(journal))
        return rill_journal_take(journal, RILL_JOURNAL_LABEL_ADD, step, NULL, 0);
    rill_journal_put(journal, RILL_JOURNAL_LABEL_ADD, step, NULL, 0);
    return rill_sim_label_add(f->sim, density);
}

rill_status rill_follow_rounding(rill_follower *f, rill_rounding_sums *out)
{
    rill_journal *journal = journal_of(f);
    const uint64_t step = rill_sim_steps(f->sim);
    if (rill_journal_replays(journal))
        return rill_journal_take(journal, RILL_JOURNAL_ROUNDING, step, out, sizeof *out);
    const rill_status status = rill_sim_rounding(f->sim, out);
    if (status == RILL_OK) rill_journal_put(journal, RILL_JOURNAL_ROUNDING, step, out, sizeof *out);
    return status;
}

bool rill_follow_start_replays(const rill_follower *f) { return rill_journal_replays(journal_of(f)); }

rill_status rill_follow_start(rill_follower *f, void *start, size_t size)
{
    rill_journal *journal = journal_of(f);
    if (rill_journal_replays(journal)) return rill_journal_take(journal, RILL_JOURNAL_START, 0, start, size);
    rill_journal_put(journal, RILL_JOURNAL_START, 0, start, size);
    return RILL_OK;
}

rill_status rill_follow_step(rill_follower *f, uint64_t steps)
{
    rill_status status = RILL_OK;
    if (rill_journal_replays(journal_of(f))) RILL_TRY(replay(f, &steps));
    while (steps > 0 && !f->stopped) {
        const uint64_t some = steps < f->slice ? steps : f->slice;
        const double before = rill_now();
        RILL_TRY(rill_sim_step(f->sim, some));
        const double each = (rill_now() - before) / (double)some;
        f->slice = each > 0 ? (uint64_t)fmin(fmax(GO_SECONDS / each, 1), 1 << 20) : 1 << 20;
        steps -= some;
        RILL_TRY(watch(f));
    }
done:
    return status;
}

/* What is noted of an observation. */
typedef struct observed {
    double k[3];
    rill_totals totals;
} observed;

/* Take k, totals and, where there is something to label, sums of the state as it is. */
static rill_status see(rill_follower *f, rill_speeds speeds, const rill_seeing *what, double k[3],
                       rill_totals *totals)
{
    rill_status status = RILL_OK;
    rill_journal *journal = journal_of(f);
    const uint64_t step = rill_sim_steps(f->sim);
    observed seen = {.k = {k[0], k[1], k[2]}}; /* along one axis alone between reservoirs */
    if (rill_journal_replays(journal)) {
        RILL_TRY(rill_journal_take(journal, RILL_JOURNAL_OBSERVED, step, &seen, sizeof seen));
        if (what && what->sums) RILL_TRY(rill_follow_label_sums(f, what->labels, what->sums));
    } else {
        RILL_TRY(observe(f, speeds, what ? what->sums : NULL, seen.k, &seen.totals));
        rill_journal_put(journal, RILL_JOURNAL_OBSERVED, step, &seen, sizeof seen);
        if (what && what->sums) note_sums(f, what->labels, what->sums);
    }
    memcpy(k, seen.k, sizeof seen.k);
    *totals = seen.totals;
done:
    return status;
}

double rill_sight_k(const rill_sight *before, const rill_sight *after, int b)
{
    const double width = (double)(after->step - before->step);
    return 0.5 * (before->k[b] + after->k[b]) - 0.25 * (after->turned[b] - before->turned[b]) / width;
}

/* Whether a flow has diverged, be its numbers still finite: above the speed of sound, where the equilibrium
 * has terms in u u. Without them the flow is proportional to the force, at any speed. */
static bool is_lost(const rill_follower *f, const rill_totals *totals)
{
    const bool fast =
        f->options->variant.equilibrium == RILL_SECOND_ORDER && totals->speed_max > sqrt(1.0 / 3);
    return totals->not_finite || fast;
}

/*
 * Momentum with the wave length of two nodes only changes sign from step to step and decays too slowly to
 * wait for (Zanetti 1989, doi:10.1103/PhysRevA.40.1539): in a rock it shifts the even steps by a thousandth,
 * and in a chamber where little flows it is most of |u|. The mean of two steps is free of it. No stop comes
 * between these: the velocities of the first are in no checkpoint.
 */
rill_status rill_follow_sight(rill_follower *f, uint64_t steps, const rill_seeing *what, rill_sight *out)
{
    rill_status status = RILL_OK;
    rill_totals totals[2];
    double k[2][3] = {{0}};
    uint64_t second = 1;
    RILL_TRY(rill_follow_step(f, steps - 1));
    if (f->stopped) return RILL_OK;
    const bool means = what->speeds && f->plan->mean_speeds;
    RILL_TRY(see(f, means ? RILL_SPEEDS_KEEP : RILL_SPEEDS_NOW, NULL, k[0], &totals[0]));
    if (rill_journal_replays(journal_of(f))) RILL_TRY(replay(f, &second));
    RILL_TRY(rill_sim_step(f->sim, second));
    RILL_TRY(see(f, means ? RILL_SPEEDS_MEAN : RILL_SPEEDS_NOW, what, k[1], &totals[1]));
    for (int b = 0; b < 3; b++) {
        out->k[b] = is_lost(f, &totals[0]) || is_lost(f, &totals[1]) ? NAN : 0.5 * (k[0][b] + k[1][b]);
        out->turned[b] = k[1][b] - k[0][b];
    }
    out->density = what->density;
    out->energy = 0.5 * (totals[0].kinetic - totals[0].elastic / what->density + totals[1].kinetic -
                         totals[1].elastic / what->density);
    const int along = f->between.geom ? 2 : f->run->axis;
    out->tortuosity =
        means ? 2 * totals[1].speed / fabs(totals[0].momentum[along] + totals[1].momentum[along]) : NAN;
    const double squares = totals[0].kinetic + totals[1].kinetic,
                 sum = totals[0].momentum[along] + totals[1].momentum[along];
    out->spread = 2 * sqrt((double)f->plan->nodes * squares) / fabs(sum);
    out->step = rill_sim_steps(f->sim);
    if (what->speeds) {
        f->last.tortuosity = out->tortuosity;
        f->last.turning = means ? totals[0].speed / fabs(totals[0].momentum[along]) - out->tortuosity : NAN;
    }
    f->last.spread = out->spread;
    f->last.speed_max = totals[1].speed_max;
    f->last.elastic = 0.5 * (totals[0].elastic + totals[1].elastic);
done:
    return status;
}

/* The same of steps in which the force makes a flow of this k. */
static double rounded_alike(const rill_follower *f, double k)
{
    return ROUNDED_ALIKE *
           fmin(fabs(k) / (f->plan->pores.porosity * f->plan->nu), (double)rill_sim_steps(f->sim));
}

static double rounded(const rill_follower *f, double memory)
{
    return ROUNDED * fmin(memory, (double)rill_sim_steps(f->sim));
}

static double rounded_pressures(const rill_follower *f, double k)
{
    const rill_permeability_plan *plan = f->plan;
    if (f->between.geom) return 0; /* the density of the reservoirs is no error */
    const double volume = volume_of(f, f->geom), nodes = (double)plan->nodes;
    /* Plain populations round to units of their weights, however small the pressures are. */
    const double plain = f->options->variant.shift == RILL_PLAIN ? sqrt(nodes * 2 * f->last.elastic) : 0;
    const double squares = 2 * f->last.elastic + plain;
    return rill_plan_pressures_round(f->options, plan, k, squares / (plan->force * plan->force * volume));
}

double rill_follow_rounding_of(const rill_follower *f, double memory, double k)
{
    const double flow = fmax(rounded(f, memory), rounded_alike(f, k));
    return rill_plan_unit(f->options) * (flow + rounded_pressures(f, k)) +
           rill_plan_plain(f->options, f->plan);
}

double rill_follow_floor(const rill_follower *f, double memory, double k)
{
    return rill_follow_rounding_of(f, memory, k) + 0.1 * f->options->tolerance;
}

rill_status rill_follow_record(rill_follower *f)
{
    rill_permeability_flow *run = f->run;
    const rill_status status =
        RILL_LIST_GROW(run->samples, run->sample_count, f->capacity, "the series of a run");
    if (status != RILL_OK) return status;
    const rill_limit_estimate *e = &f->limits[run->axis].estimate;
    rill_permeability_sample *s = &run->samples[run->sample_count++];
    *s = (rill_permeability_sample){.step = rill_sim_steps(f->sim),
                                    .predicted = e->value,
                                    .uncertainty = e->uncertainty,
                                    .tortuosity = f->last.tortuosity};
    memcpy(s->k, f->last.k, sizeof s->k);
    return RILL_OK;
}

bool rill_follow_is_zero(const rill_follower *f, int b)
{
    return rill_tensor_is_zero(f->geom, &f->plan->porosity, f->run->axis, b);
}

void rill_follow_take(rill_follower *f, int b, double now, double uncertainty)
{
    rill_permeability_flow *run = f->run;
    const bool zero = rill_follow_is_zero(f, b);
    f->last.k[b] = run->last[b] = zero ? 0 : now;
    run->k[b] = zero ? 0 : f->limits[b].estimate.value;
    run->uncertainty[b] = zero ? 0 : uncertainty;
}

/* Say that the flow diverged, where and why. */
static void diverged(const rill_follower *f, char *reason, size_t size)
{
    rill_worst w;
    char at[64] = "", speed[64] = "is not finite, or above the speed of sound";
    if (!f->between.geom && rill_worst_find(f->sim, f->geom, f->plan->nodes, false, &w) == RILL_OK) {
        snprintf(at, sizeof at, " at voxel (%.0f, %.0f, %.0f)", w.place[0], w.place[1], w.place[2]);
        if (w.finite) snprintf(speed, sizeof speed, "is %.3g, above the speed of sound, 0.577", w.size);
    }
    snprintf(
        reason, size,
        "the flow along %c diverged, found after %llu steps: its speed%s %s (tau %.4g, force %.3g): raise --tau or lower --force",
        rill_axis(f->run->axis), (unsigned long long)rill_sim_steps(f->sim), at, speed, f->plan->tau,
        f->plan->force);
}

bool rill_follow_ends(rill_follower *f, uint64_t next)
{
    rill_permeability_flow *run = f->run;
    const rill_permeability_options *o = f->options;
    const char axis = rill_axis(run->axis);
    const uint64_t made = rill_sim_steps(f->sim);
    const size_t size = sizeof run->reason;
    const double uncertainty = run->uncertainty[run->axis] / fabs(run->k[run->axis]);
    if (f->stopped)
        snprintf(run->reason, size, "stopped along %c after %llu steps, before the end was known", axis,
                 (unsigned long long)made);
    else if (!f->limits[run->axis].finite)
        diverged(f, run->reason, size);
    else if (made == 0 && next > o->max_steps)
        snprintf(
            run->reason, size,
            "no step was made along %c: k is first seen after %llu steps, more than --max-steps (now %llu) allows; raise it to several times as many",
            axis, (unsigned long long)next, (unsigned long long)o->max_steps);
    else if (made + next > o->max_steps && !isfinite(uncertainty))
        snprintf(
            run->reason, size,
            "not converged along %c after %llu steps: k cannot be extrapolated yet; raise --max-steps (now %llu)",
            axis, (unsigned long long)made, (unsigned long long)o->max_steps);
    else if (made + next > o->max_steps && uncertainty <= o->tolerance)
        snprintf(
            run->reason, size,
            "not converged along %c after %llu steps: k seems known to %.2g, but whether the flow has settled (its pressures, "
            "its mean momentum) needs more steps; raise --max-steps (now %llu)",
            axis, (unsigned long long)made, uncertainty, (unsigned long long)o->max_steps);
    else if (made + next > o->max_steps)
        snprintf(
            run->reason, size,
            "not converged along %c after %llu steps: the uncertainty is %.2g, more than the tolerance of %.2g; raise --max-steps (now %llu) or --tolerance",
            axis, (unsigned long long)made, uncertainty, o->tolerance, (unsigned long long)o->max_steps);
    f->spent = run->reason[0] != '\0';
    return f->spent;
}

void rill_follow_imprecise(rill_follower *f, double memory, double k)
{
    rill_permeability_flow *run = f->run;
    const rill_permeability_options *o = f->options;
    const char *storage = rill_storage_names[o->variant.storage];
    const double rounding = rill_follow_floor(f, memory, k);
    f->imprecise = o->variant.storage == RILL_FP32 && !o->keep_storage;
    if (f->imprecise)
        snprintf(
            run->reason, sizeof run->reason,
            "rounding in %s storage leaves an uncertainty of %.2g of k along %c, above the tolerance of %.2g",
            storage, rounding, rill_axis(run->axis), o->tolerance);
    else
        snprintf(
            run->reason, sizeof run->reason,
            "rounding in %s storage leaves an uncertainty of %.2g of k along %c, above the tolerance of %.2g: %sraise --tolerance",
            storage, rounding, rill_axis(run->axis), o->tolerance,
            o->variant.storage == RILL_FP32 ? "choose --storage fp64, or " : "");
}
