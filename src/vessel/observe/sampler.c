/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of a simulation at positions. */
#include "vessel/observe/sampler.h"

#include "core/memory.h"
#include "core/status.h"

rill_status rill_sampler_make(rill_sim *sim, const rill_domain *domain, const double (*places)[3],
                              uint64_t count, rill_sampler *out)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_points_make(domain, places, count, &out->points));
    if (out->points.node_count == 0) return RILL_OK;
    RILL_TRY(rill_array_create(10 * out->points.node_count, sizeof *out->values, "values at positions",
                               (void **)&out->values));
    RILL_TRY(rill_sim_sample_create(sim, out->points.nodes, out->points.node_count, &out->sample));
done:
    return status;
}

void rill_sampler_free(rill_sampler *sampler)
{
    rill_sample_destroy(sampler->sample);
    rill_array_destroy(sampler->values);
    rill_points_free(&sampler->points);
}

rill_status rill_sampler_take(rill_sampler *sampler, rill_sim *sim)
{
    return sampler->sample ? rill_sim_sample_take(sim, sampler->sample, sampler->values) : RILL_OK;
}

void rill_sampler_read(const rill_sampler *sampler, const rill_scales *scales, uint64_t place, double out[4])
{
    rill_points_take(&sampler->points, place, sampler->values, sampler->values + sampler->points.node_count,
                     out);
    out[0] = scales->base + scales->pressure * out[0] / 3;
    for (int a = 1; a < 4; a++) out[a] *= scales->velocity;
}
