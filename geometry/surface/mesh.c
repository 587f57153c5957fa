/* SPDX-License-Identifier: Apache-2.0 */
/* Triangle surfaces: how they grow, how vertices are merged, how neighbours are found. */
#include "geometry/surface/mesh.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

rill_status rill_mesh_create(rill_mesh **out)
{
    *out = calloc(1, sizeof **out);
    return *out ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for a surface");
}

void rill_mesh_destroy(rill_mesh *mesh)
{
    if (!mesh) return;
    for (uint32_t p = 0; p < mesh->patch_count; p++) free(mesh->patches[p]);
    free(mesh->patches);
    free(mesh->patch_slots);
    free(mesh->vertices);
    free(mesh->triangles);
    free(mesh);
}

/* Let an array hold `more` items behind `count`. Small arrays double, so that items can come one by one. */
static rill_status grow(void **items, size_t size, uint32_t count, uint64_t more, uint32_t *room,
                        const char *what)
{
    const uint64_t wanted = count + more, limit = (uint64_t)1 << 31;
    if (wanted <= *room) return RILL_OK;
    if (more > limit || wanted > limit)
        return rill_fail(RILL_USAGE, "the surface has more than 2147483648 %s: decimate it", what);
    uint64_t taken = 2 * (uint64_t)*room > wanted ? 2 * (uint64_t)*room : wanted;
    if (taken < 1024) taken = 1024;
    if (taken > limit) taken = limit;
    const rill_status status = rill_memory_require((taken - *room) * size, what);
    if (status != RILL_OK) return status;
    void *longer = realloc(*items, taken * size);
    if (!longer) return rill_fail(RILL_SYSTEM, "out of memory for %llu %s", (unsigned long long)taken, what);
    *items = longer;
    *room = (uint32_t)taken;
    return RILL_OK;
}

rill_status rill_mesh_reserve(rill_mesh *mesh, uint64_t vertices, uint64_t triangles)
{
    rill_status status = grow((void **)&mesh->vertices, sizeof *mesh->vertices, mesh->vertex_count, vertices,
                              &mesh->vertex_room, "vertices");
    if (status == RILL_OK)
        status = grow((void **)&mesh->triangles, sizeof *mesh->triangles, mesh->triangle_count, triangles,
                      &mesh->triangle_room, "triangles");
    return status;
}

rill_status rill_mesh_add_vertex(rill_mesh *mesh, const double x[3], uint32_t *number)
{
    const rill_status status = rill_mesh_reserve(mesh, 1, 0);
    if (status != RILL_OK) return status;
    memcpy(mesh->vertices[mesh->vertex_count], x, sizeof *mesh->vertices);
    if (number) *number = mesh->vertex_count;
    mesh->vertex_count++;
    return RILL_OK;
}

rill_status rill_mesh_add_triangle(rill_mesh *mesh, rill_triangle triangle)
{
    const rill_status status = rill_mesh_reserve(mesh, 0, 1);
    if (status == RILL_OK) mesh->triangles[mesh->triangle_count++] = triangle;
    return status;
}

/* Return the slot of a name: that of its patch, or the free one where it would be. */
static uint32_t *patch_slot(const rill_mesh *mesh, const char *name, size_t length)
{
    uint32_t at = (uint32_t)XXH3_64bits(name, length) & mesh->patch_mask;
    for (;; at = (at + 1) & mesh->patch_mask) {
        uint32_t *slot = &mesh->patch_slots[at];
        const char *known = *slot ? mesh->patches[*slot - 1] : NULL;
        if (!known || (strlen(known) == length && memcmp(known, name, length) == 0)) return slot;
    }
}

/* Let at most half of the table of names be used with one more. */
static rill_status patch_slots_grow(rill_mesh *mesh)
{
    const uint32_t slots = mesh->patch_mask ? 2 * (mesh->patch_mask + 1) : 64;
    if (mesh->patch_mask && 2 * (mesh->patch_count + 1) <= mesh->patch_mask + 1) return RILL_OK;
    uint32_t *larger = calloc(slots, sizeof *larger);
    if (!larger) return rill_fail(RILL_SYSTEM, "out of memory for the names of %u groups", slots / 2);
    free(mesh->patch_slots);
    mesh->patch_slots = larger;
    mesh->patch_mask = slots - 1;
    for (uint32_t p = 0; p < mesh->patch_count; p++)
        *patch_slot(mesh, mesh->patches[p], strlen(mesh->patches[p])) = p + 1;
    return RILL_OK;
}

