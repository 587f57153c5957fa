/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flat parts of a surface. Triangles whose normals agree are joined into parts first. Parts whose rim is a
 * crease then take in the slivers in their plane, whose normals rounding rotates, and are judged.
 */
#include "geometry/surface/caps.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/repair.h"
#include "geometry/surface/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ALIKE = 0.985;  /* cos 10 degrees: normals of one flat part */
static const double SHARP = 0.866;  /* cos 30 degrees: an edge with less is a crease */
static const double CREASED = 0.9;  /* least part of a cap's rim that is a crease */
static const double SHOWN = 0.5;    /* from there on a flat part is worth telling of */
static const double FLAT = 2e-3;    /* most a triangle leaves the plane, of the root of the area */
static const double BENT = 1e-2;    /* the same of a part that is flat at all */
static const double STANDING = 0.7; /* most that wall normals lean to the plane's, as a cosine: openings.c */
/* How far behind a cap the cross-section is measured, in hydraulic diameters, and most that it may change up
 * to there. Facets of a wall of voxels are a step high, which may be more than half of their width. */
static const double BEHIND[2] = {0.5, 1.1}, STEPPED[2] = {2, 4};
static const double SMALL = 1e-3;                            /* part of the largest cap's area: openings.c */
static const double SAME_PLANE = 0.02, SAME_NORMAL = 0.9986; /* of the root of the area; cos 3 degrees */
enum { MOST = 64, RAYS = 16 }; /* flat parts that are judged, the largest ones; rays of each */

/* A triangle to be sorted by area. */
typedef struct ranked {
    double area;
    uint32_t triangle;
} ranked;

/* Triangles with alike normals, or a flat part. */
typedef struct part {
    double area, vector[3], moment[3]; /* sums of areas, area vectors, area times middle */
    double rim, creased, leaning;      /* lengths; the last times the cosine between the normals */
    double beside[3][3];               /* sum over the rim of length times n n^T, n the normals across */
    uint32_t seed, number;
} part;

typedef struct flats {
    const rill_mesh *mesh;
    rill_half_edge *edges;
    uint32_t *beside;    /* [3 T] */
    double (*normal)[3]; /* [T], unit, 0 without area */
    double *area;        /* [T] */
    ranked *ranks;       /* [T] */
    uint32_t *queue;     /* [T] */
    uint32_t *of;        /* [T], part; UINT32_MAX: none yet */
    part *parts;         /* [T + 1] */
    uint32_t count;
} flats;

static double length_of(const double x[3]) { return sqrt(rill_dot(x, x)); }

static void flats_free(flats *f)
{
    rill_array_destroy(f->edges);
    rill_array_destroy(f->beside);
    rill_array_destroy(f->normal);
    rill_array_destroy(f->area);
    rill_array_destroy(f->ranks);
    rill_array_destroy(f->queue);
    rill_array_destroy(f->of);
    rill_array_destroy(f->parts);
}

static rill_status flats_make(const rill_mesh *mesh, flats *f)
{
    rill_status status = RILL_OK;
    static const char what[] = "flat parts of the surface";
    const uint64_t count = mesh->triangle_count;
    *f = (flats){.mesh = mesh};
    RILL_TRY(rill_mesh_edges(mesh, &f->edges));
    RILL_TRY(rill_array_create(3 * count, sizeof *f->beside, what, (void **)&f->beside));
    RILL_TRY(rill_array_create(count, sizeof *f->normal, what, (void **)&f->normal));
    RILL_TRY(rill_array_create(count, sizeof *f->area, what, (void **)&f->area));
    RILL_TRY(rill_array_create(count, sizeof *f->ranks, what, (void **)&f->ranks));
    RILL_TRY(rill_array_create(count, sizeof *f->queue, what, (void **)&f->queue));
    RILL_TRY(rill_array_create(count, sizeof *f->of, what, (void **)&f->of));
    RILL_TRY(rill_array_create(count + 1, sizeof *f->parts, what, (void **)&f->parts));
    rill_mesh_beside(mesh, f->edges, f->beside);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        rill_mesh_area(mesh, t, f->normal[t]);
        f->area[t] = length_of(f->normal[t]);
        for (int a = 0; a < 3 && f->area[t] > 0; a++) f->normal[t][a] /= f->area[t];
        f->ranks[t] = (ranked){f->area[t], t};
        f->of[t] = UINT32_MAX;
    }
