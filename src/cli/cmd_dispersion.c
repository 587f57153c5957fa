/* SPDX-License-Identifier: Apache-2.0 */
/* rill dispersion: from an image, a geometry or the velocities in a field file to the spreading of a solute.
 * The physics is in diffusion/, what is printed and written is dispersion_output.c's. */
#include "cli/axis_option.h"
#include "cli/dispersion.h"
#include "cli/permeability.h"
#include "cli/solute_fields.h"
#include "cli/words.h"
#include "core/clock.h"
#include "core/decimal.h"
#include "core/progress.h"
#include "geometry/voxels/axes.h"
#include "io/ours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"none", "image", "sparse", NULL}; /* as rill_fields_kind */

#define FLOW_TOLERANCE 1e-4

typedef struct choices {
    cli_compute compute;
    cli_image image;
    const char *input, *axes, *peclets, *length, *times, *checkpoint; /* which is as given */
    char checkpoint_name[4096];
    int fields, file_axes[3];
    char names[RILL_PECLETS][4096]; /* of field files */
    uint64_t most;
    double flow_tolerance;
    bool flow_tolerance_given, pulse, step, duration_given;
    char *line; /* the command, owned */
    rill_dispersion_options options;
    rill_geom *geom;
    float *u; /* owned */
    double reading, flow;
} choices;

/* Read a list of numbers of 0 and above. */
static rill_status list_parse(const char *option, const char *list, double *values, int most, int *count)
{
    double value;
    for (const char *at = list, *end;; at = end + 1) {
        end = rill_decimal_at(at, &value);
        if (!end || (*end && *end != ',') || value < 0)
            return rill_fail(RILL_USAGE,
                             "%s %s: write numbers of 0 and above with commas between, such as 0,1,10",
                             option, list);
        if (*count == most)
            return rill_fail(RILL_USAGE, "%s lists more than %d numbers: list fewer", option, most);
        values[(*count)++] = value;
        if (!*end) return RILL_OK;
    }
}

static rill_status peclets_parse(choices *c)
{
    if (!c->peclets)
        return rill_fail(
            RILL_USAGE,
            "no Peclet number is given: add --peclet 0,1,10,100, of U L / D0 with the mean velocity U in the pores and the length L (--length)");
    return list_parse("--peclet", c->peclets, c->options.peclet, RILL_PECLETS, &c->options.peclet_count);
}

/* Options of runs in time. */
static rill_status release_parse(choices *c)
{
    if (c->pulse && c->step)
        return rill_fail(RILL_USAGE, "--pulse and --step are two runs: run the command once for each");
    c->options.release = c->pulse ? RILL_RELEASE_PULSE : c->step ? RILL_RELEASE_STEP : RILL_RELEASE_NONE;
    if (!c->options.release && (c->duration_given || c->times))
        return rill_fail(RILL_USAGE, "--duration and --times are of a run in time: add --pulse or --step");
    if (c->times && !c->fields)
        return rill_fail(RILL_USAGE, "--times says when fields are written: add --fields image or sparse");
    return list_parse("--times", c->times ? c->times : "0.5,1", c->options.times, RILL_BREAKTHROUGH_TIMES,
                      &c->options.time_count);
}

/* The length of Peclet numbers: voxels, or with a unit. */
static rill_status length_parse(choices *c)
{
    double length;
    if (!c->length) return RILL_OK;
    if (!rill_decimal(c->length, &length)) {
        const rill_status status = rill_units_parse(c->length, "m", &length);
        if (status != RILL_OK) {
            rill_fail_prefix("--length");
            return status;
        }
        if (!(c->geom->spacing > 0))
            return rill_fail(
                RILL_USAGE,
                "--length %s: the voxel size is unknown: give --voxel-size, or the length in voxels",
                c->length);
        length /= c->geom->spacing;
    }
    if (!(length > 0) || !isfinite(length))
        return rill_fail(RILL_USAGE, "--length %s is not above 0 voxels", c->length);
    c->options.length = length;
    return RILL_OK;
}

