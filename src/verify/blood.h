/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file blood.h
 * Blood in a pipe: laws of viscosity in lattice units, and the flow that each makes.
 */
#ifndef RILL_VERIFY_BLOOD_H
#define RILL_VERIFY_BLOOD_H

#include "rill.h"

enum { RILL_BLOOD_PARTS = 2000 };

/** Steady flow that a force drives: u(r) is the integral of the shear rate from the wall on. */
typedef struct rill_verify_blood {
    double force;                   /**< lu, which makes the shear rate at the wall */
    double nu;                      /**< lu, at the wall */
    double speed;                   /**< on the axis, lu */
    double mean;                    /**< velocity over that on the axis */
    double u[RILL_BLOOD_PARTS + 1]; /**< over that on the axis, at r = R k / RILL_BLOOD_PARTS */
} rill_verify_blood;

/**
 * Put the laws into options, with the shear rate at the wall at 100/s, and find the flow of one.
 * Carreau-Yasuda is as in leading vascular codes (eta_inf 0.0035, eta_0 0.16 Pa s, lambda 8.2 s, a 0.64, n
 * 0.2128), Casson has a yield stress of 0.005 Pa beside 0.0035 Pa s.
 * @param[in] radius  lu @param[in] nu  at infinite shear, lu @param[in] at_wall  shear rate at the wall, lu
 * @param[in,out] options  the variant has the law; tau is that of the wall, which says how long a run takes
 */
void rill_verify_blood_make(double radius, double nu, double at_wall, rill_sim_options *options,
                            rill_verify_blood *out);

/** Return u at r / R over that on the axis. @param[in] blood  a rill_verify_blood */
double rill_verify_blood_at(const void *blood, double r);

#endif
