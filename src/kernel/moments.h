/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file moments.h
 * Density and momentum of a node (RILL_LANES nodes on a CPU), from its populations in registers.
 *
 * Populations are shifted: f holds f_i - w_i, so that density 1 at rest is 0 and small deviations keep
 * their digits (Skordos 1993, doi:10.1103/PhysRevE.48.4823; He & Luo 1997,
 * doi:10.1023/B:JOSS.0000015179.12689.e4; Lehmann et al. 2022, doi:10.1103/PhysRevE.106.015308, eq. 3).
 */
#ifndef RILL_KERNEL_MOMENTS_H
#define RILL_KERNEL_MOMENTS_H

#include "kernel/lattice.h"
#include "kernel/rates.h"

/** Density deviation rho - 1 and momentum rho u of a node, half of the force included. In two dimensions
 * momentum[2] is 0. */
typedef struct rill_moments {
    rill_real density;
    rill_real momentum[3];
} rill_moments;

/** Return the zeroth and first moments of the populations. */
RILL_FN rill_moments rill_moments_of(const int lattice, const rill_rates *rates, const rill_real *f)
{
    rill_moments m;
    m.density = f[0];
    for (int a = 0; a < 3; a++) m.momentum[a] = rill_splat((rill_scalar)0.5 * rates->force[a]);
    if (rill_dimensions(lattice) == 2) m.momentum[2] = rill_splat(0);
    RILL_UNROLL
    for (int i = 1; i < rill_q(lattice); i += 2) {
        const rill_real sum = f[i] + f[i + 1], difference = f[i] - f[i + 1];
        m.density = m.density + sum;
        RILL_UNROLL
        for (int a = 0; a < 3; a++) {
            const int c = rill_c(lattice, i, a);
            if (c) m.momentum[a] = c > 0 ? m.momentum[a] + difference : m.momentum[a] - difference;
        }
    }
    return m;
}

#endif
