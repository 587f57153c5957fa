/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of wall files. Reading trusts nothing: the file may come from anyone. */
#include "io/pictures.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/fields_priv.h"
#include "io/hdf5.h"
#include "io/ours.h"
#include "io/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 128 };

typedef struct picture {
    rill_h5_file *file;
    rill_surface surface; /* vertices and triangles alone, owned */
    float *values;        /* [triangle_count] */
    char caption[71];
} picture;

/* Read a dataset of `rows` rows and `width` columns; rows 0: as many as there are. */
static rill_status table_read(rill_h5_file *file, const char *path, rill_h5_type type, uint64_t width,
                              uint64_t *rows, void **out)
{
    rill_status status = RILL_OK;
    rill_h5_layout layout;
    RILL_TRY(rill_h5_dataset_layout(file, path, &layout));
    const bool fits = layout.type != RILL_H5_OTHER && layout.rank == (width > 1 ? 2 : 1) &&
                      (width == 1 || layout.dims[1] == width) && (*rows == 0 || layout.dims[0] == *rows) &&
                      layout.dims[0] > 0 && layout.dims[0] < INT32_MAX;
    if (!fits)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot draw %s: %s has another shape than it should: it is damaged",
                           rill_h5_path(file), path));
    *rows = layout.dims[0];
    RILL_TRY(rill_array_create(*rows, width * rill_h5_size(type), path, out));
    RILL_TRY(rill_h5_read(file, path, type, layout.rank, NULL, (uint64_t[]){*rows, width}, *out));
done:
    return status;
}

static rill_status mesh_read(picture *p)
{
    rill_status status = RILL_OK;
    rill_surface *s = &p->surface;
    int64_t *corners = NULL;
    uint64_t count = 0;
    RILL_TRY(table_read(p->file, "/VTKHDF/Points", RILL_H5_F64, 3, &s->vertex_count, (void **)&s->vertices));
    RILL_TRY(table_read(p->file, "/VTKHDF/Connectivity", RILL_H5_I64, 1, &count, (void **)&corners));
    s->triangle_count = count / 3;
    RILL_TRY(
        rill_array_create(s->triangle_count + 1, sizeof *s->triangles, "triangles", (void **)&s->triangles));
    for (uint64_t v = 0; v < 3 * s->vertex_count; v++)
        if (!isfinite(s->vertices[v / 3][v % 3]))
            RILL_TRY(rill_fail(RILL_USAGE, "cannot draw %s: point %llu is not finite", rill_h5_path(p->file),
                               (unsigned long long)v / 3));
    for (uint64_t k = 0; k < 3 * s->triangle_count; k++) {
        if (corners[k] < 0 || (uint64_t)corners[k] >= s->vertex_count)
            RILL_TRY(rill_fail(RILL_USAGE, "cannot draw %s: triangle %llu names point %lld of %llu",
                               rill_h5_path(p->file), (unsigned long long)k / 3, (long long)corners[k],
                               (unsigned long long)s->vertex_count));
        s->triangles[k / 3][k % 3] = (uint32_t)corners[k];
    }
done:
    rill_array_destroy(corners);
    return status;
}

/* The values of an array; of a vector its length. */
static rill_status values_read(picture *p, const char *field)
{
    rill_status status = RILL_OK;
    char path[PATH], *unit = NULL;
    rill_h5_layout layout;
    float *vectors = NULL;
    uint64_t rows = p->surface.triangle_count;
    snprintf(path, sizeof path, "/VTKHDF/CellData/%.60s", field);
    if (!rill_h5_exists(p->file, path))
        return rill_fail(RILL_USAGE, "%s has no array %s: `rill info` lists what it has",
                         rill_h5_path(p->file), field);
    RILL_TRY(rill_h5_dataset_layout(p->file, path, &layout));
    if (rill_h5_has_attribute(p->file, path, "units"))
        RILL_TRY(rill_h5_get_text(p->file, path, "units", &unit));
    const bool plain = !unit || strcmp(unit, "1") == 0;
    snprintf(p->caption, sizeof p->caption, "%.60s%s%.9s", field, plain ? "" : " ", plain ? "" : unit);
    if (layout.rank == 1) {
        RILL_TRY(table_read(p->file, path, RILL_H5_F32, 1, &rows, (void **)&p->values));
    } else {
        RILL_TRY(table_read(p->file, path, RILL_H5_F32, 3, &rows, (void **)&vectors));
        RILL_TRY(rill_array_create(rows, sizeof *p->values, "values", (void **)&p->values));
        for (uint64_t t = 0; t < rows; t++) {
            const float *v = vectors + 3 * t;
            p->values[t] = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        }
    }
    for (uint64_t t = 0; t < rows; t++) /* not a number where another part of the wall covers it */
        if (isinf(p->values[t]))
            RILL_TRY(rill_fail(RILL_USAGE, "cannot draw %s: %s of triangle %llu is not finite: it is damaged",
                               rill_h5_path(p->file), field, (unsigned long long)t));
done:
    rill_array_destroy(vectors);
    free(unit);
    return status;
}

rill_status rill_wall_picture_is(const char *path, bool *wall)
{
    rill_status status = RILL_OK;
    rill_h5_file *file = NULL;
    char *format = NULL;
    *wall = false;
    RILL_TRY(rill_h5_open(path, &file));
    RILL_TRY(rill_format_read(file, &format));
    *wall = format && strcmp(format, RILL_WALL_FORMAT) == 0;
done:
    free(format);
    rill_h5_close(file);
    return status;
}

rill_status rill_wall_picture_write(const char *path, const char *field, rill_picture_scale scale,
                                    const char *out)
{
    rill_status status = RILL_OK;
    picture p = {0};
    RILL_TRY(rill_h5_open(path, &p.file));
    if (!field) field = rill_h5_exists(p.file, "/VTKHDF/CellData/TAWSS") ? "TAWSS" : "WSS";
    RILL_TRY(mesh_read(&p));
    RILL_TRY(values_read(&p, field));
    const rill_view view = {.surface = &p.surface, .values = p.values, .caption = p.caption, .scale = scale};
    RILL_TRY(rill_view_write(&view, out));
done:
    rill_array_destroy(p.surface.vertices);
    rill_array_destroy(p.surface.triangles);
    rill_array_destroy(p.values);
    rill_h5_close(p.file);
    return status;
}
