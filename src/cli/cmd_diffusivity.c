/* SPDX-License-Identifier: Apache-2.0 */
/* rill diffusivity: from an image or a geometry to the effective diffusivity of its pores. The physics is in
 * diffusion/, what is printed and written is diffusivity_output.c's. */
#include "cli/axis_option.h"
#include "cli/devices.h"
#include "cli/diffusivity.h"
#include "cli/permeability.h"
#include "cli/solute_fields.h"
#include "cli/words.h"
#include "core/clock.h"
#include "core/progress.h"
#include "core/units.h"
#include "device/device.h"
#include "diffusion/diffusion.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/components.h"
#include "io/ours.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const cli_diffusion_drives[] = {"gradient", "outside", "inside", NULL};
static const char *const kinds[] = {"none", "image", "sparse", NULL}; /* as rill_fields_kind */
static const char *const keeps[] = {"percolating", "all", NULL}; /* as rill_keep_kind without "connected" */

typedef struct choices {
    cli_compute compute;
    cli_image image;
    cli_list phase_texts;
    rill_phase phases[RILL_PHASES];
    const char *input, *axes, *csv, *blocks, *checkpoint; /* which is as given */
    char checkpoint_name[4096];
    const char *const *inputs;
    int input_count, at_once;
    bool axis_given, resume, dry_run;
    cli_devices devices;
    int drive, keep, fields, file_axes[3];
    char names[3][4096]; /* of the field files of the runs along x, y, z */
    bool written[3];
    uint64_t most;
    char *line; /* the command, owned */
    rill_diffusivity_options options;
    rill_geom *geom;
    double reading;
} choices;

/* Read --phase 0=1, 10-20=0.3. */
static rill_status phases_parse(choices *c)
{
    rill_status status = RILL_OK;
    if (c->phase_texts.count > RILL_PHASES)
        return rill_fail(RILL_USAGE, "%d phases are more than %d", c->phase_texts.count, RILL_PHASES);
    if (c->phase_texts.count && (c->image.pore || c->image.threshold))
        return rill_fail(RILL_USAGE, "--phase says what conducts: leave --pore and --threshold out");
    for (int i = 0; i < c->phase_texts.count; i++) {
        const char *text = c->phase_texts.items[i], *is = strchr(text, '=');
        char grey[64];
        rill_voxelize_options o = rill_voxelize_options_default();
        const cli_option ratio = {"phase",
                                  0,
                                  CLI_REAL,
                                  &c->phases[i].ratio,
                                  .min = RILL_PHASE_RATIO_LEAST,
                                  .max = RILL_PHASE_RATIO_MOST};
        if (!is || is - text >= (int)sizeof grey)
            return rill_fail(RILL_USAGE, "--phase %s: write grey value = ratio, such as 128=0.05", text);
        snprintf(grey, sizeof grey, "%.*s", (int)(is - text), text);
        RILL_TRY(rill_voxelize_parse_pore(grey, &o));
        if (o.pore_count != 1)
            return rill_fail(RILL_USAGE, "--phase %s: one value or range before the =", text);
        memcpy(c->phases[i].grey, o.pore[0], sizeof o.pore[0]);
        RILL_TRY(cli_option_read(&ratio, is + 1));
        c->options.ratio[i] = c->phases[i].ratio;
    }
    c->options.phase_count = c->phase_texts.count;
    return RILL_OK;
done:
    rill_fail_prefix("--phase");
    return status;
}

static rill_status read_image(choices *c)
{
    rill_status status = RILL_OK;
    rill_voxelize_options options;
    rill_voxelize_report report;
    RILL_TRY(cli_image_resolve(&c->image, &options));
    options.keep = RILL_KEEP_ALL;
    options.axis = c->options.axis;
    options.contacts = rill_contacts_of(RILL_D3Q19); /* what flow percolates through is shown, too */
    options.command = c->line;
    if (c->options.phase_count)
        RILL_TRY(rill_image_voxelize_phases(c->input, &options, c->phases, c->options.phase_count,
                                            c->options.progress, &c->geom, &report));
    else
        RILL_TRY(rill_image_voxelize(c->input, &options, c->options.progress, &c->geom, &report));
    memcpy(c->file_axes, report.axes, sizeof report.axes);
    if (c->compute.quiet) return RILL_OK;
    cli_row("source", "%s", c->input);
    cli_image_rows(&report);
done:
    return status;
}

