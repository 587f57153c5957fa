/* SPDX-License-Identifier: Apache-2.0 */
/* Grey values beside a geometry. They are made by geometry/image/voxelize.c. */
#include "geometry/voxels/greys.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

rill_status rill_greys_create(double threshold, double width, rill_greys **out)
{
    rill_greys *greys = calloc(1, sizeof *greys);
    if (!greys) return rill_fail(RILL_SYSTEM, "out of memory for the grey values of a geometry");
    greys->threshold = threshold;
    greys->width = width;
    *out = greys;
    return RILL_OK;
}

rill_status rill_greys_part(const rill_geom *geom, const uint32_t first[3], rill_geom *part)
{
    rill_status status = RILL_OK;
    const rill_greys *from = geom->greys;
    rill_greys *made = NULL;
    const uint32_t *n = part->n;
    if (!from) return RILL_OK;
    RILL_TRY(rill_greys_create(from->threshold, from->width, &made));
    memcpy(made->distance, from->distance, sizeof made->distance);
    RILL_TRY(
        rill_array_create(rill_geom_voxels(part), 1, "the grey values of a geometry", (void **)&made->code));
    for (uint64_t row = 0; row < (uint64_t)n[1] * n[2]; row++) {
        const uint64_t y = first[1] + row % n[1], z = first[2] + row / n[1];
        memcpy(made->code + row * n[0], from->code + (z * geom->n[1] + y) * geom->n[0] + first[0], n[0]);
    }
    part->greys = made;
    made = NULL;
done:
    rill_greys_destroy(made);
    return status;
}

void rill_greys_destroy(rill_greys *greys)
{
    if (!greys) return;
    rill_array_destroy(greys->code);
    free(greys);
}

double rill_greys_shift(const rill_greys *greys, const rill_voxel row[4])
{
    double g[4];
    for (int i = 0; i < 4; i++) g[i] = greys->distance[greys->code[row[i]]];
    const double rise = g[2] - g[1], t = rise > 0 ? -g[1] / rise : 0;
    const double slope = g[0] * (-3 * t * t + 6 * t - 2) / 6 + g[1] * (3 * t * t - 4 * t - 1) / 2 +
                         g[2] * (-3 * t * t + 2 * t + 2) / 2 + g[3] * (3 * t * t - 1) / 6;
    const double kept = fmin(fmax(slope, rise / 2), 1.25 * rise);
    return kept > greys->width ? greys->width / kept : 1;
}
