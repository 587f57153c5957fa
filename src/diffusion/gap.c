/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flows that carry away what piles up at the nodes of a field that is no solution yet. With them the flow of
 * the field nowhere piles up, so that Thomson's principle holds for the sum; the energy of both principles
 * differs by that of these flows. They are found from the coarsest level (device/balance.h) to the nodes
 * (rill_diffusion_share()), in vectors that the solver of the levels does not need between two cycles.
 */
#include "core/memory.h"
#include "core/status.h"
#include "diffusion/diffusion.h"

#include <math.h>

static const char *const name = "the bound of a diffusion";

/* Make memory of the device of a diffusor, or of the host. */
static rill_status lend(const rill_diffusor *d, uint64_t count, size_t size, void *out)
{
    if (count == 0) return RILL_OK;
    return d->device ? rill_device_alloc(d->device, count * size, name, out)
                     : rill_array_create(count, size, name, (void **)out);
}

static void give_back(const rill_diffusor *d, void *array)
{
    if (d->device && array)
        rill_device_free(d->device, array);
    else
        rill_array_destroy(array);
}

static void level_free(const rill_diffusor *d, rill_balance_level *l)
{
    give_back(d, l->parent); /* with order, link and strongest */
    give_back(d, l->flow);
    give_back(d, l->shared);
    *l = (rill_balance_level){.parent = NULL};
}

static rill_status level_make(const rill_diffusor *d, int k, rill_balance_level *l)
{
    const rill_flow_level *rows = d->device ? d->chambers.copy.level : d->chambers.level;
    const uint64_t n = rows[k].count;
    const rill_status status = lend(d, 4 * n, sizeof *l->parent, &l->parent);
    l->rows = rows[k];
    l->order = l->parent + n;
    l->link = l->order + n;
    l->strongest = (float *)(l->link + n);
    return status;
}

/* Find the flows of the level before level k. */
static rill_status descend(const rill_diffusor *d, int k, rill_balance_level *l)
{
    rill_status status = RILL_OK;
    const rill_flow_level *here = &d->chambers.level[k];
    rill_balance down = {.fine = l[k - 1], .coarse = l[k]};
    RILL_TRY(lend(d, here[-1].begin[here[-1].count], sizeof *l->flow, &l[k - 1].flow));
    RILL_TRY(lend(d, here->begin[here->count], sizeof *l->shared, &l[k].shared));
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
    const int last = network->levels - 1;
    rill_balance_level l[RILL_NETWORK_LEVELS] = {{.parent = NULL}};
    *gap = INFINITY;
    if (!network->level[last].last) return RILL_OK;
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
    for (int k = 0; k < RILL_NETWORK_LEVELS; k++) level_free(d, &l[k]);
    return status;
}