static rill_status read_geometry(choices *c)
{
    rill_status status = RILL_OK;
    if (c->options.phase_count)
        return rill_fail(RILL_USAGE, "%s is a geometry, no image: give --phase with the image", c->input);
    memcpy(c->file_axes, cli_axes_ours, sizeof cli_axes_ours);
    RILL_TRY(cli_image_geometry_read(&c->image, c->input, NULL, &c->geom));
    for (uint64_t v = 0; v < rill_geom_voxels(c->geom); v++)
        if (c->geom->voxels[v] > RILL_FLUID) c->geom->voxels[v] = RILL_FLUID; /* labels of openings */
done:
    return status;
}

static rill_status axis_settle(choices *c)
{
    rill_status status = RILL_OK;
    cli_axes given;
    unsigned letters = 0;
    c->options.axis = RILL_AXIS_AUTO;
    if (strcmp(c->axes, "auto") == 0) return RILL_OK;
    RILL_TRY(cli_axes_parse(c->axes, strlen(c->axes), &given));
    RILL_TRY(cli_axes_of_files(&given, &c->image, c->inputs, c->input_count, &letters));
    c->options.axis = rill_axes_of(letters);
done:
    if (status != RILL_OK) rill_fail_prefix("--axis");
    return status;
}

/* Hand out concentration and flux, in the place of density and velocity. */
static rill_status moments_of(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    const rill_diffusion_field *field = context;
    memcpy(rho, field->concentration + first, count * sizeof *rho);
    field->flux(field, first, count, u);
    return RILL_OK;
}

static rill_status fields_write(void *context, const rill_diffusion_field *field)
{
    choices *c = context;
    c->written[field->axis] = true;
    return cli_solute_fields_write(&(cli_solute_fields){.geom = c->geom,
                                                        .moments = moments_of,
                                                        .context = field,
                                                        .vector = "flux",
                                                        .number = "concentration",
                                                        .unit = {1, "D0/voxel", 0, 0},
                                                        .command = c->line,
                                                        .progress = c->options.progress,
                                                        .kind = c->fields,
                                                        .path = c->names[field->axis]});
}

/* "out.h5" becomes "out.vtkhdf", or "out.x.vtkhdf" where there are several axes. */
static rill_status fields_prepare(choices *c)
{
    if (c->fields == RILL_FIELDS_NONE) return RILL_OK;
    for (int a = 0; a < 3; a++) {
        const char which[] = {'.', rill_axis(a), '\0'};
        const bool several = c->options.axis != RILL_AXIS_AUTO && rill_axes_count(c->options.axis) > 1;
        if (c->options.axis != RILL_AXIS_AUTO && !rill_axes_has(c->options.axis, a)) continue;
        const rill_status status = cli_fields_name(c->input, c->compute.json, c->compute.output,
                                                   several ? which : "", c->names[a], sizeof c->names[a]);
        if (status != RILL_OK) return status;
    }
    c->options.finished = fields_write;
    c->options.context = c;
    return RILL_OK;
}

static rill_status report(const choices *c, const rill_diffusivity *result, double start)
{
    rill_status status = RILL_OK;
    cli_diffusivity_result r = {.geom = c->geom,
                                .options = &c->options,
                                .phases = c->options.phase_count ? c->phases : NULL,
                                .result = result,
                                .input = c->input,
                                .command = c->line,
                                .file_axes = c->file_axes,
                                .json = c->compute.json,
                                .output = c->compute.output,
                                .seconds_reading = c->reading,
                                .seconds = rill_now() - start};
    for (int a = 0; a < 3; a++) /* written before the checkpoint, too */
        if (c->written[a] || (c->resume && c->names[a][0] && access(c->names[a], F_OK) == 0))
            r.fields[a] = c->names[a];
    if (r.json) RILL_TRY(cli_diffusivity_write_json(&r));
    if (r.output) RILL_TRY(cli_diffusivity_write_hdf5(&r));
    cli_progress_end();
    if (!c->compute.quiet)
        cli_diffusivity_print(&r);
    else if (!r.json)
        cli_diffusivity_print_line(&r);
    cli_notes(&cli_diffusivity, c->geom->notes, c->compute.quiet);
    cli_notes(&cli_diffusivity, result->notes, c->compute.quiet);
done:
    return status;
}

