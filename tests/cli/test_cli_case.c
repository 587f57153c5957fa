/* SPDX-License-Identifier: Apache-2.0 */
/* The way from a surface to a case that runs: rill info, rill export and rill case. */
#include "core/sanitized.h"
#include "cli_test.h"

#include "shapes.h"
#include "vessel/case/case.h"

#include <jansson.h>

TestSuite(cli_case, .init = cli_test_start, .fini = cli_test_end);

enum { AROUND = 48, RINGS = 25 };

/* A tube, 8 mm wide; wave: height of waves of its first rims, mm. */
static void write_tube_waves(const char *path, double wave, unsigned rims)
{
    shape s = shape_new();
    shape_tube(&s, 4, 24, RINGS, AROUND);
    for (unsigned j = 0; j < AROUND; j++)
        for (unsigned k = 0; k < rims; k++)
            s.v[k * (RINGS - 1) * AROUND + j][2] += wave * cos(4 * M_PI * j / AROUND);
    shape_write_stl(&s, path);
    shape_free(&s);
}

static void write_tube(const char *path, double wave) { write_tube_waves(path, wave, 2); }

/* A flow as SimVascular writes it: blanks, any case, along the outward normal. @return its mean, mL/s */
static double write_flow(const char *path)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs("#\tTime (sec)\tFlow (cc/sec)\n", file);
    for (int k = 0; k <= 20; k++) fprintf(file, "%g\t%.6f\n", 0.04 * k, -2 - sin(2 * M_PI * k / 20));
    cr_assert_eq(fclose(file), 0);
    return 2;
}

