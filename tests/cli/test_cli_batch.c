/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_cli_batch.c
 * rill permeability of several inputs and of blocks: the table has the numbers of single runs, keeps what a
 * kill leaves, and names what failed.
 */
#include "cli_test.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>

TestSuite(batch, .init = cli_test_start, .fini = cli_test_end);

/* A raw image of n^3 voxels, pore 0: a square channel along z of `width` voxels for each 8. */
static void make_raw(const char *path, int n, int width)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                fputc(x % 8 >= 1 && x % 8 <= width && y % 8 >= 1 && y % 8 <= width ? 0 : 255, file);
    cr_assert_eq(fclose(file), 0);
}

static char *slurp(const char *path)
{
    static char text[65536];
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

/* Copy the cell of a column in the row that begins with a text; "" where there is no such row. No cell before
 * the message has a comma. */
static void cell(const char *path, const char *row, const char *column, char value[256])
{
    char *text = slurp(path), *line = text;
    int number = 0;
    value[0] = '\0';
    for (const char *at = text;
         strncmp(at, column, strlen(column)) != 0 || !strchr(",\n", at[strlen(column)]); number++) {
        at = strchr(at, ',');
        cr_assert_not_null(at, "no column %s", column);
        at++;
    }
    while (strncmp(line, row, strlen(row)) != 0) {
        line = strchr(line, '\n');
        if (!line) return;
        line++;
    }
    for (; number > 0; number--) line = strchr(line, ',') + 1;
    snprintf(value, 256, "%.*s", (int)strcspn(line, ",\n"), line);
}

static size_t lines(const char *path)
{
    size_t n = 0;
    for (const char *at = slurp(path); *at; at++) n += *at == '\n';
    return n;
}

Test(batch, a_table_has_the_numbers_of_single_runs)
{
    make_raw("a-16x16x16.raw", 16, 4);
    make_raw("b-16x16x16.raw", 16, 6);
    const cli_result r = cli_test_run("permeability", "--pore", "0", "a-16x16x16.raw", "missing.raw",
                                      "b-16x16x16.raw", "--backend", "cpu", "--voxel-size", "2um", "--sides",
                                      "mirror", "--csv", "k.csv", "--json", "k.json");
    cr_assert_eq(r.code, 1, "%s", r.err);
    cr_expect_not_null(
        strstr(r.err, "1 of 3 inputs have no result, see the table; for example missing.raw: "), "%s", r.err);
    cr_expect_not_null(strstr(r.out, "input refused: missing.raw"), "%s", r.out);
    cr_expect_eq(lines("k.csv"), 4);
    char value[256];
    cell("k.csv", "missing.raw", "exit_code", value);
    cr_expect_str_eq(value, "1");
    const char *const names[] = {"a-16x16x16.raw", "b-16x16x16.raw"};
    for (int k = 0; k < 2; k++) {
        const cli_result s =
            cli_test_run("permeability", names[k], "--pore", "0", "--backend", "cpu", "--voxel-size", "2um",
                         "--sides", "mirror", "-q", "--json", "s.json");
        cr_assert_eq(s.code, 0, "%s", s.err);
        json_t *json = json_load_file("s.json", 0, NULL);
        const char *const units[] = {"lu", "m2", "darcy"};
        for (int u = 0; u < 3; u++) {
            double one;
            char column[16];
            snprintf(column, sizeof column, "k_zz_%s", units[u]);
            cell("k.csv", names[k], column, value);
            cr_assert_eq(json_unpack(json, "{s:{s:{s:F}}}", "permeability", units[u], "zz", &one), 0);
            cr_expect_eq(strtod(value, NULL), one, "%s %s: %s", names[k], units[u], value);
        }
        cell("k.csv", names[k], "steps", value);
        cr_expect_eq(atoll(value), json_integer_value(json_object_get(json, "steps")));
        cell("k.csv", names[k], "input_xxh3_64", value);
        cr_expect_str_eq(value, json_string_value(json_object_get(json, "source_hash")));
        json_decref(json);
    }
    json_t *json = json_load_file("k.json", 0, NULL);
    cr_assert_not_null(json);
    cr_expect_eq(json_array_size(json_object_get(json, "rows")), 3);
    const double use = json_real_value(json_object_get(json, "device_use"));
    cr_expect(use > 0 && use <= 1, "%g", use);
    json_decref(json);
}

static double number(const char *path, const char *row, const char *column)
{
    char value[256];
    cell(path, row, column, value);
    cr_assert_str_neq(value, "", "%s of %s is empty", column, row);
    return strtod(value, NULL);
}

/* U = k drop / (mu L), Q = U A; a box of 16 voxels of 2 um. */
static void flow_check(double viscosity)
{
    const char *const names[] = {"a-16x16x16.raw", "b-16x16x16.raw"};
    for (int n = 0; n < 2; n++) {
        const double u = number("k.csv", names[n], "k_zz_m2") * 1000 / (viscosity * 32e-6);
        cr_expect_float_eq(number("k.csv", names[n], "darcy_velocity_z_m_s") / u, 1, 1e-12);
        cr_expect_float_eq(number("k.csv", names[n], "flow_rate_z_m3_s") / (u * 32e-6 * 32e-6), 1, 1e-12);
        cr_expect_eq(number("k.csv", names[n], "pressure_drop_Pa"), 1000);
        cr_expect_eq(number("k.csv", names[n], "viscosity_Pa_s"), viscosity);
        cr_expect_gt(number("k.csv", names[n], "reynolds_z"), 0);
    }
}

Test(batch, rows_have_the_flow_of_a_fluid)
{
    char value[256], seconds[256];
    make_raw("a-16x16x16.raw", 16, 4);
    make_raw("b-16x16x16.raw", 16, 6);
    cli_result r = cli_test_run("permeability", "--pore", "0", "a-16x16x16.raw", "b-16x16x16.raw",
                                "--backend", "cpu", "--voxel-size", "2um", "--sides", "mirror", "--csv",
                                "k.csv", "--json", "k.json", "--pressure-drop", "10mbar", "--fluid", "brine");
    cr_assert_eq(r.code, 0, "%s", r.err);
    flow_check(1.090e-3);
    cell("k.csv", "a-16x16x16.raw", "flow_rate_x_m3_s", value);
    cr_expect_str_eq(value, ""); /* no flow was driven along x */
    json_t *json = json_load_file("k.json", 0, NULL);
    const char *fluid = NULL;
    double rate = 0, share = -1;
    cr_assert_eq(json_unpack(json, "{s:[{s:{s:s, s:{s:{s:F}}}, s:{s:F}}, o]}", "rows", "flow", "fluid",
                             &fluid, "axes", "z", "rate_m3_s", &rate, "edge_share", "z", &share, &r),
                 0);
    cr_expect_str_eq(fluid, "brine");
    cr_expect_eq(rate, number("k.csv", "a-16x16x16.raw", "flow_rate_z_m3_s"));
    cr_expect_eq(share, number("k.csv", "a-16x16x16.raw", "edge_share_z"));
    cr_expect_eq(share, 0);
    json_decref(json);
    cell("k.csv", "a-16x16x16.raw", "seconds", seconds);
    r = cli_test_run("permeability", "--pore", "0", "a-16x16x16.raw", "b-16x16x16.raw", "--backend", "cpu",
                     "--voxel-size", "2um", "--sides", "mirror", "--csv", "k.csv", "--resume",
                     "--pressure-drop", "10mbar", "--viscosity", "2 mPa.s", "--density", "900 kg/m3");
    cr_assert_eq(r.code, 0, "%s", r.err);
    flow_check(2e-3); /* of another fluid, while k is taken from the table */
    cell("k.csv", "a-16x16x16.raw", "seconds", value);
    cr_expect_str_eq(value, seconds);
    r = cli_test_run("permeability", "--pore", "0", "a-16x16x16.raw", "b-16x16x16.raw", "--backend", "cpu",
                     "--voxel-size", "2um", "--sides", "mirror", "--csv", "k.csv", "--resume");
    cr_assert_eq(r.code, 0, "%s", r.err);
    const char *const columns[] = {"flow_rate_z_m3_s", "darcy_velocity_z_m_s", "pressure_drop_Pa",
                                   "viscosity_Pa_s", "density_kg_m3"};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        cell("k.csv", "a-16x16x16.raw", columns[c], value);
        cr_expect_str_eq(value, "", "%s: %s", columns[c], value);
    }
}