static rill_status axis_parse(choices *c)
{
    rill_status status = RILL_OK;
    cli_axes given;
    unsigned letters = 0;
    c->options.axis = -1;
    if (strcmp(c->axes, "auto") == 0) return RILL_OK;
    RILL_TRY(cli_axes_parse(c->axes, strlen(c->axes), &given));
    RILL_TRY(cli_axes_of_files(&given, &c->image, &c->input, 1, &letters));
    c->options.axis = cli_axes_single(letters);
    if (c->options.axis < 0)
        status = rill_fail(
            RILL_USAGE, "%s: the flow is along one axis, x, y or z; run the command once for each", c->axes);
done:
    if (status != RILL_OK) rill_fail_prefix("--axis");
    return status;
}

static rill_status read_image(choices *c)
{
    rill_status status = RILL_OK;
    rill_voxelize_options options;
    rill_voxelize_report report;
    RILL_TRY(cli_image_resolve(&c->image, &options));
    options.keep = RILL_KEEP_ALL;
    options.command = c->line;
    RILL_TRY(rill_image_voxelize(c->input, &options, c->options.progress, &c->geom, &report));
    memcpy(c->file_axes, report.axes, sizeof report.axes);
    if (c->compute.quiet) return RILL_OK;
    cli_row("source", "%s", c->input);
    cli_image_rows(&report);
done:
    return status;
}

/* A file of ours: fields with velocities, or a geometry. */
static rill_status read_ours(choices *c)
{
    const char *dot = strrchr(c->input, '.');
    memcpy(c->file_axes, cli_axes_ours, sizeof cli_axes_ours);
    if (!dot || strcmp(dot, ".vtkhdf") != 0)
        return cli_image_geometry_read(&c->image, c->input, NULL, &c->geom);
    if (cli_image_given(&c->image) || c->image.sides_given)
        return rill_fail(
            RILL_USAGE,
            "%s has the flow in it: options of images and --sides do not apply to it; leave them out",
            c->input);
    if (c->flow_tolerance_given)
        return rill_fail(RILL_USAGE, "%s has the flow in it: leave --flow-tolerance out", c->input);
    const rill_status status = rill_pore_velocities_read(c->input, &c->geom, &c->u);
    if (status == RILL_OK && c->image.voxel_size_given) c->geom->spacing = c->image.voxel_size;
    return status;
}

/* Hand out the closure field, and the velocity along the flow. */
static rill_status moments_of(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    const rill_dispersion_field *field = context;
    memcpy(rho, field->velocity + first, count * sizeof *rho);
    for (size_t a = 0; a < 3; a++)
        for (size_t i = 0; i < count; i++) u[a * count + i] = field->b[a] ? field->b[a][first + i] : 0;
    return RILL_OK;
}

static rill_status fields_put(const choices *c, rill_moments_fn moments, const void *context,
                              const char *vector, const char *number, rill_field_unit unit, const char *path)
{
    return cli_solute_fields_write(&(cli_solute_fields){c->geom, moments, context, vector, number, unit,
                                                        c->line, c->options.progress, c->fields, path});
}

static rill_status fields_write(void *context, const rill_dispersion_field *field)
{
    const choices *c = context;
    return fields_put(c, moments_of, field, "closure", "velocity_over_mean",
                      (rill_field_unit){1, "voxel", c->geom->spacing, 0}, c->names[field->point]);
}

/* "out.h5" becomes "out.pe100.t0.5.vtkhdf". */
static rill_status moment_name(const choices *c, double peclet, double time, char name[4096])
{
    char which[64];
    snprintf(which, sizeof which, ".pe%g.t%g", peclet, time);
    return cli_fields_name(c->input, c->compute.json, c->compute.output, which, name, 4096);
}

/* Hand out concentration and flux, in the place of density and velocity. */
static rill_status concentrations_of(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    const rill_concentration_field *field = context;
    memcpy(rho, field->concentration + first, count * sizeof *rho);
    for (size_t a = 0; a < 3; a++) memcpy(u + a * count, field->flux[a] + first, count * sizeof *u);
    return RILL_OK;
}

