/* SPDX-License-Identifier: Apache-2.0 */
/* Flow across square arrays of cylinders, with staircase surfaces: k/L^2 = mu U/F, F the drag per length. */
#include "core/status.h"
#include "verify/groups.h"
#include "verify/section.h"
#include "verify/steady.h"

#include <math.h>

typedef struct cylinders {
    double solid_fraction;
    uint32_t cells[2]; /* along an edge: in the quick, in the full set */
} cylinders;

/* Outside of a circle in the middle of a box of `cells` voxels. */
typedef struct circle {
    double middle, radius;
} circle;

static bool outside(const void *context, double x, double y)
{
    const circle *c = context;
    return hypot(x - c->middle, y - c->middle) > c->radius;
}

static rill_status run(const rill_verify_case *of, const rill_verify_setup *setup, rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const cylinders *c = of->data;
    rill_geom *geom = NULL;
    const uint32_t n = c->cells[setup->full];
    const circle section = {n / 2.0, n * sqrt(c->solid_fraction / M_PI)};
    const double tau = rill_verify_magic_tau(setup, 1.5);
    rill_sim_options options = rill_verify_options(setup, tau);
    const rill_verify_until until = rill_verify_until_of(options.variant, tau, n - 2 * section.radius, 200);
    options.force[0] = (setup->variant.equilibrium == RILL_STOKES ? 1 : 1e-3) / pow(n, 3);
    RILL_TRY(rill_verify_section(n, n, outside, &section, &geom));
    RILL_TRY(rill_verify_mobility(geom, 0, &options, &until, &values->found[0], &values->rounding[0]));
    values->found[0] *= (double)rill_geom_fluid(geom) / (double)rill_geom_voxels(geom) / ((double)n * n);
    values->expected[0] = 1 / values->expected[0];
done:
    rill_geom_destroy(geom);
    return status;
}

#define CYLINDERS(c_, error_)                                                                                \
    {                                                                                                        \
        .name = "cylinders/" #c_, .what = "square array of cylinders, c " #c_,                               \
        RILL_VERIFY_LIST({"k/L^2",                                                                           \
                          "",                                                                                \
                          RILL_VERIFY_RELATIVE,                                                              \
                          0,                                                                                 \
                          {error_, error_, error_},                                                          \
                          "Sangani & Acrivos 1982, doi:10.1016/0301-9322(82)90029-5",                        \
                          {"cylinder-arrays", #c_, "drag"}}),                                                \
        .data = &(const cylinders){c_, {96, 256}}, .run = run                                                \
    }

static const rill_verify_case cases[] = {
    CYLINDERS(0.1, 0.02), CYLINDERS(0.2, 0.02), CYLINDERS(0.3, 0.02),
    CYLINDERS(0.4, 0.02), CYLINDERS(0.5, 0.02),
};

const rill_verify_group rill_verify_cylinders = {cases, sizeof cases / sizeof *cases};
