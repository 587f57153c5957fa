/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of boxes, built by halving at the median along the longest side. */
#include "geometry/surface/tree.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 4 };

typedef struct box {
    double low[3], high[3];
} box;

/* Children of node n are 2n + 1 and 2n + 2; triangles of the leaves below a node are consecutive. */
struct rill_tree {
    const rill_mesh *mesh;
    uint32_t *order;      /* [T] */
    double (*middles)[3]; /* [T], only while building */
    box *boxes;           /* [nodes] */
    uint8_t *cut;         /* [T], whether another triangle goes through it; NULL until that was asked */
    const uint8_t *skip;  /* [T], a rill_wall_state; NULL: none is left out */
    uint32_t levels;      /* leaves have this depth */
};

static void box_of(const rill_mesh *mesh, uint32_t triangle, box *b)
{
    for (int a = 0; a < 3; a++) {
        b->low[a] = INFINITY;
        b->high[a] = -INFINITY;
        for (int k = 0; k < 3; k++) {
            const double x = mesh->vertices[mesh->triangles[triangle].v[k]][a];
            b->low[a] = fmin(b->low[a], x);
            b->high[a] = fmax(b->high[a], x);
        }
    }
}

static void join(box *b, const box *other)
{
    for (int a = 0; a < 3; a++) {
        b->low[a] = fmin(b->low[a], other->low[a]);
        b->high[a] = fmax(b->high[a], other->high[a]);
    }
}

static bool overlap(const box *a, const box *b)
{
    for (int i = 0; i < 3; i++)
        if (a->low[i] > b->high[i] || b->low[i] > a->high[i]) return false;
    return true;
}

/* Put the smaller half of order[first … end - 1] by the middle's coordinate first (Hoare's quickselect). */
static void halve(rill_tree *t, uint32_t first, uint32_t end, uint32_t at, int axis)
{
    int64_t low = first, high = (int64_t)end - 1;
    while (low < high) {
        const double pivot = t->middles[t->order[low + (high - low) / 2]][axis];
        int64_t i = low, j = high;
        while (i <= j) {
            while (t->middles[t->order[i]][axis] < pivot) i++;
            while (t->middles[t->order[j]][axis] > pivot) j--;
            if (i > j) break;
            const uint32_t swap = t->order[i];
            t->order[i++] = t->order[j];
            t->order[j--] = swap;
        }
        if (at <= j)
            high = j;
        else if (at >= i)
            low = i;
        else
            return;
    }
}

static void build(rill_tree *t, uint64_t node, uint32_t first, uint32_t end, uint32_t level)
{
    box *b = &t->boxes[node];
    *b = (box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    if (level == t->levels) {
        for (uint32_t k = first; k < end; k++) {
            box own;
            box_of(t->mesh, t->order[k], &own);
            join(b, &own);
        }
        return;
    }
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t k = first; k < end; k++)
        for (int a = 0; a < 3; a++) {
            low[a] = fmin(low[a], t->middles[t->order[k]][a]);
            high[a] = fmax(high[a], t->middles[t->order[k]][a]);
        }
    int axis = 0;
    for (int a = 1; a < 3; a++)
        if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
    const uint32_t middle = first + (end - first) / 2;
    if (end > first) halve(t, first, end, middle, axis);
    build(t, 2 * node + 1, first, middle, level + 1);
    build(t, 2 * node + 2, middle, end, level + 1);
    join(b, &t->boxes[2 * node + 1]);
    join(b, &t->boxes[2 * node + 2]);
}

