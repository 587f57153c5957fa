/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file node_cpu.h
 * How a CPU thread reads and writes the populations of a block of 64 nodes, collided RILL_LANES at a time:
 * where a step looks upstream, they are copied segment by segment (domain/segments.h) between the arrays and
 * a buffer in the first-level cache, so that pores are read and written in vectors although their nodes are
 * not neighbours in memory.
 */
#ifndef RILL_KERNEL_NODE_CPU_H
#define RILL_KERNEL_NODE_CPU_H

#include "kernel/address.h"
#include "kernel/plan.h"
#include "kernel/storage.h"

enum { RILL_BLOCK = RILL_SEGMENT_BLOCK, RILL_VECTORS = RILL_BLOCK / RILL_LANES };

/** The populations of a block. */
typedef struct rill_block {
    rill_scalar row[RILL_Q_MAX][RILL_BLOCK] __attribute__((aligned(64)));
} rill_block;

/** Copy a block's populations between its buffer and their slots, class by class. @param into the buffer, or
 * out */
RILL_FN void rill_block_copy(const rill_plan plan, const int parity, const bool into,
                             const rill_arrays *arrays, const rill_node n, rill_block *block)
{
    size_t rows[2][RILL_Q_MAX]; /* slots of node 0, upstream and at a wall: slots are linear in the node */
    for (int i = 1; i < rill_q(plan.lattice); i++) {
        rows[0][i] = rill_slot_in(plan.stream, parity, arrays, i, 0, (rill_link){0, false});
        rows[1][i] = rill_slot_in(plan.stream, parity, arrays, i, 0, (rill_link){0, true});
    }
    const uint64_t *offsets = arrays->segments.offsets + (size_t)(n / RILL_BLOCK) * RILL_SEGMENT_CLASSES;
    RILL_UNROLL
    for (int class = 0; class < RILL_SEGMENT_CLASSES; class ++) {
        const int part = 1 << class;
        RILL_NO_UNROLL
        for (uint64_t k = offsets[class]; k < offsets[class + 1]; k++) {
            const rill_segment s = arrays->segments.segments[k];
            const size_t slot = rows[s.wall][s.direction] + s.node, behind = (size_t)s.length - (size_t)part;
            rill_scalar *values = block->row[s.direction] + s.lane;
            if (into) {
                rill_storage_load_part(plan.storage, arrays->populations, slot, values, part);
                rill_storage_load_part(plan.storage, arrays->populations, slot + behind, values + behind,
                                       part);
            } else {
                rill_storage_store_part(plan.storage, arrays->populations, slot, values, part);
                rill_storage_store_part(plan.storage, arrays->populations, slot + behind, values + behind,
                                        part);
            }
        }
    }
}

/** Ask for what the next block will gather: segments jump about too much for the processor to foresee. */
RILL_FN void rill_block_prefetch(const rill_plan plan, const int parity, const rill_arrays *arrays,
                                 const rill_node n)
{
    const rill_node *ahead =
        arrays->segments.ahead + (size_t)(n / RILL_BLOCK + 1) * (size_t)(rill_q(plan.lattice) - 1);
    RILL_NO_UNROLL
    for (int i = 1; i < rill_q(plan.lattice); i++) {
        const char *line = (const char *)arrays->populations +
                           rill_slot_in(plan.stream, parity, arrays, i, 0, (rill_link){ahead[i - 1], false}) *
                               rill_storage_size(plan.storage);
        RILL_UNROLL
        for (size_t k = 0; k < RILL_BLOCK * rill_storage_size(plan.storage); k += 64)
            __builtin_prefetch(line + k);
    }
}

/** Copy the incoming populations of a block into its buffer, where a step looks upstream. */
RILL_FN bool rill_block_gather(const rill_plan plan, const int parity, const rill_arrays *arrays,
                               const rill_node n, rill_block *block)
{
    if (rill_slot_looks(plan.stream, parity, false)) rill_block_copy(plan, parity, true, arrays, n, block);
    return true;
}

/** Copy a block's buffer to where its populations came from. */
RILL_FN void rill_block_scatter(const rill_plan plan, const int parity, const rill_arrays *arrays,
                                const rill_node n, rill_block *block)
{
    if (rill_slot_looks(plan.stream, parity, false) && !rill_stream_two_arrays(plan.stream))
        rill_block_copy(plan, parity, false, arrays, n, block);
}

/** Return incoming populations i of vector v, which starts at node n. */
RILL_FN rill_real rill_block_get(const rill_plan plan, const int parity, const rill_arrays *arrays,
                                 const int i, const rill_node n, const int v, const rill_block *block)
{
    if (i == 0 || !rill_slot_looks(plan.stream, parity, false))
        return rill_storage_load_row(plan.storage, arrays->populations,
                                     rill_slot_in(plan.stream, parity, arrays, i, n, (rill_link){n, false}));
    rill_real value;
    memcpy(&value, block->row[i] + v * RILL_LANES, sizeof value);
    return value;
}

/** Write into the in slots of direction i, one by one. */
RILL_FN void rill_block_set(const rill_plan plan, const int parity, const rill_arrays *arrays, const int i,
                            const rill_node n, const rill_block *block, const rill_real value)
{
    (void)block;
    RILL_NO_UNROLL
    for (int l = 0; l < RILL_LANES; l++) {
        const rill_node node = n + (rill_node)l;
        const rill_place place = rill_place_of(plan.stream, plan.addressing, plan.bounce, arrays, node);
        const rill_link link =
            rill_slot_looks(plan.stream, parity, false)
                ? rill_link_of(plan.lattice, plan.stream, plan.addressing, plan.bounce, arrays, &place, i)
                : (rill_link){node, false};
        rill_storage_store(plan.storage, arrays->populations,
                           rill_slot_in(plan.stream, parity, arrays, i, node, link), value[l]);
    }
}

/** Put what leaves along the links that i came in by: into the out slots, or into the buffer. */
RILL_FN void rill_block_put(const rill_plan plan, const int parity, const rill_arrays *arrays, const int i,
                            const rill_node n, const int v, rill_block *block, const rill_real value)
{
    if (rill_stream_two_arrays(plan.stream))
        rill_storage_store_row(plan.storage, arrays->populations,
                               rill_slot_out(plan.stream, parity, arrays, i, n, (rill_link){n, false}),
                               value);
    else if (i == 0 || !rill_slot_looks(plan.stream, parity, false))
        rill_storage_store_row(plan.storage, arrays->populations,
                               rill_slot_in(plan.stream, parity, arrays, i, n, (rill_link){n, false}), value);
    else
        memcpy(block->row[i] + v * RILL_LANES, &value, sizeof value);
}

#endif
