/* SPDX-License-Identifier: Apache-2.0 */
/* Patches of a simulation, for users: see sim/patches.h. */
#include "sim/sim_priv.h"

#include "sim/boundary.h"

rill_status rill_sim_boundary_add(rill_sim *sim, const rill_boundary *boundary, int *patch)
{
    if (boundary->domain != sim->domain)
        return rill_fail(
            RILL_USAGE,
            "the boundary was made for another domain than the simulation's: make it for the same");
    rill_status status = rill_sim_alone(sim, "boundary conditions on links");
    if (status != RILL_OK) return status;
    const rill_launch launch = rill_sim_launch(sim);
    status = rill_patches_add(&sim->patches, boundary, sim, &launch);
    if (status != RILL_OK) return status;
    sim->fresh = sim->steps;
    *patch = sim->patches.count - 1;
    return RILL_OK;
}

rill_status rill_sim_walls_add(rill_sim *sim)
{
    rill_status status = RILL_OK;
    rill_boundary *walls = NULL;
    const rill_surface *surface = sim->domain->geom->surface;
    int patch;
    if (!surface || surface->wall_count == 0) return RILL_OK;
    RILL_TRY(rill_boundary_create_cuts(sim->domain, surface->walls, surface->wall_count, &walls));
    RILL_TRY(rill_sim_boundary_add(sim, walls, &patch));
done:
    rill_boundary_destroy(walls);
    return status;
}

static rill_status patch_check(const rill_sim *sim, int patch)
{
    if (patch >= 0 && patch < sim->patches.count) return RILL_OK;
    return rill_fail(RILL_USAGE, "patch %d is none of the %d that the simulation has", patch,
                     sim->patches.count);
}

rill_status rill_sim_patch_scale(rill_sim *sim, int patch, double factor)
{
    const rill_status status = patch_check(sim, patch);
    return status == RILL_OK ? rill_patches_scale(&sim->patches, patch, factor) : status;
}

rill_status rill_sim_patch_schedule(rill_sim *sim, int patch,
                                    void (*weights)(void *context, uint64_t step, double *weights),
                                    void *context)
{
    const rill_status status = patch_check(sim, patch);
    return status == RILL_OK ? rill_patches_schedule(&sim->patches, patch, weights, context) : status;
}

rill_status rill_sim_patch_windkessel(rill_sim *sim, int patch, const rill_windkessel *windkessel)
{
    const rill_status status = patch_check(sim, patch);
    const rill_launch launch = rill_sim_launch(sim);
    return status == RILL_OK ? rill_patches_windkessel(&sim->patches, patch, &launch, windkessel) : status;
}

rill_status rill_sim_patch_stored(rill_sim *sim, int patch, double *stored)
{
    const rill_status status = patch_check(sim, patch);
    return status == RILL_OK ? rill_patches_stored(&sim->patches, patch, 1, sim->steps, stored) : status;
}

rill_status rill_sim_patch_record(rill_sim *sim, int patch, uint32_t capacity)
{
    const rill_status status = patch_check(sim, patch);
    const rill_launch launch = rill_sim_launch(sim);
    return status == RILL_OK ? rill_patches_record(&sim->patches, patch, &launch, sim->steps, capacity)
                             : status;
}

rill_status rill_sim_patch_series(rill_sim *sim, int patch, uint64_t first_step, uint32_t count, double *flow,
                                  double *pressure)
{
    const rill_status status = patch_check(sim, patch);
    if (status != RILL_OK) return status;
    return rill_patches_series(&sim->patches, patch, sim->steps, first_step, count, flow, pressure);
}

static rill_status patch_measure(rill_sim *sim, int patch, double force[3], double *flow)
{
    const rill_status status = patch_check(sim, patch);
    const rill_launch launch = rill_sim_launch(sim);
    if (status != RILL_OK) return status;
    if (sim->steps == sim->fresh)
        return rill_fail(RILL_USAGE, "no step was made since the patches or the moments were set, so nothing "
                                     "has met a wall: step first");
    return rill_patches_measure(&sim->patches, patch, &launch, force, flow);
}

rill_status rill_sim_patch_force(rill_sim *sim, int patch, double force[3])
{
    return patch_measure(sim, patch, force, NULL);
}

rill_status rill_sim_patch_flow(rill_sim *sim, int patch, double *flow)
{
    return patch_measure(sim, patch, NULL, flow);
}
