/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes with interpolated bounce-back: steady and oscillating. */
#include "core/status.h"
#include "verify/groups.h"
#include "verify/vessel_unfit.h"
#include "verify/vessel_pipe.h"

#include <math.h>

static const char EXACT[] = "exact profile";

/* ---- Poiseuille ---- */

typedef struct steady {
    double radius;
    bool tilted;
    double from; /* radius that an order counts from */
} steady;

static rill_status poiseuille(const rill_verify_setup *setup, double radius, bool tilted,
                              rill_verify_vessel_errors *errors)
{
    const rill_verify_vessel_pipe pipe = {.radius = radius, .tilt = {tilted, 1}, .speed = 0.02};
    const rill_sim_options options = rill_verify_options(setup, 0.8);
    const rill_verify_until until = rill_verify_until_of(options.variant, 0.8, 2 * radius, 100);
    return rill_verify_vessel_poiseuille(&pipe, &options, &until, errors);
}

static rill_status steady_run(const rill_verify_case *of, const rill_verify_setup *setup,
                              rill_verify_values *values)
{
    const steady *s = of->data;
    rill_verify_vessel_errors errors;
    const rill_status status = poiseuille(setup, s->radius, s->tilted, &errors);
    values->found[0] = errors.l2;
    values->found[1] = errors.flow;
    values->rounding[0] = values->rounding[1] = errors.rounding;
    return status;
}

static rill_status order_run(const rill_verify_case *of, const rill_verify_setup *setup,
                             rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const steady *s = of->data;
    rill_verify_vessel_errors coarse, fine;
    RILL_TRY(poiseuille(setup, s->from, s->tilted, &coarse));
    RILL_TRY(poiseuille(setup, s->radius, s->tilted, &fine));
    values->found[0] = log(coarse.l2 / fine.l2) / log(s->radius / s->from);
done:
    return status;
}

/* How a case calls a pipe whose axis is tilted against the lattice, or is not. */
#define PIPE_false "pipe"
#define PIPE_true "tilted pipe"

#define STEADY(name_, full_, radius_, tilted_, limit_)                                                       \
    {                                                                                                        \
        .name = "vessels/" name_,                                                                            \
        .what = PIPE_##tilted_ " of radius " #radius_ ", tau 0.8, mean of four centre offsets",              \
        .full = full_,                                                                                       \
        RILL_VERIFY_LIST(                                                                                    \
            {"L2 error of u", "", RILL_VERIFY_AT_MOST, 0, {limit_, limit_, limit_}, EXACT},                  \
            {"error of the flow", "", RILL_VERIFY_AT_MOST, 0, {limit_, limit_, limit_}, "pi R^4 G / 8 mu"}), \
        .data = &(const steady){radius_, tilted_}, .unfit = rill_verify_vessel_trt_unfit, .run = steady_run  \
    }

/* From the first to the last of radii that double, which is the slope of a line fitted to three of them, too.
 */
#define ORDER(name_, full_, from_, radius_, tilted_)                                                         \
    {                                                                                                        \
        .name = "vessels/" name_,                                                                            \
        .what = PIPE_##tilted_ "s of radius " #from_ " to " #radius_ ", mean of four offsets",               \
        .full = full_,                                                                                       \
        RILL_VERIFY_LIST(                                                                                    \
            {"order of the velocity", "", RILL_VERIFY_AT_LEAST, 0, {1.8, 1.8, -INFINITY}, "second order"}),  \
        .data = &(const steady){radius_, tilted_, from_}, .unfit = rill_verify_vessel_trt_unfit,             \
        .run = order_run                                                                                     \
    }

/* ---- Womersley ---- */

typedef struct womersley {
    double radius, alpha;
} womersley;

static rill_status womersley_run(const rill_verify_case *of, const rill_verify_setup *setup,
                                 rill_verify_values *values)
{
    const womersley *w = of->data;
    const rill_verify_vessel_pipe pipe = {
        .radius = w->radius, .tilt = {0, 1}, .offset = {0.25, 0.25}, .speed = 0.1};
    const rill_sim_options options = rill_verify_options(setup, 0.8);
    rill_verify_vessel_errors errors;
    /* From the exact flow on, but what the walls make of it decays with R^2/(5.78 nu). */
    const double periods = ceil(1 + 8 * w->alpha * w->alpha / 5.78 / (2 * M_PI));
    const rill_status status = rill_verify_vessel_womersley(&pipe, w->alpha, periods, &options, &errors);
    values->found[0] = errors.l2;
    values->found[1] = errors.flow;
    return status;
}

#define WOMERSLEY(name_, full_, radius_, alpha_, limit_)                                                     \
    {                                                                                                        \
        .name = "vessels/" name_,                                                                            \
        .what = "force that oscillates, alpha " #alpha_ ", pipe of radius " #radius_ ", tau 0.8",            \
        .full = full_,                                                                                       \
        RILL_VERIFY_LIST({"L2 error of u over a period",                                                     \
                          "",                                                                                \
                          RILL_VERIFY_AT_MOST,                                                               \
                          0,                                                                                 \
                          {limit_, limit_, INFINITY},                                                        \
                          "Womersley 1955, doi:10.1113/jphysiol.1955.sp005276"},                             \
                         {"L2 error of the flow",                                                            \
                          "",                                                                                \
                          RILL_VERIFY_AT_MOST,                                                               \
                          0,                                                                                 \
                          {limit_, limit_, INFINITY},                                                        \
                          "Womersley 1955, doi:10.1113/jphysiol.1955.sp005276"}),                            \
        .data = &(const womersley){radius_, alpha_}, .unfit = rill_verify_vessel_trt_unfit,                  \
        .run = womersley_run                                                                                 \
    }

static const rill_verify_case cases[] = {
    STEADY("pipe-8", false, 8, false, 0.011),        STEADY("pipe-16", false, 16, false, 0.005),
    STEADY("pipe-32", true, 32, false, 0.001),       STEADY("pipe-tilted-8", false, 8, true, 0.011),
    STEADY("pipe-tilted-16", true, 16, true, 0.005), STEADY("pipe-tilted-32", true, 32, true, 0.001),
    ORDER("order-16", false, 8, 16, false),          ORDER("order-32", true, 8, 32, false),
    ORDER("order-tilted-8", false, 4, 8, true),      ORDER("order-tilted-32", true, 8, 32, true),
    WOMERSLEY("womersley-4", false, 16, 4, 0.005),   WOMERSLEY("womersley-8", false, 16, 8, 0.01),
    WOMERSLEY("womersley-12", false, 16, 12, 0.016), WOMERSLEY("womersley-8-32", true, 32, 8, 0.002),
};

const rill_verify_group rill_verify_vessel_pipes = {cases, sizeof cases / sizeof *cases};
