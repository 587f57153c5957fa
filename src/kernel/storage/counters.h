/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file `counters.h`
 * How the blocks of a step of a ring buffer follow each other on a GPU, all in one launch.
 *
 * A step moves populations by `shift` entries, so node n writes where node n - shift was, which the nodes
 * within `reach` of that one read. Blocks start in the order of their nodes; each counts itself in when it
 * has read, in a counter for every group of nodes, and writes when all groups that hold such readers are
 * complete. These lie further back than a GPU works on at a time, and the counters are read long before they
 * are needed, so that blocks hardly ever wait. Counters are never cleared: they go on counting. Waiting for
 * blocks of lower numbers is what decoupled look-back relies on, too (Merrill & Garland 2016, NVIDIA
 * Technical Report NVR-2016-002).
 */
#ifndef RILL_KERNEL_COUNTERS_H
#define RILL_KERNEL_COUNTERS_H

#include "kernel/storage/arrays.h"
#include "kernel/platform.h"

/** Counters that a block reads at most, what is left over between them and the writers, and words from
 * counter to counter: far enough apart that the units of the second-level cache share them. */
enum { RILL_COUNTERS_MOST = 12, RILL_COUNTERS_UNIT = 1024, RILL_COUNTERS_WORDS = 32 };

/** Return k of the 2^k nodes of a group. */
RILL_FN uint32_t rill_counters_bits(const uint64_t reach)
{
    uint32_t bits = 14;
    while (2 * reach / (RILL_COUNTERS_MOST - 2) >> bits) bits++;
    return bits;
}

/** Return the bytes of the counters. */
RILL_FN uint64_t rill_counters_bytes(const uint64_t nodes, const uint64_t reach)
{
    return ((nodes >> rill_counters_bits(reach)) + 1) * RILL_COUNTERS_WORDS * sizeof(uint32_t);
}

/**
 * Return the first of the groups whose nodes must have been read before nodes first … first + nodes - 1 are
 * written. @param[out] count  how many there are
 */
RILL_FN uint32_t rill_counters_readers(const rill_arrays *arrays, const uint64_t first, const uint32_t nodes,
                                       uint32_t *count)
{
    const uint64_t last = first + nodes - 1 + arrays->reach, back = arrays->shift + arrays->reach;
    const uint32_t low = first > back ? (uint32_t)((first - back) >> arrays->counter_bits) : 0;
    *count = last < arrays->shift ? 0 : (uint32_t)((last - arrays->shift) >> arrays->counter_bits) - low + 1;
    return low;
}

#endif
