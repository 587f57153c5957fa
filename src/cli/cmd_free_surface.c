/* SPDX-License-Identifier: Apache-2.0 */
/* rill free-surface: a liquid with a free surface. The physics is in free_surface/. */
#include "cli/image_options.h"
#include "cli/step_options.h"
#include "free_surface/run.h"

#include "io/ours.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const shapes[] = {"pool", "drop",  "bubble", "column",
                                     "wave", "image", NULL}; /* rill_liquid_shape */
static const char *const faces[] = {"none", "x-", "x+", "y-", "y+", "z-", "z+", NULL};
enum { Z_HIGH = 6 };                           /* of faces */
static const char *const files[] = {"", NULL}; /* of a step */

/* What says where the liquid is, and the shapes that it belongs to. */
enum { LENGTHS = 6, HEIGHT = 2 };
#define OF(shape) (1U << RILL_LIQUID_##shape)
static const struct {
    const char *option;
    unsigned shapes;
} lengths[LENGTHS] = {
    {"depth", OF(POOL) | OF(DROP) | OF(COLUMN) | OF(WAVE)},
    {"radius", OF(DROP) | OF(BUBBLE)},
    {"height", OF(DROP) | OF(BUBBLE)},
    {"speed", OF(DROP)},
    {"width", OF(COLUMN)},
    {"amplitude", OF(WAVE)},
};

typedef struct choices {
    rill_free_surface_case given;
    const char *inputs[2];                   /* the shape, an image of the solid */
    const char *liquid_name, *liquid_values; /* an image of the liquid, and its values that are liquid */
    cli_image image;
    rill_geom *solid, *liquid;       /* owned */
    int inflow, outflow, atmosphere; /* of faces */
    cli_step_choices step;
    bool quiet, size_given, inflow_given, speed_given, outflow_given, atmosphere_given, gas_given;
    bool lengths_given[LENGTHS]; /* as they are in the help */
} choices;

