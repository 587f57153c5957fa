/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the links of a block into segments, of masks or runs as copies of this level take them (copy.h). */
#include "cpu/rows.h"
#include "cpu/masks.h"
#include "kernel/storage/address.h"

_Static_assert(RILL_SEGMENT_BLOCK == 64, "the walls of a block are a word");

/* The links of a block along one velocity. */
typedef struct row {
    rill_node meeting[RILL_SEGMENT_BLOCK];
    uint64_t walls; /* bit l: node l has one there */
    int lanes;      /* that are nodes */
} row;

/* Return a word whose bit l says whether entry l, of those bits of it that count, is a value. */
RILL_FN uint64_t matches(const uint32_t *entries, const int count, const uint32_t counts,
                         const uint32_t value)
{
    uint64_t bits = 0;
#if RILL_CPU_MASKS
    for (int first = 0; first < count; first += RILL_SEGMENT_LANES) {
        const __mmask16 lanes = rill_cpu_lanes_below(count - first);
        const __m512i of = _mm512_and_si512(_mm512_maskz_loadu_epi32(lanes, entries + first),
                                            _mm512_set1_epi32((int)counts));
        bits |= (uint64_t)_mm512_mask_cmpeq_epi32_mask(lanes, of, _mm512_set1_epi32((int)value)) << first;
    }
#else
    for (int l = 0; l < count; l++) bits |= (uint64_t)((entries[l] & counts) == value) << l;
#endif
    return bits;
}

/* Take the links of a block as rill_link_of() finds them in a list, what is the same for all nodes found
 * once. */
RILL_FN void row_take(const rill_variant v, const rill_arrays *arrays, const size_t block, const int i,
                      row *r)
{
    const int lattice = (int)v.lattice, stream = (int)v.stream;
    const rill_node first = (rill_node)(block * RILL_SEGMENT_BLOCK), rest = arrays->nodes - first;
    const bool esoteric = rill_stream_esoteric(stream);
    const bool looks = rill_meeting(lattice, stream, i, 0) || rill_meeting(lattice, stream, i, 1) ||
                       rill_meeting(lattice, stream, i, 2);
    r->lanes = rest < RILL_SEGMENT_BLOCK ? (int)rest : RILL_SEGMENT_BLOCK;
    r->walls = 0;
    for (int l = 0; l < RILL_SEGMENT_BLOCK; l++) r->meeting[l] = first + (rill_node)l;
    if (looks) {
        const rill_node *list =
            arrays->list + (size_t)rill_list_row(lattice, stream, i) * arrays->list_stride + first;
        for (int l = 0; l < r->lanes; l++)
            if (esoteric || list[l] != RILL_UPSTREAM_WALL) r->meeting[l] = list[l];
        if (!esoteric) r->walls = matches(list, r->lanes, UINT32_MAX, RILL_UPSTREAM_WALL);
    }
    if (esoteric && v.bounce == RILL_HALF_WAY)
        r->walls = matches(arrays->walls + first, r->lanes, 1u << (i - 1), 1u << (i - 1));
}

/* Count a segment and, where there is one, put it in the next place of its kind. */
RILL_FN void take(const int kind, const rill_segment s, uint64_t *counts, rill_segment **to)
{
    counts[kind]++;
    if (to) *to[kind]++ = s;
}

#if RILL_CPU_MASKS

enum { VECTORS = RILL_SEGMENT_BLOCK / RILL_SEGMENT_LANES, ALL_LANES = (1 << RILL_SEGMENT_LANES) - 1 };

/* Return the links of a vector less their lanes, one number for those that lead on in order; it may wrap
 * round. */
RILL_FN __m512i keys_of(const row *r, const int vector)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return _mm512_sub_epi32(_mm512_loadu_si512(r->meeting + vector * RILL_SEGMENT_LANES), lanes);
}

