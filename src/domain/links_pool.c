/* SPDX-License-Identifier: Apache-2.0 */
/* The links that a domain has: found by device and layout, counted by their users. */
#include "domain/links.h"

#include "core/status.h"

#include <pthread.h>
#include <stdlib.h>

struct rill_links_pool {
    pthread_mutex_t lock; /* threads may simulate on one domain, each with a device of its own */
    rill_links *first;
    int users; /* the domain and all links: a simulation may be destroyed after its domain */
};

rill_status rill_links_pool_create(rill_links_pool **out)
{
    rill_links_pool *pool = calloc(1, sizeof *pool);
    if (!pool) return rill_fail(RILL_SYSTEM, "out of memory for links");
    pthread_mutex_init(&pool->lock, NULL);
    pool->users = 1;
    *out = pool;
    return RILL_OK;
}

/* Let go of a pool whose lock is held. */
static void leave(rill_links_pool *pool)
{
    const bool last = --pool->users == 0;
    pthread_mutex_unlock(&pool->lock);
    if (!last) return;
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

void rill_links_pool_leave(rill_links_pool *pool)
{
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    leave(pool);
}

/* Return whether links of two variants are the same arrays. Segments of a list depend on the bounce-back. */
static bool same_layout(rill_variant a, rill_variant b)
{
    return a.lattice == b.lattice && a.stream == b.stream && a.addressing == b.addressing &&
           a.bounce == b.bounce;
}

/* Return whether both have the same positions and words: in a ring buffer words behind the upper z side count
 * copies. */
static bool same_bitmap(rill_variant a, rill_variant b)
{
    return a.addressing == RILL_BITMAP && b.addressing == RILL_BITMAP &&
           rill_stream_ring((int)a.stream) == rill_stream_ring((int)b.stream);
}

/* Become a user of links that a domain has on a device. @return NULL: there are none */
static rill_links *use(rill_links_pool *pool, rill_variant variant, const rill_device *device,
                       bool (*same)(rill_variant, rill_variant))
{
    pthread_mutex_lock(&pool->lock);
    rill_links *links = pool->first;
    while (links && (links->device != device || !same(links->variant, variant))) links = links->next;
    if (links && same == same_bitmap && links->bitmap) links = links->bitmap;
    if (links) links->users++;
    pthread_mutex_unlock(&pool->lock);
    return links;
}

bool rill_links_borrow(const rill_links *links, const rill_links_part *part)
{
    return links->bitmap &&
           (part->field == offsetof(rill_arrays, places) || part->field == offsetof(rill_arrays, starts) ||
            part->field == offsetof(rill_arrays, words));
}

rill_status rill_links_share(const rill_domain *domain, rill_variant variant, rill_device *device,
                             rill_links **out)
{
    rill_status status = RILL_OK;
    rill_numbering own = {.occupied = NULL};
    *out = use(domain->links, variant, device, same_layout);
    if (*out) return RILL_OK;
    if (!domain->numbering.occupied) /* of several processes, that made no parts of it */
        RILL_TRY(rill_numbering_create(domain->geom, &own));
    RILL_TRY(rill_links_create(own.occupied ? &own : &domain->numbering, variant, out));
    if (own.occupied) (*out)->fluid = &(*out)->own;
    (*out)->own = own;
    own = (rill_numbering){.occupied = NULL};
    (*out)->pool = domain->links;
    pthread_mutex_lock(&domain->links->lock);
    domain->links->users++;
    pthread_mutex_unlock(&domain->links->lock);
    (*out)->bitmap = use(domain->links, variant, device, same_bitmap);
done:
    rill_numbering_destroy(&own);
    return status;
}

uint64_t rill_links_missing(const rill_links *links)
{
    uint64_t bytes = 0;
    for (int k = 0; k < links->size.part_count && !links->device; k++)
        if (!rill_links_borrow(links, &links->size.parts[k])) bytes += links->size.parts[k].bytes;
    return bytes;
}

rill_status rill_links_make(rill_links *links, rill_device *device)
{
    rill_status status = RILL_OK;
    if (links->device) return RILL_OK;
    RILL_TRY(rill_links_build(links, device));
    rill_numbering_destroy(&links->own);
    RILL_TRY(rill_device_link(device, links->variant, &links->arrays));
    links->linked = true;
    pthread_mutex_lock(&links->pool->lock);
    links->next = links->pool->first;
    links->pool->first = links;
    pthread_mutex_unlock(&links->pool->lock);
done:
    return status;
}

bool rill_links_leave(rill_links *links)
{
    if (!links->pool) return --links->users == 0;
    pthread_mutex_lock(&links->pool->lock);
    const bool last = --links->users == 0;
    rill_links **at = &links->pool->first;
    while (last && *at && *at != links) at = &(*at)->next;
    if (last && *at) *at = links->next;
    if (last)
        leave(links->pool);
    else
        pthread_mutex_unlock(&links->pool->lock);
    return last;
}
