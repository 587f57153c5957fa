/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/surface_drop.h"

#include "core/status.h"

#include <math.h>

/* A ball; where it is longer along z, by this part of its radius. */
typedef struct ball {
    double radius, at[3], longer, tension;
} ball;

/* Return a ball about the middle of a cube, which has no symmetry that the lattice has, too. */
static ball ball_of(double radius, double longer, double tension, uint32_t edge)
{
    return (ball){radius, {edge / 2.0 + 0.1, edge / 2.0 - 0.2, edge / 2.0 + 0.3}, longer, tension};
}

static double drop(const void *context, const double x[3])
{
    const ball *b = context;
    double square = 0;
    for (int a = 0; a < 3; a++) square += pow(x[a] - b->at[a], 2);
    const double r = sqrt(square), z = r > 0 ? (x[2] - b->at[2]) / r : 0;
    return b->radius * (1 + b->longer * (1.5 * z * z - 0.5)) - r;
}

static double bubble(const void *context, const double x[3]) { return -drop(context, x); }

static double in_drop(const void *context, const double x[3])
{
    const ball *b = context;
    (void)x;
    return 6 * b->tension / b->radius;
}

static double around_bubble(const void *context, const double x[3]) { return -in_drop(context, x); }

/* Make a cube with a ball in it. */
static rill_verify_liquid cube_of(const rill_verify_liquid *box, const ball *b, uint32_t edge, double tau)
{
    rill_verify_liquid l = *box;
    for (int a = 0; a < 3; a++) {
        l.n[a] = edge;
        l.sides[a] = RILL_PERIODIC;
    }
    l.tau = tau;
    l.tension = b->tension;
    l.inside = drop;
    l.density = in_drop;
    l.context = b;
    return l;
}

/* Return the sum of the pressure over liquid nodes. */
static rill_status pressure_sum(const rill_verify_liquid *l, double *sum)
{
    rill_status status = RILL_OK;
    *sum = 0;
    for (rill_node n = 0; n < l->nodes; n++) {
        double rho;
        if (l->surface->state[n] != RILL_LIQUID) continue;
        RILL_TRY(rill_sim_moments(l->sim, n, 1, &rho, NULL));
        *sum += rho / 3;
    }
done:
    return status;
}

rill_status rill_verify_drop_pressure(const rill_verify_liquid *box, double radius, uint64_t steps,
                                      double *pressure)
{
    rill_status status = RILL_OK;
    const bool gas = radius < 0;
    const uint32_t edge = (uint32_t)ceil(2 * fabs(radius)) + 6;
    const ball b = ball_of(fabs(radius), 0, 1e-3, edge);
    rill_verify_liquid l = cube_of(box, &b, edge, 1);
    rill_free_surface_totals t;
    double sum;
    if (gas) {
        l.inside = bubble;
        l.density = around_bubble;
    }
    RILL_TRY(rill_verify_liquid_begin(&l));
    RILL_TRY(rill_verify_liquid_report(&l, 0));
    RILL_TRY(rill_verify_liquid_step(&l, steps));
    RILL_TRY(rill_verify_liquid_totals(&l, &t));
    RILL_TRY(pressure_sum(&l, &sum));
    const double volume = gas ? (double)l.nodes - t.volume : t.volume;
    *pressure = sum / (double)t.nodes[RILL_LIQUID] * cbrt(3 * volume / (4 * M_PI)) / (2 * b.tension);
done:
    rill_verify_liquid_end(&l);
    return status;
}

/* Return the integral of 2 z^2 - x^2 - y^2 about the centre over the liquid. */
static double longer_along_z(const rill_verify_liquid *l)
{
    double volume = 0, first[3] = {0}, second[3] = {0};
    for (uint64_t k = 0; k < l->nodes; k++) {
        const uint64_t row = k / l->n[0];
        const double fill = (double)l->surface->fill[k],
                     x[3] = {(double)(k % l->n[0]), (double)(row % l->n[1]), (double)(row / l->n[1])};
        volume += fill;
        for (int a = 0; a < 3; a++) first[a] += fill * x[a];
        for (int a = 0; a < 3; a++) second[a] += fill * x[a] * x[a];
    }
    for (int a = 0; a < 3; a++) second[a] -= first[a] * first[a] / volume;
    return 2 * second[2] - second[0] - second[1];
}

