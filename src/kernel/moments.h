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
#include "kernel/collision/rates.h"

/** Density deviation rho - 1 and momentum rho u of a node, half of the force included. In two dimensions
 * momentum[2] is 0. */
typedef struct rill_moments {
    rill_real density;
    rill_real momentum[3];
} rill_moments;

/**
 * Sums of populations whose velocities have the same squares: of the axes, of the edges of each plane and of
 * the corners, plain and times c_a c_b. Density and second moments are sums of these; taken twice, they are
 * computed once.
 */
typedef struct rill_sums {
    rill_real axis[3];
    rill_real edge[3], edge_mixed[3]; /**< planes xy, xz, yz */
    rill_real corner, corner_mixed[3];
} rill_sums;

/** Return the sums; those that a lattice does not have are 0. */
RILL_FN rill_sums rill_sums_of(const int lattice, const rill_real *f)
{
    rill_sums s;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        s.axis[a] = s.edge[a] = s.edge_mixed[a] = s.corner_mixed[a] = rill_splat(0);
        if (a < rill_dimensions(lattice)) s.axis[a] = f[1 + 2 * a] + f[2 + 2 * a];
        const int i = rill_edges(lattice, a);
        if (!i) continue;
        const rill_real same = f[i] + f[i + 1], opposed = f[i + 2] + f[i + 3];
        s.edge[a] = same + opposed;
        s.edge_mixed[a] = same - opposed;
    }
    s.corner = rill_splat(0);
    if (rill_corners(lattice)) {
        const rill_real *c = f + rill_corners(lattice);
        const rill_real all = c[0] + c[1], z = c[2] + c[3], y = c[4] + c[5],
                        x = c[6] + c[7]; /* which differs */
        const rill_real xy = all + z, yx = y + x, xz = all - z, zx = y - x;
        s.corner = xy + yx;
        s.corner_mixed[0] = xy - yx;
        s.corner_mixed[1] = xz + zx;
        s.corner_mixed[2] = xz - zx;
    }
    return s;
}

/** Return the zeroth and first moments of the populations. */
RILL_FN rill_moments rill_moments_of(const int lattice, const rill_rates *rates, const rill_real *f)
{
    const rill_sums s = rill_sums_of(lattice, f);
    rill_moments m;
    m.density = f[0];
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        m.momentum[a] = rill_splat((rill_scalar)0.5 * rates->force[a]);
        if (a < rill_dimensions(lattice)) m.density = m.density + s.axis[a];
        if (rill_edges(lattice, a)) m.density = m.density + s.edge[a];
    }
    if (rill_corners(lattice)) m.density = m.density + s.corner;
    if (rill_dimensions(lattice) == 2) m.momentum[2] = rill_splat(0);
    RILL_UNROLL
    for (int i = 1; i < rill_q(lattice); i += 2) {
        const rill_real difference = f[i] - f[i + 1];
        RILL_UNROLL
        for (int a = 0; a < 3; a++) {
            const int c = rill_c(lattice, i, a);
            if (c) m.momentum[a] = c > 0 ? m.momentum[a] + difference : m.momentum[a] - difference;
        }
    }
    return m;
}

#endif
