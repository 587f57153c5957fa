/* SPDX-License-Identifier: Apache-2.0 */
/* Defects of surfaces: what is counted and mended, which vessel is meant, what is refused. */
#include "surfaces.h"

#include "core/log.h"
#include "kernel/lattice.h"

#include <omp.h>

TestSuite(repair, .init = files_start, .fini = files_end);

/* A closed tube that is mended must give the voxels of the whole one. */
static void expect_mended(shape *s, const rill_geom *whole, rill_defect_kind kind, uint64_t count,
                          uint64_t voxels_apart)
{
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.25);
    rill_geom *geom = make(s, &o, &report);
    uint64_t apart = 0;
    cr_assert_eq(report.defects[kind].count, count, "%llu %s, not %llu",
                 (unsigned long long)report.defects[kind].count, rill_defect_name(kind, 2),
                 (unsigned long long)count);
    cr_assert_arr_eq(geom->n, whole->n, sizeof geom->n);
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++)
        apart += (geom->voxels[v] > 0) != (whole->voxels[v] > 0);
    cr_assert_leq(apart, voxels_apart, "%llu voxels differ after mending %s", (unsigned long long)apart,
                  rill_defect_name(kind, 2));
    rill_geom_destroy(geom);
}

static void turn_triangle(shape *s, unsigned t)
{
    const unsigned v = s->t[t][0];
    s->t[t][0] = s->t[t][1];
    s->t[t][1] = v;
}

Test(repair, defects_are_counted_and_mended)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.25);
    shape_bend(&s, 5, 2, 2, 30, 24);
    rill_geom *whole = make(&s, &o, &report);
    const unsigned nt = s.nt, nv = s.nv;
    for (unsigned t = 0; t < nt; t++) turn_triangle(&s, t);
    expect_mended(&s, whole, RILL_DEFECT_INSIDE_OUT, 1, 0);
    expect_mended(&s, whole, RILL_DEFECT_TURNED, 0, 0);
    for (unsigned t = 0; t < nt; t++) turn_triangle(&s, t);
    for (unsigned t = 7; t < 700; t += 99) turn_triangle(&s, t);
    expect_mended(&s, whole, RILL_DEFECT_TURNED, 7, 0);
    for (unsigned t = 7; t < 700; t += 99) turn_triangle(&s, t);

    shape_triangle(&s, s.t[5][1], s.t[5][2], s.t[5][0]);
    shape_triangle(&s, s.t[6][1], s.t[6][0], s.t[6][2]);
    expect_mended(&s, whole, RILL_DEFECT_DOUBLE, 2, 0);
    s.nt = nt;
    shape_triangle(&s, 3, 3, 9);
    shape_triangle(&s, 4, 4, 4);
    expect_mended(&s, whole, RILL_DEFECT_DEGENERATE, 2, 0);
    s.nt = nt;

    const unsigned lost = 700;
    unsigned kept[3];
    memcpy(kept, s.t[lost], sizeof kept);
    memcpy(s.t[lost], s.t[0], sizeof kept); /* a missing triangle, and a doubled one */
    expect_mended(&s, whole, RILL_DEFECT_HOLE, 1, 0);
    memcpy(s.t[lost], kept, sizeof kept);

    const unsigned tip = shape_vertex(&s, s.v[300][0] * 0.9, s.v[300][1] * 0.9, s.v[300][2] * 0.9);
    shape_triangle(&s, s.t[600][0], s.t[600][1], tip); /* a fin on an edge */
    expect_mended(&s, whole, RILL_DEFECT_NON_MANIFOLD, 1, 0);
    s.nt = nt;
    s.nv = nv;
    rill_geom_destroy(whole);
    shape_free(&s);
}

