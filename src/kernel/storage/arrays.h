/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file arrays.h
 * The arrays of a domain as kernels see them.
 */
#ifndef RILL_KERNEL_ARRAYS_H
#define RILL_KERNEL_ARRAYS_H

#include "rill/types.h"

#include <stdbool.h>
#include <stddef.h>

/** Nodes of a block whose links are described together (strides are multiples of it), and of a vector. */
enum { RILL_SEGMENT_BLOCK = 64, RILL_SEGMENT_LANES = 16 };

/**
 * Nodes of a block whose links along a velocity are alike: storage nodes as far away, all or none with walls.
 * Where processors copy by masks (x86-64-v4) they are any of RILL_SEGMENT_LANES nodes, else a run of any
 * length.
 */
typedef struct rill_segment {
    rill_node
        node; /**< where the link of node `lane` meets, or would, see rill_link; RILL_SEGMENT_LANES more */
    uint16_t lanes; /**< mask: bit l stands for node lane + l; run: number of nodes */
    uint8_t row;    /**< 2 i, and 1 more with walls */
    uint8_t lane;   /**< counted from the block's first node; mask: a multiple of RILL_SEGMENT_LANES */
} rill_segment;

/**
 * Kinds of segments of a block, so that no branch depends on the geometry. Masks become those of copies, and
 * segments of one vector stay together; runs are sorted by class, 2^class … 2^(class + 1) - 1 nodes, so that
 * two copies that overlap are enough. Whole rows need not be copied.
 */
enum {
    RILL_WHOLE_ROW,    /**< masks: stands for four of all lanes, the first of which it is */
    RILL_WHOLE_VECTOR, /**< masks: of all lanes; for runs class 0, and so on */
    RILL_PAIR,         /**< two of a vector, one behind the other */
    RILL_TRIPLE,       /**< three */
    RILL_ODD_SEGMENT,  /**< what is left */
    RILL_SEGMENT_KINDS = 7
};

/** A list again, as segments: CPU kernels read these few words instead of it. */
typedef struct rill_segments {
    rill_segment *segments;
    uint64_t *offsets; /**< [blocks * RILL_SEGMENT_KINDS + 1], where a kind of a block begins */
} rill_segments;

/** Flags of a voxel (dense addressing). */
enum { RILL_FLAG_FLUID = 1, RILL_FLAG_EDGE = 2 /**< fluid, and a neighbour is solid */ };

/** Cells of a word of the occupancy bitmap, and nodes whose positions count from one word: those of a warp.
 */
enum { RILL_WORD_CELLS = 30, RILL_PLACE_BLOCK = 32 };

/** A word of the occupancy bitmap. */
typedef struct rill_word {
    uint32_t window; /**< bit b: cell b - 1 of the word is fluid (a ghost); the bits around repeat cells */
    rill_node base;  /**< number of the first fluid node (ghost) in the word or behind it */
} __attribute__((aligned(8))) rill_word; /* one load */

/** Parts of a position in a row of the bitmap, in `rill_arrays.places` and rill_start. */
enum {
    RILL_PLACE_BIT = 31,    /**< bit in the window of its word, 1 … RILL_WORD_CELLS */
    RILL_PLACE_FIRST = 32,  /**< first cell of its row */
    RILL_PLACE_LAST = 64,   /**< last cell of its row */
    RILL_PLACE_SHIFT = 7,   /**< from here on words behind that of the block's first node */
    RILL_PLACE_RUN = 1 << 7 /**< of a start: the block's nodes are cells side by side */
};

/** Where a block of RILL_PLACE_BLOCK nodes starts. */
typedef struct rill_start {
    uint32_t word;
    uint32_t place; /**< of its first node; of a run, RILL_PLACE_LAST is that of its last */
} __attribute__((aligned(8))) rill_start; /* one load */

