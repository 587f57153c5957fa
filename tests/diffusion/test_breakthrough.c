/* SPDX-License-Identifier: Apache-2.0 */
/* A solute from one face of a box to the other, in time. */
#include "backends.h"
#include "balls.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    X,
    Y,
    Z,
    TIME = RILL_BREAKTHROUGH_TIME,
    OUTLET = RILL_BREAKTHROUGH_OUTLET,
    MASS = RILL_BREAKTHROUGH_MASS,
    POSITION = RILL_BREAKTHROUGH_POSITION,
    VARIANCE = RILL_BREAKTHROUGH_VARIANCE
};

static rill_dispersion_options options_of(rill_release release, double peclet, double length, double duration)
{
    rill_dispersion_options o = rill_dispersion_options_default();
    o.tolerance = 1e-6;
    o.release = release;
    o.peclet[0] = peclet;
    o.peclet_count = 1;
    o.length = length;
    o.duration = duration;
    return o;
}

static rill_dispersion compute(const rill_geom *geom, const float *u, const rill_dispersion_options *o)
{
    rill_geom *copy;
    rill_dispersion r;
    ASSERT_OK(rill_geom_copy(geom, &copy));
    ASSERT_OK(rill_dispersion_compute(copy, u, o, &r));
    rill_geom_destroy(copy);
    return r;
}

/* A column whose flow is the same everywhere. */
static rill_dispersion column(uint32_t n, double sign, const rill_dispersion_options *o)
{
    rill_geom *g = balls_box(1, 1, n);
    float *u = calloc(3 * (size_t)n, sizeof *u);
    cr_assert_not_null(u);
    for (uint32_t k = 0; k < n; k++) u[2 * n + k] = (float)sign;
    const rill_dispersion r = compute(g, u, o);
    rill_geom_destroy(g);
    free(u);
    return r;
}

/* What is compared with Ogata and Banks. */
typedef struct ogata {
    double peclet, worst; /* of the length of the column */
} ogata;

/* The concentration of what flows through each face, (c - D / u dc/dx), solves the same equation as c and is
 * held at 1 at the inlet (Kreft & Zuber 1978, doi:10.1016/0009-2509(78)85196-3): so it is what Ogata & Banks
 * (1961), U.S. Geol. Surv. Prof. Paper 411-A, eq. 8, state. */
static rill_status ogata_compare(void *context, const rill_concentration_field *f)
{
    ogata *o = context;
    const double *c = f->concentration, t = f->time, p = o->peclet;
    double before = 0;
    for (uint32_t k = 0; k + 1 < f->nodes; k++) {
        const double x = (k + 1.) / f->nodes, spread = 2 * sqrt(t / p);
        const double flux = (c[k] + c[k + 1]) / 2 - f->nodes / p * (c[k + 1] - c[k]);
        const double exact =
            0.5 * (erfc((x - t) / spread) + exp(p * x + log(erfc((x + t) / spread) + 1e-300)));
        o->worst = fmax(o->worst, fabs(flux - exact));
        if (k > 0) cr_expect_float_eq(f->flux[Z][k], (flux + before) / 2, 1e-12);
        before = flux;
    }
    cr_expect_float_eq(2 * f->flux[Z][0] - 1, c[0] + (c[1] - c[0]) * (0.5 - f->nodes / p), 1e-12);
    cr_expect_float_eq(2 * f->flux[Z][f->nodes - 1] - before, c[f->nodes - 1], 1e-12);
    return RILL_OK;
}

Test(breakthrough, ogata_and_banks)
{
    double worst[2];
    for (int k = 0; k < 2; k++) {
        const uint32_t n = k ? 160 : 80;
        rill_dispersion_options o = options_of(RILL_RELEASE_STEP, 60, n, 0.4);
        ogata with = {60, 0};
        o.moment = ogata_compare;
        o.context = &with;
        o.times[0] = 0.4;
        o.time_count = 1;
        rill_dispersion r = column(n, 1e-3, &o);
        cr_expect(with.worst > 0);
        worst[k] = with.worst;
        cr_expect(r.runs[0].least >= 0 && r.runs[0].most <= 1 + 1e-12, "%g to %g", r.runs[0].least,
                  r.runs[0].most);
        rill_dispersion_free(&r);
    }
    cr_expect_lt(worst[1], 1e-3, "%g", worst[1]);
    cr_expect_geq(log2(worst[0] / worst[1]), 1.9, "%g, %g", worst[0], worst[1]);
}

/* Times of passage of a column that is closed at both ends but for the flow: mean 1, variance 2 / Pe - 2 /
 * Pe^2 (1 - exp(-Pe)) (van der Laan 1958, Chem. Eng. Sci. 7, 187). In either direction. */
