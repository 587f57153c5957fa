/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spheres to voxels, periodically. A thread owns a slice and visits the spheres that reach it, found in
 * buckets of one slice thickness each, so that no two threads write the same voxel.
 */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/generate/generate_priv.h"
#include "geometry/voxels/planes.h"

#include <math.h>
#include <string.h>

/** Return a mod n in 0 ... n - 1. */
static int64_t wrap(int64_t a, int64_t n)
{
    if (a >= 0 && a < n) return a; /* mostly: a division takes longer than all else of a run */
    const int64_t r = a % n;
    return r < 0 ? r + n : r;
}

/** Set the voxels a ... b of a periodic row. */
static void set_run(uint8_t *row, int64_t n, int64_t a, int64_t b, uint8_t value)
{
    if (b - a + 1 >= n) {
        memset(row, value, (size_t)n);
        return;
    }
    const int64_t first = wrap(a, n), count = b - a + 1, head = count < n - first ? count : n - first;
    memset(row + first, value, (size_t)head);
    memset(row, value, (size_t)(count - head));
}

/** Set what a sphere cuts out of a slice whose centre plane lies dz above the sphere's centre. */
static void paint_slice(uint8_t *slice, const uint32_t n[3], const rill_sphere *sphere, double dz,
                        uint8_t value)
{
    const double limit = sphere->radius * sphere->radius, cx = sphere->centre[0], cy = sphere->centre[1];
    const double reach = limit - dz * dz;
    if (reach < 0) return;
    const double half = sqrt(reach) + 1; /* one voxel wider than needed: the test below decides */
    const int64_t last = (int64_t)floor(cy + half);
    for (int64_t y = (int64_t)floor(cy - half); y <= last; y++) {
        const double dy = (double)y + 0.5 - cy, rest = dy * dy + dz * dz;
        if (rest > limit) continue;
        const double w = sqrt(limit - rest);
        int64_t a = (int64_t)floor(cx - w) - 1, b = (int64_t)floor(cx + w) + 1;
#define OUTSIDE(x) (((double)(x) + 0.5 - cx) * ((double)(x) + 0.5 - cx) + rest > limit)
        while (a <= b && OUTSIDE(a)) a++;
        while (b >= a && OUTSIDE(b)) b--;
#undef OUTSIDE
        if (a <= b) set_run(slice + (size_t)wrap(y, n[1]) * n[0], n[0], a, b, value);
    }
}

/**
 * Sort the spheres into buckets by the slice that holds their centre.
 * @param[out] start  [period + 1], first place of each bucket in `order`
 * @param[out] order  [count], sphere numbers
 */
static void sort_by_slice(const rill_sphere *spheres, uint64_t count, int64_t period, uint64_t *start,
                          uint64_t *order)
{
    memset(start, 0, ((size_t)period + 1) * sizeof *start);
    for (uint64_t s = 0; s < count; s++) start[wrap((int64_t)floor(spheres[s].centre[2]), period) + 1]++;
    for (int64_t z = 0; z < period; z++) start[z + 1] += start[z];
    for (uint64_t s = count; s-- > 0;) { /* backwards: start[z + 1] runs from the bucket's end to its start */
        const int64_t z = wrap((int64_t)floor(spheres[s].centre[2]), period);
        order[--start[z + 1]] = s;
    }
    memmove(start, start + 1, (size_t)period * sizeof *start);
    start[period] = count;
}

rill_status rill_painter_create(const uint32_t n[3], uint64_t period, const rill_sphere *spheres,
                                uint64_t count, rill_painter *out)
{
    rill_status status = RILL_OK;
    rill_painter p = {.n = {n[0], n[1], n[2]}, .period = (int64_t)period, .spheres = spheres};
    RILL_TRY(rill_array_create(period + 1, sizeof *p.start, "slices", (void **)&p.start));
    RILL_TRY(
        rill_array_create(count ? count : 1, sizeof *p.order, "the order of spheres", (void **)&p.order));
    sort_by_slice(spheres, count, p.period, p.start, p.order);
    double radius = 0;
    for (uint64_t s = 0; s < count; s++) radius = spheres[s].radius > radius ? spheres[s].radius : radius;
    p.reach = (int64_t)ceil(radius) + 1;
    *out = p;
    p = (rill_painter){.start = NULL};
done:
    rill_painter_destroy(&p);
    return status;
}

void rill_painter_destroy(rill_painter *painter)
{
    rill_array_destroy(painter->start);
    rill_array_destroy(painter->order);
    *painter = (rill_painter){.start = NULL};
}

void rill_painter_slice(const rill_painter *p, uint32_t slice, uint8_t value, uint8_t *voxels)
{
    const int64_t z = slice;
    for (int64_t near = z - p->reach; near <= z + p->reach; near++) {
        const int64_t bucket = wrap(near, p->period);
        for (uint64_t k = p->start[bucket]; k < p->start[bucket + 1]; k++) {
            const rill_sphere *sphere = p->spheres + p->order[k];
            /* the image of the sphere whose centre lies in the slice `near` */
            const double cz = sphere->centre[2] - floor(sphere->centre[2]) + (double)near;
            paint_slice(voxels, p->n, sphere, (double)z + 0.5 - cz, value);
        }
    }
}

rill_status rill_generate_paint(rill_geom *geom, uint64_t period, const rill_sphere *spheres, uint64_t count,
                                uint8_t value)
{
    rill_status status = RILL_OK;
    rill_window window = {.geom = geom};
    rill_painter painter = {.start = NULL};
    RILL_TRY(rill_painter_create(geom->n, period, spheres, count, &painter));
    for (uint32_t end = 0; rill_window_next(&window, &end, &status);) {
#pragma omp parallel for schedule(dynamic, 4)
        for (uint32_t z = window.first; z < end; z++)
            rill_painter_slice(&painter, z, value, rill_window_row(&window, 0, z));
        RILL_TRY(rill_window_keep(&window, geom));
    }
done:
    rill_window_close(&window);
    rill_painter_destroy(&painter);
    return status;
}
