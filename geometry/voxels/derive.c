/* SPDX-License-Identifier: Apache-2.0 */
/* Geometries made from a geometry. Copies of grey images on the way in are voxelize.c's. */
#include "geometry/voxels/derive.h"
#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/outside.h"
#include "geometry/voxels/planes.h"

#include <stdlib.h>
#include <string.h>

static rill_status text_copy(const char *text, char **out)
{
    if (!text) return RILL_OK;
    *out = strdup(text);
    return *out ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for the provenance of a geometry");
}

/* Create a geometry of n voxels with everything but the voxels taken over, kept by the same processes. */
static rill_status like(const rill_geom *geom, const uint32_t n[3], const char *what, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *made = NULL;
    const rill_keeper *keeper = rill_planes_keeper(geom->planes);
    if (!keeper) RILL_TRY(rill_memory_require((uint64_t)n[0] * n[1] * n[2], what));
    RILL_TRY(rill_geom_create_kept(n, keeper, &made));
    made->spacing = geom->spacing;
    made->porosity = geom->porosity;
    memcpy(made->origin, geom->origin, sizeof made->origin);
    memcpy(made->sides, geom->sides, sizeof made->sides);
    RILL_TRY(text_copy(geom->source, &made->source));
    RILL_TRY(text_copy(geom->source_hash, &made->source_hash));
    RILL_TRY(text_copy(geom->options, &made->options));
    RILL_TRY(text_copy(geom->notes, &made->notes));
    *out = made;
    made = NULL;
done:
    rill_geom_destroy(made);
    return status;
}

/* What a plane of a geometry is made of. */
typedef struct recipe {
    const uint32_t *first;  /* voxel of the source that the first one comes from */
    const uint32_t *factor; /* voxels that one of the source becomes, along each axis */
} recipe;

/* Fill a plane. */
static void plane_fill(const recipe *r, const rill_window *source, const rill_window *target, uint32_t z)
{
    const uint32_t *n = target->geom->n;
    for (uint32_t y = 0; y < n[1]; y++) {
        uint8_t *to = rill_window_row(target, y, z);
        const uint8_t *from =
            rill_window_row(source, r->first[1] + y / r->factor[1], r->first[2] + z / r->factor[2]) +
            r->first[0];
        if (y % r->factor[1])
            memcpy(to, to - n[0], n[0]);
        else if (r->factor[0] == 1)
            memcpy(to, from, n[0]);
        else
            for (uint32_t x = 0; x < n[0] / r->factor[0]; x++)
                memset(to + (uint64_t)x * r->factor[0], from[x], r->factor[0]);
    }
}

/* Fill a geometry from another one, some planes at a time where processes keep them. */
static rill_status fill(const rill_geom *geom, const recipe *r, rill_geom *made)
{
    rill_status status = RILL_OK;
    rill_window source = {.geom = geom}, target = {.geom = made};
    const uint64_t own = rill_window_planes(made), theirs = (uint64_t)rill_window_planes(geom) * r->factor[2];
    const uint32_t nz = made->n[2], most = (uint32_t)(own < theirs ? own : theirs);
    for (uint32_t z = 0, count; z < nz; z += count) {
        count = nz - z < most ? nz - z : most;
        const uint32_t from = z / r->factor[2], last = (z + count - 1) / r->factor[2];
        RILL_TRY(rill_window_see(&source, r->first[2] + from, last - from + 1));
        RILL_TRY(rill_window_blank(&target, z, count));
#pragma omp parallel for schedule(static)
        for (uint32_t k = 0; k < count; k++) plane_fill(r, &source, &target, z + k);
        RILL_TRY(rill_window_keep(&target, made));
    }
done:
    rill_window_close(&source);
    rill_window_close(&target);
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
    RILL_TRY(fill(geom, &(recipe){first, (const uint32_t[3]){1, 1, 1}}, part));
    RILL_TRY(rill_outside_part(geom, first, (const uint32_t[3]){1, 1, 1}, part));
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
    RILL_TRY(fill(geom, &(recipe){(const uint32_t[3]){0, 0, 0}, factor}, fine));
    RILL_TRY(rill_outside_part(geom, (const uint32_t[3]){0, 0, 0}, factor, fine));
    fine->spacing /= largest;
    *out = fine;
    fine = NULL;
done:
    rill_geom_destroy(fine);
    return status;
}