rill_status rill_tree_create(const rill_mesh *mesh, rill_tree **out)
{
    rill_status status = RILL_OK;
    static const char what[] = "the tree of triangles";
    const uint32_t count = mesh->triangle_count;
    rill_tree *t = calloc(1, sizeof *t);
    if (!t) return rill_fail(RILL_SYSTEM, "out of memory for %s", what);
    t->mesh = mesh;
    while ((uint64_t)LEAF << t->levels < count) t->levels++;
    RILL_TRY(rill_array_create(count, sizeof *t->order, what, (void **)&t->order));
    RILL_TRY(rill_array_create(count, sizeof *t->middles, what, (void **)&t->middles));
    RILL_TRY(rill_array_create(((uint64_t)2 << t->levels) - 1, sizeof *t->boxes, what, (void **)&t->boxes));
    for (uint32_t k = 0; k < count; k++) {
        t->order[k] = k;
        rill_mesh_middle(mesh, k, t->middles[k]);
    }
    build(t, 0, 0, count, 0);
    rill_array_destroy(t->middles);
    t->middles = NULL;
    *out = t;
    t = NULL;
done:
    rill_tree_destroy(t);
    return status;
}

void rill_tree_destroy(rill_tree *tree)
{
    if (!tree) return;
    rill_array_destroy(tree->order);
    rill_array_destroy(tree->middles);
    rill_array_destroy(tree->boxes);
    rill_array_destroy(tree->cut);
    free(tree);
}

/* A walk down the tree: nodes to be seen, with the triangles below them. */
typedef struct visit {
    uint64_t node;
    uint32_t first, end, level;
} visit;

enum { DEPTH = 64 };

static void descend(visit *stack, int *count, const visit *at)
{
    const uint32_t middle = at->first + (at->end - at->first) / 2;
    stack[(*count)++] = (visit){2 * at->node + 2, middle, at->end, at->level + 1};
    stack[(*count)++] = (visit){2 * at->node + 1, at->first, middle, at->level + 1};
}

/* ---- intersections --------------------------------------------------------------------------- */

/* Six times the volume of (a, b, c, d). */
static double volume(const double *a, const double *b, const double *c, const double *d)
{
    double p[3], q[3], r[3], normal[3];
    rill_subtract(b, a, p);
    rill_subtract(c, a, q);
    rill_subtract(d, a, r);
    rill_cross(p, q, normal);
    return rill_dot(normal, r);
}

static double distance(const double *a, const double *b)
{
    double d[3];
    rill_subtract(b, a, d);
    return sqrt(rill_dot(d, d));
}

/* Return whether the segment pq goes through the inner part of a triangle, by more than a tolerance: both
 * ends are farther than it from the triangle's plane, and the segment passes its edges at more than it. In a
 * straight tube triangles of one strip lie in a plane, and the signs of their volumes are those of rounding.
 */
static bool goes_through(const rill_mesh *mesh, const double *p, const double *q, const uint32_t *v,
                         double tolerance)
{
    const double *a = mesh->vertices[v[0]], *b = mesh->vertices[v[1]], *c = mesh->vertices[v[2]];
    const double over = volume(a, b, c, p), under = volume(a, b, c, q);
    if (!(over * under < 0)) return false;
    double ab[3], ac[3], normal[3];
    rill_subtract(b, a, ab);
    rill_subtract(c, a, ac);
    rill_cross(ab, ac, normal);
    if (fmin(fabs(over), fabs(under)) <= tolerance * sqrt(rill_dot(normal, normal))) return false;
    const double s0 = volume(p, q, a, b), s1 = volume(p, q, b, c), s2 = volume(p, q, c, a);
    if (!((s0 > 0 && s1 > 0 && s2 > 0) || (s0 < 0 && s1 < 0 && s2 < 0))) return false;
    const double least = tolerance * distance(p, q);
    return fabs(s0) > least * distance(a, b) && fabs(s1) > least * distance(b, c) &&
           fabs(s2) > least * distance(c, a);
}

static bool cut_each_other(const rill_mesh *mesh, uint32_t s, uint32_t t, double tolerance)
{
    const uint32_t *v = mesh->triangles[s].v, *w = mesh->triangles[t].v;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            if (v[i] == w[j]) return false;
    for (int k = 0; k < 3; k++)
        if (goes_through(mesh, mesh->vertices[v[k]], mesh->vertices[v[(k + 1) % 3]], w, tolerance) ||
            goes_through(mesh, mesh->vertices[w[k]], mesh->vertices[w[(k + 1) % 3]], v, tolerance))
            return true;
    return false;
}

