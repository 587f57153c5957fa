/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes with interpolated bounce-back: steady, oscillating, and with blood. */
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

/* ---- blood ---- */

/* A law, and the flow that it makes: u(r) is the integral of the shear rate from the wall on. */
enum { PARTS = 2000 };

typedef struct blood {
    double u[PARTS + 1]; /* over that on the axis, at r = R k / PARTS */
} blood;

static double viscosity(const rill_sim_options *o, double g)
{
    const rill_carreau_yasuda *law = &o->carreau_yasuda;
    if (o->variant.rheology == RILL_CASSON)
        return fmin(o->casson.nu_max, pow(sqrt(o->casson.nu_inf) + sqrt(o->casson.yield / g), 2));
    return law->nu_inf +
           (law->nu_0 - law->nu_inf) * pow(1 + pow(law->lambda * g, law->a), (law->n - 1) / law->a);
}

/* Return the shear rate at a stress over density, by bisection: their product rises. */
static double shear_at(const rill_sim_options *o, double stress)
{
    double low = 0, high = 1;
    for (int k = 0; k < 100; k++) {
        const double g = (low + high) / 2;
        if (g > 0 && viscosity(o, g) * g > stress)
            high = g;
        else
            low = g;
    }
    return (low + high) / 2;
}

/* Fill in the profile. @param[out] mean  over that on the axis @return the velocity on the axis */
static double profile_of(const rill_sim_options *o, double radius, double force, blood *b, double *mean)
{
    double before = shear_at(o, force * radius / 2);
    const double h = radius / PARTS;
    b->u[PARTS] = 0;
    for (int k = PARTS - 1; k >= 0; k--) {
        const double middle = shear_at(o, force * (k + 0.5) * h / 2),
                     here = k ? shear_at(o, force * k * h / 2) : 0;
        b->u[k] = b->u[k + 1] + h / 6 * (before + 4 * middle + here);
        before = here;
    }
    const double axis = b->u[0];
    *mean = 0;
    for (int k = 0; k <= PARTS; k++) {
        b->u[k] /= axis;
        *mean += 2 * b->u[k] * k / PARTS / PARTS; /* u = 0 at the wall: the trapezoidal rule */
    }
    return axis;
}

static double profile_at(const void *context, double r)
{
    const blood *b = context;
    const double at = r * PARTS;
    const int k = (int)fmin(floor(at), PARTS - 1);
    return b->u[k] + (at - k) * (b->u[k + 1] - b->u[k]);
}

typedef struct law {
    rill_rheology rheology;
    double radius, nu;      /* nu_inf, lu */
    int lattice, collision; /* -1: those of the setup */
} law;

/*
 * Blood in an artery: with the shear rate at the wall at 100/s, Carreau-Yasuda as in leading vascular codes
 * (eta_inf 0.0035, eta_0 0.16 Pa s, lambda 8.2 s, a 0.64, n 0.2128), Casson with a yield stress of 0.005 Pa
 * beside 0.0035 Pa s.
 */
static rill_status blood_flow(const law *l, double offset, const rill_verify_setup *setup,
                              rill_verify_vessel_errors *errors)
{
    rill_sim_options options = rill_verify_options(setup, 0.8);
    const double nu = l->nu, at_wall = 0.05 / l->radius; /* lu */
    blood b;
    double mean;
    options.variant.rheology = l->rheology;
    if (l->collision >= 0) {
        options.variant.lattice = (rill_lattice)l->lattice;
        options.variant.collision = (rill_collision)l->collision;
        options.variant.equilibrium = RILL_SECOND_ORDER;
    }
    options.carreau_yasuda = (rill_carreau_yasuda){nu * 0.16 / 0.0035, nu, 8.2 * 100 / at_wall, 0.2128, 0.64};
    options.casson = (rill_casson){nu, nu * at_wall * 0.005 / (0.0035 * 100), 100 * nu};
    const double force = 2 * viscosity(&options, at_wall) * at_wall / l->radius;
    options.force[2] = force;
    options.tau = 0.5 + 3 * viscosity(&options, at_wall); /* says how long it takes */
    const rill_verify_vessel_pipe pipe = {.radius = l->radius,
                                          .tilt = {0, 1},
                                          .offset = {offset, 0.25},
                                          .speed = profile_of(&options, l->radius, force, &b, &mean)};
    const rill_verify_until until = rill_verify_until_of(options.variant, options.tau, 2 * l->radius, 200);
    return rill_verify_vessel_steady(&pipe, &options, &until, profile_at, &b, mean, errors);
}

static rill_status blood_run(const rill_verify_case *of, const rill_verify_setup *setup,
                             rill_verify_values *values)
{
    rill_verify_vessel_errors errors;
    const rill_status status = blood_flow(of->data, 0.25, setup, &errors);
    values->found[0] = errors.l2;
    values->found[1] = errors.flow;
    values->rounding[0] = values->rounding[1] = errors.rounding;
    return status;
}

/* From two thirds of the radius on, means of three offsets of the axis. */
static rill_status blood_order_run(const rill_verify_case *of, const rill_verify_setup *setup,
                                   rill_verify_values *values)
{
    rill_status status = RILL_OK;
    static const double offsets[] = {0, 0.25, 0.4};
    const law *fine = of->data;
    law coarse = *fine;
    double sum[2] = {0, 0};
    coarse.radius /= 1.5;
    for (int k = 0; k < 3; k++) {
        rill_verify_vessel_errors errors[2];
        RILL_TRY(blood_flow(fine, offsets[k], setup, &errors[0]));
        RILL_TRY(blood_flow(&coarse, offsets[k], setup, &errors[1]));
        for (int r = 0; r < 2; r++) sum[r] += errors[r].l2;
    }
    values->found[0] = log(sum[1] / sum[0]) / log(1.5);
done:
    return status;
}

