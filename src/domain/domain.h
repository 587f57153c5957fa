/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file domain.h
 * Fluid nodes, numbered in lexicographic order (x fastest), and how they are linked.
 */
#ifndef RILL_DOMAIN_H
#define RILL_DOMAIN_H

#include "domain/numbering.h"
#include "kernel/launch.h"

/** Links that simulations on a domain share: see links.h. */
typedef struct rill_links_pool rill_links_pool;

/** See rill.h. */
struct rill_domain {
    const rill_geom *geom; /**< borrowed */
    rill_lattice lattice;
    int flow_axis;          /**< -1: none */
    rill_global_node nodes; /**< that are stepped; of a part below 2^32 */
    rill_node first;        /**< of them, among those of `numbering`: 0 unless this is a part, see parts.h */
    rill_numbering numbering;
    bool borrowed;    /**< the numbering is another domain's, which lives longer */
    rill_swap *swaps; /**< links across mirrored boundaries, NULL without */
    size_t swap_count;
    rill_links_pool *links; /**< those of its simulations, which may live longer */
};

/**
 * Create a domain as rill_domain_create() does.
 * @param[in] numbering  of this geometry, borrowed; NULL: the nodes are numbered
 */
rill_status rill_domain_create_numbered(const rill_geom *geom, const rill_domain_options *options,
                                        const rill_numbering *numbering, rill_domain **out);

/** The same, but leave out links across mirrored boundaries. */
rill_status rill_domain_create_unpaired(const rill_geom *geom, const rill_domain_options *options,
                                        const rill_numbering *numbering, rill_domain **out);

/** Return the number behind the last node that is stepped, as kernels number them. */
static inline rill_node rill_domain_end(const rill_domain *domain)
{
    return domain->first + (rill_node)domain->nodes;
}

/** Return whether 32 bits number all nodes, so that one device may step them; several step more. */
static inline bool rill_domain_is_one(const rill_domain *domain)
{
    return domain->nodes < RILL_UPSTREAM_WALL;
}

/** Return the row length for a number of nodes: whole blocks, an odd number of them, because rows a power of
 * two apart would share few sets of a cache. */
size_t rill_domain_stride_of(uint64_t nodes);

#endif
