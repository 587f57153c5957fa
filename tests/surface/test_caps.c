/* SPDX-License-Identifier: Apache-2.0 */
/* Flat caps become openings; flat parts of a wall do not, and the report gives the reason. */
#include "surfaces.h"

#include "core/log.h"
#include "geometry/generate/generate_surface.h"

TestSuite(caps, .init = files_start, .fini = files_end);

/* Return a number between -1 and 1. */
static double random_next(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return (double)(*state >> 8) / (1 << 23) - 1;
}

/* A cylinder, a bend, or a bend whose end is cut at an angle; radius 2 mm, ends closed. */
static void capped_pipe(shape *s, int which, shape_cap_kind kind, double noise)
{
    enum { RINGS = 41, AROUND = 48 };
    uint32_t random = 5;
    s->nv = s->nt = 0;
    if (which == 0)
        shape_tube(s, 2, 16, RINGS, AROUND);
    else
        shape_bend(s, 6, 2, 1.6, RINGS, AROUND);
    for (unsigned v = 0; which == 2 && v < AROUND; v++) s->v[v][2] += 0.6 * (s->v[v][0] - 6) - 2;
    const unsigned wall = s->nv;
    shape_cap(s, 0, AROUND, false, kind);
    shape_cap(s, wall - AROUND, AROUND, true, kind);
    for (unsigned v = 0; v < s->nv; v++)
        if (v < AROUND || v >= wall - AROUND)
            for (int a = 0; a < 3; a++) s->v[v][a] += 4 * noise * random_next(&random);
}

Test(caps, of_any_triangles_become_openings)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.3);
    static const double noise[] = {0, 1e-4, 3e-4}; /* of the diameter */
    char why[160];
    for (int which = 0; which < 3; which++)
        for (shape_cap_kind kind = 0; kind < SHAPE_CAP_KINDS; kind++)
            for (int noisy = 0; noisy < 3; noisy++) {
                capped_pipe(&s, which, kind, noise[noisy]);
                shape_turn(&s, 0.7);
                rill_geom *geom = make(&s, &o, &report);
                for (int k = 0; k < report.flat_count; k++) {
                    rill_cap_reason(&report.flats[k], why, sizeof why);
                    cr_assert_eq(report.flats[k].verdict, RILL_CAP_OPENED, "pipe %d, cap %d: %s", which,
                                 (int)kind, why);
                }
                cr_assert_eq(geom->surface->opening_count, 2, "pipe %d, cap %d: %d openings", which,
                             (int)kind, geom->surface->opening_count);
                cr_assert_eq(report.caps_opened, 2);
                cr_assert_eq(report.defects[RILL_DEFECT_HOLE].count, 0u);
                const double area = geom->surface->openings[1].area;
                cr_assert_float_eq(1e6 * area, 12.53, 0.05, "%g", 1e6 * area);
                cr_assert_not_null(geom->surface->removed);
                unsigned removed = 0;
                for (uint64_t t = 0; t < geom->surface->triangle_count; t++)
                    removed += geom->surface->removed[t];
                cr_assert_eq(removed, s.nt - 2 * 40 * 48, "%u triangles are removed", removed);
                rill_geom_destroy(geom);
            }
    shape_free(&s);
}

/* Caps of a bifurcation: the loops of the generated surface are closed by fans. */
Test(caps, of_a_bifurcation_become_openings)
{
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.5);
    rill_mesh *mesh = NULL;
    rill_loops loops;
    rill_geom *open = NULL, *geom = NULL;
    const rill_bifurcation_options vessel = rill_bifurcation_options_default();
    cr_assert_eq(rill_generate_bifurcation(&vessel, &mesh), RILL_OK);
    cr_assert_eq(rill_mesh_write_stl(mesh, "a.stl", NULL), RILL_OK);
    cr_assert_eq(rill_surface_voxelize("a.stl", &o, (rill_progress){0}, &open, &report), RILL_OK);
    cr_assert_eq(report.flat_count, 0);
    cr_assert_eq(rill_loops_find(mesh, NULL, &loops), RILL_OK);
    for (uint32_t l = 0; l < loops.count; l++) {
        const uint32_t *v = loops.vertices + loops.first[l], count = loops.first[l + 1] - loops.first[l];
        double middle[3] = {0};
        uint32_t tip;
        for (uint32_t k = 0; k < count; k++)
            for (int a = 0; a < 3; a++) middle[a] += mesh->vertices[v[k]][a] / count;
        cr_assert_eq(rill_mesh_add_vertex(mesh, middle, &tip), RILL_OK);
        for (uint32_t k = 0; k < count; k++)
            cr_assert_eq(rill_mesh_add_triangle(mesh, (rill_triangle){.v = {tip, v[(k + 1) % count], v[k]}}),
                         RILL_OK);
    }
    rill_loops_destroy(&loops);
    cr_assert_eq(rill_mesh_write_stl(mesh, "a.stl", NULL), RILL_OK);
    cr_assert_eq(rill_surface_voxelize("a.stl", &o, (rill_progress){0}, &geom, &report), RILL_OK, "%s",
                 rill_error_message());
    cr_assert_eq(geom->surface->opening_count, 3);
    for (int k = 0; k < 3; k++)
        cr_assert_float_eq(geom->surface->openings[k].area, open->surface->openings[k].area, 1e-10);
    cr_assert_arr_eq(geom->voxels, open->voxels, rill_geom_voxels(open));
    rill_geom_destroy(open);
    rill_geom_destroy(geom);
    rill_mesh_destroy(mesh);
}

