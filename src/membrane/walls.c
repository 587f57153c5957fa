/* SPDX-License-Identifier: Apache-2.0 */
#define RILL_ARITHMETIC double
#define RILL_VECTOR_BYTES 16
#include "device/membrane_nodes.h"

#include "membrane/walls.h"

double rill_membrane_wall_distance(rill_solid_fn solid, const void *context, const double x[3],
                                   double away[3])
{
    const rill_wall_place p = rill_wall_place_of(x);
    double nearest = INFINITY;
    if (solid(context, p.voxel)) return 0;
    for (int k = 1; k < 8; k++) { /* the voxels beyond the nearest face, edges and corner */
        const double distance = rill_wall_gap(&p, k);
        int64_t at[3];
        rill_wall_voxel(&p, k, at);
        if (distance >= fmin(nearest, RILL_MEMBRANE_WALL_RANGE) || !solid(context, at)) continue;
        nearest = distance;
        for (int a = 0; a < 3 && away && distance > 0; a++) away[a] = rill_wall_away(&p, k, distance, a);
    }
    return nearest;
}

static bool solid_in(const void *context, const int64_t voxel[3])
{
    const rill_membrane_walls *w = context;
    uint32_t at[3];
    for (int a = 0; a < 3; a++) {
        const int64_t n = w->numbering->n[a], wrapped = voxel[a] % n;
        if (!w->open[a] && (voxel[a] < 0 || voxel[a] >= n)) return true;
        at[a] = (uint32_t)(wrapped < 0 ? wrapped + n : wrapped);
    }
    return !rill_numbering_has(w->numbering, at[0], at[1], at[2]);
}

bool rill_membrane_walls_hold(const rill_membrane_walls *walls, const double x[3])
{
    const int64_t voxel[3] = {(int64_t)floor(x[0]), (int64_t)floor(x[1]), (int64_t)floor(x[2])};
    return solid_in(walls, voxel);
}
