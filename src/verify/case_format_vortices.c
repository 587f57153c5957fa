/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Number formats in the decay of a Taylor-Green vortex, after Lehmann et al. (2022),
 * doi:10.1103/PhysRevE.106.015308: the energy falls exponentially until rounding holds it.
 */
#include "core/status.h"
#include "verify/formats.h"
#include "verify/groups.h"
#include "verify/steady.h"
#include "verify/vortex.h"

#include <math.h>
#include <stdlib.h>

static const char LEHMANN[] = "Lehmann et al. 2022, doi:10.1103/PhysRevE.106.015308";

enum { samples = 120 };

/* Geometric mean of the energy in the last quarter; 0 when there is none left. */
static double plateau(const double *energy)
{
    double sum = 0;
    for (int i = samples - samples / 4; i < samples; i++) {
        if (!(energy[i] > 0)) return energy[i];
        sum += log(energy[i]);
    }
    return exp(sum / (samples / 4));
}

static rill_status run(const rill_verify_case *of, const rill_verify_setup *setup, rill_verify_values *values)
{
    rill_status status = RILL_OK;
    (void)of;
    rill_verify_curves *curves = NULL;
    rill_verify_vortex vortex = {.cells = setup->full ? 64 : 32, .speed = 0.1, .samples = samples - 1};
    const double tau = 0.8, rate = rill_verify_vortex_rate(&vortex, tau);
    vortex.every = 2 * (uint64_t)ceil(80 / rate / samples / 2); /* down to e^-80, 2e-35 */
    RILL_TRY(rill_verify_curves_create("vortex/energy", "Taylor-Green vortex, tau 0.8, U 0.1: energy",
                                       "decay times", "energy over the first", &curves));
    curves->points = samples;
    for (int i = 0; i < samples; i++) curves->x[i] = i * (double)vortex.every * rate;
    for (int k = 0; k < RILL_VERIFY_FORMAT_COUNT; k++) {
        const rill_verify_setup s = rill_verify_format_setup(setup, k);
        rill_sim_options options = rill_verify_options(&s, tau);
        options.variant.equilibrium = RILL_SECOND_ORDER;
        RILL_TRY(rill_verify_format_soften(rill_verify_vortex_run(&vortex, &options, curves->y[k])));
    }
    /* Plain populations are rounded at 2^-24, 2^-11, 2^-12 of 1/3 ... 1/36, so velocities end near that. */
    const double *const plain32 = curves->y[rill_verify_format_of(RILL_FP32, RILL_PLAIN)],
                        *const plain16 = curves->y[rill_verify_format_of(RILL_FP16S, RILL_PLAIN)],
                        *const plain16c = curves->y[rill_verify_format_of(RILL_FP16C, RILL_PLAIN)];
    values->found[0] = log10(sqrt(plateau(plain32)) * vortex.speed / ldexp(1, -24));
    values->found[1] = log10(sqrt(plateau(plain16)) * vortex.speed / ldexp(1, -11));
    values->found[2] = log10(sqrt(plateau(plain16c)) * vortex.speed / ldexp(1, -12));
    values->found[3] = plateau(curves->y[rill_verify_format_of(RILL_FP32, RILL_SHIFTED)]);
    values->found[4] = plateau(curves->y[rill_verify_format_of(RILL_FP16S, RILL_SHIFTED)]);
    RILL_TRY(rill_verify_curves_report(curves, values->series));
done:
    free(curves);
    return status;
}

static const rill_verify_case cases[] = {
    {.name = "formats/vortex",
     .what = "decay of a Taylor-Green vortex to e^-80 of its energy",
     RILL_VERIFY_LIST(
         {"plain fp32: log10 of last u over 2^-24", "", RILL_VERIFY_ABSOLUTE, 0, {1, 1, 1}, LEHMANN},
         {"plain fp16s: log10 of last u over 2^-11", "", RILL_VERIFY_ABSOLUTE, 0, {1, 1, 1}, LEHMANN},
         {"plain fp16c: log10 of last u over 2^-12", "", RILL_VERIFY_ABSOLUTE, 0, {1, 1, 1}, LEHMANN},
         {"fp32: last energy", "", RILL_VERIFY_AT_MOST, 0, {1e-12, 1e-12, 1e-12}, LEHMANN},
         {"fp16s: last energy", "", RILL_VERIFY_AT_MOST, 0, {INFINITY, INFINITY, INFINITY}, LEHMANN}),
     .run = run},
};

const rill_verify_group rill_verify_format_vortices = {cases, sizeof cases / sizeof *cases};
