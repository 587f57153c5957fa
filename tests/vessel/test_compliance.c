/* SPDX-License-Identifier: Apache-2.0 */
/* The fluid of the lattice is compressible: what it stores beside the circuit is planned for, told, and true.
 */
#include "core/sanitized.h"
#include "vessel_case.h"

TestSuite(compliance, .init = files_start, .fini = files_end);

#define MMHG 133.322387415

/* 0.15 mL in the pipe; half-sines of 0.6 mL/s over half of a cycle of 100 ms. */
static void begin(const char *run)
{
    vessel_pipe(0.5e-3, 0);
    FILE *file = fopen("w.csv", "w");
    cr_assert(file);
    fprintf(file, "time [ms], flow [mL/s]\n");
    for (int k = 0; k < 10; k++) fprintf(file, "%d, %.9g\n", 5 * k, 0.6 * sin(M_PI * k / 10));
    fprintf(file, "50, 0\n75, 0\n100, 0\n");
    cr_assert_eq(fclose(file), 0);
    vessel_write(
        "v.yaml",
        "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
        "  in: {kind: inlet, waveform: w.csv}\n  out: {kind: windkessel, proximal: 5 mmHg.s/mL, distal: 45 mmHg.s/mL, compliance: 7e-4 mL/mmHg}\nrun: {%s}\n",
        run);
}

static void plan_make(rill_case_plan *plan, rill_case **given, rill_geom **geom)
{
    const rill_case_plan_options options = {.on.backend = RILL_BACKEND_CPU};
    cr_assert_eq(rill_case_read("v.yaml", given), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_geom_read((*given)->geometry, geom), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_case_plan_make(*given, *geom, &options, plan), RILL_OK, "%s", rill_error_message());
}

/* Whether a verdict has these words. */
static bool says(const rill_case_plan *plan, bool refuses, const char *words)
{
    for (int k = 0; k < plan->verdict_count; k++)
        if (plan->verdicts[k].refuses == refuses && strstr(plan->verdicts[k].text, words)) return true;
    return false;
}

/* V / (rho c_s^2) eight times the circuit's compliance is refused with the pressure that would come of it;
 * planned, it is a twentieth. */
Test(compliance, is_planned_for_or_refused)
{
    rill_case *given;
    rill_geom *geom;
    rill_case_plan plan;
    begin("mach: 0.05");
    plan_make(&plan, &given, &geom);
    const rill_case_plan_compliance *p = &plan.compliance;
    const double sound = plan.scales.velocity / sqrt(3);
    cr_expect_float_eq(p->volume, M_PI * 4e-6 * 12e-3, 0.06 * p->volume);
    cr_expect_float_eq(p->lattice, p->volume / (1000 * sound * sound), 1e-9 * p->lattice);
    cr_expect(p->share > 6 && p->share < 10, "%g", p->share);
    cr_expect_float_eq(p->settling, 50e6 * MMHG * p->lattice, 1e-6 * p->settling);
    cr_expect(says(&plan, true, "times the compliance of the Windkessels: the pressure would reach"));
    cr_expect_lt(p->peak_stored, 0.7 * p->peak);
    cr_expect_eq(rill_case_plan_accept(&plan), RILL_USAGE);
    rill_case_plan_free(&plan);
    rill_geom_destroy(geom);
    rill_case_destroy(given);
    begin("cycles: 3");
    plan_make(&plan, &given, &geom);
    cr_expect_leq(p->share, 0.05 + 1e-9, "%g", p->share);
    cr_expect_leq(p->stored, 0.05 + 1e-9, "%g", p->stored);
    cr_expect_lt(p->change, 0.05, "%g", p->change);
    cr_expect_eq(rill_case_plan_accept(&plan), RILL_OK, "%s", rill_error_message());
    rill_case_plan_free(&plan);
    rill_geom_destroy(geom);
    rill_case_destroy(given);
}

/* The Mach number that a refusal names is accepted. */
Test(compliance, names_a_mach_number_that_suffices)
{
    static const char *const outlets[] = {
        "resistance, resistance: 1e8 Pa.s/m3",
        "windkessel, proximal: 2e7 Pa.s/m3, distal: 1e8 Pa.s/m3, compliance: 2e-10 m3/Pa"};
    rill_case *given;
    rill_geom *geom;
    rill_case_plan plan;
    char keys[64] = "mach: 0.1";
    vessel_pipe(0.4e-3, 0);
    FILE *file = fopen("steady.csv", "w");
    cr_assert(file);
    fprintf(file, "time [ms], flow [mL/s]\n");
    for (int k = 0; k <= 20; k++) fprintf(file, "%d, %.9g\n", 10 * k, 0.5 * (1 + 0.02 * cos(M_PI * k / 10)));
    cr_assert_eq(fclose(file), 0);
    for (size_t o = 0; o < 2; o++)
        for (int again = 0; again < 2; again++) {
            vessel_write("v.yaml",
                         "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
                         "  in: {kind: inlet, waveform: steady.csv}\n  out: {kind: %s}\nrun: {%s}\n"
                         "output: {snapshots: 0, surface: no, centre-line: no}\n",
                         outlets[o], again ? keys : "mach: 0.1");
            plan_make(&plan, &given, &geom);
            const rill_status status = rill_case_plan_accept(&plan);
            cr_expect_eq(status, again ? RILL_OK : RILL_USAGE, "%s: %s", keys,
                         status == RILL_OK ? "accepted" : rill_error_message());
            const char *mach = again ? NULL : strstr(rill_error_message(), "give a mach of ");
            if (!again) cr_assert_not_null(mach);
            if (mach) snprintf(keys, sizeof keys, "mach: %g", atof(mach + strlen("give a mach of ")));
            rill_case_plan_free(&plan);
            rill_geom_destroy(geom);
            rill_case_destroy(given);
        }
}

