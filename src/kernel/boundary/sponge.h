/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sponge.h
 * Sponge layers in front of outlets: nodes whose viscosity is raised, so that eddies and waves decay
 * before they meet a boundary condition that would send them back.
 *
 * After a step, what the populations of such a node deviate from their equilibrium by is multiplied by a
 * factor below 1, a second collision. Where the step relaxed the shear stress at omega = 1/tau, both together
 * relax it at omega_s = 1 - keep (1 - omega); density and momentum stay as they are. Everything is local to a
 * node, and the populations are those that it has sent, which walls and openings see next.
 *
 * @see Xu & Sagaut (2013), doi:10.1016/j.jcp.2013.02.051, on absorbing layers for lattice Boltzmann methods
 */
#ifndef RILL_KERNEL_SPONGE_H
#define RILL_KERNEL_SPONGE_H

#include "kernel/lattice.h"
#include "kernel/launch.h"

/** Density and velocity of a node, rho - 1 and u, after collision; without a force. */
typedef struct rill_sponge_state {
    double density, velocity[3], square; /**< square: u · u */
} rill_sponge_state;

/** Add population i, shifted. Velocities are momenta until all are added. */
RILL_FN void rill_sponge_add(const int lattice, const int i, const double f, rill_sponge_state *s)
{
    s->density += f;
    for (int a = 0; a < 3; a++) s->velocity[a] += rill_c(lattice, i, a) * f;
}

/** Convert momentum to velocity. */
RILL_FN void rill_sponge_finish(rill_sponge_state *s)
{
    const double volume = 1 / (1 + s->density);
    s->square = 0;
    for (int a = 0; a < 3; a++) {
        s->velocity[a] *= volume;
        s->square += s->velocity[a] * s->velocity[a];
    }
}

/** Return population i with its deviation from equilibrium multiplied by `keep`. */
RILL_FN double rill_sponge_damp(const int lattice, const int i, const rill_sponge_state *s, const double keep,
                                const double f)
{
    double along = 0;
    for (int a = 0; a < 3; a++) along += rill_c(lattice, i, a) * s->velocity[a];
    const double bend = 3 * along + 4.5 * along * along - 1.5 * s->square;
    const double equilibrium = rill_w(lattice, i) * (s->density + (1 + s->density) * bend);
    return equilibrium + keep * (f - equilibrium);
}

#endif
