/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_cli_error_bar.c
 * rill permeability --error-bar: contributions, what they bound and what they cost.
 */
#include "pore_files.h"
#include "verify/reference.h"

#include <math.h>

TestSuite(permeability_error_bar, .init = cli_test_start, .fini = cli_test_end);

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

static const char *const names[] = {"convergence",       "number format", "shape and voxels",
                                    "domain boundaries", "segmentation",  "sample"};

static const char *text_of(json_t *json, const char *name, const char *key)
{
    return json_string_value(find(contribution(json, name), key));
}

Test(permeability_error_bar, bounds_what_it_prints)
{
    make_array("sc.geom.h5", "10");
    cli_result r = cli_test_run("permeability", "sc.geom.h5", "--error-bar=fine", "--json", "sc.json", "-o",
                                "sc.h5", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = load("sc.json");
    double bounds = 0, squares = 0;
    for (size_t i = 0; i < 4; i++) {
        json_t *c = contribution(json, names[i]);
        const double width = real(c, "half_width.z");
        cr_assert_str_eq(text_of(json, names[i], "state"), "known", "%s", names[i]);
        cr_assert_not_null(strstr(r.out, names[i]), "%s is not printed", names[i]);
        cr_assert(json_is_null(find(c, "half_width.x")));
        if (strcmp(text_of(json, names[i], "kind"), "bound") == 0)
            bounds += width;
        else
            squares += width * width;
    }
    const double total = real(json, "error_bar.total.z");
    cr_assert_float_eq(total, bounds + sqrt(squares), 1e-12);
    cr_assert_gt(total, 0.01);
    cr_assert_float_eq(real(json, "error_bar.voxels_lu.z"), real(json, "permeability.lu.zz"), 0);
    cr_assert_float_eq(real(json, "error_bar.staircase_limit.m2.z") /
                           real(json, "error_bar.staircase_limit.lu.z"),
                       4e-12, 1e-20);
    /* The exact value for spheres, Zick & Homsy (1982), k = L^2 / (6 pi a/L K). */
    const rill_verify_reference reference = {"sphere-arrays", "SC 0.216", "drag coefficient"};
    double drag = 0;
    cr_assert_eq(rill_verify_reference_read(&reference, &drag, NULL), RILL_OK, "%s", rill_error_message());
    const double exact = 100 / (6 * M_PI * cbrt(3 * 0.216 / (4 * M_PI)) * drag);
    cr_assert_leq(fabs(exact / real(json, "error_bar.best_estimate.lu.z") - 1), total);
    json_t *grid = json_array_get(find(json, "error_bar.staircase_limit.grids"), 0);
    cr_assert_eq(json_array_size(find(grid, "levels")), 3);
    cr_assert_eq(json_integer_value(json_array_get(find(grid, "voxels"), 0)), 10);
    cr_assert_leq(fabs(real(grid, "order.z") - 1.2), 0.2);
    cr_assert_not_null(strstr(r.out, "staircase limit"));
    cr_assert_not_null(
        strstr(r.out,
               "segmentation (--threshold T±D of a grey image), sample (a run of its own with --blocks"),
        "%s", r.out);
    const cli_result stored = cli_test_run("info", "sc.h5");
    cr_assert_eq(stored.code, 0, "%s", stored.err);
    json_decref(json);
}

/* Every run says what it knows of its error, and what it was not asked for. */
Test(permeability_error_bar, every_run_has_the_table)
{
    make_array("sc.geom.h5", "10");
    const cli_result r =
        cli_test_run("permeability", "sc.geom.h5", "--json", "plain.json", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = load("plain.json");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cr_assert_str_eq(text_of(json, names[i], "kind"), i < 2 ? "bound" : "estimate");
        cr_assert_str_eq(text_of(json, names[i], "state"), i < 2 ? "known" : "not asked");
    }
    const double convergence = real(contribution(json, "convergence"), "half_width.z"),
                 format = real(contribution(json, "number format"), "half_width.z"),
                 uncertainty = real(json, "uncertainty");
    cr_assert_gt(format, 0);
    cr_assert_gt(convergence, 0);
    cr_assert_float_eq(convergence + format, uncertainty, 1e-9 * uncertainty);
    cr_assert_float_eq(real(json, "error_bar.total.z"), uncertainty, 1e-9 * uncertainty);
    cr_assert_float_eq(real(json, "error_bar.best_estimate.lu.z"), real(json, "permeability.lu.zz"), 0);
    cr_assert(json_is_null(find(json, "error_bar.staircase_limit")));
    cr_assert_not_null(strstr(r.out, "bound on k of these voxels"), "%s", r.out);
    cr_assert_not_null(strstr(r.out, "not asked"), "%s", r.out);
    json_decref(json);
    cli_test_fails(1, "did you mean fine?", "permeability", "sc.geom.h5", "--error-bar=fin", "-q");
}

/* A straight pore, and one whose ends meet only in a mirror. */
static bool bent(int x, int y, int z)
{
    const bool straight = x >= 1 && x < 4 && y >= 1 && y < 4;
    return straight ||
           (y >= 5 && y < 7 &&
            ((x >= 5 && x < 7 && z < 4) || (x >= 5 && x < 11 && z == 3) || (x >= 9 && x < 11 && z >= 3)));
}

Test(permeability_error_bar, bounds_an_image_with_the_pores_that_it_drops)
{
    make_raw("bent.raw", 12, 8, 6, bent);
    static const char *const image[] = {"permeability", "bent.raw", "--pore",    "0",
                                        "--size",       "12x8x6",   "--backend", "cpu",
                                        "--error-bar",  "--json",   "b.json",    NULL};
    const cli_result r = cli_test_run_list(image);
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = load("b.json");
    cr_assert_geq(real(json, "dropped"), 1);
    cr_assert_gt(real(contribution(json, "domain boundaries"), "relative.z"), 0.01,
                 "the dropped pore was not mirrored");
    cr_assert_float_eq(real(json, "permeability.lu.zz"), 0.0351 * 81 / 96, 0.1 * 0.0351 * 81 / 96);
    json_decref(json);
}

Test(permeability_error_bar, says_what_an_error_bar_costs)
{
    make_array("sc.geom.h5", "12");
    const cli_result r = cli_test_run("permeability", "sc.geom.h5", "--error-bar=fine", "--dry-run", "--axis",
                                      "xyz", "--json", "no.json", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "6 runs more, about"), "%s", r.out);
    static const char *const parts[] = {"1. domain boundaries", "2. surface",          "3. surface",
                                        "4. grid, split by 1",  "5. grid, split by 2", "6. grid, split by 3"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_assert_not_null(strstr(r.out, parts[i]), "%s is not listed", parts[i]);
    cr_assert_null(strstr(r.out, "permeability k_"));
    cr_assert_not(cli_test_exists("no.json"));
    cli_test_fails(1, "drive the flow by a force", "permeability", "sc.geom.h5", "--error-bar", "--drive",
                   "pressure", "-q");
    cli_test_fails(1, "stokes", "permeability", "sc.geom.h5", "--error-bar", "--equilibrium", "second-order",
                   "-q");
}