/* What is looked for, and who hears of it. */
typedef struct crossing {
    double tolerance;
    void (*pair)(void *context, uint32_t a, uint32_t b);
    void *context;
    rill_defect *defect;
} crossing;

/* Find the partners of a triangle that have a higher number. Returns the pairs that were looked at. */
static uint64_t partners(const rill_tree *tree, uint32_t triangle, uint64_t most, const crossing *c)
{
    visit stack[DEPTH];
    int count = 0;
    uint64_t pairs = 0;
    box own;
    box_of(tree->mesh, triangle, &own);
    stack[count++] = (visit){0, 0, tree->mesh->triangle_count, 0};
    while (count > 0 && pairs < most) {
        const visit at = stack[--count];
        if (!overlap(&own, &tree->boxes[at.node])) continue;
        if (at.level < tree->levels) {
            descend(stack, &count, &at);
            continue;
        }
        for (uint32_t k = at.first; k < at.end; k++) {
            const uint32_t other = tree->order[k];
            pairs++;
            if (other <= triangle || !cut_each_other(tree->mesh, triangle, other, c->tolerance)) continue;
#pragma omp atomic write
            tree->cut[triangle] = 1;
#pragma omp atomic write
            tree->cut[other] = 1;
            double middle[3];
            rill_mesh_middle(tree->mesh, triangle, middle);
#pragma omp critical(rill_tree)
            {
                rill_defect_add(c->defect, middle);
                if (c->pair) c->pair(c->context, triangle, other);
            }
        }
    }
    return pairs;
}

rill_status rill_tree_intersections(rill_tree *tree, double tolerance,
                                    void (*pair)(void *context, uint32_t a, uint32_t b), void *context,
                                    rill_defect *defect, bool *whole_surface)
{
    const crossing c = {tolerance, pair, context, defect};
    /* Pairs in all. Sound surfaces need some twenty a triangle. */
    const uint64_t most = 10000000 + 100 * (uint64_t)tree->mesh->triangle_count;
    uint64_t pairs = 0;
    bool whole = true;
    const rill_status status = rill_array_create_zero(tree->mesh->triangle_count, 1,
                                                      "looking for intersections", (void **)&tree->cut);
    if (status != RILL_OK) return status;
#pragma omp parallel for schedule(dynamic, 256) reduction(&& : whole)
    for (uint32_t t = 0; t < tree->mesh->triangle_count; t++) {
        uint64_t so_far, more;
#pragma omp atomic read
        so_far = pairs;
        whole = whole && so_far < most;
        if (so_far >= most) continue;
        more = partners(tree, t, most - so_far, &c);
#pragma omp atomic
        pairs += more;
    }
    *whole_surface = whole;
    return RILL_OK;
}

bool rill_tree_is_cut(const rill_tree *tree, uint32_t triangle) { return tree->cut && tree->cut[triangle]; }

/* ---- the narrowest part ---------------------------------------------------------------------- */

typedef struct ray {
    double x[3], along[3], inverse[3];
    double nearest; /* of what was hit so far */
    uint32_t hit;
} ray;

/* Return how far away a ray enters a box; infinite when it does not before its nearest hit. */
static double entry(const ray *r, const box *b)
{
    double from = 0, to = r->nearest;
    for (int a = 0; a < 3; a++) {
        const double s = (b->low[a] - r->x[a]) * r->inverse[a], e = (b->high[a] - r->x[a]) * r->inverse[a];
        from = fmax(from, fmin(s, e));
        to = fmin(to, fmax(s, e));
    }
    return from <= to ? from : INFINITY;
}

/* Möller & Trumbore (1997), doi:10.1080/10867651.1997.10487468. Edges count up to `edge` beyond them: a ray
 * through the edge of two triangles must not miss both. */
