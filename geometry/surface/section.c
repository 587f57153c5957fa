/* SPDX-License-Identifier: Apache-2.0 */
/* Planes that cut vessels off, patches that are openings. Capping what this leaves open is openings.c's. */
#include "geometry/surface/section.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/caps.h"
#include "geometry/surface/repair.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a triangle. */
enum { UNSEEN, SECTION, BEHIND };

typedef struct cutting {
    rill_mesh *mesh;
    double *height;   /* [vertex_count], above the plane, to the side that stays */
    uint32_t *beside; /* [3 T] */
    uint8_t *state;   /* [T] */
    uint32_t *queue;  /* [T] */
    rill_half_edge *edges;
} cutting;

/* A vertex in the plane counts as above it, so that every edge is cut or not. */
static bool is_above(const cutting *c, uint32_t vertex) { return c->height[vertex] >= 0; }

static bool is_cut(const cutting *c, uint32_t a, uint32_t b) { return is_above(c, a) != is_above(c, b); }

/* Where the plane cuts an edge; from the lower vertex number, so that both triangles beside it agree. */
static void cut_edge(const cutting *c, uint32_t a, uint32_t b, double x[3])
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    const double part = c->height[low] / (c->height[low] - c->height[high]);
    for (int i = 0; i < 3; i++)
        x[i] = c->mesh->vertices[low][i] + part * (c->mesh->vertices[high][i] - c->mesh->vertices[low][i]);
}

/* ---- the section ----------------------------------------------------------------------------- */

/* Return the triangle whose cut lies nearest to a point; UINT32_MAX when none is cut. */
static uint32_t nearest_cut(const cutting *c, const double point[3])
{
    uint32_t found = UINT32_MAX;
    double least = INFINITY;
    for (uint32_t t = 0; t < c->mesh->triangle_count; t++) {
        const uint32_t *v = c->mesh->triangles[t].v;
        double x[2][3], along[3], to[3];
        int count = 0;
        for (int k = 0; k < 3; k++)
            if (is_cut(c, v[k], v[(k + 1) % 3])) cut_edge(c, v[k], v[(k + 1) % 3], x[count++]);
        if (count != 2) continue;
        rill_subtract(x[1], x[0], along);
        rill_subtract(point, x[0], to);
        const double length = rill_dot(along, along);
        const double part = length > 0 ? fmin(fmax(rill_dot(to, along) / length, 0), 1) : 0;
        for (int i = 0; i < 3; i++) to[i] -= part * along[i];
        if (rill_dot(to, to) >= least) continue;
        least = rill_dot(to, to);
        found = t;
    }
    return found;
}

/* The section: how often it winds around the plane's point, how far from it it is, and its size. */
typedef struct section {
    double winding, distance, area, centre[3];
} section;

/* Add the cut of one triangle to the section, seen from the plane's point along `axis`. */
static void section_add(const cutting *c, uint32_t triangle, const rill_plane *plane, const double axis[3],
                        section *s)
{
    const uint32_t *v = c->mesh->triangles[triangle].v;
    double x[2][3], along[3], to[3], d[2][3], cross[3];
    int count = 0, first = 0;
    for (int k = 0; k < 3; k++)
        if (is_cut(c, v[k], v[(k + 1) % 3])) {
            if (is_above(c, v[k])) first = count; /* where the triangle goes down through the plane */
            cut_edge(c, v[k], v[(k + 1) % 3], x[count++]);
        }
    if (count != 2) return;
    rill_subtract(x[first], plane->point, d[0]);
    rill_subtract(x[1 - first], plane->point, d[1]);
    rill_cross(d[0], d[1], cross);
    const double twice = rill_dot(cross, axis);
    s->winding += atan2(twice, rill_dot(d[0], d[1])) / (2 * M_PI);
    s->area += twice / 2;
    for (int i = 0; i < 3; i++) s->centre[i] += twice / 6 * (d[0][i] + d[1][i]);
    rill_subtract(d[1], d[0], along);
    const double length = rill_dot(along, along);
    const double part = length > 0 ? fmin(fmax(-rill_dot(d[0], along) / length, 0), 1) : 0;
    for (int i = 0; i < 3; i++) to[i] = d[0][i] + part * along[i];
    s->distance = fmin(s->distance, sqrt(rill_dot(to, to)));
}

