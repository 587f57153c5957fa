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

#include "kernel/rheology.h"

/** Collide with the even rate alone. @see rill_collide */
RILL_FN void rill_collide_srt(const int lattice, const int equilibrium, const rill_rates *rates, rill_real *f)
{
    const rill_flow flow = rill_flow_of(equilibrium, rates, rill_moments_of(lattice, rates, f));
    const rill_scalar keep = (rill_scalar)1 - (rill_scalar)0.5 * rates->even;

    const rill_pair rest = rill_pair_of(lattice, equilibrium, 0, rates, &flow);
    f[0] = f[0] + rates->even * (rest.even - f[0]);
    if (equilibrium == RILL_SECOND_ORDER) f[0] = f[0] + keep * rest.force_even;

    RILL_UNROLL
    for (int i = 1; i < rill_q(lattice); i += 2) {
        const rill_pair pair = rill_pair_of(lattice, equilibrium, i, rates, &flow);
        const rill_real plus = pair.even + pair.odd, minus = pair.even - pair.odd;
        rill_real force_plus = pair.force_odd, force_minus = -pair.force_odd;
        if (equilibrium == RILL_SECOND_ORDER) {
            force_plus = pair.force_even + pair.force_odd;
            force_minus = pair.force_even - pair.force_odd;
        }
        f[i] = f[i] + rates->even * (plus - f[i]) + keep * force_plus;
        f[i + 1] = f[i + 1] + rates->even * (minus - f[i + 1]) + keep * force_minus;
    }
}

/**
 * Relax the even and the odd parts of all pairs.
 * @param change  what to add to the even parts: `rest` at velocity 0, rest + c·T·c at the others; or NULL
 */
RILL_FN void rill_relax_pairs(const int lattice, const int equilibrium, const rill_rates *rates,
                              const rill_flow *flow, const rill_node_rates at, const rill_tensor *change,
                              const rill_real rest, rill_real *f)
{
    const rill_scalar one = 1, half = (rill_scalar)0.5;
    const rill_real keep_even = one - half * at.even, keep_odd = one - half * at.odd;
    const rill_pair still = rill_pair_of(lattice, equilibrium, 0, rates, flow);
    f[0] = f[0] + at.even * (still.even - f[0]);
    if (equilibrium == RILL_SECOND_ORDER) f[0] = f[0] + keep_even * still.force_even;
    if (change) f[0] = f[0] + rest;

    RILL_UNROLL
    for (int i = 1; i < rill_q(lattice); i += 2) {
        const rill_pair pair = rill_pair_of(lattice, equilibrium, i, rates, flow);
        rill_real even = at.even * (pair.even - half * (f[i] + f[i + 1]));
        if (equilibrium == RILL_SECOND_ORDER) even = even + keep_even * pair.force_even;
        if (change) even = even + (rill_tensor_along(lattice, i, change) + rest);
        const rill_real odd = at.odd * (pair.odd - half * (f[i] - f[i + 1])) + keep_odd * pair.force_odd;
        f[i] = f[i] + (even + odd);
        f[i + 1] = f[i + 1] + (even - odd);
    }
}

/** Collide with rates for the even and the odd parts. @see rill_collide */
RILL_FN void rill_collide_trt(const int lattice, const int equilibrium, const int rheology,
                              const rill_rates *rates, rill_real *f)
{
    const rill_flow flow = rill_flow_of(equilibrium, rates, rill_moments_of(lattice, rates, f));
    rill_node_rates at = {rill_splat(rates->even), rill_splat(rates->odd)};
    if (rheology == RILL_CARREAU_YASUDA) {
        const rill_tensor stress = rill_stress_of(lattice, equilibrium, rates, &flow, f);
        at = rill_rates_at(&rates->viscosity, &stress, flow.inverse);
    }
    rill_relax_pairs(lattice, equilibrium, rates, &flow, at, NULL, rill_splat(0), f);
}

#endif
