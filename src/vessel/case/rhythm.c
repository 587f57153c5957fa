/* SPDX-License-Identifier: Apache-2.0 */
/* How long a cycle is, and what is done how often in it. */
#include "vessel/case/rhythm.h"

#include "vessel/case/end_kinds.h"

#include <math.h>

enum {
    SERIES = 500, /* rows per cycle, at most, and at most every fourth step */
    WALL = 50,    /* samples of the wall shear per cycle, at most, and at most every twentieth step */
    WATCH = 100   /* steps between looks for divergence, at most: a look costs half a step */
};

/*
 * Steps in which what is left of a disturbance shrinks by e: the slowest mode of the flow in a pipe decays
 * with 5.78 nu / R^2 (the square of the first zero of J0), a Windkessel with R_d C, what the lattice stores
 * through all outlets, and sound must have crossed the vessel.
 */
static double settling_steps(const rill_case *given, const rill_geom *geom, const rill_case_plan *plan)
{
    double seconds = 0, sound = 0;
    for (int k = 0; k < plan->opening_count; k++) {
        const rill_end *end = &given->ends[plan->openings[k].end];
        const double radius = geom->surface->openings[k].hydraulic_diameter / 2;
        seconds = fmax(seconds, radius * radius / (5.783 * plan->viscosity.nu));
        if (rill_end_stores(end) && isfinite(rill_end_constant(end)))
            seconds = fmax(seconds, rill_end_constant(end));
    }
    seconds = fmax(seconds, fmax(plan->compliance.settling, given->model.constant));
    for (int a = 0; a < 3; a++) sound += sqrt(3) * geom->n[a];
    return fmax(seconds / plan->scales.time, sound);
}

uint64_t rill_run_rhythm_place(const rill_run_rhythm *r, uint64_t steps)
{
    return (steps + r->cycle - r->lead % r->cycle) % r->cycle;
}

static uint64_t at_most(uint64_t limit, uint64_t steps) { return steps < limit ? steps : limit; }

void rill_run_rhythm_make(const rill_case *given, const rill_geom *geom, const rill_case_plan *plan,
                          rill_run_rhythm *out)
{
    const double settling = settling_steps(given, geom, plan);
    uint64_t cycle = plan->resume.given ? plan->resume.span : plan->cycle_steps;
    if (cycle == 0) { /* three whole spans within what is allowed: two of them begin after the soft start */
        const double left = (double)(plan->steps > plan->start.lead ? plan->steps - plan->start.lead : 0);
        cycle = (uint64_t)fmax(1, fmin(ceil(settling), floor(left / 3)));
    }
    *out = (rill_run_rhythm){.cycle = cycle,
                             .lead = plan->start.lead,
                             .series = at_most(SERIES, (cycle + 3) / 4),
                             .wall = at_most(WALL, (cycle + 19) / 20),
                             .watch = (cycle + WATCH - 1) / WATCH,
                             .phases = at_most((uint64_t)given->output.snapshots, cycle),
                             .remains = exp(-(double)cycle / settling)};
    if (plan->cycle_steps == 0 && out->phases > 1) out->phases = 1; /* steady: there is one phase, the end */
}
