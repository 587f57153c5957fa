/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The field of distances from a smooth surface through the staircase: plane by plane, in rings of the planes
 * that later ones need. Planes are wider than the box by a margin in which the sample goes on as its domain
 * boundaries say, so that no stage knows of these.
 */
#include "geometry/voxels/shape.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "geometry/voxels/planes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RADIUS = 6, /* of the Gaussian, cut off at 4 standard deviations */
    TAPS = 2 * RADIUS + 1,
    SLACK = RILL_SHAPE_SLACK_REACH,
    MARGIN = SLACK + 3, /* gradients of distances, of their normals, and of those */
    FILTERED = TAPS,    /* planes of each ring buffer */
    DISTANCES = 3,
    NORMALS = 3,
    SURFACES = SLACK + 3,
    NEAREST = 2 * SLACK + 1,
    PIECE = 8, /* rows that a thread takes at a time */
    PLANES = 1 + FILTERED + DISTANCES + 3 * NORMALS + SURFACES + 2 * NEAREST + 2
};

#define CERTAIN 0.9999f     /* of G: no wall is near */
#define FARTHEST 4.0f       /* of distances, voxels */
#define SMALL 1e-3f         /* where a voxel's sign is kept; and added to a gradient that is divided by */
#define CURVATURE_MAX 0.5f  /* 1/voxels */
#define GRADIENT_LEAST 0.3f /* of distances that become slack */

/* smaller() and larger() are calls, for the sake of NaN. */
static float smaller(float a, float b) { return a < b ? a : b; }
static float larger(float a, float b) { return a > b ? a : b; }
static float within(float most, float x) { return larger(-most, smaller(most, x)); }

typedef struct work {
    const rill_geom *geom;
    rill_window window;
    int n[3];
    ptrdiff_t row, rows, plane; /* with margins */
    int *places[2];             /* [row], [rows]: x and y of what lies there; -1: beyond a solid boundary */
    float weights[TAPS], sigma; /* of the Gaussian, voxels */
    float *memory;
    float *signs;  /* [ny][row + 2 RADIUS], 1 in pores, else -1 */
    float *across; /* one plane of the box, filtered along x, [ny][row] */
    float *filtered[FILTERED], *distances[DISTANCES], *normals[NORMALS][3], *surfaces[SURFACES],
        *nearest[NEAREST][2], *slack[2];
} work;

/* Return what lies at place i of an axis: -1 beyond a solid boundary. */
static int place_of(const rill_geom *geom, int axis, int i)
{
    const int n = (int)geom->n[axis];
    if (i >= 0 && i < n) return i;
    if (geom->sides[axis] == RILL_WALL) return -1;
    const int period = geom->sides[axis] == RILL_MIRROR ? 2 * n : n, at = ((i % period) + period) % period;
    return at < n ? at : period - 1 - at;
}

/* Element of a ring buffer for plane z, which may be negative. */
static int slot(int z, int planes) { return (z % planes + planes) % planes; }

uint64_t rill_shape_bytes(const uint32_t n[3])
{
    const uint64_t plane = ((uint64_t)n[0] + 2 * MARGIN) * ((uint64_t)n[1] + 2 * MARGIN);
    return (PLANES + 1) * plane * sizeof(float);
}

static rill_status work_begin(work *w)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = w->geom;
    double sum = 0, tap[TAPS];
    for (int a = 0; a < 3; a++) w->n[a] = (int)geom->n[a];
    w->row = w->n[0] + 2 * MARGIN;
    w->rows = w->n[1] + 2 * MARGIN;
    w->plane = w->row * w->rows;
    for (int a = 0; a < 2; a++) {
        const ptrdiff_t count = a ? w->rows : w->row;
        RILL_TRY(rill_array_create((uint64_t)count, sizeof(int), "a distance field", (void **)&w->places[a]));
        for (ptrdiff_t i = 0; i < count; i++) w->places[a][i] = place_of(geom, a, (int)i - MARGIN);
    }
    for (int t = 0; t < TAPS; t++) {
        const double x = (t - RADIUS) / w->sigma;
        sum += tap[t] = exp(-0.5 * x * x);
    }
    for (int t = 0; t < TAPS; t++) w->weights[t] = (float)(tap[t] / sum);
    RILL_TRY(rill_array_create_zero(PLANES * (uint64_t)w->plane, sizeof(float), "a distance field",
                                    (void **)&w->memory));
    RILL_TRY(rill_array_create((uint64_t)w->n[1] * (uint64_t)(w->row + 2 * RADIUS), sizeof(float),
                               "a distance field", (void **)&w->signs));
    float *next = w->memory;
    float **lists[] = {&w->across,  w->filtered,   w->distances, w->normals[0],
                       w->surfaces, w->nearest[0], w->slack};
    const int counts[] = {1, FILTERED, DISTANCES, 3 * NORMALS, SURFACES, 2 * NEAREST, 2};
    for (int k = 0; k < 7; k++)
        for (int i = 0; i < counts[k]; i++, next += w->plane) lists[k][i] = next;
