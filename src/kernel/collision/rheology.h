/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rheology.h
 * Viscosity laws as local relaxation rates. First the Carreau-Yasuda law (Yasuda, Armstrong, Cohen 1981,
 * doi:10.1007/BF01513059), nu = nu_inf + (nu_0 - nu_inf) (1 + (lambda g)^a)^((n - 1)/a).
 *
 * The shear rate g = sqrt(2 S:S) comes from the node's own stress N = -2/3 rho tau S, both without their
 * traces, to second order in space (Boyd, Buick, Green 2007, doi:10.1063/1.2772250; Krüger, Varnik, Raabe
 * 2009, doi:10.1103/PhysRevE.79.046704). As tau stands on both sides,
 *
 *     tau g = 3 |N| / (sqrt(2) rho)   with   tau = 1/2 + 3 nu(g)
 *
 * is solved for g here and now: both sides as logarithms, where the left one rises with a slope between
 * min(n, 1) and max(n, 1), by Newton's method from the shear rate at nu_0. Four steps leave 1.3e-7 of nu at
 * most, five 3e-15, for n from 0.1 to 1.5, a from 0.5 to 5 and nu_inf <= nu_0 (20,000 laws and stresses at
 * random). Codes that take tau of the step before instead need it stored, and lag behind in unsteady flow.
 *
 * Casson's law, sqrt(nu) = sqrt(nu_inf) + sqrt(y / g) (Casson 1959, in Rheology of Disperse Systems,
 * Pergamon; for blood Merrill 1969, doi:10.1152/physrev.1969.49.4.863), with s = sqrt(g) and A for the
 * right-hand side above, is
 *
 *     (1/2 + 3 nu_inf) s^2 + 6 sqrt(nu_inf y) s + 3 y = A,
 *
 * of which one root is positive where A > 3 y; below that nothing shears, and nu is nu_max, as it is where
 * the law would give more: tau g rises with g in either part, so that the two meet at one A.
 */
#ifndef RILL_KERNEL_RHEOLOGY_H
#define RILL_KERNEL_RHEOLOGY_H

#include "kernel/real.h"
#include "kernel/boundary/stress.h"

/** Relaxation rates of one node. */
typedef struct rill_node_rates {
    rill_real even, odd;
} rill_node_rates;

/** The law at a shear rate. */
typedef struct rill_apparent {
    rill_real tau;
    rill_real slope; /**< d log(tau g) / d log g */
} rill_apparent;

/** Return tau at the shear rate 2^shear / lambda. */
RILL_FN rill_apparent rill_apparent_at(const rill_viscosity *law, const rill_real shear)
{
    const rill_scalar one = 1;
    const rill_real power = rill_exp2(law->sharpness * shear);
    const rill_real thinned = law->range * rill_exp2(law->exponent * rill_log2(one + power));
    rill_apparent at;
    at.tau = (rill_scalar)3 * (thinned + law->infinite) + (rill_scalar)0.5;
    at.slope =
        one + (rill_scalar)3 * law->exponent * law->sharpness * thinned * power / ((one + power) * at.tau);
    return at;
}

/**
 * Return the square of |N| without its trace. The trace is that of compression, div u, which no operator
 * needs to relax at 1/tau: central moments and cumulants relax it at `bulk`.
 */
RILL_FN rill_real rill_tensor_square(const rill_tensor *n)
{
    const rill_real mean = (rill_scalar)(1.0 / 3.0) * rill_trace(n);
    const rill_real x = n->diagonal[0] - mean, y = n->diagonal[1] - mean, z = n->diagonal[2] - mean;
    return x * x + y * y + z * z +
           (rill_scalar)2 *
               (n->mixed[0] * n->mixed[0] + n->mixed[1] * n->mixed[1] + n->mixed[2] * n->mixed[2]);
}

