/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file copy.h
 * Copies of stored populations between their slots and rows. Numbers are not looked into: what counts is
 * their size, so that there are three sets of functions, for 2, 4 and 8 bytes.
 */
#ifndef RILL_CPU_COPY_H
#define RILL_CPU_COPY_H

#include "cpu/links.h"
#include "cpu/masks.h"
#include "kernel/storage/storage.h"

#include <string.h>

/** One side of a step: where incoming populations are, or where outgoing ones go. */
typedef struct rill_cpu_side {
    bool looks;                         /**< slots are at storage nodes, else at the node itself */
    char *rows[RILL_Q_MAX][2];          /**< address of place 0 for links along i, without and with a wall */
    char *segment_rows[2 * RILL_Q_MAX]; /**< `rows`, by rill_segment.row */
    uint64_t ring, wrap; /**< entry = number + `ring`, minus `wrap` if that is at least `wrap` */
} rill_cpu_side;

/** Return one side of a step. @param out of outgoing populations, else of incoming ones */
static inline rill_cpu_side rill_cpu_side_of(const rill_launch *launch, const bool out)
{
    const rill_variant v = launch->variant;
    const int stream = (int)v.stream;
    const size_t size = rill_storage_size((int)v.storage);
    rill_arrays arrays = out ? launch->to : launch->from;
    rill_cpu_side side = {.looks = rill_slot_looks(stream, launch->parity, out),
                          .ring = rill_stream_ring(stream) ? arrays.ring : 0,
                          .wrap = rill_stream_ring(stream) ? arrays.stride : UINT64_MAX};
    arrays.ring = 0;
    for (int i = 0; i < rill_q((int)v.lattice); i++)
        for (int wall = 0; wall < 2; wall++) {
            const rill_link link = {0, wall};
            const rill_slot slot = out ? rill_slot_out(stream, launch->parity, i, 0, link)
                                       : rill_slot_in(stream, launch->parity, i, 0, link);
            side.rows[i][wall] =
                (char *)arrays.populations + rill_slot_offset((int)v.lattice, stream, &arrays, slot) * size;
            side.segment_rows[2 * i + wall] = side.rows[i][wall] - (i ? RILL_SEGMENT_LANES * size : 0);
        }
    return side;
}

/** Return the place of a number. */
RILL_FN uint64_t rill_cpu_place(const rill_cpu_side *side, const uint64_t number)
{
    const uint64_t place = number + side->ring;
    return place >= side->wrap ? place - side->wrap : place;
}

/** Return whether `length` numbers from `number` on have successive positions. */
RILL_FN bool rill_cpu_unbroken(const rill_cpu_side *side, const uint64_t number, const uint64_t length)
{
    return rill_cpu_place(side, number) + length <= side->wrap;
}

/** Return the place of lane 0 of a segment, and RILL_SEGMENT_LANES more: it may be before the first. */
RILL_FN uint64_t rill_cpu_segment_place(const rill_cpu_side *side, const bool ring, const rill_segment s)
{
    const uint64_t place = s.node + (ring ? side->ring : 0);
    return ring && place >= side->wrap + RILL_SEGMENT_LANES ? place - side->wrap : place;
}

/** Return where lane 0 of a segment is, or would be. @param ring  known at compile time */
RILL_FN char *rill_cpu_slots(const rill_cpu_side *side, const bool ring, const rill_segment s,
                             const size_t size)
{
    return side->segment_rows[s.row] + rill_cpu_segment_place(side, ring, s) * size;
}

/*
 * Vectors of RILL_SEGMENT_LANES stored numbers. Those of 2 or 4 bytes leave the rest unused. What masks leave
 * out may be outside of a row, or another thread's: it is never written, and read only where it does no harm.
 */
#if RILL_CPU_MASKS

typedef struct rill_cpu_lanes {
    __m512i part[2];
} rill_cpu_lanes;

/** Replace masked lanes by stored numbers. */
RILL_FN rill_cpu_lanes rill_cpu_merge(rill_cpu_lanes v, const char *from, const uint16_t lanes,
                                      const size_t size)
{
    if (size == 2)
        v.part[0] =
            _mm512_castsi256_si512(_mm256_mask_loadu_epi16(_mm512_castsi512_si256(v.part[0]), lanes, from));
    if (size == 4) v.part[0] = _mm512_mask_loadu_epi32(v.part[0], lanes, from);
    if (size == 8) {
        v.part[0] = _mm512_mask_loadu_epi64(v.part[0], (__mmask8)lanes, from);
        v.part[1] = _mm512_mask_loadu_epi64(v.part[1], (__mmask8)(lanes >> 8), from + 64);
    }
    return v;
}

