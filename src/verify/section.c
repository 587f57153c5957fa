/* SPDX-License-Identifier: Apache-2.0 */
/* Layers of voxels and the positions of nodes. */
#include "verify/section.h"

#include "core/memory.h"
#include "core/status.h"

#include <string.h>

rill_status rill_verify_section(uint32_t nx, uint32_t ny, rill_verify_inside inside, const void *context,
                                rill_geom **out)
{
    const uint32_t n[3] = {nx, ny, 1};
    const rill_status status = rill_geom_create(n, out);
    if (status != RILL_OK) return status;
    for (uint32_t y = 0; y < ny; y++)
        for (uint32_t x = 0; x < nx; x++)
            (*out)->voxels[x + (uint64_t)nx * y] =
                inside(context, x + 0.5, y + 0.5) ? RILL_FLUID : RILL_SOLID;
    return RILL_OK;
}

rill_status rill_verify_places(const rill_geom *geom, double (**places)[3])
{
    rill_status status = RILL_OK;
    uint64_t node = 0;
    RILL_TRY(
        rill_array_create(rill_geom_fluid(geom), sizeof **places, "positions of nodes", (void **)places));
    for (uint32_t z = 0; z < geom->n[2]; z++)
        for (uint32_t y = 0; y < geom->n[1]; y++)
            for (uint32_t x = 0; x < geom->n[0]; x++) {
                if (geom->voxels[x + geom->n[0] * (y + (uint64_t)geom->n[1] * z)] < RILL_FLUID) continue;
                (*places)[node][0] = x + 0.5;
                (*places)[node][1] = y + 0.5;
                (*places)[node++][2] = z + 0.5;
            }
done:
    return status;
}

rill_status rill_verify_rock_crop(const rill_geom *rock, uint32_t cells, rill_side side, rill_geom **out)
{
    uint32_t n[3];
    for (int a = 0; a < 3; a++) n[a] = rock->n[a] < cells ? rock->n[a] : cells;
    const rill_status status = rill_geom_create(n, out);
    if (status != RILL_OK) return status;
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            memcpy((*out)->voxels + n[0] * (y + (uint64_t)n[1] * z),
                   rock->voxels + rock->n[0] * (y + (uint64_t)rock->n[1] * z), n[0]);
    (*out)->spacing = rock->spacing;
    for (int a = 0; a < 3; a++) (*out)->sides[a] = side;
    return RILL_OK;
}
