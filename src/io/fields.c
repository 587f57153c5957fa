/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VTKHDF field files. Moments are computed in batches of nodes and written slab by slab; nothing of the size
 * of the box is held. The cells of the sparse kind are cells.c's, the .xmf is xmf.c's.
 */
#include "io/fields.h"

#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "io/cells.h"
#include "io/fields_priv.h"
#include "io/geom_file.h"
#include "io/xmf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* BATCH nodes are computed at a time; SLAB planes of an image are held, as many as its chunks have. Level 1:
 * digits of a float hardly compress, the rest does at any level. */
enum { BATCH = RILL_FIELDS_BATCH, SLAB = 8, CHUNK_Y = 32, CHUNK_X = 64, DEFLATE = 1 };

rill_fields rill_fields_default(void)
{
    return (rill_fields){.velocity = {1, "lu", 0}, .pressure = {1, "lu", 0}};
}

/* Moments of one batch of nodes, in their written form. */
typedef struct batch {
    double *rho;     /* [BATCH] */
    double *u;       /* [3][BATCH] at most, [3][count] when filled */
    float *velocity; /* [count][3] */
    float *pressure; /* [count] */
    float *scalar;   /* [scalars][BATCH] */
} batch;

static rill_status batch_create(const rill_fields *fields, batch *b)
{
    const uint64_t scalars = (uint64_t)fields->scalar_count;
    rill_status status = RILL_OK;
    RILL_TRY(rill_array_create(BATCH, sizeof *b->rho, "a batch of moments", (void **)&b->rho));
    RILL_TRY(rill_array_create(3 * BATCH, sizeof *b->u, "a batch of moments", (void **)&b->u));
    RILL_TRY(
        rill_array_create(3 * BATCH, sizeof *b->velocity, "a batch of velocities", (void **)&b->velocity));
    RILL_TRY(rill_array_create(BATCH, sizeof *b->pressure, "a batch of pressures", (void **)&b->pressure));
    RILL_TRY(
        rill_array_create(scalars * BATCH + 1, sizeof *b->scalar, "a batch of fields", (void **)&b->scalar));
done:
    return status;
}

static void batch_destroy(batch *b)
{
    rill_array_destroy(b->rho);
    rill_array_destroy(b->u);
    rill_array_destroy(b->velocity);
    rill_array_destroy(b->pressure);
    rill_array_destroy(b->scalar);
}

/* Fills the batch with nodes first … first + count - 1. Pressure: p - p0 = c_s^2 (rho - 1), c_s^2 = 1/3. */
static rill_status batch_fill(const rill_fields *fields, batch *b, uint64_t first, uint64_t count)
{
    rill_status status = RILL_OK;
    RILL_TRY(fields->moments(fields->context, (rill_node)first, (rill_node)count, b->rho, b->u));
    for (uint64_t n = 0; n < count; n++) {
        for (int a = 0; a < 3; a++)
            b->velocity[3 * n + (uint64_t)a] =
                (float)(fields->velocity.factor * b->u[(uint64_t)a * count + n]);
        b->pressure[n] = (float)(fields->pressure.offset + fields->pressure.factor * b->rho[n] / 3);
    }
    for (int k = 0; k < fields->scalar_count; k++) {
        RILL_TRY(fields->scalars[k].values(fields->context, (rill_node)first, (rill_node)count, b->rho));
        for (uint64_t n = 0; n < count; n++) b->scalar[(uint64_t)k * BATCH + n] = (float)b->rho[n];
    }
done:
    return status;
}

