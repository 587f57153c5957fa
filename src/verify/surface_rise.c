/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/surface_rise.h"

#include "core/status.h"

#include <math.h>

/* sqrt(g D): slow enough for a liquid that hardly is compressed, p_0 of gas that hardly expands. */
static const double SPEED = 0.05, PRESSURE = 0.3;

/* Number of diameters in a box, and its middle. */
typedef struct flow {
    const rill_verify_rise *rise;
    double middle[3]; /* of the bubble */
    double force;
} flow;

/* Return the distance from a Taylor bubble: a cylinder 0.72 D wide and 2 D long, with a round nose. */
static double plug(const flow *f, const double x[3])
{
    const double d = f->rise->cells, radius = 0.36 * d,
                 across = hypot(x[0] - f->middle[0], x[1] - f->middle[1]), up = x[2] - f->middle[2];
    const double nose = hypot(across, fmax(up - (d - radius), 0)) - radius;
    return fmax(nose, -d - up);
}

static double around(const void *context, const double x[3])
{
    const flow *f = context;
    double square = 0;
    if (f->rise->tube) return plug(f, x);
    for (int a = 0; a < 3; a++) square += pow(x[a] - f->middle[a], 2);
    return sqrt(square) - f->rise->cells / 2;
}

static double outside_of_tube(const void *context, const double x[3])
{
    const flow *f = context;
    return hypot(x[0] - f->middle[0], x[1] - f->middle[1]) - f->rise->cells / 2;
}

/* At rest, with the pressure of the gas at the middle of the bubble. */
static double at_rest(const void *context, const double x[3])
{
    const flow *f = context;
    return 3 * f->force * (f->middle[2] - x[2]);
}

/* Return how high the middle of the gas is, and its volume. */
static double middle_of(const rill_verify_liquid *l, double *volume)
{
    const uint64_t layer = (uint64_t)l->domain->numbering.n[0] * l->domain->numbering.n[1];
    double sum = 0, first = 0;
    for (uint64_t k = 0; k < l->nodes; k++) {
        const double gas = 1 - (double)l->surface->fill[k];
        sum += gas;
        first += gas * ((double)(l->surface->cell[k] / layer) + 0.5);
    }
    *volume = sum;
    return first / sum;
}

/* Times at which parts of the way were behind it. */
enum { PARTS = 4 };

rill_status rill_verify_rise_run(const rill_verify_liquid *box, const rill_verify_rise *r,
                                 rill_verify_rise_outcome *out)
{
    rill_status status = RILL_OK;
    rill_free_surface_totals first, last;
    rill_verify_liquid l = *box;
    const double d = r->cells, force = SPEED * SPEED / d, tension = force * d * d / r->eotvos,
                 viscosity = SPEED * d / pow(pow(r->eotvos, 3) / r->morton, 0.25),
                 every = ceil(d / 8 / SPEED);
    flow f = {.rise = r, .force = force};
    double passed[PARTS + 1] = {0}, volume[2] = {0};
    int found = 1;
    for (int a = 0; a < 3; a++) {
        l.n[a] = (uint32_t)round(a == 2 ? r->high * d : r->tube ? d + 2 : r->wide * d);
        l.sides[a] = a == 2 ? RILL_WALL : RILL_PERIODIC;
        f.middle[a] = a == 2 ? r->middle * d : l.n[a] / 2.0;
    }
    l.tau = 0.5 + 3 * viscosity;
    l.tension = tension;
    l.force = force;
    l.gas = PRESSURE;
    l.inside = around;
    l.solid = r->tube ? outside_of_tube : NULL;
    l.density = at_rest;
    l.context = &f;
    RILL_TRY(rill_verify_liquid_begin(&l));
    RILL_TRY(rill_verify_liquid_totals(&l, &first));
    const double start = middle_of(&l, &volume[0]);
    double before = start;
    /* Nothing rises slower than a tenth of sqrt(g D) here. */
    for (double steps = every; found <= PARTS && steps < 10 * r->way * d / SPEED; steps += every) {
        RILL_TRY(rill_verify_liquid_report(&l, (before - start) / (r->way * d)));
        RILL_TRY(rill_verify_liquid_step(&l, (uint64_t)every));
        const double now = middle_of(&l, &volume[1]);
        if (!isfinite(now)) break;
        for (; found <= PARTS && now - start >= r->way * d * found / PARTS; found++)
            passed[found] = steps - every * (now - start - r->way * d * found / PARTS) / (now - before);
        before = now;
    }
    RILL_TRY(rill_verify_liquid_totals(&l, &last));
    if (found <= PARTS)
        RILL_TRY(rill_fail(RILL_NUMERICS, "the bubble rose by %g of %g diameters only", (before - start) / d,
                           r->way));
    const double speed = r->way * d / 2 / (passed[PARTS] - passed[PARTS / 2]);
    *out = (rill_verify_rise_outcome){
        speed * d / viscosity,
        (passed[PARTS - 1] - passed[PARTS - 2]) / (passed[PARTS] - passed[PARTS - 1]) - 1,
        volume[1] / volume[0], last.mass / first.mass - 1};
done:
    rill_verify_liquid_end(&l);
    return status;
}