/** Store masked lanes. */
RILL_FN void rill_cpu_put(const rill_cpu_lanes v, char *to, const uint16_t lanes, const size_t size)
{
    if (size == 2) _mm256_mask_storeu_epi16(to, lanes, _mm512_castsi512_si256(v.part[0]));
    if (size == 4) _mm512_mask_storeu_epi32(to, lanes, v.part[0]);
    if (size == 8) {
        _mm512_mask_storeu_epi64(to, (__mmask8)lanes, v.part[0]);
        _mm512_mask_storeu_epi64(to + 64, (__mmask8)(lanes >> 8), v.part[1]);
    }
}

/** Load all lanes from a row, by whole vectors, which later loads can take from the stores under way. */
RILL_FN rill_cpu_lanes rill_cpu_load(const char *from, const size_t size)
{
    const size_t bytes = RILL_SEGMENT_LANES * size,
                 step = bytes < RILL_VECTOR_BYTES ? bytes : RILL_VECTOR_BYTES;
    rill_cpu_lanes v = {{{0}}};
    RILL_UNROLL
    for (size_t k = 0; k < bytes / step; k++) memcpy(&v.part[k], from + k * step, step);
    return v;
}

/** Store all lanes to a row. */
RILL_FN void rill_cpu_store(const rill_cpu_lanes v, char *to, const size_t size)
{
    const size_t bytes = RILL_SEGMENT_LANES * size,
                 step = bytes < RILL_VECTOR_BYTES ? bytes : RILL_VECTOR_BYTES;
    RILL_UNROLL
    for (size_t k = 0; k < bytes / step; k++) memcpy(to + k * step, &v.part[k], step);
}

/**
 * Copy the segments of a kind, `group` of which make up a vector. @param into  rows, or out of them
 * @param rows  [q][RILL_BLOCK] values of `size` bytes
 */
RILL_FN void rill_cpu_copy_kind(const rill_cpu_side *side, const rill_segments *segments,
                                const uint64_t block, const int kind, const int group, const bool into,
                                char *rows, const size_t size)
{
    const uint64_t *offsets = segments->offsets + block * RILL_SEGMENT_KINDS + kind;
    const rill_segment *end = segments->segments + offsets[1];
    RILL_NO_UNROLL
    for (const rill_segment *s = segments->segments + offsets[0]; s < end; s += group) {
        char *row = rows + ((size_t)(s->row / 2) * RILL_BLOCK + s->lane) * size;
        rill_cpu_lanes v = rill_cpu_load(row, size);
        RILL_UNROLL
        for (int k = 0; k < group; k++) {
            char *slots = rill_cpu_slots(side, false, s[k], size);
            if (into)
                v = rill_cpu_merge(v, slots, s[k].lanes, size);
            else
                rill_cpu_put(v, slots, s[k].lanes, size);
        }
        if (into) rill_cpu_store(v, row, size);
    }
}

/** Copy all segments of a block but whole rows. */
RILL_FN void rill_cpu_copy_segments(const rill_cpu_side *side, const rill_segments *segments,
                                    const uint64_t block, const bool into, char *rows, const size_t size)
{
    rill_cpu_copy_kind(side, segments, block, RILL_TRIPLE, 3, into, rows, size);
    rill_cpu_copy_kind(side, segments, block, RILL_PAIR, 2, into, rows, size);
    rill_cpu_copy_kind(side, segments, block, RILL_WHOLE_VECTOR, 1, into, rows, size);
    rill_cpu_copy_kind(side, segments, block, RILL_ODD_SEGMENT, 1, into, rows, size);
}

/** The same in a ring buffer, where any segment may wrap at the end, whole rows, too. */
RILL_FN void rill_cpu_copy_segments_of_ring(const rill_cpu_side *side, const rill_segments *segments,
                                            const uint64_t block, const bool into, char *rows,
                                            const size_t size)
{
    const uint64_t *offsets = segments->offsets + block * RILL_SEGMENT_KINDS;
    for (uint64_t k = offsets[0]; k < offsets[RILL_SEGMENT_KINDS]; k++) {
        rill_segment s = segments->segments[k];
        const bool whole = k < offsets[RILL_WHOLE_ROW + 1];
        if (whole && rill_cpu_unbroken(side, s.node - RILL_SEGMENT_LANES, RILL_BLOCK)) continue;
        for (int left = whole ? RILL_BLOCK : RILL_SEGMENT_LANES; left > 0; left -= RILL_SEGMENT_LANES) {
            char *row = rows + ((size_t)(s.row / 2) * RILL_BLOCK + s.lane) * size;
            const bool wraps = rill_cpu_segment_place(side, true, s) > side->wrap;
            for (uint32_t lanes = wraps ? s.lanes : 0; lanes; lanes &= lanes - 1) {
                const size_t l = (size_t)__builtin_ctz(lanes);
                char *slot = side->rows[s.row / 2][s.row % 2] +
                             rill_cpu_place(side, s.node + l - RILL_SEGMENT_LANES) * size;
                memcpy(into ? row + l * size : slot, into ? slot : row + l * size, size);
            }
            char *slots = rill_cpu_slots(side, true, s, size);
            if (!wraps && into)
                rill_cpu_store(rill_cpu_merge(rill_cpu_load(row, size), slots, s.lanes, size), row, size);
            else if (!wraps)
                rill_cpu_put(rill_cpu_load(row, size), slots, s.lanes, size);
            s.node += RILL_SEGMENT_LANES;
            s.lane += RILL_SEGMENT_LANES;
        }
    }
}

