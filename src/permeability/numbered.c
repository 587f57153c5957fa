/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers the nodes of a sample, or of one between reservoirs. */
#include "permeability/numbered.h"

#include "core/clock.h"
#include "core/status.h"
#include "domain/domain.h"

#include <string.h>

/* Return the axis that links of a domain depend on, -1 for none. */
static int axis_matters(const rill_geom *geom, const rill_permeability_options *o, int axis)
{
    if (o->drive == RILL_DRIVE_PRESSURE) return -1;
    for (int a = 0; a < 3; a++)
        if (geom->sides[a] == RILL_MIRROR) return axis;
    return -1;
}

rill_status rill_numbered_create(const rill_geom *geom, const rill_permeability_options *o, int axis,
                                 rill_progress progress, const rill_numbered *other, rill_numbered *out)
{
    rill_status status = RILL_OK;
    rill_numbered made = {.seconds = -rill_now()};
    const rill_domain_options options = {
        .lattice = o->variant.lattice, .flow_axis = axis_matters(geom, o, axis), .progress = progress};
    if (o->drive == RILL_DRIVE_PRESSURE)
        RILL_TRY(rill_reservoirs_create(geom, axis, o->reservoir, &made.between));
    RILL_TRY(rill_domain_create_numbered(made.between.geom ? made.between.geom : geom, &options,
                                         other ? &other->domain->numbering : NULL, &made.domain));
    made.seconds += rill_now();
    *out = made;
    made = (rill_numbered){.domain = NULL};
done:
    rill_numbered_destroy(&made);
    return status;
}

bool rill_numbered_serves(const rill_numbered *n, int axis)
{
    return n->domain && (n->domain->flow_axis < 0 || n->domain->flow_axis == axis);
}

static rill_status chambers_find(void *of)
{
    rill_numbered *n = of;
    return rill_network_find_chambers(n->domain, NULL, NULL, &n->counted, &n->part);
}

void rill_numbered_chambers_begin(rill_numbered *n)
{
    if (n->counted.base && !n->domain->geom->planes) rill_aside_begin(&n->chambers, chambers_find, n);
}

static void chambers_free(rill_numbered *n)
{
    rill_network_part_free(&n->part);
    rill_network_destroy(&n->counted);
}

void rill_numbered_chambers_end(rill_numbered *n, bool wanted)
{
    if (!n->chambers.work) return;
    n->counted.abandoned = !wanted;
    rill_aside_drop(&n->chambers);
    n->chambers.work = NULL;
    if (!wanted || !n->part.whole) chambers_free(n);
}

uint64_t rill_numbered_bytes(const rill_numbered *n)
{
    if (!n->domain) return 0;
    const uint64_t chambers =
        n->part.whole ? rill_network_chamber_bytes(&n->counted, rill_domain_nodes(n->domain)) : 0;
    return rill_numbering_held(n->domain->geom) + rill_reservoirs_bytes(&n->between) + chambers;
}

void rill_numbered_destroy(rill_numbered *n)
{
    rill_numbered_chambers_end(n, false);
    chambers_free(n);
    rill_domain_destroy(n->domain);
    rill_reservoirs_destroy(&n->between);
    memset(n, 0, sizeof *n);
}
