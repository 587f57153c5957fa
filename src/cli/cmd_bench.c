/* SPDX-License-Identifier: Apache-2.0 */
/* `rill bench`: speed on this machine, as a fraction of its memory bandwidth. */
#include "cli/bench.h"
#include "cli/cli.h"
#include "cli/image_options.h"
#include "core/memory.h"
#include "core/threads.h"
#include "core/progress.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_options {
    cli_compute compute;
    cli_several several;
    cli_choices suites, cases;
    const char *rock, *pore, *vessel;
    uint64_t cells, red_cells, most_nodes;
    double seconds, porosity;
    bool seconds_given, dry_run;
    cli_scaling scaling;
} bench_options;

/* ---- requests -------------------------------------------------------------------------------- */

static rill_bench_values values_of(const cli_choices *choices)
{
    return (rill_bench_values){choices->items, choices->count};
}

/* Of several schemes leave out macroscopic streaming where it cannot run; alone it is refused with a reason.
 */
static void leave_out_macroscopic(cli_choices *streams, const cli_compute *compute)
{
    if (compute->tau == 1 && compute->magic == 0.25) return;
    int kept = 0;
    for (int k = 0; streams->count > 1 && k < streams->count; k++)
        if (streams->items[k] != RILL_MACROSCOPIC) streams->items[kept++] = streams->items[k];
    if (kept > 0) streams->count = kept;
}

static rill_status want(bench_options *o, const rill_bench_yardstick *yardstick, rill_bench_wants *out)
{
    rill_status status = RILL_OK;
    leave_out_macroscopic(&o->several.stream, &o->compute);
    const cli_several *s = &o->several;
    rill_bench_wants wants = {.suites = o->suites.items,
                              .suite_count = o->suites.count,
                              .lattice = values_of(&s->lattice),
                              .collision = values_of(&s->collision),
                              .equilibrium = values_of(&s->equilibrium),
                              .stream = values_of(&s->stream),
                              .addressing = values_of(&s->addressing),
                              .storage = values_of(&s->storage),
                              .arithmetic = values_of(&s->arithmetic),
                              .bounce = values_of(&s->bounce),
                              .shift = values_of(&s->shift),
                              .scaling = values_of(&o->cases),
                              .device = yardstick->device->kind == RILL_BACKEND_CUDA,
                              .rock = o->rock != NULL,
                              .vessel = o->vessel != NULL,
                              .cells = (uint32_t)o->cells,
                              .porosity = o->porosity,
                              .most_nodes = o->most_nodes,
                              .bandwidth = yardstick->bandwidth,
                              .threads = rill_threads()};
    if (!o->seconds_given) o->seconds = wants.device ? 0.3 : 1;
    wants.seconds = o->seconds;
    RILL_TRY(rill_device_available(yardstick->device, &wants.memory));
    RILL_TRY(rill_memory_available(&wants.host_memory));
    *out = wants;
done:
    return status;
}

/* Without --suite, three and those that have a file; "all" means the rock and the vessel only where there is
 * one, and neither of the suites that are runs of their own. */
static void choose_suites(bench_options *o)
{
    int kept = 0;
    if (!o->suites.count) {
        o->suites = (cli_choices){{RILL_SUITE_BOX, RILL_SUITE_SPHERES, RILL_SUITE_ARTERIES}, 3};
        if (o->rock) o->suites.items[o->suites.count++] = RILL_SUITE_ROCK;
        if (o->vessel) o->suites.items[o->suites.count++] = RILL_SUITE_VESSEL;
    }
    if (o->suites.count <= RILL_SUITE_COUNT) return;
    for (int k = 0; k < o->suites.count; k++) {
        const int suite = o->suites.items[k];
        const bool missing = suite == RILL_SUITE_SCALING || suite == RILL_SUITE_ANSWER ||
                             suite == RILL_SUITE_SPLASH || suite == RILL_SUITE_CELLS ||
                             (suite == RILL_SUITE_ROCK && !o->rock) ||
                             (suite == RILL_SUITE_VESSEL && !o->vessel);
        if (!missing) o->suites.items[kept++] = suite;
    }
    o->suites.count = kept;
}

