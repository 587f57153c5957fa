/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collide.h
 * The collision operators behind one function, on the registers of one node (RILL_LANES nodes on a CPU).
 */
#ifndef RILL_KERNEL_COLLIDE_H
#define RILL_KERNEL_COLLIDE_H

#include "kernel/collision/collide_advection.h"
#include "kernel/collision/collide_central.h"
#include "kernel/collision/collide_cumulant.h"
#include "kernel/collision/collide_mrt.h"
#include "kernel/collision/collide_trt.h"

/**
 * Collide: pre-collision populations in, post-collision populations out.
 * @param lattice, collision, equilibrium, rheology  compile-time constants that rill_variant_check() allows
 * @param[in] view   without moments
 * @param[in,out] f  [rill_q(lattice)], shifted
 */
RILL_FN void rill_collide(const int lattice, const int collision, const int equilibrium, const int rheology,
                          const rill_view *view, rill_real *f)
{
    rill_view at = *view;
    at.moments = rill_moments_of(lattice, at.rates, f);
    if (collision == RILL_SRT) rill_collide_srt(lattice, equilibrium, &at, f);
    if (collision == RILL_TRT) rill_collide_trt(lattice, equilibrium, rheology, &at, f);
    if (collision == RILL_MRT) rill_collide_mrt(lattice, &at, f);
    if (collision == RILL_CENTRAL_MOMENT) rill_collide_central(lattice, rheology, &at, f);
    if (collision == RILL_CUMULANT) rill_collide_cumulant(rheology, &at, f);
    if (collision == RILL_ADVECTION_DIFFUSION) rill_collide_advection(lattice, &at, f);
}

#endif