static json_t *info(const char *path)
{
    const cli_result r = cli_test_run("info", path, "--units", "mm", "--json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = json_loads(r.out, 0, NULL);
    cr_assert_not_null(json, "%s", r.out);
    return json;
}

Test(cli_case, info_lists_openings_and_sizes)
{
    write_tube("v.stl", 0);
    json_t *json = info("v.stl");
    cr_expect_str_eq(json_string_value(json_object_get(json, "unit")), "mm");
    json_t *openings = json_object_get(json, "openings"), *voxels = json_object_get(json, "voxels");
    cr_assert_eq(json_array_size(openings), 2);
    cr_expect_float_eq(json_real_value(json_object_get(json_array_get(openings, 0), "hydraulic_diameter")), 8,
                       0.05);
    cr_assert_eq(json_array_size(voxels), 3);
    const json_t *fine = json_array_get(voxels, 1);
    const double dx = json_real_value(json_object_get(fine, "dx")),
                 nodes = json_real_value(json_object_get(fine, "fluid_nodes"));
    cr_expect(dx <= 0.4 && dx > 0.38, "%g", dx);
    cr_expect_float_eq(nodes, M_PI * 16 * 24 / pow(dx, 3), 0.02 * nodes);
    json_decref(json);
    const cli_result plain = cli_test_run("info", "v.stl");
    cr_expect(plain.code == 0 && strstr(plain.out, "--units mm says which"), "%s", plain.out);
    cli_test_fails(1, "--units mm", "info", "v.stl", "--plane", "1mm,0mm,0mm,0,0,1");
}

/* A rim that is not flat is no opening: the planes that are printed make them. */
Test(cli_case, info_prints_planes_that_open)
{
    write_tube("v.stl", 2);
    cli_test_fails(1, "v.stl", "voxelize", "v.stl", "--units", "mm", "--dx", "0.5mm", "-o", "v.geom.h5");
    json_t *json = info("v.stl");
    const json_t *closed = json_object_get(json, "closed");
    cr_expect_not_null(json_object_get(json, "refused_by_voxelize"));
    cr_expect_eq(json_array_size(json_object_get(json, "openings")), 0);
    cr_assert_eq(json_array_size(closed), 2);
    const char *planes[2];
    for (size_t k = 0; k < 2; k++) {
        planes[k] = json_string_value(json_object_get(json_array_get(closed, k), "open_by"));
        cr_assert(planes[k] && strncmp(planes[k], "--plane ", 8) == 0);
    }
    const cli_result r = cli_test_run("voxelize", "v.stl", "--units", "mm", "--dx", "0.5mm", "-o",
                                      "v.geom.h5", "--plane", planes[0] + 8, "--plane", planes[1] + 8);
    cr_expect(r.code == 0 && strstr(r.out, "opening-2"), "%s%s", r.out, r.err);
    json_decref(json);
}

/* Of two rims info names the one that is not flat, with a plane that opens it. */
Test(cli_case, info_knows_which_rim_is_bad)
{
    write_tube_waves("v.stl", 2, 1);
    json_t *json = info("v.stl");
    const json_t *closed = json_object_get(json, "closed");
    const char *plane = NULL;
    cr_assert_eq(json_array_size(closed), 2);
    for (size_t k = 0; k < 2; k++) {
        const json_t *row = json_array_get(closed, k);
        const char *why = json_string_value(json_object_get(row, "why"));
        const bool bad = json_real_value(json_array_get(json_object_get(row, "at"), 2)) < 12;
        cr_expect(strncmp(why, bad ? "a rim that is not flat" : "a flat rim", bad ? 22 : 10) == 0, "%s", why);
        if (bad) plane = json_string_value(json_object_get(row, "open_by"));
    }
    cr_assert_not_null(plane);
    const cli_result r = cli_test_run("voxelize", "v.stl", "--units", "mm", "--dx", "0.5mm", "-o",
                                      "v.geom.h5", "--plane", plane + 8);
    cr_expect(r.code == 0 && strstr(r.out, "opening-2"), "%s%s", r.out, r.err);
    json_decref(json);
}

Test(cli_case, export_numbers_openings)
{
    write_tube("v.stl", 0);
    const cli_result r = cli_test_run("export", "v.stl", "-o", "v.png");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect(strstr(r.out, "1 is opening-1") && strstr(r.out, "2 is opening-2"), "%s", r.out);
    cr_expect(cli_test_exists("v.png"));
    cli_test_fails(1, "is not a surface", "export", "v.raw", "--caps", "auto", "-o", "w.png");
}

/* The case assumes 93 mmHg at the mean flow, and shares it by the cubes of the widths. */
Test(cli_case, writes_a_case_that_can_run)
{
    const double mmhg = 133.322387415, mean = 1e-6 * write_flow("sv.flow");
    cli_result r =
        cli_test_run("generate", "bifurcation", "--radius", "2mm", "--edge", "0.3mm", "-o", "b.stl");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("case", "b.stl", "--units", "mm", "--name", "opening-2=left", "--flow", "sv.flow", "-o",
                     "b.yaml");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect(strstr(r.out, "the sign is changed"), "%s", r.out);
    rill_case *given = NULL;
    rill_geom *geom = NULL;
    cr_assert_eq(rill_case_read("b.yaml", &given), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_geom_read("b.geom.h5", &geom), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(given->end_count, 3);
    cr_assert_eq(given->ends[0].kind, RILL_END_INLET);
    cr_expect_float_eq(given->ends[0].wave->mean, mean, 1e-4 * mean);
    double conductance = 0, cubes = 0;
    const rill_opening *openings = geom->surface->openings;
    for (int k = 1; k < 3; k++) cubes += pow(openings[k].hydraulic_diameter, 3);
    for (int k = 1; k < 3; k++) {
        const rill_end *e = &given->ends[k];
        cr_expect_str_eq(e->name, openings[k].name);
        const double own = 1 / (e->proximal + e->distal);
        conductance += own;
        cr_expect_float_eq(own, mean / (93 * mmhg) * pow(openings[k].hydraulic_diameter, 3) / cubes,
                           1e-3 * own);
        cr_expect_float_eq((e->proximal + e->distal) * e->compliance, 1.7, 2e-3);
    }
    cr_expect_float_eq(conductance * 93 * mmhg, mean, 1e-3 * mean);
    rill_case_destroy(given);
    rill_geom_destroy(geom);
    r = cli_test_run("check", "b.yaml", "--no-measure");
    cr_expect(r.code == 0 && strstr(r.out, "it can run"), "%s%s", r.out, r.err);
}

Test(cli_case, a_steady_case_runs_as_it_is, .disabled = SANITIZED)
{
    write_tube("in.stl", 0);
    cli_result r = cli_test_run("case", "in.stl", "--units", "mm", "--dx", "1mm", "--inlet", "opening-2");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("run", "in.yaml", "-o", "results", "--no-measure");
    cr_expect_eq(r.code, 0, "%s%s", r.out, r.err);
    cr_expect(cli_test_exists("results/wall.vtkhdf"));
}

/* What a branch that is closed lets through leaves by the other one, and the plan names the others alone. */
Test(cli_case, closes_a_branch)
{
    cli_result r =
        cli_test_run("generate", "bifurcation", "--radius", "2mm", "--edge", "0.4mm", "-o", "b.stl");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("voxelize", "b.stl", "--units", "mm", "--dx", "0.5mm", "--extend", "0.5D", "-o",
                     "b.geom.h5", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_read("b.geom.h5", &geom), RILL_OK, "%s", rill_error_message());
    const rill_opening *o = &geom->surface->openings[1];
    const uint64_t walls = geom->surface->wall_count, cuts = o->cut_count;
    const uint8_t label = o->label;
    cr_expect_eq(rill_geom_close_opening(geom, "none"), RILL_USAGE);
    cr_assert_eq(rill_geom_close_opening(geom, "opening-2"), RILL_OK, "%s", rill_error_message());
    cr_expect_eq(geom->surface->opening_count, 2);
    cr_expect_str_eq(geom->surface->openings[1].name, "opening-3");
    cr_expect_eq(geom->surface->wall_count, walls + cuts);
    for (uint64_t k = 0; k < rill_geom_voxels(geom); k++) cr_assert_neq(geom->voxels[k], label);
    for (uint64_t k = 1; k < geom->surface->wall_count; k++) {
        const rill_cut *a = &geom->surface->walls[k - 1], *b = &geom->surface->walls[k];
        cr_assert(a->node < b->node || (a->node == b->node && a->direction < b->direction), "%llu",
                  (unsigned long long)k);
    }
    rill_geom_destroy(geom);
    FILE *file = fopen("b.yaml", "w");
    cr_assert_not_null(file);
    fputs("geometry: b.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 10 mPa.s}\nopenings:\n"
          "  opening-1: {kind: inlet, flow: 0.5 mL/s}\n  opening-2: {kind: wall}\n"
          "  opening-3: {kind: pressure, pressure: 0 Pa}\nrun: {tolerance: 0.1 %}\noutput: {surface: no}\n",
          file);
    cr_assert_eq(fclose(file), 0);
    r = cli_test_run("run", "b.yaml", "-o", "results", "--no-measure", "--json", "b.json");
    cr_assert_eq(r.code, 0, "%s%s", r.out, r.err);
    cr_expect_null(strstr(r.out, "opening-2"), "%s", r.out);
    json_t *json = json_load_file("b.json", 0, NULL);
    const json_t *openings = json_object_get(json, "openings");
    cr_assert_eq(json_array_size(openings), 2);
    double flow[2];
    for (size_t k = 0; k < 2; k++)
        flow[k] = json_real_value(json_object_get(json_array_get(openings, k), "flow_m3_per_s"));
    cr_expect_float_eq(flow[0], 5e-7, 1e-12, "%g", flow[0]);
    cr_expect_float_eq(flow[1], -5e-7, 1e-9, "%g", flow[1]);
    json_decref(json);
}

Test(cli_case, refuses)
{
    write_tube("v.stl", 0);
    cli_test_fails(1, "no surface is given", "case");
    cli_test_fails(1, "--units mm", "case", "v.stl");
    cli_test_fails(1, "end it in .yaml", "case", "v.stl", "--units", "mm", "-o", "v.txt");
    cli_test_fails(1, "is not an opening", "case", "v.stl", "--units", "mm", "--inlet", "none");
    write_flow("v.csv");
    cli_test_fails(1, "would replace v.csv", "case", "v.stl", "--units", "mm", "--flow", "v.csv");
    shape s = shape_new();
    shape_sphere(&s, 0, 0, 0, 4, 12);
    shape_write_stl(&s, "ball.stl");
    shape_free(&s);
    cli_test_fails(1, "has no opening", "case", "ball.stl", "--units", "mm");
    cli_test_fails(1, "open it with --plane", "case", "ball.stl", "--units", "mm", "--dx", "1mm");
}
