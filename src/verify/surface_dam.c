/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/surface_dam.h"

#include "core/status.h"

#include <math.h>

static double column(const void *context, const double x[3])
{
    const rill_verify_dam *d = context;
    return fmin(d->width - x[0], 2.0 * d->width - x[2]);
}

rill_status rill_verify_dam_run(const rill_verify_liquid *box, const rill_verify_dam *d, double *front)
{
    rill_status status = RILL_OK;
    rill_free_surface_totals totals;
    rill_verify_liquid l = *box;
    const double unit = sqrt(d->width / (2 * d->force));
    l.n[0] = 11 * d->width / 2;
    l.n[1] = 1;
    l.n[2] = 5 * d->width / 2;
    l.sides[0] = l.sides[2] = RILL_WALL;
    l.sides[1] = RILL_PERIODIC;
    l.tau = d->tau;
    l.force = d->force;
    l.inside = column;
    l.context = d;
    RILL_TRY(rill_verify_liquid_begin(&l));
    for (int k = 0; k < d->count; k++) {
        const uint64_t until = (uint64_t)round(d->times[k] * unit);
        RILL_TRY(rill_verify_liquid_report(&l, (double)k / d->count));
        RILL_TRY(rill_verify_liquid_step(&l, until - rill_sim_steps(l.sim)));
        RILL_TRY(rill_verify_liquid_totals(&l, &totals));
        front[k] = 0;
        for (uint64_t x = 0; x < l.n[0]; x++) front[k] += (double)l.surface->fill[x] / d->width;
    }
done:
    rill_verify_liquid_end(&l);
    return status;
}