uint64_t rill_fields_bytes(const rill_geom *geom, rill_fields_kind kind)
{
    /* What HDF5 has of a file, with the chunks of some arrays of cells; chunks that are filtered at a time.
     */
    enum { file = 4 << 20, cells = 8 << 20, chunks_most = 64 };
    const uint64_t x = geom->n[0], y = geom->n[1];
    const uint64_t batches = BATCH * (4 * sizeof(double) + 5 * sizeof(float));
    const uint64_t chunks = (x + CHUNK_X - 1) / CHUNK_X * ((y + CHUNK_Y - 1) / CHUNK_Y);
    if (kind == RILL_FIELDS_NONE) return 0;
    if (kind == RILL_FIELDS_SPARSE) return batches + 2 * (x + 1) * (y + 1) * sizeof(uint64_t) + cells + file;
    return batches + BATCH * sizeof(rill_voxel) + SLAB * x * y * 5 * sizeof(float) +
           2 * (chunks < chunks_most ? chunks : chunks_most) * SLAB * CHUNK_Y * CHUNK_X * 3 * sizeof(float) +
           file;
}

static rill_status report(const rill_fields *fields, double fraction)
{
    return rill_progress_report(fields->progress, "writing fields", fraction);
}

/* ---- what both kinds have -------------------------------------------------------------------- */

static rill_status unit_write(rill_h5_file *file, const char *path, const rill_field_unit *unit,
                              const char *meaning)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_h5_set_text(file, path, "units", unit->name));
    RILL_TRY(rill_h5_set_text(file, path, "long_name", meaning));
    if (unit->si > 0) RILL_TRY(rill_h5_set_reals(file, path, "unitSI", &unit->si, 1));
done:
    return status;
}

static rill_status fields_begin(const rill_fields *fields, rill_h5_file *file, const char *type)
{
    rill_status status = RILL_OK;
    const int64_t step = (int64_t)fields->step;
    RILL_TRY(rill_geom_head_write(fields->geom, file, RILL_FIELDS_FORMAT));
    RILL_TRY(rill_h5_set_integers(file, "/", "step", &step, 1));
    if (fields->time_step > 0) RILL_TRY(rill_h5_set_reals(file, "/", "time_step", &fields->time_step, 1));
    RILL_TRY(rill_h5_group_create(file, "/provenance"));
    RILL_TRY(rill_h5_set_text(file, "/provenance", "software_version", rill_version()));
    if (fields->command) RILL_TRY(rill_h5_set_text(file, "/provenance", "options", fields->command));
    if (fields->geom->source) RILL_TRY(rill_h5_set_text(file, "/provenance", "source", fields->geom->source));
    if (fields->geom->source_hash)
        RILL_TRY(rill_h5_set_text(file, "/provenance", "source_xxh3_64", fields->geom->source_hash));
    if (fields->geom->notes) RILL_TRY(rill_h5_set_text(file, "/provenance", "notes", fields->geom->notes));
    RILL_TRY(rill_vtkhdf_begin(file, type));
done:
    return status;
}

/* ---- image ----------------------------------------------------------------------------------- */

/* Return the path of a field in a file. */
static const char *path_of(const char *name, bool image, char path[64])
{
    snprintf(path, 64, "/VTKHDF/%sData/%s", image ? "Point" : "Cell", name);
    return path;
}

static const char *scalar_path(const rill_fields *fields, int k, bool image, char path[64])
{
    return path_of(fields->scalars[k].name, image, path);
}

static const char *vector_name(const rill_fields *fields)
{
    return fields->vector ? fields->vector : "velocity";
}

static const char *number_name(const rill_fields *fields)
{
    return fields->number ? fields->number : "pressure";
}

