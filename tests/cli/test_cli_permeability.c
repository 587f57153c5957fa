/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_cli_permeability.c
 * rill permeability: what it prints and writes, and that it gives no number as a result that is none.
 */
#include "pore_files.h"

#include <math.h>

TestSuite(permeability, .init = cli_test_start, .fini = cli_test_end);

/* A slanted channel that conducts along x and y: k along z is 0, in the tensor and in a table. */
static bool slanted(int x, int y, int z) { return z >= 1 && z < 5 && (y - x + 12) % 12 < 5; }

static bool closed(int x, int y, int z) { return x > 1 && x < 5 && y > 1 && y < 5 && z > 1 && z < 5; }

Test(permeability, a_closed_axis_gives_zeros_in_the_tensor)
{
    make_raw("slanted-12x12x6-u8.raw", 12, 12, 6, slanted);
    const cli_result r =
        cli_test_run("permeability", "slanted-12x12x6-u8.raw", "--pore", "0", "--axis", "xyz", "--backend",
                     "cpu", "--voxel-size", "1um", "--json", "slanted.json", "-o", "slanted.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "nothing percolates along z (periodic): k is exactly 0"), "%s", r.out);
    cr_assert_not_null(strstr(r.out, "domain boundaries (--error-bar)"), "%s", r.out);
    cr_assert_not_null(strstr(r.out, "along (0.7071, 0.7071, 0.0000)"), "%s", r.out);
    json_t *json = load("slanted.json");
    const double k = real(json, "permeability.lu.xx");
    static const char *const zeros[] = {"xz", "yz", "zx", "zy", "zz"};
    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++) {
        char key[32];
        snprintf(key, sizeof key, "permeability.lu.%s", zeros[i]);
        cr_assert_eq(real(json, key), 0, "%s", key);
    }
    cr_assert_eq(json_array_size(find(json, "runs")), 2u);
    cr_assert_float_eq(real(json, "permeability.lu.xy") / k, 1, 1e-3);
    cr_assert_float_eq(json_number_value(json_array_get(find(json, "principal.lu"), 0)) / (2 * k), 1, 1e-3);
    cr_assert_lt(real(json, "uncertainty"), 1e-3);
    json_decref(json);
    const cli_result batch = cli_test_run("permeability", "slanted-12x12x6-u8.raw", "--pore", "0", "--axis",
                                          "xyz", "--backend", "cpu", "--csv", "slanted.csv", "-q");
    cr_assert_eq(batch.code, 0, "%s", batch.err);
    make_raw("closed-8x8x8-u8.raw", 8, 8, 8, closed);
    cli_test_fails(2, "nothing percolates along x, y or z", "permeability", "closed-8x8x8-u8.raw", "--pore",
                   "0", "--axis", "xyz", "--backend", "cpu", "-q", "--keep", "all");
}

/* Entries off the diagonal that are given have an uncertainty. */
Test(permeability, no_value_stands_without_its_uncertainty)
{
    make_array("sc.geom.h5", "12");
    static const char *const axes[] = {"x", "xyz"}, *const ways[] = {"auto", "none"};
    for (int i = 0; i < 4; i++) {
        const cli_result r =
            cli_test_run("permeability", "sc.geom.h5", "--axis", axes[i / 2], "--acceleration", ways[i % 2],
                         "--backend", "cpu", "-q", "--json", "u.json");
        cr_assert_eq(r.code, 0, "%s", r.err);
        json_t *json = load("u.json"), *runs = find(json, "runs"), *run;
        size_t k;
        json_array_foreach(runs, k, run)
        {
            const char axis = json_string_value(find(run, "axis"))[0];
            for (char b = 'x'; b <= 'z'; b++) {
                char entry[32], of[32];
                snprintf(entry, sizeof entry, "permeability.lu.%c%c", b, axis);
                snprintf(of, sizeof of, "uncertainty_lu.%c", b);
                cr_assert_eq(json_is_null(find(json, entry)), json_is_null(find(run, of)), "%s of %d", entry,
                             i);
            }
        }
        json_decref(json);
    }
}

