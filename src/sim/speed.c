/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a box of fluid is stepped here. */
#include "core/clock.h"
#include "core/status.h"
#include "sim/sim.h"

#include <string.h>

rill_status rill_sim_speed(const rill_sim_options *o, uint32_t edge, double *mlups)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    const uint32_t n[3] = {edge, edge, edge};
    rill_sim_options options = *o;
    for (int a = 0; a < 3; a++) options.force[a] = 0;
    RILL_TRY(rill_geom_create(n, &geom));
    const uint64_t voxels = rill_geom_voxels(geom);
    memset(geom->voxels, RILL_FLUID, voxels);
    RILL_TRY(rill_domain_create(geom, &(rill_domain_options){o->variant.lattice, -1}, &domain));
    RILL_TRY(rill_sim_create(domain, &options, &sim));
    RILL_TRY(rill_sim_step(sim, 2));
    const double start = rill_now();
    uint64_t steps = 0;
    for (; steps < 300 && rill_now() - start < 0.1; steps += 2) RILL_TRY(rill_sim_step(sim, 2));
    *mlups = (double)(voxels * steps) / (rill_now() - start) * 1e-6;
done:
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    return status;
}
