/* SPDX-License-Identifier: Apache-2.0 */
/* Planes in cells, and neighbourhoods whose curvature has a known sign; balls and waves are in
 * test_free_surface.c. */
#include "device/plic.h"

#include <criterion/criterion.h>
#include <math.h>

/* Normals of all kinds: along axes, nearly so, in planes of two, and between. */
static const double directions[][3] = {{0, 0, 1},  {1, 1e-5, 0}, {0, -1, 1},   {3, 0, -1},   {1, 1, 1},
                                       {-1, 2, 3}, {5, 1, -0.1}, {1, 1, 0.01}, {0.3, -4, 4}, {1, 1e-3, -0.2}};

Test(plic, planes_hold_the_volume_asked_for)
{
    for (size_t d = 0; d < sizeof directions / sizeof *directions; d++) {
        const double *v = directions[d], length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        const double normal[3] = {v[0] / length, v[1] / length, v[2] / length};
        for (int k = 1; k < 20; k++) {
            enum { points = 40 };
            const double offset = rill_plic_offset(normal, k / 20.0);
            int in = 0;
            for (int p = 0; p < points * points * points; p++) {
                const double x[3] = {(p % points + 0.5) / points - 0.5,
                                     (p / points % points + 0.5) / points - 0.5,
                                     (p / points / points + 0.5) / points - 0.5};
                in += normal[0] * x[0] + normal[1] * x[1] + normal[2] * x[2] < offset;
            }
            cr_expect_float_eq(rill_plic_volume(normal, offset), k / 20.0, 1e-12, "%zu %d", d, k);
            cr_expect_float_eq(in / pow(points, 3), k / 20.0, 0.02, "%zu %d", d, k);
        }
    }
}

/* Cells that are alternately too full and too empty, about a plane: the pressure must flatten them. */
Test(plic, curvature_of_a_chequered_surface)
{
    double fill[RILL_AROUND];
    for (int c = 0; c < RILL_AROUND; c++)
        fill[c] = c < 9 ? 1 : c < 18 ? 0.5 + ((c % 3 + c / 3 % 3) % 2 ? -0.05 : 0.05) : 0;
    const rill_plic_cells cells = {fill, 1, 0};
    const double up[3] = {0, 0, 1};
    cr_expect_gt(rill_plic_curvature(&cells, up, rill_plic_offset(up, fill[13]), false, NULL), 1e-3);
    for (int c = 9; c < 18; c++) fill[c] = 1 - fill[c];
    cr_expect_lt(rill_plic_curvature(&cells, up, rill_plic_offset(up, fill[13]), false, NULL), -1e-3);
}

/* A plane at the contact angle is flat up to the wall. Where the angle that is asked for is larger, the
 * liquid is drawn together as in a drop, and spread where it is smaller. */
Test(plic, planes_at_walls)
{
    for (int degrees = 40; degrees < 150; degrees += 20) {
        const double angle = degrees * M_PI / 180, turn = 15 * M_PI / 180,
                     normal[3] = {0.6 * sin(angle), 0.8 * sin(angle), cos(angle)};
        double fill[RILL_AROUND], curvature[3];
        rill_plic_cells cells = {fill, 1, 0};
        for (int c = 0; c < RILL_AROUND; c++) {
            const int x = c % 3 - 1, y = c / 3 % 3 - 1, z = c / 9 - 1;
            const bool wall = z < 0; /* where the mirror image of the first layer lies */
            cells.wall |= (uint32_t)wall << c;
            fill[c] =
                rill_plic_volume(normal, 0.1 - x * normal[0] - y * normal[1] - (wall ? 0 : z) * normal[2]);
        }
        rill_contact_line lines[3];
        for (int k = 0; k < 3; k++)
            cr_assert(rill_plic_contact(&cells, sin(angle + (k - 1) * turn), cos(angle + (k - 1) * turn),
                                        &lines[k]),
                      "%d", degrees);
        rill_plic_without(&cells);
        for (int k = 0; k < 3; k++)
            curvature[k] = rill_plic_curvature(&cells, lines[k].normal,
                                               rill_plic_offset(lines[k].normal, fill[13]), true, &lines[k]);
        for (int a = 0; a < 3; a++)
            cr_expect_float_eq(lines[1].normal[a], normal[a], 0.1, "%d: %g", degrees, lines[1].normal[a]);
        cr_expect_float_eq(curvature[1], 0, 0.005, "%d: %g", degrees, curvature[1]);
        cr_expect(curvature[0] < -0.05 && curvature[2] > 0.05, "%d: %g, %g", degrees, curvature[0],
                  curvature[2]);
    }
}
