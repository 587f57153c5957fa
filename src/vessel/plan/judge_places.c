/* SPDX-License-Identifier: Apache-2.0 */
/* Whether probes and planes lie in the fluid, so that a plan refuses what a run would. */
#include "core/memory.h"
#include "core/status.h"
#include "vessel/observe/drops.h"
#include "vessel/plan/plan.h"
#include "vessel/observe/slab.h"

#include <string.h>

static rill_status judge_probes(const rill_case *c, rill_case_plan *plan, rill_points_size *size)
{
    rill_status status = RILL_OK;
    const int count = c->output.probe_count;
    rill_points points = {.count = 0};
    double(*places)[3] = NULL;
    if (count == 0) return RILL_OK;
    RILL_TRY(rill_array_create((uint64_t)count, sizeof *places, "places", (void **)&places));
    for (int k = 0; k < count; k++) memcpy(places[k], c->output.probes[k].at, sizeof *places);
    RILL_TRY(rill_points_make(plan->domain, (const double(*)[3])places, (uint64_t)count, &points));
    *size = (rill_points_size){points.count, points.node_count};
    for (int k = 0; k < count; k++)
        if (!rill_points_has(&points, (uint64_t)k))
            rill_case_say(
                plan, true,
                "probe %s: (%g mm, %g mm, %g mm) is not within the fluid: give a place inside of the vessel",
                c->output.probes[k].name, 1e3 * places[k][0], 1e3 * places[k][1], 1e3 * places[k][2]);
done:
    rill_points_free(&points);
    rill_array_destroy(places);
    return status;
}

static rill_status judge_planes(const rill_case *c, const rill_geom *geom, rill_case_plan *plan,
                                rill_points_size *size)
{
    for (int k = 0; k < c->output.plane_count; k++) {
        const rill_case_plane *p = &c->output.planes[k];
        rill_slab slab = {.count = 0};
        double normal[3];
        rill_plane_normal(geom, p, normal);
        rill_status status = rill_slab_make(plan->domain, p->centre, normal, p->name, &slab);
        if (status == RILL_OK)
            status = rill_points_count(plan->domain, (const double(*)[3])slab.places, slab.count, size);
        rill_slab_free(&slab);
        if (status == RILL_USAGE)
            rill_case_say(plan, true, "%s", rill_error_message());
        else if (status != RILL_OK)
            return status;
    }
    return RILL_OK;
}

rill_status rill_case_judge_places(const rill_case *given, rill_case_plan *plan, rill_points_size *size)
{
    const rill_status status = judge_probes(given, plan, size);
    return status == RILL_OK ? judge_planes(given, plan->domain->geom, plan, size) : status;
}
