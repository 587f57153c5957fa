/* SPDX-License-Identifier: Apache-2.0 */
/* Cleans and orients surfaces. Boundary loops are loops.c's, self-intersections are tree.c's. */
#include "geometry/surface/repair.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *rill_defect_name(rill_defect_kind kind, uint64_t count)
{
    static const char *const names[RILL_DEFECT_KINDS][2] = {
        [RILL_DEFECT_DEGENERATE] = {"triangles without area", "triangle without area"},
        [RILL_DEFECT_DOUBLE] = {"doubled triangles, dropped", "doubled triangle, dropped"},
        [RILL_DEFECT_TURNED] = {"triangles reversed to agree with neighbours",
                                "triangle reversed to agree with neighbours"},
        [RILL_DEFECT_INSIDE_OUT] = {"shells with normals inward, reversed",
                                    "shell with normals inward, reversed"},
        [RILL_DEFECT_NON_MANIFOLD] = {"edges shared by more than two triangles",
                                      "edge shared by more than two triangles"},
        [RILL_DEFECT_ONE_SIDED] = {"edges where the surface has one side only",
                                   "edge where the surface has one side only"},
        [RILL_DEFECT_SHELL] = {"disconnected shells beside the largest",
                               "disconnected shell beside the largest"},
        [RILL_DEFECT_NESTED] = {"shells within another, taken as obstacles",
                                "shell within another, taken as an obstacle"},
        [RILL_DEFECT_HOLE] = {"holes, closed", "hole, closed"},
        [RILL_DEFECT_RIM] = {"openings with rims that lack triangles, repaired",
                             "opening with a rim that lacks triangles, repaired"},
        [RILL_DEFECT_INTERSECTION] = {"pairs of triangles that intersect",
                                      "pair of triangles that intersect"},
        [RILL_DEFECT_WITHIN] = {"triangles within the lumen of overlapping shells, no wall",
                                "triangle within the lumen of overlapping shells, no wall"},
        [RILL_DEFECT_OVERLAP] = {"voxels enclosed more than once or inside out",
                                 "voxel enclosed more than once or inside out"},
        [RILL_DEFECT_UNCERTAIN] = {"uncertain voxels beside holes", "uncertain voxel beside holes"},
        [RILL_DEFECT_THIN] = {"links that leak through walls thinner than a voxel",
                              "link that leaks through a wall thinner than a voxel"},
        [RILL_DEFECT_NO_WALL] = {"links without a wall on them, taken half-way",
                                 "link without a wall on it, taken half-way"},
        [RILL_DEFECT_DROPPED] = {"fluid voxels that no opening leads to, dropped",
                                 "fluid voxel that no opening leads to, dropped"},
        [RILL_DEFECT_UNITS] = {"suspicious size: check the units", "suspicious size: check the units"},
    };
    return names[kind][count == 1];
}

static bool is_lower(const double a[3], const double b[3])
{
    for (int i = 2; i >= 0; i--)
        if (a[i] != b[i]) return a[i] < b[i];
    return false;
}

void rill_defect_add(rill_defect *d, const double place[3])
{
    d->count++;
    if (d->kept == RILL_DEFECT_PLACES && !is_lower(place, d->place[d->kept - 1])) return;
    uint32_t at = d->kept < RILL_DEFECT_PLACES ? d->kept++ : d->kept - 1;
    for (; at > 0 && is_lower(place, d->place[at - 1]); at--)
        memcpy(d->place[at], d->place[at - 1], sizeof *d->place);
    memcpy(d->place[at], place, sizeof *d->place);
}

static void add_at(const rill_mesh *mesh, rill_defect *defect, uint32_t triangle)
{
    double middle[3];
    rill_mesh_middle(mesh, triangle, middle);
    rill_defect_add(defect, middle);
}

/* ---- cleaning -------------------------------------------------------------------------------- */

static void sort3(const uint32_t v[3], uint32_t s[3])
{
    const uint32_t low = v[0] < v[1] ? v[0] : v[1], high = v[0] < v[1] ? v[1] : v[0];
    s[0] = v[2] < low ? v[2] : low;
    s[2] = v[2] > high ? v[2] : high;
    s[1] = v[2] < low ? low : v[2] > high ? high : v[2];
}

