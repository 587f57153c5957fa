/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file equilibrium.h
 * Equilibrium and body force of SRT, TRT and MRT, and the state that a simulation starts in: polynomials
 * of the velocity, to be multiplied by the weights w_i.
 *
 * The force is Guo's (Guo, Zheng, Shi 2002, doi:10.1103/PhysRevE.65.046308), before the factor 1 - s/2. The
 * Stokes equilibrium drops what is quadratic in u and reads the momentum as rho_0 u with rho_0 = 1: the
 * scheme is then linear, and the steady state obeys the Stokes equation at any force.
 */
#ifndef RILL_KERNEL_EQUILIBRIUM_H
#define RILL_KERNEL_EQUILIBRIUM_H

#include "kernel/moments.h"
#include "kernel/collision/polynomial.h"

/** Moments and velocity of a node. */
typedef struct rill_flow {
    rill_moments m;
    rill_real inverse;     /**< 1 / rho; with the Stokes equilibrium 1 */
    rill_real velocity[3]; /**< momentum / rho; with the Stokes equilibrium the momentum */
} rill_flow;

/** Find the velocity. */
RILL_FN rill_flow rill_flow_of(const int equilibrium, const rill_moments m)
{
    rill_flow flow;
    flow.m = m;
    flow.inverse = rill_splat(1);
    for (int a = 0; a < 3; a++) flow.velocity[a] = m.momentum[a];
    if (equilibrium == RILL_STOKES) return flow;
    flow.inverse = (rill_scalar)1 / ((rill_scalar)1 + m.density);
    for (int a = 0; a < 3; a++) flow.velocity[a] = m.momentum[a] * flow.inverse;
    return flow;
}

/** Return the polynomial of f_i^eq - w_i. */
RILL_FN rill_polynomial rill_equilibrium_of(const int lattice, const int equilibrium, const rill_flow *flow)
{
    const rill_scalar c = (rill_scalar)rill_inverse_cs2(lattice), cc = c * c;
    rill_polynomial p;
    p.degree = equilibrium == RILL_STOKES ? 1 : 2;
    p.rest = flow->m.density;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        p.first[a] = c * flow->m.momentum[a];
        p.second.diagonal[a] = p.second.mixed[a] = rill_splat(0);
    }
    if (equilibrium == RILL_STOKES) return p;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        p.second.diagonal[a] = (cc / 2) * flow->m.momentum[a] * flow->velocity[a];
        RILL_UNROLL
        for (int b = a + 1; b < 3; b++)
            p.second.mixed[a + b - 1] = cc * flow->m.momentum[a] * flow->velocity[b];
    }
    p.rest = p.rest - (rill_scalar)(1.0 / rill_inverse_cs2(lattice)) * rill_trace(&p.second);
    return p;
}

/** Return the polynomial of F_i. */
RILL_FN rill_polynomial rill_force_of(const int lattice, const int equilibrium, const rill_rates *rates,
                                      const rill_flow *flow)
{
    const rill_scalar c = (rill_scalar)rill_inverse_cs2(lattice), cc = c * c;
    rill_polynomial p;
    p.degree = equilibrium == RILL_STOKES ? 1 : 2;
    p.rest = rill_splat(0);
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        p.first[a] = rill_splat(c * rates->force[a]);
        p.second.diagonal[a] = p.second.mixed[a] = rill_splat(0);
    }
    if (equilibrium == RILL_STOKES) return p;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        const rill_scalar force = cc * rates->force[a];
        p.second.diagonal[a] = force * flow->velocity[a];
        RILL_UNROLL
        for (int b = a + 1; b < 3; b++)
            p.second.mixed[a + b - 1] = force * flow->velocity[b] + cc * rates->force[b] * flow->velocity[a];
    }
    p.rest = (rill_scalar)(-1.0 / rill_inverse_cs2(lattice)) * rill_trace(&p.second);
    return p;
}

/** Set equilibrium populations of density deviation `density` and momentum (without any force correction). */
RILL_FN void rill_equilibrium_set(const int lattice, const int equilibrium, const rill_rates *rates,
                                  rill_moments m, rill_real *f)
{
    (void)rates;
    if (rill_dimensions(lattice) == 2) m.momentum[2] = rill_splat(0);
    const rill_flow flow = rill_flow_of(equilibrium, m);
    const rill_polynomial p = rill_equilibrium_of(lattice, equilibrium, &flow);
    f[0] = (rill_scalar)rill_w(lattice, 0) * p.rest;
    RILL_UNROLL
    for (int i = 1; i < rill_q(lattice); i += 2) {
        const rill_scalar w = (rill_scalar)rill_w(lattice, i);
        const rill_real even = rill_polynomial_even(lattice, i, &p),
                        odd = rill_polynomial_odd(lattice, i, &p);
        f[i] = w * (even + odd);
        f[i + 1] = w * (even - odd);
    }
}

#endif
