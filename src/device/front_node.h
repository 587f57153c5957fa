/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file front_node.h
 * What front.h does to a node. Nodes of a list are worked on in any order, and at once: none reads what
 * another one writes, or all write the same. The including file defines RILL_ARITHMETIC as double.
 */
#ifndef RILL_DEVICE_FRONT_NODE_H
#define RILL_DEVICE_FRONT_NODE_H

#include "device/front.h"
#include "device/plic.h"
#include "kernel/links.h"

/** Beyond full and empty by this part of a cell, so that a node at the limit does not change in every step.
 */
#define RILL_FRONT_BEYOND 1e-3

/** A node without liquid beside it that has less than this part of its density is gas: by the fill level,
 * what leaves it becomes less with its mass, and it would never empty, but fall ever faster. */
#define RILL_FRONT_NOTHING 1e-6

/** Where a node is. */
typedef struct rill_front_place {
    uint32_t x, y, z;
} rill_front_place;

RILL_FN rill_front_place rill_front_place_of(const rill_front *f, const rill_node node)
{
    const uint32_t cell = f->cell[node], row = cell / f->n[0];
    const rill_front_place p = {cell - row * f->n[0], row % f->n[1], row / f->n[1]};
    return p;
}

/** Return the node beside one, RILL_UPSTREAM_WALL where there is none. */
RILL_FN rill_node rill_front_beside(const rill_front *f, const rill_front_place p, const int dx, const int dy,
                                    const int dz)
{
    const uint32_t x = rill_step_along(p.x, dx, f->n[0], false), y = rill_step_along(p.y, dy, f->n[1], false),
                   z = rill_step_along(p.z, dz, f->n[2], false);
    const size_t word = ((size_t)z * f->n[1] + y) * f->row_words + x / 64;
    const uint64_t bits = f->occupied[word], below = bits & (((uint64_t)1 << (x % 64)) - 1);
    if (!(bits >> (x % 64) & 1)) return RILL_UPSTREAM_WALL;
    return f->base[word] + rill_popcount((uint32_t)below) + rill_popcount((uint32_t)(below >> 32));
}

/** Return the node that population i comes from. */
RILL_FN rill_node rill_front_upstream(const rill_front *f, const rill_launch *l, const rill_front_place p,
                                      const int i)
{
    const int lattice = (int)l->variant.lattice;
    return rill_front_beside(f, p, -rill_c(lattice, i, 0), -rill_c(lattice, i, 1), -rill_c(lattice, i, 2));
}

/** Read and write a state within a pass in which other threads read and write it, too: whichever of both
 * values is read, it means the same there. A byte that is read and written like this costs what a plain one
 * does. */
RILL_FN uint8_t rill_front_shared_state(const rill_front *f, const rill_node node)
{
#ifdef __CUDACC__
    return *(const volatile uint8_t *)&f->state[node];
#else
    return __atomic_load_n(&f->state[node], __ATOMIC_RELAXED);
#endif
}

RILL_FN void rill_front_share_state(const rill_front *f, const rill_node node, const uint8_t state)
{
#ifdef __CUDACC__
    *(volatile uint8_t *)&f->state[node] = state;
#else
    __atomic_store_n(&f->state[node], state, __ATOMIC_RELAXED);
#endif
}

RILL_FN int rill_front_state_of(const rill_front *f, const rill_node node)
{
    return node == RILL_UPSTREAM_WALL ? RILL_FRONT_WALL : f->state[node];
}

/** Return f_i - w_i of what a node has sent along opp(i), and nothing of what comes in, which other threads
 * may be about to rewrite. @param other  the node at the other end of the link */
RILL_FN double rill_front_sent(const rill_launch *l, const rill_node node, const rill_node other, const int i)
{
    const bool home = i == 0 || other == RILL_UPSTREAM_WALL;
    return rill_population_load(l, home ? node : other, home ? i : rill_opposite(i));
}

/** Density and velocity of what a node has sent: those of its last collision. */
typedef struct rill_front_flow {
    double density, velocity[3];
} rill_front_flow;

