/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collide.h
 * Moments, equilibria, forcing and collision of one node (RILL_LANES nodes on a CPU), on registers.
 *
 * Populations are shifted: f holds f_i - w_i, so that density 1 at rest is 0 and small deviations keep
 * their digits (Skordos 1993, doi:10.1103/PhysRevE.48.4823; He & Luo 1997,
 * doi:10.1023/B:JOSS.0000015179.12689.e4; Lehmann et al. 2022, doi:10.1103/PhysRevE.106.015308, eq. 3).
 *
 * Every population is split into the even (symmetric) and the odd (antisymmetric) part of its pair,
 * f_i = even + odd and f_opp(i) = even - odd. Equilibrium and force have a closed form for each part; TRT
 * relaxes the parts at two rates (Ginzburg, Verhaeghe, d'Humières 2008, Commun. Comput. Phys. 3, 427), SRT
 * at one. Forcing is Guo's (Guo, Zheng, Shi 2002, doi:10.1103/PhysRevE.65.046308), each part scaled by
 * 1 - s/2 with its own rate.
 *
 * The Stokes equilibrium drops what is quadratic in u and reads the momentum as rho_0 u with rho_0 = 1:
 * the scheme is then linear, and the steady state obeys the Stokes equation at any force.
 */
#ifndef RILL_KERNEL_COLLIDE_H
#define RILL_KERNEL_COLLIDE_H

#include "kernel/lattice.h"

/** Relaxation rates and force, in the arithmetic type. */
typedef struct rill_rates {
    rill_scalar even;     /**< 1 / tau: sets the viscosity */
    rill_scalar odd;      /**< 1 / (1/2 + magic / (tau - 1/2)); equal to `even` for SRT */
    rill_scalar force[3]; /**< body force per volume */
} rill_rates;

/** Density deviation rho - 1 and momentum rho u of a node, half of the force included. */
typedef struct rill_moments {
    rill_real density;
    rill_real momentum[3];
} rill_moments;

/** Return the zeroth and first moments of the populations. */
RILL_FN rill_moments rill_moments_of(const int lattice, const rill_rates *rates, const rill_real *f)
{
    rill_moments m;
    m.density = f[0];
    for (int a = 0; a < 3; a++) m.momentum[a] = f[0] - f[0] + (rill_scalar)0.5 * rates->force[a];
    RILL_UNROLL
    for (int i = 1; i < rill_q(lattice); i += 2) {
        const rill_real sum = f[i] + f[i + 1], difference = f[i] - f[i + 1];
        m.density = m.density + sum;
        RILL_UNROLL
        for (int a = 0; a < 3; a++) {
            const int c = rill_c(lattice, i, a);
            if (c) m.momentum[a] = c > 0 ? m.momentum[a] + difference : m.momentum[a] - difference;
        }
    }
    return m;
}

/** What the pairs of a node share: computed once per node. */
typedef struct rill_flow {
    rill_moments m;
    rill_real velocity[3]; /**< second order only */
    rill_real kinetic;     /**< 3/2 rho u², second order only */
    rill_real work;        /**< 3 u · F, second order only */
} rill_flow;

/** Prepare equilibrium and force from the moments. */
RILL_FN rill_flow rill_flow_of(const int equilibrium, const rill_rates *rates, const rill_moments m)
{
    rill_flow flow;
    flow.m = m;
    if (equilibrium == RILL_SECOND_ORDER) {
        const rill_real inverse = (rill_scalar)1 / ((rill_scalar)1 + m.density);
        for (int a = 0; a < 3; a++) flow.velocity[a] = m.momentum[a] * inverse;
        flow.kinetic =
            (rill_scalar)1.5 * (m.momentum[0] * flow.velocity[0] + m.momentum[1] * flow.velocity[1] +
                                m.momentum[2] * flow.velocity[2]);
        flow.work =
            (rill_scalar)3 * (flow.velocity[0] * rates->force[0] + flow.velocity[1] * rates->force[1] +
                              flow.velocity[2] * rates->force[2]);
    }
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
    const rill_real zero = flow->m.density - flow->m.density;
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
    const rill_real force =
        rill_along(lattice, i, zero + rates->force[0], zero + rates->force[1], zero + rates->force[2]);
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

/** Collide: pre-collision populations in, post-collision populations out. */
RILL_FN void rill_collide(const int lattice, const int collision, const int equilibrium,
                          const rill_rates *rates, rill_real *f)
{
    const rill_flow flow = rill_flow_of(equilibrium, rates, rill_moments_of(lattice, rates, f));
    const rill_scalar keep_even = (rill_scalar)1 - (rill_scalar)0.5 * rates->even;
    const rill_scalar keep_odd = (rill_scalar)1 - (rill_scalar)0.5 * rates->odd;

    const rill_pair rest = rill_pair_of(lattice, equilibrium, 0, rates, &flow);
    f[0] = f[0] + rates->even * (rest.even - f[0]);
    if (equilibrium == RILL_SECOND_ORDER) f[0] = f[0] + keep_even * rest.force_even;

    RILL_UNROLL
    for (int i = 1; i < rill_q(lattice); i += 2) {
        const rill_pair pair = rill_pair_of(lattice, equilibrium, i, rates, &flow);
        if (collision == RILL_SRT) { /* one rate: no need to split the populations */
            rill_real plus = pair.even + pair.odd, minus = pair.even - pair.odd;
            rill_real force_plus = pair.force_odd, force_minus = -pair.force_odd;
            if (equilibrium == RILL_SECOND_ORDER) {
                force_plus = pair.force_even + pair.force_odd;
                force_minus = pair.force_even - pair.force_odd;
            }
            f[i] = f[i] + rates->even * (plus - f[i]) + keep_even * force_plus;
            f[i + 1] = f[i + 1] + rates->even * (minus - f[i + 1]) + keep_even * force_minus;
        } else {
            rill_real even = rates->even * (pair.even - (rill_scalar)0.5 * (f[i] + f[i + 1]));
            if (equilibrium == RILL_SECOND_ORDER) even = even + keep_even * pair.force_even;
            const rill_real odd =
                rates->odd * (pair.odd - (rill_scalar)0.5 * (f[i] - f[i + 1])) + keep_odd * pair.force_odd;
            f[i] = f[i] + (even + odd);
            f[i + 1] = f[i + 1] + (even - odd);
        }
    }
}

/** Set equilibrium populations of density deviation `density` and momentum (without any force correction). */
RILL_FN void rill_equilibrium_set(const int lattice, const int equilibrium, const rill_rates *rates,
                                  const rill_moments m, rill_real *f)
{
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
