/* SPDX-License-Identifier: Apache-2.0 */
/* rill verify: known flows on this machine, with what was found beside what is expected. The cases are
 * verify/'s. */
#include "device/device.h"
#include "core/progress.h"
#include "cli/cli.h"
#include "kernel/variant.h"
#include "cli/devices.h"
#include "cli/image_options.h"
#include "io/json_file.h"
#include "sim/several_plan.h"
#include "verify/verify.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* In the order of `set`. */
static const char *const sets[] = {"auto", "quick", "full", NULL};
enum set { set_auto, set_quick, set_full };

/* The words of a case file. */
static const char *const walls[] = {"interpolated", "quadratic", NULL};
enum walls { walls_interpolated, walls_quadratic };

/* In the order of rill_verify_measure. */
static const char *const measures[] = {"relative", "absolute", "at most", "at least"};

typedef struct choices {
    cli_compute compute;
    cli_devices devices;
    int suite, set, walls;
    uint64_t nodes;
    const char *pattern, *rock, *pore;
    bool list;
} choices;

/* What happened so far. */
typedef struct tally {
    int checks, failed, cases, skipped;
    double seconds;
    json_t *rows, *left_out, *series;
} tally;

/* ---- selection ------------------------------------------------------------------------------- */

static bool wanted(const choices *c, const rill_verify_case *of)
{
    return !c->pattern || fnmatch(c->pattern, of->name, 0) == 0;
}

static rill_status pattern_check(const choices *c)
{
    const rill_verify_suite suite = (rill_verify_suite)c->suite;
    rill_nearest match = {0};
    for (int k = 0; k < rill_verify_count(suite); k++) {
        const rill_verify_case *of = rill_verify_at(suite, k);
        if (wanted(c, of)) return RILL_OK;
        rill_nearest_try(&match, c->pattern, of->name);
    }
    const bool meant = rill_nearest_is_meant(&match, c->pattern);
    return rill_fail(
        RILL_USAGE,
        "--case %s matches no case of the suite %s%s%s (--list shows all, 'spheres/*' takes a group)",
        c->pattern, rill_verify_suite_names[c->suite], meant ? ": did you mean " : "",
        meant ? match.name : "");
}

static void print_list(const choices *c)
{
    const rill_verify_suite suite = (rill_verify_suite)c->suite;
    for (int k = 0; k < rill_verify_count(suite); k++) {
        const rill_verify_case *of = rill_verify_at(suite, k);
        if (!wanted(c, of)) continue;
        printf("%-28s %s%s\n", of->name, of->what, of->full ? " (full set)" : "");
        for (int i = 0; i < of->check_count; i++) {
            const rill_verify_check *check = &of->checks[i];
            printf("    %s%s%s: %s\n", check->what, check->unit[0] ? ", " : "", check->unit, check->source);
        }
    }
}

/* ---- output ---------------------------------------------------------------------------------- */

static void print_heading(void)
{
    printf("%-4s  %-26s %-34s %13s %13s %10s %9s %8s\n", "", "case", "what", "found", "expected", "deviation",
           "limit", "seconds");
}

/* A number as wide as its column, or a dash. */
static const char *cell(char text[32], const char *format, double value)
{
    if (isnan(value))
        strcpy(text, "-");
    else
        snprintf(text, 32, format, value);
    return text;
}

static void print_record(const rill_verify_record *r)
{
    cli_progress_end();
    if (r->skipped || r->reason[0])
        printf("%-4s  %-26s %s\n", r->skipped ? "skip" : "FAIL", r->of->name, r->reason);
    for (int k = 0; k < r->of->check_count && !r->skipped && !r->reason[0]; k++) {
        const rill_verify_check *check = &r->of->checks[k];
        const rill_verify_outcome *o = &r->outcomes[k];
        char what[80], found[32], expected[32], deviation[32], limit[32];
        snprintf(what, sizeof what, "%s%s%s", check->what, check->unit[0] ? ", " : "", check->unit);
        const char *sign = check->measure == RILL_VERIFY_AT_LEAST ? ">= %.3g" : "%.3g";
        printf("%-4s  %-26s %-34s %13s %13s %10s %9s", o->pass ? "pass" : "FAIL", r->of->name, what,
               cell(found, "%.8g", o->found), cell(expected, "%.8g", o->expected),
               cell(deviation, "%+.2e", o->deviation), cell(limit, sign, isinf(o->limit) ? NAN : o->limit));
        if (k == 0)
            printf(" %8.1f\n", r->seconds);
        else
            putchar('\n');
    }
    fflush(stdout);
}

