/* SPDX-License-Identifier: Apache-2.0 */
/* Driving a flow until it is steady. */
#include "verify/steady.h"

#include "core/status.h"
#include "geometry/surface/mesh.h"
#include "kernel/storage/storage.h"
#include "sim/sim.h"

#include <math.h>
#include <omp.h>

rill_verify_until rill_verify_until_of(rill_variant variant, double tau, double width, uint64_t every)
{
    const double nu = (tau - 0.5) / 3, diffusion = 1.5 * width * width / nu;
    static const double change[RILL_VERIFY_PRECISIONS] = {1e-9, 1e-7, 0};
    const rill_verify_precision precision = rill_verify_precision_of(variant);
    const double most = change[precision] > 0 ? fmax(100000, 10 * diffusion) : diffusion;
    return (rill_verify_until){every, change[precision], every * (uint64_t)ceil(most / (double)every)};
}

rill_sim_options rill_verify_options(const rill_verify_setup *setup, double tau)
{
    rill_sim_options options = rill_sim_options_default();
    options.variant = setup->variant;
    options.on = setup->on;
    options.magic = setup->magic;
    options.tau = tau;
    return options;
}

int rill_verify_threads_fit(uint64_t nodes)
{
    enum { few = 16384 };
    const int before = omp_get_max_threads();
    if (nodes < few) omp_set_num_threads(1);
    return before;
}

double rill_verify_magic(const rill_sim_options *o)
{
    const bool free = o->variant.collision == RILL_TRT || o->variant.collision == RILL_MRT;
    return free ? o->magic : (o->tau - 0.5) * (o->tau - 0.5);
}

double rill_verify_magic_tau(const rill_verify_setup *setup, double tau)
{
    return setup->variant.collision == RILL_SRT ? 0.5 + sqrt(setup->magic) : tau;
}

double rill_verify_rounding(rill_storage storage, double speed, double force)
{
    return fmin(ldexp(speed / force, -1 - rill_storage_digits((int)storage)), 0.25);
}

rill_status rill_verify_flow_drive(const rill_geom *geom, int axis, const rill_sim_options *options,
                                   const rill_verify_until *until, rill_verify_flow *flow)
{
    rill_status status = RILL_OK;
    const rill_domain_options domain_options = {options->variant.lattice, axis};
    const double nu = (options->tau - 0.5) / 3;
    double before = 0, change = INFINITY;
    *flow = (rill_verify_flow){.geom = geom, .axis = axis};
    RILL_TRY(rill_domain_create(geom, &domain_options, &flow->domain));
    RILL_TRY(rill_sim_create(flow->domain, options, &flow->sim));
    RILL_TRY(rill_sim_walls_add(flow->sim, false));
    flow->threads = rill_verify_threads_fit(rill_domain_nodes(flow->domain));
    while (change > until->change && rill_sim_steps(flow->sim) < until->steps) {
        rill_totals totals;
        RILL_TRY(rill_sim_step(flow->sim, until->every));
        RILL_TRY(rill_sim_totals(flow->sim, &totals));
        flow->momentum = totals.momentum[axis];
        flow->speed_max = totals.speed_max;
        if (totals.not_finite || !isfinite(flow->momentum)) {
            status = rill_fail(RILL_NUMERICS, "%llu nodes are not finite after %llu steps",
                               (unsigned long long)totals.not_finite,
                               (unsigned long long)rill_sim_steps(flow->sim));
            goto done;
        }
        change = until->change > 0 ? fabs(flow->momentum - before) / fabs(flow->momentum) : INFINITY;
        before = flow->momentum;
    }
    flow->rounding =
        rill_verify_rounding(options->variant.storage, flow->speed_max, fabs(options->force[axis]));
    flow->mobility = nu * flow->momentum / options->force[axis] / rill_domain_nodes(flow->domain);
    if (until->change > 0 && !(change <= until->change))
        status = rill_fail(RILL_NUMERICS,
                           "nu u/F = %.9g still changes by %.2g in %llu steps after %llu steps (limit %g)",
                           flow->mobility, change, (unsigned long long)until->every,
                           (unsigned long long)rill_sim_steps(flow->sim), until->change);
done:
    return status;
}

void rill_verify_flow_end(rill_verify_flow *flow)
{
    if (flow->threads) omp_set_num_threads(flow->threads);
    rill_sim_destroy(flow->sim);
    rill_domain_destroy(flow->domain);
    *flow = (rill_verify_flow){.geom = NULL};
}

rill_status rill_verify_mobility(const rill_geom *geom, int axis, const rill_sim_options *options,
                                 const rill_verify_until *until, double *mobility, double *rounding)
{
    rill_verify_flow flow;
    const rill_status status = rill_verify_flow_drive(geom, axis, options, until, &flow);
    *mobility = flow.mobility;
    if (rounding) *rounding = flow.rounding;
    rill_verify_flow_end(&flow);
    return status;
}

rill_status rill_verify_tube_settle(rill_sim *sim, const double axis[3], double radius, double nu,
                                    double change, double *along)
{
    rill_status status = RILL_OK;
    enum { PARTS = 80 };
    const uint64_t part = (uint64_t)ceil(radius * radius / (4 * 5.783 * nu));
    double moved = INFINITY;
    *along = 0;
    for (int k = 0; k < PARTS && moved > change; k++) {
        rill_totals totals;
        RILL_TRY(rill_sim_step(sim, part));
        RILL_TRY(rill_sim_totals(sim, &totals));
        const double now = rill_dot(totals.momentum, axis);
        if (totals.not_finite || !isfinite(now))
            RILL_TRY(rill_fail(RILL_NUMERICS, "the flow diverged within %llu steps",
                               (unsigned long long)rill_sim_steps(sim)));
        moved = fabs(now - *along) / fabs(now);
        *along = now;
    }
    if (moved > change)
        RILL_TRY(rill_fail(RILL_NUMERICS, "the flow still changes by %.2g after %llu steps", moved,
                           (unsigned long long)rill_sim_steps(sim)));
done:
    return status;
}
