/* SPDX-License-Identifier: Apache-2.0 */
/* rill generate: every kind from options to file, and every wrong option in one sentence. */
#include "cli_test.h"

#include "rill.h"

#include <dirent.h>
#include <jansson.h>
#include <sys/resource.h>
#include <sys/stat.h>

TestSuite(cli_generate, .init = cli_test_start, .fini = cli_test_end);

/** Return the number of files in the working directory. */
static int files_here(void)
{
    int files = 0;
    DIR *here = opendir(".");
    for (struct dirent *e; (e = readdir(here)) != NULL;)
        files += e->d_name[0] != '.' || strlen(e->d_name) > 2;
    closedir(here);
    return files;
}

Test(cli_generate, every_kind_arrives_in_its_file)
{
    const struct {
        const char *arguments[12];
        uint32_t n[3];
        uint64_t fluid; /* 0: not known beforehand */
    } cases[] = {
        {{"spheres", "--lattice", "bcc", "--touching", "--cells", "32"}, {32, 32, 32}, 0},
        {{"spheres", "--radius", "16", "--cells", "32"}, {32, 32, 32}, 0},
        {{"pack", "--size", "48", "--radius", "6", "--porosity", "0.5"}, {48, 48, 48}, 0},
        {{"pack", "--size", "48x40x32", "--overlap", "--seed", "3"}, {48, 40, 32}, 0},
        {{"riverbed", "--size", "48,40,40", "--radius", "4", "--height", "18"}, {48, 40, 40}, 0},
        {{"tubes", "--size", "48,40,32", "--radius", "4", "--waviness", "5", "--axis", "x"}, {48, 40, 32}, 0},
        {{"arteries", "--outlets", "3", "--radius", "5", "--length", "4"}, {26, 32, 51}, 3898},
        {{"grf", "--size", "40", "--porosity", "0.25"}, {40, 40, 40}, 16000},
        {{"gyroid", "--cells", "32", "--periods", "2"}, {32, 32, 32}, 16384},
        {{"plates", "--gap", "6", "--axis", "z", "--length", "4"}, {4, 4, 8}, 96},
        {{"duct", "--width", "5", "--height", "7", "--axis", "x", "--length", "3"}, {3, 7, 9}, 105},
        {{"duct", "--width", "5", "--axis", "y"}, {7, 8, 7}, 200},
        {{"pipe", "--radius", "3", "--centre-offset=-0.5,0.5", "--length", "2"}, {10, 10, 2}, 50},
        {{"box", "--size", "5,6,7"}, {5, 6, 7}, 210},
        {{"noise", "--size", "16", "--porosity", "1"}, {16, 16, 16}, 4096},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *argv[32] = {"generate"};
        int n = 1;
        for (const char *const *a = cases[i].arguments; *a; a++) argv[n++] = *a;
        argv[n++] = "-o", argv[n++] = "a.geom.h5", argv[n++] = "--raw", argv[n++] = "a.raw";
        const cli_result r = cli_test_run_list(argv);
        cr_assert_eq(r.code, 0, "case %zu: %s", i, r.err);
        cr_expect_not_null(strstr(r.out, "fluid nodes"));
        rill_geom *g = NULL;
        cr_assert_eq(rill_geom_read("a.geom.h5", &g), RILL_OK, "%s", rill_error_message());
        for (int a = 0; a < 3; a++)
            cr_expect_eq(g->n[a], cases[i].n[a], "case %zu axis %d: %u", i, a, g->n[a]);
        if (cases[i].fluid)
            cr_expect_eq(rill_geom_fluid(g), cases[i].fluid, "case %zu: %llu", i,
                         (unsigned long long)rill_geom_fluid(g));
        cr_expect_str_eq(g->source, cases[i].arguments[0]);
        cr_expect_not_null(strstr(g->options, cases[i].arguments[0]));
        FILE *raw = fopen("a.raw", "rb"); /* pore 0, solid 255, in the order of the voxels */
        for (uint64_t v = 0; v < rill_geom_voxels(g); v++)
            cr_assert_eq(fgetc(raw), g->voxels[v] ? 0 : 255, "case %zu voxel %llu", i, (unsigned long long)v);
        cr_expect_eq(fgetc(raw), EOF);
        fclose(raw);
        rill_geom_destroy(g);
    }
    cr_expect_eq(files_here(), 2);
}

