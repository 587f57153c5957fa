/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of voxels outside of a sample, plane by plane. */
#include "geometry/voxels/outside.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/planes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The runs of a plane: those of row y from row[y] to row[y + 1]. */
typedef struct plane_runs {
    uint32_t *row;      /* [ny + 1]; NULL: nothing is outside */
    uint32_t (*run)[2]; /* first voxel and the one behind the last */
    uint64_t count;     /* voxels */
} plane_runs;

struct rill_outside {
    uint32_t n[3];
    uint64_t count;
    plane_runs *planes; /* [nz]; NULL: only their number is known */
};

rill_status rill_outside_create(const uint32_t n[3], rill_outside **out)
{
    rill_status status = RILL_OK;
    rill_outside *o = calloc(1, sizeof *o);
    if (!o) return rill_fail(RILL_SYSTEM, "out of memory for what is outside of the sample");
    memcpy(o->n, n, sizeof o->n);
    RILL_TRY(rill_array_create_zero(n[2], sizeof *o->planes, "what is outside of the sample",
                                    (void **)&o->planes));
    *out = o;
    o = NULL;
done:
    rill_outside_destroy(o);
    return status;
}

static void plane_free(plane_runs *p)
{
    rill_array_destroy(p->row);
    rill_array_destroy(p->run);
    *p = (plane_runs){.row = NULL};
}

void rill_outside_destroy(rill_outside *o)
{
    if (!o) return;
    for (uint32_t z = 0; o->planes && z < o->n[2]; z++) plane_free(&o->planes[z]);
    rill_array_destroy(o->planes);
    free(o);
}

uint64_t rill_outside_count(const rill_outside *o) { return o ? o->count : 0; }

/* Find the runs of a plane. @param[out] run  NULL: they are counted alone */
static uint64_t plane_find(const uint32_t n[3], const uint8_t *plane, uint8_t value, plane_runs *p)
{
    uint64_t runs = 0;
    for (uint32_t y = 0; y < n[1]; y++) {
        const uint8_t *row = plane + (uint64_t)y * n[0];
        if (p->row) p->row[y] = (uint32_t)runs;
        for (uint32_t x = 0, first; x < n[0]; x++) {
            if (row[x] != value) continue;
            first = x;
            while (x < n[0] && row[x] == value) x++;
            if (p->run) {
                p->run[runs][0] = first, p->run[runs][1] = x;
                p->count += x - first;
            }
            runs++;
        }
    }
    if (p->row) p->row[n[1]] = (uint32_t)runs;
    return runs;
}

rill_status rill_outside_set(rill_outside *o, uint32_t z, const uint8_t *plane, uint8_t value)
{
    static const char WHAT[] = "what is outside of the sample";
    rill_status status = RILL_OK;
    plane_runs *p = &o->planes[z], none = {.row = NULL};
    o->count -= p->count;
    plane_free(p);
    const uint64_t runs = plane_find(o->n, plane, value, &none);
    if (runs == 0) return RILL_OK;
    if (runs > UINT32_MAX) return rill_fail(RILL_SYSTEM, "out of memory for %s", WHAT);
    RILL_TRY(rill_array_create((uint64_t)o->n[1] + 1, sizeof *p->row, WHAT, (void **)&p->row));
    RILL_TRY(rill_array_create(runs, sizeof *p->run, WHAT, (void **)&p->run));
    plane_find(o->n, plane, value, p);
    o->count += p->count;
done:
    if (status != RILL_OK) plane_free(p);
    return status;
}

void rill_outside_show(const rill_outside *o, uint32_t z, uint8_t *plane)
{
    const uint32_t nx = o->n[0], ny = o->n[1];
    const plane_runs *p = o->planes ? &o->planes[z] : NULL;
    memset(plane, 0, (uint64_t)nx * ny);
    for (uint32_t y = 0; p && p->row && y < ny; y++)
        for (uint32_t r = p->row[y]; r < p->row[y + 1]; r++)
            memset(plane + (uint64_t)y * nx + p->run[r][0], 1, p->run[r][1] - p->run[r][0]);
}

rill_status rill_outside_part(const rill_geom *geom, const uint32_t first[3], const uint32_t factor[3],
                              rill_geom *made)
{
    rill_status status = RILL_OK;
    const uint32_t *n = made->n, nx = geom->n[0];
    uint8_t *from = NULL, *to = NULL;
    if (!geom->outside) return RILL_OK;
    if (!geom->outside->planes) return rill_outside_share(geom, made);
    RILL_TRY(rill_outside_create(n, &made->outside));
    RILL_TRY(rill_array_create((uint64_t)nx * geom->n[1], 1, "a plane of voxels", (void **)&from));
    RILL_TRY(rill_array_create((uint64_t)n[0] * n[1], 1, "a plane of voxels", (void **)&to));
    for (uint32_t z = 0; z < n[2]; z++) {
        if (z % factor[2] == 0) {
            rill_outside_show(geom->outside, first[2] + z / factor[2], from);
            for (uint32_t y = 0; y < n[1]; y++)
                for (uint32_t x = 0; x < n[0]; x++)
                    to[(uint64_t)y * n[0] + x] =
                        from[(uint64_t)(first[1] + y / factor[1]) * nx + first[0] + x / factor[0]];
        }
        RILL_TRY(rill_outside_set(made->outside, z, to, 1));
    }
    if (made->outside->count == 0) {
        rill_outside_destroy(made->outside);
        made->outside = NULL;
    }
done:
    rill_array_destroy(from);
    rill_array_destroy(to);
    return status;
}

