/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_cli_library.c
 * A program that calls rill_permeability_run() has the numbers, to the bit, the notes and the refusals of
 * `rill permeability`.
 */
#include "pore_files.h"

#include "core/notes.h"
#include "rill.h"

#include <math.h>

TestSuite(library, .init = cli_test_start, .fini = cli_test_end);

static void make_field(void)
{
    const cli_result r = cli_test_run("generate", "grf", "--size", "24", "--porosity", "0.5", "--correlation",
                                      "3", "--voxel-size", "10um", "-q", "-o", "g.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
}

static rill_geom *read_field(void)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_read("g.geom.h5", &geom), RILL_OK, "%s", rill_error_message());
    return geom;
}

static rill_permeability_options on_cpu(int axis)
{
    rill_permeability_options o = rill_permeability_options_default();
    o.on.backend = RILL_BACKEND_CPU;
    o.axis = axis;
    return o;
}

static void same(json_t *json, const char *path, double value)
{
    cr_expect(real(json, path) == value, "%s: %.17g of the command, %.17g of the library", path,
              real(json, path), value);
}

/* Expect the notes of the command, which are those of the geometry and of the result. */
static void same_notes(json_t *json, const rill_geom *geom, const char *notes)
{
    json_t *const listed = find(json, "notes");
    char *all = NULL;
    size_t count = 0, length;
    cr_assert_eq(rill_notes_add(&all, geom->notes), RILL_OK);
    cr_assert_eq(rill_notes_add(&all, notes), RILL_OK);
    const char *rest = all;
    for (const char *at; (at = rill_notes_next(&rest, &length)) != NULL; count++) {
        const char *of_command = json_string_value(json_array_get(listed, count));
        cr_expect(of_command && strlen(of_command) == length && memcmp(of_command, at, length) == 0,
                  "\"%.*s\" is not \"%s\"", (int)length, at, of_command ? of_command : "");
    }
    cr_expect_eq(count, json_array_size(listed));
    free(all);
}

static const char *const axes[] = {"x", "y", "z"};

/* Expect k, error bar and steps of an answer in the JSON of the command. */
static void same_answer(json_t *json, const rill_geom *geom, const rill_permeability_answer *a)
{
    char path[64];
    cr_assert(a->computed);
    for (int r = 0; r < a->result.run_count; r++) {
        const rill_permeability_flow *run = &a->result.runs[r];
        const char *x = axes[run->axis];
        snprintf(path, sizeof path, "permeability.lu.%s%s", x, x);
        same(json, path, a->result.k[run->axis][run->axis]);
        snprintf(path, sizeof path, "error_bar.best_estimate.lu.%s", x);
        same(json, path, a->error_bar.best[run->axis]);
        snprintf(path, sizeof path, "error_bar.total.%s", x);
        same(json, path, a->error_bar.total[run->axis]);
        json_t *const of_command = json_array_get(find(json, "runs"), (size_t)r);
        cr_expect_eq(real(of_command, "steps"), (double)run->steps);
    }
    same(json, "uncertainty", a->result.uncertainty);
    same_notes(json, geom, a->result.notes);
}

