/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Wall shear on triangles. Triangles are split until their parts are no longer than SIDE voxels; each part is
 * represented by its middle. Triangles smaller than voxels use the same nodes as their neighbours do.
 */
#include "vessel/wall/wall_shear.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/layers.h"
#include "geometry/surface/mesh.h"
#include "vessel/wall/wall_fit.h"
#include "vessel/wall/wall_shear_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    PARTS = 256,   /* of the list of triangles, each found by one thread */
    AROUND = 6,    /* planes below and above a place whose voxels are looked at: FAR, and one more */
    MOST = 512,    /* nodes around a place: half a ball of FAR has 262 */
    FEW = 8,       /* nodes that are too few to extrapolate from */
    QUADRATIC = 10 /* coefficients of a fit, see rill_wall_fit() */
};

/*
 * Voxels: how far nodes may be, and how far where there are FEW; the longest side of a part. What an
 * interpolated link brings leaves its error in the stress of the nodes next to walls (-4 % at a quarter of a
 * voxel in a tilted pipe of radius 10): those nearer than LEAST are left out, and the others weigh as the
 * square of their distance from the wall.
 */
static const double NEAR = RILL_WALL_NEAR, FAR = 5, LEAST = RILL_WALL_LEAST, SIDE = RILL_WALL_SIDE;

/*
 * A second fit has the nodes within `reach` voxels and above `least`: it follows boundary layers of two or
 * three voxels, where the first one goes up to 30 % too far, but has more of the errors of single nodes. From
 * a difference of differ[0] of the wall shear on it counts, from differ[1] on alone: in pipes of 12 cells the
 * two differ by less (docs/vessels.md). Velocities, which are 0 at the wall, say more of a thin layer than
 * stresses do; they give the wall shear where the viscosity is the same everywhere.
 */
typedef struct inner_fit {
    double reach, least, differ[2];
} inner_fit;

static const inner_fit INNER[2] = {{3.25, 0.2, {0.05, 0.1}}, {3.5, 0.4, {0.05, 0.07}}}; /* [newtonian] */
static const double INNER_LEAST = 0.2;                                                  /* of both */

typedef rill_wall_entry entry;

/* A list of nodes that grows. */
typedef struct entry_list {
    entry *all;
    uint64_t count, room;
} entry_list;

/* What was found at the middle of a part of a triangle that lies in several layers of planes. */
typedef struct middle {
    uint64_t triangle, first; /* the first of its nodes among those that wait */
    uint32_t number;          /* of the middle in its triangle */
    int count;
    double share;
    bool flat;
} middle;

/* What one thread found for consecutive triangles. */
typedef struct part {
    entry_list found;   /* nodes of triangles, one after the other */
    entry_list waiting; /* nodes of middles */
    middle *middles;
    uint64_t middle_count, middle_room;
    uint64_t missing, flat;
    bool failed; /* without memory */
} part;

/* Where nodes are looked for. */
typedef struct search {
    const rill_domain *domain;
    const rill_surface *surface;
    rill_wall_shear *wall;
    uint64_t *counts; /* [triangle_count], nodes of each */
    uint64_t *begins; /* [triangle_count], where they are in the part; WAITS: they are not there yet */
    rill_layers layers;
    uint32_t first, end; /* planes whose middles are looked at */
} search;

static const uint64_t WAITS = UINT64_MAX;

/* A triangle that is being put together. */
typedef struct making {
    const search *search;
    part *part;
    double normal[3], along[2][3]; /* into the fluid; two directions along the wall */
    double found;                  /* share of the area with nodes nearby */
    uint64_t triangle;
    uint32_t middles; /* so far */
    bool within;      /* all of them are looked at now */
    bool partly;      /* some lie in the lumen of another shell */
    bool flat;
} making;

/* ---- nodes around a place -------------------------------------------------------------------- */

static bool fluid_at(const search *s, const double x[3])
{
    const rill_geom *geom = s->domain->geom;
    for (int a = 0; a < 3; a++)
        if (!(x[a] >= 0 && x[a] < geom->n[a])) return false;
    return rill_layers_has(&s->layers, (uint32_t)x[0], (uint32_t)x[1], (uint32_t)x[2]);
}

