/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file address.h
 * Addressing: the number of the node n + d. Numbers 0 … nodes - 1 are fluid nodes in lexicographic order, x
 * fastest (all voxels of the box with `dense`); those from `nodes` on are ghosts, the solid voxels that a
 * scheme needs an entry in. Boxes are periodic: boundaries that are not have one more layer of solid voxels.
 *
 *   list    u32 [rows][list_stride]: what a scheme needs to know of each node, see rill_list_row()
 *   dense   n itself says where the voxel is; `flags` says whether it is fluid and whether a wall is near.
 *   chase   u32 [3 or 6][list_stride]: +x, +y, +z (AA: +x, -x, +y, …), of ghosts too; diagonals are found by
 *           following links in the order x, y, z (Geier & Schönherr 2017, doi:10.3390/computation5020019).
 *   bitmap  rank in an occupancy bitmap: a row of voxels is cut into words of RILL_WORD_CELLS cells, bits
 *           1 … 30 of a window; bits 0 and 31 (or the bit behind the last cell) repeat the cells beside.
 *           Words have a halo of one row in y and z, which holds the rows on the other side.
 *
 * Esoteric schemes also need to know which links end at walls: `list` and `chase` store a word of
 * bits per node, the others see it in their flags and windows.
 */
#ifndef RILL_KERNEL_ADDRESS_H
#define RILL_KERNEL_ADDRESS_H

#include "kernel/storage/layout.h"

#define RILL_UPSTREAM_WALL 0xFFFFFFFFu

/** Return the row of the list that holds n + d_i. Esoteric pairs share one, all links of a storage node at a
 * corner too.
 */
RILL_FN int rill_list_row(const int lattice, const int stream, const int i)
{
    const int z = rill_axes_alone(lattice) ? 3 : 4; /* between rows of x and y there is that of both */
    if (rill_stream_chased(stream) == 3)
        return rill_meeting(lattice, stream, i, 0) + 2 * rill_meeting(lattice, stream, i, 1) +
               z * rill_meeting(lattice, stream, i, 2) - 1;
    return rill_stream_esoteric(stream) ? (i - 1) / 2 : i - 1;
}

/** Return the number of rows of a list or of chased links. */
RILL_FN int rill_list_rows(const int lattice, const int stream, const int addressing)
{
    if (addressing == RILL_CHASE) return rill_stream_chased(stream);
    if (addressing != RILL_LIST) return 0;
    if (rill_stream_chased(stream) == 3)
        return rill_corners(lattice) ? 7 : rill_dimensions(lattice) == 2 || rill_axes_alone(lattice) ? 3 : 6;
    return rill_stream_esoteric(stream) ? (rill_q(lattice) - 1) / 2 : rill_q(lattice) - 1;
}

/** Return whether a variant stores a word of wall bits per node; full-way steps do not read it. */
RILL_FN bool rill_wall_words(const int stream, const int addressing)
{
    return rill_stream_esoteric(stream) && (addressing == RILL_LIST || addressing == RILL_CHASE);
}

/** What is known of a node before its neighbours are looked for. */
typedef struct rill_place {
    rill_node n;
    bool fluid;         /**< dense: false for voxels to leave alone */
    bool edge;          /**< dense: some neighbour is solid */
    uint32_t x[3];      /**< dense: coordinates */
    uint32_t word, bit; /**< bitmap: where the node is */
    bool first, last;   /**< bitmap: first, last cell of its row */
    uint32_t walls;     /**< list, chase: bit i - 1 is set where n - c_i is solid */
} rill_place;

/** Find the word and bit of a node in the bitmap. */
RILL_FN void rill_place_in_bitmap(const rill_arrays *arrays, rill_place *place)
{
    const rill_start start = arrays->starts[place->n / RILL_PLACE_BLOCK];
    uint32_t packed = 0;
    if (!arrays->runs) packed = arrays->places[place->n]; /* at the same time */
    if (arrays->runs && start.place & RILL_PLACE_RUN) {
        const uint32_t k = place->n % RILL_PLACE_BLOCK;
        place->word = start.word;
        place->bit = (start.place & RILL_PLACE_BIT) + k;
        place->first = start.place & RILL_PLACE_FIRST && k == 0;
        place->last = start.place & RILL_PLACE_LAST && k == RILL_PLACE_BLOCK - 1;
        for (int words = 0; words < 2; words++) { /* as a run of a block goes on into the second one */
            place->word += place->bit > RILL_WORD_CELLS;
            place->bit -= place->bit > RILL_WORD_CELLS ? RILL_WORD_CELLS : 0;
        }
        return;
    }
    if (arrays->runs) packed = arrays->places[place->n];
    place->word = start.word + (packed >> RILL_PLACE_SHIFT);
    place->bit = packed & RILL_PLACE_BIT;
    place->first = packed & RILL_PLACE_FIRST;
    place->last = packed & RILL_PLACE_LAST;
}

