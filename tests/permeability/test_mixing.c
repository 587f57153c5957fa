/* SPDX-License-Identifier: Apache-2.0 */
/* Anderson's mixing. */
#include "backends.h"
#include "permeability/mixing.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

/* r = b - A x with a matrix that plain steps diverge with. @return the largest r after some rounds */
static double mixed(uint32_t n, int rounds)
{
    double *x = calloc(n, sizeof *x), *r = calloc(n, sizeof *r), *step = calloc(n, sizeof *step);
    double residual = 0;
    rill_mixing mixing;
    cr_assert(x && r && step);
    ASSERT_OK(rill_mixing_create(n, &mixing));
    for (int round = 0; round < rounds; round++) {
        residual = 0;
        for (uint32_t i = 0; i < n; i++) {
            r[i] = i + 1;
            for (uint32_t j = 0; j < n; j++) r[i] -= (i == j ? 1 + i : 0.3 / (1 + i + j)) * x[j];
            residual = fmax(residual, fabs(r[i]));
        }
        rill_mixing_step(&mixing, x, r, NULL, step);
        for (uint32_t i = 0; i < n; i++) x[i] += step[i];
    }
    rill_mixing_destroy(&mixing);
    free(x);
    free(r);
    free(step);
    return residual;
}

/* Five directions learnt are all there are; of sixteen it forgets the oldest, again and again. */
Test(mixing, solves_a_linear_problem)
{
    cr_assert_lt(mixed(5, 7), 1e-8, "%g", mixed(5, 7));
    cr_assert_lt(mixed(16, 60), 1e-6, "%g", mixed(16, 60));
}

/* A mixing that has forgotten goes as far as the iteration would, then mixes again. */
Test(mixing, begins_anew)
{
    enum { SIZE = 3 };
    const double x[3][SIZE] = {{0, 0, 0}, {1, 2, 3}, {2, 1, 5}},
                 r[3][SIZE] = {{1, 2, 3}, {1, 1, 2}, {-1, 2, 1}};
    rill_mixing mixing;
    double step[SIZE];
    ASSERT_OK(rill_mixing_create(SIZE, &mixing));
    for (int k = 0; k < 3; k++) rill_mixing_step(&mixing, x[k], r[k], NULL, step);
    cr_expect_neq(step[0], r[2][0]);
    rill_mixing_forget(&mixing);
    rill_mixing_step(&mixing, x[0], r[0], NULL, step);
    for (int c = 0; c < SIZE; c++) cr_expect_eq(step[c], r[0][c]);
    rill_mixing_step(&mixing, x[1], r[1], NULL, step);
    cr_expect_neq(step[0], r[1][0]);
    rill_mixing_destroy(&mixing);
}
