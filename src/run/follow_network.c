/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows a Stokes flow whose pressures are corrected, cycle by cycle, by a pore network.
 *
 * Momentum settles within a pore in few steps, but pressure must diffuse along the whole box. So a cycle lets
 * the momentum settle, sees what mass every chamber of the network gains per step, and changes the pressures
 * by those whose flow through the network carries it away; Anderson's mixing learns what the network's rough
 * conductances miss. k follows from the energies of the flow long before the flow itself is at its end:
 * docs/method.md derives the equations.
 */
#include "core/clock.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "network/network.h"
#include "run/follow.h"
#include "run/mixing.h"
#include "run/plan.h"

#include <math.h>
#include <string.h>

/* Cycles until an end that is not in sight is left to the series, and the fewest. */
enum { CYCLES_MOST = 60, CYCLES_LEAST = 4 };
/* The mean momentum may be so many times the tolerance away: it is off in the first order where k is in the
 * second. */
#define MOMENTUM_LOOSE 10
/* What a correction is expected to bring, and by how much k moved, times these, is what k is uncertain by. */
#define EXPECTED_FACTOR 4
#define MOVED_FACTOR 2
/* The same for the sum of the last three moves: they may die out slowly. Where each of the last two was less
 * than this part of the one before, for all that comes behind the last but one, if they go on so. */
#define MOVES_FACTOR 1.5
#define RATIO_FAST 0.25
/* The same for what is to come when the moves get smaller by a factor, which is taken for at most this. */
#define TO_COME_FACTOR 1.5
#define RATIO_MOST 0.9

/* What is seen of two successive steps, averaged: see sample() in follow_series.c for why. */
typedef struct sight {
    double k[3];
    double energy; /* kinetic - elastic */
    double *sums;  /* [chambers], of the second step */
} sight;

typedef struct state {
    rill_follower *f;
    rill_network network;
    rill_mixing mixing;
    sight before, after;
    uint64_t cycle, between; /* steps of a cycle, and between its two sights */
    double *gain, *pressure, *correction, *step;
    double k, moved[3], expected; /* the estimate, its last changes, the change that is to come */
    int iterations;               /* of the last solution */
    uint64_t begun;               /* steps that a device makes while the network is found */
} state;

static rill_status see(state *s, sight *out)
{
    rill_status status = RILL_OK;
    rill_follower *f = s->f;
    rill_totals totals[2];
    double k[2][3];
    for (int e = 0; e < 2 && !f->stopped; e++) {
        RILL_TRY(rill_follow_step(f, 1));
        RILL_TRY(rill_follow_observe(f, k[e], &totals[e]));
    }
    if (f->stopped) return RILL_OK;
    for (int b = 0; b < 3; b++)
        out->k[b] = totals[0].not_finite || totals[1].not_finite ? NAN : 0.5 * (k[0][b] + k[1][b]);
    out->energy = 0.5 * (totals[0].kinetic - totals[0].elastic + totals[1].kinetic - totals[1].elastic);
    f->totals = totals[1];
    f->totals.speed_max = fmax(totals[0].speed_max, totals[1].speed_max);
    RILL_TRY(rill_sim_label_sums(f->sim, out->sums));
done:
    return status;
}

static double by_volume(const void *context, const double *a, const double *b)
{
    const rill_network *network = context;
    return rill_network_dot(network, network->volume, a, b);
}

/*
 * From two sights, W steps apart: k = nu / (F^2 V) (F sum(u) + d/dt sum(u^2/2 - c_s^2 (rho - 1)^2 / 2)), and
 * the pressures to come. Their work on what flows too much is what k may still change by.
 */
static void estimate(state *s)
{
    rill_follower *f = s->f;
    const rill_permeability_plan *plan = f->plan;
    const int axis = f->run->axis;
    const double volume = (double)rill_geom_voxels(f->geom), width = (double)s->between;
    const double scale = plan->nu / (plan->force * plan->force * volume);
    const double k =
        0.5 * (s->before.k[axis] + s->after.k[axis]) + scale * (s->after.energy - s->before.energy) / width;
    for (uint32_t c = 0; c < s->network.chambers; c++) {
        s->gain[c] = (s->after.sums[c] - s->before.sums[c]) / width;
        s->pressure[c] = s->after.sums[c] / 3 / s->network.volume[c];
    }
    s->iterations = rill_network_solve(&s->network, s->gain, plan->nu, s->correction);
    s->moved[2] = s->moved[1];
    s->moved[1] = s->moved[0];
    s->moved[0] = fabs(k - s->k);
    s->k = k;
    s->expected = fabs(scale * rill_network_dot(&s->network, NULL, s->gain, s->correction));
}

static rill_status correct(state *s)
{
    rill_mixing_step(&s->mixing, s->pressure, s->correction, by_volume, &s->network, s->step);
    for (uint32_t c = 0; c < s->network.chambers; c++) s->step[c] *= 3; /* densities */
    return rill_sim_label_add(s->f->sim, s->step);
}

/*
 * How far k may be from its end: what the network expects, what k moved, and, if it goes on to move as it
 * did, by the same factor from cycle to cycle, all that is still to come.
 */
