/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slices. Arrays on the voxels are read plane by plane; of sparse files the node cells are read chunk by
 * chunk and the fields only where a chunk meets the plane.
 */
#include "io/slice.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/fields_priv.h"
#include "io/geom_file.h"
#include "io/hdf5.h"
#include "io/ours.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 65536, PIXELS = 1 << 24, PIXELS_PER_NODE = 1024 };

/* Which of our files a file is. */
typedef enum kind { GEOMETRY, IMAGE, SPARSE } kind;

typedef struct source {
    rill_h5_file *file;
    kind kind;
    uint32_t n[3];
    int axis;
    rill_slice_field field;
} source;

static rill_status source_open(const char *path, source *s)
{
    rill_status status = RILL_OK;
    char *format = NULL;
    int64_t size[3];
    RILL_TRY(rill_h5_open_part(path, &s->file));
    RILL_TRY(rill_format_read(s->file, &format));
    if (!format) RILL_TRY(rill_fail(RILL_USAGE, "cannot show %s: it is not a file written by rill", path));
    if (strcmp(format, RILL_GEOM_FORMAT) == 0)
        s->kind = GEOMETRY;
    else if (strcmp(format, RILL_FIELDS_FORMAT) == 0)
        s->kind = rill_h5_exists(s->file, RILL_IMAGE_VOXELS) ? IMAGE : SPARSE;
    else
        RILL_TRY(rill_fail(RILL_USAGE, "cannot show %s: a file of format \"%.40s\" has no voxels or fields",
                           path, format));
    RILL_TRY(rill_h5_get_integers(s->file, "/", "size", size, 3));
    for (int a = 0; a < 3; a++) {
        if (size[a] < 1 || size[a] > UINT32_MAX)
            RILL_TRY(rill_fail(RILL_USAGE,
                               "cannot show %s: a size of %lld voxels along %c is not between 1 and %u", path,
                               (long long)size[a], rill_axis(a), UINT32_MAX));
        s->n[a] = (uint32_t)size[a];
    }
done:
    free(format);
    return status;
}

/* Converts one value of a dataset, `components` numbers, into what is shown. */
static float shown(const source *s, const float *value)
{
    if (s->field == RILL_SLICE_SPEED)
        return (float)sqrt((double)value[0] * value[0] + (double)value[1] * value[1] +
                           (double)value[2] * value[2]);
    if (s->field == RILL_SLICE_VELOCITY_Y) return value[1];
    if (s->field == RILL_SLICE_VELOCITY_Z) return value[2];
    return value[0];
}

/* The dataset that a field is in, and how many numbers a voxel has there; NULL when the file lacks it. */
static const char *dataset_of(const source *s, int *components)
{
    static const char *const scalars[][2] = {
        [RILL_SLICE_PRESSURE] = {RILL_IMAGE_PRESSURE, RILL_SPARSE_PRESSURE},
        [RILL_SLICE_RATE] = {RILL_IMAGE_RATE, RILL_SPARSE_RATE},
        [RILL_SLICE_WALLS] = {RILL_IMAGE_WALLS, RILL_SPARSE_WALLS},
        [RILL_SLICE_CONCENTRATION] = {RILL_IMAGE_CONCENTRATION, RILL_SPARSE_CONCENTRATION},
        [RILL_SLICE_FILL] = {RILL_IMAGE_FILL, RILL_SPARSE_FILL},
    };
    const char *dataset = s->kind == IMAGE ? RILL_IMAGE_VELOCITY : RILL_SPARSE_VELOCITY;
    *components = 1;
    if (s->field == RILL_SLICE_VOXELS)
        return s->kind == GEOMETRY ? "/voxels" : s->kind == IMAGE ? RILL_IMAGE_VOXELS : NULL;
    if (s->field >= RILL_SLICE_PRESSURE)
        dataset = scalars[s->field][s->kind != IMAGE];
    else
        *components = 3;
    return s->kind != GEOMETRY && rill_h5_exists(s->file, dataset) ? dataset : NULL;
}

static rill_slice_field usual_of(const source *s)
{
    source asked = *s;
    int components;
    if (s->kind == GEOMETRY) return RILL_SLICE_VOXELS;
    asked.field = RILL_SLICE_CONCENTRATION;
    return dataset_of(&asked, &components) ? RILL_SLICE_CONCENTRATION : RILL_SLICE_SPEED;
}

/* The shape that a dataset must have, so that no read goes beyond a buffer. */
static rill_status shape_check(const source *s, const char *dataset, int rank, const uint64_t *dims)
{
    rill_h5_layout layout;
    const rill_status status = rill_h5_dataset_layout(s->file, dataset, &layout);
    if (status != RILL_OK) return status;
    bool same = layout.rank == rank;
    for (int a = 0; same && a < rank; a++) same = layout.dims[a] == dims[a];
    return same ? RILL_OK
                : rill_fail(RILL_USAGE,
                            "cannot read %s: %s has another shape than the file says: it is damaged",
                            rill_h5_path(s->file), dataset);
}

