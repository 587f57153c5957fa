/* SPDX-License-Identifier: Apache-2.0 */
/* Takes planes of a domain out of the voxels that several processes hold. */
#include "domain/layers.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/planes.h"

#include <string.h>

uint32_t rill_layers_planes(const rill_domain *domain)
{
    return domain->numbering.occupied ? domain->numbering.n[2] : rill_window_planes(domain->geom);
}

/* Copy planes that the geometry has, into rows that may be longer. */
static rill_status planes_copy(const rill_domain *domain, uint32_t z, uint32_t count, uint64_t *occupied)
{
    rill_status status = RILL_OK;
    const rill_numbering *numbering = &domain->numbering;
    const uint32_t *n = domain->geom->n;
    const size_t row = rill_planes_row(n), box_row = numbering->row_words;
    uint64_t *words = NULL;
    if (row == box_row && n[1] == numbering->n[1])
        return rill_planes_get(domain->geom->planes, z, count, occupied);
    RILL_TRY(rill_array_create(rill_planes_bytes(n, count), 1, "planes of voxels", (void **)&words));
    RILL_TRY(rill_planes_get(domain->geom->planes, z, count, words));
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t y = 0; y < n[1]; y++)
            memcpy(occupied + ((size_t)k * numbering->n[1] + y) * box_row,
                   words + ((size_t)k * n[1] + y) * row, row * sizeof *words);
done:
    rill_array_destroy(words);
    return status;
}

rill_status rill_layers_copy(const rill_domain *domain, int64_t first, uint32_t count, uint64_t *occupied)
{
    rill_status status = RILL_OK;
    const rill_numbering *numbering = &domain->numbering;
    const uint32_t box = numbering->n[2], nz = domain->geom->n[2];
    const size_t plane = numbering->row_words * numbering->n[1];
    memset(occupied, 0, count * plane * sizeof *occupied);
    for (uint32_t done_planes = 0, some; done_planes < count; done_planes += some) {
        const uint32_t z = (uint32_t)(((first + done_planes) % box + box) % box);
        const uint32_t left = count - done_planes, end = z < nz ? nz : box; /* solid from nz on */
        some = left < end - z ? left : end - z;
        uint64_t *to = occupied + done_planes * plane;
        if (numbering->occupied)
            memcpy(to, numbering->occupied + z * plane, some * plane * sizeof *to);
        else if (z < nz)
            RILL_TRY(planes_copy(domain, z, some, to));
    }
done:
    return status;
}

/* Number the nodes of a layer on from those of the planes before. */
static void number(const rill_domain *domain, rill_layers *layers)
{
    rill_numbering *numbering = &layers->numbering;
    const size_t plane = numbering->row_words * numbering->n[1];
#pragma omp parallel for schedule(static)
    for (uint32_t k = 0; k < numbering->n[2]; k++) {
        uint64_t node = domain->numbering.before[((uint64_t)layers->first + k) % layers->box];
        for (size_t w = k * plane; w < (k + 1) * plane; w++) {
            numbering->base[w] = (rill_node)node;
            node += (uint64_t)__builtin_popcountll(numbering->occupied[w]);
        }
        numbering->before[k + 1] = node;
    }
}

rill_status rill_layers_take(const rill_domain *domain, int64_t first, uint32_t count, rill_layers *layers)
{
    rill_status status = RILL_OK;
    const uint32_t *n = domain->numbering.n, box = n[2];
    if (domain->numbering.occupied) {
        *layers = (rill_layers){
            .numbering = domain->numbering, .before = domain->numbering.before, .box = box, .borrowed = true};
        return RILL_OK;
    }
    if (count > box) count = box;
    if (layers->numbering.n[2] != count) {
        rill_layers_free(layers);
        RILL_TRY(rill_numbering_begin((const uint32_t[3]){n[0], n[1], count}, &layers->numbering));
    }
    layers->before = domain->numbering.before;
    layers->box = box;
    layers->first = (uint32_t)((first % box + box) % box);
    layers->numbering.nodes = domain->numbering.nodes;
    RILL_TRY(rill_layers_copy(domain, first, count, layers->numbering.occupied));
    number(domain, layers);
done:
    return status;
}

rill_status rill_layers_see(const rill_domain *domain, uint32_t z, uint32_t around, rill_layers *layers)
{
    const uint32_t box = domain->numbering.n[2], have = layers->numbering.n[2];
    const uint64_t from = ((uint64_t)z + 2 * (uint64_t)box - around % box - layers->first) % box;
    if (have > 0 && (layers->borrowed || have == box || from + 2 * (uint64_t)around < have)) return RILL_OK;
    return rill_layers_take(domain, (int64_t)z - around, rill_layers_planes(domain) + 2 * around, layers);
}

void rill_layers_free(rill_layers *layers)
{
    if (!layers->borrowed) rill_numbering_destroy(&layers->numbering);
    *layers = (rill_layers){.first = 0};
}
