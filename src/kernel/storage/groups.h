/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file groups.h
 * Lanes of warps for the groups of rill_arrays.lanes, out of the occupancy bitmap. Warps that are started
 * together have groups close together along y and z, so that they find rows in the first-level cache that
 * others have read: tiles of whole rows, some pairs along y and z. Lanes of a strip of tiles fill warps of
 * their own, so that strips are made in any order.
 */
#ifndef RILL_KERNEL_GROUPS_H
#define RILL_KERNEL_GROUPS_H

#include "kernel/build.h"

/** Pairs of rows of a strip along y: of the last warp of a strip half the lanes are idle on average. */
enum { RILL_STRIP_PAIRS = 16 };

/** Pairs of rows along y and z of a tile; measured on an H200. Those along y divide those of a strip. */
enum { RILL_TILE_Y = 2, RILL_TILE_Z = 2 };

/** Where lanes come from: words, or on a host the numbering that they would be made of. */
typedef struct rill_groups {
    const rill_word *words; /**< NULL: of `numbering` */
    const rill_builder *numbering;
    uint32_t n[3], row, plane, last_bit;
    bool corners; /**< the lattice has velocities along them: rows at corners of a group have three cells */
} rill_groups;

/** Where lanes go. */
typedef struct rill_lanes {
    uint32_t *lanes, *words; /**< see rill_arrays; NULL: they are counted alone */
    uint32_t warps, used;    /**< warps that are full, lanes of the next one */
    uint32_t first;          /**< word that those of the strip are counted from */
    uint32_t last;           /**< packed cell of the last lane */
    int64_t cell;            /**< its x; -1: of another row, or there is none */
} rill_lanes;

/** Return whether there are groups: where both axes have two rows, and words of a strip are few enough. */
RILL_FN bool rill_groups_possible(const int lattice, const uint32_t *n, const uint32_t row)
{
    return rill_dimensions(lattice) == 3 && n[1] >= RILL_GROUP_SIDE && n[2] >= RILL_GROUP_SIDE &&
           RILL_GROUP_SIDE * RILL_TILE_Z * (uint64_t)row * (n[1] + 2) < (uint64_t)1 << (32 - RILL_LANE_WORD);
}

/** Return whether groups of so many warps make steps faster, measured on an H200: where a lane has two nodes
 * or more. */
RILL_FN bool rill_groups_worth(const uint64_t warps, const uint64_t nodes)
{
    return nodes >= 2 * RILL_WARP * warps;
}

/** Return the bytes of the lanes of so many warps. */
RILL_FN uint64_t rill_groups_bytes(const uint64_t warps)
{
    return warps * (RILL_WARP + 1) * sizeof(uint32_t);
}

/** Return n / d, rounded up. */
RILL_FN uint32_t rill_groups_parts(const uint32_t n, const uint32_t d) { return (n + d - 1) / d; }

/** Return the number of strips. */
RILL_FN uint32_t rill_strips(const uint32_t *n)
{
    return rill_groups_parts(n[1], RILL_GROUP_SIDE * RILL_STRIP_PAIRS) *
           rill_groups_parts(n[2], RILL_GROUP_SIDE * RILL_TILE_Z);
}

/** Return the first row of a pair of n: the last of an odd number goes with the one before. */
RILL_FN uint32_t rill_groups_row(const uint32_t pair, const uint32_t n)
{
    const uint32_t row = pair * RILL_GROUP_SIDE;
    return row + 1 < n ? row : n - RILL_GROUP_SIDE;
}

/** Return a window of the bitmap; rows around the box repeat those on the other side. */
RILL_FN uint32_t rill_groups_window(const rill_groups *g, const uint32_t w, const uint32_t y, const int dy,
                                    const uint32_t z, const int dz)
{
    const uint32_t at = (uint32_t)((int)y + dy + 1), above = (uint32_t)((int)z + dz + 1);
    if (g->words) return g->words[(size_t)above * g->plane + at * g->row + w].window;
    const size_t line =
        rill_build_line(g->numbering, (at + g->n[1] - 1) % g->n[1], (above + g->n[2] - 1) % g->n[2]);
    return rill_build_window(g->numbering, &g->numbering->fluid, line, w * RILL_WORD_CELLS).window;
}

/** End a warp: lanes that are left do nothing. */
RILL_FN void rill_lanes_flush(rill_lanes *to)
{
    if (to->used == 0) return;
    const uint32_t idle = to->last & ~(((1u << RILL_GROUP_CELLS) - 1) << RILL_LANE_NODES);
    for (; to->lanes && to->used < RILL_WARP; to->used++)
        to->lanes[(size_t)to->warps * RILL_WARP + to->used] = idle;
    if (to->words) to->words[to->warps] = to->first;
    to->warps++;
    to->used = 0;
    to->cell = -1;
}

/** Write a cell to lane `used` of the warp. */
RILL_FN void rill_lanes_put(rill_lanes *to, const int64_t cell, const uint32_t packed)
{
    if (to->lanes) to->lanes[(size_t)to->warps * RILL_WARP + to->used] = packed;
    to->used++;
    to->last = packed;
    to->cell = cell;
}