static rill_status image_begin(const rill_fields *fields, rill_h5_file *file)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = fields->geom;
    char path[64];
    const double edge = rill_geom_edge(geom), spacing[3] = {edge, edge, edge};
    const double direction[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double centre[3]; /* of voxel 0: the points of the image are the voxel centres */
    int64_t extent[6];
    for (int a = 0; a < 3; a++) {
        centre[a] = geom->origin[a] + edge / 2;
        extent[2 * a] = 0;
        extent[2 * a + 1] = (int64_t)geom->n[a] - 1;
    }
    RILL_TRY(rill_h5_set_integers(file, "/VTKHDF", "WholeExtent", extent, 6));
    RILL_TRY(rill_h5_set_reals(file, "/VTKHDF", "Origin", centre, 3));
    RILL_TRY(rill_h5_set_reals(file, "/VTKHDF", "Spacing", spacing, 3));
    RILL_TRY(rill_h5_set_reals(file, "/VTKHDF", "Direction", direction, 9));
    const rill_h5_layout velocity = {.type = RILL_H5_F32,
                                     .rank = 4,
                                     .dims = {geom->n[2], geom->n[1], geom->n[0], 3},
                                     .chunk = {SLAB, CHUNK_Y, CHUNK_X, 3},
                                     .deflate = DEFLATE};
    rill_h5_layout pressure = velocity;
    pressure.rank = 3;
    pressure.chunk[1] = 4 * CHUNK_Y;
    RILL_TRY(rill_h5_dataset_create(file, path_of(vector_name(fields), true, path), &velocity));
    RILL_TRY(rill_h5_dataset_create(file, path_of(number_name(fields), true, path), &pressure));
    for (int k = 0; k < fields->scalar_count; k++)
        RILL_TRY(rill_h5_dataset_create(file, scalar_path(fields, k, true, path), &pressure));
    rill_h5_layout voxels = pressure;
    voxels.type = RILL_H5_U8;
    RILL_TRY(rill_h5_dataset_create(file, RILL_IMAGE_VOXELS, &voxels));
    RILL_TRY(rill_geom_voxels_write(geom, file, RILL_IMAGE_VOXELS));
done:
    return status;
}

/* Values on some planes of voxels. */
typedef struct slab {
    rill_voxel *place;                   /* [BATCH], where the nodes of a batch are */
    float *velocity, *pressure, *scalar; /* [voxels][3], [voxels], [scalars][voxels] */
    uint64_t voxels;
} slab;

/* Puts the fluid nodes of some voxels into a slab of them; *node counts on. */
static rill_status slab_fill(const rill_fields *fields, batch *b, const uint8_t *voxels, uint64_t all,
                             uint64_t *node, const slab *s)
{
    rill_status status = RILL_OK;
    uint64_t count = 0;
    for (uint64_t v = 0; v < all; v++) {
        if (voxels[v] >= RILL_FLUID) s->place[count++] = v;
        if (count == 0 || (count < BATCH && v + 1 < all)) continue;
        RILL_TRY(batch_fill(fields, b, *node, count));
        for (uint64_t n = 0; n < count; n++) {
            memcpy(s->velocity + 3 * s->place[n], b->velocity + 3 * n, 3 * sizeof *b->velocity);
            s->pressure[s->place[n]] = b->pressure[n];
            for (uint64_t k = 0; k < (uint64_t)fields->scalar_count; k++)
                s->scalar[k * s->voxels + s->place[n]] = b->scalar[k * BATCH + n];
        }
        *node += count;
        count = 0;
    }
done:
    return status;
}

static rill_status slab_create(const rill_fields *fields, slab *s, uint64_t voxels)
{
    rill_status status = RILL_OK;
    const uint64_t scalars = (uint64_t)fields->scalar_count;
    s->voxels = voxels;
    RILL_TRY(
        rill_array_create(voxels, 3 * sizeof *s->velocity, "a slab of velocities", (void **)&s->velocity));
    RILL_TRY(rill_array_create(voxels, sizeof *s->pressure, "a slab of pressures", (void **)&s->pressure));
    RILL_TRY(
        rill_array_create(scalars * voxels + 1, sizeof *s->scalar, "a slab of fields", (void **)&s->scalar));
    RILL_TRY(rill_array_create(BATCH, sizeof *s->place, "a batch of voxel numbers", (void **)&s->place));
done:
    return status;
}

static void slab_destroy(slab *s)
{
    rill_array_destroy(s->place);
    rill_array_destroy(s->scalar);
    rill_array_destroy(s->pressure);
    rill_array_destroy(s->velocity);
}

