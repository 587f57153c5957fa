/* SPDX-License-Identifier: Apache-2.0 */
/* rill verify: what it prints and writes, that a format which cannot do it fails, and its mistakes. */
#include "core/sanitized.h"
#include "cli_test.h"

#include <jansson.h>
#include <math.h>

TestSuite(verify, .init = cli_test_start, .fini = cli_test_end);

Test(verify, says_what_it_found)
{
    const cli_result r = cli_test_run("verify", "--case", "channels/plates-8", "--backend", "cpu",
                                      "--storage", "fp64", "--json", "a.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "\npass  channels/plates-8 "), "%s", r.out);
    cr_assert_not_null(strstr(r.out, "\n1 of 1 checks passed in 1 cases (0 skipped)"), "%s", r.out);
    json_t *report = json_load_file("a.json", 0, NULL);
    cr_assert_not_null(report);
    cr_assert_str_eq(json_string_value(json_object_get(report, "variant")), "d3q19-trt-stokes-aa-list-fp64");
    cr_assert_str_eq(json_string_value(json_object_get(report, "set")), "quick");
    const json_t *row = json_array_get(json_object_get(report, "checks"), 0);
    /* 8²/12 + 1/24 + (16 · 3/16 / 3 - 1)/8 */
    cr_expect_float_eq(json_real_value(json_object_get(row, "expected")), 5.375, 1e-12);
    cr_expect_float_eq(json_real_value(json_object_get(row, "found")), 5.375, 1e-8);
    cr_expect(json_is_true(json_object_get(row, "pass")));
    json_decref(report);
}

Test(verify, fails_where_rounding_is_too_coarse)
{
    const cli_result r = cli_test_run("verify", "--case", "channels/plates-31", "--backend", "cpu",
                                      "--storage", "int16s", "--json", "a.json");
    cr_assert_eq(r.code, 2, "exit code %d: %s%s", r.code, r.out, r.err);
    cr_assert_not_null(strstr(r.out, "\nFAIL  channels/plates-31 "), "%s", r.out);
    cr_assert_not_null(strstr(r.err, "1 of 1 checks failed"), "%s", r.err);
    json_t *report = json_load_file("a.json", 0, NULL);
    cr_assert_not_null(report, "the report must be written also when a check failed");
    cr_expect(json_is_false(json_object_get(json_array_get(json_object_get(report, "checks"), 0), "pass")));
    json_decref(report);
}

Test(verify, compares_formats)
{
    const cli_result r = cli_test_run("verify", "--suite", "formats", "--case", "formats/vortex", "--backend",
                                      "cpu", "--json", "a.json");
    cr_assert_eq(r.code, 0, "%s%s", r.out, r.err);
    json_t *report = json_load_file("a.json", 0, NULL);
    cr_assert_not_null(report);
    const json_t *all = json_object_get(json_object_get(report, "series"), "vortex/energy");
    const size_t points = json_array_size(json_object_get(all, "x"));
    const json_t *curves = json_object_get(all, "curves"), *fp32 = json_array_get(curves, 2);
    cr_assert_eq(json_array_size(curves), 18, "nine formats, shifted and plain");
    cr_assert_str_eq(json_string_value(json_object_get(fp32, "storage")), "fp32");
    cr_assert_eq(json_array_size(json_object_get(fp32, "y")), points);
    /* After ten decay times the energy is e^-10, which fp32 still follows. */
    for (size_t i = 0; i < points; i++) {
        const double x = json_number_value(json_array_get(json_object_get(all, "x"), i)),
                     y = json_number_value(json_array_get(json_object_get(fp32, "y"), i));
        if (x < 10) cr_expect_float_eq(log(y) + x, 0, 0.01, "energy %g after %g decay times", y, x);
    }
    json_decref(report);
}

Test(verify, runs_as_many_nodes_as_are_asked_for)
{
    const cli_result r = cli_test_run("verify", "--suite", "sizes", "--nodes", "20k", "--addressing",
                                      "bitmap", "--backend", "cpu", "--json", "a.json");
    cr_assert_eq(r.code, 0, "%s%s", r.out, r.err);
    json_t *report = json_load_file("a.json", 0, NULL);
    const json_t *rows = json_object_get(report, "checks");
    /* Two channels of 16 x 30 x 30 nodes; 17 voxels with their plate. */
    cr_expect_eq(json_real_value(json_object_get(json_array_get(rows, 0), "found")), 28800);
    cr_expect_geq(json_real_value(json_object_get(json_array_get(rows, 1), "found")), 28800 * 80);
    cr_expect_geq(json_real_value(json_object_get(json_array_get(rows, 2), "found")), 30600);
    for (size_t k = 3; k < 5; k++)
        cr_expect_gt(json_real_value(json_object_get(json_array_get(rows, k), "found")), 0);
    cr_expect_eq(json_array_size(rows), 11);
    json_decref(report);
    cli_test_fails(3, "no room for the flow between plates", "verify", "--suite", "sizes", "--nodes", "4e9",
                   "--memory", "1GiB", "--backend", "cpu");
}

Test(verify, lists_its_cases_and_their_sources)
{
    const cli_result r = cli_test_run("verify", "--list");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "spheres/sc-0.216-32 "), "%s", r.out);
    cr_assert_not_null(
        strstr(r.out,
               "spheres/sc-0.216-64          flow through simple cubic, c 0.216, 64 voxels (full set)"),
        "%s", r.out);
    cr_assert_not_null(strstr(r.out, "doi:10.1103/PhysRevE.68.066614"), "%s", r.out);
}

