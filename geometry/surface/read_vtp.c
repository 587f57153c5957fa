/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VTK XML poly data (.vtp): points and polygons in any coding of vtk_xml.h, and the cell array ModelFaceID,
 * as SimVascular writes it: its numbers name the groups ("1", "2"). Values go from the file into the surface
 * one by one. Not read: strips; vertices and lines are passed over.
 */
#include "geometry/image/vtk_xml.h"
#include "geometry/surface/surface_file_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 1024, CORNERS = 256 /* of a polygon */ };

/* Numbers that are taken one after the other. */
typedef struct {
    rill_byte_stream *stream;
    rill_grey type;
    bool swap;
    uint64_t left; /* in the file */
    uint64_t at, filled;
    unsigned char block[8 * BATCH];
} numbers;

static rill_status open_numbers(const rill_vtk_file *file, const rill_vtk_array *array, uint64_t count,
                                numbers *n)
{
    *n = (numbers){.type = array->type,
                   .swap = file->swap && rill_grey_size(array->type) > 1 && array->coding != RILL_VTK_ASCII,
                   .left = count};
    return rill_vtk_stream(file, array, count, &n->stream);
}

static double value_of(rill_grey type, const unsigned char bytes[8])
{
    union {
        unsigned char bytes[8];
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        uint64_t u64;
        int64_t i64;
        float f32;
        double f64;
    } v;
    memcpy(v.bytes, bytes, sizeof v.bytes);
    switch (type) {
    case RILL_GREY_U8:
        return v.u8;
    case RILL_GREY_I8:
        return v.i8;
    case RILL_GREY_U16:
        return v.u16;
    case RILL_GREY_I16:
        return v.i16;
    case RILL_GREY_U32:
        return v.u32;
    case RILL_GREY_I32:
        return v.i32;
    case RILL_GREY_U64:
        return (double)v.u64;
    case RILL_GREY_I64:
        return (double)v.i64;
    case RILL_GREY_F32:
        return (double)v.f32;
    default:
        return v.f64;
    }
}

static rill_status next(numbers *n, double *out)
{
    const size_t size = rill_grey_size(n->type);
    unsigned char bytes[8] = {0};
    if (n->at == n->filled) {
        const uint64_t now = n->left < BATCH ? n->left : BATCH;
        if (now == 0)
            return rill_fail(RILL_USAGE, "an array has fewer values than it needs: the file is damaged");
        const rill_status status = rill_stream_read(n->stream, n->block, now * size);
        if (status != RILL_OK) return status;
        n->left -= now;
        n->at = 0;
        n->filled = now;
    }
    const unsigned char *from = n->block + n->at++ * size;
    for (size_t k = 0; k < size; k++) bytes[k] = from[n->swap ? size - 1 - k : k];
    *out = value_of(n->type, bytes);
    return RILL_OK;
}

static rill_status read_points(const rill_vtk_file *file, rill_mesh *mesh)
{
    rill_status status = RILL_OK;
    numbers n = {0};
    const rill_vtk_array *points = rill_vtk_find(file, "Points", NULL);
    if (!points || points->components != 3)
        return rill_fail(RILL_USAGE, "it has no points of three coordinates: it is not a surface");
    if (file->points > INT32_MAX)
        return rill_fail(RILL_USAGE, "it has %llu points, more than %d", (unsigned long long)file->points,
                         INT32_MAX);
    RILL_TRY(open_numbers(file, points, 3 * file->points, &n));
    for (uint64_t p = 0; p < file->points; p++) {
        double x[3];
        for (int a = 0; a < 3; a++) RILL_TRY(next(&n, &x[a]));
        RILL_TRY(rill_surface_finite(x, "point", p));
        RILL_TRY(rill_mesh_add_vertex(mesh, x, NULL));
    }
done:
    rill_stream_close(n.stream);
    return status;
}

/* The groups of polygons: by ModelFaceID, else a single one without a name. */
typedef struct {
    numbers ids;
    bool given;
    double last;
    uint16_t patch;
} groups;

static rill_status open_groups(const rill_vtk_file *file, rill_mesh *mesh, groups *g)
{
    rill_status status = RILL_OK;
    const rill_vtk_array *ids = rill_vtk_find(file, "CellData", "ModelFaceID");
    double passed;
    g->given = ids && ids->components == 1;
    g->last = NAN;
    if (!g->given) return rill_mesh_patch(mesh, "", 0, &g->patch);
    const uint64_t before = file->verts + file->lines; /* cells come in this order */
    if (before > INT32_MAX)
        return rill_fail(RILL_USAGE, "it has %llu lines and vertices", (unsigned long long)before);
    RILL_TRY(open_numbers(file, ids, before + file->polys, &g->ids));
    for (uint64_t k = 0; k < before; k++) RILL_TRY(next(&g->ids, &passed));
done:
    return status;
}