/* Return whether all links of a block lead on in order, with walls or without. */
RILL_FN bool is_whole(const row *r)
{
    bool like = r->lanes == RILL_SEGMENT_BLOCK && (r->walls == 0 || r->walls == UINT64_MAX);
    for (int vector = 0; vector < VECTORS && like; vector++) {
        const __m512i first =
            _mm512_set1_epi32((int)(r->meeting[0] + (rill_node)vector * RILL_SEGMENT_LANES));
        like = _mm512_cmpeq_epi32_mask(keys_of(r, vector), first) == ALL_LANES;
    }
    return like;
}

/* Return what kind the first segments of a vector are. @param[out] size  how many */
RILL_FN int kind_of(const rill_segment *segments, const int count, int *size)
{
    *size = count < 3 ? count : 3;
    if (count > 1) return count == 2 ? RILL_PAIR : RILL_TRIPLE;
    return segments->lanes == ALL_LANES ? RILL_WHOLE_VECTOR : RILL_ODD_SEGMENT;
}

/* Cut a vector into segments, of what is like the lowest lane that is left. */
RILL_FN void cut_vector(const row *r, const int i, const int vector, uint64_t *counts, rill_segment **to)
{
    const int first = vector * RILL_SEGMENT_LANES;
    const __m512i keys = keys_of(r, vector);
    const uint32_t walls = (uint32_t)(r->walls >> first) & ALL_LANES;
    rill_segment segments[RILL_SEGMENT_LANES];
    int number = 0, size;
    for (uint32_t left = rill_cpu_lanes_below(r->lanes - first); left; number++) {
        const int l = __builtin_ctz(left);
        const uint32_t wall = walls >> l & 1;
        const rill_node key = r->meeting[first + l] - (rill_node)l;
        const uint32_t lanes =
            _mm512_cmpeq_epi32_mask(keys, _mm512_set1_epi32((int)key)) & (wall ? walls : ~walls) & left;
        segments[number] = (rill_segment){key + RILL_SEGMENT_LANES, (uint16_t)lanes,
                                          (uint8_t)(2 * (uint32_t)i + wall), (uint8_t)first};
        left &= ~lanes;
    }
    const int kind = kind_of(segments, number, &size);
    for (int k = 0; k < number; k++) take(k < size ? kind : RILL_ODD_SEGMENT, segments[k], counts, to);
}

RILL_FN void cut_row(const row *r, const int i, uint64_t *counts, rill_segment **to)
{
    if (is_whole(r))
        take(RILL_WHOLE_ROW,
             (rill_segment){r->meeting[0] + RILL_SEGMENT_LANES, ALL_LANES,
                            (uint8_t)(2 * (uint32_t)i + (r->walls & 1)), 0},
             counts, to);
    else
        for (int vector = 0; vector < VECTORS; vector++) cut_vector(r, i, vector, counts, to);
}

#else

RILL_FN void cut_row(const row *r, const int i, uint64_t *counts, rill_segment **to)
{
    for (int first = 0, end; first < r->lanes; first = end) {
        const uint64_t wall = r->walls >> first & 1;
        int class = 0;
        for (end = first + 1; end < r->lanes; end++)
            if (r->meeting[end] != r->meeting[end - 1] + 1 || (r->walls >> end & 1) != wall) break;
        while (end - first >= 2 << class) class ++;
        const int whole = end - first == RILL_SEGMENT_BLOCK;
        take(whole ? RILL_WHOLE_ROW : class + 1,
             (rill_segment){r->meeting[first] + RILL_SEGMENT_LANES, (uint16_t)(end - first),
                            (uint8_t)(2 * (uint32_t)i + wall), (uint8_t)first},
             counts, to);
    }
}

#endif

void RILL_CPU_CUT(RILL_PART_LEVEL)(rill_variant variant, const rill_arrays *arrays, size_t block,
                                   uint64_t counts[RILL_SEGMENT_KINDS], rill_segment **to)
{
    for (int i = 1; i < rill_q((int)variant.lattice); i++) {
        row r;
        row_take(variant, arrays, block, i, &r);
        if (to)
            cut_row(&r, i, counts, to);
        else
            cut_row(&r, i, counts, NULL);
    }
}
