/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Geometry files, *.geom.h5: voxels, node order, what is known about them. The pull index list is written by
 * geom_index.c, surfaces and their links are geom_surface.c's. Reading trusts nothing: the file may come from
 * anyone.
 */
#include "io/geom_file.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/image/file_names.h"
#include "geometry/voxels/components.h"
#include "geometry/voxels/outside.h"
#include "geometry/voxels/sides.h"
#include "io/geom_surface.h"
#include "io/ours.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Chunks of 128 KiB, so that a vessel leaves most of them out. Level 4: docs/files.md has the figures. */
enum { DEFLATE = 4 };

static rill_status side_parse(const rill_h5_file *file, const char *text, size_t length, rill_side *side)
{
    for (rill_side s = RILL_PERIODIC; s <= RILL_WALL; s++)
        if (strlen(rill_side_name(s)) == length && strncmp(text, rill_side_name(s), length) == 0) {
            *side = s;
            return RILL_OK;
        }
    return rill_fail(RILL_USAGE, "cannot read %s: side \"%.*s\" is none of periodic, mirror, wall",
                     rill_h5_path(file), (int)(length < 40 ? length : 40), text);
}

/* ---- writing --------------------------------------------------------------------------------- */

rill_status rill_geom_head_write(const rill_geom *geom, rill_h5_file *file, const char *format)
{
    rill_status status = RILL_OK;
    const int64_t size[3] = {geom->n[0], geom->n[1], geom->n[2]};
    const rill_porosity *p = &geom->porosity;
    char sides[64];
    snprintf(sides, sizeof sides, "%s %s %s", rill_side_name(geom->sides[0]), rill_side_name(geom->sides[1]),
             rill_side_name(geom->sides[2]));
    RILL_TRY(rill_format_write(file, format));
    RILL_TRY(rill_h5_set_integers(file, "/", "size", size, 3));
    if (geom->spacing > 0) RILL_TRY(rill_h5_set_reals(file, "/", "spacing", &geom->spacing, 1));
    RILL_TRY(rill_h5_set_reals(file, "/", "origin", geom->origin, 3));
    RILL_TRY(rill_h5_set_text(file, "/", "sides", sides));
    if (p->total >= 0) RILL_TRY(rill_h5_set_reals(file, "/", "porosity_total", &p->total, 1));
    if (p->connected >= 0) RILL_TRY(rill_h5_set_reals(file, "/", "porosity_connected", &p->connected, 1));
    if (p->percolating[0] >= 0 || p->percolating[1] >= 0 || p->percolating[2] >= 0)
        RILL_TRY(rill_h5_set_reals(file, "/", "porosity_percolating", p->percolating, 3));
    const int64_t outside = (int64_t)rill_outside_count(geom->outside);
    if (outside) RILL_TRY(rill_h5_set_integers(file, "/", "outside_voxels", &outside, 1));
    if (rill_contacts_name(p->contacts))
        RILL_TRY(rill_h5_set_text(file, "/", "porosity_contacts", rill_contacts_name(p->contacts)));
done:
    return status;
}

static rill_status voxels_write(const rill_geom *geom, rill_h5_file *file)
{
    rill_status status = RILL_OK;
    const rill_h5_layout layout = {.type = RILL_H5_U8,
                                   .rank = 3,
                                   .dims = {geom->n[2], geom->n[1], geom->n[0]},
                                   .chunk = {32, 64, 64},
                                   .deflate = DEFLATE};
    RILL_TRY(rill_h5_dataset_create(file, "/voxels", &layout));
    RILL_TRY(rill_h5_set_text(file, "/voxels", "long_name",
                              "0 solid, 1 fluid, 2 and above: fluid with a patch label"));
    RILL_TRY(rill_geom_voxels_write(geom, file, "/voxels"));
done:
    return status;
}

/* Return how many planes are written or read at a time: whole chunks, which have CHUNK planes or a divisor of
 * them, and are compressed. */
static uint32_t planes_at_once(const rill_geom *geom)
{
    enum { CHUNK = 32 };
    const uint32_t seen = rill_window_planes(geom);
    return seen < CHUNK ? CHUNK : seen == geom->n[2] ? seen : seen / CHUNK * CHUNK;
}