Test(verify, has_capsules)
{
    cli_result r = cli_test_run("verify", "--suite", "capsules", "--list");
    cr_assert_eq(r.code, 0, "%s", r.err);
    for (int k = 0; k < 2; k++) {
        static const char *const names[] = {"capsules/neo-hookean-0.6 ", "capsules/skalak-0.6 "};
        cr_assert_not_null(strstr(r.out, names[k]), "%s", r.out);
    }
    r = cli_test_run("verify", "--suite", "formats", "--list");
    cr_assert_not_null(strstr(r.out, "formats/capsule "), "%s", r.out);
    /* It has one collision, lattice and rule at walls, and no ring buffer. */
    static const char *const others[][2] = {
        {"--collision", "srt"},     {"--lattice", "d3q27"}, {"--stream", "ring"}, {"--addressing", "bitmap"},
        {"--arithmetic", "double"}, {"--magic", "0.25"},    {"--ranks", "2"}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        r = cli_test_run("verify", "--suite", "capsules", "--case", "capsules/skalak-small", "--backend",
                         "cpu", others[k][0], others[k][1]);
        cr_expect_eq(r.code, 1, "%s: %d", others[k][1], r.code);
        cr_expect_not_null(strstr(r.out, "skip  capsules/skalak-small      capsules "), "%s", r.out);
    }
}

Test(verify, has_free_surfaces)
{
    cli_result r = cli_test_run("verify", "--suite", "free-surface", "--list");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "free-surface/rising-bubble "), "%s", r.out);
    static const char *const others[][2] = {
        {"--collision", "srt"}, {"--lattice", "d3q27"}, {"--stream", "ring"}, {"--ranks", "2"}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        r = cli_test_run("verify", "--suite", "free-surface", "--case", "free-surface/mass", "--backend",
                         "cpu", others[k][0], others[k][1]);
        cr_expect_eq(r.code, 1, "%s: %d", others[k][1], r.code);
        cr_expect_not_null(strstr(r.out, "skip  free-surface/mass          free surfaces "), "%s", r.out);
    }
    r = cli_test_run("verify", "--suite", "free-surface", "--case", "free-surface/mass", "--backend", "cpu",
                     "--storage", "fp64");
    cr_expect_eq(r.code, 0, "%s%s", r.out, r.err);
    /* A front that is 0 at all times: the one that is computed is beyond. */
    directory_put(cli_test_directory, "dams/dam-break.csv",
                  "# rows: 12\nwidth, time, front\n"
                  "1, 0, 1\n1, 1, 1\n1, 2, 1\n1, 3, 1\n1, 4, 1\n1, 5, 1\n"
                  "1, 0, 1\n1, 1, 1\n1, 2, 1\n1, 3, 1\n1, 4, 1\n1, 5, 1\n");
    setenv("RILL_DATA", "dams", 1);
    r = cli_test_run("verify", "--suite", "free-surface", "--case", "free-surface/dam", "--backend", "cpu");
    cr_expect_eq(r.code, 2, "%s%s", r.out, r.err);
    cr_expect_not_null(
        strstr(r.out, "FAIL  free-surface/dam           front beyond the range of two columns, times 2.5"),
        "%s", r.out);
}

/* Data of its own, in which a drag is 30 instead of 24.83. */
static const char cylinders[] = "# rows: 1\nsolid fraction, drag [1]\n0.1, 30\n";

Test(verify, compares_with_the_data_that_it_is_given)
{
    directory_put(cli_test_directory, "mine/cylinder-arrays.csv", cylinders);
    setenv("RILL_DATA", "mine", 1);
    const cli_result r =
        cli_test_run("verify", "--case", "cylinders/0.1", "--backend", "cpu", "--storage", "fp64");
    cr_assert_eq(r.code, 2, "%s", r.err);
    cr_assert_not_null(strstr(r.out, " 0.033333333 "), "%s", r.out);
}

Test(verify, tells_data_that_are_missing_or_damaged)
{
    setenv("RILL_DATA", "nowhere", 1);
    cli_test_fails(
        1,
        "cylinders/0.1: cannot read cylinder-arrays.csv in nowhere, the folder that RILL_DATA names (No such file or directory): "
        "install rill again, or set RILL_DATA to a good copy",
        "verify", "--case", "cylinders/0.1", "--backend", "cpu");
    /* The first case needs no data: nothing is computed when a later one lacks them. */
    const cli_result r = cli_test_run("verify", "--backend", "cpu");
    cr_assert_eq(r.code, 1);
    cr_assert_str_eq(r.out, "");
    cr_assert_eq(cli_test_run("verify", "--case", "channels/plates-8", "--backend", "cpu").code, 0);
    cr_assert_eq(cli_test_run("verify", "--list").code, 0);
    directory_put(cli_test_directory, "mine/cylinder-arrays.csv",
                  "# rows: 1\nsolid fraction, drag\n0.1, 24,83\n");
    setenv("RILL_DATA", "mine", 1);
    cli_test_fails(1, "cylinders/0.1: mine/cylinder-arrays.csv:3: it has 3 cells, not 2: install rill again",
                   "verify", "--case", "cylinders/0.1", "--backend", "cpu");
}