Test(batch, notes_count_rows_without_a_flow)
{
    make_raw("a-16x16x16.raw", 16, 4);
    const cli_result r = cli_test_run("permeability", "--pore", "0", "a-16x16x16.raw", "--backend", "cpu",
                                      "--csv", "k.csv", "--pressure-drop", "1bar", "--fluid", "water");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "1 of 1 items have no flow in SI units"), "%s", r.out);
    const cli_result fast =
        cli_test_run("permeability", "--pore", "0", "a-16x16x16.raw", "--backend", "cpu", "--csv", "k.csv",
                     "--pressure-drop", "1bar", "--fluid", "water", "--voxel-size", "100um");
    cr_assert_eq(fast.code, 0, "%s", fast.err);
    cr_expect_not_null(strstr(fast.out, "Reynolds number above 1 in 1 of 1 items"), "%s", fast.out);
}

/* The table of another threshold is not that of this one. */
Test(batch, another_threshold_is_computed_anew)
{
    static const char *const texts[] = {"100", "200", ">100", "100+-4", "100+-8"};
    char before[256] = "", now[256];
    make_raw("a-16x16x16.raw", 16, 4);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        const cli_result r = cli_test_run("permeability", "a-16x16x16.raw", "--threshold", texts[k],
                                          "--backend", "cpu", "--csv", "k.csv", "--resume", "-q");
        cr_assert_eq(r.code, 0, "%s: %s", texts[k], r.err);
        cell("k.csv", "a-16x16x16.raw", "options_xxh3_64", now);
        cr_expect_str_neq(now, before, "%s", texts[k]);
        strcpy(before, now);
    }
}