rill_status rill_mesh_patch(rill_mesh *mesh, const char *name, size_t length, uint16_t *number)
{
    length = strnlen(name, length);
    rill_status status = patch_slots_grow(mesh);
    if (status != RILL_OK) return status;
    uint32_t *slot = patch_slot(mesh, name, length);
    if (*slot) {
        *number = (uint16_t)(*slot - 1);
        return RILL_OK;
    }
    if (mesh->patch_count == RILL_MESH_GROUPS + 1)
        return rill_fail(RILL_USAGE, "the surface has more than %d named groups: join them",
                         RILL_MESH_GROUPS);
    status = grow((void **)&mesh->patches, sizeof *mesh->patches, mesh->patch_count, 1, &mesh->patch_room,
                  "groups");
    if (status != RILL_OK) return status;
    char *copy = strndup(name, length);
    if (!copy) return rill_fail(RILL_SYSTEM, "out of memory for the name of a group");
    *number = (uint16_t)mesh->patch_count;
    mesh->patches[mesh->patch_count++] = copy;
    *slot = mesh->patch_count;
    return RILL_OK;
}

void rill_mesh_box(const rill_mesh *mesh, double low[3], double high[3])
{
    for (int a = 0; a < 3; a++) {
        low[a] = INFINITY;
        high[a] = -INFINITY;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++) {
                const double x = mesh->vertices[mesh->triangles[t].v[k]][a];
                low[a] = fmin(low[a], x);
                high[a] = fmax(high[a], x);
            }
}

double rill_mesh_volume(const rill_mesh *mesh)
{
    double six = 0;
    const double *origin = mesh->vertex_count ? mesh->vertices[0] : NULL; /* near, so that digits stay */
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double p[3][3], normal[3];
        for (int k = 0; k < 3; k++) rill_subtract(mesh->vertices[mesh->triangles[t].v[k]], origin, p[k]);
        rill_cross(p[0], p[1], normal);
        six += rill_dot(normal, p[2]);
    }
    return six / 6;
}

void rill_mesh_area(const rill_mesh *mesh, uint32_t triangle, double area[3])
{
    const uint32_t *v = mesh->triangles[triangle].v;
    double a[3], b[3];
    rill_subtract(mesh->vertices[v[1]], mesh->vertices[v[0]], a);
    rill_subtract(mesh->vertices[v[2]], mesh->vertices[v[0]], b);
    rill_cross(a, b, area);
    for (int k = 0; k < 3; k++) area[k] /= 2;
}

void rill_mesh_middle(const rill_mesh *mesh, uint32_t triangle, double middle[3])
{
    const uint32_t *v = mesh->triangles[triangle].v;
    for (int a = 0; a < 3; a++)
        middle[a] = (mesh->vertices[v[0]][a] + mesh->vertices[v[1]][a] + mesh->vertices[v[2]][a]) / 3;
}

double rill_solid_angle(const double a[3], const double b[3], const double c[3], const double x[3])
{
    double p[3], q[3], r[3], normal[3];
    rill_subtract(a, x, p);
    rill_subtract(b, x, q);
    rill_subtract(c, x, r);
    const double lp = sqrt(rill_dot(p, p)), lq = sqrt(rill_dot(q, q)), lr = sqrt(rill_dot(r, r));
    rill_cross(p, q, normal);
    return 2 * atan2(rill_dot(normal, r),
                     lp * lq * lr + rill_dot(p, q) * lr + rill_dot(q, r) * lp + rill_dot(r, p) * lq);
}

/* ---- welding --------------------------------------------------------------------------------- */

/* Vertices by the cube that they lie in; cubes are twice the tolerance, so that those near a vertex lie in
 * its own cube and the nearer neighbour along each axis. */
typedef struct cubes {
    const rill_mesh *mesh;
    double low[3], edge;
    uint64_t mask;
    uint32_t *first; /* [mask + 1], vertex + 1 */
    uint32_t *next;  /* [vertex_count], vertex + 1 */
} cubes;

static uint64_t place(const cubes *c, const int64_t at[3])
{
    uint64_t h = 0;
    for (int a = 0; a < 3; a++) {
        h = (h ^ (uint64_t)at[a]) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29;
    }
    return h & c->mask;
}

/* Return a vertex kept near x, or UINT32_MAX. */
static uint32_t near(const cubes *c, const double x[3], double tolerance)
{
    int64_t at[3], side[3];
    for (int a = 0; a < 3; a++) {
        const double in = (x[a] - c->low[a]) / c->edge;
        at[a] = (int64_t)floor(in);
        side[a] = in - floor(in) < 0.5 ? -1 : 1;
    }
    for (int n = 0; n < 8; n++) {
        const int64_t cube[3] = {at[0] + (n & 1 ? side[0] : 0), at[1] + (n & 2 ? side[1] : 0),
                                 at[2] + (n & 4 ? side[2] : 0)};
        for (uint32_t v = c->first[place(c, cube)]; v; v = c->next[v - 1]) {
            double d[3];
            rill_subtract(c->mesh->vertices[v - 1], x, d);
            if (rill_dot(d, d) <= tolerance * tolerance) return v - 1;
        }
    }
    return UINT32_MAX;
}

