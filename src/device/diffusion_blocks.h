/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file diffusion_blocks.h
 * The two finest coarser grids of a diffusion, on processors or on a GPU: one source for both, and the same
 * bits. Their rows are chambers: connected parts of one kind in blocks of 2^3 (small) and of 4^3 voxels
 * (large). Rows of large blocks are worked on one after the other, each from its first block to its last, so
 * that sums over those before it say where a row of blocks begins to number its chambers and links. The small
 * chambers of a large one have numbers one after the other.
 */
#ifndef RILL_DEVICE_DIFFUSION_BLOCKS_H
#define RILL_DEVICE_DIFFUSION_BLOCKS_H

#include "device/diffusion.h"

/** Links of a chamber, at most: 96 faces of the block, 63 other voxels in it. */
enum { RILL_BLOCK_LINKS = 159 };

/** A block. Cells are x + 4 y + 16 z. */
typedef struct rill_block {
    const rill_diffusion_word *word; /**< [ROWS], y + 4 z, each with `b`, the bit of its first cell */
    uint32_t b, first[3];            /**< first voxel */
    uint64_t held;                   /**< bits: a node is there whose value is given */
    uint64_t left, large; /**< other nodes: in no chamber yet; in a large chamber, but no small one */
} rill_block;

/** What a chamber exchanges with others, and with what is held. */
typedef struct rill_block_exchange {
    uint32_t count, to[RILL_BLOCK_LINKS];
    double conductance[RILL_BLOCK_LINKS], outlet; /**< of faces: not yet times RILL_DIFFUSION_BETWEEN */
} rill_block_exchange;

/** Return the place of the first bit that is set. */
RILL_FN uint32_t rill_block_least(const uint64_t bits)
{
    return rill_diffusion_count((bits & (~bits + 1)) - 1);
}

/** Return the cells whose neighbour on a side is one of some. */
RILL_FN uint64_t rill_block_beside(const uint64_t cells, const int side)
{
    switch (side) {
    case 0:
        return cells << 1 & 0xEEEEEEEEEEEEEEEE;
    case 1:
        return cells >> 1 & 0x7777777777777777;
    case 2:
        return cells << 4 & 0xFFF0FFF0FFF0FFF0;
    case 3:
        return cells >> 4 & 0x0FFF0FFF0FFF0FFF;
    case 4:
        return cells << 16;
    default:
        return cells >> 16;
    }
}

/** Return those of some cells that are connected to one through faces. */
RILL_APART_FN uint64_t rill_block_connected(const uint64_t cells, const uint32_t cell)
{
    uint64_t part = (uint64_t)1 << cell, before = 0;
    while (before != part) {
        before = part;
        RILL_UNROLL
        for (int s = 0; s < RILL_DIFFUSION_FACES; s++) part |= rill_block_beside(part, s) & cells;
    }
    return part;
}

/** Return the cells of a slice of voxels; 0 where the block has none of it. */
RILL_FN uint64_t rill_block_slice(const rill_block *o, const int axis, const uint32_t place)
{
    const uint32_t k = place - o->first[axis];
    if (place < o->first[axis] || k >= RILL_BLOCK_EDGE) return 0;
    return axis == 0   ? (uint64_t)0x1111111111111111 << k
           : axis == 1 ? (uint64_t)0x000F000F000F000F << 4 * k
                       : (uint64_t)0xFFFF << 16 * k;
}

/** Return the node of a cell. */
RILL_FN uint32_t rill_block_node(const rill_block *o, const uint32_t cell)
{
    const rill_diffusion_word *word = &o->word[cell / RILL_BLOCK_EDGE];
    const uint32_t bit = o->b + cell % RILL_BLOCK_EDGE;
    return word->first + rill_diffusion_count(word->here & (((uint64_t)1 << bit) - 1));
}

/** See the block at bit b of word w of rows, which y and z are the first of. */
RILL_FN rill_block rill_block_see(const rill_diffusion_grid *g, const rill_diffusion_word *word,
                                  const uint32_t b, const uint32_t w, const uint32_t y, const uint32_t z)
{
    rill_block o = {word, b, {64 * w + b, y, z}, 0, 0, 0};
    RILL_UNROLL
    for (int m = 0; m < RILL_BLOCK_ROWS; m++) o.left |= (word[m].here >> b & 15) << RILL_BLOCK_EDGE * m;
    if (g->ends == RILL_ENDS_NODES)
        o.held =
            o.left & (rill_block_slice(&o, g->axis, 0) | rill_block_slice(&o, g->axis, g->last[g->axis]));
    o.left &= ~o.held;
    return o;
}

