/* SPDX-License-Identifier: Apache-2.0 */
/* Grey values beside a geometry. They are made by geometry/image/voxelize.c. */
#include "geometry/voxels/greys.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/exact_walls.h"
#include "geometry/voxels/follow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No wall is nearer to a voxel's centre than this part of a link. */
#define NEAREST 0.01

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

static double distance_at(const rill_geom *geom, const uint32_t x[3])
{
    const rill_greys *greys = geom->greys;
    return greys->distance[greys->code[x[0] + geom->n[0] * (x[1] + (uint64_t)geom->n[1] * x[2])]];
}

/* Return where a link crosses the threshold, see rill_wall_place. */
static double place(void *context, const double x[3], const int c[3])
{
    const rill_geom *geom = context;
    const uint32_t at[3] = {(uint32_t)x[0], (uint32_t)x[1], (uint32_t)x[2]};
    const rill_link_end end = rill_follow(geom, at, (const int[3]){-c[0], -c[1], -c[2]});
    const double inside = distance_at(geom, at), outside = distance_at(geom, end.x);
    if (!(inside < 0 && outside > 0)) return 0.5;
    return fmin(fmax(inside / (inside - outside), NEAREST), 1 - NEAREST);
}

rill_status rill_greys_cuts(rill_geom *geom) { return rill_exact_walls(geom, place, geom); }

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