#else

/** Copy `bytes`, a power of two known at compile time. */
RILL_FN void rill_cpu_move(char *to, const char *from, const size_t bytes)
{
    typedef char chunk __attribute__((vector_size(RILL_VECTOR_BYTES)));
    if (bytes <= sizeof(chunk)) {
        memcpy(to, from, bytes);
    } else {
        RILL_UNROLL
        for (size_t k = 0; k < bytes; k += sizeof(chunk)) {
            chunk value;
            memcpy(&value, from + k, sizeof value);
            memcpy(to + k, &value, sizeof value);
        }
    }
}

/** Copy a segment of 2^class … 2^(class + 1) - 1 values as two overlapping halves. */
RILL_FN void rill_cpu_move_segment(char *to, const char *from, const int class, const size_t length,
                                   const size_t size)
{
    const size_t part = ((size_t)1 << class) * size, behind = length * size - part;
    rill_cpu_move(to, from, part);
    rill_cpu_move(to + behind, from + behind, part);
}

/**
 * Copy the segments of a block that are no whole rows. @param into  rows, or out of them
 * @param rows  [q][RILL_BLOCK] values of `size` bytes
 */
RILL_FN void rill_cpu_copy_segments(const rill_cpu_side *side, const rill_segments *segments,
                                    const uint64_t block, const bool into, char *rows, const size_t size)
{
    const uint64_t *offsets = segments->offsets + block * RILL_SEGMENT_KINDS;
    RILL_UNROLL
    for (int class = 0; class < RILL_SEGMENT_KINDS - 1; class ++) {
        RILL_NO_UNROLL
        for (uint64_t k = offsets[class + 1]; k < offsets[class + 2]; k++) {
            const rill_segment s = segments->segments[k];
            const size_t length = s.lanes;
            char *row = rows + ((size_t)(s.row / 2) * RILL_BLOCK + s.lane) * size;
            char *slots = rill_cpu_slots(side, false, s, size);
            if (into)
                rill_cpu_move_segment(row, slots, class, length, size);
            else
                rill_cpu_move_segment(slots, row, class, length, size);
        }
    }
}

/** The same in a ring buffer, where any segment may wrap at the end, whole rows, too. */
RILL_FN void rill_cpu_copy_segments_of_ring(const rill_cpu_side *side, const rill_segments *segments,
                                            const uint64_t block, const bool into, char *rows,
                                            const size_t size)
{
    const uint64_t *offsets = segments->offsets + block * RILL_SEGMENT_KINDS;
    for (uint64_t k = offsets[0]; k < offsets[RILL_SEGMENT_KINDS]; k++) {
        const rill_segment s = segments->segments[k];
        const uint64_t number = s.node - RILL_SEGMENT_LANES, length = s.lanes;
        const bool unbroken = rill_cpu_unbroken(side, number, length);
        if (unbroken && length == RILL_BLOCK) continue;
        char *row = rows + ((size_t)(s.row / 2) * RILL_BLOCK + s.lane) * size,
             *start = side->rows[s.row / 2][s.row % 2];
        const uint64_t place = rill_cpu_place(side, number);
        const size_t before = (size_t)(unbroken ? length : side->wrap - place) * size,
                     behind = length * size - before;
        memcpy(into ? row : start + place * size, into ? start + place * size : row, before);
        memcpy(into ? row + before : start, into ? start : row + before, behind);
    }
}

#endif

/**
 * Prefetch all slots of a block, a while before they are copied: segments jump about too much for the
 * processor to foresee, those at walls, one here and one there, most of all. Of a vector the last lane is
 * prefetched, as the first is often on the line of the vector before.
 */
