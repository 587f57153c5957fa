/* SPDX-License-Identifier: Apache-2.0 */
/* Shells that overlap and were never united: two tubes that make a T. */
#include "surfaces.h"
#include "vessel_case.h"

#include "geometry/surface/survey.h"
#include "vessel/wall/wall_shear.h"

TestSuite(overlap, .init = files_start, .fini = files_end);

/* A tube of radius 3 mm along z from 0 to 20 mm, and a branch of radius 1.5 mm along x at z = 10 mm, from
 * `from` to 12 mm. */
enum { AROUND = 48, RINGS = 41, BRANCH_AROUND = 32, BRANCH_RINGS = 25 };
static const double WIDE = 3, NARROW = 1.5, LENGTH = 20, BRANCH_END = 12;

static void tee(shape *s, double from, bool closed)
{
    s->nv = s->nt = 0;
    shape_tube(s, WIDE, LENGTH, RINGS, AROUND);
    if (closed) shape_cap(s, 0, AROUND, false, SHAPE_FAN);
    if (closed) shape_cap(s, (RINGS - 1) * AROUND, AROUND, true, SHAPE_FAN);
    const unsigned first = s->nv;
    shape_tube(s, NARROW, BRANCH_END - from, BRANCH_RINGS, BRANCH_AROUND);
    if (closed) shape_cap(s, first, BRANCH_AROUND, false, SHAPE_FAN);
    if (closed) shape_cap(s, first + (BRANCH_RINGS - 1) * BRANCH_AROUND, BRANCH_AROUND, true, SHAPE_FAN);
    for (unsigned v = first; v < s->nv; v++) {
        const double z = s->v[v][2];
        s->v[v][2] = LENGTH / 2 + s->v[v][0];
        s->v[v][0] = from + z;
        s->v[v][1] = -s->v[v][1];
    }
}

/* How far a place is within the tube, or the branch: below 0 outside. Sides of polygons are nearer to the
 * axis. */
static double depth_in_tube(const double x[3])
{
    return fmin(WIDE - hypot(x[0], x[1]), fmin(x[2], LENGTH - x[2]));
}

static double depth_in_branch(const double x[3], double from)
{
    return fmin(NARROW - hypot(x[1], x[2] - LENGTH / 2), fmin(x[0] - from, BRANCH_END - x[0]));
}

/* The volume of the union, by a fine grid. */
static double volume_of(double from)
{
    const double step = 0.05;
    double sum = 0;
    for (double x = -3; x < 12; x += step)
        for (double y = -3; y < 3; y += step)
            for (double z = 0; z < 20; z += step) {
                const double at[3] = {x + step / 2, y + step / 2, z + step / 2};
                sum += depth_in_tube(at) > 0 || depth_in_branch(at, from) > 0;
            }
    return 1e-9 * sum * step * step * step;
}

/* Compare what is within the lumen with the cylinders, but where sides of polygons are near. */
static void expect_states(const shape *s, const rill_surface *surface, double from, unsigned tube_triangles)
{
    const double near = 0.03;
    uint64_t within = 0, partly = 0;
    cr_assert_not_null(surface->removed);
    for (unsigned t = 0; t < s->nt; t++) {
        double middle[3] = {0}, least = INFINITY, most = -INFINITY;
        for (int k = 0; k < 3; k++) {
            const double *v = s->v[s->t[t][k]],
                         depth = t < tube_triangles ? depth_in_branch(v, from) : depth_in_tube(v);
            least = fmin(least, depth);
            most = fmax(most, depth);
            for (int a = 0; a < 3; a++) middle[a] += v[a] / 3;
        }
        const double depth = t < tube_triangles ? depth_in_branch(middle, from) : depth_in_tube(middle);
        const int state = surface->removed[t];
        within += state == RILL_WALL_WITHIN;
        partly += state == RILL_WALL_PARTLY;
        if (state == RILL_WALL_REMOVED) continue;
        if (fmin(least, depth) > near)
            cr_expect_eq(state, RILL_WALL_WITHIN, "triangle %u: %d at depth %g", t, state, depth);
        if (fmax(most, depth) < -0.5)
            cr_expect_eq(state, RILL_WALL_WHOLE, "triangle %u: %d at depth %g", t, state, depth);
    }
    cr_expect(within > 100 && partly > 10, "%llu, %llu", (unsigned long long)within,
              (unsigned long long)partly);
}

