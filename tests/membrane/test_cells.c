/* SPDX-License-Identifier: Apache-2.0 */
/* Cases with cells: walls, positions, the stress that cells add, runs that are stopped, and bits. */
#include "same_file.h"
#include "backends.h"
#include "membrane/cells.h"
#include "membrane/membrane.h"
#include "message.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Solid where x < 2 or z >= 5. */
static bool corner(const void *context, const int64_t voxel[3])
{
    (void)context;
    return voxel[0] < 2 || voxel[2] >= 5;
}

Test(cells, distance_to_walls)
{
    static const struct {
        double x[3], distance, away[3];
    } all[] = {{{2.25, 0.5, 1}, 0.25, {1, 0, 0}},
               {{2.75, 0.5, 1}, INFINITY, {0}},
               {{4, 0.5, 4.7}, 0.3, {0, 0, -1}},
               {{2.3, 0.5, 4.6}, 0.3, {1, 0, 0}},
               {{1.9, 0.5, 1}, 0, {0}}};
    for (int k = 0; k < 5; k++) {
        double away[3] = {0};
        const double distance = rill_membrane_wall_distance(corner, NULL, all[k].x, away);
        cr_expect(distance == all[k].distance || fabs(distance - all[k].distance) < 1e-12, "%d: %g", k,
                  distance);
        for (int a = 0; a < 3; a++) cr_expect_float_eq(away[a], all[k].away[a], 1e-12, "%d, %d", k, a);
    }
}

/* A block of one solid voxel: its corner is the nearest point. */
static bool block(const void *context, const int64_t voxel[3])
{
    (void)context;
    return voxel[0] == 0 && voxel[1] == 0 && voxel[2] == 0;
}

Test(cells, distance_to_a_corner)
{
    double away[3];
    const double x[3] = {1.2, 1.1, 1.3};
    cr_expect_float_eq(rill_membrane_wall_distance(block, NULL, x, away), sqrt(0.14), 1e-12);
    for (int a = 0; a < 3; a++) cr_expect_float_eq(away[a], (x[a] - 1) / sqrt(0.14), 1e-12);
    cr_expect(isinf(rill_membrane_wall_distance(block, NULL, (const double[3]){1.4, 1.4, 1.1}, NULL)));
}

/* Fluid with membranes in it. */
typedef struct box {
    rill_geom *geom;
    rill_domain *domain;
    rill_sim *sim;
    rill_membranes *membranes;
} box;

/* @param side  domain boundaries along z */
static box box_make(const uint32_t n[3], rill_side side, const rill_membranes_options *options)
{
    box b;
    rill_sim_options o = rill_sim_options_default();
    ASSERT_OK(rill_geom_create(n, &b.geom));
    memset(b.geom->voxels, RILL_FLUID, rill_geom_voxels(b.geom));
    b.geom->sides[2] = side;
    ASSERT_OK(rill_domain_create(b.geom, &(rill_domain_options){RILL_D3Q19, -1}, &b.domain));
    o.variant.collision = RILL_TRT;
    o.on.backend = RILL_BACKEND_CPU;
    ASSERT_OK(rill_sim_create(b.domain, &o, &b.sim));
    ASSERT_OK(rill_membranes_create(b.sim, options, &b.membranes));
    return b;
}

static void box_free(box *b)
{
    rill_membranes_destroy(b->membranes);
    rill_sim_destroy(b->sim);
    rill_domain_destroy(b->domain);
    rill_geom_destroy(b->geom);
}

