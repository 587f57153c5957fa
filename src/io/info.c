/* SPDX-License-Identifier: Apache-2.0 */
/* Describes files. Attributes state what geometries and fields are; a result is described group by group. */
#include "io/info.h"

#include "core/printable.h"
#include "core/status.h"
#include "geometry/voxels/components.h"
#include "geometry/voxels/sides.h"
#include "io/fields_priv.h"
#include "io/geom_file.h"
#include "io/json_file.h"
#include "io/ours.h"
#include "io/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    DEPTH = 6,       /* of groups; a hostile file may contain itself */
    OBJECTS = 20000, /* members of a result, under all names that they have */
    LISTED = 81,     /* values that are listed one by one */
    PATH = 512
};

/* Gives the reference away, also when it fails; NULL values are lack of memory. Keys that are not UTF-8,
 * which JSON refuses, have their bytes escaped. */
static rill_status set(json_t *object, const char *key, json_t *value)
{
    char *plain = rill_printable(key);
    json_t *text = json_string(key);
    const bool done = plain && json_object_set_new(object, text ? key : plain, value) == 0;
    if (!plain) json_decref(value);
    json_decref(text);
    free(plain);
    return done ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for a description");
}

/* A text; bytes that are not UTF-8, which JSON refuses, are escaped. */
static json_t *text_json(const char *text)
{
    json_t *json = json_string(text);
    if (json) return json;
    char *plain = rill_printable(text);
    if (plain) json = json_string(plain);
    free(plain);
    return json;
}

static json_t *reals_json(const double *values, size_t count)
{
    if (count == 1) return rill_json_real(values[0]);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) json_array_append_new(list, rill_json_real(values[i]));
    return list;
}

/* Where the members of a group go. */
typedef struct level {
    rill_h5_file *file;
    const char *path; /* of the group */
    json_t *into;
    int depth, *left; /* left: members that may still come; NULL: not counted */
} level;

/* ---- attributes ------------------------------------------------------------------------------ */

static rill_status attribute_json(rill_h5_file *file, const char *object, const char *name, json_t **out)
{
    rill_status status = RILL_OK;
    char *text = NULL;
    double reals[LISTED];
    int64_t integers[LISTED];
    size_t count = 0;
    *out = NULL;
    const rill_h5_class class = rill_h5_attribute_class(file, object, name, &count);
    if (class == RILL_H5_TEXT) {
        RILL_TRY(rill_h5_get_text(file, object, name, &text));
        *out = strcmp(name, "notes") == 0 ? rill_json_notes(text, NULL) : text_json(text);
    } else if (class == RILL_H5_REAL && count > 0 && count <= LISTED) {
        RILL_TRY(rill_h5_get_reals(file, object, name, reals, count));
        *out = reals_json(reals, count);
    } else if (class == RILL_H5_INTEGER && count > 0 && count <= LISTED) {
        RILL_TRY(rill_h5_get_integers(file, object, name, integers, count));
        *out = count == 1 ? json_integer(integers[0]) : json_array();
        for (size_t i = 0; count > 1 && i < count; i++)
            json_array_append_new(*out, json_integer(integers[i]));
    }
done:
    free(text);
    return status;
}

static rill_status on_attribute(void *context, const char *name)
{
    const level *l = context;
    json_t *value;
    const rill_status status = attribute_json(l->file, l->path, name, &value);
    return status == RILL_OK && value ? set(l->into, name, value) : status;
}

static rill_status attributes_add(rill_h5_file *file, const char *object, json_t *into)
{
    level l = {file, object, into, 0, NULL};
    return rill_h5_attributes(file, object, on_attribute, &l);
}

/* Adds a group of attributes under a key, when the file has it. */
static rill_status group_add(rill_h5_file *file, const char *group, const char *key, json_t *into)
{
    if (!rill_h5_exists(file, group)) return RILL_OK;
    json_t *object = json_object();
    const rill_status status = set(into, key, object);
    return status != RILL_OK ? status : attributes_add(file, group, object);
}

