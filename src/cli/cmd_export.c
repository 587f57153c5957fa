/* SPDX-License-Identifier: Apache-2.0 */
/* rill export: PNG pictures of slices, field files that need no other, and points of field files as CSV. */
#include "cli/axis_option.h"
#include "cli/cli.h"
#include "cli/surface_options.h"
#include "core/decimal.h"
#include "core/status.h"
#include "io/fields.h"
#include "io/pictures.h"
#include "io/slice.h"
#include "geometry/image/file_names.h"

#include <stdlib.h>
#include <string.h>

static const char *const fields[] = {"auto",          "speed",      "velocity_x",
                                     "velocity_y",    "velocity_z", "pressure",
                                     "voxels",        "shear_rate", "wall_sensitivity",
                                     "concentration", "fill",       "velocity",
                                     "WSS",           "TAWSS",      "OSI",
                                     "RRT",           "ECAP",       "TAWSS_LIMIT",
                                     "TAWSS_ERROR",   NULL};
static const char *const scales[] = {"linear", "log", NULL};

enum {
    FIELD_AUTO = 0,
    FIELD_VELOCITY = 11 /* another name of speed */,
    FIELD_WALL = 12 /* and above: of walls */
};

typedef struct choices {
    const char *output, *slice;
    char *named; /* output that --png names, owned; NULL: none */
    bool png;
    int field, scale;
    const char *near, *reach;
    cli_surface surface;
} choices;

/* Reads "z=50%", "Z=120" or "0=120". */
static rill_status parse_slice(const char *text, int *axis, double *position, bool *fraction)
{
    const size_t letters = strcspn(text, "=");
    cli_axes axes;
    if (text[letters] && cli_axes_parse(text, letters, &axes) == RILL_OK &&
        (*axis = cli_axes_single(cli_axes_letters(&axes, cli_axes_ours))) >= 0) {
        const char *end = rill_decimal_at(text + letters + 1, position);
        *fraction = end && strcmp(end, "%") == 0;
        if (*fraction) *position /= 100;
        if (end && (*end == '\0' || *fraction)) return RILL_OK;
    }
    return rill_fail(
        RILL_USAGE,
        "--slice \"%s\" is not a plane: write an axis and a voxel or a percentage, as z=120 or z=50%%", text);
}

static rill_status field_of(const choices *c, const char *path, rill_slice_field *field)
{
    if (c->field == FIELD_AUTO) return rill_slice_usual(path, field);
    *field = c->field == FIELD_VELOCITY ? RILL_SLICE_SPEED : (rill_slice_field)(c->field - 1);
    return RILL_OK;
}

/* The surface of a vessel, from both sides. */
static rill_status export_wall(const choices *c, const char *path)
{
    rill_status status = RILL_OK;
    if (c->field != FIELD_AUTO && c->field < FIELD_WALL)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "--field %s is of voxels, and %s holds a wall: choose WSS, TAWSS, OSI, RRT or ECAP, or of an error bar TAWSS_LIMIT or TAWSS_ERROR",
            fields[c->field], path));
    const char *field = c->field == FIELD_AUTO ? NULL : fields[c->field];
    RILL_TRY(rill_wall_picture_write(path, field, (rill_picture_scale)c->scale, c->output));
    cli_row("picture", "%s", c->output);
done:
    return status;
}

/* A surface file with its openings, numbered. A picture needs no unit of length. */
static rill_status export_surface(choices *c, const char *path)
{
    rill_status status = RILL_OK;
    rill_surface_options options;
    cli_surface_openings openings;
    rill_survey *survey = NULL;
    if (!c->surface.units_given) c->surface.units = "m";
    RILL_TRY(cli_surface_shape_resolve(&c->surface, &openings, &options));
    RILL_TRY(rill_surface_survey(path, &options, cli_progress(false), &survey));
    RILL_TRY(rill_surface_picture_write(survey, c->output));
    cli_progress_end();
    for (int k = 0; k < survey->surface->opening_count; k++)
        cli_row(k ? "" : "openings", "%d is %s", k + 1, survey->surface->openings[k].name);
    for (int k = 0; k < survey->rim_count; k++)
        cli_row(k ? "" : "closed", "%d is %s: `rill info` gives the --plane that opens it",
                survey->surface->opening_count + k + 1,
                survey->rims[k].end ? "an end of the closed vessel" : "a rim that is not an opening");
    cli_row("picture", "%s", c->output);
done:
    rill_survey_destroy(survey);
    return status;
}