#define BLOOD_CASE(name_, full_, what_, law_, radius_, nu_, lattice_, collision_, unfit_, limit_, source_)   \
    {                                                                                                        \
        .name = "vessels/" name_, .full = full_,                                                             \
        .what = "blood in a pipe of radius " #radius_ ", 100/s at the wall" what_,                           \
        RILL_VERIFY_LIST(                                                                                    \
            {"L2 error of u", "", RILL_VERIFY_AT_MOST, 0, {limit_, limit_, limit_}, source_ ", integrated"}, \
            {"flow over the exact one, less 1",                                                              \
             "",                                                                                             \
             RILL_VERIFY_ABSOLUTE,                                                                           \
             0,                                                                                              \
             {limit_, limit_, limit_},                                                                       \
             source_ ", integrated"}),                                                                       \
        .data = &(const law){law_, radius_, nu_, lattice_, collision_}, .unfit = unfit_, .run = blood_run    \
    }
#define BLOOD(name_, law_, radius_, limit_, source_)                                                         \
    BLOOD_CASE(name_, false, "", law_, radius_, 0.02, -1, -1, rill_verify_vessel_trt_unfit, limit_, source_)
/* With nu_inf at a tau of 0.51, as arteries have it. */
#define THIN_BLOOD(name_, full_, law_, radius_, lattice_, collision_, limit_, source_)                       \
    BLOOD_CASE(name_, full_, ", tau from 0.51 on, " #lattice_ " " #collision_, law_, radius_, 0.01 / 3,      \
               RILL_##lattice_, RILL_##collision_, rill_verify_vessel_unfit, limit_, source_)

#define THIN_BLOOD_ORDER(name_, law_, radius_, lattice_, collision_)                                         \
    {                                                                                                        \
        .name = "vessels/" name_, .full = true,                                                              \
        .what = "blood in pipes of radius " #radius_ " and two thirds of it, means of three offsets, tau "   \
                "from 0.51 on, " #lattice_ " " #collision_,                                                  \
        RILL_VERIFY_LIST(                                                                                    \
            {"order of the L2 error", "", RILL_VERIFY_AT_LEAST, 0, {1.8, 1.8, -INFINITY}, "second order"}),  \
        .data = &(const law){law_, radius_, 0.01 / 3, RILL_##lattice_, RILL_##collision_},                   \
        .unfit = rill_verify_vessel_unfit, .run = blood_order_run                                            \
    }

static const rill_verify_case cases[] = {
    STEADY("pipe-8", false, 8, false, 0.011),
    STEADY("pipe-16", false, 16, false, 0.005),
    STEADY("pipe-32", true, 32, false, 0.001),
    STEADY("pipe-tilted-8", false, 8, true, 0.011),
    STEADY("pipe-tilted-16", true, 16, true, 0.005),
    STEADY("pipe-tilted-32", true, 32, true, 0.001),
    ORDER("order-16", false, 8, 16, false),
    ORDER("order-32", true, 8, 32, false),
    ORDER("order-tilted-8", false, 4, 8, true),
    ORDER("order-tilted-32", true, 8, 32, true),
    WOMERSLEY("womersley-4", false, 16, 4, 0.005),
    WOMERSLEY("womersley-8", false, 16, 8, 0.01),
    WOMERSLEY("womersley-12", false, 16, 12, 0.016),
    WOMERSLEY("womersley-8-32", true, 32, 8, 0.002),
    BLOOD("carreau-yasuda-16", RILL_CARREAU_YASUDA, 16, 0.01,
          "Yasuda, Armstrong, Cohen 1981, doi:10.1007/BF01513059"),
    BLOOD("casson-16", RILL_CASSON, 16, 0.01, "Casson 1959"),
    THIN_BLOOD("carreau-yasuda-cumulant-10", false, RILL_CARREAU_YASUDA, 10, D3Q27, CUMULANT, 0.01,
               "Yasuda, Armstrong, Cohen 1981, doi:10.1007/BF01513059"),
    THIN_BLOOD("carreau-yasuda-central-10", false, RILL_CARREAU_YASUDA, 10, D3Q19, CENTRAL_MOMENT, 0.01,
               "Yasuda, Armstrong, Cohen 1981, doi:10.1007/BF01513059"),
    THIN_BLOOD("casson-cumulant-10", false, RILL_CASSON, 10, D3Q27, CUMULANT, 0.01, "Casson 1959"),
    THIN_BLOOD_ORDER("carreau-yasuda-order-12", RILL_CARREAU_YASUDA, 12, D3Q27, CUMULANT),
    THIN_BLOOD_ORDER("casson-order-12", RILL_CASSON, 12, D3Q19, CENTRAL_MOMENT),
    THIN_BLOOD("casson-central-10", true, RILL_CASSON, 10, D3Q19, CENTRAL_MOMENT, 0.01, "Casson 1959"),
};

const rill_verify_group rill_verify_vessel_pipes = {cases, sizeof cases / sizeof *cases};