/* ---- running ---------------------------------------------------------------------------------- */

/* Where a run has got to: what the next case shares with the last. */
typedef struct bench_state {
    const bench_options *options;
    rill_progress progress;
    rill_bench_yardstick *yardstick;
    bench_report *report;
    rill_geom *read[2]; /* of --rock and --vessel, until their first case takes them */
    rill_geom *geom;
    rill_bench_subject *subject;
    int shape;            /* of geom; -1: none */
    rill_lattice lattice; /* of subject */
    double start, done;   /* time of the start; seconds of the estimate that are over */
} bench_state;

static void forget(bench_state *s)
{
    rill_bench_subject_destroy(s->subject);
    rill_geom_destroy(s->geom);
    s->subject = NULL;
    s->geom = NULL;
    s->shape = -1;
}

static void show(const bench_state *s, int k, const char *what)
{
    char title[64];
    const rill_bench_plan *plan = s->report->plan;
    snprintf(title, sizeof title, "case %d of %d, %s", k + 1, plan->case_count,
             plan->shapes[plan->cases[k].shape].name);
    (void)rill_progress_detail(s->progress, title, plan->seconds > 0 ? s->done / plan->seconds : -1, what);
}

/* Read the geometry of --rock or --vessel, or take the one that was read to see whether it is any good. */
static rill_status take_file(bench_state *s, bool vessel, rill_geom **out)
{
    rill_status status = RILL_OK;
    const bench_options *o = s->options;
    rill_geom *geom = s->read[vessel];
    s->read[vessel] = NULL;
    if (!geom && vessel) {
        RILL_TRY(rill_geom_read(o->vessel, &geom));
        RILL_TRY(rill_bench_vessel_check(geom));
    }
    if (!geom) RILL_TRY(cli_read_geometry(o->rock, o->pore, RILL_KEEP_PERCOLATING, s->progress, &geom));
    *out = geom;
    geom = NULL;
done:
    rill_geom_destroy(geom);
    return status;
}

/* Refuse files before anything is measured. */
static rill_status read_files(bench_state *s)
{
    rill_status status = RILL_OK;
    const bench_options *o = s->options;
    for (int k = 0; k < o->suites.count; k++) {
        const bool vessel = o->suites.items[k] == RILL_SUITE_VESSEL;
        if (!vessel && o->suites.items[k] != RILL_SUITE_ROCK) continue;
        if (!(vessel ? o->vessel : o->rock)) continue; /* the plan reports it */
        status = take_file(s, vessel, &s->read[vessel]);
        if (status != RILL_OK) rill_fail_prefix("--%s", vessel ? "vessel" : "rock");
        if (status != RILL_OK) break;
    }
    cli_progress_end();
    return status;
}

/* Make the geometry of a case and number its nodes, unless the last case had the same. */
static rill_status prepare(bench_state *s, int k)
{
    rill_status status = RILL_OK;
    const rill_bench_plan *plan = s->report->plan;
    const rill_bench_case *c = &plan->cases[k];
    const rill_bench_shape *shape = &plan->shapes[c->shape];
    const bool same = s->shape >= 0 && shape->suite == RILL_SUITE_VESSEL &&
                      plan->shapes[s->shape].suite == RILL_SUITE_VESSEL; /* one geometry for all of them */
    if (same) s->shape = c->shape;
    if (s->shape != c->shape) {
        forget(s);
        show(s, k, "making the geometry");
        if (shape->suite == RILL_SUITE_ROCK || shape->suite == RILL_SUITE_VESSEL)
            RILL_TRY(take_file(s, shape->suite == RILL_SUITE_VESSEL, &s->geom));
        else
            RILL_TRY(rill_bench_shape_make(shape, &s->geom));
        s->shape = c->shape;
        s->done += shape->seconds;
    }
    if (s->subject && s->lattice == c->variant.lattice) return RILL_OK;
    rill_bench_subject_destroy(s->subject);
    s->subject = NULL;
    RILL_TRY(rill_bench_subject_create(s->geom, c->variant.lattice, &s->subject));
    s->lattice = c->variant.lattice;
done:
    return status;
}

