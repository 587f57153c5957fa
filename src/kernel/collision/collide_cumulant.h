/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collide_cumulant.h
 * Collision of cumulants on D3Q27: Geier, Schönherr, Pasquali, Krafczyk (2015),
 * doi:10.1016/j.camwa.2015.05.001.
 *
 * Second cumulants relax at 1/tau, their trace at `bulk`, with the paper's correction of the diagonal ones,
 * which removes the error of the viscosity that is quadratic in the velocity. Cumulants aabc and the
 * differences of aabb relax at 1/tau, too, and third cumulants at the rate of the magic parameter, because
 * walls couple them to the shear stress (docs/method.md); all other higher cumulants go to equilibrium, which
 * is 0 (the paper's choice of rates 1). Their moments are then products of lower ones. The force acts by half
 * on the velocity and changes the sign of the first central moments, and with them that of a third of it in
 * abb. With a viscosity law tau, and with it the rate of third cumulants, are those of the node.
 */
#ifndef RILL_KERNEL_COLLIDE_CUMULANT_H
#define RILL_KERNEL_COLLIDE_CUMULANT_H

#include "kernel/collision/central.h"
#include "kernel/collision/rheology.h"
#include "kernel/view.h"

/** Relax the stress, corrected for the diagonal third moments that the lattice lacks. @see Geier et al., eqs
 * 58 to 63 */
RILL_FN void rill_cumulant_relax(const rill_rates *rates, const rill_real even, const rill_real *u,
                                 rill_tensor *n)
{
    const rill_scalar one = 1, half = (rill_scalar)0.5, third = (rill_scalar)(1.0 / 3.0);
    const rill_real trace = rill_trace(n), bulk = rates->bulk * trace;
    rill_real shear[3], lacking[3]; /* -3 rho u_a^2 du_a/dx_a */
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        shear[a] = n->diagonal[a] - third * trace;
        lacking[a] = (rill_scalar)1.5 * u[a] * u[a] * ((rill_scalar)3 * even * shear[a] + bulk);
    }
    const rill_real sum = third * (lacking[0] + lacking[1] + lacking[2]);
    const rill_real level = third * (one - rates->bulk) * trace + (half * (even - rates->bulk)) * sum;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        n->diagonal[a] = (one - even) * shear[a] + (one - half * even) * lacking[a] + level;
        n->mixed[a] = (one - even) * n->mixed[a];
    }
}

