/* SPDX-License-Identifier: Apache-2.0 */
/* Cases on simulations: the flow that comes in is the one asked for, outlets are what the case says. */
#include "vessel_case.h"

#include "backends.h"
#include "vessel/case/ends.h"

TestSuite(vessel, .init = files_start, .fini = files_end);

#define FLUID "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\n"
#define OUT "  out: {kind: pressure, pressure: 10 mmHg}\n"

/* Reynolds 30: Poiseuille's law holds along the whole pipe with a fitted profile. */
Test(vessel, steady_pipe_has_poiseuilles_drop)
{
    vessel_pipe(0.4e-3, 0);
    vessel_write("v.yaml", FLUID "openings:\n  in: {kind: inlet, flow: 0.3 mL/s}\n" OUT
                                 "run: {mach: 0.05, soft-start: 5 ms}\n");
    /* The inlet's mean is that of its nodes, half a voxel inside in the mean of their links' lengths. */
    const double drop = 8 * 4e-3 * 0.3e-6 * (12e-3 - 0.2e-3) / (M_PI * pow(2e-3, 4));
    FOR_EACH_BACKEND(backend)
    {
        vessel_run r = vessel_set_up(backend);
        double in, out, p_in, p_out;
        vessel_record(&r);
        ASSERT_OK(rill_sim_step(r.vessel->sim, 4000));
        vessel_look(&r, "in", &in, &p_in);
        vessel_look(&r, "out", &out, &p_out);
        cr_expect_float_eq(in, 0.3e-6, 1e-6 * 0.3e-6, "%g", in);
        cr_expect_float_eq(out, -0.3e-6, 1e-3 * 0.3e-6, "%g", out);
        cr_expect_float_eq(p_out, 10 * 133.322387415, 1e-3);
        cr_expect_float_eq(p_in - p_out, drop, 0.06 * drop, "%g, not %g", p_in - p_out, drop);
        vessel_free(&r);
    }
}

/* What comes in is exact whatever the profile, and whatever it is given as. */
Test(vessel, inlets_bring_what_was_asked_for)
{
    static const struct {
        const char *text;
        double flow, tolerance;
    } inlets[] = {
        {"flow: 0.4 mL/s, profile: flat", 0.4e-6, 1e-6},
        {"flow: 24 mL/min, profile: parabolic", 0.4e-6, 1e-6},
        {"mean-velocity: 3 cm/s, profile: womersley", 0.03 * M_PI * 4e-6, 2e-3}, /* a polygon's area */
        {"peak-velocity: 6 cm/s, profile: fitted", 0.03 * M_PI * 4e-6, 4e-3},
        {"peak-velocity: 3 cm/s, profile: flat", 0.03 * M_PI * 4e-6, 2e-3},
    };
    vessel_pipe(0.4e-3, 30);
    for (size_t k = 0; k < sizeof inlets / sizeof *inlets; k++) {
        double flow, pressure;
        vessel_write("v.yaml", FLUID "openings:\n  in: {kind: inlet, %s}\n" OUT "run: {soft-start: 0 s}\n",
                     inlets[k].text);
        vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
        vessel_record(&r);
        ASSERT_OK(rill_sim_step(r.vessel->sim, 5));
        vessel_look(&r, "in", &flow, &pressure);
        cr_expect_float_eq(flow, inlets[k].flow, inlets[k].tolerance * inlets[k].flow, "%s: %g",
                           inlets[k].text, flow);
        vessel_free(&r);
    }
}

/* 0.4 mL/s (1 + sin(w t) / 2 + cos(2 w t) / 4), a period of 50 ms. */
static double pulse(double time)
{
    const double angle = 2 * M_PI * time / 0.05;
    return 0.4 * (1 + 0.5 * sin(angle) + 0.25 * cos(2 * angle));
}

