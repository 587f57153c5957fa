/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Topology of the fluid nodes for VTK: corner points, numbered in lexicographic order, and hexahedra. Two
 * planes of corners are held at a time, so that memory follows the face of the box.
 */
#include "io/cells.h"

#include "core/memory.h"
#include "core/status.h"
#include "io/fields_priv.h"
#include "io/geom_file.h"
#include "io/ours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { DEFLATE = 1, HEXAHEDRON = 12 /* VTK_HEXAHEDRON */ };

double rill_geom_edge(const rill_geom *geom) { return geom->spacing > 0 ? geom->spacing : 1; }

rill_status rill_vtkhdf_begin(rill_h5_file *file, const char *type)
{
    rill_status status = RILL_OK;
    const int64_t version[2] = {1, 0};
    RILL_TRY(rill_h5_group_create(file, "/VTKHDF"));
    RILL_TRY(rill_h5_set_integers(file, "/VTKHDF", "Version", version, 2));
    RILL_TRY(rill_h5_set_text(file, "/VTKHDF", "Type", type));
done:
    return status;
}

rill_status rill_vtkhdf_count_write(rill_h5_file *file, const char *path, uint64_t value)
{
    rill_status status = RILL_OK;
    const rill_h5_layout one = {.type = RILL_H5_I64, .rank = 1, .dims = {1}};
    RILL_TRY(rill_h5_dataset_create(file, path, &one));
    RILL_TRY(rill_h5_write(file, path, RILL_H5_U64, NULL, NULL, &value));
done:
    return status;
}

/* What is written while the planes pass by. */
typedef struct cells {
    const rill_geom *geom;
    rill_h5_stream *points, *connectivity, *offsets, *types;
    uint64_t *planes[2];      /* [ny + 1][nx + 1] numbers of the corners below and above a layer of voxels */
    rill_window below, above; /* the layers that the corners between them are of */
} cells;

/* Marks the corners, in one plane, of the fluid voxels of layer z. */
static void mark(const rill_window *layer, uint32_t z, uint64_t *plane)
{
    const rill_geom *geom = layer->geom;
    const size_t width = (size_t)geom->n[0] + 1;
    for (uint32_t y = 0; y < geom->n[1]; y++) {
        const uint8_t *row = rill_window_row(layer, y, z);
        uint64_t *corner = plane + y * width;
        for (size_t x = 0; x < geom->n[0]; x++)
            if (row[x] >= RILL_FLUID)
                corner[x] = corner[x + 1] = corner[x + width] = corner[x + width + 1] = 1;
    }
}

/* Numbers the corners of plane z and writes where they are. */
static rill_status number(cells *c, uint32_t z, uint64_t *plane)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = c->geom;
    const size_t width = (size_t)geom->n[0] + 1, height = (size_t)geom->n[1] + 1;
    const double edge = rill_geom_edge(geom);
    memset(plane, 0, width * height * sizeof *plane);
    if (z > 0) RILL_TRY(rill_window_see(&c->below, z - 1, 1));
    if (z > 0) mark(&c->below, z - 1, plane);
    if (z < geom->n[2]) RILL_TRY(rill_window_see(&c->above, z, 1));
    if (z < geom->n[2]) mark(&c->above, z, plane);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            if (!plane[y * width + x]) continue;
            const float where[3] = {(float)(geom->origin[0] + edge * (double)x),
                                    (float)(geom->origin[1] + edge * (double)y),
                                    (float)(geom->origin[2] + edge * (double)z)};
            plane[y * width + x] = rill_h5_stream_rows(c->points);
            RILL_TRY(rill_h5_stream_append(c->points, 1, where));
        }
done:
    return status;
}

/* Writes the hexahedra of layer z; their corners go around the lower face, then around the upper one. */
static rill_status connect(cells *c, uint32_t z)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = c->geom;
    const size_t width = (size_t)geom->n[0] + 1;
    const uint8_t type = HEXAHEDRON;
    const uint8_t *voxel = rill_window_row(&c->below, 0, z); /* the layer that is below the corners now */
    for (size_t y = 0; y < geom->n[1]; y++)
        for (size_t x = 0; x < geom->n[0]; x++) {
            if (*voxel++ < RILL_FLUID) continue;
            const uint64_t *low = c->planes[z % 2] + y * width + x,
                           *high = c->planes[(z + 1) % 2] + y * width + x;
            const uint64_t corners[8] = {low[0],  low[1],  low[width + 1],  low[width],
                                         high[0], high[1], high[width + 1], high[width]};
            RILL_TRY(rill_h5_stream_append(c->connectivity, 8, corners));
            const uint64_t end = rill_h5_stream_rows(c->connectivity);
            RILL_TRY(rill_h5_stream_append(c->offsets, 1, &end));
            RILL_TRY(rill_h5_stream_append(c->types, 1, &type));
        }
done:
    return status;
}

