/* SPDX-License-Identifier: Apache-2.0 */
/* Goes through a flow plane by plane: two planes before and two behind are held beside each. */
#include "permeability/wall_sensitivity.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/outside.h"
#include "geometry/voxels/planes.h"

#include <math.h>
#include <string.h>

enum {
    REACH = 2,            /* planes before and behind: a link looks two nodes back, a normal two voxels */
    HELD = 2 * REACH + 1, /* planes */
    SAMPLE_OUTSIDE = 2    /* value of a solid voxel that is outside of the sample */
};

/* Width of the weights of a normal, in voxels, and the least part of it along a link that counts. */
static const double WIDTH = 1.4, PART_LEAST = 0.25;
/* A shorter gradient, in parts of the sum of weights, is one of rounding. */
static const double NORMAL_LEAST = 1e-6;
/* Nodes are no nearer to a wall than this, and where walls are on both sides of a node, no nearer than that:
 * the parabola between them. */
static const double NEAREST = 0.01, NEAREST_BETWEEN = 0.4;

/* A plane of the box. */
typedef struct plane {
    int64_t z;      /* -1: none */
    uint8_t *voxel; /* [ny][nx], RILL_SOLID, RILL_FLUID or SAMPLE_OUTSIDE */
    float *u;       /* [ny][nx][3], where there is fluid */
    float *wall;    /* [ny][nx][6], there, part of the link +x, -x, +y, ... at which a wall is, 0: none is;
                       NULL: walls are half-way */
} plane;

typedef struct scan {
    const rill_wall_flow *flow;
    uint32_t n[3];
    rill_window window;
    uint64_t *first; /* [nz + 1], node that the planes begin with */
    float *moments;  /* [4][ny * nx] */
    plane held[HELD];
    double weight[2 * REACH + 1][2 * REACH + 1][2 * REACH + 1]; /* of offsets x, y, z */
    double factor;                                              /* nu^2 / (F^2 V) */
} scan;

uint64_t rill_wall_sensitivity_bytes(const rill_geom *geom)
{
    const uint64_t area = (uint64_t)geom->n[0] * geom->n[1];
    const uint64_t wall = geom->surface ? 6 * sizeof(float) : 0;
    return area * (HELD * (1 + 3 * sizeof(float) + wall) + 4 * sizeof(float) + 1) +
           ((uint64_t)geom->n[2] + 1) * sizeof(uint64_t);
}

/* ---- planes ---------------------------------------------------------------------------------- */

/* Return where `at` is in the box along an axis; -1: behind a solid boundary. @param[out] mirrored  the
 * velocity there is that of the mirrored box */
static int64_t within(const rill_geom *geom, int a, int64_t at, bool *mirrored)
{
    const int64_t n = geom->n[a];
    *mirrored = false;
    if (at >= 0 && at < n) return at;
    if (geom->sides[a] == RILL_WALL) return -1;
    if (geom->sides[a] == RILL_PERIODIC) return (at % n + n) % n;
    const int64_t period = 2 * n, place = (at % period + period) % period;
    *mirrored = place >= n;
    return *mirrored ? period - 1 - place : place;
}

