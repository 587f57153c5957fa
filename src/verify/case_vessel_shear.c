/* SPDX-License-Identifier: Apache-2.0 */
/* Wall shear on triangles of pipes with interpolated bounce-back. */
#include "core/status.h"
#include "verify/groups.h"
#include "verify/vessel_unfit.h"
#include "verify/vessel_shear.h"

#include <math.h>

typedef struct shear {
    double radius;
    bool tilted;
    double from; /* the order from this radius on is found, too: means of four offsets of the axis, as single
                    ones scatter; 0: none */
} shear;

static rill_status pipe_run(const rill_verify_setup *setup, double radius, bool tilted,
                            const double offset[2], double *l2, double *rounding)
{
    rill_status status = RILL_OK;
    /* Eight layers along the lattice; tilted, as long as the box. */
    const rill_verify_vessel_pipe pipe = {
        .radius = radius, .tilt = {tilted, tilted ? 1 : 8}, .offset = {offset[0], offset[1]}, .speed = 0.02};
    rill_verify_vessel_shape shape = {.geom = NULL};
    rill_verify_flow flow = {0};
    rill_verify_vessel_shear_found found;
    rill_sim_options options = rill_verify_options(setup, 0.8);
    const rill_verify_until until = rill_verify_until_of(options.variant, 0.8, 2 * radius, 100);
    const double nu = (options.tau - 0.5) / 3, force = 4 * nu * pipe.speed / (radius * radius);
    RILL_TRY(rill_verify_vessel_shape_make(&pipe, &shape));
    for (int a = 0; a < 3; a++) options.force[a] = force * shape.axis[a];
    RILL_TRY(rill_verify_flow_drive(shape.geom, 2, &options, &until, &flow));
    RILL_TRY(rill_verify_vessel_ring(&pipe, &shape));
    RILL_TRY(rill_verify_vessel_shear_take(&shape, flow.domain, flow.sim, nu, force * radius / 2, &found));
    *l2 = found.l2;
    *rounding = flow.rounding;
done:
    rill_verify_flow_end(&flow);
    rill_verify_vessel_shape_free(&shape);
    return status;
}

/* The mean over offsets. */
static rill_status pipes_run(const rill_verify_setup *setup, double radius, const shear *s, double *l2,
                             double *rounding)
{
    rill_status status = RILL_OK;
    static const double offsets[4][2] = {{0.25, 0.25}, {0, 0}, {0.5, 0}, {0.5, 0.5}};
    const int count = s->from > 0 ? 4 : 1;
    *l2 = 0;
    for (int k = 0; k < count; k++) {
        double one;
        RILL_TRY(pipe_run(setup, radius, s->tilted, offsets[k], &one, rounding));
        *l2 += one / count;
    }
done:
    return status;
}

static rill_status shear_run(const rill_verify_case *of, const rill_verify_setup *setup,
                             rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const shear *s = of->data;
    double coarse, rounding;
    RILL_TRY(pipes_run(setup, s->radius, s, &values->found[0], &rounding));
    values->rounding[0] = rounding;
    if (!(s->from > 0)) return RILL_OK;
    RILL_TRY(pipes_run(setup, s->from, s, &coarse, &rounding));
    values->found[1] = log(coarse / values->found[0]) / log(s->radius / s->from);
done:
    return status;
}

/* Limits at radius 16. In 16 bits the stress is mostly rounding. */
#define L2(limit_)                                                                                           \
    {                                                                                                        \
        "L2 error of the wall shear", "", RILL_VERIFY_AT_MOST, 0, {limit_, limit_, INFINITY}, "G R / 2"      \
    }
#define ORDER                                                                                                \
    {                                                                                                        \
        "order of the wall shear", "", RILL_VERIFY_AT_LEAST, 0, {0.9, 0.9, -INFINITY}, "first order"         \
    }
#define SHEAR(name_, full_, radius_, tilted_, from_, what_, ...)                                             \
    {                                                                                                        \
        .name = "vessels/" name_, .what = "shear on triangles of the wall, tau 0.8, " what_, .full = full_,  \
        RILL_VERIFY_LIST(__VA_ARGS__), .data = &(const shear){radius_, tilted_, from_},                      \
        .unfit = rill_verify_vessel_trt_unfit, .run = shear_run                                              \
    }

static const rill_verify_case cases[] = {
    SHEAR("shear-16", false, 16, false, 8, "pipes of radius 8 and 16", L2(0.01), ORDER),
    SHEAR("shear-tilted-16", false, 16, true, 0, "tilted pipe of radius 16", L2(0.01)),
    SHEAR("shear-tilted-order", true, 16, true, 8, "tilted pipes of radius 8 and 16", L2(0.01), ORDER),
    SHEAR("shear-32", true, 32, false, 8, "pipes of radius 8 to 32", L2(0.005), ORDER),
    SHEAR("shear-tilted-32", true, 32, true, 8, "tilted pipes of radius 8 to 32", L2(0.005), ORDER)};

const rill_verify_group rill_verify_vessel_shear = {cases, sizeof cases / sizeof *cases};
