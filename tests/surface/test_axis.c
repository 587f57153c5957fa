/* SPDX-License-Identifier: Apache-2.0 */
/* Openings that are cut obliquely: the direction of the vessel there, and extensions that follow it. */
#include "backends.h"
#include "surfaces.h"

TestSuite(axis, .init = files_start, .fini = files_end);

/* A pipe along z whose lower end is cut at an angle. */
static shape oblique(double angle)
{
    shape s = shape_new();
    shape_tube(&s, 2, 12, 40, 32);
    for (unsigned k = 0; k < s.nv; k++) s.v[k][2] += (s.v[k][0] + 2) * tan(angle) * (1 - s.v[k][2] / 12);
    return s;
}

static const rill_opening *lower(const rill_geom *geom)
{
    const rill_opening *o = geom->surface->openings;
    return o[0].centre[2] < o[1].centre[2] ? &o[0] : &o[1];
}

/* An extension follows the vessel and ends at a cross-section; a note says how the file is cut. */
Test(axis, an_extension_follows_an_oblique_vessel)
{
    const double degree = M_PI / 180, angles[] = {0, 8, 20, 45, 60}, area = 16 * 4e-6 * sin(2 * M_PI / 32);
    for (size_t k = 0; k < sizeof angles / sizeof *angles; k++) {
        shape s = oblique(angles[k] * degree);
        rill_surface_options o = per_millimetre(0.25);
        o.extend = 2e-3;
        rill_geom *geom = make(&s, &o, NULL);
        const rill_opening *p = lower(geom);
        const bool turned = angles[k] > 10;
        const double along = p->normal[2];
        cr_assert_float_eq(along, turned || angles[k] == 0 ? 1 : cos(angles[k] * degree), 2e-3,
                           "%g degrees: %g", angles[k], along);
        cr_assert_float_eq(p->area, turned || angles[k] == 0 ? area : area / cos(angles[k] * degree),
                           2e-3 * area);
        cr_assert_float_eq(p->extension, 2e-3, 1e-12);
        if (turned) cr_assert_float_eq(p->centre[2], -2e-3, 1e-5, "%g", p->centre[2]);
        cr_assert_eq(geom->notes && strstr(geom->notes, "to the cross-section of the vessel"), turned, "%s",
                     geom->notes);
        for (int a = 0; a < 3; a++) cr_assert_eq(p->axis[a], p->normal[a]);
        rill_geom_destroy(geom);
        shape_free(&s);
    }
}

/* A rim that a plane has cut is an opening even if the wall leans, a missing piece of a flat wall is not.
 * Files with coordinates in micrometres have cut rims, too. */
Test(axis, a_cut_rim_is_an_opening_though_its_wall_leans)
{
    const double cosines[] = {0.6, 0.83, 0.93, 0.98, 0.83}; /* of wall and plane of the wide end */
    for (size_t k = 0; k < sizeof cosines / sizeof *cosines; k++) {
        shape s = shape_new();
        rill_surface_options o = per_millimetre(0.25);
        rill_geom *geom = NULL;
        const double slope = cosines[k] / sqrt(1 - cosines[k] * cosines[k]);
        shape_tube(&s, 1, 12, 49, 48);
        for (unsigned n = 0; n < s.nv; n++) { /* a tube of radius 2 mm that opens from 10 mm on */
            const double r = 2 + fmax(0, s.v[n][2] - 10) * slope;
            s.v[n][0] *= r, s.v[n][1] *= r;
        }
        if (k == 4) {
            shape_turn(&s, 0.5);
            for (unsigned n = 0; n < s.nv; n++)
                for (int a = 0; a < 3; a++) s.v[n][a] = round(1e3 * s.v[n][a]) / 1e3;
        }
        shape_write_stl(&s, "a.stl");
        const rill_status status = rill_surface_voxelize("a.stl", &o, (rill_progress){0}, &geom, NULL);
        if (cosines[k] < 0.95)
            cr_assert(status == RILL_OK && geom->surface->opening_count == 2, "%g: %s", cosines[k],
                      rill_error_message());
        else
            cr_assert_eq(status, RILL_USAGE, "%g", cosines[k]);
        rill_geom_destroy(geom);
        shape_free(&s);
    }
}

/* Without an extension the direction of the vessel is known, and stays in a file. */
Test(axis, an_oblique_opening_knows_its_vessel)
{
    shape s = oblique(M_PI / 4);
    const rill_surface_options o = per_millimetre(0.25);
    rill_geom *geom = make(&s, &o, NULL), *read = NULL;
    cr_assert_float_eq(lower(geom)->normal[2], sqrt(0.5), 1e-3);
    cr_assert_float_eq(lower(geom)->axis[2], 1, 2e-3);
    cr_assert_eq(lower(geom)->extension, 0);
    ASSERT_OK(rill_geom_write(geom, "a.geom.h5", NULL));
    ASSERT_OK(rill_geom_read("a.geom.h5", &read));
    for (int a = 0; a < 3; a++) cr_assert_eq(lower(read)->axis[a], lower(geom)->axis[a]);
    cr_assert_eq(lower(read)->extension, 0);
    rill_geom_destroy(read);
    rill_geom_destroy(geom);
    shape_free(&s);
}
