/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rates.h
 * Relaxation rates and force of a collision: what is the same for all nodes.
 */
#ifndef RILL_KERNEL_RATES_H
#define RILL_KERNEL_RATES_H

#include "kernel/platform.h"

/** The parameters of a viscosity law, prepared: see kernel/collision/rheology.h. Carreau-Yasuda; Casson,
 * where it differs. */
typedef struct rill_viscosity {
    rill_scalar infinite;  /**< nu_inf; its root */
    rill_scalar range;     /**< nu_0 - nu_inf; root of the yield stress */
    rill_scalar lambda;    /**< lambda; 3 nu_max */
    rill_scalar sharpness; /**< a */
    rill_scalar exponent;  /**< (n - 1) / a */
    rill_scalar magic;     /**< (tau - 1/2)(tau_minus - 1/2) of every node */
} rill_viscosity;

/** Relaxation rates and force, in the arithmetic type. */
typedef struct rill_rates {
    rill_scalar even;         /**< 1 / tau: sets the viscosity */
    rill_scalar odd;          /**< 1 / (1/2 + magic / (tau - 1/2)): TRT, MRT; third moments of the others */
    rill_scalar bulk;         /**< MRT, central moments, cumulants: trace of the stress */
    rill_scalar ghost;        /**< MRT: even moments of fourth and higher order */
    rill_scalar force[3];     /**< body force per volume */
    rill_scalar velocity[3];  /**< that carries a scalar */
    rill_scalar source;       /**< that a scalar gains in a step */
    rill_viscosity viscosity; /**< of a law */
    rill_scalar third;        /**< central moments, cumulants: square of the limit of third moments */
    rill_scalar relax_density, relax_momentum, memory; /**< see rill_relaxation */
} rill_rates;

#endif
