/* SPDX-License-Identifier: Apache-2.0 */
/* rill capsule: an elastic capsule in a shear flow. The physics is in membrane/. */
#include "cli/step_options.h"
#include "membrane/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const shapes[] = {"sphere", "red-cell", NULL};  /* rill_capsule_shape */
static const char *const laws[] = {"neo-hookean", "skalak", NULL}; /* rill_membrane_law */
static const char *const files[] = {"", ".membrane", NULL};        /* of a step */

typedef struct choices {
    rill_capsule_case given;
    const char *shape;
    int law;
    cli_step_choices step;
    uint32_t level, width;
    bool quiet, level_given, dilatation_given;
} choices;

static rill_status parse(choices *c, int argc, char **argv, bool *help)
{
    rill_status status = RILL_OK;
    rill_capsule_case *g = &c->given;
    const double most = 1e6;
    int count = 1;
    cli_option steps[CLI_STEP_OPTIONS + 1] = {{0}};
    const cli_option options[] = {
        {.help = "The box and the capsule, in voxels"},
        {"nx", 0, CLI_UINT32, &g->n[0], "N", "voxels along the flow, periodic", .min = 1, .max = 100000},
        {"ny", 0, CLI_UINT32, &g->n[1], "N", "voxels along y, periodic", .min = 1, .max = 100000},
        {"nz", 0, CLI_UINT32, &g->n[2], "N", "voxels between the plates", .min = 1, .max = 100000},
        {"radius", 0, CLI_REAL, &g->radius, "A", "of the sphere, or of the disc of a red cell", .min = 0,
         .max = most, .above = true},
        {"count", 0, CLI_UINT32, &g->count, "N", "capsules, in rows, columns and layers", .min = 1,
         .max = 10000000},
        {"level", 0, CLI_UINT32, &c->level, "N", "divisions of an icosahedron: 10 4^N + 2 vertices",
         .fallback = "edges of 1.3 voxels or less", .min = 0, .max = RILL_MEMBRANE_LEVELS,
         .given = &c->level_given},
        {"kernel", 0, CLI_UINT32, &c->width, "N", "nodes along each axis between which a vertex interpolates",
         .min = 2, .max = 4},
        {.help = "The physics, without dimensions"},
        {"ca", 0, CLI_REAL, &g->capillary, "CA", "viscous over elastic force, mu rate A / G", .min = 0,
         .max = most, .above = true},
        {"re", 0, CLI_REAL, &g->reynolds, "RE", "Reynolds number, rate A^2 / nu", .min = 0, .max = most,
         .above = true},
        {"law", 0, CLI_CHOICE, &c->law, NULL,
         "elasticity in the plane of the membrane, with the shear modulus G", .choices = laws},
        {"dilatation", 0, CLI_REAL, &g->dilatation, "C", "C of Skalak's law", .min = 0, .max = most,
         .given = &c->dilatation_given},
        {"bending", 0, CLI_REAL, &g->bending, "B", "bending stiffness over G A^2", .min = 0, .max = most},
        {"area", 0, CLI_REAL, &g->area, "K", "stiffness that holds the whole area, over G", .min = 0,
         .max = most},
        {"volume", 0, CLI_REAL, &g->volume, "K", "stiffness that holds the volume, over G / A", .min = 0,
         .max = most},
        {"tau", 0, CLI_REAL, &g->tau, "T", "relaxation time: kinematic viscosity (tau - 1/2) / 3", .min = 0.5,
         .max = 100, .above = true},
        {"strain", 0, CLI_REAL, &g->strain, "S", "rate of shear times time at the end", .min = 0, .max = most,
         .above = true},
        {.help = "The run"},
        {"every", 0, CLI_REAL, &g->every, "S",
         "strain between files of membrane and fields beside the result; 0: none", .min = 0, .max = most},
        {"output", 'o', CLI_TEXT, &g->output, "FILE.h5", "result file", .fallback = "none",
         .apply = cli_output_apply},
        {"quiet", 'q', CLI_FLAG, &c->quiet, .help = "print nothing but errors"},
        CLI_OVERWRITE,
        {0}};
    const cli_option *tables[] = {options, steps, NULL};
    cli_step_options(&c->step, steps);
    RILL_TRY(cli_parse(&cli_capsule, tables, argc, argv, &c->shape, &count, help));
    if (*help) goto done;
    if (count != 1) RILL_TRY(rill_fail(RILL_USAGE, "name the shape at rest: sphere or red-cell"));
done:
    return status;
}

static rill_status resolve(choices *c, rill_capsule_scales *scales)
{
    rill_status status = RILL_OK;
    rill_capsule_case *g = &c->given;
    int shape = 0;
    while (shapes[shape] && strcmp(shapes[shape], c->shape) != 0) shape++;
    if (!shapes[shape])
        return rill_fail(RILL_USAGE, "%s is not a shape of a capsule: choose sphere or red-cell", c->shape);
    if (g->every > 0 && !g->output)
        return rill_fail(RILL_USAGE, "--every %g needs a result file: name it by -o", g->every);
    if (c->dilatation_given && c->law != RILL_SKALAK)
        return rill_fail(RILL_USAGE,
                         "--dilatation has no effect on the law %s: add --law skalak, or leave it out",
                         laws[c->law]);
    RILL_TRY(cli_step_files_few(g->every, g->strain, "of strain"));
    cli_step_resolve(&c->step, &g->stream, &g->storage, &g->backend);
    g->shape = (rill_capsule_shape)shape;
    g->law = (rill_membrane_law)c->law;
    g->level = c->level_given ? (int)c->level : rill_capsule_level(g->radius);
    g->width = (int)c->width;
    status = rill_capsule_scale(g, scales);
done:
    return status;
}

