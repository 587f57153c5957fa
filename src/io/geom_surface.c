/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces, cut links and openings in geometry files. Reading trusts nothing. */
#include "io/geom_surface.h"

#include "core/memory.h"
#include "core/status.h"
#include "kernel/lattice.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFLATE = 4, BLOCK = 65536, PATH = RILL_OPENING_NAME + 32 };

#define WALLS "/walls"
#define PATCHES "/patches"

/* ---- writing --------------------------------------------------------------------------------- */

/* A column of a list of links. */
typedef struct column {
    const char *name;
    rill_h5_type type;
    const char *meaning;
} column;

static const column columns[] = {
    {"node", RILL_H5_U32, "number of the fluid node"},
    {"direction", RILL_H5_U8, "number i of the D3Q27 velocity c_i from the surface to the node"},
    {"q", RILL_H5_F32, "the surface is at x - q c_i"},
    {"triangle", RILL_H5_U32, "of /surface/triangles; 4294967295: none, or an opening"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void column_get(int k, const rill_cut *cuts, uint64_t count, void *out)
{
    for (uint64_t c = 0; c < count; c++) switch (k) {
        case 0:
            ((uint32_t *)out)[c] = cuts[c].node;
            break;
        case 1:
            ((uint8_t *)out)[c] = cuts[c].direction;
            break;
        case 2:
            ((float *)out)[c] = cuts[c].q;
            break;
        default:
            ((uint32_t *)out)[c] = cuts[c].triangle;
        }
}

static void column_set(int k, rill_cut *cuts, uint64_t count, const void *in)
{
    for (uint64_t c = 0; c < count; c++) switch (k) {
        case 0:
            cuts[c].node = ((const uint32_t *)in)[c];
            break;
        case 1:
            cuts[c].direction = ((const uint8_t *)in)[c];
            break;
        case 2:
            cuts[c].q = ((const float *)in)[c];
            break;
        default:
            cuts[c].triangle = ((const uint32_t *)in)[c];
        }
}

static rill_status cuts_write(rill_h5_file *file, const char *group, const rill_cut *cuts, uint64_t count)
{
    rill_status status = RILL_OK;
    rill_h5_stream *stream = NULL;
    void *block = NULL;
    char path[PATH];
    RILL_TRY(rill_array_create(BLOCK, sizeof(uint32_t), "writing links", &block));
    for (int k = 0; k < COLUMNS; k++) {
        snprintf(path, sizeof path, "%s/%s", group, columns[k].name);
        RILL_TRY(rill_h5_stream_create(file, path, columns[k].type, 0, DEFLATE, &stream));
        RILL_TRY(rill_h5_set_text(file, path, "long_name", columns[k].meaning));
        for (uint64_t c = 0; c < count; c += BLOCK) {
            const uint64_t rows = count - c < BLOCK ? count - c : BLOCK;
            column_get(k, cuts + c, rows, block);
            RILL_TRY(rill_h5_stream_append(stream, rows, block));
        }
        RILL_TRY(rill_h5_stream_flush(stream));
        rill_h5_stream_destroy(stream);
        stream = NULL;
    }
done:
    rill_h5_stream_destroy(stream);
    rill_array_destroy(block);
    return status;
}

static rill_status table_write(rill_h5_file *file, const char *path, const char *meaning, rill_h5_type type,
                               uint64_t rows, const void *data)
{
    rill_status status = RILL_OK;
    const rill_h5_layout layout = {
        .type = type, .rank = 2, .dims = {rows, 3}, .chunk = {BLOCK / 4, 3}, .deflate = DEFLATE};
    RILL_TRY(rill_h5_dataset_create(file, path, &layout));
    RILL_TRY(rill_h5_set_text(file, path, "long_name", meaning));
    RILL_TRY(rill_h5_write(file, path, type, NULL, NULL, data));
done:
    return status;
}

/* Names of patches, one a line; the caller frees them. */
static rill_status names_join(const rill_surface *s, char **out)
{
    size_t size = 1, used = 0;
    for (uint32_t p = 0; p < s->patch_count; p++) size += strlen(s->patch_names[p]) + 1;
    char *text = *out = calloc(size, 1);
    if (!text) return rill_fail(RILL_SYSTEM, "out of memory for the names of patches");
    for (uint32_t p = 0; p < s->patch_count; p++)
        for (const char *c = s->patch_names[p]; c == s->patch_names[p] || c[-1]; c++)
            text[used++] = *c == '\n' ? ' ' : *c ? *c : '\n';
    if (used) text[used - 1] = '\0';
    return RILL_OK;
}

static rill_status removed_write(rill_h5_file *file, const rill_surface *s)
{
    rill_status status = RILL_OK;
    static const char path[] = "/surface/removed";
    const rill_h5_layout layout = {
        .type = RILL_H5_U8, .rank = 1, .dims = {s->triangle_count}, .chunk = {BLOCK}, .deflate = DEFLATE};
    if (!s->removed) return RILL_OK;
    RILL_TRY(rill_h5_dataset_create(file, path, &layout));
    RILL_TRY(rill_h5_set_text(file, path, "long_name", RILL_WALL_STATES));
    RILL_TRY(rill_h5_write(file, path, RILL_H5_U8, NULL, NULL, s->removed));
done:
    return status;
}

rill_status rill_patches_write(rill_h5_file *file, const char *path, const rill_surface *s)
{
    rill_status status = RILL_OK;
    char *names = NULL;
    const rill_h5_layout layout = {
        .type = RILL_H5_U32, .rank = 1, .dims = {s->triangle_count}, .chunk = {BLOCK}, .deflate = DEFLATE};
    if (!s->patches) return RILL_OK;
    RILL_TRY(rill_h5_dataset_create(file, path, &layout));
    RILL_TRY(rill_h5_set_text(file, path, "long_name", "patch of the surface, a number of the names from 0"));
    RILL_TRY(rill_h5_write(file, path, RILL_H5_U32, NULL, NULL, s->patches));
    RILL_TRY(names_join(s, &names));
    RILL_TRY(rill_h5_set_text(file, path, "names", names));
done:
    free(names);
    return status;
}

static rill_status opening_write(rill_h5_file *file, const rill_opening *o)
{
    rill_status status = RILL_OK;
    char path[PATH];
    const int64_t label = o->label;
    snprintf(path, sizeof path, PATCHES "/%s", o->name);
    RILL_TRY(rill_h5_group_create(file, path));
    RILL_TRY(rill_h5_set_text(file, path, "kind", "opening"));
    RILL_TRY(rill_h5_set_integers(file, path, "label", &label, 1));
    RILL_TRY(rill_h5_set_reals(file, path, "centre", o->centre, 3));
    RILL_TRY(rill_h5_set_reals(file, path, "normal", o->normal, 3));
    RILL_TRY(rill_h5_set_reals(file, path, "area", &o->area, 1));
    RILL_TRY(rill_h5_set_reals(file, path, "perimeter", &o->perimeter, 1));
    RILL_TRY(rill_h5_set_reals(file, path, "hydraulic_diameter", &o->hydraulic_diameter, 1));
    if (memcmp(o->axis, o->normal, sizeof o->axis) != 0)
        RILL_TRY(rill_h5_set_reals(file, path, "axis", o->axis, 3));
    if (!isnan(o->extension)) RILL_TRY(rill_h5_set_reals(file, path, "extension", &o->extension, 1));
    RILL_TRY(cuts_write(file, path, o->cuts, o->cut_count));
    snprintf(path, sizeof path, PATCHES "/%s/outline", o->name);
    if (o->outline)
        RILL_TRY(table_write(file, path, "points around it, in metres", RILL_H5_F64, o->outline_count,
                             o->outline));
done:
    return status;
}

rill_status rill_geom_surface_write(const rill_surface *s, rill_h5_file *file)
{
    rill_status status = RILL_OK;
    RILL_TRY(table_write(file, "/surface/vertices", "positions in metres, in the coordinates of origin",
                         RILL_H5_F64, s->vertex_count, s->vertices));
    RILL_TRY(table_write(file, "/surface/triangles", "vertices, counter-clockwise from outside; file order",
                         RILL_H5_U32, s->triangle_count, s->triangles));
    RILL_TRY(removed_write(file, s));
    RILL_TRY(rill_patches_write(file, "/surface/patch", s));
    RILL_TRY(rill_h5_group_create(file, WALLS));
    RILL_TRY(cuts_write(file, WALLS, s->walls, s->wall_count));
    RILL_TRY(rill_h5_group_create(file, PATCHES));
    for (int k = 0; k < s->opening_count; k++) RILL_TRY(opening_write(file, &s->openings[k]));
done:
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* What is read and what it is checked against. */
typedef struct reader {
    rill_h5_file *file;
    rill_surface *surface;
    uint64_t nodes;
} reader;

static rill_status table_read(rill_h5_file *file, const char *path, rill_h5_type type, uint64_t *rows,
                              void **out)
{
    rill_status status = RILL_OK;
    rill_h5_layout layout;
    RILL_TRY(rill_h5_dataset_layout(file, path, &layout));
    if (layout.type != type || layout.rank != 2 || layout.dims[1] != 3 || layout.dims[0] > INT32_MAX)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: %s is not a table of three columns",
                           rill_h5_path(file), path));
    *rows = layout.dims[0];
    RILL_TRY(rill_array_create(*rows, 3 * rill_h5_size(type), path, out));
    if (*rows > 0) RILL_TRY(rill_h5_read(file, path, type, 2, NULL, (uint64_t[]){*rows, 3}, *out));
done:
    return status;
}

static rill_status mesh_read(reader *r)
{
    rill_status status = RILL_OK;
    rill_surface *s = r->surface;
    RILL_TRY(table_read(r->file, "/surface/vertices", RILL_H5_F64, &s->vertex_count, (void **)&s->vertices));
    RILL_TRY(
        table_read(r->file, "/surface/triangles", RILL_H5_U32, &s->triangle_count, (void **)&s->triangles));
    for (uint64_t v = 0; v < s->vertex_count; v++)
        if (!isfinite(s->vertices[v][0]) || !isfinite(s->vertices[v][1]) || !isfinite(s->vertices[v][2]))
            RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: vertex %llu of the surface is not finite",
                               rill_h5_path(r->file), (unsigned long long)v));
    for (uint64_t t = 0; t < s->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (s->triangles[t][k] >= s->vertex_count)
                RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: triangle %llu names vertex %u of %llu",
                                   rill_h5_path(r->file), (unsigned long long)t, s->triangles[t][k],
                                   (unsigned long long)s->vertex_count));