rill_status rill_geom_voxels_write(const rill_geom *geom, rill_h5_file *file, const char *path)
{
    rill_status status = RILL_OK;
    rill_window window = {.geom = geom};
    const uint32_t planes = planes_at_once(geom);
    for (uint32_t z = 0, count; z < geom->n[2]; z += count) {
        count = geom->n[2] - z < planes ? geom->n[2] - z : planes;
        RILL_TRY(rill_window_see(&window, z, count));
        RILL_TRY(rill_h5_write_sparse(file, path, z, count, window.voxels));
    }
done:
    rill_window_close(&window);
    return status;
}

/* Write which voxels are outside of the sample; nothing where none is. */
static rill_status outside_write(const rill_geom *geom, rill_h5_file *file)
{
    rill_status status = RILL_OK;
    enum { CHUNK = 32 }; /* planes */
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    const rill_h5_layout layout = {.type = RILL_H5_U8,
                                   .rank = 3,
                                   .dims = {geom->n[2], geom->n[1], geom->n[0]},
                                   .chunk = {CHUNK, 64, 64},
                                   .deflate = DEFLATE};
    uint8_t *planes = NULL;
    if (!geom->outside) return RILL_OK;
    RILL_TRY(rill_array_create(plane, CHUNK, "planes of voxels", (void **)&planes));
    RILL_TRY(rill_h5_dataset_create(file, "/outside", &layout));
    RILL_TRY(rill_h5_set_text(file, "/outside", "long_name", "1 outside of the sample, 0 of the sample"));
    for (uint32_t z = 0, count; z < geom->n[2]; z += count) {
        count = geom->n[2] - z < CHUNK ? geom->n[2] - z : CHUNK;
        for (uint32_t k = 0; k < count; k++) rill_outside_show(geom->outside, z + k, planes + plane * k);
        RILL_TRY(rill_h5_write_sparse(file, "/outside", z, count, planes));
    }
done:
    rill_array_destroy(planes);
    return status;
}

rill_status rill_geom_nodes_write(const rill_geom *geom, rill_h5_file *file)
{
    rill_status status = RILL_OK;
    rill_h5_stream *cells = NULL;
    rill_window window = {.geom = geom};
    const rill_voxel plane = (rill_voxel)geom->n[0] * geom->n[1];
    RILL_TRY(rill_h5_stream_create(file, "/nodes/cell", RILL_H5_U64, 0, DEFLATE, &cells));
    RILL_TRY(
        rill_h5_set_text(file, "/nodes/cell", "long_name", "voxel x + nx (y + ny z) of each fluid node"));
    for (uint32_t end = 0; rill_window_next(&window, &end, &status);)
        for (rill_voxel v = 0, at = plane * window.first; v < plane * window.count; v++, at++)
            if (window.voxels[v] >= RILL_FLUID) RILL_TRY(rill_h5_stream_append(cells, 1, &at));
    RILL_TRY(status);
    RILL_TRY(rill_h5_stream_flush(cells));
done:
    rill_window_close(&window);
    rill_h5_stream_destroy(cells);
    return status;
}

static rill_status provenance_write(const rill_geom *geom, rill_h5_file *file)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_h5_group_create(file, "/provenance"));
    RILL_TRY(rill_h5_set_text(file, "/provenance", "software_version", rill_version()));
    if (geom->source) RILL_TRY(rill_h5_set_text(file, "/provenance", "source", geom->source));
    if (geom->source_hash)
        RILL_TRY(rill_h5_set_text(file, "/provenance", "source_xxh3_64", geom->source_hash));
    if (geom->options) RILL_TRY(rill_h5_set_text(file, "/provenance", "options", geom->options));
    if (geom->notes) RILL_TRY(rill_h5_set_text(file, "/provenance", "notes", geom->notes));
done:
    return status;
}

