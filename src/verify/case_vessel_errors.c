/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of pressure drop and wall shear by cells across, relaxation time, collision and Womersley number, in
 * pipes along (1, 2, 2). Nothing is judged: `rill check` states them, from data/wall-shear-errors.csv
 * (scripts/wall-shear-errors).
 */
#include "core/status.h"
#include "verify/groups.h"
#include "verify/vessel_pulse.h"
#include "verify/vessel_unfit.h"

#include <math.h>

#define REYNOLDS 200 /* of r, at most: a pipe is steady far above */

typedef struct errors {
    rill_lattice lattice;
    rill_collision collision;
    double tau;
    double alpha; /* 0: steady */
    double r[2];  /* as many as a third of the checks */
} errors;

static rill_status steady(const errors *e, double r, const rill_verify_setup *setup,
                          rill_verify_vessel_found *found)
{
    const double nu = (e->tau - 0.5) / 3;
    double speed = fmin(RILL_VERIFY_DUCT_SPEED, REYNOLDS * nu / r);
    if (e->collision == RILL_TRT) speed = fmin(speed, RILL_VERIFY_TRT_CELL_REYNOLDS * nu);
    const rill_verify_duct duct = {.kind = RILL_VERIFY_CIRCLE, .along = {1, 2, 2}, .r = r, .speed = speed};
    return rill_verify_duct_measure(&duct, nu, e->lattice, e->collision, setup, found);
}

static double larger(double a, double b) { return fabs(a - 1) > fabs(b - 1) ? a : b; }

/* The larger errors of pipes along (1, 2, 2) and along z: beside oblique walls the flow and the stresses of
 * nodes have errors that are opposite to those of the extrapolation through a thin boundary layer. */
static rill_status oscillating(const errors *e, double r, const rill_verify_setup *setup,
                               rill_verify_vessel_found *found)
{
    rill_status status = RILL_OK;
    rill_verify_vessel_found straight;
    rill_verify_pulse pulse = {e->lattice, e->collision, e->alpha, e->tau, {0, 0, 1}};
    RILL_TRY(rill_verify_pulse_measure(&pulse, r, setup, &straight));
    pulse.along[0] = 1;
    pulse.along[1] = pulse.along[2] = 2;
    RILL_TRY(rill_verify_pulse_measure(&pulse, r, setup, found));
    found->pressure = larger(straight.pressure, found->pressure);
    found->mean = larger(straight.mean, found->mean);
    found->l2 = fmax(straight.l2, found->l2);
done:
    return status;
}

static rill_status one(const errors *e, double r, const rill_verify_setup *setup,
                       rill_verify_vessel_found *found)
{
    return e->alpha > 0 ? oscillating(e, r, setup, found) : steady(e, r, setup, found);
}

static rill_status errors_run(const rill_verify_case *of, const rill_verify_setup *setup,
                              rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const errors *e = of->data;
    for (int k = 0; k < of->check_count / 3; k++) {
        rill_verify_vessel_found found;
        RILL_TRY(one(e, e->r[k], setup, &found));
        values->found[3 * k] = found.pressure - 1;
        values->found[3 * k + 1] = found.mean - 1;
        values->found[3 * k + 2] = found.l2;
    }
done:
    return status;
}

#define SHOWN(what_, source_)                                                                                \
    {                                                                                                        \
        what_, "", RILL_VERIFY_AT_MOST, 0, {INFINITY, INFINITY, INFINITY}, source_                           \
    }
#define CELLS(cells_, source_)                                                                               \
    SHOWN("pressure drop less 1, " #cells_ " cells", source_),                                               \
        SHOWN("mean wall shear less 1, " #cells_ " cells", source_),                                         \
        SHOWN("L2 error of the wall shear, " #cells_ " cells", source_)
#define ERRORS(name_, what_, lattice_, collision_, tau_, alpha_, r_, second_, ...)                           \
    {                                                                                                        \
        .name = "vessels/error-" name_, .full = true, .what = what_ ", " #lattice_ " " #collision_,          \
        RILL_VERIFY_LIST(__VA_ARGS__),                                                                       \
        .data = &(const errors){RILL_##lattice_, RILL_##collision_, tau_, alpha_, {r_, second_}},            \
        .unfit = rill_verify_vessel_unfit, .run = errors_run                                                 \
    }
/* In three cases, of which a CPU has time for the first and some of the second. */
#define SIZES(name_, what_, lattice_, collision_, tau_, alpha_, source_)                                     \
    ERRORS(name_, what_, lattice_, collision_, tau_, alpha_, 4, 6, CELLS(8, source_), CELLS(12, source_)),   \
        ERRORS(name_ "-20", what_, lattice_, collision_, tau_, alpha_, 10, 0, CELLS(20, source_)),           \
        ERRORS(name_ "-40", what_, lattice_, collision_, tau_, alpha_, 20, 0, CELLS(40, source_))
#define STEADY(name_, lattice_, collision_, tau_)                                                            \
    SIZES(name_ "-" #tau_, "pipes along (1, 2, 2), tau " #tau_, lattice_, collision_, tau_, 0, "exact flow")
#define TAUS(name_, lattice_, collision_)                                                                    \
    STEADY(name_, lattice_, collision_, 0.502), STEADY(name_, lattice_, collision_, 0.51),                   \
        STEADY(name_, lattice_, collision_, 0.55), STEADY(name_, lattice_, collision_, 0.8)
#define WOMERSLEY "Womersley 1955, doi:10.1113/jphysiol.1955.sp005276"
#define PULSE(name_, collision_, alpha_, tau_)                                                               \
    SIZES("pulse-" name_, "Womersley flow in pipes along (1, 2, 2) and z, alpha " #alpha_ ", tau " #tau_,    \
          D3Q27, collision_, tau_, alpha_, WOMERSLEY)

/* How a thin boundary layer lies between nodes changes the error of the mean by half, back and forth with the
 * width of the pipe: more widths. */
#define WIDTHS(name_, collision_, alpha_, tau_)                                                              \
    ERRORS("pulse-" name_ "-14",                                                                             \
           "Womersley flow in pipes along (1, 2, 2) and z, alpha " #alpha_ ", tau " #tau_, D3Q27,            \
           collision_, tau_, alpha_, 5, 7, CELLS(10, WOMERSLEY), CELLS(14, WOMERSLEY)),                      \
        ERRORS("pulse-" name_ "-18",                                                                         \
               "Womersley flow in pipes along (1, 2, 2) and z, alpha " #alpha_ ", tau " #tau_, D3Q27,        \
               collision_, tau_, alpha_, 8, 9, CELLS(16, WOMERSLEY), CELLS(18, WOMERSLEY))

static const rill_verify_case cases[] = {TAUS("trt", D3Q27, TRT),
                                         TAUS("trt-d3q19", D3Q19, TRT),
                                         TAUS("central-moment", D3Q19, CENTRAL_MOMENT),
                                         TAUS("central-moment-d3q27", D3Q27, CENTRAL_MOMENT),
                                         TAUS("cumulant", D3Q27, CUMULANT),
                                         PULSE("2", CUMULANT, 2, 0.53),
                                         PULSE("4", CUMULANT, 4, 0.53),
                                         PULSE("8", CUMULANT, 8, 0.53),
                                         WIDTHS("4", CUMULANT, 4, 0.53),
                                         PULSE("4-0.505", CUMULANT, 4, 0.505),
                                         PULSE("trt-4", TRT, 4, 0.53),
                                         WIDTHS("trt-4", TRT, 4, 0.53)};

const rill_verify_group rill_verify_vessel_accuracies = {cases, sizeof cases / sizeof *cases};
