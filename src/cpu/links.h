/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file links.h
 * The links of a block, looked up lane by lane: for what has no segments.
 */
#ifndef RILL_CPU_LINKS_H
#define RILL_CPU_LINKS_H

#include "cpu/rows.h"
#include "kernel/storage/address.h"

/** The links of a block along one velocity. */
typedef struct rill_cpu_links {
    rill_node meeting[RILL_BLOCK];
    uint64_t walls; /**< bit l: rill_link.wall of lane l */
    bool whole;     /**< storage nodes of all lanes are successive, and all or none have walls */
} rill_cpu_links;

/** Find the links of the active lanes of the block at n: links [q]. */
typedef void rill_cpu_find_links(rill_variant variant, const rill_arrays *arrays, uint64_t n, uint64_t active,
                                 rill_cpu_links *links);

RILL_FN void rill_cpu_find(const int stream, const int addressing, const rill_variant v,
                           const rill_arrays *arrays, const uint64_t n, const uint64_t active,
                           rill_cpu_links *links)
{
    const int lattice = (int)v.lattice, bounce = (int)v.bounce;
    rill_place places[RILL_BLOCK];
    for (uint64_t left = active; left; left &= left - 1) {
        const int l = __builtin_ctzll(left);
        places[l] = rill_place_of(stream, addressing, arrays, (rill_node)n + (rill_node)l);
    }
    for (int i = 1; i < rill_q(lattice); i++) {
        uint64_t walls = 0;
        for (uint64_t left = active; left; left &= left - 1) {
            const int l = __builtin_ctzll(left);
            const rill_link link = rill_link_of(lattice, stream, addressing, bounce, arrays, &places[l], i);
            links[i].meeting[l] = link.meeting;
            walls |= (uint64_t)link.wall << l;
        }
        uint32_t apart = active != UINT64_MAX;
        for (int l = 1; l < RILL_BLOCK && !apart; l++)
            apart |= links[i].meeting[l] ^ (links[i].meeting[0] + (rill_node)l);
        links[i].walls = walls;
        links[i].whole = !apart && (walls == 0 || walls == UINT64_MAX);
    }
}

/** Every addressing with a scheme; `chased` is 0 where the scheme does not go with chase. */
#define RILL_CPU_ADDRESSINGS(X, S, chased) X(S, LIST, 1) X(S, DENSE, 1) X(S, CHASE, chased) X(S, BITMAP, 1)

#define RILL_CPU_FIND(S, A, exists)                                                                          \
    static inline void find_##S##_##A(rill_variant variant, const rill_arrays *arrays, uint64_t n,           \
                                      uint64_t active, rill_cpu_links *links)                                \
    {                                                                                                        \
        rill_cpu_find(RILL_##S, RILL_##A, variant, arrays, n, active, links);                                \
    }
#define RILL_STREAM(value, name, slots, kinds, looks, ring, chased, meeting)                                 \
    RILL_CPU_ADDRESSINGS(RILL_CPU_FIND, value, chased)
#include "kernel/variants.def"

/** Return the function that finds links. */
static inline rill_cpu_find_links *rill_cpu_finder(rill_variant variant)
{
#define RILL_CPU_FINDER(S, A, exists) [RILL_##S][RILL_##A] = (exists) ? find_##S##_##A : NULL,
#define RILL_STREAM(value, name, slots, kinds, looks, ring, chased, meeting)                                 \
    RILL_CPU_ADDRESSINGS(RILL_CPU_FINDER, value, chased)
    static rill_cpu_find_links *const finders[RILL_STREAM_COUNT][RILL_ADDRESSING_COUNT] = {
#include "kernel/variants.def"
    };
    return finders[variant.stream][variant.addressing];
}

/** Return which lanes of the block at n are nodes of first … end - 1, solid voxels left out. */
static inline uint64_t rill_cpu_active(const rill_arrays *arrays, rill_addressing addressing, uint64_t n,
                                       uint64_t first, uint64_t end)
{
    uint64_t active = UINT64_MAX;
    if (n < first) active &= UINT64_MAX << (first - n);
    if (end < n + RILL_BLOCK) active &= UINT64_MAX >> (n + RILL_BLOCK - end);
    if (addressing == RILL_DENSE) { /* flags fill whole blocks */
        uint64_t fluid = 0;
        for (int l = 0; l < RILL_BLOCK; l++)
            fluid |= (uint64_t)(arrays->flags[n + (uint64_t)l] & RILL_FLAG_FLUID) << l;
        active &= fluid;
    }
    return active;
}

#endif
