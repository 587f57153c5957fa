/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file stream.h
 * Streaming schemes as maps from (node, velocity) to slots of the population arrays.
 *
 * Between two steps every link from n - c_i to n holds the population that comes in along i, and, the other
 * way, the one along opp(i). A scheme keeps the pair at its storage node n + d_i, in rows i and
 * opp(i); rows are `stride` long. A step reads incoming population i from rill_slot_in(), collides, and puts
 * the outgoing population opp(i), the one that leaves along the same link, into rill_slot_out(): for schemes
 * in place that is the slot just read, and the next step, of the other kind, finds it there as its
 * neighbour's incoming population.
 *
 *   scheme          arrays  d_i                            row at even / odd steps
 *   `pull, ring`    2, 1    -c_i                           i; out: opp(i) at n, in the other array or entry
 *   push            2       0; out: -c_i                   i; out: opp(i)
 *   AA              1       even 0, odd -c_i               i / opp(i)
 *   Esoteric Twist  1       max(0, -c_i), component-wise   i / opp(i)
 *   Esoteric Pull   1       0 for odd i, -c_i for even i   i / opp(i)
 *   Esoteric Push   1       -c_i for odd i, 0 for even i   i / opp(i)
 *
 *   macroscopic     2       -c_i                           none: density and momentum, see below
 *
 * Macroscopic (equilibrium storage): at tau = 1 and magic = 1/4 (or SRT) the populations that leave a node
 * are its equilibrium, and with that of Stokes flow they are w_i (rho - 1 + 3 c_i · m), m = rho u + F / 2.
 * Rows are rho - 1 and 3 m. They are stored at home in one array, and read upstream by the step that writes
 * the other.
 *
 * Where n - c_i is a wall, half-way bounce-back (Ladd 1994, doi:10.1017/S0022112094001771) returns the
 * outgoing opp(i) as incoming i one step later. Schemes with n + d_i upstream fall back to the node
 * itself (AA: row i, pull: row opp(i)); the Esoteric ones, whose storage node may be solid and is a ghost
 * then, keep such a link in row i at all steps. Full-way bounce-back lets rows alternate there too, so that
 * the population comes back after two steps.
 *
 * @see Wittmann et al. (2013), doi:10.1016/j.camwa.2012.05.002 (pull, push); Bailey et al. (2009),
 *      doi:10.1109/ICPP.2009.38 (AA); Geier & Schönherr (2017), doi:10.3390/computation5020019 (Esoteric
 *      Twist); Lehmann (2022), doi:10.3390/computation10060092 (Esoteric Pull, Push); Zhou (2021),
 *      doi:10.3390/w13010061 (macroscopic)
 */
#ifndef RILL_KERNEL_STREAM_H
#define RILL_KERNEL_STREAM_H

#include "kernel/storage/arrays.h"
#include "kernel/lattice.h"

/** What a scheme keeps where. */
typedef enum rill_slots {
    RILL_SLOTS_UPSTREAM,    /**< outgoing populations at home, looked for upstream by the next step */
    RILL_SLOTS_DOWNSTREAM,  /**< incoming ones at home, put downstream by the step before */
    RILL_SLOTS_TURNS,       /**< in place: of the node itself in even steps, upstream in odd ones */
    RILL_SLOTS_STORAGE_NODE /**< in place: at n + d_i in all steps, a ghost where that is solid */
} rill_slots;

/** Return what a scheme keeps where. */
RILL_CONSTANT_FN rill_slots rill_stream_slots(const int stream)
{
    enum { bits = 2 };
    const uint32_t all = 0
#define RILL_STREAM(value, name, slots, kinds, looks, ring, chased, meeting)                                 \
    | (uint32_t)RILL_SLOTS_##slots << bits * RILL_##value
#include "kernel/variants.def"
        ;
    return (rill_slots)(all >> bits * stream & ((1u << bits) - 1));
}

/** Return whether the array is a ring buffer, in which every step moves all entries on. */
RILL_CONSTANT_FN bool rill_stream_ring(const int stream)
{
    const uint32_t all = 0
#define RILL_STREAM(value, name, slots, kinds, looks, ring, chased, meeting)                                 \
    | (uint32_t)(ring) << RILL_##value
#include "kernel/variants.def"
        ;
    return all >> stream & 1;
}

/**
 * Return how many links of a node storage nodes can be chased by: 6 both ways along the axes, 3 where no
 * component of d_i is negative, so that links share the storage nodes at the corners of a cell, 0 if the
 * scheme does not go with the addressing chase.
 */
