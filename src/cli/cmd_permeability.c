/* SPDX-License-Identifier: Apache-2.0 */
/* rill permeability: from an image or a geometry to the permeability of its pores. The physics is
 * permeability/permeability.c's, what is printed and written is permeability_output.c's. */
#include "device/device.h"
#include "cli/axis_option.h"
#include "cli/cli.h"
#include "cli/devices.h"
#include "core/clock.h"
#include "core/notes.h"
#include "core/progress.h"
#include "cli/error_bar_output.h"
#include "cli/image_options.h"
#include "cli/permeability.h"
#include "cli/words.h"

#include "geometry/image/voxelize.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/derive.h"
#include "io/fields.h"
#include "io/geom_file.h"
#include "io/ours.h"
#include "kernel/variant.h"
#include "permeability/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the order of rill_keep_kind without "connected"; of rill_drive; of rill_fields_kind. */
static const char *const keeps[] = {"percolating", "all", NULL};
static const char *const drives[] = {"force", "pressure", NULL};
static const char *const accelerations[] = {"auto", "none", "network", NULL};
static const char *const starts[] = {"auto", "rest", NULL};
static const char *const kinds[] = {"none", "image", "sparse", NULL};
static const char *const bars[] = {"none", "quick", "fine", NULL};

typedef struct choices {
    cli_compute compute;
    cli_devices devices;
    cli_image image;
    const char *input;
    struct {
        const char *text; /* as given */
        int number;       /* see rill/types.h */
        bool given;
        int of_file[3]; /* where axes 0, 1, 2 of the file go */
    } axis;
    int keep, drive, fields, acceleration, start;
    double force;
    cli_flow flow; /* that is shown beside k */
    struct {
        uint64_t voxels;
        bool given;
    } reservoir;
    bool dry_run, sensitivity;
    int error_bar; /* of `bars` */
    struct {
        const char *csv, *blocks;
        int at_once;
    } batch;
    uint32_t sample; /* edge of the blocks of the row "sample"; 0: none */
    struct {
        const char *given; /* the file is `name` */
        char name[4096];
        uint64_t every;
        bool resume;
    } checkpoint;
    char *line; /* the command, owned */
    struct {
        rill_device_opening opening;
        bool opens; /* the device is being opened */
    } device;

    const char *planned; /* notes that were shown with the plan */

    rill_keeper keeper; /* of several processes; count 0: there is one */
    rill_geom *geom;
    rill_permeability_answer answer;
    rill_progress progress;
    cli_permeability_times times;
    struct {
        char names[3][4096]; /* of the field files of the runs along x, y, z */
        bool written[3];
    } files;
} choices;

/* Return what keeps the voxels; NULL: this process alone does. */
static const rill_keeper *keeper_of(const choices *c) { return c->keeper.count > 1 ? &c->keeper : NULL; }

static rill_status read_geometry(choices *c)
{
    memcpy(c->axis.of_file, cli_axes_ours, sizeof cli_axes_ours);
    return cli_image_geometry_read(&c->image, c->input, keeper_of(c), &c->geom);
}

static rill_status read_image(choices *c)
{
    rill_status status = RILL_OK;
    rill_voxelize_options options;
    rill_voxelize_report report;
    const int axis = c->axis.number;
    RILL_TRY(cli_image_resolve(&c->image, &options));
    /* An error bar needs what other boundaries, or blocks, would open; preparation drops it for the plain
     * run. */
    const bool walled = c->drive == RILL_DRIVE_PRESSURE, /* see rill_permeability_prepare() */
        cleans = !c->keep && !c->error_bar && !c->sample && !(walled && axis == RILL_AXIS_AUTO);
    options.keep = cleans ? RILL_KEEP_PERCOLATING : RILL_KEEP_ALL;
    options.axis = axis;
    options.contacts = rill_contacts_of(cli_compute_variant(&c->compute).lattice);
    options.command = c->line;
    if (walled && axis >= 0) options.sides[axis] = RILL_WALL;
    RILL_TRY(rill_image_voxelize_kept(c->input, &options, keeper_of(c), c->progress, &c->geom, &report));
    memcpy(c->axis.of_file, report.axes, sizeof report.axes);
    c->keep = c->keep || cleans; /* what cannot conduct is gone */
    if (!c->compute.quiet) {
        cli_row("source", "%s", c->input);
        cli_image_rows(&report);
    }
done:
    return status;
}

