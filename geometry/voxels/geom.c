/* SPDX-License-Identifier: Apache-2.0 */
/* The life of a voxel geometry. Reading and writing it is io/geom_file.c's. */
#include "geometry/voxels/greys.h"
#include "geometry/voxels/outside.h"
#include "geometry/voxels/planes.h"
#include "geometry/voxels/sides.h"

#include "core/memory.h"
#include "core/status.h"
#include "rill.h"

#include <stdlib.h>

const char *rill_side_name(rill_side side)
{
    static const char *const names[] = {"periodic", "mirror", "wall"};
    return names[side];
}

rill_status rill_geom_create_empty(const uint32_t n[3], rill_geom **out)
{
    rill_geom *geom = NULL;
    if (n[0] == 0 || n[1] == 0 || n[2] == 0)
        return rill_fail(RILL_USAGE, "a box of %u x %u x %u voxels is empty: every axis needs at least 1",
                         n[0], n[1], n[2]);
    const double voxels = (double)n[0] * n[1] * n[2];
    if (voxels > 1e15)
        return rill_fail(RILL_USAGE,
                         "a box of %u x %u x %u voxels has %.3g of them, more than 1e15: crop or coarsen",
                         n[0], n[1], n[2], voxels);
    geom = calloc(1, sizeof *geom);
    if (!geom) return rill_fail(RILL_SYSTEM, "out of memory for a geometry");
    for (int a = 0; a < 3; a++) {
        geom->n[a] = n[a];
        geom->sides[a] = RILL_PERIODIC;
        geom->porosity.percolating[a] = -1;
    }
    geom->porosity.total = geom->porosity.connected = -1;
    *out = geom;
    return RILL_OK;
}

rill_status rill_geom_create(const uint32_t n[3], rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    RILL_TRY(rill_geom_create_empty(n, &geom));
    RILL_TRY(rill_array_create_zero(rill_geom_voxels(geom), 1, "voxels", (void **)&geom->voxels));
    *out = geom;
    geom = NULL;
done:
    rill_geom_destroy(geom);
    return status;
}

void rill_geom_destroy(rill_geom *geom)
{
    if (!geom) return;
    rill_array_destroy(geom->voxels);
    rill_planes_destroy(geom->planes);
    rill_outside_destroy(geom->outside);
    rill_greys_destroy(geom->greys);
    free(geom->source);
    free(geom->source_hash);
    free(geom->options);
    free(geom->notes);
    rill_surface_destroy(geom->surface);
    free(geom);
}

void rill_surface_destroy(rill_surface *surface)
{
    if (!surface) return;
    for (int k = 0; k < surface->opening_count; k++) {
        rill_array_destroy(surface->openings[k].cuts);
        rill_array_destroy(surface->openings[k].outline);
    }
    free(surface->openings);
    rill_array_destroy(surface->walls);
    rill_array_destroy(surface->vertices);
    rill_array_destroy(surface->triangles);
    rill_array_destroy(surface->removed);
    rill_array_destroy(surface->patches);
    for (uint32_t p = 0; p < surface->patch_count; p++) free(surface->patch_names[p]);
    free(surface->patch_names);
    free(surface);
}

uint64_t rill_geom_voxels(const rill_geom *geom) { return (uint64_t)geom->n[0] * geom->n[1] * geom->n[2]; }

uint64_t rill_geom_fluid(const rill_geom *geom)
{
    const uint64_t voxels = rill_geom_voxels(geom);
    uint64_t fluid = 0;
    for (uint32_t z = 0; geom->planes && z < geom->n[2]; z++) fluid += rill_planes_fluid(geom->planes, z);
    if (geom->planes) return fluid;
#pragma omp parallel for schedule(static) reduction(+ : fluid)
    for (uint64_t v = 0; v < voxels; v++) fluid += geom->voxels[v] >= RILL_FLUID;
    return fluid;
}

rill_status rill_geom_image(const rill_geom *geom, const float *values, rill_node nodes, float solid,
                            float *image)
{
    const uint64_t voxels = rill_geom_voxels(geom), fluid = rill_geom_fluid(geom);
    uint64_t node = 0;
    if (fluid != nodes)
        return rill_fail(RILL_USAGE, "%u values are not one for each of the %llu fluid voxels", nodes,
                         (unsigned long long)fluid);
    for (uint64_t v = 0; v < voxels; v++) image[v] = geom->voxels[v] >= RILL_FLUID ? values[node++] : solid;
    return RILL_OK;
}
