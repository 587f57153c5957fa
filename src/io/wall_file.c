/* SPDX-License-Identifier: Apache-2.0 */
/* VTKHDF files of surfaces. */
#include "io/wall_file.h"

#include "core/status.h"
#include "io/cells.h"
#include "io/fields_priv.h"
#include "io/geom_surface.h"
#include "io/hdf5.h"
#include "io/ours.h"

#include <stdio.h>

enum { DEFLATE = 1, BATCH = 16384, TRIANGLE = 5 /* VTK_TRIANGLE */, PATH = 128 };

/* Numbers that are computed: what row k of a dataset holds. */
typedef enum column { CORNERS, OFFSETS, TYPES, NUMBERS } column;

static rill_status column_write(rill_h5_file *file, const char *path, column what, const rill_surface *s)
{
    rill_status status = RILL_OK;
    rill_h5_stream *stream = NULL;
    int64_t block[3 * BATCH];
    const uint64_t width = what == CORNERS ? 3 : 1, rows = s->triangle_count + (what == OFFSETS);
    RILL_TRY(
        rill_h5_stream_create(file, path, what == TYPES ? RILL_H5_U8 : RILL_H5_I64, 0, DEFLATE, &stream));
    for (uint64_t first = 0; first < rows; first += BATCH) {
        const uint64_t count = rows - first < BATCH ? rows - first : BATCH;
        for (uint64_t k = 0; k < count; k++) {
            const uint64_t t = first + k;
            if (what == TYPES) ((uint8_t *)block)[k] = TRIANGLE;
            if (what == OFFSETS) block[k] = (int64_t)(3 * t);
            if (what == NUMBERS) block[k] = (int64_t)t;
            for (int c = 0; c < 3 && what == CORNERS; c++) block[3 * k + (unsigned)c] = s->triangles[t][c];
        }
        RILL_TRY(rill_h5_stream_append(stream, count * width, block));
    }
    RILL_TRY(rill_h5_stream_flush(stream));
done:
    rill_h5_stream_destroy(stream);
    return status;
}

/* A table of `rows` rows that lies in memory. */
static rill_status table_write(rill_h5_file *file, const char *path, rill_h5_type type, uint64_t rows,
                               uint64_t width, const void *data)
{
    rill_status status = RILL_OK;
    const rill_h5_layout layout = {.type = type,
                                   .rank = width > 1 ? 2 : 1,
                                   .dims = {rows, width},
                                   .chunk = {BATCH, width},
                                   .deflate = DEFLATE};
    RILL_TRY(rill_h5_dataset_create(file, path, &layout));
    RILL_TRY(rill_h5_write(file, path, type, NULL, NULL, data));
done:
    return status;
}

static rill_status mesh_write(rill_h5_file *file, const rill_surface *s)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_vtkhdf_begin(file, "UnstructuredGrid"));
    RILL_TRY(rill_vtkhdf_count_write(file, "/VTKHDF/NumberOfPoints", s->vertex_count));
    RILL_TRY(rill_vtkhdf_count_write(file, "/VTKHDF/NumberOfCells", s->triangle_count));
    RILL_TRY(rill_vtkhdf_count_write(file, "/VTKHDF/NumberOfConnectivityIds", 3 * s->triangle_count));
    RILL_TRY(table_write(file, "/VTKHDF/Points", RILL_H5_F64, s->vertex_count, 3, s->vertices));
    RILL_TRY(column_write(file, "/VTKHDF/Connectivity", CORNERS, s));
    RILL_TRY(column_write(file, "/VTKHDF/Offsets", OFFSETS, s));
    RILL_TRY(column_write(file, "/VTKHDF/Types", TYPES, s));
    RILL_TRY(column_write(file, "/VTKHDF/CellData/triangle", NUMBERS, s));
    RILL_TRY(rill_h5_set_text(file, "/VTKHDF/CellData/triangle", "long_name",
                              "number of the triangle in the file of the surface"));
    RILL_TRY(rill_patches_write(file, "/VTKHDF/CellData/patch", s));
    if (!s->removed) goto done;
    RILL_TRY(table_write(file, "/VTKHDF/CellData/state", RILL_H5_U8, s->triangle_count, 1, s->removed));
    RILL_TRY(rill_h5_set_text(file, "/VTKHDF/CellData/state", "long_name", RILL_WALL_STATES));
done:
    return status;
}

static rill_status array_write(rill_h5_file *file, const rill_wall_array *a, uint64_t rows)
{
    rill_status status = RILL_OK;
    char path[PATH];
    const double si = 1;
    snprintf(path, sizeof path, "/VTKHDF/CellData/%s", a->name);
    RILL_TRY(table_write(file, path, RILL_H5_F32, rows, (uint64_t)a->components, a->values));
    RILL_TRY(rill_h5_set_text(file, path, "units", a->unit));
    RILL_TRY(rill_h5_set_text(file, path, "long_name", a->meaning));
    RILL_TRY(rill_h5_set_reals(file, path, "unitSI", &si, 1));
done:
    return status;
}

static rill_status head_write(rill_h5_file *file, const rill_wall_fields *f)
{
    rill_status status = RILL_OK;
    const int64_t step = (int64_t)f->step;
    const rill_geom *geom = f->geom;
    RILL_TRY(rill_format_write(file, RILL_WALL_FORMAT));
    RILL_TRY(rill_h5_set_integers(file, "/", "step", &step, 1));
    RILL_TRY(rill_h5_set_reals(file, "/", "time", &f->time, 1));
    RILL_TRY(rill_h5_group_create(file, "/provenance"));
    RILL_TRY(rill_h5_set_text(file, "/provenance", "software_version", rill_version()));
    if (f->command) RILL_TRY(rill_h5_set_text(file, "/provenance", "options", f->command));
    if (geom->source) RILL_TRY(rill_h5_set_text(file, "/provenance", "source", geom->source));
    if (geom->source_hash)
        RILL_TRY(rill_h5_set_text(file, "/provenance", "source_xxh3_64", geom->source_hash));
    if (geom->notes) RILL_TRY(rill_h5_set_text(file, "/provenance", "notes", geom->notes));
done:
    return status;
}

rill_status rill_wall_file_write(const rill_wall_fields *fields, const char *path)
{
    rill_status status = RILL_OK;
    rill_h5_file *file = NULL;
    const rill_surface *s = fields->geom->surface;
    if (!s || s->triangle_count == 0)
        return rill_fail(RILL_USAGE, "cannot write %s: the geometry has no surface", path);
    RILL_TRY(rill_h5_create(path, &file));
    RILL_TRY(head_write(file, fields));
    RILL_TRY(mesh_write(file, s));
    for (int k = 0; k < fields->array_count; k++)
        RILL_TRY(array_write(file, &fields->arrays[k], s->triangle_count));
    RILL_TRY(rill_h5_commit(file));
done:
    rill_h5_close(file);
    return status;
}
