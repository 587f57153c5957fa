/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The permeability of a geometry: one Stokes run per axis, driven by a body force or, along one axis, by
 * pressures at reservoirs, followed until the
 * estimated final value is known well enough. Prints nothing and writes no file.
 */
#include "core/clock.h"
#include "core/kept.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/notes.h"
#include "core/progress.h"
#include "core/status.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/planes.h"
#include "permeability/nested.h"
#include "permeability/numbered.h"
#include "sim/several_plan.h"
#include "permeability/plan.h"
#include "permeability/finish.h"
#include "permeability/pressures.h"
#include "permeability/tensor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest numbers that count as Stokes flow; k is then off by Re^2 and Ma^2 times a number of order one. */
#define REYNOLDS_MAX 0.1
#define MACH_MAX 0.05
/* The least uncertainty of k that is stated, over the tolerance: an error of 0.23 of it was seen where k,
 * momentum and pressures of a row of chambers stood still together for a cycle. It costs no steps. */
#define LEAST_UNCERTAIN 0.25
/* Velocities of a step are kept in fp32, as are the means of two in fields: all nodes of a duct may round
 * alike. */
#define VELOCITY_ROUNDS (2 * 0x1p-24)
/* A tortuosity that is uncertain by more than this part of it is none. */
#define TORTUOSITY_KNOWN 0.5

rill_permeability_options rill_permeability_options_default(void)
{
    return (rill_permeability_options){.variant = rill_variant_default(),
                                       .on.backend = RILL_BACKEND_AUTO,
                                       .axis = RILL_AXIS_AUTO,
                                       .reservoir = 16,
                                       .magic = 3.0 / 16.0,
                                       .tolerance = 1e-3,
                                       .max_steps = 1000000,
                                       .progress_seconds = 0.2};
}

/* Refuse before anything is allocated. */
static rill_status memory_check(const rill_permeability_options *o, const rill_permeability_plan *plan)
{
    rill_status status = RILL_OK;
    rill_device *device = NULL;
    if (plan->numbered) rill_numbered_chambers_end(plan->numbered, true);
    const uint64_t held = plan->numbered ? rill_numbered_bytes(plan->numbered) : 0;
    RILL_TRY(rill_memory_require(plan->resources.host_bytes > held ? plan->resources.host_bytes - held : 0,
                                 "the permeability run"));
    if (plan->resources.device_bytes == 0) return RILL_OK;
    RILL_TRY(rill_device_take(o->on.device, o->on.backend, &device));
    RILL_TRY(rill_device_require(device, plan->resources.device_bytes, "the permeability run"));
done:
    rill_device_leave(o->on.device, device);
    return status;
}

/* Sums over the sample's nodes. */
typedef struct flow_sums {
    double speed, along; /* |u|, and u along the axis */
} flow_sums;

/* Nodes whose moments are worked on at a time. */
enum { SLICE = 1 << 16 };

/* Sum u, rows 1 to 3 of the moments. */
static rill_status fields_measure(const rill_follower *f, const rill_kept *moments, flow_sums *out)
{
    rill_status status = RILL_OK;
    const size_t n = (size_t)f->plan->nodes;
    double along = 0, speed = 0;
    float *u = NULL;
    RILL_TRY(rill_array_create(3 * SLICE, sizeof *u, "moments", (void **)&u));
    for (size_t first = 0; first < n; first += SLICE) {
        const size_t count = n - first < SLICE ? n - first : SLICE;
        for (uint32_t a = 0; a < 3; a++)
            RILL_TRY(rill_kept_get(moments, 1 + a, first, count, u + a * (size_t)SLICE));
        for (size_t i = 0; i < count; i++) {
            const double x = u[i], y = u[SLICE + i], z = u[2 * (size_t)SLICE + i];
            speed += sqrt(x * x + y * y + z * z);
            along += u[(size_t)f->run->axis * SLICE + i];
        }
    }
    *out = (flow_sums){speed, fabs(along)};
done:
    rill_array_destroy(u);
    return status;
}

