/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations that store density and momentum: what they refuse, and their mirrored links. */
#include "sim/macroscopic.h"

#include "core/memory.h"
#include "kernel/stream.h"

#include <stdlib.h>

rill_status rill_macroscopic_check(const rill_sim_options *o)
{
    if (!rill_stream_macroscopic((int)o->variant.stream)) return RILL_OK;
    if (o->tau != 1 || (o->variant.collision != RILL_SRT && o->magic != 0.25))
        return rill_fail(
            RILL_USAGE,
            "tau = %g and magic = %g are not 1 and 1/4, with which the equilibrium leaves a node, all that "
            "macroscopic streaming stores: give tau 1 and magic 0.25, or choose another streaming scheme",
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