done:
    return status;
}

static void work_end(work *w)
{
    rill_window_close(&w->window);
    rill_array_destroy(w->places[0]);
    rill_array_destroy(w->places[1]);
    rill_array_destroy(w->signs);
    rill_array_destroy(w->memory);
}

/* What threads work on: a stage at plane z, which is plane `at` of the box, -1: beyond. */
typedef struct stage {
    work *w;
    int z, at;
} stage;

static void run(work *w, int z, ptrdiff_t rows, rill_threads_work *rows_make)
{
    const stage s = {w, z, place_of(w->geom, 2, z)};
    rill_threads_for((uint64_t)rows, PIECE, rows_make, &s);
}

/* Filter rows of voxels along x. */
static void filter_x(const void *shared, uint64_t first, uint64_t end)
{
    const stage *s = shared;
    const work *w = s->w;
    const ptrdiff_t edge = MARGIN + RADIUS;
    for (uint64_t y = first; y < end; y++) {
        const uint8_t *voxels = rill_window_row(&w->window, (uint32_t)y, (uint32_t)s->at);
        float *restrict sign = w->signs + (ptrdiff_t)y * (w->row + 2 * RADIUS);
        float *restrict out = w->across + (ptrdiff_t)y * w->row;
        for (ptrdiff_t x = 0; x < w->n[0]; x++) sign[x + edge] = voxels[x] >= RILL_FLUID ? 1.0f : -1.0f;
        for (int x = 0; x < edge; x++)
            for (int last = 0; last < 2; last++) {
                const int to = last ? w->n[0] + x : -1 - x, at = place_of(w->geom, 0, to);
                sign[to + edge] = at >= 0 && voxels[at] >= RILL_FLUID ? 1.0f : -1.0f;
            }
        for (ptrdiff_t x = 0; x < w->row; x++) out[x] = 0;
        for (int t = 0; t < TAPS; t++)
            for (ptrdiff_t x = 0; x < w->row; x++) out[x] += w->weights[t] * sign[x + t];
    }
}

/* Filter what was filtered along x along y. */
static void filter_y(const void *shared, uint64_t first, uint64_t end)
{
    const stage *s = shared;
    const work *w = s->w;
    for (uint64_t y = first; y < end; y++) {
        float *restrict to = w->filtered[slot(s->z, FILTERED)] + (ptrdiff_t)y * w->row;
        for (ptrdiff_t x = 0; x < w->row; x++) to[x] = s->at < 0 ? -1 : 0;
        for (int t = 0; t < TAPS && s->at >= 0; t++) {
            const int from = place_of(w->geom, 1, (int)y - MARGIN + t - RADIUS);
            const float weight = w->weights[t];
            if (from < 0) {
                for (ptrdiff_t x = 0; x < w->row; x++) to[x] -= weight;
                continue;
            }
            const float *restrict row = w->across + from * w->row;
            for (ptrdiff_t x = 0; x < w->row; x++) to[x] += weight * row[x];
        }
    }
}

static rill_status filter_plane(work *w, int z)
{
    rill_status status = RILL_OK;
    const int at = place_of(w->geom, 2, z);
    if (at >= 0) {
        RILL_TRY(rill_window_see(&w->window, (uint32_t)at, 1));
        run(w, z, w->n[1], filter_x);
    }
    run(w, z, w->rows, filter_y);
done:
    return status;
}

/* Return the inverse of the error function (Giles 2012, doi:10.1016/B978-0-12-385963-1.00010-1). */
static float erf_inverse(float x)
{
    static const float centre[] = {2.81022636e-08f,  3.43273939e-07f, -3.5233877e-06f,
                                   -4.39150654e-06f, 0.00021858087f,  -0.00125372503f,
                                   -0.00417768164f,  0.246640727f,    1.50140941f},
                       tail[] = {-0.000200214257f, 0.000100950558f, 0.00134934322f,
                                 -0.00367342844f,  0.00573950773f,  -0.0076224613f,
                                 0.00943887047f,   1.00167406f,     2.83297682f};
    float w = -logf((1 - x) * (1 + x)), p = 0;
    const float *const c = w < 5 ? centre : tail;
    w = w < 5 ? w - 2.5f : sqrtf(w) - 3;
    for (int k = 0; k < 9; k++) p = c[k] + p * w;
    return p * x;
}

