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
               "segmentation (--threshold T±D of a grey image), sample (--sample VOXELS: at least 8 blocks"),
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

/* A grey image of a pore space without symmetry: pores are dark. */
static void make_grey_of(int N, const char *path)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    for (int i = 0; i < N * N * N; i++) {
        const double x = 2 * M_PI / N * (i % N), y = 2 * M_PI / N * (i / N % N),
                     z = 2 * M_PI / N * (i / N / N);
        const double f =
            cos(2 * x + .3) + cos(2 * y + 1) + cos(2 * z - .4) + .6 * cos(x + y - 1) + .5 * cos(y + 2 * z);
        fputc((int)lrint(fmin(fmax(112 - 25 * (f + .25), 20), 220)), file);
    }
    cr_assert_eq(fclose(file), 0);
}

static void make_grey(const char *path) { make_grey_of(24, path); }

static const char *const axes[] = {"x", "y", "z"};

/* The number in a column of a table of one row, which has no comma before it. */
static double csv_value(const char *path, const char *column)
{
    static char text[65536];
    char *line = text, *name = text, *end;
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "%s", path);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    line = strchr(text, '\n');
    cr_assert_not_null(line);
    *line++ = '\0';
    while (strcspn(name, ",") != strlen(column) || strncmp(name, column, strlen(column)) != 0) {
        name = strchr(name, ',');
        cr_assert_not_null(name, "no column %s", column);
        name++;
        line = strchr(line, ',') + 1;
    }
    const double value = strtod(line, &end);
    cr_assert(end > line && (*end == ',' || *end == '\n'), "%s is no number", column);
    return value;
}

/* All six rows are known, the total has each of them, and a table has the numbers of the run. */
Test(permeability_error_bar, all_rows_are_in_the_total_and_in_tables)
{
    make_grey("g-24x24x24.raw");
    static const char *const single[] = {"permeability", "g-24x24x24.raw", "--threshold", "112+-4",
                                         "--sides",      "mirror",         "--error-bar", "--sample",
                                         "12",           "--axis",         "xyz",         "--backend",
                                         "cpu",          "--json",         "s.json",      NULL};
    const cli_result r = cli_test_run_list(single);
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_null(strstr(r.out, "not asked"), "%s", r.out);
    cr_expect_null(strstr(r.out, "e+0"), "a power of ten: %s", r.out);
    json_t *json = load("s.json");
    for (int a = 0; a < 3; a++) {
        double bounds = 0, squares = 0;
        char key[64];
        for (size_t i = 0; i < 6; i++) {
            json_t *c = contribution(json, names[i]);
            snprintf(key, sizeof key, "half_width.%s", axes[a]);
            const double width = real(c, key);
            cr_expect_str_eq(text_of(json, names[i], "state"), "known", "%s", names[i]);
            cr_expect_gt(width, 0, "%s along %s", names[i], axes[a]);
            if (strcmp(text_of(json, names[i], "kind"), "bound") == 0)
                bounds += width;
            else
                squares += width * width;
        }
        snprintf(key, sizeof key, "error_bar.total.%s", axes[a]);
        cr_expect_float_eq(real(json, key), bounds + sqrt(squares), 1e-12);
    }
    static const char *const many[] = {"permeability", "g-24x24x24.raw", "--threshold", "112+-4", "--sides",
                                       "mirror",       "--error-bar",    "--sample",    "12",     "--axis",
                                       "xyz",          "--backend",      "cpu",         "--csv",  "k.csv",
                                       "--json",       "b.json",         NULL};
    const cli_result b = cli_test_run_list(many);
    cr_assert_eq(b.code, 0, "%s", b.err);
    json_t *batch = load("b.json"), *row = find(json_array_get(find(batch, "rows"), 0), "error_bar");
    for (int a = 0; a < 3; a++) {
        char key[64], column[64];
        for (size_t i = 0; i < 6; i++) {
            snprintf(key, sizeof key, "half_width.%s", axes[a]);
            const double width = real(contribution(json, names[i]), key);
            cr_expect_eq(real(find(find(row, "half_width"), names[i]), axes[a]), width, "%s", names[i]);
            snprintf(column, sizeof column, "%s_%s", names[i], axes[a]);
            for (char *blank = column; (blank = strchr(blank, ' ')) != NULL;) *blank = '_';
            cr_expect_eq(csv_value("k.csv", column), width, "%s", column);
        }
        snprintf(key, sizeof key, "error_bar.total.%s", axes[a]);
        snprintf(column, sizeof column, "total_%s", axes[a]);
        cr_expect_eq(csv_value("k.csv", column), real(json, key));
        cr_expect_eq(real(find(row, "total"), axes[a]), real(json, key));
        snprintf(key, sizeof key, "error_bar.best_estimate.lu.%s", axes[a]);
        snprintf(column, sizeof column, "best_estimate_%s_lu", axes[a]);
        cr_expect_eq(csv_value("k.csv", column), real(json, key));
        cr_expect_eq(real(find(row, "best_estimate_lu"), axes[a]), real(json, key));
        for (int f = 0; f < 3; f++) {
            if (a == f) continue;
            snprintf(key, sizeof key, "error_bar.off_axis_bound_lu.%s%s", axes[a], axes[f]);
            snprintf(column, sizeof column, "off_axis_bound_%s%s_lu", axes[a], axes[f]);
            cr_expect_geq(real(json, key), 0); /* 0: that of mirrored boundaries is 0 itself */
            cr_expect_eq(csv_value("k.csv", column), real(json, key));
            snprintf(column, sizeof column, "%s%s", axes[a], axes[f]);
            cr_expect_eq(real(find(row, "off_axis_bound_lu"), column), real(json, key));
        }
    }
    json_decref(batch);
    json_decref(json);
}