RILL_APART_FN rill_front_flow rill_front_flow_of(const rill_front *f, const rill_launch *l,
                                                 const rill_node node)
{
    const int lattice = (int)l->variant.lattice, q = rill_q(lattice);
    const rill_front_place p = rill_front_place_of(f, node);
    rill_front_flow flow = {1, {0, 0, 0}};
    RILL_NO_UNROLL
    for (int i = 0; i < q; i++) {
        const rill_node other = i == 0 ? node : rill_front_upstream(f, l, p, i);
        const double sent = rill_front_sent(l, node, other, i);
        flow.density += sent;
        RILL_UNROLL
        for (int a = 0; a < 3; a++) flow.velocity[a] -= rill_c(lattice, i, a) * sent;
    }
    RILL_UNROLL
    for (int a = 0; a < 3; a++) flow.velocity[a] = (flow.velocity[a] - l->force[a] / 2) / flow.density;
    return flow;
}

/** Return whether a node is at a face. */
RILL_FN bool rill_front_at(const rill_front_face *face, const rill_front_place p)
{
    const uint32_t at = face->axis == 0 ? p.x : face->axis == 1 ? p.y : p.z;
    return face->end && at == (face->end < 0 ? 0 : face->last);
}

/** Return whether liquid comes in at a node, which is never gas therefore. */
RILL_FN bool rill_front_feeds(const rill_front *f, const rill_front_place p)
{
    return rill_front_at(&f->inflow, p) && p.z + 0.5 < f->inflow.level;
}

/** Collect the fill levels of a neighbourhood, in the solid those of the mirror image at the wall. */
RILL_FN void rill_front_fills(const rill_front *f, const rill_front_place p, rill_plic_cells *c)
{
    c->wall = 0;
    RILL_NO_UNROLL
    for (int k = 0; k < RILL_AROUND; k++) {
        const rill_node other =
            rill_front_beside(f, p, rill_plic_x(k, 0), rill_plic_x(k, 1), rill_plic_x(k, 2));
        if (other == RILL_UPSTREAM_WALL)
            c->wall |= 1u << k;
        else
            c->fill[k * c->step] = (double)f->fill[other];
    }
    for (int k = 0; c->wall && k < RILL_AROUND; k++) {
        int at = k, step = 1;
        if (!(c->wall >> k & 1)) continue;
        RILL_UNROLL
        for (int a = 0; a < 3; a++) {
            const int x = rill_plic_x(k, a);
            if (x && c->wall >> (RILL_AROUND / 2 + x * step) & 1) at -= x * step;
            step *= 3;
        }
        if (c->wall >> at & 1) at = RILL_AROUND / 2;
        c->fill[k * c->step] = c->fill[(uint32_t)at * c->step];
    }
}

/** @param c  room for a neighbourhood */
RILL_FN void rill_front_planes(const rill_front *f, const rill_launch *l, const uint64_t k,
                               rill_plic_cells *c)
{
    rill_contact_line contact = {{0, 0, 0}, {0, 0, 0}, 0, 0, 0, 0};
    rill_front_plane plane = {{0, 0, 0}, 0, 0};
    (void)l;
    rill_front_fills(f, rill_front_place_of(f, f->list.node[k]), c);
    const bool walls = c->wall && f->bent;
    const bool line = walls && rill_plic_contact(c, f->sine, f->cosine, &contact);
    bool known = line;
    if (walls) rill_plic_film(c);
    if (line) {
        RILL_UNROLL
        for (int a = 0; a < 3; a++) plane.normal[a] = contact.normal[a];
    } else {
        known = rill_plic_normal(c, plane.normal);
    }
    if (known) {
        plane.offset = rill_plic_offset(plane.normal, c->fill[RILL_AROUND / 2 * c->step]);
        if (walls) rill_plic_without(c);
        if (f->tension > 0)
            plane.pressure =
                2 * f->tension * rill_plic_curvature(c, plane.normal, plane.offset, line, &contact);
    }
    f->planes[k] = plane;
}

/** Return what a node must get along link i so that the pressure in the middle of the link is that of a
 * liquid at rest at this place, and the viscous stress 0. @param sent  what it has sent the other way */
RILL_FN double rill_front_free(const rill_launch *l, const rill_front_plane *p, const rill_front_flow *own,
                               const double sent, const int i)
{
    const int lattice = (int)l->variant.lattice, c = rill_inverse_cs2(lattice);
    double square = 0, along = 0, across = 0, outside = -p->offset;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        square += own->velocity[a] * own->velocity[a];
        along += rill_c(lattice, i, a) * own->velocity[a];
        across += l->force[a] * p->normal[a];
        outside -= 0.5 * rill_c(lattice, i, a) * p->normal[a];
    }
    const double density = c * (p->pressure + outside * across);
    const double even = density + (1 + density) * (0.5 * c * c * along * along - 0.5 * c * square);
    return 2 * rill_w(lattice, i) * even - sent;
}

