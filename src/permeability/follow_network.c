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
#include "core/threads.h"
#include "geometry/voxels/axes.h"
#include "permeability/mixing.h"
#include "permeability/path.h"
#include "permeability/plan.h"
#include "permeability/pressures.h"
#include "permeability/tensor.h"

#include <math.h>
#include <stdio.h>

/* Cycles until an end that is not in sight is left to the series, and the fewest. */
enum { CYCLES_MOST = 60, CYCLES_LEAST = 3 };
/* Behind that it is in sight where every so many cycles leave at most this part of the uncertainty. */
enum { PACE_CYCLES = 12 };
#define PACE_LEFT 0.5
/* The mean momentum may be so many times the tolerance away: it is off in the first order where k is in the
 * second. */
#define MOMENTUM_LOOSE 10
/* At a small viscosity pressures oscillate, and the last move of k may be small by chance. The bound of what
 * is to come then uses the largest of the last three moves. The error of k is of second order in the distance
 * of the mean momentum from k, so one cycle multiplies it by as much as two cycles multiply this distance: by
 * this factor at most.
 */
#define LEFT_FACTOR 1.5
#define LEFT_MOST 0.95
/* How far the mean momentum is away, which is the first order of what k misses in the second: moves may be
 * small by chance, or because a chamber fills slowly, this is not. So many times this k is uncertain by
 * always. Where only the last two changes of k show that it settles fast, k is uncertain by all of this, and
 * by so many times that of the cycle before: momentum may cross k. Fields are off in the first order: where
 * they are written, two changes show nothing. */
#define MOMENTUM_FACTOR 0.25
#define MOMENTUM_BEFORE 0.25
/* A component across the axis is uncertain by at least so many times what the mean momentum along the axis is
 * away, and in a full tensor by so many times the same part of itself: there it is compared with the
 * component that another run gives, see collect().
 */
#define ACROSS_GAP 3
#define ACROSS_GAP_TENSOR 2
/* The tortuosity, which is off in the first order, too, is uncertain by at least so many times the part that
 * the mean momentum is away. */
#define TORTUOSITY_GAP 2
/* A viscosity that was chosen for the k of a coarser grid is too large where rill_plan_rounding() is above
 * this: walls of one voxel opened there, and ducts became chambers. */
#define ROUNDING_SHOWS 0.4
#define VISCOSITY_LESS 0.5 /* of a run from rest, if it is to be better by far */
/* What rill_plan_rounding() counts in. */
#define ROUNDING_UNIT 1e-3

/* Rounding that exceeds the tolerance so many times does so wherever k ends. */
#define FLOOR_CLEAR 10
/* After so many cycles k is known roughly, if the last one moved it by at most this part. */
#define ROUGH_CYCLES 5
#define ROUGH_MOVED 0.1

/* The mixing is stuck where k moves by no more than the tolerance, and the work of the missing pressures has
 * not become less by this factor in so many cycles: its steps follow how gains followed pressures before, but
 * velocities that still settle change the gains, too. */
#define STUCK 0.5
enum { STUCK_CYCLES = 3 };

/* Where fluid sloshes, it is stopped in so many steps at the begin of a cycle; and of the pressures that do
 * so this part of what a whole cycle would need stays. Sound is reflected within a cycle: a part between none
 * and all of it makes little difference. */
enum { STOP_STEPS = 4 };
#define STOP_STAYS 0.25

/* Updates of nodes that a device makes while the network is found: a few seconds of them, in which no
 * progress is shown. */
#define BEGUN_UPDATES 5e10

/* Steps without memory before the first sight of a cycle, where others remember: energies and gains follow
 * from these alone. */
enum { TIME_STEPS = 4 };

