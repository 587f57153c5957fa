/* SPDX-License-Identifier: Apache-2.0 */
/* The flags that every computing command shares, and what they mean as a variant. */
#include "device/device.h"
#include "cli/cli.h"
#include "core/units.h"
#include "kernel/variant.h"
#include "sim/choose.h"

#include <stdlib.h>
#include <string.h>

static const char *const backends[] = {"auto", "cpu", "cuda", NULL};

_Static_assert(sizeof backends / sizeof *backends == RILL_BACKEND_CUDA + 2, "names and enum differ");

rill_status cli_memory_apply(const char *text)
{
    uint64_t bytes;
    const rill_status status = rill_units_parse_bytes(text, &bytes);
    if (status != RILL_OK) return status;
    if (setenv("RILL_MEMORY", text, 1) != 0) return rill_fail(RILL_SYSTEM, "no memory for the environment");
    return RILL_OK;
}

void cli_compute_defaults(cli_compute *compute)
{
    const rill_variant v = rill_variant_default();
    *compute = (cli_compute){
        .lattice = (int)v.lattice,
        .collision = (int)v.collision,
        .equilibrium = (int)v.equilibrium,
        .stream = (int)v.stream,
        .addressing = (int)v.addressing,
        .storage = (int)v.storage,
        .backend = RILL_BACKEND_AUTO,
        .magic = 3.0 / 16.0,
        .tau = 1,
        .tolerance = 1e-3,
        .max_steps = 1000000,
    };
}

/* Let an option of one choice take several. */
static void take_several(cli_option *o, cli_compute *c)
{
    cli_several *s = c->several;
    const struct {
        int *one;
        cli_choices *several;
    } pairs[] = {{&c->lattice, &s->lattice},
                 {&c->collision, &s->collision},
                 {&c->equilibrium, &s->equilibrium},
                 {&c->stream, &s->stream},
                 {&c->addressing, &s->addressing},
                 {&c->storage, &s->storage},
                 {&c->arithmetic, &s->arithmetic},
                 {&c->bounce, &s->bounce},
                 {&c->shift, &s->shift}};
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
        if (o->target == pairs[k].one) {
            o->kind = CLI_CHOICES;
            o->target = pairs[k].several;
            o->fallback = NULL;
        }
}

