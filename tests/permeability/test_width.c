/* SPDX-License-Identifier: Apache-2.0 */
/* The narrowest part of a vessel. */
#include "surfaces.h"

TestSuite(width, .init = files_start, .fini = files_end);

/* Walls of small triangles that meet in a corner come near each other there: that is no narrow part. A slit
 * is. */
Test(width, corners_are_no_narrow_parts)
{
    static const double corners[][3][2] = {{{0, 0}, {5, 0}, {0, 5}}, {{0, 0}, {5, 0}, {2.5, 4.33}}},
                        slit[4][2] = {{0, 0}, {5, 0}, {5, 1}, {0, 1}};
    enum { PARTS = 12, RINGS = 30 };
    for (int n = 0; n < 3; n++) {
        shape s = shape_new();
        rill_surface_report report;
        rill_surface_options o = per_millimetre(0.2);
        const double(*outline)[2] = n < 2 ? corners[n] : slit;
        const unsigned count = n < 2 ? 3 : 4;
        for (unsigned k = 0; k < RINGS; k++)
            for (unsigned j = 0; j < count * PARTS; j++) {
                const double *a = outline[j / PARTS], *b = outline[(j / PARTS + 1) % count];
                const double at = (double)(j % PARTS) / PARTS;
                shape_vertex(&s, a[0] + at * (b[0] - a[0]), a[1] + at * (b[1] - a[1]), k / 2.);
            }
        shape_rings(&s, 0, RINGS, count * PARTS, false);
        rill_geom *geom = make(&s, &o, &report);
        if (n < 2)
            cr_expect(report.narrowest == 0 || report.narrowest > 2e-3, "%d: %g", n, report.narrowest);
        else
            cr_expect_float_eq(report.narrowest, 1e-3, 1e-8, "%g", report.narrowest);
        rill_geom_destroy(geom);
        shape_free(&s);
    }
}
