/* SPDX-License-Identifier: Apache-2.0 */
/* Options of surfaces. What they mean is geometry/surface/surface.h's. */
#include "cli/surface_options.h"

#include "core/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In the order of rill_caps_choice. */
static const char *const caps[] = {"closed", "auto", "none", NULL};

void cli_surface_defaults(cli_surface *surface) { *surface = (cli_surface){.min_cells = RILL_MIN_CELLS}; }

const cli_option *cli_surface_shape_options(cli_surface *s)
{
    static _Thread_local cli_option table[12];
    bool *given = &s->given;
    const cli_option options[] = {
        {.help = "Surface (STL, OBJ, PLY, VTP, folder)"},
        {"units", 0, CLI_TEXT, &s->units, "UNIT", "unit of length of the file, such as mm", .fallback = "",
         .given = &s->units_given},
        {"name", 0, CLI_MULTI, &s->names, "OPENING=NAME",
         "rename an opening, given by its name (opening-2) or a position (12mm,30mm,5mm)",
         .fallback = "opening-1, -2, ... by area", .given = given},
        {"plane", 0, CLI_MULTI, &s->planes, "[NAME=]X,Y,Z,NX,NY,NZ",
         "cut the vessel around the point X,Y,Z (lengths) by a plane, and open it there; the normal points to the side that stays",
         .fallback = "", .given = given},
        {"remove-most", 0, CLI_FLAG, &s->remove_most,
         .help = "let a --plane remove more than half of the volume, which is refused otherwise",
         .given = given},
        {"patch", 0, CLI_MULTI, &s->patches, "[NAME=]GROUP",
         "a solid (ASCII STL), group (OBJ), face (VTP: ModelFaceID) or file (of a folder) that is an opening",
         .fallback = "", .given = given},
        {"caps", 0, CLI_CHOICE, &s->caps,
         .help = "whether flat caps become openings: where the surface is otherwise closed, always, never",
         .choices = caps, .given = given},
        {"close-holes", 0, CLI_FLAG, &s->close_holes,
         .help = "close holes as large as an opening, too, which are refused otherwise", .given = given},
        {"weld", 0, CLI_LENGTH, &s->weld, "LENGTH", "vertices so near to each other are one",
         .fallback = "what single precision explains", .min = 0, .max = 1, .above = true, .given = given},
        {"shell", 0, CLI_TEXT, &s->shell, "K", "which of several vessels to take, 1 the largest, or all",
         .fallback = "refuse several", .given = given},
        {0},
    };
    _Static_assert(sizeof options <= sizeof table, "the table is too short");
    memcpy(table, options, sizeof options);
    return table;
}

const cli_option *cli_surface_voxel_options(cli_surface *s)
{
    static _Thread_local cli_option table[8];
    bool *given = &s->given;
    const cli_option options[] = {
        {.help = "Voxels of a surface"},
        {"dx", 0, CLI_LENGTH, &s->spacing, "LENGTH", "edge of a voxel, such as 0.25mm", .fallback = "",
         .min = 0, .max = 1, .above = true, .given = given},
        {"cells", 0, CLI_COUNT, &s->cells, "N", "in place of --dx: voxels along the longest side",
         .fallback = "", .min = 1, .max = RILL_GRID_MAX - 4, .given = given},
        {"extend", 0, CLI_TEXT, &s->extend, "LENGTH",
         "extend openings along their normal, by a length or in hydraulic diameters (2D)",
         .fallback = "not at all", .given = given},
        {"min-cells", 0, CLI_REAL, &s->min_cells, "N",
         "refuse fewer cells across an opening or the narrowest part", .min = 0, .max = 1000, .given = given},
        {0},
    };
    _Static_assert(sizeof options <= sizeof table, "the table is too short");
    memcpy(table, options, sizeof options);
    return table;
}

static rill_status resolve_extend(const char *text, rill_surface_options *o)
{
    double number;
    const char *end = rill_decimal_at(text, &number);
    if (end && strcmp(end, "D") == 0) {
        o->extend = number;
        o->extend_diameters = true;
    } else {
        const rill_status status = rill_units_parse(text, "m", &o->extend);
        if (status != RILL_OK) {
            rill_fail_prefix("--extend");
            return status;
        }
    }
    if (!(o->extend > 0) || o->extend > (o->extend_diameters ? 1000 : 10))
        return rill_fail(
            RILL_USAGE,
            "--extend %s is out of range: give up to 1000 hydraulic diameters such as 2D, or a length up to 10 m such as 20mm",
            text);
    return RILL_OK;
}

static rill_status resolve_shell(const char *text, rill_surface_options *o)
{
    char *end = NULL;
    const long number = strtol(text, &end, 10);
    if (strcmp(text, "all") == 0)
        o->shell = RILL_SHELL_ALL;
    else if (end == text || *end || number < 1 || number > 1000000)
        return rill_fail(RILL_USAGE, "--shell %s is not a shell: give 1 for the largest, 2, ..., or all",
                         text);
    else
        o->shell = (int)number;
    return RILL_OK;
}