static rill_status concentrations_write(void *context, const rill_concentration_field *field)
{
    const choices *c = context;
    char name[4096];
    const rill_status status = moment_name(c, field->peclet, c->options.times[field->number], name);
    if (status != RILL_OK) return status;
    return fields_put(c, concentrations_of, field, "flux", "concentration", (rill_field_unit){1, "U", 0, 0},
                      name);
}

/* "out.h5" becomes "out.pe100.vtkhdf". */
static rill_status fields_prepare(choices *c)
{
    if (c->fields == RILL_FIELDS_NONE) return RILL_OK;
    for (int k = 0; k < c->options.peclet_count; k++) {
        char which[32];
        snprintf(which, sizeof which, ".pe%g", c->options.peclet[k]);
        const rill_status status = cli_fields_name(c->input, c->compute.json, c->compute.output, which,
                                                   c->names[k], sizeof c->names[k]);
        if (status != RILL_OK) return status;
        for (int j = 0; j < k; j++)
            if (strcmp(c->names[j], c->names[k]) == 0)
                return rill_fail(
                    RILL_USAGE,
                    "--peclet lists %.17g and %.17g, whose fields have one name, %s: leave one of them out, or --fields",
                    c->options.peclet[j], c->options.peclet[k], c->names[k]);
    }
    for (int k = 0; k < c->options.peclet_count && c->options.release; k++)
        for (int j = 0; j < c->options.time_count; j++) {
            char name[4096];
            const rill_status status = moment_name(c, c->options.peclet[k], c->options.times[j], name);
            if (status != RILL_OK) return status;
        }
    c->options.finished = fields_write;
    c->options.moment = concentrations_write;
    c->options.context = c;
    return RILL_OK;
}

static rill_status report(choices *c, const rill_dispersion *result, double start)
{
    rill_status status = RILL_OK;
    const cli_dispersion_result r = {.geom = c->geom,
                                     .options = &c->options,
                                     .result = result,
                                     .input = c->input,
                                     .command = c->line,
                                     .file_axes = c->file_axes,
                                     .json = c->compute.json,
                                     .output = c->compute.output,
                                     .fields = c->fields ? c->names : NULL,
                                     .flow_tolerance = c->flow > 0 ? c->flow_tolerance : 0,
                                     .seconds_reading = c->reading,
                                     .seconds_flow = c->flow,
                                     .seconds = rill_now() - start};
    for (int k = 0; c->fields && k < result->point_count; k++) /* points of a checkpoint may have none */
        if (access(c->names[k], F_OK) != 0) c->names[k][0] = '\0';
    if (r.json) RILL_TRY(cli_dispersion_write_json(&r));
    if (r.output) RILL_TRY(cli_dispersion_write_hdf5(&r));
    cli_progress_end();
    if (!c->compute.quiet)
        cli_dispersion_print(&r);
    else if (!r.json)
        cli_dispersion_print_lines(&r);
    cli_notes(&cli_dispersion, c->geom->notes, c->compute.quiet);
    cli_notes(&cli_dispersion, result->notes, c->compute.quiet);
done:
    return status;
}