/* A sphere of tension T and radius r adds - sum (F x + x F) / 2 = 8 pi / 3 r^3 T / r of each axis. */
Test(cells, stress_of_a_sphere_under_tension)
{
    const double stretch = 1.14, radius = 6, shear = 1e-3;
    rill_membrane_mesh mesh;
    double stress[2][RILL_MEMBRANE_STRESS];
    ASSERT_OK(rill_membrane_mesh_sphere(radius, 3, &mesh));
    const rill_membranes_options options = {.mesh = &mesh,
                                            .elastic = {.law = RILL_NEO_HOOKEAN, .shear = shear},
                                            .width = 2,
                                            .count = 2,
                                            .centres = (const double[2][3]){{8, 8, 8}, {24, 8, 8}}};
    box b = box_make((const uint32_t[3]){32, 16, 16}, RILL_PERIODIC, &options);
    rill_membranes *m = b.membranes;
    for (uint32_t v = 0; v < mesh.vertex_count; v++)
        for (int a = 0; a < 3; a++) {
            m->x[mesh.vertex_count + v][a] = options.centres[1][a] + stretch * mesh.vertices[v][a];
        }
    ASSERT_OK(rill_membranes_stresses(m, stress));
    const double area = stretch * stretch, tension = shear * (1 - 1 / (area * area * area)),
                 wanted = 8 * M_PI / 3 * pow(stretch * radius, 2) * tension;
    for (int c = 0; c < RILL_MEMBRANE_STRESS; c++) {
        cr_expect_float_eq(stress[0][c], 0, 1e-12 * wanted, "at rest");
        cr_expect_float_eq(stress[1][c], c < 3 ? wanted : 0, 0.01 * wanted, "%d: %g of %g", c, stress[1][c],
                           wanted);
    }
    box_free(&b);
    rill_membrane_mesh_destroy(&mesh);
}

/* A sphere at rest that is within the range of a plate is pushed away from it, one that is not stays. */
Test(cells, walls_push)
{
    for (int k = 0; k < 3; k++) {
        const double strength = k == 0 ? 0 : 0.01, height = k == 2 ? 4.6 : 4.1;
        rill_membrane_mesh mesh;
        ASSERT_OK(rill_membrane_mesh_sphere(4, 2, &mesh));
        const double centre[3] = {7, 7, height};
        const rill_membranes_options options = {.mesh = &mesh,
                                                .elastic = {.shear = 0.01},
                                                .width = 2,
                                                .count = 1,
                                                .wall = strength,
                                                .centres = &centre};
        box b = box_make((const uint32_t[3]){14, 14, 14}, RILL_WALL, &options);
        ASSERT_OK(rill_sim_step(b.sim, 60));
        const rill_membrane_shape now = rill_membrane_shape_of(&mesh, (const double(*)[3])b.membranes->x);
        if (k == 1)
            cr_expect_gt(now.centre[2], height + 1e-4, "%g", now.centre[2]);
        else
            cr_expect_float_eq(now.centre[2], height, 1e-7, "%d: %g", k, now.centre[2]);
        box_free(&b);
        rill_membrane_mesh_destroy(&mesh);
    }
}

/* Make a tube along x of fluid voxels within a radius, with one solid grain in it. */
static rill_geom *tube(const uint32_t n[3], double radius)
{
    rill_geom *geom;
    ASSERT_OK(rill_geom_create(n, &geom));
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++)
                geom->voxels[(z * n[1] + y) * n[0] + x] =
                    hypot(y + 0.5 - n[1] / 2.0, z + 0.5 - n[2] / 2.0) < radius ? RILL_FLUID : RILL_SOLID;
    geom->voxels[(n[2] / 2 * n[1] + n[1] / 2) * n[0] + 3] = RILL_SOLID;
    geom->spacing = 1e-6;
    return geom;
}

static uint8_t voxel_at(const rill_geom *geom, const double x[3])
{
    uint32_t at[3];
    for (int a = 0; a < 3; a++) {
        const double n = geom->n[a];
        at[a] = (uint32_t)(floor(x[a]) - n * floor(floor(x[a]) / n));
    }
    return geom->voxels[(at[2] * geom->n[1] + at[1]) * geom->n[0] + at[0]];
}

/* At random, and with so many that they push each other aside: no vertex is near one of another cell or in a
 * wall, no grain is within, cells are as large as they should be, and threads change no bit. */