static void write_pulse(void)
{
    FILE *file = fopen("wave.csv", "w");
    cr_assert(file);
    fprintf(file, "# a pulse\ntime [ms], flow [mL/s]\n");
    for (int k = 0; k <= 40; k++) fprintf(file, "%g, %.9g\n", 50.0 * k / 40, pulse(0.05 * k / 40));
    cr_assert_eq(fclose(file), 0);
}

/* At every step of a cycle the flow is the waveform's, with each harmonic's own profile. */
Test(vessel, pulsatile_inlet_follows_its_waveform)
{
    vessel_pipe(0.4e-3, 0);
    write_pulse();
    for (int peak = 0; peak < 2; peak++) {
        vessel_write("v.yaml",
                     FLUID "openings:\n  in: {kind: inlet, waveform: wave.csv, profile: %s}\n" OUT
                           "run: {soft-start: 2 ms}\n",
                     peak ? "flat" : "fitted");
        vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
        vessel_record(&r);
        double flow, pressure, worst = 0;
        const double begin = rill_case_plan_time(&r.plan, 0);
        for (uint64_t step = 0; step < r.plan.start.lead + r.plan.cycle_steps; step += 7) {
            ASSERT_OK(rill_sim_step(r.vessel->sim, 7));
            const double time = vessel_time(&r);
            vessel_look(&r, "in", &flow, &pressure);
            if (time > begin + 2e-3)
                worst = fmax(worst, fabs(1e6 * flow - pulse(time)));
            else
                cr_expect_lt(1e6 * flow, pulse(time));
        }
        cr_expect_lt(worst, 4e-4, "off by %g mL/s", worst);
        vessel_free(&r);
    }
}

/* In a vessel that hardly resists the pressure is the circuit's, in the first cycle as in the second: the
 * soft start is allowed for in what the Windkessel starts with. Half-way walls lose no mass; what is left is
 * sound: at four times the Mach number it is 3 Pa. */
Test(vessel, windkessel_starts_and_stays_in_its_periodic_state)
{
    const double proximal = 1e7, distal = 4e7, compliance = 4e-10, omega = 2 * M_PI / 0.05;
    vessel_pipe(0.5e-3, 0);
    write_pulse();
    vessel_write(
        "v.yaml", FLUID
        "walls: half-way\nopenings:\n  in: {kind: inlet, waveform: wave.csv}\n"
        "  out: {kind: windkessel, proximal: 1e7 Pa.s/m3, distal: 4e7 Pa.s/m3, compliance: 4e-10 m3/Pa, beyond: 5 Pa}\nrun: {mach: 0.0075, soft-start: 12 ms}\n");
    FOR_EACH_BACKEND(backend)
    {
        vessel_run r = vessel_set_up(backend);
        double flow, pressure, worst[2] = {0, 0};
        vessel_record(&r);
        ASSERT_OK(rill_sim_step(r.vessel->sim, r.plan.start.lead));
        for (int look = 0; look < 40; look++) {
            ASSERT_OK(rill_sim_step(r.vessel->sim, r.plan.cycle_steps / 20));
            vessel_look(&r, "out", &flow, &pressure);
            const double time = vessel_time(&r);
            double complex p = 0;
            const double complex in[] = {0.4e-6, -0.2e-6 * I, 0.1e-6};
            for (int k = 0; k < 3; k++)
                p += in[k] * (proximal + distal / (1 + I * omega * k * distal * compliance)) *
                     cexp(I * omega * k * time);
            worst[look / 20] = fmax(worst[look / 20], fabs(pressure - 5 - creal(p)));
        }
        cr_expect_lt(worst[0], 0.015 * 20, "first cycle: off by %g Pa of 20", worst[0]);
        cr_expect_lt(worst[1], 0.01 * 20, "second cycle: off by %g Pa of 20", worst[1]);
        vessel_free(&r);
    }
}

/* The same of a coronary outlet that is squeezed: its first cycle forgets the soft start, the second is that
 * of the circuit. */