Test(cli_generate, summary_as_table_and_json)
{
    const cli_result r =
        cli_test_run("generate", "spheres", "--solid-fraction", "0.343", "--cells", "64", "--sides",
                     "periodic,mirror,wall", "--voxel-size", "2.5um", "--json", "a.json", "--index", "pull",
                     "--velocity-set", "d3q27", "-o", "a.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "27.79170")); /* 64 (3 * 0.343 / 4 pi)^(1/3) */
    cr_expect_not_null(strstr(r.out, "0.657000"));
    rill_geom *g = NULL;
    cr_assert_eq(rill_geom_read("a.geom.h5", &g), RILL_OK, "%s", rill_error_message());
    cr_expect_eq(g->sides[0], RILL_PERIODIC);
    cr_expect_eq(g->sides[1], RILL_MIRROR);
    cr_expect_eq(g->sides[2], RILL_WALL);
    cr_expect_float_eq(g->spacing, 2.5e-6, 1e-18);
    json_t *json = json_load_file("a.json", 0, NULL);
    cr_assert_not_null(json);
    cr_expect_eq((uint64_t)json_integer_value(json_object_get(json, "fluid_nodes")), rill_geom_fluid(g));
    cr_expect_str_eq(json_string_value(json_object_get(json, "kind")), "spheres");
    cr_expect_float_eq(json_real_value(json_object_get(json_object_get(json, "porosity"), "asked")), 0.657,
                       1e-12);
    cr_expect(json_is_null(json_object_get(json, "seed")));
    json_decref(json);
    rill_geom_destroy(g);
}

Test(cli_generate, summary_of_a_riverbed_tells_the_porosity_of_the_bed)
{
    const cli_result r = cli_test_run("generate", "riverbed", "--size", "64", "--radius", "4", "--json",
                                      "a.json", "-o", "a.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "porosity of the bed"));
    json_t *json = json_load_file("a.json", 0, NULL);
    const json_t *porosity = json_object_get(json, "porosity");
    cr_expect_float_eq(json_real_value(json_object_get(porosity, "bed")), 0.37, 0.02);
    cr_expect_float_eq(json_real_value(json_object_get(porosity, "total")), (32 * 0.37 + 31) / 64, 0.02);
    json_decref(json);
}

/* Flow from the inlet of a tree of arteries leaves through its outlets. */
Test(cli_generate, arteries_can_be_run)
{
    static const char with[] = "geometry: a.geom.h5\n"
                               "fluid: {density: 1060 kg/m3, viscosity: 3.5 mPa.s}\n"
                               "openings:\n"
                               "  inlet: {kind: inlet, flow: 0.02 mL/s, profile: parabolic}\n"
                               "  outlet-1: {kind: pressure, pressure: 0 mmHg}\n"
                               "  outlet-2: {kind: pressure, pressure: 0 mmHg}\n"
                               "  outlet-3: {kind: pressure, pressure: 0 mmHg}\n"
                               "run: {duration: 0.5 s, tolerance: 1 %}\n";
    cli_result r = cli_test_run("generate", "arteries", "--outlets", "3", "--radius", "5", "--length", "4",
                                "-o", "a.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "inlet and 3 outlets"));
    FILE *file = fopen("a.yaml", "w");
    fputs(with, file);
    fclose(file);
    cli_test_fails(1, "surface: no", "run", "a.yaml", "-o", "a");
    file = fopen("a.yaml", "a");
    fputs("output: {surface: no}\n", file);
    fclose(file);
    r = cli_test_run("run", "a.yaml", "-o", "a");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "steady"));
    const char *balance = strstr(r.out, "mass balance");
    cr_assert_not_null(balance);
    cr_expect_lt(strtod(balance + strlen("mass balance"), NULL), 0.5); /* per cent */
}

Test(cli_generate, help_shows_kinds_options_and_defaults)
{
    static const char *const kinds[] = {"spheres", "pack", "riverbed", "tubes", "grf",  "gyroid",
                                        "plates",  "duct", "pipe",     "box",   "noise"};
    const cli_result all = cli_test_run("generate", "--help");
    cr_expect_eq(all.code, 0);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const cli_result r = cli_test_run("generate", kinds[k], "--help");
        cr_expect_eq(r.code, 0);
        cr_expect_not_null(strstr(all.out, kinds[k]));
        cr_expect_not_null(strstr(r.out, "default:"), "%s", r.out);
        cr_expect_not_null(strstr(r.out, "--voxel-size"));
    }
    const cli_result quiet = cli_test_run("generate", "box", "--size", "4", "-q", "-o", "a.geom.h5");
    cr_expect_eq(quiet.code, 0);
    cr_expect_str_empty(quiet.out);
}

