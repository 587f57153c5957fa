/* SPDX-License-Identifier: Apache-2.0 */
/* rill run --error-bar: pipes whose wall shear is known, what is the same on all grids, and its mistakes. */
#include "core/sanitized.h"
#include "cli_test.h"

#include <jansson.h>
#include <math.h>

static void begin(void)
{
    cli_test_start();
    cr_assert_eq(setenv("OMP_NUM_THREADS", "1", 1), 0);
    const cli_result r = cli_test_run("generate", "bend", "--radius", "1mm", "--angle", "0", "--inlet", "2mm",
                                      "--outlet", "2mm", "--edge", "0.15mm", "-q", "-o", "p .stl");
    cr_assert_eq(r.code, 0, "%s", r.err);
}

TestSuite(run_grids, .init = begin, .fini = cli_test_end);

/* Along z, or with z turned to x. */
static void voxelize(const char *dx, const char *axes)
{
    const bool turned = strcmp(axes, "yzx") == 0;
    const cli_result r = cli_test_run("voxelize", "p .stl", "--units", "mm", "--axes", axes, "--dx", dx,
                                      "--extend", "0.5D", "--name", "0mm,0mm,0mm=in", "--name",
                                      turned ? "4mm,0mm,0mm=out" : "0mm,0mm,4mm=out", "-o", "p.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
}

#define FLUID "geometry: p.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\n"
#define STEADY                                                                                               \
    FLUID "openings:\n  in: {kind: inlet, flow: 0.1 mL/s, profile: parabolic}\n"                             \
          "  out: {kind: pressure, pressure: 0 Pa}\nrun: {tolerance: 0.01}\n"

static void case_write(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    cr_assert(file);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
}

static double number(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);
    cr_assert(json_is_number(value), "%s", key);
    return json_number_value(value);
}

/* Find a quantity of an error bar. */
static const json_t *quantity(const json_t *bar, const char *key, const char *opening)
{
    size_t k;
    json_t *one;
    json_array_foreach(json_object_get(bar, "quantities"), k, one)
    {
        const char *of = json_string_value(json_object_get(one, "opening"));
        if (strcmp(json_string_value(json_object_get(one, "key")), key) == 0 &&
            (!opening || (of && strcmp(of, opening) == 0)))
            return one;
    }
    return NULL;
}

/* Poiseuille's wall shear, 4 mu Q / (pi R^3), lies in the interval; so does what the finest grid found. */
Test(run_grids, the_interval_holds_the_shear_of_pipes, .disabled = SANITIZED)
{
    static const char *const pipes[][2] = {
        {"0.2mm", "xyz"}, {"0.17mm", "xyz"}, {"0.2mm", "yzx"}, {"0.23mm", "yzx"}};
    const double exact = 4 * 4e-3 * 0.1e-6 / (M_PI * 1e-9);
    case_write("s.yaml", STEADY);
    for (size_t k = 0; k < sizeof pipes / sizeof *pipes; k++) {
        voxelize(pipes[k][0], pipes[k][1]);
        const cli_result r =
            cli_test_run("run", "s.yaml", "--no-measure", "--error-bar", "--overwrite", "--json", "s.json");
        cr_assert_eq(r.code, 0, "%s%s", r.out, r.err);
        json_t *json = json_load_file("s.json", 0, NULL);
        cr_assert(json);
        const json_t *bar = json_object_get(json, "error_bar"), *shear = quantity(bar, "tawss_mean_pa", NULL),
                     *grids = json_object_get(bar, "grids");
        cr_assert(shear && json_array_size(grids) == 3);
        const double limit = number(shear, "limit"), uncertainty = number(shear, "uncertainty");
        cr_expect_leq(fabs(limit - exact), uncertainty, "%s %s: %g ± %g, not %g", pipes[k][0], pipes[k][1],
                      limit, uncertainty, exact);
        cr_expect_lt(uncertainty, 0.35 * exact, "%s %s: ± %g of %g", pipes[k][0], pipes[k][1], uncertainty,
                     exact);
        const json_t *values = json_object_get(shear, "values");
        cr_expect_eq(json_number_value(json_array_get(values, 2)), number(json, "tawss_mean_pa"));
        const double fine = number(json_array_get(grids, 2), "spacing_m"),
                     coarse = number(json_array_get(grids, 0), "spacing_m");
        cr_expect_float_eq(coarse / fine, 16.0 / 9, 1e-9);
        cr_expect(quantity(bar, "pressure_pa", "in"));
        cr_expect(quantity(bar, "flow_m3_per_s", "out"));
        cr_expect_null(quantity(bar, "flow_m3_per_s", "in"), "it is given");
        cr_expect_null(quantity(bar, "osi_mean", NULL), "nothing oscillates");
        json_decref(json);
    }
    cr_assert_eq(
        cli_test_run("export", "s.results/error-bar.vtkhdf", "--field", "TAWSS_ERROR", "-o", "u.png").code,
        0);
}

