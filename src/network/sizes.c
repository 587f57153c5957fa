/* SPDX-License-Identifier: Apache-2.0 */
/* Pore sizes: which part of the pores spheres cover, by distances from walls, and from centres of spheres. */

#include "core/memory.h"
#include "core/status.h"
#include "network/distances.h"

rill_status rill_pore_distances(const rill_geom *geom, float **out)
{
    rill_status status = RILL_OK;
    const uint64_t voxels = rill_geom_voxels(geom);
    float *square = NULL;
    *out = NULL;
    RILL_TRY(rill_array_create(voxels, sizeof *square, "distances from walls", (void **)&square));
    for (uint64_t v = 0; v < voxels; v++) square[v] = geom->voxels[v] ? RILL_DISTANCE_FAR : 0;
    RILL_TRY(rill_distances_square(geom->n, square));
    *out = square;
    square = NULL;
done:
    rill_array_destroy(square);
    return status;
}

/* Find which part of the pores spheres of a diameter cover. @param seeds  [voxels], working memory */
static rill_status cover(const rill_geom *geom, const float *square, double diameter, float *seeds,
                         double *part)
{
    rill_status status = RILL_OK;
    const uint64_t voxels = rill_geom_voxels(geom);
    const double far = (diameter + 1) / 2; /* from the centre of a sphere to that of a voxel of the wall */
    uint64_t pores = 0, covered = 0;
    for (uint64_t v = 0; v < voxels; v++) seeds[v] = square[v] >= (float)(far * far) ? 0 : RILL_DISTANCE_FAR;
    RILL_TRY(rill_distances_square(geom->n, seeds));
    for (uint64_t v = 0; v < voxels; v++) {
        if (!geom->voxels[v]) continue;
        pores++;
        covered += seeds[v] < (float)(far * far);
    }
    *part = (double)covered / (double)pores;
done:
    return status;
}

rill_status rill_pore_sizes_measure(const rill_geom *geom, uint32_t count, const double *diameter,
                                    double *covered)
{
    rill_status status = RILL_OK;
    float *square = NULL, *seeds = NULL;
    if (rill_geom_fluid(geom) == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "the image has no pores: there are no pore sizes"));
    for (uint32_t k = 0; k < count; k++)
        if (!(diameter[k] >= 1))
            RILL_TRY(rill_fail(RILL_USAGE,
                               "a sphere of diameter %g voxels is smaller than a voxel: give 1 or more",
                               diameter[k]));
    RILL_TRY(rill_pore_distances(geom, &square));
    RILL_TRY(rill_array_create(rill_geom_voxels(geom), sizeof *seeds, "centres of spheres", (void **)&seeds));
    for (uint32_t k = 0; k < count; k++) RILL_TRY(cover(geom, square, diameter[k], seeds, &covered[k]));
done:
    rill_array_destroy(square);
    rill_array_destroy(seeds);
    return status;
}
