/* SPDX-License-Identifier: Apache-2.0 */
/* What a case file with cells may say. */
#include "membrane/cells.h"

#include "core/beside.h"
#include "geometry/surface/openings.h"
#include "core/memory.h"
#include "core/status.h"
#include "kernel/variant.h"
#include "vessel/case/yaml_schema.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) offsetof(rill_cells_case, member)
#define OF(member) offsetof(rill_cells_end, member)

/* Cells whose positions are named, at most: more are seeded. */
enum { POSITIONS = 4096 };

/* Indices are those of rill_cells_shape, rill_membrane_law and of stream_values in cells_plan.c. */
static const char *const kinds[] = {"inlet", "pressure", "wall", NULL}; /* rill_cells_end_kind */
static const char *const shapes[] = {"sphere", "red-cell", NULL};
static const char *const laws[] = {"neo-hookean", "skalak", NULL};
static const char *const streams[] = {"pull", "aa", "esotwist", "esopull", NULL};

/* Read [x, y, z]. */
static rill_status read_three(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                              const char *unit, double out[3])
{
    if (!rill_yaml_is_list(value) || rill_yaml_count(value) != 3)
        return rill_yaml_fail(yaml, value, "%s is not a list of three quantities, [x, y, z]", where);
    for (int a = 0; a < 3; a++) {
        const rill_status status =
            rill_yaml_quantity(yaml, rill_yaml_item(yaml, value, a, NULL), where, unit, &out[a]);
        if (status != RILL_OK) return status;
    }
    return RILL_OK;
}

static rill_status read_force(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                              void *into)
{
    return read_three(yaml, value, where, "N/m3", into);
}

static rill_status read_axis(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                             void *into)
{
    double *axis = into;
    const rill_status status = read_three(yaml, value, where, "1", axis);
    if (status != RILL_OK) return status;
    const double most = fmax(fmax(fabs(axis[0]), fabs(axis[1])), fabs(axis[2]));
    if (!(most > 0)) return rill_yaml_fail(yaml, value, "%s has no direction: one must not be 0", where);
    for (int a = 0; a < 3; a++) axis[a] /= most;
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int a = 0; a < 3; a++) axis[a] /= length;
    return RILL_OK;
}

static rill_status read_positions(const rill_yaml *yaml, const rill_yaml_value *value, const char *where,
                                  void *into)
{
    rill_cells_case *c = into;
    const int count = rill_yaml_count(value);
    if (!rill_yaml_is_list(value) || count == 0 || count > POSITIONS)
        return rill_yaml_fail(yaml, value, "%s is not a list of 1 to %d positions, [[x, y, z], ...]", where,
                              POSITIONS);
    c->positions = calloc((size_t)count, sizeof *c->positions);
    if (!c->positions) return rill_fail(RILL_SYSTEM, "out of memory for %d positions", count);
    for (int k = 0; k < count; k++) {
        const rill_status status =
            read_three(yaml, rill_yaml_item(yaml, value, k, NULL), where, "m", c->positions[k]);
        if (status != RILL_OK) return status;
    }
    c->position_count = count;
    return RILL_OK;
}

/* clang-format off */
#define KIND {"kind", RILL_KEY_CHOICE, OF(kind), true, .choices = kinds, .help = "Boundary condition at the opening."}
static const rill_key *const end_keys[] = {
    (const rill_key[]){KIND,
        {"flow", RILL_KEY_QUANTITY, OF(flow), true, "m3/s", 0, 1, true, .help = "Inflow."},
        {"haematocrit", RILL_KEY_QUANTITY, OF(haematocrit), false, "1", 0, 1,
         .help = "Share of the inflow's volume that cells have. Default: that of the cells; 0 with positions."},
        {0}},
    (const rill_key[]){KIND,
        {"pressure", RILL_KEY_QUANTITY, OF(pressure), true, "Pa", -1e7, 1e7, .help = "Imposed pressure."},
        {0}},
    (const rill_key[]){KIND, {0}}};
/* clang-format on */

