/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file surface_wave.h
 * A wave in a plane that is at rest at first, beside Prosperetti's solution.
 */
#ifndef RILL_VERIFY_SURFACE_WAVE_H
#define RILL_VERIFY_SURFACE_WAVE_H

#include "verify/liquid.h"

/** One wave, in a box as long as it is. */
typedef struct rill_verify_wave {
    uint32_t cells; /**< of its length */
    double height;  /**< of the liquid at rest */
    double amplitude;
    double tension, force, tau;
} rill_verify_wave;

/** What came of it, over what is exact. */
typedef struct rill_verify_wave_outcome {
    double period;    /**< half of it: between the first two times without amplitude */
    double amplitude; /**< the first one on the other side */
    double distance;  /**< root mean square of the difference of both until then, over the first amplitude */
} rill_verify_wave_outcome;

/**
 * Return the amplitude of a wave that was at rest with 1, of a liquid below a gas without weight and
 * infinitely deep: A. Prosperetti, Phys. Fluids 24, 1217 (1981), doi:10.1063/1.863522, with beta = 0.
 * @param square   of the angular frequency without viscosity
 * @param damping  nu k^2
 */
double rill_verify_prosperetti(double square, double damping, double time);

/** Compute a wave. @param box  variant and devices. @return RILL_NUMERICS where it does not come back */
rill_status rill_verify_wave_run(const rill_verify_liquid *box, const rill_verify_wave *wave,
                                 rill_verify_wave_outcome *out);

#endif
