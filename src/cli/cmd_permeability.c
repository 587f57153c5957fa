/* SPDX-License-Identifier: Apache-2.0 */
/* rill permeability: from an image or a geometry to the permeability of its pores. The physics is
 * permeability/permeability.c's, what is printed and written is permeability_output.c's. */
#include "cli/axis_option.h"
#include "cli/error_bar_output.h"
#include "cli/permeability.h"
#include "cli/words.h"
#include "core/clock.h"
#include "core/notes.h"
#include "core/progress.h"

#include "geometry/voxels/axes.h"
#include "io/ours.h"
#include "kernel/variant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In the order of rill_drive, and so on. */
static const char *const drives[] = {"force", "pressure", NULL};
static const char *const accelerations[] = {"auto", "none", "network", NULL};
static const char *const starts[] = {"auto", "rest", NULL};
static const char *const bars[] = {"none", "quick", "fine", NULL};

typedef struct choices {
    cli_property p;
    int axis; /* see rill/types.h */
    int keep, drive, acceleration, start;
    double force;
    cli_flow flow; /* that is shown beside k */
    struct {
        uint64_t voxels;
        bool given;
    } reservoir;
    bool sensitivity;
    int error_bar;   /* of `bars` */
    uint32_t sample; /* edge of the blocks of the row "sample"; 0: none */
    uint64_t every;  /* steps between samples */
    struct {
        rill_device_opening opening;
        bool opens; /* the device is being opened */
    } device;

    const char *planned; /* notes that were shown with the plan */

    rill_keeper keeper; /* of several processes; count 0: there is one */
    rill_permeability_answer answer;
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
    memcpy(c->p.file_axes, cli_axes_ours, sizeof cli_axes_ours);
    return cli_image_geometry_read(&c->p.image, c->p.input, keeper_of(c), &c->p.geom);
}

static rill_status read_image(choices *c)
{
    rill_status status = RILL_OK;
    rill_voxelize_options options;
    rill_voxelize_report report;
    RILL_TRY(cli_property_image(&c->p, &options));
    /* An error bar needs what other boundaries, or blocks, would open; preparation drops it for the plain
     * run. */
    const bool walled = c->drive == RILL_DRIVE_PRESSURE, /* see rill_permeability_prepare() */
        cleans = !c->keep && !c->error_bar && !c->sample && !(walled && c->axis == RILL_AXIS_AUTO);
    if (cleans) options.keep = RILL_KEEP_PERCOLATING;
    options.axis = c->axis;
    options.contacts = rill_contacts_of(cli_compute_variant(&c->p.compute).lattice);
    if (walled && c->axis >= 0) options.sides[c->axis] = RILL_WALL;
    RILL_TRY(
        rill_image_voxelize_kept(c->p.input, &options, keeper_of(c), c->p.progress, &c->p.geom, &report));
    cli_property_read(&c->p, &report);
    c->keep = c->keep || cleans; /* what cannot conduct is gone */
done:
    return status;
}

/* Show how far a run has come. @return false when it is cancelled */
static bool watch(void *context, const rill_progress_moment *moment)
{
    const choices *c = context;
    const rill_permeability_moment *m = moment->permeability;
    char what[96], detail[256], left[48] = "", now[48] = "", end[96] = "";
    if (!m) return c->p.progress.fn(c->p.progress.context, moment);
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
    return c->p.progress.fn(c->p.progress.context, &shown);
}

/* Fields become whole: the run that follows is cancelled, and leaves a checkpoint. */
static bool watch_fields(void *context, const rill_progress_moment *moment)
{
    const choices *c = context;
    (void)c->p.progress.fn(c->p.progress.context, moment);
    return true;
}

/* Whether the flow along an axis may be requested; all may be one of which the image decides. */
static bool may_flow(const choices *c, int axis)
{
    return c->axis == RILL_AXIS_AUTO || rill_axes_has(c->axis, axis);
}

/* "out.h5" becomes "out.vtkhdf", or "out.x.vtkhdf" when there is a file for each axis. */
static rill_status fields_name(const choices *c, int axis, char *name, size_t size)
{
    const char which[] = {'.', rill_axis(axis), '\0'};
    return cli_fields_name(c->p.input, c->p.compute.json, c->p.compute.output,
                           rill_axes_count(c->axis) > 1 ? which : "", name, size);
}