/* Whether nothing solid is between a node and a place on the wall: nodes behind another wall are not of this
 * one. The last voxel before the place may be solid, since walls run through voxels. */
static bool sees(const search *s, const double x[3], const double place[3])
{
    const double gap[3] = {place[0] - x[0], place[1] - x[1], place[2] - x[2]};
    const double length = sqrt(rill_dot(gap, gap));
    for (double way = 0.5; way < length - 1; way += 0.5) {
        double at[3];
        for (int a = 0; a < 3; a++) at[a] = x[a] + gap[a] * way / length;
        if (!fluid_at(s, at)) return false;
    }
    return true;
}

/* Return the weight in a fit of a node at x from the place, 0 beyond its `reach` or not above `least`. */
static double nearness(const double x[3], double reach, double least)
{
    const double near = 1 - rill_dot(x, x) / (reach * reach);
    return near > 0 && x[0] > least ? near * near * x[0] * x[0] : 0;
}

/* Keep the nodes of a fit. @return how many */
static int choose(const rill_wall_neighbour *from, int count, double reach, double least,
                  rill_wall_neighbour *to)
{
    int kept = 0;
    for (int c = 0; c < count; c++) {
        to[kept] = from[c];
        to[kept].nearness = nearness(from[c].x, reach, least);
        kept += to[kept].nearness > 0;
    }
    return kept;
}

/* List the nodes within `reach` of a place and `least` above the wall, in voxels. */
static int gather(const making *m, const double place[3], double reach, double least,
                  rill_wall_neighbour *out)
{
    const search *s = m->search;
    int count = 0, low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = (int)fmax(0, floor(place[a] - reach));
        high[a] = (int)fmin(s->domain->geom->n[a] - 1.0, floor(place[a] + reach));
    }
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++) {
                const double centre[3] = {x + 0.5, y + 0.5, z + 0.5};
                double gap[3];
                rill_subtract(centre, place, gap);
                rill_wall_neighbour n = {
                    .x = {rill_dot(gap, m->normal), rill_dot(gap, m->along[0]), rill_dot(gap, m->along[1])}};
                n.nearness = nearness(n.x, reach, least);
                if (n.nearness <= 0 || !fluid_at(s, centre) || !sees(s, centre, place)) continue;
                n.node = rill_layers_rank(&s->layers, (uint32_t)x, (uint32_t)y, (uint32_t)z);
                out[count++] = n;
            }
    return count;
}

/* Make room for `more` nodes. */
static bool entries_grow(entry_list *to, uint64_t more)
{
    if (to->count + more <= to->room) return true;
    const uint64_t room = 2 * to->room + (more > MOST ? more : MOST);
    entry *grown = realloc(to->all, room * sizeof *grown);
    if (!grown) return false;
    to->all = grown;
    to->room = room;
    return true;
}

/* Give back the room that no node needs; the list may grow again. */
static void entries_trim(entry_list *list)
{
    if (list->count == 0 || list->count == list->room) return;
    entry *trimmed = realloc(list->all, list->count * sizeof *trimmed);
    if (!trimmed) return;
    list->all = trimmed;
    list->room = list->count;
}

/* Add the nodes of a fit. @param[in] outer, inner  whether it is the first one, the second one, or both */
static bool entries_add(entry_list *to, const rill_wall_neighbour *neighbours, int count, double share,
                        bool outer, bool inner)
{
    if (!entries_grow(to, (uint64_t)count)) return false;
    for (int c = 0; c < count; c++) {
        const float weight = (float)(share * neighbours[c].weight);
        to->all[to->count++] = (entry){neighbours[c].node, outer ? weight : 0, inner ? weight : 0,
                                       inner && !outer ? (float)(share * neighbours[c].integral) : 0};
    }
    return true;
}

static bool middles_add(part *p, const middle *one)
{
    if (p->middle_count == p->middle_room) {
        const uint64_t room = 2 * p->middle_room + 64;
        middle *grown = realloc(p->middles, room * sizeof *grown);
        if (!grown) return false;
        p->middles = grown;
        p->middle_room = room;
    }
    p->middles[p->middle_count++] = *one;
    return true;
}

