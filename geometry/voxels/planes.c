/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps planes of voxels as bits in the memory of several processes, and shows them as bytes. */
#include "geometry/voxels/planes.h"

#include "core/memory.h"
#include "core/status.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of voxels that a window shows at a time, about: small against what each process holds, and large
 * enough for all threads. */
enum { WINDOW_BYTES = 1 << 23, WINDOW_LEAST = 8 };

/* Labels of a plane: few nodes have one, so that the first process holds them all. */
typedef struct labels {
    uint64_t *all; /* [count], the voxel's number in the plane above 8 bits of its label */
    uint64_t count;
} labels;

struct rill_planes {
    rill_kept *bits; /* [nz], a plane an item */
    uint64_t *fluid; /* [nz] */
    labels *labels;  /* [nz] */
    uint32_t count;  /* nz */
};

/* Write the voxels of a word. */
static void word_show(uint64_t word, uint32_t cells, uint8_t *voxels)
{
    const uint64_t ones = UINT64_MAX / UINT8_MAX;
    uint32_t b = 0;
    for (; b + 8 <= cells; b += 8, word >>= 8) {
        /* Copies of eight bits in every byte, of which byte k keeps bit k. */
        uint64_t eight = (word & UINT8_MAX) * ones & UINT64_C(0x8040201008040201);
        eight = (eight + 0x7F * ones) >> 7 & ones; /* no byte is above 0x80, so that nothing is carried */
        memcpy(voxels + b, &eight, sizeof eight);
    }
    for (; b < cells; b++, word >>= 1) voxels[b] = word & 1;
}

/* ---- planes ------------------------------------------------------------------------------------ */

static uint64_t plane_words(const uint32_t n[3]) { return (uint64_t)rill_planes_row(n) * n[1]; }

uint64_t rill_planes_bytes(const uint32_t n[3], uint64_t planes)
{
    return planes * plane_words(n) * sizeof(uint64_t);
}

uint64_t rill_planes_held(const uint32_t n[3], const rill_keeper *keeper)
{
    if (!keeper) return (uint64_t)n[0] * n[1] * n[2];
    const uint64_t processes = (uint64_t)keeper->count;
    return rill_planes_bytes(n, (n[2] + processes - 1) / processes);
}

void rill_planes_destroy(rill_planes *planes)
{
    if (!planes) return;
    for (uint32_t z = 0; planes->labels && z < planes->count; z++) rill_array_destroy(planes->labels[z].all);
    rill_array_destroy(planes->labels);
    rill_kept_destroy(planes->bits);
    rill_array_destroy(planes->fluid);
    free(planes);
}

static rill_status planes_create(const uint32_t n[3], const rill_keeper *keeper, rill_planes **out)
{
    rill_status status = RILL_OK;
    rill_planes *p = calloc(1, sizeof *p);
    if (!p) return rill_fail(RILL_SYSTEM, "out of memory for planes of voxels");
    p->count = n[2];
    RILL_TRY(rill_array_create_zero(n[2], sizeof *p->fluid, "planes of voxels", (void **)&p->fluid));
    RILL_TRY(rill_array_create_zero(n[2], sizeof *p->labels, "planes of voxels", (void **)&p->labels));
    RILL_TRY(rill_kept_create(keeper, 1, n[2], rill_planes_bytes(n, 1), "voxels", &p->bits));
    *out = p;
    p = NULL;
done:
    rill_planes_destroy(p);
    return status;
}

/* Replace the labels of plane z. @param[in] voxels  its voxels, of which `count` have a label */
static rill_status labels_keep(rill_planes *planes, uint32_t z, const uint8_t *voxels, uint64_t count)
{
    labels *to = &planes->labels[z];
    rill_array_destroy(to->all);
    *to = (labels){.all = NULL};
    if (count == 0) return RILL_OK;
    const rill_status status = rill_array_create(count, sizeof *to->all, "labels", (void **)&to->all);
    if (status != RILL_OK) return status;
    for (uint64_t v = 0; to->count < count; v++)
        if (voxels[v] >= RILL_LABEL) to->all[to->count++] = v << 8 | voxels[v];
    return RILL_OK;
}

