/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file layers.h
 * Some planes of a domain, whose nodes have the numbers that they have in the whole: for what goes through a
 * domain plane by plane. Where the domain has all numbers, a layer is the whole domain and costs nothing;
 * where several processes hold its voxels, the layer is made of those planes.
 */
#ifndef RILL_DOMAIN_LAYERS_H
#define RILL_DOMAIN_LAYERS_H

#include "domain/domain.h"

/** Planes of the periodic box of a domain. Start with zeros. */
typedef struct rill_layers {
    rill_numbering numbering; /**< n[2]: the planes that it has */
    const uint64_t *before;   /**< [box + 1], nodes in the planes of the whole before: the domain's */
    uint32_t first, box;      /**< the first of them in the whole; planes of the whole */
    bool borrowed;
} rill_layers;

/** Return how many planes are taken at a time: all where the domain has all numbers. */
uint32_t rill_layers_planes(const rill_domain *domain);

/** Take planes first … first + count - 1, which may lie before or behind the box, that is periodic. */
rill_status rill_layers_take(const rill_domain *domain, int64_t first, uint32_t count, rill_layers *layers);

/**
 * Have planes z - around … z + around, with as many behind as serve, unless they are there already: for what
 * looks at voxels in ascending order of z.
 */
rill_status rill_layers_see(const rill_domain *domain, uint32_t z, uint32_t around, rill_layers *layers);

/** Copy the bits of such planes, [count][ny][row_words] as the domain's numbering has them. */
rill_status rill_layers_copy(const rill_domain *domain, int64_t first, uint32_t count, uint64_t *occupied);

/** Free what a layer owns. */
void rill_layers_free(rill_layers *layers);

/** Return where a layer has plane z of the whole. */
static inline uint32_t rill_layers_plane(const rill_layers *layers, uint32_t z)
{
    return z >= layers->first ? z - layers->first : z + layers->box - layers->first;
}

/** See rill_numbering_rank(), _has() and _node(); z counts in the whole. */
static inline rill_global_node rill_layers_rank(const rill_layers *layers, uint32_t x, uint32_t y, uint32_t z)
{
    return layers->before[z] + rill_numbering_within(&layers->numbering, x, y, rill_layers_plane(layers, z));
}

static inline bool rill_layers_has(const rill_layers *layers, uint32_t x, uint32_t y, uint32_t z)
{
    return rill_numbering_has(&layers->numbering, x, y, rill_layers_plane(layers, z));
}

static inline rill_global_node rill_layers_node(const rill_layers *layers, uint32_t x, uint32_t y, uint32_t z)
{
    return rill_layers_has(layers, x, y, z) ? rill_layers_rank(layers, x, y, z) : RILL_NO_NODE;
}

#endif