static double uncertainty_of(const state *s)
{
    const double ratio = fmin(s->moved[0] / s->moved[1], RATIO_MOST);
    const double slowest = fmax(ratio, s->moved[1] / s->moved[2]);
    const double moves = MOVES_FACTOR * (slowest < RATIO_FAST ? s->moved[1] * slowest / (1 - slowest)
                                                              : s->moved[0] + s->moved[1] + s->moved[2]);
    const double to_come = TO_COME_FACTOR * s->moved[0] * ratio / (1 - ratio);
    return fmax(EXPECTED_FACTOR * s->expected, fmax(moves, to_come));
}

/* Take the estimates over into the run. @return true when they are good enough */
static bool judge(state *s)
{
    rill_follower *f = s->f;
    rill_permeability_run *run = f->run;
    const rill_permeability_options *o = f->options;
    double largest = 0;
    for (int b = 0; b < 3; b++) {
        const double k = 0.5 * (s->before.k[b] + s->after.k[b]), moved = fabs(k - f->k[b]);
        rill_limit *limit = &f->limits[b];
        limit->finite = isfinite(k);
        limit->estimate = (rill_limit_estimate){.value = k, .uncertainty = MOVED_FACTOR * moved};
        if (b == run->axis)
            limit->estimate = (rill_limit_estimate){.value = s->k, .uncertainty = uncertainty_of(s)};
        if (run->cycles < CYCLES_LEAST || !isfinite(limit->estimate.uncertainty))
            limit->estimate.uncertainty = INFINITY;
        f->k[b] = run->last[b] = k;
        run->k[b] = limit->estimate.value;
        run->uncertainty[b] = limit->estimate.uncertainty;
        if (b == run->axis || o->axis < 0) largest = fmax(largest, run->uncertainty[b]);
    }
    run->steps = rill_sim_steps(f->sim);
    const double loose = o->settle_fields ? 1 : MOMENTUM_LOOSE;
    return largest <= o->tolerance * fabs(s->k) &&
           fabs(f->k[run->axis] - s->k) <= loose * o->tolerance * fabs(s->k);
}

static rill_status create(rill_follower *f, const rill_domain *domain, state *s)
{
    rill_status status = RILL_OK;
    *s = (state){.f = f, .k = INFINITY, .moved = {INFINITY, INFINITY, INFINITY}};
    s->cycle = f->plan->cycle;
    s->between = rill_plan_between(f->plan);
    if (!rill_sim_backend_table(f->sim)->host && !rill_follow_ends(f, s->cycle)) {
        s->begun = s->cycle - s->between - 2;
        RILL_TRY(rill_sim_begin(f->sim, s->begun));
    }
    RILL_TRY(rill_network_create(domain, rill_network_edge(f->geom, f->plan->opening), &s->network));
    const uint32_t chambers = s->network.chambers;
    RILL_TRY(rill_mixing_create(chambers, &s->mixing));
    double **const arrays[] = {&s->before.sums, &s->after.sums, &s->gain,
                               &s->pressure,    &s->correction, &s->step};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        RILL_TRY(rill_array_create_zero(chambers, sizeof(double), "the pressures of a pore network",
                                        (void **)arrays[k]));
    RILL_TRY(rill_sim_label(f->sim, s->network.chamber_of, chambers));
    f->run->chambers = chambers;
done:
    return status;
}

static void destroy(state *s)
{
    double *const arrays[] = {s->before.sums, s->after.sums, s->gain, s->pressure, s->correction, s->step};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) rill_array_destroy(arrays[k]);
    rill_mixing_destroy(&s->mixing);
    rill_network_destroy(&s->network);
}

rill_status rill_follow_network(rill_follower *f, const rill_domain *domain)
{
    rill_status status = RILL_OK;
    rill_permeability_run *run = f->run;
    state s = {.f = NULL};
    RILL_TRY(create(f, domain, &s));
    while (!run->converged && !rill_follow_ends(f, s.cycle - s.begun) && run->cycles < CYCLES_MOST) {
        RILL_TRY(rill_follow_step(f, s.cycle - s.between - 2 - s.begun));
        s.begun = 0;
        RILL_TRY(see(&s, &s.before));
        RILL_TRY(rill_follow_step(f, s.between - 2));
        RILL_TRY(see(&s, &s.after));
        if (f->stopped) continue;
        run->cycles++;
        const double before = rill_now();
        estimate(&s);
        const double seconds = rill_now() - before;
        run->converged = judge(&s);
        RILL_TRY(rill_follow_record(f));
        rill_log(RILL_LOG_DEBUG,
                 "cycle %d: k %.6g, momentum %.6g, moved %.2g, expected %.2g; %d iterations in %.2g s",
                 run->cycles, s.k, f->k[run->axis], s.moved[0] / s.k, s.expected / s.k, s.iterations,
                 seconds);
        if (!run->converged && f->limits[run->axis].finite) RILL_TRY(correct(&s));
    }
    if (!run->converged && run->reason[0] == '\0') {
        rill_log(RILL_LOG_NOTE,
                 "the corrections of the pressures lead nowhere after %d cycles: going on without them",
                 run->cycles);
        for (int b = 0; b < 3; b++) rill_limit_init(&f->limits[b], f->plan->every);
        RILL_TRY(rill_follow_series(f));
    }
done:
    destroy(&s);
    return status;
}
