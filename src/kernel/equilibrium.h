/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file equilibrium.h
 * Equilibrium and body force of SRT, TRT and MRT, pair by pair, and the state that a simulation starts in.
 *
 * Every population is split into the even (symmetric) and the odd (antisymmetric) part of its pair,
 * f_i = even + odd and f_opp(i) = even - odd. Equilibrium and force have a closed form for each part. The
 * force is Guo's (Guo, Zheng, Shi 2002, doi:10.1103/PhysRevE.65.046308), before the factor 1 - s/2.
 *
 * The Stokes equilibrium drops what is quadratic in u and reads the momentum as rho_0 u with rho_0 = 1:
 * the scheme is then linear, and the steady state obeys the Stokes equation at any force.
 */
#ifndef RILL_KERNEL_EQUILIBRIUM_H
#define RILL_KERNEL_EQUILIBRIUM_H

#include "kernel/moments.h"

/** What the pairs of a node share: computed once per node. */
typedef struct rill_flow {
    rill_moments m;
    rill_real inverse;     /**< 1 / rho; with the Stokes equilibrium 1 */
    rill_real velocity[3]; /**< momentum / rho; with the Stokes equilibrium the momentum */
    rill_real kinetic;     /**< 3/2 rho u², second order only */
    rill_real work;        /**< 3 u · F, second order only */
} rill_flow;

/** Prepare equilibrium and force from the moments. */
RILL_FN rill_flow rill_flow_of(const int equilibrium, const rill_rates *rates, const rill_moments m)
{
    rill_flow flow;
    flow.m = m;
    flow.inverse = rill_splat(1);
    flow.kinetic = flow.work = rill_splat(0);
    for (int a = 0; a < 3; a++) flow.velocity[a] = m.momentum[a];
    if (equilibrium == RILL_STOKES) return flow;
    flow.inverse = (rill_scalar)1 / ((rill_scalar)1 + m.density);
    for (int a = 0; a < 3; a++) flow.velocity[a] = m.momentum[a] * flow.inverse;
    flow.kinetic = (rill_scalar)1.5 * (m.momentum[0] * flow.velocity[0] + m.momentum[1] * flow.velocity[1] +
                                       m.momentum[2] * flow.velocity[2]);
    flow.work = (rill_scalar)3 * (flow.velocity[0] * rates->force[0] + flow.velocity[1] * rates->force[1] +
                                  flow.velocity[2] * rates->force[2]);
    return flow;
}

/** Equilibrium (shifted) and force of a pair, or of rest (i = 0, odd parts unused), split in even and odd. */
typedef struct rill_pair {
    rill_real even, odd, force_even, force_odd;
} rill_pair;

/** Return f_i^eq - w_i and F_i of pair i (odd i) or rest. @see Guo et al. 2002, eqs 3 and 16 */
RILL_FN rill_pair rill_pair_of(const int lattice, const int equilibrium, const int i, const rill_rates *rates,
                               const rill_flow *flow)
{
    const rill_scalar w = (rill_scalar)rill_w(lattice, i);
    const rill_real zero = rill_splat(0);
    rill_pair pair = {w * flow->m.density, zero, zero, zero};
    if (i == 0) {
        if (equilibrium == RILL_SECOND_ORDER) {
            pair.even = w * (flow->m.density - flow->kinetic);
            pair.force_even = -w * flow->work;
        }
        return pair;
    }
    const rill_real momentum =
        rill_along(lattice, i, flow->m.momentum[0], flow->m.momentum[1], flow->m.momentum[2]);
    const rill_real force = rill_along(lattice, i, rill_splat(rates->force[0]), rill_splat(rates->force[1]),
                                       rill_splat(rates->force[2]));
    pair.odd = (rill_scalar)3 * w * momentum;
    pair.force_odd = (rill_scalar)3 * w * force;
    if (equilibrium == RILL_SECOND_ORDER) {
        const rill_real velocity =
            rill_along(lattice, i, flow->velocity[0], flow->velocity[1], flow->velocity[2]);
        pair.even = w * ((rill_scalar)4.5 * momentum * velocity - flow->kinetic + flow->m.density);
        pair.force_even = w * ((rill_scalar)9 * velocity * force - flow->work);
    }
    return pair;
}

/** Set equilibrium populations of density deviation `density` and momentum (without any force correction). */
RILL_FN void rill_equilibrium_set(const int lattice, const int equilibrium, const rill_rates *rates,
                                  rill_moments m, rill_real *f)
{
    if (rill_dimensions(lattice) == 2) m.momentum[2] = rill_splat(0);
    const rill_flow flow = rill_flow_of(equilibrium, rates, m);
    f[0] = rill_pair_of(lattice, equilibrium, 0, rates, &flow).even;
    RILL_UNROLL
    for (int i = 1; i < rill_q(lattice); i += 2) {
        const rill_pair pair = rill_pair_of(lattice, equilibrium, i, rates, &flow);
        f[i] = pair.even + pair.odd;
        f[i + 1] = pair.even - pair.odd;
    }
}

#endif
