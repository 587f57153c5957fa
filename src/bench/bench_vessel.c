/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Boundaries of a vessel for the benchmark: interpolated bounce-back, its largest opening an inlet, a
 * Windkessel behind each other one. What they cost does not depend on how fast the fluid is.
 */
#include "bench/bench_vessel.h"

#include "core/status.h"
#include "domain/domain.h"
#include "sim/sim.h"

/* Slow and short: only the work of a step is timed. */
static const double inlet_speed = 0.01;
static const rill_windkessel outlet = {.proximal = 1e-4, .distal = 1e-3, .compliance = 1e4, .backflow = 0.5};

static rill_status add_opening(const rill_domain *domain, const rill_opening *opening, bool inlet,
                               rill_sim *sim)
{
    rill_status status = RILL_OK;
    rill_boundary *links = NULL;
    int patch;
    RILL_TRY(rill_boundary_create_cuts(domain, opening->cuts, opening->cut_count, &links));
    if (inlet) {
        double u[3];
        for (int a = 0; a < 3; a++) u[a] = inlet_speed * opening->normal[a];
        rill_boundary_set_halfway(links);
        RILL_TRY(rill_boundary_set_velocity(links, u));
        RILL_TRY(rill_sim_boundary_add(sim, links, &patch));
    } else {
        RILL_TRY(rill_boundary_set_density(links, 0));
        RILL_TRY(rill_sim_boundary_add(sim, links, &patch));
        RILL_TRY(rill_sim_patch_windkessel(sim, patch, &outlet));
    }
done:
    rill_boundary_destroy(links);
    return status;
}

rill_status rill_bench_vessel_check(const rill_geom *geom)
{
    if (geom->surface) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "the geometry was not cut from a surface, so that it has no wall distances and no openings: make it from one, rill voxelize VESSEL.stl");
}

rill_status rill_bench_vessel_attach(const rill_domain *domain, rill_bench_boundaries boundaries,
                                     rill_sim *sim)
{
    rill_status status = RILL_OK;
    const rill_surface *surface = domain->geom->surface;
    if (boundaries == RILL_BENCH_BARE) return RILL_OK;
    RILL_TRY(rill_bench_vessel_check(domain->geom));
    if (boundaries != RILL_BENCH_OPENINGS)
        RILL_TRY(rill_sim_walls_add(sim, boundaries == RILL_BENCH_QUADRATIC));
    const bool open = boundaries == RILL_BENCH_OPENINGS || boundaries == RILL_BENCH_ALL;
    for (int k = 0; k < surface->opening_count && open; k++)
        RILL_TRY(add_opening(domain, &surface->openings[k], k == 0, sim));
done:
    return status;
}