/* Tubes that end in the lumen of another, open or capped, have three openings, and the union's voxels and
 * volume. */
Test(overlap, tubes_are_united)
{
    static const double starts[] = {0.3, -1.5};
    shape s = shape_new();
    const rill_surface_options o = per_millimetre(0.25);
    for (int closed = 0; closed < 2; closed++)
        for (int k = 0; k < 2; k++) {
            rill_surface_report report;
            tee(&s, starts[k], closed);
            rill_geom *geom = make(&s, &o, &report);
            const double exact = volume_of(starts[k]);
            cr_expect_eq(geom->surface->opening_count, 3, "%d, %d: %d", closed, k,
                         geom->surface->opening_count);
            for (int n = 0; n < geom->surface->opening_count; n++) {
                const double *at = geom->surface->openings[n].centre;
                const bool end = fabs(at[2]) < 1e-6 || fabs(at[2] - 1e-3 * LENGTH) < 1e-6;
                cr_expect(end || fabs(at[0] - 1e-3 * BRANCH_END) < 1e-6, "%g %g %g", at[0], at[1], at[2]);
            }
            cr_expect_float_eq(report.volume, exact, 0.006 * exact, "%g", report.volume / exact);
            cr_expect_float_eq(report.fluid_volume, exact, 0.01 * exact, "%g", report.fluid_volume / exact);
            cr_expect_eq(report.defects[RILL_DEFECT_HOLE].count, 0u);
            cr_expect_eq(report.defects[RILL_DEFECT_NO_WALL].count, 0u);
            cr_expect(report.within_share > 0.03 && report.within_share < 0.12, "%g", report.within_share);
            cr_expect_float_eq(report.narrowest, 2e-3 * NARROW, 0.03e-3, "%g", report.narrowest);
            cr_expect(geom->notes && strstr(geom->notes, "taken as their union"), "%s", geom->notes);
            expect_states(&s, geom->surface, starts[k], 2 * (RINGS - 1) * AROUND + (closed ? 2 * AROUND : 0));
            rill_geom_destroy(geom);
        }
    shape_free(&s);
}

/* What rill info says is what rill voxelize does: no rim within the lumen is offered to be opened. */
Test(overlap, surveys_offer_no_end_in_the_lumen)
{
    shape s = shape_new();
    const rill_surface_options o = per_millimetre(0.25);
    rill_survey *survey = NULL;
    tee(&s, 0.3, false);
    shape_write_stl(&s, "a.stl");
    cr_assert_eq(rill_surface_survey("a.stl", &o, (rill_progress){0}, &survey), RILL_OK, "%s",
                 rill_error_message());
    cr_assert_str_empty(survey->refused);
    cr_assert_eq(survey->surface->opening_count, 3);
    cr_assert_eq(survey->rim_count, 0);
    rill_survey_destroy(survey);
    shape_free(&s);
}

/* Vessels that do not touch are still two, and a body within a vessel is an obstacle with a wall. */
Test(overlap, apart_and_nested_shells_are_none)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.25);
    tee(&s, 4, false);
    refuse(&s, &o, "2 separate vessels");
    s.nv = s.nt = 0;
    shape_tube(&s, WIDE, LENGTH, RINGS, AROUND);
    shape_sphere(&s, 0, 0, 10, 1, 20);
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_eq(report.defects[RILL_DEFECT_NESTED].count, 1u);
    cr_assert_eq(report.defects[RILL_DEFECT_WITHIN].count, 0u);
    cr_assert_eq(report.within_share, 0);
    cr_assert_null(geom->surface->removed);
    rill_geom_destroy(geom);
    shape_free(&s);
}