/*
 * Take the numbers of the flow at the end. Reservoirs are in what was seen on the way, and momentum is
 * velocity in Stokes flow alone: then sums of fields say more. The mean velocity ends where k does.
 */
static void flow_take(rill_follower *f, const flow_sums *fields)
{
    rill_permeability_flow *run = f->run;
    const rill_permeability_plan *plan = f->plan;
    const double last = run->last[run->axis], nodes = (double)plan->nodes;
    const double end = run->converged ? run->k[run->axis] / last : 1;
    double *const uncertainty = &run->tortuosity_uncertainty;
    double mean = last * plan->force * (double)rill_geom_sample(f->geom) / plan->nu / nodes;
    run->tortuosity = f->last.tortuosity;
    if (fields) {
        mean = fields->along / nodes;
        run->tortuosity = fields->speed / fields->along;
    }
    if (!f->between.geom) *uncertainty += fabs(run->tortuosity - f->last.tortuosity);
    *uncertainty += VELOCITY_ROUNDS * (run->tortuosity + fmax(f->last.turning, 0));
    if (!(*uncertainty <= TORTUOSITY_KNOWN * run->tortuosity)) run->tortuosity = NAN, *uncertainty = INFINITY;
    run->reynolds = fabs(mean * end) * (4 * plan->pores.porosity / plan->pores.surface) / plan->nu;
    run->mach = f->last.speed_max * sqrt(3.0);
}

/* Add the moments of all nodes, weighted by a half, to mean [4][nodes]: rho - 1, u. */
static rill_status moments_add(rill_follower *f, rill_kept *mean)
{
    rill_status status = RILL_OK;
    const size_t n = (size_t)f->plan->nodes;
    double *part = NULL;
    float *sums = NULL;
    RILL_TRY(rill_array_create(4 * SLICE, sizeof *part, "moments", (void **)&part));
    RILL_TRY(rill_array_create(SLICE, sizeof *sums, "moments", (void **)&sums));
    for (size_t first = 0; first < n; first += SLICE) {
        const size_t count = n - first < SLICE ? n - first : SLICE;
        RILL_TRY(rill_sim_moments(f->sim, f->between.front + first, count, part, part + count));
        for (uint32_t m = 0; m < 4; m++) {
            RILL_TRY(rill_kept_get(mean, m, first, count, sums));
            for (size_t i = 0; i < count; i++) sums[i] += (float)(0.5 * part[m * count + i]);
            RILL_TRY(rill_kept_put(mean, m, first, count, sums));
        }
    }
done:
    rill_array_destroy(part);
    rill_array_destroy(sums);
    return status;
}

/* Read moments for rill_node_moments. */
static rill_status moments_read(void *from, rill_node first, rill_node count, float *rho, float *u)
{
    rill_status status = RILL_OK;
    for (uint32_t m = 0; m < 4; m++)
        RILL_TRY(rill_kept_get(from, m, first, count, m ? u + (size_t)(m - 1) * count : rho));
done:
    return status;
}

/* Read what walls decide for rill_node_moments. */
static rill_status walls_read(void *walls, rill_node first, rill_node count, float *decides)
{
    return rill_kept_get(walls, 0, first, count, decides);
}

/* Hand the moments of all nodes out at once. */
static rill_status moments_hand_out(const rill_follower *f, rill_kept *mean)
{
    rill_status status = RILL_OK;
    const rill_node n = (rill_node)f->plan->nodes;
    float *whole = rill_kept_whole(mean), *gathered = NULL;
    if (!whole) {
        RILL_TRY(rill_array_create(4 * (uint64_t)n, sizeof *gathered, "moments", (void **)&gathered));
        RILL_TRY(moments_read(mean, 0, n, gathered, gathered + n));
        whole = gathered;
    }
    RILL_TRY(f->options->finished(f->options->context, f->run, n, whole, whole + n));
done:
    rill_array_destroy(gathered);
    return status;
}

