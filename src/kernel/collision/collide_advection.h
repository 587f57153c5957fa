/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collide_advection.h
 * Collision of a scalar phi that a velocity carries, that diffuses, and that gains a source: TRT towards
 * f_i^eq = w_i phi (1 + c_i . u / c_s^2). The odd rate sets the diffusivity D = c_s^2 (tau - 1/2), the even
 * one the magic parameter; walls let nothing through. The velocity is the same everywhere, or that of a flow
 * at the node (rill_carrier).
 *
 * The equation that this solves has u . grad(phi) right to the second order where u is uniform; D is smaller
 * by tau-dependent terms of u^2, which the magic parameter 1/6 leaves out in diffusion.
 * @see Ginzburg (2005), doi:10.1016/j.advwatres.2005.03.004; Ginzburg, d'Humieres, Kuzmin (2010),
 * doi:10.1007/s10955-010-9969-9
 */
#ifndef RILL_KERNEL_COLLIDE_ADVECTION_H
#define RILL_KERNEL_COLLIDE_ADVECTION_H

#include "kernel/collision/collide_trt.h"

/** What a flow does to a scalar at a node: its velocity, and what it takes through openings in a step along
 * c_1 ... c_6, [RILL_AXIS_LINKS] shares of phi and as many amounts that enter, which are negative. */
enum {
    RILL_CARRIED_LEAVES = 3,
    RILL_CARRIED_ENTERS = RILL_CARRIED_LEAVES + RILL_AXIS_LINKS,
    RILL_CARRIED = RILL_CARRIED_ENTERS + RILL_AXIS_LINKS
};

/** Find it for node n, which is 0 for lanes without a node. @param[out] row  [RILL_CARRIED]
 * @return whether the node has openings; without them only the velocity is filled in */
RILL_FN bool rill_carried_at(const int lattice, const rill_carrier *by, const uint64_t n, rill_scalar *row)
{
    const uint64_t k = n - by->first;
    const bool node = n >= by->first && k < by->count;
    const double density = node && by->over_density ? 1 + by->moments[k] : 1;
    RILL_UNROLL
    for (int a = 0; a < 3; a++)
        row[a] = node ? (rill_scalar)(density * by->moments[(size_t)(a + 1) * by->count + k]) : 0;
    const uint32_t open = node && by->open ? by->open[n] : 0;
    if (!open) return false;
    const double outside = by->outside[open >> RILL_OPENING_SHIFT];
    RILL_UNROLL
    for (int i = 1; i <= RILL_AXIS_LINKS; i++) {
        rill_scalar along = 0;
        RILL_UNROLL
        for (int a = 0; a < 3; a++) along += (rill_scalar)rill_c(lattice, i, a) * row[a];
        const bool through = open >> i & 1, leaves = along > 0 || outside != outside;
        row[RILL_CARRIED_LEAVES + i - 1] = through && leaves ? along : 0;
        row[RILL_CARRIED_ENTERS + i - 1] = through && !leaves ? along * (rill_scalar)outside : 0;
    }
    return true;
}

/** Find it for RILL_LANES nodes, one by one. @param[out] rows  as of one node @return whether any has
 * openings */
RILL_APART_FN bool rill_carried_find(const int lattice, const rill_view *view,
                                     rill_scalar rows[RILL_CARRIED][RILL_LANES])
{
    bool open = false;
    for (int l = 0; l < RILL_LANES; l++) {
        rill_scalar row[RILL_CARRIED];
        for (int k = 0; k < RILL_CARRIED && RILL_LANES > 1; k++) row[k] = 0;
        open |= rill_carried_at(lattice, view->carrier, view->node + (uint64_t)l, row);
        RILL_UNROLL
        for (int k = 0; k < RILL_CARRIED; k++) rows[k][l] = row[k];
    }
    return open;
}

/** Relax a scalar, which is the moment of order 0 itself: shifted populations are those of phi. @param u [3],
 * the velocity that carries it */
RILL_FN void rill_relax_scalar(const int lattice, const rill_view *view, const rill_real *u, rill_real *f)
{
    rill_rates rates = *view->rates;
    rill_moments m = view->moments;
    for (int a = 0; a < 3; a++) rates.force[a] = 0;
    for (int a = 0; a < 3; a++) m.momentum[a] = m.density * u[a];
    const rill_flow flow = rill_flow_of(RILL_STOKES, m);
    const rill_node_rates at = {rill_splat(rates.even), rill_splat(rates.odd)};
    rill_relax_pairs(lattice, RILL_STOKES, &rates, &flow, at, NULL, f);
}

/** Collide a scalar. The flow of view->carrier carries it, or rates->velocity everywhere. @see rill_collide
 */
RILL_FN void rill_collide_advection(const int lattice, const rill_view *view, rill_real *f)
{
    rill_scalar rows[RILL_CARRIED][RILL_LANES];
    rill_real u[3];
    if (!view->carrier || !view->carrier->moments) {
        for (int a = 0; a < 3; a++) u[a] = rill_splat(view->rates->velocity[a]);
        rill_relax_scalar(lattice, view, u, f);
        return;
    }
    const bool open = rill_carried_find(lattice, view, rows);
    for (int a = 0; a < 3; a++) u[a] = rill_gather(rows[a]);
    rill_relax_scalar(lattice, view, u, f);
    RILL_UNROLL
    for (int i = 0; i < rill_q(lattice); i++)
        f[i] = f[i] + (rill_scalar)rill_w(lattice, i) * view->rates->source;
    if (!open) return;
    RILL_UNROLL
    for (int i = 1; i <= RILL_AXIS_LINKS; i++)
        f[i] = f[i] - (rill_gather(rows[RILL_CARRIED_LEAVES + i - 1]) * view->moments.density +
                       rill_gather(rows[RILL_CARRIED_ENTERS + i - 1]));
}

#endif