static rill_status export_picture(const choices *c, const char *path)
{
    rill_status status = RILL_OK;
    rill_slice *slice = NULL;
    rill_slice_field field;
    int axis = 2;
    double position = 0;
    bool fraction = false;
    bool wall = false;
    RILL_TRY(rill_wall_picture_is(path, &wall));
    if (wall) return export_wall(c, path);
    if (c->field >= FIELD_WALL)
        RILL_TRY(rill_fail(
            RILL_USAGE, "--field %s is of walls, and %s is not a wall file: name a wall.vtkhdf of `rill run`",
            fields[c->field], path));
    RILL_TRY(parse_slice(c->slice, &axis, &position, &fraction));
    RILL_TRY(field_of(c, path, &field));
    RILL_TRY(rill_slice_read(path, field, axis, position, fraction, &slice));
    RILL_TRY(rill_picture_write(slice, (rill_picture_scale)c->scale, c->output));
    const rill_picture_range range = rill_picture_range_of(slice, (rill_picture_scale)c->scale);
    cli_row("slice", "%c = %u, %u x %u voxels", rill_axis(axis), slice->position, slice->width,
            slice->height);
    cli_row("field", "%s", fields[field + 1]);
    cli_row("colours", "%g to %g %s, %s", range.low, range.high, slice->unit, scales[c->scale]);
    cli_row("picture", "%s", c->output);
done:
    rill_slice_destroy(slice);
    return status;
}

/* Velocities near a place as CSV, which `velocities` of a case reads. */
static rill_status export_points(const choices *c, const char *const *paths, int count)
{
    rill_status status = RILL_OK;
    double place[3], reach;
    uint64_t points = 0;
    const char *rest = c->near;
    if (!c->near || !c->reach)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "-o %s needs a position and a distance: add --near X,Y,Z and --reach LENGTH",
                           c->output));
    for (int a = 0; a < 3; a++) {
        char part[64];
        const size_t length = strcspn(rest, ",");
        snprintf(part, sizeof part, "%.*s", (int)(length < sizeof part ? length : sizeof part - 1), rest);
        status = (rest[length] == ',') == (a < 2) ? rill_units_parse(part, "m", &place[a])
                                                  : rill_fail(RILL_USAGE, "three coordinates are needed");
        if (status != RILL_OK) {
            rill_fail_prefix("--near \"%s\" is not a place such as 12mm,0mm,-3mm", c->near);
            goto done;
        }
        rest += length + (a < 2);
    }
    status = rill_units_parse(c->reach, "m", &reach);
    if (status == RILL_OK && !(reach > 0)) status = rill_fail(RILL_USAGE, "it must be above 0");
    if (status != RILL_OK) {
        rill_fail_prefix("--reach \"%s\"", c->reach);
        goto done;
    }
    RILL_TRY(rill_points_write(paths, count, place, reach, c->output, &points));
    cli_row("points", "%llu of each of %d files", (unsigned long long)points, count);
    cli_row("velocities", "%s", c->output);
done:
    return status;
}

/* Name a picture like the input, without its ending, in the working directory. */
static rill_status picture_name(choices *c, const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--;
    size_t first = length;
    while (first > 0 && path[first - 1] != '/') first--;
    for (size_t k = length; k > first + 1; k--)
        if (path[k - 1] == '.') {
            length = k - 1;
            break;
        }
    const size_t geom = strlen(".geom");
    if (length > first + geom && strncmp(path + length - geom, ".geom", geom) == 0) length -= geom;
    const bool nameless = length == first || path[first] == '.' || strcmp(path, "-") == 0;
    if (nameless)
        return rill_fail(RILL_USAGE, "--png finds no name for a picture in \"%s\": give it with -o FILE.png",
                         path);
    if (asprintf(&c->named, "%.*s.png", (int)(length - first), path + first) < 0) {
        c->named = NULL;
        return rill_fail(RILL_SYSTEM, "out of memory for the name of a picture");
    }
    c->output = c->named;
    return RILL_OK;
}

