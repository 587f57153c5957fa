/* SPDX-License-Identifier: Apache-2.0 */
/* rill generate: a synthetic geometry. What can be made is generate_kinds.c's table. */
#include "cli/axis_option.h"
#include "cli/cli.h"
#include "kernel/variant.h"
#include "cli/generate_kinds.h"
#include "cli/image_options.h"
#include "core/units.h"
#include "io/json_file.h"
#include "core/output.h"
#include "geometry/voxels/planes.h"
#include "geometry/voxels/sides.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* In the order of rill_side. */
static const char *const indices[] = {"none", "pull", NULL};

/* What every kind is asked. */
typedef struct choices {
    cli_generated kind;
    const char *output, *raw, *json;
    int index, lattice;
    bool quiet;
    char *line; /* the command, owned */
} choices;

static void print_summary(const cli_generate_kind *kind, const choices *c, const rill_geom *geom)
{
    const cli_generated *g = &c->kind;
    char length[32] = "unknown (--voxel-size sets it)";
    if (geom->spacing > 0) rill_units_format_length(geom->spacing, length, sizeof length);
    cli_row("kind", "%s", kind->name);
    cli_row("voxels", "%u x %u x %u", geom->n[0], geom->n[1], geom->n[2]);
    cli_row("voxel size", "%s", length);
    cli_row("boundaries x, y, z", "%s, %s, %s", rill_side_name(geom->sides[0]),
            rill_side_name(geom->sides[1]), rill_side_name(geom->sides[2]));
    if (g->radius) cli_row("radius", "%.10g voxels", *g->radius);
    if (g->spheres) cli_row("spheres", "%llu", (unsigned long long)g->spheres);
    if (geom->surface && geom->surface->opening_count > 0)
        cli_row("openings", "inlet and %d outlets", geom->surface->opening_count - 1);
    if (geom->surface)
        cli_row("walls", "exact, on %llu links", (unsigned long long)geom->surface->wall_count);
    if (g->seed) cli_row("seed", "%llu", (unsigned long long)*g->seed);
    if (g->porosity) cli_row("requested porosity", "%.6f", *g->porosity);
    if (g->bed > 0) cli_row("porosity of the bed", "%.6f", g->bed);
    cli_row("porosity", "%.6f", geom->porosity.total);
    cli_row("fluid nodes", "%llu", (unsigned long long)rill_geom_fluid(geom));
    if (c->output) cli_row("geometry", "%s", c->output);
    if (c->raw) cli_row("raw image", "%s (u8, pore 0, solid 255, x fastest)", c->raw);
}

static json_t *real_or_null(const double *value) { return value ? rill_json_real(*value) : json_null(); }

static rill_status write_json(const cli_generate_kind *kind, const choices *c, const rill_geom *geom)
{
    const cli_generated *g = &c->kind;
    json_t *json = json_pack(
        "{s:s, s:[i,i,i], s:o, s:[s,s,s], s:o, s:o, s:o, s:{s:o, s:o, s:f}, s:I, s:i, s:s?, s:s?, s:s, s:s}",
        "kind", kind->name, "voxels", (int)geom->n[0], (int)geom->n[1], (int)geom->n[2], "voxel_size_m",
        real_or_null(geom->spacing > 0 ? &geom->spacing : NULL), "sides", rill_side_name(geom->sides[0]),
        rill_side_name(geom->sides[1]), rill_side_name(geom->sides[2]), "radius", real_or_null(g->radius),
        "spheres", g->spheres ? json_integer((json_int_t)g->spheres) : json_null(), "seed",
        g->seed ? json_integer((json_int_t)*g->seed) : json_null(), "porosity", "asked",
        real_or_null(g->porosity), "bed", real_or_null(g->bed > 0 ? &g->bed : NULL), "total",
        geom->porosity.total, "fluid_nodes", (json_int_t)rill_geom_fluid(geom), "openings",
        geom->surface ? geom->surface->opening_count : 0, "geometry", c->output, "raw", c->raw, "command",
        c->line, "software", rill_version());
    return cli_json_finish(json, c->json);
}

/* Write the voxels as bytes, pore 0 and solid 255: what `rill voxelize --pore 0` reads. */
static rill_status write_raw(const rill_geom *geom, const char *path)
{
    rill_status status = RILL_OK;
    rill_output *output = NULL;
    rill_window window = {.geom = geom};
    uint8_t *row = malloc(geom->n[0]);
    if (!row) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a row of %s", path));
    RILL_TRY(rill_output_create(path, &output));
    for (uint32_t end = 0; rill_window_next(&window, &end, &status);) {
        const uint8_t *voxel = window.voxels;
        for (uint64_t r = 0; r < (uint64_t)geom->n[1] * window.count; r++) {
            for (uint32_t x = 0; x < geom->n[0]; x++) row[x] = *voxel++ ? 0 : 255;
            RILL_TRY(rill_output_append(output, row, geom->n[0]));
        }
    }
    RILL_TRY(status);
    RILL_TRY(rill_output_commit(output));
done:
    rill_window_close(&window);
    rill_output_destroy(output);
    free(row);
    return status;
}