/* Triangles by their vertices: an open-addressed table of triangle + 1. */
typedef struct table {
    uint32_t *slots;
    uint64_t mask;
} table;

/* Return whether a triangle of the same vertices is kept already; else keep this one, number `kept`. */
static bool is_double(const rill_mesh *mesh, table *t, const uint32_t v[3], uint32_t kept)
{
    uint32_t s[3], other[3];
    sort3(v, s);
    uint64_t h = s[0];
    for (int k = 1; k < 3; k++) {
        h = (h ^ s[k]) * 0x9E3779B97F4A7C15u;
        h ^= h >> 31;
    }
    for (h &= t->mask; t->slots[h]; h = (h + 1) & t->mask) {
        sort3(mesh->triangles[t->slots[h] - 1].v, other);
        if (memcmp(s, other, sizeof s) == 0) return true;
    }
    t->slots[h] = kept + 1;
    return false;
}

/* A triangle whose height over its longest edge is lost in the rounding of single precision. */
static bool is_flat(const rill_mesh *mesh, uint32_t triangle)
{
    const double least = 1e-7;
    const uint32_t *v = mesh->triangles[triangle].v;
    double area[3], edge[3], longest = 0;
    rill_mesh_area(mesh, triangle, area);
    for (int k = 0; k < 3; k++) {
        rill_subtract(mesh->vertices[v[(k + 1) % 3]], mesh->vertices[v[k]], edge);
        longest = fmax(longest, rill_dot(edge, edge));
    }
    return 2 * sqrt(rill_dot(area, area)) <= least * longest;
}

rill_status rill_repair_clean(rill_mesh *mesh, rill_defect defects[RILL_DEFECT_KINDS])
{
    rill_status status = RILL_OK;
    table t = {.mask = 1023};
    uint32_t kept = 0;
    while (t.mask < 2 * (uint64_t)mesh->triangle_count) t.mask = 2 * t.mask + 1;
    RILL_TRY(rill_array_create_zero(t.mask + 1, sizeof *t.slots, "looking for doubled triangles",
                                    (void **)&t.slots));
    for (uint32_t n = 0; n < mesh->triangle_count; n++) {
        const uint32_t *v = mesh->triangles[n].v;
        const bool collapsed = v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
        if (collapsed || is_flat(mesh, n)) add_at(mesh, &defects[RILL_DEFECT_DEGENERATE], n);
        if (collapsed) continue;
        if (is_double(mesh, &t, v, kept)) {
            add_at(mesh, &defects[RILL_DEFECT_DOUBLE], n);
            continue;
        }
        mesh->triangles[kept++] = mesh->triangles[n];
    }
    mesh->triangle_count = kept;
    if (kept == 0)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "all of its %llu triangles are degenerate: nothing is left of the surface",
                           (unsigned long long)defects[RILL_DEFECT_DEGENERATE].count));
done:
    rill_array_destroy(t.slots);
    return status;
}

/* ---- orientation ----------------------------------------------------------------------------- */

/* What orienting works on. A sheet is a part joined by edges with two triangles. */
typedef struct sheets {
    rill_mesh *mesh;
    uint32_t *beside; /* [3 T], slot of the other triangle across an edge with two; UINT32_MAX */
    uint32_t *of;     /* [T], sheet */
    uint32_t *queue;  /* [T] */
    uint32_t count;
    double *volume;      /* [count] */
    double (*box)[2][3]; /* [count] */
} sheets;

static void turn(rill_triangle *t)
{
    const uint32_t v = t->v[1];
    t->v[1] = t->v[2];
    t->v[2] = v;
}

