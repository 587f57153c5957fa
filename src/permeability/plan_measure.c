/* SPDX-License-Identifier: Apache-2.0 */
/* Measures a pore space: its walls, and the width of its widest pores. Chooses nothing. */
#include "permeability/plan.h"
#include "geometry/voxels/planes.h"
#include "core/memory.h"
#include "core/status.h"
#include "network/network.h"

#include <math.h>
#include <string.h>

/* Voxels whose opening is measured, at most. */
enum { OPENING_SAMPLE = 20000, OPENING_BINS = 4096 };

/* Voxels that are counted in a byte, so that many are compared at a time. */
enum { BYTE_MOST = 255 };

/* Return how many of `count` voxels are pores. */
static uint64_t pores_count(const uint8_t *row, uint32_t count)
{
    uint64_t pores = 0;
    for (uint32_t x = 0, end; x < count; x = end) {
        uint8_t part = 0;
        end = count - x < BYTE_MOST ? count : x + BYTE_MOST;
        for (uint32_t k = x; k < end; k++) part = (uint8_t)(part + (row[k] >= RILL_FLUID));
        pores += part;
    }
    return pores;
}

/* Return between how many voxels of two rows there is a wall. */
static uint64_t walls_between(const uint8_t *row, const uint8_t *other, uint32_t count)
{
    uint64_t walls = 0;
    for (uint32_t x = 0, end; x < count; x = end) {
        uint8_t part = 0;
        end = count - x < BYTE_MOST ? count : x + BYTE_MOST;
        for (uint32_t k = x; k < end; k++)
            part = (uint8_t)(part + ((row[k] >= RILL_FLUID) != (other[k] >= RILL_FLUID)));
        walls += part;
    }
    return walls;
}

/* Walls counted on the faces of one plane of constant z towards -x, -y, -z, and fluid voxels of the plane.
 * @param below  the plane below, of the first the last */
static void plane_count(const rill_geom *geom, uint32_t z, const uint8_t *here, const uint8_t *below,
                        uint64_t *fluid, uint64_t *walls)
{
    const uint32_t nx = geom->n[0], ny = geom->n[1], nz = geom->n[2];
    const rill_side *side = geom->sides;
    for (uint32_t y = 0; y < ny; y++) {
        const uint8_t *row = here + (uint64_t)nx * y;
        const uint8_t *front = y ? row - nx : here + (uint64_t)nx * (ny - 1);
        const uint8_t *under = below + (uint64_t)nx * y;
        const uint64_t pores = pores_count(row, nx);
        *fluid += pores;
        *walls += walls_between(row + 1, row, nx - 1);
        if (side[0] == RILL_PERIODIC) *walls += walls_between(row, row + nx - 1, 1);
        if (y || side[1] == RILL_PERIODIC) *walls += walls_between(row, front, nx);
        if (z || side[2] == RILL_PERIODIC) *walls += walls_between(row, under, nx);
        if (side[0] == RILL_WALL) *walls += pores_count(row, 1) + pores_count(row + nx - 1, 1);
        if (side[1] == RILL_WALL) *walls += pores * ((y == 0) + (y == ny - 1));
        if (side[2] == RILL_WALL) *walls += pores * ((z == 0) + (z == nz - 1));
    }
}

/* A pore voxel whose opening is measured. */
typedef struct sample {
    uint32_t x, y, z;
    uint32_t smallest; /* run of pore that ends at walls, along the axes looked at so far; OPEN: none does */
    uint32_t length;   /* of the run along z, until it is as long as the smallest or has ended */
    uint32_t diagonal; /* of the runs along the diagonals of the plane, where those along x and y are OPEN */
    bool ended;        /* on the side that is looked at */
    bool free;         /* runs across the flow are OPEN */
    bool reaches;      /* the run along z ends at a mirrored boundary: its image is as long */
} sample;

/* Length of a run of pore that meets no wall. */
#define OPEN UINT32_MAX

/* Length of the straight run of pore through voxel `at` of a row or column, with its image behind a mirrored
 * boundary, or OPEN: all of it is pore, with no wall at its ends. */
static uint32_t run_length(const uint8_t *line, uint64_t stride, uint32_t n, uint32_t at, rill_side side)
{
    const bool wraps = side == RILL_PERIODIC;
    uint32_t length = 1;
    bool mirrored = false;
    for (int way = 0; way < 2; way++) {
        uint32_t i = at;
        while (length < n) {
            if (way == 0 ? i == n - 1 : i == 0) {
                mirrored = mirrored || side == RILL_MIRROR;
                if (!wraps) break;
                i = way == 0 ? 0 : n - 1;
            } else {
                i = way == 0 ? i + 1 : i - 1;
            }
            if (line[i * stride] < RILL_FLUID) break;
            length++;
        }
    }
    return length == n && side != RILL_WALL ? OPEN : mirrored ? 2 * length : length;
}

/* The smaller of the two runs along the diagonals of a plane, which end at domain boundaries that are not
 * periodic; OPEN: both are longer than the box. */
