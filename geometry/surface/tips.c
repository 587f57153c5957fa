/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of closed vessels, by distances along the edges of the surface. */
#include "geometry/surface/tips.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How far from its tip an end is cut, in radii of the cross-section there, and how far behind that its axis
 * is measured; least fall of the distance around a tip, in the same. */
static const double DEEP = 1.6, BEHIND = 1, FALL = 3;

/* A vertex that waits. */
typedef struct waiting {
    double way;
    uint32_t vertex;
} waiting;

typedef struct graph {
    const rill_mesh *mesh;
    rill_around around;
    waiting *heap;    /* [6 triangles + 1] */
    double *from_one; /* [vertex_count], distance from an end */
    double *from_tip; /* [vertex_count], distance from the end that is looked at */
    uint32_t *root;   /* [vertex_count], UINT32_MAX: not reached yet */
    uint64_t waits;
} graph;

static void push(graph *g, double way, uint32_t vertex)
{
    uint64_t at = g->waits++;
    for (; at > 0 && g->heap[(at - 1) / 2].way > way; at = (at - 1) / 2) g->heap[at] = g->heap[(at - 1) / 2];
    g->heap[at] = (waiting){way, vertex};
}

static waiting pop(graph *g)
{
    const waiting first = g->heap[0], last = g->heap[--g->waits];
    uint64_t at = 0;
    for (uint64_t child; (child = 2 * at + 1) < g->waits; at = child) {
        if (child + 1 < g->waits && g->heap[child + 1].way < g->heap[child].way) child++;
        if (g->heap[child].way >= last.way) break;
        g->heap[at] = g->heap[child];
    }
    g->heap[at] = last;
    return first;
}

/* Find distances along edges from a vertex (Dijkstra). Returns the farthest vertex. */
static uint32_t spread(graph *g, uint32_t start, double *way)
{
    const rill_mesh *mesh = g->mesh;
    uint32_t farthest = start;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) way[v] = INFINITY;
    way[start] = 0;
    push(g, 0, start);
    while (g->waits > 0) {
        const waiting now = pop(g);
        if (now.way > way[now.vertex]) continue;
        farthest = now.vertex;
        for (uint32_t k = g->around.first[now.vertex]; k < g->around.first[now.vertex + 1]; k++)
            for (int c = 0; c < 3; c++) {
                const uint32_t next = mesh->triangles[g->around.triangles[k]].v[c];
                double d[3];
                rill_subtract(mesh->vertices[next], mesh->vertices[now.vertex], d);
                const double longer = now.way + sqrt(rill_dot(d, d));
                if (longer >= way[next]) continue;
                way[next] = longer;
                push(g, longer, next);
            }
    }
    return farthest;
}

static int farthest_first(const void *a, const void *b)
{
    const waiting *l = a, *r = b;
    if (l->way != r->way) return l->way > r->way ? -1 : 1;
    return l->vertex < r->vertex ? -1 : l->vertex > r->vertex;
}

static uint32_t root_of(uint32_t *root, uint32_t v)
{
    while (root[v] != v) v = root[v] = root[root[v]];
    return v;
}

/* A cross-section at a distance from a tip. */
typedef struct band {
    double centre[3], radius;
    uint32_t count;
} band;

/* Return how far a vertex is from a tip: along the surface, or from a plane if it is near the tip. */
static double way_to(const graph *g, const rill_tip *plane, double near, uint32_t v)
{
    double d[3];
    if (!plane) return g->from_tip[v];
    if (!(g->from_tip[v] <= near)) return INFINITY;
    rill_subtract(g->mesh->vertices[v], plane->point, d);
    return rill_dot(d, plane->inward);
}

/* Find where a triangle crosses a distance from a tip: a segment. @return its length, 0 without any */
static double segment(const graph *g, uint32_t triangle, const double way[3], double level, double middle[3])
{
    double ends[2][3], d[3];
    int count = 0;
    for (int k = 0; k < 3 && count < 2; k++) {
        const double from = way[k] - level, to = way[(k + 1) % 3] - level;
        if ((from < 0) == (to < 0)) continue;
        const double *x = g->mesh->vertices[g->mesh->triangles[triangle].v[k]],
                     *y = g->mesh->vertices[g->mesh->triangles[triangle].v[(k + 1) % 3]],
                     part = from / (from - to);
        for (int a = 0; a < 3; a++) ends[count][a] = x[a] + part * (y[a] - x[a]);
        count++;
    }
    if (count < 2) return 0;
    rill_subtract(ends[1], ends[0], d);
    for (int a = 0; a < 3; a++) middle[a] = (ends[0][a] + ends[1][a]) / 2;
    return sqrt(rill_dot(d, d));
}

/* Measure the line at a distance from a tip. */
static band measure(const graph *g, const rill_tip *plane, double near, double level)
{
    band b = {{0}, 0, 0};
    double length = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t t = 0; t < g->mesh->triangle_count; t++) {
            double way[3], middle[3], d[3];
            bool finite = true;
            for (int k = 0; k < 3; k++) {
                way[k] = way_to(g, plane, near, g->mesh->triangles[t].v[k]);
                finite = finite && isfinite(way[k]);
            }
            const double size = finite ? segment(g, t, way, level, middle) : 0;
            if (!(size > 0)) continue;
            rill_subtract(middle, b.centre, d);
            b.count += pass == 0;
            length += pass == 0 ? size : 0;
            for (int a = 0; a < 3 && pass == 0; a++) b.centre[a] += d[a] * size / length;
            if (pass == 1) b.radius += sqrt(rill_dot(d, d)) * size / length;
        }
    return b;
}

