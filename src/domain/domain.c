/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers the nodes of a geometry and finds the pairs of wall links that mirrored boundaries join. Kernels
 * see periodic boxes and walls.
 */
#include "domain/domain.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/follow.h"
#include "domain/numbering.h"
#include "domain/layers.h"
#include "domain/links.h"
#include "core/progress.h"
#include "kernel/lattice.h"

#include <stdlib.h>
#include <string.h>

/* Return the velocity whose components along the mirrored axes are reversed. */
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
 * Pair the links of one voxel that cross mirrored boundaries. The population that comes back along i is the
 * one that leaves the voxel's mirror image's neighbour, reflected; as both are wall links, exchanging
 * their slots after each step is the mirror. Across a side normal to the flow axis the mirrored flow
 * runs backwards, and the exchange changes sign.
 * @param swaps  where to write the pairs, NULL to count them  @return their number
 */
static size_t pair_links(const rill_domain *domain, const rill_layers *layers, const uint32_t x[3],
                         rill_swap *swaps)
{
    const rill_geom *geom = domain->geom;
    const rill_node node = (rill_node)rill_layers_node(layers, x[0], x[1], x[2]);
    size_t count = 0;
    if (node == RILL_UPSTREAM_WALL) return 0;
    for (int i = 1; i < rill_q(domain->lattice); i++) {
        const rill_link_end end = rill_follow_link(geom, domain->lattice, x, i);
        if (end.wall || !end.mirrored) continue;
        const rill_node other = (rill_node)rill_layers_node(layers, end.x[0], end.x[1], end.x[2]);
        if (other == RILL_UPSTREAM_WALL) continue;
        const int back = rill_opposite(reflect(domain->lattice, i, end.mirrored));
        const int sign = domain->flow_axis >= 0 && end.mirrored >> domain->flow_axis & 1 ? -1 : 1;
        const bool itself = other == node && back == i;
        if (itself ? sign > 0 : other < node || (other == node && back < i))
            continue; /* nothing to do, or listed */
        if (swaps) swaps[count] = (rill_swap){{node, other}, {(uint8_t)i, (uint8_t)back}, (int8_t)sign};
        count++;
    }
    return count;
}

/* Pair the links of the voxels of a row. */
static size_t pair_row(const rill_domain *domain, const rill_layers *layers, uint32_t y, uint32_t z,
                       rill_swap *swaps)
{
    const rill_geom *geom = domain->geom;
    const bool whole_row = (geom->sides[1] == RILL_MIRROR && (y == 0 || y == geom->n[1] - 1)) ||
                           (geom->sides[2] == RILL_MIRROR && (z == 0 || z == geom->n[2] - 1));
    if (!whole_row && geom->sides[0] != RILL_MIRROR) return 0;
    const uint32_t step = whole_row || geom->n[0] == 1 ? 1 : geom->n[0] - 1; /* otherwise both ends only */
    size_t count = 0;
    for (uint32_t x = 0; x < geom->n[0]; x += step) {
        const uint32_t at[3] = {x, y, z};
        count += pair_links(domain, layers, at, swaps ? swaps + count : NULL);
    }
    return count;
}

/* Pair the links of all rows, or count them. @param[out] swaps  NULL: first [rows + 1] gets their numbers,
 * which begin with first[1] */
static rill_status pair_rows(const rill_domain *domain, uint64_t *first, rill_swap *swaps)
{
    rill_status status = RILL_OK;
    const uint32_t ny = domain->geom->n[1], nz = domain->geom->n[2], planes = rill_layers_planes(domain);
    rill_layers layers = {.first = 0};
    for (uint32_t z = 0; z < nz; z += planes) {
        const uint32_t count = nz - z < planes ? nz - z : planes;
        const int64_t begin = (int64_t)z * ny, end = begin + (int64_t)count * ny;
        RILL_TRY(rill_layers_take(domain, (int64_t)z - 1, count + 2, &layers));
#pragma omp parallel for schedule(dynamic, 16) /* few rows have most of the links */
        for (int64_t row = begin; row < end; row++) {
            const uint32_t y = (uint32_t)(row % ny), at = (uint32_t)(row / ny);
            if (!swaps)
                first[row + 1] = pair_row(domain, &layers, y, at, NULL);
            else if (first[row + 1] > first[row])
                pair_row(domain, &layers, y, at, swaps + first[row]);
        }
    }
done:
    rill_layers_free(&layers);
    return status;
}

