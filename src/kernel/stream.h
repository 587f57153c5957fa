/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file stream.h
 * Streaming schemes as maps from (node, velocity) to places in the population arrays.
 *
 * An array is [q][stride], direction-major. Before a step, node n finds its incoming population i in
 * rill_slot_in(); after colliding it puts its outgoing population opp(i), the one that leaves along the
 * same link, into rill_slot_out(). `upstream` is the node n - c_i or RILL_UPSTREAM_WALL; where there is
 * a wall, the outgoing population of opp(i) is found as incoming i at the next step: half-way
 * bounce-back (Ladd 1994, doi:10.1017/S0022112094001771).
 *
 *   pull  two arrays. in: (i, upstream), wall (opp i, n); out, in the other array: (opp i, n).
 *         @see Wittmann et al. (2013), doi:10.1016/j.camwa.2012.05.002
 *   AA    one array. Even steps work on the node's own slots, in = out = (i, n); odd steps on
 *         (opp i, upstream), wall (i, n). @see Bailey et al. (2009), doi:10.1109/ICPP.2009.38
 *
 * The slot of a wall link, rill_slot_in() with RILL_UPSTREAM_WALL, holds between two steps what the wall
 * sends back; link boundaries rewrite it.
 */
#ifndef RILL_KERNEL_STREAM_H
#define RILL_KERNEL_STREAM_H

#include "kernel/address.h"
#include "kernel/lattice.h"

/** Return whether rill_slot_in() looks at the upstream node. */
RILL_CONSTANT_FN bool rill_slot_in_looks(const int stream, const int parity)
{
    return stream == RILL_PULL || parity == 1;
}

/** Return how many kinds of step a scheme alternates between. */
RILL_CONSTANT_FN int rill_stream_parities(const int stream) { return stream == RILL_AA ? 2 : 1; }

/** Return whether a scheme reads and writes different arrays. */
RILL_CONSTANT_FN bool rill_stream_two_arrays(const int stream) { return stream == RILL_PULL; }

/** Return where node n finds incoming population i. @param parity step number & 1 */
RILL_FN size_t rill_slot_in(const int stream, const int parity, const size_t stride, const int i,
                            const rill_node n, const rill_node upstream)
{
    const int opposite = rill_opposite(i);
    const bool wall = upstream == RILL_UPSTREAM_WALL;
    if (stream == RILL_PULL) return wall ? (size_t)opposite * stride + n : (size_t)i * stride + upstream;
    if (parity == 0 || wall) return (size_t)i * stride + n;
    return (size_t)opposite * stride + upstream;
}

/** Return where node n puts outgoing population opp(i), for schemes whose out slots are not their in slots.
 */
RILL_FN size_t rill_slot_out(const int stream, const size_t stride, const int i, const rill_node n)
{
    (void)stream;
    return (size_t)rill_opposite(i) * stride + n;
}

#endif