/* See, before memory is taken, that the file holds what its size says. A box with few nodes in it is not
 * compared with anything: what a picture of it may take follows from its nodes. */
static rill_status extents_check(const source *s, const char *dataset, int components)
{
    rill_status status = RILL_OK;
    rill_h5_layout layout;
    if (s->kind != SPARSE) {
        const uint64_t dims[4] = {s->n[2], s->n[1], s->n[0], (uint64_t)components};
        RILL_TRY(shape_check(s, dataset, components > 1 ? 4 : 3, dims));
        return shape_check(s, s->kind == GEOMETRY ? "/voxels" : RILL_IMAGE_VOXELS, 3, dims);
    }
    RILL_TRY(rill_h5_check_linked(s->file, "/nodes/cell"));
    RILL_TRY(rill_h5_dataset_layout(s->file, "/nodes/cell", &layout));
    const uint64_t dims[2] = {layout.dims[0], (uint64_t)components};
    RILL_TRY(shape_check(s, "/nodes/cell", 1, dims));
    RILL_TRY(shape_check(s, dataset, components > 1 ? 2 : 1, dims));
    const double pixels = (double)s->n[s->axis == 0 ? 1 : 0] * s->n[s->axis == 2 ? 1 : 2];
    if (pixels > PIXELS + (double)PIXELS_PER_NODE * (double)dims[0])
        RILL_TRY(rill_fail(RILL_USAGE,
                           "cannot show %s: its box of %u x %u x %u voxels has %llu nodes: it is damaged",
                           rill_h5_path(s->file), s->n[0], s->n[1], s->n[2], (unsigned long long)dims[0]));
done:
    return status;
}

/* The voxel that a pixel shows. */
static uint64_t voxel_of(const source *s, const rill_slice *slice, uint64_t pixel)
{
    const int u = s->axis == 0 ? 1 : 0, v = s->axis == 2 ? 1 : 2;
    uint64_t at[3];
    at[s->axis] = slice->position;
    at[u] = pixel % slice->width;
    at[v] = pixel / slice->width;
    return (at[2] * s->n[1] + at[1]) * s->n[0] + at[0];
}

static rill_status plane_read(const source *s, const char *dataset, int components, rill_slice *slice)
{
    rill_status status = RILL_OK;
    float *values = NULL, *voxels = NULL;
    const uint64_t pixels = (uint64_t)slice->width * slice->height;
    const char *mask = s->kind == GEOMETRY ? "/voxels" : RILL_IMAGE_VOXELS;
    uint64_t start[4] = {0, 0, 0, 0}, count[4] = {s->n[2], s->n[1], s->n[0], (uint64_t)components};
    start[2 - s->axis] = slice->position;
    count[2 - s->axis] = 1;
    RILL_TRY(rill_array_create(pixels, (size_t)components * sizeof *values, "a slice", (void **)&values));
    RILL_TRY(rill_array_create(pixels, sizeof *voxels, "a slice of voxels", (void **)&voxels));
    RILL_TRY(rill_h5_read(s->file, dataset, RILL_H5_F32, components > 1 ? 4 : 3, start, count, values));
    RILL_TRY(rill_h5_read(s->file, mask, RILL_H5_F32, 3, start, count, voxels));
    for (uint64_t p = 0; p < pixels; p++) {
        const float *value = values + p * (uint64_t)components;
        slice->values[p] = NAN;
        if (!(voxels[p] >= RILL_FLUID)) continue;
        RILL_TRY(rill_fields_finite_check(rill_h5_path(s->file), dataset, value, components,
                                          voxel_of(s, slice, p)));
        slice->values[p] = shown(s, value);
    }
done:
    rill_array_destroy(values);
    rill_array_destroy(voxels);
    return status;
}

/* The pixel of a voxel, or -1 when it is not in the plane. */
static int64_t pixel_of(const source *s, const rill_slice *slice, rill_voxel voxel)
{
    const uint64_t at[3] = {voxel % s->n[0], voxel / s->n[0] % s->n[1], voxel / s->n[0] / s->n[1]};
    const int u = s->axis == 0 ? 1 : 0, v = s->axis == 2 ? 1 : 2;
    return at[2] < s->n[2] && at[s->axis] == slice->position ? (int64_t)(at[v] * slice->width + at[u]) : -1;
}