/** Give a cell with nodes to step a lane, and those beside it that it needs.
 * @param beside  packed cells before and behind, with the nodes 0
 * @param needs   whether these are needed */
RILL_FN void rill_lanes_add(rill_lanes *to, const int64_t cell, const uint32_t packed, const int64_t *x,
                            const uint32_t *beside, const bool *needs)
{
    const bool lent = to->cell == cell; /* the last lane is that of the cell already */
    bool before = needs[0] && !lent && !(to->cell == x[0]);
    if (to->used - lent + before + 1u + needs[1] > RILL_WARP) {
        rill_lanes_flush(to);
        before = needs[0];
    } else if (lent) {
        to->used--;
    }
    if (before) rill_lanes_put(to, x[0], beside[0]);
    rill_lanes_put(to, cell, packed);
    if (needs[1]) rill_lanes_put(to, x[1] ? x[1] : -1, beside[1]);
}

/** Give the groups of a pair of rows along y at a pair along z lanes. */
RILL_FN void rill_lanes_of_pair(const rill_groups *g, const uint32_t pair_y, const uint32_t pair_z,
                                rill_lanes *to)
{
    const uint32_t y = rill_groups_row(pair_y, g->n[1]), z = rill_groups_row(pair_z, g->n[2]);
    const uint32_t fresh = /* bits of rows whose nodes are stepped */
        (y == pair_y * RILL_GROUP_SIDE ? 15u : 10u) & (z == pair_z * RILL_GROUP_SIDE ? 15u : 12u);
    const uint32_t line = (z + 1) * g->plane + (y + 1) * g->row - to->first;
    to->cell = -1;
    for (uint32_t w = 0; w < g->row; w++) {
        const uint32_t last = w + 1 < g->row ? RILL_WORD_CELLS : g->last_bit;
        uint32_t rows[RILL_GROUP_CELLS] = {0}, nodes = 0, around = 0;
        for (int dz = -1; dz <= RILL_GROUP_SIDE; dz++)
            for (int dy = -1; dy <= RILL_GROUP_SIDE; dy++) {
                const bool in_y = dy >= 0 && dy < RILL_GROUP_SIDE, in_z = dz >= 0 && dz < RILL_GROUP_SIDE;
                const int k = dy + RILL_GROUP_SIDE * dz;
                const uint32_t window = rill_groups_window(g, w, y, dy, z, dz);
                if (in_y || in_z || g->corners) around |= window;
                if (!(in_y && in_z) || !(fresh >> k & 1)) continue;
                rows[k] = window;
                nodes |= window;
            }
        nodes &= (2u << last) - 2u;
        for (uint32_t bit = 1; nodes >> bit; bit++) {
            if (!(nodes >> bit & 1)) continue;
            uint32_t step = 0;
            for (int k = 0; k < RILL_GROUP_CELLS; k++) step |= (rows[k] >> bit & 1) << k;
            const uint32_t cell = w * RILL_WORD_CELLS + bit - 1;
            const int64_t x[2] = {cell ? cell - 1 : g->n[0] - 1, cell + 1 < g->n[0] ? cell + 1 : 0};
            const bool needs[2] = {(around >> (bit - 1) & 1) != 0, (around >> (bit + 1) & 1) != 0};
            uint32_t beside[2];
            for (int k = 0; k < 2; k++)
                beside[k] = (uint32_t)(x[k] % RILL_WORD_CELLS + 1) |
                            (line + (uint32_t)(x[k] / RILL_WORD_CELLS)) << RILL_LANE_WORD;
            rill_lanes_add(to, cell, bit | step << RILL_LANE_NODES | (line + w) << RILL_LANE_WORD, x, beside,
                           needs);
        }
    }
}

/** Give the groups of a strip lanes. @return how many warps they fill */
RILL_FN uint32_t rill_lanes_of_strip(const rill_groups *g, const uint32_t strip, uint32_t *lanes,
                                     uint32_t *words)
{
    const uint32_t strips = rill_groups_parts(g->n[1], RILL_GROUP_SIDE * RILL_STRIP_PAIRS);
    const uint32_t y = strip % strips * RILL_STRIP_PAIRS, z = strip / strips * RILL_TILE_Z;
    const uint32_t pairs_y = rill_groups_parts(g->n[1], RILL_GROUP_SIDE),
                   pairs_z = rill_groups_parts(g->n[2], RILL_GROUP_SIDE);
    rill_lanes to = {lanes, words, 0, 0, 0, 0, -1};
    to.first = (rill_groups_row(z, g->n[2]) + 1) * g->plane + (rill_groups_row(y, g->n[1]) + 1) * g->row;
    for (uint32_t tile = y; tile < y + RILL_STRIP_PAIRS && tile < pairs_y; tile += RILL_TILE_Y)
        for (uint32_t pz = z; pz < z + RILL_TILE_Z && pz < pairs_z; pz++)
            for (uint32_t py = tile; py < tile + RILL_TILE_Y && py < pairs_y; py++)
                rill_lanes_of_pair(g, py, pz, &to);
    rill_lanes_flush(&to);
    return to.warps;
}

#endif
