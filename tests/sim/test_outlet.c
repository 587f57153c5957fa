/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Openings in time: Windkessels against their ordinary differential equation, schedules, records, samples,
 * backflow, refusals. A channel without side walls, so that the flow is uniform across it.
 */
#include "backends.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 16, WIDTH = 4, AREA = WIDTH * WIDTH };

typedef struct rig {
    rill_geom *geom;
    rill_domain *domain;
    rill_sim *sim;
    int inlet, outlet;
    double mean, swing, omega; /* of the velocity that comes in */
} rig;

static void along(void *context, const double x[3], int mode, double u[3])
{
    (void)context, (void)x, (void)mode;
    u[0] = 1e-3;
}

static void pulse(void *context, uint64_t step, double *weights)
{
    const rig *r = context;
    weights[0] = r->mean / 1e-3;
    weights[1] = r->swing / 1e-3 * cos(r->omega * ((double)step + 0.5));
}

static void start(rig *r, rill_equilibrium equilibrium, rill_backend_kind backend)
{
    rill_boundary *in = NULL, *out = NULL;
    rill_sim_options options = rill_sim_options_default();
    omp_set_num_threads(1); /* nothing here is large enough to share */
    options.on.backend = backend;
    options.variant.storage = RILL_FP64;
    options.variant.arithmetic = RILL_DOUBLE;
    options.variant.equilibrium = equilibrium;
    options.tau = 0.8;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){LENGTH, WIDTH, WIDTH}, &r->geom));
    memset(r->geom->voxels, RILL_FLUID, rill_geom_voxels(r->geom));
    r->geom->sides[0] = RILL_WALL;
    ASSERT_OK(rill_domain_create(r->geom, &(rill_domain_options){RILL_D3Q19, -1}, &r->domain));
    ASSERT_OK(rill_sim_create(r->domain, &options, &r->sim));
    ASSERT_OK(rill_boundary_create_face(r->domain, 0, -1, &in));
    ASSERT_OK(rill_boundary_set_velocity_modes(in, 2, along, NULL));
    cr_assert_float_eq(rill_boundary_mode_flow(in, 1), 1e-3 * AREA, 1e-12);
    ASSERT_OK(rill_sim_boundary_add(r->sim, in, &r->inlet));
    ASSERT_OK(rill_sim_patch_schedule(r->sim, r->inlet, pulse, r));
    ASSERT_OK(rill_boundary_create_face(r->domain, 0, 1, &out));
    ASSERT_OK(rill_boundary_set_density(out, 0));
    ASSERT_OK(rill_sim_boundary_add(r->sim, out, &r->outlet));
    rill_boundary_destroy(in);
    rill_boundary_destroy(out);
}

static void stop(rig *r)
{
    rill_sim_destroy(r->sim);
    rill_domain_destroy(r->domain);
    rill_geom_destroy(r->geom);
}

/* Integrate C dp_c/dt = Q - (p_c - p_d)/R_d with the flow of every step in many small ones. */
Test(outlet, windkessels_follow_their_equation)
{
    enum { STEPS = 3000, PARTS = 200 };
    static const rill_windkessel kinds[] = {
        {0.002, 0.02, 20000, 1e-3, 2e-3, 0}, /* all three elements */
        {0, 0.02, 20000, 0, 1e-3, 0},        /* two */
        {0.002, INFINITY, 20000, 0, 0, 0},   /* nothing drains */
        {0.002, 0.02, 10, 1e-3, 2e-3, 0},    /* as good as a resistance */
    };
    FOR_EACH_BACKEND(backend)
    for (int equilibrium = 0; equilibrium < RILL_EQUILIBRIUM_COUNT; equilibrium++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const rill_windkessel *w = &kinds[k];
            rig r = {.mean = 0.005, .swing = 0.01, .omega = 2 * M_PI / 1000};
            double flow[STEPS], pressure[STEPS], stored = w->stored, worst = 0, largest = 0, now;
            start(&r, (rill_equilibrium)equilibrium, backend);
            ASSERT_OK(rill_sim_patch_windkessel(r.sim, r.outlet, w));
            ASSERT_OK(rill_sim_patch_record(r.sim, r.outlet, STEPS));
            ASSERT_OK(rill_sim_step(r.sim, STEPS));
            ASSERT_OK(rill_sim_patch_series(r.sim, r.outlet, 0, STEPS, flow, pressure));
            for (int step = 0; step < STEPS; step++) {
                for (int part = 0; part < PARTS; part++)
                    stored += (-flow[step] - (stored - w->beyond) / w->distal) / w->compliance / PARTS;
                worst = fmax(worst, fabs(stored - w->proximal * flow[step] - pressure[step]));
                largest = fmax(largest, fabs(pressure[step]));
            }
            ASSERT_OK(rill_sim_patch_stored(r.sim, r.outlet, &now));
            cr_expect_lt(worst, 2e-4 * largest, "kind %zu: %.3g of %.3g", k, worst, largest);
            cr_expect_float_eq(now, stored, 2e-4 * largest, "kind %zu: %g, not %g", k, now, stored);
            cr_expect_gt(largest, 1e-4);
            stop(&r);
        }
}