static rill_status finished(void *context, const rill_permeability_flow *run, const rill_node_moments *all)
{
    choices *c = context;
    const double start = rill_now();
    if (!run->converged && cli_signals_cancelled()) return RILL_OK; /* the resumed run writes them */
    const rill_status status =
        cli_permeability_fields_write(&(cli_permeability_fields){.geom = c->p.geom,
                                                                 .command = c->p.line,
                                                                 .path = c->files.names[run->axis],
                                                                 .kind = (rill_fields_kind)c->p.fields,
                                                                 .progress = {watch_fields, c}},
                                      run, all);
    c->files.written[run->axis] = status == RILL_OK;
    c->times.write += rill_now() - start;
    return status;
}

/* Fields of this run are written: now, or before the checkpoint that it is from. */
static bool fields_there(const choices *c, const rill_permeability_flow *run)
{
    const bool before = c->p.resume && c->p.fields != RILL_FIELDS_NONE && run->converged;
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
    cli_notes(&cli_permeability, others, c->p.compute.quiet);
    free(others);
}

/* Write what can be written. When a signal has stopped it, the resumed run writes the result, and what is
 * under its name stays until then. */
static rill_status report(const choices *c)
{
    const rill_permeability *result = &c->answer.result;
    cli_permeability_result r = {.p = &c->p,
                                 .options = &c->answer.options,
                                 .result = result,
                                 .times = c->times,
                                 .output = c->answer.stopped ? NULL : c->p.compute.output,
                                 .bar = &c->answer.error_bar,
                                 .flow = c->flow.pressure > 0 ? &c->flow : NULL,
                                 .mlups = c->answer.forecast.mlups};
    for (int i = 0; i < result->run_count; i++)
        if (fields_there(c, &result->runs[i])) r.fields[i] = c->files.names[result->runs[i].axis];
    const rill_status status = cli_permeability_report(&r);
    if (status == RILL_OK) notes_show(c, result->notes);
    return status;
}

/* Report what came, and say why it is not all. */
static rill_status end(choices *c, rill_status came)
{
    char why[1024];
    c->times.plan = c->answer.seconds_plan;
    c->times.bar = c->answer.seconds_error_bar;
    c->times.total = rill_now() - c->p.start;
    if (!c->answer.computed) return came;
    snprintf(why, sizeof why, "%s", rill_error_message());
    const rill_status written = report(c);
    if (written != RILL_OK || came == RILL_OK) return written;
    return rill_fail(came, "%s", why);
}

/* Name the field files. */
static rill_status fields_prepare(choices *c)
{
    rill_status status = RILL_OK;
    for (int a = 0; a < 3 && c->p.fields != RILL_FIELDS_NONE && status == RILL_OK; a++)
        if (may_flow(c, a)) status = fields_name(c, a, c->files.names[a], sizeof c->files.names[a]);
    return status;
}

/* What the options say of the runs, in one sample or in many. */
static rill_status options_make(const choices *c, rill_permeability_options *out)
{
    rill_permeability_options options = rill_permeability_options_default();
    if (c->reservoir.given && c->drive != RILL_DRIVE_PRESSURE)
        return rill_fail(RILL_USAGE, "--reservoir belongs to --drive pressure: add it, or leave both out");
    options.variant =
        cli_compute_variant(&c->p.compute); /* the device and the geometry's size decide the rest */
    options.on.backend = (rill_backend_kind)c->p.compute.backend;
    options.axis = c->axis;
    options.tau = c->p.compute.tau_given ? c->p.compute.tau : 0;
    options.magic = c->p.compute.magic;
    options.drive = (rill_drive)c->drive;
    options.reservoir = (uint32_t)c->reservoir.voxels;
    options.force = c->force;
    options.every = c->every;
    options.tolerance = c->p.compute.tolerance;
    options.max_steps = c->p.compute.max_steps;
    options.keep_storage = c->p.compute.storage_given;
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
    RILL_TRY(cli_devices_open(&c->p.devices, options->on.device));
    options->on.list = c->p.devices.parts;
    options->on.count = c->p.devices.part_count;
done:
    return status;
}