static void strike(const rill_mesh *mesh, uint32_t triangle, double edge, ray *r)
{
    const uint32_t *v = mesh->triangles[triangle].v;
    double e1[3], e2[3], p[3], q[3], s[3];
    rill_subtract(mesh->vertices[v[1]], mesh->vertices[v[0]], e1);
    rill_subtract(mesh->vertices[v[2]], mesh->vertices[v[0]], e2);
    rill_cross(r->along, e2, p);
    const double determinant = rill_dot(e1, p);
    if (determinant == 0) return;
    rill_subtract(r->x, mesh->vertices[v[0]], s);
    const double u = rill_dot(s, p) / determinant;
    rill_cross(s, e1, q);
    const double w = rill_dot(r->along, q) / determinant, t = rill_dot(e2, q) / determinant;
    if (!(u >= -edge && w >= -edge && u + w <= 1 + edge && t > 0 && t < r->nearest)) return;
    r->nearest = t;
    r->hit = triangle;
}

static bool is_skipped(const rill_tree *tree, uint32_t triangle)
{
    return tree->skip && tree->skip[triangle] != RILL_WALL_WHOLE;
}

void rill_tree_skip(rill_tree *tree, const uint8_t *skip) { tree->skip = skip; }

/* Give up where boxes overlap without end; a sound surface needs some hundred of them. */
static void shoot(const rill_tree *tree, uint32_t from, ray *r)
{
    enum { VISITS = 4000 };
    const double rounding = 1e-9; /* of a triangle */
    visit stack[DEPTH];
    int count = 0, visits = 0;
    stack[count++] = (visit){0, 0, tree->mesh->triangle_count, 0};
    while (count > 0) {
        const visit at = stack[--count];
        if (isinf(entry(r, &tree->boxes[at.node]))) continue;
        if (++visits > VISITS) {
            r->hit = UINT32_MAX;
            return;
        }
        if (at.level < tree->levels) {
            descend(stack, &count, &at);
            if (entry(r, &tree->boxes[2 * at.node + 1]) > entry(r, &tree->boxes[2 * at.node + 2])) {
                const visit swap = stack[count - 1]; /* the nearer one is to be seen first */
                stack[count - 1] = stack[count - 2];
                stack[count - 2] = swap;
            }
            continue;
        }
        for (uint32_t k = at.first; k < at.end; k++)
            if (tree->order[k] != from && !is_skipped(tree, tree->order[k]))
                strike(tree->mesh, tree->order[k], rounding, r);
    }
}

double rill_tree_ray(const rill_tree *tree, const double x[3], const double along[3])
{
    ray r = {.nearest = INFINITY, .hit = UINT32_MAX};
    for (int a = 0; a < 3; a++) {
        r.x[a] = x[a];
        r.along[a] = along[a];
        r.inverse[a] = 1 / (along[a] == 0 ? 1e-300 : along[a]);
    }
    shoot(tree, UINT32_MAX, &r);
    return r.nearest;
}

int rill_tree_winding(const rill_tree *tree, uint32_t triangle, const double place[3], const double along[3],
                      double nearest)
{
    visit stack[DEPTH];
    int count = 0, winds = 0;
    const double size = sqrt(rill_dot(along, along));
    ray r = {.nearest = INFINITY};
    for (int a = 0; a < 3; a++) {
        r.x[a] = place[a];
        r.along[a] = along[a] / size;
        r.inverse[a] = 1 / (r.along[a] == 0 ? 1e-300 : r.along[a]);
    }
    stack[count++] = (visit){0, 0, tree->mesh->triangle_count, 0};
    while (count > 0) {
        const visit at = stack[--count];
        if (isinf(entry(&r, &tree->boxes[at.node]))) continue;
        if (at.level < tree->levels) {
            descend(stack, &count, &at);
            continue;
        }
        for (uint32_t k = at.first; k < at.end; k++) {
            double area[3];
            ray one = r;
            if (tree->order[k] == triangle) continue;
            strike(tree->mesh, tree->order[k], 0, &one);
            if (isinf(one.nearest) || one.nearest <= nearest) continue;
            rill_mesh_area(tree->mesh, tree->order[k], area);
            winds += rill_dot(area, r.along) > 0 ? 1 : -1;
        }
    }
    return winds;
}

/* How far the wall opposite a triangle is. */
typedef struct width {
    double width, area;
    uint32_t triangle;
} width;

static int by_width(const void *a, const void *b)
{
    const width *l = a, *r = b;
    if (l->width != r->width) return l->width < r->width ? -1 : 1;
    return l->triangle < r->triangle ? -1 : l->triangle > r->triangle;
}