/** Find a node. */
RILL_FN rill_place rill_place_of(const int stream, const int addressing, const rill_arrays *arrays,
                                 const rill_node n)
{
    rill_place place = {n, true, false, {0, 0, 0}, 0, 0, false, false, 0};
    if (addressing == RILL_DENSE) {
        const uint32_t row = n / arrays->box[0];
        place.x[0] = n - row * arrays->box[0];
        place.x[2] = row / arrays->box[1];
        place.x[1] = row - place.x[2] * arrays->box[1];
        place.fluid = arrays->flags[n] & RILL_FLAG_FLUID;
        place.edge = arrays->flags[n] & RILL_FLAG_EDGE;
    } else if (addressing == RILL_BITMAP) {
        rill_place_in_bitmap(arrays, &place);
    }
    if (rill_wall_words(stream, addressing)) place.walls = arrays->walls[n];
    return place;
}

/** Return coordinate x + d on a periodic axis of n cells. @param open whether n itself stands for cell 0 */
RILL_FN uint32_t rill_step_along(const uint32_t x, const int d, const uint32_t n, const bool open)
{
    if (d > 0) return x + 1 == n && !open ? 0 : x + 1;
    if (d < 0) return x == 0 ? n - 1 : x - 1;
    return x;
}

/** Return the number of cells below `bit` in a window, the halo not counted. */
RILL_FN uint32_t rill_window_below(const uint32_t window, const uint32_t bit)
{
    return rill_popcount(window & ((1u << bit) - 1u) & ~1u);
}

/** Return the word of the bitmap that lies beside a node's, dy and dz rows away. */
RILL_FN uint32_t rill_word_beside(const rill_arrays *arrays, const rill_place *place, const int dy,
                                  const int dz)
{
    return place->word + (uint32_t)(dy * (int)arrays->row) + (uint32_t)(dz * (int)arrays->plane);
}

/** Return the number of the last cell of the row that word k begins, which is occupied. */
RILL_FN rill_node rill_row_last(const rill_arrays *arrays, const rill_word *words, const uint32_t k)
{
    const rill_word end = words[k + arrays->row - 1];
    return end.base + rill_window_below(end.window, arrays->last_bit);
}

/** Return the number of the first cell of the row that word k ends, which is occupied. */
RILL_FN rill_node rill_row_first(const rill_arrays *arrays, const rill_word *words, const uint32_t k)
{
    return words[k + 1 - arrays->row].base;
}

/** Return the number of the cell dx beside a node's, in word k, which is occupied. */
RILL_FN rill_node rill_word_number(const rill_arrays *arrays, const rill_word *words, const uint32_t k,
                                   const rill_place *place, const int dx)
{
    if (dx < 0 && place->first) return rill_row_last(arrays, words, k);
    if (dx > 0 && place->last) return rill_row_first(arrays, words, k);
    const rill_word w = words[k];
    const rill_node middle = w.base + rill_window_below(w.window, place->bit);
    return dx < 0 ? middle - 1 : dx > 0 ? middle + (w.window >> place->bit & 1) : middle;
}

/**
 * Return the number of n + d, RILL_UPSTREAM_WALL where that is solid and no ghost.
 * @param row  of the list; not used by other addressings
 */
RILL_FN rill_node rill_reach(const int stream, const int addressing, const rill_arrays *arrays,
                             const rill_place *place, const int row, const int dx, const int dy, const int dz)
{
    if (addressing == RILL_LIST) return arrays->list[(size_t)row * arrays->list_stride + place->n];
    if (addressing == RILL_CHASE) {
        const int d[3] = {dx, dy, dz};
        rill_node number = place->n;
        RILL_UNROLL
        for (int a = 0; a < 3; a++) {
            const size_t link = rill_stream_chased(stream) == 6 ? (size_t)(2 * a + (d[a] < 0)) : (size_t)a;
            if (d[a] && number != RILL_UPSTREAM_WALL)
                number = arrays->list[link * arrays->list_stride + number];
        }
        return !rill_stream_esoteric(stream) && number >= arrays->nodes ? RILL_UPSTREAM_WALL : number;
    }
    if (addressing == RILL_DENSE) {
        const bool ring = rill_stream_ring(stream);
        const uint32_t x = rill_step_along(place->x[0], dx, arrays->box[0], false);
        const uint32_t y = rill_step_along(place->x[1], dy, arrays->box[1], false);
        const uint32_t z = rill_step_along(place->x[2], dz, arrays->box[2], ring);
        const rill_node number = (z * arrays->box[1] + y) * arrays->box[0] + x;
        if (rill_stream_esoteric(stream) || !place->edge) return number;
        return arrays->flags[number < arrays->nodes ? number : number - arrays->nodes] & RILL_FLAG_FLUID
                   ? number
                   : RILL_UPSTREAM_WALL;
    }
    const uint32_t k = rill_word_beside(arrays, place, dy, dz);
    if (arrays->words[k].window >> (place->bit + (uint32_t)dx) & 1)
        return rill_word_number(arrays, arrays->words, k, place, dx);
    if (!rill_stream_esoteric(stream)) return RILL_UPSTREAM_WALL;
    return rill_word_number(arrays, arrays->ghost_words, k, place, dx);
}