static rill_status cells_stream(cells *c, rill_h5_file *file)
{
    rill_status status = RILL_OK;
    const uint64_t corners = ((uint64_t)c->geom->n[0] + 1) * ((uint64_t)c->geom->n[1] + 1), zero = 0;
    for (int p = 0; p < 2; p++)
        RILL_TRY(rill_array_create(corners, sizeof **c->planes, "a plane of cell corners",
                                   (void **)&c->planes[p]));
    RILL_TRY(rill_h5_stream_create(file, "/VTKHDF/Points", RILL_H5_F32, 3, DEFLATE, &c->points));
    RILL_TRY(rill_h5_stream_create(file, "/VTKHDF/Connectivity", RILL_H5_I64, 0, DEFLATE, &c->connectivity));
    RILL_TRY(rill_h5_stream_create(file, "/VTKHDF/Offsets", RILL_H5_I64, 0, DEFLATE, &c->offsets));
    RILL_TRY(rill_h5_stream_create(file, "/VTKHDF/Types", RILL_H5_U8, 0, DEFLATE, &c->types));
    RILL_TRY(rill_h5_stream_append(c->offsets, 1, &zero));
    RILL_TRY(number(c, 0, c->planes[0]));
    for (uint32_t z = 0; z < c->geom->n[2]; z++) {
        RILL_TRY(number(c, z + 1, c->planes[(z + 1) % 2]));
        RILL_TRY(connect(c, z));
    }
    RILL_TRY(rill_h5_stream_flush(c->points));
    RILL_TRY(rill_h5_stream_flush(c->connectivity));
    RILL_TRY(rill_h5_stream_flush(c->offsets));
    RILL_TRY(rill_h5_stream_flush(c->types));
done:
    return status;
}

/* Everything that the cells depend on, in hexadecimal. */
static rill_status fingerprint(const rill_geom *geom, char text[17])
{
    rill_status status = RILL_OK;
    rill_window window = {.geom = geom};
    XXH3_state_t *state = XXH3_createState();
    if (!state) return rill_fail(RILL_SYSTEM, "out of memory for the cells of fields");
    XXH64_hash_t seed = XXH3_64bits(geom->n, sizeof geom->n);
    seed = XXH3_64bits_withSeed(&geom->spacing, sizeof geom->spacing, seed);
    seed = XXH3_64bits_withSeed(geom->origin, sizeof geom->origin, seed);
    XXH3_64bits_reset_withSeed(state, seed);
    for (uint32_t end = 0; rill_window_next(&window, &end, &status);)
        XXH3_64bits_update(state, window.voxels, (uint64_t)geom->n[0] * geom->n[1] * window.count);
    snprintf(text, 17, "%016llx", (unsigned long long)XXH3_64bits_digest(state));
    rill_window_close(&window);
    XXH3_freeState(state);
    return status;
}

static bool holds(const char *path, const char *print)
{
    rill_h5_file *file = NULL;
    char *found = NULL, *format = NULL;
    if (access(path, F_OK) != 0 || rill_h5_open(path, &file) != RILL_OK) return false;
    const bool same =
        rill_format_read(file, &format) == RILL_OK && format && strcmp(format, RILL_CELLS_FORMAT) == 0 &&
        rill_h5_has_attribute(file, "/", "cells_xxh3_64") &&
        rill_h5_get_text(file, "/", "cells_xxh3_64", &found) == RILL_OK && strcmp(found, print) == 0;
    free(format);
    free(found);
    rill_h5_close(file);
    return same;
}

rill_status rill_cells_write(const rill_geom *geom, const char *path)
{
    rill_status status = RILL_OK;
    rill_h5_file *file = NULL;
    cells c = {.geom = geom, .below = {.geom = geom}, .above = {.geom = geom}};
    char print[17];
    RILL_TRY(fingerprint(geom, print));
    if (holds(path, print)) return RILL_OK;
    RILL_TRY(rill_h5_create(path, &file));
    RILL_TRY(rill_geom_head_write(geom, file, RILL_CELLS_FORMAT));
    RILL_TRY(rill_h5_set_text(file, "/", "cells_xxh3_64", print));
    RILL_TRY(rill_vtkhdf_begin(file, "UnstructuredGrid"));
    RILL_TRY(cells_stream(&c, file));
    RILL_TRY(rill_vtkhdf_count_write(file, "/VTKHDF/NumberOfPoints", rill_h5_stream_rows(c.points)));
    RILL_TRY(rill_vtkhdf_count_write(file, "/VTKHDF/NumberOfCells", rill_h5_stream_rows(c.types)));
    RILL_TRY(rill_vtkhdf_count_write(file, "/VTKHDF/NumberOfConnectivityIds",
                                     rill_h5_stream_rows(c.connectivity)));
    RILL_TRY(rill_geom_nodes_write(geom, file));
    RILL_TRY(rill_h5_commit(file));
done:
    rill_h5_stream_destroy(c.points);
    rill_h5_stream_destroy(c.connectivity);
    rill_h5_stream_destroy(c.offsets);
    rill_h5_stream_destroy(c.types);
    rill_window_close(&c.below);
    rill_window_close(&c.above);
    rill_array_destroy(c.planes[0]);
    rill_array_destroy(c.planes[1]);
    rill_h5_close(file);
    return status;
}