/* Note a case that has no speed, and go on. */
static rill_status leave_out(bench_state *s, const rill_bench_case *c, json_t *list)
{
    char variant[96], reason[512];
    rill_variant_name(c->variant, variant, sizeof variant);
    snprintf(reason, sizeof reason, "%s", rill_error_message());
    cli_progress_end();
    if (!s->options->compute.quiet)
        printf("%-13s %-44s %s: %s\n", s->report->plan->shapes[c->shape].name, variant,
               list == s->report->failed ? "WRONG" : "skipped", reason);
    return bench_report_add_reason(s->report, list, c, reason);
}

static rill_status run_case(bench_state *s, int k)
{
    rill_status status = RILL_OK;
    rill_bench_record record;
    const bench_options *o = s->options;
    const rill_bench_case *c = &s->report->plan->cases[k];
    const rill_bench_options bench = {o->seconds, o->compute.tolerance, o->compute.max_steps,
                                      s->report->plan->shapes[c->shape].boundaries};
    rill_sim_options sim = rill_sim_options_default();
    char variant[96];
    sim.on.device = s->yardstick->device;
    sim.variant = c->variant;
    sim.tau = o->compute.tau;
    sim.magic = o->compute.magic;
    status = prepare(s, k);
    if (status == RILL_SYSTEM) return leave_out(s, c, s->report->skipped);
    if (status != RILL_OK) return status;
    rill_variant_name(c->variant, variant, sizeof variant);
    show(s, k, variant);
    if (rill_bench_fits(s->subject, c->variant, s->yardstick) != RILL_OK)
        return leave_out(s, c, s->report->skipped);
    status = rill_bench_run(s->subject, &sim, &bench, s->yardstick, &record);
    if (status == RILL_SYSTEM) return leave_out(s, c, s->report->skipped);
    if (status == RILL_NUMERICS) return leave_out(s, c, s->report->failed);
    if (status != RILL_OK) return status;
    cli_progress_end();
    if (!o->compute.quiet) bench_print_record(s->report->plan->shapes[c->shape].name, c->variant, &record);
    return bench_report_add(s->report, c, &record);
}

/* Run all cases; a report in a file is written after each, so that what was measured outlives an
 * interruption. */
static rill_status run_cases(bench_state *s)
{
    rill_status status = RILL_OK;
    const rill_bench_plan *plan = s->report->plan;
    for (int k = 0; k < plan->case_count; k++) {
        RILL_TRY(run_case(s, k));
        s->done += plan->cases[k].seconds;
        s->report->seconds = omp_get_wtime() - s->start;
        const char *json = s->options->compute.json;
        if (json && (!cli_json_streams(json) || k + 1 == plan->case_count))
            RILL_TRY(bench_report_write(s->report, json));
    }
done:
    forget(s);
    return status;
}

static rill_status conclude(const bench_state *s)
{
    rill_status status = RILL_OK;
    const bench_report *report = s->report;
    const size_t wrong = json_array_size(report->failed), left_out = json_array_size(report->skipped);
    json_t *found = bench_break_even(report->results), *hybrid = bench_hybrid(report->results);
    cli_progress_end();
    if (!s->options->compute.quiet) {
        bench_print_break_even(found);
        bench_print_hybrid(hybrid);
        printf("\n%zu timed, %zu skipped, %zu wrong; %.0f s\n", json_array_size(report->results), left_out,
               wrong, report->seconds);
    }
    json_decref(found);
    json_decref(hybrid);
    if (s->options->compute.output) RILL_TRY(bench_report_write_csv(report, s->options->compute.output));
    if (wrong)
        status = rill_fail(RILL_NUMERICS, "%zu of %d timed results are wrong; the first: %s", wrong,
                           report->plan->case_count,
                           json_string_value(json_object_get(json_array_get(report->failed, 0), "reason")));
    else if (!json_array_size(report->results))
        status = rill_fail(RILL_SYSTEM, "nothing could be timed: %s",
                           json_string_value(json_object_get(json_array_get(report->skipped, 0), "reason")));
done:
    return status;
}

