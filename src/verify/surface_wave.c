/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/surface_wave.h"

#include "core/status.h"

#include <complex.h>
#include <math.h>

/* Complex erfc by its series, or by its continued fraction. */
static double complex complement(double complex z)
{
    double complex sum = z, term = z, fraction = 0;
    if (creal(z) < 0) return 2 - complement(-z);
    if (cabs(z) < 4) {
        for (int n = 1; n < 200; n++) {
            term *= -z * z / n;
            sum += term / (2 * n + 1);
        }
        return 1 - 2 / sqrt(M_PI) * sum;
    }
    for (int n = 80; n > 0; n--) fraction = n / 2.0 / (z + fraction);
    return cexp(-z * z) / sqrt(M_PI) / (z + fraction);
}

double rill_verify_prosperetti(double square, double damping, double t)
{
    double complex z[4],
        sum = 4 * damping * damping / (8 * damping * damping + square) * complement(sqrt(damping * t));
    if (t == 0) return 1;
    for (int i = 0; i < 4; i++) z[i] = pow(square, 0.25) * cexp(I * (M_PI / 4 + i * M_PI / 2 + 0.1));
    for (int k = 0; k < 800; k++) { /* all four roots at once: Durand, Kerner */
        double complex value = cpow(z[k % 4], 4) + 2 * damping * z[k % 4] * z[k % 4] +
                               4 * pow(damping, 1.5) * z[k % 4] + damping * damping + square;
        for (int j = 0; j < 4; j++)
            if (j != k % 4) value /= z[k % 4] - z[j];
        z[k % 4] -= value;
    }
    for (int i = 0; i < 4; i++) {
        double complex others = 1;
        const double complex rate = z[i] * z[i] - damping;
        for (int j = 0; j < 4; j++)
            if (j != i) others *= z[j] - z[i];
        sum += z[i] / others * square / rate * cexp(rate * t) * complement(z[i] * sqrt(t));
    }
    return creal(sum);
}

static double inside(const void *context, const double x[3])
{
    const rill_verify_wave *w = context;
    return w->height + w->amplitude * cos(2 * M_PI * x[0] / w->cells) - x[2];
}

static double at_rest(const void *context, const double x[3])
{
    const rill_verify_wave *w = context;
    return 3 * w->force * fmax(inside(context, x), 0);
}

/* What is known of both amplitudes, that of the box and that of Prosperetti. */
typedef struct course {
    double before[2], crossing[2][2], extreme[2];
    int found[2];
    double square; /* sum of the squares of the difference */
    int count;
} course;

static void course_add(course *c, const double now[2], double steps, double every)
{
    for (int a = 0; a < 2; a++) {
        if (c->before[a] * now[a] < 0 && c->found[a] < 2)
            c->crossing[a][c->found[a]++] = steps - every * now[a] / (now[a] - c->before[a]);
        c->extreme[a] = fmin(c->extreme[a], now[a]);
        c->before[a] = now[a];
    }
    c->square += (now[0] - now[1]) * (now[0] - now[1]);
    c->count++;
}

/* Return the amplitude of the surface, times half of the cells along x. */
static double amplitude_of(const rill_verify_liquid *l)
{
    double sum = 0;
    for (uint64_t n = 0; n < l->nodes; n++)
        sum += (double)l->surface->fill[n] * cos(2 * M_PI * ((double)(n % l->n[0]) + 0.5) / l->n[0]);
    return sum;
}

rill_status rill_verify_wave_run(const rill_verify_liquid *box, const rill_verify_wave *w,
                                 rill_verify_wave_outcome *out)
{
    rill_status status = RILL_OK;
    rill_free_surface_totals totals;
    rill_verify_liquid l = *box;
    const double k = 2 * M_PI / w->cells, damping = (w->tau - 0.5) / 3 * k * k,
                 square = (w->tension * k * k * k + w->force * k) * tanh(k * w->height),
                 most = 1.5 * 2 * M_PI / sqrt(square), every = ceil(most / 1000);
    course c = {.before = {1, 1}};
    l.n[0] = w->cells;
    l.n[1] = 1;
    l.n[2] = (uint32_t)ceil(w->height + 2 * w->amplitude) + 4;
    l.sides[0] = l.sides[1] = RILL_PERIODIC;
    l.sides[2] = RILL_WALL;
    l.tau = w->tau;
    l.tension = w->tension;
    l.force = w->force;
    l.inside = inside;
    l.density = at_rest;
    l.context = w;
    RILL_TRY(rill_verify_liquid_begin(&l));
    const double first = amplitude_of(&l);
    for (double steps = 0; (c.found[0] < 2 || c.found[1] < 2) && steps < most; steps += every) {
        course_add(&c, (double[2]){amplitude_of(&l) / first, rill_verify_prosperetti(square, damping, steps)},
                   steps, every);
        RILL_TRY(rill_verify_liquid_report(&l, steps / most));
        RILL_TRY(rill_verify_liquid_step(&l, (uint64_t)every));
    }
    RILL_TRY(rill_verify_liquid_totals(&l, &totals));
    if (c.found[0] < 2 || c.found[1] < 2)
        RILL_TRY(rill_fail(RILL_NUMERICS, "the wave did not come back within %g steps", most));
    *out = (rill_verify_wave_outcome){(c.crossing[0][1] - c.crossing[0][0]) /
                                          (c.crossing[1][1] - c.crossing[1][0]),
                                      c.extreme[0] / c.extreme[1], sqrt(c.square / c.count)};
done:
    rill_verify_liquid_end(&l);
    return status;
}