/* ---- triangles ------------------------------------------------------------------------------- */

/* Whether a part lies so far outside of the box that no node can be near. */
static bool is_outside(const search *s, const double corners[3][3])
{
    for (int a = 0; a < 3; a++) {
        const double low = fmin(corners[0][a], fmin(corners[1][a], corners[2][a])),
                     high = fmax(corners[0][a], fmax(corners[1][a], corners[2][a]));
        if (high < -FAR || low > s->domain->geom->n[a] + FAR) return true;
    }
    return false;
}

/* Return the plane of a height, the first or last one outside of the box. */
static uint32_t plane_of(const search *s, double z)
{
    return (uint32_t)fmin(fmax(z, 0), s->domain->geom->n[2] - 1.0);
}

/* Whether a place on a triangle that crosses another shell lies in its lumen: a voxel outward there is fluid.
 */
static bool is_within(const making *m, const double place[3])
{
    double beyond[3];
    for (int a = 0; a < 3; a++) beyond[a] = place[a] - m->normal[a];
    return fluid_at(m->search, beyond);
}

/* Make the second fit of the nodes that are seen. @return how many it has, 0 where they do not determine it
 */
static int closer(const making *m, const rill_wall_neighbour *all, int seen, rill_wall_neighbour *inner)
{
    const bool newtonian = m->search->wall->newtonian;
    const int close = choose(all, seen, INNER[newtonian].reach, INNER[newtonian].least, inner);
    const bool determined = newtonian ? rill_wall_fit_integral(inner, close)
                                      : close > 0 && rill_wall_fit(inner, close) == QUADRATIC;
    return determined ? close : 0;
}

/* Add what the middle of a part says, for `share` of the triangle's area. Where nodes do not determine both
 * fits by quadratic functions the first one is the second one, too. */
static void middle_add(making *m, const double corners[3][3], double share)
{
    rill_wall_neighbour all[MOST], neighbours[MOST], inner[MOST];
    part *p = m->part;
    double place[3];
    for (int a = 0; a < 3; a++) place[a] = (corners[0][a] + corners[1][a] + corners[2][a]) / 3;
    const uint32_t number = m->middles++, plane = plane_of(m->search, place[2]);
    if (plane < m->search->first || plane >= m->search->end) return;
    if (m->partly && is_within(m, place)) return;
    const int seen = gather(m, place, NEAR, INNER_LEAST, all);
    int count = choose(all, seen, NEAR, LEAST, neighbours);
    if (count < FEW) count = gather(m, place, FAR, LEAST, neighbours);
    if (count < FEW) count = gather(m, place, FAR, 0, neighbours);
    if (count == 0) return;
    const int unknowns = rill_wall_fit(neighbours, count);
    const int close = unknowns < QUADRATIC ? 0 : closer(m, all, seen, inner);
    m->flat |= unknowns == 1;
    m->found += share;
    entry_list *to = m->within ? &p->found : &p->waiting;
    const middle one = {m->triangle, p->waiting.count, number, count + close, share, unknowns == 1};
    if (!m->within && !middles_add(p, &one)) p->failed = true;
    if (!entries_add(to, neighbours, count, share, true, close == 0) ||
        !entries_add(to, inner, close, share, false, true))
        p->failed = true;
}

/* Halve the longest side until it is short enough. */
static void split(making *m, const double corners[3][3], double share)
{
    double longest = 0, half[3][3];
    int side = 0;
    if (is_outside(m->search, corners) || m->part->failed) return;
    for (int k = 0; k < 3; k++) {
        double edge[3];
        rill_subtract(corners[(k + 1) % 3], corners[k], edge);
        const double length = sqrt(rill_dot(edge, edge));
        if (length > longest) longest = length, side = k;
    }
    if (longest <= SIDE) {
        middle_add(m, corners, share);
        return;
    }
    for (int end = 0; end < 2; end++) {
        memcpy(half, corners, sizeof half);
        for (int a = 0; a < 3; a++)
            half[(side + end) % 3][a] = (corners[side][a] + corners[(side + 1) % 3][a]) / 2;
        split(m, (const double(*)[3])half, share / 2);
    }
}

