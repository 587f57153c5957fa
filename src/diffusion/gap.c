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

static void level_free(const rill_diffusor *d, rill_balance_level *l)
{
    rill_diffusor_give_back(d, l->parent); /* with order, link and strongest */
    rill_diffusor_give_back(d, l->flow);
    rill_diffusor_give_back(d, l->shared);
    *l = (rill_balance_level){.parent = NULL};
}

static rill_status level_make(const rill_diffusor *d, int k, rill_balance_level *l)
{
    const rill_flow_level *rows = rill_diffusor_level(d, k);
    const uint64_t n = rows->count;
    const rill_status status = rill_diffusor_lend(d, 4 * n, sizeof *l->parent, name, &l->parent);
    l->rows = *rows;
    l->order = l->parent + n;
    l->link = l->order + n;
    l->strongest = (float *)(l->link + n);
    return status;
}

static uint32_t links_of(const rill_diffusor *d, int k)
{
    const rill_flow_level *level = d->chambers.level + (k > 0 ? k - 1 : 0); /* of the host */
    return k > 0 ? level->begin[level->count] : d->fine_links;
}

/* Find the flows of the level before level k. */
static rill_status descend(const rill_diffusor *d, int k, rill_balance_level *l)
{
    rill_status status = RILL_OK;
    rill_balance down = {.fine = l[k - 1], .coarse = l[k]};
    RILL_TRY(rill_diffusor_lend(d, links_of(d, k - 1), sizeof *l->flow, name, &l[k - 1].flow));
    RILL_TRY(rill_diffusor_lend(d, links_of(d, k), sizeof *l->shared, name, &l[k].shared));
    down.fine.flow = l[k - 1].flow;
    down.coarse.shared = l[k].shared;
    RILL_TRY(rill_balance_rows(d->device, RILL_BALANCE_SHARE, &down));
    RILL_TRY(rill_balance_rows(d->device, RILL_BALANCE_DESCEND, &down));
    RILL_TRY(rill_balance_rows(d->device, RILL_BALANCE_HELD, &down));
done:
    level_free(d, &l[k]);
    return status;
}

rill_status rill_diffusor_gap(rill_diffusor *d, double *gap)
{
    rill_status status = RILL_OK;
    const rill_network *network = &d->chambers;
    const int last = network->levels;
    rill_balance_level l[RILL_NETWORK_LEVELS + 1] = {{.parent = NULL}};
    *gap = INFINITY;
    if (!network->level[last - 1].last) return RILL_OK;
    for (int k = 0; k <= last; k++) RILL_TRY(level_make(d, k, &l[k]));
    d->work.level = l[0].rows;
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_PILE, NULL));
    for (int k = 1; k <= last; k++)
        RILL_TRY(rill_balance_rows(d->device, RILL_BALANCE_CLIMB, &(rill_balance){l[k - 1], l[k]}));
    RILL_TRY(rill_balance_rows(d->device, RILL_BALANCE_END, &(rill_balance){.coarse = l[last]}));
    for (int k = last; k > 0; k--) RILL_TRY(descend(d, k, l));
    d->work.flow = l[0].flow;
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_SHARE, gap));
done:
    for (int k = 0; k <= RILL_NETWORK_LEVELS; k++) level_free(d, &l[k]);
    return status;
}