/* Rotate the moments of a sample between reservoirs back to its own axes. */
static rill_status turn_back(const rill_follower *f, rill_kept *mean)
{
    rill_status status = RILL_OK;
    const size_t n = (size_t)f->plan->nodes;
    float *turned = NULL, *whole = rill_kept_whole(mean), *gathered = NULL;
    RILL_TRY(rill_array_create(4 * (uint64_t)n, sizeof *turned, "moments", (void **)&turned));
    if (!whole) RILL_TRY(rill_array_create(4 * (uint64_t)n, sizeof *gathered, "moments", (void **)&gathered));
    RILL_TRY(moments_read(mean, 0, (rill_node)n, turned, turned + n));
    RILL_TRY(rill_reservoirs_turn_back(&f->between, turned, whole ? whole : gathered));
    for (uint32_t m = 0; m < 4 && !whole; m++) RILL_TRY(rill_kept_put(mean, m, 0, n, gathered + m * n));
done:
    rill_array_destroy(turned);
    rill_array_destroy(gathered);
    return status;
}

/* Average the moments of two steps, and hand them out. */
static rill_status fields_finish(rill_follower *f)
{
    rill_status status = RILL_OK;
    rill_kept *mean = NULL, *walls = NULL;
    flow_sums sums;
    const size_t n = (size_t)f->plan->nodes;
    RILL_TRY(rill_kept_create(rill_planes_keeper(f->geom->planes), 4, n, sizeof(float), "moments", &mean));
    RILL_TRY(moments_add(f, mean));
    RILL_TRY(rill_sim_step(f->sim, 1));
    RILL_TRY(moments_add(f, mean));
    if (rill_reservoirs_turn(&f->between)) RILL_TRY(turn_back(f, mean));
    RILL_TRY(fields_measure(f, mean, &sums));
    flow_take(f, &sums);
    rill_node_moments moments = {.nodes = (rill_node)n,
                                 .from = mean,
                                 .read = moments_read,
                                 .nu = f->plan->nu,
                                 .force = f->plan->force};
    if (f->options->sensitivity && f->run->converged && f->run->k[f->run->axis] > 0) {
        RILL_TRY(rill_kept_create(rill_planes_keeper(f->geom->planes), 1, n, sizeof(float), "walls", &walls));
        RILL_TRY(rill_sensitivity_find(f->geom, &moments, f->run->k[f->run->axis], walls, &f->run->walls));
        moments.read_walls = walls_read;
        moments.walls = walls;
    }
    if (f->options->finished) RILL_TRY(moments_hand_out(f, mean));
    if (f->options->finished_pieces)
        RILL_TRY(f->options->finished_pieces(f->options->context, f->run, &moments));
    if (f->options->wall_room && rill_wall_room_known(f->geom, f->options))
        RILL_TRY(rill_wall_room(f->geom, &moments, f->run));
done:
    rill_kept_destroy(walls);
    rill_kept_destroy(mean);
    return status;
}

static rill_status finish(rill_follower *f)
{
    rill_status status = RILL_OK;
    const bool fields = f->options->finished || f->options->finished_pieces || f->options->sensitivity ||
                        f->options->wall_room || f->between.geom ||
                        f->options->variant.equilibrium != RILL_STOKES;
    if (fields) RILL_TRY(fields_finish(f));
    if (!fields) flow_take(f, NULL);
    if (f->run->converged && f->options->variant.equilibrium != RILL_STOKES &&
        (f->run->reynolds > REYNOLDS_MAX || f->run->mach > MACH_MAX)) {
        f->run->converged = false;
        snprintf(
            f->run->reason, sizeof f->run->reason,
            "the flow along %c has a Reynolds number of %.3g (limit %g) and a Mach number of %.3g (limit %g), out of the Stokes range: lower --force (now %.3g)",
            rill_axis(f->run->axis), f->run->reynolds, REYNOLDS_MAX, f->run->mach, MACH_MAX, f->plan->force);
    }
done:
    return status;
}

/* Begin to follow the journal where this is the run that was stopped. @return seconds that it took before */
static double resume(rill_follower *f)
{
    if (!f->pause || !f->pause->resuming) return 0;
    rill_pause_replay(f->pause);
    return f->pause->place.seconds;
}

