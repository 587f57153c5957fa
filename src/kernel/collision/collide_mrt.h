/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collide_mrt.h
 * Collision with multiple relaxation times on orthogonal raw moments: d'Humières et al. (2002),
 * doi:10.1098/rsta.2001.0955, for D3Q19; Suga et al. (2015), doi:10.1016/j.camwa.2015.01.010, for D3Q27. The
 * force is relaxed in moment space, (1 - s/2) of each moment (Guo & Zheng 2008,
 * doi:10.1080/10618560802253100).
 *
 * Rates: 1/tau for the five moments of shear stress and the three moments aabc of fourth order, which walls
 * couple to it (docs/method.md); `bulk` for the energy; `ghost` for the other even moments of fourth and
 * sixth order; `odd`, from the magic parameter, for the odd ones of third and fifth order, so that half-way
 * walls stay in place (Ginzburg & d'Humières 2003, doi:10.1103/PhysRevE.68.066614; Pan, Luo, Miller 2006,
 * doi:10.1016/j.compfluid.2005.03.008). Equilibria are the second-order one's moments (for D3Q19: w_eps = 3,
 * w_eps,j = -11/2, w_xx = -1/2), so that equal rates give SRT.
 *
 * Moments that share a rate need no basis of their own: whatever the ghosts' is, the operator is `ghost` and
 * `odd` on all even and odd parts, and the rest of the rate on the projections onto energy and shear stress.
 * These are orthogonal to all ghosts, and their transform is the stress tensor. The moments bc and aabc span
 * c_b c_c on the edges and c_b c_c on the corners, each with a projection of its own. No matrix is left.
 */
#ifndef RILL_KERNEL_COLLIDE_MRT_H
#define RILL_KERNEL_COLLIDE_MRT_H

#include "kernel/collision/collide_trt.h"

/** Collide on orthogonal moments. @see rill_collide */
RILL_FN void rill_collide_mrt(const int lattice, const rill_view *view, rill_real *f)
{
    /* |c|^2 - mean is the energy; its square summed over the lattice. Of the diagonal stresses, 2 x^2 - y^2 -
     * z^2 has the square 36 on both lattices, which makes 1/6 in sum. That of c_x c_y is 4 over the edges of
     * a plane and 8 over the corners. */
    const double mean = lattice == RILL_D3Q19 ? 30.0 / 19.0 : 2.0;
    const double energy = lattice == RILL_D3Q19 ? 126.0 / 19.0 : 18.0;

    const rill_rates *rates = view->rates;
    const rill_flow flow = rill_flow_of(RILL_SECOND_ORDER, view->moments);
    const rill_tensor n = rill_stress_of(lattice, RILL_SECOND_ORDER, rates, &flow, f);
    const rill_real trace = rill_trace(&n);
    const rill_scalar shear = rates->ghost - rates->even; /* the stress is minus what is still to relax */
    const rill_real common = (rill_scalar)(1 / energy) * (rates->ghost - rates->bulk) * trace;
    const rill_real level = common - (rill_scalar)(1.0 / 18.0) * shear * trace;
    const rill_sums s = rill_sums_of(lattice, f);
    rill_polynomial change[2]; /* of edges, of corners */
    change[0].degree = 2;
    change[0].rest = (rill_scalar)-mean * common;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        change[0].first[a] = rill_splat(0);
        change[0].second.diagonal[a] = (rill_scalar)(1.0 / 6.0) * shear * n.diagonal[a] + level;
        change[0].second.mixed[a] = (rill_scalar)0.25 * shear * n.mixed[a];
    }
    change[1] = change[0];
    RILL_UNROLL
    for (int p = 0; p < 3; p++) {
        if (!rill_corners(lattice)) continue;
        /* Of what is no deviation, edges have two thirds and corners one. */
        const rill_scalar third = (rill_scalar)(1.0 / 3.0);
        const rill_real edges = third * (s.edge_mixed[p] - (rill_scalar)2 * s.corner_mixed[p]) +
                                (rill_scalar)(2.0 / 3.0) * n.mixed[p];
        change[0].second.mixed[p] = (rill_scalar)0.25 * shear * edges;
        change[1].second.mixed[p] = (rill_scalar)0.125 * shear * (n.mixed[p] - edges);
    }
    const rill_node_rates at = {rill_splat(rates->ghost), rill_splat(rates->odd)};
    rill_relax_pairs(lattice, RILL_SECOND_ORDER, rates, &flow, at, change, f);
}

#endif
