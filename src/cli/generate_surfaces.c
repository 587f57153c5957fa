/* SPDX-License-Identifier: Apache-2.0 */
/* rill generate, kinds that are triangle surfaces: their options and their descriptions. */
#include "cli/generate_kinds.h"
#include "cli/cli.h"
#include "geometry/generate/generate_surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The values of the options of all kinds; angles in degrees. */
typedef struct values {
    double radius, edge, inlet, outlet, bend, angle, second_angle, ratio;
    const char *output, *json;
    bool quiet;
} values;

#define METRES(name, target, help)                                                                           \
    {                                                                                                        \
        name, 0, CLI_LENGTH, target, "LENGTH", help, .min = 0, .max = 1, .above = true                       \
    }
#define DEGREES(name, target, low, high, help)                                                               \
    {                                                                                                        \
        name, 0, CLI_REAL, target, "DEGREES", help, .min = low, .max = high                                  \
    }

/* A kind: its options' table ends with {0}. */
typedef struct kind {
    const char *name, *summary;
    void (*defaults)(values *v);
    rill_status (*make)(const values *v, rill_mesh **out);
    const char *const *options; /* names of those it has, NULL-terminated */
} kind;

static void bend_defaults(values *v)
{
    const rill_bend_options o = rill_bend_options_default();
    *v = (values){.radius = o.radius,
                  .edge = o.edge,
                  .inlet = o.inlet,
                  .outlet = o.outlet,
                  .bend = o.bend,
                  .angle = o.angle * 180 / M_PI};
}

static rill_status bend_make(const values *v, rill_mesh **out)
{
    const rill_bend_options o = {v->radius, v->inlet, v->outlet, v->bend, v->angle * M_PI / 180, v->edge};
    return rill_generate_bend(&o, out);
}

static void nozzle_defaults(values *v)
{
    const rill_nozzle_options o = rill_nozzle_options_default();
    *v = (values){.inlet = o.inlet, .outlet = o.outlet, .edge = o.edge};
}

static rill_status nozzle_make(const values *v, rill_mesh **out)
{
    return rill_generate_nozzle(&(rill_nozzle_options){v->inlet, v->outlet, v->edge}, out);
}

static void bifurcation_defaults(values *v)
{
    const rill_bifurcation_options o = rill_bifurcation_options_default();
    *v = (values){.radius = o.radius,
                  .ratio = o.ratio,
                  .edge = o.edge,
                  .inlet = o.parent,
                  .outlet = o.branch,
                  .angle = o.angles[0] * 180 / M_PI,
                  .second_angle = o.angles[1] * 180 / M_PI};
}

static rill_status bifurcation_make(const values *v, rill_mesh **out)
{
    const rill_bifurcation_options o = {
        v->radius, v->ratio,  {v->angle * M_PI / 180, v->second_angle * M_PI / 180},
        v->inlet,  v->outlet, v->edge};
    return rill_generate_bifurcation(&o, out);
}

static const char *const bend_names[] = {"radius", "inlet", "outlet", "bend", "angle", NULL};
static const char *const nozzle_names[] = {"inlet", "outlet", NULL};
static const char *const bifurcation_names[] = {"radius",       "inlet", "outlet", "angle",
                                                "second-angle", "ratio", NULL};

