/* SPDX-License-Identifier: Apache-2.0 */
/* Where a flow diverged or left its plan, and why. */
#include "vessel/run/run_priv.h"

#include "sim/worst.h"
#include "vessel/plan/plan.h"
#include "core/status.h"

#include <math.h>
#include <stdio.h>

#define MMHG 133.322387415 /* Pa */

/* Find where it is worst. @param[out] out  its place in m */
static rill_status worst_find(const rill_vessel *v, bool dense, rill_worst *out)
{
    const rill_geom *geom = v->geom;
    const rill_status status = rill_worst_find(v->sim, geom, rill_domain_nodes(v->domain), dense, out);
    for (int a = 0; a < 3; a++) out->place[a] = geom->origin[a] + geom->spacing * (out->place[a] + 0.5);
    return status;
}

static const rill_opening *nearest(const rill_surface *s, const double place[3], double *distance)
{
    const rill_opening *found = NULL;
    *distance = INFINITY;
    for (int k = 0; k < s->opening_count; k++) {
        const double *c = s->openings[k].centre;
        const double gap = hypot(hypot(c[0] - place[0], c[1] - place[1]), c[2] - place[2]);
        if (gap < *distance) *distance = gap, found = &s->openings[k];
    }
    return found;
}

/* Write "(1 mm, 2 mm, 3 mm), 0.4 mm from NAME". */
static const char *where(const rill_vessel *v, const rill_worst *w, char *text, size_t size)
{
    double distance;
    const double *place = w->place;
    const rill_opening *o = nearest(v->geom->surface, place, &distance);
    snprintf(text, size, "(%.4g mm, %.4g mm, %.4g mm), %.3g mm from %s", 1e3 * place[0], 1e3 * place[1],
             1e3 * place[2], 1e3 * distance, o ? o->name : "nowhere");
    return text;
}

static double least_tau(const rill_case_plan *plan)
{
    return plan->viscosity.tau_low > 0 ? plan->viscosity.tau_low : plan->options.tau;
}

rill_status rill_run_diverged(rill_run_loop *loop, const rill_totals *totals)
{
    rill_status status = RILL_OK;
    rill_vessel *v = loop->vessel;
    rill_worst w;
    char speed[64] = "is not finite", mach[96] = "", remedy[160], at[224];
    RILL_TRY(worst_find(v, false, &w));
    if (w.finite)
        snprintf(speed, sizeof speed, "has a speed of %.3g m/s, Mach %.2g", w.size * v->plan.scales.velocity,
                 sqrt(3) * w.size);
    if (isfinite(loop->mach)) snprintf(mach, sizeof mach, "Mach was %.2g when last looked at, ", loop->mach);
    const double tau = least_tau(&v->plan);
    if (tau < 0.51)
        snprintf(remedy, sizeof remedy, "tau is too near to 0.5: refine the geometry, or shorten time_step");
    else
        snprintf(remedy, sizeof remedy,
                 "lower run.mach or run.time-step, lengthen run.soft-start, or refine");
    status = rill_fail(
        RILL_NUMERICS,
        "the flow diverged before step %llu, at %.4g s: the fluid at %s, %s (%llu nodes are no numbers); %stau is %.4g: %s",
        (unsigned long long)loop->state.steps, rill_observers_time(&loop->observers),
        where(v, &w, at, sizeof at), speed, (unsigned long long)totals->not_finite, mach, tau, remedy);
done:
    return status;
}

rill_status rill_run_too_fast(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    const rill_vessel *v = loop->vessel;
    rill_worst w;
    char at[224];
    RILL_TRY(worst_find(v, false, &w));
    status = rill_fail(
        RILL_NUMERICS,
        "the flow diverged from its plan before step %llu, at %.4g s: "
        "the fluid at %s, has a speed of %.3g m/s, Mach %.3g, and the limit is %.3g, %g times the planned Mach number; tau is %.5g: "
        "voxelize with a smaller --dx, or correct the flows and pressures of the case",
        (unsigned long long)loop->state.steps, rill_observers_time(&loop->observers),
        where(v, &w, at, sizeof at), w.size * v->plan.scales.velocity, sqrt(3) * w.size,
        v->plan.peak.mach_limit, RILL_GUARD_MACH, least_tau(&v->plan));
done:
    return status;
}

rill_status rill_run_too_dense(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    const rill_vessel *v = loop->vessel;
    const rill_case_plan *plan = &v->plan;
    const double base = plan->scales.base, limit = rill_case_plan_guard_pressure(plan, loop->state.steps);
    rill_worst w;
    char at[224];
    RILL_TRY(worst_find(v, true, &w));
    status = rill_fail(
        RILL_NUMERICS,
        "the flow diverged from its plan before step %llu, at %.4g s: "
        "the fluid at %s, has a pressure of %.4g mmHg, and the limits are %.4g and %.4g, %g times what the openings, Bernoulli, "
        "viscosity and inertia allow; tau is %.5g: voxelize with a smaller --dx, or lengthen soft-start",
        (unsigned long long)loop->state.steps, rill_observers_time(&loop->observers),
        where(v, &w, at, sizeof at), (base + w.rho / 3 * plan->scales.pressure) / MMHG, (base - limit) / MMHG,
        (base + limit) / MMHG, RILL_GUARD_PRESSURE, least_tau(plan));
done:
    return status;
}
