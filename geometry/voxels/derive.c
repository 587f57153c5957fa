/* SPDX-License-Identifier: Apache-2.0 */
/* Geometries made from a geometry. Copies of grey images on the way in are voxelize.c's. */
#include "geometry/voxels/derive.h"
#include "core/memory.h"
#include "core/status.h"

#include <stdlib.h>
#include <string.h>

static rill_status text_copy(const char *text, char **out)
{
    if (!text) return RILL_OK;
    *out = strdup(text);
    return *out ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for the provenance of a geometry");
}

/* Create a geometry of n voxels with everything but the voxels taken over. */
static rill_status like(const rill_geom *geom, const uint32_t n[3], const char *what, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *made = NULL;
    RILL_TRY(rill_memory_require((uint64_t)n[0] * n[1] * n[2], what));
    RILL_TRY(rill_geom_create(n, &made));
    made->spacing = geom->spacing;
    made->porosity = geom->porosity;
    memcpy(made->origin, geom->origin, sizeof made->origin);
    memcpy(made->sides, geom->sides, sizeof made->sides);
    RILL_TRY(text_copy(geom->source, &made->source));
    RILL_TRY(text_copy(geom->source_hash, &made->source_hash));
    RILL_TRY(text_copy(geom->options, &made->options));
    *out = made;
    made = NULL;
done:
    rill_geom_destroy(made);
    return status;
}

rill_status rill_geom_crop(const rill_geom *geom, const uint32_t first[3], const uint32_t n[3],
                           rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *part = NULL;
    bool whole = true;
    for (int a = 0; a < 3; a++) {
        if (n[a] == 0 || first[a] >= geom->n[a] || n[a] > geom->n[a] - first[a])
            return rill_fail(RILL_USAGE, "a box of %u voxels from %u does not fit the %u along %c", n[a],
                             first[a], geom->n[a], rill_axis(a));
        whole = whole && n[a] == geom->n[a];
    }
    RILL_TRY(like(geom, n, "a part of the geometry", &part));
    const uint64_t row = geom->n[0], plane = row * geom->n[1];
#pragma omp parallel for schedule(static) collapse(2)
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            memcpy(part->voxels + (uint64_t)n[0] * (y + (uint64_t)n[1] * z),
                   geom->voxels + plane * (first[2] + z) + row * (first[1] + y) + first[0], n[0]);
    for (int a = 0; a < 3; a++) part->origin[a] += first[a] * part->spacing;
    if (!whole) part->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    *out = part;
    part = NULL;
done:
    rill_geom_destroy(part);
    return status;
}

rill_status rill_geom_split(const rill_geom *geom, const uint32_t factor[3], rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *fine = NULL;
    uint32_t n[3], largest = 1;
    for (int a = 0; a < 3; a++) largest = factor[a] > largest ? factor[a] : largest;
    for (int a = 0; a < 3; a++) {
        if (factor[a] != 1 && factor[a] != largest)
            return rill_fail(RILL_USAGE,
                             "voxels cannot be split by %u, %u and %u along x, y and z: they must stay cubes",
                             factor[0], factor[1], factor[2]);
        if (factor[a] == 0 || geom->n[a] > UINT32_MAX / factor[a])
            return rill_fail(RILL_USAGE, "%u voxels along %c cannot be split by %u: crop the image",
                             geom->n[a], rill_axis(a), factor[a]);
        n[a] = geom->n[a] * factor[a];
    }
    RILL_TRY(like(geom, n, "the geometry with split voxels", &fine));
#pragma omp parallel for schedule(static)
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++) {
            uint8_t *to = fine->voxels + (uint64_t)n[0] * (y + (uint64_t)n[1] * z);
            const uint8_t *from = geom->voxels + (uint64_t)geom->n[0] *
                                                     (y / factor[1] + (uint64_t)geom->n[1] * (z / factor[2]));
            if (y % factor[1]) {
                memcpy(to, to - n[0], n[0]);
                continue;
            }
            for (uint32_t x = 0; x < geom->n[0]; x++)
                memset(to + (uint64_t)x * factor[0], from[x], factor[0]);
        }
    fine->spacing /= largest;
    *out = fine;
    fine = NULL;
done:
    rill_geom_destroy(fine);
    return status;
}