/* Show how far a run has come. @return false when it is cancelled */
static bool watch(void *context, const rill_progress_moment *moment)
{
    const choices *c = context;
    const rill_permeability_moment *m = moment->permeability;
    char what[96], detail[256], left[48] = "", now[48] = "", end[96] = "";
    if (!m) return c->progress.fn(c->progress.context, moment);
    snprintf(what, sizeof what, "%s", moment->what);
    if (moment->part >= 0)
        cli_error_bar_part_name(&c->answer.error_bar_plan, moment->part, what, sizeof what);
    if (isfinite(m->uncertainty))
        snprintf(end, sizeof end, ", final k %.5g ± %.2g %%", m->predicted, 100 * m->uncertainty);
    if (moment->seconds_left >= 0) snprintf(left, sizeof left, ", about %.0f s left", moment->seconds_left);
    if (isfinite(m->k)) snprintf(now, sizeof now, ", k %.5g lu", m->k);
    snprintf(detail, sizeof detail, "step %llu, %.1f MLUPS%s%s%s", (unsigned long long)m->steps, m->mlups,
             now, end, left);
    const rill_progress_moment shown = rill_progress_moment_of(what, -1, detail);
    return c->progress.fn(c->progress.context, &shown);
}

/* Fields become whole: the run that follows is cancelled, and leaves a checkpoint. */
static bool watch_fields(void *context, const rill_progress_moment *moment)
{
    const choices *c = context;
    (void)c->progress.fn(c->progress.context, moment);
    return true;
}

/* Whether the flow along an axis may be requested; all may be one of which the image decides. */
static bool may_flow(const choices *c, int axis)
{
    return c->axis.number == RILL_AXIS_AUTO || rill_axes_has(c->axis.number, axis);
}

/* "out.h5" becomes "out.vtkhdf", or "out.x.vtkhdf" when there is a file for each axis. */
static rill_status fields_name(const choices *c, int axis, char *name, size_t size)
{
    const char which[] = {'.', rill_axis(axis), '\0'};
    return cli_fields_name(c->input, c->compute.json, c->compute.output,
                           rill_axes_count(c->axis.number) > 1 ? which : "", name, size);
}

static rill_status finished(void *context, const rill_permeability_flow *run, const rill_node_moments *all)
{
    choices *c = context;
    const double start = rill_now();
    if (!run->converged && cli_signals_cancelled()) return RILL_OK; /* the resumed run writes them */
    const rill_status status =
        cli_permeability_fields_write(&(cli_permeability_fields){.geom = c->geom,
                                                                 .command = c->line,
                                                                 .path = c->files.names[run->axis],
                                                                 .kind = (rill_fields_kind)c->fields,
                                                                 .progress = {watch_fields, c}},
                                      run, all);
    c->files.written[run->axis] = status == RILL_OK;
    c->times.write += rill_now() - start;
    return status;
}

/* Fields of this run are written: now, or before the checkpoint that it is from. */
static bool fields_there(const choices *c, const rill_permeability_flow *run)
{
    const bool before = c->checkpoint.resume && c->fields != RILL_FIELDS_NONE && run->converged;
    return c->files.written[run->axis] || (before && access(c->files.names[run->axis], F_OK) == 0);
}

/* Show the notes of a result that were not shown with the plan. */
static void notes_show(const choices *c, const char *notes)
{
    char *others = NULL;
    size_t length;
    rill_status status = RILL_OK;
    for (const char *at; status == RILL_OK && (at = rill_notes_next(&notes, &length)) != NULL;)
        if (!rill_notes_have(c->planned, at, length)) status = rill_note(&others, "%.*s", (int)length, at);
    cli_notes(&cli_permeability, others, c->compute.quiet);
    free(others);
}

