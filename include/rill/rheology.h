/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/rheology.h
 * Viscosity laws.
 */
#ifndef RILL_PUBLIC_RHEOLOGY_H
#define RILL_PUBLIC_RHEOLOGY_H

/**
 * The Carreau-Yasuda viscosity law, nu = nu_inf + (nu_0 - nu_inf) (1 + (lambda g)^a)^((n - 1)/a) at the shear
 * rate g = sqrt(2 S:S), in lattice units.
 */
typedef struct rill_carreau_yasuda {
    double nu_0;   /**< kinematic viscosity at rest, > 0 */
    double nu_inf; /**< kinematic viscosity at infinite shear, >= 0 */
    double lambda; /**< time scale of the transition, in time steps, > 0 */
    double n;      /**< power index, > 0; below 1 the fluid is shear-thinning; at most 1 if nu_0 < nu_inf */
    double a;      /**< sharpness of the transition, > 0; 2 is the Carreau law */
} rill_carreau_yasuda;

/** The Casson viscosity law, sqrt(nu) = sqrt(nu_inf) + sqrt(yield / g) at the shear rate g = sqrt(2 S:S), nu
 * at most nu_max, in lattice units. */
typedef struct rill_casson {
    double nu_inf; /**< kinematic viscosity at infinite shear, > 0 */
    double yield;  /**< yield stress over density, >= 0 */
    double nu_max; /**< where the fluid hardly shears, >= nu_inf: stands for what does not flow */
} rill_casson;

#endif
