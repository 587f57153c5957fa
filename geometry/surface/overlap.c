/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of overlapping shells within the lumen of their union. */
#include "geometry/surface/overlap.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ASKED = 64,      /* triangles that are asked of a patch of */
    MANY = 50000,    /* more triangles than this; of a smaller one all are */
    DEPTH = 10,      /* how often a triangle that is cut is halved, at most, */
    SHALLOW = 4,     /* and at most where there are many of them: */
    PARTS = 1 << 13, /* in about so many parts in all */
    DIRECTIONS = 3
};

/* Least of a triangle that lies within for it to be partly so; longest side of a part that is not divided,
 * and of one that need not be, of the diagonal of the surface. */
static const double LITTLE = 0.02, FINE = 2e-3, COARSE = 2e-2;

typedef struct search {
    const rill_mesh *mesh;
    const rill_tree *tree;
    double tolerance, fine; /* m */
    const double *origin;   /* of volumes */
    uint8_t *state;
    uint32_t *patch; /* [triangle_count], UINT32_MAX: none yet */
    uint32_t *queue; /* [triangle_count] */
} search;

/* Whether fluid is on the outer side of a triangle at a place on it: most of several rays agree. */
static bool is_within(const search *s, uint32_t triangle, const double normal[3], const double place[3])
{
    /* Directions that no regular surface has, lest rays meet edges. */
    static const double tilt[DIRECTIONS][2] = {{0.2718, 0.1414}, {-0.3303, 0.0577}, {0.0693, -0.3819}};
    double axis[3] = {0}, u[3], v[3];
    int least = 0, votes = 0;
    for (int a = 1; a < 3; a++)
        if (fabs(normal[a]) < fabs(normal[least])) least = a;
    axis[least] = 1;
    rill_cross(normal, axis, u);
    const double size = sqrt(rill_dot(u, u));
    for (int a = 0; a < 3; a++) u[a] /= size;
    rill_cross(normal, u, v);
    for (int k = 0; k < DIRECTIONS; k++) {
        double along[3];
        if (k == DIRECTIONS - 1 && votes != k / 2) break; /* those before agree */
        for (int a = 0; a < 3; a++) along[a] = normal[a] + tilt[k][0] * u[a] + tilt[k][1] * v[a];
        votes += rill_tree_winding(s->tree, triangle, place, along, s->tolerance) >= 1;
    }
    return votes > DIRECTIONS / 2;
}

static double normal_of(const rill_mesh *mesh, uint32_t triangle, double normal[3])
{
    rill_mesh_area(mesh, triangle, normal);
    const double area = sqrt(rill_dot(normal, normal));
    for (int a = 0; a < 3 && area > 0; a++) normal[a] /= area;
    return area;
}

static bool middle_is_within(const search *s, uint32_t triangle)
{
    double normal[3], middle[3];
    if (!(normal_of(s->mesh, triangle, normal) > 0)) return false;
    rill_mesh_middle(s->mesh, triangle, middle);
    return is_within(s, triangle, normal, middle);
}

/* ---- patches --------------------------------------------------------------------------------- */

/* List the triangles that edges join to one without crossing what another cuts. Returns how many. */
static uint32_t gather(const search *s, const uint32_t *beside, uint32_t seed)
{
    uint32_t head = 0, tail = 0;
    s->queue[tail++] = seed;
    s->patch[seed] = seed;
    while (head < tail) {
        const uint32_t t = s->queue[head++];
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t slot = beside[3 * (uint64_t)t + k];
            if (slot == UINT32_MAX) continue;
            const uint32_t other = slot / 3;
            if (s->patch[other] != UINT32_MAX || rill_tree_is_cut(s->tree, other)) continue;
            s->patch[other] = seed;
            s->queue[tail++] = other;
        }
    }
    return tail;
}

/* Ask some triangles of a large patch, and all of a small one, or where those disagree: what touches along
 * edges cuts no triangle, and does not part patches. */