/* Flow through the T: upstream and downstream of the branch it is that of pipes, what the branch takes is its
 * share, and the parts of the tubes within the lumen have no wall shear. */
Test(overlap, flow_through_a_tee_is_right)
{
    static rill_run_result result;
    const rill_run_options run = {.directory = NULL};
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.4);
    static const char *const names[] = {"0mm,0mm,0mm=in", "0mm,0mm,20mm=out", "12mm,0mm,10mm=side"};
    shape s = shape_new();
    tee(&s, 0.3, true);
    o.names = names;
    o.name_count = 3;
    rill_geom *geom = make(&s, &o, &report);
    const uint64_t within = report.defects[RILL_DEFECT_WITHIN].count;
    cr_assert_eq(rill_geom_write(geom, "v.geom.h5", NULL), RILL_OK);
    rill_geom_destroy(geom);
    vessel_write(
        "v.yaml",
        "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 20 mPa.s}\nopenings:\n"
        "  in: {kind: inlet, flow: 1 mL/s}\n  out: {kind: flow-split, fraction: 60 %%}\n"
        "  side: {kind: pressure, pressure: 0 Pa}\noutput: {centre-line: no, slices: no, snapshots: 0, planes: {a: {centre: [0 mm, 0 mm, 2 mm]}, b: "
        "{centre: [0 mm, 0 mm, 5 mm]}, c: {centre: [0 mm, 0 mm, 15 mm]}, d: {centre: [0 mm, 0 mm, 18 mm]}}, drops: {up: {from: a, to: b}, down: "
        "{from: c, to: d}}}\n");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    cr_assert_eq(rill_case_run(r.vessel, &run, &result), RILL_OK, "%s", rill_error_message());
    const double drop = 8 * 20e-3 * 1e-6 * 3e-3 / (M_PI * pow(3e-3, 4)),
                 shear = 4 * 20e-3 * 1e-6 / (M_PI * pow(3e-3, 3));
    cr_expect_float_eq(result.drops[0].from - result.drops[0].to, drop, 0.04 * drop, "%g",
                       (result.drops[0].from - result.drops[0].to) / drop);
    cr_expect_float_eq(result.drops[1].from - result.drops[1].to, 0.6 * drop, 0.04 * drop, "%g",
                       (result.drops[1].from - result.drops[1].to) / drop);
    cr_expect_float_eq(result.flow[vessel_opening(&r, "side")], -0.4e-6, 1e-9);
    cr_expect_float_eq(result.flow[vessel_opening(&r, "out")], -0.6e-6, 1e-9);
    cr_assert_eq(result.shear.within, within);
    float *tawss = malloc(s.nt * sizeof *tawss);
    cr_assert(tawss);
    cr_assert_eq(rill_vessel_wall_shear(r.vessel, tawss, NULL), RILL_OK);
    double sum = 0;
    uint64_t count = 0, missing = 0;
    for (unsigned t = 0; t < s.nt; t++) {
        const int state = r.geom->surface->removed[t];
        const double z = s.v[s.t[t][0]][2];
        missing += isnan(tawss[t]);
        if (state == RILL_WALL_WITHIN || state == RILL_WALL_REMOVED)
            cr_expect(isnan(tawss[t]), "triangle %u", t);
        if (state == RILL_WALL_WHOLE) cr_expect(!isnan(tawss[t]), "triangle %u", t);
        if (t >= 2 * (RINGS - 1) * AROUND || z < 2 || z > 5) continue;
        sum += (double)tawss[t];
        count++;
    }
    cr_assert_eq(missing, result.shear.missing);
    cr_expect_float_eq(sum / (double)count, shear, 0.03 * shear, "%g", sum / (double)count / shear);
    free(tawss);
    vessel_free(&r);
    shape_free(&s);
}

