/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers the nodes of a geometry and finds the pairs of wall links that mirrored sides join. Kernels see
 * periodic boxes and walls.
 */
#include "domain/domain.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/follow.h"
#include "domain/numbering.h"
#include "kernel/lattice.h"

#include <stdlib.h>
#include <string.h>

/* Return the velocity whose components along the mirrored axes are turned round. */
static int reflect(rill_lattice lattice, int i, unsigned mirrored)
{
    for (int k = 0; k < rill_q(lattice); k++) {
        bool same = true;
        for (int a = 0; a < 3; a++)
            same = same && rill_c(lattice, k, a) == (mirrored >> a & 1 ? -1 : 1) * rill_c(lattice, i, a);
        if (same) return k;
    }
    return i; /* not reached: velocity sets are closed under reflection */
}

/*
 * Pair the links of one voxel that cross mirrored sides. The population that comes back along i is the
 * one that leaves the voxel's mirror image's neighbour, reflected; as both are wall links, exchanging
 * their slots after each step is the mirror. Across a side normal to the flow axis the mirrored flow
 * runs backwards, and the exchange changes sign.
 */
static rill_status pair_links(rill_domain *domain, const rill_numbering *numbering, const uint32_t x[3],
                              size_t *capacity)
{
    const rill_geom *geom = domain->geom;
    const rill_node node = rill_numbering_node(numbering, x[0], x[1], x[2]);
    if (node == RILL_UPSTREAM_WALL) return RILL_OK;
    for (int i = 1; i < rill_q(domain->lattice); i++) {
        const rill_link_end end = rill_follow_link(geom, domain->lattice, x, i);
        if (end.wall || !end.mirrored) continue;
        const rill_node other = rill_numbering_node(numbering, end.x[0], end.x[1], end.x[2]);
        if (other == RILL_UPSTREAM_WALL) continue;
        const int back = rill_opposite(reflect(domain->lattice, i, end.mirrored));
        const int sign = domain->flow_axis >= 0 && end.mirrored >> domain->flow_axis & 1 ? -1 : 1;
        const bool itself = other == node && back == i;
        if (itself ? sign > 0 : other < node || (other == node && back < i))
            continue; /* nothing to do, or listed */
        if (domain->swap_count == *capacity) {
            const size_t grown = *capacity ? *capacity * 2 : 4096;
            rill_swap *swaps = realloc(domain->swaps, grown * sizeof *swaps);
            if (!swaps)
                return rill_fail(RILL_SYSTEM, "out of memory for %zu links across mirrored sides", grown);
            domain->swaps = swaps;
            *capacity = grown;
        }
        domain->swaps[domain->swap_count++] =
            (rill_swap){{node, other}, {(uint8_t)i, (uint8_t)back}, (int8_t)sign};
    }
    return RILL_OK;
}

static rill_status pair_mirrored(rill_domain *domain, const rill_numbering *numbering)
{
    const rill_geom *geom = domain->geom;
    size_t capacity = 0;
    const bool mirrored_x = geom->sides[0] == RILL_MIRROR;
    bool any = false;
    for (int a = 0; a < 3; a++) any = any || geom->sides[a] == RILL_MIRROR;
    if (!any) return RILL_OK;
    for (uint32_t z = 0; z < geom->n[2]; z++)
        for (uint32_t y = 0; y < geom->n[1]; y++) {
            const bool whole_row = (geom->sides[1] == RILL_MIRROR && (y == 0 || y == geom->n[1] - 1)) ||
                                   (geom->sides[2] == RILL_MIRROR && (z == 0 || z == geom->n[2] - 1));
            if (!whole_row && !mirrored_x) continue;
            const uint32_t step =
                whole_row || geom->n[0] == 1 ? 1 : geom->n[0] - 1; /* otherwise both ends only */
            for (uint32_t x = 0; x < geom->n[0]; x += step) {
                const uint32_t at[3] = {x, y, z};
                const rill_status status = pair_links(domain, numbering, at, &capacity);
                if (status != RILL_OK) return status;
            }
        }
    return RILL_OK;
}

size_t rill_domain_stride_of(uint64_t nodes)
{
    return (size_t)(((nodes + RILL_SEGMENT_BLOCK - 1) / RILL_SEGMENT_BLOCK | 1) * RILL_SEGMENT_BLOCK);
}

rill_status rill_domain_create(const rill_geom *geom, const rill_domain_options *options, rill_domain **out)
{
    rill_status status = RILL_OK;
    rill_domain *domain = NULL;
    if ((unsigned)options->lattice >= RILL_LATTICE_COUNT)
        return rill_fail(RILL_USAGE, "lattice %d is not one of those that `rill variants` lists",
                         (int)options->lattice);
    RILL_TRY(rill_memory_require(rill_numbering_bytes(geom), "the numbers of the fluid nodes"));
    domain = calloc(1, sizeof *domain);
    if (!domain) return rill_fail(RILL_SYSTEM, "out of memory for a domain");
    domain->geom = geom;
    domain->lattice = options->lattice;
    domain->flow_axis = options->flow_axis;
    RILL_TRY(rill_numbering_create(geom, &domain->numbering));
    domain->nodes = (rill_node)domain->numbering.nodes;
    RILL_TRY(pair_mirrored(domain, &domain->numbering));
    *out = domain;
    domain = NULL;
done:
    rill_domain_destroy(domain);
    return status;
}

void rill_domain_destroy(rill_domain *domain)
{
    if (!domain) return;
    rill_numbering_destroy(&domain->numbering);
    free(domain->swaps);
    free(domain);
}

rill_node rill_domain_nodes(const rill_domain *domain) { return domain->nodes; }