static int by_node(const void *a, const void *b)
{
    const rill_node m = ((const entry *)a)->node, n = ((const entry *)b)->node;
    return (m > n) - (m < n);
}

/* Bring the entries from `first` on in order, each node once, weights adding up to 1. */
static void entries_merge(entry_list *p, uint64_t first, double found)
{
    uint64_t kept = first;
    qsort(p->all + first, p->count - first, sizeof *p->all, by_node);
    for (uint64_t e = first; e < p->count; e++) {
        p->all[e].weight = (float)(p->all[e].weight / found);
        p->all[e].inner = (float)(p->all[e].inner / found);
        p->all[e].velocity = (float)(p->all[e].velocity / found);
        if (kept > first && p->all[kept - 1].node == p->all[e].node) {
            p->all[kept - 1].weight += p->all[e].weight;
            p->all[kept - 1].inner += p->all[e].inner;
            p->all[kept - 1].velocity += p->all[e].velocity;
        } else
            p->all[kept++] = p->all[e];
    }
    p->count = kept;
}

/* Count a triangle whose nodes were all found, from `first` on. */
static void triangle_end(const search *s, part *p, uint64_t triangle, uint64_t first, double found, bool flat)
{
    if (p->failed) return;
    if (found > 0) entries_merge(&p->found, first, found);
    if (rill_wall_state_of(s->surface, triangle) == RILL_WALL_PARTLY) s->wall->area[triangle] *= found;
    p->missing += !(found > 0);
    p->flat += flat;
    s->begins[triangle] = first;
    s->counts[triangle] = p->found.count - first;
}

/* Return coordinate d of corner k, voxels. */
static double corner_of(const search *s, uint64_t triangle, int k, int d)
{
    const rill_geom *geom = s->domain->geom;
    return (s->surface->vertices[s->surface->triangles[triangle][k]][d] - geom->origin[d]) / geom->spacing;
}

/* Corners in voxels, inward normal and area; false for a triangle without area. */
static bool frame_make(making *m, uint64_t triangle, double corners[3][3])
{
    const search *s = m->search;
    const rill_geom *geom = s->domain->geom;
    double a[3], b[3], outward[3];
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < 3; d++) corners[k][d] = corner_of(s, triangle, k, d);
    rill_subtract(corners[1], corners[0], a);
    rill_subtract(corners[2], corners[0], b);
    rill_cross(a, b, outward);
    const double twice = sqrt(rill_dot(outward, outward));
    s->wall->area[triangle] = twice / 2 * geom->spacing * geom->spacing;
    if (!(twice > 0) || !isfinite(twice)) return false;
    int least = 0; /* the axis that is least along the normal */
    for (int d = 0; d < 3; d++) {
        s->wall->inward[triangle][d] = m->normal[d] = -outward[d] / twice;
        if (fabs(outward[d]) < fabs(outward[least])) least = d;
    }
    double axis[3] = {0};
    axis[least] = 1;
    rill_cross(m->normal, axis, m->along[0]);
    const double length = sqrt(rill_dot(m->along[0], m->along[0]));
    for (int d = 0; d < 3; d++) m->along[0][d] /= length;
    rill_cross(m->normal, m->along[0], m->along[1]);
    return true;
}

/* Look at the middles of a triangle that lie in the planes of this layer. */
static void triangle_make(const search *s, part *p, uint64_t triangle)
{
    const double rounding = 1e-6; /* of middles, voxels */
    double z[3], corners[3][3];
    for (int k = 0; k < 3; k++) z[k] = corner_of(s, triangle, k, 2);
    const uint32_t low = plane_of(s, fmin(z[0], fmin(z[1], z[2])) - rounding),
                   high = plane_of(s, fmax(z[0], fmax(z[1], z[2])) + rounding);
    if (high < s->first || low >= s->end) return;
    making m = {.search = s, .part = p, .triangle = triangle, .within = low >= s->first && high < s->end};
    const uint64_t first = p->found.count;
    const int state = rill_wall_state_of(s->surface, triangle);
    m.partly = state == RILL_WALL_PARTLY;
    if (frame_make(&m, triangle, corners) && rill_wall_stands(state))
        split(&m, (const double(*)[3])corners, 1);
    if (m.within) triangle_end(s, p, triangle, first, m.found, m.flat);
}

