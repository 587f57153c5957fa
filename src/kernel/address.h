/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file address.h
 * Addressing: which node lies upstream of node n along velocity i.
 *
 * `list`: the pull index list, u32 [q - 1][stride], row i - 1 holds the number of node n - c_i, or
 * RILL_UPSTREAM_WALL where that is solid. The marker is a value of its own, because "n itself" is a
 * real neighbour on a periodic axis one cell long.
 */
#ifndef RILL_KERNEL_ADDRESS_H
#define RILL_KERNEL_ADDRESS_H

#include "kernel/platform.h"
#include "rill.h"

#define RILL_UPSTREAM_WALL 0xFFFFFFFFu

/** Return the row of the pull list that belongs to velocity i > 0. */
RILL_FN const rill_node *rill_upstream_row(const rill_node *list, const size_t stride, const int i)
{
    return list + (size_t)(i - 1) * stride;
}

#endif
