/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits beyond which a run is not the flow that was planned: an unstable boundary may saturate instead of
 * diverging, with velocities and pressures that look finite.
 *
 * Pressures at the openings follow from the circuit. Inside the vessel Bernoulli's rho u^2 / 2 is added, the
 * viscous drop 8 pi mu Q / A^2 of Poiseuille along the longest way, and the inertial drop rho (dQ/dt) / A: of
 * the waveforms, and of the soft start, of which sound limits it to rho c_s u (Joukowsky's water hammer).
 * Echoes of the soft start may add up to more than the inertial drop: until they have decayed, the water
 * hammer counts.
 */
#include "vessel/plan/plan.h"

#include <math.h>

enum {
    SAMPLES = 256,
    ECHOES = 10 /* of sound along the vessel, there and back, by which a start has decayed */
};

/* Largest flow into the vessel over a cycle, and how fast it changes, m3/s and m3/s2. */
static void inflow_extremes(const rill_case *c, const rill_outlook *outlook, double *most, double *rate)
{
    double last = 0;
    *most = *rate = 0;
    for (int j = 0; j <= SAMPLES; j++) {
        double in = 0;
        for (int k = 0; k < outlook->count; k++)
            if (c->ends[outlook->ends[k]].kind == RILL_END_INLET)
                in += rill_harmonics_at(&outlook->states[k].flow, c->run.period * j / SAMPLES);
        *most = fmax(*most, fabs(in));
        if (j > 0 && c->run.period > 0) *rate = fmax(*rate, fabs(in - last) * SAMPLES / c->run.period);
        last = in;
    }
}

/* Return what the extension of an outlet loses at most, Pa: behind it the pressure is lower by that. */
static double loss_most(const rill_case_plan *plan)
{
    double most = 0;
    for (int k = 0; k < plan->opening_count; k++)
        most = fmax(most, plan->openings[k].extension_resistance * fabs(plan->openings[k].flow_peak));
    return most;
}

static void set_limit(rill_case_plan *plan)
{
    const double base = plan->scales.base;
    plan->pressure.limit = fmax(fabs(plan->pressure.low - base), fabs(plan->pressure.high - base)) +
                           RILL_GUARD_PRESSURE * plan->pressure.allowed;
}

void rill_case_plan_guard(const rill_case *c, const rill_outlook *outlook, const rill_passage *fastest,
                          rill_case_plan *plan)
{
    const double u = plan->peak.velocity, sound = plan->scales.velocity / sqrt(3.0),
                 start = (double)plan->start.soft * plan->scales.time;
    double flow, rate;
    inflow_extremes(c, outlook, &flow, &rate);
    plan->pressure.low = INFINITY;
    plan->pressure.high = -INFINITY;
    for (int k = 0; k < outlook->count; k++)
        for (int j = 0; j < SAMPLES; j++) {
            const double p = rill_harmonics_at(&outlook->states[k].pressure, c->run.period * j / SAMPLES);
            plan->pressure.low = fmin(plan->pressure.low, p);
            plan->pressure.high = fmax(plan->pressure.high, p);
        }
    const double bernoulli = c->density * u * u / 2,
                 viscous = 8 * M_PI * plan->viscosity.nu * c->density * fastest->resist,
                 pulse = flow > 0 ? c->density * fastest->inert * rate / flow : 0,
                 slow = start > 0 ? M_PI / 2 * c->density * fastest->inert / start : INFINITY,
                 hammer = c->density * sound * u;
    plan->pressure.allowed = plan->pressure.high - plan->pressure.low + bernoulli + viscous +
                             loss_most(plan) + fmin(pulse, hammer) + fmin(slow, hammer);
    plan->pressure.start = RILL_GUARD_PRESSURE * fmax(hammer - slow, 0);
    plan->start.steps = plan->start.soft + (uint64_t)fmin(ECHOES * 2 * plan->start.sound, 1e15);
    plan->peak.mach_limit = RILL_GUARD_MACH * plan->peak.mach;
    set_limit(plan);
}

double rill_case_plan_guard_pressure(const rill_case_plan *plan, uint64_t steps)
{
    return plan->pressure.limit + (steps < plan->start.steps ? plan->pressure.start : 0);
}

void rill_case_plan_guard_widen(rill_case_plan *plan, double pressure)
{
    plan->pressure.low = fmin(plan->pressure.low, pressure);
    plan->pressure.high = fmax(plan->pressure.high, pressure);
    set_limit(plan);
}