/* Refuse what does not go with the suite scaling. @param[out] chosen  whether it is run */
static rill_status scaling_check(bench_options *o, bool *chosen)
{
    rill_status status = RILL_OK;
    *chosen = false;
    for (int k = 0; k < o->suites.count; k++) *chosen |= o->suites.items[k] == RILL_SUITE_SCALING;
    RILL_TRY(cli_scaling_check(&o->scaling, *chosen));
    for (int k = 0; k < o->cases.count; k++) {
        const int named = o->cases.items[k];
        if (!*chosen) RILL_TRY(rill_fail(RILL_USAGE, "--cases belongs to --suite scaling: add it"));
        if ((named == RILL_SCALING_ROCK && !o->rock) || (named == RILL_SCALING_VESSEL && !o->vessel))
            RILL_TRY(rill_fail(RILL_USAGE, "--cases names %s: name its file with --%s FILE",
                               rill_scaling_names[named], rill_scaling_names[named]));
    }
    RILL_TRY(cli_devices_parse(&o->scaling.devices));
    if (*chosen && o->suites.count > 1)
        RILL_TRY(rill_fail(RILL_USAGE, "the suite scaling is a run of its own: leave out the other suites"));
done:
    return status;
}

static rill_status scaling_run(bench_state *s)
{
    rill_status status = RILL_OK;
    bench_options *o = (bench_options *)s->options;
    const cli_scaling_run run = {.options = &o->scaling,
                                 .plan = s->report->plan,
                                 .bench = {o->seconds, o->compute.tolerance, o->compute.max_steps, 0},
                                 .tau = o->compute.tau,
                                 .magic = o->compute.magic,
                                 .bandwidth = s->yardstick->bandwidth,
                                 .rock = o->rock,
                                 .pore = o->pore,
                                 .vessel = o->vessel,
                                 .progress = s->progress,
                                 .quiet = o->compute.quiet,
                                 .dry_run = o->dry_run,
                                 .command = s->report->command};
    RILL_TRY(cli_devices_open(&o->scaling.devices, s->yardstick->device));
    status = cli_scaling_cases(&run, s->report->results);
    cli_progress_end();
    s->report->seconds = omp_get_wtime() - s->start;
    if ((status != RILL_OK && status != RILL_NUMERICS) || o->dry_run) goto done;
    if (o->compute.json) RILL_TRY(bench_report_write(s->report, o->compute.json));
    if (o->compute.output) RILL_TRY(bench_report_write_csv(s->report, o->compute.output));
done:
    return status;
}

/* Return whether a suite that runs alone is requested. */
static bool is_asked(const bench_options *o, int suite)
{
    for (int k = 0; k < o->suites.count; k++)
        if (o->suites.items[k] == suite) return o->suites.count <= RILL_SUITE_COUNT;
    return false;
}

/* Refuse what a suite that times populations of its own has no use for. @param used  options that it has */
static rill_status own_check(const bench_options *o, const char *suite, const char *used)
{
    rill_status status = RILL_OK;
    const cli_several *c = &o->several;
    const int others = c->lattice.count + c->collision.count + c->equilibrium.count + c->addressing.count +
                       c->arithmetic.count + c->bounce.count + c->shift.count + o->cases.count;
    RILL_TRY(cli_scaling_check(&o->scaling, false));
    if (o->suites.count > 1 || o->compute.output || o->rock || o->vessel || c->stream.count > 1)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "--suite %s goes alone, with one --stream, and without -o and files: its results go to --json",
            suite));
    if (others > 0 || o->most_nodes || o->porosity > 0 || o->compute.tau_given || o->compute.max_steps_given)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "--suite %s has a lattice, a collision and steps of its own: of what is timed, give it %s, --stream, --storage and --seconds alone",
            suite, used));
    status =
        cli_outputs_check(NULL, (cli_output[]){{"--json", o->compute.json}}, 1); /* before all is timed */