static int by_place(const void *a, const void *b)
{
    const middle *m = a, *n = b;
    if (m->triangle != n->triangle) return m->triangle < n->triangle ? -1 : 1;
    return (m->number > n->number) - (m->number < n->number);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static uint64_t part_begin(const search *s, int k)
{
    return (uint64_t)((__uint128_t)s->wall->triangle_count * (unsigned)k / PARTS);
}

/* Put the triangles together that lie in several layers: their middles in the order that one layer has. */
static void waiting_end(const search *s, part *p, int number)
{
    uint64_t k = 0;
    if (p->middle_count) qsort(p->middles, p->middle_count, sizeof *p->middles, by_place);
    for (uint64_t t = part_begin(s, number); t < part_begin(s, number + 1); t++) {
        if (s->begins[t] != WAITS) continue;
        const uint64_t first = p->found.count;
        double found = 0;
        bool flat = false;
        for (; k < p->middle_count && p->middles[k].triangle == t; k++) {
            const middle *m = &p->middles[k];
            if (!entries_grow(&p->found, (uint64_t)m->count)) p->failed = true;
            if (p->failed) return;
            memcpy(p->found.all + p->found.count, p->waiting.all + m->first,
                   (size_t)m->count * sizeof *p->found.all);
            p->found.count += (uint64_t)m->count;
            found += m->share;
            flat |= m->flat;
        }
        triangle_end(s, p, t, first, found, flat);
    }
    free(p->waiting.all);
    p->waiting = (entry_list){.all = NULL};
}

/* Find the nodes of all triangles, of some planes at a time. */
static rill_status triangles_find_nodes(search *s, part *parts)
{
    rill_status status = RILL_OK;
    const uint32_t nz = s->domain->geom->n[2], planes = rill_layers_planes(s->domain);
    for (s->first = 0; s->first < nz; s->first = s->end) {
        s->end = nz - s->first < planes ? nz : s->first + planes;
        RILL_TRY(rill_layers_see(s->domain, s->first, AROUND, &s->layers));
#pragma omp parallel for schedule(dynamic)
        for (int k = 0; k < PARTS; k++) {
            for (uint64_t t = part_begin(s, k); t < part_begin(s, k + 1); t++) triangle_make(s, &parts[k], t);
            entries_trim(&parts[k].found);
            entries_trim(&parts[k].waiting);
        }
    }
#pragma omp parallel for schedule(dynamic)
    for (int k = 0; k < PARTS; k++) {
        waiting_end(s, &parts[k], k);
        entries_trim(&parts[k].found);
    }
done:
    return status;
}

/* Number the nodes that occur, list them, and put the triangles one behind the other. */
static rill_status collect(const search *s, const part *parts)
{
    rill_status status = RILL_OK;
    rill_wall_shear *w = s->wall;
    const uint64_t words = ((uint64_t)s->domain->nodes + 63) / 64;
    uint64_t *used = NULL, total = 0;
    uint32_t *base = NULL;
    RILL_TRY(rill_array_create_zero(words, sizeof *used, "nodes at walls", (void **)&used));
    RILL_TRY(rill_array_create(words, sizeof *base, "nodes at walls", (void **)&base));
    for (int k = 0; k < PARTS; k++) {
        const entry_list *found = &parts[k].found;
        total += found->count;
        for (uint64_t e = 0; e < found->count; e++)
            used[found->all[e].node / 64] |= (uint64_t)1 << found->all[e].node % 64;
    }
    for (uint64_t i = 0; i < words; i++) {
        base[i] = (uint32_t)w->node_count;
        w->node_count += (uint64_t)__builtin_popcountll(used[i]);
    }
    RILL_TRY(rill_array_create(w->node_count + 1, sizeof *w->nodes, "nodes at walls", (void **)&w->nodes));
    RILL_TRY(rill_array_create(total + 1, sizeof *w->slots, "wall shear", (void **)&w->slots));
    RILL_TRY(rill_array_create(total + 1, sizeof *w->weights, "wall shear", (void **)&w->weights));
    RILL_TRY(rill_array_create(total + 1, sizeof *w->inner, "wall shear", (void **)&w->inner));
    RILL_TRY(rill_array_create(total + 1, sizeof *w->velocity, "wall shear", (void **)&w->velocity));
    for (uint64_t i = 0, n = 0; i < words; i++)
        for (uint64_t left = used[i]; left; left &= left - 1)
            w->nodes[n++] = (rill_node)(64 * i + (uint64_t)__builtin_ctzll(left));
    for (int k = 0; k < PARTS; k++)
        for (uint64_t t = part_begin(s, k); t < part_begin(s, k + 1); t++) {
            uint64_t n = w->first[t];
            w->first[t + 1] = n + s->counts[t];
            for (uint64_t own = s->begins[t]; n < w->first[t + 1]; own++, n++) {
                const entry *e = &parts[k].found.all[own];
                const uint64_t below = used[e->node / 64] & (((uint64_t)1 << e->node % 64) - 1);
                w->slots[n] = base[e->node / 64] + (uint32_t)__builtin_popcountll(below);
                w->weights[n] = e->weight;
                w->inner[n] = e->inner;
                w->velocity[n] = e->velocity;
            }
        }
done:
    rill_array_destroy(used);
    rill_array_destroy(base);
    return status;
}

rill_status rill_wall_shear_make(const rill_domain *domain, bool newtonian, rill_wall_shear *out)
{
    rill_status status = RILL_OK;
    const rill_surface *surface = domain->geom->surface;
    search s = {.domain = domain, .surface = surface, .wall = out};
    part *parts = calloc(PARTS, sizeof *parts);
    *out = (rill_wall_shear){.newtonian = newtonian};
    if (!parts) return rill_fail(RILL_SYSTEM, "out of memory for wall shear");
    if (!surface || !(domain->geom->spacing > 0))
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "the geometry was not cut from a surface, so that there are no triangles for wall shear: make it with `rill voxelize VESSEL.stl`"));
    const uint64_t count = out->triangle_count = surface->triangle_count;
    const rill_wall_shear_size size = rill_wall_shear_measure(domain->geom, domain->nodes);
    RILL_TRY(rill_memory_require(size.bytes + size.making, "the wall shear on triangles"));
    RILL_TRY(rill_array_create_zero(count, sizeof *out->inward, "normals", (void **)&out->inward));
    RILL_TRY(rill_array_create_zero(count, sizeof *out->area, "areas", (void **)&out->area));
    RILL_TRY(rill_array_create_zero(count + 1, sizeof *out->first, "wall shear", (void **)&out->first));
    RILL_TRY(rill_array_create_zero(count, sizeof *s.counts, "wall shear", (void **)&s.counts));
    RILL_TRY(rill_array_create(count, sizeof *s.begins, "wall shear", (void **)&s.begins));
    for (uint64_t t = 0; t < count; t++) s.begins[t] = WAITS;
    RILL_TRY(triangles_find_nodes(&s, parts));
    for (uint64_t t = 0; t < count; t++) out->within += rill_wall_state_of(surface, t) == RILL_WALL_WITHIN;
    for (int k = 0; k < PARTS; k++) {
        if (parts[k].failed) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for wall shear"));
        out->missing += parts[k].missing;
        out->flat += parts[k].flat;
    }
    RILL_TRY(collect(&s, parts));