done:
    return status;
}

/* Read one number for each triangle. */
static rill_status numbers_read(reader *r, const char *path, rill_h5_type type, uint64_t size, void **out)
{
    rill_status status = RILL_OK;
    const rill_surface *s = r->surface;
    rill_h5_layout layout;
    RILL_TRY(rill_h5_dataset_layout(r->file, path, &layout));
    if (layout.type != type || layout.rank != 1 || layout.dims[0] != s->triangle_count)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: %s has not one number for each of the %llu triangles",
                           rill_h5_path(r->file), path, (unsigned long long)s->triangle_count));
    RILL_TRY(rill_array_create(s->triangle_count, size, path, out));
    if (s->triangle_count > 0) RILL_TRY(rill_h5_read(r->file, path, type, 1, NULL, &s->triangle_count, *out));
done:
    return status;
}

/* Files of surfaces from which nothing was taken away have none. */
static rill_status removed_read(reader *r)
{
    static const char path[] = "/surface/removed";
    if (!rill_h5_exists(r->file, path)) return RILL_OK;
    return numbers_read(r, path, RILL_H5_U8, 1, (void **)&r->surface->removed);
}

/* Take the lines of a text as names of patches. */
static rill_status names_split(const char *text, rill_surface *s)
{
    uint32_t count = 1;
    for (const char *c = text; *c; c++) count += *c == '\n';
    if (!(s->patch_names = calloc(count, sizeof *s->patch_names)))
        return rill_fail(RILL_SYSTEM, "out of memory for the names of patches");
    while (s->patch_count < count) {
        const size_t length = strcspn(text, "\n");
        if (!(s->patch_names[s->patch_count++] = strndup(text, length)))
            return rill_fail(RILL_SYSTEM, "out of memory for the names of patches");
        text += length + (text[length] == '\n');
    }
    return RILL_OK;
}