static rill_status parse(choices *c, int argc, char **argv, bool *help)
{
    rill_status status = RILL_OK;
    rill_free_surface_case *g = &c->given;
    const double most = 1e9;
    int count = 2;
    cli_option steps[CLI_STEP_OPTIONS + 1] = {{0}};
    const cli_option options[] = {
        {.help = "The liquid, in voxels"},
        {"nx", 0, CLI_UINT32, &g->n[0], "N", "voxels along x, without an image", .min = 1, .max = 100000,
         .given = &c->size_given},
        {"ny", 0, CLI_UINT32, &g->n[1], "N", "voxels along y", .min = 1, .max = 100000,
         .given = &c->size_given},
        {"nz", 0, CLI_UINT32, &g->n[2], "N", "voxels along z, between floor and ceiling", .min = 1,
         .max = 100000, .given = &c->size_given},
        {"depth", 0, CLI_REAL, &g->depth, "LENGTH", "level of the pool, height of a column", .min = 0,
         .max = most, .given = &c->lengths_given[0]},
        {"radius", 0, CLI_REAL, &g->radius, "LENGTH", "of the drop or bubble", .min = 0, .max = most,
         .given = &c->lengths_given[1]},
        {"height", 0, CLI_REAL, &g->height, "LENGTH", "of its centre above the floor", "in the middle",
         .min = 0, .max = most, .given = &c->lengths_given[HEIGHT]},
        {"speed", 0, CLI_REAL, &g->speed, "U", "of the drop, downwards, in voxels per step", .min = 0,
         .max = 0.2, .given = &c->lengths_given[3]},
        {"width", 0, CLI_REAL, &g->width, "LENGTH", "of a column along x", .min = 0, .max = most,
         .given = &c->lengths_given[4]},
        {"amplitude", 0, CLI_REAL, &g->amplitude, "LENGTH", "of a wave of the length nx", .min = 0,
         .max = most, .given = &c->lengths_given[5]},
        {"liquid", 0, CLI_TEXT, &c->liquid_name, "FILE",
         "of the shape image: where liquid is at the start, an image as large as the box",
         .fallback = "none"},
        {"liquid-values", 0, CLI_TEXT, &c->liquid_values, "VALUES",
         "grey values of this image that are liquid, such as 1 or 128-255",
         .fallback = "True where the file holds bool"},
        {"inflow", 0, CLI_CHOICE, &c->inflow, NULL, "face through which liquid comes in", .choices = faces},
        {"inflow-speed", 0, CLI_REAL, &g->inflow.speed, "U", "there, in voxels per step", .min = 0,
         .max = 0.2, .given = &c->speed_given},
        {"inflow-level", 0, CLI_REAL, &g->inflow.level, "LENGTH", "below which it comes in", "whole face",
         .min = 0, .max = most, .given = &c->inflow_given},
        {"outflow", 0, CLI_CHOICE, &c->outflow, NULL, "face through which it goes out", .choices = faces},
        {"outflow-level", 0, CLI_REAL, &g->outflow.level, "LENGTH",
         "to the pressure of a liquid at rest below this level, and of the gas above", .min = 0, .max = most,
         .given = &c->outflow_given},
        {.help = "The physics, in lattice units: density, voxel and step are 1"},
        {"tau", 0, CLI_REAL, &g->tau, "T", "relaxation time: kinematic viscosity (tau - 1/2) / 3", .min = 0.5,
         .max = 100, .above = true},
        {"tension", 0, CLI_REAL, &g->tension, "SIGMA", "surface tension", .min = 0, .max = 1},
        {"contact-angle", 0, CLI_REAL, &g->contact_angle, "DEGREES", "of the surface at walls, in the liquid",
         .min = 1, .max = 179},
        {"gas-pressure", 0, CLI_REAL, &g->gas_pressure, "P",
         "of the atmosphere: p V of closed bubbles, which begin with it, stays what it is",
         "constant in all gas", .min = 0, .max = 1.0 / 3, .above = true, .given = &c->gas_given},
        {"atmosphere", 0, CLI_CHOICE, &c->atmosphere, NULL,
         "face that is open to it for gas, beside the outflow", .choices = faces,
         .given = &c->atmosphere_given},
        {"gravity", 0, CLI_REAL, &g->gravity, "G", "acceleration along -z", .min = 0, .max = 1},
        {.help = "The run"},
        {"steps", 0, CLI_COUNT, &g->steps, "N", "time steps"},
        {"every", 0, CLI_COUNT, &g->every, "N", "steps between field files beside the result; 0: none"},
        {"output", 'o', CLI_TEXT, &g->output, "FILE.h5", "result file", .fallback = "none",
         .apply = cli_output_apply},
        {"quiet", 'q', CLI_FLAG, &c->quiet, .help = "print nothing but errors"},
        CLI_OVERWRITE,
        {0}};
    cli_image_defaults(&c->image);
    const cli_option *tables[] = {options, steps, cli_image_options(&c->image), NULL};
    cli_step_options(&c->step, steps);
    RILL_TRY(cli_parse(&cli_free_surface, tables, argc, argv, c->inputs, &count, help));
    if (*help) goto done;
    if (count < 1)
        RILL_TRY(
            rill_fail(RILL_USAGE, "name the shape of the liquid: pool, drop, bubble, column, wave or image"));
done:
    return status;
}

/* Take boundaries, of which those along z are walls always. */
static rill_status take_sides(rill_free_surface_case *g, const rill_side sides[3])
{
    for (int a = 0; a < 3; a++)
        if (sides[a] == RILL_MIRROR)
            return rill_fail(
                RILL_USAGE,
                "the box is mirrored along %c, and a free surface has periodic boundaries and walls: give --sides without mirror",
                rill_axis(a));
    for (int a = 0; a < 2; a++) g->walls[a] = sides[a] == RILL_WALL;
    return RILL_OK;
}

/* Let a message speak of a liquid where it speaks of pores, and of the option that says which values are. */
static rill_status of_liquid(const char *name, rill_status status)
{
    static const char *const words[][2] = {{"--pore", "--liquid-values"},
                                           {"pore values", "values of the liquid"},
                                           {"pore, all are solid", "liquid"},
                                           {"are pore", "are liquid"}};
    char said[2048], text[2048];
    const char *of = rill_error_message();
    const size_t length = strlen(name);
    if (strncmp(of, name, length) == 0 && strncmp(of + length, ": ", 2) == 0) of += length + 2;
    snprintf(text, sizeof text, "%s", of);
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        snprintf(said, sizeof said, "%s", text);
        *text = '\0';
        for (const char *c = said, *next; c; c = next ? next + strlen(words[k][0]) : NULL) {
            const size_t at = strlen(text);
            next = strstr(c, words[k][0]);
            snprintf(text + at, sizeof text - at, "%.*s%s", (int)(next ? (size_t)(next - c) : strlen(c)), c,
                     next ? words[k][1] : "");
        }
    }
    char *former = strstr(text, ". Former versions"); /* had no liquid */
    if (former) *former = '\0';
    return rill_fail(status, "--liquid %s: %s", name, text);
}