/* The plan comes first, and the grids have the same Mach number and the same profile; nothing is written. */
Test(run_grids, plans_the_grids)
{
    case_write("wave.csv", "time [ms], flow [mL/s]\n0, 0.1\n10, 0.6\n14, 0\n20, 0.05\n40, 0.1\n");
    case_write("p.yaml", FLUID "openings:\n  in: {kind: inlet, waveform: wave.csv}\n"
                               "  out: {kind: pressure, pressure: 0 Pa}\nrun: {cycles: 1, mach: 0.1}\n");
    voxelize("0.2mm", "xyz");
    const cli_result plain = cli_test_run("run", "p.yaml", "--no-measure", "--dry-run"),
                     r = cli_test_run("run", "p.yaml", "--no-measure", "--dry-run", "--error-bar");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_null(strstr(plain.out, "error bar"));
    cr_assert(strstr(r.out, "grid 1 of 3") && strstr(r.out, "voxels of 355.6 um"), "%s", r.out);
    cr_assert(strstr(r.out, "grid 2 of 3") && strstr(r.out, "voxels of 266.7 um"), "%s", r.out);
    /* The same velocity in lattice units: tau - 1/2 falls as voxels grow. */
    double tau[3];
    const char *row = strstr(r.out, "\n  tau ");
    cr_assert(row && sscanf(row, "\n  tau %lf", &tau[2]) == 1, "%s", r.out);
    for (int k = 0; k < 2; k++) {
        row = strstr(strstr(r.out, k ? "grid 2 of 3" : "grid 1 of 3"), "tau ");
        cr_assert(row && sscanf(row, "tau %lf", &tau[k]) == 1);
        cr_expect_float_eq((tau[2] - 0.5) / (tau[k] - 0.5), k ? 4.0 / 3 : 16.0 / 9, 0.02, "tau %g and %g",
                           tau[k], tau[2]);
    }
    /* What the coarsest grid keeps of the profile is what this one keeps. */
    const char *kept = strstr(plain.out, "keeps "), *less = strstr(r.out, "keeps ");
    double before = 100, now = 100;
    if (kept) cr_assert_eq(sscanf(kept, "keeps %lf", &before), 1);
    cr_assert(less && sscanf(less, "keeps %lf", &now) == 1, "%s", r.out);
    cr_expect_lt(now, before, "%g %% of the profile, alone %g %%", now, before);
    cr_assert_neq(access("p.results", F_OK), 0);
}

Test(run_grids, says_what_is_missing)
{
    case_write("s.yaml", STEADY);
    voxelize("0.2mm", "xyz");
    cli_test_fails(1, "leave out --resume or --error-bar", "run", "s.yaml", "--error-bar", "--resume");
    cr_assert_eq(rename("p .stl", "q.stl"), 0);
    cli_test_fails(
        1,
        "grid 1 of 3 of the error bar, voxels of 355.6 um: p.geom.h5: the surface that it was made from is not at p .stl: put it there, or",
        "run", "s.yaml", "--error-bar", "--dry-run");
    const cli_result r = cli_test_run("generate", "bend", "--radius", "1.1mm", "--angle", "0", "--inlet",
                                      "2mm", "--outlet", "2mm", "--edge", "0.15mm", "-q", "-o", "p .stl");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cli_test_fails(1, "p .stl is not the surface that it was made from", "run", "s.yaml", "--error-bar",
                   "--dry-run");
    /* A grid that is too coarse: 16/9 of it has fewer than four cells across. */
    cr_assert_eq(rename("q.stl", "p .stl"), 0);
    voxelize("0.3mm", "xyz");
    cli_test_fails(1, "only 3.", "run", "s.yaml", "--error-bar", "--dry-run");
}

/* A geometry with --dx alone is its surface with other voxels, by the options of its command. */
Test(run_grids, a_geometry_is_voxelized_again)
{
    voxelize("0.2mm", "yzx");
    cli_result r = cli_test_run("voxelize", "p.geom.h5", "--dx", "0.25mm", "--json", "again.json", "-o",
                                "again.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    voxelize("0.25mm", "yzx");
    const cli_result other = cli_test_run("info", "p.geom.h5", "--json", "-"),
                     made = cli_test_run("info", "again.geom.h5", "--json", "-");
    json_t *a = json_loads(other.out, 0, NULL), *b = json_loads(made.out, 0, NULL);
    static const char *const keys[] = {"size", "fluid", "voxel_size", "origin", "openings"};
    cr_assert(a && b, "%s", made.err);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const json_t *one = json_object_get(a, keys[k]);
        cr_expect(one && json_equal(one, json_object_get(b, keys[k])), "%s: %s", keys[k], made.out);
    }
    json_decref(a);
    json_decref(b);

    r = cli_test_run("voxelize", "again.geom.h5", "--dx", "0.2mm", "-o",
                     "back.geom.h5"); /* the last --dx counts */
    cr_expect_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("voxelize", "p.geom.h5", "--dx", "0.25mm", "--extend", "1D", "-o", "c.geom.h5");
    cr_expect_eq(r.code, 1);
    cr_expect(strstr(r.err, "give --dx alone"), "%s", r.err);
    cr_assert_eq(rename("p .stl", "q.stl"), 0);
    r = cli_test_run("voxelize", "p.geom.h5", "--dx", "0.25mm", "-o", "c.geom.h5");
    cr_expect_eq(r.code, 1);
    cr_expect(strstr(r.err, "put it there"), "%s", r.err);
}