/* Corners that do not meet: one sentence says what to do, and doing it helps. */
Test(repair, cracks_can_be_welded)
{
    shape whole = shape_new(), s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.25);
    shape_tube(&whole, 2, 8, 10, 24);
    for (unsigned t = 0; t < whole.nt; t++)
        for (int k = 0; k < 3; k++) {
            const double *x = whole.v[whole.t[t][k]], off = 1e-3 * ((t + 2 * (unsigned)k) % 7);
            shape_vertex(&s, x[0] + off, x[1] - off, x[2] + off);
            if (k == 2) shape_triangle(&s, 3 * t, 3 * t + 1, 3 * t + 2);
        }
    refuse(&s, &o, "--weld 0.01mm");
    o.weld = 0.02e-3;
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_eq(report.vertices, whole.nv);
    cr_assert_eq(geom->surface->opening_count, 2);
    cr_assert_eq(report.defects[RILL_DEFECT_HOLE].count, 0u);
    rill_geom_destroy(geom);
    o.weld = 2e-3;
    refuse(&s, &o, "cannot be welded");
    o.weld = 1e-12;
    refuse(&s, &o, "cannot be welded");
    shape_free(&s);
    shape_free(&whole);
}

/* A triangle that is missing at the rim makes a tooth: the end is an opening all the same. */
Test(repair, a_tooth_leaves_the_opening)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.25);
    shape_tube(&s, 2, 8, 20, 40);
    unsigned t = 0;
    while (s.v[s.t[t][0]][2] + s.v[s.t[t][1]][2] + s.v[s.t[t][2]][2] > 0.5) t++;
    memcpy(s.t[t], s.t[s.nt - 1], sizeof *s.t);
    s.nt--;
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_eq(geom->surface->opening_count, 2);
    cr_assert_eq(report.defects[RILL_DEFECT_HOLE].count, 0u);
    rill_geom_destroy(geom);
    shape_free(&s);
}

/* Several triangles that are missing at the rim: most of it is in one plane, and tells where the opening is.
 */
Test(repair, a_rim_that_lacks_triangles_is_an_opening)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.25);
    shape_tube(&s, 2, 8, 12, 40);
    unsigned kept = 0;
    for (unsigned t = 0; t < s.nt; t++) {
        const bool first_ring = t < 80;
        if (!(first_ring && (t / 2 % 40 < 7 || t == 40 || t == 41 || t == 60 || t == 61)))
            memcpy(s.t[kept++], s.t[t], sizeof *s.t);
    }
    s.nt = kept;
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_eq(geom->surface->opening_count, 2);
    cr_assert_eq(report.defects[RILL_DEFECT_HOLE].count, 0u);
    cr_assert_eq(report.defects[RILL_DEFECT_RIM].count, 1u);
    for (int k = 0; k < 2; k++) {
        const rill_opening *p = &geom->surface->openings[k];
        cr_assert_float_eq(fabs(p->normal[2]), 1, 1e-6);
        cr_assert_float_eq(p->centre[2], p->normal[2] > 0 ? 0 : 8e-3, 1e-7);
    }
    rill_geom_destroy(geom);
    shape_free(&s);
}

/* A hole in the wall that is as large as an opening is refused, unless it is to be closed. */
Test(repair, a_hole_as_large_as_an_opening_is_refused)
{
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.25);
    shape_tube(&s, 2, 20, 40, 40);
    unsigned kept = 0;
    for (unsigned t = 0; t < s.nt; t++) {
        const double *x = s.v[s.t[t][0]];
        if (!(x[2] > 6 && x[2] < 14 && x[0] > 0.8)) memcpy(s.t[kept++], s.t[t], sizeof *s.t);
    }
    s.nt = kept;
    refuse(&s, &o, "is as large as the smallest opening");
    o.close_holes = true;
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_eq(geom->surface->opening_count, 2);
    cr_assert_eq(report.defects[RILL_DEFECT_HOLE].count, 1u);
    rill_geom_destroy(geom);
    shape_free(&s);
}

/* Beside a vessel, flat loops of less than a thousandth of its end's area are cracks. */
Test(repair, cracks_are_no_openings)
{
    for (int k = 0; k < 2; k++) {
        shape s = shape_new();
        rill_surface_report report;
        rill_surface_options o = per_millimetre(0.05);
        o.shell = RILL_SHELL_ALL;
        shape_tube(&s, 2, 8, 20, 40);
        const unsigned nv = s.nv;
        shape_tube(&s, k ? 0.06 : 0.08, 8, 20, 40);
        for (unsigned v = nv; v < s.nv; v++) s.v[v][0] += 2.5;
        rill_geom *geom = make(&s, &o, &report);
        cr_assert_eq(geom->surface->opening_count, k ? 2 : 4);
        cr_assert_eq(report.defects[RILL_DEFECT_HOLE].count, k ? 2u : 0u);
        rill_geom_destroy(geom);
        shape_free(&s);
    }
}