/* Settle the axis; numbers would be other axes in the geometry (z, y, x) than in the raw file (x, y, z). */
static rill_status axis_settle(cli_generated *g)
{
    rill_status status = RILL_OK;
    cli_axes axes;
    if (!g->along) return RILL_OK;
    RILL_TRY(cli_axes_parse(g->along, strlen(g->along), &axes));
    *g->axis = cli_axes_single(axes.letters);
    if (*g->axis < 0)
        status =
            rill_fail(RILL_USAGE,
                      "%s is not one of x, y and z: numbers count the axes of a file that is read", g->along);
done:
    if (status != RILL_OK) rill_fail_prefix("--axis");
    return status;
}

/* Read "64", "64,32,16" or "64x32x16". */
static rill_status size_settle(cli_generated *g)
{
    const char *const text = g->size, *at = text;
    uint32_t *const n = g->n;
    int count = 0;
    if (!text) return RILL_OK;
    while (count < 3) {
        char *end;
        if (*at < '0' || *at > '9') break;
        const unsigned long value = strtoul(at, &end, 10);
        if (value < 1 || value > INT_MAX)
            return rill_fail(RILL_USAGE,
                             "--size %s has an axis that is not within 1 ... %d voxels: change it", text,
                             INT_MAX);
        n[count++] = (uint32_t)value;
        at = end;
        if (*at == '\0') break;
        if (*at != ',' && *at != 'x') break;
        at++;
    }
    if (*at != '\0' || (count != 1 && count != 3) || text[strlen(text) - 1] < '0' ||
        text[strlen(text) - 1] > '9')
        return rill_fail(RILL_USAGE, "--size \"%s\" is not a size: give one such as 64 or 64,32,16", text);
    if (count == 1) n[1] = n[2] = n[0];
    return RILL_OK;
}

static rill_status work(const cli_generate_kind *kind, choices *c)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    rill_voxelize_options sides;
    if (!c->output && !c->raw) return rill_fail(RILL_USAGE, "no output is given: add -o FILE.geom.h5");
    RILL_TRY(axis_settle(&c->kind));
    RILL_TRY(size_settle(&c->kind));
    RILL_TRY(cli_sides_parse(c->kind.sides, &sides));
    RILL_TRY(cli_outputs_check(NULL,
                               (cli_output[]){{"-o", c->output}, {"--raw", c->raw}, {"--json", c->json}}, 3));
    RILL_TRY(kind->generate(&c->kind, &geom));
    for (int a = 0; a < 3; a++) {
        geom->sides[a] = sides.sides[a];
        if (geom->surface && geom->surface->opening_count == 0 && geom->sides[a] != RILL_PERIODIC)
            RILL_TRY(rill_fail(RILL_USAGE,
                               "--walls exact needs periodic boundaries: leave out --sides, or --walls"));
    }
    geom->spacing = c->kind.voxel_size;
    geom->options = strdup(c->line);
    if (!geom->options) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the command line"));
    if (c->output)
        RILL_TRY(rill_geom_write(
            geom, c->output, &(rill_geom_write_options){.index_pull = c->index == 1, .lattice = c->lattice}));
    if (c->raw) RILL_TRY(write_raw(geom, c->raw));
    if (c->json) RILL_TRY(write_json(kind, c, geom));
    if (!c->quiet) print_summary(kind, c, geom);
done:
    rill_geom_destroy(geom);
    return status;
}

