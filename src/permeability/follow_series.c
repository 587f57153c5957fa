/* SPDX-License-Identifier: Apache-2.0 */
/* Follows a run by the series of its permeabilities, which permeability/limit.c takes to its end. */
#include "core/log.h"
#include "core/notes.h"
#include "geometry/voxels/axes.h"
#include "core/status.h"
#include "kernel/storage/storage.h"
#include "permeability/plan.h"
#include "permeability/pressures.h"
#include "kernel/variant.h"

#include <math.h>
#include <stdio.h>

/* The network is asked again when the run is longer by this factor. */
#define AGAIN 1.04
/* A run that is longer than was expected by this factor leaves what is left to a network that may correct the
 * pressures. */
#define LATE 3

/* The tortuosity is uncertain by so many times what it moved since half of the steps. */
#define MOVED_FACTOR 1.5

/* Two numbers of successive steps. The mean over all groups of the fewer of them within a row of the more, of
 * the means of each, has nothing of a cycle whose length divides either; part of one that is longer. */
enum { CYCLES_SHORT = 24, CYCLES_LONG = 40, ROUNDINGS = CYCLES_SHORT + CYCLES_LONG - 1 };
/* Such a mean of half as many steps, at the beginning, in the middle and at the end of those. */
enum { PART = ROUNDINGS / 2, PARTS = 3, PART_APART = (ROUNDINGS - PART) / (PARTS - 1) };
/* How far the mean may be off in standard deviations of one of them; and what part of it. */
#define ROUNDING_NOISE 0.5
#define ROUNDING_PART 0.5
/* Of what is not corrected, the components across the axis and the tortuosity, both count so many times: 6.3
 * were seen in 231 runs. */
#define ROUNDING_OTHERS 8
/* Rounding to 16 bits leaves velocities that are small against its own, and |u| of these adds up: half of
 * them stand still, half change their sign from step to step. Of the latter, what they add to the tortuosity
 * of one step is seen. The former added 1.7 times that at most. */
#define ROUNDING_TURNING 3
/* Of those that stand still without changing their sign, a rough scale is known: 2.1 times that was seen. */
#define ROUNDING_STANDING 3
/* So many times what chunks of nodes do to k, and the sums of their rounding to the flow across the axis. */
#define ROUNDING_APART 2
#define ROUNDING_ACROSS 2
/* Where rounding swallows much of the force, its errors are no longer small: so many times the square. */
#define ROUNDING_LOST 10
/* Rounding that is too large so many times, or noise that is too loud after so many times the steps that were
 * expected, will stay so. */
#define ROUNDING_TRIES 6
#define NOISE_STEPS 30
/* Where rounding alone exceeds the tolerance, a result counts as so many. */
enum { ROUNDING_CLEAR = 3 };
/* After so many times the planned steps it is noise that hides the end: what is known of k is given, as far
 * as results of 16 bits may exceed the tolerance. */
#define NOISE_HIDES 2

static bool is_narrow(const rill_follower *f)
{
    return rill_storage_size((int)f->options->variant.storage) == 2;
}

/* How uncertain k may be, relative. */
static double wanted(const rill_follower *f)
{
    const rill_permeability_options *o = f->options;
    const double steps = (double)rill_sim_steps(f->sim);
    const bool hidden = is_narrow(f) && steps > NOISE_HIDES * rill_plan_steps_likely(o, f->plan);
    return hidden ? RILL_ROUNDING_GIVEN * o->tolerance : o->tolerance;
}

/* Step, and add the momentum to the series. */
static rill_status sample(rill_follower *f, uint64_t steps, rill_sight *sight)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_follow_sight(f, steps, &(rill_seeing){.density = 1, .speeds = true}, sight));
    if (f->stopped) return RILL_OK;
    for (int b = 0; b < 3; b++) {
        if (!(f->components >> b & 1)) continue;
        f->last.k[b] = sight->k[b];
        rill_limit_push(&f->limits[b], f->last.k[b]);
        if (f->limits[b].evaluated == f->limits[b].count) f->fitted = sight->step;
    }
done:
    return status;
}

static double rounding(const rill_follower *f)
{
    const rill_limit_estimate *e = &f->limits[f->run->axis].estimate;
    return rill_follow_floor(f, e->efold, e->value);
}