/* What squeezes a coronary outlet: the pressure in the heart muscle. */
static const double squeeze = 0.004, squeeze_omega = 2 * M_PI / 700;
static const rill_windkessel coronary = {.proximal = 0.002,
                                         .compliance = 3000,
                                         .micro = 0.01,
                                         .myocardial = 20000,
                                         .distal = 0.03,
                                         .beyond = 5e-4,
                                         .stored = 1e-3,
                                         .stored_behind = 2e-3};

static double muscle_at(double time) { return squeeze * (1 - cos(squeeze_omega * time)) / 2; }

static void squeezed(void *context, uint64_t step, double *weights)
{
    const rill_windkessel *w = context;
    const double gain = muscle_at((double)step + 1) - muscle_at((double)step);
    weights[0] = w->beyond + w->distal * w->myocardial * gain;
}

/* Integrate both compartments of a coronary outlet with the flow of every step by the classical Runge-Kutta
 * method: C_a dp_a/dt = Q - (p_a - p_m)/R_m, C_m d(p_m - p_im)/dt = (p_a - p_m)/R_m - (p_m - p_v)/R_v. */
static void coronary_rates(const rill_windkessel *w, double flow, double time, const double x[2],
                           double rates[2])
{
    const double between = (x[0] - x[1]) / w->micro;
    rates[0] = (flow - between) / w->compliance;
    rates[1] = squeeze * squeeze_omega * sin(squeeze_omega * time) / 2 +
               (between - (x[1] - w->beyond) / w->distal) / w->myocardial;
}

static void coronary_step(const rill_windkessel *w, double flow, double time, double x[2])
{
    enum { PARTS = 4 };
    const double h = 1.0 / PARTS;
    for (int part = 0; part < PARTS; part++) {
        static const double places[] = {0, 0.5, 0.5, 1}, weights[] = {1, 2, 2, 1};
        double rates[2] = {0, 0}, sum[2] = {0, 0};
        for (int stage = 0; stage < 4; stage++) {
            const double at[2] = {x[0] + h * places[stage] * rates[0], x[1] + h * places[stage] * rates[1]};
            coronary_rates(w, flow, time + h * (part + places[stage]), at, rates);
            for (int k = 0; k < 2; k++) sum[k] += weights[stage] * rates[k];
        }
        for (int k = 0; k < 2; k++) x[k] += h * sum[k] / 6;
    }
}