static void print_plan(const rill_capsule_case *g, const rill_capsule_scales *s)
{
    const double nodes = (double)g->n[0] * g->n[1] * g->n[2];
    const double populations = cli_step_node_bytes(g->stream, g->storage);
    cli_row("capsule", "%s of radius %g, %u vertices, edges of %.2g voxels", shapes[g->shape], g->radius,
            s->vertices, s->edge);
    if (g->count > 1)
        cli_row("count", "%u: %u x %u x %u positions", g->count, s->rows[0], s->rows[1], s->rows[2]);
    cli_row("box", "%u x %u x %u, %g nodes", g->n[0], g->n[1], g->n[2], nodes);
    cli_row("tau, nu", "%g, %g", g->tau, (g->tau - 0.5) / 3);
    cli_row("rate of shear", "%.4g a step, plates at +- %.4g", s->rate, s->speed);
    cli_row("shear modulus", "%.4g", s->shear);
    cli_row("steps", "%llu", (unsigned long long)s->plan.steps);
    cli_row("populations", "%.3g MB", 1e-6 * nodes * populations);
}

static void print_outcome(const choices *c, const rill_capsule_outcome *o)
{
    const rill_capsule_row *r = &o->last;
    cli_row("made", "%llu steps, %.3g million nodes a second", (unsigned long long)o->steps, o->mlups);
    if (isnan(o->drift))
        cli_row("deformation", "%.5g at a strain of %.3g", r->deformation, r->strain);
    else
        cli_row("deformation", "%.5g at a strain of %.3g, changed by %.2g in the last unit of it",
                r->deformation, r->strain, o->drift);
    if (!isnan(rill_capsule_excess(&c->given)))
        cli_row("  expected error", "about %.2g %% too large, as 1 / radius^2: compare two radii",
                100 * rill_capsule_excess(&c->given));
    cli_row("inclination", "%.4g degrees", r->inclination);
    cli_row("semi-axes", "%.4g, %.4g, %.4g radii", r->axes[0] / c->given.radius, r->axes[1] / c->given.radius,
            r->axes[2] / c->given.radius);
    cli_row("area, volume", "%.5g, %.6g of those at rest", r->area, r->volume);
    if (c->given.output) cli_row("result", "%s", c->given.output);
}

static int run(int argc, char **argv)
{
    rill_status status = RILL_OK;
    choices c = {.given = {.n = {60, 60, 60},
                           .count = 1,
                           .radius = 6,
                           .dilatation = 1,
                           .capillary = 0.15,
                           .reynolds = 0.1,
                           .tau = 1,
                           .strain = 4},
                 .width = 2};
    rill_capsule_scales scales;
    rill_capsule_outcome outcome;
    char *line = NULL;
    bool help = false;
    RILL_TRY(parse(&c, argc, argv, &help));
    if (help) goto done;
    if (c.step.resume) cli_outputs_continue();
    RILL_TRY(resolve(&c, &scales));
    RILL_TRY(cli_step_outputs_check(&c.step, c.given.output, scales.plan.steps, scales.plan.every, files));
    RILL_TRY(cli_step_checkpoint(&c.step, c.given.output, &c.given.keep));
    line = cli_command_line(argc, argv);
    c.given.command = line;
    c.given.progress = cli_progress(c.quiet);
    cli_signals_catch(false);
    if (!c.quiet) print_plan(&c.given, &scales);
    RILL_TRY(cli_step_room(
        (double)c.given.n[0] * c.given.n[1] * c.given.n[2],
        c.given.backend == RILL_BACKEND_CUDA ? 0 : cli_step_node_bytes(c.given.stream, c.given.storage)));
    status = rill_capsule_run(&c.given, &outcome);
    cli_progress_end();
    if (status == RILL_OK && !c.quiet) print_outcome(&c, &outcome);
    status = cli_step_finish(&c.step, outcome.checkpoint_left, status);
done:
    free(line);
    return cli_report(&cli_capsule, status);
}

const cli_command cli_capsule = {
    .name = "capsule",
    .usage = "sphere|red-cell [options] -o FILE.h5",
    .summary = "compute an elastic capsule in a shear flow",
    .details = "Plates along z move along x and -x. FILE.h5 has series of deformation, inclination,\n"
               "semi-axes, area and volume; FILE.STEP.membrane.vtkhdf and FILE.STEP.vtkhdf are for ParaView.",
    .examples =
        "rill capsule sphere --ca 0.15 -o capsule.h5\n"
        "rill capsule sphere --law skalak --ca 0.3 --radius 9 --nx 90 --ny 90 --nz 90 --every 0.5 -o c.h5\n",
    .run = run};
