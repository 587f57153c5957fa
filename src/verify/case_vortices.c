/* SPDX-License-Identifier: Apache-2.0 */
/* The viscosity that a Taylor-Green vortex decays with, and the order in which its error falls. */
#include "core/status.h"
#include "verify/groups.h"
#include "verify/steady.h"
#include "verify/vortex.h"

#include <math.h>

/* nu found over nu set, from the energy between half and two and a half decay times. */
static rill_status viscosity(const rill_verify_setup *setup, uint32_t cells, double *ratio)
{
    rill_status status = RILL_OK;
    const rill_sim_options options = rill_verify_options(setup, 0.8);
    rill_verify_vortex vortex = {.cells = cells, .speed = 1.28 / cells, .samples = 5};
    const double rate = rill_verify_vortex_rate(&vortex, options.tau);
    vortex.every = 2 * (uint64_t)(0.25 / rate + 0.5);
    double energy[6];
    RILL_TRY(rill_verify_vortex_run(&vortex, &options, energy));
    *ratio = log(energy[1] / energy[5]) / (4 * (double)vortex.every * rate);
done:
    return status;
}

static rill_status run(const rill_verify_case *of, const rill_verify_setup *setup, rill_verify_values *values)
{
    rill_status status = RILL_OK;
    (void)of;
    double coarse;
    RILL_TRY(viscosity(setup, 32, &coarse));
    RILL_TRY(viscosity(setup, 64, &values->found[0]));
    values->found[1] = log2(fabs(coarse - 1) / fabs(values->found[0] - 1));
done:
    return status;
}

static const rill_verify_case cases[] = {
    {.name = "vortices/viscosity",
     .what = "Taylor-Green vortex on 32 and 64 voxels, U N = 1.28",
     RILL_VERIFY_LIST({"nu found / nu set, 64 voxels",
                       "",
                       RILL_VERIFY_RELATIVE,
                       1,
                       {1e-3, 1e-3, 0.01},
                       "Taylor & Green 1937, doi:10.1098/rspa.1937.0036"},
                      {"order of convergence",
                       "",
                       RILL_VERIFY_ABSOLUTE,
                       2,
                       {0.1, INFINITY, INFINITY},
                       "second order, no rounding"}),
     .run = run},
};

const rill_verify_group rill_verify_vortices = {cases, sizeof cases / sizeof *cases};