static rill_status read_end(const rill_yaml *yaml, const rill_yaml_value *key, const rill_yaml_value *value,
                            rill_cells_end *out)
{
    rill_status status = RILL_OK;
    const char *name = rill_yaml_scalar(key);
    char where[96];
    rill_cells_end end = {.line = rill_yaml_line(key), .haematocrit = -1};
    if (!name || strlen(name) >= sizeof end.name || rill_opening_name_check(name) != RILL_OK)
        return rill_yaml_fail(yaml, key, "\"%.80s\" cannot be the name of an opening", name ? name : "");
    snprintf(end.name, sizeof end.name, "%s", name);
    snprintf(where, sizeof where, "opening %s", name);
    if (!rill_yaml_is_map(value))
        return rill_yaml_fail(yaml, value, "%s is not a mapping: write its kind and what goes with it below",
                              where);
    const rill_yaml_value *kind = rill_yaml_get(yaml, value, "kind");
    if (!kind)
        return rill_yaml_fail(yaml, value, "%s lacks the key \"kind\": inlet, pressure or wall", where);
    RILL_TRY(rill_yaml_choice(yaml, kind, where, kinds, &end.kind));
    RILL_TRY(rill_yaml_map(yaml, value, where, end_keys[end.kind], &end, NULL));
    *out = end;
done:
    return status;
}

static rill_status read_ends(const rill_yaml *yaml, const rill_yaml_value *map, const char *where, void *into)
{
    rill_status status = RILL_OK;
    rill_cells_case *c = into;
    const int count = rill_yaml_count(map);
    if (!rill_yaml_is_map(map) || count == 0 || count > RILL_OPENINGS)
        return rill_yaml_fail(yaml, map, "%s is not a mapping of the names of 1 to %d openings", where,
                              RILL_OPENINGS);
    RILL_TRY(rill_yaml_names(yaml, map, where));
    c->ends = calloc((size_t)count, sizeof *c->ends);
    if (!c->ends) return rill_fail(RILL_SYSTEM, "out of memory for %d openings", count);
    for (int k = 0; k < count; k++) {
        const rill_yaml_value *key, *value = rill_yaml_item(yaml, map, k, &key);
        RILL_TRY(read_end(yaml, key, value, &c->ends[k]));
        c->end_count++;
    }
done:
    return status;
}

static json_t *ends_schema(void)
{
    return rill_yaml_schema_names(rill_yaml_schema_kinds(kinds, end_keys), 1, RILL_OPENINGS);
}

static json_t *force_schema(void) { return rill_yaml_schema_place("N/m3"); }
static json_t *axis_schema(void) { return rill_yaml_schema_place("1"); }
static json_t *positions_schema(void)
{
    return json_pack("{s:s, s:o, s:i, s:i}", "type", "array", "items", rill_yaml_schema_place("m"),
                     "minItems", 1, "maxItems", POSITIONS);
}

/* clang-format off */
#define NEED(name, member, ...) {name, RILL_KEY_QUANTITY, AT(member), true, __VA_ARGS__}
#define SET(name, member, ...) {name, RILL_KEY_QUANTITY, AT(member), false, __VA_ARGS__}
#define CHOOSE(name, member, names, ...) {name, RILL_KEY_CHOICE, AT(member), false, .choices = names, __VA_ARGS__}
static const rill_key fluid_keys[] = {
    NEED("density", density, "kg/m3", 0, 1e5, true, .help = "Density of the fluid, inside and outside of cells."),
    NEED("viscosity", viscosity, "Pa.s", 0, 1e3, true, .help = "Dynamic viscosity, inside and outside of cells."),
    {0}};
static const rill_key flow_keys[] = {
    {"body-force", RILL_KEY_CALL, AT(force), .read = read_force, .schema = force_schema,
     .help = "Force on the fluid by volume, [x, y, z], as a pressure that falls by as much per length has. Default: none."},
    SET("shear-rate", rate, "s-1", 0, 1e9, true,
        .help = "Solid domain boundaries along z move along x and -x at this rate times half of their distance. Default: none."),
    {0}};