static rill_status nodes_read(const source *s, const char *dataset, int components, rill_slice *slice)
{
    rill_status status = RILL_OK;
    rill_h5_layout layout;
    uint64_t *cells = malloc(BATCH * sizeof *cells);
    float *values = malloc((size_t)components * BATCH * sizeof *values);
    if (!cells || !values) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a slice"));
    RILL_TRY(rill_h5_dataset_layout(s->file, "/nodes/cell", &layout));
    const uint64_t nodes = layout.dims[0];
    for (uint64_t first = 0; first < nodes; first += BATCH) {
        const uint64_t start[2] = {first, 0};
        const uint64_t count[2] = {nodes - first < BATCH ? nodes - first : BATCH, (uint64_t)components};
        RILL_TRY(rill_h5_read(s->file, "/nodes/cell", RILL_H5_U64, 1, start, count, cells));
        bool met = false;
        for (uint64_t k = 0; k < count[0]; k++) {
            const int64_t pixel = pixel_of(s, slice, cells[k]);
            if (pixel < 0) continue;
            if (!met)
                RILL_TRY(rill_h5_read(s->file, dataset, RILL_H5_F32, components > 1 ? 2 : 1, start, count,
                                      values));
            met = true;
            const float *value = values + k * (uint64_t)components;
            RILL_TRY(rill_fields_finite_check(rill_h5_path(s->file), dataset, value, components, cells[k]));
            slice->values[pixel] = shown(s, value);
        }
    }
done:
    free(cells);
    free(values);
    return status;
}

static rill_status unit_read(const source *s, const char *dataset, rill_slice *slice)
{
    char *unit = NULL;
    if (!rill_h5_has_attribute(s->file, dataset, "units")) return RILL_OK;
    const rill_status status = rill_h5_get_text(s->file, dataset, "units", &unit);
    if (status == RILL_OK) snprintf(slice->unit, sizeof slice->unit, "%.31s", unit);
    free(unit);
    return status;
}

static rill_status slice_create(const source *s, double position, bool fraction, rill_slice **out)
{
    rill_status status = RILL_OK;
    const double last = s->n[s->axis] - 1.0, at = fraction ? round(position * last) : position;
    if (!(at >= 0 && at <= last) || (fraction && position > 1))
        return rill_fail(RILL_USAGE, "slice %c=%g%s lies outside %s: give 0 to %.0f, or 0%% to 100%%",
                         rill_axis(s->axis), fraction ? 100 * position : position, fraction ? "%" : "",
                         rill_h5_path(s->file), last);
    rill_slice *slice = calloc(1, sizeof *slice);
    if (!slice) return rill_fail(RILL_SYSTEM, "out of memory for a slice");
    slice->position = (uint32_t)at;
    slice->width = s->n[s->axis == 0 ? 1 : 0];
    slice->height = s->n[s->axis == 2 ? 1 : 2];
    const uint64_t pixels = (uint64_t)slice->width * slice->height;
    RILL_TRY(rill_array_create(pixels, sizeof *slice->values, "a slice", (void **)&slice->values));
    for (uint64_t p = 0; p < pixels; p++) slice->values[p] = NAN;
    *out = slice;
    slice = NULL;
done:
    rill_slice_destroy(slice);
    return status;
}

rill_status rill_slice_read(const char *path, rill_slice_field field, int axis, double position,
                            bool fraction, rill_slice **out)
{
    rill_status status = RILL_OK;
    source s = {.axis = axis, .field = field};
    rill_slice *slice = NULL;
    int components;
    RILL_TRY(source_open(path, &s));
    const char *dataset = dataset_of(&s, &components);
    if (!dataset)
        RILL_TRY(rill_fail(RILL_USAGE, "%s has no such field: it holds %s%s", path,
                           s.kind == GEOMETRY                         ? "voxels"
                           : usual_of(&s) == RILL_SLICE_CONCENTRATION ? "concentration and flux"
                                                                      : "velocity and pressure",
                           field == RILL_SLICE_WALLS && s.kind != GEOMETRY
                               ? ". --sensitivity of `rill permeability` adds " RILL_FIELD_WALLS
                               : ""));
    RILL_TRY(extents_check(&s, dataset, components));
    RILL_TRY(slice_create(&s, position, fraction, &slice));
    RILL_TRY(s.kind == SPARSE ? nodes_read(&s, dataset, components, slice)
                              : plane_read(&s, dataset, components, slice));
    RILL_TRY(unit_read(&s, dataset, slice));
    *out = slice;
    slice = NULL;
done:
    rill_slice_destroy(slice);
    rill_h5_close(s.file);
    return status;
}

rill_status rill_slice_usual(const char *path, rill_slice_field *field)
{
    source s = {0};
    const rill_status status = source_open(path, &s);
    if (status == RILL_OK) *field = usual_of(&s);
    rill_h5_close(s.file);
    return status;
}

void rill_slice_destroy(rill_slice *slice)
{
    if (!slice) return;
    rill_array_destroy(slice->values);
    free(slice);
}
