/* SPDX-License-Identifier: Apache-2.0 */
/* Permeabilities from voxels to k, timed: from rest and as they start by default. */
#include "cli/bench.h"
#include "bench/answer.h"
#include "cli/cli.h"
#include "core/status.h"
#include "device/device.h"
#include "io/json_file.h"

enum { ROW = 160 };

typedef struct state {
    const bench_answer_options *options;
    rill_permeability_options run;
    json_t *results;
    int wrong;
    char first[ROW]; /* that is wrong */
} state;

static const char *const starts[] = {[RILL_START_AUTO] = "auto", [RILL_START_REST] = "rest"};

static rill_status add(state *s, const char *name, const rill_geom *geom, const rill_answer *a)
{
    const char *start = starts[s->run.start];
    if (a->error > a->uncertainty && s->wrong++ == 0)
        snprintf(s->first, sizeof s->first, "%s from %s: k is off by %.2g, with an uncertainty of %.2g", name,
                 start, a->error, a->uncertainty);
    cli_progress_end();
    if (!s->options->quiet)
        printf("%-19s %11llu  %-5s %6.3g %8llu %8llu %9.2f %9.2f  %-10.6g %8.2g %8.2g\n", name,
               (unsigned long long)a->nodes, start, a->tau, (unsigned long long)a->steps,
               (unsigned long long)a->coarse_steps, a->stepping, a->seconds, a->k, a->uncertainty, a->error);
    json_t *row = json_pack("{s:s, s:[i,i,i], s:I, s:s, s:f, s:I, s:I, s:f, s:f, s:o, s:o, s:o}", "geometry",
                            name, "voxels", (int)geom->n[0], (int)geom->n[1], (int)geom->n[2], "nodes",
                            (json_int_t)a->nodes, "start", start, "tau", a->tau, "steps",
                            (json_int_t)a->steps, "coarse_steps", (json_int_t)a->coarse_steps,
                            "seconds_stepping", a->stepping, "seconds", a->seconds, "k", rill_json_real(a->k),
                            "uncertainty", rill_json_real(a->uncertainty), "error", rill_json_real(a->error));
    if (!row || json_array_append_new(s->results, row) != 0)
        return rill_fail(RILL_SYSTEM, "out of memory for the results");
    return RILL_OK;
}

/* From rest first: a device and its kernels are then awake. */
static rill_status shape_run(state *s, const char *name, const rill_geom *geom)
{
    rill_status status = RILL_OK;
    static const rill_permeability_start order[] = {RILL_START_REST, RILL_START_AUTO};
    double exact;
    rill_answer answer;
    s->run.start = RILL_START_AUTO;
    RILL_TRY(rill_answer_reference(geom, &s->run, &exact));
    for (int k = 0; k < 2; k++) {
        s->run.start = order[k];
        RILL_TRY(rill_answer_run(geom, &s->run, exact, &answer));
        RILL_TRY(add(s, name, geom, &answer));
    }
done:
    if (status != RILL_OK) rill_fail_prefix("%s", name);
    return status;
}

static rill_status shapes_run(state *s, bool device)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    int count;
    const rill_answer_shape *shapes = rill_answer_shapes(device, &count);
    if (!s->options->quiet && !s->options->dry_run)
        printf("%-19s %11s  %-5s %6s %8s %8s %9s %9s  %-10s %8s %8s\n", "geometry", "nodes", "start", "tau",
               "steps", "coarser", "stepping", "seconds", "k, lu", "u", "error");
    for (int k = 0; k < count; k++) {
        const uint32_t cells = s->options->cells ? s->options->cells : shapes[k].cells;
        const rill_answer_shape shape = rill_answer_scale(&shapes[k], cells);
        if (s->options->dry_run) {
            printf("%-19s %u^3, spheres of radius %.3g, porosity %.3g\n", shape.name, shape.cells,
                   shape.radius, shape.porosity);
            continue;
        }
        RILL_TRY(rill_answer_generate(&shape, &geom));
        RILL_TRY(shape_run(s, shape.name, geom));
        rill_geom_destroy(geom);
        geom = NULL;
    }
    if (s->options->rock && !s->options->dry_run) RILL_TRY(shape_run(s, "rock", s->options->rock));
done:
    rill_geom_destroy(geom);
    return status;
}

rill_status bench_answer(const bench_answer_options *options)
{
    rill_status status = RILL_OK;
    state s = {.options = options, .run = rill_permeability_options_default(), .results = json_array()};
    rill_device *device = NULL;
    if (!s.results) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the results"));
    RILL_TRY(rill_device_create(options->backend, 0, &device));
    s.run.on.device = device;
    s.run.on.backend = options->backend;
    s.run.progress = options->progress;
    RILL_TRY(shapes_run(&s, !device->backend->host));
    if (!options->dry_run)
        RILL_TRY(bench_results_write("time-to-answer", s.run.on.device, options->command, s.results,
                                     options->json));
    if (s.wrong)
        status = rill_fail(RILL_NUMERICS,
                           "%d permeabilities are off by more than their uncertainty; the first: %s", s.wrong,
                           s.first);
done:
    json_decref(s.results);
    rill_device_destroy(device);
    return status;
}