/* Write what can be written. When a signal has stopped it, the resumed run writes the result, and what is
 * under its name stays until then. */
static rill_status report(const choices *c)
{
    rill_status status = RILL_OK;
    const rill_permeability *result = &c->answer.result;
    cli_permeability_result r = {.geom = c->geom,
                                 .options = &c->answer.options,
                                 .result = result,
                                 .times = c->times,
                                 .input = c->input,
                                 .file_axes = c->axis.of_file,
                                 .command = c->line,
                                 .json = c->compute.json,
                                 .output = c->answer.stopped ? NULL : c->compute.output,
                                 .bar = &c->answer.error_bar,
                                 .flow = c->flow.pressure > 0 ? &c->flow : NULL,
                                 .mlups = c->answer.forecast.mlups};
    for (int i = 0; i < result->run_count; i++)
        if (fields_there(c, &result->runs[i])) r.fields[i] = c->files.names[result->runs[i].axis];
    if (r.json) RILL_TRY(cli_permeability_write_json(&r));
    if (r.output) RILL_TRY(cli_permeability_write_hdf5(&r));
    cli_progress_end();
    if (!c->compute.quiet)
        cli_permeability_print(&r);
    else if (!r.json)
        cli_permeability_print_line(&r);
    notes_show(c, result->notes);
done:
    return status;
}

/* Report what came, and say why it is not all. */
static rill_status end(choices *c, rill_status came, double start)
{
    char why[1024];
    c->times.plan = c->answer.seconds_plan;
    c->times.bar = c->answer.seconds_error_bar;
    c->times.total = rill_now() - start;
    if (!c->answer.computed) return came;
    snprintf(why, sizeof why, "%s", rill_error_message());
    const rill_status written = report(c);
    if (written != RILL_OK || came == RILL_OK) return written;
    return rill_fail(came, "%s", why);
}

/* Fail before the work when something could not be written after it. */
static rill_status outputs_check(choices *c)
{
    rill_status status = RILL_OK;
    const char *json = c->compute.json, *output = c->compute.output;
    RILL_TRY(cli_checkpoint_settle(&(cli_checkpoint){.given = c->checkpoint.given,
                                                     .output = output,
                                                     .input = c->input,
                                                     .resume = c->checkpoint.resume,
                                                     .error_bar = c->error_bar || c->sample},
                                   c->checkpoint.name, sizeof c->checkpoint.name));
    RILL_TRY(cli_outputs_check(
        c->input, (cli_output[]){{"-o", output}, {"--json", json}, {"--checkpoint", c->checkpoint.given}},
        3));
    for (int a = 0; a < 3 && c->fields != RILL_FIELDS_NONE; a++) {
        if (!may_flow(c, a)) continue;
        RILL_TRY(fields_name(c, a, c->files.names[a], sizeof c->files.names[a]));
    }
done:
    return status;
}

/* What the options say of the runs, in one sample or in many. */
static rill_status options_make(const choices *c, rill_permeability_options *out)
{
    rill_permeability_options options = rill_permeability_options_default();
    if (c->reservoir.given && c->drive != RILL_DRIVE_PRESSURE)
        return rill_fail(RILL_USAGE, "--reservoir belongs to --drive pressure: add it, or leave both out");
    options.variant =
        cli_compute_variant(&c->compute); /* the device and the geometry's size decide the rest */
    options.on.backend = (rill_backend_kind)c->compute.backend;
    options.axis = c->axis.number;
    options.tau = c->compute.tau_given ? c->compute.tau : 0;
    options.magic = c->compute.magic;
    options.drive = (rill_drive)c->drive;
    options.reservoir = (uint32_t)c->reservoir.voxels;
    options.force = c->force;
    options.every = c->checkpoint.every;
    options.tolerance = c->compute.tolerance;
    options.max_steps = c->compute.max_steps;
    options.keep_storage = c->compute.storage_given;
    options.sensitivity = c->sensitivity;
    options.acceleration = (rill_acceleration)c->acceleration;
    options.start = (rill_permeability_start)c->start;
    *out = options;
    return rill_plan_check(&options); /* before an image is read */
}