/* Folds have no width. */
static bool is_cut(const rill_tree *tree, uint32_t triangle)
{
    return rill_tree_is_cut(tree, triangle) || is_skipped(tree, triangle);
}

/* Whether the walls at both ends of a chord meet in an edge beside it, at an angle of 20 degrees or more: the
 * width falls to zero there, which is no narrow part of the vessel. Plane walls meet at 0.87 to 1 times the
 * distance `edge`, those of a rounded end at half of it.
 * @param inward, other  unit normals into the vessel where the chord begins and ends; x  where it begins */
static bool in_corner(const rill_tree *tree, const double x[3], const double inward[3], const double other[3],
                      double length)
{
    const double least = 0.342;                       /* sine of 20 degrees */
    const double opposite = -rill_dot(inward, other), /* cosine of the angle between the walls */
        sine = sqrt(fmax(0, 1 - opposite * opposite)), whole = sqrt(fmax(0, 2 - 2 * opposite));
    double middle[3], toward[3];
    if (sine < least) return false;
    for (int a = 0; a < 3; a++) {
        middle[a] = x[a] + length / 2 * inward[a];
        toward[a] = -(inward[a] + other[a]) / whole;
    }
    const double edge = length * opposite / sine, far = rill_tree_ray(tree, middle, toward);
    return far > 0.7 * edge && far < 1.2 * edge;
}

/* Infinite when no wall faces the triangle. */
static width measure(const rill_tree *tree, uint32_t triangle)
{
    const double facing = -0.5; /* cosine: within 60 degrees of opposite */
    const rill_mesh *mesh = tree->mesh;
    width w = {.width = INFINITY, .triangle = triangle};
    ray r = {.nearest = INFINITY, .hit = UINT32_MAX};
    double area[3], other[3];
    rill_mesh_area(mesh, triangle, area);
    w.area = sqrt(rill_dot(area, area));
    if (mesh->triangles[triangle].source == RILL_NO_TRIANGLE || is_cut(tree, triangle) || !(w.area > 0))
        return w;
    rill_mesh_middle(mesh, triangle, r.x);
    for (int a = 0; a < 3; a++) {
        r.along[a] = -area[a] / w.area;
        r.inverse[a] = 1 / r.along[a];
    }
    shoot(tree, triangle, &r);
    if (r.hit == UINT32_MAX || mesh->triangles[r.hit].opening || is_cut(tree, r.hit)) return w;
    rill_mesh_area(mesh, r.hit, other);
    const double size = sqrt(rill_dot(other, other));
    if (rill_dot(area, other) > facing * w.area * size) return w;
    for (int a = 0; a < 3; a++) other[a] /= -size;
    if (!in_corner(tree, r.x, r.along, other, r.nearest)) w.width = r.nearest;
    return w;
}

rill_status rill_tree_narrowest(const rill_tree *tree, double *out, double place[3])
{
    enum { RAYS = 100000 };
    const double part = 1e-3;
    rill_status status = RILL_OK;
    const uint32_t stride = tree->mesh->triangle_count / RAYS + 1;
    const uint32_t count = (tree->mesh->triangle_count - 1) / stride + 1;
    width *widths = NULL;
    double whole = 0, sum = 0;
    *out = 0;
    RILL_TRY(rill_array_create(count, sizeof *widths, "the widths of the vessel", (void **)&widths));
#pragma omp parallel for schedule(dynamic, 256)
    for (uint32_t t = 0; t < count; t++) widths[t] = measure(tree, t * stride);
    qsort(widths, count, sizeof *widths, by_width);
    for (uint32_t k = 0; k < count && isfinite(widths[k].width); k++) whole += widths[k].area;
    for (uint32_t k = 0; k < count && isfinite(widths[k].width); k++) {
        sum += widths[k].area;
        if (sum < part * whole) continue;
        *out = widths[k].width;
        rill_mesh_middle(tree->mesh, widths[k].triangle, place);
        break;
    }
done:
    rill_array_destroy(widths);
    return status;
}