Test(cells, positions_overlap_nothing)
{
    const uint32_t n[3] = {40, 26, 26};
    rill_geom *geom = tube(n, 12);
    rill_membrane_mesh mesh;
    ASSERT_OK(rill_membrane_mesh_red_cell(5, 3, &mesh));
    for (uint32_t count = 4; count <= 14; count += 10) {
        rill_seed_place *places[2];
        double(*x)[3] = malloc(count * mesh.vertex_count * sizeof *x);
        for (int k = 0; k < 2; k++) {
            places[k] = malloc(count * sizeof *places[k]);
            omp_set_num_threads(k ? 3 : 1);
            const rill_seed_options options = {
                .geom = geom, .mesh = &mesh, .apart = RILL_CONTACT_RANGE, .count = count, .seed = 7};
            ASSERT_OK(rill_seed(&options, places[k]));
        }
        cr_expect_arr_eq(places[0], places[1], count * sizeof *places[0]);
        for (uint32_t v = 0; v < count * mesh.vertex_count; v++) {
            const rill_seed_place *place = &places[0][v / mesh.vertex_count];
            const double *at_rest = mesh.vertices[v % mesh.vertex_count];
            double from = 0, rest = 0, inside[3];
            rill_seed_vertex(place, at_rest, x[v]);
            for (int a = 0; a < 3; a++) {
                from += pow(x[v][a] - place->centre[a], 2);
                rest += at_rest[a] * at_rest[a];
            }
            cr_assert_float_eq(sqrt(from), sqrt(rest), 1e-9);
            for (int k = 0; k <= 8; k++) {
                for (int a = 0; a < 3; a++)
                    inside[a] = place->centre[a] + (x[v][a] - place->centre[a]) * k / 8;
                cr_assert_neq(voxel_at(geom, inside), RILL_SOLID);
            }
        }
        double nearest = INFINITY;
        for (uint32_t v = 0; v < count * mesh.vertex_count; v++)
            for (uint32_t w = v / mesh.vertex_count * mesh.vertex_count; w-- > 0;) {
                double square = 0;
                for (int a = 0; a < 3; a++) {
                    const double d = x[v][a] - x[w][a];
                    square += pow(d - n[a] * rint(d / n[a]), 2);
                }
                nearest = fmin(nearest, sqrt(square));
            }
        cr_expect_geq(nearest, RILL_CONTACT_RANGE, "%u cells: %g", count, nearest);
        free(places[0]);
        free(places[1]);
        free(x);
    }
    rill_membrane_mesh_destroy(&mesh);
    rill_geom_destroy(geom);
}

/* ---- runs ------------------------------------------------------------------------------------------------
 */

static const char *const text =
    "geometry: t.geom.h5\n"
    "fluid: {density: 1000 kg/m3, viscosity: 1 mPa.s}\n"
    "flow: {body-force: [400 kPa/m, 0 kPa/m, 0 kPa/m]}\n"
    "cells: {shape: red-cell, radius: 4 um, shear-modulus: 5 uN/m, dilatation: 5, bending-stiffness: 2e-19 J,\n"
    "  haematocrit: 0.1, seed: 2}\n"
    "run: {duration: 40 us}\n"
    "output: {every: 10 us, files-every: 20 us}\n";

/* Stop after some reports while steps are made. */
typedef struct stopper {
    int left;
} stopper;

static bool stop(void *context, const rill_progress_moment *moment)
{
    stopper *s = context;
    if (strcmp(moment->what, "steps") != 0) return true;
    return --s->left != 0;
}

static void case_write(void)
{
    FILE *file = fopen("c.yaml", "w");
    fputs(text, file);
    fclose(file);
    rill_geom *geom = tube((const uint32_t[3]){20, 22, 22}, 10);
    ASSERT_OK(rill_geom_write(geom, "t.geom.h5", NULL));
    rill_geom_destroy(geom);
}

static rill_status case_run(const char *directory, bool resume, int reports)
{
    rill_cells_case c;
    rill_cells_plan p;
    rill_cells_outcome out;
    stopper s = {reports};
    ASSERT_OK(rill_cells_read("c.yaml", &c));
    ASSERT_OK(rill_cells_plan_make(&c, RILL_BACKEND_CPU, (rill_progress){0}, &p));
    const rill_status status = rill_cells_run(
        &c, &p, &(rill_cells_options){.directory = directory, .resume = resume, .progress = {stop, &s}},
        &out);
    if (status == RILL_OK) {
        cr_expect_leq(out.volume, 1e-3);
        cr_expect_gt(out.speed, 0);
    }
    rill_cells_plan_free(&p);
    rill_cells_case_free(&c);
    return status;
}

