/* SPDX-License-Identifier: Apache-2.0 */
/* Follows a run by the series of its permeabilities, which run/limit.c takes to its end. */
#include "core/status.h"
#include "run/follow.h"
#include "run/plan.h"

#include <math.h>
#include <stdio.h>

/*
 * k at the last two steps, averaged. Momentum with the wave length of two nodes only changes sign from
 * step to step and decays too slowly to wait for (Zanetti 1989, doi:10.1103/PhysRevA.40.1539): in a rock
 * it shifts the even steps by a thousandth. The mean of two steps is free of it.
 */
static rill_status sample(rill_follower *f, uint64_t steps)
{
    rill_status status = RILL_OK;
    double before[3], after[3];
    rill_totals totals;
    RILL_TRY(rill_follow_step(f, steps - 1));
    if (f->stopped) return RILL_OK;
    RILL_TRY(rill_follow_observe(f, before, &totals));
    RILL_TRY(rill_follow_step(f, 1));
    if (f->stopped) return RILL_OK;
    RILL_TRY(rill_follow_observe(f, after, &f->totals));
    f->totals.speed_max = fmax(f->totals.speed_max, totals.speed_max);
    for (int b = 0; b < 3; b++) {
        if (!(f->components >> b & 1)) continue;
        f->k[b] = f->totals.not_finite ? NAN : 0.5 * (before[b] + after[b]);
        rill_limit_push(&f->limits[b], f->k[b]);
    }
done:
    return status;
}

/*
 * Rounding of the populations adds up over the time that the flow remembers: half a unit in the last place
 * for each step of the e-folding time, relative. A tenth to nine tenths of it were seen (docs/method.md).
 */
static double rounding(const rill_follower *f)
{
    const double step = f->options->variant.storage == RILL_FP64 ? 0x1p-54 : 0x1p-25;
    return step * fmin(f->limits[f->run->axis].estimate.efold, (double)rill_sim_steps(f->sim));
}

/* Return whether nothing but rounding is left, which more steps would not mend. */
static bool rounding_rules(const rill_follower *f)
{
    const rill_limit_estimate *e = &f->limits[f->run->axis].estimate;
    return rounding(f) > f->options->tolerance && e->uncertainty <= rounding(f) * fabs(e->value);
}

/* Take the estimates over into the run. @return true when they are good enough */
static bool judge(rill_follower *f)
{
    rill_permeability_run *run = f->run;
    const double size = fabs(f->limits[run->axis].estimate.value), tolerance = f->options->tolerance;
    double largest = 0;
    for (int b = 0; b < 3; b++) {
        const rill_limit_estimate *e = &f->limits[b].estimate;
        if (!(f->components >> b & 1)) continue;
        largest = fmax(largest, e->uncertainty / size);
        run->k[b] = e->value;
        run->last[b] = f->k[b];
        run->uncertainty[b] = e->uncertainty + rounding(f) * size;
    }
    run->steps = rill_sim_steps(f->sim);
    return largest + rounding(f) <= tolerance && (double)run->steps >= rill_plan_patience(f->plan, size);
}

rill_status rill_follow_series(rill_follower *f)
{
    rill_status status = RILL_OK;
    rill_permeability_run *run = f->run;
    const rill_permeability_options *o = f->options;
    while (!run->converged && !rill_follow_ends(f, f->limits[run->axis].every)) {
        RILL_TRY(sample(f, f->limits[run->axis].every));
        if (f->stopped) continue;
        const bool good = judge(f);
        RILL_TRY(rill_follow_record(f));
        if (f->limits[run->axis].finite && rounding_rules(f))
            snprintf(run->reason, sizeof run->reason,
                     "rounding in %s storage leaves %.2g uncertain along %c, wanted %.2g: lower --tau (now "
                     "%.4g), take "
                     "--storage fp64, or raise --tolerance",
                     o->variant.storage == RILL_FP64 ? "fp64" : "fp32", rounding(f), "xyz"[run->axis],
                     o -> tolerance, f -> plan -> tau);
        else
            run->converged = good && f->limits[run->axis].finite;
    }
done:
    return status;
}
