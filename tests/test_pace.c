/* SPDX-License-Identifier: Apache-2.0 */
/* The speed that a plan tells is that of the vessel, walls and openings included. */
#include "vessel_case.h"

#include "sim/sim.h"

#include "core/clock.h"
#include "permeability/plan.h"

TestSuite(pace, .init = files_start, .fini = files_end, .timeout = 120);

/* Steps made in half a second, as million node updates per second. */
static double stepped(const vessel_run *r)
{
    uint64_t steps = 0;
    const double start = rill_now();
    for (; rill_now() - start < 0.5; steps += 10)
        cr_assert_eq(rill_sim_step(r->vessel->sim, 10), RILL_OK, "%s", rill_error_message());
    return (double)r->plan.nodes * (double)steps / (rill_now() - start) * 1e-6;
}

/* Others may use the same cores meanwhile: once in a few times is enough. */
Test(pace, a_small_vessel_is_as_fast_as_its_plan_tells)
{
    double box, off = INFINITY;
    vessel_pipe(0.25e-3, 0);
    vessel_write("v.yaml", "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\n"
                           "openings:\n  in: {kind: inlet, flow: 1 mL/s}\n"
                           "  out: {kind: pressure, pressure: 0 Pa}\nrun: {mach: 0.1}\n");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    cr_expect(!r.plan.mlups_measured);
    for (int k = 0; k < 5 && off > 1.5; k++) {
        rill_case_plan plan;
        const rill_plan_options options = {.backend = RILL_BACKEND_CPU, .measure = true};
        cr_assert_eq(rill_case_plan_make(r.given, r.geom, &options, &plan), RILL_OK, "%s",
                     rill_error_message());
        const double found = stepped(&r);
        cr_expect(plan.mlups_measured);
        cr_expect_float_eq(plan.seconds, 1e-6 * (double)(plan.nodes * plan.steps) / plan.mlups,
                           1e-9 * plan.seconds);
        off = fmin(off, fmax(plan.mlups / found, found / plan.mlups));
        rill_case_plan_free(&plan);
    }
    cr_expect_lt(off, 1.5, "off by %g", off);
    /* A box has neither walls nor openings. */
    cr_assert_eq(rill_sim_speed(&r.plan.options, 64, &box), RILL_OK, "%s", rill_error_message());
    cr_expect_gt(box, 1.5 * stepped(&r));
    vessel_free(&r);
}
