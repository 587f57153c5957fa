/* SPDX-License-Identifier: Apache-2.0 */
/* The Taylor-Green vortex. */
#include "verify/vortex.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/generate/generate.h"
#include "verify/steady.h"

#include <math.h>
#include <omp.h>

double rill_verify_vortex_rate(const rill_verify_vortex *vortex, double tau)
{
    const double k = 2 * M_PI / vortex->cells;
    return 4 * (tau - 0.5) / 3 * k * k;
}

/* Velocity and, where there is inertia, the pressure U^2/4 (cos 2kx + cos 2ky) that balances it. */
static void start(const rill_verify_vortex *v, rill_equilibrium equilibrium, double *rho, double *u)
{
    const size_t n = v->cells, nodes = n * n;
    const double k = 2 * M_PI / v->cells, U = v->speed;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            const double x = k * (i + 0.5), y = k * (j + 0.5);
            const size_t node = i + n * j;
            u[node] = U * sin(x) * cos(y);
            u[nodes + node] = -U * cos(x) * sin(y);
            u[2 * nodes + node] = 0;
            rho[node] = equilibrium == RILL_STOKES ? 0 : 0.75 * U * U * (cos(2 * x) + cos(2 * y));
        }
}

rill_status rill_verify_vortex_run(const rill_verify_vortex *vortex, const rill_sim_options *options,
                                   double *energy)
{
    rill_status status = RILL_OK;
    const uint32_t n[3] = {vortex->cells, vortex->cells, 1};
    const rill_domain_options domain_options = {options->variant.lattice, -1};
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    double *rho = NULL, *u = NULL;
    const int threads = rill_verify_threads_fit(vortex->cells * vortex->cells);
    RILL_TRY(rill_generate_box(n, &geom));
    RILL_TRY(rill_domain_create(geom, &domain_options, &domain));
    RILL_TRY(rill_sim_create(domain, options, &sim));
    const uint64_t nodes = rill_domain_nodes(domain);
    RILL_TRY(rill_array_create(nodes, sizeof *rho, "densities", (void **)&rho));
    RILL_TRY(rill_array_create(3 * (uint64_t)nodes, sizeof *u, "velocities", (void **)&u));
    start(vortex, options->variant.equilibrium, rho, u);
    RILL_TRY(rill_sim_set_moments(sim, rho, u));
    for (int k = 0; k <= vortex->samples; k++) {
        if (k) RILL_TRY(rill_sim_step(sim, vortex->every));
        RILL_TRY(rill_sim_moments(sim, 0, nodes, NULL, u));
        double sum = 0;
        for (size_t i = 0; i < 3 * (size_t)nodes; i++) sum += u[i] * u[i];
        energy[k] = sum / (nodes * vortex->speed * vortex->speed / 2);
        if (!isfinite(energy[k])) {
            status = rill_fail(RILL_NUMERICS, "the energy is not finite after %llu steps",
                               (unsigned long long)rill_sim_steps(sim));
            goto done;
        }
    }
done:
    omp_set_num_threads(threads);
    rill_array_destroy(u);
    rill_array_destroy(rho);
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    return status;
}