static void labels_show(const rill_planes *planes, uint32_t z, uint8_t *voxels)
{
    const labels *from = &planes->labels[z];
    for (uint64_t k = 0; k < from->count; k++) voxels[from->all[k] >> 8] = from->all[k] & UINT8_MAX;
}

const rill_keeper *rill_planes_keeper(const rill_planes *planes)
{
    return planes ? rill_kept_keeper(planes->bits) : NULL;
}

uint64_t rill_planes_fluid(const rill_planes *planes, uint32_t z) { return planes->fluid[z]; }

rill_status rill_planes_get(const rill_planes *planes, uint32_t z, uint32_t count, uint64_t *words)
{
    return rill_kept_get(planes->bits, 0, z, count, words);
}

/* ---- geometries -------------------------------------------------------------------------------- */

rill_status rill_geom_create_kept(const uint32_t n[3], const rill_keeper *keeper, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    if (!keeper) return rill_geom_create(n, out);
    RILL_TRY(rill_geom_create_empty(n, &geom));
    RILL_TRY(planes_create(n, keeper, &geom->planes));
    *out = geom;
    geom = NULL;
done:
    rill_geom_destroy(geom);
    return status;
}

rill_status rill_geom_take_voxels(rill_geom *geom, const rill_geom *from)
{
    rill_status status = RILL_OK;
    const uint64_t row = geom->n[0], plane = row * geom->n[1];
    rill_window source = {.geom = from}, target = {.geom = geom};
    for (uint32_t z = 0, count, most = rill_window_planes(geom->planes ? geom : from); z < geom->n[2];
         z += count) {
        count = geom->n[2] - z < most ? geom->n[2] - z : most;
        RILL_TRY(rill_window_see(&source, z, count));
        RILL_TRY(rill_window_blank(&target, z, count));
        memcpy(target.voxels, source.voxels, plane * count);
        RILL_TRY(rill_window_keep(&target, geom));
    }
done:
    rill_window_close(&source);
    rill_window_close(&target);
    return status;
}

rill_status rill_geom_gather(const rill_geom *geom, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *made = NULL;
    const rill_keeper here = {.count = 1, .window = rill_planes_keeper(geom->planes)->window};
    RILL_TRY(rill_geom_create_kept(geom->n, &here, &made));
    made->spacing = geom->spacing;
    memcpy(made->sides, geom->sides, sizeof made->sides);
    RILL_TRY(rill_planes_get(geom->planes, 0, geom->n[2], rill_kept_whole(made->planes->bits)));
    memcpy(made->planes->fluid, geom->planes->fluid, geom->n[2] * sizeof *made->planes->fluid);
    *out = made;
    made = NULL;
done:
    rill_geom_destroy(made);
    return status;
}

/* ---- windows ----------------------------------------------------------------------------------- */

uint32_t rill_window_planes(const rill_geom *geom)
{
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    uint64_t planes = geom->n[2];
    if (!geom->planes) return geom->n[2];
    const uint32_t asked = rill_planes_keeper(geom->planes)->window;
    if (asked)
        planes = asked;
    else if (WINDOW_BYTES / plane < planes)
        planes = WINDOW_BYTES / plane < WINDOW_LEAST ? WINDOW_LEAST : WINDOW_BYTES / plane;
    return planes < geom->n[2] ? (uint32_t)planes : geom->n[2];
}

static rill_status room_make(rill_window *w, uint32_t count)
{
    rill_status status = RILL_OK;
    if (count <= w->room) return RILL_OK;
    rill_window_close(w);
    RILL_TRY(rill_array_create((uint64_t)w->geom->n[0] * w->geom->n[1], count, "planes of voxels",
                               (void **)&w->bytes));
    RILL_TRY(
        rill_array_create(rill_planes_bytes(w->geom->n, count), 1, "planes of voxels", (void **)&w->words));
    w->room = count;
done:
    return status;
}

