/* SPDX-License-Identifier: Apache-2.0 */
/* Pressure drops between cross-sections, and planes across the vessel, against exact flows of pipes. */
#include "vessel_case.h"
#include "core/sanitized.h"

#include "core/status.h"
#include "vessel/observe/drops.h"

#include <complex.h>

TestSuite(drops, .init = files_start, .fini = files_end);

static const double RADIUS = 2e-3, VISCOSITY = 4e-3, DENSITY = 1000, APART = 6e-3;

static rill_run_result run(vessel_run *r)
{
    static rill_run_result result;
    const rill_run_options options = {.directory = NULL};
    *r = vessel_set_up(RILL_BACKEND_CPU);
    cr_assert_eq(rill_case_run(r->vessel, &options, &result), RILL_OK, "%s", rill_error_message());
    return result;
}

/* Planes that have no normal lie across the vessel, wherever in it their centres are. */
Test(drops, planes_lie_across_the_vessel)
{
    rill_geom *geom = NULL;
    vessel_pipe(0.4e-3, 0);
    cr_assert_eq(rill_geom_read("v.geom.h5", &geom), RILL_OK);
    for (int k = 0; k < 5; k++) {
        double normal[3];
        const rill_case_plane plane = {.centre = {0.35e-3 * k, -0.2e-3 * k, 3e-3 + 1e-3 * k}};
        rill_plane_normal(geom, &plane, normal);
        cr_expect_float_eq(normal[2], 1, 1e-3, "%g %g %g", normal[0], normal[1], normal[2]);
    }
    const rill_case_plane given = {.centre = {0, 0, 3e-3}, .normal = {0.6, 0, 0.8}};
    double normal[3];
    rill_plane_normal(geom, &given, normal);
    cr_expect_arr_eq(normal, given.normal, sizeof normal);
    rill_geom_destroy(geom);
}

/* Poiseuille: the drop is 8 mu Q L / (pi R^4), the ratio that of the pressures above the venous one.
 * Sanitizers run the same code on a coarser grid, where the drop is less exact. */
Test(drops, of_steady_flow_are_exact)
{
    vessel_run r;
    const double flow = 1e-6, exact = 8 * VISCOSITY * flow * APART / (M_PI * pow(RADIUS, 4)),
                 near = (SANITIZED ? 0.2 : 0.05) * exact;
    vessel_extension = 0;
    vessel_pipe(SANITIZED ? 0.4e-3 : 0.25e-3, 0);
    vessel_write(
        "v.yaml",
        "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
        "  in: {kind: inlet, flow: 1 mL/s}\n  out: {kind: pressure, pressure: 40 Pa}\n"
        "run: {mach: 0.05}\noutput: {surface: no, centre-line: no, slices: no, snapshots: 0, planes: {a: {centre: [0.5 mm, 0.2 mm, 3 mm]}, b: "
        "{centre: [0 mm, 0 mm, 9 mm]}}, drops: {here: {from: a, to: b, venous: 10 Pa}, back: {from: b, to: a}, end: {from: b, to: out}, none: {from: "
        "out, to: out, venous: 50 Pa}}}\n");
    const rill_run_result result = run(&r);
    const rill_run_drop *d = result.drops;
    cr_assert_eq(result.drop_count, 4);
    cr_expect_float_eq(d[0].from - d[0].to, exact, 0.4 * near, "%g of %g Pa", d[0].from - d[0].to, exact);
    cr_expect_float_eq(d[0].low, d[0].high, 1e-3 * exact);
    cr_expect_float_eq(d[0].ratio, (d[0].to - 10) / (d[0].from - 10), 1e-12);
    cr_expect_float_eq(d[0].to, 40 + exact / 2, near, "%g", d[0].to);
    cr_expect(d[1].from == d[0].to && d[1].to == d[0].from);
    cr_expect_float_eq(d[1].ratio, d[0].from / d[0].to, 1e-12);
    cr_expect_float_eq(d[2].from - d[2].to, exact / 2, near, "%g", d[2].from - d[2].to);
    cr_expect_float_eq(d[2].to, result.pressure[vessel_opening(&r, "out")], 1e-9);
    cr_expect(isnan(d[3].ratio));
    vessel_free(&r);
}