/* The plane's point selects the vessel: it must be in the section, or near it. */
static rill_status check_point(const cutting *c, const rill_plane *plane)
{
    const double near = 0.1; /* of the root of the section's area */
    const double length = sqrt(rill_dot(plane->normal, plane->normal));
    double axis[3];
    section s = {.distance = INFINITY};
    for (int i = 0; i < 3; i++) axis[i] = plane->normal[i] / length;
    for (uint32_t t = 0; t < c->mesh->triangle_count; t++)
        if (c->state[t] == SECTION) section_add(c, t, plane, axis, &s);
    for (int i = 0; i < 3; i++) s.centre[i] = plane->point[i] + (s.area != 0 ? s.centre[i] / s.area : 0);
    if (fabs(s.winding) > 0.5 || s.distance <= near * sqrt(fabs(s.area))) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "its point is %.3g mm outside of the nearest section, which has %.3g mm2: give a point within the vessel that is to be cut; "
        "the middle of that section is %.4gmm,%.4gmm,%.4gmm",
        1e3 * s.distance, 1e6 * fabs(s.area), 1e3 * s.centre[0], 1e3 * s.centre[1], 1e3 * s.centre[2]);
}

/* Follow the cut from triangle to triangle all the way round. */
static rill_status follow(cutting *c, uint32_t start)
{
    uint32_t head = 0, tail = 0;
    c->state[start] = SECTION;
    c->queue[tail++] = start;
    while (head < tail) {
        const uint32_t t = c->queue[head++];
        const uint32_t *v = c->mesh->triangles[t].v;
        for (uint32_t k = 0; k < 3; k++) {
            if (!is_cut(c, v[k], v[(k + 1) % 3])) continue;
            const uint32_t slot = c->beside[3 * (uint64_t)t + k];
            if (slot == UINT32_MAX) {
                const double *x = c->mesh->vertices[v[k]];
                return rill_fail(
                    RILL_USAGE,
                    "the section runs into an open or branching edge at (%.4g, %.4g, %.4g) mm: move the plane away from it",
                    1e3 * x[0], 1e3 * x[1], 1e3 * x[2]);
            }
            if (c->state[slot / 3] != UNSEEN) continue;
            c->state[slot / 3] = SECTION;
            c->queue[tail++] = slot / 3;
        }
    }
    return RILL_OK;
}

/* Mark what hangs below the section. It must not lead round to what hangs above it. */
static rill_status mark_behind(cutting *c)
{
    uint32_t head = 0, tail = 0;
    for (uint32_t t = 0; t < c->mesh->triangle_count; t++) {
        if (c->state[t] != SECTION) continue;
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t *v = c->mesh->triangles[t].v, slot = c->beside[3 * (uint64_t)t + k];
            if (is_above(c, v[k]) || is_above(c, v[(k + 1) % 3]) || slot == UINT32_MAX ||
                c->state[slot / 3] != UNSEEN)
                continue;
            c->state[slot / 3] = BEHIND;
            c->queue[tail++] = slot / 3;
        }
    }
    while (head < tail) {
        const uint32_t t = c->queue[head++];
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t *v = c->mesh->triangles[t].v, slot = c->beside[3 * (uint64_t)t + k];
            if (slot == UINT32_MAX) continue;
            if (c->state[slot / 3] == SECTION && is_above(c, v[k]) && is_above(c, v[(k + 1) % 3]))
                return rill_fail(
                    RILL_USAGE,
                    "the plane does not part the vessel: the way from one side leads round to the other");
            if (c->state[slot / 3] != UNSEEN) continue;
            c->state[slot / 3] = BEHIND;
            c->queue[tail++] = slot / 3;
        }
    }
    return RILL_OK;
}

/* ---- splitting ------------------------------------------------------------------------------- */

/* New vertices by the edges that they cut: an open-addressed table. */
typedef struct cuts {
    uint64_t *key;    /* + 1, 0: free */
    uint32_t *vertex; /* of the key */
    uint64_t mask;
} cuts;

static rill_status vertex_on(cutting *c, cuts *table, uint32_t a, uint32_t b, uint32_t *out)
{
    const uint64_t key = (a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a) + 1;
    uint64_t h = key * 0x9E3779B97F4A7C15u >> 20 & table->mask;
    while (table->key[h] && table->key[h] != key) h = (h + 1) & table->mask;
    if (!table->key[h]) {
        double x[3];
        cut_edge(c, a, b, x);
        const rill_status status = rill_mesh_add_vertex(c->mesh, x, &table->vertex[h]);
        if (status != RILL_OK) return status;
        table->key[h] = key;
    }
    *out = table->vertex[h];
    return RILL_OK;
}