/* Write a checkpoint where the callback cancelled the run. */
static rill_status keep(rill_follower *f, rill_permeability *out)
{
    rill_status status = RILL_OK;
    rill_pause *pause = f->pause;
    if (pause && rill_journal_replays(&pause->journal))
        return rill_fail(RILL_USAGE,
                         "cannot continue from %s: with --max-steps %llu the run ends before it: raise it",
                         pause->path, (unsigned long long)f->options->max_steps);
    if (!pause || !f->stopped) return RILL_OK;
    f->run->converged = false; /* what was being looked at was cut short */
    pause->place.steps = f->run->steps;
    pause->place.seconds = f->run->seconds;
    pause->place.axis = f->run->axis;
    pause->place.runs = out->run_count - 1;
    RILL_TRY(rill_pause_write(pause, f->sim, out));
    out->kept = true;
    snprintf(f->run->reason, sizeof f->run->reason,
             "stopped along %c after %llu steps, before the end was known: continue with --resume",
             rill_axis(f->run->axis), (unsigned long long)f->run->steps);
done:
    return status;
}

static rill_sim_options sim_options(const rill_follower *f)
{
    const rill_permeability_options *o = f->options;
    rill_sim_options options = rill_sim_options_default();
    options.variant = o->variant;
    options.on = o->on;
    options.tau = f->plan->tau;
    options.magic = o->magic;
    if (!f->between.geom) options.force[f->run->axis] = f->plan->force;
    return options;
}

/* Begin with nothing known. */
static void clear(rill_follower *f)
{
    f->components = f->between.geom ? 1u << f->run->axis : 7;
    for (int b = 0; b < 3; b++) rill_limit_init(&f->limits[b], f->plan->every);
    for (int b = 0; b < 3; b++)
        f->last.k[b] = f->run->k[b] = f->run->last[b] = f->last.tortuosity = f->last.speed_max = NAN,
        f->run->uncertainty[b] = f->components >> b & 1 ? INFINITY : NAN;
    f->run->tortuosity = f->run->reynolds = f->run->mach = f->run->coarse = f->run->edge_share =
        f->run->rounding = f->run->wall_shift = f->run->wall_room[0] = f->run->wall_room[1] = NAN;
    f->run->tortuosity_uncertainty = INFINITY;
    f->slice = 1;
}

/* Return the next attempt after one that did not converge; RILL_ATTEMPT_NONE: the result is that of this one.
 */
static int32_t attempt_next(const rill_follower *f)
{
    const int32_t precise = f->attempt & RILL_ATTEMPT_PRECISE;
    if (f->run->converged || f->spent) return RILL_ATTEMPT_NONE;
    if (f->imprecise) return f->attempt | RILL_ATTEMPT_PRECISE;
    if (f->misled) return precise | RILL_ATTEMPT_REST;
    if (!f->other) return RILL_ATTEMPT_NONE;
    return precise | (f->plan->network ? RILL_ATTEMPT_SERIES : RILL_ATTEMPT_NETWORK);
}

static void uncertainties_raise(rill_follower *f)
{
    rill_permeability_flow *run = f->run;
    const double least = LEAST_UNCERTAIN * f->options->tolerance * fabs(run->k[run->axis]);
    for (int b = 0; b < 3; b++)
        if (f->components >> b & 1 && !rill_follow_is_zero(f, b))
            run->uncertainty[b] = fmax(run->uncertainty[b], least);
}