static rill_status scan_begin(scan *s)
{
    rill_status status = RILL_OK;
    const uint64_t area = (uint64_t)s->n[0] * s->n[1];
    for (int k = 0; k < HELD; k++) s->held[k].z = -1;
    RILL_TRY(
        rill_array_create((uint64_t)s->n[2] + 1, sizeof *s->first, "planes of walls", (void **)&s->first));
    RILL_TRY(rill_array_create(area, 4 * sizeof *s->moments, "a plane of moments", (void **)&s->moments));
    for (int k = 0; k < HELD; k++) {
        RILL_TRY(rill_array_create(area, 1, "a plane of voxels", (void **)&s->held[k].voxel));
        RILL_TRY(rill_array_create(area, 3 * sizeof(float), "a plane of velocities", (void **)&s->held[k].u));
        if (s->flow->geom->surface)
            RILL_TRY(
                rill_array_create(area, 6 * sizeof(float), "a plane of walls", (void **)&s->held[k].wall));
    }
    s->first[0] = 0;
    for (uint32_t z = 0; z < s->n[2]; z++) {
        uint64_t fluid = 0;
        RILL_TRY(rill_window_see(&s->window, z, 1));
        const uint8_t *voxels = rill_window_row(&s->window, 0, z);
        for (uint64_t v = 0; v < area; v++) fluid += voxels[v] >= RILL_FLUID;
        s->first[z + 1] = s->first[z] + fluid;
    }
    if (s->first[s->n[2]] != s->flow->moments->nodes)
        status = rill_fail(
            RILL_USAGE,
            "the flow has %llu nodes, the geometry %llu fluid voxels: give the geometry of this flow",
            (unsigned long long)s->flow->moments->nodes, (unsigned long long)s->first[s->n[2]]);
    for (int x = -REACH; x <= REACH; x++)
        for (int y = -REACH; y <= REACH; y++)
            for (int z = -REACH; z <= REACH; z++)
                s->weight[x + REACH][y + REACH][z + REACH] =
                    exp(-(x * x + y * y + z * z) / (2 * WIDTH * WIDTH));
done:
    return status;
}

static void scan_end(scan *s)
{
    for (int k = 0; k < HELD; k++) {
        rill_array_destroy(s->held[k].voxel);
        rill_array_destroy(s->held[k].u);
        rill_array_destroy(s->held[k].wall);
    }
    rill_array_destroy(s->first);
    rill_array_destroy(s->moments);
    rill_window_close(&s->window);
}

/* Return the first cut of a node or of a later one. */
static const rill_cut *cut_find(const rill_surface *surface, rill_node node)
{
    uint64_t first = 0, end = surface->wall_count;
    while (first < end) {
        const uint64_t middle = first + (end - first) / 2;
        if (surface->walls[middle].node < node)
            first = middle + 1;
        else
            end = middle;
    }
    return surface->walls + first;
}

/* Take where the walls of a plane are on the links along the axes. */
static void walls_take(const scan *s, rill_node node, plane *p)
{
    const rill_surface *surface = s->flow->geom->surface;
    const rill_cut *cut = cut_find(surface, node), *end = surface->walls + surface->wall_count;
    for (uint64_t v = 0; v < (uint64_t)s->n[0] * s->n[1]; v++) {
        float *wall = p->wall + 6 * v;
        if (p->voxel[v] != RILL_FLUID) continue;
        memset(wall, 0, 6 * sizeof *wall);
        for (; cut < end && cut->node == node; cut++) /* directions 1 to 6 lead along +x, -x, +y, ... */
            if (cut->direction <= 6) wall[(cut->direction - 1) ^ 1] = fmaxf(cut->q, (float)NEAREST);
        node++;
    }
}

static rill_status plane_read(scan *s, uint32_t z, plane *p)
{
    rill_status status = RILL_OK;
    const uint64_t area = (uint64_t)s->n[0] * s->n[1];
    const rill_node_moments *m = s->flow->moments;
    const rill_node first = (rill_node)s->first[z], count = (rill_node)(s->first[z + 1] - s->first[z]);
    uint64_t node = 0;
    RILL_TRY(rill_window_see(&s->window, z, 1));
    const uint8_t *voxels = rill_window_row(&s->window, 0, z);
    if (s->flow->geom->outside)
        rill_outside_show(s->flow->geom->outside, z, p->voxel);
    else
        memset(p->voxel, 0, area);
    float *u = s->moments + count;
    if (count > 0) RILL_TRY(m->read(m->from, first, count, s->moments, u));
    for (uint64_t v = 0; v < area; v++) {
        if (voxels[v] < RILL_FLUID) {
            p->voxel[v] = p->voxel[v] ? SAMPLE_OUTSIDE : RILL_SOLID;
            continue;
        }
        p->voxel[v] = RILL_FLUID;
        for (uint64_t a = 0; a < 3; a++) p->u[3 * v + a] = u[a * count + node];
        node++;
    }
    if (p->wall) walls_take(s, first, p);
    p->z = z;
done:
    return status;
}