static uint32_t diagonals(const rill_window *w, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t *n = w->geom->n, most = n[0] > n[1] ? n[0] : n[1];
    const bool wraps[2] = {w->geom->sides[0] == RILL_PERIODIC, w->geom->sides[1] == RILL_PERIODIC};
    uint32_t less = OPEN;
    for (int slope = -1; slope <= 1; slope += 2) {
        uint32_t length = 1;
        for (int way = -1; way <= 1; way += 2)
            for (int64_t step = 1; length <= most; step++, length++) {
                const int64_t at[2] = {x + way * step, y + way * slope * step};
                if ((!wraps[0] && (at[0] < 0 || at[0] >= n[0])) ||
                    (!wraps[1] && (at[1] < 0 || at[1] >= n[1])))
                    break;
                const uint32_t to[2] = {(uint32_t)((at[0] + 2 * (int64_t)most * n[0]) % n[0]),
                                        (uint32_t)((at[1] + 2 * (int64_t)most * n[1]) % n[1])};
                if (rill_window_row(w, to[1], z)[to[0]] < RILL_FLUID) break;
            }
        const uint32_t voxels = (uint32_t)lround(M_SQRT2 * length);
        if (length <= most && voxels < less) less = voxels;
    }
    return less;
}

/* Take the samples of a plane, and measure their runs along x and y. @param[in] seen  pores before it */
static void plane_sample(const rill_window *w, int axis, uint32_t z, uint64_t each, uint64_t seen,
                         sample *samples)
{
    const rill_geom *geom = w->geom;
    const uint32_t nx = geom->n[0], ny = geom->n[1];
    uint64_t next = (seen + each - 1) / each;
    for (uint32_t y = 0; y < ny; y++) {
        const uint8_t *row = rill_window_row(w, y, z);
        const uint64_t pores = pores_count(row, nx);
        if (seen + pores <= next * each) { /* most rows have no sample */
            seen += pores;
            continue;
        }
        for (uint32_t x = 0; x < nx; x++) {
            if (row[x] < RILL_FLUID || seen++ != next * each) continue;
            const uint32_t along[2] = {run_length(row, 1, nx, x, geom->sides[0]),
                                       run_length(rill_window_row(w, 0, z) + x, nx, ny, y, geom->sides[1])};
            const uint32_t less = along[0] < along[1] ? along[0] : along[1];
            const bool free = axis >= 0 && (axis == 0 || along[0] == OPEN) && (axis == 1 || along[1] == OPEN);
            samples[next++] = (sample){.x = x,
                                       .y = y,
                                       .z = z,
                                       .smallest = less,
                                       .length = 1,
                                       .diagonal = less == OPEN ? diagonals(w, x, y, z) : OPEN,
                                       .free = free};
        }
    }
}

/* See the next planes on one side of all samples, which continue from plane to plane. @return whether any run
 * may go on behind the planes that are seen */
static bool runs_follow(const rill_window *w, int way, uint64_t count, sample *samples, uint32_t *at)
{
    const uint32_t nz = w->geom->n[2];
    const bool wraps = w->geom->sides[2] == RILL_PERIODIC;
    bool any = false;
#pragma omp parallel for schedule(static) reduction(|| : any)
    for (uint64_t k = 0; k < count; k++) {
        sample *s = &samples[k];
        while (!s->ended && s->length < s->smallest && s->length < nz) {
            const bool last = at[k] == (way ? 0 : nz - 1);
            const uint32_t z = last ? (way ? nz - 1 : 0) : way ? at[k] - 1 : at[k] + 1;
            if (last && !wraps) {
                s->ended = true;
                s->reaches = s->reaches || w->geom->sides[2] == RILL_MIRROR;
                break;
            }
            if (z < w->first || z >= w->first + w->count) break;
            if (rill_window_row(w, s->y, z)[s->x] < RILL_FLUID)
                s->ended = true;
            else
                s->length++, at[k] = z;
        }
        any = any || (!s->ended && s->length < s->smallest && s->length < nz);
    }
    return any;
}

/* Measure the runs along z, as far as they may be smaller than those along x and y: through windows up the
 * box, then down, and round once more where it is periodic. */
static rill_status runs_measure(rill_window *w, int axis, uint64_t count, sample *samples)
{
    rill_status status = RILL_OK;
    const uint32_t nz = w->geom->n[2], planes = rill_window_planes(w->geom);
    uint32_t *at = NULL;
    RILL_TRY(rill_array_create(count, sizeof *at, "samples of openings", (void **)&at));
    for (int way = 0; way < 2; way++) {
        bool any = count > 0;
        for (uint64_t k = 0; k < count; k++) at[k] = samples[k].z, samples[k].ended = false;
        for (int round = 0; round < 2 && any; round++)
            for (uint32_t seen = 0, some; seen < nz && any; seen += some) {
                some = nz - seen < planes ? nz - seen : planes;
                RILL_TRY(rill_window_see(w, way ? nz - seen - some : seen, some));
                any = runs_follow(w, way, count, samples, at);
            }
    }
    for (uint64_t k = 0; k < count; k++) {
        const bool open = samples[k].length == nz && w->geom->sides[2] != RILL_WALL;
        const uint32_t run = samples[k].reaches ? 2 * samples[k].length : samples[k].length;
        if (open || run >= samples[k].smallest) continue;
        samples[k].smallest = run;
        samples[k].free = samples[k].free && axis == 2;
    }
done:
    rill_array_destroy(at);
    return status;
}