/* Read the image of the liquid: its values are its own, and it has no sample. */
static rill_status read_liquid(choices *c)
{
    rill_voxelize_options options;
    rill_voxelize_report report;
    cli_image image = c->image;
    image.pore = c->liquid_values;
    image.threshold = image.outside = image.core = image.mask = image.mask_inside = NULL;
    rill_status status = cli_image_resolve(&image, &options);
    options.keep = RILL_KEEP_ALL;
    if (status == RILL_OK)
        status = rill_image_voxelize(c->liquid_name, &options, c->given.progress, &c->liquid, &report);
    return status == RILL_OK || status == RILL_CANCELLED ? status : of_liquid(c->liquid_name, status);
}

/* Refuse options that would do nothing. */
static rill_status check_images(const choices *c, bool geometry)
{
    const cli_image *i = &c->image;
    bool wide;
    const rill_status status = cli_image_threshold_wide(i, &wide);
    if (status != RILL_OK) return status;
    if (wide)
        return rill_fail(
            RILL_USAGE, "--threshold %s has a width, and a free surface takes one value: leave the width out",
            i->threshold);
    if (!c->inputs[1] && !c->liquid_name && (cli_image_given(i) || i->voxel_size_given))
        return rill_fail(RILL_USAGE, "options of images belong to one: name it behind the shape");
    if (c->liquid_values && !c->liquid_name)
        return rill_fail(RILL_USAGE, "--liquid-values belongs to --liquid: name the image");
    if (c->inputs[1] && c->size_given)
        return rill_fail(RILL_USAGE, "the box is that of %s: leave --nx, --ny and --nz out", c->inputs[1]);
    if (c->liquid_name && (geometry || !c->inputs[1]) &&
        (i->pore || i->threshold || i->outside || i->core || i->mask || i->mask_inside))
        return rill_fail(
            RILL_USAGE,
            "--pore, --threshold, --outside, --core and --mask say what is solid in an image, and have no effect on the liquid: leave them out");
    return RILL_OK;
}

/* Read the images of the solid and of the liquid. */
static rill_status read_images(choices *c)
{
    rill_status status = RILL_OK;
    rill_free_surface_case *g = &c->given;
    rill_voxelize_options options;
    rill_voxelize_report report;
    RILL_TRY(cli_sides_parse(c->image.sides, &options));
    RILL_TRY(take_sides(g, options.sides));
    for (int k = 0; k < CLI_STEP_INPUTS; k++)
        if (c->step.inputs[k]) RILL_TRY(cli_input_prepare(c->step.inputs[k]));
    const bool geometry = c->inputs[1] && rill_file_is_ours(c->inputs[1]);
    RILL_TRY(check_images(c, geometry));
    if (geometry) {
        cli_image image = c->image;
        if (c->liquid_name) image.given = image.axes_given = false; /* they are of the liquid */
        RILL_TRY(cli_image_geometry_read(&image, c->inputs[1], NULL, &c->solid));
    } else if (c->inputs[1]) {
        RILL_TRY(cli_image_resolve(&c->image, &options));
        options.keep = RILL_KEEP_ALL;
        RILL_TRY(rill_image_voxelize(c->inputs[1], &options, g->progress, &c->solid, &report));
    }
    if (c->solid) memcpy(g->n, c->solid->n, sizeof g->n);
    if (c->solid) RILL_TRY(take_sides(g, c->solid->sides));
    g->geom = c->solid;
    if (!c->liquid_name) return RILL_OK;
    RILL_TRY(read_liquid(c));
    g->liquid = c->liquid;
    if (!c->solid && !c->size_given) memcpy(g->n, c->liquid->n, sizeof g->n);
done:
    return status;
}

/* Set a face. @param belongs  the options that belong to it */
static rill_status face_resolve(const char *belongs, int chosen, bool given, rill_free_surface_face *out)
{
    if (given && !chosen) return rill_fail(RILL_USAGE, "%s: name the face", belongs);
    out->axis = chosen ? (chosen - 1) / 2 : 0;
    out->end = chosen ? chosen % 2 ? -1 : 1 : 0;
    return RILL_OK;
}