Test(batch, a_kill_loses_no_row)
{
    make_raw("small-16x16x16.raw", 16, 4);
    make_raw("large-96x96x96.raw", 96, 7);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        execl(getenv("RILL"), "rill", "permeability", "--pore", "0", "small-16x16x16.raw",
              "large-96x96x96.raw", "--csv", "k.csv", "--backend", "cpu", "--at-once", "1", "--tau", "0.51",
              "--acceleration", "none", "--tolerance", "1e-4", "-q", NULL);
        _exit(127);
    }
    int state = 0;
    while (!cli_test_exists("k.csv") && waitpid(child, &state, WNOHANG) == 0) usleep(10000);
    cr_assert_eq(kill(child, SIGKILL), 0);
    cr_assert_eq(waitpid(child, &state, 0), child);
    cr_assert(WIFSIGNALED(state), "the large item must not have ended yet");
    cr_assert_eq(lines("k.csv"), 2); /* whole: header and the small one */
    char first[256], second[256];
    cell("k.csv", "small", "seconds", first);
    make_raw("large-96x96x96.raw", 16, 4); /* refused soon: too short for its name */
    const cli_result r = cli_test_run("permeability", "--pore", "0", "small-16x16x16.raw",
                                      "large-96x96x96.raw", "--csv", "k.csv", "--backend", "cpu", "--tau",
                                      "0.51", "--acceleration", "none", "--tolerance", "1e-4", "--resume");
    cr_expect_eq(r.code, 1, "%s", r.err);
    cr_expect_not_null(strstr(r.out, ", from the table"), "%s", r.out);
    cell("k.csv", "small", "seconds", second);
    cr_expect_str_eq(first, second); /* it was not computed again */
    cr_expect_eq(lines("k.csv"), 3);
    cli_test_fails(2, "no pore conducts along x", "permeability", "--pore", "0", "small-16x16x16.raw",
                   "--axis", "x", "-q");
    const cli_result x = cli_test_run("permeability", "--pore", "0", "small-16x16x16.raw", "--axis", "x",
                                      "-q", "--csv", "k.csv", "--resume");
    cr_expect_eq(x.code, 0, "%s", x.err); /* in a table k = 0 is a result; other options replace the row */
    cr_expect_eq(lines("k.csv"), 3);
    cell("k.csv", "small", "exit_reason", first);
    cr_expect_str_eq(first, "not percolating");
}

