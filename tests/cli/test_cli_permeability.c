/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_cli_permeability.c
 * rill permeability: what it prints and writes, and that it gives no number as a result that is none.
 */
#include "cli_test.h"
#include "verify/reference.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>

TestSuite(permeability, .init = cli_test_start, .fini = cli_test_end);

/* A sphere array, small enough for every test. */
static void make_array(const char *path, const char *cells)
{
    const cli_result r = cli_test_run("generate", "spheres", "--lattice", "sc", "--solid-fraction", "0.216",
                                      "--cells", cells, "--voxel-size", "2um", "-q", "-o", path);
    cr_assert_eq(r.code, 0, "%s", r.err);
}

/* A raw image of nx × ny × nz bytes: pore 0 where `pore` says so. */
static void make_raw(const char *path, int nx, int ny, int nz, bool (*pore)(int x, int y, int z))
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) fputc(pore(x, y, z) ? 0 : 255, file);
    cr_assert_eq(fclose(file), 0);
}

static bool everything(int x, int y, int z) { return x + y + z >= 0; }
static bool nothing(int x, int y, int z) { return x + y + z < 0; }
static bool blocked(int x, int y, int z) { return x >= 0 && y >= 0 && z != 3; }
static bool channel(int x, int y, int z) { return x >= 2 && x < 6 && y >= 2 && y < 6 && z >= 0; }

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error);
    cr_assert_not_null(json, "%s: %s", path, error.text);
    return json;
}

/* Follow "permeability.lu.zz"; fails when a key is missing. */
static json_t *find(json_t *json, const char *path)
{
    char key[64];
    for (const char *at = path; *at; at += *at == '.') {
        const size_t length = strcspn(at, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, at);
        json = json_object_get(json, key);
        cr_assert_not_null(json, "%s is missing", path);
        at += length;
    }
    return json;
}

static double real(json_t *json, const char *path)
{
    json_t *value = find(json, path);
    cr_assert(json_is_number(value), "%s is no number", path);
    return json_number_value(value);
}

/* Two halves of a box of 16 x 16 that share an edge along z alone; with a by-pass of one voxel, a face. */
static bool halves(int x, int y, int z) { return z >= 0 && (x < 8 ? y >= 1 && y < 8 : y >= 8 && y < 15); }
static bool bypass(int x, int y, int z) { return halves(x, y, z) || (x == 8 && y == 7 && z == 3); }
static bool corners(int x, int y, int z) { return z < 4 ? x < 8 && y < 8 : x >= 8 && y >= 8; }

static double k_of(const char *name, const char *const *more)
{
    const char *arguments[16] = {"permeability", name,        "--sides", "mirror,wall,periodic",
                                 "--axis",       "x",         "--json",  "k.json",
                                 "-q",           "--backend", "cpu"};
    int given = 11;
    if (strstr(name, ".raw")) {
        arguments[given++] = "--pore";
        arguments[given++] = "0";
    }
    for (; *more; more++) arguments[given++] = *more;
    const cli_result r = cli_test_run_list(arguments);
    cr_assert_eq(r.code, 0, "%s: %s", name, r.err);
    json_t *json = load("k.json");
    const double k = real(json, "permeability.lu.xx");
    json_decref(json);
    return k;
}

/* 0.0159306: an independent D3Q19 TRT solver (NumPy, dense, fp64, followed until k changed by less than 1e-11
 * in 200 steps). A geometry from `rill voxelize` gives the same. Halves that share a corner alone conduct
 * with D3Q27. */