/* Lay a plane across the vessel between two cross-sections. @return false where they are no way apart */
static bool plane_lay(const band *here, const band *behind, rill_tip *tip)
{
    double axis[3];
    rill_subtract(behind->centre, here->centre, axis);
    const double size = sqrt(rill_dot(axis, axis));
    if (here->count < 3 || behind->count < 3 || !(size > 0.3 * BEHIND * here->radius)) return false;
    for (int a = 0; a < 3; a++) tip->inward[a] = axis[a] / size;
    memcpy(tip->point, here->centre, sizeof tip->point);
    tip->area = M_PI * here->radius * here->radius;
    return true;
}

/* Cut a tip off where the way to it is DEEP radii of the cross-section. The tip may be beside the axis:
 * planes are laid again, by heights over the one before. @return false where there is none */
static bool cut_off(graph *g, uint32_t vertex, double edge, rill_tip *tip, double *radius)
{
    enum { ROUNDS = 4 };
    const double step = 1.1;
    const uint32_t last = spread(g, vertex, g->from_tip);
    for (double way = 2 * edge; way < g->from_tip[last]; way *= step) {
        band here = measure(g, NULL, 0, way);
        if (here.count < 3 || way < DEEP * here.radius) continue;
        band behind = measure(g, NULL, 0, way + BEHIND * here.radius);
        *radius = here.radius;
        if (!plane_lay(&here, &behind, tip)) return false;
        for (int round = 0; round < ROUNDS; round++) {
            const rill_tip before = *tip;
            const double near = way + 4 * *radius;
            here = measure(g, &before, near, 0);
            behind = measure(g, &before, near, BEHIND * *radius);
            if (!plane_lay(&here, &behind, tip)) *tip = before;
        }
        return true;
    }
    return false;
}

/* Join vertices from the farthest on; where two maxima meet, the lower one ends, and its fall is known.
 * @param[out] fall  [vertex_count], of maxima */
static void find_falls(graph *g, double *fall)
{
    const rill_mesh *mesh = g->mesh;
    uint32_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        g->root[v] = UINT32_MAX;
        fall[v] = -1;
        if (isfinite(g->from_one[v])) g->heap[count++] = (waiting){g->from_one[v], v};
    }
    qsort(g->heap, count, sizeof *g->heap, farthest_first);
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t v = g->heap[k].vertex;
        g->root[v] = v;
        for (uint32_t n = g->around.first[v]; n < g->around.first[v + 1]; n++)
            for (int c = 0; c < 3; c++) {
                const uint32_t next = mesh->triangles[g->around.triangles[n]].v[c];
                if (g->root[next] == UINT32_MAX) continue;
                const uint32_t a = root_of(g->root, v), b = root_of(g->root, next);
                if (a == b) continue;
                const uint32_t low = g->from_one[a] < g->from_one[b] ? a : b;
                fall[low] = g->from_one[low] - g->from_one[v];
                g->root[low] = low == a ? b : a;
            }
    }
    if (count > 0) fall[g->heap[0].vertex] = g->from_one[g->heap[0].vertex];
}

static int widest_first(const void *a, const void *b)
{
    const double l = ((const rill_tip *)a)->area, r = ((const rill_tip *)b)->area;
    return (l < r) - (l > r);
}

/* Mean length of edges. */
static double edge_of(const rill_mesh *mesh)
{
    double sum = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double d[3];
        rill_subtract(mesh->vertices[mesh->triangles[t].v[1]], mesh->vertices[mesh->triangles[t].v[0]], d);
        sum += sqrt(rill_dot(d, d)) / mesh->triangle_count;
    }
    return sum;
}

/* Take the maxima that fall far enough, the start among them. */
static void tips_take(graph *g, uint32_t start, double *fall, double edge, rill_tip *tips, int *count)
{
    fall[start] = INFINITY;
    while (*count < RILL_TIPS) {
        uint32_t most = start;
        double radius;
        for (uint32_t v = 0; v < g->mesh->vertex_count; v++)
            if (fall[v] > fall[most]) most = v;
        const double falls = fall[most];
        if (!(falls > 4 * edge)) break;
        fall[most] = -1;
        if (!cut_off(g, most, edge, &tips[*count], &radius)) continue;
        if (falls < FALL * radius) break; /* a bump: those that fall less are, too */
        ++*count;
    }
}

rill_status rill_tips_find(const rill_mesh *mesh, rill_tip tips[RILL_TIPS], int *count)
{
    rill_status status = RILL_OK;
    static const char what[] = "the ends of the surface";
    const uint64_t vertices = mesh->vertex_count;
    double *fall = NULL;
    graph g = {.mesh = mesh};
    *count = 0;
    RILL_TRY(rill_around_create(mesh, &g.around));
    RILL_TRY(rill_array_create(6 * (uint64_t)mesh->triangle_count + vertices + 2, sizeof *g.heap, what,
                               (void **)&g.heap));
    RILL_TRY(rill_array_create(vertices, sizeof *g.from_one, what, (void **)&g.from_one));
    RILL_TRY(rill_array_create(vertices, sizeof *g.from_tip, what, (void **)&g.from_tip));
    RILL_TRY(rill_array_create(vertices, sizeof *g.root, what, (void **)&g.root));
    RILL_TRY(rill_array_create(vertices, sizeof *fall, what, (void **)&fall));
    const uint32_t start = spread(&g, mesh->triangles[0].v[0], g.from_one);
    spread(&g, start, g.from_one);
    find_falls(&g, fall);
    tips_take(&g, start, fall, edge_of(mesh), tips, count);
    qsort(tips, (size_t)*count, sizeof *tips, widest_first);
done:
    rill_around_destroy(&g.around);
    rill_array_destroy(g.heap);
    rill_array_destroy(g.from_one);
    rill_array_destroy(g.from_tip);
    rill_array_destroy(g.root);
    rill_array_destroy(fall);
    return status;
}
