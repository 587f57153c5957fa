/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/walls.h"

#include "core/threads.h"

#include <math.h>

/* Vertices that a thread takes at a time. */
enum { VERTICES = 64 };

double rill_membrane_wall_distance(rill_solid_fn solid, const void *context, const double x[3],
                                   double away[3])
{
    int64_t voxel[3];
    int side[3];
    double gap[3], nearest = INFINITY;
    for (int a = 0; a < 3; a++) {
        voxel[a] = (int64_t)floor(x[a]);
        const double within = x[a] - (double)voxel[a];
        side[a] = within < 0.5 ? -1 : 1;
        gap[a] = within < 0.5 ? within : 1 - within;
    }
    if (solid(context, voxel)) return 0;
    for (int k = 1; k < 8; k++) { /* the voxels beyond the nearest face, edges and corner */
        int64_t at[3];
        double square = 0;
        for (int a = 0; a < 3; a++) {
            at[a] = voxel[a] + (k >> a & 1 ? side[a] : 0);
            square += k >> a & 1 ? gap[a] * gap[a] : 0;
        }
        const double distance = sqrt(square);
        if (distance >= fmin(nearest, RILL_MEMBRANE_WALL_RANGE) || !solid(context, at)) continue;
        nearest = distance;
        for (int a = 0; a < 3 && away && distance > 0; a++)
            away[a] = k >> a & 1 ? -side[a] * gap[a] / distance : 0;
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

typedef struct work {
    const rill_membrane_walls *walls;
    double strength;
    const double (*x)[3];
    double (*force)[3];
} work;

static void push(const void *shared, uint64_t first, uint64_t end)
{
    const work *w = shared;
    for (uint64_t v = first; v < end; v++) {
        double away[3] = {0};
        const double distance = rill_membrane_wall_distance(solid_in, w->walls, w->x[v], away);
        if (!(distance < RILL_MEMBRANE_WALL_RANGE)) continue;
        for (int a = 0; a < 3; a++)
            w->force[v][a] += w->strength * (1 - distance / RILL_MEMBRANE_WALL_RANGE) * away[a];
    }
}

void rill_membrane_walls_add(const rill_membrane_walls *walls, double strength, const double (*x)[3],
                             uint64_t count, double (*force)[3])
{
    rill_threads_for(count, VERTICES, push, &(work){walls, strength, x, force});
}
