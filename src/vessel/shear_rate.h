/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file shear_rate.h
 * The shear rate that goes with a viscous stress, by the law of a case.
 */
#ifndef RILL_VESSEL_SHEAR_RATE_H
#define RILL_VESSEL_SHEAR_RATE_H

#include "vessel/case.h"

/**
 * Return the g = sqrt(2 S:S), 1/s, at which the law's stress eta(g) g is this. Casson: 0 below the yield
 * stress, sqrt(stress) = sqrt(yield) + sqrt(viscosity g) above (Casson 1959).
 * @param[in] stress  sqrt(sigma:sigma / 2), Pa
 */
double rill_shear_rate(const rill_law *law, double stress);

#endif
