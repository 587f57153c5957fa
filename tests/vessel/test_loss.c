/* SPDX-License-Identifier: Apache-2.0 */
/* The pressures that a case gives, and those that a run reports, are those at the end of the surface,
 * whatever the extensions behind it. */
#include "vessel_case.h"
#include "core/sanitized.h"

#include "vessel/observe/loss.h"
#include "vessel/case/rhythm.h"

TestSuite(loss, .init = files_start, .fini = files_end);

static double spacing = 0.4e-3;

/* Run v.yaml on a pipe of radius 2 mm and 12 mm of length with extensions, without files. */
static rill_run_result run(double extend, double *error)
{
    rill_run_result result;
    vessel_extension = extend;
    vessel_pipe(spacing, 0);
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    cr_assert_eq(rill_case_run(r.vessel, &(rill_run_options){0}, &result), RILL_OK, "%s",
                 rill_error_message());
    const int in = vessel_opening(&r, "in"), out = vessel_opening(&r, "out");
    rill_run_result ordered = result; /* the inlet first */
    for (int k = 0; k < 2; k++) {
        const int from = k ? out : in;
        ordered.flow[k] = result.flow[from];
        ordered.pressure[k] = result.pressure[from];
        ordered.pressure_low[k] = result.pressure_low[from];
        ordered.pressure_high[k] = result.pressure_high[from];
    }
    *error = r.vessel->losses->state->each[out].error;
    vessel_free(&r);
    return ordered;
}

/* With a sponge layer and without one the drop along the surface is the same for every extension, 8 mu L Q /
 * (pi R^4) but for what ten cells across make of it. */
Test(loss, steady_drops_do_not_depend_on_extensions)
{
    static const double flows[] = {0.2e-6, 0.5e-6}, extends[] = {0.5, 2};
    for (int f = 0; f < (SANITIZED ? 1 : 2); f++) {
        const double exact = 8 * 4e-3 * 12e-3 * flows[f] / (M_PI * pow(2e-3, 4));
        double first = 0, error;
        vessel_write("v.yaml",
                     "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
                     "  in: {kind: inlet, flow: %g m3/s}\n  out: {kind: pressure, pressure: 100 Pa}\n"
                     "run: {tolerance: 0.05 %%}\noutput: {surface: no, centre-line: no, snapshots: 0}\n",
                     flows[f]);
        for (int e = 0; e < (f == 1 || SANITIZED ? 2 : 1); e++) { /* the larger flow with both */
            const rill_run_result result = run(extends[e], &error);
            const double drop = result.pressure[0] - result.pressure[1];
            if (e == 0) first = drop;
            cr_expect_float_eq(result.pressure[1], 100, 1e-3 * exact, "%g D: %g Pa", extends[e],
                               result.pressure[1]);
            cr_expect_float_eq(drop / exact, first / exact, 0.01, "%g D: %g, not %g", extends[e], drop,
                               first);
            cr_expect_float_eq(drop / exact, 1, 0.05, "%g D: %g, not %g", extends[e], drop, exact);
        }
    }
}

/* At Re 200 the pressure before a sponge layer of three voxels is higher on the axis than in the mean over
 * the section: that of the whole section is held. */
Test(loss, short_sponge_layers_hold_the_mean_of_the_section, .disabled = SANITIZED)
{
    double drop[2], error;
    spacing = 4e-3 / 12;
    vessel_write("v.yaml",
                 "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
                 "  in: {kind: inlet, flow: 2.5e-6 m3/s}\n  out: {kind: pressure, pressure: 0 Pa}\n"
                 "run: {tolerance: 0.05 %%}\noutput: {surface: no, centre-line: no, snapshots: 0}\n");
    for (int k = 0; k < 2; k++) {
        const rill_run_result result = run(k ? 1 : 0.5, &error);
        drop[k] = result.pressure[0] - result.pressure[1];
    }
    cr_expect_float_eq(drop[0] / drop[1], 1, 0.01, "%g and %g Pa", drop[0], drop[1]);
}