typedef struct state {
    rill_follower *f;
    rill_pressures *p;
    rill_mixing mixing;
    uint64_t cycle, between;            /* steps of a cycle, and between its two sights */
    double *pressure, *step;            /* [chambers] */
    double *held;                       /* [chambers], where fluid sloshes: taken back when it has stopped */
    bool stops;                         /* that is still to be done */
    rill_path k, tortuosity, across[3]; /* those of the momentum along the axes */
    double away[3];                     /* |momentum - k| / k after the last cycles, the latest first */
    double work[STUCK_CYCLES]; /* of the missing pressures after the cycles before, the latest first */
    int since;                 /* cycles since the mixing forgot all */
    double late[PACE_CYCLES];  /* uncertainties of k after the last cycles, by their number */
    bool nears;                /* they fall */
    uint64_t begun;            /* steps of a cycle that are made before its first sight is waited for */
    double memory;             /* see rill_permeability_plan; 0 once the flow has been driven apart by it */
} state;

static rill_status estimate(state *s)
{
    const rill_status status = rill_pressures_estimate(s->f, s->p);
    if (status != RILL_OK) return status;
    rill_path_go(&s->k, s->p->k);
    rill_path_go(&s->tortuosity, s->p->after.tortuosity);
    return RILL_OK;
}

static void find_pressures(const void *of, uint64_t first, uint64_t end)
{
    const state *s = of;
    for (uint64_t c = first; c < end; c++) s->pressure[c] = s->p->sums[1][c] / 3 / s->p->network.volume[c];
}

/* Add pressures to those that are there. */
static rill_status add(state *s, const double *pressure, double factor)
{
    for (uint32_t c = 0; c < s->p->network.chambers; c++) s->step[c] = 3 * factor * pressure[c];
    return rill_follow_label_add(s->f, s->step);
}

static double inertia(const state *s) { return STOP_STEPS * s->f->plan->nu; }

/*
 * In a box that plates cross, the force accelerates all fluid between them until pressures oppose it, far
 * faster than it flows through their holes in the end, and sound goes to and fro for tens of thousands of
 * steps. So the run begins with the pressures of the network, which leave little of that.
 */
static rill_status begin_pressed(state *s)
{
    rill_status status = RILL_OK;
    rill_pressures *p = s->p;
    rill_network *network = &p->network;
    const rill_follower *f = s->f;
    RILL_TRY(rill_array_create_zero(network->chambers, sizeof(double), "the pressures of a pore network",
                                    (void **)&s->held));
    RILL_TRY(rill_aside_end(&p->throats));
    (void)rill_plan_flow_pressures(f->geom, f->run->axis, network, s->held, p->gain, p->correction);
    rill_network_balance(network, s->pressure, s->held); /* no pressure is there yet */
    RILL_TRY(add(s, s->held, f->plan->force));
    RILL_TRY(rill_network_limit(network, f->geom->n, f->run->axis, inertia(s)));
done:
    return status;
}

/*
 * Stop what sloshes: the gains of chambers in the open show which momentum must go, and pressures take it
 * away in few steps. Then those are taken back that would accelerate the fluid again. The others hold the
 * flow through holes, and are mixed.
 */
static void hold(state *s)
{
    const double part = 1 - STOP_STAYS * STOP_STEPS / (double)s->cycle;
    rill_pressures *p = s->p;
    rill_network_hold(&p->network, s->f->geom->n, s->f->run->axis, inertia(s), p->correction, p->gain,
                      s->held);
    for (uint32_t c = 0; c < p->network.chambers; c++) {
        s->held[c] *= part;
        p->correction[c] += s->held[c];
    }
    s->stops = true;
}

/* Go on to where the fluid has stopped. */
static rill_status stop(state *s)
{
    rill_status status = RILL_OK;
    if (!s->stops) return RILL_OK;
    RILL_TRY(rill_sim_relax(s->f->sim, (rill_relaxation){1, 1, 0}));
    RILL_TRY(rill_follow_step(s->f, STOP_STEPS));
    if (s->f->stopped) return RILL_OK;
    RILL_TRY(add(s, s->held, 1));
    s->stops = false;
    s->begun = STOP_STEPS;
done:
    return status;
}