/* So has a row with finer grids, which differ from those without. */
Test(permeability_error_bar, the_fine_row_of_a_batch_is_that_of_one_run)
{
    cli_result r = cli_test_run("generate", "pack", "--size", "16", "--radius", "4", "-o", "p.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("permeability", "p.geom.h5", "--axis", "z", "--error-bar=fine", "--json", "one.json",
                     "-q", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("permeability", "p.geom.h5", "--axis", "z", "--error-bar=fine", "--csv", "f.csv",
                     "--json", "many.json", "-q", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("permeability", "p.geom.h5", "--axis", "z", "--error-bar", "--json", "quick.json", "-q",
                     "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    static const char *const files[] = {"one.json", "many.json", "quick.json"};
    double k[3], width[3];
    for (int i = 0; i < 3; i++) {
        json_t *json = load(files[i]);
        json_t *bar =
            i == 1 ? find(json_array_get(find(json, "rows"), 0), "error_bar") : find(json, "error_bar");
        k[i] = real(bar, i == 1 ? "best_estimate_lu.z" : "best_estimate.lu.z");
        width[i] = real(bar, "total.z");
        json_decref(json);
    }
    cr_expect_eq(k[0], k[1]);
    cr_expect_eq(width[0], width[1]);
    cr_expect_neq(k[0], k[2]);
}

/* The row of the sample is what --blocks of that size say of the image. */
Test(permeability_error_bar, the_sample_is_that_of_blocks)
{
    make_grey("g-24x24x24.raw");
    cli_result r = cli_test_run("permeability", "g-24x24x24.raw", "--threshold", "112", "--sample", "12",
                                "--json", "s.json", "-q", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("permeability", "g-24x24x24.raw", "--threshold", "112", "--blocks", "12", "--axis", "z",
                     "--json", "b.json", "-q", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = load("s.json"), *blocks = load("b.json");
    json_t *sample = find(json_array_get(find(blocks, "rev"), 0), "sample");
    const double low = real(sample, "low"), high = real(sample, "high"), larger = fmax(high - 1, 1 - low);
    cr_expect_float_eq(real(contribution(json, "sample"), "half_width.z"), larger, 1e-12 * larger);
    cr_expect_str_eq(text_of(json, "domain boundaries", "state"), "not asked");
    json_decref(json);
    json_decref(blocks);
    cli_test_fails(1, "sample: blocks of 25 voxels do not fit", "permeability", "g-24x24x24.raw",
                   "--threshold", "112", "--sample", "25", "-q");
    cli_test_fails(1, "an error bar has no checkpoint", "permeability", "g-24x24x24.raw", "--threshold",
                   "112", "--sample", "12", "--resume", "-q");
    r = cli_test_run("permeability", "g-24x24x24.raw", "--threshold", "112", "--sample", "24", "--json",
                     "one.json", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "not known, and not in the total: 8 blocks with a result"), "%s", r.out);
}

/* Entries beside the diagonal have the bounds of their runs, and it is said that no more is known of them. */
Test(permeability_error_bar, entries_beside_the_diagonal_have_bounds)
{
    make_grey("g-24x24x24.raw");
    cli_result r = cli_test_run("permeability", "g-24x24x24.raw", "--threshold", "112", "--axis", "xz",
                                "--json", "t.json", "-o", "t.h5", "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_not_null(strstr(r.out, "the other rows are not known there"), "%s", r.out);
    json_t *json = load("t.json"), *runs = find(json, "runs"),
           *bound = find(json, "error_bar.off_axis_bound_lu");
    cr_expect_eq(real(bound, "zx"), real(json_array_get(runs, 0), "uncertainty_lu.z"));
    cr_expect_eq(real(bound, "xz"), real(json_array_get(runs, 1), "uncertainty_lu.x"));
    cr_expect(json_is_null(find(bound, "xx")));
    json_decref(json);
    r = cli_test_run("info", "t.h5");
    cr_expect(r.code == 0, "%s", r.err);
    r = cli_test_run("permeability", "g-24x24x24.raw", "--threshold", "112", "--json", "one.json",
                     "--backend", "cpu");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_expect_null(strstr(r.out, "beside the diagonal"), "%s", r.out);
    json = load("one.json");
    cr_expect(json_is_null(find(json, "error_bar.off_axis_bound_lu")));
    json_decref(json);
}

/* Stopped in the error bar: what was not found is said to be missing, not to be unasked for, and what is
 * known stays. Progress on a terminal says when the further runs begin. */
Test(permeability_error_bar, rows_say_that_they_were_stopped)
{
    make_grey_of(48, "g-48x48x48.raw"); /* seconds of further runs on any machine */
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    cr_assert(terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        const int error = open(ptsname(terminal), O_RDWR | O_NOCTTY), null = open("/dev/null", O_WRONLY);
        if (error < 0 || null < 0 || dup2(null, 1) < 0 || dup2(error, 2) < 0 || setenv("TERM", "xterm", 1))
            _exit(126);
        execl(getenv("RILL"), "rill", "permeability", "g-48x48x48.raw", "--threshold", "112+-4",
              "--error-bar=fine", "--sample", "24", "--json", "stop.json", "--backend", "cpu", (char *)NULL);
        _exit(127);
    }
    char shown[65536] = "";
    size_t length = 0;
    ssize_t got;
    char row = '0'; /* the last that was shown; what lasts for less than a tick is not */
    while (length + 1 < sizeof shown && row < '2' &&
           (got = read(terminal, shown + length, sizeof shown - 1 - length)) > 0) {
        shown[length += (size_t)got] = '\0';
        for (const char *at = shown; (at = strstr(at, "error bar ")); row = at[0]) at += strlen("error bar ");
    }
    cr_assert_geq(row, '2', "%s", shown);
    cr_assert_eq(kill(child, SIGTERM), 0);
    while (read(terminal, shown, sizeof shown) > 0) {}
    int state = 0;
    cr_assert_eq(waitpid(child, &state, 0), child);
    cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 4, "%d", state);
    close(terminal);
    json_t *json = load("stop.json");
    cr_expect_str_eq(text_of(json, "shape and voxels", "state"), "known");
    cr_expect_str_eq(text_of(json, "segmentation", "state"), "known");
    cr_expect_str_eq(text_of(json, "domain boundaries", "state"), "known");
    cr_expect_str_eq(text_of(json, "sample", "state"), "not known");
    cr_expect_not_null(strstr(text_of(json, "sample", "note"), "stopped"), "%s",
                       text_of(json, "sample", "note"));
    cr_expect_gt(real(json, "error_bar.total.z"), 0);
    json_decref(json);
}
