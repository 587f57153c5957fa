/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file block.h
 * Blocks of 2^3 voxels, whose nodes are joined.
 */
#ifndef RILL_DIFFUSION_BLOCK_H
#define RILL_DIFFUSION_BLOCK_H

#include "diffusion/diffusion.h"

/** A block. Cells are x + 2 y + 4 z. */
typedef struct rill_diffusion_block {
    uint32_t cells;   /**< bits: a node is there that belongs to a chamber */
    uint32_t node[8]; /**< [cells] */
    uint8_t part[8];  /**< [cells], the least cell of the same chamber */
} rill_diffusion_block;

/** See a block and find its chambers. */
rill_diffusion_block rill_diffusion_block_see(const rill_diffusor *d, uint32_t bx, uint32_t by, uint32_t bz);

/** Return the blocks along an axis. */
static inline uint32_t rill_diffusion_blocks(const rill_diffusor *d, int axis)
{
    return (d->all.grid.n[axis] + 1) / 2;
}

/** Return the rows of blocks. */
static inline uint64_t rill_diffusion_block_rows(const rill_diffusor *d)
{
    return (uint64_t)rill_diffusion_blocks(d, 1) * rill_diffusion_blocks(d, 2);
}

/** See a block in row k. */
static inline rill_diffusion_block rill_diffusion_block_of(const rill_diffusor *d, uint32_t bx, uint64_t k)
{
    const uint32_t along = rill_diffusion_blocks(d, 1);
    return rill_diffusion_block_see(d, bx, (uint32_t)(k % along), (uint32_t)(k / along));
}

/** See the node i of a cell of a block in row k. */
static inline rill_diffusion_node rill_diffusion_cell_see(const rill_diffusor *d, uint32_t bx, uint64_t k,
                                                          uint32_t cell, uint32_t i)
{
    const rill_diffusion_grid *g = &d->all.grid;
    const uint32_t along = rill_diffusion_blocks(d, 1), x = 2 * bx + (cell & 1);
    const uint32_t y = 2 * (uint32_t)(k % along) + (cell >> 1 & 1), z = 2 * (uint32_t)(k / along) + cell / 4;
    const rill_diffusion_word word = rill_diffusion_look(g, x / 64, y, z);
    return rill_diffusion_see(g->kind, g, &word, x % 64, x / 64, y, z, i);
}

#endif