/** Take the next chamber of a block. @return its cells; 0: there is none */
RILL_APART_FN uint64_t rill_block_take(const bool many, const bool small, const rill_diffusion_grid *g,
                                       rill_block *o)
{
    if (!o->large) {
        uint64_t alike = o->left;
        if (!o->left) return 0;
        const uint32_t cell = rill_block_least(o->left);
        if (many) {
            const uint8_t kind = g->kind[rill_block_node(o, cell)];
            for (uint64_t cells = o->left; cells; cells &= cells - 1) {
                const uint32_t q = rill_block_least(cells);
                if (g->kind[rill_block_node(o, q)] != kind) alike &= ~((uint64_t)1 << q);
            }
        }
        o->large = rill_block_connected(alike, cell);
        o->left &= ~o->large;
    }
    const uint64_t all = o->large;
    const uint32_t cell = rill_block_least(all);
    const uint64_t octant = (uint64_t)0x0000000000330033 << (cell & 42); /* 2 x + 8 y + 32 z, the block's */
    const uint64_t part = small ? rill_block_connected(all & octant, cell) : all;
    o->large &= ~part;
    return part;
}

/** Find what a chamber exchanges with others. Faces within it are passed over. */
RILL_APART_FN void rill_block_exchanges(const bool many, const rill_diffusion *f, const rill_block *o,
                                        const uint64_t part, const uint32_t own, rill_block_exchange *e)
{
    const rill_diffusion_grid *g = &f->grid;
    const double *between =
        many ? &g->between[g->kind[rill_block_node(o, rill_block_least(part))] * RILL_DIFFUSION_KINDS] : NULL;
    e->count = 0;
    e->outlet = 0;
    for (int s = 0; s < RILL_DIFFUSION_FACES; s++)
        for (uint64_t cells = part & ~rill_block_beside(part, s); cells; cells &= cells - 1) {
            const uint32_t q = rill_block_least(cells), bit = o->b + q % RILL_BLOCK_EDGE;
            const rill_diffusion_word *word = &o->word[q / RILL_BLOCK_EDGE];
            if (!(word->side[s] >> bit & 1)) continue;
            const uint32_t j = rill_diffusion_beside(g, word, s, bit, o->first[0] + q % RILL_BLOCK_EDGE,
                                                     rill_block_node(o, q));
            const uint32_t other = f->coarse[j];
            const double conducts = many ? between[g->kind[j]] : 1;
            uint32_t at = 0;
            if (other == RILL_DIFFUSION_NONE) e->outlet += conducts;
            if (other == RILL_DIFFUSION_NONE || other == own) continue;
            while (at < e->count && e->to[at] != other) at++;
            if (at == e->count) e->to[e->count] = other, e->conductance[e->count++] = 0;
            e->conductance[at] += conducts;
        }
    if (g->ends != RILL_ENDS_FACES) return;
    const double end = 2 * (many ? between[g->kind[rill_block_node(o, rill_block_least(part))]] : 1);
    e->outlet += end * rill_diffusion_count(part & rill_block_slice(o, g->axis, 0));
    e->outlet += end * rill_diffusion_count(part & rill_block_slice(o, g->axis, g->last[g->axis]));
}

/** Number a chamber, and let its nodes know. @return how many are numbered */
RILL_FN rill_block_sums rill_block_label(const rill_diffusion *f, const rill_block *o, uint64_t part,
                                         const rill_block_sums at)
{
    rill_block_sums one = {!f->small, 1};
    if (!f->small) { /* small ones are taken from a copy */
        rill_block inner = *o;
        f->small_of[at.large] = at.small;
        inner.large = part;
        one.small = 0;
        while (inner.large) rill_block_take(false, true, &f->grid, &inner), one.small++;
    }
    for (; part; part &= part - 1)
        f->coarse[rill_block_node(o, rill_block_least(part))] = f->small ? at.small : at.large;
    return one;
}

