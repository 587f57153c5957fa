/* SPDX-License-Identifier: Apache-2.0 */
/* rill diffusivity: from an image or a geometry to the effective diffusivity of its pores. The physics is in
 * diffusion/, what is printed and written is diffusivity_output.c's. */
#include "cli/axis_option.h"
#include "cli/diffusivity.h"
#include "cli/permeability.h"
#include "cli/words.h"
#include "core/clock.h"
#include "core/units.h"
#include "device/device.h"
#include "diffusion/diffusion.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/components.h"
#include "io/ours.h"

#include <string.h>
#include <unistd.h>

const char *const cli_diffusion_drives[] = {"gradient", "outside", "inside", NULL};

typedef struct choices {
    cli_property p;
    cli_list phase_texts;
    rill_phase phases[RILL_PHASES];
    int drive, keep;
    char names[3][4096]; /* of the field files of the runs along x, y, z */
    bool written[3];
    rill_diffusivity_options options;
    rill_diffusivity result;
} choices;

/* Read --phase 0=1, 10-20=0.3. */
static rill_status phases_parse(choices *c)
{
    rill_status status = RILL_OK;
    if (c->phase_texts.count > RILL_PHASES)
        return rill_fail(RILL_USAGE, "%d phases are more than %d", c->phase_texts.count, RILL_PHASES);
    if (c->phase_texts.count && (c->p.image.pore || c->p.image.threshold))
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
    RILL_TRY(cli_property_image(&c->p, &options));
    options.axis = c->options.axis;
    options.contacts = rill_contacts_of(RILL_D3Q19); /* what flow percolates through is shown, too */
    if (c->options.phase_count)
        RILL_TRY(rill_image_voxelize_phases(c->p.input, &options, c->phases, c->options.phase_count,
                                            c->p.progress, &c->p.geom, &report));
    else
        RILL_TRY(rill_image_voxelize(c->p.input, &options, c->p.progress, &c->p.geom, &report));
    cli_property_read(&c->p, &report);
done:
    return status;
}

static rill_status read_geometry(choices *c)
{
    rill_status status = RILL_OK;
    cli_property *p = &c->p;
    if (c->options.phase_count)
        return rill_fail(RILL_USAGE, "%s is a geometry, no image: give --phase with the image", p->input);
    memcpy(p->file_axes, cli_axes_ours, sizeof cli_axes_ours);
    RILL_TRY(cli_image_geometry_read(&p->image, p->input, NULL, &p->geom));
    for (uint64_t v = 0; v < rill_geom_voxels(p->geom); v++)
        if (p->geom->voxels[v] > RILL_FLUID) p->geom->voxels[v] = RILL_FLUID; /* labels of openings */
done:
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
    return cli_property_fields(&c->p,
                               &(cli_solute_fields){.moments = moments_of,
                                                    .context = field,
                                                    .vector = "flux",
                                                    .number = "concentration",
                                                    .unit = {1, "D0/voxel", 0, 0}},
                               c->names[field->axis]);
}

/* "out.h5" becomes "out.vtkhdf", or "out.x.vtkhdf" where there are several axes. */
static rill_status fields_prepare(choices *c)
{
    if (c->p.fields == RILL_FIELDS_NONE) return RILL_OK;
    const bool open = c->options.axis == RILL_AXIS_AUTO;
    for (int a = 0; a < 3; a++) {
        const char which[] = {'.', rill_axis(a), '\0'};
        if (!open && !rill_axes_has(c->options.axis, a)) continue;
        const rill_status status = cli_fields_name(c->p.input, c->p.compute.json, c->p.compute.output,
                                                   !open && rill_axes_count(c->options.axis) > 1 ? which : "",
                                                   c->names[a], sizeof c->names[a]);
        if (status != RILL_OK) return status;
    }
    c->options.finished = fields_write;
    c->options.context = c;
    return RILL_OK;
}

