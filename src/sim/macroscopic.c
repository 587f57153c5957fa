/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations that store density and momentum: what they refuse, and their mirrored links. */
#include "sim/macroscopic.h"

#include "core/memory.h"
#include "kernel/storage/stream.h"

#include <math.h>
#include <stdlib.h>

/*
 * With relaxations a of density and w of momentum and the memory b, a mode that a time step multiplies by
 * 1 - l is multiplied by the roots of z^2 - (1 + b - w l) z + b.
 *
 * Momentum that changes its sign from node to node and from step to step has l = 2: these roots are complex,
 * and as small as they can be, sqrt(b), where w is below (1 + sqrt(b))^2 / 2; from w = 1 + b on nothing damps
 * it. Long waves of sound are damped where a (2 w (1 + b) - (1 - b)^2) < 3 w (1 - b)^2: of all waves they set
 * the largest a.
 */
#define RELAX_MOMENTUM 1.3
#define SOUND_DAMPED 0.95 /* of the largest relaxation of density */

rill_status rill_macroscopic_check(const rill_sim_options *o)
{
    if (!rill_stream_macroscopic((int)o->variant.stream)) return RILL_OK;
    if (o->tau != 1 || (o->variant.collision != RILL_SRT && o->magic != 0.25))
        return rill_fail(
            RILL_USAGE,
            "tau = %g and magic = %g are not 1 and 1/4, with which the equilibrium leaves a node, all that macroscopic streaming stores: "
            "give tau 1 and magic 0.25, or choose another streaming scheme",
            o->tau, o->magic);
    return RILL_OK;
}

rill_status rill_macroscopic_refuse(const rill_sim *sim, const char *what)
{
    if (!rill_stream_macroscopic((int)sim->flow->options.variant.stream)) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "%s needs populations, which macroscopic streaming does not store: choose another streaming scheme",
        what);
}

rill_status rill_sim_relax(rill_sim *sim, rill_relaxation relaxation)
{
    const rill_relaxation *r = &relaxation;
    const bool plain = r->density == 1 && r->momentum == 1 && r->memory == 0;
    if (!plain) {
        if (!rill_stream_macroscopic((int)sim->flow->options.variant.stream))
            return rill_fail(
                RILL_USAGE,
                "populations are stored, which relax by time steps alone: choose macroscopic streaming");
        if (!(r->density > 0 && r->density <= 1 && r->momentum > 0 && r->momentum < 2 && r->memory >= 0 &&
              r->memory < 1))
            return rill_fail(
                RILL_USAGE,
                "relaxation of the density %g, of momentum %g, memory %g: choose above 0 up to 1, between 0 and 2, from 0 to below 1",
                r->density, r->momentum, r->memory);
    }
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        rill_sim *part = rill_sim_part(sim, k);
        part->flow->relaxation = relaxation;
        if (!plain && part->steps != part->loaded) part->given = part->steps;
    }
    return RILL_OK;
}

rill_relaxation rill_relaxation_of(double memory)
{
    const double square = (1 - memory) * (1 - memory), root = 1 + sqrt(memory),
                 momentum = fmax(fmin(RELAX_MOMENTUM, 0.5 * root * root), 1),
                 most = 3 * momentum / (2 * momentum * (1 + memory) - square);
    return (rill_relaxation){fmin(SOUND_DAMPED * most, 1) * square, momentum, memory};
}

rill_relaxation rill_relaxation_forgets(rill_relaxation r)
{
    return (rill_relaxation){r.density / r.momentum, 1, 0};
}

static int by_node(const void *a, const void *b)
{
    const rill_swap *x = a, *y = b;
    if (x->node[0] != y->node[0]) return x->node[0] < y->node[0] ? -1 : 1;
    return (int)x->direction[0] - (int)y->direction[0];
}

rill_status rill_macroscopic_swaps(const rill_domain *domain, rill_swap **out, size_t *count)
{
    rill_swap *list = NULL;
    size_t used = 0;
    const rill_status status =
        rill_array_create(2 * domain->swap_count, sizeof *list, "mirrored links", (void **)&list);
    if (status != RILL_OK) return status;
    for (size_t k = 0; k < domain->swap_count; k++) {
        const rill_swap s = domain->swaps[k];
        list[used++] = s;
        if (s.node[0] != s.node[1] || s.direction[0] != s.direction[1])
            list[used++] = (rill_swap){{s.node[1], s.node[0]}, {s.direction[1], s.direction[0]}, s.sign};
    }
    qsort(list, used, sizeof *list, by_node);
    *out = list;
    *count = used;
    return RILL_OK;
}

int rill_macroscopic_mirrored(const rill_sim *sim, rill_cut_link *link)
{
    const rill_swap wanted = {{link->node, 0}, {(uint8_t)link->direction, 0}, 0};
    if (!rill_stream_macroscopic((int)sim->flow->options.variant.stream) || !sim->flow->own_swaps) return 1;
    const rill_swap *s =
        bsearch(&wanted, sim->flow->own_swaps, sim->flow->swap_count, sizeof wanted, by_node);
    if (!s) return 1;
    *link = (rill_cut_link){s->node[1], s->direction[1]};
    return s->sign;
}