rill_status rill_geom_write(const rill_geom *geom, const char *path, const rill_geom_write_options *options)
{
    rill_status status = RILL_OK;
    rill_h5_file *file = NULL;
    RILL_TRY(rill_h5_create(path, &file));
    RILL_TRY(rill_geom_head_write(geom, file, RILL_GEOM_FORMAT));
    RILL_TRY(voxels_write(geom, file));
    RILL_TRY(outside_write(geom, file));
    RILL_TRY(rill_geom_nodes_write(geom, file));
    if (options && options->index_pull)
        RILL_TRY(rill_geom_index_write(geom, file, (rill_lattice)options->lattice));
    if (geom->surface) RILL_TRY(rill_geom_surface_write(geom->surface, file));
    RILL_TRY(provenance_write(geom, file));
    RILL_TRY(rill_h5_commit(file));
done:
    rill_h5_close(file);
    return status;
}

/* ---- reading --------------------------------------------------------------------------------- */

static rill_status format_check(rill_h5_file *file)
{
    rill_status status = RILL_OK;
    char *format = NULL;
    RILL_TRY(rill_format_read(file, &format));
    if (!format)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: it is an HDF5 file, but no geometry written by rill",
                           rill_h5_path(file)));
    if (strcmp(format, RILL_GEOM_FORMAT) != 0)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s as a geometry: its format is \"%.60s\", not \"%s\"",
                           rill_h5_path(file), format, RILL_GEOM_FORMAT));
done:
    free(format);
    return status;
}

rill_status rill_geom_sides_read(rill_h5_file *file, rill_side sides[3])
{
    char *text = NULL;
    rill_status status = RILL_OK;
    RILL_TRY(rill_h5_get_text(file, "/", "sides", &text));
    const char *word = text;
    for (int a = 0; a < 3; a++) {
        const size_t length = strcspn(word, " ");
        RILL_TRY(side_parse(file, word, length, &sides[a]));
        word += length + (word[length] == ' ');
    }
done:
    free(text);
    return status;
}

/* What connected the pores when they were counted; files of older versions do not say. */
static rill_status contacts_read(rill_h5_file *file, unsigned *contacts)
{
    rill_status status = RILL_OK;
    char *text = NULL;
    *contacts = 0;
    if (!rill_h5_has_attribute(file, "/", "porosity_contacts")) return RILL_OK;
    RILL_TRY(rill_h5_get_text(file, "/", "porosity_contacts", &text));
    for (unsigned k = 1; k < 8; k += 2)
        if (strcmp(text, rill_contacts_name(k)) == 0) *contacts = k;
    if (!*contacts)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "cannot read %s: porosity_contacts \"%.40s\" is not known to this version",
                           rill_h5_path(file), text));
done:
    free(text);
    return status;
}

static rill_status porosity_read(rill_h5_file *file, rill_porosity *out)
{
    rill_status status = RILL_OK;
    const double unknown = -1;
    *out = (rill_porosity){unknown, unknown, {unknown, unknown, unknown}, 0};
    RILL_TRY(contacts_read(file, &out->contacts));
    if (rill_h5_has_attribute(file, "/", "porosity_total"))
        RILL_TRY(rill_h5_get_reals(file, "/", "porosity_total", &out->total, 1));
    if (rill_h5_has_attribute(file, "/", "porosity_connected"))
        RILL_TRY(rill_h5_get_reals(file, "/", "porosity_connected", &out->connected, 1));
    if (rill_h5_has_attribute(file, "/", "porosity_percolating"))
        RILL_TRY(rill_h5_get_reals(file, "/", "porosity_percolating", out->percolating, 3));
    const double values[5] = {out->total, out->connected, out->percolating[0], out->percolating[1],
                              out->percolating[2]};
    for (int i = 0; i < 5; i++)
        if (!(values[i] <= 1))
            RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: a porosity of %g is not between 0 and 1",
                               rill_h5_path(file), values[i]));
done:
    return status;
}