Test(cells, bits_after_a_stop_and_for_threads)
{
    char directory[] = "/tmp/rill-cells-XXXXXX";
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_eq(chdir(directory), 0);
    case_write();
    for (int k = 0; k < 3; k++) mkdir((const char *const[]){"a", "b", "c"}[k], 0777);
    omp_set_num_threads(1);
    ASSERT_OK(case_run("a", false, 0));
    omp_set_num_threads(3);
    ASSERT_OK(case_run("b", false, 0));
    cr_expect_eq(case_run("c", false, 3), RILL_CANCELLED);
    cr_expect_eq(access("c/checkpoint.h5", F_OK), 0);
    cr_expect_neq(access("c/cells.csv", F_OK), 0);
    ASSERT_OK(case_run("c", true, 0));
    cr_expect_neq(access("c/checkpoint.h5", F_OK), 0, "it is removed with the result");
    expect_same_file("a/cells.csv", "b/cells.csv");
    expect_same_file("a/cells.csv", "c/cells.csv");
    expect_same_file("a/cells.vtp.series", "c/cells.vtp.series");
    char last[64] = "";
    FILE *series = fopen("a/cells.vtp.series", "r");
    for (char line[256]; fgets(line, sizeof line, series);)
        if (strstr(line, "name")) sscanf(strstr(line, "cells."), "%63[^\"]", last);
    fclose(series);
    char paths[2][80];
    for (int k = 0; k < 2; k++) snprintf(paths[k], sizeof paths[k], "%c/%s", "ac"[k], last);
    expect_same_file(paths[0], paths[1]);
}

/* A checkpoint that a signal requests is there before the next steps, and the run goes on. */
static volatile sig_atomic_t asked;

static bool look_for_it(void *context, const rill_progress_moment *moment)
{
    int *reports = context;
    if (strcmp(moment->what, "steps") != 0) return true;
    cr_expect_eq(access("d/checkpoint.h5", F_OK) == 0, *reports > 1, "report %d", *reports);
    if (++*reports == 2) asked = 1; /* a signal comes while the second piece begins */
    return true;
}

Test(cells, a_checkpoint_is_written_on_request)
{
    char directory[] = "/tmp/rill-cells-XXXXXX";
    rill_cells_case c;
    rill_cells_plan p;
    rill_cells_outcome out;
    int reports = 0;
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_eq(chdir(directory), 0);
    case_write();
    mkdir("d", 0777);
    ASSERT_OK(rill_cells_read("c.yaml", &c));
    ASSERT_OK(rill_cells_plan_make(&c, RILL_BACKEND_CPU, (rill_progress){0}, &p));
    ASSERT_OK(rill_cells_run(
        &c, &p, &(rill_cells_options){.directory = "d", .save = &asked, .progress = {look_for_it, &reports}},
        &out));
    cr_expect_geq(reports, 4);
    cr_expect_eq(asked, 0);
    cr_expect_eq(out.steps, p.steps.steps);
    rill_cells_plan_free(&p);
    rill_cells_case_free(&c);
}

/* The same numbers on the lattice in other units are another case: rows before and after would not agree. */
Test(cells, other_units_are_another_case)
{
    static const struct {
        const char *fluid, *flow, *moduli;
        double spacing;
    } units[] = {{"1000 kg/m3, viscosity: 1 mPa.s", "400 kPa/m", "4 um, shear-modulus: 5 uN/m", 1e-6},
                 {"2000 kg/m3, viscosity: 2 mPa.s", "800 kPa/m", "4 um, shear-modulus: 10 uN/m", 1e-6},
                 {"1000 kg/m3, viscosity: 4 mPa.s", "800 kPa/m", "8 um, shear-modulus: 40 uN/m", 2e-6}};
    char directory[] = "/tmp/rill-cells-XXXXXX";
    cr_assert_not_null(mkdtemp(directory));
    cr_assert_eq(chdir(directory), 0);
    mkdir("r", 0777);
    for (int k = 0; k < 3; k++) {
        FILE *file = fopen("c.yaml", "w");
        fprintf(file,
                "geometry: t.geom.h5\nfluid: {density: %s}\nflow: {body-force: [%s, 0 kPa/m, 0 kPa/m]}\n"
                "cells: {shape: sphere, law: neo-hookean, radius: %s, haematocrit: 0.1}\n"
                "run: {duration: 40 us}\n",
                units[k].fluid, units[k].flow, units[k].moduli);
        fclose(file);
        rill_geom *geom = tube((const uint32_t[3]){20, 22, 22}, 10);
        geom->spacing = units[k].spacing;
        ASSERT_OK(rill_geom_write(geom, "t.geom.h5", NULL));
        rill_geom_destroy(geom);
        if (k == 0)
            cr_assert_eq(case_run("r", false, 3), RILL_CANCELLED);
        else {
            cr_expect_eq(case_run("r", true, 0), RILL_USAGE, "%d", k);
            cr_expect_not_null(strstr(rill_error_message(), k == 1 ? "another case" : "another geometry"),
                               "%s", rill_error_message());
        }
    }
}
