/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file boundary.h
 * What walls send back that are not walls at rest. The step makes half-way bounce-back everywhere; between
 * two steps a patch, a list of wall links, rewrites what comes in along them:
 *
 *   velocity   f_i = f_opp(i) + 6 w_i rho_0 c_i · u_w, rho_0 = 1: bounce-back at a moving wall or an inlet
 *              (Ladd 1994, doi:10.1017/S0022112094001771; here c_i points from the wall to the node)
 *   pressure   f_i = -f_r + 2 w_i rho_w (1 + 9/2 (c_i · u_w)² - 3/2 u_w²): anti-bounce-back, without the
 * terms in u_w for the Stokes equilibrium (Ginzburg, Verhaeghe, d'Humières 2008, Commun. Comput. Phys. 3,
 * 427; Izquierdo & Fueyo 2008, doi:10.1103/PhysRevE.78.046707)
 *
 * with f_opp(i) what the node has just sent towards the wall. In the sources r is opp(i), too: that holds the
 * pressure and, between links that differ in their tangential part, the shear stress at zero, so that a
 * parallel flow bends at the boundary whatever the resolution. Here the links of a plane are paired by
 * specular reflection (sim/pairs.h): f_r is what the node at x - t has sent along (-n, t), for c_i = (n,
 * t). That holds the pressure and the tangential velocity at zero, as a box does that is mirrored with its
 * flow reversed. Links without a partner are their own, and then it is the scheme of the sources.
 *
 * On planes that are not along the lattice links have no partner. What they send is then left out of what
 * comes back: with the second-order equilibrium that is f_i = f_i^eq(rho_w, u), of the velocity of the node.
 * As their own partners they grow without bound from a cell Reynolds number of some ten on.
 *
 * Shifted populations g = f - w make it g_i = -g_r + 2 w_i (rho_w - 1 + rho_w (…)), which keeps the
 * digits of small pressures. Pairs share no slot, so that they can be taken in any order. Everything works on
 * any scheme, addressing and format, because it knows only slots.
 */
#ifndef RILL_KERNEL_BOUNDARY_H
#define RILL_KERNEL_BOUNDARY_H

#include "kernel/storage/address.h"
#include "kernel/launch.h"
#include "kernel/storage/layout.h"

/**
 * Return the slot of link i of a node: of its population opp(i) sent, or of its population i to come in.
 * @param parity  of the step to come
 */
RILL_FN size_t rill_patch_slot(const rill_layout layout, const int parity, const rill_arrays *arrays,
                               const rill_node n, const int i, const bool sent)
{
    if (!sent && layout.bounce == RILL_HALF_WAY && !rill_stream_esoteric(layout.stream)) {
        const rill_link wall = {n, true}; /* what comes in is only rewritten at walls: nothing to look up */
        return rill_slot_offset(layout.lattice, layout.stream, arrays,
                                rill_slot_in(layout.stream, parity, i, n, wall));
    }
    if (!sent)
        return rill_incoming(layout.lattice, layout.stream, layout.addressing, layout.bounce, parity, arrays,
                             n, i);
    const int before = rill_stream_parities(layout.stream) == 2 ? 1 - parity : 0;
    return rill_outgoing(layout.lattice, layout.stream, layout.addressing, layout.bounce, before, arrays, n,
                         i);
}

/** Return link k of all links of some nodes, or of those that are listed. @param order  see rill_launch */
RILL_FN rill_cut_link rill_cut_link_at(const int lattice, const rill_cut_link *links, const rill_node first,
                                       const rill_node nodes, const rill_node *order, const uint64_t k)
{
    if (links) return links[k];
    const uint32_t direction = (uint32_t)(k / nodes), q = (uint32_t)rill_q(lattice);
    const rill_node node = (rill_node)(k % nodes);
    const rill_cut_link link = {order ? order[node] : first + node,
                                direction < q ? direction : (direction - q) | RILL_CUT_HELD};
    return link;
}