static rill_status find_beside(sheets *s, rill_defect *defects)
{
    rill_status status = RILL_OK;
    rill_half_edge *edges = NULL;
    const uint64_t count = 3 * (uint64_t)s->mesh->triangle_count;
    RILL_TRY(rill_mesh_edges(s->mesh, &edges));
    rill_mesh_beside(s->mesh, edges, s->beside);
    for (uint64_t e = 0, end; e < count; e = end) {
        for (end = e + 1; end < count && edges[end].key == edges[e].key;) end++;
        if (end - e > 2) {
            const double *a = s->mesh->vertices[edges[e].key >> 32];
            const double *b = s->mesh->vertices[(uint32_t)edges[e].key];
            rill_defect_add(&defects[RILL_DEFECT_NON_MANIFOLD],
                            (double[]){(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2});
        }
    }
done:
    rill_array_destroy(edges);
    return status;
}

/* Walk one sheet from a triangle. Reversals are only noted, since `beside` numbers the edges as they are. */
static void walk_sheet(sheets *s, uint32_t start, uint8_t *turned, rill_defect *defects)
{
    uint32_t head = 0, tail = 0, turns = 0;
    s->of[start] = s->count;
    s->queue[tail++] = start;
    while (head < tail) {
        const uint32_t t = s->queue[head++];
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t slot = s->beside[3 * (uint64_t)t + k];
            if (slot == UINT32_MAX) continue;
            const uint32_t other = slot / 3;
            /* Both walk the edge the same way when its first vertex is the same in both. */
            const bool same = s->mesh->triangles[t].v[k] == s->mesh->triangles[other].v[slot % 3];
            if (s->of[other] == UINT32_MAX) {
                s->of[other] = s->count;
                turned[other] = turned[t] ^ same;
                s->queue[tail++] = other;
            } else if ((turned[other] ^ turned[t]) != same && t < other) {
                add_at(s->mesh, &defects[RILL_DEFECT_ONE_SIDED], t);
            }
        }
    }
    for (uint32_t q = 0; q < tail; q++) turns += turned[s->queue[q]];
    const bool most = turns > tail / 2; /* the fewer of them are the ones that were wrong */
    for (uint32_t q = 0; q < tail; q++) {
        const uint32_t t = s->queue[q];
        if (turned[t] != most) add_at(s->mesh, &defects[RILL_DEFECT_TURNED], t);
        if (turned[t] != most) turn(&s->mesh->triangles[t]);
    }
    s->count++;
}

/* Volume of the cone from the origin `o` over a triangle. */
static double cone(const double *o, const double *a, const double *b, const double *c)
{
    double p[3], q[3], r[3], normal[3];
    rill_subtract(a, o, p);
    rill_subtract(b, o, q);
    rill_subtract(c, o, r);
    rill_cross(p, q, normal);
    return rill_dot(normal, r) / 6;
}

/* Volumes and boxes of the sheets, boundary loops closed from their centroids. */
static rill_status measure(sheets *s)
{
    rill_status status = RILL_OK;
    rill_loops loops = {0};
    const rill_mesh *mesh = s->mesh;
    const double *o = mesh->vertices[mesh->triangles[0].v[0]];
    RILL_TRY(rill_loops_find(mesh, s->of, &loops));
    RILL_TRY(rill_array_create_zero(s->count, sizeof *s->volume, "the shells", (void **)&s->volume));
    RILL_TRY(rill_array_create(s->count, sizeof *s->box, "the shells", (void **)&s->box));
    for (uint32_t n = 0; n < s->count; n++)
        for (int a = 0; a < 3; a++) {
            s->box[n][0][a] = INFINITY;
            s->box[n][1][a] = -INFINITY;
        }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *v = mesh->triangles[t].v;
        s->volume[s->of[t]] += cone(o, mesh->vertices[v[0]], mesh->vertices[v[1]], mesh->vertices[v[2]]);
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++) {
                double(*box)[3] = s->box[s->of[t]];
                box[0][a] = fmin(box[0][a], mesh->vertices[v[k]][a]);
                box[1][a] = fmax(box[1][a], mesh->vertices[v[k]][a]);
            }
    }
    for (uint32_t l = 0; l < loops.count; l++) {
        const uint32_t first = loops.first[l], size = loops.first[l + 1] - first;
        double middle[3] = {0};
        for (uint32_t k = 0; k < size; k++)
            for (int a = 0; a < 3; a++) middle[a] += mesh->vertices[loops.vertices[first + k]][a] / size;
        for (uint32_t k = 0; k < size; k++)
            s->volume[loops.group[l]] +=
                cone(o, middle, mesh->vertices[loops.vertices[first + (k + 1) % size]],
                     mesh->vertices[loops.vertices[first + k]]);
    }
