/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_limit.c
 * The estimate of a final value: on series whose limit is known the truth lies within the stated
 * uncertainty, it is found long before the series stands still, and series without a limit, or whose
 * slow part has not shown yet, never count as converged.
 */
#include "permeability/limit.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

typedef double (*series_fn)(double step, const double *p);

/* What came of a series that was followed until `tolerance` (relative to `scale`) or `last` steps. */
typedef struct outcome {
    bool stopped;
    double step, value, uncertainty, sample;
    int predictions, outside; /* predictions, and those that do not have `truth` within their uncertainty */
} outcome;

static outcome follow(series_fn series, const double *p, double truth, double tolerance, double last)
{
    rill_limit limit;
    rill_limit_init(&limit, 2);
    outcome out = {0};
    double step = 0, seen = NAN;
    while (step < last) {
        step += (double)limit.every;
        out.sample = series(step, p);
        rill_limit_push(&limit, out.sample);
        rill_limit_estimate e = limit.estimate;
        if (isfinite(e.uncertainty) && e.value != seen) {
            seen = e.value;
            out.predictions++;
            if (!(fabs(e.value - truth) <= e.uncertainty)) out.outside++;
        }
        if (!out.stopped && e.uncertainty <= tolerance) {
            out.stopped = true;
            out.step = step, out.value = e.value, out.uncertainty = e.uncertainty;
            break;
        }
    }
    return out;
}

/* p: limit, then pairs of amplitude and decay time, ended by amplitude 0. */
static double decays(double t, const double *p)
{
    double value = p[0];
    for (int i = 1; p[i] != 0; i += 2) value += p[i] * exp(-t / p[i + 1]);
    return value;
}

/* p: limit, amplitude, decay time, exponent. */
static double stretched(double t, const double *p) { return p[0] + p[1] * exp(-pow(t / p[2], p[3])); }

/* p: limit, amplitude, decay time, decay time of the sound, its period. */
static double ringing(double t, const double *p)
{
    return p[0] + p[1] * exp(-t / p[2]) + p[1] * exp(-t / p[3]) * cos(2 * M_PI * t / p[4]);
}

/* Relative noise in -1…1, the same for the same step. */
static double noise(double t)
{
    uint64_t h = (uint64_t)t * 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93u;
    return (double)((h ^ (h >> 32)) >> 11) / 4503599627370496.0 - 1;
}

/* p: noise, then as decays. */
static double noisy(double t, const double *p) { return decays(t, p + 1) * (1 + p[0] * noise(t)); }

Test(limit, finds_the_end_of_one_decay_early)
{
    const double p[] = {3, -3, 1000, 0};
    outcome out = follow(decays, p, 3, 3e-3, 1e6);
    cr_assert(out.stopped);
    cr_assert(fabs(out.value - 3) <= out.uncertainty);
    cr_assert_leq(out.step, 4500, "stopped at %g: later than the series itself", out.step);
    cr_assert_geq(fabs(out.sample / 3 - 1), 5e-3, "the series was there already: nothing was gained");
    outcome strict = follow(decays, p, 3, 3e-9, 1e6);
    cr_assert(strict.stopped);
    cr_assert(fabs(strict.value - 3) <= strict.uncertainty);
}

Test(limit, goes_on_as_its_fit_after_the_last_sample_of_it)
{
    const double p[] = {3, -3, 1000, 0};
    rill_limit limit;
    rill_limit_init(&limit, 2);
    cr_expect(isnan(rill_limit_after(&limit.estimate, 0)));
    double fitted = 0;
    for (double step = 2; step <= 4000; step += (double)limit.every) {
        rill_limit_push(&limit, decays(step, p));
        if (limit.predicted == 0) {
            cr_expect_eq(rill_limit_after(&limit.estimate, 50), limit.estimate.value);
            continue;
        }
        if (limit.evaluated == limit.count) fitted = step;
        const double seen = rill_limit_after(&limit.estimate, step - fitted);
        if (fitted > 1000) /* a third of the decay time is seen */
            cr_expect_float_eq(seen, decays(step, p), 2e-5, "step %g: %.9g", step, seen);
    }
    cr_expect_gt(fitted, 0);
    cr_expect_float_eq(rill_limit_after(&limit.estimate, 1e6), limit.estimate.value, 1e-12);
}

Test(limit, holds_the_truth_within_its_uncertainty)
{
    const double tolerances[] = {1e-3, 1e-5};
    int stops = 0, outside = 0;
    for (int k = 0; k < 2; k++)
        for (double fast = 20; fast < 1500; fast *= 4.3)
            for (double a = -2; a <= 2; a += 0.93)
                for (double b = -0.5; b <= 2; b += 0.83) {
                    const double p[] = {1, a, 2000, b, fast, -0.3 * b, 0.4 * fast, 0};
                    outcome out = follow(decays, p, 1, tolerances[k], 2e5);
                    cr_assert(out.stopped, "never stopped: a %g b %g fast %g tolerance %g", a, b, fast,
                              tolerances[k]);
                    stops++;
                    outside += !(fabs(out.value - 1) <= out.uncertainty);
                }
    cr_assert_geq(stops, 100);
    cr_assert_leq(outside, stops / 50, "%d of %d outside", outside, stops);
}