done:
    for (int k = 0; k < PARTS; k++) {
        free(parts[k].found.all);
        free(parts[k].waiting.all);
        free(parts[k].middles);
    }
    free(parts);
    rill_layers_free(&s.layers);
    rill_array_destroy(s.counts);
    rill_array_destroy(s.begins);
    if (status != RILL_OK) rill_wall_shear_free(out);
    return status;
}

void rill_wall_shear_free(rill_wall_shear *wall)
{
    rill_array_destroy(wall->nodes);
    rill_array_destroy(wall->first);
    rill_array_destroy(wall->slots);
    rill_array_destroy(wall->weights);
    rill_array_destroy(wall->inner);
    rill_array_destroy(wall->velocity);
    rill_array_destroy(wall->inward);
    rill_array_destroy(wall->area);
    *wall = (rill_wall_shear){0};
}

/* ---- use ------------------------------------------------------------------------------------- */

/* Take off the part of a vector along the normal. */
static void flatten(const double n[3], double shear[3])
{
    const double normal = rill_dot(shear, n);
    for (int a = 0; a < 3; a++) shear[a] -= normal * n[a];
}

/* Find the traction of a stress, xx yy zz xy xz yz. */
static void traction_of(const double s[6], const double n[3], double traction[3])
{
    traction[0] = s[0] * n[0] + s[3] * n[1] + s[4] * n[2];
    traction[1] = s[3] * n[0] + s[1] * n[1] + s[5] * n[2];
    traction[2] = s[4] * n[0] + s[5] * n[1] + s[2] * n[2];
}