/** Set what an interface node gets from gas, and, by the difference of the fill levels, part of what it sends
 * to fuller nodes. The place where the pressure is set moves with the fill level from one side of the node to
 * the other, and never jumps. */
RILL_FN void rill_front_links(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const rill_node node = f->list.node[k];
    const rill_front_place p = rill_front_place_of(f, node);
    const rill_front_flow own = rill_front_flow_of(f, l, node);
    const rill_front_plane plane = f->planes[k];
    const double fill = (double)f->fill[node];
    const int q = rill_q((int)l->variant.lattice);
    RILL_NO_UNROLL
    for (int i = 1; i < q; i++) {
        const rill_node other = rill_front_upstream(f, l, p, i);
        const int state = rill_front_state_of(f, other);
        const bool gas = state == RILL_FRONT_GAS;
        const double level = state == RILL_FRONT_LIQUID      ? 1
                             : state == RILL_FRONT_INTERFACE ? (double)f->fill[other]
                                                             : 0;
        const double share = level - fill;
        if (!gas && !(share > 0)) continue;
        const double sent = rill_population_load(l, other, rill_opposite(i));
        const double in = gas ? 0 : rill_population_load(l, node, i);
        const double there = rill_front_free(l, &plane, &own, gas ? sent : in, i);
        rill_population_store(l, gas ? node : other, gas ? i : rill_opposite(i),
                              gas ? there : sent + share * (there - sent));
    }
}

/** Return the mass that an interface node gets in the step to come. */
RILL_FN double rill_front_gained(const rill_front *f, const rill_launch *l, const rill_node node)
{
    const rill_front_place p = rill_front_place_of(f, node);
    const double fill = (double)f->fill[node];
    const int q = rill_q((int)l->variant.lattice);
    double gain = 0;
    RILL_NO_UNROLL
    for (int i = 1; i < q; i++) {
        const rill_node other = rill_front_upstream(f, l, p, i);
        if (other == RILL_UPSTREAM_WALL || f->state[other] == RILL_FRONT_GAS) continue;
        const double wetted = f->state[other] == RILL_FRONT_LIQUID ? 1 : (fill + (double)f->fill[other]) / 2;
        gain +=
            wetted * (rill_population_load(l, node, i) - rill_population_load(l, other, rill_opposite(i)));
    }
    return gain;
}

RILL_FN void rill_front_gain(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const rill_node node = f->list.node[k];
    f->mass[node] += rill_front_gained(f, l, node);
}

/** What is beside a node. There is gas, too, where there is interface without liquid, as liquid has interface
 * beside it along all velocities, and a surface that leans over at a wall could not draw back if its last
 * node filled up again. */
typedef struct rill_front_beside_it {
    bool gas, liquid;
} rill_front_beside_it;

RILL_FN rill_front_beside_it rill_front_look(const rill_front *f, const rill_launch *l,
                                             const rill_front_place p)
{
    const int q = rill_q((int)l->variant.lattice);
    rill_front_beside_it seen = {false, false};
    RILL_NO_UNROLL
    for (int i = 1; i < q; i++) {
        const rill_node other = rill_front_upstream(f, l, p, i);
        const int state = rill_front_state_of(f, other);
        const float fill = state == RILL_FRONT_INTERFACE ? f->fill[other] : 1;
        seen.liquid = seen.liquid || state == RILL_FRONT_LIQUID;
        seen.gas = seen.gas || state == RILL_FRONT_GAS || fill < (float)RILL_FRONT_BEYOND;
    }
    return seen;
}

RILL_FN void rill_front_change(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const rill_node node = f->list.node[k];
    const rill_front_place p = rill_front_place_of(f, node);
    const double density = rill_front_flow_of(f, l, node).density, mass = f->mass[node];
    const rill_front_beside_it seen = rill_front_look(f, l, p);
    const bool fills = mass > (1 + RILL_FRONT_BEYOND) * density || !seen.gas;
    const bool empties = !rill_front_feeds(f, p) && (mass < -RILL_FRONT_BEYOND * density ||
                                                     (mass < RILL_FRONT_NOTHING * density && !seen.liquid));
    f->found[k].density = density;
    f->found[k].change = fills ? RILL_FRONT_FILLED : empties ? RILL_FRONT_EMPTIED : RILL_FRONT_STAYS;
}

