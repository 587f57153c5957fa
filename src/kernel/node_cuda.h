/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file node_cuda.h
 * How a GPU thread reads and writes the populations of its node; see node.h.
 */
#ifndef RILL_KERNEL_NODE_CUDA_H
#define RILL_KERNEL_NODE_CUDA_H

#include "kernel/address.h"
#include "kernel/plan.h"
#include "kernel/storage.h"

enum { RILL_BLOCK = 1, RILL_VECTORS = 1 };

/** Links of a node, 32 bits each and one for its wall; slots follow from them. */
typedef struct rill_block {
    rill_node meeting[RILL_Q_MAX];
    uint32_t walls;
} rill_block;

/** Find where the incoming populations are. @return false for a voxel that is no fluid node */
RILL_FN bool rill_block_gather(const rill_plan plan, const int parity, const rill_arrays *arrays,
                               const rill_node n, rill_block *block)
{
    const rill_place place = rill_place_of(plan.stream, plan.addressing, arrays, n);
    if (!place.fluid) return false;
    block->walls = 0;
    RILL_UNROLL
    for (int i = 0; i < rill_q(plan.lattice); i++) {
        rill_link link = {n, false};
        if (i > 0 &&
            (rill_slot_looks(plan.stream, parity, false) || rill_slot_looks(plan.stream, parity, true)))
            link = rill_link_of(plan.lattice, plan.stream, plan.addressing, plan.bounce, arrays, &place, i);
        block->meeting[i] = link.meeting;
        block->walls |= (uint32_t)link.wall << i;
    }
    return true;
}

/** Return incoming population i. */
RILL_FN rill_real rill_block_get(const rill_plan plan, const int parity, const rill_arrays *arrays,
                                 const int i, const rill_node n, const int v, const rill_block *block)
{
    (void)v;
    const rill_link link = {block->meeting[i], (bool)(block->walls >> i & 1)};
    return rill_storage_load(plan.storage, arrays->populations,
                             rill_slot_in(plan.stream, parity, arrays, i, n, link));
}

/** Write into the in slot of direction i. */
RILL_FN void rill_block_set(const rill_plan plan, const int parity, const rill_arrays *arrays, const int i,
                            const rill_node n, const rill_block *block, const rill_real value)
{
    const rill_link link = {block->meeting[i], (bool)(block->walls >> i & 1)};
    rill_storage_store(plan.storage, arrays->populations,
                       rill_slot_in(plan.stream, parity, arrays, i, n, link), value);
}

/** Put what leaves along the link that i came in by. */
RILL_FN void rill_block_put(const rill_plan plan, const int parity, const rill_arrays *arrays, const int i,
                            const rill_node n, const int v, rill_block *block, const rill_real value)
{
    (void)v;
    const rill_link link = {block->meeting[i], (bool)(block->walls >> i & 1)};
    rill_storage_store(plan.storage, arrays->populations,
                       rill_slot_out(plan.stream, parity, arrays, i, n, link), value);
}

/** Nothing is left to write. */
RILL_FN void rill_block_scatter(const rill_plan plan, const int parity, const rill_arrays *arrays,
                                const rill_node n, rill_block *block)
{
    (void)plan, (void)parity, (void)arrays, (void)n, (void)block;
}

#endif
