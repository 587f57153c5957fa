/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a vessel as arrays in memory, SI. */
#include "core/memory.h"
#include "core/status.h"
#include "vessel/run/run_priv.h"

#include <string.h>

rill_status rill_vessel_fields(rill_vessel *vessel, float *pressure, float *velocity)
{
    rill_status status = RILL_OK;
    const uint64_t voxels = rill_geom_voxels(vessel->geom);
    const rill_scales *s = &vessel->plan.scales;
    RILL_TRY(rill_sim_image(vessel->sim, pressure, velocity));
    for (uint64_t v = 0; v < voxels && pressure; v++)
        if (vessel->geom->voxels[v] >= RILL_FLUID)
            pressure[v] = (float)(s->base + s->pressure * (double)pressure[v]);
    for (uint64_t k = 0; k < 3 * voxels && velocity; k++)
        velocity[k] = (float)(s->velocity * (double)velocity[k]);
done:
    return status;
}

rill_status rill_vessel_wall_shear(const rill_vessel *vessel, float *tawss, float *osi)
{
    const uint64_t n = vessel->geom->surface->triangle_count;
    if (!vessel->shear)
        return rill_fail(
            RILL_USAGE,
            "there is no wall shear: no run of this vessel ended, or the case says \"output: {surface: no}\"");
    if (tawss) memcpy(tawss, vessel->shear, n * sizeof *tawss);
    if (osi) memcpy(osi, vessel->shear + n, n * sizeof *osi);
    return RILL_OK;
}

rill_status rill_run_keep_shear(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    const uint64_t n = loop->observers.map.triangle_count;
    rill_array_destroy(loop->vessel->shear);
    loop->vessel->shear = NULL;
    if (!loop->observers.sample || loop->state.samples == 0) return RILL_OK;
    RILL_TRY(rill_array_create(2 * n, sizeof(float), "wall shear", (void **)&loop->vessel->shear));
    rill_shear_cycle_finish(&loop->observers.cycle, &(rill_shear_result){.tawss = loop->vessel->shear,
                                                                         .osi = loop->vessel->shear + n});
done:
    return status;
}