/* Open the devices, of which the first one was being opened while the image was read. */
static rill_status devices_open(void *context, rill_permeability_options *options)
{
    choices *c = context;
    rill_status status = RILL_OK;
    c->device.opens = false;
    RILL_TRY(rill_device_end(&c->device.opening, &options->on.device));
    RILL_TRY(cli_devices_open(&c->devices, options->on.device));
    options->on.list = c->devices.parts;
    options->on.count = c->devices.part_count;
done:
    return status;
}

/* Show the plan. */
static rill_status planned(void *context, const rill_permeability_answer *answer)
{
    choices *c = context;
    const bool show = !c->compute.quiet || c->dry_run;
    cli_progress_end();
    if (show) cli_permeability_print_plan(c->geom, answer);
    cli_notes(&cli_permeability, c->geom->notes, !show);
    cli_notes(&cli_permeability, c->planned = answer->plan.notes, !show);
    if (show && c->error_bar)
        cli_error_bar_print_plan(&answer->error_bar_plan, answer->host_peak_error_bar,
                                 answer->forecast.seconds);
    if (show && c->sample)
        cli_row(
            "sample",
            "%zu blocks of %u^3 voxels, mirrored, one after the other: at most about the time of the plain run",
            answer->sample_blocks, c->sample);
    if (show) fflush(stdout);
    return RILL_OK;
}

static rill_permeability_request request_of(choices *c)
{
    return (rill_permeability_request){.keep_stream = c->compute.stream_given,
                                       .keep_addressing = c->compute.addressing_given,
                                       .error_bar = (rill_error_bar_kind)c->error_bar,
                                       .sample_edge = c->sample,
                                       .forecast = !c->compute.quiet || c->dry_run,
                                       .plan_only = c->dry_run,
                                       .fluid = c->flow.of,
                                       .pressure_drop = c->flow.pressure,
                                       .open = devices_open,
                                       .planned = planned,
                                       .context = c};
}

static rill_status work(choices *c)
{
    rill_status status = RILL_OK;
    const double start = rill_now();
    rill_permeability_options options;
    bool wide;
    RILL_TRY(cli_image_threshold_wide(&c->image, &wide));
    c->sensitivity |= wide; /* what it lacks is found before the image is read */
    RILL_TRY(options_make(c, &options));
    RILL_TRY(cli_devices_parse(&c->devices));
    RILL_TRY(outputs_check(c));
    options.checkpoint = c->error_bar || c->sample ? NULL : c->checkpoint.name;
    options.resume = c->checkpoint.resume;
    options.progress = (rill_progress){watch, c};
    if (c->fields != RILL_FIELDS_NONE) options.finished_pieces = finished;
    options.context = c;
    RILL_TRY(cli_input_prepare(c->input));
    if (c->error_bar) RILL_TRY(rill_plan_error_bar_check(&options));
    RILL_TRY(cli_devices_keeper(&c->devices, &c->keeper));
    rill_device_begin(options.on.backend, cli_devices_first(&c->devices),
                      &c->device.opening); /* while the image is read */
    c->device.opens = true;
    RILL_TRY(rill_file_is_ours(c->input) ? read_geometry(c) : read_image(c));
    RILL_TRY(cli_flow_check(&c->flow, c->geom));
    c->times.read = rill_now() - start;
    if (options.finished_pieces)
        options.finished_bytes = rill_fields_bytes(c->geom, (rill_fields_kind)c->fields);
    options.keep_all = c->keep == 1; /* reading says what is gone already */
    const rill_permeability_request request = request_of(c);
    status = rill_permeability_run(c->geom, &options, &request, &c->answer);
    status = end(c, status, start);
done:
    if (c->device.opens) rill_device_drop(&c->device.opening);
    rill_permeability_answer_free(&c->answer);
    rill_geom_destroy(c->geom);
    cli_devices_close(&c->devices);
    return status;
}