Test(outlet, coronary_outlets_follow_their_equations)
{
    enum { STEPS = 3000 };
    FOR_EACH_BACKEND(backend)
    for (int stiff = 0; stiff < 2; stiff++) {
        rill_windkessel w = coronary;
        rig r = {.mean = 0.005, .swing = 0.01, .omega = 2 * M_PI / 1000};
        double flow[STEPS], pressure[STEPS], x[2] = {w.stored, w.stored_behind}, worst = 0, largest = 0, now;
        if (stiff) w.compliance = 80; /* a time constant of 0.8 steps */
        start(&r, RILL_SECOND_ORDER, backend);
        ASSERT_OK(rill_sim_patch_windkessel(r.sim, r.outlet, &w));
        ASSERT_OK(rill_sim_patch_schedule(r.sim, r.outlet, squeezed, &w));
        ASSERT_OK(rill_sim_patch_record(r.sim, r.outlet, STEPS));
        ASSERT_OK(rill_sim_step(r.sim, STEPS));
        ASSERT_OK(rill_sim_patch_series(r.sim, r.outlet, 0, STEPS, flow, pressure));
        for (int step = 0; step < STEPS; step++) {
            coronary_step(&w, -flow[step], step, x);
            worst = fmax(worst, fabs(x[0] - w.proximal * flow[step] - pressure[step]));
            largest = fmax(largest, fabs(pressure[step]));
        }
        ASSERT_OK(rill_sim_patch_stored(r.sim, r.outlet, &now));
        cr_expect_lt(worst, 2e-5 * largest, "%.3g of %.3g", worst, largest);
        cr_expect_float_eq(now, x[0], 2e-5 * largest, "%g, not %g", now, x[0]);
        cr_expect_gt(largest, 1e-3);
        stop(&r);
    }
}

/* A steady flow Q meets p = beyond + (R_p + R_d) Q, also where R A is a hundred times what would make the
 * pressure of the step before unstable. */
Test(outlet, resistances_are_stable)
{
    FOR_EACH_BACKEND(backend)
    for (double resistance = 0.001; resistance < 20; resistance *= 100) {
        rig r = {.mean = fmin(1e-3, 1e-3 / resistance / AREA)};
        double flow, pressure;
        const rill_windkessel w = {resistance / 2, resistance / 2, 0, 1e-3, 0, 0};
        start(&r, RILL_STOKES, backend);
        ASSERT_OK(rill_sim_patch_windkessel(r.sim, r.outlet, &w));
        ASSERT_OK(rill_sim_patch_record(r.sim, r.outlet, 1));
        /* Sound is reflected to and fro, and the channel fills: 3 L A dp/dt = Q. */
        const uint64_t steps = 20000 + (uint64_t)(15 * 3 * LENGTH * AREA * resistance);
        ASSERT_OK(rill_sim_step(r.sim, steps));
        ASSERT_OK(rill_sim_patch_series(r.sim, r.outlet, steps - 1, 1, &flow, &pressure));
        cr_expect_float_eq(-flow, AREA * r.mean, 1e-6 * AREA * r.mean, "R %g: flow %.9g", resistance, flow);
        cr_expect_float_eq(pressure, 1e-3 + resistance * AREA * r.mean, 1e-8, "R %g: pressure %.9g",
                           resistance, pressure);
        stop(&r);
    }
}

/* Records say what measuring says, and keep the last steps. */
Test(outlet, records_agree_with_measurements)
{
    FOR_EACH_BACKEND(backend)
    {
        rig r = {.mean = 0.004, .swing = 0.004, .omega = 0.1};
        const rill_windkessel w = {0.01, 0.02, 500, 0, 0, 0.5};
        const int steps = 60, capacity = 25;
        double flow[2][60], pressure[2][60], series[2][25], held[2][25];
        start(&r, RILL_SECOND_ORDER, backend);
        ASSERT_OK(rill_sim_patch_windkessel(r.sim, r.outlet, &w));
        for (int p = 0; p < 2; p++)
            ASSERT_OK(rill_sim_patch_record(r.sim, p ? r.outlet : r.inlet, (uint32_t)capacity));
        for (int k = 0; k < steps; k++) {
            rill_totals before, after;
            ASSERT_OK(rill_sim_totals(r.sim, &before));
            ASSERT_OK(rill_sim_step(r.sim, 1));
            ASSERT_OK(rill_sim_totals(r.sim, &after));
            for (int p = 0; p < 2; p++)
                ASSERT_OK(rill_sim_patch_flow(r.sim, p ? r.outlet : r.inlet, &flow[p][k]));
            cr_expect_float_eq(after.mass - before.mass, flow[0][k] + flow[1][k], 1e-12, "step %d", k);
        }
        for (int p = 0; p < 2; p++) {
            const int patch = p ? r.outlet : r.inlet;
            ASSERT_OK(rill_sim_patch_series(r.sim, patch, (uint64_t)(steps - capacity), (uint32_t)capacity,
                                            series[p], held[p]));
            for (int k = 0; k < capacity; k++)
                cr_expect_float_eq(series[p][k], flow[p][steps - capacity + k], 1e-13, "patch %d, %d", p, k);
            cr_expect_eq(
                rill_sim_patch_series(r.sim, patch, (uint64_t)(steps - capacity - 1), 2, series[p], NULL),
                RILL_USAGE);
            cr_expect_eq(rill_sim_patch_series(r.sim, patch, (uint64_t)steps, 1, series[p], NULL),
                         RILL_USAGE);
        }
        (void)pressure;
        stop(&r);
    }
}