Test(cli_generate, wrong_options_are_refused)
{
#define FAILS(part, ...) cli_test_fails(1, part, "generate", __VA_ARGS__)
    cli_test_fails(1, "no kind", "generate");
    FAILS("did you mean gyroid", "giroid", "-o", "a.geom.h5");
    FAILS("choose one of spheres", "sponge-cake", "-o", "a.geom.h5");
    FAILS("precedes the kind", "--size", "4", "box");
    FAILS("no output", "box");
    FAILS("unexpected argument", "box", "cube", "-o", "a.geom.h5");
    FAILS("did you mean --porosity", "pack", "--porosty", "0.4", "-o", "a.geom.h5");
    FAILS("is not a size", "box", "--size", "64,32", "-o", "a.geom.h5");
    FAILS("is not a size", "box", "--size", "64,32,", "-o", "a.geom.h5");
    FAILS("is not a size", "box", "--size", "1,2,3,4", "-o", "a.geom.h5");
    FAILS("is not a size", "box", "--size", "big", "-o", "a.geom.h5");
    FAILS("not within 1", "box", "--size", "0", "-o", "a.geom.h5");
    FAILS("not within 1", "box", "--size", "99999999999999999999999", "-o", "a.geom.h5");
    FAILS("1e15", "box", "--size", "2000000000", "-o", "a.geom.h5");
    FAILS("0.523598775", "spheres", "--solid-fraction", "0.6", "-o", "a.geom.h5");
    FAILS("exclude each other", "spheres", "--solid-fraction", "0.3", "--radius", "4", "-o", "a.geom.h5");
    FAILS("not above 0", "spheres", "--solid-fraction", "0", "-o", "a.geom.h5");
    FAILS("not above 0", "spheres", "--radius", "0", "-o", "a.geom.h5");
    FAILS("not a number", "spheres", "--radius", "nan", "-o", "a.geom.h5");
    FAILS("choose one of sc, bcc, fcc", "spheres", "--lattice", "hexagonal", "-o", "a.geom.h5");
    FAILS("raise --porosity", "pack", "--porosity", "0.2", "-o", "a.geom.h5");
    FAILS("out of range", "pack", "--porosity", "1.2", "-o", "a.geom.h5");
    FAILS("lower --radius or raise --size", "pack", "--size", "16", "--radius", "9", "-o", "a.geom.h5");
    FAILS("lower --height", "riverbed", "--height", "100000", "-o", "a.geom.h5");
    FAILS("raise --porosity or --spread", "riverbed", "--porosity", "0.2", "-o", "a.geom.h5");
    FAILS("out of range", "riverbed", "--spread", "0.7", "-o", "a.geom.h5");
    FAILS("out of range", "arteries", "--outlets", "1", "-o", "a.geom.h5");
    FAILS("out of range", "arteries", "--ratio", "0.1", "-o", "a.geom.h5");
    FAILS("raise --radius to", "arteries", "--radius", "3", "-o", "a.geom.h5");
    FAILS("--voxel-size", "arteries", "--voxel-size", "0m", "-o", "a.geom.h5");
    FAILS("4 ... 64: change --knots", "tubes", "--knots", "2", "-o", "a.geom.h5");
    FAILS("change --correlation or raise --size", "grf", "--size", "64", "--correlation", "30", "-o",
          "a.geom.h5");
    FAILS("change --periods or --cells", "gyroid", "--cells", "16", "--periods", "8", "-o", "a.geom.h5");
    FAILS("out of range", "plates", "--gap", "0", "-o", "a.geom.h5");
    FAILS("is not an offset", "pipe", "--centre-offset", "0.5", "-o", "a.geom.h5");
    FAILS("outside -1 ... 1", "pipe", "--centre-offset", "0,3", "-o", "a.geom.h5");
    FAILS("is not an offset", "pipe", "--centre-offset", "nan,0", "-o", "a.geom.h5");
    FAILS("no voxel centre: raise --radius or change --centre-offset", "pipe", "--radius", "0.5", "-o",
          "a.geom.h5");
    FAILS("raise --radius to 0.5", "pipe", "--radius", "0.2", "-o", "a.geom.h5");
    FAILS("give --inlet at least", "bifurcation", "--inlet", "0.1mm", "-o", "a.stl");
    FAILS("lower --edge", "bend", "--edge", "9mm", "-o", "a.stl");
    FAILS("--voxel-size", "box", "--voxel-size", "3 kg", "-o", "a.geom.h5");
    FAILS("--voxel-size", "box", "--voxel-size", "3", "-o", "a.geom.h5");
    FAILS("slippery", "box", "--sides", "slippery", "-o", "a.geom.h5");
    FAILS("same file", "box", "--raw", "a.geom.h5", "-o", "a.geom.h5");
    cr_expect_eq(files_here(), 0);
}

Test(cli_generate, failures_of_the_system_leave_nothing)
{
    cli_test_fails(3, "nowhere", "generate", "box", "-o", "nowhere/a.geom.h5");
    cli_test_fails(3, "nowhere", "generate", "box", "--size", "8", "-o", "a.geom.h5", "--json",
                   "nowhere/a.json");
    cli_test_fails(3, "needs 128 MiB of memory", "generate", "pack", "--size", "512", "--memory", "1MiB",
                   "-o", "a.geom.h5");
    cli_test_fails(3, "needs 2 MiB of memory", "generate", "grf", "--size", "128", "--memory", "1MiB", "-o",
                   "a.geom.h5");
    cr_assert_eq(mkdir("directory", 0700), 0);
    cli_test_fails(1, "directory", "generate", "box", "-o", "directory");
    cr_expect_eq(files_here(), 1);
}

/* A limit on the size of files (ulimit -f) ends the command with a sentence, not by SIGXFSZ. */
Test(generate, limited_file_size)
{
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){1 << 13, 1 << 13}), 0);
    cli_test_fails(3, "cannot write a.geom.h5: File too large: it needs more than 8 KiB", "generate", "noise",
                   "--size", "64", "-q", "-o", "a.geom.h5");
    cr_assert_not(cli_test_exists("a.geom.h5"));
    cr_assert_eq(system("ls *.tmp 2>/dev/null"), 512, "a temporary file is left");
}