done:
    return status;
}

static const int usual_storages[] = {RILL_FP32, RILL_FP16S};

static rill_status splash(const bench_options *o, const char *command)
{
    const cli_choices *storages = &o->several.storage, *streams = &o->several.stream;
    const bench_splash_options options = {.backend = (rill_backend_kind)o->compute.backend,
                                          .cells = (uint32_t)o->cells,
                                          .stream =
                                              streams->count ? (rill_stream)streams->items[0] : RILL_ESOPULL,
                                          .storages = storages->count ? storages->items : usual_storages,
                                          .storage_count = storages->count ? storages->count : 2,
                                          .seconds = o->seconds_given ? o->seconds : 0.5,
                                          .json = o->compute.json,
                                          .command = command,
                                          .progress = cli_progress(o->compute.quiet),
                                          .quiet = o->compute.quiet,
                                          .dry_run = o->dry_run};
    const rill_status status = own_check(o, "free-surface", "--cells");
    return status == RILL_OK ? bench_splash(&options) : status;
}

static rill_status red_cells(const bench_options *o, const char *command)
{
    const cli_choices *storages = &o->several.storage, *streams = &o->several.stream;
    const bench_cells_options options = {.backend = (rill_backend_kind)o->compute.backend,
                                         .count = (uint32_t)o->red_cells,
                                         .stream =
                                             streams->count ? (rill_stream)streams->items[0] : RILL_ESOPULL,
                                         .storages = storages->count ? storages->items : usual_storages,
                                         .storage_count = storages->count ? storages->count : 1,
                                         .seconds = o->seconds_given ? o->seconds : 1,
                                         .json = o->compute.json,
                                         .command = command,
                                         .progress = cli_progress(o->compute.quiet),
                                         .quiet = o->compute.quiet,
                                         .dry_run = o->dry_run};
    rill_status status = own_check(o, "cells", "--red-cells");
    if (status == RILL_OK && o->cells)
        status = rill_fail(RILL_USAGE, "--cells has no effect on --suite cells: give --red-cells");
    return status == RILL_OK ? bench_cells(&options) : status;
}

static rill_status answer(const bench_options *o, const char *command)
{
    rill_status status = RILL_OK;
    bench_answer_options options = {.backend = (rill_backend_kind)o->compute.backend,
                                    .cells = (uint32_t)o->cells,
                                    .json = o->compute.json,
                                    .command = command,
                                    .progress = cli_progress(o->compute.quiet),
                                    .quiet = o->compute.quiet,
                                    .dry_run = o->dry_run};
    RILL_TRY(cli_scaling_check(&o->scaling, false));
    if (o->suites.count > 1 || o->compute.output)
        return rill_fail(
            RILL_USAGE,
            "--suite time-to-answer goes alone, without other suites and -o: its results go to --json");
    if (o->rock) {
        RILL_TRY(cli_outputs_check(o->rock, (cli_output[]){{"--json", o->compute.json}}, 1));
        RILL_TRY(cli_read_geometry(o->rock, o->pore, RILL_KEEP_ALL, options.progress, &options.rock));
    }
    RILL_TRY(bench_answer(&options));
done:
    rill_geom_destroy(options.rock);
    return status;
}

