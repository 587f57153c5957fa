/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file numbering.h
 * Node numbers of voxels by rank in an occupancy bitmap: 12 bytes per 64 voxels instead of 4 per voxel.
 */
#ifndef RILL_DOMAIN_NUMBERING_H
#define RILL_DOMAIN_NUMBERING_H

#include "kernel/address.h"
#include "rill.h"

/** Rows of 64-cell words; rows are padded to whole words. */
typedef struct rill_numbering {
    uint32_t n[3];
    size_t row_words;
    uint64_t *occupied; /**< [nz][ny][row_words], bit x % 64 of word x / 64 */
    rill_node *base;    /**< [nz][ny][row_words], fluid nodes before the word */
    uint64_t nodes;
} rill_numbering;

/** Number the fluid voxels. @return RILL_USAGE without any or with more than 2^32 - 2 of them */
rill_status rill_numbering_create(const rill_geom *geom, rill_numbering *out);

/** Free the arrays. */
void rill_numbering_destroy(rill_numbering *numbering);

/** Return the bytes of a numbering. */
uint64_t rill_numbering_bytes(const uint32_t n[3]);

/** Return the node at (x, y, z), RILL_UPSTREAM_WALL where it is solid. */
static inline rill_node rill_numbering_node(const rill_numbering *numbering, uint32_t x, uint32_t y,
                                            uint32_t z)
{
    const size_t word = ((size_t)z * numbering->n[1] + y) * numbering->row_words + x / 64;
    const uint64_t bit = (uint64_t)1 << (x % 64), occupied = numbering->occupied[word];
    if (!(occupied & bit)) return RILL_UPSTREAM_WALL;
    return numbering->base[word] + (rill_node)__builtin_popcountll(occupied & (bit - 1));
}

#endif
