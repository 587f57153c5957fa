/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of closed vessels that have no flat caps: planes that cut them off. */
#include "surfaces.h"

#include "geometry/surface/survey.h"

TestSuite(tips, .init = files_start, .fini = files_end);

/* A bend of a tube whose ends are closed by cones, in few facets. */
static void closed_bend(shape *s, double bend, double r, double angle, unsigned rings, unsigned around)
{
    s->nv = s->nt = 0;
    shape_bend(s, bend, r, angle, rings, around);
    for (int end = 0; end < 2; end++) {
        const double p = end ? angle : 0, out = (end ? 1 : -1) * 0.8 * r;
        const unsigned tip = shape_vertex(s, bend * cos(p) - out * sin(p), 0, bend * sin(p) + out * cos(p));
        const unsigned first = end ? (rings - 1) * around : 0;
        for (unsigned j = 0; j < around; j++) {
            const unsigned a = first + j, b = first + (j + 1) % around;
            shape_triangle(s, tip, end ? a : b, end ? b : a);
        }
    }
}

/* The ends of the vessel are offered, not facets of its wall, and their planes open it. */
Test(tips, ends_of_a_closed_bend_are_found)
{
    shape s = shape_new();
    rill_surface_options o = per_millimetre(0.25);
    for (unsigned around = 8; around <= 32; around *= 2) {
        rill_survey *survey = NULL;
        rill_plane planes[2];
        closed_bend(&s, 10, 2, 2, 3 * around, around);
        shape_write_stl(&s, "a.stl");
        o.planes = NULL;
        o.plane_count = 0;
        cr_assert_eq(rill_surface_survey("a.stl", &o, (rill_progress){0}, &survey), RILL_OK, "%s",
                     rill_error_message());
        cr_assert_eq(survey->surface->opening_count, 0);
        cr_assert_eq(survey->rim_count, 2, "%u facets: %d", around, survey->rim_count);
        cr_expect_eq(survey->report.flat_count, 0);
        for (int k = 0; k < 2; k++) {
            const rill_rim *rim = &survey->rims[k];
            const double *x = rim->point, angle = atan2(x[2], x[0]);
            const double along[3] = {-sin(angle), 0, cos(angle)};
            const bool first = angle < 1;
            cr_expect(rim->end);
            cr_expect_float_eq(hypot(x[0], x[2]), 10e-3, 0.5e-3, "%g", hypot(x[0], x[2]));
            cr_expect_float_eq(x[1], 0, 0.2e-3);
            cr_expect(first ? angle < 0.5 : angle > 1.5, "%g", angle);
            cr_expect_gt((first ? 1 : -1) * rill_dot(rim->inward, along), 0.95);
            cr_expect_float_eq(rim->area, M_PI * 4e-6, 0.3 * M_PI * 4e-6, "%g", rim->area);
            planes[k] = (rill_plane){.name = first ? "in" : "out"};
            memcpy(planes[k].point, rim->point, sizeof planes[k].point);
            memcpy(planes[k].normal, rim->inward, sizeof planes[k].normal);
        }
        const double dx = rill_survey_spacing(survey, 20, RILL_MIN_CELLS);
        cr_expect(dx > 0.15e-3 && dx <= 0.21e-3, "%g", dx); /* 4 mm wide */
        rill_survey_destroy(survey);
        o.planes = planes;
        o.plane_count = 2;
        rill_geom *geom = make(&s, &o, NULL);
        cr_expect_eq(geom->surface->opening_count, 2);
        rill_geom_destroy(geom);
    }
    shape_free(&s);
}
