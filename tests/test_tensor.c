/* SPDX-License-Identifier: Apache-2.0 */
/* Principal values and directions of tensors that are made of known ones. */
#include "permeability/tensor.h"

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