/** Return the slot of the population that is copied at a link. @param parity  of the step to come */
RILL_FN size_t rill_cut_slot(const rill_layout layout, const int parity, const rill_arrays *arrays,
                             const rill_cut_link link)
{
    if (link.direction & RILL_CUT_SLOT)
        return (size_t)(link.direction >> RILL_CUT_SLOT_HIGH) << 32 | link.node;
    const int i = (int)(link.direction & (RILL_CUT_SENT - 1));
    if (rill_stream_macroscopic(layout.stream)) { /* a row of the node: there are no links */
        const rill_slot slot = {(uint32_t)i, link.node};
        return rill_slot_offset(layout.lattice, layout.stream, arrays, slot);
    }
    if (link.direction & RILL_CUT_SENT) return rill_patch_slot(layout, parity, arrays, link.node, i, true);
    if (link.direction & RILL_CUT_HELD) {
        size_t slot;
        const rill_place place = rill_place_of(layout.stream, layout.addressing, arrays, link.node);
        if (i > 0 &&
            rill_resting(layout.lattice, layout.stream, layout.addressing, parity, arrays, &place, i, &slot))
            return slot;
    }
    return rill_incoming(layout.lattice, layout.stream, layout.addressing, layout.bounce, parity, arrays,
                         link.node, i);
}

/** Return the slot of a link in place of it. */
RILL_FN rill_cut_link rill_cut_located(const size_t slot)
{
    const rill_cut_link located = {(rill_node)slot,
                                   (uint32_t)((uint64_t)slot >> 32) << RILL_CUT_SLOT_HIGH | RILL_CUT_SLOT};
    return located;
}

/** Return whether a density is held at a patch, given or that of a Windkessel. */
RILL_FN bool rill_patch_holds_pressure(const rill_patch *patch)
{
    return patch->kind == RILL_BOUNDARY_PRESSURE || patch->kind == RILL_BOUNDARY_WINDKESSEL;
}

/** Return whether velocities count in what a pressure patch sends back. */
RILL_FN bool rill_patch_flows(const int equilibrium, const rill_patch *patch)
{
    return rill_patch_holds_pressure(patch) && equilibrium == RILL_SECOND_ORDER;
}

/** Return whether what a pair answers depends on the velocity of its nodes. */
RILL_FN bool rill_patch_moves(const int equilibrium, const rill_patch *patch)
{
    return rill_patch_flows(equilibrium, patch) || patch->backflow > 0;
}

/** Return whether nodes of a patch are looked at before its links are rewritten. */
RILL_FN bool rill_patch_looks(const int equilibrium, const rill_patch *patch)
{
    return rill_patch_moves(equilibrium, patch) || (patch->record && patch->kind == RILL_BOUNDARY_VELOCITY);
}

/** Return whether what pairs answer must be found before any link is rewritten: for their sums, and where it
 * follows from all that a node has sent. */
RILL_FN bool rill_patch_answers(const int equilibrium, const rill_patch *patch)
{
    return patch->partials || rill_patch_looks(equilibrium, patch);
}

/** Return how many times RILL_PATCH_BLOCK pairs of a patch a task goes through. */
RILL_FN uint64_t rill_patch_blocks(const rill_patch *patch, const int task)
{
    if (task != RILL_PATCH_MEASURE && patch->kind == RILL_BOUNDARY_WALL) return 0;
    return (patch->count + RILL_PATCH_BLOCK - 1) / RILL_PATCH_BLOCK;
}

/** Return how many links a pair is. */
RILL_FN int rill_patch_links(const rill_patch_pair *pair)
{
    return pair->node[0] == pair->node[1] && pair->direction[0] == pair->direction[1] ? 1 : 2;
}

/** What the velocity at a pair does to its term, 2 w_i share (d + (1 + d) bend) with d = rho_w - 1 + lowered.
 */
typedef struct rill_patch_bend {
    double bend, lowered, share;
    bool alone; /**< the link sees no other: an equilibrium comes back, whatever was sent */
} rill_patch_bend;