/** Return c_i along the axis of a face, into the box: above 0 of links that come from beyond it. */
RILL_FN int rill_front_inward(const rill_front_face *face, const int lattice, const int i)
{
    const int c = face->axis == 0   ? rill_c(lattice, i, 0)
                  : face->axis == 1 ? rill_c(lattice, i, 1)
                                    : rill_c(lattice, i, 2);
    return -face->end * c;
}

/** Return what comes back at an outflow: anti-bounce-back with the density of a liquid at rest below the
 * level, and of the gas above. */
RILL_FN double rill_front_drained(const rill_front *f, const rill_launch *l, const rill_front_flow *own,
                                  const double sent, const rill_front_place p, const int i)
{
    const int lattice = (int)l->variant.lattice, c = rill_inverse_cs2(lattice);
    double square = 0, along = 0;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        square += own->velocity[a] * own->velocity[a];
        along += rill_c(lattice, i, a) * own->velocity[a];
    }
    const double density = c * -l->force[2] * fmax(f->outflow.level - p.z - 0.5, 0);
    return 2 * rill_w(lattice, i) *
               (density + (1 + density) * (0.5 * c * c * along * along - 0.5 * c * square)) -
           sent;
}

/** Before anything is rewritten. */
RILL_FN void rill_front_faces_find(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const int lattice = (int)l->variant.lattice, q = rill_q(lattice), c = rill_inverse_cs2(lattice);
    const rill_node node = f->faces.node[k];
    const rill_front_place p = rill_front_place_of(f, node);
    const bool feeds = rill_front_feeds(f, p), drains = rill_front_at(&f->outflow, p);
    if (f->state[node] == RILL_FRONT_GAS) return;
    const rill_front_flow own = rill_front_flow_of(f, l, node);
    RILL_NO_UNROLL
    for (int i = 1; i < q; i++) {
        const int inward = rill_front_inward(&f->inflow, lattice, i);
        const bool fed = feeds && inward > 0;
        if (!fed && !(drains && rill_front_inward(&f->outflow, lattice, i) > 0)) continue;
        const double sent = rill_front_sent(l, node, rill_front_upstream(f, l, p, i), i);
        f->answer[k].sent[i] = sent;
        f->answer[k].value[i] = fed ? sent + 2 * c * rill_w(lattice, i) * f->inflow.speed * inward
                                    : rill_front_drained(f, l, &own, sent, p, i);
    }
}

/** Masses are those of what is stored, rounded as it is. */
RILL_FN void rill_front_faces_apply(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const int lattice = (int)l->variant.lattice, q = rill_q(lattice);
    const rill_node node = f->faces.node[k];
    const rill_front_place p = rill_front_place_of(f, node);
    const bool feeds = rill_front_feeds(f, p), drains = rill_front_at(&f->outflow, p);
    const int state = f->state[node];
    double came = 0, went = 0;
    RILL_NO_UNROLL
    for (int i = 1; i < q && state != RILL_FRONT_GAS; i++) {
        const bool fed = feeds && rill_front_inward(&f->inflow, lattice, i) > 0;
        if (!fed && !(drains && rill_front_inward(&f->outflow, lattice, i) > 0)) continue;
        rill_population_store(l, node, i, f->answer[k].value[i]);
        const double wetted = fed || state == RILL_FRONT_LIQUID ? 1 : (double)f->fill[node];
        const double gain = wetted * (rill_population_load(l, node, i) - f->answer[k].sent[i]);
        if (fed)
            came += gain;
        else
            went -= gain;
    }
    if (state == RILL_FRONT_INTERFACE) f->mass[node] += came - went;
    f->through[k].came = came;
    f->through[k].went = went;
}

RILL_FN void rill_front_press(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    (void)l;
    f->planes[k].pressure += f->found[k].density;
}

RILL_FN void rill_front_report(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const rill_node node = f->list.node[k];
    (void)l;
    f->found[k].change = f->state[node];
    f->found[k].density = f->state[node] == RILL_FRONT_INTERFACE ? (double)f->fill[node] : f->mass[node];
}