/* Files of surfaces whose triangles have no groups have none. */
static rill_status patches_read(reader *r)
{
    rill_status status = RILL_OK;
    static const char path[] = "/surface/patch";
    rill_surface *s = r->surface;
    char *names = NULL;
    if (!rill_h5_exists(r->file, path)) return RILL_OK;
    RILL_TRY(numbers_read(r, path, RILL_H5_U32, sizeof *s->patches, (void **)&s->patches));
    RILL_TRY(rill_h5_get_text(r->file, path, "names", &names));
    RILL_TRY(names_split(names, s));
    for (uint64_t t = 0; t < s->triangle_count; t++)
        if (s->patches[t] >= s->patch_count)
            RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: triangle %llu is of patch %u, and %u have names",
                               rill_h5_path(r->file), (unsigned long long)t, s->patches[t], s->patch_count));
done:
    free(names);
    return status;
}

/* Links in ascending order of node and direction, each once, all numbers in range. */
static rill_status cuts_check(const reader *r, const char *group, const rill_cut *cuts, uint64_t count)
{
    for (uint64_t c = 0; c < count; c++) {
        const rill_cut *cut = &cuts[c];
        const bool sorted = c == 0 || cut[-1].node < cut->node ||
                            (cut[-1].node == cut->node && cut[-1].direction < cut->direction);
        if (cut->node >= r->nodes || cut->direction < 1 || cut->direction >= RILL_Q_MAX ||
            !(cut->q >= 0 && cut->q <= 1) ||
            (cut->triangle != RILL_NO_TRIANGLE && cut->triangle >= r->surface->triangle_count) || !sorted)
            return rill_fail(
                RILL_USAGE,
                "cannot read %s: link %llu of %s (node %u, direction %u, q %g, triangle %u) is out of range or order: the file is damaged",
                rill_h5_path(r->file), (unsigned long long)c, group, cut->node, cut->direction,
                (double)cut->q, cut->triangle);
    }
    return RILL_OK;
}