Test(breakthrough, column_closed_at_both_ends)
{
    for (int k = 0; k < 4; k++) {
        const double p = k % 2 ? 40 : 6;
        const uint32_t n = 100;
        const rill_dispersion_options o =
            options_of(k < 2 ? RILL_RELEASE_PULSE : RILL_RELEASE_STEP, p / n, 1, 8);
        rill_dispersion r = column(n, k % 2 ? -0.02 : 3, &o);
        const rill_breakthrough *run = r.runs;
        cr_expect_float_eq(run->mean, 1, 1e-4, "Pe %g: %g", p, run->mean);
        cr_expect_float_eq(run->variance / (2 / p + 2 / p / p * expm1(-p)), 1, 2e-3, "Pe %g: %g", p,
                           run->variance);
        cr_expect_float_eq(run->dispersion, 1, 2e-3, "Pe %g: %g", p, run->dispersion);
        cr_expect_float_eq(run->recovered, 1, 1e-4);
        cr_expect_eq(run->count, 8 * RILL_BREAKTHROUGH_SAMPLES + 1);
        rill_dispersion_free(&r);
    }
}

/* Return the k-th root of tan(2 b) = 2 b P / (b^2 - P^2), from 0: one in each half pi. */
static double root_of(double p, int k)
{
    double low = k * M_PI / 2 + 1e-12, high = (k + 1) * M_PI / 2;
    const double sign = k % 2 ? -1 : 1;
    for (int n = 0; n < 100; n++) {
        const double b = (low + high) / 2;
        *(sign * ((b * b - p * p) * sin(2 * b) - 2 * b * p * cos(2 * b)) < 0 ? &low : &high) = b;
    }
    return low;
}

/* What flows out of such a column through which the solute is flushed, at each moment (Brenner 1962,
 * doi:10.1016/0009-2509(62)85002-7): exp(P (2 - t)) sum b sin(2 b) / (b^2 + P^2 + P) exp(-b^2 t / P), with P
 * = Pe / 4; of a step it is what is missing. */
Test(breakthrough, outlet_of_a_closed_column)
{
    for (int k = 0; k < 2; k++) {
        const double pe = k ? 20 : 6, p = pe / 4;
        const uint32_t n = 100;
        const rill_dispersion_options o = options_of(RILL_RELEASE_STEP, pe / n, 1, 4);
        rill_dispersion r = column(n, 1, &o);
        const rill_breakthrough *run = r.runs;
        double worst = 0;
        for (uint64_t i = RILL_BREAKTHROUGH_SAMPLES / 5; i < run->count; i++) {
            const double *row = run->samples + i * RILL_BREAKTHROUGH_COLUMNS, t = row[TIME];
            double exact = 1;
            for (int j = 0; j < 60; j++) {
                const double b = root_of(p, j);
                exact -= b * sin(2 * b) / (b * b + p * p + p) * exp(p * (2 - t) - b * b * t / p);
            }
            worst = fmax(worst, fabs(row[OUTLET] - exact));
        }
        cr_expect_lt(worst, 1e-3, "Pe %g: %g", pe, worst);
        rill_dispersion_free(&r);
    }
}

/* Plates (Taylor 1953, Aris 1956): behind its beginning a pulse moves as the mean flow does, and its variance
 * grows by 2 D (1 + 2/105 Pe^2). It is ahead by D / U of a wall behind it, and by 2/105 Pe h, since fast
 * parts of the inlet get more: the integral of the velocities' covariance, over U. */
