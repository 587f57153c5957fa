/* SPDX-License-Identifier: Apache-2.0 */
/* Extends a surface at an opening. */
#include "geometry/surface/openings.h"

#include "core/status.h"

#include <math.h>
#include <string.h>

/* Return how far the outline reaches along a direction from its centre. */
static double reach_of(const rill_mesh *mesh, const rill_outline *o, const uint32_t *v, uint32_t count,
                       const double along[3])
{
    double most = 0, d[3];
    for (uint32_t n = 0; n < count; n++) {
        rill_subtract(mesh->vertices[v[n]], o->centre, d);
        most = fmax(most, rill_dot(d, along));
    }
    return most;
}

/* Add the copy: the vertices moved along a direction to a plane that is normal to it. */
static rill_status copy(rill_mesh *mesh, const rill_outline *o, const uint32_t *v, uint32_t count,
                        double distance, const double along[3])
{
    rill_status status = RILL_OK;
    for (uint32_t n = 0; n < count; n++) {
        double d[3], x[3];
        memcpy(x, mesh->vertices[v[n]], sizeof x);
        rill_subtract(x, o->centre, d);
        const double rise = distance - rill_dot(d, along);
        for (int a = 0; a < 3; a++) x[a] += rise * along[a];
        RILL_TRY(rill_mesh_add_vertex(mesh, x, NULL));
    }
done:
    return status;
}

rill_status rill_extension_add(rill_mesh *mesh, rill_outline *outline, uint32_t *vertices, uint32_t count,
                               double length, const double axis[3])
{
    rill_status status = RILL_OK;
    const bool oblique = rill_dot(axis, outline->outward) < RILL_OBLIQUE;
    const double *along = oblique ? axis : outline->outward,
                 distance = length + (oblique ? reach_of(mesh, outline, vertices, count, axis) : 0);
    const uint32_t first = mesh->vertex_count;
    RILL_TRY(rill_mesh_reserve(mesh, count, 2 * (uint64_t)count));
    RILL_TRY(copy(mesh, outline, vertices, count, distance, along));
    for (uint32_t n = 0; n < count; n++) {
        const uint32_t a = vertices[n], b = vertices[(n + 1) % count], a2 = first + n,
                       b2 = first + (n + 1) % count;
        RILL_TRY(rill_mesh_add_triangle(mesh, (rill_triangle){.v = {b, a, a2}, .source = RILL_NO_TRIANGLE}));
        RILL_TRY(rill_mesh_add_triangle(mesh, (rill_triangle){.v = {b, a2, b2}, .source = RILL_NO_TRIANGLE}));
    }
    for (uint32_t n = 0; n < count; n++) vertices[n] = first + n;
    if (oblique) {
        rill_outline_measure(mesh, vertices, count, outline);
        RILL_TRY(rill_outline_smooth(mesh, vertices, count, outline));
    } else
        for (int a = 0; a < 3; a++) outline->centre[a] += length * outline->outward[a];
done:
    return status;
}