static const kind kinds[] = {
    {"bifurcation", "the surface of a vessel that parts into two", bifurcation_defaults, bifurcation_make,
     bifurcation_names},
    {"bend", "the surface of a pipe, straight or bent", bend_defaults, bend_make, bend_names},
    {"nozzle", "the surface of the FDA's benchmark nozzle", nozzle_defaults, nozzle_make, nozzle_names},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *cli_surface_kind_name(int k) { return k < KINDS ? kinds[k].name : NULL; }
const char *cli_surface_kind_summary(int k) { return kinds[k].summary; }

static bool has(const kind *k, const char *name)
{
    for (int n = 0; k->options[n]; n++)
        if (strcmp(k->options[n], name) == 0) return true;
    return false;
}

static rill_status tell(const kind *k, const values *v, const rill_mesh *mesh, const char *line)
{
    double low[3], high[3];
    rill_mesh_box(mesh, low, high);
    if (v->json) {
        json_t *json = json_pack("{s:s, s:I, s:I, s:[f,f,f], s:[f,f,f], s:s, s:s, s:s, s:s}", "kind", k->name,
                                 "triangles", (json_int_t)mesh->triangle_count, "vertices",
                                 (json_int_t)mesh->vertex_count, "low_m", low[0], low[1], low[2], "high_m",
                                 high[0], high[1], high[2], "units", "mm", "surface", v->output, "command",
                                 line, "software", rill_version());
        const rill_status status = cli_json_finish(json, v->json);
        if (status != RILL_OK) return status;
    }
    if (v->quiet) return RILL_OK;
    cli_row("kind", "%s", k->name);
    cli_row("triangles", "%u, %u vertices", mesh->triangle_count, mesh->vertex_count);
    cli_row("size", "%.5g x %.5g x %.5g mm", 1e3 * (high[0] - low[0]), 1e3 * (high[1] - low[1]),
            1e3 * (high[2] - low[2]));
    cli_row("surface", "%s (STL, binary, for --units mm)", v->output);
    return RILL_OK;
}

static rill_status work(const kind *k, const values *v, const char *line)
{
    rill_status status = RILL_OK;
    rill_mesh *mesh = NULL;
    if (!v->output) return rill_fail(RILL_USAGE, "no output is given: add -o FILE.stl");
    RILL_TRY(cli_outputs_check(NULL, (cli_output[]){{"-o", v->output}, {"--json", v->json}}, 2));
    RILL_TRY(k->make(v, &mesh));
    RILL_TRY(rill_mesh_write_stl(mesh, v->output, k->name));
    RILL_TRY(tell(k, v, mesh, line));
done:
    rill_mesh_destroy(mesh);
    return status;
}

int cli_surface_kind_run(int number, int argc, char **argv, const char *line)
{
    const kind *k = &kinds[number];
    values v;
    char name[64];
    k->defaults(&v);
    snprintf(name, sizeof name, "generate %s", k->name);
    const cli_command command = {.name = name,
                                 .usage = "[options] -o FILE.stl",
                                 .summary = k->summary,
                                 .details =
                                     "Open at its ends; `rill voxelize FILE.stl --units mm` finds them."};
    const cli_option all[] = {
        METRES("radius", &v.radius, "radius at the inlet"),
        METRES("inlet", &v.inlet, "length in front: of the parent, of what is straight or wide"),
        METRES("outlet", &v.outlet, "length behind: of each branch, of what is straight or wide"),
        METRES("bend", &v.bend, "radius of the bend"),
        DEGREES("angle", &v.angle, 0, 270, "by which the bend, or the first branch, deviates"),
        DEGREES("second-angle", &v.second_angle, 0, 90, "by which the second branch deviates"),
        {"ratio", 0, CLI_REAL, &v.ratio, "RATIO", "radius of the second branch over that of the first",
         .min = 0.3, .max = 1},
    };
    cli_option options[16] = {{.help = "Shape"}};
    int count = 1;
    for (size_t n = 0; n < sizeof all / sizeof *all; n++)
        if (has(k, all[n].name)) options[count++] = all[n];
    const cli_option common[] = {
        METRES("edge", &v.edge, "length of the triangles' edges"),
        {.help = "Output"},
        {"output", 'o', CLI_TEXT, &v.output, "FILE", "write the surface, lengths in millimetres",
         .fallback = "", .apply = cli_output_apply},
        {"json", 0, CLI_TEXT, &v.json, "FILE", "write the summary as JSON; - is standard output",
         .fallback = "", .apply = cli_stream_apply},
        CLI_OVERWRITE,
        {"quiet", 'q', CLI_FLAG, &v.quiet, .help = "no summary table"}};
    for (size_t n = 0; n < sizeof common / sizeof *common; n++) options[count++] = common[n];
    options[count] = (cli_option){0};
    const cli_option *const tables[] = {options, NULL};
    bool help = false;
    int none = 0;
    rill_status status = cli_parse(&command, tables, argc, argv, NULL, &none, &help);
    if (help) return RILL_OK;
    if (status == RILL_OK) status = work(k, &v, line);
    return cli_report(&command, status);
}
