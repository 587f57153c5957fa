/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a list into segments: once to count them, once to write them. */
#include "device/segments.h"

#include "core/memory.h"
#include "core/status.h"
#include "kernel/address.h"

#include <string.h>

enum { vectors = RILL_SEGMENT_BLOCK / RILL_SEGMENT_LANES, all_lanes = (1 << RILL_SEGMENT_LANES) - 1 };

/* The links of a block along one velocity. Those of a vector that lead on in order have one key. */
typedef struct row {
    rill_node meeting[RILL_SEGMENT_BLOCK], key[RILL_SEGMENT_BLOCK];
    bool wall[RILL_SEGMENT_BLOCK];
    uint32_t walls[vectors]; /* the same as the bits of lanes */
    int lanes;               /* that are nodes */
} row;

/* Take the links of a block as rill_link_of() finds them in a list, what is the same for all nodes found
 * once. */
static void row_take(rill_variant v, const rill_arrays *arrays, size_t block, int i, row *r)
{
    const int lattice = (int)v.lattice, stream = (int)v.stream;
    const rill_node first = (rill_node)(block * RILL_SEGMENT_BLOCK), rest = arrays->nodes - first;
    const bool esoteric = rill_stream_esoteric(stream), half_way = v.bounce == RILL_HALF_WAY;
    const bool looks = rill_meeting(lattice, stream, i, 0) || rill_meeting(lattice, stream, i, 1) ||
                       rill_meeting(lattice, stream, i, 2);
    const size_t before = looks ? (size_t)rill_list_row(lattice, stream, i) * arrays->list_stride : 0;
    const rill_node *list = arrays->list + before + first;
    r->lanes = rest < RILL_SEGMENT_BLOCK ? (int)rest : RILL_SEGMENT_BLOCK;
    memset(r->walls, 0, sizeof r->walls);
    memset(r->key, 0, sizeof r->key);
    for (int l = 0; l < r->lanes; l++) {
        const rill_node n = first + (rill_node)l, meeting = looks ? list[l] : n;
        r->wall[l] = esoteric ? half_way && arrays->walls[n] >> (i - 1) & 1 : meeting == RILL_UPSTREAM_WALL;
        r->meeting[l] = !esoteric && r->wall[l] ? n : meeting;
        r->key[l] = r->meeting[l] - (rill_node)(l % RILL_SEGMENT_LANES); /* may wrap round */
    }
    for (int l = 0; l < r->lanes; l++)
        r->walls[l / RILL_SEGMENT_LANES] |= (uint32_t)r->wall[l] << l % RILL_SEGMENT_LANES;
}

/* Return which lanes of a vector have a key. */
static uint32_t lanes_of(const rill_node *keys, rill_node key)
{
    uint32_t lanes = 0;
    for (uint32_t l = 0; l < RILL_SEGMENT_LANES; l++) lanes |= keys[l] == key ? 1u << l : 0;
    return lanes;
}

/* Return a segment: of the lanes `left` of a vector those that are like the lowest. */
static rill_segment segment_of(const row *r, int i, int vector, uint32_t left)
{
    const rill_node *keys = r->key + vector * RILL_SEGMENT_LANES, key = keys[__builtin_ctz(left)];
    const uint32_t walls = r->walls[vector], wall = walls >> __builtin_ctz(left) & 1;
    const uint32_t lanes = lanes_of(keys, key) & (wall ? walls : ~walls) & left;
    return (rill_segment){key + RILL_SEGMENT_LANES, (uint16_t)lanes, (uint8_t)(2 * (uint32_t)i + wall),
                          (uint8_t)(vector * RILL_SEGMENT_LANES)};
}

/* Cut a vector into segments. @return their number */
static int cut(const row *r, int i, int vector, rill_segment segments[RILL_SEGMENT_LANES])
{
    const int lanes = r->lanes - vector * RILL_SEGMENT_LANES;
    int count = 0;
    for (uint32_t left = lanes <= 0                   ? 0
                         : lanes < RILL_SEGMENT_LANES ? (1u << lanes) - 1
                                                      : all_lanes;
         left; count++) {
        segments[count] = segment_of(r, i, vector, left);
        left &= ~(uint32_t)segments[count].lanes;
    }
    return count;
}

static bool is_whole(const row *r)
{
    bool like = r->lanes == RILL_SEGMENT_BLOCK;
    for (int l = 1; l < RILL_SEGMENT_BLOCK && like; l++)
        like = r->meeting[l] == r->meeting[0] + (rill_node)l && r->wall[l] == r->wall[0];
    return like;
}

/* Return what kind the first segments of a vector are. @param[out] size  how many */
static int kind_of(const rill_segment *segments, int count, int *size)
{
    *size = count < 3 ? count : 3;
    if (count > 1) return count == 2 ? RILL_PAIR : RILL_TRIPLE;
    return segments->lanes == all_lanes ? RILL_WHOLE_VECTOR : RILL_ODD_SEGMENT;
}