done:
    return status;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void part_add(flats *f, part *p, uint32_t t)
{
    double middle[3];
    rill_mesh_middle(f->mesh, t, middle);
    f->of[t] = p->number;
    p->area += f->area[t];
    for (int a = 0; a < 3; a++) {
        p->vector[a] += f->area[t] * f->normal[t][a];
        p->moment[a] += f->area[t] * middle[a];
    }
}

/* Join to a triangle what lies beside it and has the normal that all of them have so far. */
static void grow(flats *f, uint32_t seed, part *p)
{
    uint32_t head = 0, tail = 0;
    *p = (part){.seed = seed, .number = p->number};
    f->queue[tail++] = seed;
    part_add(f, p, seed);
    while (head < tail) {
        const uint32_t t = f->queue[head++];
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t slot = f->beside[3 * (uint64_t)t + k];
            if (slot == UINT32_MAX || f->of[slot / 3] != UINT32_MAX) continue;
            const uint32_t other = slot / 3;
            if (rill_dot(f->normal[other], p->vector) < ALIKE * length_of(p->vector)) continue;
            f->queue[tail++] = other;
            part_add(f, p, other);
        }
    }
}

static void plane_of(const part *p, double centre[3], double outward[3])
{
    const double size = length_of(p->vector);
    for (int a = 0; a < 3; a++) {
        centre[a] = p->area > 0 ? p->moment[a] / p->area : 0;
        outward[a] = size > 0 ? p->vector[a] / size : 0;
    }
}

static double height(const rill_mesh *mesh, uint32_t vertex, const double centre[3], const double outward[3])
{
    double d[3];
    rill_subtract(mesh->vertices[vertex], centre, d);
    return rill_dot(d, outward);
}

/* Take in what lies beside a part in its plane, whatever its normal: slivers. */
static void absorb(flats *f, part *p)
{
    uint32_t head = 0, tail = 0;
    double centre[3], outward[3];
    plane_of(p, centre, outward);
    const double most = FLAT * sqrt(p->area);
    for (uint32_t t = 0; t < f->mesh->triangle_count; t++)
        if (f->of[t] == p->number) f->queue[tail++] = t;
    while (head < tail) {
        const uint32_t t = f->queue[head++];
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t slot = f->beside[3 * (uint64_t)t + k];
            if (slot == UINT32_MAX || f->of[slot / 3] == p->number) continue;
            const uint32_t other = slot / 3, *v = f->mesh->triangles[other].v;
            bool within = true;
            for (int n = 0; n < 3; n++)
                within = within && fabs(height(f->mesh, v[n], centre, outward)) <= most;
            if (!within) continue;
            f->queue[tail++] = other;
            part_add(f, p, other);
        }
    }
}

/* Add an edge of a part's rim to its sums. Edges without a neighbour are gaps of a damaged cap, and do not
 * count. */
static void rim_add(const flats *f, part *p, uint64_t slot)
{
    const uint32_t across = f->beside[slot], *v = f->mesh->triangles[slot / 3].v;
    double edge[3], centre[3], outward[3];
    if (across == UINT32_MAX) return;
    plane_of(p, centre, outward);
    rill_subtract(f->mesh->vertices[v[(slot + 1) % 3]], f->mesh->vertices[v[slot % 3]], edge);
    const double size = length_of(edge), *n = f->normal[across / 3], cosine = rill_dot(n, outward);
    const uint32_t tip = f->mesh->triangles[across / 3].v[(across + 2) % 3];
    const bool inward = height(f->mesh, tip, f->mesh->vertices[v[slot % 3]], outward) < 0;
    p->rim += size;
    p->leaning += size * fabs(cosine);
    if (cosine < SHARP && inward) p->creased += size;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) p->beside[a][b] += size * n[a] * n[b];
}

static bool is_rim(const flats *f, uint64_t slot, uint32_t number)
{
    return f->beside[slot] == UINT32_MAX || f->of[f->beside[slot] / 3] != number;
}

static int by_rank(const void *a, const void *b)
{
    const ranked *l = a, *r = b;
    if (l->area != r->area) return l->area > r->area ? -1 : 1;
    return l->triangle < r->triangle ? -1 : l->triangle > r->triangle;
}

static int by_area(const void *a, const void *b)
{
    const part *l = a, *r = b;
    if (l->area != r->area) return l->area > r->area ? -1 : 1;
    return l->seed < r->seed ? -1 : l->seed > r->seed;
}

/* Keep the largest parts that a crease may bound, largest first. A cap that noise splits has parts of which
 * the crease is at least a circle's share all the same; other edges of such a part are not its rim. */
