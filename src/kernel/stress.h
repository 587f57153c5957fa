/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file stress.h
 * What the second moments of a node deviate from equilibrium by: the viscous stress, which MRT, central
 * moments and cumulants relax and from which a viscosity law takes the shear rate.
 */
#ifndef RILL_KERNEL_STRESS_H
#define RILL_KERNEL_STRESS_H

#include "kernel/equilibrium.h"

/** A symmetric tensor. */
typedef struct rill_tensor {
    rill_real diagonal[3]; /**< xx, yy, zz */
    rill_real mixed[3];    /**< xy, xz, yz: component ab is mixed[a + b - 1] */
} rill_tensor;

/**
 * Return N_ab = sum_i c_ia c_ib f_i - Pi_ab^eq + (u_a F_b + u_b F_a)/2, that is -2 rho c_s^2 tau S_ab to
 * second order. With the second-order equilibrium it is also the deviation of the second central moments from
 * rho c_s^2, the velocity holding half of the force. In two dimensions components with z are 0.
 * @see Krüger et al. (2017), The Lattice Boltzmann Method, section 5.2.2 and eq. 6.15
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
    RILL_UNROLL
    for (int i = 1; i < rill_q(lattice); i += 2) {
        const rill_real sum = f[i] + f[i + 1];
        RILL_UNROLL
        for (int a = 0; a < 3; a++) {
            if (rill_c(lattice, i, a)) n.diagonal[a] = n.diagonal[a] + sum;
            RILL_UNROLL
            for (int b = a + 1; b < 3; b++) {
                const int product = rill_c(lattice, i, a) * rill_c(lattice, i, b);
                if (product)
                    n.mixed[a + b - 1] = product > 0 ? n.mixed[a + b - 1] + sum : n.mixed[a + b - 1] - sum;
            }
        }
    }
    return n;
}

/** Return the trace. */
RILL_FN rill_real rill_trace(const rill_tensor *n)
{
    return n->diagonal[0] + n->diagonal[1] + n->diagonal[2];
}

/** Return c_i · N · c_i for a velocity, with additions only, mixed components counted once. */
RILL_FN rill_real rill_tensor_along(const int lattice, const int i, const rill_tensor *n)
{
    rill_real sum = n->diagonal[rill_c(lattice, i, 0) ? 0 : rill_c(lattice, i, 1) ? 1 : 2];
    bool first = true;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        if (rill_c(lattice, i, a) && !first) sum = sum + n->diagonal[a];
        if (rill_c(lattice, i, a)) first = false;
    }
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        RILL_UNROLL
        for (int b = a + 1; b < 3; b++) {
            const int product = rill_c(lattice, i, a) * rill_c(lattice, i, b);
            if (product) sum = product > 0 ? sum + n->mixed[a + b - 1] : sum - n->mixed[a + b - 1];
        }
    }
    return sum;
}

#endif
