/* SPDX-License-Identifier: Apache-2.0 */
/* rill free-surface: a liquid with a free surface. The physics is in free_surface/. */
#include "cli/step_options.h"
#include "free_surface/run.h"

#include <stdlib.h>
#include <string.h>

static const char *const shapes[] = {"pool",   "drop", "bubble",
                                     "column", "wave", NULL}; /* rill_liquid_shape */
static const char *const sides[] = {"periodic", "wall", NULL};
static const char *const files[] = {"", NULL}; /* of a step */

typedef struct choices {
    rill_free_surface_case given;
    const char *shape;
    int sides;
    cli_step_choices step;
    bool quiet, height_given;
} choices;

static rill_status parse(choices *c, int argc, char **argv, bool *help)
{
    rill_status status = RILL_OK;
    rill_free_surface_case *g = &c->given;
    const double most = 1e9;
    int count = 1;
    cli_option steps[CLI_STEP_OPTIONS + 1] = {{0}};
    const cli_option options[] = {
        {.help = "The liquid, in voxels"},
        {"nx", 0, CLI_UINT32, &g->n[0], "N", "voxels along x", .min = 1, .max = 100000},
        {"ny", 0, CLI_UINT32, &g->n[1], "N", "voxels along y", .min = 1, .max = 100000},
        {"nz", 0, CLI_UINT32, &g->n[2], "N", "voxels along z, between floor and ceiling", .min = 1,
         .max = 100000},
        {"sides", 0, CLI_CHOICE, &c->sides, NULL,
         "boundaries along x and y; always periodic where there is one voxel", .choices = sides},
        {"depth", 0, CLI_REAL, &g->depth, "LENGTH", "level of the pool, height of a column", .min = 0,
         .max = most},
        {"radius", 0, CLI_REAL, &g->radius, "LENGTH", "of the drop or bubble", .min = 0, .max = most},
        {"height", 0, CLI_REAL, &g->height, "LENGTH", "of its centre above the floor", "in the middle",
         .min = 0, .max = most, .given = &c->height_given},
        {"speed", 0, CLI_REAL, &g->speed, "U", "of the drop, downwards, in voxels per step", .min = 0,
         .max = 0.2},
        {"width", 0, CLI_REAL, &g->width, "LENGTH", "of a column along x", .min = 0, .max = most},
        {"amplitude", 0, CLI_REAL, &g->amplitude, "LENGTH", "of a wave of the length nx", .min = 0,
         .max = most},
        {.help = "The physics, in lattice units: density, voxel and step are 1"},
        {"tau", 0, CLI_REAL, &g->tau, "T", "relaxation time: kinematic viscosity (tau - 1/2) / 3", .min = 0.5,
         .max = 100, .above = true},
        {"tension", 0, CLI_REAL, &g->tension, "SIGMA", "surface tension", .min = 0, .max = 1},
        {"contact-angle", 0, CLI_REAL, &g->contact_angle, "DEGREES", "of the surface at walls, in the liquid",
         .min = 1, .max = 179},
        {"gravity", 0, CLI_REAL, &g->gravity, "G", "acceleration along -z", .min = 0, .max = 1},
        {.help = "The run"},
        {"steps", 0, CLI_COUNT, &g->steps, "N", "time steps"},
        {"every", 0, CLI_COUNT, &g->every, "N", "steps between field files beside the result; 0: none"},
        {"output", 'o', CLI_TEXT, &g->output, "FILE.h5", "result file", .fallback = "none",
         .apply = cli_output_apply},
        {"quiet", 'q', CLI_FLAG, &c->quiet, .help = "print nothing but errors"},
        CLI_OVERWRITE,
        {0}};
    const cli_option *tables[] = {options, steps, NULL};
    cli_step_options(&c->step, steps);
    RILL_TRY(cli_parse(&cli_free_surface, tables, argc, argv, &c->shape, &count, help));
    if (*help) goto done;
    if (count != 1)
        RILL_TRY(rill_fail(RILL_USAGE, "name the shape of the liquid: pool, drop, bubble, column or wave"));
done:
    return status;
}