/* Curves of few points as tables, a row for each format. */
static void print_series(const json_t *series)
{
    const char *name;
    json_t *all, *curve, *x;
    size_t k, i;
    json_object_foreach((json_t *)series, name, all)
    {
        const json_t *points = json_object_get(all, "x");
        if (json_array_size(points) > 8) continue;
        printf("\n%s: %s; columns: %s\n%-14s", json_string_value(json_object_get(all, "title")),
               json_string_value(json_object_get(all, "y_name")),
               json_string_value(json_object_get(all, "x_name")), "");
        json_array_foreach(points, i, x) printf(" %10.4g", json_number_value(x));
        json_array_foreach(json_object_get(all, "curves"), k, curve)
        {
            char label[32];
            snprintf(label, sizeof label, "%s %s", json_string_value(json_object_get(curve, "storage")),
                     json_string_value(json_object_get(curve, "shift")));
            printf("\n%-14s", label);
            json_array_foreach(json_object_get(curve, "y"), i, x)
            {
                if (json_is_null(x))
                    printf(" %10s", "-");
                else
                    printf(" %10.2e", json_number_value(x));
            }
        }
        putchar('\n');
    }
    if (json_object_size(series)) putchar('\n');
}

static rill_status append(json_t *array, json_t *row)
{
    return row && json_array_append_new(array, row) == 0
               ? RILL_OK
               : rill_fail(RILL_SYSTEM, "out of memory for the report");
}

static rill_status note(tally *t, const rill_verify_record *r)
{
    rill_status status = RILL_OK;
    t->cases += !r->skipped;
    t->skipped += r->skipped;
    t->seconds += r->seconds;
    if (r->skipped)
        return append(t->left_out, json_pack("{s:s, s:s}", "case", r->of->name, "reason", r->reason));
    for (int k = 0; k < r->of->check_count; k++) {
        const rill_verify_check *check = &r->of->checks[k];
        const rill_verify_outcome *o = &r->outcomes[k];
        t->checks++;
        t->failed += !o->pass;
        RILL_TRY(
            append(t->rows,
                   json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:o, s:b, s:s, s:f, s:s, s:s}", "case",
                             r->of->name, "what", r->of->what, "check", check->what, "unit", check->unit,
                             "found", rill_json_real(o->found), "expected", rill_json_real(o->expected),
                             "deviation", rill_json_real(o->deviation), "measure", measures[check->measure],
                             "limit", rill_json_real(o->limit), "pass", o->pass, "reason", r->reason,
                             "seconds", r->seconds, "source", check->source, "software",
                             rill_version()))); /* records may be put together from several programs */
    }
done:
    return status;
}

static rill_status write_report(const choices *c, const rill_verify_setup *setup, const tally *t,
                                const char *backend, const char *device, const char *command)
{
    char date[32], variant[96];
    const time_t now = time(NULL);
    struct tm utc;
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    rill_variant_name(setup->variant, variant, sizeof variant);
    json_t *report =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s*, s:f, s:O, s:O, s:O}", "software",
                  rill_version(), "date", date, "command", command, "backend", backend, "device", device,
                  "suite", rill_verify_suite_names[c->suite], "set", setup->full ? "full" : "quick",
                  "variant", variant, "walls", c->suite == RILL_VERIFY_VESSELS ? walls[c->walls] : NULL,
                  "seconds", t->seconds, "checks", t->rows, "skipped", t->left_out, "series", t->series);
    return cli_json_finish(report, c->compute.json);
}

/* ---- running --------------------------------------------------------------------------------- */

/* Read the reference values of the cases: missing or damaged data are reported before the first step. */
static rill_status read_references(const choices *c, bool full)
{
    rill_status status = RILL_OK;
    const rill_verify_suite suite = (rill_verify_suite)c->suite;
    for (int k = 0; k < rill_verify_count(suite); k++) {
        const rill_verify_case *of = rill_verify_at(suite, k);
        rill_verify_values values = {0};
        if (wanted(c, of) && (full || !of->full)) RILL_TRY(rill_verify_read(of, &values));
    }
done:
    return status;
}

