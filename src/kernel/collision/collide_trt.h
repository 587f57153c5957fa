/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collide_trt.h
 * Collision with one relaxation time (SRT, "BGK") or two (TRT).
 *
 * TRT relaxes the even and the odd part of each pair at two rates (Ginzburg, Verhaeghe, d'Humières 2008,
 * Commun. Comput. Phys. 3, 427), SRT both at one (Qian, d'Humières, Lallemand 1992,
 * doi:10.1209/0295-5075/17/6/001). Each part of the force is scaled by 1 - s/2 with its own rate. With a
 * viscosity law every node has rates of its own, and the magic parameter is the same everywhere.
 */
#ifndef RILL_KERNEL_COLLIDE_TRT_H
#define RILL_KERNEL_COLLIDE_TRT_H

#include "kernel/collision/rheology.h"
#include "kernel/view.h"

/**
 * Relax the even and the odd parts of all pairs. The population at rest gives what the pairs take, so that
 * mass is kept to the rounding of sums: with its own equilibrium, weights that do not add up to 1 in fp32
 * would make 1e-8 of the density anew in every step, 4e-4 of the permeability of a tight sandstone.
 * @param change  [2], polynomials to add to the even parts of axes and edges, and of corners, without
 * weights; or NULL
 */
RILL_FN void rill_relax_pairs(const int lattice, const int equilibrium, const rill_rates *rates,
                              const rill_flow *flow, const rill_node_rates at, const rill_polynomial *change,
                              rill_real *f)
{
    const rill_scalar one = 1, half = (rill_scalar)0.5;
    const rill_polynomial target = rill_equilibrium_of(lattice, equilibrium, flow);
    const rill_polynomial force = rill_force_of(lattice, equilibrium, rates, flow);
    const rill_real half_even = half * at.even, half_odd = half * at.odd;
    const rill_polynomial gain =
        rill_polynomial_sum(at.even, at.odd, &target, one - half_even, one - half_odd, &force);
    rill_real given = rill_splat(0);
    RILL_UNROLL
    for (int i = 1; i < rill_q(lattice); i += 2) {
        const rill_scalar w = (rill_scalar)rill_w(lattice, i);
        rill_real even;
        if (change) { /* the same for all velocities of a weight */
            const int corner = rill_corners(lattice) && i >= rill_corners(lattice);
            const rill_real weight = rill_splat(w), unit = rill_splat(1);
            const rill_polynomial both =
                rill_polynomial_sum(unit, unit, change + corner, weight, weight, &gain);
            even = rill_polynomial_even(lattice, i, &both);
        } else {
            even = w * rill_polynomial_even(lattice, i, &gain);
        }
        even = even - half_even * (f[i] + f[i + 1]);
        const rill_real odd = w * rill_polynomial_odd(lattice, i, &gain) - half_odd * (f[i] - f[i + 1]);
        f[i] = f[i] + (even + odd);
        f[i + 1] = f[i + 1] + (even - odd);
        given = given + even;
    }
    f[0] = f[0] - (rill_scalar)2 * given;
}

/** Collide with the even rate alone. @see rill_collide */
RILL_FN void rill_collide_srt(const int lattice, const int equilibrium, const rill_view *view, rill_real *f)
{
    const rill_rates *rates = view->rates;
    const rill_flow flow = rill_flow_of(equilibrium, view->moments);
    const rill_node_rates at = {rill_splat(rates->even), rill_splat(rates->even)};
    rill_relax_pairs(lattice, equilibrium, rates, &flow, at, NULL, f);
}

/** Collide with rates for the even and the odd parts. @see rill_collide */
RILL_FN void rill_collide_trt(const int lattice, const int equilibrium, const int rheology,
                              const rill_view *view, rill_real *f)
{
    const rill_rates *rates = view->rates;
    const rill_flow flow = rill_flow_of(equilibrium, view->moments);
    const rill_tensor stress = rill_stress_of(lattice, equilibrium, rates, &flow, f); /* read by laws alone */
    const rill_node_rates at = rill_rates_of_node(rheology, rates, &stress, flow.inverse);
    rill_relax_pairs(lattice, equilibrium, rates, &flow, at, NULL, f);
}

#endif
