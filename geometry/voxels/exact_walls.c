/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts of walls that are known exactly, and cuts whose nodes get other numbers. */
#include "geometry/voxels/exact_walls.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/follow.h"

#include <math.h>
#include <stdlib.h>

/* Cuts are counted, then put down. */
typedef struct finder {
    const rill_geom *geom;
    rill_wall_place *place;
    void *context;
    rill_cut *cuts; /* NULL while they are counted */
    uint64_t count;
} finder;

static void cut_link(finder *f, rill_node node, const uint32_t x[3], int i)
{
    const rill_link_end end = rill_follow_link(f->geom, RILL_D3Q27, x, i);
    if (end.wall || !rill_follow_solid(f->geom, &end)) return;
    if (f->cuts) {
        const double centre[3] = {x[0] + 0.5, x[1] + 0.5, x[2] + 0.5};
        const int c[3] = {rill_c(RILL_D3Q27, i, 0), rill_c(RILL_D3Q27, i, 1), rill_c(RILL_D3Q27, i, 2)};
        const double q = f->place(f->context, centre, c);
        f->cuts[f->count] =
            (rill_cut){node, RILL_NO_TRIANGLE, q >= 0 && q <= 1 ? (float)q : 0.5f, (uint8_t)i};
    }
    f->count++;
}

static void go_through(finder *f)
{
    const rill_geom *geom = f->geom;
    const uint8_t *voxel = geom->voxels;
    rill_node node = 0;
    f->count = 0;
    for (uint32_t z = 0; z < geom->n[2]; z++)
        for (uint32_t y = 0; y < geom->n[1]; y++)
            for (uint32_t x = 0; x < geom->n[0]; x++) {
                if (*voxel++ < RILL_FLUID) continue;
                for (int i = 1; i < RILL_Q_MAX; i++) cut_link(f, node, (const uint32_t[3]){x, y, z}, i);
                node++;
            }
}

rill_status rill_exact_walls(rill_geom *geom, rill_wall_place *place, void *context)
{
    rill_status status = RILL_OK;
    finder f = {.geom = geom, .place = place, .context = context};
    rill_surface *surface = calloc(1, sizeof *surface);
    if (!surface) return rill_fail(RILL_SYSTEM, "out of memory for a surface");
    if (rill_geom_fluid(geom) > UINT32_MAX - 1)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "%llu fluid voxels are more than the 4294967294 that fit: lower the size",
                           (unsigned long long)rill_geom_fluid(geom)));
    go_through(&f);
    RILL_TRY(rill_array_create(f.count + 1, sizeof *f.cuts, "wall links", (void **)&f.cuts));
    go_through(&f);
    surface->walls = f.cuts;
    surface->wall_count = f.count;
    geom->surface = surface;
    surface = NULL;
done:
    rill_surface_destroy(surface);
    return status;
}

double rill_round_wall_cut(const rill_round_wall *wall, const double x[3], const int c[3], bool inside)
{
    double p[3], along[2] = {0, 0}, cc = 0, pc = 0, pp = 0;
    for (int a = 0; a < 3; a++) {
        p[a] = x[a] - wall->centre[a];
        along[0] += p[a] * wall->axis[a];
        along[1] += c[a] * wall->axis[a];
    }
    for (int a = 0; a < 3; a++) { /* across the axis */
        const double across = p[a] - along[0] * wall->axis[a], turn = c[a] - along[1] * wall->axis[a];
        pp += across * across;
        pc += across * turn;
        cc += turn * turn;
    }
    const double root = pc * pc - cc * (pp - wall->radius * wall->radius);
    if (!(root >= 0) || cc == 0) return INFINITY;
    return (pc + (inside ? sqrt(root) : -sqrt(root))) / cc;
}

rill_status rill_cuts_voxels(const rill_geom *geom, const rill_cut *cuts, uint64_t count, rill_voxel **out)
{
    rill_status status = RILL_OK;
    rill_voxel *voxels = NULL;
    const uint64_t all = rill_geom_voxels(geom);
    uint64_t node = 0, k = 0;
    RILL_TRY(rill_array_create(count + 1, sizeof *voxels, "wall links", (void **)&voxels));
    for (rill_voxel v = 0; v < all && k < count; v++) {
        if (geom->voxels[v] < RILL_FLUID) continue;
        for (; k < count && cuts[k].node == node; k++) voxels[k] = v;
        node++;
    }
    *out = voxels;
done:
    return status;
}

void rill_cuts_renumber(const rill_geom *geom, const rill_voxel *voxels, rill_cut *cuts, uint64_t *count)
{
    uint64_t kept = 0;
    rill_node node = 0;
    rill_voxel at = 0;
    for (uint64_t k = 0; k < *count; k++) {
        for (; at < voxels[k]; at++) node += geom->voxels[at] >= RILL_FLUID;
        if (geom->voxels[at] < RILL_FLUID) continue;
        cuts[kept] = cuts[k];
        cuts[kept++].node = node;
    }
    *count = kept;
}