/* Copy what stands before '=' as a name. @param[out] rest  what stands behind it */
static rill_status take_name(const char *text, char name[RILL_OPENING_NAME], const char **rest)
{
    const char *end = strchr(text, '=');
    *rest = end ? end + 1 : text;
    if (!end) {
        name[0] = '\0';
        return RILL_OK;
    }
    if (end - text >= RILL_OPENING_NAME)
        return rill_fail(RILL_USAGE,
                         "the name \"%.20s...\" of an opening is too long: take at most %d letters", text,
                         RILL_OPENING_NAME - 1);
    snprintf(name, RILL_OPENING_NAME, "%.*s", (int)(end - text), text);
    return rill_opening_name_check(name);
}

static rill_status resolve_plane(const char *text, char name[RILL_OPENING_NAME], rill_plane *plane)
{
    const char *at;
    char part[64];
    const rill_status named = take_name(text, name, &at);
    if (named != RILL_OK) return named;
    plane->name = *name ? name : NULL;
    for (int k = 0; k < 6; k++) {
        const size_t size = strcspn(at, ",");
        snprintf(part, sizeof part, "%.*s", (int)size, at);
        bool good = size > 0 && size < sizeof part && (at[size] == ',') == (k < 5);
        if (good && k < 3) {
            const rill_status status = rill_units_parse(part, "m", &plane->point[k]);
            if (status != RILL_OK) return status;
        } else if (good) {
            good = rill_decimal(part, &plane->normal[k - 3]);
        }
        if (!good)
            return rill_fail(
                RILL_USAGE,
                "\"%.100s\" is not a plane: give a point and a normal, such as inlet=10mm,0mm,5mm,0,0,1",
                text);
        at += size + 1;
    }
    return RILL_OK;
}

static rill_status resolve_openings(const cli_surface *s, cli_surface_openings *given,
                                    rill_surface_options *o)
{
    for (int k = 0; k < s->planes.count; k++) {
        const rill_status status = resolve_plane(s->planes.items[k], given->names[k], &given->planes[k]);
        if (status != RILL_OK) {
            rill_fail_prefix("--plane");
            return status;
        }
    }
    for (int k = 0; k < s->patches.count; k++) {
        char *name = given->names[64 + k];
        const rill_status status = take_name(s->patches.items[k], name, &given->patches[k].group);
        if (status != RILL_OK) {
            rill_fail_prefix("--patch");
            return status;
        }
        if (!*name && rill_opening_name_check(given->patches[k].group) == RILL_OK)
            strcpy(name, given->patches[k].group); /* as short as a name must be */
        given->patches[k].name = *name ? name : NULL;
    }
    o->planes = given->planes;
    o->plane_count = s->planes.count;
    o->groups = given->patches;
    o->group_count = s->patches.count;
    return RILL_OK;
}

rill_status cli_surface_axes(const char *text, rill_surface_options *out)
{
    static const char *const rotations[] = {"xyz", "yzx", "zxy"};
    for (int k = 0; k < 3; k++)
        if (strcmp(text, rotations[k]) == 0) {
            out->rotation = k;
            return RILL_OK;
        }
    return rill_fail(
        RILL_USAGE,
        "--axes %.8s does not rotate a surface, or would mirror it: give yzx (x goes to y, y to z, z to x), zxy (x goes to z, y to x, z to y) or xyz",
        text);
}

rill_status cli_surface_shape_resolve(const cli_surface *s, cli_surface_openings *openings,
                                      rill_surface_options *out)
{
    rill_status status = RILL_OK;
    rill_surface_options o = rill_surface_options_default();
    char one[64];
    if (!s->units)
        return rill_fail(
            RILL_USAGE,
            "a surface file does not say its unit of length: add --units mm, or what it was exported in");
    if (strlen(s->units) > 32)
        return rill_fail(RILL_USAGE, "--units %.32s... is not a unit of length: give one such as mm",
                         s->units);
    snprintf(one, sizeof one, "1 %s", s->units);
    status = rill_units_parse(one, "m", &o.unit);
    if (status == RILL_OK && !(o.unit > 0))
        status = rill_fail(RILL_USAGE, "%s is not a unit of length: give one such as mm", s->units);
    if (status != RILL_OK) {
        rill_fail_prefix("--units");
        return status;
    }
    o.spacing = s->spacing;
    o.cells = (uint32_t)s->cells;
    o.min_cells = s->min_cells;
    o.weld = s->weld;
    o.caps = (rill_caps_choice)s->caps;
    o.remove_most = s->remove_most;
    o.close_holes = s->close_holes;
    if (s->extend) RILL_TRY(resolve_extend(s->extend, &o));
    if (s->shell) RILL_TRY(resolve_shell(s->shell, &o));
    RILL_TRY(resolve_openings(s, openings, &o));
    for (int k = 0; k < s->names.count; k++) {
        status = rill_opening_rename_check(s->names.items[k], NULL);
        if (status == RILL_OK) continue;
        rill_fail_prefix("--name");
        return status;
    }
    o.names = s->names.items;
    o.name_count = s->names.count;
    *out = o;
done:
    return status;
}

rill_status cli_surface_resolve(const cli_surface *s, cli_surface_openings *openings,
                                rill_surface_options *out)
{
    const rill_status status = cli_surface_shape_resolve(s, openings, out);
    if (status != RILL_OK || (s->spacing > 0) != (s->cells > 0)) return status;
    return rill_fail(
        RILL_USAGE,
        s->cells
            ? "--dx and --cells both give the size of voxels: use one"
            : "the size of voxels is not given: add --dx, such as --dx 0.25mm, or --cells N along the longest side");
}
