/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file womersley.h
 * Flow through a circular pipe whose pressure gradient oscillates, as complex amplitudes over the steady flow
 * of the same gradient (Womersley 1955, doi:10.1113/jphysiol.1955.sp005276).
 */
#ifndef RILL_VERIFY_WOMERSLEY_H
#define RILL_VERIFY_WOMERSLEY_H

#include <complex.h>

/** Return the velocity at r over the radius, over the steady one on the axis. @param alpha  R sqrt(omega /
 * nu), up to some 20 */
double complex rill_verify_womersley_velocity(double alpha, double r);

/** Return the flow over the steady one. */
double complex rill_verify_womersley_flow(double alpha);

/** Return the wall shear over the steady one. */
double complex rill_verify_womersley_shear(double alpha);

#endif