static void find_parts(flats *f)
{
    const uint32_t triangles = f->mesh->triangle_count;
    uint32_t kept = 0;
    qsort(f->ranks, triangles, sizeof *f->ranks, by_rank);
    for (uint32_t r = 0; r < triangles; r++) {
        if (f->of[f->ranks[r].triangle] != UINT32_MAX) continue;
        f->parts[f->count].number = f->count;
        grow(f, f->ranks[r].triangle, &f->parts[f->count]);
        f->count++;
    }
    for (uint64_t slot = 0; slot < 3 * (uint64_t)triangles; slot++)
        if (is_rim(f, slot, f->of[slot / 3])) rim_add(f, &f->parts[f->of[slot / 3]], slot);
    for (uint32_t n = 0; n < f->count; n++)
        if (f->parts[n].creased > 0 && f->parts[n].creased >= SHOWN * 2 * sqrt(M_PI * f->parts[n].area))
            f->parts[kept++] = f->parts[n];
    qsort(f->parts, kept, sizeof *f->parts, by_area);
    f->count = kept < MOST ? kept : MOST;
}

/* ---- judging --------------------------------------------------------------------------------- */

/* The direction in which the wall beside a part runs, inward: the one that the normals of the wall have least
 * of. Power iteration from the part's own normal. */
static void axis_of(const part *p, const double outward[3], double axis[3])
{
    enum { ROUNDS = 60 };
    const double trace = p->beside[0][0] + p->beside[1][1] + p->beside[2][2];
    for (int a = 0; a < 3; a++) axis[a] = -outward[a];
    for (int round = 0; round < ROUNDS; round++) {
        double next[3];
        for (int a = 0; a < 3; a++) next[a] = trace * axis[a] - rill_dot(p->beside[a], axis);
        const double size = length_of(next);
        for (int a = 0; a < 3 && size > 0; a++) axis[a] = next[a] / size;
    }
    if (-rill_dot(axis, outward) > 0.5) return; /* a flaring end has no such direction */
    for (int a = 0; a < 3; a++) axis[a] = -outward[a];
}

/* Whether a point of a part's plane lies in one of its triangles. */
static bool covers(const rill_mesh *mesh, uint32_t triangle, const double point[3], const double outward[3])
{
    const uint32_t *v = mesh->triangles[triangle].v;
    for (int k = 0; k < 3; k++) {
        double edge[3], d[3], side[3];
        rill_subtract(mesh->vertices[v[(k + 1) % 3]], mesh->vertices[v[k]], edge);
        rill_subtract(point, mesh->vertices[v[k]], d);
        rill_cross(edge, d, side);
        if (rill_dot(side, outward) < 0) return false;
    }
    return true;
}

static int upward(const void *a, const void *b)
{
    const double l = *(const double *)a, r = *(const double *)b;
    return l < r ? -1 : l > r;
}

/* Return how far the vessel goes on behind a part: the median of rays from the middles of its triangles, of
 * which each stands for an equal share of the area. @param[out] inner  the centre, or the middle nearest to
 * it when the centre is not in the part */
static double depth_of(const flats *f, const rill_tree *tree, const part *p, const double centre[3],
                       const double outward[3], const double axis[3], double inner[3])
{
    double depths[RAYS], area = 0, nearest = INFINITY;
    int count = 0;
    for (uint32_t t = 0; t < f->mesh->triangle_count; t++) {
        double middle[3], d[3];
        if (f->of[t] != p->number) continue;
        rill_mesh_middle(f->mesh, t, middle);
        rill_subtract(middle, centre, d);
        if (rill_dot(d, d) < nearest && f->area[t] > 0) {
            nearest = rill_dot(d, d);
            memcpy(inner, middle, sizeof middle);
        }
        if (covers(f->mesh, t, centre, outward)) {
            nearest = -1;
            memcpy(inner, centre, sizeof middle);
        }
        area += f->area[t];
        const double off = 1e-3 * sqrt(p->area); /* lest the part itself is met */
        for (int a = 0; a < 3; a++) middle[a] += off * axis[a];
        const double depth =
            area > p->area * (count + 0.5) / RAYS ? off + rill_tree_ray(tree, middle, axis) : 0;
        for (; count < RAYS && area > p->area * (count + 0.5) / RAYS; count++) depths[count] = depth;
    }
    if (count == 0) return 0;
    qsort(depths, (size_t)count, sizeof *depths, upward);
    return depths[count / 2];
}