/* Pair all links across mirrored boundaries, in the order of voxels: once to count those of rows, once to
 * write.
 */
static rill_status pair_mirrored(rill_domain *domain)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = domain->geom;
    const int64_t rows = (int64_t)geom->n[1] * geom->n[2];
    uint64_t *first = NULL;
    bool any = false;
    for (int a = 0; a < 3; a++) any = any || geom->sides[a] == RILL_MIRROR;
    if (!any) return RILL_OK;
    RILL_TRY(rill_numbering_check_32(domain->nodes, "links across mirrored boundaries"));
    RILL_TRY(rill_array_create((uint64_t)rows + 1, sizeof *first, "rows of mirrored links", (void **)&first));
    first[0] = 0;
    RILL_TRY(pair_rows(domain, first, NULL));
    for (int64_t row = 0; row < rows; row++) first[row + 1] += first[row];
    domain->swap_count = first[rows];
    if (domain->swap_count == 0) goto done;
    RILL_TRY(rill_array_create(domain->swap_count, sizeof *domain->swaps, "links across mirrored boundaries",
                               (void **)&domain->swaps));
    RILL_TRY(pair_rows(domain, first, domain->swaps));
done:
    rill_array_destroy(first);
    return status;
}

size_t rill_domain_stride_of(uint64_t nodes)
{
    return (size_t)(((nodes + RILL_SEGMENT_BLOCK - 1) / RILL_SEGMENT_BLOCK | 1) * RILL_SEGMENT_BLOCK);
}

rill_status rill_domain_create_unpaired(const rill_geom *geom, const rill_domain_options *options,
                                        const rill_numbering *numbering, rill_domain **out)
{
    rill_status status = RILL_OK;
    rill_domain *domain = NULL;
    if ((unsigned)options->lattice >= RILL_LATTICE_COUNT)
        return rill_fail(RILL_USAGE, "lattice %d is not one of those that `rill variants` lists",
                         (int)options->lattice);
    if (!numbering)
        RILL_TRY(rill_memory_require(rill_numbering_held(geom), "the numbers of the fluid nodes"));
    domain = calloc(1, sizeof *domain);
    if (!domain) return rill_fail(RILL_SYSTEM, "out of memory for a domain");
    domain->geom = geom;
    domain->lattice = options->lattice;
    domain->flow_axis = options->flow_axis;
    RILL_TRY(rill_links_pool_create(&domain->links));
    RILL_TRY(rill_progress_report(options->progress, "numbering fluid nodes", 0));
    domain->borrowed = numbering != NULL;
    if (numbering)
        domain->numbering = *numbering;
    else
        RILL_TRY(geom->planes ? rill_numbering_count(geom, &domain->numbering)
                              : rill_numbering_create(geom, &domain->numbering));
    domain->nodes = domain->numbering.nodes;
    *out = domain;
    domain = NULL;
done:
    rill_domain_destroy(domain);
    return status;
}

rill_status rill_domain_create_numbered(const rill_geom *geom, const rill_domain_options *options,
                                        const rill_numbering *numbering, rill_domain **out)
{
    rill_status status = RILL_OK;
    rill_domain *domain = NULL;
    RILL_TRY(rill_domain_create_unpaired(geom, options, numbering, &domain));
    RILL_TRY(rill_progress_report(options->progress, "numbering fluid nodes", 0.5));
    RILL_TRY(pair_mirrored(domain));
    *out = domain;
    domain = NULL;
done:
    rill_domain_destroy(domain);
    return status;
}

rill_status rill_domain_create(const rill_geom *geom, const rill_domain_options *options, rill_domain **out)
{
    return rill_domain_create_numbered(geom, options, NULL, out);
}

void rill_domain_destroy(rill_domain *domain)
{
    if (!domain) return;
    rill_links_pool_leave(domain->links);
    if (!domain->borrowed) rill_numbering_destroy(&domain->numbering);
    rill_array_destroy(domain->swaps);
    free(domain);
}

rill_global_node rill_domain_nodes(const rill_domain *domain) { return domain->nodes; }