rill_status rill_verify_drop_period(const rill_verify_liquid *box, double radius, double tau, double *period)
{
    rill_status status = RILL_OK;
    const uint32_t edge = (uint32_t)ceil(2 * radius) + 6;
    const ball b = ball_of(radius, 0.05, 1e-3, edge);
    const double decay = 5 * (tau - 0.5) / 3 / pow(radius, 2),
                 half = M_PI / sqrt(8 * b.tension / pow(radius, 3) - decay * decay), every = ceil(half / 160);
    double crossing[2] = {0}, before = 1;
    int found = 0;
    rill_verify_liquid l = cube_of(box, &b, edge, tau);
    RILL_TRY(rill_verify_liquid_begin(&l));
    for (double steps = 0; found < 2 && steps < 2 * half; steps += every) {
        const double now = longer_along_z(&l);
        if (before * now < 0) crossing[found++] = steps - every * now / (now - before);
        before = now;
        RILL_TRY(rill_verify_liquid_report(&l, steps / (2 * half)));
        RILL_TRY(rill_verify_liquid_step(&l, (uint64_t)every));
    }
    if (found < 2) RILL_TRY(rill_fail(RILL_NUMERICS, "the drop did not come back within %g steps", 2 * half));
    *period = (crossing[1] - crossing[0]) / half;
done:
    rill_verify_liquid_end(&l);
    return status;
}

/* Return the radius of the cap before. */
static double radius_before(const rill_verify_cap *c)
{
    const double a = c->before * M_PI / 180;
    return c->n[1] == 1 ? c->radius * sqrt(M_PI / 2 / (a - sin(a) * cos(a)))
                        : c->radius * cbrt(2 / (2 - 3 * cos(a) + pow(cos(a), 3)));
}

static double cap_before(const void *context, const double x[3])
{
    const rill_verify_cap *c = context;
    const double y = c->n[1] == 1 ? 0 : x[1] - c->n[1] / 2.0, r = radius_before(c);
    return r - sqrt(pow(x[0] - c->n[0] / 2.0 - c->aside, 2) + y * y +
                    pow(x[2] + r * cos(c->before * M_PI / 180), 2));
}

static double in_cap(const void *context, const double x[3])
{
    const rill_verify_cap *c = context;
    (void)x;
    return (c->n[1] == 1 ? 3 : 6) * 1e-2 / radius_before(c);
}

/* A / h^2 of a segment of a circle, and V / h^3 of a cap of a ball. */
static double segment(double a) { return (a - sin(a) * cos(a)) / pow(1 - cos(a), 2); }
static double cap(double a) { return M_PI / 3 * (2 + cos(a)) / (1 - cos(a)); }

/* Return the angle, degrees, that a height and a volume belong to. */
static double angle_by(double (*ratio)(double angle), double found)
{
    double low = 0.1, high = M_PI;
    while (high - low > 1e-6) {
        const double middle = (low + high) / 2;
        if (ratio(middle) > found)
            low = middle;
        else
            high = middle;
    }
    return low * 180 / M_PI;
}

rill_status rill_verify_cap_angle(const rill_verify_liquid *box, const rill_verify_cap *c, double *angle)
{
    enum { batch = 500 };
    rill_status status = RILL_OK;
    const bool plane = c->n[1] == 1;
    const uint64_t layer = (uint64_t)c->n[0] * c->n[1];
    rill_free_surface_totals t;
    double height = 0;
    rill_verify_liquid l = *box;
    for (int a = 0; a < 3; a++) {
        l.n[a] = c->n[a];
        l.sides[a] = a == 2 ? RILL_WALL : RILL_PERIODIC;
    }
    l.tau = 1;
    l.tension = 1e-2;
    l.angle = c->angle;
    l.inside = cap_before;
    l.density = in_cap;
    l.context = c;
    RILL_TRY(rill_verify_liquid_begin(&l));
    for (uint64_t steps = 0; steps < c->steps; steps += batch) {
        RILL_TRY(rill_verify_liquid_report(&l, (double)steps / (double)c->steps));
        RILL_TRY(rill_verify_liquid_step(&l, c->steps - steps < batch ? c->steps - steps : batch));
    }
    RILL_TRY(rill_verify_liquid_totals(&l, &t));
    for (uint64_t x = 0; x < layer; x++) {
        double column = 0;
        for (uint64_t z = 0; z < c->n[2]; z++) column += (double)l.surface->fill[x + layer * z];
        height = fmax(height, column);
    }
    *angle = plane ? angle_by(segment, t.volume / pow(height, 2)) : angle_by(cap, t.volume / pow(height, 3));
done:
    rill_verify_liquid_end(&l);
    return status;
}
