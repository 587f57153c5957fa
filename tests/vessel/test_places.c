/* SPDX-License-Identifier: Apache-2.0 */
/* Where velocity and pressure are taken in a vessel: points, planes, centre lines. */
#include "shapes.h"

#include "core/memory.h"
#include "geometry/surface/surface.h"
#include "vessel/observe/centreline.h"
#include "vessel/observe/points.h"
#include "vessel/observe/slab.h"
#include "verify/section.h"

TestSuite(places, .init = files_start, .fini = files_end);

static rill_domain *domain_of(const shape *s, double dx, rill_geom **geom)
{
    rill_domain *domain = NULL;
    rill_surface_options o = rill_surface_options_default();
    o.unit = 1e-3;
    o.spacing = 1e-3 * dx;
    o.min_cells = 0;
    shape_write_stl(s, "a.stl");
    cr_assert_eq(rill_surface_voxelize("a.stl", &o, (rill_progress){0}, geom, NULL), RILL_OK, "%s",
                 rill_error_message());
    const rill_domain_options options = {.lattice = RILL_D3Q19, .flow_axis = -1};
    cr_assert_eq(rill_domain_create(*geom, &options, &domain), RILL_OK);
    return domain;
}

/* rho - 1 and u at the listed nodes: Poiseuille flow along z in a tube of radius 2, and a pressure that
 * falls. */
static void feed(const rill_geom *geom, const rill_points *p, double *rho, double *u)
{
    double(*places)[3] = NULL;
    cr_assert_eq(rill_verify_places(geom, &places), RILL_OK);
    for (uint64_t k = 0; k < p->node_count; k++) {
        double x[3];
        for (int a = 0; a < 3; a++) x[a] = 1e3 * (geom->origin[a] + geom->spacing * places[p->nodes[k]][a]);
        rho[k] = 5 - 0.5 * x[2];
        for (uint64_t a = 0; a < 3; a++) u[a * p->node_count + k] = 0;
        u[2 * p->node_count + k] = 1 - (x[0] * x[0] + x[1] * x[1]) / 4;
    }
    rill_array_destroy(places);
}

Test(places, points_are_interpolated_and_solid_is_at_rest)
{
    shape s = shape_new();
    rill_geom *geom = NULL;
    rill_points p;
    const double at[4][3] = {{0.1e-3, 0.2e-3, 3e-3}, {0, 0, 1.234e-3}, {1.99e-3, 0, 3e-3}, {9e-3, 0, 0}};
    double rho[64], u[192], out[4];
    shape_tube(&s, 2, 6, 10, 60);
    rill_domain *domain = domain_of(&s, 0.2, &geom);
    cr_assert_eq(rill_points_make(domain, at, 4, &p), RILL_OK);
    cr_assert_leq(p.node_count, 64u);
    feed(geom, &p, rho, u);
    for (uint64_t k = 0; k < 2; k++) {
        rill_points_take(&p, k, rho, u, out);
        const double x = 1e3 * at[k][0], y = 1e3 * at[k][1];
        cr_assert_float_eq(out[0], 5 - 0.5e3 * at[k][2], 1e-6);
        cr_assert_float_eq(out[3], 1 - (x * x + y * y) / 4, 0.006, "%g", out[3]);
    }
    rill_points_take(&p, 2, rho, u, out); /* at the wall: the pressure is known, the speed small */
    cr_assert_float_eq(out[0], 3.5, 1e-6);
    cr_assert_lt(out[3], 0.1);
    cr_assert_not(rill_points_has(&p, 3));
    rill_points_take(&p, 3, rho, u, out);
    cr_assert(isnan(out[0]) && isnan(out[3]));
    rill_points_free(&p);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    shape_free(&s);
}

/* The flow through a plane across a tube, upright and aslant, converges to that of Poiseuille. */
Test(places, a_plane_has_the_flow_of_its_section)
{
    shape s = shape_new();
    double error[2];
    shape_tube(&s, 2, 8, 10, 100);
    const double centre[3] = {0, 0, 4e-3}, normals[2][3] = {{0, 0, 1}, {0.6, 0, 0.8}};
    for (int k = 0; k < 4; k++) {
        rill_geom *geom = NULL;
        rill_slab slab;
        rill_points p;
        rill_domain *domain = domain_of(&s, k < 2 ? 0.4 : 0.2, &geom);
        cr_assert_eq(rill_slab_make(domain, centre, normals[k % 2], "a", &slab), RILL_OK);
        cr_assert_eq(rill_points_make(domain, (const double(*)[3])slab.places, slab.count, &p), RILL_OK);
        double *rho = malloc(p.node_count * sizeof *rho), *u = malloc(3 * p.node_count * sizeof *u), flow = 0;
        feed(geom, &p, rho, u);
        for (uint64_t c = 0; c < slab.count; c++) {
            double out[4];
            rill_points_take(&p, c, rho, u, out);
            for (int a = 0; a < 3; a++) flow += 1e6 * slab.area * out[1 + a] * normals[k % 2][a];
        }
        const double off = fabs(flow / (2 * M_PI) - 1);
        cr_assert_lt(off, k < 2 ? 0.02 : 0.006, "case %d: %g", k, off);
        error[k / 2] = k % 2 ? fmax(error[k / 2], off) : off;
        free(rho);
        free(u);
        rill_points_free(&p);
        rill_slab_free(&slab);
        const double outside[3] = {3e-3, 0, 4e-3};
        cr_assert_eq(rill_slab_make(domain, outside, normals[0], "lost", &slab), RILL_USAGE);
        cr_assert(strstr(rill_error_message(), "lost"));
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
    cr_assert_lt(error[1], error[0] / 2, "%g, %g", error[0], error[1]);
    shape_free(&s);
}

/* In a bend the line runs from one end to the other, along the middle, and is as long as that. */
Test(places, a_centre_line_keeps_to_the_middle)
{
    shape s = shape_new();
    rill_geom *geom = NULL;
    rill_centreline line;
    shape_bend(&s, 5, 1.5, 2, 80, 60);
    rill_domain *domain = domain_of(&s, 0.15, &geom);
    cr_assert_eq(rill_centreline_make(domain, 1, &line), RILL_OK, "%s", rill_error_message());
    cr_assert_gt(line.count, 20u);
    for (uint64_t k = 0; k < line.count; k++) {
        const double *x = line.places[k], ring = 1e3 * hypot(x[0], x[2]);
        const double off = hypot(ring - 5, 1e3 * x[1]);
        cr_assert_lt(off, 0.45, "place %lu of %lu is %g mm off", k, line.count, off); /* it cuts the bend */
        cr_assert_eq(line.branch[k], 0u);
        cr_assert(k == 0 || line.distance[k] > line.distance[k - 1]);
    }
    cr_assert_float_eq(1e3 * line.distance[line.count - 1], 2 * 5, 0.7, "%g", line.distance[line.count - 1]);
    rill_centreline_free(&line);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    shape_free(&s);
}