static rill_status work(bench_options *o, const char *command)
{
    rill_status status = RILL_OK;
    bool scaling = false;
    rill_bench_plan plan = {0};
    rill_bench_wants wants;
    rill_bench_yardstick yardstick = {.device = NULL};
    bench_report report = {.command = command, .plan = &plan, .yardstick = &yardstick};
    bench_state state = {.options = o,
                         .progress = cli_progress(o->compute.quiet),
                         .yardstick = &yardstick,
                         .report = &report,
                         .shape = -1,
                         .start = omp_get_wtime()};
    RILL_TRY(bench_report_start(&report));
    for (int k = 0; k < 2; k++)
        RILL_TRY(cli_outputs_check(k ? o->vessel : o->rock,
                                   (cli_output[]){{"-o", o->compute.output}, {"--json", o->compute.json}},
                                   2));
    choose_suites(o);
    RILL_TRY(scaling_check(o, &scaling));
    status = rill_bench_steps_check(o->compute.max_steps);
    if (status != RILL_OK) {
        rill_fail_prefix("--max-steps");
        goto done;
    }
    RILL_TRY(read_files(&state));
    RILL_TRY(rill_bench_yardstick_start((rill_backend_kind)o->compute.backend,
                                        cli_devices_first(&o->scaling.devices), &yardstick));
    RILL_TRY(want(o, &yardstick, &wants));
    RILL_TRY(rill_bench_plan_make(&wants, &plan));
    if (!o->compute.quiet || o->dry_run)
        printf("%d case%s on %d geometr%s at %.1f GB/s: about %.0f s\n\n", plan.case_count,
               plan.case_count == 1 ? "" : "s", plan.shape_count, plan.shape_count == 1 ? "y" : "ies",
               yardstick.bandwidth * 1e-9, ceil(plan.seconds));
    if (o->dry_run) {
        bench_print_plan(&plan);
        if (scaling && o->scaling.each_part) status = scaling_run(&state);
        goto done;
    }
    if (scaling) {
        status = scaling_run(&state);
        goto done;
    }
    if (!o->compute.quiet) bench_print_heading();
    RILL_TRY(run_cases(&state));
    RILL_TRY(conclude(&state));
done:
    for (int k = 0; k < 2; k++) rill_geom_destroy(state.read[k]);
    bench_report_free(&report);
    rill_bench_plan_free(&plan);
    if (!o->scaling.devices.opened[0]) rill_device_destroy(yardstick.device);
    cli_devices_close(&o->scaling.devices);
    return status;
}

static int run(int argc, char **argv)
{
    bench_options o = {.seconds = 1, .scaling = {.link_latency = 2.7, .link_bandwidth = 300}};
    cli_compute_defaults(&o.compute);
    o.compute.several = &o.several;
    o.compute.tolerance = 0.1;
    o.compute.shown.tolerance = "0.1, of the spread of nine rounds";
    o.compute.max_steps = UINT64_C(1000000000000000);
    o.compute.shown.max_steps = "what --seconds allows";
    o.compute.shown.output = "";
    const cli_option own[] = {
        {.help = "What is measured"},
        {"suite", 0, CLI_CHOICES, &o.suites, .help = "what is varied, see above",
         .fallback = "box,spheres,arteries, and rock with --rock", .choices = rill_bench_suite_names},
        {"rock", 0, CLI_TEXT, &o.rock, "FILE", "image or geometry of the suite rock", .fallback = ""},
        {"pore", 0, CLI_TEXT, &o.pore, "VALUES", "grey values of --rock that are pore, such as 0 or 0-99,255",
         .fallback = "True where the file holds bool; needed for other images"},
        {"vessel", 0, CLI_TEXT, &o.vessel, "FILE", "geometry cut from a surface, of the suite vessel",
         .fallback = ""},
        {"cells", 0, CLI_COUNT, &o.cells, "COUNT", "voxels along an edge of generated geometries",
         .fallback = "128 to 256 on a CPU, 320 to 1024 on a GPU", .min = 8, .max = 4096},
        {"red-cells", 0, CLI_COUNT, &o.red_cells, "COUNT", "red blood cells of the suite cells",
         .fallback = "100 on a CPU, 10000 on a GPU", .min = 1, .max = 1e6},
        {"max-nodes", 0, CLI_COUNT, &o.most_nodes, "COUNT", "most nodes of the suite sizes",
         .fallback = "1e7 on a CPU, what fits on a GPU", .min = 1000, .max = 4294967294.0},
        {"porosity", 0, CLI_REAL, &o.porosity, "FRACTION", "porosity of the case overlap", .fallback = "0.06",
         .min = 0.01, .max = 0.99},
        {"seconds", 0, CLI_REAL, &o.seconds, "SECONDS", "time of nine rounds of a case",
         .fallback = "1 on a CPU, 0.3 on a GPU", .min = 0.01, .max = 3600, .given = &o.seconds_given},
        {"dry-run", 0, CLI_FLAG, &o.dry_run, .help = "list the cases and the time that they will take"},
        CLI_SCALING(o.scaling),
        {"cases", 0, CLI_CHOICES, &o.cases, .help = "geometries that are timed",
         .fallback = "weak-spheres,spheres,arteries,tree, and rock and vessel where they are named",
         .choices = rill_scaling_names},
        {0},
    };
    const cli_option *const tables[] = {own, cli_compute_options(&o.compute), NULL};
    int count = 0;
    bool help = false;
    rill_status status = cli_parse(&cli_bench, tables, argc, argv, NULL, &count, &help);
    if (help) return RILL_OK;
    char *command = status == RILL_OK ? cli_command_line(argc, argv) : NULL;
    if (status == RILL_OK)
        status = !command ? rill_fail(RILL_SYSTEM, "out of memory for the command line")
                 : is_asked(&o, RILL_SUITE_ANSWER) ? answer(&o, command)
                 : is_asked(&o, RILL_SUITE_SPLASH) ? splash(&o, command)
                 : is_asked(&o, RILL_SUITE_CELLS)  ? red_cells(&o, command)
                                                   : work(&o, command);
    free(command);
    return cli_report(&cli_bench, status);
}