/* Developed flow that an inlet imposes stays parallel behind it, with TRT at tau 0.52 to 0.55, where
 * bounce-back alone gives it 2 % of velocity across, towards the axis, and makes it 3 % faster there. */
Test(loss, developed_flow_enters_parallel, .disabled = SANITIZED)
{
    enum { CELLS = 16 };
    double most = 0, fastest[2] = {0, 0}; /* in the extension of the inlet, and from half of the pipe on */
    vessel_write("v.yaml",
                 "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
                 "  in: {kind: inlet, flow: 5e-7 m3/s}\n  out: {kind: pressure, pressure: 0 Pa}\n"
                 "run: {tolerance: 0.05 %%}\noutput: {surface: no, centre-line: no, snapshots: 0}\n");
    vessel_extension = 0.5;
    vessel_pipe(4e-3 / CELLS, 0);
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    rill_run_result result;
    cr_assert_eq(r.plan.options.variant.collision, RILL_TRT);
    cr_assert_eq(rill_case_run(r.vessel, &(rill_run_options){0}, &result), RILL_OK, "%s",
                 rill_error_message());
    const uint64_t voxels = rill_geom_voxels(r.geom);
    float *pressure = calloc(4 * voxels, sizeof *pressure), *u = pressure + voxels;
    cr_assert(pressure);
    cr_assert_eq(rill_vessel_fields(r.vessel, pressure, u), RILL_OK, "%s", rill_error_message());
    for (uint64_t k = 0; k < voxels; k++) {
        const uint64_t x[3] = {k % r.geom->n[0], k / r.geom->n[0] % r.geom->n[1],
                               k / r.geom->n[0] / r.geom->n[1]};
        double at[3];
        for (int a = 0; a < 3; a++) at[a] = r.geom->origin[a] + r.geom->spacing * ((double)x[a] + 0.5);
        if (hypot(at[0], at[1]) > 1.4e-3 || (at[2] > 0 && at[2] < 6e-3) || at[2] > 11e-3) continue;
        if (at[2] < 0) most = fmax(most, hypot(u[k], u[k + voxels]));
        fastest[at[2] > 0] = fmax(fastest[at[2] > 0], u[k + 2 * voxels]);
    }
    const double mean = 5e-7 / (M_PI * 4e-6);
    cr_expect_lt(most, 4e-3 * mean, "%g m/s across, mean velocity %g m/s", most, mean);
    cr_expect_float_eq(fastest[0] / fastest[1], 1, 0.01, "%g and %g m/s", fastest[0], fastest[1]);
    free(pressure);
    vessel_free(&r);
}

/* The same in time: a pressure that is held stands at the end of the surface at every phase, and that of a
 * Windkessel follows its own flow. */
Test(loss, pulsatile_pressures_have_no_lag, .disabled = SANITIZED)
{
    static const char *const outlets[] = {
        "kind: pressure, pressure: 100 Pa",
        "kind: windkessel, proximal: 2e7 Pa.s/m3, distal: 2e8 Pa.s/m3, compliance: 3e-9 m3/Pa"};
    double swing[2];
    FILE *wave = fopen("w.csv", "w");
    fputs("time [s], flow [mL/s]\n", wave);
    for (int k = 0; k <= 40; k++) fprintf(wave, "%g, %.9g\n", k * 0.01, 0.4 + 0.3 * sin(2 * M_PI * k / 40));
    fclose(wave);
    for (int k = 0; k < 3; k++) {
        double error;
        vessel_write("v.yaml",
                     "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
                     "  in: {kind: inlet, waveform: w.csv}\n  out: {%s}\n"
                     "run: {cycles: 3, tolerance: 0.1 %%, mach: 0.07, soft-start: 0.4 s}\n"
                     "output: {surface: no, centre-line: no, snapshots: 0}\n",
                     outlets[k / 2]);
        const rill_run_result r = run(k == 1 ? 1 : 0.5, &error);
        /* 12 mm of fluid that 2 pi 0.3 mL/s / 0.4 s accelerates: 4.5 Pa to and fro */
        const double inert = 1000 * 12e-3 * 2 * M_PI / 0.4 * 0.3e-6 / (M_PI * 4e-6);
        cr_expect_lt(fabs(error), 0.01 * inert, "%s: %g Pa of %g", outlets[k / 2], error, inert);
        if (k == 2) continue;
        swing[k] = r.pressure_high[0] - r.pressure_low[0];
        cr_expect_float_eq(r.pressure_high[1], 100, 0.01 * inert, "%g Pa of %g", r.pressure_high[1] - 100,
                           inert);
        cr_expect_float_eq(r.pressure_low[1], 100, 0.01 * inert, "%g Pa of %g", r.pressure_low[1] - 100,
                           inert);
    }
    cr_expect_float_eq(swing[1] / swing[0], 1, 0.01, "%g and %g Pa", swing[0], swing[1]);
}

