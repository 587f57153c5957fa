/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file collide_advection.h
 * Collision of a scalar phi that a given velocity carries, and that diffuses: TRT towards
 * f_i^eq = w_i phi (1 + c_i . u / c_s^2). The odd rate sets the diffusivity D = c_s^2 (tau - 1/2), the even
 * one the magic parameter; walls let nothing through.
 *
 * The equation that this solves has u . grad(phi) right to the second order where u is uniform; D is smaller
 * by tau-dependent terms of u^2, which the magic parameter 1/6 leaves out in diffusion.
 * @see Ginzburg (2005), doi:10.1016/j.advwatres.2005.03.004; Ginzburg, d'Humieres, Kuzmin (2010),
 * doi:10.1007/s10955-010-9969-9
 */
#ifndef RILL_KERNEL_COLLIDE_ADVECTION_H
#define RILL_KERNEL_COLLIDE_ADVECTION_H

#include "kernel/collide_trt.h"

/** Collide a scalar, which is the moment of order 0 itself: shifted populations are those of phi. @see
 * rill_collide */
RILL_FN void rill_collide_advection(const int lattice, const rill_rates *rates, rill_real *f)
{
    rill_rates forceless = *rates;
    for (int a = 0; a < 3; a++) forceless.force[a] = 0;
    rill_moments m = rill_moments_of(lattice, &forceless, f);
    for (int a = 0; a < 3; a++) m.momentum[a] = m.density * rates->velocity[a];
    const rill_flow flow = rill_flow_of(RILL_STOKES, m);
    const rill_node_rates at = {rill_splat(rates->even), rill_splat(rates->odd)};
    rill_relax_pairs(lattice, RILL_STOKES, &forceless, &flow, at, NULL, f);
}

#endif