done:
    rill_loops_destroy(&loops);
    return status;
}

static void turn_sheet(sheets *s, uint32_t sheet)
{
    for (uint32_t t = 0; t < s->mesh->triangle_count; t++)
        if (s->of[t] == sheet) turn(&s->mesh->triangles[t]);
    s->volume[sheet] = -s->volume[sheet];
}

/* Return how often a sheet winds around a point: its solid angle there over 4 pi.
 * Jacobson et al. (2013),
 * doi:10.1145/2461912.2461916. */
static double winding(const sheets *s, uint32_t sheet, const double x[3])
{
    double angle = 0;
    for (uint32_t t = 0; t < s->mesh->triangle_count; t++)
        if (s->of[t] == sheet) {
            const uint32_t *v = s->mesh->triangles[t].v;
            angle += rill_solid_angle(s->mesh->vertices[v[0]], s->mesh->vertices[v[1]],
                                      s->mesh->vertices[v[2]], x);
        }
    return angle / (4 * M_PI);
}

/* Return whether a sheet lies within another: several of its triangles do. */
static bool lies_within(const sheets *s, uint32_t inner, uint32_t outer)
{
    enum { ASKED = 8 };
    for (int a = 0; a < 3; a++)
        if (s->box[inner][0][a] < s->box[outer][0][a] || s->box[inner][1][a] > s->box[outer][1][a])
            return false;
    uint32_t size = 0, met = 0;
    for (uint32_t t = 0; t < s->mesh->triangle_count; t++) size += s->of[t] == inner;
    const uint32_t stride = size > ASKED ? size / ASKED : 1;
    for (uint32_t t = 0; t < s->mesh->triangle_count; t++) {
        if (s->of[t] != inner || met++ % stride != 0) continue;
        double middle[3];
        rill_mesh_middle(s->mesh, t, middle);
        if (winding(s, outer, middle) < 0.5) return false;
    }
    return true;
}

/* A shell within another bounds an obstacle, one within that a vessel again. */
static void turn_nested(sheets *s, rill_defect *defects)
{
    enum { SHEETS = 200 }; /* more are debris: each pair would be asked */
    bool odd[SHEETS] = {false};
    if (s->count > SHEETS) return;
    for (uint32_t inner = 0; inner < s->count; inner++)
        for (uint32_t outer = 0; outer < s->count; outer++)
            if (inner != outer && s->volume[outer] > s->volume[inner] && lies_within(s, inner, outer))
                odd[inner] = !odd[inner];
    for (uint32_t n = 0; n < s->count; n++) {
        if (!odd[n]) continue;
        turn_sheet(s, n);
        for (uint32_t t = 0; t < s->mesh->triangle_count; t++)
            if (s->of[t] == n) {
                add_at(s->mesh, &defects[RILL_DEFECT_NESTED], t);
                break;
            }
    }
}

rill_status rill_repair_orient(rill_mesh *mesh, rill_defect defects[RILL_DEFECT_KINDS])
{
    rill_status status = RILL_OK;
    static const char what[] = "orienting the surface";
    sheets s = {.mesh = mesh};
    uint8_t *turned = NULL;
    const uint64_t count = mesh->triangle_count;
    RILL_TRY(rill_array_create(3 * count, sizeof *s.beside, what, (void **)&s.beside));
    RILL_TRY(rill_array_create(count, sizeof *s.of, what, (void **)&s.of));
    RILL_TRY(rill_array_create(count, sizeof *s.queue, what, (void **)&s.queue));
    RILL_TRY(rill_array_create_zero(count, 1, what, (void **)&turned));
    RILL_TRY(find_beside(&s, defects));
    memset(s.of, 0xFF, count * sizeof *s.of);
    for (uint32_t t = 0; t < count; t++)
        if (s.of[t] == UINT32_MAX) walk_sheet(&s, t, turned, defects);
    RILL_TRY(measure(&s));
    for (uint32_t t = 0; t < count; t++)
        if (s.volume[s.of[t]] < 0) turn(&mesh->triangles[t]);
    for (uint32_t t = 0; t < count; t++)
        if (s.volume[s.of[t]] < 0) {
            add_at(mesh, &defects[RILL_DEFECT_INSIDE_OUT], t);
            s.volume[s.of[t]] = -s.volume[s.of[t]];
        }
    turn_nested(&s, defects);
done:
    rill_array_destroy(s.beside);
    rill_array_destroy(s.of);
    rill_array_destroy(s.queue);
    rill_array_destroy(s.volume);
    rill_array_destroy(s.box);
    rill_array_destroy(turned);
    return status;
}

