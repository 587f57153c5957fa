/* SPDX-License-Identifier: Apache-2.0 */
/* What happens to interface nodes before and after a step. */
#include "core/threads.h"
#include "free_surface/bubbles.h"
#include "free_surface/faces.h"
#include "sim/links.h"
#include "free_surface/passes.h"
#include "free_surface/plic.h"

#include <math.h>
#include <string.h>

/* Nodes that a thread takes at a time. */
enum { PIECE = 16 };

/* Beyond full and empty by this part of a cell, so that a node at the limit does not change in every step. */
#define BEYOND 1e-3

/* A node without liquid beside it that has less than this part of its density is gas: by the fill level, what
 * leaves it becomes less with its mass, and it would never empty, but fall ever faster. */
#define NOTHING 1e-6

typedef struct work {
    const rill_free_surface *surface;
    const rill_launch *launch;
} work;

void rill_free_surface_around(const rill_free_surface *s, rill_node node, rill_node *around)
{
    const uint32_t *n = s->numbering->n;
    uint32_t x[3][3];
    uint32_t left = s->cell[node];
    for (int a = 0; a < 3; a++) {
        x[a][1] = a < 2 ? left % n[a] : left;
        if (a < 2) left /= n[a];
        x[a][0] = x[a][1] == 0 ? n[a] - 1 : x[a][1] - 1;
        x[a][2] = x[a][1] + 1 == n[a] ? 0 : x[a][1] + 1;
    }
    for (int k = 0; k < RILL_AROUND; k++)
        around[k] = rill_numbering_node(s->numbering, x[0][k % 3], x[1][k / 3 % 3], x[2][k / 9]);
}

/* Look up what a node has sent, and nothing of what comes in, which other threads may be about to rewrite. */
static void sent_load(const rill_free_surface *s, const rill_launch *launch, rill_node node,
                      const rill_node *around, rill_exchange *out)
{
    out->sent[0] = rill_link_load(launch, node, 0);
    for (int i = 1; i < rill_q((int)s->lattice); i++) {
        const rill_node other = around[rill_free_surface_upstream(s->lattice, i)];
        out->sent[i] = other == RILL_UPSTREAM_WALL ? rill_link_load(launch, node, i)
                                                   : rill_link_load(launch, other, rill_opposite(i));
    }
}

void rill_free_surface_exchange(const rill_free_surface *s, const rill_launch *launch, rill_node node,
                                const rill_node *around, rill_exchange *out)
{
    sent_load(s, launch, node, around, out);
    for (int i = 0; i < rill_q((int)s->lattice); i++) out->in[i] = rill_link_load(launch, node, i);
}

rill_sent rill_free_surface_sent(const rill_free_surface *s, const rill_launch *launch,
                                 const rill_exchange *e)
{
    double density = 1, momentum[3] = {0};
    for (int i = 0; i < rill_q((int)s->lattice); i++) {
        density += e->sent[i];
        for (int a = 0; a < 3; a++) momentum[a] -= rill_c((int)s->lattice, i, a) * e->sent[i];
    }
    rill_sent sent = {.density = density};
    for (int a = 0; a < 3; a++) sent.velocity[a] = (momentum[a] - launch->force[a] / 2) / density;
    return sent;
}

double rill_free_surface_gain(const rill_free_surface *s, rill_node node, const rill_node *around,
                              const rill_exchange *e)
{
    double gain = 0;
    for (int i = 1; i < rill_q((int)s->lattice); i++) {
        const rill_node other = around[rill_free_surface_upstream(s->lattice, i)];
        if (other == RILL_UPSTREAM_WALL || s->state[other] == RILL_GAS) continue;
        const double wetted =
            s->state[other] == RILL_LIQUID ? 1 : ((double)s->fill[node] + (double)s->fill[other]) / 2;
        gain += wetted * (e->in[i] - e->sent[i]);
    }
    return gain;
}

/* Return whether a node has gas beside it, or interface without liquid: there is such, as liquid has
 * interface beside it along all velocities, and a surface that leans over at a wall could not draw back if
 * its last node filled up again. */