static void to_densities(const void *of, uint64_t first, uint64_t end)
{
    const state *s = of;
    for (uint64_t c = first; c < end; c++) s->step[c] = 3 * (s->step[c] - (s->held ? s->held[c] : 0));
}

/* Let the mixing begin anew where it is stuck. */
static void free_mixing(state *s)
{
    bool stuck = s->since >= STUCK_CYCLES && s->p->expected > STUCK * s->work[STUCK_CYCLES - 1];
    for (int k = 0; k < STUCK_CYCLES; k++)
        stuck = stuck && s->k.moved[k] <= s->f->options->tolerance * fabs(s->k.value);
    if (stuck) rill_mixing_forget(&s->mixing);
    s->since = stuck ? 0 : s->since + 1;
    for (int k = STUCK_CYCLES - 1; k > 0; k--) s->work[k] = s->work[k - 1];
    s->work[0] = s->p->expected;
}

/* Change the pressures to those that carry the gains away, or what Anderson's mixing makes of that. */
static rill_status correct(state *s)
{
    rill_network *network = &s->p->network;
    rill_threads_for(network->chambers, RILL_NETWORK_CHUNK, find_pressures, s);
    free_mixing(s);
    if (s->held) hold(s);
    rill_mixing_step(&s->mixing, s->pressure, s->p->correction, network->volume, s->step);
    rill_network_balance(network, s->pressure, s->step);
    rill_threads_for(network->chambers, RILL_NETWORK_CHUNK, to_densities, s);
    return rill_follow_label_add(s->f, s->step);
}

/* The bound of what is still to come of k at a small viscosity. */
static double left_at_small_nu(const state *s)
{
    const double *moved = s->k.moved, left = fmin(s->away[0] / s->away[2], LEFT_MOST);
    if (!rill_plan_nu_is_small(s->f->plan)) return 0;
    return LEFT_FACTOR * fmax(fmax(moved[0], moved[1]), moved[2]) * left / (1 - left);
}

/* How far k may be from its end: its moves, what the network expects, what the mean momentum still misses. */
static double uncertainty_of(const state *s, double momentum)
{
    const double k = s->k.value, gap = fabs(momentum - k);
    const double pressures = fmax(RILL_PRESSURES_FACTOR * s->p->expected, left_at_small_nu(s));
    const double missing = fmax(pressures, MOMENTUM_FACTOR * gap);
    const double fast =
        s->f->options->settle_fields ? INFINITY : fmax(gap, MOMENTUM_BEFORE * s->away[1] * fabs(k));
    return fmax(missing, rill_path_left(&s->k, 3, fast)) +
           rill_follow_floor(s->f, (double)s->cycle, k) * fabs(k);
}

/* The same of the tortuosity. The mean momentum, which is off in the first order, too, says more than a third
 * move, which may be one of a flow that has hardly begun. That the last two decay fast is no evidence: in
 * a long duct with chambers momentum, k and tortuosity stood still together for a cycle. */
static double tortuosity_uncertainty(const state *s, double momentum)
{
    const double t = s->tortuosity.value, missing = TORTUOSITY_GAP * fabs(momentum / s->k.value - 1) * t;
    const double pressures = ROUNDING_UNIT * rill_plan_rounding(s->f->options, s->f->plan, s->k.value);
    return fmax(missing, rill_path_left(&s->tortuosity, 2, INFINITY)) +
           (pressures + rill_follow_floor(s->f, (double)s->cycle, s->k.value)) * t;
}

/*
 * The same of a component across the axis. It is that of the momentum, off in the first order, and no energy
 * bounds how far: its changes do, and the part of the momentum along the axis that is away.
 */
static double across_uncertainty(const state *s, int b, double momentum)
{
    const double k = s->k.value, gap = fabs(momentum - k);
    const double part = fmin(fabs(s->across[b].value / k), 1);
    const double away = rill_axes_has(s->f->options->axis, b) ? ACROSS_GAP_TENSOR * part : ACROSS_GAP;
    return fmax(away * gap, rill_path_left(&s->across[b], 3, INFINITY)) +
           rill_follow_floor(s->f, (double)s->cycle, k) * fabs(k);
}