/* A force that the populations do not resolve is refused before the first step: its flow would be 0. */
Test(permeability, refuses_a_force_below_what_the_format_resolves)
{
    static const char *const storages[][2] = {{"fp32", "1e-60"},  {"fp32", "2e-30"}, {"fp64", "1e-300"},
                                              {"fp16s", "5e-12"}, {"fp16", "1e-7"},  {"p16_2c", "1e-19"}};
    make_raw("channel-8x8x8-u8.raw", 8, 8, 8, channel);
    for (size_t i = 0; i < sizeof storages / sizeof *storages; i++)
        cli_test_fails(1, "is too small for", "permeability", "channel-8x8x8-u8.raw", "--pore", "0",
                       "--backend", "cpu", "-q", "--storage", storages[i][0], "--force", storages[i][1]);
    const cli_result r = cli_test_run("permeability", "channel-8x8x8-u8.raw", "--pore", "0", "--backend",
                                      "cpu", "-q", "--json", "small.json", "--force", "3e-30");
    cr_assert_eq(r.code, 0, "%s", r.err);
    const cli_result usual = cli_test_run("permeability", "channel-8x8x8-u8.raw", "--pore", "0", "--backend",
                                          "cpu", "-q", "--json", "usual.json");
    cr_assert_eq(usual.code, 0, "%s", usual.err);
    json_t *small = load("small.json"), *whole = load("usual.json");
    cr_assert_float_eq(real(small, "permeability.lu.zz") / real(whole, "permeability.lu.zz"), 1, 1e-5);
    json_decref(small);
    json_decref(whole);
}

Test(permeability, gives_a_table_json_series_and_fields)
{
    make_array("sc.geom.h5", "16");
    const cli_result r = cli_test_run("permeability", "sc.geom.h5", "--json", "sc.json", "-o", "sc.h5",
                                      "--fields", "image", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "permeability k_zz"));
    cr_assert_not_null(strstr(r.out, "darcy"));
    cr_assert_not_null(strstr(r.out, "tau "));
    cr_assert(cli_test_exists("sc.h5") && cli_test_exists("sc.vtkhdf"));
    json_t *json = load("sc.json");
    const double lu = real(json, "permeability.lu.zz"), m2 = real(json, "permeability.m2.zz");
    cr_assert_float_eq(m2 / (lu * 4e-12), 1, 1e-12);
    cr_assert_float_eq(real(json, "permeability.darcy.zz") / (m2 / 9.869233e-13), 1, 1e-12);
    cr_assert(json_is_null(find(json, "permeability.lu.xx")));
    cr_assert(json_is_true(find(json, "converged")));
    cr_assert_leq(real(json, "uncertainty"), 2e-3);
    cr_assert_geq(real(json, "steps"), 1);
    cr_assert_geq(real(json, "tortuosity"), 1);
    cr_assert_leq(real(json, "tortuosity_uncertainty"), 0.02);
    cr_assert_float_eq(real(json_array_get(find(json, "runs"), 0), "tortuosity_uncertainty"),
                       real(json, "tortuosity_uncertainty"), 1e-12);
    char row[64]; /* two digits at most of what is uncertain, and the value to the same place */
    double shown, within;
    const char *at = strstr(r.out, "hydraulic tortuosity");
    cr_assert_not_null(at);
    cr_assert_eq(sscanf(at, "hydraulic tortuosity %lf ± %63[^\n]", &shown, row), 2, "%s", at);
    within = atof(row);
    cr_assert_leq(fabs(shown - real(json, "tortuosity")) + real(json, "tortuosity_uncertainty"),
                  within + 1e-9);
    cr_assert_leq(within, 2 * real(json, "tortuosity_uncertainty"));
    cr_assert_float_eq(real(json, "porosity.total"), 0.783, 0.01);
    static const char *const keys[] = {"porosity.connected",
                                       "porosity.percolating.z",
                                       "reynolds",
                                       "mach",
                                       "performance.mlups",
                                       "performance.seconds",
                                       "performance.bytes_per_update",
                                       "tau",
                                       "force",
                                       "tolerance",
                                       "last.lu.zz",
                                       "performance.seconds_stepping",
                                       "performance.seconds_reading"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) cr_assert_geq(real(json, keys[i]), 0);
    static const char *const texts[] = {"backend", "device", "variant", "software", "command", "source"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_assert(json_is_string(find(json, texts[i])), "%s", texts[i]);
        cr_assert_geq(json_string_length(find(json, texts[i])), 1, "%s is empty", texts[i]);
    }
    cr_assert_str_eq(json_string_value(find(json, "variant")), "d3q19-trt-stokes-aa-list-fp32");
    json_decref(json);
    const cli_result info = cli_test_run("info", "sc.h5");
    cr_assert_eq(info.code, 0, "%s", info.err);
}