static const rill_key cell_keys[] = {
    {"shape", RILL_KEY_CHOICE, AT(shape), true, .choices = shapes, .help = "Shape at rest: a sphere, or the biconcave disc of a red blood cell."},
    NEED("radius", radius, "m", 0, 1, true, .help = "Radius of the sphere, or of the disc."),
    CHOOSE("law", law, laws, .help = "Elasticity in the plane of the membrane. Default: skalak."),
    NEED("shear-modulus", shear, "N/m", 0, 1e6, true, .help = "Shear modulus of the surface."),
    SET("dilatation", dilatation, "1", 0, 1e6, .help = "C of Skalak's law. Default: 1."),
    SET("bending-stiffness", bending, "J", 0, 1, .help = "Bending stiffness of Helfrich's energy. Default: 0 J."),
    SET("area-modulus", area, "N/m", 0, 1e6, .help = "Stiffness that holds the whole area. Default: 0 N/m."),
    SET("volume-modulus", volume, "N/m2", 0, 1e12, .help = "Stiffness that holds the volume. Default: 0 N/m2."),
    SET("contact-force", contact, "N", 0, 1,
        .help = "Force between vertices of cells, or of a vertex and a wall, that touch. Default: the shear modulus times a voxel."),
    SET("haematocrit", haematocrit, "1", 0, 1, true, .help = "Share of the fluid's volume that cells have, at random positions, and of what inlets bring. Not with positions."),
    {"seed", RILL_KEY_COUNT, AT(seed), false, NULL, 0, 2147483647, .help = "Of the random positions. Default: 1."},
    {"positions", RILL_KEY_CALL, 0, .read = read_positions, .schema = positions_schema,
     .help = "Centres of cells, [[x, y, z], ...], in the coordinates of the geometry. Not with haematocrit."},
    {"axis", RILL_KEY_CALL, AT(axis), .read = read_axis, .schema = axis_schema,
     .help = "Direction of the discs' axes, [x, y, z]. Default: at random; z with positions."},
    {0}};
static const rill_key run_keys[] = {
    NEED("duration", duration, "s", 0, 1e6, true, .help = "Physical time."),
    SET("time-step", time_step, "s", 0, 1, true, .help = "Time step. Default: the longest that the membranes allow."),
    CHOOSE("stream", stream, streams, .help = "Streaming scheme. Default: aa."),
    CHOOSE("storage", storage, rill_storage_names, .help = "Number format of the populations. Default: fp32."),
    {0}};
static const rill_key output_keys[] = {
    SET("every", rows_every, "s", 0, 1e6, true, .help = "Time between rows of cells.csv, one for each cell. Default: a hundredth of the duration."),
    SET("files-every", files_every, "s", 0, 1e6, true, .help = "Time between files of the membranes. Default: none."),
    {"fields", RILL_KEY_YES, AT(fields), .help = "Velocity and pressure on the voxels, with the files of the membranes. Default: no."},
    SET("checkpoint-every", checkpoint_every, "s", 0, 1e8, .help = "Wall-clock time between checkpoints; 0 s: on signals only. Default: 10 min."),
    {0}};
static const rill_key case_keys[] = {
    {"geometry", RILL_KEY_TEXT, AT(geometry), true, .help = "A *.geom.h5 file with periodic or solid domain boundaries."},
    {"fluid", RILL_KEY_MAP, 0, true, .keys = fluid_keys, .help = "Density and viscosity."},
    {"openings", RILL_KEY_CALL, 0, .read = read_ends, .schema = ends_schema,
     .help = "Each opening of the geometry by its name, with its boundary condition. Default: there is none."},
    {"flow", RILL_KEY_MAP, 0, .keys = flow_keys, .help = "What drives the fluid. Default: nothing."},
    {RILL_CELLS_SECTION, RILL_KEY_MAP, 0, true, .keys = cell_keys, .help = "Capsules or red blood cells of one kind."},
    {"run", RILL_KEY_MAP, 0, true, .keys = run_keys, .help = "Duration, time step and kernel."},
    {"output", RILL_KEY_MAP, 0, .keys = output_keys, .help = "What is written."},
    {0}};