RILL_CONSTANT_FN int rill_stream_chased(const int stream)
{
#define RILL_STREAM(value, name, slots, kinds, looks, ring, chased, meeting)                                 \
    if (stream == RILL_##value) return chased;
#include "kernel/variants.def"
    return 0;
}

/** Return whether the scheme is one of the Esoteric family. */
RILL_CONSTANT_FN bool rill_stream_esoteric(const int stream)
{
    return rill_stream_slots(stream) == RILL_SLOTS_STORAGE_NODE;
}

/** Return whether populations are pulled: read upstream, written at home. */
RILL_CONSTANT_FN bool rill_stream_pulls(const int stream)
{
    return rill_stream_slots(stream) == RILL_SLOTS_UPSTREAM;
}

/** Return whether density and momentum are stored instead of populations. */
RILL_CONSTANT_FN bool rill_stream_macroscopic(const int stream) { return stream == RILL_MACROSCOPIC; }

/** Return the rows of an array: populations, or density and momentum. */
RILL_CONSTANT_FN int rill_stream_rows(const int lattice, const int stream)
{
    return rill_stream_macroscopic(stream) ? 1 + rill_dimensions(lattice) : rill_q(lattice);
}

/** Return how many kinds of step a scheme alternates between: 1 or 2. */
RILL_CONSTANT_FN int rill_stream_parities(const int stream)
{
    const uint32_t two = 0
#define RILL_STREAM(value, name, slots, kinds, looks, ring, chased, meeting)                                 \
    | (uint32_t)((kinds) == 2) << RILL_##value
#include "kernel/variants.def"
        ;
    return two >> stream & 1 ? 2 : 1;
}

/** Return whether outgoing populations go to the very slots that incoming ones came from. */
RILL_CONSTANT_FN bool rill_stream_in_place(const int stream) { return rill_stream_parities(stream) == 2; }

/** Return whether a scheme reads and writes different arrays. */
RILL_CONSTANT_FN bool rill_stream_two_arrays(const int stream)
{
    return !rill_stream_in_place(stream) && !rill_stream_ring(stream);
}

/** Which slots depend on neighbours: bit `parity` of incoming populations, bit 2 + `parity` of outgoing ones.
 */
enum { RILL_LOOKS_IN = 3, RILL_LOOKS_OUT = 12, RILL_LOOKS_ODD = 10, RILL_LOOKS_ALWAYS = 15 };

/** Return whether slots of a step, of incoming or of outgoing populations, depend on neighbours. */
RILL_CONSTANT_FN bool rill_slot_looks(const int stream, const int parity, const bool out)
{
    const uint64_t all = 0
#define RILL_STREAM(value, name, slots, kinds, looks, ring, chased, meeting)                                 \
    | (uint64_t)RILL_LOOKS_##looks << 4 * RILL_##value
#include "kernel/variants.def"
        ;
    const int kinds = (int)(all >> (4 * stream + 2 * out) & 3);
    return kinds == 3 || (kinds != 0 && parity == kinds >> 1);
}

/** Return component `axis` of d_i, the way from n to where the populations of link i meet. */
RILL_FN int rill_meeting(const int lattice, const int stream, const int i, const int axis)
{
    const int c = rill_c(lattice, i, axis);
#define RILL_STREAM(value, name, slots, kinds, looks, ring, chased, meeting)                                 \
    if (stream == RILL_##value) return meeting;
#include "kernel/variants.def"
    return -c;
}

/** The link of a node along velocity i: see address.h for how it is found. */
typedef struct rill_link {
    rill_node meeting; /**< number of n + d_i; n itself where a wall or an even AA step keeps to the node */
    bool wall;         /**< n - c_i is solid; in full-way bounce-back never set */
} rill_link;

/** Where a population is: row i of node or ghost `number`, see layout.h for where that lies in memory. */
typedef struct rill_slot {
    uint32_t row;
    rill_node number;
} rill_slot;

/** Return where incoming population i of the node that `link` belongs to is. @param parity step & 1 */
RILL_FN rill_slot rill_slot_in(const int stream, const int parity, const int i, const rill_node n,
                               const rill_link link)
{
    const rill_slots slots = rill_stream_slots(stream);
    const bool turned = slots == RILL_SLOTS_UPSTREAM     ? link.wall
                        : slots == RILL_SLOTS_DOWNSTREAM ? false
                                                         : parity && !link.wall;
    const rill_slot slot = {(uint32_t)(turned ? rill_opposite(i) : i),
                            slots == RILL_SLOTS_DOWNSTREAM ? n : link.meeting};
    return slot;
}

/** Return where outgoing population opp(i) goes. */
RILL_FN rill_slot rill_slot_out(const int stream, const int parity, const int i, const rill_node n,
                                const rill_link link)
{
    const uint32_t opposite = (uint32_t)rill_opposite(i);
    const rill_slot home = {opposite, n}, away = {link.wall ? (uint32_t)i : opposite, link.meeting};
    if (rill_stream_pulls(stream)) return home;
    return rill_stream_slots(stream) == RILL_SLOTS_DOWNSTREAM ? away
                                                              : rill_slot_in(stream, parity, i, n, link);
}

#endif