static rill_status run_axis(rill_follower *f, const rill_domain *domain, rill_permeability *out)
{
    rill_status status = RILL_OK;
    rill_pressures pressures = {.domain = NULL};
    rill_nested nested = {.geom = NULL};
    rill_permit permit, started;
    rill_permit_begin(&permit);
    rill_permit_begin(&started);
    clear(f);
    const double before = resume(f);
    double ended = NAN;
    out->seconds_before += before;
    f->started = rill_now() - before;
    /* The geometry alone says where its chambers are. The network of a coarser grid is needed first. */
    pressures.network.permit = f->plan->nested ? &permit : NULL;
    pressures.network.next = f->hooks.finer;
    /* The finest grid finds its throats after the interpolation of the coarser flow: the first cycle on a GPU
     * takes longer than finding them. Coarser grids are small and find theirs at once. */
    const bool later = f->plan->nested && !f->hooks.finer && rill_plan_steps_apart(f->options);
    pressures.started = later ? &started : NULL;
    if (f->plan->network && rill_plan_makes_network(f->plan, f->options))
        RILL_TRY(rill_pressures_begin(f, domain, &pressures));
    RILL_TRY(rill_nested_create(f, &permit, &nested));
    rill_permit_give(&permit);
    rill_memory_note("before the simulation");
    out->plan = *f->plan;
    const rill_sim_options options = sim_options(f);
    const double creating = rill_now();
    RILL_TRY(rill_sim_create_loaded(domain, &options, f->between.geom ? RILL_LOAD_NONE : RILL_LOAD_WALLS,
                                    &f->sim));
    const double created = rill_now() - creating, linking = rill_sim_seconds_linking(f->sim);
    out->seconds_domain += linking;
    out->seconds_setup += created - linking;
    f->started += created;
    if (nested.moments || nested.there) RILL_TRY(rill_nested_start(f, domain, &nested, f->sim));
    rill_permit_give(&started);
    rill_memory_note("before the first step");
    rill_nested_destroy(&nested);
    if (!f->between.geom) RILL_TRY(rill_sim_walls_add(f->sim, false));
    if (f->between.geom)
        RILL_TRY(rill_reservoirs_drive(&f->between, domain, f->sim,
                                       3 * f->plan->force * f->geom->n[f->run->axis]));
    snprintf(out->backend, sizeof out->backend, "%s", rill_sim_backend(f->sim));
    snprintf(out->device, sizeof out->device, "%s", rill_sim_device(f->sim));
    RILL_TRY(f->plan->network ? rill_follow_network(f, domain, &pressures)
                              : rill_follow_series(f, domain, &pressures));
    rill_memory_note("behind the last step");
    rill_pressures_destroy(&pressures); /* fields need its memory */
    ended = rill_now();
    f->run->seconds = ended - f->started;
    f->run->steps = rill_sim_steps(f->sim);
    f->run->mlups =
        (double)(f->plan->nodes + f->plan->reservoirs) * (double)f->run->steps / f->run->seconds * 1e-6;
    RILL_TRY(keep(f, out));
    if (f->run->converged) uncertainties_raise(f);
    if (f->hooks.ended && f->run->converged) RILL_TRY(f->hooks.ended(f->hooks.context, f->sim));
    if (!f->hooks.ended && f->run->converged) RILL_TRY(rill_edges_find(f));
    if (f->limits[f->run->axis].finite && attempt_next(f) == RILL_ATTEMPT_NONE) RILL_TRY(finish(f));
done:
    rill_nested_destroy(&nested);
    rill_permit_give(&permit);
    rill_permit_give(&started);
    rill_pressures_destroy(&pressures);
    rill_permit_end(&permit);
    rill_permit_end(&started);
    rill_sim_destroy(f->sim);
    f->sim = NULL;
    if (!isnan(ended)) out->seconds_ending += rill_now() - ended;
    return status;
}

/* Plan an attempt behind the first. */
static rill_status attempt_plan(const rill_geom *geom, const rill_permeability_plan *plan,
                                const rill_permeability_options *o, int32_t attempt,
                                rill_permeability_plan *other)
{
    rill_status status = RILL_OK;
    const int32_t way = attempt & ~RILL_ATTEMPT_PRECISE;
    *other = rill_plan_copy(plan);
    /* Corrections of the pressures led somewhere where rounding alone is why a run from rest is made again.
     */
    const rill_acceleration again = plan->nested ? o->acceleration : RILL_ACCELERATION_NETWORK;
    if (way != RILL_ATTEMPT_FIRST)
        RILL_TRY(
            rill_plan_other(geom, plan, o, way == RILL_ATTEMPT_REST ? again : (rill_acceleration)way, other));
    if (attempt & RILL_ATTEMPT_PRECISE) {
        const rill_permeability_options precise = rill_plan_stored(o, RILL_FP64);
        other->storage = RILL_FP64;
        RILL_TRY(rill_plan_memory_again(&precise, other));
        RILL_TRY(memory_check(&precise, other));
    }
done:
    return status;
}