/** List the links of a chamber, and what it conducts in all. @return how many there are */
RILL_FN uint32_t rill_block_list(const bool many, const rill_diffusion *f, const rill_block *o,
                                 const uint64_t part, const uint32_t own, const uint32_t at)
{
    const double scale = f->small ? RILL_DIFFUSION_BETWEEN : RILL_DIFFUSION_BETWEEN * RILL_DIFFUSION_BETWEEN;
    rill_block_exchange e;
    rill_block_exchanges(many, f, o, part, own, &e);
    double sum = scale * e.outlet;
    if (!f->small) f->outlet[own] = sum;
    f->level.begin[own] = at;
    for (uint32_t k = 0; k < e.count; k++) {
        const rill_flow_link link = {e.to[k], (float)(scale * e.conductance[k])};
        f->level.link[at + k] = link;
        sum += link.conductance;
    }
    if (f->small) f->level.inverse[own] = sum > 0 ? 1 / sum : 1;
    return e.count;
}

/** Return whether a work writes what it has counted before. */
RILL_CONSTANT_FN bool rill_block_puts(const rill_diffusion_work work)
{
    return work == RILL_DIFFUSION_LABEL || work == RILL_DIFFUSION_LIST;
}

/** Do some work to a block. @param put  false: count only @param at  numbers of its first chambers or link
 * @return how many it has */
RILL_FN rill_block_sums rill_block_do(const rill_diffusion_work work, const bool put, const bool many,
                                      const rill_diffusion *f, rill_block o, const rill_block_sums at)
{
    rill_block_sums sums = {0, 0};
    if (work == RILL_DIFFUSION_LABEL && put)
        for (; o.held; o.held &= o.held - 1)
            f->coarse[rill_block_node(&o, rill_block_least(o.held))] = RILL_DIFFUSION_NONE;
    const bool counts = work == RILL_DIFFUSION_COUNT || (work == RILL_DIFFUSION_LABEL && !put);
    const bool small = counts || f->small;
    for (uint64_t part; (part = rill_block_take(many, small, &f->grid, &o));) {
        const rill_block_sums now = {at.large + sums.large, at.small + sums.small};
        const uint32_t own = counts || work == RILL_DIFFUSION_LABEL
                                 ? 0
                                 : f->coarse[rill_block_node(&o, rill_block_least(part))];
        if (counts) {
            sums.large += !o.large; /* the last of a large one */
            sums.small++;
        } else if (work == RILL_DIFFUSION_LABEL) {
            const rill_block_sums one = rill_block_label(f, &o, part, now);
            sums.large += one.large;
            sums.small += one.small;
        } else if (work == RILL_DIFFUSION_LINKS) {
            rill_block_exchange e;
            rill_block_exchanges(many, f, &o, part, own, &e);
            sums.large += f->level.begin[own] = e.count;
        } else
            sums.large += put ? rill_block_list(many, f, &o, part, own, now.large) : f->level.begin[own];
    }
    return sums;
}

/** Return y (axis 1) or z (2) of the first voxels of row k of blocks. */
RILL_FN uint32_t rill_block_row(const rill_diffusion_grid *g, const uint32_t k, const int axis)
{
    const uint32_t along = (g->n[1] + RILL_BLOCK_EDGE - 1) / RILL_BLOCK_EDGE;
    return RILL_BLOCK_EDGE * (axis == 1 ? k % along : k / along);
}

/** See word w of row m, 0 ... 15, of a row of blocks; it is empty where there is none. */
RILL_FN rill_diffusion_word rill_block_look(const rill_diffusion_grid *g, const uint32_t w, const uint32_t y,
                                            const uint32_t z, const uint32_t m)
{
    const uint32_t at[2] = {y + m % RILL_BLOCK_EDGE, z + m / RILL_BLOCK_EDGE};
    rill_diffusion_word none;
    none.here = 0;
    return w < g->words && at[0] < g->n[1] && at[1] < g->n[2] ? rill_diffusion_look(g, w, at[0], at[1])
                                                              : none;
}

/** Return where row k of blocks begins to number. */
RILL_FN rill_block_sums rill_block_start(const rill_diffusion_work work, const rill_diffusion *f,
                                         const uint32_t k)
{
    rill_block_sums at = {0, 0};
    if (rill_block_puts(work)) at = f->before[k];
    return at;
}

#endif
