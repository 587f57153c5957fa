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
    static const double ranges[] = {0.1, 0.2, 0.3, 0.101, 0.1, 0.1, 0.7, 0};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const rill_refinement r =
            rill_refinement_take(split, values[i], (const double[3]){0.001, 0.002, 0.003});
        cr_assert_not(r.sane, "%zu: order %g, limit %g", i, r.order, r.limit);
        cr_assert_eq(r.limit, values[i][2]);
        cr_assert_float_eq(r.uncertainty, 3 * ranges[i] + 0.006, 1e-12, "%zu", i);
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