static void box(shape *s, double a, double b, double c)
{
    static const unsigned faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    s->nv = s->nt = 0;
    for (int k = 0; k < 8; k++) shape_vertex(s, k & 1 ? a : 0, k & 2 ? b : 0, k & 4 ? c : 0);
    for (int f = 0; f < 6; f++) {
        shape_triangle(s, faces[f][0], faces[f][1], faces[f][2]);
        shape_triangle(s, faces[f][0], faces[f][2], faces[f][3]);
    }
}

/* The ends of a duct are caps, its sides are not: the duct is not as deep behind them as they are long. */
Test(caps, sides_of_a_duct_are_none)
{
    static const double sizes[][3] = {{4, 4, 20}, {2, 6, 30}, {3, 3, 4.5}, {4, 4, 4}, {10, 1, 10}};
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.2);
    o.caps = RILL_CAPS_AUTO;
    for (int k = 0; k < 5; k++) {
        const int ends = k < 3 ? 2 : 0;
        box(&s, sizes[k][0], sizes[k][1], sizes[k][2]);
        shape_turn(&s, 0.3);
        rill_geom *geom = make(&s, &o, &report);
        cr_assert_eq(geom->surface->opening_count, ends, "box %d", k);
        cr_assert_eq(report.flat_count, 6);
        for (int n = 0; n < ends; n++) {
            cr_assert_eq(report.flats[n].verdict, RILL_CAP_OPENED);
            cr_assert_float_eq(1e6 * report.flats[n].area, sizes[k][0] * sizes[k][1], 1e-3);
        }
        for (int n = ends; n < 6; n++) cr_assert_eq(report.flats[n].verdict, RILL_CAP_SHALLOW);
        rill_geom_destroy(geom);
    }
    shape_free(&s);
}

/* Facets of a ball of voxels are bounded by creases, and are none. */
Test(caps, facets_of_a_wall_are_none)
{
    enum { N = 16 };
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.5);
    static bool in[N + 2][N + 2][N + 2];
    for (int v = 0; v < N * N * N; v++) {
        const int x[3] = {v % N, v / N % N, v / N / N};
        double square = 0;
        for (int a = 0; a < 3; a++) square += (x[a] - 7.5) * (x[a] - 7.5);
        in[x[2] + 1][x[1] + 1][x[0] + 1] = square < 49;
    }
    for (int v = 0; v < 3 * N * N * N; v++) {
        const int x[3] = {v % N, v / N % N, v / N / N % N}, axis = v / N / N / N;
        if (!in[x[2] + 1][x[1] + 1][x[0] + 1]) continue;
        for (int side = 0; side < 2; side++) {
            int n[3] = {x[0] + 1, x[1] + 1, x[2] + 1};
            unsigned corner[4];
            n[axis] += 2 * side - 1;
            if (in[n[2]][n[1]][n[0]]) continue;
            for (int k = 0; k < 4; k++) {
                double at[3] = {x[0], x[1], x[2]};
                at[axis] += side;
                at[(axis + 1) % 3] += k == 1 || k == 2;
                at[(axis + 2) % 3] += k >= 2;
                corner[side ? k : 3 - k] = shape_vertex(&s, at[0], at[1], at[2]);
            }
            shape_triangle(&s, corner[0], corner[1], corner[2]);
            shape_triangle(&s, corner[0], corner[2], corner[3]);
        }
    }
    rill_geom *geom = make(&s, &o, &report);
    cr_assert_eq(geom->surface->opening_count, 0, "%d", geom->surface->opening_count);
    cr_assert_eq(report.caps_opened, 0);
    rill_geom_destroy(geom);
    shape_free(&s);
}

static void keep_remark(void *context, rill_log_level level, const char *line)
{
    if (level == RILL_LOG_NOTE) snprintf(context, 512, "%s", line);
}

