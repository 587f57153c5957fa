/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file node.h
 * The node update of a GPU thread: gather, collide, scatter. Lattice, collision, equilibrium, scheme, parity
 * and storage are compile-time constants. On a CPU, src/cpu does the same in blocks, from the same links,
 * slots, formats and collisions.
 */
#ifndef RILL_KERNEL_NODE_H
#define RILL_KERNEL_NODE_H

#include "kernel/collide.h"

#include "kernel/node_cuda.h"

/**
 * Make one time step of the nodes n … n + RILL_BLOCK - 1.
 * In-place schemes get the same arrays twice; through two copies of their description the compiler computes
 * slots again for writing instead of holding every address in a register.
 */
RILL_FN void rill_node_update(const rill_plan plan, const int collision, const int equilibrium,
                              const int rheology, const int parity, const rill_arrays *from,
                              const rill_arrays *to, const rill_rates *rates, const rill_node n)
{
    rill_block block;
    if (!rill_block_gather(plan, parity, from, n, &block)) return;
    RILL_NO_UNROLL
    for (int v = 0; v < RILL_VECTORS; v++) {
        const rill_node first = n + (rill_node)(v * RILL_LANES);
        rill_real f[RILL_Q_MAX];
        RILL_UNROLL
        for (int i = 0; i < rill_q(plan.lattice); i++)
            f[i] = rill_population_shift(plan.lattice, plan.shift, i,
                                         rill_block_get(plan, parity, from, i, first, v, &block));
        rill_collide(plan.lattice, collision, equilibrium, rheology, rates, f);
        RILL_UNROLL
        for (int i = 0; i < rill_q(plan.lattice); i++)
            rill_block_put(plan, parity, to, i, first, v, &block,
                           rill_population_unshift(plan.lattice, plan.shift, i, f[rill_opposite(i)]));
    }
    rill_block_scatter(plan, parity, to, n, &block);
}

/** Take the moments of the nodes n … n + RILL_BLOCK - 1 between two steps; momentum includes half the force.
 * NaN where a population has reached the end of its number format. @return false for a voxel that is no node
 */
RILL_FN bool rill_node_moments(const rill_plan plan, const int parity, const rill_arrays *arrays,
                               const rill_rates *rates, const rill_node n, rill_moments moments[RILL_VECTORS])
{
    rill_block block;
    if (!rill_block_gather(plan, parity, arrays, n, &block)) return false;
    RILL_NO_UNROLL
    for (int v = 0; v < RILL_VECTORS; v++) {
        rill_real f[RILL_Q_MAX];
        RILL_UNROLL
        for (int i = 0; i < rill_q(plan.lattice); i++) {
            const rill_node first = n + (rill_node)(v * RILL_LANES);
            const rill_real stored = rill_block_get(plan, parity, arrays, i, first, v, &block);
            f[i] =
                rill_population_shift(plan.lattice, plan.shift, i, rill_storage_check(plan.storage, stored));
        }
        moments[v] = rill_moments_of(plan.lattice, rates, f);
    }
    return true;
}

/** Return the mass that rests in ghosts beside a node; see rill_resting(). */
RILL_FN double rill_node_resting(const rill_plan plan, const int parity, const rill_arrays *arrays,
                                 const rill_node n)
{
    const rill_place place = rill_place_of(plan.stream, plan.addressing, arrays, n);
    double mass = 0;
    RILL_UNROLL
    for (int i = 1; i < rill_q(plan.lattice); i++) {
        size_t slot;
        if (place.fluid &&
            rill_resting(plan.lattice, plan.stream, plan.addressing, parity, arrays, &place, i, &slot))
            mass += rill_population_shift(plan.lattice, plan.shift, i,
                                          rill_storage_load(plan.storage, arrays->populations, slot));
    }
    return mass;
}

/**
 * Set the nodes n … n + RILL_LANES - 1 to equilibrium at density deviation and velocity, as incoming
 * populations of the next step. The populations carry momentum rho u - F/2: with the half force that
 * rill_moments_of() adds this is rho u, and no mode that alternates from step to step is started.
 * @param add  to what is there, and no force, instead of in its place
 */
RILL_FN void rill_node_set(const rill_plan plan, const int equilibrium, const int parity,
                           const rill_arrays *arrays, const rill_rates *rates, const rill_node n,
                           const rill_real density, const rill_real *velocity, const bool add)
{
    rill_real f[RILL_Q_MAX];
    rill_block block;
    rill_moments m;
    m.density = density;
    for (int a = 0; a < 3; a++) {
        m.momentum[a] = equilibrium == RILL_SECOND_ORDER ? velocity[a] + density * velocity[a] : velocity[a];
        if (!add) m.momentum[a] = m.momentum[a] - (rill_scalar)0.5 * rates->force[a];
    }
    rill_equilibrium_set(plan.lattice, equilibrium, rates, m, f);
    if (!rill_block_gather(plan, parity, arrays, n, &block)) return;
    RILL_UNROLL
    for (int i = 0; i < rill_q(plan.lattice) && add; i++)
        f[i] = f[i] + rill_population_shift(plan.lattice, plan.shift, i,
                                            rill_block_get(plan, parity, arrays, i, n, 0, &block));
    RILL_UNROLL
    for (int i = 0; i < rill_q(plan.lattice); i++)
        rill_block_set(plan, parity, arrays, i, n, &block,
                       rill_population_unshift(plan.lattice, plan.shift, i, f[i]));
}

#endif
