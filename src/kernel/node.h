/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file node.h
 * The node update of a GPU thread: read, collide, write. Lattice, collision, equilibrium, scheme, even or odd
 * step and storage are compile-time constants. On a CPU, src/cpu does the same in blocks, from the same
 * links, slots, formats and collisions.
 */
#ifndef RILL_KERNEL_NODE_H
#define RILL_KERNEL_NODE_H

#include "kernel/collision/collide.h"

#include "kernel/node_cuda.h"

/** Read the incoming populations of node n, whose links were looked up. */
template <class V>
RILL_FN void rill_node_read(const int parity, const rill_arrays *arrays, const rill_node n,
                            const rill_links_of_node *links, rill_real *f)
{
    RILL_UNROLL
    for (int i = 0; i < rill_q(V::lattice); i++)
        f[i] = rill_population_shift(V::lattice, V::shift, i,
                                     rill_population_in<V>(parity, arrays, i, n, links));
}

/** Write populations after collision to where the next step finds them. */
template <class V>
RILL_FN void rill_node_write(const int parity, const rill_arrays *arrays, const rill_node n,
                             const rill_links_of_node *links, const rill_real *f)
{
    RILL_UNROLL
    for (int i = 0; i < rill_q(V::lattice); i++)
        rill_population_put<V>(parity, arrays, i, n, true, links,
                               rill_population_unshift(V::lattice, V::shift, i, f[rill_opposite(i)]));
}

/** Take the moments of node n between two steps; momentum includes half the force. NaN where a population has
 * reached the end of its number format. @return false for a voxel that is no node
 */
template <class V>
RILL_FN bool rill_node_moments(const int parity, const rill_arrays *arrays, const rill_rates *rates,
                               const rill_node n, rill_moments *moments)
{
    rill_links_of_node links;
    rill_real f[RILL_Q_MAX];
    if (!rill_links_look_up<V>(parity, arrays, n, &links)) return false;
    RILL_UNROLL
    for (int i = 0; i < rill_q(V::lattice); i++)
        f[i] = rill_population_shift(
            V::lattice, V::shift, i,
            rill_storage_check(V::storage, rill_population_in<V>(parity, arrays, i, n, &links)));
    *moments = rill_moments_of(V::lattice, rates, f);
    return true;
}

/** Return the viscous stress of a node between two steps; see rill_viscous_stress(). */
template <class V>
RILL_FN rill_tensor rill_node_stress(const int equilibrium, const int rheology, const int parity,
                                     const rill_arrays *arrays, const rill_rates *rates, const rill_node n)
{
    rill_links_of_node links;
    rill_real f[RILL_Q_MAX];
    rill_links_look_up<V>(parity, arrays, n, &links);
    RILL_UNROLL
    for (int i = 0; i < rill_q(V::lattice); i++)
        f[i] = rill_population_shift(V::lattice, V::shift, i,
                                     rill_population_in<V>(parity, arrays, i, n, &links));
    return rill_viscous_stress(V::lattice, equilibrium, rheology, rates, f);
}

/** Return the mass that rests in ghosts beside a node; see rill_resting(). */
template <class V>
RILL_FN double rill_node_resting(const int parity, const rill_arrays *arrays, const rill_node n)
{
    const rill_place place = rill_place_of(V::stream, V::addressing, arrays, n);
    double mass = 0;
    RILL_UNROLL
    for (int i = 1; i < rill_q(V::lattice); i++) {
        size_t slot;
        if (place.fluid &&
            rill_resting(V::lattice, V::stream, V::addressing, parity, arrays, &place, i, &slot))
            mass += rill_population_shift(V::lattice, V::shift, i,
                                          rill_storage_load(V::storage, arrays->populations, slot));
    }
    return mass;
}

/**
 * Set node n to equilibrium at density deviation and velocity, as incoming
 * populations of the next step. The populations carry momentum rho u - F/2: with the half force that
 * rill_moments_of() adds this is rho u, and no mode that alternates from step to step is started.
 * @param add  to what is there, and no force, instead of in its place
 */
template <class V>
RILL_FN void rill_node_set(const int equilibrium, const int parity, const rill_arrays *arrays,
                           const rill_rates *rates, const rill_node n, const rill_real density,
                           const rill_real *velocity, const bool add)
{
    rill_real f[RILL_Q_MAX];
    rill_links_of_node links;
    rill_moments m;
    m.density = density;
    for (int a = 0; a < 3; a++) {
        m.momentum[a] = equilibrium == RILL_SECOND_ORDER ? velocity[a] + density * velocity[a] : velocity[a];
        if (!add) m.momentum[a] = m.momentum[a] - (rill_scalar)0.5 * rates->force[a];
    }
    rill_equilibrium_set(V::lattice, equilibrium, rates, m, f);
    if (!rill_links_look_up<V>(parity, arrays, n, &links)) return;
    RILL_UNROLL
    for (int i = 0; i < rill_q(V::lattice) && add; i++)
        f[i] = f[i] + rill_population_shift(V::lattice, V::shift, i,
                                            rill_population_in<V>(parity, arrays, i, n, &links));
    RILL_UNROLL
    for (int i = 0; i < rill_q(V::lattice); i++)
        rill_population_put<V>(parity, arrays, i, n, false, &links,
                               rill_population_unshift(V::lattice, V::shift, i, f[i]));
}

#endif