static void rising(void *context, uint64_t step, double *weights)
{
    (void)context;
    weights[0] = 1e-6 * (double)step;
}

static void not_finite(void *context, uint64_t step, double *weights)
{
    (void)context;
    weights[0] = step < 5 ? 0 : NAN;
}

Test(outlet, pressures_follow_a_schedule)
{
    FOR_EACH_BACKEND(backend)
    {
        rig r = {.mean = 0};
        double pressure[100];
        start(&r, RILL_STOKES, backend);
        ASSERT_OK(rill_sim_patch_schedule(r.sim, r.outlet, rising, NULL));
        ASSERT_OK(rill_sim_patch_record(r.sim, r.outlet, 100));
        ASSERT_OK(rill_sim_step(r.sim, 100));
        ASSERT_OK(rill_sim_patch_series(r.sim, r.outlet, 0, 100, NULL, pressure));
        for (int k = 0; k < 100; k++) cr_expect_float_eq(pressure[k], 1e-6 * k, 1e-15);
        ASSERT_OK(rill_sim_patch_schedule(r.sim, r.outlet, not_finite, NULL));
        cr_expect_eq(rill_sim_step(r.sim, 10), RILL_USAGE);
        cr_expect_not_null(strstr(rill_error_message(), "the weight nan at step 100"), "%s",
                           rill_error_message());
        stop(&r);
    }
}

/* Fluid that comes in through an outlet at u meets a pressure that is lowered by beta u^2, leaving fluid does
 * not. */
Test(outlet, backflow_is_held_back)
{
    FOR_EACH_BACKEND(backend)
    for (int sign = -1; sign <= 1; sign += 2) {
        rig r = {.mean = 0.02 * sign};
        const rill_windkessel w = {.backflow = 0.5};
        double pressure;
        start(&r, RILL_STOKES, backend);
        ASSERT_OK(rill_sim_patch_windkessel(r.sim, r.outlet, &w));
        ASSERT_OK(rill_sim_step(r.sim, 20000));
        rill_totals totals;
        ASSERT_OK(rill_sim_totals(r.sim, &totals));
        pressure = totals.mass / (LENGTH * AREA) / 3;
        const double wanted = sign < 0 ? -0.5 * 0.02 * 0.02 : 0;
        cr_expect_float_eq(pressure, wanted, 2e-6, "%+d: %.4g, not %.4g", sign, pressure, wanted);
        stop(&r);
    }
}