/* Compute in some processes, and add up the parts of the time. @return what is not accounted for */
static double time_not_accounted_for(const char *ranks)
{
    static const char *const parts[] = {"reading",  "planning", "domain", "setup",     "attempts",
                                        "stepping", "ending",   "fields", "error_bar", "other"};
    const cli_result r = cli_test_run("permeability", "a.geom.h5", "--backend", "cpu", "--ranks", ranks,
                                      "--fields", "sparse", "-o", "a.h5", "--axis", "x", "--json", "a.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert(strstr(r.out, " s: reading ") && strstr(r.out, ", other "), "%s", r.out);
    json_t *json = load("a.json");
    const double all = real(json, "performance.seconds"), other = real(json, "performance.seconds_other");
    double sum = 0;
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        char key[64];
        snprintf(key, sizeof key, "performance.seconds_%s", parts[k]);
        sum += real(json, key);
        cr_assert_geq(real(json, key), -1e-9, "%s", key);
    }
    cr_assert_float_eq(sum, all, 1e-9 * all);
    /* Cutting, and listing the neighbours of parts, is work of the domain. */
    cr_assert_gt(real(json, "performance.seconds_domain"), 0);
    cr_assert_eq(real(json, "performance.seconds_before_checkpoint"), 0);
    json_decref(json);
    return other / all;
}

/* The parts of the time add up, also where the domain is cut and fields are written. Others may get the
 * processor between two parts: once in a few times is enough. */
Test(permeability, times_add_up)
{
    cr_assert_eq(cli_test_run("generate", "pack", "--size", "64,64,40", "--radius", "7", "--porosity", "0.5",
                              "-o", "a.geom.h5", "-q")
                     .code,
                 0);
    static const char *const ranks[] = {"1", "2"};
    for (int k = 0; k < 2; k++) {
        double least = 1;
        for (int attempt = 0; attempt < 10 && least > 0.03; attempt++)
            least = fmin(least, time_not_accounted_for(ranks[k]));
        cr_assert_leq(least, 0.03, "%s: %g of the time", ranks[k], least);
    }
}