/* Three tubes that cross at right angles: their surfaces touch at vertices and along edges that cut no
 * triangle. The volume is that of the cylinders less the common ones of two, and that of three again. */
Test(overlap, tubes_that_cross_at_vertices_are_united)
{
    enum { TURNS = 48 };
    const double r = 2, length = 20, steinmetz = 16.0 / 3 * r * r * r, three = 8 * (2 - sqrt(2)) * r * r * r,
                 polygon = TURNS * sin(2 * M_PI / TURNS) / (2 * M_PI),
                 exact = 1e-9 * (3 * M_PI * r * r * length - 3 * steinmetz + three) * polygon;
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.23);
    for (int axis = 0; axis < 3; axis++) {
        const unsigned first = s.nv;
        shape_tube(&s, r, length, RINGS, TURNS);
        for (unsigned v = first; v < s.nv; v++) {
            const double x[3] = {s.v[v][0], s.v[v][1], s.v[v][2] - length / 2};
            for (int a = 0; a < 3; a++) s.v[v][(a + axis) % 3] = x[a];
        }
    }
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_eq(geom->surface->opening_count, 6);
    cr_expect_float_eq(report.volume, exact, 0.004 * exact, "%g", report.volume / exact);
    cr_expect_float_eq(report.fluid_volume, exact, 0.02 * exact, "%g", report.fluid_volume / exact);
    rill_geom_destroy(geom);
    shape_free(&s);
}

/* The solid angle of a triangle, seen from a place (van Oosterom & Strackee 1983,
 * doi:10.1109/TBME.1983.325207). */
static double solid_angle(const double *a, const double *b, const double *c, const double place[3])
{
    double p[3], q[3], r[3], normal[3];
    rill_subtract(a, place, p);
    rill_subtract(b, place, q);
    rill_subtract(c, place, r);
    rill_cross(q, r, normal);
    const double x = sqrt(rill_dot(p, p)), y = sqrt(rill_dot(q, q)), z = sqrt(rill_dot(r, r));
    return 2 * atan2(rill_dot(p, normal),
                     x * y * z + rill_dot(p, q) * z + rill_dot(q, r) * x + rill_dot(r, p) * y);
}

/* Of triangles that no other cuts, those are within the lumen around whose middle the other shell winds, by
 * solid angles instead of rays. */
Test(overlap, winding_numbers_agree)
{
    shape s = shape_new();
    const rill_surface_options o = per_millimetre(0.25);
    const unsigned tube_triangles = 2 * (RINGS - 1) * AROUND + 2 * AROUND;
    rill_surface_report report;
    uint64_t within = 0, wrong = 0;
    tee(&s, 0.3, true);
    rill_geom *geom = make(&s, &o, &report);
    for (unsigned t = 0; t < s.nt; t++) {
        const int state = geom->surface->removed[t];
        double middle[3] = {0}, sum = 0;
        if (state != RILL_WALL_WHOLE && state != RILL_WALL_WITHIN) continue;
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++) middle[a] += s.v[s.t[t][k]][a] / 3;
        const bool tube = t < tube_triangles;
        for (unsigned other = tube ? tube_triangles : 0; other < (tube ? s.nt : tube_triangles); other++)
            sum += solid_angle(s.v[s.t[other][0]], s.v[s.t[other][1]], s.v[s.t[other][2]], middle);
        within += state == RILL_WALL_WITHIN;
        wrong += (fabs(sum) > 2 * M_PI) != (state == RILL_WALL_WITHIN);
    }
    cr_expect_eq(wrong, 0u, "%llu of %u triangles", (unsigned long long)wrong, s.nt);
    cr_expect_eq(within, report.defects[RILL_DEFECT_WITHIN].count);
    rill_geom_destroy(geom);
    shape_free(&s);
}