rill_status rill_mesh_weld(rill_mesh *mesh, double tolerance, uint32_t *merged)
{
    rill_status status = RILL_OK;
    uint32_t *to = NULL, kept = 0, used = 0;
    cubes c = {.mesh = mesh, .edge = 2 * tolerance, .mask = 1023};
    double high[3];
    rill_mesh_box(mesh, c.low, high);
    while (c.mask < mesh->vertex_count) c.mask = 2 * c.mask + 1;
    RILL_TRY(rill_array_create_zero(c.mask + 1, sizeof *c.first, "welding vertices", (void **)&c.first));
    RILL_TRY(rill_array_create(mesh->vertex_count, sizeof *c.next, "welding vertices", (void **)&c.next));
    RILL_TRY(rill_array_create_zero(mesh->vertex_count, sizeof *to, "welding vertices", (void **)&to));
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) to[mesh->triangles[t].v[k]] = 1;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        double x[3];
        if (!to[v]) continue;
        used++;
        memcpy(x, mesh->vertices[v], sizeof x);
        to[v] = near(&c, x, tolerance);
        if (to[v] != UINT32_MAX) continue;
        int64_t at[3];
        for (int a = 0; a < 3; a++) at[a] = (int64_t)floor((x[a] - c.low[a]) / c.edge);
        const uint64_t slot = place(&c, at);
        memcpy(mesh->vertices[kept], x, sizeof x); /* kept <= v: what is overwritten has been seen */
        c.next[kept] = c.first[slot];
        to[v] = kept;
        c.first[slot] = ++kept;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) mesh->triangles[t].v[k] = to[mesh->triangles[t].v[k]];
    if (merged) *merged = used - kept;
    mesh->vertex_count = kept;
done:
    rill_array_destroy(to);
    rill_array_destroy(c.next);
    rill_array_destroy(c.first);
    return status;
}

/* ---- edges ----------------------------------------------------------------------------------- */

/* Sort by key, 16 bits at a time; keys of equal value keep their order, so that results are reproducible. */
static void sort_edges(rill_half_edge *edges, rill_half_edge *other, uint64_t count, uint32_t *bins)
{
    enum { BITS = 16, BINS = 1 << BITS };
    for (int pass = 0; pass < 4; pass++) {
        const int shift = pass * BITS;
        uint64_t sum = 0;
        memset(bins, 0, BINS * sizeof *bins);
        for (uint64_t e = 0; e < count; e++) bins[edges[e].key >> shift & (BINS - 1)]++;
        for (uint32_t b = 0; b < BINS; b++) {
            const uint32_t here = bins[b];
            bins[b] = (uint32_t)sum;
            sum += here;
        }
        for (uint64_t e = 0; e < count; e++) other[bins[edges[e].key >> shift & (BINS - 1)]++] = edges[e];
        rill_half_edge *swap = edges;
        edges = other;
        other = swap;
    }
}

rill_status rill_mesh_edges(const rill_mesh *mesh, rill_half_edge **out)
{
    rill_status status = RILL_OK;
    const uint64_t count = 3 * (uint64_t)mesh->triangle_count;
    rill_half_edge *edges = NULL, *other = NULL;
    uint32_t *bins = NULL;
    if (count > UINT32_MAX)
        return rill_fail(RILL_USAGE, "the surface has %u triangles, more than 1431655765: decimate it",
                         mesh->triangle_count);
    RILL_TRY(rill_array_create(count, sizeof *edges, "the edges of the surface", (void **)&edges));
    RILL_TRY(rill_array_create(count, sizeof *other, "the edges of the surface", (void **)&other));
    RILL_TRY(rill_array_create(1 << 16, sizeof *bins, "the edges of the surface", (void **)&bins));
    for (uint64_t e = 0; e < count; e++) {
        const rill_triangle *t = &mesh->triangles[e / 3];
        const uint32_t a = t->v[e % 3], b = t->v[(e + 1) % 3];
        edges[e] =
            (rill_half_edge){a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a, (uint32_t)e, a < b};
    }
    sort_edges(edges, other, count, bins);
    *out = edges;
    edges = NULL;
done:
    rill_array_destroy(edges);
    rill_array_destroy(other);
    rill_array_destroy(bins);
    return status;
}

void rill_mesh_beside(const rill_mesh *mesh, const rill_half_edge *edges, uint32_t *beside)
{
    const uint64_t count = 3 * (uint64_t)mesh->triangle_count;
    memset(beside, 0xFF, count * sizeof *beside);
    for (uint64_t e = 0, end; e < count; e = end) {
        for (end = e + 1; end < count && edges[end].key == edges[e].key;) end++;
        if (end - e != 2) continue;
        beside[edges[e].slot] = edges[e + 1].slot;
        beside[edges[e + 1].slot] = edges[e].slot;
    }
}