/* A pressure that varies over the cycle stands at the end of the surface, too: its mean and extremes. */
Test(loss, pressures_that_vary_are_held)
{
    double error, low = INFINITY, high = -INFINITY;
    FILE *wave = fopen("p.csv", "w");
    fputs("time [s], pressure [Pa]\n", wave);
    for (int k = 0; k <= 40; k++) {
        const double p = 100 + 8 * cos(2 * M_PI * k / 40) - 5 * sin(4 * M_PI * k / 40);
        fprintf(wave, "%g, %.9g\n", k * 0.01, p);
        low = fmin(low, p);
        high = fmax(high, p);
    }
    fclose(wave);
    vessel_write("v.yaml",
                 "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
                 "  in: {kind: inlet, flow: 0.4 mL/s}\n  out: {kind: pressure, waveform: p.csv}\n"
                 "run: {cycles: 3, tolerance: 0.1 %%, mach: 0.07, soft-start: 0.4 s}\n"
                 "output: {surface: no, centre-line: no, snapshots: 0}\n");
    const rill_run_result r = run(0.5, &error);
    const double limit = 0.01 * (high - low);
    cr_expect_lt(fabs(error), limit, "%g Pa", error);
    cr_expect_float_eq(r.pressure[1], 100, limit, "%g Pa", r.pressure[1]);
    cr_expect_float_eq(r.pressure_low[1], low, limit, "%g of %g Pa", r.pressure_low[1], low);
    cr_expect_float_eq(r.pressure_high[1], high, limit, "%g of %g Pa", r.pressure_high[1], high);
    cr_expect_float_eq(r.flow[1], -0.4e-6, 1e-3 * 0.4e-6, "%g m3/s", r.flow[1]);
}

/* Windkessels behind extensions whose losses are learned: the means of a periodic cycle are those of the
 * circuit, p = beyond + (R_p + R_d) Q, with the inlet's flow, for every extension. */
Test(loss, windkessels_have_the_means_of_their_circuit, .disabled = SANITIZED)
{
    FILE *wave = fopen("w.csv", "w");
    fputs("time [s], flow [mL/s]\n", wave);
    for (int k = 0; k <= 40; k++) fprintf(wave, "%g, %.9g\n", k * 0.01, 0.4 + 0.3 * sin(2 * M_PI * k / 40));
    fclose(wave);
    vessel_write(
        "v.yaml",
        "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
        "  in: {kind: inlet, waveform: w.csv}\n  out: {kind: windkessel, proximal: 2e7 Pa.s/m3, distal: 2e8 Pa.s/m3, compliance: 3e-9 m3/Pa, beyond: 50 Pa}\n"
        "run: {cycles: 8, tolerance: 0.1 %%, mach: 0.15}\n"
        "output: {surface: no, centre-line: no, snapshots: 0}\n");
    for (int k = 0; k < 3; k++) {
        double error;
        const rill_run_result r = run((const double[]){0, 0.5, 2}[k], &error);
        cr_expect_eq(r.end, RILL_RUN_REPEATS, "extension %d", k);
        cr_expect_float_eq(-r.flow[1] / 0.4e-6, 1, 1e-3, "extension %d: %g m3/s", k, r.flow[1]);
        cr_expect_float_eq(r.pressure[1] / (50 + 2.2e8 * 0.4e-6), 1, 1e-3, "extension %d: %g Pa", k,
                           r.pressure[1]);
    }
}