/* clang-format on */

json_t *rill_cells_schema(void)
{
    return rill_yaml_schema_file(
        "cells", "Case of rill run with cells",
        "Capsules or red blood cells in a flow. Each quantity is a number with its unit, such as 5 uN/m.",
        case_keys);
}

/* What must go together. */
static rill_status check(const rill_cells_case *c)
{
    bool brought = false; /* by inlets alone */
    for (int k = 0; k < c->end_count; k++) brought = brought || c->ends[k].haematocrit > 0;
    if ((c->haematocrit > 0 && c->position_count > 0) ||
        (c->haematocrit == 0 && c->position_count == 0 && !brought))
        return rill_fail(RILL_USAGE, "%s: cells have %s haematocrit %s positions: give one of them", c->path,
                         c->haematocrit > 0 ? "both a" : "neither a", c->haematocrit > 0 ? "and" : "nor");
    if (c->law == RILL_NEO_HOOKEAN && c->dilatation >= 0)
        return rill_fail(
            RILL_USAGE, "%s: dilatation has no effect on the law neo-hookean: leave it out, or choose skalak",
            c->path);
    if (c->rows_every > c->duration || c->files_every > c->duration)
        return rill_fail(RILL_USAGE,
                         "%s: output is every %g s, and the run ends at %g s: write it more often", c->path,
                         fmax(c->rows_every, c->files_every), c->duration);
    if (c->end_count > 0 && (c->rate > 0 || c->force[0] != 0 || c->force[1] != 0 || c->force[2] != 0))
        return rill_fail(RILL_USAGE,
                         "%s: what comes in through openings drives the flow: leave out the section flow",
                         c->path);
    if (c->fields && c->files_every == 0)
        return rill_fail(RILL_USAGE, "%s: fields are written with files of the membranes: give files-every",
                         c->path);
    return RILL_OK;
}

static rill_status keep_texts(rill_cells_case *c, const rill_yaml *yaml)
{
    char *geometry = NULL;
    /* A geometry may lie anywhere: nothing but a geometry that rill wrote is read. */
    const rill_status status = rill_file_beside(c->path, c->geometry, RILL_OUTSIDE_ALLOWED, &geometry);
    c->geometry = geometry; /* not the reader's any more */
    if (status != RILL_OK) {
        rill_fail_prefix("%s: geometry", c->path);
        return status;
    }
    c->text = strdup(rill_yaml_text(yaml));
    return c->text ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for %s", c->path);
}

rill_status rill_cells_read(const char *path, rill_cells_case *out)
{
    rill_status status = RILL_OK;
    rill_yaml *yaml = NULL;
    rill_cells_case c = {.law = RILL_SKALAK,
                         .dilatation = -1,
                         .contact = -1,
                         .seed = 1,
                         .stream = 1,
                         .storage = RILL_FP32,
                         .checkpoint_every = 600};
    c.path = strdup(path);
    if (!c.path) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for %s", path));
    RILL_TRY(rill_yaml_read(path, &yaml));
    status = rill_yaml_map(yaml, rill_yaml_root(yaml), "the case", case_keys, &c, NULL);
    if (status != RILL_OK) {
        c.geometry = NULL; /* the reader's */
        goto done;
    }
    RILL_TRY(keep_texts(&c, yaml));
    RILL_TRY(check(&c));
    if (c.dilatation < 0) c.dilatation = 1;
    if (c.rows_every == 0) c.rows_every = c.duration / 100;
    *out = c;
    c = (rill_cells_case){0};
done:
    rill_yaml_destroy(yaml);
    rill_cells_case_free(&c);
    return status;
}

void rill_cells_case_free(rill_cells_case *c)
{
    free(c->path);
    free(c->text);
    free(c->geometry);
    free(c->positions);
    free(c->ends);
    *c = (rill_cells_case){0};
}