/* Return whether nothing but rounding is left, which more steps do not reduce. */
static bool rounding_rules(const rill_follower *f)
{
    const rill_limit_estimate *e = &f->limits[f->run->axis].estimate;
    return rounding(f) > f->options->tolerance && e->uncertainty <= rounding(f) * fabs(e->value);
}

/*
 * How far the tortuosity may be from its end, which no fit is made of: as far as it was since half of the
 * steps, and what is to come if it goes on as the slowest exponential of k does. Between reservoirs, where
 * |u| hardly exceeds u, that of both is nearer to 1 than that of the sample.
 */
static double tortuosity_uncertainty(const rill_follower *f)
{
    const rill_permeability_flow *run = f->run;
    const double step = (double)rill_sim_steps(f->sim), efold = f->limits[run->axis].estimate.efold;
    const double planes = f->between.geom ? f->between.geom->n[2] / (double)f->geom->n[run->axis] : 1;
    double moved = 0;
    for (size_t s = run->sample_count; s-- > 0;) {
        const double since = step - (double)run->samples[s].step, to_come = expm1(since / efold);
        moved = fmax(moved, fabs(run->samples[s].tortuosity - f->last.tortuosity));
        if (since >= step / 2)
            return planes * MOVED_FACTOR * moved * fmax(1, 1 / to_come) + rounding(f) * f->last.tortuosity;
    }
    return INFINITY;
}

/* Take the estimates over into the run. @return true when they are good enough */
static bool judge(rill_follower *f)
{
    rill_permeability_flow *run = f->run;
    const double size = fabs(f->limits[run->axis].estimate.value);
    double largest = 0;
    for (int b = 0; b < 3; b++) {
        const rill_limit_estimate *e = &f->limits[b].estimate;
        if (!(f->components >> b & 1)) continue;
        if (!rill_follow_is_zero(f, b)) /* the series of an entry that is 0 is not waited for */
            largest = fmax(largest, e->uncertainty / size);
        rill_follow_take(f, b, f->last.k[b], e->uncertainty + rounding(f) * size);
    }
    run->rounding = rill_follow_rounding_of(f, f->limits[run->axis].estimate.efold, size) * size;
    run->tortuosity_uncertainty = tortuosity_uncertainty(f);
    run->steps = rill_sim_steps(f->sim);
    return largest + rounding(f) <= wanted(f) && (double)run->steps >= rill_follow_patience(f, size);
}

/* Pressures are what has not settled where the part of k that they lack is at least this part of what k
 * misses in all. Else momentum has not, and no corrections would help: it settles by steps. */
#define PRESSURES_PART 0.1

/* What the network is to compute: the pressures of two samples, and their use. */
typedef struct question {
    rill_pressures *pressures;
    const rill_domain *domain;
    bool seen;       /* the first of the two sights */
    double not_till; /* steps */
} question;

/*
 * How much of the missing velocity v the sums over all nodes may lack, relative to the sum of u along the
 * axis. The part of k that is missing, expected / k, is the part of the dissipation that is missing, and this
 * is of second order in v: if v dissipates no less than u for its square, sum(v^2) <= expected / k sum(u^2).
 * By the inequality of Cauchy and Schwarz sum|v| <= sqrt(nodes sum(v^2)). In a tensor, components across the
 * axis are compared with those of another run.
 */
static double lacking(const rill_sight *sight, double expected, double k)
{
    return sight->spread * sqrt(expected / fabs(k));
}

/*
 * The fit of a series knows nothing of slow modes that hardly move k. What the network sees of the pressures
 * does: where k as it follows from the energies of the flow, give or take what the pressures still lack, is
 * farther from the fit than the uncertainty, that distance is the uncertainty. A network that may correct
 * them then takes over.
 * @param[out] good  the answer is there, and what the run knows is good enough
 */