/* Return the area of the cross-section `behind` hydraulic diameters behind a part over that right behind it,
 * both by the same rays. */
static double widening(const rill_tree *tree, const part *p, const double inner[3], const double outward[3],
                       const double axis[3], double behind)
{
    const double diameter = 4 * p->area / p->rim, down = -rill_dot(axis, outward);
    double sum[2] = {0}, u[3], v[3], unit[3] = {0};
    int least = 0;
    for (int a = 1; a < 3; a++)
        if (fabs(outward[a]) < fabs(outward[least])) least = a;
    unit[least] = 1;
    rill_cross(outward, unit, u);
    const double size = length_of(u);
    for (int a = 0; a < 3; a++) u[a] /= size;
    rill_cross(outward, u, v);
    for (int k = 0; k < RAYS; k++) {
        double along[3], way[2];
        for (int a = 0; a < 3; a++)
            along[a] = cos(2 * M_PI * (k + 0.3) / RAYS) * u[a] + sin(2 * M_PI * (k + 0.3) / RAYS) * v[a];
        for (int deep = 0; deep < 2; deep++) {
            double x[3];
            for (int a = 0; a < 3; a++) x[a] = inner[a] + (deep ? behind : 0.02) * diameter / down * axis[a];
            way[deep] = rill_tree_ray(tree, x, along);
        }
        if (isinf(way[0]) || isinf(way[1])) continue;
        for (int deep = 0; deep < 2; deep++) sum[deep] += way[deep] * way[deep];
    }
    return sum[0] > 0 ? sum[1] / sum[0] : 1;
}

/* Return how far one may go in along the axis to measure a cross-section, in hydraulic diameters: a sharp
 * bend leaves the axis. */
static double room_behind(const rill_tree *tree, const part *p, const double inner[3], const double axis[3])
{
    const double safe = 0.8, off = 1e-3 * sqrt(p->area);
    double x[3];
    for (int a = 0; a < 3; a++) x[a] = inner[a] + off * axis[a];
    return safe * rill_tree_ray(tree, x, axis) / (4 * p->area / p->rim);
}

/* Whether a part is a cap. */
static void judge(const flats *f, const rill_tree *tree, const part *p, rill_cap *cap)
{
    double axis[3], inner[3] = {0};
    cap->verdict = RILL_CAP_ROUNDED;
    cap->value = p->creased / p->rim;
    cap->limit = CREASED;
    if (cap->value < cap->limit) return;
    cap->verdict = RILL_CAP_LEANING;
    cap->value = p->leaning / p->rim;
    cap->limit = STANDING;
    if (cap->value > cap->limit) return;
    axis_of(p, cap->outward, axis);
    cap->verdict = RILL_CAP_SHALLOW;
    cap->value = depth_of(f, tree, p, cap->centre, cap->outward, axis, inner);
    cap->limit = cap->length;
    if (cap->value < cap->limit) return;
    cap->verdict = RILL_CAP_STEPPED;
    const double room = room_behind(tree, p, inner, axis);
    for (int k = 0; k < 2; k++) {
        cap->value = widening(tree, p, inner, cap->outward, axis, fmin(BEHIND[k], room));
        cap->limit = STEPPED[k];
        if (cap->value > cap->limit || cap->value < 1 / cap->limit) return;
    }
    cap->verdict = RILL_CAP_CLOSED;
}

/* Take slivers in and measure a part; false when it is not flat, or no crease bounds it. */
static bool measure(flats *f, part *p, rill_cap *cap)
{
    double most = 0, square = 0;
    for (double before = 0; p->area > (1 + 1e-3) * before;) { /* a larger part has a better plane */
        before = p->area;
        absorb(f, p);
    }
    *cap = (rill_cap){.area = p->area};
    plane_of(p, cap->centre, cap->outward);
    p->rim = p->creased = p->leaning = 0;
    memset(p->beside, 0, sizeof p->beside);
    for (uint64_t slot = 0; slot < 3 * (uint64_t)f->mesh->triangle_count; slot++) {
        if (f->of[slot / 3] != p->number) continue;
        const uint32_t vertex = f->mesh->triangles[slot / 3].v[slot % 3];
        const double off = height(f->mesh, vertex, cap->centre, cap->outward);
        double d[3];
        rill_subtract(f->mesh->vertices[vertex], cap->centre, d);
        square = fmax(square, rill_dot(d, d));
        most = fmax(most, fabs(off));
        if (is_rim(f, slot, p->number)) rim_add(f, p, slot);
    }
    cap->length = 2 * sqrt(square);
    return p->rim > 0 && p->creased >= SHOWN * p->rim && most <= BENT * sqrt(p->area);
}

