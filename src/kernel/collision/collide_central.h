/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collide_central.h
 * Collision of central moments, the "cascaded" operator: Geier, Greiner, Korvink (2006),
 * doi:10.1103/PhysRevE.73.066705, in the non-orthogonal form of De Rosis (2017),
 * doi:10.1103/PhysRevE.95.013310 (D3Q27), and De Rosis & Coreixas (2020), doi:10.1063/5.0026316 (D3Q19).
 *
 * Second moments relax at 1/tau, their trace at `bulk`, and so do the fourth moments aabc and the differences
 * of aabb at 1/tau, and third moments at the rate of the magic parameter: walls couple them to the shear
 * stress (docs/method.md). All others go to equilibrium, that of the Maxwell distribution: 0 where an
 * exponent is odd, rho/9 for fourth, rho/27 for the sixth order. The fifth moments abbcc go to a third of abb
 * and acc, with which the fifth Hermite moment is 0: at 0 they make D3Q27 unstable.
 * The force acts in central-moment space, 1 - s/2 of each moment (Fei & Luo 2017,
 * doi:10.1103/PhysRevE.96.053307; Fei, Luo, Li 2018, doi:10.1103/PhysRevE.97.053309; De Rosis, Huang,
 * Coreixas 2019, doi:10.1063/1.5124719): F_a, F_a/3 for the moments abb, F_a/9 for abbcc. With a viscosity
 * law tau, and with it the rate of third moments, are those of the node.
 */
#ifndef RILL_KERNEL_COLLIDE_CENTRAL_H
#define RILL_KERNEL_COLLIDE_CENTRAL_H

#include "kernel/collision/central.h"
#include "kernel/collision/rheology.h"
#include "kernel/view.h"

/** Collide in central moments. @see rill_collide */
RILL_FN void rill_collide_central(const int lattice, const int rheology, const rill_view *view, rill_real *f)
{
    const rill_rates *rates = view->rates;
    const rill_scalar one = 1, third = (rill_scalar)(1.0 / 3.0);
    const rill_flow flow = rill_flow_of(RILL_SECOND_ORDER, view->moments);
    const rill_tensor n = rill_stress_of(lattice, RILL_SECOND_ORDER, rates, &flow, f);
    const rill_node_rates at = rill_rates_of_node(rheology, rates, &n, flow.inverse);
    const rill_real density = flow.m.density;
    const rill_real level = third * ((at.even - rates->bulk) * rill_trace(&n) + density);
    rill_real k[27];
    rill_mixed mixed = rill_mixed_of(lattice, rates, &flow, &n, f);
    rill_mixed_pairs_relax(at.even, mixed.pair);
    k[0] = density;
    k[13] = rill_third_relax(rates->third, at.odd, mixed.third);
    k[26] = (rill_scalar)(1.0 / 27.0) * density;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        const int x = a == 0 ? 1 : a == 1 ? 3 : 9, y = a == 0 ? 3 : 1, z = a == 2 ? 3 : 9;
        const int b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2;
        const rill_scalar sixth = (rill_scalar)(1.0 / 6.0) * rates->force[a];
        k[x] = rill_splat((rill_scalar)0.5 * rates->force[a]);
        k[2 * x] = (one - at.even) * n.diagonal[a] + level;
        k[y + z] = (one - at.even) * n.mixed[2 - a];
        k[x + 2 * y] = sixth + rill_third_relax(rates->third, at.odd, mixed.odd[b][a] + sixth);
        k[x + 2 * z] = sixth + rill_third_relax(rates->third, at.odd, mixed.odd[c][a] + sixth);
        k[2 * y + 2 * z] = (rill_scalar)(1.0 / 9.0) * density + mixed.pair[2 - a];
        k[2 * x + y + z] = (one - at.even) * mixed.fourth[2 - a];
        k[x + 2 * y + 2 * z] = third * (k[x + 2 * y] + k[x + 2 * z] - sixth);
    }
    if (lattice == RILL_D3Q19)
        rill_central_d3q19(flow.velocity, k, f);
    else
        rill_central_d3q27(flow.velocity, k, f);
}

#endif
