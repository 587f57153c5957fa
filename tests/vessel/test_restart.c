/* SPDX-License-Identifier: Apache-2.0 */
/* A vessel's run that is stopped at any row of its series and resumed has the same series. */
#include "backends.h"
#include "core/sanitized.h"
#include "vessel_case.h"

#include "own_clock.h"
#include "vessel/run/resume.h"
#include "vessel/case/rhythm.h"
#include "vessel/run/transport.h"

TestSuite(restart, .init = files_start, .fini = files_end);

enum { FIRST = 18, LAST = 24 }; /* rows before and after the first search for a divergence, at step 85 */

static bool stop(void *context, const rill_progress_moment *moment)
{
    int *left = context;
    return !moment->run || --*left > 0;
}

static void run(const char *directory, int rows, bool resume, rill_status expected)
{
    rill_run_result result;
    cr_assert(mkdir(directory, 0777) == 0 || resume);
    vessel_resume = resume ? directory : NULL;
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    const rill_run_options options = {.directory = directory, .resume = resume, .progress = {stop, &rows}};
    cr_assert_eq(rill_case_run(r.vessel, &options, &result), expected, "%s: %s", directory,
                 rill_error_message());
    vessel_free(&r);
}

/* Compare a run with those that stop after `first` to `last` rows and are resumed; under sanitizers with the
 * first and the last of them. */
static void goes_on(const char *outlet, const char *how, int first, int last)
{
    static const char *const series[] = {"openings.csv", "monitor.csv", "wall.csv", "transport.csv"};
    char command[256], name[32];
    vessel_extension = 1; /* what it loses is learned after these rows */
    vessel_pipe(0.6e-3, 0);
    vessel_write("v.yaml",
                 "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 20 mPa.s}\nopenings:\n"
                 "  in: {kind: inlet, flow: 1 mL/s, profile: flat}\n  out: {%s}\n"
                 "run: {mach: 0.1, %s, tolerance: 0.9}\noutput: {snapshots: 0}\n",
                 outlet, how);
    run("whole", 1 << 30, false, RILL_OK);
    for (int rows = first; rows <= last; rows += SANITIZED ? last - first : 1) {
        snprintf(name, sizeof name, "parts-%d", rows);
        run(name, rows, false, RILL_CANCELLED);
        run(name, 1 << 30, true, RILL_OK);
        for (size_t k = 0; k < sizeof series / sizeof *series; k++) {
            snprintf(command, sizeof command, "! test -e whole/%s || cmp whole/%s %s/%s", series[k],
                     series[k], name, series[k]);
            cr_expect_eq(system(command), 0, "%s", command);
        }
    }
}

Test(restart, every_row_goes_on_to_the_same_series)
{
    goes_on("kind: windkessel, proximal: 1e7 Pa.s/m3, distal: 4e7 Pa.s/m3, compliance: 2e-10 m3/Pa",
            "duration: 100 ms", FIRST, LAST);
}

/* Both compartments go on, and what is learned of an extension in the middle of a cycle. */
Test(restart, coronary_outlets_go_on_to_the_same_series)
{
    vessel_write("muscle.csv", "time [s], pressure [Pa]\n0, 0\n0.01, 20\n0.02, 40\n0.05, 0\n");
    goes_on(
        "kind: coronary, intramyocardial: muscle.csv, arterial: 1e7 Pa.s/m3, arterial-compliance: 2e-10 m3/Pa, microvascular: "
        "2e7 Pa.s/m3, myocardial-compliance: 2e-10 m3/Pa, venous: 2e7 Pa.s/m3",
        "cycles: 2, soft-start: 4 ms", FIRST, FIRST + 2);
}

/* What is carried goes on, too, with the diffusivity that was chosen, whatever would be chosen today. */
Test(restart, what_is_carried_goes_on_to_the_same_series)
{
    rill_case *given = NULL;
    rill_case_plan_resume resume;
    goes_on("kind: pressure, pressure: 0 Pa", "duration: 100 ms}\ntransport: {residence-time: yes}\n#", FIRST,
            FIRST + 2);
    cr_expect_eq(access("whole/transport.csv", F_OK), 0);
    vessel_resume = NULL;
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    run("stopped", FIRST, false, RILL_CANCELLED);
    ASSERT_OK(rill_case_read("v.yaml", &given));
    ASSERT_OK(rill_resume_find("stopped", given, &resume));
    cr_expect_gt(r.plan.transport.diffusivity, 0);
    cr_expect_eq(resume.diffusivity, r.plan.transport.diffusivity);
    r.plan.resume.diffusivity = 2 * r.plan.transport.diffusivity;
    rill_transport_plan(given, &r.plan);
    cr_expect_eq(r.plan.transport.diffusivity, 2 * resume.diffusivity);
    rill_case_destroy(given);
    vessel_free(&r);
}