/* Flat parts of a wall beside a cap that is a thousand times larger are facets. */
static void drop_small(rill_caps *caps)
{
    double largest = 0;
    for (int k = 0; k < caps->count; k++)
        if (caps->caps[k].verdict == RILL_CAP_CLOSED) largest = fmax(largest, caps->caps[k].area);
    for (int k = 0; k < caps->count; k++) {
        rill_cap *cap = &caps->caps[k];
        if (cap->verdict != RILL_CAP_CLOSED || cap->area >= SMALL * largest) continue;
        cap->verdict = RILL_CAP_SMALL;
        cap->value = cap->area;
        cap->limit = SMALL * largest;
    }
}

rill_status rill_caps_find(const rill_mesh *mesh, rill_caps *out)
{
    rill_status status = RILL_OK;
    flats f;
    rill_tree *tree = NULL;
    *out = (rill_caps){0};
    RILL_TRY(flats_make(mesh, &f));
    RILL_TRY(rill_array_create_zero(mesh->triangle_count, sizeof *out->of, "flat parts", (void **)&out->of));
    find_parts(&f);
    out->caps = calloc(MOST, sizeof *out->caps);
    if (!out->caps) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for flat parts of the surface"));
    if (f.count > 0) RILL_TRY(rill_tree_create(mesh, &tree));
    for (uint32_t n = 0; n < f.count; n++) {
        rill_cap *cap = &out->caps[out->count];
        part *p = &f.parts[n];
        if (f.of[p->seed] != p->number || !measure(&f, p, cap)) continue;
        judge(&f, tree, p, cap);
        out->count++;
        for (uint32_t t = 0; t < mesh->triangle_count; t++)
            if (f.of[t] == p->number) out->of[t] = (uint32_t)out->count;
    }
    drop_small(out);
done:
    rill_tree_destroy(tree);
    flats_free(&f);
    if (status != RILL_OK) rill_caps_destroy(out);
    return status;
}

void rill_caps_destroy(rill_caps *caps)
{
    free(caps->caps);
    rill_array_destroy(caps->of);
    *caps = (rill_caps){0};
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Take the triangles of caps away. @param[out] rim  [vertex_count], number + 1 of the cap that a vertex was
 * on */
static void take_away(rill_mesh *mesh, const rill_caps *caps, uint32_t *rim)
{
    uint32_t kept = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t k = caps->of[t];
        if (k > 0 && caps->caps[k - 1].verdict == RILL_CAP_CLOSED)
            for (int n = 0; n < 3; n++) rim[mesh->triangles[t].v[n]] = k;
        else
            mesh->triangles[kept++] = mesh->triangles[t];
    }
    mesh->triangle_count = kept;
}

/* Count the boundary loops of which at least half of the vertices are of a cap. */
static void count_loops(const rill_loops *loops, const uint32_t *rim, uint32_t *counts)
{
    for (uint32_t l = 0; l < loops->count; l++) {
        uint32_t votes[MOST + 1] = {0};
        for (uint32_t n = loops->first[l]; n < loops->first[l + 1]; n++) votes[rim[loops->vertices[n]]]++;
        for (uint32_t k = 1; k <= MOST; k++)
            counts[k] += 2 * votes[k] >= loops->first[l + 1] - loops->first[l];
    }
}

rill_status rill_caps_open(rill_mesh *mesh, rill_caps *caps)
{
    rill_status status = RILL_OK;
    rill_loops loops = {0};
    rill_triangle *whole = NULL;
    uint32_t *rim = NULL, counts[MOST + 1] = {0};
    const uint32_t triangles = mesh->triangle_count;
    RILL_TRY(rill_array_create(triangles, sizeof *whole, "the caps", (void **)&whole));
    RILL_TRY(rill_array_create_zero(mesh->vertex_count, sizeof *rim, "the caps", (void **)&rim));
    memcpy(whole, mesh->triangles, triangles * sizeof *whole);
    take_away(mesh, caps, rim);
    RILL_TRY(rill_loops_find(mesh, NULL, &loops));
    count_loops(&loops, rim, counts);
    for (int k = 0; k < caps->count; k++) {
        rill_cap *cap = &caps->caps[k];
        if (cap->verdict != RILL_CAP_CLOSED || counts[k + 1] == 1) continue;
        cap->verdict = RILL_CAP_OUTLINES;
        cap->value = counts[k + 1];
        cap->limit = 1;
    }
    memcpy(mesh->triangles, whole, triangles * sizeof *whole);
    mesh->triangle_count = triangles;
    take_away(mesh, caps, rim);
    for (int k = 0; k < caps->count; k++)
        if (caps->caps[k].verdict == RILL_CAP_CLOSED) caps->caps[k].verdict = RILL_CAP_OPENED;
    rill_array_destroy(caps->of);
    caps->of = NULL;
done:
    rill_loops_destroy(&loops);
    rill_array_destroy(whole);
    rill_array_destroy(rim);
    return status;
}