static rill_status ask(rill_follower *f, question *q, const rill_sight *sight, bool *good)
{
    rill_status status = RILL_OK;
    rill_permeability_flow *run = f->run;
    rill_pressures *p = q->pressures;
    const bool waiting = q->seen && sight->step < p->before.step + rill_plan_between(f->plan);
    if (waiting || (!q->seen && !(*good && (double)sight->step >= q->not_till))) {
        *good = false;
        return RILL_OK;
    }
    if (!p->gain) RILL_TRY(rill_pressures_create(f, q->domain, p));
    RILL_TRY(rill_pressures_see(f, p, q->seen, sight));
    q->seen = !q->seen;
    if (q->seen) {
        *good = false;
        return RILL_OK;
    }
    RILL_TRY(rill_pressures_estimate(f, p));
    q->not_till = AGAIN * (double)sight->step;
    double *const uncertainty = &run->uncertainty[run->axis];
    const double k = run->k[run->axis], still = RILL_PRESSURES_FACTOR * p->expected,
                 lacks = fabs(k - p->k) + still;
    *uncertainty = fmax(*uncertainty, lacks);
    const double part = lacking(sight, p->expected, k);
    for (int b = 0; b < 3; b++)
        if (!rill_axes_has(f->options->axis, b) && !rill_follow_is_zero(f, b))
            run->uncertainty[b] = fmax(run->uncertainty[b], part * fabs(k));
    run->tortuosity_uncertainty =
        fmax(run->tortuosity_uncertainty, part); /* sum|v| over the sum of u along the axis */
    if (*good && *uncertainty > f->options->tolerance * fabs(k) && f->other && still > PRESSURES_PART * lacks)
        snprintf(run->reason, sizeof run->reason, "pressures settle more slowly along %c than k shows",
                 rill_axis(run->axis));
    *good = *good && *uncertainty <= wanted(f) * fabs(k);
    rill_log(RILL_LOG_DEBUG, "step %llu: k %.6g from the series, %.6g from energies, expected %.2g",
             (unsigned long long)sight->step, k, p->k, p->expected / fabs(k));
done:
    return status;
}

/* What k changes by per work of rounding. */
static double work_scale(const rill_follower *f)
{
    const rill_permeability_plan *plan = f->plan;
    return plan->nu / (3 * plan->force * plan->force * (double)rill_geom_sample(f->geom));
}

/*
 * What rounding leaves uncertain of k_ba. Its influence on k_ba is the flow that a force along b would drive,
 * of which no more is known than how large its velocities and pressures are about. Where these are larger
 * than those of this flow, as along plates that are pierced, so is the error. And what chunks of nodes do to
 * k_aa may cancel out, while it does not across the axis.
 */
static double rounding_across(const rill_follower *f, int b, const rill_rounding_sums *mean, double along)
{
    const rill_permeability_plan *plan = f->plan;
    const rill_pore_flow *flow = &plan->pores.along[b];
    const double force = fabs(plan->force), density = 3 * force * sqrt(flow->squares / plan->pores.porosity),
                 speed = force * flow->k / (plan->pores.porosity * plan->nu),
                 driven = hypot(density * mean->mass_apart, 3 * speed * mean->momentum_apart[b]);
    return ROUNDING_OTHERS * along +
           work_scale(f) * (ROUNDING_APART * mean->work_apart + ROUNDING_ACROSS * driven);
}

/*
 * The steady velocities that rounding causes in pores without flow, over those along the axis. In a chamber
 * the pressure is uniform, so that all of its nodes round alike, and this drives a steady circulation. The
 * network gives the share of such pores; without one it is estimated from the squares of the velocities.
 */
static double standing(const rill_follower *f)
{
    const rill_permeability_plan *plan = f->plan;
    const rill_pore_flow *flow = &plan->pores.along[f->run->axis];
    const double nodes = (double)plan->nodes, densities = sqrt(6 * f->last.elastic * nodes),
                 unit = exp2(-rill_storage_digits((int)f->options->variant.storage) - 1.0);
    const double sum =
        fabs(f->last.k[f->run->axis] * plan->force) * (double)rill_geom_sample(f->geom) / plan->nu;
    const double still = flow->speed > 0 ? flow->still : 1 - 1 / (f->last.spread * f->last.spread);
    return still * unit * densities / sum;
}

/* Add a part of sums to their mean. */
static void add_sums(rill_rounding_sums *mean, const rill_rounding_sums *now, double part)
{
    mean->work_apart += part * now->work_apart;
    mean->mass_apart += part * now->mass_apart;
    for (int b = 0; b < 3; b++) mean->momentum_apart[b] += part * now->momentum_apart[b];
}

/* The mean of a row of successive states without their cycles. */
static double mean_of(const double *states, int fewer, int more)
{
    const int count = fewer + more - 1;
    double sum = 0;
    for (int i = 0; i < count; i++) sum += states[i] * fmin(fmin(i + 1, fewer), count - i);
    return sum / (fewer * more);
}

