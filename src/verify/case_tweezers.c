/* SPDX-License-Identifier: Apache-2.0 */
/* A red blood cell between optical tweezers, beside measured diameters. docs/capsules.md */
#include "core/status.h"
#include "verify/capsule.h"
#include "verify/groups.h"
#include "verify/tweezers.h"

static rill_status tweezers_run(const rill_verify_case *of, const rill_verify_setup *setup,
                                rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const rill_verify_tweezers_case *c = of->data;
    rill_verify_tweezers_outcome out;
    RILL_TRY(rill_verify_tweezers(c, setup, &out));
    for (int k = 0; k < c->count; k++) {
        values->found[2 * k] = 1e6 * out.axial[k];
        values->found[2 * k + 1] = 1e6 * out.transverse[k];
    }
    values->found[2 * c->count] = out.drift;
    values->found[2 * c->count + 1] = out.volume;
done:
    return status;
}

static const char MILLS[] = "Mills et al. 2004, doi:10.3970/mcb.2004.001.169",
                  EQUILIBRIUM[] = "at rest a shape no longer changes";

/* The bars of the measurement are all that is added to a limit of 0. */
#define DIAMETER(force_, which_)                                                                             \
    {                                                                                                        \
        which_ " diameter, " #force_ " pN", "um", RILL_VERIFY_ABSOLUTE, 0, {0, 0, 0}, MILLS,                 \
        {                                                                                                    \
            "tweezers", #force_, which_ " [um]", which_ " uncertainty", 0                                    \
        }                                                                                                    \
    }
#define DIAMETERS(force_) DIAMETER(force_, "axial"), DIAMETER(force_, "transverse")

static const rill_verify_case cases[] = {
    {.name = "capsules/tweezers",
     .what = "red blood cell between optical tweezers, Skalak, C 10, G 5.3 uN/m",
     RILL_VERIFY_LIST(
         DIAMETERS(31), DIAMETERS(68), DIAMETERS(109), DIAMETERS(151), DIAMETERS(193),
         {"change in the last steps", "", RILL_VERIFY_AT_MOST, 0, {0.005, 0.005, 0.005}, EQUILIBRIUM},
         {"volume lost", "", RILL_VERIFY_AT_MOST, 0, {0.01, 0.01, 0.01}, EQUILIBRIUM}),
     .data = &(const rill_verify_tweezers_case){.radius = 3.91e-6,
                                                .voxels = 6,
                                                .contact = 2e-6,
                                                .shear = 5.3e-6,
                                                .dilatation = 10,
                                                .bending = 2e-19,
                                                .volume = 40,
                                                .count = 5,
                                                .force = {31e-12, 68e-12, 109e-12, 151e-12, 193e-12}},
     .unfit = rill_verify_capsule_unfit,
     .run = tweezers_run},
};

const rill_verify_group rill_verify_tweezers_cases = {cases, sizeof cases / sizeof *cases};