/* A large ragged hole is closed, and the voxels that it leaves open are told. */
Test(repair, holes_leave_uncertain_voxels)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.25);
    shape_sphere(&s, 0, 0, 0, 4, 24);
    unsigned kept = 0;
    for (unsigned t = 0; t < s.nt; t++) {
        const double *x = s.v[s.t[t][0]];
        if (x[0] > 3.7) continue;
        memcpy(s.t[kept++], s.t[t], sizeof *s.t);
    }
    s.nt = kept;
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_eq(report.defects[RILL_DEFECT_HOLE].count, 1u);
    cr_assert_float_eq(report.largest_hole.centre[0], 3.7e-3, 2e-4);
    const uint64_t uncertain = report.defects[RILL_DEFECT_UNCERTAIN].count;
    cr_assert(uncertain > 50 && uncertain < 1500, "%llu", (unsigned long long)uncertain);
    cr_assert_float_eq(1e9 * report.fluid_volume, 4 * M_PI / 3 * 64, 8);
    uint64_t without = 0;
    for (uint64_t c = 0; c < geom->surface->wall_count; c++)
        without += geom->surface->walls[c].triangle == RILL_NO_TRIANGLE;
    cr_assert_gt(without, 50u);
    rill_geom_destroy(geom);
    shape_free(&s);
}

/* Shells that overlap are joined, shells within another are obstacles, those apart stay without openings. */
Test(repair, shells_are_joined_or_cut_out)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.25);
    shape_sphere(&s, 0, 0, 0, 3, 24);
    const unsigned first = s.nt;
    shape_sphere(&s, 3, 0.1, 0.2, 3, 24);
    rill_geom_destroy(make(&s, &o, &report));
    const double lens = M_PI / 12 * (12 + 3.00832) * pow(6 - 3.00832, 2); /* d = sqrt(9.05) */
    cr_assert_float_eq(1e9 * report.fluid_volume, 72 * M_PI - lens, 2, "%g", 1e9 * report.fluid_volume);
    cr_assert_gt(report.defects[RILL_DEFECT_INTERSECTION].count, 20u);
    cr_assert_float_eq((double)report.defects[RILL_DEFECT_OVERLAP].count * 0.25 * 0.25 * 0.25, lens, 1);
    cr_assert_eq(report.defects[RILL_DEFECT_SHELL].count, 1u);

    for (unsigned v = 0; v < s.nv / 2; v++) /* the second one into the middle of the first */
        for (int a = 0; a < 3; a++) s.v[s.nv / 2 + v][a] = 0.5 * s.v[v][a];
    for (int turned = 0; turned < 2; turned++) {
        rill_geom_destroy(make(&s, &o, &report));
        cr_assert_float_eq(1e9 * report.fluid_volume, 4 * M_PI / 3 * (27 - 3.375), 2);
        cr_assert_eq(report.defects[RILL_DEFECT_NESTED].count, 1u);
        cr_assert_eq(report.defects[RILL_DEFECT_OVERLAP].count, 0u);
        for (unsigned t = first; t < s.nt; t++) turn_triangle(&s, t);
    }
    shape_free(&s);
}

/* A tube squeezed through itself is inside out in its middle: that part is no fluid, and told. */
Test(repair, what_is_inside_out_is_solid)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.2);
    shape_tube(&s, 3, 9, 12, 36);
    for (unsigned v = 0; v < s.nv; v++) s.v[v][1] *= 1 - 1.5 * (1 - fabs(s.v[v][2] - 4.5) / 4.5);
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_float_eq(1e9 * report.fluid_volume, 27 * M_PI, 3, "%g", 1e9 * report.fluid_volume);
    cr_assert_float_eq((double)report.defects[RILL_DEFECT_OVERLAP].count * 0.008, 6.75 * M_PI, 3);
    cr_assert_eq(geom->surface->opening_count, 2);
    rill_geom_destroy(geom);
    shape_free(&s);
}

