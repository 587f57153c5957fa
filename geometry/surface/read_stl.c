/* SPDX-License-Identifier: Apache-2.0 */
/* STL, binary and ASCII. Normals are not read: many programs leave them 0, and corners say the same. */
#include "geometry/surface/surface_file_priv.h"

#include <string.h>

enum { HEAD = 84, FACET = 50, NORMAL = 12 };

static float float_at(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    const uint32_t word = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* Add a triangle with vertices of its own; welding joins them. */
static rill_status add(rill_mesh *mesh, const double corner[3][3], uint16_t patch)
{
    rill_status status = RILL_OK;
    rill_triangle triangle = {.source = mesh->triangle_count, .patch = patch};
    for (int k = 0; k < 3; k++) RILL_TRY(rill_mesh_add_vertex(mesh, corner[k], &triangle.v[k]));
    RILL_TRY(rill_mesh_add_triangle(mesh, triangle));
done:
    return status;
}

rill_status rill_surface_read_stl_binary(const rill_surface_text *text, rill_mesh *mesh)
{
    rill_status status = RILL_OK;
    uint16_t patch;
    if (text->size < HEAD)
        return rill_fail(RILL_USAGE, "%llu bytes are too few for an STL surface, which begins with %d",
                         (unsigned long long)text->size, HEAD);
    const unsigned char *n = (const unsigned char *)text->data + HEAD - 4;
    const uint64_t count = (uint64_t)n[0] | (uint64_t)n[1] << 8 | (uint64_t)n[2] << 16 | (uint64_t)n[3] << 24;
    const uint64_t wanted = HEAD + FACET * count;
    if (wanted != text->size)
        return rill_fail(
            RILL_USAGE,
            "as a binary STL it promises %llu triangles, that is %llu bytes, and has %llu: it is %s",
            (unsigned long long)count, (unsigned long long)wanted, (unsigned long long)text->size,
            wanted > text->size ? "truncated, or no STL surface" : "damaged, or no STL surface");
    RILL_TRY(rill_mesh_patch(mesh, "", 0, &patch));
    RILL_TRY(rill_mesh_reserve(mesh, 3 * count, count));
    for (uint64_t t = 0; t < count; t++) {
        const char *at = text->data + HEAD + FACET * t + NORMAL;
        double corner[3][3];
        for (int k = 0; k < 9; k++) corner[k / 3][k % 3] = (double)float_at(at + 4 * k);
        for (int k = 0; k < 3; k++) RILL_TRY(rill_surface_finite(corner[k], "a corner of triangle", t));
        RILL_TRY(add(mesh, (const double(*)[3])corner, patch));
    }
done:
    return status;
}

/* Read the corners between "facet" and "endfacet". */
static rill_status facet(rill_surface_text *text, rill_mesh *mesh, uint16_t patch)
{
    rill_status status = RILL_OK;
    double corner[3][3];
    int corners = 0;
    while (rill_surface_line(text)) {
        const rill_word_of_text word = rill_surface_word(text);
        if (rill_surface_is(word, "vertex")) {
            if (corners == 3)
                return rill_surface_fail(text, "the facet has a fourth vertex: the file is damaged");
            RILL_TRY(rill_surface_reals(text, corner[corners++], 3));
        } else if (rill_surface_is(word, "endfacet")) {
            if (corners < 3)
                return rill_surface_fail(text, "the facet has %d vertices, not 3: the file is damaged",
                                         corners);
            return add(mesh, (const double(*)[3])corner, patch);
        } else if (!rill_surface_is(word, "outer") && !rill_surface_is(word, "endloop")) {
            return rill_surface_fail(text, "\"%.*s\" stands within a facet: the file is damaged",
                                     (int)(word.length < 40 ? word.length : 40), word.text);
        }
    }
    return rill_surface_fail(text, "the file ends within a facet: it is truncated");
done:
    return status;
}

rill_status rill_surface_read_stl_text(rill_surface_text *text, rill_mesh *mesh)
{
    rill_status status = RILL_OK;
    bool within = false;
    uint16_t patch = 0;
    while (rill_surface_line(text)) {
        const rill_word_of_text word = rill_surface_word(text);
        if (rill_surface_is(word, "solid")) {
            const rill_word_of_text name = rill_surface_rest(text); /* "outlet 1" is not "outlet 2" */
            RILL_TRY(rill_mesh_patch(mesh, name.text, name.length, &patch));
            within = true;
        } else if (rill_surface_is(word, "endsolid")) {
            within = false;
        } else if (within && rill_surface_is(word, "facet")) {
            RILL_TRY(facet(text, mesh, patch));
        } else {
            return rill_surface_fail(text, "\"%.*s\" stands where an STL has solid, facet or endsolid",
                                     (int)(word.length < 40 ? word.length : 40), word.text);
        }
    }
    if (within) return rill_surface_fail(text, "the last solid has no endsolid: the file is truncated");
done:
    return status;
}