/* Filter along z, and convert G to distances. */
static void distances_find(const void *shared, uint64_t first, uint64_t end)
{
    const stage *s = shared;
    const work *w = s->w;
    const int z = s->z;
    float *const out = w->distances[slot(z, DISTANCES)];
    const float factor = w->sigma * (float)sqrt(2.0);
    for (ptrdiff_t y = (ptrdiff_t)first; y < (ptrdiff_t)end; y++) {
        float *restrict to = out + y * w->row;
        for (ptrdiff_t x = 0; x < w->row; x++) to[x] = 0;
        for (int t = 0; t < TAPS; t++) {
            const float *restrict row = w->filtered[slot(z + t - RADIUS, FILTERED)] + y * w->row;
            const float weight = w->weights[t];
            for (ptrdiff_t x = 0; x < w->row; x++) to[x] += weight * row[x];
        }
        for (ptrdiff_t x = 0; x < w->row; x++) {
            const float g = to[x], d = fabsf(g) < CERTAIN ? factor * erf_inverse(g) : copysignf(FARTHEST, g);
            to[x] = within(FARTHEST, d);
        }
    }
}

/* Half differences along the axes, and return the length of the gradient. */
static float gradient(const float *below, const float *here, const float *above, ptrdiff_t row, ptrdiff_t i,
                      float g[3])
{
    g[0] = 0.5f * (here[i + 1] - here[i - 1]);
    g[1] = 0.5f * (here[i + row] - here[i - row]);
    g[2] = 0.5f * (above[i] - below[i]);
    return sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

static void normals_find(const void *shared, uint64_t first, uint64_t end)
{
    const stage *s = shared;
    const work *w = s->w;
    const int z = s->z;
    const float *const below = w->distances[slot(z - 1, DISTANCES)],
                       *const here = w->distances[slot(z, DISTANCES)],
                       *const above = w->distances[slot(z + 1, DISTANCES)];
    float *const *const out = w->normals[slot(z, NORMALS)];
    for (ptrdiff_t y = (ptrdiff_t)first + 1; y < (ptrdiff_t)end + 1; y++)
        for (ptrdiff_t i = y * w->row + 1; i < (y + 1) * w->row - 1; i++) {
            float g[3];
            const float length = gradient(below, here, above, w->row, i, g) + SMALL;
            for (int a = 0; a < 3; a++) out[a][i] = g[a] / length;
        }
}

/* Return whether a voxel, with margins, is a pore. */
static bool pore(const work *w, const uint8_t *voxels, ptrdiff_t x)
{
    const int at = w->places[0][x];
    return voxels && at >= 0 && voxels[at] >= RILL_FLUID;
}

/* Take the curvature off the distances of plane z, and keep the signs of the voxels. */
static void surface_find(const void *shared, uint64_t first, uint64_t end)
{
    const stage *s = shared;
    const work *w = s->w;
    const int z = s->z;
    const float *const distances = w->distances[slot(z, DISTANCES)];
    float *const *const below = w->normals[slot(z - 1, NORMALS)],
                        *const *const here = w->normals[slot(z, NORMALS)],
                        *const *const above = w->normals[slot(z + 1, NORMALS)];
    float *const out = w->surfaces[slot(z, SURFACES)];
    const float shift = 0.5f * w->sigma * w->sigma;
    for (ptrdiff_t y = (ptrdiff_t)first + 2; y < (ptrdiff_t)end + 2; y++) {
        const int from = w->places[1][y];
        const uint8_t *voxels =
            s->at >= 0 && from >= 0 ? rill_window_row(&w->window, (uint32_t)from, (uint32_t)s->at) : NULL;
        for (ptrdiff_t x = 2; x < w->row - 2; x++) {
            const ptrdiff_t i = y * w->row + x;
            const float curvature = 0.5f * (here[0][i + 1] - here[0][i - 1] + here[1][i + w->row] -
                                            here[1][i - w->row] + above[2][i] - below[2][i]);
            const float d = distances[i] - shift * within(CURVATURE_MAX, curvature);
            out[i] = pore(w, voxels, x) ? larger(d, SMALL) : smaller(d, -SMALL);
        }
    }
}

/* Find the nearest pore and the nearest solid voxel of plane z around each. The place of a solid boundary is
 * known: voxels behind it do not count. */
static void nearest_find(const void *shared, uint64_t from, uint64_t end)
{
    const stage *s = shared;
    const work *w = s->w;
    const int z = s->z;
    const float *const below = w->surfaces[slot(z - 1, SURFACES)],
                       *const here = w->surfaces[slot(z, SURFACES)],
                       *const above = w->surfaces[slot(z + 1, SURFACES)];
    float *const *const out = w->nearest[slot(z, NEAREST)];
    for (ptrdiff_t y = (ptrdiff_t)from + MARGIN - SLACK; y < (ptrdiff_t)end + MARGIN - SLACK; y++) {
        const ptrdiff_t first = MARGIN - SLACK, last = w->row - first;
        float *const pores = out[0] + y * w->row, *const solids = out[1] + y * w->row;
        for (ptrdiff_t x = first; x < last; x++) {
            const ptrdiff_t i = y * w->row + x;
            float g[3];
            const float length = gradient(below, here, above, w->row, i, g);
            const float d = smaller(1, fabsf(here[i]) / larger(length, GRADIENT_LEAST));
            const bool counts = s->at >= 0 && w->places[0][x] >= 0 && w->places[1][y] >= 0;
            pores[x] = counts && here[i] > 0 ? d : 1;
            solids[x] = counts && here[i] < 0 ? d : 1;
        }
    }
}

/* Return the least value around a voxel. */
static float least_around(const work *w, int z, ptrdiff_t i, int kind)
{
    float least = 1;
    for (int k = -SLACK; k <= SLACK; k++)
        for (ptrdiff_t v = -SLACK; v <= SLACK; v++) {
            const float *const row = w->nearest[slot(z + k, NEAREST)][kind] + i + v * w->row;
            for (ptrdiff_t u = -SLACK; u <= SLACK; u++) least = smaller(least, row[u]);
        }
    return least;
}

static void slack_find(const void *shared, uint64_t first, uint64_t end)
{
    const stage *s = shared;
    const work *w = s->w;
    const int z = s->z;
    const float *const here = w->surfaces[slot(z, SURFACES)],
                       *const below = w->surfaces[slot(z - 1, SURFACES)],
                       *const above = w->surfaces[slot(z + 1, SURFACES)];
    for (ptrdiff_t y = (ptrdiff_t)first; y < (ptrdiff_t)end; y++)
        for (int x = 0; x < w->n[0]; x++) {
            const ptrdiff_t i = (y + MARGIN) * w->row + x + MARGIN;
            const bool wall = here[i] > 0 && (here[i - 1] < 0 || here[i + 1] < 0 || here[i - w->row] < 0 ||
                                              here[i + w->row] < 0 || below[i] < 0 || above[i] < 0);
            for (int kind = 0; kind < 2; kind++) w->slack[kind][i] = wall ? least_around(w, z, i, kind) : 0;
        }
}

static rill_status surfaces_make(work *w, int z)
{
    rill_status status = RILL_OK;
    const int at = place_of(w->geom, 2, z);
    if (at >= 0) RILL_TRY(rill_window_see(&w->window, (uint32_t)at, 1));
    run(w, z, w->rows - 4, surface_find);
done:
    return status;
}

/* Hand out plane z. */
static rill_status hand_out(work *w, int z, bool slack, rill_shape_take *take, void *context)
{
    rill_shape_plane plane = {.z = (uint32_t)z, .row = w->row};
    const ptrdiff_t first = MARGIN * w->row + MARGIN;
    for (int k = 0; k < 3; k++) plane.distance[k] = w->surfaces[slot(z + k - 1, SURFACES)] + first;
    if (slack) {
        run(w, z, w->n[1], slack_find);
        for (int kind = 0; kind < 2; kind++) plane.slack[kind] = w->slack[kind] + first;
    }
    return take(context, &plane);
}

rill_status rill_shape_planes(const rill_geom *geom, double sigma, bool slack, rill_shape_take *take,
                              void *context)
{
    rill_status status = RILL_OK;
    work w = {.geom = geom, .window = {.geom = geom}, .sigma = (float)sigma};
    RILL_TRY(rill_memory_require(rill_shape_bytes(geom->n), "a distance field"));
    RILL_TRY(work_begin(&w));
    /* Each stage follows the one before as soon as it can. */
    for (int z = -MARGIN - RADIUS; z < w.n[2] + MARGIN + RADIUS; z++) {
        const int distance = z - RADIUS, normal = distance - 1, surface = normal - 1, nearest = surface - 1,
                  done = nearest - SLACK;
        RILL_TRY(filter_plane(&w, z));
        if (distance >= -MARGIN) run(&w, distance, w.rows, distances_find);
        if (normal >= -MARGIN + 1) run(&w, normal, w.rows - 2, normals_find);
        if (surface >= -MARGIN + 2) RILL_TRY(surfaces_make(&w, surface));
        if (slack && nearest >= -SLACK) run(&w, nearest, w.n[1] + 2 * SLACK, nearest_find);
        if (done >= 0) RILL_TRY(hand_out(&w, done, slack, take, context));
    }
done:
    work_end(&w);
    return status;
}
