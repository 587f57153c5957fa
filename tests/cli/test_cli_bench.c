/* SPDX-License-Identifier: Apache-2.0 */
/* rill bench: what it writes, and when it stops. */
#include "core/sanitized.h"
#include "cli_test.h"
#include "rill.h"

#include <jansson.h>
#include <math.h>

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
    const cli_result scalar = cli_test_run(SMALL, "--lattice", "d3q7", "--collision", "advection-diffusion");
    cr_assert_eq(scalar.code, 0, "%s", scalar.err);
}

static const char *text(const json_t *record, const char *key)
{
    return json_string_value(json_object_get(record, key));
}

/* Read the report that a run wrote. */
static json_t *report(void)
{
    json_t *read = json_load_file("b.json", 0, NULL);
    cr_assert_not_null(read);
    return read;
}

/* Every suite runs, and its records have what they are to have. */
Test(bench, every_suite_writes_all_keys)
{
    static const char *const texts[] = {"suite",      "case",    "lattice", "collision", "stream",
                                        "addressing", "storage", "backend", "device",    "command"};
    static const char *const numbers[] = {"nodes",
                                          "porosity",
                                          "mlups",
                                          "mlups_spread",
                                          "bandwidth_gbs",
                                          "percent_2qb",
                                          "bytes_moved_model",
                                          "bytes_device_total",
                                          "bytes_per_node",
                                          "seconds"};
    const cli_result r =
        cli_test_run("bench", "--backend", "cpu", "--suite", "all", "--cells", "16", "--max-nodes", "4000",
                     "--seconds", "0.01", "--max-steps", "30", "--tolerance", "1", "-q", "--json", "b.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *read = report(), *record;
    const json_t *results = json_object_get(read, "results");
    size_t k;
    int seen[16] = {0};
    static const char *const suites[] = {"box",     "spheres",    "arteries", "isotropy", "schemes",
                                         "formats", "collisions", "porosity", "sizes"};
    static const int least[] = {2,  2,  2, 6, 2 * (3 * (RILL_STREAM_COUNT - 1) + 2), RILL_STORAGE_COUNT,
                                26, 44, 1};
    for (size_t t = 0; t < 4; t++)
        cr_expect_not_null(text(read, (const char *[]){"driver", "cuda", "commit", "date"}[t]));
    json_array_foreach(results, k, record)
    {
        for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
            cr_expect_not_null(text(record, texts[t]), "%s", texts[t]);
        for (size_t t = 0; t < sizeof numbers / sizeof *numbers; t++)
            cr_expect(json_is_number(json_object_get(record, numbers[t])) && number(record, numbers[t]) >= 0,
                      "%s", numbers[t]);
        const int q = strcmp(text(record, "lattice"), "d3q27") ? 19 : 27;
        const char *storage = text(record, "storage");
        const int size = !strcmp(storage, "fp64") ? 8 : !strcmp(storage, "fp32") ? 4 : 2;
        cr_expect_float_eq(number(record, "percent_2qb"),
                           2e-1 * q * size * number(record, "mlups") / number(record, "bandwidth_gbs"),
                           1e-9 * number(record, "percent_2qb"));
        cr_expect_geq(number(record, "bytes_device_total"), number(record, "nodes") * q * size);
        cr_expect_lt(number(record, "error"), number(record, "error_limit"));
        for (size_t s = 0; s < sizeof suites / sizeof *suites; s++)
            seen[s] += !strcmp(text(record, "suite"), suites[s]);
    }
    for (size_t s = 0; s < sizeof suites / sizeof *suites; s++)
        cr_expect_eq(seen[s], least[s], "%s: %d", suites[s], seen[s]);
    const json_t *found = json_object_get(read, "break_even");
    cr_assert_eq(json_array_size(found), 2);
    cr_expect_str_eq(text(json_array_get(found, 0), "quantity"), "mlups");
    cr_expect_eq(number(json_array_get(found, 1), "points"), 11);
    json_decref(read);
}

/* All that is allocated is counted: at least populations and list, and little besides. */
Test(bench, memory_is_what_was_allocated)
{
    const cli_result r =
        cli_test_run(SMALL, "--stream", "pull,aa", "--addressing", "bitmap", "--storage", "fp16s,fp32",
                     "--cells", "64", "--max-steps", "30", "-q", "--json", "b.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *results = records(), *record;
    size_t k;
    cr_assert_eq(json_array_size(results), 4);
    json_array_foreach(results, k, record)
    {
        const double populations = 19.0 * (strcmp(text(record, "storage"), "fp32") ? 2 : 4) *
                                   (strcmp(text(record, "stream"), "aa") ? 2 : 1);
        const double held = number(record, "bytes_per_node");
        cr_expect(held > populations + 4 && held < populations + 6, "%g of %g", held, populations);
    }
    json_decref(results);
}

/* A vessel is timed with each of its boundaries; a geometry without a surface has none. */
Test(bench, a_vessel_has_boundaries)
{
    FILE *cube = fopen("cube.stl", "w"); /* 8 mm, its low and high x faces patches to be opened */
    cr_assert_not_null(cube);
    static const int corners[6][4][3] = {
        {{0, 0, 0}, {0, 0, 8}, {0, 8, 8}, {0, 8, 0}}, {{8, 0, 0}, {8, 8, 0}, {8, 8, 8}, {8, 0, 8}},
        {{0, 0, 0}, {8, 0, 0}, {8, 0, 8}, {0, 0, 8}}, {{0, 8, 0}, {0, 8, 8}, {8, 8, 8}, {8, 8, 0}},
        {{0, 0, 0}, {0, 8, 0}, {8, 8, 0}, {8, 0, 0}}, {{0, 0, 8}, {8, 0, 8}, {8, 8, 8}, {0, 8, 8}}};
    static const char *const names[] = {"in", "out", "wall", "wall", "wall", "wall"};
    for (int f = 0; f < 6; f++) {
        fprintf(cube, "solid %s\n", names[f]);
        for (int t = 0; t < 2; t++) {
            fprintf(cube, "facet normal 0 0 0\nouter loop\n");
            for (int v = 0; v < 3; v++) {
                const int *x = corners[f][v == 0 ? 0 : v + t];
                fprintf(cube, "vertex %d %d %d\n", x[0], x[1], x[2]);
            }
            fprintf(cube, "endloop\nendfacet\n");
        }
        fprintf(cube, "endsolid %s\n", names[f]);
    }
    fclose(cube);
    cli_result r = cli_test_run("voxelize", "cube.stl", "--units", "mm", "--dx", "0.35mm", "--patch", "in=in",
                                "--patch", "out=out", "-o", "cube.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("bench", "--backend", "cpu", "--suite", "vessel", "--vessel", "cube.geom.h5",
                     "--seconds", "0.01", "--stream", "aa", "--tolerance", "1", "--json", "b.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *results = records();
    static const char *const cases[] = {"vessel", "vessel-walls", "vessel-openings", "vessel-all",
                                        "vessel-quadratic-walls"};
    cr_assert_eq(json_array_size(results), 5);
    for (size_t k = 0; k < 5; k++)
        cr_assert_str_eq(json_string_value(json_object_get(json_array_get(results, k), "case")), cases[k]);
    json_decref(results);
    r = cli_test_run("bench", "--backend", "cpu", "--suite", "scaling", "--vessel", "cube.geom.h5", "--cases",
                     "vessel", "--ranks", "2", "--seconds", "0.01", "--stream", "aa", "--tolerance", "1",
                     "--json", "b.json");
    cr_assert_eq(r.code, 0, "%s", r.err); /* 2 where bits differ */
    results = records();
    cr_assert_eq(json_array_size(results), 2);
    cr_assert_str_eq(json_string_value(json_object_get(json_array_get(results, 1), "bits")), "same");
    json_decref(results);
    cli_test_fails(1, "--cases belongs to --suite scaling", "bench", "--suite", "box", "--cases", "vessel");
    cli_test_fails(1, "name its file with --rock FILE", "bench", "--suite", "scaling", "--cases", "rock");
    r = cli_test_run("generate", "box", "--size", "8", "-o", "box.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cli_test_fails(1, "not cut from a surface", "bench", "--backend", "cpu", "--suite", "vessel", "--vessel",
                   "box.geom.h5", "--seconds", "0.01", "--stream", "aa");
}

Test(bench, a_rock_is_read)
{
    const cli_result made = cli_test_run("generate", "pack", "--size", "24", "--radius", "6", "--porosity",
                                         "0.5", "-o", "rock.geom.h5");
    cr_assert_eq(made.code, 0, "%s", made.err);
    const cli_result r =
        cli_test_run("bench", "--backend", "cpu", "--suite", "rock", "--rock", "rock.geom.h5", "--seconds",
                     "0.01", "--stream", "aa", "--max-steps", "30", "--json", "b.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *results = records();
    cr_assert_eq(json_array_size(results), 1);
    cr_expect_float_eq(number(json_array_get(results, 0), "porosity"), 0.5, 0.1);
    json_decref(results);
}

/* Cases and times are listed, nothing is timed or written. */
Test(bench, dry_run_lists)
{
    const cli_result r =
        cli_test_run(SMALL, "--stream", "aa,esopull", "--storage", "all", "--dry-run", "--json", "b.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    char cases[32];
    snprintf(cases, sizeof cases, "%d cases", 2 * RILL_STORAGE_COUNT);
    cr_expect_not_null(strstr(r.out, cases), "%s", r.out);
    cr_expect_not_null(strstr(r.out, "about "));
    cr_expect_not_null(strstr(r.out, "d3q19-trt-stokes-esopull-list-p16_2c"));
    cr_expect_not(cli_test_exists("b.json"));
}

/* Of all schemes those are timed that can run; one that cannot is refused where it is the only one. */
Test(bench, macroscopic_streaming_needs_its_tau)
{
    cli_result r = cli_test_run(SMALL, "--stream", "all", "--addressing", "bitmap", "--dry-run");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "ring-bitmap"), "%s", r.out);
    cr_expect_null(strstr(r.out, "macroscopic"), "%s", r.out);
    r = cli_test_run(SMALL, "--stream", "all", "--addressing", "bitmap", "--tau", "1", "--magic", "0.25",
                     "--dry-run");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "macroscopic-bitmap"), "%s", r.out);
    cli_test_fails(1, "give tau 1 and magic 0.25", SMALL, "--stream", "macroscopic");
}

/* What does not fit is skipped with a line; when nothing fits, that is an error. */
Test(bench, what_does_not_fit_is_skipped)
{
    const cli_result r = cli_test_run("bench", "--backend", "cpu", "--suite", "box", "--cells", "128",
                                      "--stream", "pull", "--storage", "fp64,fp16s", "--max-steps", "30",
                                      "--memory", "740MiB", "--json", "b.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "skipped: no room for"), "%s", r.out);
    json_t *read = report();
    cr_expect_eq(json_array_size(json_object_get(read, "results")), 1);
    cr_assert_eq(json_array_size(json_object_get(read, "skipped")), 1);
    cr_expect_not_null(text(json_array_get(json_object_get(read, "skipped"), 0), "reason"));
    json_decref(read);
    cli_test_fails(3, "nothing could be timed: no room for", "bench", "--backend", "cpu", "--suite", "box",
                   "--cells", "300", "-q", "--memory", "740MiB");
}

/* A fluid that hardly resists swings back: its momentum is against the force, and its speed is not believed.
 */
Test(bench, a_wrong_result_is_refused)
{
    const cli_result r =
        cli_test_run("bench", "--backend", "cpu", "--suite", "spheres", "--cells", "16", "--stream",
                     "aa,pull", "--tau", "0.5001", "--collision", "srt", "--equilibrium", "second-order",
                     "--seconds", "100", "--max-steps", "66", "-q", "--json", "b.json");
    cli_test_expect_failure(&r, 2, "2 of 2 timed results are wrong");
    json_t *read = report();
    cr_expect_eq(json_array_size(json_object_get(read, "results")), 0);
    cr_expect_eq(json_array_size(json_object_get(read, "failed")), 2);
    cr_expect_not_null(strstr(text(json_array_get(json_object_get(read, "failed"), 0), "reason"),
                              "the timed result is wrong"));
    json_decref(read);
}

Test(bench, refuses_before_it_measures)
{
    cli_test_fails(3, "cannot write no/b.csv", SMALL, "-o", "no/b.csv");
    cli_test_fails(1, "chase", SMALL, "--stream", "pull", "--addressing", "chase");
    cli_test_fails(1, "--rock", "bench", "--backend", "cpu", "--suite", "rock");
    cli_test_fails(1, "--vessel", "bench", "--backend", "cpu", "--suite", "vessel");
    cr_assert_eq(cli_test_run("generate", "box", "--size", "8", "-o", "box.geom.h5").code, 0);
    FILE *stl = fopen("v.stl", "w");
    cr_assert(stl && fputs("solid v\nendsolid v\n", stl) >= 0 && fclose(stl) == 0);
    static const char *const bad[][4] = {
        {"rock", "--rock", "v.stl", "--rock: v.stl: it is a surface (.stl): make a geometry of it first"},
        {"vessel", "--vessel", "v.stl",
         "--vessel: v.stl: it is a surface (.stl): make a geometry of it first"},
        {"rock", "--rock", "no.geom.h5", "--rock: no.geom.h5: cannot open it"},
        {"vessel", "--vessel", "no.stl", "--vessel: cannot read no.stl"},
        {"vessel", "--vessel", "box.geom.h5", "--vessel: the geometry was not cut from a surface"},
        {"box,vessel", "--vessel", "v.stl", "rill voxelize"},
        {"box", "--max-steps", "29", "--max-steps: 29 steps are below the 30"}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const cli_result r = cli_test_run("bench", "--backend", "cpu", "--cells", "16", "--suite", bad[k][0],
                                          bad[k][1], bad[k][2]);
        cli_test_expect_failure(&r, 1, bad[k][3]);
        cr_assert_str_empty(r.out, "%s is printed first", r.out);
    }
    cli_test_fails(1, "--stream does not know \"esopul\": did you mean esopull?", SMALL, "--stream",
                   "aa,esopul");
    cli_test_fails(1, "--storage does not know \"\"", SMALL, "--storage", "fp32,");
}

/* The suite scaling: the bits of one device on any number, and what they exchange. */
Test(bench, scaling_compares_bits_and_models, .disabled = SANITIZED)
{
    cli_result r = cli_test_run("bench", "--backend", "cpu", "--suite", "scaling", "--ranks", "2", "--cells",
                                "32", "--stream", "aa", "--max-steps", "30", "--seconds", "0.01", "--json",
                                "b.json", "-o", "b.csv");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_null(strstr(r.out, "the model of 2 devices"), "%s", r.out); /* they share one */
    json_t *results = records(), *record;
    size_t k;
    int several = 0;
    json_array_foreach(results, k, record)
    {
        cr_assert_str_eq(text(record, "bits"), "same");
        cr_assert_gt(number(record, "mlups"), 0);
        if (number(record, "devices") < 2) continue;
        several++;
        cr_assert_gt(number(record, "bytes_per_step"), 0);
        cr_assert_geq(number(record, "nodes_largest"), number(record, "nodes") / number(record, "devices"));
    }
    cr_assert_geq(several, 3, "%d", several);
    json_decref(results);
    r = cli_test_run("bench", "--backend", "cpu", "--suite", "scaling", "--model", "--parts", "2", "--cells",
                     "32", "--stream", "aa", "--max-steps", "30", "--seconds", "0.01", "--json", "b.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    results = records();
    json_array_foreach(results, k, record) cr_assert_not_null(strstr(text(record, "bits"), "model"));
    cr_assert_geq(json_array_size(results), 7);
    json_decref(results);
    const struct {
        const char *suite, *option, *says;
    } wrong[] = {{"box", "2", "belong to --suite scaling"}, {"scaling,box", "2", "a run of its own"}};
    for (size_t w = 0; w < 2; w++) {
        r = cli_test_run("bench", "--backend", "cpu", "--suite", wrong[w].suite, "--ranks", wrong[w].option);
        cr_assert_eq(r.code, 1);
        cr_assert_not_null(strstr(r.err, wrong[w].says), "%s", r.err);
    }
}

/* Boxes that may be larger than the memory: the parts that are planned are those that are made. */
Test(bench, parts_are_shown, .disabled = SANITIZED)
{
#define OVERLAP                                                                                              \
    "bench", "--backend", "cpu", "--suite", "scaling", "--cases", "overlap", "--cells", "96", "--model",     \
        "--each-part", "--parts", "4", "--stream", "aa", "--addressing", "bitmap", "--max-steps", "30",      \
        "--seconds", "0.01"
    cli_result r = cli_test_run(OVERLAP, "--json", "b.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *results = records(), *record, *part;
    size_t k, p;
    char planned[64];
    cr_assert_eq(json_array_size(results), 3);
    const double nodes = number(json_array_get(results, 0), "nodes");
    cr_expect_float_eq(number(json_array_get(results, 0), "porosity"), 0.06, 0.02);
    cr_assert_null(json_object_get(json_array_get(results, 0), "parts"));
    const cli_result dry = cli_test_run(OVERLAP, "--dry-run");
    cr_assert_eq(dry.code, 0, "%s", dry.err);
    json_array_foreach(results, k, record)
    {
        double sum = 0;
        cr_expect(json_is_false(json_object_get(record, "one_is_part")));
        json_array_foreach(json_object_get(record, "parts"), p, part)
        {
            sum += number(part, "nodes");
            cr_expect_gt(number(part, "looped_us"), 0);
            cr_expect_gt(number(part, "alone_us"), 0);
            cr_expect_leq(number(part, "bytes_per_step"), number(record, "bytes_per_step"));
            cr_expect_float_eq(number(part, "bytes_device_held") / number(part, "bytes_device_planned"), 1,
                               0.1);
            snprintf(planned, sizeof planned, "  %5zu %11.0f ", p, number(part, "nodes"));
            cr_expect_not_null(strstr(dry.out, planned), "%s", dry.out);
        }
        cr_expect(k == 0 || sum == nodes);
        cr_expect_eq(p, k ? 1 << k : 0);
    }
    json_decref(results);
    cr_expect_not_null(strstr(dry.out, "while it makes a part"), "%s", dry.out);
    cr_expect_null(strstr(dry.out, "MLUPS"), "%s", dry.out);
    cli_test_fails(1, "--each-part belongs to --model", "bench", "--suite", "scaling", "--each-part");
}

/* Applications of the literature: a copy of a bed for each device, one tree for all, and "model" everywhere.
 */
Test(bench, applications_are_modelled, .disabled = SANITIZED)
{
    const cli_result r = cli_test_run("bench", "--backend", "cpu", "--suite", "scaling", "--cases",
                                      "bed,riverbed,coronary", "--model", "--parts", "8", "--cells", "64",
                                      "--stream", "aa", "--max-steps", "30", "--seconds", "0.01",
                                      "--link-latency", "20", "--link-bandwidth", "45", "--json", "b.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *results = records(), *record;
    double one = 0, four = 0;
    size_t k;
    static const struct {
        const char *name;
        double porosity, within;
        bool weak;
    } cases[] = {{"bed", 0.36, 0.02, true}, {"riverbed", 0.68, 0.03, true}, {"coronary", 0.01, 0.01, false}};
    cr_assert_eq(json_array_size(results), 12);
    json_array_foreach(results, k, record)
    {
        const int devices = 1 << k % 4;
        cr_assert_str_eq(text(record, "case"), cases[k / 4].name);
        cr_expect_eq(number(record, "devices"), devices);
        cr_expect_not_null(strstr(text(record, "bits"), "model"));
        cr_expect_float_eq(number(record, "porosity"), cases[k / 4].porosity, cases[k / 4].within);
        if (devices == 1) one = number(record, "nodes");
        if (devices == 4) four = number(record, "mlups");
        cr_expect_eq(number(record, "nodes"), one * (cases[k / 4].weak ? devices : 1));
        if (devices == 8 && cases[k / 4].weak)
            cr_expect_float_eq(number(record, "mlups"), 2 * four, 1e-9 * four);
        cr_expect_eq(number(record, "link_latency_us"), devices > 1 ? 20 : 0);
        cr_expect_eq(number(record, "link_bandwidth_gbs"), devices > 1 ? 45 : 0);
    }
    json_decref(results);
}

/* What a hybrid could gain follows from the records. */
Test(bench, hybrid_is_bounded, .disabled = SANITIZED)
{
    const cli_result r =
        cli_test_run("bench", "--backend", "cpu", "--suite", "hybrid", "--cells", "48", "--stream", "aa",
                     "--max-steps", "30", "--seconds", "0.01", "--json", "b.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "hybrid"), "%s", r.out);
    json_t *read = json_load_file("b.json", 0, NULL), *found = json_object_get(read, "hybrid");
    json_t *results = json_object_get(read, "results");
    cr_assert_eq(json_array_size(found), 1);
    cr_assert_eq(json_array_size(results), 4);
    const json_t *gain = json_array_get(found, 0);
    const char *const keys[] = {"sparse_mlups", "dense_mlups", "sparse_free_mlups", "dense_free_mlups"};
    for (size_t k = 0; k < 4; k++)
        cr_expect_eq(number(gain, keys[k]), number(json_array_get(results, k), "mlups"), "%s", keys[k]);
    cr_expect_float_eq(number(gain, "free"), 0.5 / number(json_array_get(results, 0), "porosity"), 1e-12);
    json_decref(read);
}

/* k of every pore space, from rest and by default, within its uncertainty of fp64. */
Test(bench, answers_are_timed_and_right)
{
    const cli_result r = cli_test_run("bench", "--backend", "cpu", "--suite", "time-to-answer", "--cells",
                                      "20", "--json", "b.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(strstr(r.out, "overlapping, tight"));
    json_t *results = records();
    cr_assert_eq(json_array_size(results), 8);
    for (size_t k = 0; k < 8; k++) {
        const json_t *record = json_array_get(results, k);
        cr_expect_str_eq(json_string_value(json_object_get(record, "start")), k % 2 ? "auto" : "rest");
        cr_expect_gt(number(record, "steps"), 0);
        cr_expect_gt(number(record, "seconds"), number(record, "seconds_stepping"));
        cr_expect_leq(number(record, "error"), number(record, "uncertainty"));
        cr_expect_leq(number(record, "uncertainty"), 1e-3);
    }
    json_decref(results);
    const cli_result two = cli_test_run("bench", "--suite", "time-to-answer,box");
    cr_expect_eq(two.code, 1);
    cr_expect_not_null(strstr(two.err, "goes alone"), "%s", two.err);
}

/* A step with a free surface beside the bare step, and mass that stays. */
Test(bench, a_free_surface_is_timed)
{
    const cli_result r = cli_test_run("bench", "--backend", "cpu", "--suite", "free-surface", "--cells", "16",
                                      "--seconds", "0.01", "--json", "b.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *results = records();
    cr_assert_eq(json_array_size(results), 2);
    for (size_t k = 0; k < 2; k++) {
        const json_t *record = json_array_get(results, k);
        cr_expect_eq(number(record, "nodes"), 4096);
        cr_expect_lt(fabs(number(record, "mass_change")), k ? 1e-5 : 1e-9);
        cr_expect_float_eq(number(record, "percent_bare") * number(record, "mlups_bare"),
                           100 * number(record, "mlups"), 1e-6);
    }
    json_decref(results);
    const cli_result two = cli_test_run("bench", "--suite", "free-surface", "--stream", "aa,pull");
    cr_expect_eq(two.code, 1);
    cr_expect_not_null(strstr(two.err, "goes alone"), "%s", two.err);
    static const char *const others[][2] = {{"--lattice", "d3q27"},     {"--collision", "srt"},
                                            {"--addressing", "bitmap"}, {"--equilibrium", "stokes"},
                                            {"--tau", "0.8"},           {"--max-nodes", "5000"},
                                            {"--porosity", "0.5"},      {"--cases", "spheres"}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        const cli_result other =
            cli_test_run("bench", "--backend", "cpu", "--suite", "free-surface", "--cells", "16", "--seconds",
                         "0.01", others[k][0], others[k][1]);
        cr_expect_eq(other.code, 1, "%s", others[k][0]);
        cr_expect_not_null(strstr(other.err, "of its own"), "%s: %s", others[k][0], other.err);
    }
    const cli_result nowhere =
        cli_test_run("bench", "--backend", "cpu", "--suite", "free-surface", "--json", "none/b.json");
    cr_expect_eq(nowhere.code, 3);
    cr_expect_not_null(strstr(nowhere.err, "none/b.json"), "%s", nowhere.err);
    cr_expect_null(strstr(nowhere.out, "fp32"), "it is refused before anything is timed");
}
