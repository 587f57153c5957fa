/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that touch a surface: faces and edges that pass exactly through voxel centres. */
#include "surfaces.h"

TestSuite(lines, .init = files_start, .fini = files_end);

enum { CORNERS = 8 };

/* A prism along z with a polygon as its section, open at both ends; axes are exchanged `by` times. */
static void prism(shape *s, double (*corners)[2], unsigned count, double length, int by)
{
    s->nv = s->nt = 0;
    for (unsigned ring = 0; ring < 2; ring++)
        for (unsigned k = 0; k < count; k++) {
            const double x[3] = {corners[k][0], corners[k][1], ring * length};
            shape_vertex(s, x[(3 - by) % 3], x[(4 - by) % 3], x[(5 - by) % 3]);
        }
    for (unsigned k = 0; k < count; k++) {
        const unsigned next = (k + 1) % count;
        shape_triangle(s, k, next, count + next);
        shape_triangle(s, k, count + next, count + k);
    }
}

/* Walls along the lattice and at 45 degrees to it pass exactly through the centres of voxels. Then rounding
 * must not decide on which side a centre is: all directions agree, and each wall link has a wall. */
Test(lines, prisms_through_voxel_centres_have_a_wall_on_every_link)
{
    static double sections[][CORNERS][2] = {{{0, 0}, {6, 0}, {0, 6}}, /* a right angle on the lattice */
                                            {{0, 0}, {6, 0}, {3, 3}}, /* one between two voxels */
                                            {{3, 0}, {6, 3}, {3, 6}, {0, 3}}, /* four at 45 degrees */
                                            {{0, 0}, {6, 0}, {6, 6}, {0, 6}}, /* four on the lattice */
                                            {{2, 0}, {4, 0}, {6, 2}, {6, 4}, {4, 6}, {2, 6}, {0, 4}, {0, 2}}};
    static const unsigned counts[] = {3, 3, 4, 4, 8};
    static const double areas[] = {18, 9, 18, 36, 28}, sizes[] = {0.25, 0.3, 0.4};
    shape s = shape_new();
    rill_surface_report report;
    uint64_t seen = 0;
    for (int n = 0; n < 5; n++)
        for (int by = 0; by < 3; by++)
            for (int size = 0; size < 3; size++) {
                const rill_surface_options o = per_millimetre(sizes[size]);
                const double length = size == 1 ? 10.1 : 10, exact = 1e-9 * areas[n] * length;
                prism(&s, sections[n], counts[n], length, by);
                rill_geom *geom = make(&s, &o, &report);
                cr_expect_eq(report.defects[RILL_DEFECT_NO_WALL].count, 0u,
                             "section %d, axis %d, %g mm: %llu", n, by, sizes[size],
                             (unsigned long long)report.defects[RILL_DEFECT_NO_WALL].count);
                cr_expect_eq(geom->surface->opening_count, 2);
                cr_expect_float_eq(report.volume, exact, 1e-6 * exact);
                cr_expect_float_eq(report.fluid_volume, exact, 0.14 * exact, "section %d, axis %d, %g mm: %g",
                                   n, by, sizes[size], report.fluid_volume / exact);
                for (uint64_t c = 0; c < geom->surface->wall_count; c++)
                    seen += geom->surface->walls[c].triangle < s.nt;
                rill_geom_destroy(geom);
            }
    cr_assert_gt(seen, 100000u);
    shape_free(&s);
}
