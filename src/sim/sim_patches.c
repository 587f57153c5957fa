/* SPDX-License-Identifier: Apache-2.0 */
/* Patches of a simulation, for users: see sim/patches.h. */
#include "sim/several.h"

#include "sim/boundary.h"
#include "sim/macroscopic.h"

#include <string.h>

static int patch_count(const rill_sim *sim)
{
    return sim->several ? sim->several->patch_count : sim->patches.count;
}

rill_status rill_sim_boundary_add(rill_sim *sim, const rill_boundary *boundary, int *patch)
{
    if (boundary->domain != sim->domain)
        return rill_fail(
            RILL_USAGE,
            "the boundary was made for another domain than the simulation's: make it for the same");
    rill_status status = RILL_OK;
    if (sim->passes.before)
        return rill_fail(RILL_USAGE, "a boundary comes before %s: add it first", sim->passes.what);
    RILL_TRY(rill_macroscopic_refuse(sim, "an opening, a moving wall or interpolated bounce-back"));
    if (sim->several) {
        RILL_TRY(rill_several_boundary_add(sim, boundary));
    } else {
        const rill_launch launch = rill_sim_launch(sim);
        RILL_TRY(rill_patches_add(&sim->patches, boundary, NULL, sim, &launch));
    }
    sim->fresh = sim->steps;
    *patch = patch_count(sim) - 1;
done:
    return status;
}

rill_status rill_sim_walls_add(rill_sim *sim, bool quadratic)
{
    rill_status status = RILL_OK;
    rill_boundary *walls = NULL;
    const rill_surface *surface = sim->domain->geom->surface;
    int patch;
    if (!surface || surface->wall_count == 0) return RILL_OK;
    RILL_TRY(rill_boundary_create_cuts(sim->domain, surface->walls, surface->wall_count, &walls));
    if (quadratic) RILL_TRY(rill_boundary_set_quadratic(walls));
    RILL_TRY(rill_sim_boundary_add(sim, walls, &patch));
done:
    rill_boundary_destroy(walls);
    return status;
}

/* Find where the links of a patch are. @param one  room for one */
static rill_status patch_find(rill_sim *sim, int patch, rill_home *one, rill_homes *out)
{
    if (patch < 0 || patch >= patch_count(sim))
        return rill_fail(RILL_USAGE, "patch %d is none of the %d that the simulation has", patch,
                         patch_count(sim));
    *one = (rill_home){sim, patch};
    *out = sim->several ? sim->several->patches[patch] : (rill_homes){one, 1};
    return RILL_OK;
}

/* Find an opening, which one simulation has; of a wall one that has a part, which refuses what walls have
 * not. */
static rill_status opening_find(rill_sim *sim, int patch, rill_home *out)
{
    rill_homes at = {NULL, 0};
    const rill_status status = patch_find(sim, patch, out, &at);
    if (status == RILL_OK) *out = at.homes[0];
    return status;
}

rill_status rill_sim_patch_scale(rill_sim *sim, int patch, double factor)
{
    rill_status status = RILL_OK;
    rill_home one = {NULL, 0};
    rill_homes at = {NULL, 0};
    RILL_TRY(patch_find(sim, patch, &one, &at));
    for (int k = 0; k < at.count; k++)
        RILL_TRY(rill_patches_scale(&at.homes[k].sim->patches, at.homes[k].patch, factor));
done:
    return status;
}

rill_status rill_sim_patch_schedule(rill_sim *sim, int patch,
                                    void (*weights)(void *context, uint64_t step, double *weights),
                                    void *context)
{
    rill_home at = {NULL, 0};
    const rill_status status = opening_find(sim, patch, &at);
    return status == RILL_OK ? rill_patches_schedule(&at.sim->patches, at.patch, weights, context) : status;
}

rill_status rill_sim_patch_windkessel(rill_sim *sim, int patch, const rill_windkessel *windkessel)
{
    rill_home at = {NULL, 0};
    const rill_status status = opening_find(sim, patch, &at);
    if (status != RILL_OK) return status;
    const rill_launch launch = rill_sim_launch(at.sim);
    return rill_patches_windkessel(&at.sim->patches, at.patch, &launch, windkessel);
}

rill_status rill_sim_patch_stored(rill_sim *sim, int patch, double *stored)
{
    rill_home at = {NULL, 0};
    double both[2];
    rill_status status = opening_find(sim, patch, &at);
    if (status == RILL_OK) status = rill_patches_stored(&at.sim->patches, at.patch, sim->steps, both);
    if (status == RILL_OK) *stored = both[0];
    return status;
}

rill_status rill_sim_patch_compartments(rill_sim *sim, int patch, double stored[2])
{
    rill_home at = {NULL, 0};
    const rill_status status = opening_find(sim, patch, &at);
    return status == RILL_OK ? rill_patches_stored(&at.sim->patches, at.patch, sim->steps, stored) : status;
}

rill_status rill_sim_patch_store(rill_sim *sim, int patch, double stored)
{
    rill_home at = {NULL, 0};
    const rill_status status = opening_find(sim, patch, &at);
    return status == RILL_OK ? rill_patches_store(&at.sim->patches, at.patch, sim->steps, &stored, 1)
                             : status;
}

rill_status rill_sim_patch_record(rill_sim *sim, int patch, uint32_t capacity)
{
    rill_home at = {NULL, 0};
    const rill_status status = opening_find(sim, patch, &at);
    if (status != RILL_OK) return status;
    const rill_launch launch = rill_sim_launch(at.sim);
    return rill_patches_record(&at.sim->patches, at.patch, &launch, sim->steps, capacity);
}

rill_status rill_sim_patch_series(rill_sim *sim, int patch, uint64_t first_step, uint32_t count, double *flow,
                                  double *pressure)
{
    rill_home at = {NULL, 0};
    const rill_status status = opening_find(sim, patch, &at);
    if (status != RILL_OK) return status;
    return rill_patches_series(&at.sim->patches, at.patch, sim->steps, first_step, count, flow, pressure);
}

/* Measure the links of a patch, and sum over them in the order of nodes. */
static rill_status patch_measure(rill_sim *sim, int patch, double force[3], double *flow)
{
    rill_status status = RILL_OK;
    rill_home one = {NULL, 0};
    rill_homes at = {NULL, 0};
    memset(force, 0, 3 * sizeof *force);
    *flow = 0;
    RILL_TRY(patch_find(sim, patch, &one, &at));
    if (sim->steps == sim->fresh)
        return rill_fail(
            RILL_USAGE,
            "no step was made since the patches or the moments were set, so nothing has met a wall: step first");
    for (int k = 0; k < at.count; k++) {
        const rill_launch launch = rill_sim_launch(at.homes[k].sim);
        RILL_TRY(rill_patches_measure(&at.homes[k].sim->patches, at.homes[k].patch, &launch));
    }
    for (int lone = 0; lone < 2; lone++)
        for (int k = 0; k < at.count; k++)
            rill_patches_sum(&at.homes[k].sim->patches, at.homes[k].patch, lone, force, flow);
done:
    return status;
}

rill_status rill_sim_patch_force(rill_sim *sim, int patch, double force[3])
{
    double sum[3], flow;
    const rill_status status = patch_measure(sim, patch, sum, &flow);
    if (status == RILL_OK) memcpy(force, sum, sizeof sum);
    return status;
}

rill_status rill_sim_patch_flow(rill_sim *sim, int patch, double *flow)
{
    double force[3], sum;
    const rill_status status = patch_measure(sim, patch, force, &sum);
    if (status == RILL_OK) *flow = sum;
    return status;
}