/* Add the part of a triangle above the plane. */
static rill_status split(cutting *c, cuts *table, const rill_triangle *old)
{
    rill_status status = RILL_OK;
    rill_triangle part = *old;
    uint32_t corners[4];
    int count = 0;
    for (int k = 0; k < 3; k++) {
        const uint32_t a = old->v[k], b = old->v[(k + 1) % 3];
        if (is_above(c, a)) corners[count++] = a;
        if (is_cut(c, a, b)) RILL_TRY(vertex_on(c, table, a, b, &corners[count++]));
    }
    for (int k = 2; k < count; k++) {
        memcpy(part.v, ((uint32_t[]){corners[0], corners[k - 1], corners[k]}), sizeof part.v);
        RILL_TRY(rill_mesh_add_triangle(c->mesh, part));
    }
done:
    return status;
}

static rill_status split_all(cutting *c)
{
    rill_status status = RILL_OK;
    cuts table = {.mask = 255};
    const uint32_t triangles = c->mesh->triangle_count;
    uint64_t sections = 0;
    uint32_t kept = 0;
    for (uint32_t t = 0; t < triangles; t++) sections += c->state[t] == SECTION;
    while (table.mask < 4 * sections) table.mask = 2 * table.mask + 1;
    RILL_TRY(rill_array_create_zero(table.mask + 1, sizeof *table.key, "the section", (void **)&table.key));
    RILL_TRY(rill_array_create(table.mask + 1, sizeof *table.vertex, "the section", (void **)&table.vertex));
    for (uint32_t t = 0; t < triangles; t++) {
        const rill_triangle old = c->mesh->triangles[t];
        if (c->state[t] == SECTION) RILL_TRY(split(c, &table, &old));
    }
    for (uint32_t t = 0; t < c->mesh->triangle_count; t++)
        if (t >= triangles || c->state[t] == UNSEEN) c->mesh->triangles[kept++] = c->mesh->triangles[t];
    c->mesh->triangle_count = kept;
done:
    rill_array_destroy(table.key);
    rill_array_destroy(table.vertex);
    return status;
}

/* Remove the flat part that a plane lies on, if it lies on one. */
static rill_status remove_flat(rill_mesh *mesh, const rill_plane *plane, uint32_t tag, uint32_t *tagged,
                               bool *removed)
{
    rill_status status = RILL_OK;
    uint8_t *inside = NULL;
    uint32_t found = 0, kept = 0;
    RILL_TRY(rill_array_create_zero(mesh->triangle_count, 1, "cutting the surface", (void **)&inside));
    RILL_TRY(rill_caps_at(mesh, plane->point, plane->normal, inside, &found));
    *removed = found > 0 && found < mesh->triangle_count;
    if (!*removed) goto done;
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        if (inside[t])
            for (int k = 0; k < 3; k++) tagged[mesh->triangles[t].v[k]] = tag;
        else
            mesh->triangles[kept++] = mesh->triangles[t];
    mesh->triangle_count = kept;
done:
    rill_array_destroy(inside);
    return status;
}

/* The volume with all boundary loops closed from their middles. */
static rill_status volume_of(const rill_mesh *mesh, double *volume)
{
    rill_status status = RILL_OK;
    rill_loops loops = {0};
    const double *origin = mesh->vertices[0];
    *volume = rill_mesh_volume(mesh);
    RILL_TRY(rill_loops_find(mesh, NULL, &loops));
    for (uint32_t l = 0; l < loops.count; l++) {
        const uint32_t *v = loops.vertices + loops.first[l], count = loops.first[l + 1] - loops.first[l];
        double middle[3] = {0}, p[3], a[3], b[3], normal[3];
        for (uint32_t k = 0; k < count; k++)
            for (int i = 0; i < 3; i++) middle[i] += mesh->vertices[v[k]][i] / count;
        rill_subtract(middle, origin, p);
        for (uint32_t k = 0; k < count; k++) {
            rill_subtract(mesh->vertices[v[(k + 1) % count]], origin, a);
            rill_subtract(mesh->vertices[v[k]], origin, b);
            rill_cross(a, b, normal);
            *volume += rill_dot(normal, p) / 6;
        }
    }
done:
    rill_loops_destroy(&loops);
    return status;
}

static rill_status check_loss(const rill_mesh *mesh, double most, rill_section_loss *loss)
{
    double after = 0;
    const rill_status status = volume_of(mesh, &after);
    if (status != RILL_OK) return status;
    loss->volume = loss->before - after;
    if (!(loss->volume > most * loss->before)) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "the plane would remove %.3g of %.3g mL (%.3g %%), more than %.0f %%: "
        "reverse its normal, which points to the side that stays, or allow it with --remove-most",
        1e6 * loss->volume, 1e6 * loss->before, 100 * loss->volume / loss->before, 100 * most);
}