static rill_status work(choices *c)
{
    rill_status status = RILL_OK;
    const double start = rill_now();
    rill_dispersion result = {.point_count = 0};
    RILL_TRY(peclets_parse(c));
    RILL_TRY(release_parse(c));
    RILL_TRY(axis_parse(c));
    RILL_TRY(cli_checkpoint_settle(&(cli_checkpoint){.given = c->checkpoint,
                                                     .output = c->compute.output,
                                                     .input = c->input,
                                                     .command = "dispersion",
                                                     .resume = c->options.resume},
                                   c->checkpoint_name, sizeof c->checkpoint_name));
    c->options.checkpoint = c->checkpoint_name;
    c->options.checkpoint_stays = true; /* until the files are written */
    RILL_TRY(cli_outputs_check(c->input,
                               (cli_output[]){{"-o", c->compute.output},
                                              {"--json", c->compute.json},
                                              {"--checkpoint", c->checkpoint}},
                               3));
    RILL_TRY(fields_prepare(c));
    RILL_TRY(cli_input_prepare(c->input));
    RILL_TRY(rill_file_is_ours(c->input) ? read_ours(c) : read_image(c));
    if (c->options.axis < 0) c->options.axis = rill_axes_first(rill_axes_resolve(RILL_AXIS_AUTO, c->geom->n));
    RILL_TRY(length_parse(c));
    c->reading = rill_now() - start;
    if (!c->u) {
        RILL_TRY(rill_pore_velocities_compute(c->geom, c->options.axis, c->flow_tolerance,
                                              (rill_backend_kind)c->compute.backend, c->options.progress,
                                              &c->u));
        c->flow = rill_now() - start - c->reading;
    }
    status = rill_dispersion_compute(c->geom, c->u, &c->options, &result);
    if (status == RILL_OK || (status == RILL_NUMERICS && result.point_count > 0)) {
        char why[1024];
        snprintf(why, sizeof why, "%s", rill_error_message());
        status = cli_checkpoint_finish(&(cli_checkpoint_end){c->checkpoint_name, result.checkpoint_left,
                                                             status, why, report(c, &result, start)});
    }
done:
    rill_dispersion_free(&result);
    rill_pore_velocities_free(c->u);
    rill_geom_destroy(c->geom);
    return status;
}

static int run(int argc, char **argv);

const cli_command cli_dispersion = {
    .name = "dispersion",
    .usage = "IMAGE|GEOM.geom.h5|FIELDS.vtkhdf --peclet LIST [options]",
    .summary = "compute how a solute spreads in the steady flow through a pore space",
    .details =
        "The dispersion tensor D(Pe) / D0 of a periodic box by the closure problem: u . grad(x + b) - D0 lap(b) = U\n"
        "in the pores, no flux into the solid, D_ij = D0 <grad(x_i + b_i) . grad(x_j + b_j)>. The input is an image\n"
        "or a geometry, whose flow is computed first, or the field file of `rill permeability --fields image`.\n"
        "Pe = U L / D0 with the mean velocity U in the conducting pores along the axis of the flow, and the length L\n"
        "(--length). D / D0 is per pore volume: 1 + 2/105 Pe^2 between plates with L half their distance.\n\n"
        "The +- behind a value is a bound on what the iterations left of the linear equations. The errors of the\n"
        "voxels and of the flow are not in it: compare with smaller voxels (--resample).\n\n"
        "--pulse and --step: a solute on its way from the face where the flow comes in to the opposite one, in time,\n"
        "by the same finite volumes. Time counts in pore volumes that have flowed in. The mean time of passage is 1\n"
        "in any pores; its variance is also given as D / D0 of a uniform column. Curves: --json, -o.\n\n"
        "A checkpoint is written whenever an axis of a Peclet number, or a run in time, is solved; --resume goes on\n"
        "from it with the same options, to the same bits.\n\n"
        "Exit code 2: nothing percolates through faces, the pores conduct in separate parts, or not converged.",
    .examples = "rill dispersion rock.tif --pore 0 --mirror xyz --peclet 0,1,10,100\n"
                "rill dispersion rock.tif --pore 0 --peclet 5 --step --fields image -o d.h5\n"
                "rill permeability rock.geom.h5 --fields image -o k.h5\n"
                "rill dispersion k.vtkhdf --peclet 10 --length 100um -o d.h5 --fields image\n",
    .run = run,
};