static rill_status resolve(choices *c)
{
    rill_status status = RILL_OK;
    rill_free_surface_case *g = &c->given;
    int shape = 0;
    while (shapes[shape] && strcmp(shapes[shape], c->shape) != 0) shape++;
    if (!shapes[shape])
        return rill_fail(
            RILL_USAGE, "%s is not a shape of a liquid: choose pool, drop, bubble, column or wave", c->shape);
    if (g->every && !g->output)
        return rill_fail(RILL_USAGE, "--every %llu needs a result file: name it by -o",
                         (unsigned long long)g->every);
    RILL_TRY(cli_step_files_few((double)g->every, (double)g->steps, "steps"));
    RILL_TRY(cli_step_resolve(&c->step, "a free surface is", &g->stream, &g->storage));
    g->shape = (rill_liquid_shape)shape;
    g->walls = c->sides == 1;
    if (!c->height_given) g->height = g->n[2] / 2.0;
done:
    return status;
}

static void print_plan(const rill_free_surface_case *g)
{
    const double nodes = (double)g->n[0] * g->n[1] * g->n[2];
    const double populations = cli_step_node_bytes(g->stream, g->storage);
    cli_row("liquid", "%s", shapes[g->shape]);
    cli_row("box", "%u x %u x %u, %g nodes", g->n[0], g->n[1], g->n[2], nodes);
    cli_row("tau, nu", "%g, %g", g->tau, (g->tau - 0.5) / 3);
    cli_row("memory", "%.3g MB of populations and %.3g MB of the surface", 1e-6 * nodes * populations,
            1e-6 * nodes * (double)rill_free_surface_node_bytes());
}

static void print_outcome(const choices *c, const rill_free_surface_outcome *o)
{
    cli_row("steps", "%llu, %.3g million nodes a second", (unsigned long long)o->steps, o->mlups);
    cli_row("mass", "%.9g, changed by %.2g of it", o->last.mass, o->last.mass / o->first.mass - 1);
    cli_row("volume", "%.9g", o->last.volume);
    cli_row("largest speed", "%.4g", o->last.speed_max);
    cli_row("nodes", "%llu liquid, %llu interface", (unsigned long long)o->last.nodes[RILL_LIQUID],
            (unsigned long long)o->last.nodes[RILL_INTERFACE]);
    if (c->given.output) cli_row("result", "%s", c->given.output);
}

static int run(int argc, char **argv)
{
    rill_status status = RILL_OK;
    choices c = {.given = {.n = {64, 64, 64}, .tau = 0.6, .contact_angle = RILL_RIGHT_ANGLE, .steps = 1000}};
    rill_free_surface_outcome outcome;
    char *line = NULL;
    bool help = false;
    RILL_TRY(parse(&c, argc, argv, &help));
    if (help) goto done;
    if (c.step.resume) cli_outputs_continue();
    RILL_TRY(resolve(&c));
    RILL_TRY(cli_step_outputs_check(c.given.output, c.given.steps, c.given.every, files));
    RILL_TRY(cli_step_checkpoint(&c.step, c.given.output, &c.given.keep));
    line = cli_command_line(argc, argv);
    c.given.command = line;
    c.given.progress = cli_progress(c.quiet);
    cli_signals_catch(false);
    if (!c.quiet) print_plan(&c.given);
    status = rill_free_surface_run(&c.given, &outcome);
    cli_progress_end();
    if (status == RILL_OK && !c.quiet) print_outcome(&c, &outcome);
    status = cli_step_finish(&c.step, outcome.checkpoint_left, status);
done:
    free(line);
    return cli_report(&cli_free_surface, status);
}

const cli_command cli_free_surface = {
    .name = "free-surface",
    .usage = "pool|drop|bubble|column|wave [options] -o FILE.h5",
    .summary = "compute a liquid with a free surface",
    .details = "The gas has a constant pressure. FILE.h5 has series of mass, volume\n"
               "and speed; FILE.STEP.vtkhdf has velocity, pressure and fill level for ParaView.",
    .examples =
        "rill free-surface drop --depth 20.3 --radius 10 --height 40 --tension 1e-3 --gravity 1e-5 -o drop.h5\n"
        "rill free-surface column --ny 1 --sides wall --depth 30 --width 20 --gravity 2e-5 -o dam.h5\n",
    .run = run};