/* Samples are moments, and the stress of a shear flow that is exact: sigma_xy = rho nu du/dy. */
Test(outlet, samples_show_moments_and_stress)
{
    FOR_EACH_BACKEND(backend)
    for (int addressing = RILL_LIST; addressing <= RILL_DENSE; addressing++) {
        enum { H = 6 };
        omp_set_num_threads(1);
        const double speed = 0.01, tau = 0.9, nu = (tau - 0.5) / 3;
        rill_geom *geom = NULL;
        rill_domain *domain = NULL;
        rill_sim *sim = NULL;
        rill_boundary *lid = NULL;
        rill_sample *sample = NULL;
        int patch;
        rill_sim_options options = rill_sim_options_default();
        options.on.backend = backend;
        options.variant.storage = RILL_FP64;
        options.variant.arithmetic = RILL_DOUBLE;
        options.variant.addressing = (rill_addressing)addressing;
        options.tau = tau;
        ASSERT_OK(rill_geom_create((const uint32_t[3]){3, H, 2}, &geom));
        memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
        geom->sides[1] = RILL_WALL;
        ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
        ASSERT_OK(rill_sim_create(domain, &options, &sim));
        ASSERT_OK(rill_boundary_create_face(domain, 1, 1, &lid));
        ASSERT_OK(rill_boundary_set_velocity(lid, (const double[3]){speed, 0, 0}));
        ASSERT_OK(rill_sim_boundary_add(sim, lid, &patch));
        ASSERT_OK(rill_sim_step(sim, 4000));
        const rill_node nodes[4] = {0, 16, 7, 35};
        double out[10][4], rho[36], u[3][36];
        ASSERT_OK(rill_sim_sample_create(sim, nodes, 4, &sample));
        ASSERT_OK(rill_sim_sample_take(sim, sample, &out[0][0]));
        ASSERT_OK(rill_sim_moments(sim, 0, 36, rho, &u[0][0]));
        for (int k = 0; k < 4; k++) {
            cr_expect_eq(out[0][k], rho[nodes[k]]);
            for (int a = 0; a < 3; a++) cr_expect_eq(out[1 + a][k], u[a][nodes[k]]);
            for (int a = 0; a < 6; a++)
                cr_expect_float_eq(out[4 + a][k], a == 3 ? nu * speed / H : 0, 1e-10, "component %d: %.6g", a,
                                   out[4 + a][k]);
        }
        const rill_node beyond = 36;
        rill_sample *none = NULL;
        cr_expect_eq(rill_sim_sample_create(sim, &beyond, 1, &none), RILL_USAGE);
        cr_expect_eq(rill_sim_sample_create(sim, nodes, 0, &none), RILL_USAGE);
        rill_sample_destroy(sample);
        rill_boundary_destroy(lid);
        rill_sim_destroy(sim);
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
}

static void expect_refused(rill_status status, const char *part)
{
    cr_expect_eq(status, RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), part), "\"%s\" is not in \"%s\"", part,
                       rill_error_message());
}

Test(outlet, nonsense_is_refused)
{
    rig r = {.mean = 0};
    rill_boundary *many = NULL;
    double value;
    start(&r, RILL_STOKES, RILL_BACKEND_CPU);
    expect_refused(rill_sim_patch_windkessel(r.sim, r.outlet, &(rill_windkessel){.proximal = -1}),
                   "proximal = -1");
    expect_refused(rill_sim_patch_windkessel(r.sim, r.outlet, &(rill_windkessel){.compliance = INFINITY}),
                   "compliance = inf");
    expect_refused(rill_sim_patch_windkessel(r.sim, r.outlet, &(rill_windkessel){.beyond = NAN}),
                   "beyond = nan");
    expect_refused(rill_sim_patch_windkessel(r.sim, r.outlet, &(rill_windkessel){.distal = INFINITY}),
                   "infinite distal resistance");
    expect_refused(rill_sim_patch_windkessel(r.sim, r.inlet, &(rill_windkessel){0}), "holds no pressure");
    expect_refused(rill_sim_patch_windkessel(r.sim, 7, &(rill_windkessel){0}), "patch 7");
    expect_refused(rill_sim_patch_record(r.sim, r.inlet, 0), "0 steps");
    expect_refused(rill_sim_patch_series(r.sim, r.inlet, 0, 1, &value, NULL), "is not recorded");
    ASSERT_OK(rill_sim_patch_windkessel(r.sim, r.outlet, &(rill_windkessel){.distal = 1}));
    expect_refused(rill_sim_patch_scale(r.sim, r.outlet, 2), "Windkessel");
    ASSERT_OK(rill_boundary_create_face(r.domain, 0, 1, &many));
    expect_refused(rill_boundary_set_velocity_modes(many, 0, along, NULL), "0 modes");
    expect_refused(rill_boundary_set_velocity_modes(many, RILL_BOUNDARY_MODES + 1, along, NULL), "129 modes");
    rill_boundary_destroy(many);
    stop(&r);
}