/* With 10 cells across, quadratic walls have a third of the error of linear ones, and little of it. */
Test(drops, of_quadratic_walls_are_nearer, .disabled = SANITIZED)
{
    static const char *const walls[] = {"interpolated", "quadratic"};
    const double exact = 8 * VISCOSITY * 1e-7 * APART / (M_PI * pow(RADIUS, 4));
    double wrong[2];
    vessel_extension = 0;
    vessel_pipe(0.4e-3, 0);
    for (int k = 0; k < 2; k++) {
        vessel_run r;
        vessel_write(
            "v.yaml",
            "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nwalls: %s\n"
            "openings:\n  in: {kind: inlet, flow: 0.1 mL/s}\n  out: {kind: pressure, pressure: 0 Pa}\n"
            "run: {mach: 0.02}\noutput: {surface: no, centre-line: no, slices: no, snapshots: 0, planes: {a: {centre: [0 mm, 0 mm, 3 mm]}, b: {centre: "
            "[0 mm, 0 mm, 9 mm]}}, drops: {here: {from: a, to: b}}}\n",
            walls[k]);
        const rill_run_result result = run(&r);
        wrong[k] = (result.drops[0].from - result.drops[0].to) / exact - 1;
        vessel_free(&r);
    }
    cr_expect_lt(fabs(wrong[1]), 0.005, "%g", wrong[1]);
    cr_expect_lt(fabs(wrong[1]), fabs(wrong[0]) / 3, "%g and %g", wrong[0], wrong[1]);
}

/* J_1(z)/J_0(z) by their series. */
static double complex bessel_ratio(double complex z)
{
    double complex j0 = 1, j1 = z / 2, term0 = 1, term1 = z / 2;
    for (int k = 1; k < 60; k++) {
        term0 *= -z * z / 4 / ((double)k * k);
        term1 *= -z * z / 4 / ((double)k * (k + 1));
        j0 += term0;
        j1 += term1;
    }
    return j1 / j0;
}

/* Womersley: the mean drop is that of the mean flow, its amplitude that of the impedance of the pipe. */
Test(drops, of_pulsatile_flow_are_means_over_a_cycle, .disabled = SANITIZED)
{
    vessel_run r;
    const double period = 0.2, omega = 2 * M_PI / period, alpha = RADIUS * sqrt(omega * DENSITY / VISCOSITY);
    const double complex lambda = cpow(I, 1.5) * alpha, share = 1 - 2 / lambda * bessel_ratio(lambda);
    const double mean = 8 * VISCOSITY * 1e-6 * APART / (M_PI * pow(RADIUS, 4)),
                 amplitude = 0.5e-6 * cabs(I * omega * DENSITY * APART / (M_PI * RADIUS * RADIUS * share));
    vessel_extension = 0;
    vessel_pipe(0.25e-3, 0);
    FILE *file = fopen("v.csv", "w");
    cr_assert(file);
    fprintf(file, "time [s], flow [mL/s]\n");
    for (int k = 0; k <= 40; k++)
        fprintf(file, "%g, %.9g\n", k * period / 40, 1 + 0.5 * sin(2 * M_PI * k / 40.0));
    cr_assert_eq(fclose(file), 0);
    vessel_write(
        "v.yaml",
        "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
        "  in: {kind: inlet, waveform: v.csv}\n  out: {kind: pressure, pressure: 0 Pa}\n"
        "run: {mach: 0.05, cycles: 3, tolerance: 1 %%}\noutput: {surface: no, centre-line: no, slices: no, snapshots: 0, planes: {a: {centre: "
        "[0 mm, 0 mm, 3 mm]}, b: {centre: [0 mm, 0 mm, 9 mm]}}, drops: {here: {from: a, to: b}}}\n");
    const rill_run_result result = run(&r);
    const rill_run_drop *d = result.drops;
    cr_expect_float_eq(d->from - d->to, mean, 0.02 * mean, "%g of %g Pa", d->from - d->to, mean);
    cr_expect_float_eq((d->high - d->low) / 2, amplitude, 0.03 * amplitude, "%g of %g Pa",
                       (d->high - d->low) / 2, amplitude);
    vessel_free(&r);
}

static void expect_refused(const char *drops, const char *word)
{
    rill_case *given = NULL;
    vessel_write(
        "v.yaml",
        "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
        "  in: {kind: inlet, flow: 1 mL/s}\n  out: {kind: pressure, pressure: 0 Pa}\n  side: {kind: wall}\n"
        "output: {planes: {a: {centre: [0 mm, 0 mm, 3 mm]}}, drops: {d: %s}}\n",
        drops);
    cr_expect_eq(rill_case_read("v.yaml", &given), RILL_USAGE, "%s", drops);
    cr_expect(strstr(rill_error_message(), word), "%s: %s", drops, rill_error_message());
    rill_case_destroy(given);
}

Test(drops, between_what_is_not_there_are_refused)
{
    vessel_pipe(0.4e-3, 0);
    expect_refused("{from: a}", "to");
    expect_refused("{from: a, to: b}", "none of output: planes and of the openings");
    expect_refused("{from: side, to: a}", "a wall");
    expect_refused("{from: [1], to: a}", "not a name");
    expect_refused("{from: a, to: in, venous: 3}", "venous");
}