static rill_status cuts_read(reader *r, const char *group, rill_cut **out, uint64_t *out_count)
{
    rill_status status = RILL_OK;
    rill_cut *cuts = NULL;
    void *block = NULL;
    uint64_t count = 0;
    char path[PATH];
    RILL_TRY(rill_array_create(BLOCK, sizeof(uint32_t), "reading links", &block));
    for (int k = 0; k < COLUMNS; k++) {
        rill_h5_layout layout;
        snprintf(path, sizeof path, "%s/%s", group, columns[k].name);
        RILL_TRY(rill_h5_dataset_layout(r->file, path, &layout));
        if (k == 0) {
            count = layout.dims[0];
            if (layout.rank != 1 || count > (RILL_Q_MAX - 1) * r->nodes)
                RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: %s is not a list of links of %llu nodes",
                                   rill_h5_path(r->file), group, (unsigned long long)r->nodes));
            RILL_TRY(
                rill_array_create_zero(count + 1, sizeof *cuts, "the links of the surface", (void **)&cuts));
        }
        if (layout.rank != 1 || layout.type != columns[k].type || layout.dims[0] != count)
            RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: %s does not fit the other columns of %s",
                               rill_h5_path(r->file), path, group));
        for (uint64_t c = 0; c < count; c += BLOCK) {
            const uint64_t rows = count - c < BLOCK ? count - c : BLOCK;
            RILL_TRY(rill_h5_read(r->file, path, columns[k].type, 1, &c, &rows, block));
            column_set(k, cuts + c, rows, block);
        }
    }
    RILL_TRY(cuts_check(r, group, cuts, count));
    *out = cuts;
    *out_count = count;
    cuts = NULL;
done:
    rill_array_destroy(block);
    rill_array_destroy(cuts);
    return status;
}

/* Older files have none. */
static rill_status outline_read(const reader *r, const char *name, rill_opening *o)
{
    rill_status status = RILL_OK;
    char path[PATH];
    snprintf(path, sizeof path, PATCHES "/%s/outline", name);
    if (!rill_h5_exists(r->file, path)) return RILL_OK;
    RILL_TRY(table_read(r->file, path, RILL_H5_F64, &o->outline_count, (void **)&o->outline));
    for (uint64_t n = 0; n < 3 * o->outline_count; n++)
        if (!isfinite(o->outline[n / 3][n % 3]))
            RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: point %llu of %s is not finite",
                               rill_h5_path(r->file), (unsigned long long)(n / 3), path));
    if (o->outline_count < 3)
        status = rill_fail(RILL_USAGE, "cannot read %s: %s has %llu points, and an outline has three or more",
                           rill_h5_path(r->file), path, (unsigned long long)o->outline_count);