rill_status rill_section_cut(rill_mesh *mesh, const rill_plane *plane, double most, uint32_t tag,
                             uint32_t *tagged, rill_section_loss *loss)
{
    rill_status status = RILL_OK;
    static const char what[] = "cutting the surface";
    cutting c = {.mesh = mesh};
    const double length = sqrt(rill_dot(plane->normal, plane->normal));
    *loss = (rill_section_loss){0};
    if (!(length > 0) || !isfinite(length))
        return rill_fail(RILL_USAGE, "the plane has no normal: give one that points to the side that stays");
    RILL_TRY(volume_of(mesh, &loss->before));
    RILL_TRY(remove_flat(mesh, plane, tag, tagged, &loss->cap));
    if (loss->cap) goto done;
    RILL_TRY(rill_array_create(mesh->vertex_count, sizeof *c.height, what, (void **)&c.height));
    RILL_TRY(
        rill_array_create(3 * (uint64_t)mesh->triangle_count, sizeof *c.beside, what, (void **)&c.beside));
    RILL_TRY(rill_array_create_zero(mesh->triangle_count, 1, what, (void **)&c.state));
    RILL_TRY(rill_array_create(mesh->triangle_count, sizeof *c.queue, what, (void **)&c.queue));
    RILL_TRY(rill_mesh_edges(mesh, &c.edges));
    rill_mesh_beside(mesh, c.edges, c.beside);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        double d[3];
        rill_subtract(mesh->vertices[v], plane->point, d);
        c.height[v] = rill_dot(d, plane->normal) / length;
    }
    const uint32_t start = nearest_cut(&c, plane->point);
    if (start == UINT32_MAX)
        RILL_TRY(rill_fail(RILL_USAGE, "the plane does not meet the surface: check its point and --units"));
    RILL_TRY(follow(&c, start));
    RILL_TRY(check_point(&c, plane));
    RILL_TRY(mark_behind(&c));
    RILL_TRY(split_all(&c));
    RILL_TRY(check_loss(mesh, most, loss));
done:
    rill_array_destroy(c.height);
    rill_array_destroy(c.beside);
    rill_array_destroy(c.state);
    rill_array_destroy(c.queue);
    rill_array_destroy(c.edges);
    return status;
}

/* ---- patches --------------------------------------------------------------------------------- */

static rill_status no_such_group(const rill_mesh *mesh, const char *group, bool known_group)
{
    if (known_group)
        return rill_fail(
            RILL_USAGE,
            "the group \"%.80s\" is gone already: a --patch before this one, a --plane or --shell took it away, or it never had triangles",
            group);
    char known[256] = "";
    for (uint32_t p = 0; p < mesh->patch_count; p++) {
        const size_t used = strlen(known);
        if (*mesh->patches[p])
            snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", mesh->patches[p]);
    }
    return rill_fail(RILL_USAGE, "no triangles belong to a group \"%.80s\": %s%s", group,
                     *known ? "the file has "
                            : "the file names no solids (ASCII STL), groups (OBJ) or faces (VTP)",
                     known);
}

rill_status rill_section_open(rill_mesh *mesh, const char *group, uint32_t tag, uint32_t *tagged)
{
    rill_status status = RILL_OK;
    uint8_t *inside = NULL;
    uint32_t patch = 0, kept = 0;
    while (patch < mesh->patch_count && strcmp(mesh->patches[patch], group) != 0) patch++;
    RILL_TRY(rill_array_create_zero(mesh->vertex_count, 1, "the patches", (void **)&inside));
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (mesh->triangles[t].patch == patch) inside[mesh->triangles[t].v[k]] = 1;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        if (mesh->triangles[t].patch == patch) continue;
        for (int k = 0; k < 3; k++)
            if (inside[mesh->triangles[t].v[k]]) tagged[mesh->triangles[t].v[k]] = tag;
        mesh->triangles[kept++] = mesh->triangles[t];
    }
    if (kept == mesh->triangle_count) RILL_TRY(no_such_group(mesh, group, patch < mesh->patch_count));
    if (kept == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "all triangles belong to \"%.80s\": an opening needs walls beside it",
                           group));
    mesh->triangle_count = kept;
done:
    rill_array_destroy(inside);
    return status;
}