static const plane *plane_find(const scan *s, int64_t z)
{
    for (int k = 0; k < HELD; k++)
        if (s->held[k].z == z) return &s->held[k];
    return NULL;
}

/* Hold the planes around z. */
static rill_status planes_hold(scan *s, uint32_t z)
{
    rill_status status = RILL_OK;
    int64_t needed[HELD];
    for (int k = 0; k < HELD; k++) {
        bool mirrored;
        needed[k] = within(s->flow->geom, 2, (int64_t)z + k - REACH, &mirrored);
    }
    for (int k = 0; k < HELD; k++) {
        if (needed[k] < 0 || plane_find(s, needed[k])) continue;
        plane *free = NULL;
        for (int h = 0; h < HELD && !free; h++) {
            bool used = false;
            for (int i = 0; i < HELD; i++) used |= s->held[h].z >= 0 && needed[i] == s->held[h].z;
            if (!used) free = &s->held[h];
        }
        RILL_TRY(plane_read(s, (uint32_t)needed[k], free));
    }
done:
    return status;
}

/* A voxel near one that is visited. */
typedef struct place {
    int value; /* as in a plane; SAMPLE_OUTSIDE behind a solid boundary */
    double u[3];
    double wall[6]; /* as in a plane */
} place;

static place place_at(const scan *s, const int64_t at[3], bool velocity)
{
    int64_t in[3];
    bool mirrored[3];
    place p = {.value = SAMPLE_OUTSIDE};
    for (int a = 0; a < 3; a++) {
        in[a] = within(s->flow->geom, a, at[a], &mirrored[a]);
        if (in[a] < 0) return p;
    }
    const plane *held = plane_find(s, in[2]);
    const uint64_t v = (uint64_t)in[1] * s->n[0] + (uint64_t)in[0];
    p.value = held->voxel[v];
    for (int a = 0; a < 3 && velocity && p.value == RILL_FLUID; a++) {
        p.u[a] = (mirrored[a] ? -1 : 1) * (double)held->u[3 * v + (uint64_t)a];
        for (int end = 0; end < 2 && held->wall; end++)
            p.wall[2 * a + end] =
                (double)held->wall[6 * v + (uint64_t)(2 * a + (mirrored[a] ? 1 - end : end))];
    }
    return p;
}

/* ---- walls ----------------------------------------------------------------------------------- */

/* Return the part of the wall's normal along each axis at a fluid voxel: that of the gradient of its
 * neighbourhood's pores. Where walls on both sides leave none, walls move along the links. */
static void normal_find(const scan *s, const uint32_t at[3], double normal[3])
{
    double square = 0, all = 0;
    for (int a = 0; a < 3; a++) normal[a] = 0;
    for (int z = -REACH; z <= REACH; z++)
        for (int y = -REACH; y <= REACH; y++)
            for (int x = -REACH; x <= REACH; x++) {
                const int64_t there[3] = {(int64_t)at[0] + x, (int64_t)at[1] + y, (int64_t)at[2] + z};
                if (place_at(s, there, false).value != RILL_FLUID) continue;
                const double w = s->weight[x + REACH][y + REACH][z + REACH];
                all += w;
                normal[0] += w * x, normal[1] += w * y, normal[2] += w * z;
            }
    for (int a = 0; a < 3; a++) square += normal[a] * normal[a];
    const double length = sqrt(square);
    for (int a = 0; a < 3; a++) normal[a] = length > NORMAL_LEAST * all ? fabs(normal[a]) / length : 1;
}

/* Return how far behind a node the next wall is; one that is no wall of the surface is half-way. */
static double wall_behind(const place *node, int face)
{
    return node->wall[face] > 0 ? node->wall[face] : 0.5;
}

/* Return the derivative at a wall of the parabola that is 0 there, u at a distance and v at another. */
static double slope(double near, double u, double far, double v)
{
    return (u * far / near - v * near / far) / (far - near);
}

/* Return |du/de|^2 at the wall behind a node, one voxel being 1. @param back  the next nodes away from it
 * @param face  of the node, at which the wall is */
