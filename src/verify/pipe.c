/* SPDX-License-Identifier: Apache-2.0 */
/* Poiseuille flow in a pipe. */
#include "verify/pipe.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/generate/generate.h"
#include "verify/section.h"

#include <math.h>

static rill_verify_pipe_errors compare(const rill_verify_pipe *pipe, const rill_geom *geom,
                                       const double (*places)[3], const double *u, rill_node nodes)
{
    double wrong = 0, all = 0, flow = 0;
    for (rill_node k = 0; k < nodes; k++) {
        /* The generator puts the axis at the middle of the box plus the offset. */
        const double x = places[k][0] - geom->n[0] / 2.0 - pipe->offset[0],
                     y = places[k][1] - geom->n[1] / 2.0 - pipe->offset[1];
        const double exact = 1 - (x * x + y * y) / (pipe->radius * pipe->radius);
        wrong += (u[k] - exact) * (u[k] - exact);
        all += exact * exact;
        flow += u[k];
    }
    return (rill_verify_pipe_errors){sqrt(wrong / all), flow / (M_PI / 2 * pipe->radius * pipe->radius) - 1,
                                     0};
}

rill_status rill_verify_pipe_run(const rill_verify_pipe *pipe, const rill_sim_options *given,
                                 const rill_verify_until *until, rill_verify_pipe_errors *errors,
                                 double **out, rill_node *nodes)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    double(*places)[3] = NULL, *u = NULL;
    rill_verify_flow flow = {0};
    rill_sim_options options = *given;
    rill_pipe_options shape = rill_pipe_options_default();
    shape.radius = pipe->radius;
    shape.length = 1;
    for (int a = 0; a < 2; a++) shape.offset[a] = pipe->offset[a];
    options.force[2] = 4 * (options.tau - 0.5) / 3 * pipe->speed / (pipe->radius * pipe->radius);
    RILL_TRY(rill_generate_pipe(&shape, &geom));
    RILL_TRY(rill_verify_places(geom, &places));
    RILL_TRY(rill_verify_flow_drive(geom, 2, &options, until, &flow));
    const uint64_t count = rill_domain_nodes(flow.domain);
    RILL_TRY(rill_array_create(3 * (uint64_t)count, sizeof *u, "velocities", (void **)&u));
    RILL_TRY(rill_sim_moments(flow.sim, 0, count, NULL, u));
    for (rill_node k = 0; k < count; k++) u[k] = u[2 * (size_t)count + k] / pipe->speed;
    *errors = compare(pipe, geom, (const double(*)[3])places, u, count);
    errors->rounding = flow.rounding;
    if (nodes) *nodes = count;
    if (out) {
        *out = u;
        u = NULL;
    }
done:
    rill_verify_flow_end(&flow);
    rill_array_destroy(u);
    rill_array_destroy(places);
    rill_geom_destroy(geom);
    return status;
}

rill_status rill_verify_pipe_mean(const rill_verify_pipe *pipe, const rill_sim_options *options,
                                  const rill_verify_until *until, rill_verify_pipe_errors *errors)
{
    static const double offsets[4][2] = {{0, 0}, {0.5, 0}, {0.25, 0.25}, {0.5, 0.5}};
    *errors = (rill_verify_pipe_errors){0};
    for (int i = 0; i < 4; i++) {
        rill_verify_pipe shifted = *pipe;
        rill_verify_pipe_errors e;
        for (int a = 0; a < 2; a++) shifted.offset[a] = offsets[i][a];
        const rill_status status = rill_verify_pipe_run(&shifted, options, until, &e, NULL, NULL);
        if (status != RILL_OK) return status;
        errors->l2 += e.l2 / 4;
        errors->rounding += e.rounding / 4;
        errors->flow += fabs(e.flow) / 4;
    }
    return RILL_OK;
}
