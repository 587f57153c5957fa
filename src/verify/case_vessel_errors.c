/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Errors of pressure drop and wall shear by cells across, relaxation time, collision and Womersley number, in
 * pipes along (1, 2, 2), and of other shapes. Nothing is judged: `rill check` states them, from
 * data/wall-shear-errors.csv and data/shape-errors.csv (scripts/wall-shear-errors).
 */
#include "core/status.h"
#include "vessel/plan/expected.h"
#include "verify/groups.h"
#include "verify/vessel_pulse.h"
#include "verify/vessel_unfit.h"

#include <math.h>

typedef struct errors {
    rill_lattice lattice;
    rill_collision collision;
    double tau;
    double alpha;                  /* 0: steady */
    double r[2];                   /* as many as a third of the checks */
    rill_verify_section_kind kind; /* of steady flow */
    bool straight;                 /* along z, in the middle of voxels and elsewhere */
} errors;

static double larger(double a, double b) { return fabs(a - 1) > fabs(b - 1) ? a : b; }

static void keep_larger(const rill_verify_vessel_found *one, rill_verify_vessel_found *found)
{
    found->pressure = larger(one->pressure, found->pressure);
    found->mean = larger(one->mean, found->mean);
    found->l2 = fmax(one->l2, found->l2);
}

/* The largest errors of pipes along z: where nodes lie just outside of the wall, they are several times as
 * large as where they lie just inside. */
static rill_status straight(rill_verify_duct duct, double nu, const errors *e, const rill_verify_setup *setup,
                            rill_verify_vessel_found *found)
{
    static const double asides[] = {0, 0.25, 0.5}, /* of the axis from a corner of voxels */
        less[] = {1e-4, 0.03, 0.25};               /* of the radius */
    rill_status status = RILL_OK;
    const double r = duct.r;
    *found = (rill_verify_vessel_found){.pressure = 1, .mean = 1};
    for (int k = 0; k < 9; k++) {
        rill_verify_vessel_found one;
        const bool odd = (long)ceil(2 * (r - less[k % 3])) % 2;
        duct.r = r - less[k % 3];
        duct.aside[0] = asides[k / 3] - 0.1 + (odd ? 0.5 : 0);
        duct.aside[1] = asides[k / 3] - 0.23 + (odd ? 0.5 : 0);
        RILL_TRY(rill_verify_duct_measure(&duct, nu, e->lattice, e->collision, setup, &one));
        keep_larger(&one, found);
    }
done:
    return status;
}

static rill_status steady(const errors *e, double r, const rill_verify_setup *setup,
                          rill_verify_vessel_found *found)
{
    const double nu = (e->tau - 0.5) / 3, most = e->kind == RILL_VERIFY_STENOSIS
                                                     ? RILL_EXPECTED_REYNOLDS_STENOSIS
                                                     : RILL_EXPECTED_REYNOLDS;
    double speed = fmin(RILL_EXPECTED_SPEED, most * nu / r);
    if (e->collision == RILL_TRT) speed = fmin(speed, RILL_EXPECTED_CELL_TRT * nu);
    rill_verify_duct duct = {.kind = e->kind, .along = {1, 2, 2}, .r = r, .speed = speed};
    if (!e->straight) return rill_verify_duct_measure(&duct, nu, e->lattice, e->collision, setup, found);
    duct.along[0] = duct.along[1] = 0;
    duct.along[2] = 1;
    return straight(duct, nu, e, setup, found);
}

/* The larger errors of pipes along (1, 2, 2) and along z: beside oblique walls the flow and the stresses of
 * nodes have errors that are opposite to those of the extrapolation through a thin boundary layer. */
static rill_status oscillating(const errors *e, double r, const rill_verify_setup *setup,
                               rill_verify_vessel_found *found)
{
    rill_status status = RILL_OK;
    rill_verify_vessel_found along_z;
    rill_verify_pulse pulse = {e->lattice, e->collision, e->alpha, e->tau, {0, 0, 1}};
    RILL_TRY(rill_verify_pulse_measure(&pulse, r, setup, &along_z));
    pulse.along[0] = 1;
    pulse.along[1] = pulse.along[2] = 2;
    RILL_TRY(rill_verify_pulse_measure(&pulse, r, setup, found));
    keep_larger(&along_z, found);
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
        rill_verify_vessel_put(&found, k, values);
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
        .data = &(const errors){.lattice = RILL_##lattice_,                                                  \
                                .collision = RILL_##collision_,                                              \
                                .tau = tau_,                                                                 \
                                .alpha = alpha_,                                                             \
                                .r = {r_, second_}},                                                         \
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

/* Shapes that err more than a pipe along (1, 2, 2). */
#define SHAPED(name_, what_, of_, collision_, tau_, straight_, r_, second_, ...)                             \
    {                                                                                                        \
        .name = "vessels/error-" name_, .full = true, .what = what_ ", tau " #tau_ ", " #collision_,         \
        RILL_VERIFY_LIST(__VA_ARGS__),                                                                       \
        .data = &(const errors){.lattice = RILL_D3Q27,                                                       \
                                .collision = RILL_##collision_,                                              \
                                .tau = tau_,                                                                 \
                                .r = {r_, second_},                                                          \
                                .kind = of_,                                                                 \
                                .straight = straight_},                                                      \
        .unfit = rill_verify_vessel_unfit, .run = errors_run                                                 \
    }
#define SHAPE(name_, what_, of_, collision_, tau_, straight_, source_)                                       \
    SHAPED(name_, what_, of_, collision_, tau_, straight_, 4, 6, CELLS(8, source_), CELLS(12, source_)),     \
        SHAPED(name_ "-20", what_, of_, collision_, tau_, straight_, 10, 0, CELLS(20, source_))
/* In pipes of 10 and of 20 cells twelve nodes are at once on the wall: the error goes up and down. */
#define SHAPES(collision_, name_, tau_)                                                                      \
    SHAPE("straight-" name_, "pipes along z", RILL_VERIFY_CIRCLE, collision_, tau_, true, "exact flow"),     \
        SHAPED("straight-" name_ "-14", "pipes along z", RILL_VERIFY_CIRCLE, collision_, tau_, true, 5, 7,   \
               CELLS(10, "exact flow"), CELLS(14, "exact flow")),                                            \
        SHAPE("triangle-" name_, "equilateral ducts along (1, 2, 2)", RILL_VERIFY_TRIANGLE, collision_,      \
              tau_, false, "exact flow"),                                                                    \
        SHAPE("stenosis-" name_, "half as wide in the throat, along (1, 2, 2)", RILL_VERIFY_STENOSIS,        \
              collision_, tau_, false, "scripts/tube-reference")

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
                                         WIDTHS("trt-4", TRT, 4, 0.53),
                                         SHAPES(TRT, "trt", 0.55),
                                         SHAPES(CUMULANT, "cumulant", 0.51)};

const rill_verify_group rill_verify_vessel_accuracies = {cases, sizeof cases / sizeof *cases};