Test(batch, blocks_make_a_curve_a_picture_and_maps)
{
    make_raw("a-16x16x16.raw", 16, 5);
    const cli_result r = cli_test_run("permeability", "--pore", "0", "a-16x16x16.raw", "--blocks", "8,32um",
                                      "--voxel-size", "2um", "--backend", "cpu", "--csv", "k.csv");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "2 x 2 x 2 of 8^3 voxels = 16 um"), "%s", r.out);
    cr_expect_not_null(strstr(r.out, "1 x 1 x 1 of 16^3 voxels = 32 um"), "%s", r.out);
    cr_expect_eq(lines("k.csv"), 1 + 8 + 1);
    char k[256], whole[256], value[256];
    cell("k.csv", "a-16x16x16.raw,block,0,0,0,8,", "k_zz_lu", k);
    cell("k.csv", "a-16x16x16.raw,block,8,8,8,8,", "k_zz_lu", value);
    cr_expect_str_eq(k, value); /* the same channel */
    cell("k.csv", "a-16x16x16.raw,block,0,0,0,8,", "k_xx_lu", value);
    cr_expect_str_eq(value, "0");
    cell("k.csv", "a-16x16x16.raw,block,0,0,0,16,", "k_zz_lu", whole);
    cr_expect_float_eq(strtod(k, NULL), strtod(whole, NULL), 2e-3 * strtod(k, NULL));
    cell("k.rev.csv", "8,1.6e-05,porosity", "mean", value);
    cr_expect_float_eq(strtod(value, NULL), 25.0 / 64, 1e-12);
    /* Eight blocks that are alike leave no doubt; one block tells nothing. */
    cr_expect_not_null(strstr(r.out, "k of the material is 1 to 1 times that of the image"), "%s", r.out);
    cr_expect_not_null(strstr(r.out, "8 blocks of 8 voxels"), "%s", r.out);
    cell("k.rev.csv", "8,1.6e-05,k,", "sample_half_width", value);
    cr_expect_leq(strtod(value, NULL), 1e-6);
    cr_expect_str_neq(value, "");
    cell("k.rev.csv", "16,3.2e-05,k,", "sample_half_width", value);
    cr_expect_str_eq(value, "");
    for (int f = 0; f < 3; f++)
        cr_expect(cli_test_exists((const char *[]){"k.rev.svg", "k.map-8.vti", "k.map-16.vti"}[f]));
    cr_expect_not_null(strstr(slurp("k.map-8.vti"), "WholeExtent=\"0 2 0 2 0 2\""));
    const cli_result again =
        cli_test_run("permeability", "--pore", "0", "a-16x16x16.raw", "--blocks", "16", "--voxel-size", "2um",
                     "--backend", "cpu", "--csv", "k.csv", "--resume");
    cr_expect_eq(again.code, 0, "%s", again.err);
    cr_expect_not_null(strstr(again.out, "not known: 8 blocks of one size"), "%s", again.out);
    cr_expect_eq(lines("k.csv"), 1 + 8 + 1); /* the blocks of 8 voxels stay */
    cr_expect(cli_test_exists("k.map.vti"));
}

Test(batch, refusals)
{
    make_raw("a-16x16x16.raw", 16, 5);
    make_raw("b-16x16x16.raw", 16, 5);
    cli_test_fails(1, "blocks of 32 voxels do not fit", "permeability", "--pore", "0", "a-16x16x16.raw",
                   "--blocks", "32");
    cli_test_fails(1, "the voxel size is unknown", "permeability", "--pore", "0", "a-16x16x16.raw",
                   "--blocks", "32um");
    cli_test_fails(1, "--blocks", "permeability", "--pore", "0", "a-16x16x16.raw", "--blocks", "8,,16");
    cli_test_fails(1, "--blocks cuts one image, and 2", "permeability", "--pore", "0", "a-16x16x16.raw",
                   "b-16x16x16.raw", "--blocks", "8");
    cli_test_fails(1, "-o belongs to one sample", "permeability", "--pore", "0", "a-16x16x16.raw",
                   "b-16x16x16.raw", "-o", "k.h5");
    cli_test_fails(1, "drive the flow by a force", "permeability", "--pore", "0", "a-16x16x16.raw", "--csv",
                   "k.csv", "--error-bar", "--drive", "pressure");
    cli_test_fails(1, "name it with --csv", "permeability", "--pore", "0", "a-16x16x16.raw", "b-16x16x16.raw",
                   "--resume");
    cli_test_fails(1, "would overwrite the input", "permeability", "--pore", "0", "a-16x16x16.raw",
                   "b-16x16x16.raw", "--csv", "b-16x16x16.raw");
    cli_test_fails(1, "\"-\" would be standard output", "permeability", "--pore", "0", "a-16x16x16.raw",
                   "--csv", "-");
    for (int k = 0; k < 2; k++) {
        FILE *file = fopen(k ? "s1-8x8.raw" : "s0-8x8.raw", "wb");
        for (int i = 0; i < 64; i++) fputc(i % 8 ? 0 : 255, file);
        cr_assert_eq(fclose(file), 0);
    }
    cli_test_fails(1, "are single slices", "permeability", "s0-8x8.raw", "s1-8x8.raw", "--size", "8x8x1");
    cr_expect_not(cli_test_exists("k.csv"));
}
