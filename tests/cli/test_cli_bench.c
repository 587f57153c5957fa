/* SPDX-License-Identifier: Apache-2.0 */
/* rill bench: what it writes, and when it stops. */
#include "cli_test.h"

#include <jansson.h>

TestSuite(bench, .init = cli_test_start, .fini = cli_test_end);

#define SMALL "bench", "--backend", "cpu", "--suite", "box", "--cells", "16", "--seconds", "0.01"

static json_t *records(void)
{
    json_t *report = json_load_file("b.json", 0, NULL);
    cr_assert_not_null(report);
    json_t *results = json_incref(json_object_get(report, "results"));
    json_decref(report);
    return results;
}

static double number(const json_t *record, const char *key)
{
    return json_number_value(json_object_get(record, key));
}

Test(bench, records_as_json_and_csv_are_the_same)
{
    const cli_result r = cli_test_run(SMALL, "--stream", "aa", "--json", "b.json", "-o", "b.csv");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "d3q19-trt-stokes-aa-list-fp32"));
    json_t *results = records();
    cr_assert_eq(json_array_size(results), 1);
    const json_t *record = json_array_get(results, 0);
    cr_assert_eq(number(record, "nodes"), 16 * 16 * 16);
    cr_assert_gt(number(record, "mlups"), 0);
    char head[2048], line[2048];
    FILE *csv = fopen("b.csv", "r");
    cr_assert_not_null(csv);
    cr_assert_not_null(fgets(head, sizeof head, csv));
    cr_assert_not_null(fgets(line, sizeof line, csv));
    cr_assert_eq(fgetc(csv), EOF);
    fclose(csv);
    size_t commas = 0, fields = 0;
    int quoted = 0;
    for (const char *c = head; *c; c++) commas += *c == ',';
    for (const char *c = line; *c; c++) {
        quoted ^= *c == '"';
        fields += *c == ',' && !quoted;
    }
    cr_assert_eq(commas + 1, json_object_size(record));
    cr_assert_eq(fields, commas);
    char nodes[32];
    snprintf(nodes, sizeof nodes, ",%d,", 16 * 16 * 16);
    cr_assert_not_null(strstr(line, nodes), "%s", line);
    json_decref(results);
}

/* Nothing is measured beyond the cap; within it, rounds go on while they are apart. */
Test(bench, steps_are_capped)
{
    cli_test_fails(1, "max-steps = 29 is below the 30", SMALL, "--stream", "aa", "--max-steps", "29");
    for (int loose = 0; loose < 2; loose++) {
        const cli_result r = cli_test_run(SMALL, "--stream", "aa", "--max-steps", "48", "--seconds", "100",
                                          "-q", "--tolerance", loose ? "1" : "1e-15", "--json", "b.json");
        cr_assert_eq(r.code, 0, "%s", r.err);
        cr_assert_str_eq(r.out, "");
        json_t *results = records();
        const json_t *record = json_array_get(results, 0);
        cr_assert_eq(number(record, "steps"), 36);
        cr_assert_eq((bool)json_is_true(json_object_get(record, "settled")),
                     number(record, "mlups_spread") <= (loose ? 1 : 1e-15) * number(record, "mlups"));
        json_decref(results);
    }
}

Test(bench, times_any_variant)
{
    static const char *const variants[][5] = {{"pull", "bitmap", "fp16s", "single", "half-way"},
                                              {"push", "dense", "p16_1s", "single", "half-way"},
                                              {"esotwist", "chase", "fp32", "double", "full-way"},
                                              {"esopull", "list", "fp16c", "single", "half-way"},
                                              {"ring", "list", "fp64", "double", "half-way"},
                                              {"esopush", "dense", "int16s", "single", "full-way"}};
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
        const char *const *v = variants[k];
        const cli_result r = cli_test_run(SMALL, "--stream", v[0], "--addressing", v[1], "--storage", v[2],
                                          "--arithmetic", v[3], "--bounce-back", v[4], "--json", "b.json");
        cr_assert_eq(r.code, 0, "%s %s: %s", v[0], v[1], r.err);
        json_t *results = records();
        const json_t *record = json_array_get(results, 0);
        cr_assert_str_eq(json_string_value(json_object_get(record, "stream")), v[0]);
        cr_assert_str_eq(json_string_value(json_object_get(record, "addressing")), v[1]);
        cr_assert_str_eq(json_string_value(json_object_get(record, "storage")), v[2]);
        json_decref(results);
    }
    const cli_result plane = cli_test_run(SMALL, "--lattice", "d2q9", "--stream", "aa");
    cr_assert_eq(plane.code, 0, "%s", plane.err);
}

Test(bench, refuses_before_it_measures)
{
    cli_test_fails(3, "cannot write no/b.csv", SMALL, "-o", "no/b.csv");
    cli_test_fails(1, "chase", SMALL, "--stream", "pull", "--addressing", "chase");
    cli_test_fails(1, "--rock", "bench", "--backend", "cpu", "--suite", "rock");
}