static double derivative(const place *node, const place back[REACH], int face, bool half_way)
{
    double g2 = 0, s2 = 0;
    const bool two = back[0].value == RILL_FLUID, three = two && back[1].value == RILL_FLUID;
    const int behind = face ^ 1;
    const double q = fmax(wall_behind(node, face), two ? 0 : NEAREST_BETWEEN),
                 next = two ? 1 : fmax(wall_behind(node, behind), NEAREST_BETWEEN),
                 last = three ? 2 : 1 + fmax(two ? wall_behind(&back[0], behind) : 0, NEAREST_BETWEEN);
    for (int a = 0; a < 3; a++) {
        const double u1 = node->u[a], u2 = back[0].u[a], u3 = back[1].u[a];
        const double g = two && q < 0.5 ? slope(q + 1, u2, q + last, three ? u3 : 0)
                                        : slope(q, u1, q + next, two ? u2 : 0);
        const double s = three ? -2 * u1 + 3 * u2 - u3 : g;
        g2 += g * g;
        s2 += s * s;
    }
    return half_way ? (g2 + s2) / 2 : g2;
}

static void voxel_find(const scan *s, rill_wall_voxel *voxel)
{
    const int64_t at[3] = {voxel->at[0], voxel->at[1], voxel->at[2]};
    const place node = place_at(s, at, true);
    const bool half_way = !s->flow->geom->surface;
    double normal[3];
    voxel->faces = voxel->narrow = 0;
    voxel->per_normal = 0;
    for (int i = 0; i < 6; i++) {
        const int a = i / 2, sign = i % 2 ? -1 : 1;
        int64_t there[3] = {at[0], at[1], at[2]};
        place back[REACH];
        voxel->face[i] = 0;
        there[a] = at[a] + sign;
        if (place_at(s, there, false).value != RILL_SOLID) continue;
        if (!half_way && !(node.wall[i] > 0)) continue; /* an opening */
        for (int k = 0; k < REACH; k++) {
            there[a] = at[a] - (k + 1) * sign;
            back[k] = place_at(s, there, true);
        }
        voxel->faces |= 1u << i;
        if (back[0].value != RILL_FLUID || back[1].value != RILL_FLUID) voxel->narrow |= 1u << i;
        voxel->face[i] = s->factor * derivative(&node, back, i, half_way);
    }
    if (!voxel->faces) return;
    normal_find(s, voxel->at, normal);
    for (int i = 0; i < 6; i++) voxel->per_normal += voxel->face[i] / fmax(normal[i / 2], PART_LEAST);
}

rill_status rill_wall_sensitivity(const rill_wall_flow *flow, rill_wall_visit *visit, void *context)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = flow->geom;
    scan *s = NULL;
    RILL_TRY(rill_array_create(1, sizeof *s, "planes of walls", (void **)&s));
    *s = (scan){.flow = flow, .window = {.geom = geom}};
    memcpy(s->n, geom->n, sizeof s->n);
    const double speed = flow->moments->force / flow->moments->nu; /* u is in proportion to it */
    s->factor = 1 / (speed * speed * (double)rill_geom_sample(geom));
    RILL_TRY(scan_begin(s));
    for (uint32_t z = 0; z < s->n[2]; z++) {
        rill_wall_voxel voxel = {.node = (rill_node)s->first[z]};
        if (s->first[z + 1] == s->first[z]) continue;
        RILL_TRY(planes_hold(s, z));
        const uint8_t *voxels = plane_find(s, z)->voxel;
        for (uint32_t y = 0; y < s->n[1]; y++)
            for (uint32_t x = 0; x < s->n[0]; x++) {
                if (voxels[(uint64_t)y * s->n[0] + x] != RILL_FLUID) continue;
                voxel.at[0] = x, voxel.at[1] = y, voxel.at[2] = z;
                voxel_find(s, &voxel);
                if (voxel.faces) RILL_TRY(visit(context, &voxel));
                voxel.node++;
            }
    }
done:
    if (s) scan_end(s);
    rill_array_destroy(s);
    return status;
}