static int run_words(int argc, char **argv)
{
    static choices c;
    c = (choices){
        .axes = "auto", .flow_tolerance = FLOW_TOLERANCE, .options = rill_dispersion_options_default()};
    const char *inputs[2];
    int count = 1;
    bool help = false;
    cli_option shared[9];
    cli_image_defaults(&c.image);
    cli_compute_defaults(&c.compute);
    c.compute.shown.output = "none";
    c.compute.tolerance = c.options.tolerance;
    c.most = c.options.max_iterations;
    const cli_option own[] = {
        {.help = "Dispersion"},
        CLI_CASE(c.input),
        {"peclet", 0, CLI_TEXT, &c.peclets, "LIST", "Peclet numbers U L / D0 with commas between: 0,1,10,100",
         .fallback = "none: it is required"},
        {"length", 0, CLI_TEXT, &c.length, "LENGTH",
         "L of the Peclet numbers, in voxels or with a unit: 12.5, 100um",
         .fallback = "hydraulic diameter: 4 pore volume / wall area"},
        {"axis", 0, CLI_TEXT, &c.axes, "AXIS",
         "axis of the flow; 0, 1, 2 count the axes of the file; auto: z, and x of one slice"},
        {"flow-tolerance", 0, CLI_REAL, &c.flow_tolerance, "FRACTION",
         "of the permeability, where the flow is computed", .min = 0, .max = 1, .above = true,
         .given = &c.flow_tolerance_given},
        {"pulse", 0, CLI_FLAG, &c.pulse,
         .help = "in time, too: all of a solute comes in through the first face at once, with the flow"},
        {"step", 0, CLI_FLAG, &c.step,
         .help = "in time, too: what flows in through the first face has the concentration 1 from then on"},
        {"duration", 0, CLI_REAL, &c.options.duration, "PORE-VOLUMES", "of --pulse and --step", .min = 0,
         .max = RILL_BREAKTHROUGH_LONGEST, .above = true, .given = &c.duration_given,
         .fallback = "until 99.99 % have come out, at most 100"},
        {"times", 0, CLI_TEXT, &c.times, "LIST",
         "pore volumes after which --fields writes the concentration of --pulse and --step",
         .fallback = "0.5,1"},
        {"fields", 0, CLI_CHOICE, &c.fields,
         .help =
             "closure field and velocity as VTKHDF beside -o, for each Peclet number: image (all voxels) or sparse (fluid cells)",
         .choices = kinds},
        {"max-iterations", 0, CLI_COUNT, &c.most, "COUNT",
         "iterations to give up after, for each Peclet number and axis", .min = 1, .max = 1e9},
        {"checkpoint", 0, CLI_TEXT, &c.checkpoint, "FILE", "file to continue from, while the run goes on",
         .fallback = "the name of -o, or of the input and .dispersion here, with .checkpoint.h5",
         .apply = cli_output_apply},
        {"resume", 0, CLI_FLAG, &c.options.resume,
         .help = "continue from the checkpoint, to the same bits; the flow is computed again"},
        {0},
    };
    cli_compute_pick(&c.compute, cli_solver_flags, shared, sizeof shared / sizeof *shared);
    const cli_option *const tables[] = {own, cli_image_options(&c.image), shared, NULL};
    rill_status status = cli_parse(&cli_dispersion, tables, argc, argv, inputs, &count, &help);
    if (!help && status == RILL_OK && count == 0)
        status = rill_fail(
            RILL_USAGE,
            "no image, geometry or field file is given: rill dispersion IMAGE --pore 0 --peclet 10, or the key input in the file of --case");
    if (!help && status == RILL_OK) {
        c.input = inputs[0];
        if (c.options.resume) cli_outputs_continue();
        c.line = cli_command_line(argc, argv);
        c.options.progress = cli_progress(c.compute.quiet);
        c.options.tolerance = c.compute.tolerance;
        c.options.max_iterations = c.most;
        cli_signals_catch(true);
        status = c.line ? work(&c) : rill_fail(RILL_SYSTEM, "out of memory for the command line");
    }
    free(c.line);
    return help ? RILL_OK : cli_report(&cli_dispersion, status);
}

static int run(int argc, char **argv) { return cli_case_run(&cli_dispersion, argc, argv, run_words); }