const cli_option *cli_compute_options(cli_compute *c)
{
    static _Thread_local cli_option table[24];
    const cli_option options[] = {
        {.help = "Method"},
        {"lattice", 0, CLI_CHOICE, &c->lattice, .help = "velocity set; d3q27 for cumulant unless it is given",
         .choices = rill_lattice_names, .given = &c->lattice_given, .rare = true},
        {"collision", 0, CLI_CHOICE, &c->collision, .help = "collision operator",
         .choices = rill_collision_names, .rare = true},
        {"magic", 0, CLI_REAL, &c->magic, "NUMBER", "magic parameter (tau+ - 1/2)(tau- - 1/2), no unit",
         .fallback = "3/16", .min = 0, .max = RILL_MAGIC_MOST, .above = true, .rare = true},
        {"equilibrium", 0, CLI_CHOICE, &c->equilibrium,
         .help =
             "equilibrium; stokes leaves out the terms in u^2, which mrt, central-moment and cumulant have",
         .choices = rill_equilibrium_names, .given = &c->equilibrium_given, .rare = true},
        {"stream", 0, CLI_CHOICE, &c->stream,
         .help =
             "streaming scheme: pull and push take two arrays, the others one; macroscopic stores density and momentum (Stokes flow at tau 1 and magic 0.25)",
         .choices = rill_stream_names, .fallback = c->shown.stream, .given = &c->stream_given},
        {"addressing", 0, CLI_CHOICE, &c->addressing, .help = "how neighbours are found",
         .choices = rill_addressing_names, .fallback = c->shown.addressing, .given = &c->addressing_given,
         .rare = true},
        {"storage", 0, CLI_CHOICE, &c->storage, .help = "number format of the stored populations",
         .choices = rill_storage_names, .fallback = c->shown.storage, .given = &c->storage_given},
        {"arithmetic", 0, CLI_CHOICE, &c->arithmetic,
         .help = "precision that is computed with (fp64 storage: always double)",
         .choices = rill_arithmetic_names, .rare = true},
        {"bounce-back", 0, CLI_CHOICE, &c->bounce,
         .help = "walls; full-way: by ghost nodes, Esoteric streams only", .choices = rill_bounce_names,
         .rare = true},
        {"shift", 0, CLI_CHOICE, &c->shift,
         .help = "what is stored: populations less their weights, or plain", .choices = rill_shift_names,
         .rare = true},
        {"backend", 0, CLI_CHOICE, &c->backend,
         .help = "where it runs; auto: a CUDA device when there is one", .choices = backends},
        {"tau", 0, CLI_REAL, &c->tau, "NUMBER", "relaxation time of the viscosity, in time steps",
         .fallback = c->shown.tau, .min = 0.5, .max = RILL_TAU_MOST, .above = true, .given = &c->tau_given},
        {"tolerance", 0, CLI_REAL, &c->tolerance, "FRACTION",
         "relative uncertainty to stop at, such as 0.001 or 0.1%", .fallback = c->shown.tolerance, .min = 0,
         .max = 1, .above = true, .given = &c->tolerance_given},
        {"max-steps", 0, CLI_COUNT, &c->max_steps, "COUNT", "time steps to give up after",
         .fallback = c->shown.max_steps, .min = 1, .max = 1e15, .given = &c->max_steps_given},
        {"memory", 0, CLI_TEXT, &c->memory, "SIZE", "host memory that may be used, such as 8GiB",
         .fallback = "what the system reports as available", .apply = cli_memory_apply},
        {.help = "Output"},
        {"json", 0, CLI_TEXT, &c->json, "FILE", "write the summary as JSON; - is standard output",
         .fallback = "", .apply = cli_stream_apply},
        {"output", 'o', CLI_TEXT, &c->output, "FILE", "write the result", .fallback = c->shown.output,
         .apply = cli_output_apply},
        CLI_OVERWRITE,
        {"quiet", 'q', CLI_FLAG, &c->quiet, .help = "no progress, no summary table"},
        {0},
    };
    _Static_assert(sizeof options <= sizeof table, "the table is too short");
    memcpy(table, options, sizeof options);
    for (cli_option *o = table; c->several && (o->name || o->help); o++) take_several(o, c);
    return table;
}

const char *const cli_solver_flags[] = {"backend", "tolerance", "memory", "json",
                                        "output",  "overwrite", "quiet",  NULL};

void cli_compute_pick(cli_compute *compute, const char *const *names, cli_option *table, size_t room)
{
    size_t count = 0;
    for (const cli_option *o = cli_compute_options(compute); o->name || o->help; o++)
        for (size_t k = 0; o->name && names[k] && count < room - 1; k++)
            if (strcmp(o->name, names[k]) == 0) table[count++] = *o;
    table[count] = (cli_option){0};
}

rill_variant cli_compute_variant(const cli_compute *c)
{
    const rill_variant v = {
        .lattice = (rill_lattice)c->lattice,
        .collision = (rill_collision)c->collision,
        .equilibrium = (rill_equilibrium)c->equilibrium,
        .stream = (rill_stream)c->stream,
        .addressing = (rill_addressing)c->addressing,
        .storage = (rill_storage)c->storage,
        .arithmetic = c->storage == RILL_FP64 ? RILL_DOUBLE : (rill_arithmetic)c->arithmetic,
        .bounce = (rill_bounce)c->bounce,
        .shift = (rill_shift)c->shift,
    };
    return rill_variant_suit(v, c->lattice_given, c->equilibrium_given);
}

void cli_compute_choose(const cli_compute *c, rill_device *device, const rill_geom *geom, rill_variant *out,
                        const char **reason)
{
    *out = cli_compute_variant(c);
    *reason = rill_variant_choose_for(out, device, geom, c->stream_given, c->addressing_given);
}