/* Walls of overlapping shells are on the outside of all of them, also along their seam. */
Test(repair, walls_of_overlapping_shells_are_outside)
{
    static const double middle[3][3] = {{0, 0, 0}, {3, 0.1, 0.2}, {0.2, 0.3, 2.5}};
    shape s = shape_new();
    const rill_surface_options o = per_millimetre(0.2);
    for (int k = 0; k < 3; k++) shape_sphere(&s, middle[k][0], middle[k][1], middle[k][2], 3, 36);
    rill_geom *g = make(&s, &o, NULL);
    uint64_t at = 0, shells[4] = {0};
    rill_node node = 0;
    for (int64_t v = 0; v < (int64_t)rill_geom_voxels(g); v++) {
        if (g->voxels[v] < RILL_FLUID) continue;
        const int64_t x[3] = {v % g->n[0], v / g->n[0] % g->n[1], v / g->n[0] / g->n[1]};
        for (; at < g->surface->wall_count && g->surface->walls[at].node == node; at++) {
            const rill_cut *cut = &g->surface->walls[at];
            int on = 0;
            for (int k = 0; k < 3; k++) {
                double square = 0;
                for (int a = 0; a < 3; a++) {
                    const double c = rill_c(RILL_D3Q27, cut->direction, a);
                    square +=
                        pow(1e3 * (g->origin[a] + g->spacing * ((double)x[a] + 0.5 - (double)cut->q * c)) -
                                middle[k][a],
                            2);
                }
                cr_assert_gt(sqrt(square), 2.98, "a wall lies within sphere %d", k);
                on += sqrt(square) < 3.0001;
            }
            shells[on]++;
        }
        node++;
    }
    cr_assert_eq(at, g->surface->wall_count);
    cr_assert_eq(shells[0], 0u);
    cr_assert_gt(shells[1], 10000u);
    rill_geom_destroy(g);
    shape_free(&s);
}

/* Any triangles at all: the boundary of each set falls into loops, and closed with these it has an inside. */
Test(repair, any_triangles_have_an_inside)
{
    uint32_t random = 7;
    unsigned made = 0;
    for (int trial = 0; trial < 300; trial++) {
        shape s = shape_new();
        rill_geom *geom = NULL;
        rill_surface_options o = per_millimetre(1.1);
        o.shell = RILL_SHELL_ALL;
        o.close_holes = true;
        const unsigned points = 4 + (unsigned)trial % 20, triangles = 2 + (unsigned)trial % 90;
        for (unsigned v = 0; v < points; v++) {
            double x[3];
            for (int a = 0; a < 3; a++) {
                random = random * 1664525 + 1013904223;
                x[a] =
                    trial % 2 ? random >> 28 : 10. * (random >> 8) / (1 << 24); /* on the lattice, or not */
            }
            shape_vertex(&s, x[0], x[1], x[2]);
        }
        for (unsigned t = 0; t < triangles; t++) {
            unsigned v[3];
            for (int k = 0; k < 3; k++) {
                random = random * 1664525 + 1013904223;
                v[k] = (random >> 8) % points;
            }
            shape_triangle(&s, v[0], v[1], v[2]);
        }
        shape_write_stl(&s, "a.stl");
        const rill_status status = rill_surface_voxelize("a.stl", &o, (rill_progress){0}, &geom, NULL);
        made += status == RILL_OK;
        cr_assert_leq(status, RILL_USAGE, "%s", rill_error_message());
        cr_assert(status == RILL_OK || !strstr(rill_error_message(), "not closed"), "%s",
                  rill_error_message());
        rill_geom_destroy(geom);
        shape_free(&s);
    }
    cr_assert_gt(made, 50u, "%u", made);
}