RILL_FN void rill_front_weigh(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const rill_node node = f->list.node[k];
    f->mass[node] = (double)f->fill[node] * rill_front_flow_of(f, l, node).density;
}

RILL_FN void rill_front_measure(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const rill_node node = f->list.node[k];
    const rill_front_flow flow = rill_front_flow_of(f, l, node);
    RILL_UNROLL
    for (int a = 0; a < 3; a++) f->planes[k].normal[a] = flow.velocity[a];
    f->planes[k].offset = rill_front_gained(f, l, node);
}

RILL_FN void rill_front_mark(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    (void)l;
    if (f->found[k].change == RILL_FRONT_STAYS) return;
    f->state[f->list.node[k]] =
        (uint8_t)(f->found[k].change == RILL_FRONT_FILLED ? RILL_FRONT_FILLS : RILL_FRONT_EMPTIES);
}

RILL_FN void rill_front_spare(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const rill_node node = f->list.node[k];
    const int q = rill_q((int)l->variant.lattice);
    bool kept = false;
    if (rill_front_shared_state(f, node) != RILL_FRONT_EMPTIES) return;
    const rill_front_place p = rill_front_place_of(f, node);
    for (int i = 1; i < q && !kept; i++) {
        const rill_node other = rill_front_upstream(f, l, p, i);
        kept = other != RILL_UPSTREAM_WALL && rill_front_shared_state(f, other) == RILL_FRONT_FILLS;
    }
    if (kept) rill_front_share_state(f, node, RILL_FRONT_INTERFACE);
}

RILL_FN void rill_front_surround(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const rill_node node = f->list.node[k];
    const int q = rill_q((int)l->variant.lattice);
    if (f->state[node] != RILL_FRONT_FILLS) return;
    const rill_front_place p = rill_front_place_of(f, node);
    for (int i = 1; i < q; i++) {
        const rill_node other = rill_front_upstream(f, l, p, i);
        if (other != RILL_UPSTREAM_WALL && rill_front_shared_state(f, other) == RILL_FRONT_GAS)
            rill_front_share_state(f, other, RILL_FRONT_FRESH);
    }
}

RILL_FN void rill_front_begin(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const int lattice = (int)l->variant.lattice, q = rill_q(lattice), c = rill_inverse_cs2(lattice);
    const rill_node node = f->fresh.node[k];
    const rill_front_place p = rill_front_place_of(f, node);
    double density = 0, velocity[3] = {0, 0, 0}, momentum[3], square = 0;
    int count = 0;
    RILL_NO_UNROLL
    for (int i = 1; i < q; i++) {
        const rill_node other = rill_front_upstream(f, l, p, i);
        const int state = rill_front_state_of(f, other);
        const bool flows = state == RILL_FRONT_LIQUID || state == RILL_FRONT_INTERFACE ||
                           state == RILL_FRONT_FILLS || state == RILL_FRONT_EMPTIES;
        if (!flows) continue;
        const rill_front_flow sent = rill_front_flow_of(f, l, other);
        density += sent.density - 1;
        RILL_UNROLL
        for (int a = 0; a < 3; a++) velocity[a] += sent.velocity[a];
        count++;
    }
    density /= count;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        momentum[a] = (1 + density) * velocity[a] / count + l->force[a] / 2;
        velocity[a] = momentum[a] / (1 + density);
        square += momentum[a] * velocity[a];
    }
    RILL_NO_UNROLL
    for (int i = 0; i < q; i++) { /* what it sends along opp(i) */
        const rill_node other = i == 0 ? node : rill_front_upstream(f, l, p, i);
        double first = 0, second = 0;
        RILL_UNROLL
        for (int a = 0; a < 3; a++) {
            first -= rill_c(lattice, i, a) * momentum[a];
            second -= rill_c(lattice, i, a) * velocity[a];
        }
        const double even = density + 0.5 * c * c * first * second - 0.5 * c * square;
        const bool home = i == 0 || other == RILL_UPSTREAM_WALL;
        rill_population_store(l, home ? node : other, home ? i : rill_opposite(i),
                              rill_w(lattice, i) * (even + c * first));
    }
}