/* What would be computed, and in how much memory. */
static void plan_print(const choices *c)
{
    char need[32];
    const uint64_t nodes = rill_geom_fluid(c->geom);
    rill_units_format_bytes((double)rill_diffusivity_bytes(nodes, c->options.phase_count), need, sizeof need);
    cli_row("voxels", "%u x %u x %u", c->geom->n[0], c->geom->n[1], c->geom->n[2]);
    cli_row("nodes", "%llu at most: pores that cannot conduct are dropped%s", (unsigned long long)nodes,
            c->options.keep_all ? ", but not with --keep all" : "");
    cli_row("gradient along", "%s", rill_axes_name(rill_axes_resolve(c->options.axis, c->geom->n)));
    cli_row("memory", "at most about %s of %s, beside the image", need,
            c->options.on.device->backend->host ? "the host" : "the host and of the device each");
    cli_row("device", "%s", rill_device_name(c->options.on.device));
}

/* Several inputs, or blocks: options that make files of one sample do not apply. */
static rill_status batch(choices *c)
{
    const cli_flow none = {.pressure = 0};
    cli_batch b = {.command = &cli_diffusivity,
                   .compute = &c->compute,
                   .devices = &c->devices,
                   .image = &c->image,
                   .options = rill_permeability_options_default(),
                   .diffusivity = &c->options,
                   .phases = c->options.phase_count ? c->phases : NULL,
                   .flow = &none,
                   .inputs = c->inputs,
                   .count = c->input_count,
                   .csv = c->csv,
                   .blocks = c->blocks,
                   .at_once = c->at_once,
                   .resume = c->resume,
                   .dry_run = c->dry_run,
                   .line = c->line,
                   .progress = c->options.progress};
    if (c->checkpoint)
        return rill_fail(
            RILL_USAGE,
            "--checkpoint belongs to one sample; the table of a batch says what is done: leave it out");
    if (c->compute.output || c->fields != RILL_FIELDS_NONE || c->options.error_bar)
        return rill_fail(
            RILL_USAGE,
            "%s belongs to one sample, and does not go with several inputs, --csv or --blocks: leave it out",
            c->compute.output      ? "-o"
            : c->options.error_bar ? "--error-bar"
                                   : "--fields");
    if (c->blocks && !c->axis_given) c->options.axis = RILL_AXES_XYZ; /* for the anisotropy */
    b.options.axis = c->options.axis;
    b.options.on.backend = (rill_backend_kind)c->compute.backend;
    return cli_batch_run(&b);
}

static rill_status work(choices *c)
{
    rill_status status = RILL_OK;
    const double start = rill_now();
    rill_diffusivity result = {.run_count = 0};
    rill_device_opening opening;
    bool opens = false;
    if (c->devices.count > 1 || (c->devices.list && c->devices.count == 0))
        return rill_fail(RILL_USAGE,
                         "--devices %s: one device computes a sample, several distribute a batch: name one",
                         c->devices.list);
    RILL_TRY(cli_checkpoint_settle(&(cli_checkpoint){.given = c->checkpoint,
                                                     .output = c->compute.output,
                                                     .input = c->input,
                                                     .command = "diffusivity",
                                                     .resume = c->resume},
                                   c->checkpoint_name, sizeof c->checkpoint_name));
    c->options.checkpoint = c->checkpoint_name;
    c->options.checkpoint_stays = true; /* until the files are written */
    c->options.resume = c->resume;
    RILL_TRY(cli_outputs_check(c->input,
                               (cli_output[]){{"-o", c->compute.output},
                                              {"--json", c->compute.json},
                                              {"--checkpoint", c->checkpoint}},
                               3));
    RILL_TRY(fields_prepare(c));
    RILL_TRY(cli_input_prepare(c->input));
    rill_device_begin((rill_backend_kind)c->compute.backend, cli_devices_first(&c->devices),
                      &opening); /* while the image is read */
    opens = true;
    RILL_TRY(rill_file_is_ours(c->input) ? read_geometry(c) : read_image(c));
    c->reading = rill_now() - start;
    opens = false;
    RILL_TRY(rill_device_end(&opening, &c->options.on.device));
    if (c->dry_run) {
        plan_print(c);
        goto done;
    }
    status = rill_diffusivity_compute(c->geom, &c->options, &result);
    if (status == RILL_OK || (status == RILL_NUMERICS && result.run_count > 0)) {
        char why[1024];
        snprintf(why, sizeof why, "%s", rill_error_message());
        status = cli_checkpoint_finish(&(cli_checkpoint_end){c->checkpoint_name, result.checkpoint_left,
                                                             status, why, report(c, &result, start)});
    }
done:
    if (opens) rill_device_drop(&opening);
    rill_diffusivity_free(&result);
    rill_geom_destroy(c->geom);
    rill_device_destroy(c->options.on.device);
    return status;
}

