/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a simulation on the whole box. */
#include "core/memory.h"
#include "core/status.h"
#include "sim/sim_priv.h"

enum { BATCH = 1 << 18 }; /* nodes whose moments are taken at once */

/* Where the next node is to be looked for, and where its values go; either array may be NULL. */
typedef struct target {
    const rill_geom *geom;
    uint64_t voxel;
    float *pressure, *velocity;
} target;

/* Fill in voxels until so many nodes have their values; count 0: to the end of the box. */
static void place(target *t, uint64_t count, const double *rho, const double *u)
{
    const uint64_t voxels = rill_geom_voxels(t->geom);
    for (uint64_t node = 0; t->voxel < voxels && (count == 0 || node < count); t->voxel++) {
        const bool fluid = t->geom->voxels[t->voxel] >= RILL_FLUID;
        if (t->pressure) t->pressure[t->voxel] = fluid ? (float)(rho[node] / 3) : 0;
        for (size_t a = 0; a < 3 && t->velocity; a++)
            t->velocity[a * voxels + t->voxel] = fluid ? (float)u[a * count + node] : 0;
        node += fluid;
    }
}

rill_status rill_sim_image(rill_sim *sim, float *pressure, float *velocity)
{
    rill_status status = RILL_OK;
    const rill_global_node nodes = sim->domain->nodes;
    target t = {sim->domain->geom, 0, pressure, velocity};
    double *rho = NULL;
    RILL_TRY(rill_array_create(4 * (uint64_t)BATCH, sizeof *rho, "moments", (void **)&rho));
    for (rill_global_node first = 0, count; first < nodes; first += count) {
        count = nodes - first < BATCH ? nodes - first : BATCH;
        RILL_TRY(rill_sim_moments(sim, first, count, rho, rho + BATCH));
        place(&t, count, rho, rho + BATCH);
    }
    place(&t, 0, NULL, NULL);
done:
    rill_array_destroy(rho);
    return status;
}