/* Several inputs, or blocks: options that make files of one sample do not apply. */
static rill_status batch(choices *c, const char *const *inputs, int count)
{
    rill_status status = RILL_OK;
    const struct {
        bool given;
        const char *option;
    } single[] = {{c->compute.output, "-o"},
                  {c->fields != RILL_FIELDS_NONE, "--fields"},
                  {c->checkpoint.given, "--checkpoint"}};
    for (size_t k = 0; k < sizeof single / sizeof *single; k++)
        if (single[k].given)
            return rill_fail(
                RILL_USAGE,
                "%s belongs to one sample, and does not go with several inputs, --csv or --blocks: leave it out",
                single[k].option);
    if (c->sensitivity)
        return rill_fail(
            RILL_USAGE,
            "--sensitivity lists the positions in one sample that decide its k, for which the rows of a table have no columns: "
            "leave it out (a threshold with a width needs it not), or run one sample alone");
    if (c->batch.blocks && !c->axis.given && c->drive == RILL_DRIVE_FORCE)
        c->axis.number = RILL_AXES_XYZ; /* for the anisotropy */
    cli_batch b = {.command = &cli_permeability,
                   .compute = &c->compute,
                   .devices = &c->devices,
                   .image = &c->image,
                   .flow = &c->flow,
                   .inputs = inputs,
                   .count = count,
                   .csv = c->batch.csv,
                   .blocks = c->batch.blocks,
                   .at_once = c->batch.at_once,
                   .error_bar = c->error_bar,
                   .sample = c->sample,
                   .resume = c->checkpoint.resume,
                   .dry_run = c->dry_run,
                   .line = c->line,
                   .progress = c->progress};
    RILL_TRY(options_make(c, &b.options));
    if (c->error_bar) RILL_TRY(rill_plan_error_bar_check(&b.options));
    b.options.keep_all = c->keep == 1;
    RILL_TRY(cli_batch_run(&b));
done:
    return status;
}

static int run(int argc, char **argv);

const cli_command cli_permeability = {
    .name = "permeability",
    .usage = "IMAGE|GEOM.geom.h5... [options]",
    .summary = "compute the permeability of a pore space, or of many",
    .details =
        "A body force F drives Stokes flow along an axis; the permeability is k = nu <j> / F, the\n"
        "momentum <j> averaged over all voxels of the sample, solid ones too, with periodic, mirrored or\n"
        "solid boundaries as the geometry or --sides say. The run ends when the final value is known to\n"
        "the tolerance: it is predicted and printed with its uncertainty. k_ba is the flow along b for a\n"
        "force along a. --drive pressure puts the sample between two reservoirs instead, and divides by\n"
        "the fall of the mean pressure from its first plane to its last; what --sides say along the flow\n"
        "does not count then. The rows below k say how far it may be off; --error-bar fills more, and its\n"
        "plan says first what it costs. -q without --json prints the line with k alone.\n\n"
        "Several inputs, or --blocks, are a batch: several items at the same time in one process, a row\n"
        "for each in the table --csv. An item without a result does not end it. A block or image that\n"
        "does not percolate has k = 0, which is a result there. --blocks cuts one image into cubes,\n"
        "mirrors them unless --sides is given, drives the flow along x, y and z unless --axis is given,\n"
        "and writes beside K.csv the curve K.rev.csv with its picture K.rev.svg, and the map K.map.vti.\n"
        "--devices distributes the items.\n\n"
        "SIGTERM, SIGINT (control-C), SIGHUP and SIGUSR2 write a checkpoint and stop, without\n"
        "--error-bar; --resume goes on from it with the same options to the same bits. Exit code 2: not\n"
        "converged, nothing percolates, or out of the Stokes range; there is no result then. Exit code 4:\n"
        "stopped by a signal; the runs leave a checkpoint, reading an image and an error bar leave none.\n"
        "A batch: the highest exit code of an item; stopped by a signal, the table keeps the items that\n"
        "have ended, and --resume adds the others.",
    .examples = "rill permeability rock.tif --pore 0 --voxel-size 5.7um --sides mirror\n"
                "rill permeability rock.tif --pore 0 --voxel-size 5.7um --axis xyz --json k.json -o rock.h5\n"
                "rill permeability rock.geom.h5 --dry-run\n"
                "rill permeability rock.tif --pore 0 --blocks 100,200 --csv blocks.csv\n",
    .run = run,
};

