/* SPDX-License-Identifier: Apache-2.0 */
/* Generated surfaces: whole but for their ends, smooth, of known area and volume; `voxelize` finds the
 * openings. */
#include "image_files.h"

#include "core/memory.h"
#include "geometry/generate/generate_surface.h"
#include "geometry/surface/surface.h"
#include "rill.h"

#include <math.h>

TestSuite(generate_surface, .init = files_start, .fini = files_end);

/* Count edges of one triangle, and of more than two. */
static void count_edges(const rill_mesh *mesh, uint64_t *open, uint64_t *many)
{
    rill_half_edge *edges = NULL;
    cr_assert_eq(rill_mesh_edges(mesh, &edges), RILL_OK);
    *open = *many = 0;
    for (uint64_t k = 0, n = 3 * (uint64_t)mesh->triangle_count, l; k < n; k = l) {
        for (l = k; l < n && edges[l].key == edges[k].key; l++) continue;
        *open += l - k == 1;
        *many += l - k > 2 || (l - k == 2 && edges[k].forward == edges[k + 1].forward);
    }
    rill_array_destroy(edges);
}

/* Largest angle between neighbours, degrees; shortest and longest edge. */
static double sharpest(const rill_mesh *mesh)
{
    rill_half_edge *edges = NULL;
    double most = 0;
    cr_assert_eq(rill_mesh_edges(mesh, &edges), RILL_OK);
    for (uint64_t k = 0; k + 1 < 3 * (uint64_t)mesh->triangle_count; k++) {
        double a[3], b[3];
        if (edges[k].key != edges[k + 1].key) continue;
        rill_mesh_area(mesh, edges[k].slot / 3, a);
        rill_mesh_area(mesh, edges[k + 1].slot / 3, b);
        const double size = sqrt(rill_dot(a, a) * rill_dot(b, b));
        if (size > 1e-6 * 1e-4 * 1e-6 * 1e-4)
            most = fmax(most, acos(fmin(rill_dot(a, b) / size, 1)) * 180 / M_PI);
    }
    rill_array_destroy(edges);
    return most;
}

static rill_geom *voxelize(const rill_mesh *mesh, double dx, rill_surface_report *report)
{
    rill_geom *geom = NULL;
    rill_surface_options o = rill_surface_options_default();
    o.unit = 1e-3;
    o.spacing = dx;
    cr_assert_eq(rill_mesh_write_stl(mesh, "a.stl", "test"), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_surface_voxelize("a.stl", &o, (rill_progress){0}, &geom, report), RILL_OK, "%s",
                 rill_error_message());
    for (int d = 0; d < RILL_DEFECT_KINDS; d++)
        cr_expect(report->defects[d].count == 0 || d == RILL_DEFECT_THIN, "defect %d: %u", d,
                  (unsigned)report->defects[d].count);
    return geom;
}

Test(generate_surface, bends_have_their_area_and_volume)
{
    for (int k = 0; k < 3; k++) {
        rill_mesh *mesh = NULL;
        rill_surface_report report;
        rill_bend_options o = rill_bend_options_default();
        uint64_t open, many;
        o.edge = 0.3e-3;
        o.angle = (double[]){0, M_PI / 2, M_PI}[k];
        cr_assert_eq(rill_generate_bend(&o, &mesh), RILL_OK, "%s", rill_error_message());
        count_edges(mesh, &open, &many);
        cr_expect_eq(many, 0);
        cr_expect_eq(open, 2 * (uint64_t)ceil(2 * M_PI * o.radius / o.edge));
        rill_geom *geom = voxelize(mesh, 0.5e-3, &report);
        const double length = o.inlet + o.outlet + o.angle * o.bend; /* Pappus */
        cr_expect_float_eq(report.volume, M_PI * o.radius * o.radius * length, 0.006 * report.volume);
        cr_expect_eq(geom->surface->opening_count, 2);
        rill_geom_destroy(geom);
        rill_mesh_destroy(mesh);
    }
}