Test(breakthrough, taylor_and_aris)
{
    enum { N = 20, LENGTH = 600 };
    rill_geom *g = balls_box(N + 1, 1, LENGTH);
    float *u = calloc(3 * (size_t)N * LENGTH, sizeof *u);
    const double pe = 20, h = N / 2.;
    cr_assert_not_null(u);
    for (uint32_t z = 0; z < LENGTH; z++) {
        g->voxels[(N + 1) * z] = RILL_SOLID;
        for (uint32_t k = 0; k < N; k++)
            u[2 * N * LENGTH + z * N + k] = (float)((k + 0.5) * (N - k - 0.5) / (N * N));
    }
    const rill_dispersion_options o = options_of(RILL_RELEASE_PULSE, pe, h, 0.55);
    rill_dispersion r = compute(g, u, &o);
    const double(*s)[RILL_BREAKTHROUGH_COLUMNS] =
        (const double(*)[RILL_BREAKTHROUGH_COLUMNS])(const void *)r.runs->samples;
    const int early = 7 * RILL_BREAKTHROUGH_SAMPLES / 20, late = RILL_BREAKTHROUGH_SAMPLES / 2;
    const double time = (s[late][TIME] - s[early][TIME]) * LENGTH; /* voxels of the mean flow */
    const double exact = 2 * h / pe * (1 + 2. / 105 * pe * pe);
    const double grown = (s[late][VARIANCE] - s[early][VARIANCE]) / time,
                 ahead = s[late][POSITION] - LENGTH * s[late][TIME];
    cr_expect_float_eq(grown / exact, 1, 5e-3, "%g of %g", grown, exact);
    cr_expect_float_eq(grown / (2 * h / pe * r.points[0].d[Z][Z]), 1, 3e-4, "%g of %g", grown,
                       2 * h / pe * r.points[0].d[Z][Z]);
    cr_expect_float_eq((s[late][POSITION] - s[early][POSITION]) / time, 1, 1e-4);
    cr_expect_float_eq(ahead / (h / pe + 2. / 105 * pe * h), 1, 5e-3, "%g", ahead);
    cr_expect_float_eq(s[late][MASS], 1, 1e-6);
    rill_dispersion_free(&r);
    rill_geom_destroy(g);
    free(u);
}

/* Any velocities: what is free of divergence in them is a flow along z. */
static float *velocities(const rill_geom *geom, double more)
{
    const uint64_t nodes = rill_geom_fluid(geom);
    uint64_t seed = 5;
    float *u = malloc(3 * nodes * sizeof *u);
    cr_assert_not_null(u);
    for (uint64_t i = 0; i < 3 * nodes; i++)
        u[i] = (float)(more * (2 * balls_fraction(&seed) - 1) + (i >= 2 * nodes ? 1 : 0));
    return u;
}

/* In any pores the mean time of passage is pore volume over flow, and a pulse is the derivative of a step. */
Test(breakthrough, passage_takes_a_pore_volume)
{
    rill_geom *g = balls_rock(14, 9, 3.2, 7);
    float *u = velocities(g, 0.1);
    rill_dispersion r[2];
    for (int k = 0; k < 2; k++) {
        const rill_dispersion_options o = options_of(k ? RILL_RELEASE_STEP : RILL_RELEASE_PULSE, 3, 4, 12);
        r[k] = compute(g, u, &o);
    }
    const rill_breakthrough *pulse = r[0].runs, *step = r[1].runs;
    const double *p = pulse->samples, *s = step->samples;
    cr_expect_float_eq(step->mean, 1, 1e-4, "%g", step->mean);
    cr_expect_float_eq(pulse->mean, 1, 1e-4, "%g", pulse->mean);
    cr_expect_float_eq(pulse->variance / step->variance, 1, 1e-3, "%g", pulse->variance / step->variance);
    cr_expect_gt(pulse->variance, 0.05);
    double sum = 0; /* trapezes between samples */
    for (uint64_t k = 1; k < pulse->count; k++) {
        p += RILL_BREAKTHROUGH_COLUMNS, s += RILL_BREAKTHROUGH_COLUMNS;
        sum += (p[OUTLET] + p[OUTLET - RILL_BREAKTHROUGH_COLUMNS]) / 2 / RILL_BREAKTHROUGH_SAMPLES;
        cr_expect_float_eq(sum, s[OUTLET], 2e-4, "%g, %g", sum, s[OUTLET]);
        cr_expect_float_eq(sum, 1 - p[MASS], 2e-4);
    }
    for (int k = 0; k < 2; k++) rill_dispersion_free(&r[k]);
    rill_geom_destroy(g);
    free(u);
}

/* A run without a duration ends when all but a ten-thousandth has come through; bits are those of any
 * threads. */
Test(breakthrough, ends_and_has_the_same_bits)
{
    rill_geom *g = balls_rock(16, 9, 3.2, 7);
    float *u = velocities(g, 1);
    const int threads = omp_get_max_threads();
    rill_dispersion r[2];
    for (int k = 0; k < 2; k++) {
        const rill_dispersion_options o = options_of(RILL_RELEASE_STEP, 5, 4, 0);
        omp_set_num_threads(k ? 3 : 1);
        r[k] = compute(g, u, &o);
    }
    omp_set_num_threads(threads);
    const rill_breakthrough *one = r[0].runs, *three = r[1].runs;
    cr_expect_eq(one->count, three->count);
    cr_expect_eq(
        memcmp(one->samples, three->samples, one->count * RILL_BREAKTHROUGH_COLUMNS * sizeof *one->samples),
        0);
    const double *last = one->samples + (one->count - 1) * RILL_BREAKTHROUGH_COLUMNS;
    cr_expect(last[MASS] >= 0.9999 && last[MASS - RILL_BREAKTHROUGH_COLUMNS] < 0.9999);
    cr_expect_lt(one->count, 20 * RILL_BREAKTHROUGH_SAMPLES);
    for (int k = 0; k < 2; k++) rill_dispersion_free(&r[k]);
    rill_geom_destroy(g);
    free(u);
}