/* Settle the axis of the flow, which may be counted as in the files. */
static rill_status axis_settle(choices *c, const char *const *inputs, int count)
{
    rill_status status = RILL_OK;
    cli_axes given;
    unsigned letters = 0;
    c->axis.number = RILL_AXIS_AUTO;
    if (strcmp(c->axis.text, "auto") == 0) return RILL_OK;
    RILL_TRY(cli_axes_parse(c->axis.text, strlen(c->axis.text), &given));
    RILL_TRY(cli_axes_of_files(&given, &c->image, inputs, count, &letters));
    c->axis.number = rill_axes_of(letters);
done:
    if (status != RILL_OK) rill_fail_prefix("--axis");
    return status;
}

static int run_words(int argc, char **argv)
{
    choices c = {.axis.text = "auto", .reservoir.voxels = rill_permeability_options_default().reservoir};
    int count = argc > 1 ? argc : 1;
    const char **inputs = calloc((size_t)count, sizeof *inputs);
    bool help = false;
    cli_image_defaults(&c.image);
    cli_compute_defaults(&c.compute);
    c.compute.equilibrium = RILL_STOKES;
    c.compute.shown.tau = "chosen, shown with the reason";
    c.compute.shown.storage = "fp32, and fp64 where fp32 rounds too much";
    c.compute.shown.stream =
        "on a GPU pull where two arrays take less than half of its memory, else ring (aa in 16 bits); aa on a CPU";
    c.compute.shown.addressing = "bitmap on a GPU, list on a CPU";
    c.compute.shown.output = "none";
    const cli_option own[] = {
        {.help = "Permeability"},
        CLI_CASE(c.input),
        {"axis", 0, CLI_TEXT, &c.axis.text, "AXES",
         "axis of the flow, or several: xy, xz, yz, xyz: the tensor, a run along each; 0, 1, 2 count the axes of the file; auto: "
         "z, and x of one slice; xyz with --blocks",
         .given = &c.axis.given},
        {"drive", 0, CLI_CHOICE, &c.drive,
         .help = "what drives the flow: a body force, or pressures at reservoirs around the sample",
         .choices = drives},
        {"reservoir", 0, CLI_COUNT, &c.reservoir.voxels, "COUNT",
         "voxels of fluid in front of and behind the sample, with --drive pressure", .min = 1, .max = 1e6,
         .given = &c.reservoir.given, .rare = true},
        {"force", 0, CLI_REAL, &c.force, "NUMBER",
         "body force per volume, or pressure drop per length of the sample, in lattice units",
         .fallback = "chosen, shown with the reason", .min = 0, .max = 0.1, .above = true, .rare = true},
        {"every", 0, CLI_COUNT, &c.checkpoint.every, "COUNT",
         "steps between the first samples; doubles as the run gets longer", .fallback = "chosen, 2 to 32",
         .min = 2, .max = 1e9, .rare = true},
        CLI_DEVICES(c.devices),
        {"acceleration", 0, CLI_CHOICE, &c.acceleration,
         .help =
             "how the run is brought to its end: network corrects the pressures, none makes time steps alone; auto: what is faster there",
         .choices = accelerations, .rare = true},
        {"start", 0, CLI_CHOICE, &c.start,
         .help =
             "what runs start from: auto: in wide pores, the flow on grids of larger voxels; rest: fluid at rest",
         .choices = starts, .rare = true},
        {"keep", 0, CLI_CHOICE, &c.keep,
         .help = "which pores take part: those that percolate along the flow, or all", .choices = keeps},
        {"fields", 0, CLI_CHOICE, &c.fields,
         .help = "velocity and pressure as VTKHDF beside -o: image (all voxels) or sparse (fluid cells)",
         .choices = kinds},
        {"error-bar", 0, CLI_FORM, &c.error_bar,
         .help =
             "find out by further runs how far k of the voxels may be from that of the shape, and what the domain boundaries change; =fine: "
             "by split voxels and fp64, too",
         .choices = bars},
        {"sample", 0, CLI_UINT32, &c.sample, "VOXELS",
         "find out by runs of mirrored cubes of this edge, cut from the image, how far its k may be from that of the material",
         .fallback = "none", .min = 4},
        {"sensitivity", 0, CLI_FLAG, &c.sensitivity,
         .help =
             "find how k depends on its walls: k for walls that move, and the voxels that decide most; with --fields the field wall_sensitivity"},
        {"checkpoint", 0, CLI_TEXT, &c.checkpoint.given, "FILE", "file that a signal leaves",
         .fallback = "the name of -o, or of the input here, with .checkpoint.h5", .apply = cli_output_apply},
        {"resume", 0, CLI_FLAG, &c.checkpoint.resume,
         .help =
             "continue from the checkpoint; of a batch: keep the rows of the table that have the same input and options"},
        CLI_FLOW(c.flow),
        {.help = "Batch"},
        {"csv", 0, CLI_TEXT, &c.batch.csv, "FILE", "table with a row for each input or block",
         .fallback = "none", .apply = cli_csv_apply},
        {"blocks", 0, CLI_TEXT, &c.batch.blocks, "SIZES",
         "cut the image into cubes of this edge, in voxels or as a length; several sizes with commas between: 50,100,200um",
         .fallback = "none"},
        {"at-once", 0, CLI_INT, &c.batch.at_once, "COUNT", "items that are computed at the same time",
         .fallback = "chosen, by device and size", .min = 1, .max = 1024, .rare = true},
        {"dry-run", 0, CLI_FLAG, &c.dry_run, .help = "print what would be done, and stop"},
        {0},
    };
    const cli_option *const tables[] = {own, cli_image_options(&c.image), cli_compute_options(&c.compute),
                                        NULL};
    if (!inputs) return cli_report(&cli_permeability, rill_fail(RILL_SYSTEM, "out of memory for the inputs"));
    rill_status status = cli_parse(&cli_permeability, tables, argc, argv, inputs, &count, &help);
    if (!help && status == RILL_OK && count == 0)
        status = rill_fail(
            RILL_USAGE,
            "no image or geometry is given: rill permeability IMAGE --voxel-size 5.7um, or the key input in the file of --case");
    if (!help && status == RILL_OK) {
        c.input = inputs[0];
        if (c.checkpoint.resume) cli_outputs_continue();
        c.line = cli_command_line(argc, argv);
        c.progress = cli_progress(c.compute.quiet);
        cli_signals_catch(true); /* SIGTERM is what batch systems send before they kill */
        if (!c.line) status = rill_fail(RILL_SYSTEM, "out of memory for the command line");
        if (status == RILL_OK) status = axis_settle(&c, inputs, count);
        if (status == RILL_OK) status = cli_flow_settle(&c.flow);
        status = status != RILL_OK                                               ? status
                 : count > 1 || c.batch.csv || c.batch.blocks || c.batch.at_once ? batch(&c, inputs, count)
                                                                                 : work(&c);
    }
    free(c.line);
    free(inputs);
    return help ? RILL_OK : cli_report(&cli_permeability, status);
}

static int run(int argc, char **argv) { return cli_case_run(&cli_permeability, argc, argv, run_words); }