/* Show the plan. */
static rill_status planned(void *context, const rill_permeability_answer *answer)
{
    choices *c = context;
    const bool show = !c->p.compute.quiet || c->p.dry_run;
    cli_progress_end();
    if (show) cli_permeability_print_plan(c->p.geom, answer);
    cli_notes(&cli_permeability, c->p.geom->notes, !show);
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
    return (rill_permeability_request){.keep_stream = c->p.compute.stream_given,
                                       .keep_addressing = c->p.compute.addressing_given,
                                       .error_bar = (rill_error_bar_kind)c->error_bar,
                                       .sample_edge = c->sample,
                                       .forecast = !c->p.compute.quiet || c->p.dry_run,
                                       .plan_only = c->p.dry_run,
                                       .fluid = c->flow.of,
                                       .pressure_drop = c->flow.pressure,
                                       .open = devices_open,
                                       .planned = planned,
                                       .context = c};
}

static rill_status sample(choices *c)
{
    rill_status status = RILL_OK;
    cli_property *p = &c->p;
    const bool bar = c->error_bar || c->sample;
    rill_permeability_options options;
    bool wide;
    RILL_TRY(cli_image_threshold_wide(&p->image, &wide));
    c->sensitivity |= wide; /* what it lacks is found before the image is read */
    RILL_TRY(options_make(c, &options));
    RILL_TRY(cli_devices_parse(&p->devices));
    RILL_TRY(cli_property_outputs(p, bar));
    RILL_TRY(fields_prepare(c));
    options.checkpoint = bar ? NULL : p->checkpoint_name;
    options.resume = p->resume;
    options.progress = (rill_progress){watch, c};
    if (p->fields != RILL_FIELDS_NONE) options.finished_pieces = finished;
    options.context = c;
    RILL_TRY(cli_input_prepare(p->input));
    if (c->error_bar) RILL_TRY(rill_plan_error_bar_check(&options));
    RILL_TRY(cli_devices_keeper(&p->devices, &c->keeper));
    rill_device_begin(options.on.backend, cli_devices_first(&p->devices),
                      &c->device.opening); /* while the image is read */
    c->device.opens = true;
    RILL_TRY(rill_file_is_ours(p->input) ? read_geometry(c) : read_image(c));
    RILL_TRY(cli_flow_check(&c->flow, p->geom));
    p->reading = rill_now() - p->start;
    if (options.finished_pieces)
        options.finished_bytes = rill_fields_bytes(p->geom, (rill_fields_kind)p->fields);
    options.keep_all = c->keep == 1; /* reading says what is gone already */
    const rill_permeability_request request = request_of(c);
    status = rill_permeability_run(p->geom, &options, &request, &c->answer);
    status = end(c, status);
done:
    if (c->device.opens) rill_device_drop(&c->device.opening);
    rill_permeability_answer_free(&c->answer);
    rill_geom_destroy(p->geom);
    p->geom = NULL;
    cli_devices_close(&p->devices); /* which may keep voxels of the geometry */
    return status;
}

/* Several inputs, or blocks: options that make files of one sample do not apply. */
static rill_status batch(choices *c)
{
    rill_status status = RILL_OK;
    cli_batch b = cli_batch_of(&c->p);
    RILL_TRY(cli_property_batch_check(&c->p, NULL, 0));
    if (c->sensitivity)
        return rill_fail(
            RILL_USAGE,
            "--sensitivity lists the positions in one sample that decide its k, for which the rows of a table have no columns: "
            "leave it out (a threshold with a width needs it not), or run one sample alone");
    if (c->p.blocks && !c->p.axis_given && c->drive == RILL_DRIVE_FORCE)
        c->axis = RILL_AXES_XYZ; /* for the anisotropy */
    b.flow = &c->flow;
    b.error_bar = c->error_bar;
    b.sample = c->sample;
    RILL_TRY(options_make(c, &b.options));
    if (c->error_bar) RILL_TRY(rill_plan_error_bar_check(&b.options));
    b.options.keep_all = c->keep == 1;
    RILL_TRY(cli_batch_run(&b));
done:
    return status;
}