done:
    return status;
}

static rill_status opening_read(void *context, const char *name)
{
    rill_status status = RILL_OK;
    reader *r = context;
    rill_surface *s = r->surface;
    char path[PATH];
    int64_t label = 0;
    if (strlen(name) >= RILL_OPENING_NAME || s->opening_count == RILL_OPENINGS)
        return rill_fail(RILL_USAGE, "cannot read %s: it has an opening of %zu letters, or more than %d",
                         rill_h5_path(r->file), strlen(name), RILL_OPENINGS);
    rill_opening *o = &s->openings[s->opening_count++];
    snprintf(o->name, sizeof o->name, "%s", name);
    snprintf(path, sizeof path, PATCHES "/%s", name);
    RILL_TRY(rill_h5_get_integers(r->file, path, "label", &label, 1));
    RILL_TRY(rill_h5_get_reals(r->file, path, "centre", o->centre, 3));
    RILL_TRY(rill_h5_get_reals(r->file, path, "normal", o->normal, 3));
    RILL_TRY(rill_h5_get_reals(r->file, path, "area", &o->area, 1));
    RILL_TRY(rill_h5_get_reals(r->file, path, "perimeter", &o->perimeter, 1));
    RILL_TRY(rill_h5_get_reals(r->file, path, "hydraulic_diameter", &o->hydraulic_diameter, 1));
    memcpy(o->axis, o->normal, sizeof o->axis);
    if (rill_h5_has_attribute(r->file, path, "axis"))
        RILL_TRY(rill_h5_get_reals(r->file, path, "axis", o->axis, 3));
    o->extension = NAN;
    if (rill_h5_has_attribute(r->file, path, "extension"))
        RILL_TRY(rill_h5_get_reals(r->file, path, "extension", &o->extension, 1));
    const double length = hypot(hypot(o->normal[0], o->normal[1]), o->normal[2]);
    const double across = o->axis[0] * o->normal[0] + o->axis[1] * o->normal[1] + o->axis[2] * o->normal[2];
    const bool finite = isfinite(o->centre[0]) && isfinite(o->centre[1]) && isfinite(o->centre[2]);
    if (label < RILL_LABEL || label > UINT8_MAX || !finite || !(fabs(length - 1) < 1e-6) || !(o->area > 0) ||
        !(o->perimeter > 0) || !(o->hydraulic_diameter > 0) || isinf(o->area) || isinf(o->perimeter) ||
        !(across > 0.1 && across < 1 + 1e-6) || o->extension < 0 || isinf(o->extension))
        RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: %s is not an opening: the file is damaged",
                           rill_h5_path(r->file), path));
    o->label = (uint8_t)label;
    RILL_TRY(cuts_read(r, path, &o->cuts, &o->cut_count));
    RILL_TRY(outline_read(r, name, o));
done:
    return status;
}

static int by_label(const void *a, const void *b)
{
    return ((const rill_opening *)a)->label - ((const rill_opening *)b)->label;
}

rill_status rill_geom_surface_read(rill_h5_file *file, uint64_t nodes, rill_surface **out)
{
    rill_status status = RILL_OK;
    reader r = {.file = file, .nodes = nodes};
    *out = NULL;
    if (!rill_h5_exists(file, "/surface")) return RILL_OK;
    r.surface = calloc(1, sizeof *r.surface);
    if (r.surface) r.surface->openings = calloc(RILL_OPENINGS, sizeof *r.surface->openings);
    if (!r.surface || !r.surface->openings) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a surface"));
    RILL_TRY(mesh_read(&r));
    RILL_TRY(removed_read(&r));
    RILL_TRY(patches_read(&r));
    RILL_TRY(cuts_read(&r, WALLS, &r.surface->walls, &r.surface->wall_count));
    RILL_TRY(rill_h5_members(file, PATCHES, opening_read, &r));
    qsort(r.surface->openings, (size_t)r.surface->opening_count, sizeof *r.surface->openings, by_label);
    for (int k = 1; k < r.surface->opening_count; k++)
        if (r.surface->openings[k].label == r.surface->openings[k - 1].label)
            RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: two openings have label %d", rill_h5_path(file),
                               r.surface->openings[k].label));
    *out = r.surface;
    r.surface = NULL;
done:
    rill_surface_destroy(r.surface);
    return status;
}
