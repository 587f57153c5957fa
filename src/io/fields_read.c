/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a geometry and the velocities in it from a field file of the kind "image", some planes at a time.
 */
#include "core/memory.h"
#include "core/status.h"
#include "io/fields_priv.h"
#include "io/geom_file.h"
#include "io/ours.h"

#include "rill/dispersion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLANES = 8 /* as many as the chunks have */ };

rill_status rill_fields_finite_check(const char *path, const char *dataset, const float *values, int count,
                                     uint64_t index)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(values[k]))
            return rill_fail(
                RILL_USAGE,
                "%s: %s is %g in voxel %llu, which no flow has: the file is damaged, or not written by rill; compute it again",
                path, dataset, (double)values[k], (unsigned long long)index);
    return RILL_OK;
}

/* Open a file and read what it says of its geometry. */
static rill_status image_open(const char *path, rill_h5_file **file, rill_geom **geom)
{
    rill_status status = RILL_OK;
    char *format = NULL;
    rill_h5_layout layout;
    int64_t size[3], outside = 0;
    uint32_t n[3];
    RILL_TRY(rill_h5_open(path, file));
    RILL_TRY(rill_format_read(*file, &format));
    if (!format || strcmp(format, RILL_FIELDS_FORMAT) != 0 || !rill_h5_exists(*file, RILL_IMAGE_VELOCITY) ||
        !rill_h5_exists(*file, RILL_IMAGE_VOXELS))
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "%s has no velocities of all voxels: name a field file of `rill permeability --fields image`, OUT.vtkhdf",
            path));
    RILL_TRY(rill_h5_get_integers(*file, "/", "size", size, 3));
    for (int a = 0; a < 3; a++) {
        if (size[a] < 1 || size[a] > INT32_MAX)
            RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: %lld voxels along %c are not between 1 and %d",
                               path, (long long)size[a], rill_axis(a), INT32_MAX));
        n[a] = (uint32_t)size[a];
    }
    if (rill_h5_has_attribute(*file, "/", "outside_voxels"))
        RILL_TRY(rill_h5_get_integers(*file, "/", "outside_voxels", &outside, 1));
    if (outside > 0)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "%s has voxels outside of the sample: name the image or geometry instead", path));
    const uint64_t all[3] = {n[2], n[1], n[0]};
    RILL_TRY(rill_h5_dataset_layout(*file, RILL_IMAGE_VOXELS, &layout)); /* before memory is taken */
    if (layout.rank != 3 || memcmp(layout.dims, all, sizeof all) != 0)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "cannot read %s: " RILL_IMAGE_VOXELS
                           " has another shape than the file says: it is damaged",
                           path));
    RILL_TRY(rill_geom_create(n, geom));
    RILL_TRY(rill_geom_sides_read(*file, (*geom)->sides));
    RILL_TRY(rill_geom_provenance_read(*file, *geom));
    RILL_TRY(rill_geom_place_read(*file, &(*geom)->spacing, (*geom)->origin));
    RILL_TRY(rill_h5_read(*file, RILL_IMAGE_VOXELS, RILL_H5_U8, 3, NULL, all, (*geom)->voxels));
done:
    free(format);
    return status;
}

rill_status rill_pore_velocities_read(const char *path, rill_geom **out, float **u)
{
    rill_status status = RILL_OK;
    rill_h5_file *file = NULL;
    rill_geom *geom = NULL;
    float *values = NULL, *some = NULL;
    uint64_t node = 0;
    RILL_TRY(image_open(path, &file, &geom));
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1], nodes = rill_geom_fluid(geom);
    RILL_TRY(rill_array_create(3 * nodes + 1, sizeof *values, "the velocities of a flow", (void **)&values));
    RILL_TRY(rill_array_create(3 * PLANES * plane, sizeof *some, "planes of velocities", (void **)&some));
    for (uint64_t z = 0; z < geom->n[2]; z += PLANES) {
        const uint64_t count = geom->n[2] - z < PLANES ? geom->n[2] - z : PLANES;
        const uint64_t start[4] = {z, 0, 0, 0}, n[4] = {count, geom->n[1], geom->n[0], 3};
        RILL_TRY(rill_h5_read(file, RILL_IMAGE_VELOCITY, RILL_H5_F32, 4, count == geom->n[2] ? NULL : start,
                              n, some));
        for (uint64_t v = 0; v < count * plane; v++) {
            if (geom->voxels[z * plane + v] == RILL_SOLID) continue;
            RILL_TRY(rill_fields_finite_check(path, RILL_IMAGE_VELOCITY, some + 3 * v, 3, z * plane + v));
            for (uint64_t a = 0; a < 3; a++) values[a * nodes + node] = some[3 * v + a];
            node++;
        }
    }
    *out = geom;
    *u = values;
    geom = NULL;
    values = NULL;
done:
    rill_array_destroy(some);
    rill_array_destroy(values);
    rill_geom_destroy(geom);
    rill_h5_close(file);
    return status;
}
