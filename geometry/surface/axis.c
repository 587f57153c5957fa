/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The normals of the walls of a tube lie in the plane that its axis is normal to: the sum of n n^T over the
 * area has the axis as the eigenvector of its smallest eigenvalue, which is 0 for any cylinder.
 */
#include "geometry/surface/axis.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <string.h>

/* Most of the smallest eigenvalue, as a part of the next: that of a cone of 27 degrees. */
#define CLEAR 0.5
/* Least cosine between axis and outward normal: a more oblique cut is no end of a tube. */
#define STEEPEST 0.26

enum { ROUNDS = 60 }; /* of an iteration whose error shrinks by CLEAR at least */

rill_status rill_around_create(const rill_mesh *mesh, rill_around *out)
{
    rill_status status = RILL_OK;
    static const char what[] = "the triangles around vertices";
    rill_around a = {.vertex_count = mesh->vertex_count};
    RILL_TRY(
        rill_array_create_zero((uint64_t)mesh->vertex_count + 1, sizeof *a.first, what, (void **)&a.first));
    RILL_TRY(rill_array_create(3 * (uint64_t)mesh->triangle_count + 1, sizeof *a.triangles, what,
                               (void **)&a.triangles));
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int e = 0; e < 3; e++) a.first[mesh->triangles[t].v[e]]++;
    uint32_t sum = 0;
    for (uint32_t v = 0; v <= mesh->vertex_count; v++) {
        sum += v < mesh->vertex_count ? a.first[v] : 0;
        a.first[v] = sum; /* where the list ends: it is filled from there */
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int e = 0; e < 3; e++) a.triangles[--a.first[mesh->triangles[t].v[e]]] = t;
    *out = a;
    a = (rill_around){0};
done:
    rill_around_destroy(&a);
    return status;
}

void rill_around_destroy(rill_around *around)
{
    rill_array_destroy(around->first);
    rill_array_destroy(around->triangles);
    *around = (rill_around){0};
}

/* A walk over the surface, from the vertices of a loop on. */
typedef struct walk {
    const rill_mesh *mesh;
    const rill_around *around;
    uint32_t *from;  /* [vertex_count], number in the loop + 1 of where a vertex was reached from; 0: not */
    uint32_t *queue; /* [vertex_count] */
    uint32_t count;
    double sums[3][3]; /* n n^T, by area */
} walk;

static void visit(walk *w, uint32_t v, uint32_t from)
{
    if (w->from[v]) return;
    w->from[v] = from;
    w->queue[w->count++] = v;
}

/* Go on to the neighbours of a vertex, as far as they are near the vertex of the loop. */
static void go_on(walk *w, uint32_t v, const uint32_t *loop, double reach)
{
    const double *start = w->mesh->vertices[loop[w->from[v] - 1]];
    for (uint32_t k = w->around->first[v]; k < w->around->first[v + 1]; k++) {
        const uint32_t t = w->around->triangles[k];
        double area[3];
        rill_mesh_area(w->mesh, t, area);
        const double size = sqrt(rill_dot(area, area));
        for (int a = 0; a < 3 && size > 0; a++) /* a third at each of its vertices */
            for (int b = 0; b < 3; b++) w->sums[a][b] += area[a] * area[b] / size / 3;
        for (int e = 0; e < 3; e++) {
            double d[3];
            const uint32_t next = w->mesh->triangles[t].v[e];
            rill_subtract(w->mesh->vertices[next], start, d);
            if (rill_dot(d, d) < reach * reach) visit(w, next, w->from[v]);
        }
    }
}

/* Find the eigenvector of the smallest eigenvalue, by iteration with the adjugate matrix.
 * @return whether that eigenvalue is much smaller than the next */
static bool smallest(double m[3][3], double x[3])
{
    double adjugate[3][3], least = 0, product = 0;
    const double trace = m[0][0] + m[1][1] + m[2][2];
    for (int a = 0; a < 3; a++) rill_cross(m[(a + 1) % 3], m[(a + 2) % 3], adjugate[a]);
    for (int round = 0; round < ROUNDS; round++) {
        double y[3];
        for (int a = 0; a < 3; a++) y[a] = rill_dot(adjugate[a], x);
        const double length = sqrt(rill_dot(y, y));
        if (!(length > 0)) return false;
        for (int a = 0; a < 3; a++) x[a] = y[a] / length;
        product = length; /* of the two larger eigenvalues */
    }
    for (int a = 0; a < 3; a++) least += x[a] * rill_dot(m[a], x);
    const double sum = trace - least, next = sum / 2 - sqrt(fmax(sum * sum / 4 - product, 0));
    return least < CLEAR * next;
}

rill_status rill_axis_find(const rill_mesh *mesh, const rill_around *around, const uint32_t *loop,
                           uint32_t count, double reach, const double outward[3], double axis[3])
{
    rill_status status = RILL_OK;
    static const char what[] = "the walls at an opening";
    walk w = {.mesh = mesh, .around = around};
    double x[3] = {outward[0], outward[1], outward[2]};
    memcpy(axis, x, sizeof x);
    RILL_TRY(
        rill_array_create_zero((uint64_t)around->vertex_count + 1, sizeof *w.from, what, (void **)&w.from));
    RILL_TRY(rill_array_create((uint64_t)around->vertex_count + 1, sizeof *w.queue, what, (void **)&w.queue));
    for (uint32_t k = 0; k < count; k++) visit(&w, loop[k], k + 1);
    for (uint32_t k = 0; k < w.count; k++) go_on(&w, w.queue[k], loop, reach);
    if (!smallest(w.sums, x)) goto done;
    const double along = rill_dot(x, outward);
    if (fabs(along) < STEEPEST) goto done;
    for (int a = 0; a < 3; a++) axis[a] = along < 0 ? -x[a] : x[a];
done:
    rill_array_destroy(w.from);
    rill_array_destroy(w.queue);
    return status;
}