rill_status rill_outside_share(const rill_geom *geom, rill_geom *made)
{
    if (!geom->outside) return RILL_OK;
    rill_outside *o = calloc(1, sizeof *o);
    if (!o) return rill_fail(RILL_SYSTEM, "out of memory for what is outside of the sample");
    const double part = (double)geom->outside->count / (double)rill_geom_voxels(geom);
    memcpy(o->n, made->n, sizeof o->n);
    o->count = (uint64_t)llround(part * (double)rill_geom_voxels(made));
    made->outside = o;
    return RILL_OK;
}

/* Add the voxels outside of plane z to the planes across an axis that they are in. */
static void section_add(const rill_outside *o, int axis, uint32_t z, int64_t *outside)
{
    const plane_runs *p = &o->planes[z];
    for (uint32_t y = 0; p->row && y < o->n[1]; y++)
        for (uint32_t r = p->row[y]; r < p->row[y + 1]; r++) {
            const uint32_t *run = p->run[r];
            if (axis > 0)
                outside[axis == 1 ? y : z] += run[1] - run[0];
            else
                for (uint32_t x = run[0]; x < run[1]; x++) outside[x]++;
        }
}

rill_status rill_outside_sections(const rill_geom *geom, int axis, double *least, double *most)
{
    rill_status status = RILL_OK;
    const rill_outside *o = geom->outside;
    const uint32_t n = geom->n[axis];
    const double area = (double)rill_geom_voxels(geom) / n;
    int64_t *outside = NULL;
    *least = *most = 1 - (double)rill_outside_count(o) / n / area;
    if (!o || !o->planes) return RILL_OK;
    RILL_TRY(rill_array_create_zero(n, sizeof *outside, "the sections of the sample", (void **)&outside));
    for (uint32_t z = 0; z < geom->n[2]; z++) section_add(o, axis, z, outside);
    for (uint32_t k = 0; k < n; k++) {
        *least = fmin(*least, 1 - (double)outside[k] / area);
        *most = fmax(*most, 1 - (double)outside[k] / area);
    }
done:
    rill_array_destroy(outside);
    return status;
}

/* ---- of a geometry ----------------------------------------------------------------------------- */

uint64_t rill_geom_sample(const rill_geom *geom)
{
    return rill_geom_voxels(geom) - rill_outside_count(geom->outside);
}

void rill_geom_outside(const rill_geom *geom, uint8_t *outside)
{
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    if (!geom->outside) memset(outside, 0, rill_geom_voxels(geom));
    for (uint32_t z = 0; geom->outside && z < geom->n[2]; z++)
        rill_outside_show(geom->outside, z, outside + plane * z);
}

rill_status rill_geom_set_outside(rill_geom *geom, const uint8_t *outside)
{
    rill_status status = RILL_OK;
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    rill_outside *made = NULL;
    uint8_t *flags = NULL;
    rill_window window = {.geom = geom};
    geom->porosity = (rill_porosity){-1, -1, {-1, -1, -1}, 0};
    if (outside) {
        RILL_TRY(rill_outside_create(geom->n, &made));
        RILL_TRY(rill_array_create(plane, 1, "a plane of voxels", (void **)&flags));
    }
    for (uint32_t z = 0; outside && z < geom->n[2]; z++) {
        for (uint64_t v = 0; v < plane; v++) flags[v] = outside[plane * z + v] != 0;
        RILL_TRY(rill_outside_set(made, z, flags, 1));
    }
    if (rill_outside_count(made) == rill_geom_voxels(geom))
        RILL_TRY(rill_fail(RILL_USAGE, "every voxel is outside of the sample: check what marks the outside"));
    for (uint32_t z = 0; outside && z < geom->n[2]; z++) {
        RILL_TRY(rill_window_see(&window, z, 1));
        for (uint64_t v = 0; v < plane; v++)
            if (outside[plane * z + v]) rill_window_row(&window, 0, z)[v] = RILL_SOLID;
        RILL_TRY(rill_window_keep(&window, geom));
    }
    rill_outside_destroy(geom->outside);
    geom->outside = made;
    made = NULL;
    if (rill_outside_count(geom->outside) == 0) {
        rill_outside_destroy(geom->outside);
        geom->outside = NULL;
    }
done:
    rill_window_close(&window);
    rill_array_destroy(flags);
    rill_outside_destroy(made);
    return status;
}
