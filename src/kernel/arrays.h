/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file arrays.h
 * The arrays of a domain as kernels see them.
 */
#ifndef RILL_KERNEL_ARRAYS_H
#define RILL_KERNEL_ARRAYS_H

#include "rill.h"

/**
 * Rows are `stride` long: the number of nodes, rounded up so that vectors may run over its end; the list
 * holds walls there.
 */
typedef struct rill_arrays {
    void *populations;     /**< [q][stride] */
    const rill_node *list; /**< pull index list [q - 1][stride] */
    size_t stride;
} rill_arrays;

/** `stride` is a multiple of this many nodes. */
enum { RILL_STRIDE_NODES = 64 };

#endif