rill_status rill_window_blank(rill_window *w, uint32_t first, uint32_t count)
{
    rill_status status = RILL_OK;
    const uint64_t plane = (uint64_t)w->geom->n[0] * w->geom->n[1];
    if (w->geom->planes) RILL_TRY(room_make(w, count));
    w->first = first, w->count = count;
    w->voxels = w->geom->planes ? w->bytes : w->geom->voxels + plane * first;
    if (w->geom->planes) memset(w->bytes, RILL_SOLID, plane * count);
done:
    return status;
}

rill_status rill_window_see(rill_window *w, uint32_t first, uint32_t count)
{
    rill_status status = RILL_OK;
    const uint32_t nx = w->geom->n[0];
    const int64_t rows = (int64_t)w->geom->n[1] * count;
    const size_t row_words = rill_planes_row(w->geom->n);
    if (!w->geom->planes) return rill_window_blank(w, first, count);
    RILL_TRY(room_make(w, count));
    w->first = first, w->count = count, w->voxels = w->bytes;
    RILL_TRY(rill_planes_get(w->geom->planes, first, count, w->words));
#pragma omp parallel for schedule(static)
    for (int64_t row = 0; row < rows; row++)
        for (uint32_t x = 0; x < nx; x += 64)
            word_show(w->words[(size_t)row * row_words + x / 64], nx - x < 64 ? nx - x : 64,
                      w->bytes + (uint64_t)row * nx + x);
    for (uint32_t k = 0; k < count; k++)
        labels_show(w->geom->planes, first + k, w->bytes + (uint64_t)k * w->geom->n[1] * nx);
done:
    return status;
}

bool rill_window_next(rill_window *w, uint32_t *end, rill_status *status)
{
    const uint32_t left = w->geom->n[2] - *end, most = rill_window_planes(w->geom);
    if (*status != RILL_OK || left == 0) return false;
    *status = rill_window_see(w, *end, left < most ? left : most);
    *end += w->count;
    return *status == RILL_OK;
}

rill_status rill_window_keep(rill_window *w, rill_geom *geom)
{
    rill_status status = RILL_OK;
    const uint32_t nx = geom->n[0], ny = geom->n[1];
    const size_t row_words = rill_planes_row(geom->n);
    rill_planes *planes = geom->planes;
    if (!planes) return RILL_OK;
    for (uint32_t k = 0; k < w->count; k++) {
        uint64_t fluid = 0, labelled = 0;
#pragma omp parallel for schedule(static) reduction(+ : fluid, labelled)
        for (uint64_t row = (uint64_t)k * ny; row < (uint64_t)(k + 1) * ny; row++) {
            for (uint32_t x = 0; x < nx; x++) labelled += w->bytes[row * nx + x] >= RILL_LABEL;
            for (uint32_t x = 0; x < nx; x += 64) {
                const uint64_t word = rill_voxels_word(w->bytes + row * nx + x, nx - x < 64 ? nx - x : 64);
                w->words[row * row_words + x / 64] = word;
                fluid += (uint64_t)__builtin_popcountll(word);
            }
        }
        planes->fluid[w->first + k] = fluid;
        RILL_TRY(labels_keep(planes, w->first + k, w->bytes + (uint64_t)k * ny * nx, labelled));
    }
    RILL_TRY(rill_kept_put(planes->bits, 0, w->first, w->count, w->words));
done:
    return status;
}

rill_status rill_window_repeat(rill_window *w, rill_geom *geom, uint32_t z)
{
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    if (!geom->planes) {
        memcpy(geom->voxels + plane * z, w->voxels, plane);
        return RILL_OK;
    }
    geom->planes->fluid[z] = geom->planes->fluid[w->first];
    const rill_status status = labels_keep(geom->planes, z, w->bytes, geom->planes->labels[w->first].count);
    return status != RILL_OK ? status : rill_kept_put(geom->planes->bits, 0, z, 1, w->words);
}

void rill_window_close(rill_window *w)
{
    rill_array_destroy(w->bytes);
    rill_array_destroy(w->words);
    w->bytes = w->voxels = NULL;
    w->words = NULL;
    w->room = 0;
}