static rill_status image_write(const rill_fields *fields, rill_h5_file *file)
{
    rill_status status = RILL_OK;
    batch b = {0};
    slab s = {0};
    const rill_geom *geom = fields->geom;
    rill_window window = {.geom = geom};
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    uint64_t node = 0;
    char path[64];
    RILL_TRY(batch_create(fields, &b));
    RILL_TRY(slab_create(fields, &s, SLAB * plane));
    RILL_TRY(image_begin(fields, file));
    for (uint64_t z = 0; z < geom->n[2]; z += SLAB) {
        const uint64_t rows = geom->n[2] - z < SLAB ? geom->n[2] - z : SLAB;
        memset(s.velocity, 0, rows * plane * 3 * sizeof *s.velocity);
        memset(s.pressure, 0, rows * plane * sizeof *s.pressure);
        memset(s.scalar, 0, (uint64_t)fields->scalar_count * s.voxels * sizeof *s.scalar);
        RILL_TRY(rill_window_see(&window, (uint32_t)z, (uint32_t)rows));
        RILL_TRY(slab_fill(fields, &b, window.voxels, rows * plane, &node, &s));
        RILL_TRY(rill_h5_write_sparse(file, path_of(vector_name(fields), true, path), z, rows, s.velocity));
        RILL_TRY(rill_h5_write_sparse(file, path_of(number_name(fields), true, path), z, rows, s.pressure));
        for (int k = 0; k < fields->scalar_count; k++)
            RILL_TRY(rill_h5_write_sparse(file, scalar_path(fields, k, true, path), z, rows,
                                          s.scalar + (uint64_t)k * s.voxels));
        RILL_TRY(report(fields, (double)z / geom->n[2]));
    }
done:
    rill_window_close(&window);
    slab_destroy(&s);
    batch_destroy(&b);
    return status;
}

/* ---- sparse ---------------------------------------------------------------------------------- */

/* Links everything that the cells file has, by its name without the directory. */
static rill_status sparse_link(rill_h5_file *file, const char *cells)
{
    rill_status status = RILL_OK;
    static const char *const shared[] = {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds",
                                         "Points",         "Connectivity",  "Offsets",
                                         "Types"};
    const char *slash = strrchr(cells, '/'), *name = slash ? slash + 1 : cells;
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        char path[64];
        snprintf(path, sizeof path, "/VTKHDF/%s", shared[i]);
        RILL_TRY(rill_h5_link_external(file, path, name, path));
    }
    RILL_TRY(rill_h5_link_external(file, "/nodes/cell", name, "/nodes/cell"));
done:
    return status;
}

