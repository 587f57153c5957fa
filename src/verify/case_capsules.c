/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spheres with an elastic membrane in shear flow: the limit of small deformations, and steady deformations
 * that another method found (scripts/capsule-reference). Each is extrapolated from two radii, as the error is
 * of second order: docs/capsules.md.
 */
#include "core/status.h"
#include "verify/capsule.h"
#include "verify/groups.h"

#include <math.h>

/* Radii, voxels. */
static const double COARSE = 4, FINE = 6;

/* What is sheared, how slowly and for how long. */
typedef struct shear {
    rill_membrane_law law;
    double capillary, reynolds, tau, strain;
    double box; /* edge over the radius */
} shear;

/* Return what a value is in the limit of small voxels, with an error of second order. */
static double limit_of(double coarse, double fine)
{
    return fine + (fine - coarse) / (FINE * FINE / (COARSE * COARSE) - 1);
}

/* Find deformation and inclination at the end, and the worst of the volumes. */
static rill_status shear_run(const shear *s, const rill_verify_setup *setup, double *deformation,
                             double *inclination, double *volume)
{
    rill_status status = RILL_OK;
    rill_capsule_outcome out[2];
    const double radii[2] = {COARSE, FINE};
    *volume = 0;
    for (int k = 0; k < 2; k++) {
        rill_capsule_case c = rill_verify_capsule(setup, radii[k], s->box);
        c.law = s->law;
        c.capillary = s->capillary;
        c.reynolds = s->reynolds;
        c.tau = s->tau;
        c.strain = s->strain;
        RILL_TRY(rill_capsule_run(&c, &out[k]));
        *volume = fmax(*volume, fabs(out[k].last.volume - 1));
    }
    *deformation = limit_of(out[0].last.deformation, out[1].last.deformation);
    *inclination = limit_of(out[0].last.inclination, out[1].last.inclination);
done:
    return status;
}

/* Plates and images of a box of 8 radii make small deformations larger by this factor (docs/capsules.md). */
static const double BOX_OF_8 = 1.013;

static rill_status small_run(const rill_verify_case *of, const rill_verify_setup *setup,
                             rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const shear *s = of->data;
    double inclination;
    RILL_TRY(shear_run(s, setup, &values->found[0], &inclination, &values->found[1]));
    values->found[0] /= s->capillary * BOX_OF_8;
done:
    return status;
}

static rill_status steady_run(const rill_verify_case *of, const rill_verify_setup *setup,
                              rill_verify_values *values)
{
    return shear_run(of->data, setup, &values->found[0], &values->found[1], &values->found[2]);
}

static const char BARTHES[] = "Barthes-Biesel & Rallison 1981, doi:10.1017/S0022112081001480",
                  REFERENCE[] = "scripts/capsule-reference";

#define SMALL(name_, law_)                                                                                   \
    {                                                                                                        \
        .name = "capsules/" name_ "-small", .what = name_ " sphere, Ca 0.02: D/Ca of small deformations",    \
        RILL_VERIFY_LIST(                                                                                    \
            {"deformation over Ca", "", RILL_VERIFY_RELATIVE, 25.0 / 12, {0.01, 0.01, INFINITY}, BARTHES},   \
            {"volume lost", "", RILL_VERIFY_AT_MOST, 0, {1e-3, 1e-3, INFINITY}, BARTHES}),                   \
        .data = &(const shear){law_, 0.02, 0.02, 1, 0.4, 8}, .unfit = rill_verify_capsule_unfit,             \
        .run = small_run                                                                                     \
    }
#define STEADY(name_, law_, ca_, full_, reynolds_, tau_, strain_)                                            \
    {                                                                                                        \
        .name = "capsules/" name_ "-" #ca_, .what = name_ " sphere in shear, Ca " #ca_, .full = full_,       \
        RILL_VERIFY_LIST({"deformation",                                                                     \
                          "",                                                                                \
                          RILL_VERIFY_RELATIVE,                                                              \
                          0,                                                                                 \
                          {0.03, 0.03, 0.03},                                                                \
                          REFERENCE,                                                                         \
                          {"capsules", name_ " " #ca_, "deformation", "uncertainty", 0}},                    \
                         {"inclination",                                                                     \
                          "degrees",                                                                         \
                          RILL_VERIFY_RELATIVE,                                                              \
                          0,                                                                                 \
                          {0.03, 0.03, 0.03},                                                                \
                          REFERENCE,                                                                         \
                          {"capsules", name_ " " #ca_, "inclination [degrees]", NULL, 0}},                   \
                         {"volume lost", "", RILL_VERIFY_AT_MOST, 0, {0.01, 0.01, 0.01}, REFERENCE}),        \
        .data = &(const shear){law_, ca_, reynolds_, tau_, strain_, 10}, .unfit = rill_verify_capsule_unfit, \
        .run = steady_run                                                                                    \
    }

static const rill_verify_case cases[] = {
    SMALL("neo-hookean", RILL_NEO_HOOKEAN),
    STEADY("neo-hookean", RILL_NEO_HOOKEAN, 0.15, true, 0.1, 1.5, 4),
    STEADY("neo-hookean", RILL_NEO_HOOKEAN, 0.3, false, 0.1, 2, 5),
    STEADY("neo-hookean", RILL_NEO_HOOKEAN, 0.6, true, 0.1, 2, 6),
    SMALL("skalak", RILL_SKALAK),
    STEADY("skalak", RILL_SKALAK, 0.3, false, 0.1, 2, 4),
    STEADY("skalak", RILL_SKALAK, 0.6, true, 0.1, 2, 5),
};

const rill_verify_group rill_verify_capsules = {cases, sizeof cases / sizeof *cases};