/* ---- results --------------------------------------------------------------------------------- */

/* A dataset: its values when they are few, the last one of a series, else its shape. */
static rill_status dataset_json(rill_h5_file *file, const char *path, json_t **out)
{
    rill_status status = RILL_OK;
    rill_h5_layout layout;
    double values[LISTED];
    uint64_t elements = 1, start = 0, one = 1;
    char *unit = NULL;
    json_t *object = json_object();
    RILL_TRY(rill_h5_dataset_layout(file, path, &layout));
    for (int a = 0; a < layout.rank; a++)
        if (__builtin_mul_overflow(elements, layout.dims[a], &elements)) elements = UINT64_MAX;
    const bool series = layout.rank == 1 && layout.extendable, listed = elements > 0 && elements <= LISTED;
    if (series && elements > 0) {
        start = layout.dims[0] - 1;
        RILL_TRY(rill_h5_read(file, path, RILL_H5_F64, 1, &start, &one, values));
        RILL_TRY(set(object, "last", rill_json_real(values[0])));
    } else if (listed && layout.type != RILL_H5_OTHER) {
        RILL_TRY(rill_h5_read(file, path, RILL_H5_F64, layout.rank, NULL, layout.dims, values));
        RILL_TRY(set(object, "value", reals_json(values, (size_t)elements)));
    }
    if (series || !listed) RILL_TRY(set(object, "count", json_integer((json_int_t)elements)));
    if (rill_h5_has_attribute(file, path, "units")) {
        RILL_TRY(rill_h5_get_text(file, path, "units", &unit));
        RILL_TRY(set(object, "unit", text_json(unit)));
    }
    *out = object;
    object = NULL;
done:
    json_decref(object);
    free(unit);
    return status;
}

static rill_status group_walk(level l);

static rill_status on_member(void *context, const char *name)
{
    rill_status status = RILL_OK;
    const level *l = context;
    char path[PATH];
    json_t *value = NULL;
    const int length = snprintf(path, sizeof path, "%s/%s", l->path, name);
    if (length >= PATH || l->depth >= DEPTH || strncmp(name, "axis", 4) == 0) return RILL_OK;
    if (--*l->left < 0)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "cannot describe %s: it has more than %d groups and datasets: the file is damaged",
                           rill_h5_path(l->file), OBJECTS));
    const bool dataset = rill_h5_is_dataset(l->file, path);
    if (!dataset && rill_h5_has_names(l->file, path))
        RILL_TRY(rill_fail(RILL_USAGE,
                           "cannot describe %s: its group %s has several names: the file is damaged",
                           rill_h5_path(l->file), path));
    if (dataset) {
        RILL_TRY(dataset_json(l->file, path, &value));
    } else {
        value = json_object();
        RILL_TRY(group_walk((level){l->file, path, value, l->depth + 1, l->left}));
    }
    status = set(l->into, name, value);
    value = NULL;
done:
    json_decref(value);
    return status;
}

static rill_status group_walk(level l)
{
    rill_status status = RILL_OK;
    if (l.depth > 0) RILL_TRY(attributes_add(l.file, l.path, l.into));
    RILL_TRY(rill_h5_members(l.file, *l.path ? l.path : "/", on_member, &l));
done:
    return status;
}

/* ---- geometries and fields ------------------------------------------------------------------- */

static json_t *axes_json(const double values[3])
{
    return json_pack("{s:o, s:o, s:o}", "x", rill_json_real(values[0]), "y", rill_json_real(values[1]), "z",
                     rill_json_real(values[2]));
}