/* Run a kind; argv[0] is its name. */
static int run_kind(const cli_generate_kind *kind, int argc, char **argv, char *line)
{
    choices c = {.kind = {.sides = "periodic"}, .line = line};
    const char *memory = NULL;
    char name[64];
    snprintf(name, sizeof name, "generate %s", kind->name);
    const cli_command command = {.name = name,
                                 .usage = "[options] -o FILE.geom.h5",
                                 .summary = kind->summary,
                                 .details = kind->details};
    const cli_option *const shape = kind->options(&c.kind);
    const cli_option heading[] = {{.help = "Shape"}, {0}};
    const cli_option output[] = {
        {.help = "Output"},
        {"output", 'o', CLI_TEXT, &c.output, "FILE", "write the geometry", .fallback = "",
         .apply = cli_output_apply},
        {"voxel-size", 0, CLI_LENGTH, &c.kind.voxel_size, "LENGTH", "edge of a voxel, such as 2.5um",
         .fallback = c.kind.voxel_size > 0 ? NULL : "unknown", .min = 0, .max = 1, .above = true},
        {"sides", 0, CLI_TEXT, &c.kind.sides, "KIND",
         .help = "what lies beyond the faces: periodic, mirror or wall, or three of them for x,y,z"},
        {"index", 0, CLI_CHOICE, &c.index, .help = "store the pull index list too", .choices = indices},
        {"velocity-set", 0, CLI_CHOICE, &c.lattice, .help = "velocity set of that list",
         .choices = rill_lattice_names},
        {"raw", 0, CLI_TEXT, &c.raw, "FILE",
         "write the voxels as bytes, pore 0, solid 255, x fastest; name it NAME_NXxNYxNZ.raw for readers; - is standard output",
         .fallback = "", .apply = cli_stream_apply},
        {"json", 0, CLI_TEXT, &c.json, "FILE", "write the summary as JSON; - is standard output",
         .fallback = "", .apply = cli_stream_apply},
        CLI_OVERWRITE,
        {"memory", 0, CLI_TEXT, &memory, "SIZE", "host memory that may be used, such as 8GiB",
         .fallback = "what the system reports as available", .apply = cli_memory_apply},
        {"quiet", 'q', CLI_FLAG, &c.quiet, .help = "no summary table"},
        {0},
    };
    const cli_option *const tables[] = {heading, shape, output, NULL};
    int count = 0;
    bool help = false;
    rill_status status = cli_parse(&command, tables, argc, argv, NULL, &count, &help);
    if (help) return RILL_OK;
    if (status == RILL_OK) status = work(kind, &c);
    return cli_report(&command, status);
}

static int run(int argc, char **argv);

const cli_command cli_generate = {
    .name = "generate",
    .usage = "KIND [options] -o FILE",
    .summary = "make a synthetic geometry, or the surface of one",
    .examples = "rill generate pack --size 96 --radius 9 --voxel-size 10um -o beads.geom.h5\n"
                "rill generate grf --size 128 --porosity 0.3 --correlation 6 -o field.geom.h5\n"
                "rill generate bifurcation --radius 1.5mm --inlet 7.5mm --outlet 11mm -o vessel.stl\n"
                "rill generate pack --help\n",
    .run = run,
};

static int list_kinds(void)
{
    printf("Usage: rill generate %s\n\n%s\n", cli_generate.usage, cli_generate.summary);
    cli_help_examples(&cli_generate);
    printf("\nKinds:\n");
    for (const cli_generate_kind *k = cli_generate_kinds; k->name; k++)
        printf("  %-13s%s\n", k->name, k->summary);
    for (int k = 0; cli_surface_kind_name(k); k++)
        printf("  %-13s%s\n", cli_surface_kind_name(k), cli_surface_kind_summary(k));
    printf(
        "\n`rill generate KIND --help` shows the options of a kind. Surfaces take lengths with units. All others\n"
        "count in voxels, the centre of voxel i lies at i + 1/2, and boundaries are periodic. The same options make\n"
        "the same voxels on every machine and for any number of threads.\n");
    return RILL_OK;
}

static rill_status fail_unknown(const char *name)
{
    char all[256] = "";
    rill_nearest match = {0};
    for (const cli_generate_kind *k = cli_generate_kinds; k->name; k++) {
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", k->name);
        rill_nearest_try(&match, name, k->name);
    }
    for (int k = 0; cli_surface_kind_name(k); k++) {
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, ", %s", cli_surface_kind_name(k));
        rill_nearest_try(&match, name, cli_surface_kind_name(k));
    }
    if (name[0] == '-')
        return rill_fail(RILL_USAGE, "%s precedes the kind: give the kind first, one of %s", name, all);
    if (rill_nearest_is_meant(&match, name))
        return rill_fail(RILL_USAGE, "there is no kind \"%s\": did you mean %s? (kinds: %s)", name,
                         match.name, all);
    return rill_fail(RILL_USAGE, "there is no kind \"%s\": choose one of %s", name, all);
}

static int run(int argc, char **argv)
{
    if (argc < 2)
        return cli_report(&cli_generate,
                          rill_fail(RILL_USAGE, "no kind is given: `rill generate --help` lists them"));
    static const char *const helps[] = {"--help", "--help-all", "-h"};
    for (size_t k = 0; k < sizeof helps / sizeof *helps; k++)
        if (strcmp(argv[1], helps[k]) == 0) return list_kinds();
    const cli_generate_kind *kind = cli_generate_kinds;
    int surface = 0;
    while (kind->name && strcmp(argv[1], kind->name) != 0) kind++;
    while (cli_surface_kind_name(surface) && strcmp(argv[1], cli_surface_kind_name(surface)) != 0) surface++;
    if (!kind->name && !cli_surface_kind_name(surface))
        return cli_report(&cli_generate, fail_unknown(argv[1]));
    char *line = cli_command_line(argc, argv);
    if (!line) return cli_report(&cli_generate, rill_fail(RILL_SYSTEM, "out of memory for the command line"));
    const int code = kind->name ? run_kind(kind, argc - 1, argv + 1, line)
                                : cli_surface_kind_run(surface, argc - 1, argv + 1, line);
    free(line);
    return code;
}
