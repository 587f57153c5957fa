/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file links.h
 * What a variant needs to know of a domain, on the host: the arrays of kernel/arrays.h without populations.
 */
#ifndef RILL_DOMAIN_LINKS_H
#define RILL_DOMAIN_LINKS_H

#include "domain/domain.h"

/** One of the arrays: what a backend copies to its device. */
typedef struct rill_links_part {
    size_t field; /**< offset of its pointer in rill_arrays */
    uint64_t bytes;
    const char *what;
} rill_links_part;

/** Sizes, known before anything is built. */
typedef struct rill_links_size {
    uint64_t nodes;       /**< that kernels run over: fluid nodes, or all voxels with dense addressing */
    uint64_t ghosts;      /**< solid voxels that populations rest in or pass by; copies of nodes in a ring */
    uint64_t first_ghost; /**< number of the first */
    uint64_t chunk;       /**< ring: nodes whose step is made at a time; otherwise `nodes` */
    size_t shift;         /**< ring: how far populations move in a step */
    size_t stride, list_stride;
    rill_links_part parts[4];
    int part_count;
    uint64_t bytes; /**< of all parts */
} rill_links_size;

typedef struct rill_links {
    rill_links_size size;
    rill_arrays arrays; /**< owned */
} rill_links;

/** Find out what the links of a variant take. @return RILL_USAGE when numbers do not suffice */
rill_status rill_links_measure(const rill_numbering *fluid, rill_variant variant, rill_links_size *out);

/** Make the links of a variant. */
rill_status rill_links_create(const rill_numbering *fluid, rill_variant variant, rill_links **out);

/** Free the arrays and keep the sizes: a device has copies. */
void rill_links_drop(rill_links *links);

/** Destroy links; NULL is allowed. */
void rill_links_destroy(rill_links *links);

#endif