static const char *attempt_text(int32_t attempt, bool was_precise)
{
    static const char *const ways[] = {"", "without a pore network",
                                       "with a pore network that corrects the pressures",
                                       "from rest at a smaller viscosity"};
    return attempt & RILL_ATTEMPT_PRECISE && !was_precise ? "with fp64 storage"
                                                          : ways[attempt & ~RILL_ATTEMPT_PRECISE];
}

/* The same, and otherwise when the first attempt leads nowhere and is not stopped. */
static rill_status run_axis_somehow(rill_follower *f, const rill_domain *domain,
                                    rill_permeability_plan *other, rill_permeability *out)
{
    rill_status status = RILL_OK;
    const rill_follower fresh = *f;
    rill_permeability_options own;
    rill_permeability_flow *run = f->run;
    rill_pause *pause = f->pause;
    int32_t attempt = pause && pause->resuming ? pause->place.attempt : RILL_ATTEMPT_FIRST;
    for (;;) {
        if (attempt != RILL_ATTEMPT_FIRST) {
            RILL_TRY(attempt_plan(f->geom, fresh.plan, fresh.options, attempt, other));
            f->plan = other;
            out->plan = *other;
            if (pause) pause->place.changed = attempt;
        }
        if (pause) pause->place.attempt = attempt;
        own = rill_plan_stored(fresh.options, f->plan->storage);
        f->options = &own;
        f->attempt = attempt;
        run->storage = f->plan->storage;
        const int32_t way = attempt & ~RILL_ATTEMPT_PRECISE;
        f->other = (way == RILL_ATTEMPT_FIRST || way == RILL_ATTEMPT_REST) &&
                   rill_plan_has_other(f->plan, f->options);
        RILL_TRY(run_axis(f, domain, out));
        attempt = attempt_next(f);
        if (attempt == RILL_ATTEMPT_NONE) break;
        rill_log(RILL_LOG_NOTE, "%s: trying again %s", run->reason,
                 attempt_text(attempt, f->attempt & RILL_ATTEMPT_PRECISE));
        if (pause) rill_journal_clear(&pause->journal);
        free(run->samples);
        out->seconds_attempts += run->seconds;
        *run = (rill_permeability_flow){.axis = run->axis};
        *f = fresh;
    }
done:
    return status;
}

/* Find what a run steps: as it was planned, or numbered now. @param[in,out] own  of the run before */
static rill_status numbers_take(const rill_follower *f, int axis, rill_numbered *own,
                                const rill_numbered **out)
{
    const rill_numbered *planned = f->plan->numbered;
    rill_numbered_destroy(own);
    *out = planned && rill_numbered_serves(planned, axis) ? planned : own;
    if (*out == planned) return RILL_OK;
    /* Where a checkpoint is to be left, there must be a simulation first. */
    const rill_progress progress = f->options->checkpoint ? (rill_progress){0} : f->options->progress;
    return rill_numbered_create(f->geom, f->options, axis, progress, planned, own);
}

/* Return the parts of a plan for the result, which outlives it; NULL without memory. */
static rill_part_plan *parts_copy(const rill_permeability_plan *plan)
{
    const size_t bytes =
        plan->resources.part ? (size_t)plan->resources.parts * sizeof *plan->resources.part : 0;
    rill_part_plan *copy = bytes ? malloc(bytes) : NULL;
    return copy ? memcpy(copy, plan->resources.part, bytes) : NULL;
}

