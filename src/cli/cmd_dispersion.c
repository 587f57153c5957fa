/* SPDX-License-Identifier: Apache-2.0 */
/* rill dispersion: from an image, a geometry or the velocities in a field file to the spreading of a solute.
 * The physics is in diffusion/, what is printed and written is dispersion_output.c's. */
#include "cli/axis_option.h"
#include "cli/dispersion.h"
#include "cli/words.h"
#include "core/clock.h"
#include "core/decimal.h"
#include "core/units.h"
#include "geometry/voxels/axes.h"
#include "io/ours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FLOW_TOLERANCE 1e-4

typedef struct choices {
    cli_property p;
    const char *peclets, *length, *times;
    char names[RILL_PECLETS][4096]; /* of field files */
    double flow_tolerance, flow;    /* the latter: seconds */
    bool flow_tolerance_given, pulse, step, duration_given;
    rill_dispersion_options options;
    rill_dispersion result;
    float *u; /* owned */
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
    if (c->times && !c->p.fields)
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
        if (!(c->p.geom->spacing > 0))
            return rill_fail(
                RILL_USAGE,
                "--length %s: the voxel size is unknown: give --voxel-size, or the length in voxels",
                c->length);
        length /= c->p.geom->spacing;
    }
    if (!(length > 0) || !isfinite(length))
        return rill_fail(RILL_USAGE, "--length %s is not above 0 voxels", c->length);
    c->options.length = length;
    return RILL_OK;
}

static rill_status axis_parse(choices *c)
{
    const rill_status status = cli_property_axis(&c->p, &c->options.axis);
    if (status != RILL_OK || c->options.axis == RILL_AXIS_AUTO || c->options.axis >= 0) return status;
    return rill_fail(RILL_USAGE,
                     "--axis: %s: the flow is along one axis, x, y or z; run the command once for each",
                     c->p.axes);
}

static rill_status read_image(choices *c)
{
    rill_status status = RILL_OK;
    rill_voxelize_options options;
    rill_voxelize_report report;
    RILL_TRY(cli_property_image(&c->p, &options));
    RILL_TRY(rill_image_voxelize(c->p.input, &options, c->p.progress, &c->p.geom, &report));
    cli_property_read(&c->p, &report);
done:
    return status;
}