static int run(int argc, char **argv)
{
    rill_status status = RILL_OK;
    choices c = {.slice = "z=50%"};
    cli_surface_defaults(&c.surface);
    const cli_option options[] = {
        {.name = "output",
         .letter = 'o',
         .kind = CLI_TEXT,
         .target = &c.output,
         .arg = "FILE",
         .help =
             "picture (.png), field file that needs no other (.vtkhdf) or points with velocities (.csv); - is a picture on standard output",
         .fallback = "",
         .apply = cli_stream_apply},
        {.name = "png",
         .kind = CLI_FLAG,
         .target = &c.png,
         .help = "picture NAME.png in the working directory, called like FILE"},
        CLI_OVERWRITE,
        {.name = "slice",
         .kind = CLI_TEXT,
         .target = &c.slice,
         .arg = "AXIS=PLACE",
         .help = "plane of a picture: axis and voxel, or per cent of the way"},
        {.name = "field",
         .kind = CLI_CHOICE,
         .target = &c.field,
         .choices = fields,
         .help =
             "what a picture shows; auto: speed, or voxels of a geometry, or TAWSS of a wall; velocity is speed"},
        {.name = "scale",
         .kind = CLI_CHOICE,
         .target = &c.scale,
         .choices = scales,
         .help = "colour scale of a picture"},
        {.name = "near",
         .kind = CLI_TEXT,
         .target = &c.near,
         .arg = "X,Y,Z",
         .help = "place, as 12mm,0mm,-3mm, whose points are written as CSV",
         .fallback = ""},
        {.name = "reach",
         .kind = CLI_TEXT,
         .target = &c.reach,
         .arg = "LENGTH",
         .help = "how far from that place points are written",
         .fallback = ""},
        {0}};
    const cli_option *const tables[] = {options, cli_surface_shape_options(&c.surface), NULL};
    const char *paths[RILL_POINTS_FILES] = {NULL};
    int count = RILL_POINTS_FILES;
    bool help = false;
    RILL_TRY(cli_parse(&cli_export, tables, argc, argv, paths, &count, &help));
    const char *path = paths[0];
    if (help) return RILL_OK;
    if (count < 1)
        RILL_TRY(rill_fail(RILL_USAGE, "no file is given: name a geometry, field, wall or surface file"));
    if (c.png && c.output)
        RILL_TRY(
            rill_fail(RILL_USAGE, "--png and -o %s both name the output: leave one of them out", c.output));
    if (c.png) RILL_TRY(picture_name(&c, path));
    if (!c.output)
        RILL_TRY(rill_fail(RILL_USAGE, "no output is given: add --png, -o FILE.png or -o FILE.vtkhdf"));
    for (int k = 0; k < count; k++)
        RILL_TRY(cli_outputs_check(paths[k], &(cli_output){c.png ? "--png" : "-o", c.output}, 1));
    const bool csv = rill_name_ends(c.output, ".csv");
    if (count > 1 && !csv)
        RILL_TRY(rill_fail(
            RILL_USAGE, "%d files are given, and -o %s is made from one: name one, or end the output in .csv",
            count, c.output));
    if ((c.near || c.reach) && !csv)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "--near and --reach are of points, and -o %s is none of them: end it in .csv",
                           c.output));
    const bool picture = rill_name_ends(c.output, ".png") || cli_json_streams(c.output);
    const bool surface = rill_surface_named(path) || c.surface.units_given;
    if (!surface && c.surface.given)
        RILL_TRY(rill_fail(RILL_USAGE, "%s is not a surface: leave out the options for surfaces", path));
    if (csv)
        RILL_TRY(export_points(&c, paths, count));
    else if (picture && surface)
        RILL_TRY(export_surface(&c, path));
    else if (picture)
        RILL_TRY(export_picture(&c, path));
    else if (rill_name_ends(c.output, ".vtkhdf"))
        RILL_TRY(rill_fields_copy(path, c.output));
    else
        RILL_TRY(
            rill_fail(RILL_USAGE,
                      "-o %s is neither a picture, a field file nor points: end it in .png, .vtkhdf or .csv",
                      c.output));
done:
    free(c.named);
    return cli_report(&cli_export, status);
}

const cli_command cli_export = {
    .name = "export",
    .usage = "FILE [options] --png | -o FILE.png|FILE.vtkhdf|FILE.csv",
    .summary =
        "draw a slice, a wall or a surface as PNG, make a field file that needs no other, or write points",
    .examples = "rill export results/wall.vtkhdf --field TAWSS -o tawss.png\n"
                "rill export rock.vtkhdf --slice y=50% -o velocity.png\n"
                "rill export rock.geom.h5 --png\n",
    .run = run};