const cli_command cli_bench = {
    .name = "bench",
    .usage = "[options]",
    .summary = "measure speed on this machine, beside its memory bandwidth",
    .details =
        "Suites:\n"
        "  box         a box of fluid, periodic along all axes\n"
        "  spheres     a random pack of spheres, porosity 0.39\n"
        "  arteries    curved tubes, porosity about 0.06\n"
        "  rock        the image or geometry that --rock names\n"
        "  isotropy    one pipe along x, y and z: what a direction costs\n"
        "  schemes     every stream and addressing, in fp32 and fp16s, on spheres\n"
        "  formats     every number format, on spheres\n"
        "  collisions  every collision operator on D3Q19 and D3Q27, on spheres\n"
        "  porosity    sparse and dense from 0.05 to 1, speed and memory, and where they break even\n"
        "  sizes       boxes of 1e5 nodes and more, on a GPU up to the largest that fits\n"
        "  vessel      the geometry that --vessel names: bare, with interpolated bounce-back, with openings, with both,\n              with quadratic walls\n"
        "  hybrid      a river bed (porosity 0.68) and a box of fluid, sparse and dense: what a hybrid could gain\n"
        "  scaling     one simulation on 1, 2, 4 ... devices: weak (spheres) and strong (spheres, tubes, a tree of\n"
        "              arteries, --rock, --vessel), with the bits compared; alone, with --devices, --ranks or --model.\n"
        "              Only with --cases: bed and riverbed (weak, porosities 0.36 and 0.68), coronary (strong, a tree\n"
        "              of 1.2e8 nodes on a GPU), overlap (strong, overlapping spheres, see --porosity, also larger\n"
        "              than the memory: --model --parts 16 --cells 4096)\n"
        "  time-to-answer  permeabilities from voxels to k: from rest and as they start by default, with the error\n"
        "              of k against fp64 to 1e-6; alone\n"
        "  free-surface  a drop that falls into a pool, beside the step without a surface; alone\n"
        "  cells       red blood cells of 642 vertices, beside the flow without them; alone\n"
        "\n"
        "Each times pull and aa with a list, on a GPU also `ring` and a bitmap, in fp32, unless it varies them or an\n"
        "option names others: --stream aa,esopull --storage all times every combination that exists. A case\n"
        "that does not fit the memory is skipped. A result that is not what fp64 computes is refused, and the command fails.\n",
    .examples = "rill bench --suite spheres --cells 96 --stream aa,esopull,pull --json bench.json\n"
                "rill bench --suite porosity --dry-run\n",
    .run = run,
};
