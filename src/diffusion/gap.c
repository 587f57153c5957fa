/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows that carry away what piles up at the nodes of a field that is no solution yet. With them the flow of
 * the field nowhere piles up, so that Thomson's principle holds for the sum; the energy of both principles
 * differs by that of these flows. They are found from the coarsest level (device/balance.h) to the nodes
 * (rill_diffusion_share()), in vectors that the solver of the levels does not need between two cycles.
 */
#include "core/status.h"
#include "diffusion/diffusion.h"

#include <math.h>

static const char *const name = "the bound of a diffusion";

static uint32_t links_of(const rill_diffusor *d, int k)
{
    const rill_flow_level *level = d->chambers.level + (k > 0 ? k - 1 : 0); /* of the host */
    return k > 0 ? level->begin[level->count] : d->fine_links;
}

/* Take bytes of one array after the other. @return where they begin */
static void *take(char *room, uint64_t *taken, uint64_t bytes)
{
    enum { LINE = 256 }; /* bytes that a GPU reads at once */
    char *at = room ? room + *taken : NULL;
    *taken += (bytes + LINE - 1) / LINE * LINE;
    return at;
}

/* Divide a room among the levels. @param room  NULL: find how large it is @return its bytes */
static uint64_t divide(const rill_diffusor *d, char *room, rill_balance_level *l)
{
    const int last = d->chambers.levels;
    uint64_t taken = 0;
    for (int k = 0; k <= last; k++) {
        const rill_flow_level *rows = rill_diffusor_level(d, k);
        const uint64_t n = rows->count, links = links_of(d, k);
        l[k] = (rill_balance_level){.rows = *rows,
                                    .parent = take(room, &taken, n * sizeof *l->parent),
                                    .order = take(room, &taken, n * sizeof *l->order),
                                    .link = take(room, &taken, n * sizeof *l->link),
                                    .strongest = take(room, &taken, n * sizeof *l->strongest)};
        if (k < last) l[k].flow = take(room, &taken, links * sizeof *l->flow);
        if (k > 0) l[k].shared = take(room, &taken, links * sizeof *l->shared);
    }
    return taken;
}

/* Find the flows of the level before level k. */
static rill_status descend(const rill_diffusor *d, const rill_balance *down)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_balance_rows(d->device, RILL_BALANCE_SHARE, down));
    RILL_TRY(rill_balance_rows(d->device, RILL_BALANCE_DESCEND, down));
    RILL_TRY(rill_balance_rows(d->device, RILL_BALANCE_HELD, down));
done:
    return status;
}

rill_status rill_diffusor_gap(rill_diffusor *d, double *gap)
{
    rill_status status = RILL_OK;
    const rill_network *network = &d->chambers;
    const int last = network->levels;
    rill_balance_level l[RILL_NETWORK_LEVELS + 1];
    char *room = NULL; /* one array: a GPU takes up to a millisecond to allocate or to free one */
    *gap = INFINITY;
    if (!network->level[last - 1].last) return RILL_OK;
    RILL_TRY(rill_diffusor_lend(d, divide(d, NULL, l), 1, name, &room));
    divide(d, room, l);
    d->work.level = l[0].rows;
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_PILE, NULL));
    for (int k = 1; k <= last; k++)
        RILL_TRY(rill_balance_rows(d->device, RILL_BALANCE_CLIMB, &(rill_balance){l[k - 1], l[k]}));
    RILL_TRY(rill_balance_rows(d->device, RILL_BALANCE_END, &(rill_balance){.coarse = l[last]}));
    for (int k = last; k > 0; k--) RILL_TRY(descend(d, &(rill_balance){l[k - 1], l[k]}));
    d->work.flow = l[0].flow;
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_SHARE, gap));
done:
    rill_diffusor_give_back(d, room);
    return status;
}
