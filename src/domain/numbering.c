/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the occupancy bitmap and its ranks. */
#include "domain/numbering.h"

#include "core/memory.h"
#include "core/status.h"

static size_t words_of(const uint32_t n[3]) { return ((size_t)n[0] + 63) / 64 * n[1] * n[2]; }

uint64_t rill_numbering_bytes(const uint32_t n[3]) { return (uint64_t)words_of(n) * 12; }

rill_status rill_numbering_create(const rill_geom *geom, rill_numbering *out)
{
    rill_status status = RILL_OK;
    rill_numbering numbering = {.n = {geom->n[0], geom->n[1], geom->n[2]},
                                .row_words = ((size_t)geom->n[0] + 63) / 64};
    const size_t words = words_of(geom->n);
    RILL_TRY(
        rill_array_create(words, sizeof(uint64_t), "the occupancy bitmap", (void **)&numbering.occupied));
    RILL_TRY(rill_array_create(words, sizeof(rill_node), "the node ranks", (void **)&numbering.base));

    const size_t rows = (size_t)geom->n[1] * geom->n[2];
#pragma omp parallel for schedule(static)
    for (size_t row = 0; row < rows; row++) {
        const uint8_t *voxels = geom->voxels + row * geom->n[0];
        for (size_t w = 0; w < numbering.row_words; w++) {
            const uint32_t first = (uint32_t)w * 64;
            const uint32_t cells = geom->n[0] - first < 64 ? geom->n[0] - first : 64;
            uint64_t occupied = 0;
            for (uint32_t b = 0; b < cells; b++) occupied |= (uint64_t)(voxels[first + b] >= RILL_FLUID) << b;
            numbering.occupied[row * numbering.row_words + w] = occupied;
        }
    }
    for (size_t w = 0; w < words; w++) {
        numbering.base[w] = (rill_node)numbering.nodes;
        numbering.nodes += (uint64_t)__builtin_popcountll(numbering.occupied[w]);
    }
    if (numbering.nodes == 0) {
        status = rill_fail(RILL_USAGE, "the geometry has no fluid voxel: check which grey values are pore");
        goto done;
    }
    if (numbering.nodes > RILL_UPSTREAM_WALL - 1u) {
        status = rill_fail(RILL_USAGE,
                           "%llu fluid nodes are more than the 4294967294 that a domain can number: crop",
                           (unsigned long long)numbering.nodes);
        goto done;
    }
    *out = numbering;
    numbering = (rill_numbering){.occupied = NULL};
done:
    rill_numbering_destroy(&numbering);
    return status;
}

void rill_numbering_destroy(rill_numbering *numbering)
{
    rill_array_destroy(numbering->occupied);
    rill_array_destroy(numbering->base);
    numbering->occupied = NULL;
    numbering->base = NULL;
}
