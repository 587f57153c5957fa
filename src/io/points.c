/* SPDX-License-Identifier: Apache-2.0 */
/* Velocities near a place: node cells are read batch by batch, and velocities where a batch has a node there.
 */
#include "io/fields.h"

#include "core/output.h"
#include "core/status.h"
#include "io/fields_priv.h"
#include "io/hdf5.h"
#include "io/ours.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 65536, POINTS = 2000000 /* written at most: as many as a case reads */ };

typedef struct writer {
    const char *const *paths;
    int count;
    const double *place;
    double reach;
    uint64_t *points, written;
} writer;

typedef struct source {
    rill_h5_file *file;
    int64_t n[3];
    double origin[3], spacing, time;
    uint64_t nodes;
} source;

/* Open a field file of a vessel, and read how positions and times are counted. */
static rill_status source_open(const char *path, bool timed, source *s)
{
    rill_status status = RILL_OK;
    char *format = NULL, *unit = NULL;
    rill_h5_layout layout, cells;
    int64_t step = 0;
    double time_step = 0;
    *s = (source){.file = NULL};
    RILL_TRY(rill_h5_open_part(path, &s->file));
    RILL_TRY(rill_format_read(s->file, &format));
    if (!format || strcmp(format, RILL_FIELDS_FORMAT) != 0 || !rill_h5_exists(s->file, RILL_SPARSE_VELOCITY))
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "%s has no velocities of nodes: name field files of `rill run`, fields-0001.vtkhdf ...", path));
    RILL_TRY(rill_h5_get_text(s->file, RILL_SPARSE_VELOCITY, "units", &unit));
    if (strcmp(unit, "m/s") != 0)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "%s has velocities in %.20s, and in m/s they are written: name field files of `rill run`", path,
            unit));
    RILL_TRY(rill_h5_get_integers(s->file, "/", "size", s->n, 3));
    RILL_TRY(rill_h5_get_finite(s->file, "/", "origin", s->origin, 3));
    RILL_TRY(rill_h5_get_finite(s->file, "/", "spacing", &s->spacing, 1));
    if (timed) {
        RILL_TRY(rill_h5_get_integers(s->file, "/", "step", &step, 1));
        RILL_TRY(rill_h5_get_finite(s->file, "/", "time_step", &time_step, 1));
        s->time = (double)step * time_step;
    }
    RILL_TRY(rill_h5_check_linked(s->file, "/nodes/cell"));
    RILL_TRY(rill_h5_dataset_layout(s->file, "/nodes/cell", &cells));
    RILL_TRY(rill_h5_dataset_layout(s->file, RILL_SPARSE_VELOCITY, &layout));
    const bool sizes =
        s->n[0] > 0 && s->n[1] > 0 && s->n[2] > 0 && s->n[0] <= UINT32_MAX && s->n[1] <= UINT32_MAX;
    if (!sizes || cells.rank != 1 || layout.rank != 2 || layout.dims[0] != cells.dims[0] ||
        layout.dims[1] != 3)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "cannot read %s: velocities and nodes have other shapes than the file says: it is damaged",
            path));
    s->nodes = cells.dims[0];
done:
    free(format);
    free(unit);
    return status;
}

/* Return whether a node is near enough. @param[out] x  its place */
static bool is_near(const writer *w, const source *s, uint64_t cell, double x[3])
{
    const uint64_t nx = (uint64_t)s->n[0], ny = (uint64_t)s->n[1];
    const uint64_t at[3] = {cell % nx, cell / nx % ny, cell / nx / ny};
    double square = 0;
    for (int a = 0; a < 3; a++) {
        x[a] = s->origin[a] + s->spacing * ((double)at[a] + 0.5);
        square += (x[a] - w->place[a]) * (x[a] - w->place[a]);
    }
    return square <= w->reach * w->reach;
}

static rill_status print_source(FILE *out, writer *w, const source *s)
{
    rill_status status = RILL_OK;
    uint64_t *cells = malloc(BATCH * sizeof *cells);
    float *u = malloc(3 * BATCH * sizeof *u);
    if (!cells || !u) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for points of a field file"));
    for (uint64_t first = 0; first < s->nodes; first += BATCH) {
        const uint64_t start[2] = {first, 0},
                       count[2] = {s->nodes - first < BATCH ? s->nodes - first : BATCH, 3};
        RILL_TRY(rill_h5_read(s->file, "/nodes/cell", RILL_H5_U64, 1, start, count, cells));
        bool met = false;
        for (uint64_t k = 0; k < count[0]; k++) {
            double x[3];
            if (!is_near(w, s, cells[k], x)) continue;
            if (!met) RILL_TRY(rill_h5_read(s->file, RILL_SPARSE_VELOCITY, RILL_H5_F32, 2, start, count, u));
            met = true;
            if (w->written++ == POINTS)
                RILL_TRY(
                    rill_fail(RILL_USAGE, "more than %d points are so near: give a shorter reach", POINTS));
            RILL_TRY(rill_fields_finite_check(rill_h5_path(s->file), RILL_SPARSE_VELOCITY, u + 3 * k, 3,
                                              cells[k]));
            fprintf(out, "%.9g, %.9g, %.9g, %.9g, %.9g, %.9g", x[0], x[1], x[2], (double)u[3 * k],
                    (double)u[3 * k + 1], (double)u[3 * k + 2]);
            if (w->count > 1) fprintf(out, ", %.15g", s->time);
            fputc('\n', out);
        }
    }
done:
    free(cells);
    free(u);
    return status;
}

static rill_status print_points(FILE *out, const void *context)
{
    rill_status status = RILL_OK;
    writer w = *(const writer *)context;
    source s = {.file = NULL};
    fprintf(out, "x [m], y [m], z [m], u [m/s], v [m/s], w [m/s]%s\n", w.count > 1 ? ", time [s]" : "");
    for (int k = 0; k < w.count; k++) {
        RILL_TRY(source_open(w.paths[k], w.count > 1, &s));
        const uint64_t before = w.written;
        RILL_TRY(print_source(out, &w, &s));
        if (w.written == before)
            RILL_TRY(rill_fail(
                RILL_USAGE,
                "%s has no node within %g mm of (%g, %g, %g) mm: give a place in the fluid, in the coordinates of the surface, or a longer reach",
                w.paths[k], 1e3 * w.reach, 1e3 * w.place[0], 1e3 * w.place[1], 1e3 * w.place[2]));
        if (k == 0 && w.points) *w.points = w.written;
        rill_h5_close(s.file);
        s.file = NULL;
    }
done:
    rill_h5_close(s.file);
    return status;
}

rill_status rill_points_write(const char *const *paths, int count, const double place[3], double reach,
                              const char *out, uint64_t *points)
{
    const writer w = {.paths = paths, .count = count, .place = place, .reach = reach, .points = points};
    return rill_output_print(out, print_points, &w);
}