/** Find it. @param flows  rill_patch_flows() @param mean  velocity of the nodes of the pair */
RILL_FN rill_patch_bend rill_patch_bend_of(const int lattice, const bool flows, const rill_patch *patch,
                                           const rill_patch_pair *pair, const double mean[3])
{
    double along = 0, square = 0, inward = 0;
    for (int a = 0; a < 3; a++) {
        inward += mean[a] * patch->normal[a];
        if (pair->axis < 3 && pair->axis != a) continue; /* no tangential velocity */
        along += rill_c(lattice, pair->direction[0], a) * mean[a];
        square += mean[a] * mean[a];
    }
    rill_patch_bend bend = {flows ? 4.5 * along * along - 1.5 * square : 0, 0, 1, flows && pair->axis == 3};
    if (bend.alone) {
        bend.bend += 3 * along;
        bend.share = 0.5;
    }
    if (inward > 0) bend.lowered = -3 * patch->backflow * inward * inward;
    return bend;
}

/**
 * Return what is added to what was sent along a velocity link: 6 w_i c_i · u_w, and where slopes are known
 * what bounce-back makes of the momentum flux that changes along the plane. In the steady state it puts
 * c_i · u at c_i · u_w + (1/odd - 1/2)/3 (c_i · ∇)(9/2 (c_i · u)² - 3/2 u²), see rill_boundary_set_slopes(),
 * so that a parallel flow would come in with a velocity across, towards the axis of a tube.
 */
RILL_FN double rill_patch_velocity_term(const rill_patch *patch, const rill_patch_now *now, const uint64_t k)
{
    double term = 0, slope = 0;
    for (uint32_t m = 0; m < patch->modes; m++)
        term += now->weights[patch->first_weight + m] * patch->values[m * patch->count + k];
    if (!patch->slopes) return term;
    for (uint32_t m = 0; m < patch->modes; m++)
        slope += now->weights[patch->first_weight + m] * patch->slopes[m * patch->count + k];
    return term * (1 + slope);
}

/**
 * The term of a pair, fixed + slope (rho_w - 1): what is added to what was sent (velocity), or what that is
 * subtracted from (pressure).
 */
typedef struct rill_patch_answer {
    double fixed, slope;
} rill_patch_answer;

/**
 * Find it.
 * @param flows  rill_patch_flows()
 * @param sent   along the first link
 * @param mean   velocity of the nodes of the pair, 0 where the patch does not look at it
 */
RILL_FN rill_patch_answer rill_patch_answer_of(const int lattice, const bool flows, const rill_patch *patch,
                                               const rill_patch_now *now, const uint64_t k,
                                               const rill_patch_pair *pair, const double sent,
                                               const double mean[3])
{
    rill_patch_answer answer = {0, 0};
    if (patch->kind == RILL_BOUNDARY_VELOCITY) {
        answer.fixed = rill_patch_velocity_term(patch, now, k);
        return answer;
    }
    const rill_patch_bend bend = rill_patch_bend_of(lattice, flows, patch, pair, mean);
    const double weight = 2 * rill_w(lattice, pair->direction[0]) * bend.share;
    answer.slope = weight * (1 + bend.bend);
    answer.fixed = weight * (bend.lowered + (1 + bend.lowered) * bend.bend) + (bend.alone ? sent : 0);
    return answer;
}

/** Return what comes back along link e of a pair that has sent this. */
RILL_FN double rill_patch_back(const rill_patch *patch, const double term, const double sent[2], const int e)
{
    return rill_patch_holds_pressure(patch) ? term - sent[1 - e] : sent[e] + term;
}

/** Return what link e of a pair has sent. @param own  what its slot holds of it, if it is not rewritten */
RILL_FN double rill_patch_sent(const rill_patch *patch, const uint64_t k, const double back[2],
                               const double own, const int e)
{
    if (patch->kind == RILL_BOUNDARY_WALL) return own;
    return patch->kind == RILL_BOUNDARY_VELOCITY ? back[e] - patch->terms[k] : patch->terms[k] - back[1 - e];
}

/** Put down the sums and differences of link e of pair k. @param[out] exchange [2][2][count]: sum,
 * difference; link */
RILL_FN void rill_patch_note(const rill_patch *patch, const uint64_t k, const int e, const double back,
                             const double sent, double *exchange)
{
    exchange[(uint64_t)e * patch->count + k] = back + sent;
    exchange[(uint64_t)(2 + e) * patch->count + k] = back - sent;
}

#endif