Test(permeability, follows_the_links_through_edges)
{
    make_raw("halves-16x16x8-u8.raw", 16, 16, 8, halves);
    make_raw("bypass-16x16x8-u8.raw", 16, 16, 8, bypass);
    make_raw("corners-16x16x8-u8.raw", 16, 16, 8, corners);
    const char *const none[] = {NULL}, *const d3q27[] = {"--lattice", "d3q27", NULL};
    const double k = k_of("halves-16x16x8-u8.raw", none);
    cr_assert_float_eq(k / 0.0159306, 1, 1e-3, "%.7g", k);
    const cli_result made = cli_test_run("voxelize", "halves-16x16x8-u8.raw", "--pore", "0", "--sides",
                                         "mirror,wall,periodic", "-q", "-o", "halves.geom.h5");
    cr_assert_eq(made.code, 0, "%s", made.err);
    cr_assert_eq(k_of("halves.geom.h5", none), k);
    cr_assert_geq(k_of("halves-16x16x8-u8.raw", d3q27), 0.9 * k);
    const double by = k_of("bypass-16x16x8-u8.raw", none); /* it adds to the flow, and opens none */
    cr_assert(by > k && by < 3 * k, "%g", by);
    cli_test_fails(2, "no pore conducts along z", "permeability", "corners-16x16x8-u8.raw", "--pore", "0",
                   "--sides", "mirror", "--axis", "z", "--backend", "cpu", "-q");
    const cli_result edge =
        cli_test_run("permeability", "corners-16x16x8-u8.raw", "--pore", "0", "--sides", "mirror", "--axis",
                     "z", "--lattice", "d3q27", "--backend", "cpu", "-q");
    cr_assert_eq(edge.code, 0, "the halves share a corner, which D3Q27 has links through: %s", edge.err);
}

/* A force that the populations do not resolve is refused before the first step: its flow would be 0. */
/* A slanted channel that conducts along x and y: k along z is 0, in the tensor and in a table. */
static bool slanted(int x, int y, int z) { return z >= 1 && z < 5 && (y - x + 12) % 12 < 5; }

/* What was dropped with other domain boundaries is named, as it is not looked at again. */
static bool island(int x, int y, int z)
{
    return (y == 1 && z == 1) || (x < 4 ? y == 4 && z == 4 : y == 6 && z == 4) ||
           (x == 3 && y == 5 && z == 4);
}

Test(permeability, notes_pores_that_were_dropped_before)
{
    cli_result r;
    make_raw("island-8x8x8-u8.raw", 8, 8, 8, island);
    r = cli_test_run("voxelize", "island-8x8x8-u8.raw", "--pore", "0", "-q", "-o", "island.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("permeability", "island.geom.h5", "--axis", "x", "--sides", "mirror", "--backend", "cpu",
                     "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(
        strstr(r.err, "9 pore voxels of the geometry were dropped when it was made, with other"), "%s",
        r.err);
}

/* U = k drop / (mu L), Q = U A; the channel is 4 x 4 of 8 x 8 voxels of 10 um. */
Test(permeability, shows_the_flow_of_a_fluid)
{
    make_raw("channel-8x8x8-u8.raw", 8, 8, 8, channel);
    cli_result r = cli_test_run("permeability", "channel-8x8x8-u8.raw", "--pore", "0", "--voxel-size", "10um",
                                "--pressure-drop", "1mbar", "--fluid", "water", "--backend", "cpu", "--json",
                                "flow.json", "--axis", "z");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = load("flow.json");
    const double k = real(json, "permeability.m2.zz"), u = k * 100 / (1.0016e-3 * 80e-6);
    cr_assert_float_eq(real(json, "flow.axes.z.darcy_velocity_m_s") / u, 1, 1e-12);
    cr_assert_float_eq(real(json, "flow.axes.z.rate_m3_s") / (u * 80e-6 * 80e-6), 1, 1e-12);
    const double diameter = real(json, "hydraulic_diameter") * 10e-6; /* pores are a quarter of the box */
    cr_assert_float_eq(real(json, "flow.axes.z.reynolds") / (998.207 * 4 * u * diameter / 1.0016e-3), 1,
                       1e-12);
    cr_assert_gt(real(json, "flow.axes.z.reynolds"), 1);
    cr_assert(json_is_false(find(json, "flow.axes.z.stokes")));
    cr_assert_not_null(strstr(r.out, "above 1: inertia makes the real flow smaller"), "%s", r.out);
    json_decref(json);
    cli_test_fails(1, "needs the voxel size", "permeability", "channel-8x8x8-u8.raw", "--pore", "0",
                   "--pressure-drop", "1mbar", "--fluid", "water", "--backend", "cpu", "-q");
    cli_test_fails(1, "is none of water, brine and air", "permeability", "channel-8x8x8-u8.raw", "--pore",
                   "0", "--pressure-drop", "1mbar", "--fluid", "oil");
    cli_test_fails(1, "--pressure-drop: unknown unit \"lightyear\"", "permeability", "channel-8x8x8-u8.raw",
                   "--pressure-drop", "1lightyear", "--fluid", "water");
    cli_test_fails(1, "either --fluid", "permeability", "channel-8x8x8-u8.raw", "--pressure-drop", "1mbar");
    cli_test_fails(1, "add --pressure-drop", "permeability", "channel-8x8x8-u8.raw", "--fluid", "water");
}

