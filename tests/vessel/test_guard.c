/* SPDX-License-Identifier: Apache-2.0 */
/* A run that is not the flow of its plan any more stops; one that is, does not, however it starts. */
#include "vessel_case.h"

#include "vessel/case/rhythm.h"

#include <sys/stat.h>

TestSuite(guard, .init = files_start, .fini = files_end);

#define CASE                                                                                                 \
    "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\n"                                \
    "openings:\n  in: {kind: inlet, flow: 0.3 mL/s, profile: flat}\n"                                        \
    "  out: {kind: pressure, pressure: 10 mmHg}\n"

static rill_status run(const vessel_run *r, rill_run_result *result)
{
    mkdir("out", 0777);
    return rill_case_run(r->vessel, &(rill_run_options){.directory = "out"}, result);
}

/* Mach number and pressure of the plan; what is planned for, with its parts: 0.3 mL/s through a pipe of
 * radius 2 mm and 12 mm of length. */
Test(guard, limits_follow_from_the_plan)
{
    vessel_pipe(0.4e-3, 0);
    vessel_write("v.yaml", CASE "run: {mach: 0.05, soft-start: 0.1 s}\n");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    const double u = r.plan.peak.velocity, area = M_PI * 4e-6,
                 viscous = 8 * M_PI * 4e-3 * 0.3e-6 * 12e-3 / (area * area),
                 inertial = 1000 * M_PI / 2 * 0.3e-6 / area / 0.1 * 12e-3;
    cr_expect_float_eq(r.plan.peak.mach_limit, 0.1, 1e-6, "%g", r.plan.peak.mach_limit);
    cr_expect_float_eq(r.plan.pressure.low, 10 * 133.322387415, 1e-6);
    cr_expect_float_eq(r.plan.pressure.high, 10 * 133.322387415, 1e-6);
    const double allowed = 1000 * u * u / 2 + viscous + inertial;
    cr_expect_float_eq(r.plan.pressure.allowed, allowed, 0.3 * allowed, "%g, not %g", r.plan.pressure.allowed,
                       allowed);
    cr_expect_float_eq(r.plan.pressure.limit, 5 * r.plan.pressure.allowed, 1e-6);
    vessel_free(&r);
}

/* However abruptly it starts, a flow that is planned runs. */
Test(guard, lets_run_what_is_planned)
{
    static const char *const starts[] = {"0 s", "2 ms", "20 ms"};
    vessel_pipe(0.4e-3, 30);
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        rill_run_result result;
        vessel_write("v.yaml",
                     CASE "run: {mach: 0.1, soft-start: %s, duration: 60 ms}\n"
                          "output: {surface: no, centre-line: no, snapshots: 0}\n",
                     starts[k]);
        vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
        cr_expect_eq(run(&r, &result), RILL_OK, "soft start of %s: %s", starts[k], rill_error_message());
        vessel_free(&r);
    }
}

/* What the start of a flow makes of pressure is no divergence, even if it is above what the flow has later.
 */
Test(guard, lets_a_start_decay)
{
    rill_run_result result;
    vessel_pipe(0.4e-3, 0);
    vessel_write("v.yaml", CASE "run: {mach: 0.1, soft-start: 50 ms, duration: 200 ms, tolerance: 0.9}\n"
                                "output: {surface: no, centre-line: no, snapshots: 0}\n");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    r.vessel->plan.pressure.limit = 4; /* the vessel itself loses 2.3 Pa, and the start makes 9 */
    cr_expect_eq(run(&r, &result), RILL_OK, "%s", rill_error_message());
    vessel_free(&r);
}

/* Stop with the place and the time, and without wall shear. */
Test(guard, stops_what_is_not_planned)
{
    vessel_pipe(0.4e-3, 0);
    vessel_write("v.yaml", CASE "run: {mach: 0.1, soft-start: 5 ms, duration: 60 ms}\n");
    for (int pressure = 0; pressure < 2; pressure++) {
        rill_run_result result;
        vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
        if (pressure)
            r.vessel->plan.pressure.limit = 1;
        else
            r.vessel->plan.peak.mach_limit /= 4;
        cr_assert_eq(run(&r, &result), RILL_NUMERICS);
        cr_expect_eq(result.end, RILL_RUN_DIVERGED);
        cr_expect(strstr(result.why, pressure ? "has a pressure of" : "m/s, Mach 0.0"), "%s", result.why);
        cr_expect(strstr(result.why, "at 0.0") && strstr(result.why, "mm from "), "%s", result.why);
        const char *told = strstr(result.why, "has a pressure of ");
        if (pressure) { /* outside of the limits that are told: 10 mmHg less and more 1 Pa */
            cr_assert(told);
            const double at = atof(told + strlen("has a pressure of ")), gap = fabs(at - 10) * 133.322387415;
            cr_expect(gap > 0.9 && gap < 100, "%s", result.why);
        }
        cr_expect(isnan(result.shear.mean) && isnan(result.shear.max) && isnan(result.shear.osi_mean));
        cr_expect_neq(access("out/run.h5", F_OK), 0);
        cr_expect_neq(access("out/wall.vtkhdf", F_OK), 0);
        vessel_free(&r);
    }
}