/* Refuse what a shape does not have, and a ball without a size. */
static rill_status check_lengths(const choices *c, int shape)
{
    for (int k = 0; k < LENGTHS; k++) {
        if (!c->lengths_given[k] || lengths[k].shapes >> shape & 1) continue;
        char with[64] = "";
        for (int s = 0; shapes[s]; s++)
            if (lengths[k].shapes >> s & 1)
                snprintf(with + strlen(with), sizeof with - strlen(with), "%s%s", *with ? ", " : "",
                         shapes[s]);
        return rill_fail(RILL_USAGE, "--%s has no effect on the shape %s: leave it out, it belongs to %s",
                         lengths[k].option, shapes[shape], with);
    }
    if ((OF(DROP) | OF(BUBBLE)) >> shape & 1 && !(c->given.radius > 0))
        return rill_fail(RILL_USAGE, "a %s needs a --radius above 0, such as 10 (voxels)", shapes[shape]);
    return RILL_OK;
}

static rill_status resolve(choices *c)
{
    rill_status status = RILL_OK;
    rill_free_surface_case *g = &c->given;
    int shape = 0;
    while (shapes[shape] && strcmp(shapes[shape], c->inputs[0]) != 0) shape++;
    if (!shapes[shape])
        return rill_fail(RILL_USAGE,
                         "%s is not a shape of a liquid: choose pool, drop, bubble, column, wave or image",
                         c->inputs[0]);
    if ((shape == RILL_LIQUID_IMAGE) != (c->liquid_name != NULL))
        return rill_fail(RILL_USAGE,
                         "the shape image takes the liquid from --liquid FILE, and no other does");
    RILL_TRY(check_lengths(c, shape));
    RILL_TRY(face_resolve("--inflow-level and --inflow-speed belong to --inflow", c->inflow,
                          c->inflow_given || c->speed_given, &g->inflow));
    RILL_TRY(face_resolve("--outflow-level belongs to --outflow", c->outflow, c->outflow_given, &g->outflow));
    if (c->outflow_given && !(g->gravity > 0))
        return rill_fail(RILL_USAGE,
                         "--outflow-level has no effect without --gravity: give it, or leave the level out");
    if (c->atmosphere_given && !c->gas_given)
        return rill_fail(RILL_USAGE,
                         "--atmosphere belongs to --gas-pressure: without, all gas has one pressure");
    RILL_TRY(face_resolve("", c->atmosphere, false, &g->atmosphere));
    g->atmosphere_needed = c->atmosphere_given;
    if (c->inflow && !(g->inflow.speed > 0))
        return rill_fail(RILL_USAGE, "--inflow needs --inflow-speed: without, nothing comes in");
    if (g->every && !g->output)
        return rill_fail(RILL_USAGE, "--every %llu needs a result file: name it by -o",
                         (unsigned long long)g->every);
    RILL_TRY(cli_step_files_few((double)g->every, (double)g->steps, "steps"));
    cli_step_resolve(&c->step, &g->stream, &g->storage, &g->backend);
    g->shape = (rill_liquid_shape)shape;
done:
    return status;
}

static double nodes_of(const rill_free_surface_case *g)
{
    return g->geom ? (double)rill_geom_fluid(g->geom) : (double)g->n[0] * g->n[1] * g->n[2];
}

static void print_plan(const rill_free_surface_case *g)
{
    const double nodes = nodes_of(g);
    const double populations = cli_step_node_bytes(g->stream, g->storage);
    cli_row("liquid", "%s", shapes[g->shape]);
    cli_row("box", "%u x %u x %u, %g nodes", g->n[0], g->n[1], g->n[2], nodes);
    cli_row("tau, nu", "%g, %g", g->tau, (g->tau - 0.5) / 3);
    cli_row("memory", "%.3g MB of populations and %.3g MB of the surface", 1e-6 * nodes * populations,
            1e-6 * nodes * (double)rill_free_surface_node_bytes(g->gas_pressure > 0));
}

