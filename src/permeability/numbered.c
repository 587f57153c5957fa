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

uint64_t rill_numbered_bytes(const rill_numbered *n)
{
    if (!n->domain) return 0;
    return rill_numbering_held(n->domain->geom) + rill_reservoirs_bytes(&n->between);
}

void rill_numbered_destroy(rill_numbered *n)
{
    rill_domain_destroy(n->domain);
    rill_reservoirs_destroy(&n->between);
    rill_network_destroy(&n->counted);
    memset(n, 0, sizeof *n);
}