/* How far such means of parts of the row are from that of all. */
static double mean_moves(const double *states)
{
    const double all = mean_of(states, CYCLES_SHORT, CYCLES_LONG);
    double most = 0;
    for (int part = 0; part < PARTS; part++)
        most = fmax(most, fabs(mean_of(states + part * PART_APART, CYCLES_SHORT / 2, CYCLES_LONG / 2) - all));
    return most;
}

static double deviation_of(const double *states)
{
    double mean = 0, squares = 0;
    for (int n = 1; n <= ROUNDINGS; n++) {
        const double moved = states[n - 1] - mean;
        mean += moved / n;
        squares += moved * (states[n - 1] - mean);
    }
    return sqrt(squares / (ROUNDINGS - 1));
}

/*
 * Subtract from k what rounding to 16 bits adds to it, to first order: the mean over successive states. What
 * it fluctuates by is uncertain, and a part of it for the second order. The other components know only how
 * large it is.
 *
 * In ducts of few voxels the flow ends in a cycle of a few steps, of which samples of the series see always
 * the same ones. What the mean of k over the same states differs by from the fit at these very states is
 * added: the flow still approaches its end meanwhile, and the fit may be several tries old.
 * @param[out] good  k is good enough
 * @param[out] left  what rounding leaves uncertain of k, relative
 */
static rill_status take_off_rounding(rill_follower *f, bool *good, double *left)
{
    rill_status status = RILL_OK;
    rill_permeability_flow *run = f->run;
    const rill_permeability_plan *plan = f->plan;
    const double to_k = plan->nu / (plan->force * (double)rill_geom_sample(f->geom));
    rill_rounding_sums sums = {.work = 0};
    double more[ROUNDINGS], beside[3][ROUNDINGS], exact[ROUNDINGS], cycle[3], lost = 0;
    for (int n = 0; n < ROUNDINGS; n++) {
        /* A sample is the mean of two steps. */
        const double since = (double)rill_sim_steps(f->sim) - (double)f->fitted + 0.5;
        rill_rounding_sums rounding;
        RILL_TRY(rill_follow_rounding(f, &rounding));
        RILL_TRY(rill_follow_step(f, 1));
        if (f->stopped) { /* k stays what it was without these states */
            run->tortuosity_uncertainty = INFINITY;
            *good = false;
            return RILL_OK;
        }
        more[n] = work_scale(f) * rounding.work;
        for (int b = 0; b < 3; b++)
            beside[b][n] = to_k * rounding.flow[b] - rill_limit_after(&f->limits[b].estimate, since);
        exact[n] = beside[run->axis][n] - more[n];
        add_sums(&sums, &rounding, 1.0 / ROUNDINGS);
        lost += fabs(rounding.momentum[run->axis] / plan->force) / (double)plan->nodes / ROUNDINGS;
    }
    const double mean = mean_of(more, CYCLES_SHORT, CYCLES_LONG), size = fabs(run->k[run->axis]);
    const double noise = fmax(ROUNDING_NOISE * deviation_of(more), mean_moves(exact));
    const double second = ROUNDING_LOST * lost * lost * size, along = noise + ROUNDING_PART * fabs(mean);
    for (int b = 0; b < 3; b++) cycle[b] = mean_of(beside[b], CYCLES_SHORT, CYCLES_LONG);
    for (int b = 0; b < 3; b++)
        if (!rill_follow_is_zero(f, b))
            run->uncertainty[b] +=
                (b == run->axis ? along : rounding_across(f, b, &sums, noise + fabs(mean)) + fabs(cycle[b])) +
                second;
    run->rounding += along + second;
    run->tortuosity_uncertainty +=
        f->last.tortuosity * (ROUNDING_OTHERS * (noise + fabs(mean)) / size + fabs(cycle[run->axis]) / size +
                              ROUNDING_LOST * lost * lost) +
        fmax(ROUNDING_TURNING * f->last.turning, ROUNDING_STANDING * standing(f));
    run->k[run->axis] += cycle[run->axis] - mean;
    *left = (along + second) / size;
    *good = run->uncertainty[run->axis] <= wanted(f) * fabs(run->k[run->axis]);
    rill_log(RILL_LOG_DEBUG,
             "rounding: k %.6g, %.2g too large, cycles %.2g, noise %.2g and %.2g, %.2g of the force lost",
             run->k[run->axis], mean / run->k[run->axis], cycle[run->axis] / run->k[run->axis],
             ROUNDING_NOISE * deviation_of(more) / run->k[run->axis], mean_moves(exact) / run->k[run->axis],
             lost);
done:
    return status;
}