/* The width of a pore at a sample, at most that of the box across the flow: what walls along the flow alone
 * bound, as pierced plates do, may be longer. */
static uint32_t width(const sample *s, uint32_t box)
{
    const uint32_t run = s->smallest == OPEN ? s->diagonal : s->smallest;
    return (s->smallest == OPEN || s->free) && run > box ? box : run;
}

/* Return the width that more than one in `parts` of the samples have at least. */
static double width_above(const uint64_t *bins, uint64_t count, uint64_t parts)
{
    uint64_t above = 0;
    for (int b = OPENING_BINS - 1; b > 0; b--) {
        above += bins[b];
        if (above * parts > count) return b;
    }
    return 1;
}

/* Fill in the width of the widest pores: the 99th percentile over evenly spread pore voxels; and the median.
 * @param before  [planes], pore voxels in planes before */
static rill_status opening_measure(rill_window *w, int axis, const uint64_t *before, rill_pore_measure *m)
{
    rill_status status = RILL_OK;
    uint64_t bins[OPENING_BINS] = {0}, open = 0, free = 0, crossed = 0;
    const uint64_t fluid = m->voxels, each = fluid / OPENING_SAMPLE + 1, count = (fluid + each - 1) / each;
    uint32_t box = 1; /* the longer edge across the flow */
    sample *samples = NULL;
    RILL_TRY(rill_array_create(count, sizeof *samples, "samples of openings", (void **)&samples));
    for (uint32_t end = 0; rill_window_next(w, &end, &status);) {
#pragma omp parallel for schedule(dynamic)
        for (uint32_t z = w->first; z < end; z++) plane_sample(w, axis, z, each, before[z], samples);
    }
    RILL_TRY(status);
    RILL_TRY(runs_measure(w, axis, count, samples));
    for (int a = 0; a < 3; a++)
        if (a != axis && w->geom->n[a] > box) box = w->geom->n[a];
    for (uint64_t k = 0; k < count; k++) {
        const uint32_t b = width(&samples[k], box);
        bins[b < OPENING_BINS ? b : OPENING_BINS - 1]++;
        open += samples[k].smallest == OPEN;
        free += samples[k].free;
        crossed += samples[k].free && samples[k].smallest != OPEN;
    }
    m->open = open * 100 > count;
    m->confined = free * 2 < count && !m->open;
    m->crossed = crossed * 2 > count;
    m->opening = width_above(bins, count, 100);
    m->narrow = width_above(bins, count, 2);
done:
    rill_array_destroy(samples);
    return status;
}

/* Count the walls of all planes, and their pores. */
static rill_status walls_count(rill_window *w, uint64_t *pores, uint64_t *out)
{
    rill_status status = RILL_OK;
    const uint32_t nx = w->geom->n[0], ny = w->geom->n[1], nz = w->geom->n[2];
    const uint64_t plane = (uint64_t)nx * ny;
    uint64_t walls = 0;
    uint8_t *below = NULL; /* the plane below those that are seen */
    RILL_TRY(rill_array_create(plane, 1, "a plane of voxels", (void **)&below));
    RILL_TRY(rill_window_see(w, nz - 1, 1));
    memcpy(below, w->voxels, plane);
    for (uint32_t end = 0; rill_window_next(w, &end, &status);) {
#pragma omp parallel for schedule(static) reduction(+ : walls)
        for (uint32_t z = w->first; z < end; z++)
            plane_count(w->geom, z, rill_window_row(w, 0, z),
                        z == w->first ? below : rill_window_row(w, 0, z - 1), &pores[z], &walls);
        memcpy(below, rill_window_row(w, 0, end - 1), plane);
    }
    *out = walls;
done:
    rill_array_destroy(below);
    return status;
}

rill_status rill_pore_measure_take(const rill_geom *geom, rill_lattice lattice, int axis,
                                   rill_network *counted, rill_pore_measure *out)
{
    rill_status status = RILL_OK;
    uint64_t fluid = 0, walls = 0, *before = NULL;
    rill_window window = {.geom = geom};
    RILL_TRY(rill_array_create_zero(geom->n[2], sizeof *before, "pore voxels of planes", (void **)&before));
    RILL_TRY(walls_count(&window, before, &walls));
    for (uint32_t z = 0; z < geom->n[2]; z++) {
        const uint64_t here = before[z];
        before[z] = fluid;
        fluid += here;
    }
    const double volume = (double)rill_geom_sample(geom);
    *out = (rill_pore_measure){
        .voxels = fluid, .porosity = (double)fluid / volume, .surface = (double)walls * (2.0 / 3.0) / volume};
    if (fluid) RILL_TRY(opening_measure(&window, axis, before, out));
    RILL_TRY(rill_network_choose(geom, lattice, out->opening, fluid, counted));
    out->edge = counted->edge;
    out->chambers = counted->chambers;
done:
    rill_window_close(&window);
    rill_array_destroy(before);
    return status;
}