static int run(int argc, char **argv);

const cli_command cli_diffusivity = {
    .name = "diffusivity",
    .usage = "IMAGE|GEOM.geom.h5... [options]",
    .summary = "compute the effective diffusivity of a pore space, its formation and tortuosity factors",
    .details =
        "Steady diffusion through the faces that pore voxels share, with no flux into the solid: the standard\n"
        "7-point finite volumes, as in TauFactor and PoreSpy. D_eff is the mean flux over the mean gradient,\n"
        "over all voxels of the sample; the formation factor F is its inverse, D0 / D_eff; the tortuosity\n"
        "factor is phi D0 / D_eff, a factor of diffusion, and not the hydraulic tortuosity that `rill\n"
        "permeability` prints. D_eff is printed with a bound from below: whatever iterations are left, it is\n"
        "between both.\n\n"
        "--drive gradient: a mean gradient between periodic or mirrored boundaries (--sides). outside: values\n"
        "at two faces, half a voxel outside the first and last centres, as TauFactor does; inside: values in\n"
        "the first and last slices, as PoreSpy does. Nothing passes the other boundaries then unless they\n"
        "are periodic.\n\n"
        "Several inputs, or --blocks, are a batch, with the table, the curve and the map of `rill\n"
        "permeability --help`: D / D0 is in the place of k. --devices distributes the items.\n\n"
        "A checkpoint is written every 10 minutes, and by SIGTERM, SIGINT (control-C), SIGHUP and SIGUSR2, which\n"
        "stop the run; --resume goes on from it with the same options, to the same bits.\n\n"
        "Exit code 2: nothing percolates through faces, or not converged.",
    .examples =
        "rill diffusivity rock.tif --pore 0 --sides mirror\n"
        "rill diffusivity rock.tif --pore 0 --axis xyz --json d.json -o d.h5\n"
        "rill diffusivity electrode.tif --phase 0=1 --phase 128=0.05 --drive outside --sides mirror\n",
    .run = run,
};