Test(limit, holds_the_truth_of_stretched_decays)
{
    for (double exponent = 0.5; exponent <= 1.01; exponent += 0.1) {
        const double p[] = {1, 2, 700, exponent};
        outcome out = follow(stretched, p, 1, 1e-3, 1e6);
        cr_assert(out.stopped, "exponent %g", exponent);
        cr_assert(fabs(out.value - 1) <= out.uncertainty, "exponent %g: %g, uncertainty %g", exponent,
                  out.value - 1, out.uncertainty);
    }
}

Test(limit, waits_for_sound_to_die)
{
    for (double period = 30; period < 2000; period *= 1.9) {
        const double p[] = {1, -0.7, 1500, 2500, period};
        outcome out = follow(ringing, p, 1, 1e-3, 1e6);
        cr_assert(out.stopped, "period %g", period);
        cr_assert(fabs(out.value - 1) <= out.uncertainty, "period %g: %g, uncertainty %g", period,
                  out.value - 1, out.uncertainty);
        cr_assert_leq(out.step, 30000);
    }
}

Test(limit, sees_noise)
{
    for (double level = 1e-7; level < 2e-4; level *= 10) {
        const double p[] = {level, 1, -1, 800, 0};
        outcome out = follow(noisy, p, 1, 1e-3, 1e6);
        cr_assert(out.stopped, "noise %g", level);
        cr_assert(fabs(out.value - 1) <= out.uncertainty, "noise %g", level);
        outcome strict = follow(noisy, p, 1, 1e-3 * level, 1e5);
        cr_assert_not(strict.stopped, "noise %g, yet uncertainty %g", level, strict.uncertainty);
    }
}

static double constant(double t, const double *p)
{
    (void)t;
    return p[0];
}
static double linear(double t, const double *p) { return p[0] * t; }
static double root(double t, const double *p) { return p[0] * sqrt(t); }
static double logarithm(double t, const double *p) { return p[0] * log(1 + t); }

Test(limit, knows_a_constant)
{
    const double values[] = {5, 0, -1e-12};
    for (int i = 0; i < 3; i++) {
        outcome out = follow(constant, &values[i], values[i], 1e-9, 1e4);
        cr_assert(out.stopped);
        cr_assert_float_eq(out.value, values[i], 1e-12);
        cr_assert_leq(out.step, 1000);
    }
}

Test(limit, never_ends_what_does_not_end)
{
    const double one = 1;
    const series_fn growing[] = {linear, root, logarithm};
    for (int i = 0; i < 3; i++) {
        rill_limit limit;
        rill_limit_init(&limit, 2);
        for (double step = 0; step < 1e6;) {
            step += (double)limit.every;
            rill_limit_push(&limit, growing[i](step, &one));
            cr_assert_not(limit.estimate.uncertainty <= 1e-3 * fabs(limit.estimate.value),
                          "series %d step %g", i, step);
        }
    }
}

Test(limit, does_not_take_a_plateau_for_the_end)
{
    /* A fast rise to 1, then a slow one to 2 or 1.1: nothing may be claimed before the slow one shows. */
    for (double rise = 0.1; rise < 1.5; rise *= 3)
        for (double slow = 1e4; slow <= 1e5; slow *= 3) {
            const double p[] = {1 + rise, -1, 200, -rise, slow, 0};
            outcome out = follow(decays, p, 1 + rise, 1e-3, 1e7);
            cr_assert(out.stopped);
            cr_assert(fabs(out.value - 1 - rise) <= out.uncertainty, "rise %g slow %g: %g at step %g", rise,
                      slow, out.value, out.step);
        }
}

Test(limit, refuses_what_is_not_finite)
{
    rill_limit limit;
    rill_limit_init(&limit, 0);
    cr_assert_eq(limit.every, 1);
    for (int i = 0; i < 1000; i++) rill_limit_push(&limit, i == 600 ? NAN : 1);
    cr_assert_not(limit.finite);
    cr_assert(isnan(limit.estimate.value));
    cr_assert(isinf(limit.estimate.uncertainty));
}

Test(limit, keeps_its_samples_in_step)
{
    rill_limit limit;
    rill_limit_init(&limit, 2);
    uint64_t step = 0;
    for (int i = 0; i < 3000; i++) {
        step += limit.every;
        rill_limit_push(&limit, (double)step);
        cr_assert_eq(rill_limit_step(&limit), step);
        cr_assert_eq(limit.values[limit.count / 2], (double)(limit.count / 2 + 1) * (double)limit.every);
    }
    cr_assert_gt(limit.every, 2);
}