/* Two vessels side by side, closer than a voxel; a bend alone, whose wall bulges inward, has no such wall. */
Test(repair, thin_walls_are_told)
{
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.46); /* an even number of voxels: the gap lies between two */
    o.shell = RILL_SHELL_ALL;
    shape_tube(&s, 2, 8, 10, 48);
    const unsigned nv = s.nv;
    shape_tube(&s, 2, 8, 10, 48);
    for (unsigned v = nv; v < s.nv; v++) s.v[v][0] += 4.1;
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_gt(report.defects[RILL_DEFECT_THIN].count, 5u);
    cr_assert_float_eq(report.defects[RILL_DEFECT_THIN].place[0][0], 2.05e-3, 0.3e-3);
    for (unsigned v = nv; v < s.nv; v++) s.v[v][0] += 1.5;
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_eq(report.defects[RILL_DEFECT_THIN].count, 0u);
    shape_free(&s);
}

Test(repair, a_million_degenerate_triangles)
{
    enum { MANY = 1000000 };
    rill_geom *geom = NULL;
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.5);
    shape s = shape_new();
    shape_sphere(&s, 0, 0, 0, 3, 12);
    shape_write_stl(&s, "a.stl");
    FILE *file = fopen("a.stl", "r+b");
    const uint32_t count = s.nt + MANY;
    static char facet[50];
    const float x[3] = {1, 2, 0.5};
    for (int k = 0; k < 2; k++) memcpy(facet + 12 + 12 * k, x, sizeof x);
    cr_assert(file);
    fseek(file, 80, SEEK_SET);
    fwrite(&count, 4, 1, file);
    fseek(file, 0, SEEK_END);
    for (int k = 0; k < MANY; k++) fwrite(facet, sizeof facet, 1, file);
    cr_assert_eq(fclose(file), 0);
    cr_assert_eq(rill_surface_voxelize("a.stl", &o, (rill_progress){0}, &geom, &report), RILL_OK, "%s",
                 rill_error_message());
    cr_assert_eq(report.defects[RILL_DEFECT_DEGENERATE].count, (uint64_t)MANY);
    cr_assert_float_eq(1e9 * report.volume, 4 * M_PI / 3 * 27, 6);
    rill_geom_destroy(geom);
    shape_free(&s);
}

Test(repair, several_vessels_must_be_chosen_from)
{
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.25);
    shape_tube(&s, 2, 8, 10, 24);
    const unsigned nv = s.nv;
    shape_tube(&s, 1, 8, 10, 24);
    for (unsigned v = nv; v < s.nv; v++) s.v[v][0] += 10;
    refuse(&s, &o, "2 separate vessels");
    o.shell = 2;
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_float_eq(1e9 * report.volume, M_PI * 8, 0.5);
    o.shell = RILL_SHELL_ALL;
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_float_eq(1e9 * report.volume, 5 * M_PI * 8, 2);
    cr_assert_eq(geom->surface->opening_count, 4);
    rill_geom_destroy(geom);
    o.shell = 3;
    refuse(&s, &o, "--shell 3");
    s.nt = s.nt / 2; /* a vessel and a closed shell beside it, which no opening leads to */
    shape_sphere(&s, 10, 0, 0, 1, 12);
    o.shell = RILL_SHELL_ONE;
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_float_eq((double)report.defects[RILL_DEFECT_DROPPED].count / 64, 4 * M_PI / 3, 0.5);
    cr_assert_float_eq(1e9 * report.fluid_volume, 4 * M_PI * 8, 4, "%g", 1e9 * report.fluid_volume);
    shape_free(&s);
}

