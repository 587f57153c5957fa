/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file links.h
 * What a variant needs to know of a domain: the arrays of kernel/storage/arrays.h without populations, in the
 * memory of a backend, which builds them there.
 *
 * Links belong to the domain (links_pool.c): simulations on one domain and one device that have the same
 * velocity set, streaming scheme and addressing share them, and the last one to give them up frees them. The
 * bitmap depends on the cells alone, so that links of other velocity sets and schemes share it, too.
 */
#ifndef RILL_DOMAIN_LINKS_H
#define RILL_DOMAIN_LINKS_H

#include "device/device.h"
#include "domain/domain.h"

/** One of the arrays. */
typedef struct rill_links_part {
    size_t field; /**< offset of its pointer in rill_arrays */
    uint64_t bytes;
    const char *what;
} rill_links_part;

/** Sizes, known before anything is built. */
typedef struct rill_links_size {
    uint64_t nodes;  /**< that kernels run over: fluid nodes, or all voxels with dense addressing */
    uint64_t ghosts; /**< solid voxels that store or pass on populations; copies of nodes in a ring buffer */
    uint64_t first_ghost; /**< number of the first */
    uint64_t chunk;       /**< ring buffer: nodes whose step is made at a time; otherwise `nodes` */
    size_t shift;         /**< ring buffer: how far populations move in a step */
    uint64_t reach;       /**< ring buffer: largest distance of neighbours */
    size_t stride, list_stride;
    rill_links_part parts[4];
    int part_count;
    uint64_t bytes; /**< of all parts */
} rill_links_size;

typedef struct rill_links rill_links;

struct rill_links {
    rill_links_size size;
    rill_arrays arrays;          /**< owned, on the backend; before they are built without pointers */
    const rill_numbering *fluid; /**< borrowed; `own` where the domain has none */
    rill_variant variant;
    rill_numbering ghosts, own; /**< until the arrays are built */
    rill_device *device;        /**< that built them, NULL before */
    rill_links *bitmap; /**< has the positions, starts and words of the cells instead; NULL: these are own */
    bool linked;        /**< rill_device_link() has added to the arrays */
    rill_links_pool *pool; /**< of the domain; NULL: these are not shared */
    rill_links *next;      /**< in the pool */
    int users;             /**< that rill_links_destroy() is still called by */
};

/** Find out what the links of a variant take. @return RILL_USAGE when numbers do not suffice; of a domain of
 * more nodes than one device numbers, parts are checked when they are made */
rill_status rill_links_measure(const rill_domain *domain, rill_variant variant, rill_links_size *out);

/**
 * Lay out the links of a variant; nothing is allocated on a backend.
 * @param[in] fluid  borrowed until the links are built
 * @return RILL_USAGE when numbers do not suffice
 */
rill_status rill_links_create(const rill_numbering *fluid, rill_variant variant, rill_links **out);

/**
 * Find out what rill_device_link() makes of the links of a variant, before they are built: of all blocks of
 * nodes where there are few, else of a sample; of groups of nodes on a GPU a sample of strips.
 * @param[out] bytes  0 for a list where the device is no processor of this process, and where numbers are
 * held of some planes at a time
 */
rill_status rill_links_linked(const rill_numbering *fluid, rill_variant variant, rill_device *device,
                              uint64_t *bytes);

/** Build the arrays on a backend, the same bits on every one; once. @see tests/domain/test_links.c */
rill_status rill_links_build(rill_links *links, rill_device *device);

/** Give up links; NULL is allowed. The last user frees them. */
void rill_links_destroy(rill_links *links);

/** Return whether an array of links is that of their `bitmap`. */
bool rill_links_borrow(const rill_links *links, const rill_links_part *part);

/** Create the pool of a domain, without links. */
rill_status rill_links_pool_create(rill_links_pool **out);

/** Let the domain go: the last of it and its links destroys the pool; NULL is allowed. */
void rill_links_pool_leave(rill_links_pool *pool);

/**
 * Use the links of a variant that the domain has on a device; where it has none, lay them out as
 * rill_links_create() does, to be made by rill_links_make().
 * @return RILL_USAGE when numbers do not suffice, RILL_SYSTEM without memory
 */
rill_status rill_links_share(const rill_domain *domain, rill_variant variant, rill_device *device,
                             rill_links **out);

/** Return the bytes that rill_links_make() will allocate: 0 where the links are there. */
uint64_t rill_links_missing(const rill_links *links);

/** Build links from rill_links_share() and add what kernels of the device need besides, unless that is done
 * already; from then on the domain has them. */
rill_status rill_links_make(rill_links *links, rill_device *device);

/** Return whether a user was the last one, and take links that have none out of their pool. */
bool rill_links_leave(rill_links *links);

#endif