static rill_status porosity_add(const rill_porosity *p, json_t *into)
{
    rill_status status = RILL_OK;
    json_t *object = json_object();
    RILL_TRY(set(into, "porosity", object));
    if (p->total >= 0) RILL_TRY(set(object, "total", json_real(p->total)));
    if (p->connected >= 0) RILL_TRY(set(object, "connected", json_real(p->connected)));
    if (p->percolating[0] >= 0 || p->percolating[1] >= 0 || p->percolating[2] >= 0)
        RILL_TRY(set(object, "percolating", axes_json(p->percolating)));
    if (rill_contacts_name(p->contacts))
        RILL_TRY(set(object, "joined_through", json_string(rill_contacts_name(p->contacts))));
done:
    return status;
}

static rill_status head_add(const rill_geom_head *head, json_t *into)
{
    rill_status status = RILL_OK;
    RILL_TRY(
        set(into, "size",
            json_pack("[I, I, I]", (json_int_t)head->n[0], (json_int_t)head->n[1], (json_int_t)head->n[2])));
    RILL_TRY(set(into, "fluid", json_integer((json_int_t)head->fluid)));
    if (head->outside) RILL_TRY(set(into, "outside", json_integer((json_int_t)head->outside)));
    RILL_TRY(
        set(into, "fluid_fraction", json_real((double)head->fluid / head->n[0] / head->n[1] / head->n[2])));
    if (head->spacing > 0)
        RILL_TRY(set(into, "voxel_size", json_pack("{s:f, s:s}", "value", head->spacing, "unit", "m")));
    RILL_TRY(set(into, "origin", axes_json(head->origin)));
    RILL_TRY(set(into, "sides",
                 json_pack("{s:s, s:s, s:s}", "x", rill_side_name(head->sides[0]), "y",
                           rill_side_name(head->sides[1]), "z", rill_side_name(head->sides[2]))));
    RILL_TRY(porosity_add(&head->porosity, into));
done:
    return status;
}

/* Attributes of an opening, or of an array on the triangles. */
static rill_status on_described(void *context, const char *name)
{
    const level *l = context;
    char path[PATH];
    if (snprintf(path, sizeof path, "%s/%s", l->path, name) >= PATH) return RILL_OK;
    return group_add(l->file, path, name, l->into);
}

static rill_status openings_add(rill_h5_file *file, json_t *into)
{
    if (!rill_h5_exists(file, "/patches")) return RILL_OK;
    level l = {file, "/patches", json_object(), 0, NULL};
    const rill_status status = set(into, "openings", l.into);
    return status != RILL_OK ? status : rill_h5_members(file, l.path, on_described, &l);
}

/* The names of the patches of the surface. */
static rill_status patches_add(rill_h5_file *file, json_t *into)
{
    rill_status status = RILL_OK;
    static const char path[] = "/surface/patch";
    char *names = NULL;
    json_t *list;
    if (!rill_h5_exists(file, path) || !rill_h5_has_attribute(file, path, "names")) return RILL_OK;
    RILL_TRY(rill_h5_get_text(file, path, "names", &names));
    RILL_TRY(set(into, "patches", list = json_array()));
    for (const char *c = names;; c++) {
        const size_t length = strcspn(c, "\n");
        char *name = strndup(c, length);
        json_array_append_new(list, name ? text_json(name) : NULL);
        free(name);
        c += length;
        if (!*c) break;
    }
done:
    free(names);
    return status;
}

static rill_status geometry_add(rill_h5_file *file, json_t *into)
{
    rill_status status = RILL_OK;
    rill_geom_head head;
    RILL_TRY(rill_geom_head_read(file, &head));
    RILL_TRY(head_add(&head, into));
    RILL_TRY(group_add(file, "/index/pull", "index", into));
    RILL_TRY(openings_add(file, into));
    RILL_TRY(patches_add(file, into));
    RILL_TRY(group_add(file, "/provenance", "provenance", into));
done:
    return status;
}