RILL_FN void rill_front_open(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const rill_node node = f->list.node[k];
    const int q = rill_q((int)l->variant.lattice);
    if (f->state[node] != RILL_FRONT_EMPTIES) return;
    const rill_front_place p = rill_front_place_of(f, node);
    RILL_NO_UNROLL
    for (int i = 1; i < q; i++) {
        const rill_node other = rill_front_upstream(f, l, p, i);
        if (other == RILL_UPSTREAM_WALL || rill_front_shared_state(f, other) != RILL_FRONT_LIQUID) continue;
        rill_front_share_state(f, other, RILL_FRONT_INTERFACE);
        f->mass[other] = rill_front_flow_of(f, l, other).density;
        f->fill[other] = 1;
    }
}

RILL_FN void rill_front_finish(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const rill_node node = f->list.node[k];
    const double density = f->found[k].density, full = f->mass[node] / density;
    const uint8_t state = f->state[node];
    const bool fills = state == RILL_FRONT_FILLS;
    (void)l;
    f->fill[node] = (float)(full < 0 ? 0 : full > 1 ? 1 : full);
    if (!fills && state != RILL_FRONT_EMPTIES) return;
    f->mass[node] -= fills ? density : 0;
    f->state[node] = (uint8_t)(fills ? RILL_FRONT_LIQUID : RILL_FRONT_GAS);
    f->fill[node] = fills ? 1 : 0;
}

RILL_FN void rill_front_join(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const rill_node node = f->fresh.node[k];
    (void)l;
    f->state[node] = RILL_FRONT_INTERFACE;
    f->mass[node] = 0;
    f->fill[node] = 0;
}

/** Return whether a node was interface and is liquid or gas. */
RILL_FN bool rill_front_left(const rill_front *f, const rill_node node)
{
    const uint8_t state = rill_front_shared_state(f, node);
    return state == RILL_FRONT_GAS || state == RILL_FRONT_LIQUID;
}

RILL_FN void rill_front_share(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const rill_node node = f->before.node[k];
    const int q = rill_q((int)l->variant.lattice);
    int takers = 0;
    f->found[k].change = RILL_FRONT_STAYS;
    if (!rill_front_left(f, node)) return;
    const rill_front_place p = rill_front_place_of(f, node);
    for (int i = 1; i < q; i++) {
        const rill_node other = rill_front_upstream(f, l, p, i);
        if (other == RILL_UPSTREAM_WALL || rill_front_left(f, other)) continue;
        rill_front_share_state(f, other, RILL_FRONT_TAKES);
        takers++;
    }
    if (takers) {
        f->mass[node] /= takers;
        return;
    }
    f->found[k].change = RILL_FRONT_HELD;
    f->found[k].density = f->mass[node];
    f->mass[node] = 0;
    *f->holds = 1;
}

/** Take the parts of neighbours in the order of their numbers, each as often as links lead to it. */
RILL_FN void rill_front_take(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    const rill_node node = f->list.node[k];
    const int q = rill_q((int)l->variant.lattice);
    uint64_t after = 0; /* all below were taken */
    double mass = f->mass[node];
    if (rill_front_shared_state(f, node) != RILL_FRONT_TAKES) return;
    const rill_front_place p = rill_front_place_of(f, node);
    for (;;) {
        uint64_t next = UINT64_MAX;
        int links = 0;
        RILL_NO_UNROLL
        for (int i = 1; i < q; i++) {
            const rill_node other = rill_front_upstream(f, l, p, i);
            if (other == RILL_UPSTREAM_WALL || other < after || other > next) continue;
            if (!rill_front_left(f, other) || f->mass[other] == 0) continue;
            links = other == next ? links + 1 : 1;
            next = other;
        }
        if (!links) break;
        for (int i = 0; i < links; i++) mass += f->mass[next];
        after = next + 1;
    }
    f->mass[node] = mass;
    rill_front_share_state(f, node, RILL_FRONT_INTERFACE);
}

RILL_FN void rill_front_clear(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    (void)l;
    if (rill_front_left(f, f->before.node[k])) f->mass[f->before.node[k]] = 0;
}

RILL_FN void rill_front_spread(const rill_front *f, const rill_launch *l, const uint64_t k)
{
    (void)l;
    if (*f->held != 0) f->mass[f->list.node[k]] += *f->held / (double)f->list.count;
}

#endif