static void refused(const rill_dispersion_options *o, const char *why)
{
    rill_geom *g = balls_box(2, 2, o->axis == Y ? 2 : 6);
    float *u = velocities(g, 0);
    rill_dispersion r;
    cr_expect_eq(rill_dispersion_compute(g, u, o, &r), RILL_USAGE, "%s", why);
    cr_expect_not_null(strstr(rill_error_message(), why), "%s", rill_error_message());
    rill_dispersion_free(&r);
    rill_geom_destroy(g);
    free(u);
}

Test(breakthrough, refusals)
{
    const rill_dispersion_options good = options_of(RILL_RELEASE_STEP, 1, 1, 1);
    rill_dispersion_options o = good;
    o.peclet[0] = 0;
    refused(&o, "without a flow");
    o.peclet[0] = 11;
    refused(&o, "above 10 of a run in time: take Peclet numbers up to 10, or voxels 1.1 times smaller");
    o = good;
    o.duration = -1;
    refused(&o, "a run of -1 pore volumes");
    o.duration = 101;
    refused(&o, "up to 100");
    o = good;
    o.times[0] = 1, o.times[1] = 1, o.time_count = 2;
    refused(&o, "times must be 0 or above, and rise");
    o = good;
    o.axis = Y;
    refused(&o, "2 voxels along the flow");
}

static int calls;

/* Cancel at the call that is counted down to. */
static bool count_down(void *context, const rill_progress_moment *moment)
{
    (void)context, (void)moment;
    return calls-- > 0;
}

/* Wherever it is cancelled, it goes on to the same bits, of tensors and of runs in time. */
Test(breakthrough, goes_on_from_a_checkpoint_to_the_same_bits)
{
    rill_geom *g = balls_rock(16, 9, 3.2, 7), *copy;
    float *u = velocities(g, 1);
    rill_dispersion_options o = options_of(RILL_RELEASE_STEP, 2, 4, 0);
    o.peclet[1] = 5;
    o.peclet_count = 2;
    const rill_dispersion whole = compute(g, u, &o);
    int resumed = 0;
    o.checkpoint = "d.checkpoint.h5";
    for (int stop = 1; stop < 5000; stop = stop * 5 / 3 + 1) {
        rill_dispersion r;
        remove(o.checkpoint);
        o.resume = false;
        o.progress = (rill_progress){count_down, NULL};
        calls = stop;
        ASSERT_OK(rill_geom_copy(g, &copy));
        const rill_status status = rill_dispersion_compute(copy, u, &o, &r);
        rill_geom_destroy(copy);
        rill_dispersion_free(&r);
        if (status == RILL_OK) break;
        cr_assert_eq(status, RILL_CANCELLED);
        if (access(o.checkpoint, F_OK) != 0) continue;
        cr_expect_not_null(strstr(rill_error_message(), "--resume"), "%s", rill_error_message());
        resumed++;
        o.resume = true;
        o.progress = (rill_progress){0};
        ASSERT_OK(rill_geom_copy(g, &copy));
        ASSERT_OK(rill_dispersion_compute(copy, u, &o, &r));
        rill_geom_destroy(copy);
        cr_expect_neq(access(o.checkpoint, F_OK), 0, "it is still there");
        for (int k = 0; k < 2; k++) {
            cr_expect_eq(memcmp(r.points[k].d, whole.points[k].d, sizeof whole.points[k].d), 0, "stop %d",
                         stop);
            cr_expect_eq(memcmp(r.points[k].bound, whole.points[k].bound, sizeof whole.points[k].bound), 0);
            cr_assert_eq(r.runs[k].count, whole.runs[k].count);
            cr_expect_eq(memcmp(r.runs[k].samples, whole.runs[k].samples,
                                whole.runs[k].count * RILL_BREAKTHROUGH_COLUMNS * sizeof(double)),
                         0, "stop %d", stop);
            cr_expect_eq(r.runs[k].variance, whole.runs[k].variance);
        }
        rill_dispersion_free(&r);
    }
    cr_expect_geq(resumed, 5, "%d", resumed);
    rill_dispersion last = whole;
    rill_dispersion_free(&last);
    rill_geom_destroy(g);
    free(u);
}
