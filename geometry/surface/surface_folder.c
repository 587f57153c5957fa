/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of surfaces that together are one: SimVascular's mesh-surfaces, one STL for each patch. */
#include "core/reading.h"
#include "geometry/surface/surface_file_priv.h"

#include "geometry/image/file_names.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static const char *const endings[] = {".stl", ".obj", ".ply", ".vtp"};

/* The bytes of a name before the ending of a surface; 0: it has another ending. */
static size_t stem_length(const char *name)
{
    for (size_t k = 0; k < sizeof endings / sizeof *endings; k++)
        if (rill_name_ends(name, endings[k]) && name[0] != '.') return strlen(name) - strlen(endings[k]);
    return 0;
}

static int is_surface(const struct dirent *entry) { return stem_length(entry->d_name) > 0; }

static int compare(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Add a surface as a group. */
static rill_status append(rill_mesh *mesh, const rill_mesh *part, const char *name, size_t length)
{
    rill_status status = RILL_OK;
    uint16_t patch;
    const uint32_t first = mesh->vertex_count;
    RILL_TRY(rill_mesh_patch(mesh, name, length, &patch));
    RILL_TRY(rill_mesh_reserve(mesh, part->vertex_count, part->triangle_count));
    for (uint32_t v = 0; v < part->vertex_count; v++)
        RILL_TRY(rill_mesh_add_vertex(mesh, part->vertices[v], NULL));
    for (uint32_t t = 0; t < part->triangle_count; t++) {
        const uint32_t *v = part->triangles[t].v;
        RILL_TRY(rill_mesh_add_triangle(mesh, (rill_triangle){.v = {first + v[0], first + v[1], first + v[2]},
                                                              .source = mesh->triangle_count,
                                                              .patch = patch}));
    }
done:
    return status;
}

static rill_status read_part(const char *folder, const char *name, rill_mesh *mesh, uint64_t *hash)
{
    rill_status status = RILL_OK;
    rill_mesh *part = NULL;
    const char *format;
    char *path = NULL;
    uint64_t own;
    const size_t length = stem_length(name);
    for (uint32_t p = 0; p < mesh->patch_count; p++)
        if (strlen(mesh->patches[p]) == length && strncmp(mesh->patches[p], name, length) == 0)
            return rill_fail(RILL_USAGE, "it holds two surfaces that are called %.*s: remove one of them",
                             (int)length, name);
    if (asprintf(&path, "%s/%s", folder, name) < 0) {
        path = NULL;
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the name of a file"));
    }
    RILL_TRY(rill_surface_read_file(path, &part, &format, &own));
    RILL_TRY(append(mesh, part, name, length));
    *hash = XXH3_64bits_withSeed(&own, sizeof own, *hash);
done:
    rill_mesh_destroy(part);
    free(path);
    return status;
}

rill_status rill_surface_read_folder(const char *path, rill_mesh **out, uint64_t *hash)
{
    rill_status status = RILL_OK;
    rill_mesh *mesh = NULL;
    struct dirent **entries = NULL;
    const int count = scandir(path, &entries, is_surface, compare);
    if (count < 0) return rill_fail_reading(errno, path, "the folder cannot be read");
    if (count == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "the folder holds no surfaces (*.stl, *.obj, *.ply, *.vtp)"));
    RILL_TRY(rill_mesh_create(&mesh));
    *hash = 0;
    for (int k = 0; k < count; k++) RILL_TRY(read_part(path, entries[k]->d_name, mesh, hash));
    *out = mesh;
    mesh = NULL;
done:
    for (int k = 0; k < count; k++) free(entries[k]);
    free(entries);
    rill_mesh_destroy(mesh);
    return status;
}
