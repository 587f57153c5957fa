/* SPDX-License-Identifier: Apache-2.0 */
/* rill dispersion: options, exit codes and what is written. */
#include "cli_test.h"

#include <jansson.h>
#include <math.h>

TestSuite(dispersion, .init = cli_test_start, .fini = cli_test_end);

static void geometry_make(void)
{
    const cli_result r = cli_test_run("generate", "spheres", "--cells", "12", "--sides", "periodic", "-o",
                                      "s.geom.h5", "-q", "--voxel-size", "2um");
    cr_assert_eq(r.code, 0, "%s", r.err);
}

static json_t *read_json(const char *name)
{
    json_t *json = json_load_file(name, 0, NULL);
    cr_assert_not_null(json);
    return json;
}

static double component(const json_t *json, int point, const char *object, const char *key)
{
    const json_t *one = json_array_get(json_object_get(json, "points"), (size_t)point);
    return json_number_value(json_object_get(json_object_get(one, object), key));
}

/* The flow of a field file, and the same flow computed; lengths with and without a unit. */
Test(dispersion, flow_from_a_file_or_computed)
{
    geometry_make();
    cli_result r = cli_test_run("permeability", "s.geom.h5", "--fields", "image", "-o", "k.h5", "-q",
                                "--tolerance", "1e-5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("dispersion", "k.vtkhdf", "--peclet", "0,20", "--length", "24um", "--json", "a.json",
                     "-q", "-o", "d.h5", "--fields", "image", "--tolerance", "1e-6");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("dispersion", "s.geom.h5", "--peclet", "0,20", "--length", "12", "--json", "b.json",
                     "-q", "--tolerance", "1e-6", "--flow-tolerance", "1e-5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *a = read_json("a.json"), *b = read_json("b.json");
    static const char *const keys[] = {"xx", "yy", "zz"};
    for (int k = 0; k < 6; k++)
        cr_expect_float_eq(component(a, k / 3, "dispersion", keys[k % 3]) /
                               component(b, k / 3, "dispersion", keys[k % 3]),
                           1, 1e-4);
    cr_expect_gt(component(a, 1, "dispersion", "zz"), 1.2 * component(a, 1, "dispersion", "xx"));
    cr_expect_leq(component(a, 1, "bound", "zz"), 1.1e-6 * component(a, 1, "dispersion", "zz"));
    cr_expect_float_eq(json_number_value(json_object_get(a, "length_m")), 24e-6, 1e-18);
    cr_expect(json_is_null(json_object_get(a, "flow_tolerance")) &&
              !json_is_null(json_object_get(b, "flow_tolerance")));
    r = cli_test_run("info", "d.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "dispersion"), "%s", r.out);
    cr_expect_eq(access("d.pe0.vtkhdf", F_OK) + access("d.pe20.vtkhdf", F_OK), 0);
    r = cli_test_run("dispersion", "k.vtkhdf", "--peclet", "20", "-q");
    cr_expect_not_null(strstr(r.out, "Pe 20: D / D0 along z "), "%s", r.out);
    r = cli_test_run("dispersion", "k.vtkhdf", "--peclet", "20");
    cr_expect_not_null(strstr(r.out, "20 = U L / D0"), "%s", r.out);
    cr_expect_not_null(strstr(r.out, "hydraulic diameter"), "%s", r.out);
    cr_expect_not_null(strstr(r.out, "a correction of"), "%s", r.out);
    json_decref(a);
    json_decref(b);
}

Test(dispersion, refusals)
{
    geometry_make();
    cli_test_fails(1, "add --peclet", "dispersion", "s.geom.h5");
    cli_test_fails(1, "--peclet 1,,2", "dispersion", "s.geom.h5", "--peclet", "1,,2");
    cli_test_fails(1, "--peclet 1,-2", "dispersion", "s.geom.h5", "--peclet", "1,-2");
    cli_test_fails(1, "take Peclet numbers up to", "dispersion", "s.geom.h5", "--peclet", "1e6");
    cli_test_fails(1, "whose fields have one name, d.pe1.vtkhdf", "dispersion", "s.geom.h5", "--peclet",
                   "1,1.0000001", "-o", "d.h5", "--fields", "image");
    cli_test_fails(1, "use --sides periodic", "dispersion", "s.geom.h5", "--peclet", "1", "--sides",
                   "mirror");
    cli_test_fails(1, "along one axis", "dispersion", "s.geom.h5", "--peclet", "1", "--axis", "xy");
    cli_test_fails(1, "--length", "dispersion", "s.geom.h5", "--peclet", "1", "--length", "0");
    cli_test_fails(1, "no image", "dispersion");
    cli_result r = cli_test_run("permeability", "s.geom.h5", "--fields", "sparse", "-o", "k.h5", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cli_test_fails(1, "--fields image", "dispersion", "k.vtkhdf", "--peclet", "1");
    r = cli_test_run("permeability", "s.geom.h5", "--fields", "image", "-o", "i.h5", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cli_test_fails(1, "has the flow in it", "dispersion", "i.vtkhdf", "--peclet", "1", "--sides", "periodic");
    cli_test_fails(1, "leave --flow-tolerance out", "dispersion", "i.vtkhdf", "--peclet", "1",
                   "--flow-tolerance", "0.1");
    cli_test_fails(1, "--fields needs a name", "dispersion", "i.vtkhdf", "--peclet", "1", "--fields",
                   "image");
}

/* A run in time: what is printed, written and drawn; its fields are those of the times. */
Test(dispersion, in_time)
{
    geometry_make();
    cli_result r = cli_test_run("dispersion", "s.geom.h5", "--peclet", "1,3", "--step", "--times", "0.25,1",
                                "--fields", "image", "-o", "d.h5", "--json", "d.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "in time: a step"), "%s", r.out);
    json_t *json = read_json("d.json");
    const json_t *run = json_array_get(json_object_get(json, "breakthrough"), 1);
    const json_t *times = json_object_get(run, "time"), *outlet = json_object_get(run, "outlet");
    const size_t count = json_array_size(times);
    cr_assert_gt(count, 200);
    cr_expect_float_eq(json_number_value(json_array_get(times, 200)), 1, 1e-12);
    cr_expect_geq(json_number_value(json_array_get(outlet, count - 1)), 0.99);
    cr_expect(json_is_null(json_array_get(json_object_get(run, "position"), 0)));
    cr_expect_float_eq(json_number_value(json_object_get(run, "passage_mean")), 1, 2e-3);
    cr_expect_eq(access("d.pe1.t0.25.vtkhdf", F_OK) + access("d.pe3.t1.vtkhdf", F_OK), 0);
    json_decref(json);
    r = cli_test_run("export", "d.pe3.t0.25.vtkhdf", "-o", "d.png");
    cr_expect_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("info", "d.h5");
    cr_expect_not_null(strstr(r.out, "passage_mean"), "%s", r.out);
    r = cli_test_run("dispersion", "s.geom.h5", "--peclet", "2", "--pulse", "--duration", "0.5", "--json",
                     "p.json", "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json = read_json("p.json");
    run = json_array_get(json_object_get(json, "breakthrough"), 0);
    cr_expect_eq(json_array_size(json_object_get(run, "time")), 101);
    cr_expect(json_is_null(json_object_get(run, "column_dispersion")));
    cr_expect_str_eq(json_string_value(json_object_get(run, "release")), "pulse");
    json_decref(json);
    cli_test_fails(1, "are two runs", "dispersion", "s.geom.h5", "--peclet", "1", "--pulse", "--step");
    cli_test_fails(1, "add --pulse or --step", "dispersion", "s.geom.h5", "--peclet", "1", "--duration", "2");
    cli_test_fails(1, "add --fields", "dispersion", "s.geom.h5", "--peclet", "1", "--step", "--times", "1");
    cli_test_fails(1, "--times 1,x", "dispersion", "s.geom.h5", "--peclet", "1", "--step", "--times", "1,x",
                   "--fields", "image", "-o", "d.h5", "--overwrite");
    cli_test_fails(1, "of a run in time: take", "dispersion", "s.geom.h5", "--peclet", "100", "--step");
}

Test(dispersion, result_that_cannot_be_written)
{
    geometry_make();
    cli_test_result_is_kept("dispersion s.geom.h5 --peclet 1,2 -q", "s.dispersion.checkpoint.h5");
}
