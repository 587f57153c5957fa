/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file node_cuda.h
 * How a GPU thread reads and writes the populations of its nodes; see node.h. Variants are types V, made by
 * RILL_CUDA_VARIANT(): were their choices arguments, compilers would unroll loops before they know them.
 */
#ifndef RILL_KERNEL_NODE_CUDA_H
#define RILL_KERNEL_NODE_CUDA_H

#include "kernel/storage/address.h"
#include "kernel/storage/layout.h"
#include "kernel/storage/storage.h"

/** Links of a node: where slots are follows from them. */
typedef struct rill_links_of_node {
    rill_node meeting[RILL_Q_MAX];
    uint32_t walls; /**< bits of links at walls, see rill_wall_bit() */
} rill_links_of_node;

/** Return whether a step looks at neighbours. */
template <class V> RILL_FN bool rill_links_used(const int parity)
{
    return rill_slot_looks(V::stream, parity, false) || rill_slot_looks(V::stream, parity, true);
}

/** Return whether links are taken from a bitmap row by row. */
template <class V> RILL_FN bool rill_by_rows()
{
    return V::addressing == RILL_BITMAP && !rill_stream_esoteric(V::stream);
}

/** Return the row of cells, 0 … 8, that n + d_i lies in. */
template <class V> RILL_FN int rill_row_of(const int i)
{
    return rill_meeting(V::lattice, V::stream, i, 1) + 1 +
           3 * (rill_meeting(V::lattice, V::stream, i, 2) + 1);
}

/** Return the bit of rill_links_of_node.walls that belongs to link i. */
template <class V> RILL_FN int rill_wall_bit(const int i)
{
    return rill_by_rows<V>() ? 3 * rill_row_of<V>(i) + rill_meeting(V::lattice, V::stream, i, 0) + 1 : i;
}

/** Return the word of the bitmap that is looked at along i. */
template <class V>
RILL_FN uint32_t rill_word_of_link(const rill_arrays *arrays, const rill_place *place, const int i)
{
    return rill_word_beside(arrays, place, rill_meeting(V::lattice, V::stream, i, 1),
                            rill_meeting(V::lattice, V::stream, i, 2));
}

/**
 * Look the links of a node up in an occupancy bitmap without a branch. What links of one row of cells share
 * is written for each of them, and computed once. Links that pass an end of their row are put right
 * afterwards, in two branches, because few rows of a warp end.
 */
template <class V>
RILL_FN void rill_links_by_rows(const rill_arrays *arrays, const rill_place *place, rill_links_of_node *links)
{
    const uint32_t below = ((1u << place->bit) - 1u) & ~1u;
    RILL_UNROLL
    for (int i = 1; i < rill_q(V::lattice); i++) {
        const int dx = rill_meeting(V::lattice, V::stream, i, 0), row = rill_row_of<V>(i);
        const rill_word w = arrays->words[rill_word_of_link<V>(arrays, place, i)];
        const rill_node middle = w.base + rill_popcount(w.window & below);
        const uint32_t seen = w.window >> (place->bit - 1u);
        links->meeting[i] = dx < 0 ? middle - 1 : dx > 0 ? middle + (seen >> 1 & 1) : middle;
        links->walls |= (~seen & 7u) << 3 * row;
    }
    if (place->first) {
        RILL_UNROLL
        for (int i = 1; i < rill_q(V::lattice); i++)
            if (rill_meeting(V::lattice, V::stream, i, 0) < 0)
                links->meeting[i] =
                    rill_row_last(arrays, arrays->words, rill_word_of_link<V>(arrays, place, i));
    }
    if (place->last) {
        RILL_UNROLL
        for (int i = 1; i < rill_q(V::lattice); i++)
            if (rill_meeting(V::lattice, V::stream, i, 0) > 0)
                links->meeting[i] =
                    rill_row_first(arrays, arrays->words, rill_word_of_link<V>(arrays, place, i));
    }
}

