/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vortex.h
 * The plane Taylor-Green vortex, u = U sin kx cos ky, v = -U cos kx sin ky, k = 2 pi/N: its kinetic energy
 * decays as exp(-4 nu k^2 t) (Taylor & Green 1937, doi:10.1098/rspa.1937.0036).
 */
#ifndef RILL_VERIFY_VORTEX_H
#define RILL_VERIFY_VORTEX_H

#include "rill.h"

/** A vortex. */
typedef struct rill_verify_vortex {
    uint32_t cells; /**< N, along x and y; the box is one voxel thick */
    double speed;   /**< U, lu */
    uint64_t every; /**< steps between samples */
    int samples;
} rill_verify_vortex;

/** Return 4 nu k^2, by which the energy decays in a step. */
double rill_verify_vortex_rate(const rill_verify_vortex *vortex, double tau);

/**
 * Follow the energy.
 * @param[out] energy  [samples + 1], kinetic energy over that of the exact start; the first at step 0
 */
rill_status rill_verify_vortex_run(const rill_verify_vortex *vortex, const rill_sim_options *options,
                                   double *energy);

#endif