Test(library, an_error_bar_is_that_of_the_command)
{
    make_field();
    const cli_result r = cli_test_run("permeability", "g.geom.h5", "--axis", "xyz", "--backend", "cpu",
                                      "--error-bar", "--sample", "8", "--pressure-drop", "100bar", "--fluid",
                                      "water", "-q", "--json", "r.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = load("r.json");
    rill_geom *geom = read_field();
    const rill_permeability_options o = on_cpu(RILL_AXES_XYZ);
    rill_permeability_request request = {
        .error_bar = RILL_ERROR_BAR_QUICK, .sample_edge = 8, .pressure_drop = 1e7};
    rill_permeability_answer a;
    cr_assert_eq(rill_fluid_find("water", &request.fluid), RILL_OK);
    cr_assert_eq(rill_permeability_run(geom, &o, &request, &a), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(a.result.run_count, 3);
    cr_assert_not_null(strstr(a.result.notes, "inertia makes the real flow smaller"), "%s", a.result.notes);
    same_answer(json, geom, &a);
    cr_expect_eq(a.sample_blocks, 27u);
    cr_expect_geq(a.host_peak, a.plan.resources.host_bytes / 2);
    rill_permeability_answer_free(&a);
    rill_geom_destroy(geom);
    json_decref(json);
}

/* Where fields are requested, the run goes on until the mean momentum is settled. */
static rill_status finished(void *context, const rill_permeability_flow *run, rill_node nodes,
                            const float *rho, const float *u)
{
    (void)run, (void)rho, (void)u;
    *(rill_node *)context = nodes;
    return RILL_OK;
}

Test(library, a_run_with_fields_is_that_of_the_command)
{
    make_field();
    const cli_result r = cli_test_run("permeability", "g.geom.h5", "--axis", "x", "--backend", "cpu",
                                      "--fields", "image", "-o", "r.h5", "-q", "--json", "r.json");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *json = load("r.json");
    rill_geom *geom = read_field();
    rill_permeability_options o = on_cpu(0);
    rill_node nodes = 0;
    o.finished = finished;
    o.context = &nodes;
    rill_permeability_answer a;
    cr_assert_eq(rill_permeability_run(geom, &o, &(rill_permeability_request){0}, &a), RILL_OK, "%s",
                 rill_error_message());
    cr_expect_eq(nodes, a.plan.nodes);
    same_answer(json, geom, &a);
    rill_permeability_answer_free(&a);
    rill_geom_destroy(geom);
    json_decref(json);
}

/* Expect that both refuse with the same sentence. */
static void refused(const char *const *more, const rill_permeability_options *o,
                    const rill_permeability_request *request, rill_status expected)
{
    const char *command[24] = {"permeability", "g.geom.h5", "--backend", "cpu", "-q"};
    for (int k = 0; more[k]; k++) command[5 + k] = more[k];
    rill_geom *geom = read_field();
    rill_permeability_answer a;
    cr_expect_eq(rill_permeability_run(geom, o, request, &a), expected);
    const cli_result r = cli_test_run_list(command);
    cr_expect_eq(r.code, (int)expected);
    cr_expect_not_null(strstr(r.err, rill_error_message()), "\"%s\" is not in \"%s\"", rill_error_message(),
                       r.err);
    cr_expect_eq(a.computed, expected == RILL_NUMERICS);
    rill_permeability_answer_free(&a);
    rill_geom_destroy(geom);
}

Test(library, refusals_are_those_of_the_command)
{
    make_field();
    rill_permeability_options o = on_cpu(2);
    refused((const char *const[]){"--sample", "25", NULL}, &o,
            &(rill_permeability_request){.sample_edge = 25}, RILL_USAGE);
    o.drive = RILL_DRIVE_PRESSURE;
    refused((const char *const[]){"--drive", "pressure", "--error-bar", NULL}, &o,
            &(rill_permeability_request){.error_bar = RILL_ERROR_BAR_QUICK}, RILL_USAGE);
    o = on_cpu(2);
    o.max_steps = 20;
    refused((const char *const[]){"--max-steps", "20", NULL}, &o, &(rill_permeability_request){0},
            RILL_NUMERICS);
    o.checkpoint = "c.h5";
    rill_geom *geom = read_field();
    rill_permeability_answer a;
    cr_expect_eq(rill_permeability_run(geom, &o, &(rill_permeability_request){.sample_edge = 8}, &a),
                 RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "no place in a checkpoint"), "%s", rill_error_message());
    rill_permeability_answer_free(&a);
    o.checkpoint = NULL;
    geom->spacing = 0;
    cr_expect_eq(rill_permeability_run(geom, &o, &(rill_permeability_request){.pressure_drop = 1}, &a),
                 RILL_USAGE);
    rill_permeability_answer_free(&a);
    rill_geom_destroy(geom);
}

/* What was planned is shown before the run, which it can stop. */
static rill_status stop(void *context, const rill_permeability_answer *a)
{
    *(double *)context = a->forecast.seconds;
    cr_expect(!a->computed);
    return RILL_CANCELLED;
}

Test(library, a_plan_is_shown_before_the_run_and_can_stop_it)
{
    make_field();
    rill_geom *geom = read_field();
    const rill_permeability_options o = on_cpu(RILL_AXIS_AUTO);
    double seconds = NAN;
    rill_permeability_answer a;
    rill_permeability_request request = {.forecast = true, .planned = stop, .context = &seconds};
    cr_expect_eq(rill_permeability_run(geom, &o, &request, &a), RILL_CANCELLED);
    cr_expect(seconds > 0 && !a.computed && a.result.run_count == 0);
    cr_expect_eq(a.options.axis, 2, "the axis is not filled in");
    rill_permeability_answer_free(&a);
    request = (rill_permeability_request){.plan_only = true};
    cr_expect_eq(rill_permeability_run(geom, &o, &request, &a), RILL_OK);
    cr_expect(a.plan.nodes > 0 && isnan(a.forecast.seconds) && a.variant_reason && !a.computed);
    rill_permeability_answer_free(&a);
    rill_geom_destroy(geom);
}