/** Collide in cumulants. @see rill_collide */
RILL_FN void rill_collide_cumulant(const int rheology, const rill_view *view, rill_real *f)
{
    const rill_rates *rates = view->rates;
    const rill_scalar half = (rill_scalar)0.5, third = (rill_scalar)(1.0 / 3.0);
    const rill_flow flow = rill_flow_of(RILL_SECOND_ORDER, view->moments);
    rill_tensor n = rill_stress_of(RILL_D3Q27, RILL_SECOND_ORDER, rates, &flow, f);
    const rill_node_rates at = rill_rates_of_node(rheology, rates, &n, flow.inverse);
    const rill_real density = flow.m.density;
    const rill_mixed mixed = rill_mixed_of(RILL_D3Q27, rates, &flow, &n, f);
    const rill_real left = (rill_scalar)1 - at.even;
    rill_real fourth[3], even[3]; /* cumulants aabc, and aabb up to what all three have */
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        const int b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2, bc = 2 - a;
        const rill_real own = n.diagonal[a] + third * density;
        const rill_real first = n.diagonal[b] + third * density, second = n.diagonal[c] + third * density;
        fourth[bc] =
            left * (mixed.fourth[bc] - flow.inverse * ((own + third) * n.mixed[bc] +
                                                       (rill_scalar)2 * n.mixed[2 - b] * n.mixed[2 - c]));
        even[bc] = mixed.pair[bc] - flow.inverse * (first * second + third * (first + second) +
                                                    (rill_scalar)2 * n.mixed[bc] * n.mixed[bc]);
    }
    rill_mixed_pairs_relax(at.even, even);
    rill_cumulant_relax(rates, at.even, flow.velocity, &n);
    rill_real k[27], full[3], square[3]; /* variances, and squares of the covariances without axis a */
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        n.diagonal[a] = n.diagonal[a] + third * density;
        full[a] = n.diagonal[a] + third;
        square[a] = n.mixed[2 - a] * n.mixed[2 - a];
    }
    k[0] = density;
    k[13] = rill_third_relax(rates->third, at.odd, mixed.third);
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        const int x = a == 0 ? 1 : a == 1 ? 3 : 9, y = a == 0 ? 3 : 1, z = a == 2 ? 3 : 9;
        const int b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2;
        const rill_scalar sixth = (rill_scalar)(1.0 / 6.0) * rates->force[a];
        k[x] = rill_splat(half * rates->force[a]);
        k[2 * x] = n.diagonal[a];
        k[y + z] = n.mixed[2 - a];
        k[x + 2 * y] = sixth + rill_third_relax(rates->third, at.odd, mixed.odd[b][a] + sixth);
        k[x + 2 * z] = sixth + rill_third_relax(rates->third, at.odd, mixed.odd[c][a] + sixth);
        k[2 * y + 2 * z] =
            even[2 - a] + flow.inverse * (third * (n.diagonal[b] + n.diagonal[c] - third * density) +
                                          n.diagonal[b] * n.diagonal[c] + (rill_scalar)2 * square[a]);
        k[2 * x + y + z] = fourth[2 - a] + flow.inverse * (full[a] * n.mixed[2 - a] +
                                                           (rill_scalar)2 * n.mixed[2 - b] * n.mixed[2 - c]);
    }
    rill_real thirds = k[13] * k[13]; /* and half of the sum of abb acc */
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        const int x = a == 0 ? 1 : a == 1 ? 3 : 9, y = a == 0 ? 3 : 1, z = a == 2 ? 3 : 9;
        const int b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2;
        const rill_real abb = k[x + 2 * y], acc = k[x + 2 * z];
        k[x + 2 * y + 2 * z] =
            flow.inverse * (full[c] * abb + full[b] * acc - (rill_scalar)(1.0 / 18.0) * rates->force[a] +
                            (rill_scalar)4 * n.mixed[2 - a] * k[13] +
                            (rill_scalar)2 * (n.mixed[2 - b] * k[2 * y + z] + n.mixed[2 - c] * k[y + 2 * z]));
        thirds = thirds + half * abb * acc;
    }
    /* full[0] full[1] full[2] - rho^2 / 27, without the difference of numbers near 1/27. */
    const rill_real pair = n.diagonal[1] + n.diagonal[2], both = n.diagonal[1] * n.diagonal[2];
    const rill_real variances = third * (third * (n.diagonal[0] + pair) + n.diagonal[0] * pair + both) +
                                n.diagonal[0] * both -
                                (rill_scalar)(1.0 / 27.0) * density * (density + (rill_scalar)2);
    const rill_real covariances = full[0] * square[0] + full[1] * square[1] + full[2] * square[2] +
                                  (rill_scalar)4 * n.mixed[0] * n.mixed[1] * n.mixed[2];
    const rill_real products =
        n.mixed[0] * fourth[0] + n.mixed[1] * fourth[1] + n.mixed[2] * fourth[2] + thirds;
    /* Of the cumulants aabb, whose sum is 0: full less 1/3. */
    const rill_real pairs = n.diagonal[2] * even[0] + n.diagonal[1] * even[1] + n.diagonal[0] * even[2];
    k[26] = flow.inverse *
            (flow.inverse * (variances + (rill_scalar)2 * covariances) + pairs + (rill_scalar)4 * products);
    rill_central_d3q27(flow.velocity, k, f);
}

#endif