/* Take the estimates over into the run. @return true when they are good enough */
static bool judge(state *s)
{
    rill_follower *f = s->f;
    rill_permeability_flow *run = f->run;
    const rill_permeability_options *o = f->options;
    const int driven = rill_tensor_driven(&f->plan->porosity, o->axis);
    double largest = 0;
    const double before = run->uncertainty[run->axis],
                 along = 0.5 * (s->p->before.k[run->axis] + s->p->after.k[run->axis]);
    s->away[2] = s->away[1];
    s->away[1] = s->away[0];
    s->away[0] = fabs(along / s->k.value - 1);
    for (int b = 0; b < 3; b++) {
        const double k = b == run->axis ? along : rill_sight_k(&s->p->before, &s->p->after, b);
        rill_limit *limit = &f->limits[b];
        limit->finite = isfinite(k);
        rill_path_go(&s->across[b], k);
        if (b == run->axis)
            limit->estimate = (rill_limit_estimate){.value = s->k.value, .uncertainty = uncertainty_of(s, k)};
        else
            limit->estimate =
                (rill_limit_estimate){.value = k, .uncertainty = across_uncertainty(s, b, along)};
        if (run->cycles < CYCLES_LEAST || !isfinite(limit->estimate.uncertainty))
            limit->estimate.uncertainty = INFINITY;
        rill_follow_take(f, b, k, limit->estimate.uncertainty);
        if (rill_axes_has(driven, b)) largest = fmax(largest, limit->estimate.uncertainty);
    }
    run->rounding = rill_follow_rounding_of(f, (double)s->cycle, s->k.value) * fabs(s->k.value);
    run->tortuosity_uncertainty =
        run->cycles < CYCLES_LEAST ? INFINITY : tortuosity_uncertainty(s, f->last.k[run->axis]);
    run->steps = rill_sim_steps(f->sim);
    double *const then = &s->late[run->cycles % PACE_CYCLES];
    s->nears = run->cycles > PACE_CYCLES && run->uncertainty[run->axis] <= PACE_LEFT * *then;
    *then = run->uncertainty[run->axis];
    if (isfinite(before)) f->pace = fmin(fmax(run->uncertainty[run->axis] / before, 0.2), 0.8);
    const double loose = o->settle_fields ? 1 : MOMENTUM_LOOSE;
    return largest <= o->tolerance * fabs(s->k.value) &&
           fabs(f->last.k[run->axis] - s->k.value) <= loose * o->tolerance * fabs(s->k.value);
}

/* Return whether k moves farther from cycle to cycle, by more than the tolerance now. */
#define MOVES_MORE 1.5
static bool moves_apart(const state *s)
{
    const double *moved = s->k.moved;
    return isfinite(moved[2]) && moved[0] > s->f->options->tolerance * fabs(s->k.value) &&
           moved[0] > MOVES_MORE * moved[1] && moved[1] > MOVES_MORE * moved[2];
}

/* Make time steps alone where the flow is driven apart: k moves farther and farther, or the mean momentum,
 * far from k, leaves it farther and farther. */
#define DRIVEN_APART 0.3
static void see_divergence(state *s)
{
    const bool leaves = s->away[0] > DRIVEN_APART && s->away[0] > s->away[1] && s->away[1] > s->away[2];
    if (s->memory == 0 || s->f->run->cycles < CYCLES_LEAST || !(leaves || moves_apart(s))) return;
    rill_log(RILL_LOG_DEBUG, "the flow is driven apart by a memory of %g: time steps alone from here on",
             s->memory);
    s->memory = 0;
    rill_mixing_forget(&s->mixing);
}