/** Return tau - 1/2 of the Carreau-Yasuda law at a stress. @param squared  (tau g)^2 */
RILL_FN rill_real rill_above_carreau_yasuda(const rill_viscosity *law, const rill_real squared)
{
    /* log2 of lambda tau g; the tiny number keeps a fluid at rest away from log2(0). */
    const rill_real wanted =
        (rill_scalar)0.5 * rill_log2(law->lambda * law->lambda * squared + (rill_scalar)1e-30);
    rill_real shear =
        wanted - rill_log2(rill_splat((rill_scalar)3 * (law->range + law->infinite) + (rill_scalar)0.5));
    RILL_UNROLL
    for (int k = 0; k < (RILL_WIDTH == 32 ? 4 : 5); k++) {
        const rill_apparent at = rill_apparent_at(law, shear);
        shear = shear - (shear + rill_log2(at.tau) - wanted) / at.slope;
    }
    return rill_apparent_at(law, shear).tau - (rill_scalar)0.5;
}

/** Return the square root of a value that is not negative; of less than 1e-30 that of it. */
RILL_FN rill_real rill_root(const rill_real x)
{
    return rill_exp2((rill_scalar)0.5 * rill_log2(rill_at_least(x, (rill_scalar)1e-30)));
}

/** Return tau - 1/2 of Casson's law at a stress. */
RILL_FN rill_real rill_above_casson(const rill_viscosity *law, const rill_real squared)
{
    const rill_scalar three = 3, both = three * law->infinite * law->range;
    const rill_scalar square = three * law->infinite * law->infinite + (rill_scalar)0.5;
    const rill_real beyond = rill_root(squared) - three * law->range * law->range;
    /* The root without a difference: beyond / (both + sqrt(both^2 + square beyond)). */
    const rill_real driven = rill_at_least(beyond, (rill_scalar)1e-30);
    const rill_real s = driven / (both + rill_root(both * both + square * driven));
    const rill_real root = law->infinite + law->range / s;
    return rill_at_most(three * root * root, law->lambda);
}

/** Return the rates that belong to the stress of a node. @param inverse  1 / rho, or 1 with the Stokes
 * equilibrium */
RILL_FN rill_node_rates rill_rates_at(const int rheology, const rill_viscosity *law, const rill_tensor *n,
                                      const rill_real inverse)
{
    const rill_real squared = (rill_scalar)4.5 * inverse * inverse * rill_tensor_square(n);
    const rill_real above =
        rheology == RILL_CASSON ? rill_above_casson(law, squared) : rill_above_carreau_yasuda(law, squared);
    rill_node_rates rates;
    rates.even = (rill_scalar)1 / (above + (rill_scalar)0.5);
    rates.odd = above / ((rill_scalar)0.5 * above + law->magic);
    return rates;
}

/** Return the rates of a node: those of the law at its stress, or those of all nodes. */
RILL_FN rill_node_rates rill_rates_of_node(const int rheology, const rill_rates *rates, const rill_tensor *n,
                                           const rill_real inverse)
{
    const rill_node_rates all = {rill_splat(rates->even), rill_splat(rates->odd)};
    return rheology == RILL_NEWTONIAN ? all : rill_rates_at(rheology, &rates->viscosity, n, inverse);
}

/**
 * Return the viscous stress of a node between two steps, sigma = -(1 - 1/(2 tau)) N: 2 rho nu S to second
 * order. The trace is relaxed alike; where an operator relaxes it at another rate that part is not the
 * viscous one.
 */
RILL_FN rill_tensor rill_viscous_stress(const int lattice, const int equilibrium, const int rheology,
                                        const rill_rates *rates, const rill_real *f)
{
    const rill_flow flow = rill_flow_of(equilibrium, rill_moments_of(lattice, rates, f));
    rill_tensor n = rill_stress_of(lattice, equilibrium, rates, &flow, f);
    const rill_real even = rill_rates_of_node(rheology, rates, &n, flow.inverse).even;
    const rill_real scale = (rill_scalar)0.5 * even - (rill_scalar)1;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        n.diagonal[a] = scale * n.diagonal[a];
        n.mixed[a] = scale * n.mixed[a];
    }
    return n;
}

#endif