Test(generate_surface, nozzle_is_the_benchmarks)
{
    rill_mesh *mesh = NULL;
    rill_surface_report report;
    rill_nozzle_options o = {.inlet = 20e-3, .outlet = 20e-3, .edge = 0.4e-3};
    uint64_t open, many;
    cr_assert_eq(rill_generate_nozzle(&o, &mesh), RILL_OK, "%s", rill_error_message());
    count_edges(mesh, &open, &many);
    cr_expect_eq(many, 0);
    rill_geom *geom = voxelize(mesh, 0.5e-3, &report);
    const double cone = M_PI * 22.685e-3 / 3 * (36 + 12 + 4) * 1e-6;
    cr_expect_float_eq(report.volume, M_PI * 36e-6 * 40e-3 + M_PI * 4e-6 * 40e-3 + cone,
                       0.003 * report.volume);
    cr_expect_float_eq(report.narrowest, 4e-3, 0.02e-3);
    cr_expect_eq(geom->surface->opening_count, 2);
    rill_geom_destroy(geom);
    rill_mesh_destroy(mesh);
}

Test(generate_surface, bifurcation_is_smooth_and_follows_murray)
{
    for (int k = 0; k < 2; k++) {
        rill_mesh *mesh = NULL;
        rill_surface_report report;
        rill_bifurcation_options o = rill_bifurcation_options_default();
        uint64_t open, many;
        o.edge = 0.4e-3;
        if (k) o.ratio = 1, o.angles[0] = o.angles[1] = 40 * M_PI / 180;
        cr_assert_eq(rill_generate_bifurcation(&o, &mesh), RILL_OK, "%s", rill_error_message());
        count_edges(mesh, &open, &many);
        cr_expect_eq(many, 0);
        cr_expect_gt(open, 0);
        cr_expect_lt(sharpest(mesh), 30, "%g degrees", sharpest(mesh));
        rill_geom *geom = voxelize(mesh, 0.5e-3, &report);
        cr_assert_eq(geom->surface->opening_count, 3);
        double cubes[3];
        for (int j = 0; j < 3; j++) {
            const rill_opening *p = &geom->surface->openings[j];
            cubes[j] = pow(p->area / M_PI, 1.5);
            cr_expect_float_eq(p->hydraulic_diameter, sqrt(4 * p->area / M_PI),
                               0.005 * p->hydraulic_diameter);
        }
        cr_expect_float_eq(cubes[0], pow(o.radius, 3), 0.01 * cubes[0]);
        cr_expect_float_eq(cubes[1] + cubes[2], cubes[0], 0.01 * cubes[0]);
        cr_expect_float_eq(cbrt(cubes[2] / cubes[1]), o.ratio, 0.01);
        rill_geom_destroy(geom);
        rill_mesh_destroy(mesh);
    }
}

Test(generate_surface, refuses_what_is_none)
{
    rill_mesh *mesh = NULL;
    rill_bend_options bend = rill_bend_options_default();
    bend.bend = bend.radius / 2;
    cr_expect_eq(rill_generate_bend(&bend, &mesh), RILL_USAGE);
    bend = rill_bend_options_default();
    bend.edge = 1e-9;
    cr_expect_eq(rill_generate_bend(&bend, &mesh), RILL_USAGE);
    rill_bifurcation_options o = rill_bifurcation_options_default();
    o.branch = 1e-3;
    cr_expect_eq(rill_generate_bifurcation(&o, &mesh), RILL_USAGE);
    o = rill_bifurcation_options_default();
    o.edge = 1e-7;
    cr_expect_eq(rill_generate_bifurcation(&o, &mesh), RILL_USAGE);
    cr_expect(strstr(rill_error_message(), "raise --edge"), "%s", rill_error_message());
    cr_expect_null(mesh);
}