Test(repair, refuses_what_cannot_be_right)
{
    shape s = shape_new();
    rill_surface_options o = per_millimetre(0.25);
    shape_tube(&s, 2, 8, 20, 24);
    for (unsigned v = 0; v < s.nv; v++) /* both ends bent out of any plane */
        if (s.v[v][2] == 0 || s.v[v][2] == 8) s.v[v][2] += 0.3 * s.v[v][0] * s.v[v][1];
    refuse(&s, &o, "leaves its plane by 0.4");
    s.nv = s.nt = 0;
    shape_bend(&s, 4, 1.5, 2 * M_PI, 48, 32); /* a large flat hole, on whose plane no wall stands */
    for (unsigned v = 0; v < s.nv; v++) s.v[v][1] = fmin(s.v[v][1], 1.2);
    unsigned kept = 0;
    for (unsigned t = 0; t < s.nt; t++) {
        const unsigned *v = s.t[t];
        if (s.v[v[0]][1] < 1.2 || s.v[v[1]][1] < 1.2 || s.v[v[2]][1] < 1.2)
            memcpy(s.t[kept++], v, sizeof *s.t);
    }
    s.nt = kept;
    refuse(&s, &o, "the wall does not stand on its plane");
    s.nv = s.nt = 0;
    shape_tube(&s, 2, 8, 20, 24);
    o.min_cells = 4;
    o.spacing = 2e-3;
    refuse(&s, &o, "choose --dx 0.9");
    o.spacing = 0.99e-3;
    rill_geom_destroy(make(&s, &o, NULL));
    for (int k = 0; k < 40; k++) { /* what is told to suffice does */
        o.min_cells = 3.1 + 0.137 * k;
        o.spacing = 2e-3;
        refuse(&s, &o, "choose --dx ");
        o.spacing = 1e-3 * strtod(strstr(rill_error_message(), "--dx ") + 5, NULL);
        rill_geom_destroy(make(&s, &o, NULL));
        o.spacing *= 1.012; /* and hardly more does */
        refuse(&s, &o, "choose --dx ");
        const double cells = strtod(strstr(rill_error_message(), "only ") + 5, NULL);
        cr_assert_lt(cells, o.min_cells);
        o.min_cells = strtod(strstr(rill_error_message(), "--min-cells ") + 12, NULL);
        rill_geom_destroy(make(&s, &o, NULL));
    }
    o.min_cells = 4;
    o.spacing = 0.25e-3;
    o.unit = 1e-6;
    refuse(&s, &o, "0.008 mm long: --units may be wrong");
    o.unit = 1;
    o.spacing = 0.04e-3;
    refuse(&s, &o, "more than 1e15: choose a larger --dx; the surface is 8000 mm long: --units may be wrong");
    o.unit = 1e-3;
    o.spacing = 1e-9;
    refuse(&s, &o, "choose a larger --dx");
    for (unsigned v = 0; v < s.nv; v++) /* a funnel whose end is one voxel wide */
        for (int a = 0; a < 2; a++) s.v[v][a] *= 0.15 + 0.85 * s.v[v][2] / 8;
    o.spacing = 0.6e-3;
    refuse(&s, &o, "only 0.991 cells lie across opening-2");
    o.min_cells = 0;
    rill_geom_destroy(make(&s, &o, NULL));
    o.min_cells = 4;
    s.nv = s.nt = 0;
    shape_bend(&s, 4, 1.5, 2 * M_PI, 30, 16); /* the centre of a torus is outside */
    o = per_millimetre(40);
    refuse(&s, &o, "smaller --dx");
    s.nt = 0;
    shape_triangle(&s, 1, 1, 2);
    refuse(&s, &o, "degenerate");
    shape_free(&s);
}