/** Look up the links of a node that a step uses. @return false for a voxel that is no fluid node */
template <class V>
RILL_FN bool rill_links_look_up(const int parity, const rill_arrays *arrays, const rill_node n,
                                rill_links_of_node *links)
{
    const rill_place place = rill_place_of(V::stream, V::addressing, arrays, n);
    if (!place.fluid) return false;
    links->walls = 0;
    if (!rill_links_used<V>(parity)) return true;
    if (rill_by_rows<V>()) {
        rill_links_by_rows<V>(arrays, &place, links);
        return true;
    }
    RILL_UNROLL
    for (int i = 1; i < rill_q(V::lattice); i++) {
        const rill_link link =
            rill_link_of(V::lattice, V::stream, V::addressing, V::bounce, arrays, &place, i);
        links->meeting[i] = link.meeting;
        links->walls |= (uint32_t)link.wall << i;
    }
    return true;
}

/** Return the slot of link i, of what comes in or of what goes out. */
template <class V>
RILL_FN rill_slot rill_slot_along(const int parity, const int i, const rill_node n, const bool out,
                                  const rill_link link)
{
    return out ? rill_slot_out(V::stream, parity, i, n, link) : rill_slot_in(V::stream, parity, i, n, link);
}

/** Return the offset of incoming population i, or of where outgoing population opp(i) goes; V::narrow:
 * counted in 32 bits, which takes two instructions less a link. */
template <class V>
RILL_FN size_t rill_population_offset(const int parity, const rill_arrays *arrays, const int i,
                                      const rill_node n, const bool out, const rill_links_of_node *links)
{
    const bool used = i > 0 && rill_links_used<V>(parity), esoteric = rill_stream_esoteric(V::stream);
    const rill_link open = {used ? links->meeting[i] : n, false}, wall = {esoteric ? open.meeting : n, true};
    const rill_slot away = rill_slot_along<V>(parity, i, n, out, open),
                    back = rill_slot_along<V>(parity, i, n, out, wall);
    /* Two positions of the same row to choose from, in 32 bits, so that the row is a constant in the
     * instruction. */
    const uint32_t row = away.row < back.row ? away.row : back.row;
    uint32_t place = (uint32_t)rill_slot_place(V::stream, arrays, away.number);
    uint32_t first = place & ~(uint32_t)(RILL_BUNDLE - 1);
    place += (away.row - row) * RILL_BUNDLE;
    if (used && (esoteric || rill_slot_looks(V::stream, parity, out)) &&
        links->walls >> rill_wall_bit<V>(i) & 1) {
        place = (uint32_t)rill_slot_place(V::stream, arrays, back.number);
        first = place & ~(uint32_t)(RILL_BUNDLE - 1);
        place += (back.row - row) * RILL_BUNDLE;
    }
    if (V::narrow)
        return (uint32_t)(first * (uint32_t)(rill_q(V::lattice) - 1) + place) + (size_t)row * RILL_BUNDLE;
    return (size_t)first * (uint32_t)(rill_q(V::lattice) - 1) + place + (size_t)row * RILL_BUNDLE;
}

/** Return incoming population i of a node. */
template <class V>
RILL_FN rill_real rill_population_in(const int parity, const rill_arrays *arrays, const int i,
                                     const rill_node n, const rill_links_of_node *links)
{
    return rill_storage_load(V::storage, arrays->populations,
                             rill_population_offset<V>(parity, arrays, i, n, false, links));
}

/** Write incoming population i of a node, or with `out` what leaves along the link that i came in by. */
template <class V>
RILL_FN void rill_population_put(const int parity, const rill_arrays *arrays, const int i, const rill_node n,
                                 const bool out, const rill_links_of_node *links, const rill_real value)
{
    rill_storage_store(V::storage, arrays->populations,
                       rill_population_offset<V>(parity, arrays, i, n, out, links), value);
}

#endif
