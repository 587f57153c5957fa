/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a list into segments: once to count them, once to write them. */
#include "domain/segments.h"

#include "core/memory.h"
#include "core/status.h"
#include "kernel/address.h"

#include <string.h>

/* The links of a block along one velocity. */
typedef struct row {
    rill_node meeting[RILL_SEGMENT_BLOCK];
    bool wall[RILL_SEGMENT_BLOCK];
    int lanes; /* that are nodes */
} row;

static row row_of(rill_variant v, const rill_arrays *arrays, size_t block, int i)
{
    row r = {.lanes = 0};
    for (; r.lanes < RILL_SEGMENT_BLOCK; r.lanes++) {
        const uint64_t n = block * RILL_SEGMENT_BLOCK + (uint64_t)r.lanes;
        if (n >= arrays->nodes) break;
        const rill_place place = rill_place_of((int)v.stream, RILL_LIST, arrays, (rill_node)n);
        const rill_link link =
            rill_link_of((int)v.lattice, (int)v.stream, RILL_LIST, (int)v.bounce, arrays, &place, i);
        r.meeting[r.lanes] = link.meeting;
        r.wall[r.lanes] = link.wall;
    }
    return r;
}

/* Return the lanes of a block where a segment starts: bit l is set unless lane l continues lane l - 1. */
static uint64_t starts_of(const row *r)
{
    uint64_t starts = r->lanes > 0;
    for (int l = 1; l < r->lanes; l++)
        starts |= (uint64_t)(r->meeting[l] != r->meeting[l - 1] + 1 || r->wall[l] != r->wall[l - 1]) << l;
    return starts;
}

static int class_of(int length)
{
    int class = 0;
    while (length >= 2 << class) class ++;
    return class;
}

/*
 * Visit the segments of a block: count them by class and, where `to` is not NULL, write each to its class's
 * next place.
 */
static void visit_block(rill_variant variant, const rill_arrays *arrays, size_t block,
                        uint64_t count[RILL_SEGMENT_CLASSES], rill_segment **to)
{
    for (int i = 1; i < rill_q((int)variant.lattice); i++) {
        const row r = row_of(variant, arrays, block, i);
        for (uint64_t left = starts_of(&r); left;) {
            const int lane = __builtin_ctzll(left);
            left &= left - 1;
            const int length = (left ? __builtin_ctzll(left) : r.lanes) - lane, class = class_of(length);
            count[class]++;
            if (to)
                *to[class]++ = (rill_segment){r.meeting[lane], (uint8_t)i, (uint8_t)lane, (uint8_t)length,
                                              (uint8_t)r.wall[lane]};
        }
    }
}

rill_status rill_segments_create(rill_variant variant, const rill_arrays *arrays, rill_segments *out)
{
    rill_status status = RILL_OK;
    rill_segments segments = {NULL, NULL};
    const int64_t blocks = ((int64_t)arrays->nodes + RILL_SEGMENT_BLOCK - 1) / RILL_SEGMENT_BLOCK;
    const size_t classes = (size_t)blocks * RILL_SEGMENT_CLASSES;
    RILL_TRY(rill_array_create(classes + 1, sizeof(uint64_t), "segments", (void **)&segments.offsets));
#pragma omp parallel for schedule(static)
    for (int64_t block = 0; block < blocks; block++) {
        uint64_t count[RILL_SEGMENT_CLASSES] = {0};
        visit_block(variant, arrays, (size_t)block, count, NULL);
        memcpy(segments.offsets + block * RILL_SEGMENT_CLASSES + 1, count, sizeof count);
    }
    segments.offsets[0] = 0;
    for (size_t k = 0; k < classes; k++) segments.offsets[k + 1] += segments.offsets[k];
    RILL_TRY(rill_array_create(segments.offsets[classes], sizeof(rill_segment), "segments",
                               (void **)&segments.segments));
#pragma omp parallel for schedule(static)
    for (int64_t block = 0; block < blocks; block++) {
        uint64_t count[RILL_SEGMENT_CLASSES] = {0};
        rill_segment *to[RILL_SEGMENT_CLASSES];
        for (int class = 0; class < RILL_SEGMENT_CLASSES; class ++)
            to[class] = segments.segments + segments.offsets[block * RILL_SEGMENT_CLASSES + class];
        visit_block(variant, arrays, (size_t)block, count, to);
    }
    *out = segments;
    segments = (rill_segments){NULL, NULL};
done:
    rill_segments_destroy(&segments);
    return status;
}

uint64_t rill_segments_bytes(const rill_segments *segments, uint64_t nodes)
{
    const uint64_t offsets = (nodes + RILL_SEGMENT_BLOCK - 1) / RILL_SEGMENT_BLOCK * RILL_SEGMENT_CLASSES + 1;
    if (!segments->offsets) return 0;
    return offsets * sizeof *segments->offsets + segments->offsets[offsets - 1] * sizeof *segments->segments;
}

void rill_segments_destroy(rill_segments *segments)
{
    rill_array_destroy(segments->segments);
    rill_array_destroy(segments->offsets);
    *segments = (rill_segments){NULL, NULL};
}