static bool beside_gas(const rill_free_surface *s, const rill_node *around)
{
    for (int i = 1; i < rill_q((int)s->lattice); i++) {
        const rill_node other = around[rill_free_surface_upstream(s->lattice, i)];
        if (other == RILL_UPSTREAM_WALL || s->state[other] == RILL_LIQUID) continue;
        if (s->state[other] == RILL_GAS || s->fill[other] < (float)BEYOND) return true;
    }
    return false;
}

/* Return whether a node has liquid beside it. */
static bool beside_liquid(const rill_free_surface *s, const rill_node *around)
{
    for (int i = 1; i < rill_q((int)s->lattice); i++) {
        const rill_node other = around[rill_free_surface_upstream(s->lattice, i)];
        if (other != RILL_UPSTREAM_WALL && s->state[other] == RILL_LIQUID) return true;
    }
    return false;
}

/* Return whether an interface node becomes gas. */
static bool empties(const rill_free_surface *s, rill_node node, const rill_node *around, double density)
{
    const double mass = s->mass[node];
    if (rill_faces_feed(s, node)) return false;
    return mass < -BEYOND * density || (mass < NOTHING * density && !beside_liquid(s, around));
}

/* Collect the fill levels of a neighbourhood, in the solid those of the mirror image at the wall. @return
 * whether there is solid */
