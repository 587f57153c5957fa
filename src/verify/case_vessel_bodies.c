/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies with interpolated bounce-back: arrays of spheres, and a cylinder in a channel. */
#include "core/status.h"
#include "geometry/generate/generate.h"
#include "verify/groups.h"
#include "verify/vessel_unfit.h"
#include "verify/steady.h"
#include "verify/street.h"

#include <math.h>

typedef struct body {
    rill_array array;
    double solid_fraction;
    uint32_t cells;
} body;

static rill_status spheres_run(const rill_verify_case *of, const rill_verify_setup *setup,
                               rill_verify_values *values)
{
    static const double count[RILL_ARRAY_COUNT] = {1, 2, 4};
    rill_status status = RILL_OK;
    const body *b = of->data;
    rill_geom *geom = NULL;
    rill_sim_options options = rill_verify_options(setup, 0.8);
    const rill_spheres_options spheres = {
        .array = b->array, .solid_fraction = b->solid_fraction, .cells = b->cells, .exact = true};
    const double radius = rill_spheres_radius(&spheres) / b->cells;
    RILL_TRY(rill_generate_spheres(&spheres, &geom));
    options.force[0] = (setup->variant.equilibrium != RILL_STOKES ? 1e-3 : 1) / pow(b->cells, 3);
    const rill_verify_until until = rill_verify_until_of(options.variant, options.tau, b->cells, 200);
    RILL_TRY(rill_verify_mobility(geom, 0, &options, &until, &values->found[0], &values->rounding[0]));
    values->found[0] *= (double)rill_geom_fluid(geom) / (double)rill_geom_voxels(geom) / b->cells / b->cells;
    values->expected[0] = 1 / (6 * M_PI * count[b->array] * radius * values->expected[0]);
done:
    rill_geom_destroy(geom);
    return status;
}

#define SPHERES(name_, what_, array_, c_, cells_)                                                            \
    {                                                                                                        \
        .name = "vessels/spheres-" name_,                                                                    \
        .what = what_ ", R about 12, tau 0.8, walls where the spheres are",                                  \
        RILL_VERIFY_LIST({"k/L^2",                                                                           \
                          "",                                                                                \
                          RILL_VERIFY_RELATIVE,                                                              \
                          0,                                                                                 \
                          {0.01, 0.01, 0.01},                                                                \
                          "Zick & Homsy 1982, doi:10.1017/S0022112082000627",                                \
                          {"sphere-arrays", #array_ " " #c_, "drag coefficient"}}),                          \
        .data = &(const body){RILL_##array_, c_, cells_}, .unfit = rill_verify_vessel_trt_unfit,             \
        .run = spheres_run                                                                                   \
    }

static const char SCHAEFER_TUREK[] = "Schaefer & Turek 1996, doi:10.1007/978-3-322-89849-4_39";

/* The intervals of the paper, that of the pressure over rho U^2 = 0.04. With 16 bits more is allowed. */
#define INTERVAL(quantity_, over_)                                                                           \
    {                                                                                                        \
        "schaefer-turek-1996", "3D-1Z " quantity_, "value", "half-width", over_                              \
    }
#define CYLINDER(name_, d_, speed_, start_)                                                                  \
    {                                                                                                        \
        .name = "vessels/" name_,                                                                            \
        .what = "cylinder of " #d_ " voxels in a square channel, Re 20, second-order equilibrium (3D-1Z)",   \
        .full = true,                                                                                        \
        RILL_VERIFY_LIST({"drag coefficient",                                                                \
                          "",                                                                                \
                          RILL_VERIFY_ABSOLUTE,                                                              \
                          0,                                                                                 \
                          {0, 0, 0.1},                                                                       \
                          SCHAEFER_TUREK,                                                                    \
                          INTERVAL("drag coefficient", 1)},                                                  \
                         {"lift coefficient",                                                                \
                          "",                                                                                \
                          RILL_VERIFY_ABSOLUTE,                                                              \
                          0,                                                                                 \
                          {0, 0, INFINITY},                                                                  \
                          SCHAEFER_TUREK,                                                                    \
                          INTERVAL("lift coefficient", 1)},                                                  \
                         {"pressure difference",                                                             \
                          "rho U^2",                                                                         \
                          RILL_VERIFY_ABSOLUTE,                                                              \
                          0,                                                                                 \
                          {0, 0, 0.125},                                                                     \
                          SCHAEFER_TUREK,                                                                    \
                          INTERVAL("pressure difference", 0.04)}),                                           \
        .data = &(const rill_verify_street){d_, speed_, 20, true, start_, start_ + 1, true},                 \
        .unfit = rill_verify_vessel_trt_unfit, .run = rill_verify_street_steady                              \
    }

static const rill_verify_case cases[] = {
    SPHERES("sc", "simple cubic, c 0.216, 32 voxels", SC, 0.216, 32),
    SPHERES("bcc", "body-centred, c 0.343, 35 voxels", BCC, 0.343, 35),
    SPHERES("fcc", "face-centred, c 0.343, 44 voxels", FCC, 0.343, 44),
    CYLINDER("cylinder-40", 40, 0.02, 60),
};

const rill_verify_group rill_verify_vessel_bodies = {cases, sizeof cases / sizeof *cases};