static rill_status fields_add(rill_h5_file *file, json_t *into)
{
    rill_status status = RILL_OK;
    static const char *const names[] = {RILL_IMAGE_VELOCITY,  RILL_IMAGE_PRESSURE,  RILL_IMAGE_VOXELS,
                                        RILL_SPARSE_VELOCITY, RILL_SPARSE_PRESSURE, RILL_IMAGE_RATE,
                                        RILL_SPARSE_RATE};
    json_t *fields = json_object(), *value;
    RILL_TRY(set(into, "fields", fields));
    RILL_TRY(attributes_add(file, "/", into));
    RILL_TRY(group_add(file, "/VTKHDF", "vtkhdf", into));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!rill_h5_exists(file, names[i])) continue;
        value = json_object();
        RILL_TRY(set(fields, strrchr(names[i], '/') + 1, value));
        RILL_TRY(attributes_add(file, names[i], value));
    }
    RILL_TRY(group_add(file, "/provenance", "provenance", into));
done:
    return status;
}

static rill_status wall_add(rill_h5_file *file, json_t *into)
{
    rill_status status = RILL_OK;
    uint64_t triangles;
    level l = {file, "/VTKHDF/CellData", json_object(), 0, NULL};
    RILL_TRY(set(into, "fields", l.into));
    RILL_TRY(attributes_add(file, "/", into));
    RILL_TRY(rill_h5_read(file, "/VTKHDF/NumberOfCells", RILL_H5_U64, 1, NULL, (uint64_t[]){1}, &triangles));
    RILL_TRY(set(into, "triangles", json_integer((json_int_t)triangles)));
    RILL_TRY(rill_h5_members(file, l.path, on_described, &l));
    RILL_TRY(group_add(file, "/provenance", "provenance", into));
done:
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static rill_status describe(rill_h5_file *file, const char *format, json_t *into)
{
    rill_status status = RILL_OK;
    if (strcmp(format, RILL_GEOM_FORMAT) == 0) {
        RILL_TRY(set(into, "kind", json_string("geometry")));
        RILL_TRY(geometry_add(file, into));
    } else if (strcmp(format, RILL_RESULT_FORMAT) == 0) {
        RILL_TRY(set(into, "kind", json_string("result")));
        int left = OBJECTS;
        RILL_TRY(group_walk((level){file, "", into, 0, &left}));
    } else if (strcmp(format, RILL_FIELDS_FORMAT) == 0 || strcmp(format, RILL_CELLS_FORMAT) == 0) {
        RILL_TRY(set(into, "kind", json_string(strcmp(format, RILL_CELLS_FORMAT) == 0 ? "cells" : "fields")));
        RILL_TRY(fields_add(file, into));
    } else if (strcmp(format, RILL_CHECKPOINT_FORMAT) == 0) {
        RILL_TRY(set(into, "kind", json_string("checkpoint")));
        RILL_TRY(attributes_add(file, "/", into));
    } else if (strcmp(format, RILL_WALL_FORMAT) == 0) {
        RILL_TRY(set(into, "kind", json_string("wall")));
        RILL_TRY(wall_add(file, into));
    } else {
        RILL_TRY(rill_fail(RILL_USAGE, "cannot describe %s: its format \"%.40s\" is none of rill's",
                           rill_h5_path(file), format));
    }
done:
    return status;
}

rill_status rill_info_read(const char *path, json_t **out)
{
    rill_status status = RILL_OK;
    rill_h5_file *file = NULL;
    char *format = NULL;
    struct stat info;
    json_t *json = json_object();
    RILL_TRY(rill_h5_open_part(path, &file));
    RILL_TRY(rill_format_read(file, &format));
    if (!format)
        RILL_TRY(
            rill_fail(RILL_USAGE, "cannot describe %s: it is an HDF5 file, but none written by rill", path));
    RILL_TRY(set(json, "file", text_json(path)));
    if (stat(path, &info) == 0) RILL_TRY(set(json, "bytes", json_integer(info.st_size)));
    RILL_TRY(describe(file, format, json));
    *out = json;
    json = NULL;
done:
    json_decref(json);
    free(format);
    rill_h5_close(file);
    return status;
}