static void count(int kind, rill_segment s, uint64_t counts[RILL_SEGMENT_KINDS], rill_segment **to)
{
    counts[kind]++;
    if (to) *to[kind]++ = s;
}

/* Visit the runs of a row. */
static void visit_runs(const row *r, int i, uint64_t counts[RILL_SEGMENT_KINDS], rill_segment **to)
{
    for (int first = 0, end; first < r->lanes; first = end) {
        int class = 0;
        for (end = first + 1; end < r->lanes; end++)
            if (r->meeting[end] != r->meeting[end - 1] + 1 || r->wall[end] != r->wall[first]) break;
        while (end - first >= 2 << class) class ++;
        const int whole = end - first == RILL_SEGMENT_BLOCK;
        count(whole ? RILL_WHOLE_ROW : class + 1,
              (rill_segment){r->meeting[first] + RILL_SEGMENT_LANES, (uint16_t)(end - first),
                             (uint8_t)(2 * i + r->wall[first]), (uint8_t)first},
              counts, to);
    }
}

/*
 * Visit the segments of a block: count them by kind and, where `to` is not NULL, write each to its kind's
 * next place.
 */
static void visit_block(rill_variant variant, const rill_arrays *arrays, bool masks, size_t block,
                        uint64_t counts[RILL_SEGMENT_KINDS], rill_segment **to)
{
    for (int i = 1; i < rill_q((int)variant.lattice); i++) {
        row r;
        row_take(variant, arrays, block, i, &r);
        if (!masks) visit_runs(&r, i, counts, to);
        if (!masks) continue;
        const bool whole = is_whole(&r);
        for (int vector = 0; vector < (whole ? 1 : vectors); vector++) {
            rill_segment segments[RILL_SEGMENT_LANES];
            const int number = cut(&r, i, vector, segments);
            int size;
            const int first = whole ? (size = 1, RILL_WHOLE_ROW) : kind_of(segments, number, &size);
            for (int k = 0; k < number; k++) {
                const int kind = k < size ? first : RILL_ODD_SEGMENT;
                count(kind, segments[k], counts, to);
            }
        }
    }
}

rill_status rill_segments_create(rill_variant variant, const rill_arrays *arrays, bool masks,
                                 rill_segments *out)
{
    rill_status status = RILL_OK;
    rill_segments segments = {NULL, NULL};
    *out = segments;
    if (arrays->stride > UINT32_MAX - RILL_SEGMENT_LANES) return RILL_OK; /* links are looked up one by one */
    const int64_t blocks = ((int64_t)arrays->nodes + RILL_SEGMENT_BLOCK - 1) / RILL_SEGMENT_BLOCK;
    const size_t kinds = (size_t)blocks * RILL_SEGMENT_KINDS;
    RILL_TRY(rill_array_create(kinds + 1, sizeof(uint64_t), "segments", (void **)&segments.offsets));
#pragma omp parallel for schedule(static)
    for (int64_t block = 0; block < blocks; block++) {
        uint64_t count[RILL_SEGMENT_KINDS] = {0};
        visit_block(variant, arrays, masks, (size_t)block, count, NULL);
        memcpy(segments.offsets + block * RILL_SEGMENT_KINDS + 1, count, sizeof count);
    }
    segments.offsets[0] = 0;
    for (size_t k = 0; k < kinds; k++) segments.offsets[k + 1] += segments.offsets[k];
    RILL_TRY(rill_array_create(segments.offsets[kinds], sizeof(rill_segment), "segments",
                               (void **)&segments.segments));
#pragma omp parallel for schedule(static)
    for (int64_t block = 0; block < blocks; block++) {
        uint64_t count[RILL_SEGMENT_KINDS] = {0};
        rill_segment *to[RILL_SEGMENT_KINDS];
        for (int kind = 0; kind < RILL_SEGMENT_KINDS; kind++)
            to[kind] = segments.segments + segments.offsets[block * RILL_SEGMENT_KINDS + kind];
        visit_block(variant, arrays, masks, (size_t)block, count, to);
    }
    *out = segments;
    segments = (rill_segments){NULL, NULL};
done:
    rill_segments_destroy(&segments);
    return status;
}

uint64_t rill_segments_bytes(const rill_segments *segments, uint64_t nodes)
{
    const uint64_t offsets = (nodes + RILL_SEGMENT_BLOCK - 1) / RILL_SEGMENT_BLOCK * RILL_SEGMENT_KINDS + 1;
    if (!segments->offsets) return 0;
    return offsets * sizeof *segments->offsets + segments->offsets[offsets - 1] * sizeof *segments->segments;
}

void rill_segments_destroy(rill_segments *segments)
{
    rill_array_destroy(segments->segments);
    rill_array_destroy(segments->offsets);
    *segments = (rill_segments){NULL, NULL};
}