Test(verify, mistakes)
{
    cli_test_fails(
        1,
        "--case sphere/sc-0.216-32 matches no case of the suite reference: did you mean spheres/sc-0.216-32",
        "verify", "--case", "sphere/sc-0.216-32", "--backend", "cpu");
    cli_test_fails(1, "--suite", "verify", "--suite", "nothing");
    cli_test_fails(1, "overwrite", "verify", "--rock", "rock.tif", "--json", "rock.tif", "-q");
    cli_test_fails(1, "full-way bounce-back goes with", "verify", "--bounce-back", "full-way", "-q");
    /* Values that belong to other parameters are left out, and with nothing left there is no success. */
    cli_test_fails(1, "none of the selected cases can be run like this (1 skipped)", "verify", "--case",
                   "spheres/sc-0.216-32", "--magic", "1/4", "--backend", "cpu", "-q");
    const cli_result r = cli_test_run("verify", "--case", "rocks/porosity", "--backend", "cpu");
    cr_assert_eq(r.code, 1);
    cr_assert_not_null(strstr(r.out, "skip  rocks/porosity             no image is given: --rock FILE"), "%s",
                       r.out);
}

/* Cases in parts find the same numbers; what several devices do not have is refused before the first case. */
Test(verify, finds_the_same_in_parts, .disabled = SANITIZED)
{
    const struct {
        const char *suite, *name;
    } cases[] = {
        {"reference", "spheres/sc-0.216-32*"}, {"vessels", "vessels/thin*"}, {"reference", "channels/sq*"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        json_t *reports[2];
        for (int part = 0; part < 2; part++) {
            const cli_result r =
                cli_test_run("verify", "--suite", cases[k].suite, "--case", cases[k].name, "--backend", "cpu",
                             "--ranks", part ? "3" : "1", "--json", "a.json", "-q");
            cr_assert_eq(r.code, 0, "%s%s", r.out, r.err);
            reports[part] = json_load_file("a.json", 0, NULL);
        }
        const json_t *one = json_object_get(reports[0], "checks"),
                     *three = json_object_get(reports[1], "checks");
        cr_assert_gt(json_array_size(one), 0);
        cr_assert_eq(json_array_size(one), json_array_size(three));
        for (size_t i = 0; i < json_array_size(one); i++)
            cr_assert_eq(json_number_value(json_object_get(json_array_get(one, i), "found")),
                         json_number_value(json_object_get(json_array_get(three, i), "found")), "%s",
                         cases[k].name);
        for (int part = 0; part < 2; part++) json_decref(reports[part]);
    }
    cli_test_fails(1, "the ring buffer does not work on several devices", "verify", "--ranks", "2",
                   "--stream", "ring", "--backend", "cpu", "-q");
    cli_test_fails(1, "--suite sizes fills one device", "verify", "--ranks", "2", "--suite", "sizes",
                   "--backend", "cpu", "-q");
}

/* Quadratic walls are those of the flows that are computed: at tau 0.8 they lower the pressure drop's error
 * to half or less. */
Test(verify, walls_of_vessels_are_chosen)
{
    static const char *const walls[] = {"interpolated", "quadratic"};
    double found[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        const cli_result r =
            cli_test_run("verify", "--suite", "vessels", "--set", "full", "--case", "vessels/error-trt-0.8",
                         "--walls", walls[k], "--backend", "cpu", "--json", k ? "b.json" : "a.json");
        cr_assert_eq(r.code, 0, "%s%s", r.out, r.err);
        json_t *report = json_load_file(k ? "b.json" : "a.json", 0, NULL);
        cr_assert_not_null(report);
        cr_expect_str_eq(json_string_value(json_object_get(report, "walls")), walls[k]);
        const json_t *row = json_array_get(json_object_get(report, "checks"), 0);
        cr_assert_str_eq(json_string_value(json_object_get(row, "check")), "pressure drop less 1, 8 cells");
        found[k] = fabs(json_real_value(json_object_get(row, "found")));
        json_decref(report);
    }
    cr_expect(found[1] < 0.6 * found[0], "%g, %g", found[0], found[1]);
    cli_test_fails(1, "none of the selected cases can be run like this", "verify", "--suite", "vessels",
                   "--case", "vessels/pipe-8", "--walls", "quadratic", "--backend", "cpu");
    cli_test_fails(1, "--walls quadratic is of --suite vessels", "verify", "--walls", "quadratic");
}
