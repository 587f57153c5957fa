/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/mesh.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const what = "a membrane's triangles";

/* A side of a triangle, from its corner k to the next. */
typedef struct side {
    uint32_t low, high, triangle, corner;
} side;

static int side_compare(const void *left, const void *right)
{
    const side *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->triangle < b->triangle ? -1 : a->triangle > b->triangle;
}

/* Find the edges of a closed surface. @param[out] of_side  [triangles][3], the edge at each side; may be NULL
 */
static rill_status edges_find(rill_membrane_mesh *m, uint32_t (*of_side)[3])
{
    rill_status status = RILL_OK;
    side *sides = NULL;
    const uint64_t count = 3 * (uint64_t)m->triangle_count;
    RILL_TRY(rill_array_create(count, sizeof *sides, what, (void **)&sides));
    rill_array_destroy(m->edges);
    m->edges = NULL;
    m->edge_count = (uint32_t)(count / 2);
    RILL_TRY(rill_array_create(m->edge_count, sizeof *m->edges, what, (void **)&m->edges));
    for (uint32_t t = 0; t < m->triangle_count; t++)
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t a = m->triangles[t][k], b = m->triangles[t][(k + 1) % 3];
            sides[3 * (uint64_t)t + k] = (side){a < b ? a : b, a < b ? b : a, t, k};
        }
    qsort(sides, count, sizeof *sides, side_compare);
    for (uint32_t e = 0; e < m->edge_count; e++) {
        const side *s = sides + 2 * (uint64_t)e;
        const uint32_t *first = m->triangles[s[0].triangle], *second = m->triangles[s[1].triangle];
        for (uint32_t k = 0; k < 3; k++) m->edges[e][k] = first[(s[0].corner + k) % 3];
        m->edges[e][3] = second[(s[1].corner + 2) % 3];
        for (int k = 0; k < 2 && of_side; k++) of_side[s[k].triangle][s[k].corner] = e;
    }
done:
    rill_array_destroy(sides);
    return status;
}

static void normalise(double x[3])
{
    const double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int a = 0; a < 3; a++) x[a] /= length;
}

/* Divide every triangle of the unit sphere into four. */
static rill_status divide(rill_membrane_mesh *m)
{
    rill_status status = RILL_OK;
    uint32_t(*of_side)[3] = NULL;
    rill_membrane_mesh fine = {.vertex_count = m->vertex_count + m->edge_count,
                               .triangle_count = 4 * m->triangle_count};
    RILL_TRY(rill_array_create(m->triangle_count, sizeof *of_side, what, (void **)&of_side));
    RILL_TRY(edges_find(m, of_side));
    fine.vertex_count = m->vertex_count + m->edge_count;
    RILL_TRY(rill_array_create(fine.vertex_count, sizeof *fine.vertices, what, (void **)&fine.vertices));
    RILL_TRY(rill_array_create(fine.triangle_count, sizeof *fine.triangles, what, (void **)&fine.triangles));
    memcpy(fine.vertices, m->vertices, m->vertex_count * sizeof *m->vertices);
    for (uint32_t e = 0; e < m->edge_count; e++) {
        double *x = fine.vertices[m->vertex_count + e];
        for (int a = 0; a < 3; a++) x[a] = m->vertices[m->edges[e][0]][a] + m->vertices[m->edges[e][1]][a];
        normalise(x);
    }
    for (uint32_t t = 0; t < m->triangle_count; t++) {
        uint32_t middle[3];
        for (int k = 0; k < 3; k++) middle[k] = m->vertex_count + of_side[t][k];
        for (int k = 0; k < 3; k++)
            memcpy(fine.triangles[4 * t + (uint32_t)k],
                   ((uint32_t[3]){m->triangles[t][k], middle[k], middle[(k + 2) % 3]}),
                   sizeof *fine.triangles);
        memcpy(fine.triangles[4 * t + 3], middle, sizeof middle);
    }
    rill_membrane_mesh_destroy(m);
    *m = fine;
    fine = (rill_membrane_mesh){0};
done:
    rill_array_destroy(of_side);
    rill_membrane_mesh_destroy(&fine);
    return status;
}

static rill_status icosahedron(rill_membrane_mesh *m)
{
    static const uint8_t triangles[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                             {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                             {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                             {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    rill_status status = RILL_OK;
    const double golden = (1 + sqrt(5)) / 2;
    m->vertex_count = 12;
    m->triangle_count = 20;
    RILL_TRY(rill_array_create(12, sizeof *m->vertices, what, (void **)&m->vertices));
    RILL_TRY(rill_array_create(20, sizeof *m->triangles, what, (void **)&m->triangles));
    for (int k = 0; k < 12; k++) { /* corners of three rectangles, (±1, ±golden) in each plane */
        double *x = m->vertices[k];
        const int plane = k / 4;
        x[plane] = k % 2 ? 1 : -1;
        x[(plane + 1) % 3] = k % 4 < 2 ? golden : -golden;
        x[(plane + 2) % 3] = 0;
        normalise(x);
    }
    for (int t = 0; t < 20; t++)
        for (int k = 0; k < 3; k++) m->triangles[t][k] = triangles[t][k];
done:
    return status;
}

rill_status rill_membrane_mesh_sphere(double radius, int level, rill_membrane_mesh *out)
{
    rill_status status = RILL_OK;
    rill_membrane_mesh m = {0};
    if (!(radius > 0) || !isfinite(radius))
        RILL_TRY(rill_fail(RILL_USAGE, "radius %g of a membrane is not above 0", radius));
    if (level < 0 || level > RILL_MEMBRANE_LEVELS)
        RILL_TRY(rill_fail(RILL_USAGE, "%d subdivisions of a membrane are not 0 to %d", level,
                           RILL_MEMBRANE_LEVELS));
    RILL_TRY(icosahedron(&m));
    for (int k = 0; k < level; k++) RILL_TRY(divide(&m));
    RILL_TRY(edges_find(&m, NULL));
    for (uint32_t v = 0; v < m.vertex_count; v++)
        for (int a = 0; a < 3; a++) m.vertices[v][a] *= radius;
    *out = m;
    m = (rill_membrane_mesh){0};
done:
    rill_membrane_mesh_destroy(&m);
    return status;
}

rill_status rill_membrane_mesh_red_cell(double radius, int level, rill_membrane_mesh *out)
{
    /* half of the thickness 0.81, 7.83, -4.39 micrometres over the radius of 3.91 */
    static const double c[3] = {0.81 / 3.91 / 2, 7.83 / 3.91 / 2, -4.39 / 3.91 / 2};
    const rill_status status = rill_membrane_mesh_sphere(radius, level, out);
    for (uint32_t v = 0; v < out->vertex_count && status == RILL_OK; v++) {
        double *x = out->vertices[v];
        const double square = (x[0] * x[0] + x[1] * x[1]) / (radius * radius);
        x[2] *= c[0] + c[1] * square + c[2] * square * square;
    }
    return status;
}

void rill_membrane_mesh_destroy(rill_membrane_mesh *mesh)
{
    rill_array_destroy(mesh->vertices);
    rill_array_destroy(mesh->triangles);
    rill_array_destroy(mesh->edges);
    *mesh = (rill_membrane_mesh){0};
}
