/* SPDX-License-Identifier: Apache-2.0 */
/* Triangle surfaces in memory. Nothing of them is trusted. */
#include "geometry/surface/surface_file_priv.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

static rill_status take_vertices(const rill_triangles *s, double unit, rill_mesh *mesh)
{
    rill_status status = RILL_OK;
    for (uint64_t v = 0; v < s->vertex_count; v++) {
        double x[3];
        for (int a = 0; a < 3; a++) x[a] = s->vertices[v][a] * unit;
        RILL_TRY(rill_surface_finite(x, "vertex", v));
        RILL_TRY(rill_mesh_add_vertex(mesh, x, NULL));
    }
done:
    return status;
}

static rill_status take_triangle(const rill_triangles *s, uint64_t t, const uint16_t *patches,
                                 rill_mesh *mesh)
{
    const uint32_t group = s->groups ? s->groups[t] : 0;
    rill_triangle triangle = {.source = (uint32_t)t};
    for (int k = 0; k < 3; k++) {
        triangle.v[k] = s->triangles[t][k];
        if (triangle.v[k] >= s->vertex_count)
            return rill_fail(RILL_USAGE, "triangle %llu names vertex %u, and there are %llu",
                             (unsigned long long)t, triangle.v[k], (unsigned long long)s->vertex_count);
    }
    if (s->groups && group >= s->group_count)
        return rill_fail(RILL_USAGE, "triangle %llu is of group %u, and there are %u", (unsigned long long)t,
                         group, s->group_count);
    triangle.patch = patches[s->groups ? group : 0];
    return rill_mesh_add_triangle(mesh, triangle);
}

static rill_status take_groups(const rill_triangles *s, uint16_t *patches, rill_mesh *mesh)
{
    rill_status status = RILL_OK;
    if (!s->groups) return rill_mesh_patch(mesh, "", 0, &patches[0]);
    for (uint32_t g = 0; g < s->group_count; g++)
        RILL_TRY(rill_mesh_patch(mesh, s->group_names[g], strlen(s->group_names[g]), &patches[g]));
done:
    return status;
}

static void hash(const rill_triangles *s, rill_surface_file *file)
{
    const uint64_t vertices = XXH3_64bits(s->vertices, s->vertex_count * sizeof *s->vertices);
    file->format = "array";
    snprintf(file->hash, sizeof file->hash, "%016llx",
             (unsigned long long)XXH3_64bits_withSeed(s->triangles, s->triangle_count * sizeof *s->triangles,
                                                      vertices));
}

rill_status rill_surface_take(const rill_triangles *s, double unit, rill_surface_file *file, rill_mesh **out)
{
    rill_status status = RILL_OK;
    rill_mesh *mesh = NULL;
    uint16_t *patches = NULL;
    if (!s->triangles || !s->vertices || s->triangle_count == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "it has no triangles"));
    if (s->groups && s->group_count > RILL_MESH_GROUPS)
        RILL_TRY(rill_fail(RILL_USAGE, "%u groups are more than %d", s->group_count, RILL_MESH_GROUPS));
    RILL_TRY(rill_array_create((uint64_t)s->group_count + 1, sizeof *patches, "groups", (void **)&patches));
    RILL_TRY(rill_mesh_create(&mesh));
    RILL_TRY(rill_mesh_reserve(mesh, s->vertex_count, s->triangle_count));
    RILL_TRY(take_groups(s, patches, mesh));
    RILL_TRY(take_vertices(s, unit, mesh));
    for (uint64_t t = 0; t < s->triangle_count; t++) RILL_TRY(take_triangle(s, t, patches, mesh));
    hash(s, file);
    *out = mesh;
    mesh = NULL;
done:
    rill_array_destroy(patches);
    rill_mesh_destroy(mesh);
    return status;
}
