/* SPDX-License-Identifier: Apache-2.0 */
/* Extrapolation against sequences whose limit is known, and what is said when they show no order. */
#include "core/refinement.h"

#include <criterion/criterion.h>
#include <math.h>

static const double none[3] = {0, 0, 0}, split[3] = {1, 1. / 2, 1. / 3};

/* k0 + c m^-p for m = 1, 2, 3. */
static void sequence(double k0, double c, double p, double k[3])
{
    for (int m = 1; m <= 3; m++) k[m - 1] = k0 + c * pow(m, -p);
}

Test(refinement, finds_order_and_limit)
{
    static const double orders[] = {0.51, 0.8, 1, 1.09, 1.5, 2, 2.49};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double k[3];
            sequence(2, 0.7 * sign, orders[i], k);
            const rill_refinement r = rill_refinement_take(split, k, none);
            cr_assert(r.sane);
            cr_assert_float_eq(r.order, orders[i], 1e-9);
            cr_assert_float_eq(r.limit, 2, 1e-9);
            /* Never less than what a safety factor of 1.25 leaves, never blind to first and second order. */
            cr_assert_geq(r.uncertainty, 0.25 * fabs(r.limit - k[2]) * (1 - 1e-9));
            cr_assert_geq(r.uncertainty, fabs(r.limit - (k[2] - 2 * (k[1] - k[2]))) * (1 - 1e-9));
            cr_assert_geq(r.uncertainty, fabs(r.limit - (k[2] - 0.8 * (k[1] - k[2]))) * (1 - 1e-9));
        }
}

/* Two powers of h: the order moves from grid to grid, and the limit must still be inside. */
Test(refinement, holds_the_limit_of_mixed_orders)
{
    for (double share = 0; share <= 1; share += 0.125) {
        double k[3];
        for (int m = 1; m <= 3; m++) k[m - 1] = 1 + 0.5 * ((1 - share) * pow(m, -1.09) + share / m / m);
        const rill_refinement r = rill_refinement_take(split, k, none);
        cr_assert(r.sane);
        cr_assert_leq(fabs(r.limit - 1), r.uncertainty + 1e-12, "share %g: %g ± %g", share, r.limit,
                      r.uncertainty);
        cr_assert_leq(r.uncertainty, 0.2);
    }
}

Test(refinement, falls_back_where_there_is_no_order)
{
    static const double values[][3] = {{1, 1.1, 1.05},  /* turns round */
                                       {1, 1.1, 1.2},   /* differences that hardly shrink: below 0.5 */
                                       {1, 1.1, 1.3},   /* grow */
                                       {1, 1.1, 1.101}, /* third order */
                                       {1, 1.1, 1.1},   {1, 1, 1.1},
                                       {1, 0.5, 0.3}, /* towards a limit that no permeability can have */
                                       {1, 1, 1}};
    static const double ranges[] = {0.1, 0.2, 0.3, 0.101, 0.1, 0.1, 0.7};
    const int ranged = sizeof ranges / sizeof *ranges;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const rill_refinement r =
            rill_refinement_take(split, values[i], (const double[3]){0.001, 0.002, 0.003});
        cr_assert_not(r.sane, "%zu: order %g, limit %g", i, r.order, r.limit);
        cr_assert_eq(r.limit, values[i][2]);
        /* Equal values: the limit of first order, 3 k3 - 2 k2, is as uncertain as both are. */
        const double expected = (int)i < ranged ? 3 * ranges[i] + 0.006 : 2 * 0.002 + 3 * 0.003;
        cr_assert_float_eq(r.uncertainty, expected, 1e-12, "%zu: %g", i, r.uncertainty);
    }
}

Test(refinement, takes_uncertain_values_for_what_they_are)
{
    double k[3];
    sequence(1, 0.1, 2, k);
    const rill_refinement exact = rill_refinement_take(split, k, none),
                          blurred = rill_refinement_take(split, k, (const double[3]){1e-5, 1e-5, 1e-5}),
                          drowned = rill_refinement_take(split, k, (const double[3]){0, 0.01, 0.01});
    cr_assert(blurred.sane);
    cr_assert_geq(blurred.uncertainty, exact.uncertainty + 1e-5);
    cr_assert_leq(blurred.uncertainty, exact.uncertainty + 3e-4);
    cr_assert_not(drowned.sane, "differences of %g with 0.01 of doubt", k[1] - k[2]);
    cr_assert_geq(drowned.uncertainty, fabs(drowned.limit - 1));
}

/* Grids of any spacing, and values of any sign. */
Test(refinement, takes_any_spacings)
{
    static const double spacings[][3] = {{16. / 9, 4. / 3, 1}, {0.3, 0.2, 0.13}, {3, 2, 1}};
    static const double orders[] = {0.6, 1, 1.7, 2.3};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 4; j++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double k[3];
                for (int g = 0; g < 3; g++) k[g] = sign * (5 + 0.3 * pow(spacings[i][g], orders[j]));
                const rill_refinement r = rill_refinement_take(spacings[i], k, none);
                cr_assert(r.sane);
                cr_assert_float_eq(r.order, orders[j], 1e-8);
                cr_assert_float_eq(r.limit, sign * 5, 1e-8);
                cr_assert_geq(r.uncertainty, 0.25 * fabs(r.limit - k[2]) * (1 - 1e-9));
            }
    /* The coarsest grid is the one that is far off: the range of all is in doubt. */
    const rill_refinement none_seen =
        rill_refinement_take(spacings[0], (const double[3]){1, 1.1, 1.05}, none);
    cr_assert_not(none_seen.sane);
    cr_assert_float_eq(none_seen.uncertainty, 0.3, 1e-12);
}

/* Whatever order the grids show, the interval holds what first and second order would make of the values, and
 * of those that they may be within their own uncertainties. The first values are those of the aorta in
 * docs/suites.md. */
Test(refinement, holds_the_limits_of_first_and_second_order)
{
    static const double spacings[][3] = {{16. / 9, 4. / 3, 1}, {1, 1. / 2, 1. / 3}, {1.3, 1.1, 1}};
    static const double values[][3] = {{1.008, 1.017, 1.025}, {1, 1.1, 1.05}, {1, 1.001, 1.1},
                                       {1, 1.1, 1.101},       {1, 1, 1},      {1, 1.06, 1.1}};
    static const double blurs[] = {0, 1e-3, 1e-2};
    for (int s = 0; s < 3; s++)
        for (int v = 0; v < 6; v++)
            for (int b = 0; b < 3; b++) {
                const double *h = spacings[s], *k = values[v], u[3] = {blurs[b], blurs[b], blurs[b]};
                const rill_refinement r = rill_refinement_take(h, k, u);
                for (int order = 1; order <= 2; order++)
                    for (int sign = 0; sign < (r.sane ? 1 : 4); sign++) {
                        const double last = k[2] + (sign & 1 ? u[2] : -u[2]) * (r.sane ? 0 : 1),
                                     before = k[1] + (sign & 2 ? u[1] : -u[1]) * (r.sane ? 0 : 1),
                                     limit = last + (last - before) / (pow(h[1] / h[2], order) - 1);
                        cr_expect_leq(fabs(limit - r.limit), r.uncertainty * (1 + 1e-9) + 1e-12,
                                      "spacings %d, values %d, blur %g: order %d has %g, not %g ± %g", s, v,
                                      u[0], order, limit, r.limit, r.uncertainty);
                    }
            }
}
