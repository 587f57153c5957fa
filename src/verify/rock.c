/* SPDX-License-Identifier: Apache-2.0 */
/* Corners of an image. */
#include "verify/rock.h"

#include <string.h>

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