static rill_status run_cases(const choices *c, const rill_verify_setup *setup, tally *t)
{
    rill_status status = RILL_OK;
    const rill_verify_suite suite = (rill_verify_suite)c->suite;
    const int count = rill_verify_count(suite);
    if (!c->compute.quiet) print_heading();
    for (int k = 0; k < count; k++) {
        const rill_verify_case *of = rill_verify_at(suite, k);
        rill_verify_record record;
        if (!wanted(c, of)) continue;
        RILL_TRY(rill_progress_detail(setup->progress, of->name, (double)k / count, of->what));
        RILL_TRY(rill_verify_run(of, setup, t->series, &record));
        const bool other_set = record.skipped && of->full && !setup->full;
        if (!c->compute.quiet && !other_set) print_record(&record);
        RILL_TRY(note(t, &record));
    }
done:
    return status;
}

static rill_status verdict(const tally *t)
{
    if (t->checks == 0)
        return rill_fail(
            RILL_USAGE,
            "none of the selected cases can be run like this (%d skipped): --list shows the cases, --set full takes those for a GPU, too",
            t->skipped);
    if (t->failed)
        return rill_fail(
            RILL_NUMERICS,
            "%d of %d checks failed: the lines with FAIL say by how much; other formats, schemes or a --backend list what it depends on",
            t->failed, t->checks);
    return RILL_OK;
}

/* Open the devices that share the cases. */
static rill_status devices_open(choices *c, rill_verify_setup *setup)
{
    rill_status status = RILL_OK;
    rill_device *first = NULL;
    if (c->suite == RILL_VERIFY_SIZES && cli_devices_several(&c->devices))
        return rill_fail(
            RILL_USAGE,
            "--suite sizes fills one device: leave out --devices and --ranks, and start one process");
    RILL_TRY(rill_device_create(setup->on.backend, cli_devices_first(&c->devices), &first));
    RILL_TRY(cli_devices_open(&c->devices, first));
    setup->on.device = first;
    setup->on.list = c->devices.parts;
    setup->on.count = c->devices.part_count;
    if (setup->on.count > 1) RILL_TRY(rill_several_variant_check(setup->variant, setup->on.count));
done:
    return status;
}

static rill_status work(choices *c, const char *command)
{
    rill_status status = RILL_OK;
    rill_geom *rock = NULL;
    tally t = {.rows = json_array(), .left_out = json_array(), .series = json_object()};
    rill_verify_setup setup = {
        .variant = cli_compute_variant(&c->compute),
        .on.backend = (rill_backend_kind)c->compute.backend,
        .magic = c->compute.magic,
        .nodes = c->nodes,
        .quadratic = c->walls == walls_quadratic,
        .progress = cli_progress(c->compute.quiet),
    };
    if (!t.rows || !t.left_out || !t.series) {
        status = rill_fail(RILL_SYSTEM, "out of memory for the report");
        goto done;
    }
    if (setup.quadratic && c->suite != RILL_VERIFY_VESSELS)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "--walls quadratic is of --suite vessels: the suite %s has no such walls",
                           rill_verify_suite_names[c->suite]));
    if (c->pattern) RILL_TRY(pattern_check(c));
    if (c->list) {
        print_list(c);
        goto done;
    }
    RILL_TRY(rill_variant_flow_check(setup.variant));
    RILL_TRY(cli_outputs_check(c->rock, &(cli_output){"--json", c->compute.json}, 1));
    RILL_TRY(cli_devices_parse(&c->devices));
    RILL_TRY(devices_open(c, &setup));
    const rill_device *device = setup.on.device;
    setup.full = c->set == set_auto ? device->kind == RILL_BACKEND_CUDA : c->set == set_full;
    RILL_TRY(read_references(c, setup.full));
    if (c->rock) RILL_TRY(cli_read_geometry(c->rock, c->pore, RILL_KEEP_ALL, setup.progress, &rock));
    setup.rock = rock;
    RILL_TRY(run_cases(c, &setup, &t));
    if (c->compute.json) RILL_TRY(write_report(c, &setup, &t, device->backend->name, device->name, command));
    if (!c->compute.quiet) print_series(t.series);
    char variant[96];
    rill_variant_name(setup.variant, variant, sizeof variant);
    printf("%d of %d checks passed in %d cases (%d skipped), %.0f s, %s set, %s, %s\n", t.checks - t.failed,
           t.checks, t.cases, t.skipped, t.seconds, setup.full ? "full" : "quick",
           c->suite == RILL_VERIFY_FORMATS ? "every format" : variant, device->name);
    RILL_TRY(verdict(&t));