rill_status rill_permeability_compute(const rill_geom *geom, const rill_permeability_options *o,
                                      const rill_permeability_plan *plan, rill_permeability *out)
{
    /* Where a checkpoint is to be left, there must be a simulation first. Several processes go on together.
     */
    const bool watched = !o->checkpoint && !geom->planes;
    rill_progress_watch watch;
    rill_progress_watch_begin(&watch, watched ? o->progress : (rill_progress){NULL, NULL},
                              o->progress_seconds, "setting up the flow");
    rill_status status = rill_follow_all(geom, o, plan, (rill_follow_hooks){.ended = NULL}, out);
    if (status == RILL_OK) {
        const double begun = rill_now();
        const rill_status seen = rill_threshold_networks(geom, o, out);
        out->seconds_ending += rill_now() - begun;
        status =
            seen == RILL_OK || seen == RILL_CANCELLED
                ? seen
                : rill_note(&out->notes,
                            "throats that close or open where the threshold moves were not looked for: %s",
                            rill_error_message());
    }
    if (status == RILL_OK && watch.cancelled)
        status = rill_progress_poll(); /* what was cancelled was optional */
    rill_progress_watch_end(&watch);
    return status;
}

rill_status rill_follow_all(const rill_geom *geom, const rill_permeability_options *options,
                            const rill_permeability_plan *plan, rill_follow_hooks hooks,
                            rill_permeability *out)
{
    rill_status status = RILL_OK;
    const rill_permeability_options resolved = rill_plan_resolve(geom, options), *const o = &resolved;
    rill_numbered own = {.domain = NULL};
    const rill_numbered *numbered;
    rill_permeability_plan other;
    rill_pause pause = {.path = NULL};
    rill_follower *f = calloc(1, sizeof *f);
    const int driven = rill_tensor_driven(&geom->porosity, o->axis);
    memset(out, 0, sizeof *out);
    out->plan = rill_plan_copy(plan);
    out->uncertainty = INFINITY;
    out->reciprocity = NAN;
    for (int b = 0; b < 9; b++)
        out->k[b / 3][b % 3] = out->principal[b % 3] = out->principal_axes[b / 3][b % 3] = NAN;
    if (!f) return rill_fail(RILL_SYSTEM, "out of memory for a run");
    RILL_TRY(rill_notes_add(&out->notes, plan->notes));
    RILL_TRY(memory_check(o, plan));
    RILL_TRY(rill_pause_open(geom, o, out, &pause));
    for (int r = 0; r < out->run_count; r++) out->seconds_before += out->runs[r].seconds;
    if (pause.resuming && pause.place.changed)
        RILL_TRY(attempt_plan(geom, plan, o, pause.place.changed, &out->plan));
    for (int a = 0; a < 3 && !f->stopped; a++) {
        if (!rill_axes_has(driven, a) || (pause.resuming && a < pause.place.axis)) continue;
        if (!pause.resuming) rill_journal_clear(&pause.journal);
        *f = (rill_follower){.options = o,
                             .plan = plan,
                             .geom = geom,
                             .pause = pause.path ? &pause : NULL,
                             .hooks = hooks,
                             .run = &out->runs[out->run_count]};
        RILL_TRY(numbers_take(f, a, &own, &numbered));
        out->seconds_domain += own.seconds;
        out->run_count++;
        f->between = numbered->between;
        f->run->axis = a;
        RILL_TRY(run_axis_somehow(f, numbered->domain, &other, out));
    }
    RILL_TRY(rill_tensor_collect(geom, o, out));
    for (int r = 0; r < out->run_count && !hooks.ended; r++)
        if (out->runs[r].converged) {
            RILL_TRY(rill_edges_note(&out->runs[r], &out->notes));
            RILL_TRY(rill_follow_narrow_note(&out->runs[r], o->tolerance, &out->notes));
        }
    if (f->stopped) RILL_TRY(rill_fail(RILL_CANCELLED, "%s", out->runs[out->run_count - 1].reason));
    for (int r = 0; r < out->run_count; r++)
        if (!out->runs[r].converged) {
            status = rill_fail(RILL_NUMERICS, "%s", out->runs[r].reason);
            goto done;
        }
done:
    rill_numbered_destroy(&own);
    rill_pause_close(&pause);
    out->plan.numbered = NULL; /* stays with the plan */
    out->plan.resources.part = out->run_count > 0 ? parts_copy(plan) : NULL;
    free(f);
    return status;
}

void rill_permeability_free(rill_permeability *result)
{
    for (int r = 0; r < result->run_count; r++) free(result->runs[r].samples);
    free(result->plan.resources.part);
    free(result->notes);
    memset(result, 0, sizeof *result);
}
