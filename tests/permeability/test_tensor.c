/* SPDX-License-Identifier: Apache-2.0 */
/* Principal values and directions of tensors that are made of known ones. */
#include "permeability/tensor.h"
#include "permeability/follow.h"
#include "planned.h"
#include "random_rock.h"

#include <criterion/criterion.h>
#include <math.h>

/* k = R diag(values) R^T, turned by two angles, with an antisymmetric part that does not count. */
Test(tensor, principal_values_and_directions)
{
    const double values[3] = {5, 2, 1e-6}, a = 0.7, b = -1.1, skew = 0.3;
    const double r[3][3] = {{cos(a) * cos(b), -sin(a), cos(a) * sin(b)},
                            {sin(a) * cos(b), cos(a), sin(a) * sin(b)},
                            {-sin(b), 0, cos(b)}};
    double k[3][3] = {{0}}, found[3], vectors[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int m = 0; m < 3; m++) k[i][j] += r[i][m] * values[m] * r[j][m];
    k[0][1] += skew;
    k[1][0] -= skew;
    rill_tensor_principal(k, RILL_AXES_XYZ, found, vectors);
    for (int m = 0; m < 3; m++) {
        double along = 0, largest = 0;
        for (int i = 0; i < 3; i++) {
            along += vectors[m][i] * r[i][m];
            if (fabs(vectors[m][i]) > fabs(largest)) largest = vectors[m][i];
        }
        cr_assert_float_eq(found[m], values[m], 1e-12);
        cr_assert_float_eq(fabs(along), 1, 1e-12);
        cr_assert_gt(largest, 0);
    }
}

/* Of two axes, or one, the others are not read. */
Test(tensor, of_a_plane)
{
    const double k[3][3] = {{2, NAN, 1}, {NAN, NAN, NAN}, {1, NAN, 2}};
    double found[3], vectors[3][3];
    rill_tensor_principal(k, RILL_AXES_XZ, found, vectors);
    cr_assert_float_eq(found[0], 3, 1e-12);
    cr_assert_float_eq(found[1], 1, 1e-12);
    cr_assert(isnan(found[2]) && isnan(vectors[2][0]));
    cr_assert_float_eq(vectors[0][0], sqrt(0.5), 1e-12);
    cr_assert_eq(vectors[0][1], 0);
    rill_tensor_principal(k, 2, found, vectors);
    cr_assert_eq(found[0], 2);
    cr_assert(isnan(found[1]));
}

/* Force and flow along different axes are at right angles in a sample of a box and its mirror image; nothing
 * flows in the end to where no pore percolates, or through walls. One axis says what the tensor says. */
Test(tensor, is_zero_off_the_diagonal_between_mirrors)
{
    rill_geom *geom = random_rock(24);
    rill_permeability_options o = rill_permeability_options_default();
    rill_permeability whole, one;
    o.on.backend = RILL_BACKEND_CPU;
    geom->sides[0] = RILL_MIRROR;
    o.axis = RILL_AXES_XYZ;
    cr_assert_eq(computed(geom, &o, &whole), RILL_OK, "%s", rill_error_message());
    cr_expect_lt(whole.reciprocity, 1e-3);
    cr_expect_neq(whole.k[1][2], 0); /* y and z are periodic */
    for (int a = 0; a < 3; a++) {
        o.axis = a;
        cr_assert_eq(computed(geom, &o, &one), RILL_OK, "%s", rill_error_message());
        for (int b = 0; b < 3; b++) {
            if (a == b || (a != 0 && b != 0)) continue;
            cr_expect_eq(whole.k[b][a], 0, "k_%d%d of the tensor: %g", b, a, whole.k[b][a]);
            cr_expect_eq(one.k[b][a], 0, "k_%d%d of one axis: %g", b, a, one.k[b][a]);
            cr_expect_eq(one.runs[0].uncertainty[b], 0, "of k_%d%d: %g", b, a, one.runs[0].uncertainty[b]);
            cr_expect_eq(one.runs[0].last[b], 0);
        }
        rill_permeability_free(&one);
    }
    rill_permeability_free(&whole);
    rill_geom_destroy(geom);
}

Test(tensor, is_zero_across_walls_and_where_nothing_percolates)
{
    rill_geom geom = {.sides = {RILL_PERIODIC, RILL_WALL, RILL_PERIODIC}};
    const rill_porosity porosity = {.percolating = {0, 0.1, 0.1}}, through = {.percolating = {0.1, 0.1, 0.1}};
    cr_expect(rill_tensor_is_zero(&geom, &porosity, 2, 0) && rill_tensor_is_zero(&geom, &porosity, 2, 1));
    cr_expect(!rill_tensor_is_zero(&geom, &porosity, 2, 2) && !rill_tensor_is_zero(&geom, &through, 2, 0));
}

/* k_n = k + (-1)^n A exp(-n/200). */
Test(tensor, is_seen_without_momentum_that_alternates)
{
    const double k = 3e-5, amplitude = 1e-7;
    rill_sight sights[2];
    for (int s = 0; s < 2; s++) {
        double of[2];
        sights[s].step = 1001 + 10 * (uint64_t)s;
        for (uint64_t m = 0; m < 2; m++) {
            const uint64_t n = sights[s].step - 1 + m;
            of[m] = k + (n % 2 ? -amplitude : amplitude) * exp(-(double)n / 200);
        }
        sights[s].k[1] = 0.5 * (of[0] + of[1]);
        sights[s].turned[1] = of[1] - of[0];
    }
    const double left = fabs(rill_sight_k(&sights[0], &sights[1], 1) - k);
    cr_expect_lt(left, 1e-3 * fabs(sights[1].k[1] - k), "%g", left);
}