/* Whether rounding shows at this viscosity, once k is known roughly. */
static bool rounds_alike(const state *s)
{
    const rill_follower *f = s->f;
    rill_permeability_flow *run = f->run;
    const double k = fabs(s->k.value);
    if (run->cycles < ROUGH_CYCLES || s->k.moved[0] > ROUGH_MOVED * k ||
        !rill_plan_rounds_alike(f->options, f->plan, k))
        return false;
    snprintf(run->reason, sizeof run->reason,
             "along %c, k is only %.3g in pores %.0f voxels wide, and rounding would show at a tau of %.3g",
             rill_axis(run->axis), k, f->plan->pores.opening, f->plan->tau);
    return true;
}

/* Whether the rounding errors of fp32 keep k from its tolerance, once it is known roughly. */
static void see_rounding(const state *s)
{
    rill_follower *f = s->f;
    const double k = fabs(s->k.value), floor = rill_follow_floor(f, (double)s->cycle, k);
    const bool rough = s->k.moved[0] <= ROUGH_MOVED * k || floor > FLOOR_CLEAR * f->options->tolerance;
    if (f->run->cycles >= CYCLES_LEAST && rough && floor > f->options->tolerance)
        rill_follow_imprecise(f, (double)s->cycle, k);
}

/* Whether rounding may show because k of the coarser grid, which it started from, is far from that of this
 * grid. */
static bool misled(const state *s)
{
    const rill_follower *f = s->f;
    rill_permeability_flow *run = f->run;
    rill_permeability_plan tuned = *f->plan;
    const double coarse = tuned.k_expected, k = fabs(s->k.value);
    if (!isfinite(run->coarse)) return rounds_alike(s);
    if (!run->converged) return false;
    rill_plan_tune(f->options, k, &tuned);
    if (tuned.nu > VISCOSITY_LESS * f->plan->nu ||
        rill_plan_rounding(f->options, f->plan, k) <= ROUNDING_SHOWS)
        return false;
    snprintf(run->reason, sizeof run->reason, "along %c, k of a coarser grid is %.3g, but %.3g on this one",
             rill_axis(run->axis), coarse, k);
    return true;
}

static rill_status create(rill_follower *f, const rill_domain *domain, rill_pressures *p, state *s)
{
    rill_status status = RILL_OK;
    *s = (state){.f = f, .p = p, .k = rill_path_start(), .tortuosity = rill_path_start()};
    for (int b = 0; b < 3; b++) s->across[b] = rill_path_start();
    s->cycle = f->plan->cycle;
    s->memory = f->plan->memory;
    s->between = rill_plan_between(f->plan);
    const bool sloshes = rill_plan_sloshes(f->plan);
    if (!rill_sim_device_of(f->sim)->backend->traits.processor && !sloshes) {
        const double most = fmax(BEGUN_UPDATES / (double)f->plan->nodes, 2);
        s->begun = (uint64_t)fmin((double)(s->cycle - s->between - 2), most);
        RILL_TRY(rill_follow_begin(f, s->begun));
    }
    const double begun = rill_now();
    RILL_TRY(rill_pressures_create(f, domain, p));
    rill_log(RILL_LOG_DEBUG, "pore network of %u chambers, waited for and labelled in %.2g s",
             p->network.chambers, rill_now() - begun);
    const uint32_t chambers = p->network.chambers;
    RILL_TRY(rill_mixing_create(chambers, &s->mixing));
    RILL_TRY(rill_array_create_zero(chambers, sizeof(double), "the pressures of a pore network",
                                    (void **)&s->pressure));
    RILL_TRY(rill_array_create_zero(chambers, sizeof(double), "the pressures of a pore network",
                                    (void **)&s->step));
    f->run->chambers = chambers;
    if (sloshes) RILL_TRY(begin_pressed(s));
done:
    return status;
}

static void destroy(state *s)
{
    rill_array_destroy(s->pressure);
    rill_array_destroy(s->step);
    rill_array_destroy(s->held);
    rill_mixing_destroy(&s->mixing);
}

/* Step, and see momentum, energy and the mass of the chambers at the end; the tortuosity of the second sight
 * alone. */