static rill_status work(void *context)
{
    rill_status status = RILL_OK;
    choices *c = context;
    RILL_TRY(cli_property_axis(&c->p, &c->axis));
    RILL_TRY(cli_flow_settle(&c->flow));
    status = cli_property_is_batch(&c->p) ? batch(c) : sample(c);
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

static int run_words(int argc, char **argv)
{
    choices c = {
        .p =
            {.command = &cli_permeability,
             .lacking =
                 "no image or geometry is given: rill permeability IMAGE --voxel-size 5.7um, or the key input in the file of --case"},
        .reservoir.voxels = rill_permeability_options_default().reservoir};
    cli_property *p = &c.p;
    cli_property_defaults(p);
    p->compute.equilibrium = RILL_STOKES;
    p->compute.shown.tau = "chosen, shown with the reason";
    p->compute.shown.storage = "fp32, and fp64 where fp32 rounds too much";
    p->compute.shown.stream =
        "on a GPU pull where two arrays take less than half of its memory, else ring (aa in 16 bits); aa on a CPU";
    p->compute.shown.addressing = "bitmap on a GPU, list on a CPU";
    const cli_option own[] = {
        {.help = "Permeability"},
        CLI_CASE(p->input),
        {"axis", 0, CLI_TEXT, &p->axes, "AXES",
         "axis of the flow, or several: xy, xz, yz, xyz: the tensor, a run along each; 0, 1, 2 count the axes of the file; auto: "
         "z, and x of one slice; xyz with --blocks",
         .given = &p->axis_given},
        {"drive", 0, CLI_CHOICE, &c.drive,
         .help = "what drives the flow: a body force, or pressures at reservoirs around the sample",
         .choices = drives},
        {"reservoir", 0, CLI_COUNT, &c.reservoir.voxels, "COUNT",
         "voxels of fluid in front of and behind the sample, with --drive pressure", .min = 1, .max = 1e6,
         .given = &c.reservoir.given, .rare = true},
        {"force", 0, CLI_REAL, &c.force, "NUMBER",
         "body force per volume, or pressure drop per length of the sample, in lattice units",
         .fallback = "chosen, shown with the reason", .min = 0, .max = 0.1, .above = true, .rare = true},
        {"every", 0, CLI_COUNT, &c.every, "COUNT",
         "steps between the first samples; doubles as the run gets longer", .fallback = "chosen, 2 to 32",
         .min = 2, .max = 1e9, .rare = true},
        CLI_DEVICES(c.p.devices),
        {"acceleration", 0, CLI_CHOICE, &c.acceleration,
         .help =
             "how the run is brought to its end: network corrects the pressures, none makes time steps alone; auto: what is faster there",
         .choices = accelerations, .rare = true},
        {"start", 0, CLI_CHOICE, &c.start,
         .help =
             "what runs start from: auto: in wide pores, the flow on grids of larger voxels; rest: fluid at rest",
         .choices = starts, .rare = true},
        {"keep", 0, CLI_CHOICE, &c.keep,
         .help = "which pores take part: those that percolate along the flow, or all", .choices = cli_keeps},
        {"fields", 0, CLI_CHOICE, &p->fields,
         .help = "velocity and pressure as VTKHDF beside -o: image (all voxels) or sparse (fluid cells)",
         .choices = cli_fields_kinds},
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
        {"checkpoint", 0, CLI_TEXT, &p->checkpoint, "FILE", "file that a signal leaves",
         .fallback = "the name of -o, or of the input here, with .checkpoint.h5", .apply = cli_output_apply},
        {"resume", 0, CLI_FLAG, &p->resume,
         .help =
             "continue from the checkpoint; of a batch: keep the rows of the table that have the same input and options"},
        CLI_FLOW(c.flow),
        CLI_BATCH(c.p),
        {0},
    };
    const cli_option *const tables[] = {own, cli_image_options(&p->image), cli_compute_options(&p->compute),
                                        NULL};
    return cli_property_run(p, tables, true, argc, argv, work, &c);
}

static int run(int argc, char **argv) { return cli_case_run(&cli_permeability, argc, argv, run_words); }