/* Shapes of the datasets; their values are the readers'. */
static rill_status shapes_read(rill_h5_file *file, rill_geom_head *out)
{
    rill_status status = RILL_OK;
    rill_h5_layout voxels, cells;
    RILL_TRY(rill_h5_dataset_layout(file, "/voxels", &voxels));
    RILL_TRY(rill_h5_dataset_layout(file, "/nodes/cell", &cells));
    if (voxels.rank != 3 || voxels.type != RILL_H5_U8)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: /voxels is not a u8 array with 3 axes",
                           rill_h5_path(file)));
    for (int a = 0; a < 3; a++) {
        if (voxels.dims[2 - a] == 0 || voxels.dims[2 - a] > UINT32_MAX)
            RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: %llu voxels along %c are not between 1 and %u",
                               rill_h5_path(file), (unsigned long long)voxels.dims[2 - a], rill_axis(a),
                               UINT32_MAX));
        out->n[a] = (uint32_t)voxels.dims[2 - a];
    }
    if (cells.rank != 1 || cells.type != RILL_H5_U64)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: /nodes/cell is not a u64 array with 1 axis",
                           rill_h5_path(file)));
    out->fluid = cells.dims[0];
done:
    return status;
}

rill_status rill_geom_place_read(rill_h5_file *file, double *spacing, double origin[3])
{
    rill_status status = RILL_OK;
    *spacing = 0;
    if (rill_h5_has_attribute(file, "/", "spacing")) {
        RILL_TRY(rill_h5_get_reals(file, "/", "spacing", spacing, 1));
        if (!(*spacing > 0) || !isfinite(*spacing))
            RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: a spacing of %g m is not above 0",
                               rill_h5_path(file), *spacing));
    }
    RILL_TRY(rill_h5_get_reals(file, "/", "origin", origin, 3));
    for (int a = 0; a < 3; a++)
        if (!isfinite(origin[a]))
            RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: the origin %g along %c is not finite",
                               rill_h5_path(file), origin[a], rill_axis(a)));
done:
    return status;
}

rill_status rill_geom_head_read(rill_h5_file *file, rill_geom_head *out)
{
    rill_status status = RILL_OK;
    RILL_TRY(format_check(file));
    RILL_TRY(shapes_read(file, out));
    RILL_TRY(rill_geom_place_read(file, &out->spacing, out->origin));
    RILL_TRY(rill_geom_sides_read(file, out->sides));
    RILL_TRY(porosity_read(file, &out->porosity));
    int64_t outside = 0;
    if (rill_h5_has_attribute(file, "/", "outside_voxels"))
        RILL_TRY(rill_h5_get_integers(file, "/", "outside_voxels", &outside, 1));
    out->outside = outside > 0 ? (uint64_t)outside : 0;
done:
    return status;
}

rill_status rill_geom_provenance_read(rill_h5_file *file, rill_geom *geom)
{
    rill_status status = RILL_OK;
    char *notes = NULL;
    struct {
        const char *name;
        char **text;
    } texts[] = {{"source", &geom->source},
                 {"source_xxh3_64", &geom->source_hash},
                 {"options", &geom->options},
                 {"notes", &notes}};
    if (!rill_h5_exists(file, "/provenance")) return RILL_OK;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (rill_h5_has_attribute(file, "/provenance", texts[i].name))
            RILL_TRY(rill_h5_get_text(file, "/provenance", texts[i].name, texts[i].text));
    RILL_TRY(rill_notes_add(&geom->notes, notes)); /* without control characters */
done:
    free(notes);
    return status;
}

/* Read the voxels. */
static rill_status voxels_read(rill_h5_file *file, rill_geom *geom)
{
    rill_status status = RILL_OK;
    rill_window window = {.geom = geom};
    const uint32_t nz = geom->n[2], most = planes_at_once(geom);
    for (uint32_t z = 0, planes; z < nz; z += planes) {
        planes = nz - z < most ? nz - z : most;
        const uint64_t start[3] = {z, 0, 0}, count[3] = {planes, geom->n[1], geom->n[0]};
        RILL_TRY(rill_window_blank(&window, z, planes));
        const bool all = planes == nz; /* all threads read a whole dataset */
        RILL_TRY(rill_h5_read(file, "/voxels", RILL_H5_U8, 3, all ? NULL : start, count, window.voxels));
        RILL_TRY(rill_window_keep(&window, geom));
    }
done:
    rill_window_close(&window);
    return status;
}

