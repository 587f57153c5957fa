/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a geometry, with all that it owns. Parts of a geometry are derive.c's. */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/derive.h"

#include <stdlib.h>
#include <string.h>

/* Copy an array; NULL stays NULL. */
static rill_status array_copy(const void *from, uint64_t count, size_t size, void **out)
{
    if (!from) return RILL_OK;
    const rill_status status = rill_array_create(count, size, "the surface of a geometry", out);
    if (status == RILL_OK) memcpy(*out, from, count * size);
    return status;
}

static rill_status opening_copy(const rill_opening *from, rill_opening *to)
{
    rill_status status = RILL_OK;
    *to = *from;
    to->cuts = NULL;
    to->outline = NULL;
    RILL_TRY(array_copy(from->cuts, from->cut_count, sizeof *from->cuts, (void **)&to->cuts));
    RILL_TRY(array_copy(from->outline, from->outline_count, sizeof *from->outline, (void **)&to->outline));
done:
    return status;
}

static rill_status surface_copy(const rill_surface *from, rill_surface **out)
{
    rill_status status = RILL_OK;
    rill_surface *to = calloc(1, sizeof *to);
    if (!to) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the surface of a geometry"));
    to->vertex_count = from->vertex_count;
    to->triangle_count = from->triangle_count;
    to->wall_count = from->wall_count;
    RILL_TRY(array_copy(from->vertices, from->vertex_count, sizeof *from->vertices, (void **)&to->vertices));
    RILL_TRY(
        array_copy(from->triangles, from->triangle_count, sizeof *from->triangles, (void **)&to->triangles));
    RILL_TRY(array_copy(from->walls, from->wall_count, sizeof *from->walls, (void **)&to->walls));
    RILL_TRY(array_copy(from->removed, from->triangle_count, sizeof *from->removed, (void **)&to->removed));
    RILL_TRY(array_copy(from->patches, from->triangle_count, sizeof *from->patches, (void **)&to->patches));
    to->patch_names = calloc((size_t)from->patch_count + 1, sizeof *to->patch_names);
    if (!to->patch_names) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the patches of a geometry"));
    for (; to->patch_count < from->patch_count; to->patch_count++)
        if (!(to->patch_names[to->patch_count] = strdup(from->patch_names[to->patch_count])))
            RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the patches of a geometry"));
    to->openings = calloc((size_t)from->opening_count + 1, sizeof *to->openings);
    if (!to->openings) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the openings of a geometry"));
    for (int k = 0; k < from->opening_count; k++) {
        to->opening_count = k + 1; /* also of one that is copied in part */
        RILL_TRY(opening_copy(&from->openings[k], &to->openings[k]));
    }
    *out = to;
    to = NULL;
done:
    rill_surface_destroy(to);
    return status;
}

rill_status rill_geom_copy(const rill_geom *geom, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *copy = NULL;
    RILL_TRY(rill_geom_crop(geom, (const uint32_t[3]){0}, geom->n, &copy));
    if (geom->surface) RILL_TRY(surface_copy(geom->surface, &copy->surface));
    *out = copy;
    copy = NULL;
done:
    rill_geom_destroy(copy);
    return status;
}