/** Return whether n - c_i is solid, for Esoteric schemes, whose storage nodes do not show it. */
RILL_FN bool rill_solid(const int lattice, const int stream, const int addressing, const rill_arrays *arrays,
                        const rill_place *place, const int i)
{
    const int dx = -rill_c(lattice, i, 0), dy = -rill_c(lattice, i, 1), dz = -rill_c(lattice, i, 2);
    if (addressing == RILL_LIST || addressing == RILL_CHASE) return place->walls >> (i - 1) & 1;
    if (addressing == RILL_DENSE)
        return place->edge && !(arrays->flags[rill_reach(stream, addressing, arrays, place, 0, dx, dy, dz)] &
                                RILL_FLAG_FLUID);
    const uint32_t k = rill_word_beside(arrays, place, dy, dz);
    return !(arrays->words[k].window >> (place->bit + (uint32_t)dx) & 1);
}

/** Return link i of a node whose slots look at neighbours in this step. */
RILL_FN rill_link rill_link_of(const int lattice, const int stream, const int addressing, const int bounce,
                               const rill_arrays *arrays, const rill_place *place, const int i)
{
    rill_link link = {place->n, false};
    if (i == 0) return link;
    const int dx = rill_meeting(lattice, stream, i, 0), dy = rill_meeting(lattice, stream, i, 1),
              dz = rill_meeting(lattice, stream, i, 2);
    if (dx || dy || dz)
        link.meeting =
            rill_reach(stream, addressing, arrays, place, rill_list_row(lattice, stream, i), dx, dy, dz);
    if (!rill_stream_esoteric(stream)) {
        link.wall = link.meeting == RILL_UPSTREAM_WALL;
        if (link.wall) link.meeting = place->n;
    } else if (bounce == RILL_HALF_WAY) {
        link.wall = rill_solid(lattice, stream, addressing, arrays, place, i);
    }
    return link;
}

/**
 * Return whether a population rests in a ghost on link i of a node for this step: full-way bounce-back, where
 * two are under way on a link to a wall. @param slot  where it is
 */
RILL_FN bool rill_resting(const int lattice, const int stream, const int addressing, const int parity,
                          const rill_arrays *arrays, const rill_place *place, const int i, size_t *slot)
{
    if (!rill_solid(lattice, stream, addressing, arrays, place, i)) return false;
    const rill_link link = rill_link_of(lattice, stream, addressing, RILL_FULL_WAY, arrays, place, i);
    *slot = rill_slot_offset(lattice, stream, arrays, rill_slot_in(stream, 1 - parity, i, place->n, link));
    return true;
}

/** Return the slot of incoming population i of node n, everything looked up. For code that is not a step. */
RILL_FN size_t rill_incoming(const int lattice, const int stream, const int addressing, const int bounce,
                             const int parity, const rill_arrays *arrays, const rill_node n, const int i)
{
    rill_link link = {n, false};
    if (rill_slot_looks(stream, parity, false)) {
        const rill_place place = rill_place_of(stream, addressing, arrays, n);
        link = rill_link_of(lattice, stream, addressing, bounce, arrays, &place, i);
    }
    return rill_slot_offset(lattice, stream, arrays, rill_slot_in(stream, parity, i, n, link));
}

/** Return the slot that outgoing population opp(i) of node n goes to, likewise. */
RILL_FN size_t rill_outgoing(const int lattice, const int stream, const int addressing, const int bounce,
                             const int parity, const rill_arrays *arrays, const rill_node n, const int i)
{
    rill_link link = {n, false};
    if (rill_slot_looks(stream, parity, true)) {
        const rill_place place = rill_place_of(stream, addressing, arrays, n);
        link = rill_link_of(lattice, stream, addressing, bounce, arrays, &place, i);
    }
    return rill_slot_offset(lattice, stream, arrays, rill_slot_out(stream, parity, i, n, link));
}

#endif