static rill_status next_group(groups *g, rill_mesh *mesh)
{
    double id;
    char name[32];
    if (!g->given) return RILL_OK;
    const rill_status status = next(&g->ids, &id);
    if (status != RILL_OK || id == g->last) return status;
    g->last = id;
    const int length = snprintf(name, sizeof name, "%.15g", id);
    return rill_mesh_patch(mesh, name, (size_t)length, &g->patch);
}

/* Read where each polygon ends, and check it. @param[out] corners  of all of them */
static rill_status check_ends(const rill_vtk_file *file, const rill_vtk_array *ends, uint64_t *corners)
{
    rill_status status = RILL_OK;
    numbers n = {0};
    double last = 0, end;
    RILL_TRY(open_numbers(file, ends, file->polys, &n));
    for (uint64_t p = 0; p < file->polys; p++) {
        RILL_TRY(next(&n, &end));
        if (!(end - last >= 3 && end - last <= CORNERS) || end != floor(end))
            RILL_TRY(rill_fail(RILL_USAGE, "polygon %llu has %g corners, not 3 to %d: repair the surface",
                               (unsigned long long)p, end - last, CORNERS));
        last = end;
    }
    *corners = (uint64_t)last;
done:
    rill_stream_close(n.stream);
    return status;
}

static rill_status read_polygon(numbers *corners, uint64_t count, uint64_t number, uint16_t patch,
                                rill_mesh *mesh)
{
    rill_status status = RILL_OK;
    uint32_t v[CORNERS];
    double vertex;
    for (uint64_t k = 0; k < count; k++) {
        RILL_TRY(next(corners, &vertex));
        if (!(vertex >= 0 && vertex < mesh->vertex_count) || vertex != floor(vertex))
            RILL_TRY(rill_fail(RILL_USAGE,
                               "polygon %llu names point %g and %u are there: the file is damaged",
                               (unsigned long long)number, vertex, mesh->vertex_count));
        v[k] = (uint32_t)vertex;
    }
    RILL_TRY(rill_surface_polygon(mesh, v, count, patch));
done:
    return status;
}

static rill_status read_polygons(const rill_vtk_file *file, rill_mesh *mesh)
{
    rill_status status = RILL_OK;
    numbers corners = {0}, ends = {0};
    groups g = {0};
    uint64_t all = 0;
    double last = 0, end;
    const rill_vtk_array *connectivity = rill_vtk_find(file, "Polys", "connectivity"),
                         *offsets = rill_vtk_find(file, "Polys", "offsets");
    if (file->strips > 0)
        return rill_fail(RILL_USAGE,
                         "it has triangle strips: apply Triangulate in ParaView, and save it again");
    if (file->polys == 0) return RILL_OK;
    if (!connectivity || !offsets)
        return rill_fail(RILL_USAGE, "its polygons have no corners: the file is damaged");
    RILL_TRY(check_ends(file, offsets, &all));
    RILL_TRY(open_groups(file, mesh, &g));
    RILL_TRY(open_numbers(file, offsets, file->polys, &ends));
    RILL_TRY(open_numbers(file, connectivity, all, &corners));
    for (uint64_t p = 0; p < file->polys; p++) {
        RILL_TRY(next(&ends, &end));
        RILL_TRY(next_group(&g, mesh));
        RILL_TRY(read_polygon(&corners, (uint64_t)(end - last), p, g.patch, mesh));
        last = end;
    }
done:
    rill_stream_close(corners.stream);
    rill_stream_close(ends.stream);
    rill_stream_close(g.ids.stream);
    return status;
}

rill_status rill_surface_read_vtp(const char *path, rill_mesh *mesh)
{
    rill_status status = RILL_OK;
    rill_vtk_file *file = NULL;
    RILL_TRY(rill_vtk_open(path, &file));
    if (strcmp(file->type, "PolyData") != 0)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "it is a VTK file of type \"%s\", and surfaces are of type PolyData: apply Extract Surface in ParaView, and save it as VTP",
            file->type));
    RILL_TRY(read_points(file, mesh));
    RILL_TRY(read_polygons(file, mesh));
done:
    rill_vtk_close(file);
    return status;
}