Test(vessel, coronary_outlet_comes_into_its_periodic_state)
{
    vessel_pipe(0.5e-3, 0);
    write_pulse();
    FILE *muscle = fopen("muscle.csv", "w");
    fputs("time [s], pressure [Pa]\n", muscle);
    for (int k = 0; k <= 50; k++) fprintf(muscle, "%g, %.9g\n", k * 1e-3, 20 - 20 * cos(2 * M_PI * k / 50));
    fclose(muscle);
    vessel_write("v.yaml",
                 FLUID "walls: half-way\nopenings:\n  in: {kind: inlet, waveform: wave.csv}\n"
                       "  out: {kind: coronary, intramyocardial: muscle.csv, arterial: 1e7 Pa.s/m3,\n"
                       "    arterial-compliance: 2e-10 m3/Pa, microvascular: 2e7 Pa.s/m3,\n"
                       "    myocardial-compliance: 2e-10 m3/Pa, venous: 2e7 Pa.s/m3, beyond: 5 Pa}\n"
                       "run: {mach: 0.0075, soft-start: 12 ms}\n");
    FOR_EACH_BACKEND(backend)
    {
        vessel_run r = vessel_set_up(backend);
        const int out = vessel_opening(&r, "out");
        double flow, pressure, worst = 0, low = INFINITY, high = -INFINITY;
        vessel_record(&r);
        ASSERT_OK(rill_sim_step(r.vessel->sim, r.plan.start.lead + r.plan.cycle_steps));
        for (int look = 0; look < 20; look++) {
            ASSERT_OK(rill_sim_step(r.vessel->sim, r.plan.cycle_steps / 20));
            vessel_look(&r, "out", &flow, &pressure);
            const double expected =
                rill_harmonics_at(&rill_vessel_outlook(r.vessel)->states[out].pressure, vessel_time(&r));
            worst = fmax(worst, fabs(pressure - expected));
            low = fmin(low, expected);
            high = fmax(high, expected);
        }
        cr_expect_gt(high - low, 10, "%g to %g Pa", low, high);
        cr_expect_lt(worst, 0.02 * (high - low), "off by %g Pa of %g to %g", worst, low, high);
        vessel_free(&r);
    }
}

/* Shares of the inlets' flow, and what is left, through a bifurcation. */
Test(vessel, splits_share_the_flow)
{
    rill_mesh *mesh = NULL;
    rill_bifurcation_options o = rill_bifurcation_options_default();
    static const struct {
        const char *big, *small;
        double share; /* of the small branch */
    } splits[] = {
        {"kind: pressure, pressure: 0 Pa", "kind: flow-split, fraction: 30 %%", 0.3},
        {"kind: flow-split, fraction: murray", "kind: flow-split, fraction: murray", 0.512 / 1.512},
    };
    ASSERT_OK(rill_generate_bifurcation(&o, &mesh));
    vessel_voxelize(mesh, 0.6e-3,
                    (const char *const[]){"opening-1=in", "opening-2=big", "opening-3=small", NULL});
    for (size_t k = 0; k < 2; k++) {
        double flow, pressure;
        char text[512];
        snprintf(text, sizeof text,
                 "openings:\n  in: {kind: inlet, flow: 1 mL/s}\n  big: {%s}\n  small: {%s}\n", splits[k].big,
                 k ? splits[k].small : "kind: flow-split, fraction: 30 %");
        vessel_write("v.yaml", FLUID "%srun: {soft-start: 0 s}\n", text);
        vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
        vessel_record(&r);
        ASSERT_OK(rill_sim_step(r.vessel->sim, 3));
        vessel_look(&r, "small", &flow, &pressure);
        cr_expect_float_eq(flow, -splits[k].share * 1e-6, 2e-3 * 1e-6, "%g", flow);
        cr_expect_float_eq(r.plan.openings[vessel_opening(&r, "big")].flow_mean,
                           -(1 - splits[k].share) * 1e-6, 2e-9);
        vessel_free(&r);
    }
}