static void judge_patch(const search *s, uint32_t count)
{
    uint32_t asked = 0, within = 0;
    const uint32_t stride = count > MANY ? count / ASKED : 0;
    for (uint32_t k = 0; stride > 0 && k < count; k += stride, asked++)
        within += middle_is_within(s, s->queue[k]);
    const bool alike = asked > 0 && (within == 0 || within == asked);
#pragma omp parallel for schedule(dynamic, 256) if (!alike)
    for (uint32_t k = 0; k < count; k++)
        s->state[s->queue[k]] =
            (alike ? within > 0 : middle_is_within(s, s->queue[k])) ? RILL_WALL_WITHIN : RILL_WALL_WHOLE;
}

/* ---- triangles that are cut ------------------------------------------------------------------ */

/* What a triangle comes to. */
typedef struct parts {
    double within, wall; /* shares of the area */
    double volume;       /* m3, of the cone over what is wall */
} parts;

static double cone(const double *o, const double corners[3][3])
{
    double p[3], q[3], r[3], normal[3];
    rill_subtract(corners[0], o, p);
    rill_subtract(corners[1], o, q);
    rill_subtract(corners[2], o, r);
    rill_cross(p, q, normal);
    return rill_dot(normal, r) / 6;
}

/* Halve a triangle along its longest side until it is small, or until its corners, moved inward a little, and
 * its middle agree. */
static void divide(const search *s, uint32_t triangle, const double normal[3], const double corners[3][3],
                   int depth, double share, parts *out)
{
    const double inset = 0.1;
    double middle[3], longest = 0;
    int within = 0, side = 0;
    for (int k = 0; k < 3; k++) {
        double edge[3];
        rill_subtract(corners[(k + 1) % 3], corners[k], edge);
        const double length = sqrt(rill_dot(edge, edge));
        if (length > longest) longest = length, side = k;
    }
    const bool small = longest < s->fine || depth == 0,
               large = longest > COARSE / FINE * s->fine && depth > 0;
    for (int a = 0; a < 3; a++) middle[a] = (corners[0][a] + corners[1][a] + corners[2][a]) / 3;
    const bool centre = !large && is_within(s, triangle, normal, middle);
    for (int k = 0; k < 3 && !small && !large; k++) {
        double place[3];
        for (int a = 0; a < 3; a++) place[a] = corners[k][a] + inset * (middle[a] - corners[k][a]);
        within += is_within(s, triangle, normal, place);
    }
    if (small || (!large && within == (centre ? 3 : 0))) {
        out->within += centre ? share : 0;
        out->wall += centre ? 0 : share;
        out->volume += centre ? 0 : cone(s->origin, corners);
        return;
    }
    for (int end = 0; end < 2; end++) {
        double half[3][3];
        memcpy(half, corners, sizeof half);
        for (int a = 0; a < 3; a++)
            half[(side + end) % 3][a] = (corners[side][a] + corners[(side + 1) % 3][a]) / 2;
        divide(s, triangle, normal, (const double(*)[3])half, depth - 1, share / 2, out);
    }
}

static void corners_of(const rill_mesh *mesh, uint32_t triangle, double corners[3][3])
{
    for (int k = 0; k < 3; k++)
        memcpy(corners[k], mesh->vertices[mesh->triangles[triangle].v[k]], sizeof corners[k]);
}

