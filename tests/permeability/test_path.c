/* SPDX-License-Identifier: Apache-2.0 */
/* How far a value may be from its end by its last moves. */
#include "permeability/path.h"

#include <criterion/criterion.h>
#include <math.h>

/* What moves by a factor from cycle to cycle has so much still to come. */
Test(path, covers_what_is_to_come)
{
    const double ratios[] = {0.1, 0.3, 0.5, 0.8, 0.9};
    for (size_t r = 0; r < sizeof ratios / sizeof *ratios; r++) {
        rill_path path = rill_path_start();
        for (int k = 0; k < 30 && pow(ratios[r], k) > 1e-9; k++) {
            const double away = pow(ratios[r], k);
            rill_path_go(&path, 2 + away);
            const double left = rill_path_left(&path, 3, 0);
            if (k >= 3)
                cr_expect_gt(left, away, "ratio %g: %g after %d, %g is left", ratios[r], left, k, away);
        }
    }
}

/* Two small moves alone are not believed. */
Test(path, is_no_less_than_what_else_is_known)
{
    rill_path path = rill_path_start();
    for (int k = 0; k < 4; k++) rill_path_go(&path, 2 + pow(0.1, k));
    cr_expect_float_eq(rill_path_left(&path, 3, 0.05), 0.05, 1e-12);
    cr_expect_float_eq(rill_path_left(&path, 3, INFINITY), 1.5 * 0.999, 1e-9);
}

/* Few moves may be small by chance: of a value that rounding moves about for long, more of them count. */
Test(path, covers_what_moves_about)
{
    const double at[] = {1.002, 0.999, 1.001, 0.998, 1.0021, 1.002, 1.0019, 1.00195};
    rill_path path = rill_path_start();
    for (int k = 0; k < 40; k++) rill_path_go(&path, at[k % 8]);
    cr_expect_gt(rill_path_left(&path, 3, 0), 0.002);
    rill_path soon = rill_path_start();
    for (int k = 0; k < 8; k++) rill_path_go(&soon, at[k % 8]);
    cr_expect_lt(rill_path_left(&soon, 3, 0), 0.002);
}