static rill_status report(void *context)
{
    const choices *c = context;
    cli_diffusivity_result r = {.p = &c->p,
                                .options = &c->options,
                                .phases = c->options.phase_count ? c->phases : NULL,
                                .result = &c->result,
                                .seconds = rill_now() - c->p.start};
    for (int a = 0; a < 3; a++) /* written before the checkpoint, too */
        if (c->written[a] || (c->p.resume && c->names[a][0] && access(c->names[a], F_OK) == 0))
            r.fields[a] = c->names[a];
    return cli_diffusivity_report(&r);
}

/* What would be computed, and in how much memory. */
static void plan_print(const choices *c, const rill_device *device)
{
    char need[32];
    const rill_geom *geom = c->p.geom;
    const uint64_t nodes = rill_geom_fluid(geom);
    rill_units_format_bytes((double)rill_diffusivity_bytes(nodes, c->options.phase_count), need, sizeof need);
    cli_row("voxels", "%u x %u x %u", geom->n[0], geom->n[1], geom->n[2]);
    cli_row("nodes", "%llu at most: pores that cannot conduct are dropped%s", (unsigned long long)nodes,
            c->options.keep_all ? ", but not with --keep all" : "");
    cli_row("gradient along", "%s", rill_axes_name(rill_axes_resolve(c->options.axis, geom->n)));
    cli_row("memory", "at most about %s of %s, beside the image", need,
            device->backend->host ? "the host" : "the host and of the device each");
    cli_row("device", "%s", rill_device_name(device));
}

/* Several inputs, or blocks: options that make files of one sample do not apply. */
static rill_status batch(choices *c)
{
    const cli_flow none = {.pressure = 0};
    cli_batch b = cli_batch_of(&c->p);
    const rill_status status =
        cli_property_batch_check(&c->p, (cli_output[]){{"--error-bar", c->options.error_bar ? "" : NULL}}, 1);
    if (status != RILL_OK) return status;
    if (c->p.blocks && !c->p.axis_given) c->options.axis = RILL_AXES_XYZ; /* for the anisotropy */
    b.diffusivity = &c->options;
    b.phases = c->options.phase_count ? c->phases : NULL;
    b.flow = &none;
    b.options = rill_permeability_options_default();
    b.options.axis = c->options.axis;
    b.options.on.backend = (rill_backend_kind)c->p.compute.backend;
    return cli_batch_run(&b);
}

static rill_status sample(choices *c)
{
    rill_status status = RILL_OK;
    cli_property *p = &c->p;
    const rill_backend_kind backend = (rill_backend_kind)p->compute.backend;
    rill_device_opening opening;
    bool opens = false;
    if (p->devices.count > 1 || (p->devices.list && p->devices.count == 0))
        return rill_fail(RILL_USAGE,
                         "--devices %s: one device computes a sample, several distribute a batch: name one",
                         p->devices.list);
    RILL_TRY(cli_property_outputs(p, false));
    c->options.checkpoint = p->checkpoint_name;
    c->options.checkpoint_stays = true; /* until the files are written */
    c->options.resume = p->resume;
    RILL_TRY(fields_prepare(c));
    RILL_TRY(cli_input_prepare(p->input));
    rill_device_begin(backend, cli_devices_first(&p->devices), &opening); /* while the image is read */
    opens = true;
    RILL_TRY(rill_file_is_ours(p->input) ? read_geometry(c) : read_image(c));
    p->reading = rill_now() - p->start;
    opens = false;
    if (p->dry_run) {
        rill_device *device = NULL;
        RILL_TRY(rill_device_end(&opening, &device));
        plan_print(c, device);
        rill_device_destroy(device);
        goto done;
    }
    status = rill_diffusivity_compute_opening(p->geom, &c->options, &opening, &c->result);
    if (status == RILL_OK || (status == RILL_NUMERICS && c->result.run_count > 0))
        status = cli_property_finish(p, status, c->result.checkpoint_left, report, c);
done:
    if (opens) rill_device_drop(&opening);
    rill_diffusivity_free(&c->result);
    return status;
}

