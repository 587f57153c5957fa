/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws planes of voxels when they are read. To planes.c this is a keeper with a process for each plane,
 * whose memory is read by drawing the plane. Planes are drawn some at a time, by all threads, and kept as
 * bits until others are read.
 */
#include "geometry/voxels/drawn.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/planes.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Planes that are drawn at a time: several for each thread, because their times differ, and so many at least
 * that those drawn again cost little. What is read next may begin with the last AGAIN planes of before. */
enum { PLANES_EACH = 4, PLANES_LEAST = 32, PLANES_COUNTED = 2, AGAIN = 2 };

struct rill_drawn {
    rill_drawing drawing;
    rill_geom *geom;
    uint32_t window;
    uint32_t first, count; /* planes that `words` has */
    uint64_t *words;       /* [window][ny][row words] */
    uint8_t *bytes;        /* [threads][ny][nx] */
    int threads;
    bool counting; /* planes are put as they were drawn */
};

/* ---- what planes.c calls ------------------------------------------------------------------------- */

/* The planes that are "kept" elsewhere need no memory: the pointer stands for it. */
static rill_status planes_take(void *context, int process, uint64_t bytes, const char *what, void **memory)
{
    (void)process, (void)bytes, (void)what;
    *memory = context;
    return RILL_OK;
}

static void give_back(void *context, int process, void *memory)
{
    (void)context, (void)process, (void)memory;
}

static rill_status put(void *context, int process, void *memory, const void *from, uint64_t bytes)
{
    const rill_drawn *d = context;
    (void)process, (void)memory, (void)from, (void)bytes;
    return d->counting ? RILL_OK
                       : rill_fail(RILL_USAGE, "voxels that are drawn when they are read cannot be changed");
}

/* Return where a thread draws. */
static uint8_t *room_of(const rill_drawn *d)
{
    return d->bytes + (uint64_t)omp_get_thread_num() * d->geom->n[0] * d->geom->n[1];
}

static void words_set(const uint32_t n[3], const uint8_t *voxels, uint64_t *words)
{
    const size_t row = rill_planes_row(n);
    for (uint32_t y = 0; y < n[1]; y++)
        for (uint32_t x = 0; x < n[0]; x += 64)
            words[y * row + x / 64] =
                rill_voxels_word(voxels + (uint64_t)y * n[0] + x, n[0] - x < 64 ? n[0] - x : 64);
}

/* Draw planes from `first` on, as many as are drawn at a time. */
static rill_status planes_draw(rill_drawn *d, uint32_t first)
{
    rill_status status = RILL_OK;
    const uint32_t *n = d->geom->n, left = n[2] - first;
    const uint64_t plane = (uint64_t)n[0] * n[1], words = rill_planes_bytes(n, 1) / sizeof *d->words;
    d->count = 0;
    if (!d->bytes)
        RILL_TRY(rill_array_create(plane * (uint64_t)d->threads, 1, "planes of voxels", (void **)&d->bytes));
    if (!d->words)
        RILL_TRY(
            rill_array_create(words * d->window, sizeof *d->words, "planes of voxels", (void **)&d->words));
    const uint32_t count = left < d->window ? left : d->window;
#pragma omp parallel for schedule(dynamic) num_threads(d->threads)
    for (uint32_t k = 0; k < count; k++) {
        uint8_t *voxels = room_of(d);
        d->drawing.draw(d->drawing.context, first + k, voxels);
        words_set(n, voxels, d->words + k * words);
    }
    d->first = first, d->count = count;
done:
    return status;
}

static rill_status get(void *context, int process, const void *memory, void *to, uint64_t bytes)
{
    rill_status status = RILL_OK;
    rill_drawn *d = context;
    const uint32_t z = (uint32_t)process, again = d->window > AGAIN ? AGAIN : 0;
    (void)memory;
    if (z < d->first || z - d->first >= d->count) RILL_TRY(planes_draw(d, z > again ? z - again : 0));
    memcpy(to, d->words + (z - d->first) * (bytes / sizeof *d->words), bytes);
done:
    return status;
}

/* ---- geometries ---------------------------------------------------------------------------------- */

/* Count the fluid voxels of all planes, of which the first one is kept. */
static rill_status planes_count(rill_drawn *d)
{
    rill_status status = RILL_OK;
    const uint32_t nz = d->geom->n[2], each = (uint32_t)d->threads * PLANES_COUNTED,
                   most = d->window < each ? d->window : each;
    const uint64_t plane = (uint64_t)d->geom->n[0] * d->geom->n[1];
    rill_window w = {.geom = d->geom};
    d->counting = true;
    RILL_TRY(rill_window_blank(&w, 0, most < nz ? most : nz));
    for (uint32_t z = 0; z < nz; z += w.count) {
        w.first = z, w.count = nz - z < most ? nz - z : most; /* all of their voxels are written */
#pragma omp parallel for schedule(dynamic) num_threads(d->threads)
        for (uint32_t k = 0; k < w.count; k++)
            d->drawing.draw(d->drawing.context, z + k, w.voxels + k * plane);
        RILL_TRY(rill_window_keep(&w, d->geom));
    }
done:
    d->counting = false;
    rill_window_close(&w);
    return status;
}

rill_status rill_drawn_create(const uint32_t n[3], const rill_drawing *drawing, uint32_t window,
                              rill_drawn **out)
{
    rill_status status = RILL_OK;
    rill_drawn *d = calloc(1, sizeof *d);
    if (!d) {
        if (drawing->destroy) drawing->destroy(drawing->context);
        return rill_fail(RILL_SYSTEM, "out of memory for a geometry");
    }
    d->drawing = *drawing;
    d->threads = omp_get_max_threads();
    d->window = (uint32_t)d->threads * PLANES_EACH;
    if (d->window < PLANES_LEAST) d->window = PLANES_LEAST;
    if (window) d->window = window;
    if (n[2] > INT32_MAX) RILL_TRY(rill_fail(RILL_USAGE, "%u planes are more than 2147483647", n[2]));
    const rill_keeper keeper = {.count = n[2] ? (int)n[2] : 1,
                                .window = window,
                                .context = d,
                                .take = planes_take,
                                .give_back = give_back,
                                .put = put,
                                .get = get};
    RILL_TRY(rill_geom_create_kept(n, &keeper, &d->geom));
    RILL_TRY(planes_count(d));
    *out = d;
    d = NULL;
done:
    rill_drawn_destroy(d);
    return status;
}

rill_geom *rill_drawn_geom(const rill_drawn *drawn) { return drawn->geom; }

void rill_drawn_destroy(rill_drawn *drawn)
{
    if (!drawn) return;
    rill_geom_destroy(drawn->geom);
    rill_array_destroy(drawn->words);
    rill_array_destroy(drawn->bytes);
    if (drawn->drawing.destroy) drawn->drawing.destroy(drawn->drawing.context);
    free(drawn);
}
