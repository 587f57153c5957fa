/* SPDX-License-Identifier: Apache-2.0 */
/* What field files ask a run for: moments of its nodes, and shear rates from their stresses. */
#include "vessel/run/run_priv.h"

#include "vessel/case/laws.h"
#include "vessel/run/transport.h"
#include "core/memory.h"
#include "core/status.h"

#include <math.h>

rill_status rill_run_moments(void *context, rill_node first, rill_node count, double *rho, double *u)
{
    const rill_run_loop *loop = context;
    return rill_sim_moments(loop->vessel->sim, first, count, rho, u);
}

rill_status rill_run_rates(void *context, rill_node first, rill_node count, double *rate)
{
    rill_status status = RILL_OK;
    const rill_run_loop *loop = context;
    const rill_vessel *v = loop->vessel;
    rill_sample *sample = NULL;
    rill_node *nodes = NULL;
    double *values = NULL;
    RILL_TRY(rill_array_create(count, sizeof *nodes, "shear rates", (void **)&nodes));
    RILL_TRY(rill_array_create(10 * (uint64_t)count, sizeof *values, "shear rates", (void **)&values));
    for (rill_node k = 0; k < count; k++) nodes[k] = first + k;
    RILL_TRY(rill_sim_sample_create(v->sim, nodes, count, &sample));
    RILL_TRY(rill_sim_sample_take(v->sim, sample, values));
    const double *s = values + 4 * (size_t)count; /* xx yy zz xy xz yz */
#pragma omp parallel for schedule(static)
    for (rill_node k = 0; k < count; k++) {
        double square = 0;
        for (size_t c = 0; c < 6; c++) square += (c < 3 ? 0.5 : 1) * s[c * count + k] * s[c * count + k];
        rate[k] = rill_shear_rate(&v->given->law, v->plan.scales.pressure * sqrt(square));
    }
done:
    rill_sample_destroy(sample);
    rill_array_destroy(nodes);
    rill_array_destroy(values);
    return status;
}

static rill_status copy(const float *from, double factor, rill_node first, rill_node count, double *values)
{
    for (rill_node k = 0; k < count; k++) values[k] = factor * (double)from[first + k];
    return RILL_OK;
}

rill_status rill_run_helicity(void *context, rill_node first, rill_node count, double *values)
{
    const rill_run_loop *loop = context;
    return copy(loop->helicity.density, 1, first, count, values);
}

rill_status rill_run_lnh(void *context, rill_node first, rill_node count, double *values)
{
    const rill_run_loop *loop = context;
    return copy(loop->helicity.lnh, 1, first, count, values);
}

rill_status rill_run_lnh_mean(void *context, rill_node first, rill_node count, double *values)
{
    const rill_run_loop *loop = context;
    return copy(loop->helicity.state->mean, 1 / loop->helicity.state->samples, first, count, values);
}

rill_status rill_run_concentration(void *context, rill_node first, rill_node count, double *values)
{
    return rill_transport_field(((const rill_run_loop *)context)->vessel, 0, first, count, values);
}

rill_status rill_run_residence(void *context, rill_node first, rill_node count, double *values)
{
    return rill_transport_field(((const rill_run_loop *)context)->vessel, 1, first, count, values);
}
