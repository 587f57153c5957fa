/* SPDX-License-Identifier: Apache-2.0 */
/* Wavefront OBJ: v, f, g and o; everything else, such as normals and materials, is passed over. */
#include "geometry/surface/surface_file_priv.h"

#include <stdlib.h>
#include <string.h>

enum { CORNERS = 256 /* of a face */ };

/* Read "7", "7/1", "7//3", "-1/…": vertices count from 1, or backwards from the last one. */
static rill_status corner(const rill_surface_text *text, rill_word_of_text word, uint32_t vertices,
                          uint32_t *out)
{
    char *end = NULL;
    const long long number = strtoll(word.text, &end, 10);
    const long long v = number < 0 ? (long long)vertices + number : number - 1;
    const char *stop = word.text + word.length;
    if (end == word.text || end > stop || (end < stop && *end != '/'))
        return rill_surface_fail(text, "\"%.*s\" is not the number of a vertex: the file is damaged",
                                 (int)(word.length < 40 ? word.length : 40), word.text);
    if (v < 0 || v >= (long long)vertices)
        return rill_surface_fail(text, "vertex %lld is named and %u are there: the file is damaged", number,
                                 vertices);
    *out = (uint32_t)v;
    return RILL_OK;
}

static rill_status face(rill_surface_text *text, rill_mesh *mesh, uint16_t patch)
{
    rill_status status = RILL_OK;
    uint32_t v[CORNERS], count = 0;
    for (rill_word_of_text word; (word = rill_surface_word(text)).length > 0;) {
        if (*word.text == '#') break;
        if (count == CORNERS)
            return rill_surface_fail(text, "the face has more than %d corners: cut it into triangles",
                                     CORNERS);
        RILL_TRY(corner(text, word, mesh->vertex_count, &v[count++]));
    }
    if (count < 3)
        return rill_surface_fail(text, "the face has %u corners, not at least 3: the file is damaged", count);
    RILL_TRY(rill_surface_polygon(mesh, v, count, patch));
done:
    return status;
}

rill_status rill_surface_read_obj(rill_surface_text *text, rill_mesh *mesh)
{
    rill_status status = RILL_OK;
    uint16_t patch;
    RILL_TRY(rill_mesh_patch(mesh, "", 0, &patch));
    while (rill_surface_line(text)) {
        const rill_word_of_text word = rill_surface_word(text);
        if (rill_surface_is(word, "v")) {
            double x[3];
            RILL_TRY(rill_surface_reals(text, x, 3));
            RILL_TRY(rill_mesh_add_vertex(mesh, x, NULL));
        } else if (rill_surface_is(word, "f")) {
            RILL_TRY(face(text, mesh, patch));
        } else if (rill_surface_is(word, "g") || rill_surface_is(word, "o")) {
            const rill_word_of_text name = rill_surface_rest(text);
            RILL_TRY(rill_mesh_patch(mesh, name.text, name.length, &patch));
        }
    }
    if (mesh->vertex_count == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "it has no line \"v x y z\": it is not an OBJ surface"));
done:
    return status;
}