/* Judge the triangles that are cut, and add up all. */
static void judge_cut(const search *s, rill_overlap *out)
{
    double all = 0, inner = 0, volume = 0;
    uint64_t cut = 0;
    int depth = DEPTH;
    for (uint32_t t = 0; t < s->mesh->triangle_count; t++) cut += rill_tree_is_cut(s->tree, t);
    while (depth > SHALLOW && cut << depth > PARTS) depth--;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : all, inner, volume)
    for (uint32_t t = 0; t < s->mesh->triangle_count; t++) {
        double normal[3], corners[3][3];
        const double area = normal_of(s->mesh, t, normal);
        parts p = {0};
        corners_of(s->mesh, t, corners);
        if (rill_tree_is_cut(s->tree, t) && area > 0) {
            divide(s, t, normal, (const double(*)[3])corners, depth, 1, &p);
            s->state[t] = p.within < LITTLE       ? RILL_WALL_WHOLE
                          : p.within > 1 - LITTLE ? RILL_WALL_WITHIN
                                                  : RILL_WALL_PARTLY;
        } else {
            p.within = s->state[t] == RILL_WALL_WITHIN;
            p.volume = s->state[t] == RILL_WALL_WITHIN ? 0 : cone(s->origin, (const double(*)[3])corners);
        }
        all += area;
        inner += area * p.within;
        volume += p.volume;
    }
    out->area = all;
    out->within = inner;
    out->volume = volume;
}

rill_status rill_overlap_find(const rill_mesh *mesh, const rill_tree *tree, double tolerance,
                              rill_overlap *out)
{
    rill_status status = RILL_OK;
    static const char what[] = "shells that overlap";
    const uint64_t count = mesh->triangle_count;
    double low[3], high[3];
    rill_half_edge *edges = NULL;
    uint32_t *beside = NULL;
    search s = {.mesh = mesh, .tree = tree, .tolerance = tolerance, .origin = low};
    *out = (rill_overlap){0};
    rill_mesh_box(mesh, low, high);
    for (int a = 0; a < 3; a++) {
        s.fine = hypot(s.fine, FINE * (high[a] - low[a]));
        low[a] = (low[a] + high[a]) / 2;
    }
    RILL_TRY(rill_array_create_zero(count, 1, what, (void **)&out->state));
    s.state = out->state;
    RILL_TRY(rill_array_create(count, sizeof *s.patch, what, (void **)&s.patch));
    RILL_TRY(rill_array_create(count, sizeof *s.queue, what, (void **)&s.queue));
    RILL_TRY(rill_array_create(3 * count, sizeof *beside, what, (void **)&beside));
    RILL_TRY(rill_mesh_edges(mesh, &edges));
    rill_mesh_beside(mesh, edges, beside);
    memset(s.patch, 0xFF, count * sizeof *s.patch);
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        if (s.patch[t] == UINT32_MAX && !rill_tree_is_cut(tree, t)) judge_patch(&s, gather(&s, beside, t));
    judge_cut(&s, out);
done:
    rill_array_destroy(edges);
    rill_array_destroy(beside);
    rill_array_destroy(s.patch);
    rill_array_destroy(s.queue);
    if (status != RILL_OK) rill_overlap_free(out);
    return status;
}

void rill_overlap_free(rill_overlap *overlap)
{
    rill_array_destroy(overlap->state);
    *overlap = (rill_overlap){0};
}

/* ---- shells ---------------------------------------------------------------------------------- */

/* Copy a mesh, each loop of a shell closed by a fan from its centroid. @param[out] fans  [loops], shells */
static rill_status copy_closed(const rill_mesh *mesh, const uint32_t *of, rill_mesh *copy, rill_loops *loops)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_loops_find(mesh, of, loops));
    RILL_TRY(rill_mesh_reserve(copy, (uint64_t)mesh->vertex_count + loops->count,
                               (uint64_t)mesh->triangle_count + loops->first[loops->count]));
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        RILL_TRY(rill_mesh_add_vertex(copy, mesh->vertices[v], NULL));
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        RILL_TRY(rill_mesh_add_triangle(copy, mesh->triangles[t]));
    for (uint32_t l = 0; l < loops->count; l++) {
        const uint32_t *v = loops->vertices + loops->first[l], size = loops->first[l + 1] - loops->first[l];
        double middle[3] = {0};
        uint32_t tip;
        for (uint32_t k = 0; k < size; k++)
            for (int a = 0; a < 3; a++) middle[a] += mesh->vertices[v[k]][a] / size;
        RILL_TRY(rill_mesh_add_vertex(copy, middle, &tip));
        for (uint32_t k = 0; k < size; k++)
            RILL_TRY(rill_mesh_add_triangle(
                copy, (rill_triangle){.v = {tip, v[(k + 1) % size], v[k]}, .source = RILL_NO_TRIANGLE}));
    }
