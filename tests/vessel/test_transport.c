/* SPDX-License-Identifier: Apache-2.0 */
/* What the flow of a vessel carries: residence times that are known, what is refused, what is written. */
#include "vessel_case.h"

#include "backends.h"
#include "vessel/run/transport.h"

TestSuite(transport, .init = files_start, .fini = files_end);

#define FLUID "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 20 mPa.s}\n"
#define OUT "  out: {kind: pressure, pressure: 10 mmHg}\n"

/* Volume of the nodes. */
static double volume_of(const vessel_run *r) { return r->plan.nodes * pow(r->plan.scales.length, 3); }

/* In a pipe along an axis what leaves has stayed for volume over flow, and has the concentration that came
 * in, though in its middle the fluid passes in half of the time. */
Test(transport, what_leaves_has_stayed_for_volume_over_flow)
{
    vessel_pipe(0.5e-3, 0);
    vessel_write(
        "v.yaml", FLUID
        "openings:\n  in: {kind: inlet, flow: 1 mL/s, concentration: 0.4}\n" OUT
        "transport: {residence-time: yes}\n"
        "run: {mach: 0.1, soft-start: 2 ms, tolerance: 0.1 %%}\noutput: {surface: no, centre-line: no, slices: no, fields: yes}\n");
    FOR_EACH_BACKEND(backend)
    {
        vessel_run r = vessel_set_up(backend);
        rill_run_result result;
        const int in = vessel_opening(&r, "in"), out = vessel_opening(&r, "out");
        cr_expect_eq(r.plan.transport.scalars, 2);
        cr_expect_float_eq(r.plan.transport.cell_peclet, 2, 1e-9);
        ASSERT_OK(rill_case_run(r.vessel, &(rill_run_options){.directory = ".", .fields = RILL_FIELDS_IMAGE},
                                &result));
        cr_expect_eq(result.end, RILL_RUN_REPEATS);
        cr_expect_float_eq(result.transport.concentration[out] / 0.4, 1, 5e-3, "%g",
                           result.transport.concentration[out]);
        cr_expect_float_eq(result.transport.concentration_mean / 0.4, 1, 5e-3, "%g",
                           result.transport.concentration_mean);
        const double exact = volume_of(&r) / 1e-6;
        cr_expect_float_eq(result.transport.residence[out] / exact, 1, 1e-2, "%g of %g s",
                           result.transport.residence[out], exact);
        cr_expect(result.transport.residence_mean > 0.3 * exact && result.transport.residence_mean < exact);
        cr_expect(isnan(result.transport.residence[in]) && isnan(result.transport.concentration[in]));
        cr_expect_lt(result.changes.transport, 1e-3);
        vessel_free(&r);
    }
    char header[512] = "";
    FILE *file = fopen("transport.csv", "r");
    cr_assert(file);
    while (fgets(header, sizeof header, file) && header[0] == '#') {}
    cr_expect_not_null(strstr(header, "out.residence_time"), "%s", header);
    cr_expect_not_null(strstr(header, "concentration_mean"), "%s", header);
    fclose(file);
    cr_expect_eq(access("fields-0001.vtkhdf", F_OK), 0);
}

/* Over a cycle of a periodic state what leaves brings its time: the mean, by the flow, is volume over mean
 * flow. */
Test(transport, pulses_leave_volume_over_mean_flow)
{
    FILE *file = fopen("wave.csv", "w");
    cr_assert(file);
    fprintf(file, "# a pulse\ntime [ms], flow [mL/s]\n");
    for (int k = 0; k <= 40; k++) fprintf(file, "%g, %.9g\n", 2.5 * k, 1 + 0.6 * sin(2 * M_PI * k / 40));
    cr_assert_eq(fclose(file), 0);
    vessel_pipe(0.6e-3, 0);
    vessel_write(
        "v.yaml", FLUID
        "openings:\n  in: {kind: inlet, waveform: wave.csv, concentration: 1}\n" OUT
        "transport: {residence-time: yes, diffusivity: 50 mm2/s}\n"
        "run: {mach: 0.1, cycles: 30, tolerance: 0.2 %%}\noutput: {surface: no, centre-line: no, slices: no, snapshots: 0}\n");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    rill_run_result result;
    const int out = vessel_opening(&r, "out");
    ASSERT_OK(rill_case_run(r.vessel, &(rill_run_options){.directory = NULL}, &result));
    cr_expect_eq(result.end, RILL_RUN_REPEATS);
    const double exact = volume_of(&r) / 1e-6;
    cr_expect_float_eq(result.transport.residence[out] / exact, 1, 0.02, "%g of %g s",
                       result.transport.residence[out], exact);
    cr_expect_float_eq(result.transport.concentration[out], 1, 0.01, "%g",
                       result.transport.concentration[out]);
    vessel_free(&r);
}

/* Return the first refusal or remark of a case. */
static void says(const char *transport, bool refuses, const char *what)
{
    rill_case *given = NULL;
    rill_geom *geom = NULL;
    rill_case_plan plan;
    vessel_write("v.yaml", FLUID "openings:\n  in: {kind: %s}\n" OUT "%s\n",
                 strstr(transport, "#pressures") ? "pressure, pressure: 11 mmHg" : "inlet, flow: 1 mL/s",
                 transport);
    ASSERT_OK(rill_case_read("v.yaml", &given));
    ASSERT_OK(rill_geom_read(given->geometry, &geom));
    ASSERT_OK(
        rill_case_plan_make(given, geom, &(rill_case_plan_options){.on.backend = RILL_BACKEND_CPU}, &plan));
    bool found = false;
    for (int k = 0; k < plan.verdict_count; k++)
        found |= plan.verdicts[k].refuses == refuses && strstr(plan.verdicts[k].text, what);
    cr_expect(found, "%s: %s, of %d", transport, plan.verdict_count ? plan.verdicts[0].text : "",
              plan.verdict_count);
    rill_case_plan_free(&plan);
    rill_geom_destroy(geom);
    rill_case_destroy(given);
}

Test(transport, refuses_what_voxels_do_not_resolve)
{
    rill_case *given = NULL;
    vessel_pipe(0.6e-3, 0);
    says("transport: {residence-time: yes, diffusivity: 1 mm2/s}", true, "Increase the diffusivity to");
    says("transport: {residence-time: yes, diffusivity: 20 mm2/s}", false, "overshoot at fronts");
    says("transport: {diffusivity: 20 mm2/s}", true, "nothing is");
    says("transport: {residence-time: yes} #pressures", true, "no opening is an inlet");
    says("transport: {residence-time: yes, diffusivity: 1e-1 m2/s}", true, "Shorten the time step");
    vessel_write("v.yaml", FLUID "openings:\n  in: {kind: inlet, flow: 1 mL/s, concentration: -1}\n" OUT);
    cr_expect_eq(rill_case_read("v.yaml", &given), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "concentration"), "%s", rill_error_message());
}
