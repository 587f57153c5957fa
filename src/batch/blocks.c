/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a geometry into the blocks of regular grids. */
#include "core/memory.h"
#include "core/status.h"
#include "rill.h"

enum { EDGE_LEAST = 4 };

static rill_status edge_check(const rill_geom *geom, const uint32_t *edges, int k)
{
    const uint32_t edge = edges[k];
    for (int a = 0; a < 3; a++)
        if (edge > geom->n[a])
            return rill_fail(
                RILL_USAGE,
                "blocks of %u voxels do not fit into the %u voxels along %c: choose an edge from %d to the shortest edge of the image",
                edge, geom->n[a], rill_axis(a), EDGE_LEAST);
    if (edge < EDGE_LEAST)
        return rill_fail(RILL_USAGE, "blocks of %u voxels are too small for a flow: the least is %d", edge,
                         EDGE_LEAST);
    for (int other = 0; other < k; other++)
        if (edges[other] == edge)
            return rill_fail(RILL_USAGE, "blocks of %u voxels are listed twice: list each size once", edge);
    return RILL_OK;
}

static void grid_fill(const rill_block_grid *grid, const rill_geom *geom, const char *name,
                      rill_batch_item *items)
{
    rill_batch_item *item = items + grid->first;
    for (uint32_t z = 0; z < grid->n[2]; z++)
        for (uint32_t y = 0; y < grid->n[1]; y++)
            for (uint32_t x = 0; x < grid->n[0]; x++)
                *item++ = (rill_batch_item){.name = name,
                                            .geom = geom,
                                            .first = {x * grid->edge, y * grid->edge, z * grid->edge},
                                            .n = {grid->edge, grid->edge, grid->edge}};
}

rill_status rill_blocks_create(const rill_geom *geom, const char *name, const uint32_t *edges, int count,
                               rill_block_grid *grids, rill_batch_item **items, size_t *item_count)
{
    rill_status status = RILL_OK;
    rill_batch_item *made = NULL;
    uint64_t all = 0;
    if (count < 1) return rill_fail(RILL_USAGE, "no size of blocks is given: list at least one");
    if (geom->surface)
        return rill_fail(
            RILL_USAGE,
            "the geometry says where its walls are on every link, which blocks of it would lose: cut a geometry of voxels alone");
    for (int k = 0; k < count; k++) {
        RILL_TRY(edge_check(geom, edges, k));
        rill_block_grid *grid = &grids[k];
        *grid = (rill_block_grid){.edge = edges[k], .first = (size_t)all, .count = 1};
        for (int a = 0; a < 3; a++) {
            grid->n[a] = geom->n[a] / edges[k];
            grid->left[a] = geom->n[a] % edges[k];
            grid->count *= grid->n[a];
        }
        all += grid->count;
    }
    RILL_TRY(rill_array_create(all, sizeof *made, "the list of blocks", (void **)&made));
    for (int k = 0; k < count; k++) grid_fill(&grids[k], geom, name, made);
    *items = made;
    *item_count = (size_t)all;
done:
    return status;
}

void rill_blocks_free(rill_batch_item *items) { rill_array_destroy(items); }
