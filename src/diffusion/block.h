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
    uint32_t bit;     /**< of its first cells, in the word of the row */
    uint32_t cells;   /**< bits: a node is there that belongs to a chamber */
    uint32_t node[8]; /**< [cells] */
    uint8_t part[8];  /**< [cells], the least cell of the same chamber */
} rill_diffusion_block;

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

/** Blocks of a row that have nodes, one after the other. */
typedef struct rill_diffusion_row {
    const rill_diffusor *d;
    uint32_t y, z;                /**< of the first cells */
    uint32_t word;                /**< of 64 cells along x, the next one */
    uint64_t left;                /**< bits: the first cells of blocks to come in the word before that */
    rill_diffusion_word cells[4]; /**< that word of the four rows of cells */
} rill_diffusion_row;

/** Begin row k of the blocks. */
static inline rill_diffusion_row rill_diffusion_row_begin(const rill_diffusor *d, uint64_t k)
{
    const uint32_t along = rill_diffusion_blocks(d, 1);
    return (rill_diffusion_row){.d = d, .y = 2 * (uint32_t)(k % along), .z = 2 * (uint32_t)(k / along)};
}

/** See the next block of a row that has nodes, and find its chambers. @return false: there is none */
bool rill_diffusion_block_next(rill_diffusion_row *row, rill_diffusion_block *out);

/** See the node of a cell of the block that was seen last. */
static inline rill_diffusion_node rill_diffusion_cell_see(const rill_diffusion_row *row,
                                                          const rill_diffusion_block *b, uint32_t cell)
{
    const rill_diffusion_grid *g = &row->d->all.grid;
    return rill_diffusion_see(g->kind, g, &row->cells[cell / 2], b->bit + cell % 2, row->word - 1,
                              row->y + cell / 2 % 2, row->z + cell / 4, b->node[cell]);
}

#endif