static rill_status sparse_write(const rill_fields *fields, rill_h5_file *file, const char *cells)
{
    rill_status status = RILL_OK;
    batch b = {0};
    rill_h5_stream *velocity = NULL, *pressure = NULL, *scalar[RILL_FIELD_SCALARS] = {NULL};
    char paths[RILL_FIELD_SCALARS][64], vector[64], number[64]; /* which streams borrow */
    const uint64_t nodes = rill_geom_fluid(fields->geom);
    RILL_TRY(batch_create(fields, &b));
    RILL_TRY(sparse_link(file, cells));
    RILL_TRY(rill_h5_stream_create(file, path_of(vector_name(fields), false, vector), RILL_H5_F32, 3, DEFLATE,
                                   &velocity));
    RILL_TRY(rill_h5_stream_create(file, path_of(number_name(fields), false, number), RILL_H5_F32, 0, DEFLATE,
                                   &pressure));
    for (int k = 0; k < fields->scalar_count; k++)
        RILL_TRY(rill_h5_stream_create(file, scalar_path(fields, k, false, paths[k]), RILL_H5_F32, 0, DEFLATE,
                                       &scalar[k]));
    for (uint64_t first = 0; first < nodes; first += BATCH) {
        const uint64_t count = nodes - first < BATCH ? nodes - first : BATCH;
        RILL_TRY(batch_fill(fields, &b, first, count));
        RILL_TRY(rill_h5_stream_append(velocity, count, b.velocity));
        RILL_TRY(rill_h5_stream_append(pressure, count, b.pressure));
        for (int k = 0; k < fields->scalar_count; k++)
            RILL_TRY(rill_h5_stream_append(scalar[k], count, b.scalar + (uint64_t)k * BATCH));
        RILL_TRY(report(fields, (double)first / (double)nodes));
    }
    RILL_TRY(rill_h5_stream_flush(velocity));
    RILL_TRY(rill_h5_stream_flush(pressure));
    for (int k = 0; k < fields->scalar_count; k++) RILL_TRY(rill_h5_stream_flush(scalar[k]));
done:
    for (int k = 0; k < fields->scalar_count; k++) rill_h5_stream_destroy(scalar[k]);
    rill_h5_stream_destroy(velocity);
    rill_h5_stream_destroy(pressure);
    batch_destroy(&b);
    return status;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Returns PATH without `.vtkhdf`, with an ending; the caller frees it. */
static char *derived(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(".vtkhdf");
    const bool cut = length > tail && strcmp(path + length - tail, ".vtkhdf") == 0;
    char *name = NULL;
    return asprintf(&name, "%.*s%s", (int)(cut ? length - tail : length), path, ending) < 0 ? NULL : name;
}

static rill_status file_write(const rill_fields *fields, rill_fields_kind kind, const char *path,
                              const char *cells)
{
    rill_status status = RILL_OK;
    const bool image = kind == RILL_FIELDS_IMAGE;
    rill_h5_file *file = NULL;
    RILL_TRY(rill_h5_create(path, &file));
    RILL_TRY(fields_begin(fields, file, image ? "ImageData" : "UnstructuredGrid"));
    RILL_TRY(image ? image_write(fields, file) : sparse_write(fields, file, cells));
    char vector[64], number[64];
    const char *meaning = fields->number                 ? fields->number
                          : fields->pressure.offset == 0 ? "pressure above the reference"
                                                         : "pressure";
    RILL_TRY(unit_write(file, path_of(vector_name(fields), image, vector), &fields->velocity,
                        vector_name(fields)));
    RILL_TRY(unit_write(file, path_of(number_name(fields), image, number), &fields->pressure, meaning));
    for (int k = 0; k < fields->scalar_count; k++) {
        char name[64];
        RILL_TRY(unit_write(file, scalar_path(fields, k, image, name), &fields->scalars[k].unit,
                            fields->scalars[k].meaning));
    }
    RILL_TRY(rill_h5_commit(file));
done:
    rill_h5_close(file);
    return status;
}

rill_status rill_fields_write(const rill_fields *fields, rill_fields_kind kind, const char *path)
{
    rill_status status = RILL_OK;
    char *cells = NULL, *xmf = NULL;
    if (kind == RILL_FIELDS_NONE) return RILL_OK;
    const uint64_t nodes = rill_geom_fluid(fields->geom);
    if (nodes == 0 || nodes >= UINT32_MAX)
        return rill_fail(RILL_USAGE, "cannot write %s: %llu fluid nodes are not between 1 and %u", path,
                         (unsigned long long)nodes, UINT32_MAX - 1);
    xmf = derived(path, ".xmf");
    cells = fields->cells ? strdup(fields->cells) : derived(path, ".cells.vtkhdf");
    if (!cells || !xmf) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a file name"));
    if (kind == RILL_FIELDS_SPARSE) RILL_TRY(rill_cells_write(fields->geom, cells));
    RILL_TRY(file_write(fields, kind, path, cells));
    const rill_xmf_moment moment = {path,
                                    (double)fields->step * (fields->time_step > 0 ? fields->time_step : 1)};
    RILL_TRY(rill_xmf_write(&moment, 1, xmf));
done:
    free(cells);
    free(xmf);
    return status;
}