/* Say that 16 bits are too few, if they are. A result whose rounding exceeds the tolerance by no more than
 * what is let pass before the first step is one. @param tries  results that rounding made too uncertain so
 * far */
static void narrow_judge(rill_follower *f, int tries)
{
    rill_permeability_flow *run = f->run;
    const rill_permeability_options *o = f->options;
    const double k = fabs(run->k[run->axis]), uncertainty = run->uncertainty[run->axis] / k;
    const double planned = fmax(f->plan->steps_expected, rill_plan_steps_likely(o, f->plan));
    const double long_enough = NOISE_STEPS * fmax(planned, rill_follow_patience(f, k));
    if (uncertainty <= o->tolerance || (tries < ROUNDING_TRIES && (double)run->steps < long_enough)) return;
    run->converged = tries >= ROUNDING_TRIES && uncertainty <= RILL_ROUNDING_GIVEN * o->tolerance;
    if (run->converged) return;
    snprintf(
        run->reason, sizeof run->reason,
        "rounding in %s storage leaves an uncertainty of %.2g of k along %c, above the tolerance of %.2g: take --storage fp32, or raise --tolerance",
        rill_storage_names[o->variant.storage], uncertainty, rill_axis(run->axis), o->tolerance);
}

rill_status rill_follow_narrow_note(const rill_permeability_flow *run, double tolerance, char **notes)
{
    const double uncertainty = run->uncertainty[run->axis] / fabs(run->k[run->axis]);
    if (rill_storage_size((int)run->storage) != 2 || uncertainty <= tolerance) return RILL_OK;
    return rill_note(
        notes,
        "rounding in %s storage leaves an uncertainty of %.2g of k along %c, above the tolerance of %.2g: take --storage fp32 for that",
        rill_storage_names[run->storage], uncertainty, rill_axis(run->axis), tolerance);
}

rill_status rill_follow_series(rill_follower *f, const rill_domain *domain, rill_pressures *pressures)
{
    rill_status status = RILL_OK;
    rill_permeability_flow *run = f->run;
    const rill_permeability_options *o = f->options;
    const bool narrow = is_narrow(f);
    question q = {.pressures = pressures, .domain = domain};
    int tries = 0;
    /* A device steps meanwhile. Processors would have to share their time, for what may never be asked. */
    if (rill_plan_makes_network(f->plan, f->options) && !pressures->domain &&
        !rill_sim_device_of(f->sim)->backend->traits.processor)
        RILL_TRY(rill_pressures_begin(f, domain, pressures));
    while (!run->converged && run->reason[0] == '\0' && !rill_follow_ends(f, f->limits[run->axis].every)) {
        rill_sight sight;
        RILL_TRY(sample(f, f->limits[run->axis].every, &sight));
        if (f->stopped) continue;
        bool good = judge(f);
        if (f->plan->chambers) RILL_TRY(ask(f, &q, &sight, &good));
        if (good && narrow) {
            double left = 0;
            RILL_TRY(take_off_rounding(f, &good, &left));
            if (f->stopped) continue;
            tries += good ? 0 : left > o->tolerance ? ROUNDING_CLEAR : 1;
        } else if (narrow) {
            run->tortuosity_uncertainty = INFINITY; /* what 16 bits do to it is not known yet */
        }
        RILL_TRY(rill_follow_record(f));
        const bool finite = f->limits[run->axis].finite;
        run->converged = good && finite;
        if (!good && f->other &&
            (double)run->steps > LATE * fmax(f->plan->steps_expected, rill_plan_steps_likely(o, f->plan)))
            snprintf(run->reason, sizeof run->reason, "k settles more slowly along %c than planned",
                     rill_axis(run->axis));
        if (narrow && finite)
            narrow_judge(f, tries);
        else if (finite && rounding_rules(f))
            rill_follow_imprecise(f, f->limits[run->axis].estimate.efold,
                                  f->limits[run->axis].estimate.value);
    }
done:
    return status;
}