/* A file of ours: fields with velocities, or a geometry. */
static rill_status read_ours(choices *c)
{
    cli_property *p = &c->p;
    const char *dot = strrchr(p->input, '.');
    memcpy(p->file_axes, cli_axes_ours, sizeof cli_axes_ours);
    if (!dot || strcmp(dot, ".vtkhdf") != 0)
        return cli_image_geometry_read(&p->image, p->input, NULL, &p->geom);
    if (cli_image_given(&p->image) || p->image.sides_given)
        return rill_fail(
            RILL_USAGE,
            "%s has the flow in it: options of images and --sides do not apply to it; leave them out",
            p->input);
    if (c->flow_tolerance_given)
        return rill_fail(RILL_USAGE, "%s has the flow in it: leave --flow-tolerance out", p->input);
    const rill_status status = rill_pore_velocities_read(p->input, &p->geom, &c->u);
    if (status == RILL_OK && p->image.voxel_size_given) p->geom->spacing = p->image.voxel_size;
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

static rill_status fields_write(void *context, const rill_dispersion_field *field)
{
    const choices *c = context;
    return cli_property_fields(
        &c->p,
        &(cli_solute_fields){
            moments_of, field, "closure", "velocity_over_mean", {1, "voxel", c->p.geom->spacing, 0}},
        c->names[field->point]);
}

/* "out.h5" becomes "out.pe100.t0.5.vtkhdf". */
static rill_status moment_name(const choices *c, double peclet, double time, char name[4096])
{
    char which[64];
    snprintf(which, sizeof which, ".pe%g.t%g", peclet, time);
    return cli_fields_name(c->p.input, c->p.compute.json, c->p.compute.output, which, name, 4096);
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
    return cli_property_fields(
        &c->p, &(cli_solute_fields){concentrations_of, field, "flux", "concentration", {1, "U", 0, 0}}, name);
}

/* "out.h5" becomes "out.pe100.vtkhdf". */
static rill_status fields_prepare(choices *c)
{
    if (c->p.fields == RILL_FIELDS_NONE) return RILL_OK;
    for (int k = 0; k < c->options.peclet_count; k++) {
        char which[32];
        snprintf(which, sizeof which, ".pe%g", c->options.peclet[k]);
        const rill_status status = cli_fields_name(c->p.input, c->p.compute.json, c->p.compute.output, which,
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

static rill_status report(void *context)
{
    choices *c = context;
    for (int k = 0; c->p.fields && k < c->result.point_count; k++) /* points of a checkpoint may have none */
        if (access(c->names[k], F_OK) != 0) c->names[k][0] = '\0';
    return cli_dispersion_report(
        &(cli_dispersion_result){.p = &c->p,
                                 .options = &c->options,
                                 .result = &c->result,
                                 .fields = c->p.fields ? c->names : NULL,
                                 .flow_tolerance = c->flow > 0 ? c->flow_tolerance : 0,
                                 .seconds_flow = c->flow,
                                 .seconds = rill_now() - c->p.start});
}

static rill_status work(void *context)
{
    rill_status status = RILL_OK;
    choices *c = context;
    cli_property *p = &c->p;
    c->options.progress = p->progress;
    c->options.tolerance = p->compute.tolerance;
    RILL_TRY(peclets_parse(c));
    RILL_TRY(release_parse(c));
    RILL_TRY(axis_parse(c));
    RILL_TRY(cli_property_outputs(p, false));
    c->options.checkpoint = p->checkpoint_name;
    c->options.checkpoint_stays = true; /* until the files are written */
    c->options.resume = p->resume;
    RILL_TRY(fields_prepare(c));
    RILL_TRY(cli_input_prepare(p->input));
    RILL_TRY(rill_file_is_ours(p->input) ? read_ours(c) : read_image(c));
    c->options.axis = rill_axes_first(rill_axes_resolve(c->options.axis, p->geom->n));
    RILL_TRY(length_parse(c));
    p->reading = rill_now() - p->start;
    if (!c->u) {
        RILL_TRY(rill_pore_velocities_compute(p->geom, c->options.axis, c->flow_tolerance,
                                              (rill_backend_kind)p->compute.backend, p->progress, &c->u));
        c->flow = rill_now() - p->start - p->reading;
    }
    status = rill_dispersion_compute(p->geom, c->u, &c->options, &c->result);
    if (status == RILL_OK || (status == RILL_NUMERICS && c->result.point_count > 0))
        status = cli_property_finish(p, status, c->result.checkpoint_left, report, c);
done:
    rill_dispersion_free(&c->result);
    rill_pore_velocities_free(c->u);
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
    cli_property *p = &c.p;
    cli_option shared[9];
    c = (choices){
        .p =
            {.command = &cli_dispersion,
             .lacking =
                 "no image, geometry or field file is given: rill dispersion IMAGE --pore 0 --peclet 10, or the key input in the file of --case"},
        .flow_tolerance = FLOW_TOLERANCE,
        .options = rill_dispersion_options_default()};
    cli_property_defaults(p);
    p->compute.tolerance = c.options.tolerance;
    const cli_option own[] = {
        {.help = "Dispersion"},
        CLI_CASE(p->input),
        {"peclet", 0, CLI_TEXT, &c.peclets, "LIST", "Peclet numbers U L / D0 with commas between: 0,1,10,100",
         .fallback = "none: it is required"},
        {"length", 0, CLI_TEXT, &c.length, "LENGTH",
         "L of the Peclet numbers, in voxels or with a unit: 12.5, 100um",
         .fallback = "hydraulic diameter: 4 pore volume / wall area"},
        {"axis", 0, CLI_TEXT, &p->axes, "AXIS",
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
        {"fields", 0, CLI_CHOICE, &p->fields,
         .help =
             "closure field and velocity as VTKHDF beside -o, for each Peclet number: image (all voxels) or sparse (fluid cells)",
         .choices = cli_fields_kinds},
        {"max-iterations", 0, CLI_COUNT, &c.options.max_iterations, "COUNT",
         "iterations to give up after, for each Peclet number and axis", .min = 1, .max = 1e9},
        {"checkpoint", 0, CLI_TEXT, &p->checkpoint, "FILE", "file to continue from, while the run goes on",
         .fallback = "the name of -o, or of the input and .dispersion here, with .checkpoint.h5",
         .apply = cli_output_apply},
        {"resume", 0, CLI_FLAG, &p->resume,
         .help = "continue from the checkpoint, to the same bits; the flow is computed again"},
        {0},
    };
    cli_compute_pick(&p->compute, cli_solver_flags, shared, sizeof shared / sizeof *shared);
    const cli_option *const tables[] = {own, cli_image_options(&p->image), shared, NULL};
    return cli_property_run(p, tables, false, argc, argv, work, &c);
}

static int run(int argc, char **argv) { return cli_case_run(&cli_dispersion, argc, argv, run_words); }
