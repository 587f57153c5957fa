/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file stress.h
 * What the second moments of a node deviate from equilibrium by: the viscous stress, which MRT, central
 * moments and cumulants relax and from which a viscosity law takes the shear rate.
 */
#ifndef RILL_KERNEL_STRESS_H
#define RILL_KERNEL_STRESS_H

#include "kernel/equilibrium.h"

/**
 * Return N_ab = sum_i c_ia c_ib f_i - Pi_ab^eq + (u_a F_b + u_b F_a)/2, that is -2 rho c_s^2 tau S_ab to
 * second order. With the second-order equilibrium it is also the deviation of the second central moments from
 * rho c_s^2, the velocity holding half of the force. In two dimensions components with z are 0.
 * @see Krüger et al. (2017), The Lattice Boltzmann Method, on the computation of stress with a force
 */
RILL_FN rill_tensor rill_stress_of(const int lattice, const int equilibrium, const rill_rates *rates,
                                   const rill_flow *flow, const rill_real *f)
{
    const int dimensions = rill_dimensions(lattice);
    const rill_scalar half = (rill_scalar)0.5;
    rill_tensor n;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        n.diagonal[a] = n.mixed[a] = rill_splat(0);
        if (a < dimensions) n.diagonal[a] = (rill_scalar)(-1.0 / 3.0) * flow->m.density;
    }
    if (equilibrium == RILL_SECOND_ORDER) {
        rill_real bare[3]; /* rho u - F/2: the momentum of the populations */
        for (int a = 0; a < 3; a++) bare[a] = flow->m.momentum[a] - half * rates->force[a];
        RILL_UNROLL
        for (int a = 0; a < dimensions; a++) {
            n.diagonal[a] = n.diagonal[a] - flow->velocity[a] * (bare[a] - half * rates->force[a]);
            RILL_UNROLL
            for (int b = a + 1; b < dimensions; b++)
                n.mixed[a + b - 1] = half * rates->force[a] * flow->velocity[b] - flow->velocity[a] * bare[b];
        }
    }
    const rill_sums s = rill_sums_of(lattice, f);
    RILL_UNROLL
    for (int p = 0; p < 3; p++) { /* planes xy, xz, yz */
        const int a = p == 2, b = p == 0 ? 1 : 2;
        if (p < dimensions) n.diagonal[p] = n.diagonal[p] + s.axis[p];
        if (rill_edges(lattice, p)) {
            n.diagonal[a] = n.diagonal[a] + s.edge[p];
            n.diagonal[b] = n.diagonal[b] + s.edge[p];
            n.mixed[p] = n.mixed[p] + s.edge_mixed[p];
        }
        if (rill_corners(lattice)) {
            n.diagonal[p] = n.diagonal[p] + s.corner;
            n.mixed[p] = n.mixed[p] + s.corner_mixed[p];
        }
    }
    return n;
}

#endif