static rill_status look(state *s, uint64_t steps, int which)
{
    rill_pressures *p = s->p;
    const rill_relaxation remembers = rill_relaxation_of(s->memory),
                          sees = rill_plan_sound_lasts(s->f->plan) ? rill_relaxation_forgets(remembers)
                                                                   : (rill_relaxation){1, 1, 0};
    const rill_seeing all = {
        .density = sees.density, .speeds = which == 1, .labels = p->network.chambers, .sums = p->sums[which]};
    rill_status status = RILL_OK;
    if (which == 0 && s->memory > 0 && steps > TIME_STEPS) {
        RILL_TRY(rill_sim_relax(s->f->sim, remembers));
        RILL_TRY(rill_follow_step(s->f, steps - TIME_STEPS));
        if (s->f->stopped) return RILL_OK; /* with memory: a checkpoint has the step before */
        steps = TIME_STEPS;
    }
    if (which == 0) RILL_TRY(rill_sim_relax(s->f->sim, sees));
    RILL_TRY(rill_follow_sight(s->f, steps, &all, which ? &p->after : &p->before));
done:
    return status;
}

rill_status rill_follow_network(rill_follower *f, const rill_domain *domain, rill_pressures *pressures)
{
    rill_status status = RILL_OK;
    rill_permeability_flow *run = f->run;
    state s = {.f = NULL};
    if (rill_follow_ends(f, f->plan->cycle)) return RILL_OK; /* the network is not waited for */
    f->correcting = true;
    RILL_TRY(create(f, domain, pressures, &s));
    while (!run->converged && !f->misled && run->reason[0] == '\0' &&
           !rill_follow_ends(f, s.cycle - s.begun) && (run->cycles < CYCLES_MOST || s.nears)) {
        const double begin = rill_now();
        RILL_TRY(stop(&s));
        if (f->stopped) continue;
        RILL_TRY(look(&s, s.cycle - s.between - s.begun, 0));
        s.begun = 0;
        RILL_TRY(look(&s, s.between, 1));
        if (f->stopped) continue;
        run->cycles++;
        const double before = rill_now();
        RILL_TRY(estimate(&s));
        const double seconds = rill_now() - before;
        run->converged = judge(&s);
        see_divergence(&s);
        f->misled = misled(&s);
        if (!f->misled) see_rounding(&s);
        run->converged = run->converged && !f->misled;
        RILL_TRY(rill_follow_record(f));
        const double after = rill_now();
        if (!run->converged && run->reason[0] == '\0' && f->limits[run->axis].finite) RILL_TRY(correct(&s));
        rill_log(
            RILL_LOG_DEBUG,
            "cycle %d: k %.6g, momentum %.6g, moved %.2g, expected %.2g, tortuosity %.6g within %.2g; %d iterations in %.2g s; "
            "steps and looks %.2g, correction %.2g s",
            run->cycles, s.k.value, f->last.k[run->axis], s.k.moved[0] / s.k.value,
            pressures->expected / s.k.value, s.tortuosity.value, run->tortuosity_uncertainty,
            pressures->iterations, seconds, before - begin, rill_now() - after);
    }
    f->correcting = false;
    /* A run that was stopped has its memory: the checkpoint has the step before. */
    if (!f->stopped) RILL_TRY(rill_sim_relax(f->sim, (rill_relaxation){1, 1, 0}));
    if (f->misled) goto done;
    if (!run->converged && run->reason[0] == '\0' && f->other) {
        snprintf(run->reason, sizeof run->reason,
                 "the pressure corrections along %c do not converge after %d cycles", rill_axis(run->axis),
                 run->cycles);
    } else if (!run->converged && run->reason[0] == '\0') {
        rill_log(RILL_LOG_NOTE,
                 "the pressure corrections do not converge after %d cycles: continuing without them",
                 run->cycles);
        for (int b = 0; b < 3; b++) rill_limit_init(&f->limits[b], f->plan->every);
        RILL_TRY(rill_follow_series(f, domain, pressures));
    }
done:
    destroy(&s);
    return status;
}