static int run_words(int argc, char **argv)
{
    choices c = {.axes = "auto", .options = rill_diffusivity_options_default()};
    int count = argc > 1 ? argc : 1;
    const char **inputs = calloc((size_t)count, sizeof *inputs);
    bool help = false;
    cli_option shared[8];
    if (!inputs) return cli_report(&cli_diffusivity, rill_fail(RILL_SYSTEM, "out of memory for the inputs"));
    cli_image_defaults(&c.image);
    cli_compute_defaults(&c.compute);
    c.compute.shown.output = "none";
    c.compute.tolerance = c.options.tolerance;
    c.most = c.options.max_iterations;
    const cli_option own[] = {
        {.help = "Diffusivity"},
        CLI_CASE(c.input),
        {"axis", 0, CLI_TEXT, &c.axes, "AXES",
         "axis of the gradient, or several: xy, xz, yz, xyz: the tensor; 0, 1, 2 count the axes of the file; auto: z, and x of one slice; xyz with --blocks",
         .given = &c.axis_given},
        {"drive", 0, CLI_CHOICE, &c.drive,
         .help =
             "what drives: a mean gradient, or values at two faces, half a voxel outside the sample (TauFactor) or inside, in its end slices (PoreSpy)",
         .choices = cli_diffusion_drives},
        {"phase", 0, CLI_MULTI, &c.phase_texts, "GREY=RATIO",
         "a grey value, or a range (10-20), that conducts RATIO times D0, from 1e-6 to 1e6; once for each phase, in place of --pore",
         .fallback = "none"},
        {"keep", 0, CLI_CHOICE, &c.keep,
         .help = "which pores take part: those that percolate along the gradient, or all", .choices = keeps},
        {"error-bar", 0, CLI_FLAG, &c.options.error_bar,
         .help =
             "estimate how far D may be from that of the shape, from images with voxels 2 and 4 times as large"},
        {"fields", 0, CLI_CHOICE, &c.fields,
         .help = "concentration and flux as VTKHDF beside -o: image (all voxels) or sparse (fluid cells)",
         .choices = kinds},
        {"max-iterations", 0, CLI_COUNT, &c.most, "COUNT", "iterations to give up after", .min = 1,
         .max = 1e9},
        {"devices", 0, CLI_TEXT, &c.devices.list, "LIST",
         "the GPU that computes, or those that items of a batch are distributed to: 1, 0,1 or all",
         .fallback = "0"},
        {"checkpoint", 0, CLI_TEXT, &c.checkpoint, "FILE", "file to continue from, while the run goes on",
         .fallback = "the name of -o, or of the input and .diffusivity here, with .checkpoint.h5",
         .apply = cli_output_apply},
        {"checkpoint-every", 0, CLI_TIME, &c.options.checkpoint_every, "TIME",
         "wall-clock time between checkpoints, as 30min; 0s: on signals alone", .fallback = "10min", .min = 0,
         .max = 1e8},
        {.help = "Batch"},
        {"csv", 0, CLI_TEXT, &c.csv, "FILE", "table with a row for each input or block", .fallback = "none",
         .apply = cli_csv_apply},
        {"blocks", 0, CLI_TEXT, &c.blocks, "SIZES",
         "cut the image into cubes of this edge, in voxels or as a length; several sizes with commas between: 50,100,200um",
         .fallback = "none"},
        {"resume", 0, CLI_FLAG, &c.resume,
         .help =
             "continue from the checkpoint, to the same bits; of a batch: keep the rows of the table that have the same input and options"},
        {"at-once", 0, CLI_INT, &c.at_once, "COUNT", "items that are computed at the same time",
         .fallback = "chosen, by device and size", .min = 1, .max = 1024, .rare = true},
        {"dry-run", 0, CLI_FLAG, &c.dry_run, .help = "print what would be done, and stop"},
        {0},
    };
    cli_compute_pick(&c.compute, cli_solver_flags, shared, sizeof shared / sizeof *shared);
    const cli_option *const tables[] = {own, cli_image_options(&c.image), shared, NULL};
    rill_status status = cli_parse(&cli_diffusivity, tables, argc, argv, inputs, &count, &help);
    if (!help && status == RILL_OK && count == 0)
        status = rill_fail(
            RILL_USAGE,
            "no image or geometry is given: rill diffusivity IMAGE --pore 0, or the key input in the file of --case");
    if (!help && status == RILL_OK) {
        c.input = inputs[0];
        c.inputs = inputs;
        c.input_count = count;
        if (c.resume) cli_outputs_continue();
        c.line = cli_command_line(argc, argv);
        c.options.progress = cli_progress(c.compute.quiet);
        c.options.drive = (rill_diffusion_drive)c.drive;
        c.options.keep_all = c.keep == 1;
        c.options.tolerance = c.compute.tolerance;
        c.options.max_iterations = c.most;
        cli_signals_catch(true);
        if (!c.line) status = rill_fail(RILL_SYSTEM, "out of memory for the command line");
        if (status == RILL_OK) status = phases_parse(&c);
        if (status == RILL_OK) status = axis_settle(&c);
        if (status == RILL_OK) status = cli_devices_parse(&c.devices);
        status = status != RILL_OK                             ? status
                 : count > 1 || c.csv || c.blocks || c.at_once ? batch(&c)
                                                               : work(&c);
    }
    free(c.line);
    free(inputs);
    return help ? RILL_OK : cli_report(&cli_diffusivity, status);
}

static int run(int argc, char **argv) { return cli_case_run(&cli_diffusivity, argc, argv, run_words); }
