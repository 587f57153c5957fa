/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file stress.h
 * What the second moments of a node deviate from equilibrium by: the viscous stress, which MRT, central
 * moments and cumulants relax and from which a viscosity law takes the shear rate. And the fourth moments
 * that relax with it.
 */
#ifndef RILL_KERNEL_STRESS_H
#define RILL_KERNEL_STRESS_H

#include "kernel/collision/equilibrium.h"

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
        if (a < dimensions) n.diagonal[a] = (rill_scalar)(-1.0 / rill_inverse_cs2(lattice)) * flow->m.density;
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

/**
 * Central moments before collision that walls couple to the shear stress: operators that set them to
 * equilibrium shift walls; see docs/method.md.
 */
typedef struct rill_mixed {
    rill_real pair[3];   /**< aabb, less 1/9: sum_i (c_ia - u_a)^2 (c_ib - u_b)^2 f_i, of planes xy, xz, yz */
    rill_real fourth[3]; /**< aabc: sum_i (c_ia - u_a)^2 (c_ib - u_b) (c_ic - u_c) f_i, where a tensor has bc;
                            0 without corners, as the next */
    rill_real odd[3][3]; /**< [a][b], a != b, aab: sum_i (c_ia - u_a)^2 (c_ib - u_b) f_i */
    rill_real third;     /**< abc */
} rill_mixed;

/** Return them. @param n  rill_stress_of() of the same populations with the second-order equilibrium */
RILL_FN rill_mixed rill_mixed_of(const int lattice, const rill_rates *rates, const rill_flow *flow,
                                 const rill_tensor *n, const rill_real *f)
{
    const rill_scalar half = (rill_scalar)0.5, third = (rill_scalar)(1.0 / 3.0);
    const rill_sums s = rill_sums_of(lattice, f);
    const rill_real *u = flow->velocity;
    rill_real odd[3][3], second[3],
        bare[3]; /* [a][b]: sum c_ia^2 c_ib f_i; sums c_ia^2 f_i + 1/3, c_ia f_i */
    rill_real corner[3] = {rill_splat(0), rill_splat(0), rill_splat(0)}, xyz = rill_splat(0);
    rill_mixed m;
    if (rill_corners(lattice)) {
        const rill_real *c = f + rill_corners(lattice);
        const rill_real all = c[0] - c[1], z = c[2] - c[3], y = c[4] - c[5],
                        x = c[6] - c[7]; /* which differs */
        corner[0] = (all + z) + (y + x);
        corner[1] = (all + z) - (y + x);
        corner[2] = (all - z) + (y - x);
        xyz = (all - z) - (y - x);
    }
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        const int b = a == 0 ? 1 : 0, d = a == 2 ? 1 : 2;
        second[a] = s.axis[a] + s.edge[a + b - 1] + s.edge[a + d - 1] + s.corner + third;
        bare[a] = flow->m.momentum[a] - half * rates->force[a];
    }
    RILL_UNROLL
    for (int p = 0; p < 3; p++) { /* planes xy, xz, yz */
        const int a = p == 2, b = p == 0 ? 1 : 2, i = rill_edges(lattice, p);
        const rill_real same = f[i] - f[i + 1], opposed = f[i + 2] - f[i + 3];
        const rill_real mixed = s.edge_mixed[p] + s.corner_mixed[p], twice = u[b] + u[b],
                        square = u[b] * u[b];
        odd[a][b] = (same - opposed) + corner[b];
        odd[b][a] = (same + opposed) + corner[a];
        /* Relative to u_b alone, times c_a^2, c_a and 1. */
        const rill_real even = s.edge[p] + s.corner - twice * odd[a][b] + square * second[a];
        const rill_real first = odd[b][a] - twice * mixed + square * bare[a];
        const rill_real plain = second[b] - twice * bare[b] + square * (flow->m.density + (rill_scalar)1);
        m.odd[b][a] = first - u[a] * plain;
        m.pair[p] = even - u[a] * (first + m.odd[b][a]);
        /* Relative to u_b alone, times c_a^2, c_a and 1. */
        m.odd[a][b] = odd[a][b] - u[b] * second[a] -
                      u[a] * (mixed + mixed - u[b] * (bare[a] + bare[a]) -
                              u[a] * (bare[b] - u[b] * (flow->m.density + (rill_scalar)1)));
        m.fourth[p] = rill_splat(0);
    }
    m.third = rill_splat(0);
    if (!rill_corners(lattice)) return m;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        const int b = a == 0 ? 1 : 0, d = a == 2 ? 1 : 2, bd = 2 - a, ab = a + b - 1, ad = a + d - 1;
        const rill_real product = u[b] * u[d];
        /* Relative to u_b and u_d alone, times c_a^2, c_a and 1. */
        const rill_real even = s.corner_mixed[bd] - u[d] * odd[a][b] - u[b] * odd[a][d] + product * second[a];
        const rill_real first = xyz - u[d] * (s.edge_mixed[ab] + s.corner_mixed[ab]) -
                                u[b] * (s.edge_mixed[ad] + s.corner_mixed[ad]) + product * bare[a];
        const rill_real shift = u[a] * n->mixed[bd];
        m.fourth[bd] = even - u[a] * (first + first - shift);
        if (a == 0) m.third = first - shift;
    }
    return m;
}

/**
 * Convert moments aabb into what is left of their differences after collision. They relax as the shear
 * stress does as long as they are small beside 0.003 rho, and at rate 1 where they are large: see
 * rill_third_relax().
 * @param even  rate of the shear stress
 * @param[in,out] pair  [3], up to a number that all have; on return their sum is 0
 */
RILL_FN void rill_mixed_pairs_relax(const rill_real even, rill_real *pair)
{
    const rill_scalar limit = (rill_scalar)1e-5; /* 0.003 squared */
    const rill_real left = (rill_scalar)1 - even;
    const rill_real mean = (rill_scalar)(1.0 / 3.0) * (pair[0] + pair[1] + pair[2]);
    rill_real square = rill_splat(limit);
    for (int p = 0; p < 3; p++) {
        pair[p] = pair[p] - mean;
        square = square + pair[p] * pair[p];
    }
    for (int p = 0; p < 3; p++) pair[p] = left * pair[p] * (limit / square);
}

/**
 * Return a third moment, aab or abc, less its equilibrium, after collision. Its rate keeps the magic
 * parameter as long as the moment is small beside a limit, which in flows that the lattice resolves it is:
 * about Lambda times a second derivative of u. Where it is not, the rate goes to 1, because a moment that
 * hardly relaxes makes such flows unstable.
 * @param square  of the limit
 * @param odd     rate of the magic parameter
 * @see Geier, Pasquali, Schönherr (2017), doi:10.1016/j.jcp.2017.05.040, on limiting rates so
 */
RILL_FN rill_real rill_third_relax(const rill_scalar square, const rill_real odd, const rill_real third)
{
    return ((rill_scalar)1 - odd) * third * (square / (square + third * third));
}

#endif
