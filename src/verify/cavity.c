/* SPDX-License-Identifier: Apache-2.0 */
/* The lid-driven cavity. */
#include "verify/cavity.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/generate/generate.h"

#include <math.h>
#include <omp.h>

/* The extreme of `sign` v, by the parabola through its node and the two beside it. */
static double extreme(const double *v, uint32_t n, double sign)
{
    uint32_t k = 1;
    for (uint32_t i = 1; i + 1 < n; i++)
        if (sign * v[i] > sign * v[k]) k = i;
    const double slope = (v[k + 1] - v[k - 1]) / 2, bend = v[k + 1] - 2 * v[k] + v[k - 1];
    return bend != 0 ? v[k] - slope * slope / (2 * bend) : v[k];
}

/* Step round by round until the energy is steady. @param u  [3][nodes] */
static rill_status settle(const rill_verify_cavity *cavity, rill_storage storage, rill_sim *sim,
                          rill_node nodes, double *u)
{
    rill_status status = RILL_OK;
    const double limit = storage == RILL_FP64 ? 1e-6 : storage == RILL_FP32 ? 1e-5 : 0;
    const uint64_t turn = (uint64_t)(cavity->cells / cavity->speed);
    double before = 0, change = INFINITY;
    for (int k = 0; k < cavity->turns && change > limit; k++) {
        double energy = 0;
        RILL_TRY(rill_sim_step(sim, turn));
        RILL_TRY(rill_sim_moments(sim, 0, nodes, NULL, u));
        for (size_t i = 0; i < 3 * (size_t)nodes; i++) energy += u[i] * u[i];
        if (!isfinite(energy)) {
            status = rill_fail(RILL_NUMERICS, "the flow is not finite after %llu steps",
                               (unsigned long long)rill_sim_steps(sim));
            goto done;
        }
        change = fabs(energy - before) / energy;
        before = energy;
    }
done:
    return status;
}

static void centre_lines(const rill_verify_cavity *cavity, rill_node nodes, const double *u,
                         rill_verify_cavity_flow *flow)
{
    const size_t n = cavity->cells;
    for (size_t k = 0; k < n; k++) {
        flow->u[k] = (u[n / 2 - 1 + n * k] + u[n / 2 + n * k]) / 2 / cavity->speed;
        flow->v[k] = (u[nodes + n * (n / 2 - 1) + k] + u[nodes + n * (n / 2) + k]) / 2 / cavity->speed;
    }
    flow->u_min = extreme(flow->u, cavity->cells, -1);
    flow->v_max = extreme(flow->v, cavity->cells, 1);
    flow->v_min = extreme(flow->v, cavity->cells, -1);
}

rill_status rill_verify_cavity_run(const rill_verify_cavity *cavity, const rill_sim_options *given,
                                   rill_verify_cavity_flow *flow)
{
    rill_status status = RILL_OK;
    const uint32_t n[3] = {cavity->cells, cavity->cells, 1};
    const rill_domain_options domain_options = {given->variant.lattice, -1};
    rill_sim_options options = *given;
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    rill_boundary *lid = NULL;
    double *u = NULL;
    const int threads = rill_verify_threads_fit(cavity->cells * cavity->cells);
    int patch;
    *flow = (rill_verify_cavity_flow){0};
    options.variant.equilibrium = RILL_SECOND_ORDER;
    options.tau = 0.5 + 3 * cavity->speed * cavity->cells / cavity->reynolds;
    RILL_TRY(rill_generate_box(n, &geom));
    geom->sides[0] = geom->sides[1] = RILL_WALL;
    RILL_TRY(rill_domain_create(geom, &domain_options, &domain));
    RILL_TRY(rill_sim_create(domain, &options, &sim));
    RILL_TRY(rill_boundary_create_face(domain, 1, 1, &lid));
    RILL_TRY(rill_boundary_set_velocity(lid, (const double[3]){cavity->speed, 0, 0}));
    RILL_TRY(rill_sim_boundary_add(sim, lid, &patch));
    const uint64_t nodes = rill_domain_nodes(domain);
    RILL_TRY(rill_array_create(3 * (uint64_t)nodes, sizeof *u, "velocities", (void **)&u));
    RILL_TRY(settle(cavity, options.variant.storage, sim, nodes, u));
    RILL_TRY(rill_array_create(cavity->cells, sizeof *u, "velocities", (void **)&flow->u));
    RILL_TRY(rill_array_create(cavity->cells, sizeof *u, "velocities", (void **)&flow->v));
    centre_lines(cavity, nodes, u, flow);
done:
    omp_set_num_threads(threads);
    rill_array_destroy(u);
    rill_boundary_destroy(lid);
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    return status;
}

void rill_verify_cavity_free(rill_verify_cavity_flow *flow)
{
    rill_array_destroy(flow->u);
    rill_array_destroy(flow->v);
    *flow = (rill_verify_cavity_flow){0};
}