/* Two layers without a gap between them: no lattice has a spacing for that. */
Test(repair, a_fin_has_no_spacing_that_suffices)
{
    shape s = shape_new();
    rill_surface_options o = per_millimetre(0.25);
    o.min_cells = 4;
    o.shell = RILL_SHELL_ALL;
    shape_tube(&s, 2, 8, 20, 24);
    shape_vertex(&s, 3.1, 0.2, 2);
    shape_vertex(&s, 3.3, 0.9, 2.1);
    shape_vertex(&s, 3.7, 1.1, 5.3);
    shape_vertex(&s, 3.5, 0.4, 5.2);
    static const unsigned fin[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
    for (int k = 0; k < 4; k++)
        shape_triangle(&s, s.nv - 4 + fin[k][0], s.nv - 4 + fin[k][1], s.nv - 4 + fin[k][2]);
    refuse(&s, &o, "a fold or a fin");
    cr_assert(!strstr(rill_error_message(), "--dx"), "%s", rill_error_message());
    o.min_cells = 0;
    rill_geom_destroy(make(&s, &o, NULL));
    shape_free(&s);
}

/* The strips of a straight tube lie in planes: rounding must not make their triangles intersect. */
Test(repair, rounding_makes_no_intersections)
{
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(1);
    for (int trial = 0; trial < 12; trial++) {
        s.nv = s.nt = 0;
        shape_tube(&s, 2 + trial % 3, 20, trial % 2 ? 41 : 20, 40);
        shape_turn(&s, 0.5 * (trial / 3));
        for (unsigned v = 0; v < s.nv; v++) s.v[v][0] += 50 * (trial % 4);
        for (int text = 0; text < 2; text++) {
            rill_geom *geom = NULL;
            if (text)
                shape_write_stl_text(&s, "a.stl");
            else
                shape_write_stl(&s, "a.stl");
            cr_assert_eq(rill_surface_voxelize("a.stl", &o, (rill_progress){0}, &geom, &report), RILL_OK);
            cr_assert_eq(report.defects[RILL_DEFECT_INTERSECTION].count, 0u, "tube %d", trial);
            rill_geom_destroy(geom);
        }
    }
    shape_sphere(&s, s.v[100][0], s.v[100][1], s.v[100][2], 1, 12); /* and what intersects is found */
    o.shell = RILL_SHELL_ALL;
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_gt(report.defects[RILL_DEFECT_INTERSECTION].count, 10u);
    shape_free(&s);
}

static void keep_remark(void *context, rill_log_level level, const char *line)
{
    if (level == RILL_LOG_NOTE) snprintf(context, 256, "%s", line);
}

Test(repair, suspicious_units_are_told)
{
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(1);
    shape_sphere(&s, 0, 0, 0, 30, 12);
    o.cells = 32;
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_eq(report.defects[RILL_DEFECT_UNITS].count, 0u);
    cr_assert_eq(geom->n[2], 34u);
    rill_geom_destroy(geom);
    o.unit = 1;
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_eq(report.defects[RILL_DEFECT_UNITS].count, 1u);
    shape_free(&s);
}

/* An aorta of 24 x 60 mm read as inches is no longer than a man, but far too wide. */
Test(repair, openings_that_no_vessel_has_are_told)
{
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(1);
    char remark[256] = "";
    shape_tube(&s, 12, 60, 8, 24);
    rill_log_to(keep_remark, remark);
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_eq(report.defects[RILL_DEFECT_UNITS].count, 0u);
    cr_assert_str_empty(remark);
    o.unit = 25.4e-3;
    o.spacing = 25.4e-3;
    rill_geom_destroy(make(&s, &o, &report));
    cr_assert_eq(report.defects[RILL_DEFECT_UNITS].count, 1u);
    cr_assert(strstr(remark, "--units") && strstr(remark, "1524 mm long"), "%s", remark);
    shape_free(&s);
}

/* However many threads work, the result is the same. */
Test(repair, threads_do_not_matter)
{
    shape s = shape_new();
    rill_geom *geom[2];
    rill_surface_report report[2];
    const rill_surface_options o = per_millimetre(0.25);
    shape_bend(&s, 5, 2, 2, 30, 24);
    shape_sphere(&s, 6, 0, 3, 2, 12);
    for (int k = 0; k < 2; k++) {
        omp_set_num_threads(k == 0 ? 1 : 3);
        geom[k] = make(&s, &o, &report[k]);
    }
    cr_assert_arr_eq(geom[0]->voxels, geom[1]->voxels, rill_geom_voxels(geom[0]));
    cr_assert_eq(memcmp(&report[0].defects, &report[1].defects, sizeof report[0].defects), 0);
    cr_assert_gt(report[0].defects[RILL_DEFECT_OVERLAP].count, 20u);
    cr_assert_eq(geom[0]->surface->wall_count, geom[1]->surface->wall_count);
    for (uint64_t c = 0; c < geom[0]->surface->wall_count; c++)
        cr_assert(geom[0]->surface->walls[c].q == geom[1]->surface->walls[c].q &&
                  geom[0]->surface->walls[c].triangle == geom[1]->surface->walls[c].triangle);
    for (int k = 0; k < 2; k++) rill_geom_destroy(geom[k]);
    shape_free(&s);
}