void rill_cap_reason(const rill_cap *cap, char *text, size_t size)
{
    switch (cap->verdict) {
    case RILL_CAP_OPENED:
        snprintf(text, size, "is opened");
        break;
    case RILL_CAP_CLOSED:
        snprintf(text, size, "is a cap that stays closed");
        break;
    case RILL_CAP_ROUNDED:
        snprintf(text, size, "only %.0f %% of its rim is a sharp convex edge, %.0f %% are needed",
                 100 * cap->value, 100 * cap->limit);
        break;
    case RILL_CAP_LEANING:
        snprintf(text, size, "the wall beside it leans to its plane by a cosine of %.2f, %g is allowed",
                 cap->value, cap->limit);
        break;
    case RILL_CAP_SHALLOW:
        snprintf(text, size, "the vessel is %.4g mm deep behind it, less than its length of %.4g mm",
                 1e3 * cap->value, 1e3 * cap->limit);
        break;
    case RILL_CAP_STEPPED:
        snprintf(text, size, "the cross-section behind it is %.3g times as large, %g to %g are allowed",
                 cap->value, 1 / cap->limit, cap->limit);
        break;
    case RILL_CAP_OUTLINES:
        snprintf(text, size, "its rim has %.0f closed lines, not one", cap->value);
        break;
    case RILL_CAP_WITHIN:
        snprintf(text, size, "lies within the lumen of another shell");
        break;
    case RILL_CAP_SMALL:
        snprintf(text, size, "its area is less than a thousandth of the largest cap's");
        break;
    }
}

/* ---- planes ---------------------------------------------------------------------------------- */

/* Return the square of the distance between a point and a triangle's nearest corner, side or middle. */
static double distance(const rill_mesh *mesh, uint32_t triangle, const double point[3])
{
    double least = INFINITY, d[3], middle[3];
    rill_mesh_middle(mesh, triangle, middle);
    rill_subtract(middle, point, d);
    least = rill_dot(d, d);
    for (int k = 0; k < 3; k++) {
        const double *a = mesh->vertices[mesh->triangles[triangle].v[k]],
                     *b = mesh->vertices[mesh->triangles[triangle].v[(k + 1) % 3]];
        double side[3];
        rill_subtract(b, a, side);
        rill_subtract(point, a, d);
        const double square = rill_dot(side, side);
        const double at = square > 0 ? fmin(fmax(rill_dot(d, side) / square, 0), 1) : 0;
        for (int i = 0; i < 3; i++) d[i] -= at * side[i];
        least = fmin(least, rill_dot(d, d));
    }
    return least;
}

rill_status rill_caps_at(const rill_mesh *mesh, const double point[3], const double normal[3],
                         uint8_t *inside, uint32_t *found)
{
    rill_status status = RILL_OK;
    flats f;
    part p = {0};
    rill_cap cap;
    uint32_t seed = UINT32_MAX;
    double least = INFINITY, d[3];
    const double size = length_of(normal);
    *found = 0;
    RILL_TRY(flats_make(mesh, &f));
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        if (-rill_dot(f.normal[t], normal) < SAME_NORMAL * size) continue;
        const double away = distance(mesh, t, point);
        if (away >= least) continue;
        least = away;
        seed = t;
    }
    if (seed == UINT32_MAX) goto done;
    grow(&f, seed, &p);
    if (!measure(&f, &p, &cap)) goto done;
    rill_subtract(point, cap.centre, d);
    const double most = SAME_PLANE * sqrt(p.area);
    if (p.creased < CREASED * p.rim || -rill_dot(cap.outward, normal) < SAME_NORMAL * size ||
        fabs(rill_dot(d, cap.outward)) > most || least > fmax(most * most, p.area))
        goto done;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        inside[t] = f.of[t] == p.number;
        *found += inside[t];
    }
done:
    flats_free(&f);
    return status;
}
