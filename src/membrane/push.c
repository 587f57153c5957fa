/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A force that acts on some nodes alone, beside the step: half of Guo's source term
 *   S_i = w_i (c_i . F / c_s^2 + ((c_i . u)(c_i . F) / c_s^4 - u . F / c_s^2))
 * is added to what comes in at a node, and half to what it has sent. The collision then sees the velocity
 * with half the force, and relaxes the first half: (1 - s) / 2 + 1/2 = 1 - s/2, which is Guo's factor of
 * either part of a pair with its own rate s. So no kernel knows of the force, and nodes without it cost
 * nothing. (Guo, Zheng, Shi 2002, doi:10.1103/PhysRevE.65.046308)
 */
#include "membrane/push.h"

#include "core/threads.h"
#include "sim/links.h"
#include "kernel/lattice.h"

/* Nodes that a thread takes at a time. */
enum { NODES = 64 };

typedef struct work {
    const rill_support *support;
    const rill_launch *launch;
} work;

/* Half of S_i. */
static double half_source(const rill_variant v, int i, const double force[3], const double u[3])
{
    const int lattice = (int)v.lattice, c = rill_inverse_cs2(lattice);
    double cf = 0, cu = 0, uf = 0;
    for (int a = 0; a < 3; a++) {
        cf += rill_c(lattice, i, a) * force[a];
        cu += rill_c(lattice, i, a) * u[a];
        uf += u[a] * force[a];
    }
    const double second = v.equilibrium == RILL_STOKES ? 0 : c * (c * cu * cf - uf);
    return rill_w(lattice, i) / 2 * (c * cf + second);
}

static void force_of(const rill_support *support, rill_node at, double force[3])
{
    for (int a = 0; a < 3; a++) force[a] = rill_support_force(support, at, a);
}

/* Give nodes their velocity, and the first half of the force. */
static void push_before(const void *shared, uint64_t first, uint64_t end)
{
    const work *w = shared;
    const rill_support *support = w->support;
    const rill_variant v = w->launch->variant;
    const int lattice = (int)v.lattice;
    for (uint64_t at = first; at < end; at++) {
        const rill_node node = support->node[at];
        double in[RILL_Q_MAX], force[3], rho = 1, *u = support->velocity[at];
        force_of(support, (rill_node)at, force);
        for (int a = 0; a < 3; a++) u[a] = (force[a] + w->launch->force[a]) / 2;
        for (int i = 0; i < rill_q(lattice); i++) {
            in[i] = rill_link_load(w->launch, node, i);
            rho += in[i];
            for (int a = 0; a < 3; a++) u[a] += rill_c(lattice, i, a) * in[i];
        }
        for (int a = 0; a < 3 && v.equilibrium != RILL_STOKES; a++) u[a] /= rho;
        for (int i = 0; i < rill_q(lattice); i++)
            rill_link_store(w->launch, node, i, in[i] + half_source(v, i, force, u));
    }
}

/* Give them the second half. */
static void push_after(const void *shared, uint64_t first, uint64_t end)
{
    const work *w = shared;
    const rill_support *support = w->support;
    const rill_variant v = w->launch->variant;
    for (uint64_t at = first; at < end; at++) {
        double force[3];
        force_of(support, (rill_node)at, force);
        for (int i = 0; i < rill_q((int)v.lattice); i++)
            rill_link_sent_add(w->launch, support->node[at], i,
                               half_source(v, i, force, support->velocity[at]));
    }
}

void rill_push_before(rill_support *support, const rill_launch *launch)
{
    rill_threads_for(support->count, NODES, push_before, &(work){support, launch});
}

void rill_push_after(const rill_support *support, const rill_launch *launch)
{
    rill_threads_for(support->count, NODES, push_after, &(work){support, launch});
}
