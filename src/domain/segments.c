/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the pull list into segments: once to count them, once to write them. */
#include "domain/segments.h"

#include "core/memory.h"
#include "core/status.h"
#include "kernel/address.h"
#include "kernel/lattice.h"

#include <string.h>

/* Return the lanes of a block where a segment starts: bit l is set unless lane l continues lane l - 1. */
static uint64_t starts_of(const rill_node *upstream)
{
    uint64_t starts = 1;
    for (int l = 1; l < RILL_SEGMENT_BLOCK; l++) {
        const rill_node before = upstream[l - 1], here = upstream[l];
        const bool walls = before == RILL_UPSTREAM_WALL && here == RILL_UPSTREAM_WALL;
        const bool rises = before != RILL_UPSTREAM_WALL && here == before + 1;
        starts |= (uint64_t) !(walls || rises) << l;
    }
    return starts;
}

static int class_of(int length)
{
    int class = 0;
    while (class < RILL_SEGMENT_CLASSES - 1 && length >= 2 << class) class ++;
    return class;
}

/* Return the first upstream node of a block's row that is not a wall, or its first node. */
static rill_node ahead_of(const rill_node *upstream, rill_node own)
{
    for (int l = 0; l < RILL_SEGMENT_BLOCK; l++)
        if (upstream[l] != RILL_UPSTREAM_WALL) return upstream[l];
    return own;
}

/*
 * Visit the segments of a block: count them by class and, where `to` is not NULL, write each to its class's
 * next place.
 */
static void visit_block(int lattice, const rill_arrays *arrays, size_t block,
                        uint64_t count[RILL_SEGMENT_CLASSES], rill_segment **to)
{
    for (int i = 1; i < rill_q(lattice); i++) {
        const rill_node *upstream =
            arrays->list + (size_t)(i - 1) * arrays->list_stride + block * RILL_SEGMENT_BLOCK;
        for (uint64_t left = starts_of(upstream); left;) {
            const int lane = __builtin_ctzll(left);
            left &= left - 1;
            const int length = (left ? __builtin_ctzll(left) : RILL_SEGMENT_BLOCK) - lane,
                      class = class_of(length);
            const bool wall = upstream[lane] == RILL_UPSTREAM_WALL;
            const rill_node own = (rill_node)(block * RILL_SEGMENT_BLOCK) + (rill_node)lane;
            count[class]++;
            if (to)
                *to[class]++ = (rill_segment){wall ? own : upstream[lane], (uint8_t)i, (uint8_t)lane,
                                              (uint8_t)length, (uint8_t)wall};
        }
    }
}

rill_status rill_segments_create(int lattice, const rill_arrays *arrays, rill_segments *out)
{
    rill_status status = RILL_OK;
    rill_segments segments = {NULL, NULL, NULL};
    const int64_t blocks = (int64_t)(arrays->list_stride / RILL_SEGMENT_BLOCK);
    const size_t classes = (size_t)blocks * RILL_SEGMENT_CLASSES;
    RILL_TRY(rill_array_create(classes + 1, sizeof(uint64_t), "segments", (void **)&segments.offsets));
#pragma omp parallel for schedule(static)
    for (int64_t block = 0; block < blocks; block++) {
        uint64_t count[RILL_SEGMENT_CLASSES] = {0};
        visit_block(lattice, arrays, (size_t)block, count, NULL);
        memcpy(segments.offsets + block * RILL_SEGMENT_CLASSES + 1, count, sizeof count);
    }
    segments.offsets[0] = 0;
    for (size_t k = 0; k < classes; k++) segments.offsets[k + 1] += segments.offsets[k];
    const size_t rows = (size_t)rill_q(lattice) - 1;
    RILL_TRY(rill_array_create_zero(((uint64_t)blocks + 1) * rows, sizeof(rill_node), "segments",
                                    (void **)&segments.ahead));
    RILL_TRY(rill_array_create(segments.offsets[classes], sizeof(rill_segment), "segments",
                               (void **)&segments.segments));
#pragma omp parallel for schedule(static)
    for (int64_t block = 0; block < blocks; block++) {
        uint64_t count[RILL_SEGMENT_CLASSES] = {0};
        rill_segment *to[RILL_SEGMENT_CLASSES];
        for (int class = 0; class < RILL_SEGMENT_CLASSES; class ++)
            to[class] = segments.segments + segments.offsets[block * RILL_SEGMENT_CLASSES + class];
        visit_block(lattice, arrays, (size_t)block, count, to);
        for (size_t row = 0; row < rows; row++)
            segments.ahead[(size_t)block * rows + row] =
                ahead_of(arrays->list + row * arrays->list_stride + (size_t)block * RILL_SEGMENT_BLOCK,
                         (rill_node)(block * RILL_SEGMENT_BLOCK));
    }
    *out = segments;
    segments = (rill_segments){NULL, NULL, NULL};
done:
    rill_segments_destroy(&segments);
    return status;
}

void rill_segments_destroy(rill_segments *segments)
{
    rill_array_destroy(segments->segments);
    rill_array_destroy(segments->offsets);
    rill_array_destroy(segments->ahead);
    *segments = (rill_segments){NULL, NULL, NULL};
}