/* By default caps are opened where nothing else is open; a surface that stays closed says what to do. */
Test(caps, are_opened_when_asked_or_when_nothing_else_is_open)
{
    shape s = shape_new();
    rill_surface_report report;
    rill_surface_options o = per_millimetre(0.3);
    char remark[512] = "";
    rill_log_to(keep_remark, remark);
    shape_tube(&s, 2, 16, 41, 48);
    shape_cap(&s, 0, 48, false, SHAPE_FAN);
    rill_geom *geom = make(&s, &o, &report); /* the other end is open */
    cr_assert_eq(geom->surface->opening_count, 1);
    cr_assert_null(geom->surface->removed);
    cr_assert_eq(report.flat_count, 1);
    cr_assert_eq(report.flats[0].verdict, RILL_CAP_CLOSED);
    rill_geom_destroy(geom);
    o.caps = RILL_CAPS_AUTO;
    geom = make(&s, &o, &report);
    cr_assert_eq(geom->surface->opening_count, 2);
    rill_geom_destroy(geom);
    cr_assert_str_empty(remark);
    shape_cap(&s, 40 * 48, 48, true, SHAPE_FAN);
    o.caps = RILL_CAPS_NONE;
    geom = make(&s, &o, &report);
    cr_assert_eq(geom->surface->opening_count, 0);
    cr_assert(strstr(remark, "--caps auto"), "%s", remark);
    rill_geom_destroy(geom);
    shape_free(&s);
}

/* Write an ASCII STL of a tube whose caps are solids; a sliver of each cap is called the wall's. */
static void write_solids(const shape *s, unsigned wall, unsigned cap, const char *const names[2])
{
    FILE *file = fopen("a.stl", "w");
    cr_assert_not_null(file);
    for (int solid = 0; solid < 3; solid++) {
        fprintf(file, "solid %s\n", solid ? names[solid - 1] : "wall");
        for (unsigned t = 0; t < s->nt; t++) {
            const unsigned within = t < wall ? 0 : (t - wall) % cap;
            const int of = within == 0 ? 0 : 1 + (t >= wall + cap);
            if (of != solid) continue;
            fprintf(file, "facet normal 0 0 0\nouter loop\n");
            for (int c = 0; c < 3; c++)
                fprintf(file, "vertex %.9g %.9g %.9g\n", s->v[s->t[t][c]][0], s->v[s->t[t][c]][1],
                        s->v[s->t[t][c]][2]);
            fprintf(file, "endloop\nendfacet\n");
        }
        fprintf(file, "endsolid\n");
    }
    cr_assert_eq(fclose(file), 0);
}

/* Caps are called like their solids, also when slivers of the wall lie in their planes; solids whose names
 * differ in the second word stay two. */
Test(caps, are_named_in_spite_of_slivers)
{
    static const char *const names[][2] = {{"inlet", "outlet"}, {"outlet 1", "outlet 2"}};
    for (int k = 0; k < 2; k++) {
        shape s = shape_new();
        rill_geom *geom = NULL;
        const rill_surface_options o = per_millimetre(0.3);
        shape_tube(&s, 2, 16, 41, 48);
        const unsigned wall = s.nt;
        shape_cap(&s, 0, 48, false, SHAPE_FAN);
        const unsigned cap = s.nt - wall;
        shape_cap(&s, 40 * 48, 48, true, SHAPE_FAN);
        write_solids(&s, wall, cap, names[k]);
        cr_assert_eq(rill_surface_voxelize("a.stl", &o, (rill_progress){0}, &geom, NULL), RILL_OK, "%s",
                     rill_error_message());
        cr_assert_eq(geom->surface->opening_count, 2);
        cr_assert_eq(geom->surface->patch_count, 3u);
        for (int n = 0; n < 2; n++) {
            cr_assert_str_eq(geom->surface->patch_names[n + 1], names[k][n]);
            const char *called = geom->surface->openings[n].name;
            char whole[2][16]; /* without blanks */
            for (int m = 0; m < 2; m++)
                for (size_t c = 0; c <= strlen(names[k][m]); c++)
                    whole[m][c] = names[k][m][c] == ' ' ? '-' : names[k][m][c];
            cr_assert(strcmp(called, whole[0]) == 0 || strcmp(called, whole[1]) == 0, "%s", called);
        }
        rill_geom_destroy(geom);
        shape_free(&s);
    }
}

/* A cap that lacks some of its triangles is one opening, not an opening and a hole. */
Test(caps, that_lack_triangles_are_whole_openings)
{
    shape s = shape_new();
    rill_surface_report report;
    const rill_surface_options o = per_millimetre(0.3);
    for (int lost = 1; lost < 6; lost += 2) {
        capped_pipe(&s, 1, SHAPE_FAN, 0);
        s.nt -= (unsigned)lost;
        rill_geom *geom = make(&s, &o, &report);
        cr_assert_eq(geom->surface->opening_count, 2);
        cr_assert_eq(report.defects[RILL_DEFECT_HOLE].count, 0u);
        cr_assert_float_eq(1e6 * geom->surface->openings[1].area, 12.53, 0.05);
        rill_geom_destroy(geom);
    }
    shape_free(&s);
}
