/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file copy.h
 * Copies of stored populations between their slots and rows. Numbers are not looked into: what counts is
 * their size, so that there are three sets of functions, for 2, 4 and 8 bytes.
 */
#ifndef RILL_CPU_COPY_H
#define RILL_CPU_COPY_H

#include "cpu/links.h"
#include "kernel/storage.h"

#include <string.h>

/** One side of a step: where incoming populations are, or where outgoing ones go. */
typedef struct rill_cpu_side {
    bool looks;                /**< slots are at meeting nodes, else at the node itself */
    char *rows[RILL_Q_MAX][2]; /**< address of place 0 for links along i, without and with a wall */
    uint64_t ring, turn;       /**< place = number + ring, minus `turn` where that is not below it */
} rill_cpu_side;

/** Return one side of a step. @param out of outgoing populations, else of incoming ones */
static inline rill_cpu_side rill_cpu_side_of(const rill_launch *launch, const bool out)
{
    const rill_variant v = launch->variant;
    const int stream = (int)v.stream;
    rill_arrays arrays = out ? launch->to : launch->from;
    rill_cpu_side side = {.looks = rill_slot_looks(stream, launch->parity, out),
                          .ring = stream == RILL_RING ? arrays.ring : 0,
                          .turn = stream == RILL_RING ? arrays.stride : UINT64_MAX};
    arrays.ring = 0;
    for (int i = 0; i < rill_q((int)v.lattice); i++)
        for (int wall = 0; wall < 2; wall++) {
            const rill_link link = {0, wall};
            const size_t slot = out ? rill_slot_out(stream, launch->parity, &arrays, i, 0, link)
                                    : rill_slot_in(stream, launch->parity, &arrays, i, 0, link);
            side.rows[i][wall] = (char *)arrays.populations + slot * rill_storage_size((int)v.storage);
        }
    return side;
}

/** Return the place of a number. */
RILL_FN uint64_t rill_cpu_place(const rill_cpu_side *side, const uint64_t number)
{
    const uint64_t place = number + side->ring;
    return place >= side->turn ? place - side->turn : place;
}

/** Return whether `length` numbers from `number` on have successive places. */
RILL_FN bool rill_cpu_unbroken(const rill_cpu_side *side, const uint64_t number, const uint64_t length)
{
    return rill_cpu_place(side, number) + length <= side->turn;
}

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
    const uint64_t *offsets = segments->offsets + block * RILL_SEGMENT_CLASSES;
    RILL_UNROLL
    for (int class = 0; class < RILL_SEGMENT_CLASSES - 1; class ++) {
        RILL_NO_UNROLL
        for (uint64_t k = offsets[class]; k < offsets[class + 1]; k++) {
            const rill_segment s = segments->segments[k];
            char *row = rows + ((size_t)s.direction * RILL_BLOCK + s.lane) * size;
            char *slots = side->rows[s.direction][s.wall] + (size_t)s.node * size;
            if (into)
                rill_cpu_move_segment(row, slots, class, s.length, size);
            else
                rill_cpu_move_segment(slots, row, class, s.length, size);
        }
    }
}

/**
 * Ask for all slots of a block, a while before they are copied: segments jump about too much for the
 * processor to foresee, those at walls, one here and one there, most of all.
 */
RILL_FN void rill_cpu_ask_segments(const rill_cpu_side *side, const rill_segments *segments,
                                   const uint64_t block, const size_t size)
{
    const uint64_t *offsets = segments->offsets + block * RILL_SEGMENT_CLASSES;
    RILL_UNROLL
    for (int class = 0; class < RILL_SEGMENT_CLASSES; class ++) {
        const size_t part = ((size_t)1 << class) * size;
        RILL_NO_UNROLL
        for (uint64_t k = offsets[class]; k < offsets[class + 1]; k++) {
            const rill_segment s = segments->segments[k];
            const char *slots = side->rows[s.direction][s.wall] + rill_cpu_place(side, s.node) * size;
            const char *last = slots + s.length * size - 1;
            RILL_UNROLL
            for (size_t line = 0; line < part; line += 64) {
                __builtin_prefetch(slots + line);
                __builtin_prefetch(last - line);
            }
        }
    }
}

/** The same in a ring, where any segment may turn round at the end, whole rows, too. */
RILL_FN void rill_cpu_copy_segments_of_ring(const rill_cpu_side *side, const rill_segments *segments,
                                            const uint64_t block, const bool into, char *rows,
                                            const size_t size)
{
    const uint64_t *offsets = segments->offsets + block * RILL_SEGMENT_CLASSES;
    for (uint64_t k = offsets[0]; k < offsets[RILL_SEGMENT_CLASSES]; k++) {
        const rill_segment s = segments->segments[k];
        const bool unbroken = rill_cpu_unbroken(side, s.node, s.length);
        if (unbroken && s.length == RILL_BLOCK) continue;
        char *row = rows + ((size_t)s.direction * RILL_BLOCK + s.lane) * size,
             *start = side->rows[s.direction][s.wall];
        const uint64_t place = rill_cpu_place(side, s.node);
        const size_t before = (size_t)(unbroken ? s.length : side->turn - place) * size,
                     behind = s.length * size - before;
        memcpy(into ? row : start + place * size, into ? start + place * size : row, before);
        memcpy(into ? row + before : start, into ? start : row + before, behind);
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

/** The copies of one size. */
typedef struct rill_cpu_copies {
    void (*segments)(const rill_cpu_side *side, const rill_segments *segments, uint64_t block, bool into,
                     char *rows);
    void (*ask)(const rill_cpu_side *side, const rill_segments *segments, uint64_t block);
    void (*lanes)(const rill_cpu_side *side, int i, uint64_t n, const rill_cpu_links *links, uint64_t active,
                  bool into, char *row);
} rill_cpu_copies;

#define RILL_CPU_COPIES(B)                                                                                   \
    static void segments_##B(const rill_cpu_side *side, const rill_segments *segments, uint64_t block,       \
                             bool into, char *rows)                                                          \
    {                                                                                                        \
        if (side->turn != UINT64_MAX)                                                                        \
            rill_cpu_copy_segments_of_ring(side, segments, block, into, rows, B);                            \
        else if (into)                                                                                       \
            rill_cpu_copy_segments(side, segments, block, true, rows, B);                                    \
        else                                                                                                 \
            rill_cpu_copy_segments(side, segments, block, false, rows, B);                                   \
    }                                                                                                        \
    static void ask_##B(const rill_cpu_side *side, const rill_segments *segments, uint64_t block)            \
    {                                                                                                        \
        rill_cpu_ask_segments(side, segments, block, B);                                                     \
    }                                                                                                        \
    static void lanes_##B(const rill_cpu_side *side, int i, uint64_t n, const rill_cpu_links *links,         \
                          uint64_t active, bool into, char *row)                                             \
    {                                                                                                        \
        if (into)                                                                                            \
            rill_cpu_copy_lanes(side, i, n, links, active, true, row, B);                                    \
        else                                                                                                 \
            rill_cpu_copy_lanes(side, i, n, links, active, false, row, B);                                   \
    }
RILL_CPU_COPIES(2)
RILL_CPU_COPIES(4)
RILL_CPU_COPIES(8)

/** Return the copies of values of `size` bytes. */
static inline const rill_cpu_copies *rill_cpu_copies_of(size_t size)
{
    static const rill_cpu_copies copies[] = {
        {segments_2, ask_2, lanes_2}, {segments_4, ask_4, lanes_4}, {segments_8, ask_8, lanes_8}};
    return &copies[size == 2 ? 0 : size == 4 ? 1 : 2];
}

#endif
