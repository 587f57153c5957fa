/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file domain.h
 * Fluid nodes, numbered in lexicographic order (x fastest), and how they are linked.
 */
#ifndef RILL_DOMAIN_H
#define RILL_DOMAIN_H

#include "kernel/launch.h"

/** See rill.h. */
struct rill_domain {
    const rill_geom *geom; /**< borrowed */
    rill_lattice lattice;
    int flow_axis; /**< -1: none */
    rill_node nodes;
    size_t stride;    /**< nodes rounded up to an odd number of blocks of RILL_SEGMENT_BLOCK */
    rill_node *pull;  /**< [q - 1][stride], see kernel/address.h */
    rill_swap *swaps; /**< links across mirrored sides, NULL without */
    size_t swap_count;
};

/** Return the pull index list [q - 1][stride]: row i - 1 holds the node n - c_i, 0xFFFFFFFF for a wall. */
const rill_node *rill_domain_pull(const rill_domain *domain);

/** Return the row length of the pull list. */
size_t rill_domain_stride(const rill_domain *domain);

/** Return the row length for a number of nodes: whole blocks, an odd number of them, because rows a power of
 * two apart would share few sets of a cache. */
size_t rill_domain_stride_of(uint64_t nodes);

/** Return the bytes that a domain of this geometry takes, its numbering while it is built included. */
uint64_t rill_domain_bytes(const rill_geom *geom, rill_lattice lattice, uint64_t nodes);

#endif