static void print_outcome(const choices *c, const rill_free_surface_outcome *o)
{
    cli_row("steps", "%llu, %.3g million nodes a second", (unsigned long long)o->steps, o->mlups);
    cli_row("mass", "%.9g, changed by %.2g of it", o->last.mass, rill_free_surface_change(o));
    if (c->given.inflow.end || c->given.outflow.end)
        cli_row("came in, went out", "%.9g, %.9g", o->last.through.came, o->last.through.went);
    cli_row("volume", "%.9g", o->last.volume);
    cli_row("largest speed", "%.4g", o->last.speed_max);
    cli_row("nodes", "%llu liquid, %llu interface", (unsigned long long)o->last.nodes[RILL_LIQUID],
            (unsigned long long)o->last.nodes[RILL_INTERFACE]);
    if (c->given.gas_pressure > 0)
        cli_row("closed bubbles",
                "%llu of volume %.9g, p V %.9g (from the atmosphere %.3g, to it %.3g, lost %.3g)",
                (unsigned long long)o->last.gas.bubbles, o->last.gas.volume, o->last.gas.content,
                o->last.gas.entered, o->last.gas.left, o->last.gas.lost);
    if (c->given.output) cli_row("result", "%s", c->given.output);
}

static int run(int argc, char **argv)
{
    rill_status status = RILL_OK;
    choices c = {.given = {.n = {64, 64, 64},
                           .tau = 0.6,
                           .contact_angle = RILL_RIGHT_ANGLE,
                           .steps = 1000,
                           .inflow = {.level = INFINITY}},
                 .atmosphere = Z_HIGH};
    rill_free_surface_outcome outcome;
    char *line = NULL;
    bool help = false;
    RILL_TRY(parse(&c, argc, argv, &help));
    if (help) goto done;
    if (c.step.resume) cli_outputs_continue();
    RILL_TRY(resolve(&c));
    const char *const inputs[CLI_STEP_INPUTS] = {c.inputs[1], c.liquid_name, c.image.mask};
    memcpy(c.step.inputs, inputs, sizeof inputs);
    RILL_TRY(cli_step_outputs_check(&c.step, c.given.output, c.given.steps, c.given.every, files));
    RILL_TRY(cli_step_checkpoint(&c.step, c.given.output, &c.given.keep));
    line = cli_command_line(argc, argv);
    c.given.command = line;
    c.given.progress = cli_progress(c.quiet);
    cli_signals_catch(false);
    RILL_TRY(read_images(&c));
    if (!c.lengths_given[HEIGHT]) c.given.height = c.given.n[2] / 2.0;
    if (!c.quiet) print_plan(&c.given);
    RILL_TRY(rill_free_surface_cells_check(c.given.n));
    RILL_TRY(cli_step_room(
        nodes_of(&c.given),
        (c.given.backend == RILL_BACKEND_CUDA ? 0 : cli_step_node_bytes(c.given.stream, c.given.storage)) +
            (double)rill_free_surface_node_bytes(c.given.gas_pressure > 0)));
    status = rill_free_surface_run(&c.given, &outcome);
    cli_progress_end();
    if (status == RILL_OK && !c.quiet) print_outcome(&c, &outcome);
    status = cli_step_finish(&c.step, outcome.checkpoint_left, status);
done:
    rill_geom_destroy(c.solid);
    rill_geom_destroy(c.liquid);
    free(line);
    return cli_report(&cli_free_surface, status);
}

const cli_command cli_free_surface = {
    .name = "free-surface",
    .usage = "pool|drop|bubble|column|wave|image [IMAGE|GEOM.geom.h5] [options] -o FILE.h5",
    .summary = "compute a liquid with a free surface",
    .details =
        "The box has no solid in it, or that of an image. The gas has a constant pressure, or, with --gas-pressure, closed\n"
        "bubbles keep p V. FILE.h5 has series of mass, volume and speed, and of closed bubbles; FILE.STEP.vtkhdf has velocity,\n"
        "pressure and fill level for ParaView.",
    .examples =
        "rill free-surface drop --depth 20.3 --radius 10 --height 40 --tension 1e-3 --gravity 1e-5 -o drop.h5\n"
        "rill free-surface column --ny 1 --sides wall --depth 30 --width 20 --gravity 2e-5 -o dam.h5\n"
        "rill free-surface pool rock.tif --threshold 112 --depth 40 --tension 1e-3 --contact-angle 60 -o wet.h5\n"
        "rill free-surface pool --ny 1 --depth 12 --gravity 1e-5 --inflow x- --inflow-speed 0.01 --inflow-level 12\n"
        "  --outflow x+ --outflow-level 8 -o river.h5\n",
    .run = run};
