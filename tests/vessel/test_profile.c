/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles over openings: against Bessel functions in the circle, the series of the duct, and an ellipse. */
#include "vessel/inlet/profile.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

TestSuite(profile);

/* An opening on a plane that is not along the lattice. */
static rill_opening opening_of(double (*outline)[2], uint64_t count, double area, double (*places)[3])
{
    rill_opening o = {.name = "inlet", .area = area, .centre = {1, -2, 3}, .outline_count = count};
    const double e[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3}, f[3] = {2.0 / 3, 2.0 / 3, -1.0 / 3};
    for (int a = 0; a < 3; a++)
        o.normal[a] = e[(a + 1) % 3] * f[(a + 2) % 3] - e[(a + 2) % 3] * f[(a + 1) % 3];
    for (uint64_t k = 0; k < count; k++)
        for (int a = 0; a < 3; a++) places[k][a] = o.centre[a] + outline[k][0] * e[a] + outline[k][1] * f[a];
    o.outline = places;
    return o;
}

/* Return profile k at plane coordinates (y, z) of opening_of(). */
static double complex at(const rill_profile *p, int k, double y, double z)
{
    const double e[3] = {2.0 / 3, -1.0 / 3, 2.0 / 3}, f[3] = {2.0 / 3, 2.0 / 3, -1.0 / 3};
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = p->centre[a] + y * e[a] + z * f[a];
    return rill_profile_at(p, k, x);
}

/* J_n of a complex argument, by its series; long enough for |z| up to 20. */
static double complex bessel(int n, double complex z)
{
    long double complex term = 1, sum = 0, square = -(long double complex)z * z / 4;
    for (int k = 1; k <= n; k++) term *= (long double complex)z / (2 * k);
    for (int k = 0; k < 200; k++) {
        sum += term;
        term *= square / ((k + 1) * (long double)(k + 1 + n));
    }
    return (double complex)sum;
}

Test(profile, circle_is_womersleys)
{
    enum { N = 360 };
    double outline[N][2], places[N][3];
    const double r = 0.01, nu = 3.3e-6, alpha[] = {0, 4, 8, 12};
    double omega[4];
    for (int k = 0; k < N; k++) {
        outline[k][0] = r * cos(2 * M_PI * k / N);
        outline[k][1] = r * sin(2 * M_PI * k / N);
    }
    for (int k = 0; k < 4; k++) omega[k] = alpha[k] * alpha[k] * nu / (r * r);
    rill_opening o = opening_of(outline, N, M_PI * r * r, places);
    for (int kind = RILL_PROFILE_PARABOLIC; kind <= RILL_PROFILE_FITTED; kind++) {
        rill_profile *p = NULL;
        cr_assert_eq(rill_profile_create((rill_profile_kind)kind, &o, nu, omega, 4, &p), RILL_OK, "%s",
                     rill_error_message());
        for (int k = 0; k < 4; k++) {
            const double complex beta = alpha[k] * cexp(0.75 * I * M_PI);
            double worst = 0;
            for (double s = 0; s < 0.999; s += 0.037) {
                const double complex exact = k == 0
                                                 ? 2 * (1 - s * s)
                                                 : (1 - bessel(0, beta * s) / bessel(0, beta)) /
                                                       (1 - 2 * bessel(1, beta) / (beta * bessel(0, beta)));
                const double a = 0.3 + 17 * s;
                worst = fmax(worst, cabs(at(p, k, r * s * cos(a), r * s * sin(a)) - exact));
            }
            cr_expect_lt(worst, 2e-3, "%d: alpha %g is off by %g", kind, alpha[k], worst);
        }
        cr_expect_eq(at(p, 1, 1.01 * r, 0), 0);
        cr_expect_float_eq(creal(p->peak[0]), 2, 2e-3);
        cr_expect_float_eq(p->conductance, r * r / 8, 2e-3 * r * r / 8, "%g", p->conductance);
        rill_profile_destroy(p);
    }
}

/* White (1991), Viscous Fluid Flow, eq. 3-48, over the mean of the section. */
static double duct(double y, double z, double a, double b)
{
    double u = 0, mean = a * a / 3;
    for (int i = 1; i < 400; i += 2) {
        const double w = i * M_PI / (2 * a);
        /* cosh(w z) / cosh(w b) without overflow */
        const double ratio = (exp(w * (fabs(z) - b)) + exp(-w * (fabs(z) + b))) / (1 + exp(-2 * w * b));
        u += (i % 4 == 1 ? 1 : -1) * (1 - ratio) * cos(w * y) / pow(i, 3);
        mean -= 64 * a * a / pow(M_PI, 5) * a / b * tanh(w * b) / pow(i, 5);
    }
    return u * 16 * a * a / pow(M_PI, 3) / mean;
}

Test(profile, rectangle_is_the_ducts)
{
    const double a = 0.003, b = 0.005, omega = 0;
    double outline[4][2] = {{-a, -b}, {a, -b}, {a, b}, {-a, b}}, places[4][3];
    rill_opening o = opening_of(outline, 4, 4 * a * b, places);
    rill_profile *p = NULL;
    cr_assert_eq(rill_profile_create(RILL_PROFILE_FITTED, &o, 1, &omega, 1, &p), RILL_OK);
    for (double s = 0.03; s < 1; s += 0.07)
        for (double t = 0.01; t < 0.99; t += 0.09)
            cr_expect_float_eq(creal(at(p, 0, -a * s, b * t)), duct(a * s, b * t, a, b), 3e-3, "at %g, %g", s,
                               t);
    rill_profile_destroy(p);
}

Test(profile, ellipse_and_hole_in_it)
{
    enum { N = 200 };
    const double a = 2, b = 1, omega = 0;
    double outline[N][2], places[N][3];
    for (int k = 0; k < N; k++) {
        outline[k][0] = a * cos(2 * M_PI * k / N);
        outline[k][1] = b * sin(2 * M_PI * k / N);
    }
    rill_opening o = opening_of(outline, N, M_PI * a * b, places);
    rill_profile *p = NULL;
    cr_assert_eq(rill_profile_create(RILL_PROFILE_FITTED, &o, 1, &omega, 1, &p), RILL_OK);
    for (double s = 0; s < 0.95; s += 0.05)
        cr_expect_float_eq(creal(at(p, 0, a * s * 0.6, b * s * 0.8)), 2 * (1 - s * s), 4e-3);
    cr_expect_float_eq(p->conductance, a * a * b * b / (4 * (a * a + b * b)), 4e-4, "%g", p->conductance);
    rill_profile_destroy(p);
    /* without an outline the shape is not known */
    o.outline = NULL;
    cr_assert_eq(rill_profile_create(RILL_PROFILE_FITTED, &o, 1, &omega, 1, &p), RILL_USAGE);
    cr_assert_eq(rill_profile_create(RILL_PROFILE_FLAT, &o, 1, &omega, 1, &p), RILL_OK);
    cr_expect_eq(at(p, 0, 0.3, 0.2), 1);
    rill_profile_destroy(p);
}