static bool closed(int x, int y, int z) { return x > 1 && x < 5 && y > 1 && y < 5 && z > 1 && z < 5; }

/* k of a core is that of its own area, and so is the flow rate: that through the box would be larger. */
Test(permeability, the_flow_of_a_core_passes_its_area)
{
    make_raw("channel-8x8x8-u8.raw", 8, 8, 8, channel);
    const cli_result r =
        cli_test_run("permeability", "channel-8x8x8-u8.raw", "--pore", "0", "--core", "inscribed",
                     "--voxel-size", "10um", "--pressure-drop", "1mPa", "--fluid", "brine", "--backend",
                     "cpu", "--json", "flow.json", "--axis", "z", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = load("flow.json");
    const double sample = 512 - real(json, "outside_voxels");
    cr_assert_lt(sample, 450);
    const double u = real(json, "permeability.m2.zz") * 1e-3 / (1.090e-3 * 80e-6);
    cr_assert_float_eq(real(json, "flow.axes.z.darcy_velocity_m_s") / u, 1, 1e-12);
    cr_assert_float_eq(real(json, "flow.axes.z.rate_m3_s") / (u * sample / 8 * 1e-10), 1, 1e-12);
    json_decref(json);
}

Test(permeability, a_closed_axis_gives_zeros_in_the_tensor)
{
    make_raw("slanted-12x12x6-u8.raw", 12, 12, 6, slanted);
    const cli_result r =
        cli_test_run("permeability", "slanted-12x12x6-u8.raw", "--pore", "0", "--axis", "xyz", "--backend",
                     "cpu", "--voxel-size", "1um", "--json", "slanted.json", "-o", "slanted.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "nothing percolates along z (periodic): k is exactly 0"), "%s", r.out);
    cr_assert_not_null(
        strstr(r.out, "of the flow on this lattice: convergence and rounding; --error-bar adds"));
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

/* The parts of the time add up, also where the domain is cut, fields are written and runs are resumed. */
Test(permeability, times_add_up)
{
    static const char *const parts[] = {"reading",  "planning", "domain", "setup",     "attempts",
                                        "stepping", "ending",   "fields", "error_bar", "other"};
    cr_assert_eq(cli_test_run("generate", "pack", "--size", "64,64,40", "--radius", "7", "--porosity", "0.5",
                              "-o", "a.geom.h5", "-q")
                     .code,
                 0);
    for (int ranks = 1; ranks <= 2; ranks++) {
        const cli_result r =
            cli_test_run("permeability", "a.geom.h5", "--backend", "cpu", "--ranks", ranks == 1 ? "1" : "2",
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
        cr_assert_leq(other, 0.03 * all, "%g of %g s", other, all);
        /* Cutting, and listing the neighbours of parts, is work of the domain. */
        cr_assert_gt(real(json, "performance.seconds_domain"), 0);
        cr_assert_eq(real(json, "performance.seconds_before_checkpoint"), 0);
        json_decref(json);
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
    cr_assert_float_eq(k / (0.25 * 0.0351 * 16), 1, 0.1, "%g is no duct", k);
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
        cli_test_run("permeability", "sc.geom.h5", "--max-steps", "30", "--json", "sc.json", "-o", "sc.h5");
    cr_assert_eq(r.code, 2);
    cr_assert_not_null(strstr(r.err, "not converged along z after 28 steps: they do not tell yet"), "%s",
                       r.err);
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
    cr_expect_not_null(strstr(r.out, "interpolated walls, on "), "%s", r.out);
    json_t *json = json_load_file("a.json", 0, NULL);
    const json_t *lu = json_object_get(json_object_get(json, "permeability"), "lu");
    const double k = json_real_value(json_object_get(lu, "zz"));
    cr_expect_float_eq(k, 19.61207, 0.01 * 19.61207, "%g", k);
    cr_expect_str_eq(json_string_value(json_object_get(json, "walls")), "interpolated");
    json_decref(json);
    cli_test_fails(1, "periodic sides", "permeability", "sc.geom.h5", "-q", "--sides", "mirror");
    cli_test_fails(1, "body force", "permeability", "sc.geom.h5", "-q", "--drive", "pressure");
    cli_test_fails(1, "leave out --error-bar", "permeability", "sc.geom.h5", "-q", "--error-bar");
    cli_test_fails(1, "periodic sides", "generate", "spheres", "--walls", "exact", "--sides", "wall", "-o",
                   "b.geom.h5");
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
    const cli_result r = cli_test_run("permeability", "sc.geom.h5", "--memory", "24MiB", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "permeability k_zz"));
}

/* Each collision brings the equilibrium and the lattice that it needs, and a tau at which walls are half-way.
 */
Test(permeability, takes_every_collision_by_its_name)
{
    static const struct {
        const char *name, *variant;
        double off; /* from TRT; MRT's tau is TRT's, and its ghosts shift its walls a little */
    } collisions[] = {{"trt", "d3q19-trt-stokes-", 1e-9},
                      {"srt", "d3q19-srt-stokes-", 1e-3},
                      {"mrt", "d3q19-mrt-second-order-", 0.05},
                      {"central-moment", "d3q19-central-moment-second-order-", 0.005},
                      {"cumulant", "d3q27-cumulant-second-order-", 0.005}};
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

#define SLOW                                                                                                 \
    "permeability", "sc.geom.h5", "--storage", "fp64", "--tolerance", "1e-13", "--tau", "0.505",             \
        "--acceleration", "none", "--backend", "cpu"

/* Its plan is what it prints before it begins to step: by then it listens for interrupts. */
static void stop_by(int signal_number)
{
    make_array("sc.geom.h5", "32");
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        if (null < 0 || dup2(ends[1], 1) < 0 || dup2(null, 2) < 0) _exit(126);
        close(ends[0]);
        close(ends[1]);
        execl(getenv("RILL"), "rill", SLOW, "--max-steps", "1e9", "--json", "a.json", "-o", "a.h5",
              "--checkpoint", "sc.checkpoint.h5", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    char plan[4096];
    cr_assert_gt(read(ends[0], plan, sizeof plan), 0);
    cr_assert_eq(kill(child, signal_number), 0);
    while (read(ends[0], plan, sizeof plan) > 0) {}
    close(ends[0]);
    int state = 0;
    cr_assert_eq(waitpid(child, &state, 0), child);
    cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 4, "%d", WEXITSTATUS(state));
    json_t *json = load("a.json");
    cr_assert(json_is_false(find(json, "converged")));
    cr_assert_not_null(strstr(json_string_value(find(json, "reason")), "stopped along z"));
    const double steps = real(json, "steps");
    json_decref(json);
    cr_assert(cli_test_exists("sc.checkpoint.h5"));
    cr_assert_not(cli_test_exists("a.h5")); /* the resumed run writes it */
    /* It goes on where it was, and ends by its steps. */
    char most[32];
    snprintf(most, sizeof most, "%.0f", 1.5 * steps + 200);
    const cli_result r = cli_test_run(SLOW, "--max-steps", most, "--resume", "-q", "--json", "b.json");
    cr_assert_eq(r.code, 2, "%s", r.err);
    json = load("b.json");
    cr_assert_geq(real(json, "steps"), steps);
    cr_assert_not_null(strstr(json_string_value(find(json, "reason")), "raise --max-steps"));
    json_decref(json);
    cli_test_fails(1, "another case", SLOW, "--tolerance", "1e-12", "--resume", "-q");
}
Test(permeability, stops_cleanly_when_interrupted) { stop_by(SIGINT); }
Test(permeability, stops_cleanly_when_terminated) { stop_by(SIGTERM); }

/* What a checkpoint is called, and what has none. */
Test(permeability, names_its_checkpoint)
{
    make_array("sc.geom.h5", "8");
    cli_test_fails(1, "no sc.checkpoint.h5 to go on from", "permeability", "sc.geom.h5", "--resume");
    cli_test_fails(1, "no out.v1.checkpoint.h5 to go on from", "permeability", "sc.geom.h5", "--resume", "-o",
                   "out.v1.h5");
    cli_test_fails(1, "no slice_.checkpoint.h5 to go on from", "permeability", "dir/slice*.tif", "--resume");
    cli_test_fails(1, "no c.h5 to go on from", "permeability", "sc.geom.h5", "--resume", "--checkpoint",
                   "c.h5");
    cli_test_fails(1, "overwrite the input", "permeability", "sc.geom.h5", "--checkpoint", "sc.geom.h5");
    cli_test_fails(1, "an error bar has no checkpoint", "permeability", "sc.geom.h5", "--error-bar",
                   "--resume");
    const cli_result help = cli_test_run("permeability", "--help");
    static const char *const parts[] = {"--resume", "--checkpoint FILE", "Exit code 4",
                                        "on a GPU pull where"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_assert_not_null(strstr(help.out, parts[i]), "no \"%s\" in %s", parts[i], help.out);
    cr_assert_eq(cli_test_run("permeability", "sc.geom.h5", "-q").code, 0);
    cr_assert_not(cli_test_exists("sc.checkpoint.h5"));
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

/* The contribution of a name in "error_bar". */
static json_t *contribution(json_t *json, const char *name)
{
    json_t *list = find(json, "error_bar.contributions"), *item;
    size_t i;
    json_array_foreach(list, i,
                       item) if (!strcmp(json_string_value(json_object_get(item, "name")), name)) return item;
    cr_assert_fail("no contribution is called %s", name);
    return NULL;
}

Test(permeability, bounds_what_it_prints)
{
    static const char *const names[] = {"sides", "discretisation", "number format", "series",
                                        "relaxation time"};
    make_array("sc.geom.h5", "10");
    cli_result r =
        cli_test_run("permeability", "sc.geom.h5", "--error-bar", "--json", "sc.json", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = load("sc.json");
    double sum = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *c = contribution(json, names[i]);
        cr_assert(json_is_true(find(c, "assessed")), "%s", names[i]);
        cr_assert_not_null(strstr(r.out, names[i]), "%s is not printed", names[i]);
        cr_assert(json_is_null(find(c, "bound.x")));
        sum += real(c, "bound.z");
    }
    cr_assert_float_eq(real(json, "error_bar.relative.z"), sum, 1e-12);
    cr_assert_gt(sum, 0.01);
    cr_assert_float_eq(real(json, "error_bar.central_lu.z"), real(json, "permeability.lu.zz"), 0);
    cr_assert_float_eq(real(json, "error_bar.extrapolated.m2.z") / real(json, "error_bar.extrapolated.lu.z"),
                       4e-12, 1e-20);
    /* The exact value for spheres, Zick & Homsy (1982), k = L^2 / (6 pi a/L K). */
    const rill_verify_reference reference = {"sphere-arrays", "SC 0.216", "drag coefficient"};
    double drag = 0;
    cr_assert_eq(rill_verify_reference_read(&reference, &drag, NULL), RILL_OK, "%s", rill_error_message());
    const double exact = 100 / (6 * M_PI * cbrt(3 * 0.216 / (4 * M_PI)) * drag);
    cr_assert_leq(fabs(exact / real(json, "permeability.lu.zz") - 1), sum);
    json_t *grid = json_array_get(find(json, "error_bar.grids"), 0);
    cr_assert_eq(json_array_size(find(grid, "levels")), 3);
    cr_assert_eq(json_integer_value(json_array_get(find(grid, "voxels"), 0)), 10);
    cr_assert_leq(fabs(real(grid, "order.z") - 1.2), 0.2);
    cr_assert_not_null(strstr(r.out, "extrapolated"));
    cr_assert_not_null(strstr(r.out, "± "), "%s", r.out);
    json_decref(json);
    /* Without it there is none. */
    r = cli_test_run("permeability", "sc.geom.h5", "--json", "plain.json", "--backend", "cpu", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json = load("plain.json");
    cr_assert(json_is_null(find(json, "error_bar")));
    json_decref(json);
}

/* A straight pore, and one whose ends meet only in a mirror. */
static bool bent(int x, int y, int z)
{
    const bool straight = x >= 1 && x < 4 && y >= 1 && y < 4;
    return straight ||
           (y >= 5 && y < 7 &&
            ((x >= 5 && x < 7 && z < 4) || (x >= 5 && x < 11 && z == 3) || (x >= 9 && x < 11 && z >= 3)));
}

Test(permeability, bounds_an_image_with_the_pores_that_it_drops)
{
    make_raw("bent.raw", 12, 8, 6, bent);
    static const char *const image[] = {"permeability", "bent.raw", "--pore",    "0",
                                        "--size",       "12x8x6",   "--backend", "cpu",
                                        "--error-bar",  "--json",   "b.json",    NULL};
    const cli_result r = cli_test_run_list(image);
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = load("b.json");
    cr_assert_geq(real(json, "dropped"), 1);
    cr_assert_gt(real(contribution(json, "sides"), "relative.z"), 0.01, "the dropped pore was not mirrored");
    cr_assert_float_eq(real(json, "permeability.lu.zz"), 0.0351 * 81 / 96, 0.1 * 0.0351 * 81 / 96);
    json_decref(json);
}

Test(permeability, says_what_an_error_bar_costs)
{
    make_array("sc.geom.h5", "12");
    const cli_result r = cli_test_run("permeability", "sc.geom.h5", "--error-bar", "--dry-run", "--axis",
                                      "xyz", "--json", "no.json", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "4 runs more, about"), "%s", r.out);
    static const char *const parts[] = {"sides", "grid, split by 1", "grid, split by 2", "grid, split by 3"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_assert_not_null(strstr(r.out, parts[i]), "%s is not listed", parts[i]);
    cr_assert_null(strstr(r.out, "permeability k_"));
    cr_assert_not(cli_test_exists("no.json"));
    cli_test_fails(1, "drive the flow by a force", "permeability", "sc.geom.h5", "--error-bar", "--drive",
                   "pressure", "-q");
    cli_test_fails(1, "stokes", "permeability", "sc.geom.h5", "--error-bar", "--equilibrium", "second-order",
                   "-q");
}

/* A simulation in parts gives the same numbers, fields and steps; what cannot be cut is refused. */
Test(permeability, is_the_same_in_parts)
{
    make_array("a.geom.h5", "40");
    static const char *const drives[] = {"force", "pressure"};
    for (int d = 0; d < 2; d++) {
        double k[2], steps[2];
        for (int part = 0; part < 2; part++) {
            const cli_result r =
                cli_test_run("permeability", "a.geom.h5", "--backend", "cpu", "--drive", drives[d], "--ranks",
                             part ? "3" : "1", "--fields", "sparse", "-o", part ? "b.h5" : "a.h5", "--json",
                             part ? "b.json" : "a.json", "-q");
            cr_assert_eq(r.code, 0, "%s", r.err);
            json_t *json = load(part ? "b.json" : "a.json");
            k[part] = real(json, "permeability.lu.zz"), steps[part] = real(json, "steps");
            if (part == 0) cr_assert(json_is_null(json_object_get(json, "parts")));
            if (part == 1) {
                cr_assert_eq(real(json, "parts.count"), 3);
                cr_assert_geq(real(json, "parts.balance"), 1);
                cr_assert_gt(real(json, "parts.bytes_per_step"), 0);
                cr_assert_str_eq(
                    json_string_value(json_object_get(json_object_get(json, "parts"), "transport")),
                    "stores into host memory");
            }
            json_decref(json);
        }
        cr_assert(k[0] == k[1] && steps[0] == steps[1], "%s: %.17g in %g steps, not %.17g in %g", drives[d],
                  k[1], steps[1], k[0], steps[0]);
    }
    cr_assert_eq(cli_test_run("generate", "pack", "--size", "32,80,40", "--radius", "8", "--porosity", "0.6",
                              "-o", "y.geom.h5", "-q")
                     .code,
                 0);
    const cli_result longest =
        cli_test_run("permeability", "y.geom.h5", "--backend", "cpu", "--ranks", "2", "--max-steps", "1");
    cr_assert(strstr(longest.out, "the box is longest along y: rotate it (--axes)"), "%s%s", longest.out,
              longest.err);
    const struct {
        const char *option, *value, *says;
    } wrong[] = {{"--ranks", "65", "64"}, {"--devices", "0,0", "twice"}, {"--devices", "0,x", "list"}};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
        const cli_result r = cli_test_run("permeability", "a.geom.h5", "--backend", "cpu", wrong[w].option,
                                          wrong[w].value, "-q");
        cr_assert_eq(r.code, 1, "%s %s", wrong[w].option, wrong[w].value);
        cr_assert_not_null(strstr(r.err, wrong[w].says), "%s", r.err);
    }
}

/* What makes several runs does it in parts, too; a batch does not, and says so. */
Test(permeability, tensor_and_error_bar_are_the_same_in_parts, .timeout = 300)
{
    static const char *const keys[] = {"permeability.lu.xx", "permeability.lu.xy", "permeability.lu.yy",
                                       "permeability.lu.zx", "permeability.lu.zz", "uncertainty"};
    static const char *const bars[] = {"error_bar.relative.z", "error_bar.extrapolated.lu.z"};
    json_t *tensor[2], *bar[2];
    make_array("a.geom.h5", "24");
    make_array("b.geom.h5", "20");
    for (int part = 0; part < 2; part++) {
        const char *ranks = part ? "3" : "1", *of = part ? "2" : "1";
        cli_result r = cli_test_run("permeability", "a.geom.h5", "--backend", "cpu", "--axis", "xyz",
                                    "--ranks", ranks, "--json", "a.json", "-q");
        cr_assert_eq(r.code, 0, "%s", r.err);
        tensor[part] = load("a.json");
        r = cli_test_run("permeability", "b.geom.h5", "--backend", "cpu", "--error-bar", "--ranks", of,
                         "--json", "b.json", "-q");
        cr_assert_eq(r.code, 0, "%s", r.err);
        bar[part] = load("b.json");
    }
    cr_assert_eq(real(tensor[1], "parts.count"), 3); /* 10,838 nodes are three chunks of 4,096 */
    cr_assert_eq(real(bar[1], "parts.count"), 2);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        cr_assert_eq(real(tensor[0], keys[k]), real(tensor[1], keys[k]), "%s", keys[k]);
    for (size_t k = 0; k < sizeof bars / sizeof *bars; k++)
        cr_assert_eq(real(bar[0], bars[k]), real(bar[1], bars[k]), "%s", bars[k]);
    for (int part = 0; part < 2; part++) {
        json_decref(tensor[part]);
        json_decref(bar[part]);
    }
    cli_test_fails(1, "--ranks cuts one sample", "permeability", "a.geom.h5", "b.geom.h5", "--ranks", "2",
                   "--csv", "k.csv", "-q");
    cli_test_fails(1, "--ranks cuts one sample", "permeability", "a.geom.h5", "--blocks", "12", "--ranks",
                   "2", "-q");
    /* A plan refuses what a run refuses, and says how many parts there are. */
    cli_test_fails(1, "the ring buffer does not work on several devices, and 2 are given", "permeability",
                   "a.geom.h5", "--ranks", "2", "--stream", "ring", "--dry-run", "--backend", "cpu");
    const cli_result r =
        cli_test_run("permeability", "a.geom.h5", "--ranks", "9", "--dry-run", "--backend", "cpu");
    cr_assert_not_null(strstr(r.out, "3, not 9: a part has 4,096 nodes or more"), "%s", r.out);
}

/* Two runs share a device, and have the results of each alone. */
Test(permeability, two_runs_share_a_device)
{
    char line[2048];
    static const char *const names[] = {"1.json", "2.json", "3.json"};
    make_array("a.geom.h5", "24");
    snprintf(
        line, sizeof line,
        "RILL_ALONE='%s permeability a.geom.h5 --backend cpu --ranks 2 -q --json'; $RILL_ALONE 1.json && "
        "{ $RILL_ALONE 2.json & $RILL_ALONE 3.json && wait $!; }",
        getenv("RILL"));
    cr_assert_eq(system(line), 0);
    double k[3], steps[3];
    for (int r = 0; r < 3; r++) {
        json_t *json = load(names[r]);
        k[r] = real(json, "permeability.lu.zz"), steps[r] = real(json, "steps");
        json_decref(json);
    }
    cr_assert(k[1] == k[0] && k[2] == k[0] && steps[1] == steps[0] && steps[2] == steps[0]);
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
