/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file view.h
 * What a collision sees of a node (RILL_LANES nodes on a CPU) beside its populations: whatever physics needs
 * more of a node than its populations finds it here, and neither the steps of backends nor other collisions
 * know of it.
 */
#ifndef RILL_KERNEL_VIEW_H
#define RILL_KERNEL_VIEW_H

#include "kernel/storage/arrays.h"
#include "kernel/moments.h"

/** A node. */
typedef struct rill_view {
    const rill_rates *rates;     /**< the same everywhere */
    const rill_carrier *carrier; /**< values at nodes that sets before this one have left */
    uint64_t node;               /**< its number as kernels know it, of several that of the first */
    rill_moments moments;        /**< of its populations; filled in by rill_collide() */
} rill_view;

#endif
