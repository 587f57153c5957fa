/* SPDX-License-Identifier: Apache-2.0 */
/* Describes surfaces as their files have them: nothing is repaired, and the unit of length is not known. */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/surface_file.h"
#include "io/info.h"

#include <string.h>

/* Groups that have a name, with their triangles; NULL: no memory. */
static json_t *groups_json(const rill_mesh *mesh, const uint64_t *triangles)
{
    json_t *list = json_array();
    for (uint32_t p = 0; list && p < mesh->patch_count; p++) {
        json_t *name = json_string(mesh->patches[p]);
        if (!*mesh->patches[p]) {
            json_decref(name);
            continue;
        }
        json_array_append_new(list, json_pack("{s:o, s:I}", "name", name ? name : json_string("(not UTF-8)"),
                                              "triangles", (json_int_t)triangles[p]));
    }
    return list;
}

rill_status rill_info_surface(const char *path, json_t **out)
{
    rill_status status = RILL_OK;
    rill_surface_file file;
    rill_mesh *mesh = NULL;
    uint64_t *triangles = NULL;
    double low[3], high[3];
    json_t *name = NULL;
    RILL_TRY(rill_surface_read(path, 1, &file, &mesh));
    RILL_TRY(rill_array_create_zero((uint64_t)mesh->patch_count + 1, sizeof *triangles, "groups",
                                    (void **)&triangles));
    for (uint32_t t = 0; t < mesh->triangle_count; t++) triangles[mesh->triangles[t].patch]++;
    rill_mesh_box(mesh, low, high);
    name = json_string(path);
    *out = json_pack("{s:o, s:s, s:s, s:I, s:I, s:[f,f,f], s:[f,f,f], s:s, s:o, s:s}", "file",
                     name ? name : json_string("(not UTF-8)"), "kind", "surface", "format", file.format,
                     "triangles", (json_int_t)mesh->triangle_count, "vertices",
                     (json_int_t)mesh->vertex_count, "low", low[0], low[1], low[2], "high", high[0], high[1],
                     high[2], "unit", "unknown, see --units of rill voxelize", "groups",
                     groups_json(mesh, triangles), "xxh3_64", file.hash);
    if (!*out) status = rill_fail(RILL_SYSTEM, "out of memory for a description");
done:
    rill_array_destroy(triangles);
    rill_mesh_destroy(mesh);
    return status;
}
