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

Test(permeability_error_bar, bounds_what_it_prints)
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
    cr_assert_gt(real(contribution(json, "sides"), "relative.z"), 0.01, "the dropped pore was not mirrored");
    cr_assert_float_eq(real(json, "permeability.lu.zz"), 0.0351 * 81 / 96, 0.1 * 0.0351 * 81 / 96);
    json_decref(json);
}

Test(permeability_error_bar, says_what_an_error_bar_costs)
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
