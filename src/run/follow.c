/* SPDX-License-Identifier: Apache-2.0 */
/* What both ways of following a run share. */
#include "run/follow.h"
#include "core/clock.h"
#include "core/status.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seconds between two calls of the watcher, and the most that is stepped in one go. */
#define WATCH_SECONDS 0.2

static void watch(rill_follower *f)
{
    const double time = rill_now(), seconds = time - f->started;
    const rill_permeability_options *o = f->options;
    if (!o->watch || time - f->watched < WATCH_SECONDS) return;
    f->watched = time;
    const int a = f->run->axis;
    const rill_limit_estimate *e = &f->limits[a].estimate;
    const uint64_t steps = rill_sim_steps(f->sim);
    const double relative = e->uncertainty / fabs(e->value);
    rill_permeability_moment moment = {.axis = a,
                                       .steps = steps,
                                       .k = f->k[a],
                                       .predicted = e->value,
                                       .uncertainty = relative,
                                       .seconds_left = -1};
    moment.mlups = (double)(f->plan->nodes + f->plan->reservoirs) * (double)steps / seconds * 1e-6;
    /* The slowest mode alone is left: the uncertainty falls with its e-folding time. */
    if (isfinite(relative) && e->efold > 0 && relative > 0)
        moment.seconds_left = fmax(0, log(relative / o->tolerance)) * e->efold * seconds / (double)steps;
    f->stopped = !o->watch(o->context, &moment);
}

rill_status rill_follow_step(rill_follower *f, uint64_t steps)
{
    rill_status status = RILL_OK;
    while (steps > 0 && !f->stopped) {
        const uint64_t some = steps < f->slice ? steps : f->slice;
        const double before = rill_now();
        RILL_TRY(rill_sim_step(f->sim, some));
        const double each = (rill_now() - before) / (double)some;
        f->slice = each > 0 ? (uint64_t)fmin(fmax(WATCH_SECONDS / each, 1), 1 << 20) : 1 << 20;
        steps -= some;
        watch(f);
    }
done:
    return status;
}

/*
 * k_ba from the state as it is. Reservoirs: the flow along the axis is the same through every plane in the
 * end, so that its mean over all of them serves, and the pressure falls between the centres of the first and
 * the last plane of the sample.
 */
rill_status rill_follow_observe(rill_follower *f, double k[3], rill_totals *totals)
{
    rill_status status = RILL_OK;
    const rill_geom *between = f->between.geom;
    const double nu = f->plan->nu, volume = (double)rill_geom_voxels(between ? between : f->geom);
    double drop = 0;
    RILL_TRY(rill_sim_totals(f->sim, totals));
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

rill_status rill_follow_record(rill_follower *f)
{
    rill_permeability_run *run = f->run;
    if (run->sample_count == f->capacity) {
        const size_t capacity = f->capacity ? 2 * f->capacity : 1024;
        rill_permeability_sample *grown = realloc(run->samples, capacity * sizeof *grown);
        if (!grown) return rill_fail(RILL_SYSTEM, "out of memory for the series of a run");
        run->samples = grown;
        f->capacity = capacity;
    }
    const rill_limit_estimate *e = &f->limits[run->axis].estimate;
    rill_permeability_sample *s = &run->samples[run->sample_count++];
    *s = (rill_permeability_sample){
        .step = rill_sim_steps(f->sim), .predicted = e->value, .uncertainty = e->uncertainty};
    memcpy(s->k, f->k, sizeof s->k);
    return RILL_OK;
}

bool rill_follow_ends(rill_follower *f, uint64_t next)
{
    rill_permeability_run *run = f->run;
    const rill_permeability_options *o = f->options;
    const char axis = "xyz"[run->axis];
    const uint64_t made = rill_sim_steps(f->sim);
    const size_t size = sizeof run->reason;
    const double uncertainty = run->uncertainty[run->axis] / fabs(run->k[run->axis]);
    if (f->stopped)
        snprintf(run->reason, size, "stopped along %c after %llu steps, before the end was known", axis,
                 (unsigned long long)made);
    else if (!f->limits[run->axis].finite)
        snprintf(run->reason, size,
                 "the flow along %c is not finite after %llu steps (tau %.4g, force %.3g): raise --tau or "
                 "lower --force",
                 axis, (unsigned long long)made, f->plan->tau, f->plan->force);
    else if (made + next > o->max_steps && !isfinite(uncertainty))
        snprintf(
            run->reason, size,
            "not converged along %c after %llu steps: they do not tell yet where the flow will end; raise "
            "--max-steps (now %llu)",
            axis, (unsigned long long)made, (unsigned long long)o->max_steps);
    else if (made + next > o->max_steps)
        snprintf(run->reason, size,
                 "not converged along %c after %llu steps: the uncertainty is %.2g, wanted %.2g; raise "
                 "--max-steps (now %llu) or --tolerance",
                 axis, (unsigned long long)made, uncertainty, o->tolerance, (unsigned long long)o->max_steps);
    return run->reason[0] != '\0';
}
