/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file arrays.h
 * The arrays of a domain as kernels see them.
 */
#ifndef RILL_KERNEL_ARRAYS_H
#define RILL_KERNEL_ARRAYS_H

#include "rill.h"

/** Nodes of a block whose links are described together; strides are multiples of it. */
enum { RILL_SEGMENT_BLOCK = 64, RILL_SEGMENT_CLASSES = 6 };

/** A run of nodes of a block whose upstream nodes are consecutive, or which all have a wall upstream. */
typedef struct rill_segment {
    rill_node node;    /**< upstream of the first node; the first node itself where there is a wall */
    uint8_t direction; /**< i */
    uint8_t lane;      /**< first node, counted from the block's */
    uint8_t length;
    uint8_t wall; /**< 1: wall upstream */
} rill_segment;

/**
 * The pull list again, as segments: CPU kernels read these few words instead of the list. Those of a block
 * are sorted by class, 2^class … 2^(class + 1) - 1 nodes (the last one holds all longer ones), so that
 * copying them takes two copies of 2^class nodes that overlap, and no branch that depends on the geometry.
 */
typedef struct rill_segments {
    rill_segment *segments;
    uint64_t *offsets; /**< [blocks * RILL_SEGMENT_CLASSES + 1], where a class of a block begins */
    rill_node *ahead;  /**< [blocks + 1][q - 1], the first upstream node of a block, for prefetching */
} rill_segments;

/**
 * Rows are `stride` long: the number of nodes, rounded up to whole blocks; the list holds walls there.
 */
typedef struct rill_arrays {
    void *populations;     /**< [q][stride], and RILL_SEGMENT_BLOCK values behind the last row */
    const rill_node *list; /**< pull index list [q - 1][stride] */
    size_t stride;
    rill_segments segments; /**< CPU only */
} rill_arrays;

#endif