static bool fills_of(const rill_free_surface *s, const rill_node *around, double *fill, bool *wall)
{
    const int step[3] = {1, 3, 9};
    bool walls = false;
    for (int k = 0; k < RILL_AROUND; k++) {
        const int x[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        int at = k;
        for (int a = 0; a < 3 && around[k] == RILL_UPSTREAM_WALL; a++)
            if (x[a] && around[RILL_AROUND / 2 + x[a] * step[a]] == RILL_UPSTREAM_WALL) at -= x[a] * step[a];
        if (around[at] == RILL_UPSTREAM_WALL) at = RILL_AROUND / 2;
        fill[k] = (double)s->fill[around[at]];
        wall[k] = around[k] == RILL_UPSTREAM_WALL;
        walls |= wall[k];
    }
    return walls;
}

/* The surface in a cell. */
typedef struct plane {
    double normal[3], offset; /* 0 where it is not known */
    double pressure;          /* of the liquid at the surface: 2 sigma kappa, and that of the gas */
} plane;

static plane plane_of(const rill_free_surface *s, const rill_node *around)
{
    plane p = {{0}};
    rill_contact_line contact;
    bool wall[RILL_AROUND];
    double fill[RILL_AROUND];
    const bool walls = fills_of(s, around, fill, wall);
    const bool bent = walls && s->angle != RILL_RIGHT_ANGLE &&
                      rill_plic_contact(wall, s->angle * M_PI / 180, fill, &contact);
    if (walls && s->angle != RILL_RIGHT_ANGLE) rill_plic_film(wall, fill);
    if (bent)
        memcpy(p.normal, contact.normal, sizeof p.normal);
    else if (!rill_plic_normal(fill, p.normal))
        return p;
    p.offset = rill_plic_offset(p.normal, fill[RILL_AROUND / 2]);
    if (walls && s->angle != RILL_RIGHT_ANGLE) rill_plic_without(wall, fill);
    if (s->tension > 0)
        p.pressure =
            2 * s->tension *
            (bent ? rill_plic_contact_curvature(fill, &contact) : rill_plic_curvature(fill, p.normal));
    return p;
}

/* Let a node get what makes the pressure in the middle of the link that of a liquid at rest at this place,
 * and the viscous stress 0. @param sent  what it has sent the other way @param i  the link, at the node with
 * the plane */
static double free_link(const rill_free_surface *s, const rill_launch *launch, const plane *p,
                        const rill_sent *own, double sent, int i)
{
    const int lattice = (int)s->lattice, c = rill_inverse_cs2(lattice);
    double square = 0, along = 0, across = 0, outside = -p->offset;
    for (int a = 0; a < 3; a++) {
        square += own->velocity[a] * own->velocity[a];
        along += rill_c(lattice, i, a) * own->velocity[a];
        across += launch->force[a] * p->normal[a];
        outside -= 0.5 * rill_c(lattice, i, a) * p->normal[a];
    }
    const double density = c * (p->pressure + outside * across);
    const double even = density + (1 + density) * (0.5 * c * c * along * along - 0.5 * c * square);
    return 2 * rill_w(lattice, i) * even - sent;
}

/* Set the populations that cross the surface: what an interface node gets from gas, and, by the difference of
 * the fill levels, part of what it sends to fuller nodes. The place where the pressure is set moves with the
 * fill level from one side of the node to the other, and never jumps. */
static void free_links(const rill_free_surface *s, const rill_launch *launch, rill_node node)
{
    rill_node around[RILL_AROUND];
    rill_exchange e;
    rill_free_surface_around(s, node, around);
    sent_load(s, launch, node, around, &e);
    const rill_sent own = rill_free_surface_sent(s, launch, &e);
    plane p = plane_of(s, around);
    p.pressure += rill_bubbles_pressure(s, node);
    for (int i = 1; i < rill_q((int)s->lattice); i++) {
        const rill_node other = around[rill_free_surface_upstream(s->lattice, i)];
        if (other == RILL_UPSTREAM_WALL) continue;
        if (s->state[other] == RILL_GAS) {
            rill_link_store(launch, node, i, free_link(s, launch, &p, &own, e.sent[i], i));
            continue;
        }
        const double level = s->state[other] == RILL_LIQUID ? 1 : (double)s->fill[other];
        const double share = level - (double)s->fill[node];
        if (!(share > 0)) continue;
        const double got = rill_link_load(launch, other, rill_opposite(i));
        const double there = free_link(s, launch, &p, &own, rill_link_load(launch, node, i), i);
        rill_link_store(launch, other, rill_opposite(i), got + share * (there - got));
    }
}

static void links_some(const void *shared, uint64_t first, uint64_t end)
{
    const work *w = shared;
    for (uint64_t k = first; k < end; k++) free_links(w->surface, w->launch, w->surface->list.node[k]);
}

static void mass_some(const void *shared, uint64_t first, uint64_t end)
{
    const work *w = shared;
    const rill_free_surface *s = w->surface;
    for (uint64_t k = first; k < end; k++) {
        rill_node around[RILL_AROUND];
        rill_exchange e;
        const rill_node node = s->list.node[k];
        rill_free_surface_around(s, node, around);
        rill_free_surface_exchange(s, w->launch, node, around, &e);
        s->mass[node] += rill_free_surface_gain(s, node, around, &e);
    }
}

static rill_status before(void *context, const rill_launch *launch)
{
    rill_free_surface *s = context;
    const work w = {s, launch};
    rill_faces_find(s, launch);
    rill_threads_for(s->list.count, PIECE, links_some, &w);
    rill_faces_apply(s, launch);
    rill_threads_for(s->list.count, PIECE, mass_some, &w);
    return RILL_OK;
}

static uint64_t runs(void *context, const rill_node_run **out)
{
    const rill_free_surface *s = context;
    *out = s->runs;
    return s->run_count;
}

static void after_some(const void *shared, uint64_t first, uint64_t end)
{
    const work *w = shared;
    const rill_free_surface *s = w->surface;
    for (uint64_t k = first; k < end; k++) {
        rill_node around[RILL_AROUND];
        rill_exchange e;
        const rill_node node = s->list.node[k];
        rill_free_surface_around(s, node, around);
        rill_free_surface_exchange(s, w->launch, node, around, &e);
        const double density = rill_free_surface_sent(s, w->launch, &e).density;
        s->found[k].density = density;
        s->found[k].change = s->mass[node] > (1 + BEYOND) * density || !beside_gas(s, around) ? 1
                             : empties(s, node, around, density)                              ? -1
                                                                                              : 0;
    }
}

static rill_status after(void *context, const rill_launch *launch)
{
    rill_free_surface *s = context;
    const work w = {s, launch};
    rill_threads_for(s->list.count, PIECE, after_some, &w);
    const rill_status status = rill_free_surface_convert(s, launch);
    if (status == RILL_OK) rill_bubbles_measure(s);
    return status;
}

rill_passes rill_free_surface_passes(rill_free_surface *s)
{
    return (rill_passes){
        .what = "a free surface", .before = before, .runs = runs, .after = after, .context = s};
}
