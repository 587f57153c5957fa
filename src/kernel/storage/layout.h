/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file layout.h
 * Where slots lie in memory: slot (row, number) of a rill_arrays.
 *
 * On a CPU rows lie one behind the other, [q][stride], so that runs of nodes are copied whole. On a GPU
 * RILL_BUNDLE nodes lie together, [stride / RILL_BUNDLE][q][RILL_BUNDLE]: rows of a bundle are a constant
 * distance apart, which instructions hold as an immediate operand, where a distance of `stride` costs two
 * additions for every population read and written, more than their collision has multiplications.
 * Density and momentum of a node (RILL_MACROSCOPIC) lie together there.
 */
#ifndef RILL_KERNEL_LAYOUT_H
#define RILL_KERNEL_LAYOUT_H

#include "kernel/storage/stream.h"

/** What decides where populations are and how they are stored: compile-time constants. */
typedef struct rill_layout {
    int lattice, stream, addressing, bounce, storage, shift;
} rill_layout;

/** Nodes that lie together on a GPU; a divisor of RILL_SEGMENT_BLOCK, of which strides are multiples. */
enum { RILL_BUNDLE = 32 };

/** Return where node or ghost `number` is in its row: a ring buffer wraps around. */
RILL_FN size_t rill_slot_place(const int stream, const rill_arrays *arrays, const rill_node number)
{
    if (!rill_stream_ring(stream)) return number;
    const uint32_t past =
        (uint32_t)(arrays->stride - arrays->ring); /* the first that wraps around; 32 bits suffice */
    return (uint32_t)(number + (uint32_t)(arrays->ring - (number >= past ? arrays->stride : 0)));
}

#if defined(__CUDACC__)
/** Return the offset of slot (0, number), in populations; row i is i * RILL_BUNDLE behind it. */
RILL_FN size_t rill_bundle_offset(const int lattice, const int stream, const rill_arrays *arrays,
                                  const rill_node number)
{
    const size_t place = rill_slot_place(stream, arrays, number), first = place & ~(size_t)(RILL_BUNDLE - 1);
    return first * (size_t)(rill_q(lattice) - 1) + place;
}
#endif

/** Return the offset of a slot in populations. */
RILL_FN size_t rill_slot_offset(const int lattice, const int stream, const rill_arrays *arrays,
                                const rill_slot slot)
{
#if defined(__CUDACC__)
    if (rill_stream_macroscopic(stream))
        return (size_t)slot.number * (uint32_t)rill_stream_rows(lattice, stream) + slot.row;
    return rill_bundle_offset(lattice, stream, arrays, slot.number) + (size_t)slot.row * RILL_BUNDLE;
#else
    (void)lattice;
    return (size_t)slot.row * arrays->stride + rill_slot_place(stream, arrays, slot.number);
#endif
}

#endif
