/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file planes.h
 * Planes of voxels as bits, which several processes hold: each has successive planes, as many as the others.
 * And windows, through which code sees some planes of a geometry at a time, whatever holds its voxels.
 *
 * Only the first process sees windows: it has the others send it planes, and sends them back changed. So an
 * algorithm that goes through a geometry plane by plane is written once, and needs memory for some planes.
 */
#ifndef RILL_GEOMETRY_VOXELS_PLANES_H
#define RILL_GEOMETRY_VOXELS_PLANES_H

#include "core/kept.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/** Return a bit for each of `cells` voxels, up to 64: whether it is fluid. The first has the lowest. */
static inline uint64_t rill_voxels_word(const uint8_t *voxels, uint32_t cells)
{
    const uint64_t ones = UINT64_MAX / UINT8_MAX; /* in every byte */
    uint64_t occupied = 0;
    uint32_t b = 0;
    _Static_assert(RILL_SOLID == 0 && RILL_FLUID == 1, "fluid is what is not 0");
#ifdef __SSE2__
    for (; b + 16 <= cells; b += 16) {
        const __m128i some = _mm_loadu_si128((const __m128i *)(voxels + b));
        const int solid = _mm_movemask_epi8(_mm_cmpeq_epi8(some, _mm_setzero_si128()));
        occupied |= (uint64_t)(~solid & UINT16_MAX) << b;
    }
#endif
    for (; b + 8 <= cells; b += 8) {
        uint64_t eight;
        memcpy(&eight, voxels + b, sizeof eight);
        eight |= (eight & 0x7F * ones) + 0x7F * ones; /* the highest bit of bytes that are not 0 */
        /* bit 8 k, times 2^(56 - 7 k), is bit k of the highest byte */
        occupied |= ((eight >> 7 & ones) * UINT64_C(0x0102040810204080) >> 56) << b;
    }
    for (; b < cells; b++) occupied |= (uint64_t)(voxels[b] >= RILL_FLUID) << b;
    return occupied;
}

/** Return the words of a row of bits, bit x % 64 of word x / 64. */
static inline size_t rill_planes_row(const uint32_t n[3]) { return ((size_t)n[0] + 63) / 64; }

/** Return the bytes that so many planes of bits take. */
uint64_t rill_planes_bytes(const uint32_t n[3], uint64_t planes);

/** Return the bytes that this process holds of so many voxels. @param[in] keeper  NULL: it has all, as bytes
 */
uint64_t rill_planes_held(const uint32_t n[3], const rill_keeper *keeper);

/**
 * Create a geometry of solid voxels as rill_geom_create() does, whose voxels are bits; the first process
 * holds the labels beside them.
 * @param[in] keeper  copied, its context must outlive the geometry; NULL: rill_geom_create()
 */
rill_status rill_geom_create_kept(const uint32_t n[3], const rill_keeper *keeper, rill_geom **out);

/** Create a geometry without voxels. */
rill_status rill_geom_create_empty(const uint32_t n[3], rill_geom **out);

/** Copy the voxels of a geometry of the same size, with their labels. */
rill_status rill_geom_take_voxels(rill_geom *geom, const rill_geom *from);

/**
 * Copy the voxels that several processes keep into this one, without labels, as bits that any thread of it
 * may see: all else that it may do with `geom` belongs to the thread that calls the other processes.
 */
rill_status rill_geom_gather(const rill_geom *geom, rill_geom **out);

/** Free planes; NULL is allowed. */
void rill_planes_destroy(rill_planes *planes);

/** Return what keeps them; NULL for NULL: this process has all voxels, as bytes. */
const rill_keeper *rill_planes_keeper(const rill_planes *planes);

/** Return the fluid voxels of plane z. */
uint64_t rill_planes_fluid(const rill_planes *planes, uint32_t z);

/** Read planes as bits, [count][ny][row words]. */
rill_status rill_planes_get(const rill_planes *planes, uint32_t z, uint32_t count, uint64_t *words);

/** Some planes of a geometry as bytes. Start with {.geom = ...}. */
typedef struct rill_window {
    const rill_geom *geom; /**< borrowed */
    uint8_t *voxels;       /**< [count][ny][nx], from plane `first` on */
    uint32_t first, count;
    uint8_t *bytes;  /**< owned, as the next; NULL where the geometry has bytes itself */
    uint64_t *words; /**< of the same planes */
    uint32_t room;   /**< planes that they have place for */
} rill_window;

/** Return how many planes are seen at a time: all where the voxels are bytes. */
uint32_t rill_window_planes(const rill_geom *geom);

/** See planes first … first + count - 1, which exist. */
rill_status rill_window_see(rill_window *window, uint32_t first, uint32_t count);

/**
 * See the next planes, for a loop over all of them.
 * @param[in,out] end  0 at first; behind the planes that are seen
 * @param[in,out] status  where it is not RILL_OK, or no planes can be had, there are no more
 */
bool rill_window_next(rill_window *window, uint32_t *end, rill_status *status);

/** Make room for planes that are to be written, without reading them: solid where the voxels are bits. */
rill_status rill_window_blank(rill_window *window, uint32_t first, uint32_t count);

/** Take over what was changed in the planes that are seen; only the geometry's owner does that. */
rill_status rill_window_keep(rill_window *window, rill_geom *geom);

/** Take the first plane that is seen over as plane z, too, once it was kept. */
rill_status rill_window_repeat(rill_window *window, rill_geom *geom, uint32_t z);

/** Return a row of the window; z counts in the geometry. */
static inline uint8_t *rill_window_row(const rill_window *w, uint32_t y, uint32_t z)
{
    return w->voxels + ((uint64_t)(z - w->first) * w->geom->n[1] + y) * w->geom->n[0];
}

/** Free what a window owns. */
void rill_window_close(rill_window *window);

#endif