Test(permeability, goes_from_an_image_to_a_tensor)
{
    make_raw("box.raw", 8, 8, 8, channel);
    cli_result r =
        cli_test_run("permeability", "box.raw", "--pore", "0", "--size", "8x8x8", "--tolerance", "1e-7",
                     "--storage", "fp64", "--json", "a.json", "--quiet", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_str_empty(r.out);
    cr_assert_str_empty(r.err);
    json_t *json = load("a.json");
    cr_assert(json_is_null(find(json, "permeability.m2.zz")), "square metres without a voxel size");
    const double k = real(json, "permeability.lu.zz");
    json_decref(json);
    cr_assert_float_eq(k / (0.25 * 0.0351 * 16), 1, 0.1, "%g is not a duct", k);
    /* The same image with its axes turned, and through a geometry file. */
    r = cli_test_run("permeability", "box.raw", "--pore", "0", "--size", "8x8x8", "--axes", "zyx", "--axis",
                     "x", "--tolerance", "1e-7", "--storage", "fp64", "--json", "b.json", "-q", "--backend",
                     "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json = load("b.json");
    cr_assert_float_eq(real(json, "permeability.lu.xx") / k, 1, 1e-6);
    json_decref(json);
    cli_test_fails(2, "no pore conducts along x", "permeability", "box.raw", "--pore", "0", "--size", "8x8x8",
                   "--axis", "x", "-q", "--json", "c.json");
    cr_assert_not(cli_test_exists("c.json"));
    r = cli_test_run("permeability", "box.raw", "--pore", "0", "--size", "8x8x8", "--axis", "x", "-q");
    cr_assert_null(strstr(r.err, "--keep"), "what does not conduct would stay: %s", r.err);
    r = cli_test_run("generate", "pack", "--size", "16", "--radius", "4", "--porosity", "0.6", "-q", "-o",
                     "p.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("permeability", "p.geom.h5", "--axis", "xyz", "--tolerance", "1e-6", "--storage", "fp64",
                     "--json", "t.json", "-o", "t.h5", "--fields", "sparse", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "reciprocity"));
    json = load("t.json");
    cr_assert_leq(real(json, "reciprocity"), 1e-5);
    cr_assert_geq(real(json, "permeability.lu.xx"), 0);
    cr_assert_eq(json_array_size(find(json, "runs")), 3);
    json_decref(json);
    cr_assert(cli_test_exists("t.x.vtkhdf") && cli_test_exists("t.y.vtkhdf"));
    cr_assert(cli_test_exists("t.z.vtkhdf"));
}

/* k(t) is flat before so many steps are made as pressures may take: a larger tolerance would not help. */
Test(permeability, says_what_is_missing_where_the_uncertainty_is_not)
{
    cr_assert_eq(cli_test_run("generate", "pack", "--size", "48", "--radius", "6", "--porosity", "0.39",
                              "--seed", "2", "-o", "p.geom.h5", "-q")
                     .code,
                 0);
    const cli_result r =
        cli_test_run("permeability", "p.geom.h5", "--acceleration", "none", "--max-steps", "500", "-q");
    cr_assert_eq(r.code, 2);
    cr_assert_not_null(strstr(r.err, "whether the flow has settled"), "%s", r.err);
    cr_assert_null(strstr(r.err, "--tolerance"), "%s", r.err);
}

Test(permeability, marks_what_is_no_result)
{
    make_array("sc.geom.h5", "16");
    const cli_result r =
        cli_test_run("permeability", "sc.geom.h5", "--max-steps", "60", "--json", "sc.json", "-o", "sc.h5");
    cr_assert_eq(r.code, 2);
    cr_assert_not_null(strstr(r.err, "not converged along z after 40 steps: k cannot be extrapolated yet"),
                       "%s", r.err);
    cr_assert_not_null(strstr(r.out, "NOT A RESULT"));
    cr_assert_null(strstr(r.out, "permeability k_zz"));
    json_t *json = load("sc.json");
    cr_assert(json_is_false(find(json, "converged")));
    cr_assert(json_is_null(find(json, "permeability.lu.zz")));
    cr_assert(json_is_null(find(json, "permeability.darcy.zz")));
    cr_assert_geq(real(json, "last.lu.zz"), 0);
    cr_assert_not_null(strstr(json_string_value(find(json, "reason")), "--max-steps"));
    json_decref(json);
}

/* Fewer steps than the first cycle has. */
Test(permeability, says_that_no_step_was_made)
{
    make_array("sc.geom.h5", "16");
    const cli_result r =
        cli_test_run("permeability", "sc.geom.h5", "--max-steps", "30", "--json", "sc.json", "-q");
    cr_assert_eq(r.code, 2);
    cr_assert_not_null(
        strstr(
            r.err,
            "no step was made along z: k is first seen after 40 steps, more than --max-steps (now 30) allows; raise it"),
        "%s", r.err);
    json_t *json = load("sc.json");
    cr_assert(json_is_false(find(json, "converged")));
    cr_assert(json_is_null(find(json, "permeability.lu.zz")));
    cr_assert(json_is_null(find(json, "last.lu.zz")));
    cr_assert_eq(real(json, "steps"), 0);
    json_decref(json);
}

Test(permeability, refuses_geometries_without_permeability)
{
    make_raw("solid.raw", 8, 8, 8, nothing);
    make_raw("pore.raw", 8, 8, 8, everything);
    make_raw("blocked.raw", 8, 8, 8, blocked);
    cli_test_fails(1, "", "permeability", "solid.raw", "--pore", "0", "--size", "8x8x8", "-q");
    cli_test_fails(1, "", "permeability", "pore.raw", "--pore", "0", "--size", "8x8x8", "-q");
    cli_test_fails(2, "no wall", "permeability", "pore.raw", "--pore", "0", "--size", "8x8x8", "-q", "--keep",
                   "all");
    cli_test_fails(2, "conducts along z", "permeability", "blocked.raw", "--pore", "0", "--size", "8x8x8",
                   "-q");
    cli_test_fails(2, "percolates along z", "permeability", "blocked.raw", "--pore", "0", "--size", "8x8x8",
                   "-q", "--keep", "all");
    make_array("sc.geom.h5", "8");
    cli_test_fails(2, "above the speed of sound", "permeability", "sc.geom.h5", "-q", "--equilibrium",
                   "second-order", "--tau", "0.501", "--force", "0.1");
    cli_test_fails(2, "Stokes range", "permeability", "sc.geom.h5", "-q", "--equilibrium", "second-order",
                   "--tau", "0.8", "--force", "0.01");
}

/* Walls where the spheres are: 19.61207 is exact, half-way walls give 19.0675. */
Test(permeability, interpolates_walls_that_are_known)
{
    const cli_result made = cli_test_run("generate", "spheres", "--walls", "exact", "-o", "sc.geom.h5");
    cr_assert_eq(made.code, 0, "%s", made.err);
    cr_expect_not_null(strstr(made.out, "exact, on "), "%s", made.out);
    const cli_result r =
        cli_test_run("permeability", "sc.geom.h5", "--tau", "0.8", "--tolerance", "1e-3", "--json", "a.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "interpolated bounce-back on "), "%s", r.out);
    json_t *json = json_load_file("a.json", 0, NULL);
    json_t *lu = json_object_get(json_object_get(json, "permeability"), "lu");
    const double k = json_real_value(json_object_get(lu, "zz"));
    cr_expect_float_eq(k, 19.61207, 0.01 * 19.61207, "%g", k);
    cr_expect_str_eq(json_string_value(json_object_get(json, "walls")), "interpolated");
    json_decref(json);
    /* The array is its own mirror image. */
    const cli_result mirrored = cli_test_run("permeability", "sc.geom.h5", "--tau", "0.8", "--tolerance",
                                             "1e-3", "--json", "m.json", "--sides", "mirror");
    cr_assert_eq(mirrored.code, 0, "%s", mirrored.err);
    json = json_load_file("m.json", 0, NULL);
    lu = json_object_get(json_object_get(json, "permeability"), "lu");
    cr_expect_float_eq(json_real_value(json_object_get(lu, "zz")), k, 2e-3 * k);
    json_decref(json);
    cli_test_fails(1, "body force", "permeability", "sc.geom.h5", "-q", "--drive", "pressure");
    cli_test_fails(1, "leave out --error-bar", "permeability", "sc.geom.h5", "-q", "--error-bar");
    cli_test_fails(1, "periodic boundaries", "generate", "spheres", "--walls", "exact", "--sides", "wall",
                   "-o", "b.geom.h5");
}

/* Quiet leaves the line with the result, unless a file takes it. */
Test(permeability, quietly_gives_one_line)
{
    make_array("sc.geom.h5", "8");
    static const char *const axes[][2] = {{"z", "  permeability k_zz "},
                                          {"xyz", "  permeability k_xx, yy, zz "}};
    for (int i = 0; i < 2; i++) {
        const cli_result r = cli_test_run("permeability", "sc.geom.h5", "-q", "--axis", axes[i][0]);
        cr_assert_eq(r.code, 0, "%s", r.err);
        cr_assert_eq(strncmp(r.out, axes[i][1], strlen(axes[i][1])), 0, "%s", r.out);
        cr_assert_eq(strchr(r.out, '\n'), r.out + strlen(r.out) - 1, "%s", r.out);
        cr_assert_not_null(strstr(r.out, " m2"));
        cr_assert_str_eq(r.err, "");
    }
    cli_result r =
        cli_test_run("permeability", "sc.geom.h5", "-q", "--max-steps", "8", "--tolerance", "1e-9");
    cr_assert_eq(r.code, 2);
    cr_assert_not_null(strstr(r.out, "NOT A RESULT"), "%s", r.out);
    r = cli_test_run("permeability", "sc.geom.h5", "-q", "--json", "a.json");
    cr_assert_str_eq(r.out, "");
}

/* What is refused is told by what the user allowed and the process holds, and the speed is no reason to
 * refuse. */
Test(permeability, keeps_to_the_memory_that_is_allowed)
{
    make_array("sc.geom.h5", "8");
    cli_test_fails(3, "--memory (RILL_MEMORY) allows 1 KiB and the process holds ", "permeability",
                   "sc.geom.h5", "--memory", "1KiB");
    make_array("more.geom.h5", "48");
    cli_test_fails(3, "--memory (RILL_MEMORY) allows 1 MiB and the process holds ", "permeability",
                   "more.geom.h5", "--memory", "1MiB", "--backend", "cpu");
    /* With AddressSanitizer the process itself holds 24 MiB. */
    const cli_result r = cli_test_run("permeability", "sc.geom.h5", "--memory", "32MiB", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "permeability k_zz"));
}

/* Each collision brings the equilibrium and the lattice that it needs, and a tau at which walls are half-way.
 */
Test(permeability, takes_every_collision_by_its_name)
{
    static const struct {
        const char *name, *variant;
        double off; /* from TRT on D3Q19; MRT's tau is TRT's, and its ghosts shift its walls a little; TRT on
                       D3Q27 is 0.0064 below, and the cumulants of D3Q27 are 0.0022 below that */
    } collisions[] = {{"trt", "d3q19-trt-stokes-", 1e-9},
                      {"srt", "d3q19-srt-stokes-", 1e-3},
                      {"mrt", "d3q19-mrt-second-order-", 0.05},
                      {"central-moment", "d3q19-central-moment-second-order-", 0.005},
                      {"cumulant", "d3q27-cumulant-second-order-", 0.01}};
    double trt = 0;
    make_array("sc.geom.h5", "12");
    for (size_t i = 0; i < sizeof collisions / sizeof *collisions; i++) {
        const cli_result r = cli_test_run("permeability", "sc.geom.h5", "--collision", collisions[i].name,
                                          "-q", "--backend", "cpu", "--json", "a.json");
        cr_assert_eq(r.code, 0, "%s: %s", collisions[i].name, r.err);
        json_t *json = load("a.json");
        const char *variant = json_string_value(find(json, "variant"));
        cr_assert_eq(strncmp(variant, collisions[i].variant, strlen(collisions[i].variant)), 0, "%s",
                     variant);
        const double k = real(json, "permeability.lu.zz");
        if (i == 0) trt = k;
        cr_assert_leq(fabs(k / trt - 1), collisions[i].off, "%s: %g, trt %g", collisions[i].name, k, trt);
        json_decref(json);
    }
    cli_test_fails(1, "d3q27", "permeability", "sc.geom.h5", "--collision", "cumulant", "--lattice", "d3q19");
    cli_test_fails(1, "second-order", "permeability", "sc.geom.h5", "--collision", "mrt", "--equilibrium",
                   "stokes");
}

Test(permeability, refuses_wrong_options)
{
    make_array("sc.geom.h5", "8");
    cli_test_fails(1, "no image or geometry", "permeability");
    cli_test_fails(1, "2 of 2 inputs have no result", "permeability", "a", "b");
    cli_test_fails(1, "no.raw", "permeability", "no.raw");
    /* The device that is opened meanwhile may not be there, either. */
    make_raw("short.raw", 4, 4, 3, everything);
    cli_test_fails(1, "short.raw", "permeability", "short.raw", "--size", "4x4x4", "--backend", "cuda");
    cli_test_fails(1, "0.5", "permeability", "sc.geom.h5", "--tau", "0.5");
    cli_test_fails(1, "--axis", "permeability", "sc.geom.h5", "--axis", "w");
    cli_test_fails(1, "furlong", "permeability", "sc.geom.h5", "--voxel-size", "2 furlong_");
    cli_test_fails(1, "no image", "permeability", "sc.geom.h5", "--crop", "0:4,0:4,0:4");
    cli_test_fails(1, "-o", "permeability", "sc.geom.h5", "--fields", "image");
    cli_test_fails(1, "same file", "permeability", "sc.geom.h5", "--json", "a", "-o", "a");
    cli_test_fails(1, "overwrite", "permeability", "sc.geom.h5", "-o", "sc.geom.h5");
    cli_test_fails(1, "same file", "permeability", "sc.geom.h5", "--axis", "x", "--fields", "sparse", "-o",
                   "o.h5", "--json", "o.vtkhdf");
    cli_test_fails(1, "sideways", "permeability", "sc.geom.h5", "--sides", "sideways");
    cli_test_fails(1, "stokes equilibrium", "permeability", "sc.geom.h5", "--sides", "mirror",
                   "--equilibrium", "second-order");
    cli_test_fails(3, "memory", "permeability", "sc.geom.h5", "--memory", "4kiB");
    cli_test_fails(3, "nowhere/a.json", "permeability", "sc.geom.h5", "--json", "nowhere/a.json");
    cli_test_fails(3, "nowhere/a.h5", "permeability", "sc.geom.h5", "-o", "nowhere/a.h5");
    FILE *file = fopen("short.geom.h5", "wb");
    cr_assert_not_null(file);
    fwrite("\211HDF\r\n\032\n????", 1, 12, file);
    fclose(file);
    cli_test_fails(1, "short.geom.h5", "permeability", "short.geom.h5");
}

Test(permeability, plans_and_stops)
{
    make_array("sc.geom.h5", "16");
    const cli_result r =
        cli_test_run("permeability", "sc.geom.h5", "--dry-run", "--json", "a.json", "--tau", "0.9");
    cr_assert_eq(r.code, 0, "%s", r.err);
    static const char *const parts[] = {"fluid nodes", "tau",    "0.9",   "force",
                                        "Mach",        "memory", "steps", "porosity"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_assert_not_null(strstr(r.out, parts[i]), "%s", parts[i]);
    cr_assert_null(strstr(r.out, "permeability k_zz"));
    cr_assert_not(cli_test_exists("a.json"));
}

Test(permeability, gives_the_same_bits_every_time)
{
    make_array("sc.geom.h5", "12");
    double k[3];
    static const char *const threads[] = {"1", "2", "2"};
    for (int i = 0; i < 3; i++) {
        setenv("OMP_NUM_THREADS", threads[i], 1);
        const cli_result r = cli_test_run("permeability", "sc.geom.h5", "-q", "--tolerance", "1e-2", "--json",
                                          "a.json", "--backend", "cpu");
        cr_assert_eq(r.code, 0, "%s", r.err);
        json_t *json = load("a.json");
        k[i] = real(json, "permeability.lu.zz");
        json_decref(json);
    }
    cr_assert_eq(k[0], k[1]);
    cr_assert_eq(k[1], k[2]);
}

/* Nothing is read, so nothing printed, before options are known to be good. */
Test(permeability, refuses_options_before_it_reads)
{
    static const char *const bad[][6] = {
        {"--stream", "pull", "--addressing", "chase", "chase goes with"},
        {"--acceleration", "network", "--drive", "pressure", "a pore network"},
        {"--drive", "pressure", "--axis", "xyz", "no tensor"},
        {"--drive", "pressure", "--lattice", "d2q9", "three dimensions"},
        {"--drive", "pressure", "--error-bar", "-q", "drive the flow by a force"},
        {"--equilibrium", "second-order", "--error-bar", "-q", "stokes"},
        {"--crop", "x", "--mirror", "x", "--crop: "},
    };
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        cli_test_fails(1, bad[k][4], "permeability", "no_8x8x8.raw", bad[k][0], bad[k][1], bad[k][2],
                       bad[k][3]);
}

Test(permeability, is_driven_by_pressures_too)
{
    make_array("sc.geom.h5", "12");
    const cli_result r =
        cli_test_run("permeability", "sc.geom.h5", "--drive", "pressure", "--reservoir", "3", "--axis", "x",
                     "--json", "p.json", "-o", "p.h5", "--fields", "sparse", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "reservoirs"), "%s", r.out);
    const char *told = strstr(r.out, "expect about "), *result = strstr(r.out, "permeability k_xx");
    cr_assert(told && strstr(told, "--drive force takes about") && told < result, "%s", r.out);
    json_t *json = load("p.json");
    cr_assert_str_eq(json_string_value(find(json, "drive")), "pressure");
    cr_assert_eq(real(json, "reservoir"), 3);
    cr_assert_gt(real(json, "permeability.lu.xx"), 0);
    cr_assert(json_is_null(find(json, "permeability.lu.yx")));
    cr_assert_str_eq(json_string_value(json_array_get(find(json, "sides"), 0)), "wall");
    json_decref(json);
    cr_assert(cli_test_exists("p.h5") && cli_test_exists("p.vtkhdf"));
    cli_test_fails(1, "belongs to --drive pressure", "permeability", "sc.geom.h5", "--reservoir", "3");
    cli_test_fails(1, "no tensor", "permeability", "sc.geom.h5", "--drive", "pressure", "--axis", "xyz");
}

/* What the notes of a document are: one, which begins with `begin`. */
static void expect_note(const char *file, const char *key, const char *begin)
{
    json_t *json = load(file), *notes = find(json, key);
    cr_assert_eq(json_array_size(notes), 1, "%s", file);
    const char *note = json_string_value(json_array_get(notes, 0));
    cr_expect_eq(strncmp(note, begin, strlen(begin)), 0, "%s: %s", file, note);
    json_decref(json);
}

static bool wall(int x, int y, int z) { return (x == 0 || y == 0) && z >= 0; }

/* A note that qualifies a value is in every output, also of a later run from the geometry file. */
Test(permeability, notes_are_in_every_output)
{
    static const char note[] = "no voxel is outside of the sample: check";
    char row[4096];
    FILE *file = fopen("a-8x8x8.raw", "wb");
    cr_assert_not_null(file);
    for (int v = 0; v < 512; v++) fputc(wall(v % 8, v / 8 % 8, v / 64) ? 255 - v / 64 % 2 : 0, file);
    cr_assert_eq(fclose(file), 0);
    cli_result r = cli_test_run("voxelize", "a-8x8x8.raw", "--pore", "0", "-q", "--json", "v.json", "-o",
                                "a.geom.h5", "--outside", "9");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_null(strstr(r.err, "grey values"), "%s", r.err); /* there are three, and --pore tells */
    cr_expect_not_null(strstr(r.err, "rill voxelize: note: no voxel is outside"), "%s", r.err);
    expect_note("v.json", "notes", note);
    r = cli_test_run("permeability", "a.geom.h5", "-q", "-o", "a.h5", "--json", "a.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.err, "rill permeability: note: no voxel is outside"), "%s", r.err);
    expect_note("a.json", "notes", note);
    r = cli_test_run("permeability", "a.geom.h5");
    cr_expect_not_null(strstr(r.out, "note                        no voxel is outside"), "%s", r.out);
    for (int k = 0; k < 2; k++) {
        r = cli_test_run("info", "--json", k ? "a.h5" : "a.geom.h5");
        file = fopen("info.json", "w");
        cr_assert_not_null(file);
        fputs(r.out, file);
        fclose(file);
        expect_note("info.json", k ? "run.notes" : "provenance.notes", note);
    }
    r = cli_test_run("permeability", "a.geom.h5", "--csv", "k.csv", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.err, "rill permeability: note: no voxel is outside"), "%s", r.err);
    file = fopen("k.csv", "r");
    cr_assert(file && fgets(row, sizeof row, file) && strstr(row, ",notes,row_xxh3_64"));
    while (fgets(row, sizeof row, file) && !strstr(row, note)) continue;
    cr_expect_not_null(strstr(row, note));
    fclose(file);
}
