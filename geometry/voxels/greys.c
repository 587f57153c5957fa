/* SPDX-License-Identifier: Apache-2.0 */
/* Grey values beside a geometry. They are made by geometry/image/voxelize.c. */
#include "geometry/voxels/greys.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>

rill_status rill_greys_create(double threshold, double width, rill_greys **out)
{
    rill_greys *greys = calloc(1, sizeof *greys);
    if (!greys) return rill_fail(RILL_SYSTEM, "out of memory for the grey values of a geometry");
    greys->threshold = threshold;
    greys->width = width;
    *out = greys;
    return RILL_OK;
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