done:
    cli_progress_end();
    fflush(stdout);
    json_decref(t.rows);
    json_decref(t.left_out);
    json_decref(t.series);
    rill_geom_destroy(rock);
    cli_devices_close(&c->devices);
    return status;
}

static int run(int argc, char **argv);

const cli_command cli_verify = {
    .name = "verify",
    .usage = "[options]",
    .summary = "compute known flows on this machine and compare",
    .details =
        "Without options: the reference table, flows with an exact or published value, with the default\n"
        "variant; the flags of the method choose another. Each line shows what was found, what is\n"
        "expected, the deviation as the check measures it, and the limit for the stored format. The full set\n"
        "is chosen on a GPU, the quick one on a CPU. --suite formats compares the number formats, with and\nwithout the shift, on the same flows; "
        "the other flags of the method apply to all of them. --suite vessels\ncomputes flows with interpolated bounce-back, pulses and blood. "
        "--suite capsules computes elastic spheres in shear, --suite free-surface waves, drops and bubbles. --suite sizes fills the memory with as many nodes as --nodes says, and shows what they take and how fast they are. "
        "--devices and --ranks run all other suites in parts; a case that is too small for parts runs on one device.\n"
        "Exit code 1: reference data are missing or damaged, see data/README.md; 2: a check failed.",
    .examples = "rill verify --case 'channels/plates*'\n"
                "rill verify --suite vessels --json verify.json\n",
    .run = run,
};

/* The shared flags that apply here. */
static const char *const shared_flags[] = {
    "lattice",     "collision", "magic",   "equilibrium", "stream", "addressing", "storage", "arithmetic",
    "bounce-back", "shift",     "backend", "memory",      "json",   "overwrite",  "quiet",   NULL};

static int run(int argc, char **argv)
{
    choices c = {.suite = RILL_VERIFY_REFERENCE};
    int count = 0;
    bool help = false;
    cli_compute_defaults(&c.compute);
    const cli_option own[] = {
        {.help = "What is verified"},
        {"suite", 0, CLI_CHOICE, &c.suite,
         .help =
             "reference: one variant against known values; formats: the number formats; sizes: many nodes; vessels: interpolated bounce-back, pulses, blood; capsules: elastic spheres in shear; free-surface: waves, drops, bubbles",
         .choices = rill_verify_suite_names},
        {"case", 0, CLI_TEXT, &c.pattern, "PATTERN", "cases by name, such as 'spheres/*'", .fallback = "all"},
        {"set", 0, CLI_CHOICE, &c.set,
         .help = "quick: seconds to minutes on a CPU; full: for a GPU; auto: by the backend",
         .choices = sets},
        {"rock", 0, CLI_TEXT, &c.rock, "FILE", "image or geometry of a rock, for the cases that need one",
         .fallback = "none"},
        {"pore", 0, CLI_TEXT, &c.pore, "VALUES", "grey values of --rock that are pore, such as 0 or 0-99,255",
         .fallback = "True where the file holds bool; needed for other images"},
        {"nodes", 0, CLI_COUNT, &c.nodes, "COUNT", "fluid nodes of the suite sizes, at least",
         .fallback = "3e5, full set 3e8", .min = 1000, .max = 4e9},
        {"walls", 0, CLI_CHOICE, &c.walls,
         .help =
             "of the suite vessels, as in a case file; quadratic leaves out cases whose walls stay linear",
         .choices = walls},
        CLI_DEVICES(c.devices),
        {"list", 0, CLI_FLAG, &c.list, .help = "show the cases, what they check and its source, and stop"},
        {.help = "Variant and output"},
        {0},
    };
    cli_option shared[24];
    cli_compute_pick(&c.compute, shared_flags, shared, sizeof shared / sizeof *shared);
    const cli_option *const tables[] = {own, shared, NULL};
    rill_status status = cli_parse(&cli_verify, tables, argc, argv, NULL, &count, &help);
    if (help) return RILL_OK;
    char *command = status == RILL_OK ? cli_command_line(argc, argv) : NULL;
    if (status == RILL_OK)
        status = command ? work(&c, command) : rill_fail(RILL_SYSTEM, "out of memory for the command line");
    free(command);
    return cli_report(&cli_verify, status);
}