/* Read which voxels are outside of the sample. None of them is fluid. */
static rill_status outside_read(rill_h5_file *file, uint64_t expected, rill_geom *geom)
{
    rill_status status = RILL_OK;
    rill_h5_layout layout;
    rill_window window = {.geom = geom};
    uint8_t *flags = NULL;
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1], nz = geom->n[2], most = 32;
    if (!rill_h5_exists(file, "/outside")) {
        if (expected)
            return rill_fail(
                RILL_USAGE, "cannot read %s: outside_voxels is %llu, and there is no /outside: it is damaged",
                rill_h5_path(file), (unsigned long long)expected);
        return RILL_OK;
    }
    RILL_TRY(rill_h5_dataset_layout(file, "/outside", &layout));
    bool fits = layout.rank == 3 && layout.type == RILL_H5_U8;
    for (int a = 0; a < 3; a++) fits = fits && layout.dims[2 - a] == geom->n[a];
    if (!fits)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: /outside is not a u8 array of the shape of /voxels",
                           rill_h5_path(file)));
    RILL_TRY(rill_array_create(plane, most < nz ? most : nz, "planes of voxels", (void **)&flags));
    RILL_TRY(rill_outside_create(geom->n, &geom->outside));
    for (uint64_t z = 0, count; z < nz; z += count) {
        count = nz - z < most ? nz - z : most;
        const uint64_t start[3] = {z, 0, 0}, size[3] = {count, geom->n[1], geom->n[0]};
        RILL_TRY(rill_h5_read(file, "/outside", RILL_H5_U8, 3, start, size, flags));
        RILL_TRY(rill_window_see(&window, (uint32_t)z, (uint32_t)count));
        for (uint64_t v = 0; v < plane * count; v++)
            if (flags[v] && window.voxels[v] >= RILL_FLUID)
                RILL_TRY(
                    rill_fail(RILL_USAGE,
                              "cannot read %s: voxel %llu is fluid and outside of the sample: it is damaged",
                              rill_h5_path(file), (unsigned long long)(plane * z + v)));
        for (uint64_t k = 0; k < count; k++)
            RILL_TRY(rill_outside_set(geom->outside, (uint32_t)(z + k), flags + plane * k, 1));
    }
    if (rill_outside_count(geom->outside) != expected)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "cannot read %s: %llu voxels are outside of the sample, and outside_voxels is %llu: it is damaged",
            rill_h5_path(file), (unsigned long long)rill_outside_count(geom->outside),
            (unsigned long long)expected));
    if (rill_geom_sample(geom) == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: every voxel is outside of the sample",
                           rill_h5_path(file)));
done:
    rill_window_close(&window);
    rill_array_destroy(flags);
    return status;
}

rill_status rill_geom_read(const char *path, rill_geom **out) { return rill_geom_read_kept(path, NULL, out); }

rill_status rill_geom_read_kept(const char *path, const rill_keeper *keeper, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_h5_file *file = NULL;
    rill_geom *geom = NULL;
    rill_geom_head head;
    status = rill_h5_open(path, &file);
    if (status != RILL_OK && rill_surface_named(path) && access(path, R_OK) == 0)
        status = rill_fail(RILL_USAGE, "%s: " RILL_SURFACE_REMEDY, path, rill_surface_kind(path));
    if (status != RILL_OK) goto done;
    RILL_TRY(rill_geom_head_read(file, &head));
    /* The memory is checked before it is allocated. */
    RILL_TRY(rill_geom_create_kept(head.n, keeper, &geom));
    geom->spacing = head.spacing;
    geom->porosity = head.porosity;
    for (int a = 0; a < 3; a++) {
        geom->origin[a] = head.origin[a];
        geom->sides[a] = head.sides[a];
    }
    RILL_TRY(rill_geom_provenance_read(file, geom));
    RILL_TRY(voxels_read(file, geom));
    RILL_TRY(outside_read(file, head.outside, geom));
    const uint64_t fluid = rill_geom_fluid(geom);
    if (fluid != head.fluid)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "cannot read %s: it has %llu fluid voxels but %llu nodes: it is damaged", path,
                           (unsigned long long)fluid, (unsigned long long)head.fluid));
    RILL_TRY(rill_geom_surface_read(file, fluid, &geom->surface));
    *out = geom;
    geom = NULL;
done:
    rill_geom_destroy(geom);
    rill_h5_close(file);
    return status;
}
