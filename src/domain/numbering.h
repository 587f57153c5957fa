/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file numbering.h
 * Numbers of voxels by rank in an occupancy bitmap: 12 bytes per 64 voxels instead of 4 per voxel.
 *
 * A domain may have more nodes than 32 bits number, its parts may not (parts.h). Words have the low 32 bits
 * of their number in the whole, and planes all bits: no plane has 2^32 cells, so that the word's follow.
 *
 * The box of a numbering is periodic. A geometry whose side is mirrored or walled has one more layer of solid
 * voxels behind the last along that axis, so that nothing passes and ghosts have a place.
 */
#ifndef RILL_DOMAIN_NUMBERING_H
#define RILL_DOMAIN_NUMBERING_H

#include "kernel/storage/address.h"
#include "rill.h"

#define RILL_NO_NODE UINT64_MAX /**< in place of a number in the whole: there is none */

/** Rows of 64-cell words; rows are padded to whole words. Without `occupied` and `base` it is known only how
 * many nodes planes have: see layers.h. */
typedef struct rill_numbering {
    uint32_t n[3]; /**< cells along x, y, z, the solid layers included */
    size_t row_words;
    uint64_t *occupied; /**< [nz][ny][row_words], bit x % 64 of word x / 64 */
    rill_node *base;    /**< [nz][ny][row_words], numbered cells before the word, the low 32 bits */
    uint64_t *before;   /**< [nz + 1], numbered cells in the planes before */
    uint64_t nodes;
} rill_numbering;

/** Number the fluid voxels. @return RILL_USAGE without any, with more than 2^32 - 2 of them in a plane or
 * with an axis of more than 2^31 - 1 */
rill_status rill_numbering_create(const rill_geom *geom, rill_numbering *out);

/** Count the fluid voxels of planes instead, as far as `before` goes. */
rill_status rill_numbering_count(const rill_geom *geom, rill_numbering *out);

/** Lay out a box, to be numbered. @param[in] n  cells */
rill_status rill_numbering_begin(const uint32_t n[3], rill_numbering *out);

/** Number the cells that are occupied. */
void rill_numbering_finish(rill_numbering *numbering);

/** Refuse a numbering without nodes, and one with planes of more nodes than 32 bits number. @return
 * RILL_USAGE
 */
rill_status rill_numbering_check(const rill_numbering *numbering);

/** Refuse more nodes than 32 bits number: those of one part, or what `what` needs. @return RILL_USAGE */
rill_status rill_numbering_check_32(uint64_t nodes, const char *what);

/** Free what is known of each node. */
void rill_numbering_release(rill_numbering *numbering);

/**
 * Number the cells that are not in `fluid` and lie at n + d of one that is, for any of the offsets d, from 0
 * on in lexicographic order; none is no error.
 */
rill_status rill_numbering_ghosts(const rill_numbering *fluid, const int8_t (*offsets)[3], int count,
                                  rill_numbering *out);

/** Free the arrays. */
void rill_numbering_destroy(rill_numbering *numbering);

/** Return the bytes of the numbering of a geometry. */
uint64_t rill_numbering_bytes(const rill_geom *geom);

/** Return those that a domain of it holds: fewer where several processes hold the voxels. */
uint64_t rill_numbering_held(const rill_geom *geom);

/** Return how many nodes of plane z lie before (x, y, z). */
static inline rill_node rill_numbering_within(const rill_numbering *numbering, uint32_t x, uint32_t y,
                                              uint32_t z)
{
    const size_t plane = (size_t)z * numbering->n[1] * numbering->row_words,
                 word = plane + y * numbering->row_words + x / 64;
    const uint64_t below = ((uint64_t)1 << (x % 64)) - 1;
    return numbering->base[word] - numbering->base[plane] +
           (rill_node)__builtin_popcountll(numbering->occupied[word] & below);
}

/** Return the first node at or behind (x, y, z). */
static inline rill_global_node rill_numbering_rank(const rill_numbering *numbering, uint32_t x, uint32_t y,
                                                   uint32_t z)
{
    return numbering->before[z] + rill_numbering_within(numbering, x, y, z);
}

/** Return whether (x, y, z) is numbered. */
static inline bool rill_numbering_has(const rill_numbering *numbering, uint32_t x, uint32_t y, uint32_t z)
{
    const size_t word = ((size_t)z * numbering->n[1] + y) * numbering->row_words + x / 64;
    return numbering->occupied[word] >> (x % 64) & 1;
}

/** Return the node at (x, y, z), RILL_NO_NODE where there is none. */
static inline rill_global_node rill_numbering_node(const rill_numbering *numbering, uint32_t x, uint32_t y,
                                                   uint32_t z)
{
    return rill_numbering_has(numbering, x, y, z) ? rill_numbering_rank(numbering, x, y, z) : RILL_NO_NODE;
}

/** Return the number of nodes in planes below z. */
static inline rill_global_node rill_numbering_before_plane(const rill_numbering *numbering, uint32_t z)
{
    return numbering->before[z];
}

/** Write x, y, z of nodes first … first + count - 1. */
void rill_numbering_places(const rill_numbering *numbering, rill_global_node first, rill_node count,
                           uint32_t (*places)[3]);

/** Write the cells x + nx (y + ny z) of nodes first … first + count - 1, in a box of fewer than 2^32 cells.
 */
void rill_numbering_cells(const rill_numbering *numbering, rill_node first, rill_node count,
                          rill_node *cells);

#endif