/* Return how much of the second fit is taken. */
static double part_of(const double differ[2], const double shear[3], const double inner[3])
{
    double apart[3];
    rill_subtract(inner, shear, apart);
    const double all = sqrt(rill_dot(shear, shear)), far = sqrt(rill_dot(apart, apart));
    if (!(far > differ[0] * all)) return 0;
    return far < differ[1] * all ? (far / all - differ[0]) / (differ[1] - differ[0]) : 1;
}

/* Find both fits of a triangle. */
static void fits_take(const rill_wall_shear *wall, uint64_t t, const double *values, double nu,
                      double first[3], double second[3])
{
    const uint64_t nodes = wall->node_count;
    const double *stress = values + 4 * nodes;
    double outer[6] = {0}, inner[6] = {0}, u[3] = {0};
    for (uint64_t e = wall->first[t]; e < wall->first[t + 1]; e++) {
        const uint64_t slot = wall->slots[e];
        for (uint64_t k = 0; k < 6; k++) {
            const double value = stress[k * nodes + slot];
            outer[k] += (double)wall->weights[e] * value;
            inner[k] += (double)wall->inner[e] * value;
        }
        for (uint64_t a = 0; a < 3 && wall->newtonian; a++)
            u[a] += (double)wall->velocity[e] * values[(1 + a) * nodes + slot];
    }
    traction_of(outer, wall->inward[t], first);
    traction_of(inner, wall->inward[t], second);
    for (int a = 0; a < 3 && wall->newtonian; a++) second[a] += nu * u[a];
    flatten(wall->inward[t], first);
    flatten(wall->inward[t], second);
}

void rill_wall_shear_take(const rill_wall_shear *wall, const double *values, double nu, double factor,
                          float (*shear)[3])
{
#pragma omp parallel for schedule(static)
    for (uint64_t t = 0; t < wall->triangle_count; t++) {
        double first[3], second[3];
        fits_take(wall, t, values, nu, first, second);
        const double blend = part_of(INNER[wall->newtonian].differ, first, second);
        const bool missing = wall->first[t] == wall->first[t + 1];
        for (int a = 0; a < 3; a++)
            shear[t][a] = missing ? NAN : (float)(factor * (first[a] + blend * (second[a] - first[a])));
    }
}

double rill_wall_shear_mean(const rill_wall_shear *wall, const float (*shear)[3])
{
    double sum = 0, area = 0;
    for (uint64_t t = 0; t < wall->triangle_count; t++) {
        const double size =
            sqrt((double)shear[t][0] * (double)shear[t][0] + (double)shear[t][1] * (double)shear[t][1] +
                 (double)shear[t][2] * (double)shear[t][2]);
        if (wall->first[t] == wall->first[t + 1]) continue;
        sum += wall->area[t] * size;
        area += wall->area[t];
    }
    return sum / area;
}