done:
    return status;
}

/* Mark the vertices of triangles within the lumen, and of those partly so the ones beside which they are. */
static void find_inner(const rill_mesh *mesh, const search *s, const uint8_t *state, uint8_t *inner)
{
    const double inset = 0.01;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double normal[3], middle[3];
        if (state[t] == RILL_WALL_WHOLE || !(normal_of(mesh, t, normal) > 0)) continue;
        rill_mesh_middle(mesh, t, middle);
        for (int k = 0; k < 3; k++) {
            const uint32_t vertex = mesh->triangles[t].v[k];
            double place[3];
            for (int a = 0; a < 3; a++)
                place[a] = mesh->vertices[vertex][a] + inset * (middle[a] - mesh->vertices[vertex][a]);
            if (!inner[vertex])
                inner[vertex] = state[t] == RILL_WALL_WITHIN || is_within(s, t, normal, place);
        }
    }
}

/* Shells that cut each other, joined. */
typedef struct joining {
    const uint32_t *of;
    uint32_t triangles; /* with a shell */
    uint32_t *shell;
    bool any;
} joining;

static uint32_t root_of(uint32_t *parent, uint32_t s)
{
    while (parent[s] != s) s = parent[s] = parent[parent[s]];
    return s;
}

static void join(void *context, uint32_t a, uint32_t b)
{
    joining *j = context;
    if (a >= j->triangles || b >= j->triangles || j->of[a] == j->of[b]) return;
    j->any = true;
    const uint32_t s = root_of(j->shell, j->of[a]), t = root_of(j->shell, j->of[b]);
    j->shell[s > t ? s : t] = s > t ? t : s;
}

rill_status rill_overlap_shells(const rill_mesh *mesh, double tolerance, const uint32_t *of, uint32_t shells,
                                uint32_t sources, uint32_t *shell, uint8_t **state, uint8_t **inner)
{
    rill_status status = RILL_OK;
    rill_mesh *copy = NULL;
    rill_tree *tree = NULL;
    rill_loops loops = {0};
    rill_overlap overlap = {0};
    rill_defect pairs = {0};
    bool whole = true;
    joining j = {.of = of, .triangles = mesh->triangle_count, .shell = shell};
    *state = *inner = NULL;
    RILL_TRY(rill_mesh_create(&copy));
    RILL_TRY(copy_closed(mesh, of, copy, &loops));
    RILL_TRY(rill_tree_create(copy, &tree));
    RILL_TRY(rill_tree_intersections(tree, tolerance, join, &j, &pairs, &whole));
    for (uint32_t s = 0; s < shells; s++) shell[s] = root_of(shell, s);
    if (!j.any || !whole) goto done; /* surfaces that overlap without end are given up */
    RILL_TRY(rill_overlap_find(copy, tree, tolerance, &overlap));
    RILL_TRY(rill_array_create_zero(sources, 1, "shells that overlap", (void **)state));
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        (*state)[mesh->triangles[t].source] = overlap.state[t];
    RILL_TRY(rill_array_create_zero(mesh->vertex_count, 1, "shells that overlap", (void **)inner));
    find_inner(mesh, &(search){.mesh = copy, .tree = tree, .tolerance = tolerance}, overlap.state, *inner);
done:
    rill_overlap_free(&overlap);
    rill_loops_destroy(&loops);
    rill_tree_destroy(tree);
    rill_mesh_destroy(copy);
    return status;
}