RILL_FN void rill_cpu_ask_segments(const rill_cpu_side *side, const bool ring, const rill_segments *segments,
                                   const uint64_t block, const size_t size)
{
    const uint64_t *offsets = segments->offsets + block * RILL_SEGMENT_KINDS;
    const rill_segment *s = segments->segments + offsets[RILL_WHOLE_ROW],
                       *whole = segments->segments + offsets[RILL_WHOLE_ROW + 1],
                       *end = segments->segments + offsets[RILL_SEGMENT_KINDS];
    RILL_NO_UNROLL
    for (; s < whole; s++) {
        const char *slots = rill_cpu_slots(side, ring, *s, size);
        RILL_UNROLL
        for (size_t line = 0; line <= RILL_BLOCK * size; line += 64) __builtin_prefetch(slots + line);
    }
    RILL_NO_UNROLL
    for (; s < end; s++) {
        const char *slots = rill_cpu_slots(side, ring, *s, size);
        const size_t bytes = (RILL_CPU_MASKS ? RILL_SEGMENT_LANES : s->lanes) * size;
        for (size_t line = 0; !RILL_CPU_MASKS && line + 1 < bytes; line += 64)
            __builtin_prefetch(slots + line);
        __builtin_prefetch(slots + bytes - 1);
    }
}

/** Copy the active lanes of one row between it and its slots, one by one. @param links  NULL: home */
RILL_FN void rill_cpu_copy_lanes(const rill_cpu_side *side, const int i, const uint64_t n,
                                 const rill_cpu_links *links, const uint64_t active, const bool into,
                                 char *row, const size_t size)
{
    for (uint64_t left = active; left; left &= left - 1) {
        const size_t l = (size_t)__builtin_ctzll(left);
        char *slot = side->rows[i][links ? links->walls >> l & 1 : 0] +
                     rill_cpu_place(side, links ? links->meeting[l] : n + l) * size;
        if (into)
            memcpy(row + l * size, slot, size);
        else
            memcpy(slot, row + l * size, size);
    }
}

/** Copy between a row and slots anywhere, one for each lane. */
RILL_FN void rill_cpu_copy_slots(char *const *slots, const size_t count, const bool into, char *row,
                                 const size_t size)
{
    for (size_t k = 0; k < count; k++)
        memcpy(into ? row + k * size : slots[k], into ? slots[k] : row + k * size, size);
}

/** The copies of one size. */
typedef struct rill_cpu_copies {
    void (*segments)(const rill_cpu_side *side, const rill_segments *segments, uint64_t block, bool into,
                     char *rows);
    void (*ask)(const rill_cpu_side *side, const rill_segments *segments, uint64_t block);
    void (*lanes)(const rill_cpu_side *side, int i, uint64_t n, const rill_cpu_links *links, uint64_t active,
                  bool into, char *row);
    void (*slots)(char *const *slots, size_t count, bool into, char *row);
} rill_cpu_copies;

#define RILL_CPU_COPIES(B)                                                                                   \
    static void segments_##B(const rill_cpu_side *side, const rill_segments *segments, uint64_t block,       \
                             bool into, char *rows)                                                          \
    {                                                                                                        \
        if (side->wrap != UINT64_MAX)                                                                        \
            rill_cpu_copy_segments_of_ring(side, segments, block, into, rows, B);                            \
        else if (into)                                                                                       \
            rill_cpu_copy_segments(side, segments, block, true, rows, B);                                    \
        else                                                                                                 \
            rill_cpu_copy_segments(side, segments, block, false, rows, B);                                   \
    }                                                                                                        \
    static void ask_##B(const rill_cpu_side *side, const rill_segments *segments, uint64_t block)            \
    {                                                                                                        \
        if (side->wrap != UINT64_MAX)                                                                        \
            rill_cpu_ask_segments(side, true, segments, block, B);                                           \
        else                                                                                                 \
            rill_cpu_ask_segments(side, false, segments, block, B);                                          \
    }                                                                                                        \
    static void lanes_##B(const rill_cpu_side *side, int i, uint64_t n, const rill_cpu_links *links,         \
                          uint64_t active, bool into, char *row)                                             \
    {                                                                                                        \
        if (into)                                                                                            \
            rill_cpu_copy_lanes(side, i, n, links, active, true, row, B);                                    \
        else                                                                                                 \
            rill_cpu_copy_lanes(side, i, n, links, active, false, row, B);                                   \
    }                                                                                                        \
    static void slots_##B(char *const *slots, size_t count, bool into, char *row)                            \
    {                                                                                                        \
        if (into)                                                                                            \
            rill_cpu_copy_slots(slots, count, true, row, B);                                                 \
        else                                                                                                 \
            rill_cpu_copy_slots(slots, count, false, row, B);                                                \
    }
RILL_CPU_COPIES(2)
RILL_CPU_COPIES(4)
RILL_CPU_COPIES(8)

/** Return the copies of values of `size` bytes. */
static inline const rill_cpu_copies *rill_cpu_copies_of(size_t size)
{
    static const rill_cpu_copies copies[] = {{segments_2, ask_2, lanes_2, slots_2},
                                             {segments_4, ask_4, lanes_4, slots_4},
                                             {segments_8, ask_8, lanes_8, slots_8}};
    return &copies[size == 2 ? 0 : size == 4 ? 1 : 2];
}

#endif