/* ---- shells ---------------------------------------------------------------------------------- */

static uint32_t root_of(uint32_t *parent, uint32_t t)
{
    while (parent[t] != t) {
        parent[t] = parent[parent[t]];
        t = parent[t];
    }
    return t;
}

static int by_area(const void *a, const void *b)
{
    const double l = ((const rill_shell *)a)->area, r = ((const rill_shell *)b)->area;
    return l > r ? -1 : l < r;
}

/* Sum up the shells; `of` holds roots on entry and ranks by area on return. */
static rill_status rank_shells(const rill_mesh *mesh, const rill_half_edge *edges, uint32_t *of,
                               uint32_t count, rill_shell **out)
{
    rill_status status = RILL_OK;
    const uint64_t slots = 3 * (uint64_t)mesh->triangle_count;
    uint32_t *number = NULL, found = 0;
    rill_shell *shells = calloc(count, sizeof *shells);
    if (!shells) return rill_fail(RILL_SYSTEM, "out of memory for %u shells", count);
    RILL_TRY(rill_array_create(mesh->triangle_count, sizeof *number, "the shells", (void **)&number));
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        if (of[t] == t) number[t] = found++;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        rill_shell *s = &shells[number[of[t]]];
        double area[3], middle[3];
        rill_mesh_area(mesh, t, area);
        rill_mesh_middle(mesh, t, middle);
        if (s->triangles++ == 0) s->boundary = of[t]; /* its root for now, which sorting takes along */
        const double size = sqrt(rill_dot(area, area));
        s->area += size;
        for (int a = 0; a < 3; a++) s->middle[a] += size * middle[a];
    }
    qsort(shells, count, sizeof *shells, by_area);
    for (uint32_t n = 0; n < count; n++) {
        number[shells[n].boundary] = n;
        shells[n].boundary = 0;
        for (int a = 0; a < 3 && shells[n].area > 0; a++) shells[n].middle[a] /= shells[n].area;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) of[t] = number[of[t]];
    for (uint64_t e = 0, end; e < slots; e = end) {
        for (end = e + 1; end < slots && edges[end].key == edges[e].key;) end++;
        if (end - e == 1) shells[of[edges[e].slot / 3]].boundary++;
    }
    *out = shells;
    shells = NULL;
done:
    free(shells);
    rill_array_destroy(number);
    return status;
}

rill_status rill_repair_shells(const rill_mesh *mesh, uint32_t **out_of, rill_shell **out,
                               uint32_t *out_count)
{
    rill_status status = RILL_OK;
    rill_half_edge *edges = NULL;
    uint32_t *of = NULL, count = 0;
    const uint64_t slots = 3 * (uint64_t)mesh->triangle_count;
    RILL_TRY(rill_array_create(mesh->triangle_count, sizeof *of, "the shells", (void **)&of));
    RILL_TRY(rill_mesh_edges(mesh, &edges));
    for (uint32_t t = 0; t < mesh->triangle_count; t++) of[t] = t;
    for (uint64_t e = 1; e < slots; e++)
        if (edges[e].key == edges[e - 1].key) {
            const uint32_t a = root_of(of, edges[e].slot / 3), b = root_of(of, edges[e - 1].slot / 3);
            of[a > b ? a : b] = a > b ? b : a;
        }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        of[t] = root_of(of, t);
        count += of[t] == t;
    }
    RILL_TRY(rank_shells(mesh, edges, of, count, out));
    *out_of = of;
    *out_count = count;
    of = NULL;
done:
    rill_array_destroy(of);
    rill_array_destroy(edges);
    return status;
}

void rill_repair_keep(rill_mesh *mesh, const uint32_t *of, uint32_t shell)
{
    uint32_t kept = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        if (of[t] == shell) mesh->triangles[kept++] = mesh->triangles[t];
    mesh->triangle_count = kept;
}