/**
 * Groups of nodes that a thread steps at a time, where density and momentum are stored: 2 x 2 cells along y
 * and z, with one x. A lane of a warp has a group; the lanes beside have the cells beside, or it needs none
 * of them there. Lanes whose group is stepped elsewhere, or not fluid, lend their cells alone. A lane is
 * bit | nodes to step << RILL_LANE_NODES | (word - that of its warp) << RILL_LANE_WORD, of the cell with the
 * least y and z. See groups.h.
 */
enum {
    RILL_GROUP_SIDE = 2,
    RILL_GROUP_CELLS = RILL_GROUP_SIDE * RILL_GROUP_SIDE,
    RILL_WARP = 32,
    RILL_LANE_NODES = 5,
    RILL_LANE_WORD = RILL_LANE_NODES + RILL_GROUP_CELLS
};

/**
 * A domain as kernels see it; what a variant has no use for is NULL. Made by domain/links.h.
 */
typedef struct rill_arrays {
    void *populations; /**< q * stride, see layout.h, and on a processor RILL_SEGMENT_BLOCK values behind the
                          last */
    size_t stride;   /**< nodes and ghosts (and the additional entries of a ring buffer), rounded up to whole
                        blocks */
    rill_node nodes; /**< fluid nodes; all voxels of the box with dense addressing */
    rill_node ghosts, first_ghost; /**< number of ghosts, and the first of them */
    size_t ring, shift, reach; /**< ring buffer: where node 0 is, entries moved in a step, largest distance of
                                    neighbours */
    uint32_t *counters;        /**< ring buffer: progress counters of a GPU's blocks, see `counters.h` */
    uint32_t steps_before,
        counter_bits; /**< ring buffer: steps made before, logarithm of the nodes of a group */

    const rill_node *list;    /**< [rows][list_stride], see address.h; walls behind the last node */
    size_t list_stride;       /**< nodes (chase: and ghosts), rounded up to whole blocks */
    const uint32_t *walls;    /**< [stride] wall bits of nodes, see address.h */
    const uint8_t *flags;     /**< [nodes], dense: RILL_FLAG_… */
    const uint32_t *places;   /**< [nodes], bitmap: RILL_PLACE_… */
    const rill_start *starts; /**< [blocks], bitmap */
    uint32_t runs;            /**< bitmap: 1 where most blocks are runs, whose positions need not be read */
    const rill_word *words, *ghost_words; /**< [nz + 2][ny + 2][row], bitmap */
    uint32_t box[3];                      /**< dense: cells along x, y, z */
    uint32_t row, plane;                  /**< bitmap: words of a row, of a plane */
    uint32_t last_bit;                    /**< bitmap: bit of a row's last cell in its last word */
    const uint32_t *lanes; /**< GPU: [warps][RILL_WARP], and behind them the word of each warp; NULL where
                                nodes are stepped one by one */
    uint32_t warps;
    uint32_t ahead;         /**< GPU: nodes from the first of a block to those prefetched */
    rill_segments segments; /**< CPU with a list: the list again */
} rill_arrays;

/** Links along axes, which lead through openings, and bits of the number of an opening behind theirs. */
enum { RILL_AXIS_LINKS = 6, RILL_OPENING_SHIFT = 8 };

/**
 * The flow that carries a scalar. Through an opening nothing diffuses: what the flow takes along has phi of
 * the node where it leaves, and of what is outside where it enters.
 */
typedef struct rill_carrier {
    const double *moments; /**< [4][count], rho - 1 and velocity of nodes first ...; NULL: rates.velocity
                                carries it everywhere */
    rill_node first, count;
    bool over_density; /**< the velocity is momentum over density: what carries is the momentum, which alone
                            has no divergence where a compressible flow is steady */
    const uint32_t *open;  /**< [stride], bits 1 ... RILL_AXIS_LINKS: links along c_i that lead through an
                              opening,  behind RILL_OPENING_SHIFT its number; NULL: none */
    const double *outside; /**< [openings], phi of what enters; NaN: that of the node itself */
} rill_carrier;

#endif