static rill_status work(void *context)
{
    rill_status status = RILL_OK;
    choices *c = context;
    c->options.progress = c->p.progress;
    c->options.drive = (rill_diffusion_drive)c->drive;
    c->options.keep_all = c->keep == 1;
    c->options.tolerance = c->p.compute.tolerance;
    RILL_TRY(phases_parse(c));
    RILL_TRY(cli_property_axis(&c->p, &c->options.axis));
    RILL_TRY(cli_devices_parse(&c->p.devices));
    status = cli_property_is_batch(&c->p) ? batch(c) : sample(c);
done:
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
    choices c = {
        .p =
            {.command = &cli_diffusivity,
             .lacking =
                 "no image or geometry is given: rill diffusivity IMAGE --pore 0, or the key input in the file of --case"},
        .options = rill_diffusivity_options_default()};
    cli_property *p = &c.p;
    cli_option shared[8];
    cli_property_defaults(p);
    p->compute.tolerance = c.options.tolerance;
    const cli_option own[] = {
        {.help = "Diffusivity"},
        CLI_CASE(p->input),
        {"axis", 0, CLI_TEXT, &p->axes, "AXES",
         "axis of the gradient, or several: xy, xz, yz, xyz: the tensor; 0, 1, 2 count the axes of the file; auto: z, and x of one slice; xyz with --blocks",
         .given = &p->axis_given},
        {"drive", 0, CLI_CHOICE, &c.drive,
         .help =
             "what drives: a mean gradient, or values at two faces, half a voxel outside the sample (TauFactor) or inside, in its end slices (PoreSpy)",
         .choices = cli_diffusion_drives},
        {"phase", 0, CLI_MULTI, &c.phase_texts, "GREY=RATIO",
         "a grey value, or a range (10-20), that conducts RATIO times D0, from 1e-6 to 1e6; once for each phase, in place of --pore",
         .fallback = "none"},
        {"keep", 0, CLI_CHOICE, &c.keep,
         .help = "which pores take part: those that percolate along the gradient, or all",
         .choices = cli_keeps},
        {"error-bar", 0, CLI_FLAG, &c.options.error_bar,
         .help =
             "estimate how far D may be from that of the shape, from images with voxels 2 and 4 times as large"},
        {"fields", 0, CLI_CHOICE, &p->fields,
         .help = "concentration and flux as VTKHDF beside -o: image (all voxels) or sparse (fluid cells)",
         .choices = cli_fields_kinds},
        {"max-iterations", 0, CLI_COUNT, &c.options.max_iterations, "COUNT", "iterations to give up after",
         .min = 1, .max = 1e9},
        {"devices", 0, CLI_TEXT, &p->devices.list, "LIST",
         "the GPU that computes, or those that items of a batch are distributed to: 1, 0,1 or all",
         .fallback = "0"},
        {"checkpoint", 0, CLI_TEXT, &p->checkpoint, "FILE", "file to continue from, while the run goes on",
         .fallback = "the name of -o, or of the input and .diffusivity here, with .checkpoint.h5",
         .apply = cli_output_apply},
        {"checkpoint-every", 0, CLI_TIME, &c.options.checkpoint_every, "TIME",
         "wall-clock time between checkpoints, as 30min; 0s: on signals alone", .fallback = "10min", .min = 0,
         .max = 1e8},
        {"resume", 0, CLI_FLAG, &p->resume,
         .help =
             "continue from the checkpoint, to the same bits; of a batch: keep the rows of the table that have the same input and options"},
        CLI_BATCH(c.p),
        {0},
    };
    cli_compute_pick(&p->compute, cli_solver_flags, shared, sizeof shared / sizeof *shared);
    const cli_option *const tables[] = {own, cli_image_options(&p->image), shared, NULL};
    return cli_property_run(p, tables, true, argc, argv, work, &c);
}

static int run(int argc, char **argv) { return cli_case_run(&cli_diffusivity, argc, argv, run_words); }