/* Without a Windkessel it is the flow that differs, not the pressure. */
Test(compliance, of_a_held_pressure_changes_the_flow)
{
    rill_case *given;
    rill_geom *geom;
    rill_case_plan plan;
    begin("mach: 0.1");
    FILE *file = fopen("p.csv", "w");
    cr_assert(file);
    fprintf(file, "time [ms], pressure [Pa]\n0, 0\n25, 20\n50, 40\n75, 20\n100, 0\n");
    cr_assert_eq(fclose(file), 0);
    vessel_write(
        "v.yaml",
        "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
        "  in: {kind: inlet, waveform: w.csv}\n  out: {kind: pressure, waveform: p.csv}\nrun: {mach: 0.1}\n");
    plan_make(&plan, &given, &geom);
    cr_assert_eq(plan.compliance.share, 0);
    cr_assert_gt(plan.compliance.stored, 0.06);
    cr_expect(says(&plan, false,
                   "of the stroke volume, so that outflow and inflow differ within a cycle: a mach of "));
    cr_expect_not(says(&plan, false, "Windkessels"));
    rill_case_plan_free(&plan);
    rill_geom_destroy(geom);
    rill_case_destroy(given);
}

/* The predicted pressure of a compressible lattice is the pressure of the run. */
Test(compliance, changes_the_pressure_as_told)
{
    double flow, pressure, most = -INFINITY;
    begin("mach: 0.011, soft-start: 5 ms");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    const rill_case_plan_compliance *p = &r.plan.compliance;
    cr_assert(says(&r.plan, false, "of the compliance of the Windkessels and stores"));
    cr_assert_gt(p->peak - p->peak_stored, 0.04 * p->swing);
    vessel_record(&r);
    for (int k = 0; k < 3 * 50; k++) {
        cr_assert_eq(rill_sim_step(r.vessel->sim, r.plan.cycle_steps / 50), RILL_OK);
        vessel_look(&r, "out", &flow, &pressure);
        if (k >= 2 * 50) most = fmax(most, pressure);
    }
    cr_expect_float_eq(most, p->peak_stored, 0.25 * (p->peak - p->peak_stored),
                       "%g mmHg, told are %g, and %g without the lattice", most / MMHG, p->peak_stored / MMHG,
                       p->peak / MMHG);
    vessel_free(&r);
}

/* A flow that oscillates, to a pressure that is held: without a Windkessel, and with no pressure that the
 * case gives, what the vessel's own drop makes the lattice store changes the flow along it. */
static void oscillating(const char *keys)
{
    vessel_pipe(0.5e-3, 0);
    FILE *file = fopen("w.csv", "w");
    cr_assert(file);
    fprintf(file, "time [s], flow [mL/s]\n");
    for (int k = 0; k <= 40; k++) fprintf(file, "%g, %.9g\n", 0.005 * k, 0.3 * cos(M_PI * k / 20));
    cr_assert_eq(fclose(file), 0);
    vessel_write(
        "v.yaml",
        "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
        "  in: {kind: inlet, waveform: w.csv, profile: flat}\n  out: {kind: pressure, pressure: 0 Pa}\n"
        "run: {soft-start: 50 ms, %s}\n",
        keys);
}

/* Return the amplitude of the flow at an opening over the one at the inlet, in the second cycle. */
static double amplitude_at_outlet(vessel_run *r)
{
    enum { LOOKS = 40 };
    double re = 0, im = 0;
    vessel_record(r);
    cr_assert_eq(rill_sim_step(r->vessel->sim, r->plan.start.lead + r->plan.cycle_steps), RILL_OK);
    for (int k = 0; k < LOOKS; k++) {
        double flow, pressure;
        cr_assert_eq(rill_sim_step(r->vessel->sim, r->plan.cycle_steps / LOOKS), RILL_OK);
        vessel_look(r, "out", &flow, &pressure);
        const double angle = 2 * M_PI * vessel_time(r) / 0.2;
        re -= flow * cos(angle) * 2 / LOOKS;
        im -= flow * sin(angle) * 2 / LOOKS;
    }
    return hypot(re, im) / 0.3e-6;
}

/* By default the flow at the outlet is that of the inlet. With a time step that sound is too slow for a note
 * says how much it changes, and the Mach number that is named cures it. */
Test(compliance, flow_is_the_same_along_the_vessel, .disabled = SANITIZED)
{
    static const char *const keys[] = {"cycles: 3", "cycles: 3, mach: 0.07"};
    for (int k = 0; k < 2; k++) {
        oscillating(keys[k]);
        vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
        const double told = r.plan.compliance.sound, ratio = amplitude_at_outlet(&r);
        cr_expect_eq(says(&r.plan, false, "sound of the lattice is slow"), k == 1);
        if (k == 0) {
            cr_expect_leq(told, RILL_COMPLIANCE_SOUND * (1 + 1e-9), "%g", told);
            cr_expect_float_eq(ratio, 1, 1.5 * RILL_COMPLIANCE_SOUND, "%g times the inlet's", ratio);
        } else {
            cr_expect_gt(ratio, 1.05, "%g times the inlet's", ratio);
            /* An estimate: its sections are shells of some voxels. */
            cr_expect(told > 0.4 * (ratio - 1) && told < 1.6 * (ratio - 1), "told %g, %g times the inlet's",
                      told, ratio);
        }
        vessel_free(&r);
    }
}
