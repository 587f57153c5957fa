/* SPDX-License-Identifier: Apache-2.0 */
/* What is followed while a vessel runs is in the memory that its plan names. */
#include "vessel_case.h"

#include "core/memory.h"
#include "vessel/observe/loss.h"
#include "vessel/observe/observe.h"
#include "vessel/plan/plan.h"
#include "vessel/case/rhythm.h"

#include "peak.h"

#include <omp.h>

TestSuite(observe, .init = files_start, .fini = files_end);

/* Run v.yaml. @param[out] plan  bytes that the plan names @return bytes that it takes at most */
static double peak_of_run(double *plan)
{
    rill_run_result result;
    peak_restart();
    const double before = peak_of_memory();
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    const rill_run_options options = {.directory = ".", .fields = RILL_FIELDS_SPARSE};
    cr_assert_neq(rill_case_run(r.vessel, &options, &result), RILL_USAGE, "%s", rill_error_message());
    *plan = (double)r.plan.resources.host_bytes;
    vessel_free(&r);
    return peak_of_memory() - before;
}

static void write_case(const char *output)
{
    vessel_write("v.yaml",
                 "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
                 "  in: {kind: inlet, flow: 1 mL/s}\n  out: {kind: pressure, pressure: 0 Pa}\n"
                 "run: {mach: 0.1, duration: 0.05 ms}\noutput: %s\n",
                 output);
}

static void plan_and_peak_agree(const char *output)
{
#if defined __SANITIZE_ADDRESS__
    cr_skip_test("sanitizers take memory of their own");
#endif
    double plan;
    rill_memory_give_back(); /* as the command does: heaps of threads keep, by chance, what is freed */
    omp_set_num_threads(2);  /* each has buffers of its own, which are no part of the plan */
    write_case(output);
    vessel_pipe(0.07e-3, 0);
    const double peak = peak_of_run(&plan);
    cr_expect_leq(peak, 1.1 * plan, "%.4g MB, planned %.4g", 1e-6 * peak, 1e-6 * plan);
    cr_expect_geq(peak, plan / 1.1, "%.4g MB, planned %.4g", 1e-6 * peak, 1e-6 * plan);
}

Test(observe, plan_and_peak_of_memory_agree)
{
    plan_and_peak_agree("{fields: yes, planes: {half: {centre: [0 mm, 0 mm, 6 mm], normal: [0, 0, 1]}}}");
}

Test(observe, so_they_do_where_little_is_followed)
{
    plan_and_peak_agree("{surface: no, centre-line: no, snapshots: 0}");
}

/* Every part of it against what it is made of then. */
Test(observe, sizes_are_foretold)
{
    rill_observers o;
    uint64_t places;
    vessel_pipe(0.2e-3, 0);
    write_case("{planes: {half: {centre: [0 mm, 0 mm, 6 mm], normal: [0, 0, 1]}}}");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    cr_assert_eq(rill_observers_make(r.vessel, 10, &o), RILL_OK, "%s", rill_error_message());
    const rill_wall_shear_size map = rill_wall_shear_measure(r.geom, r.plan.nodes);
    const double entries = (double)o.map.first[o.map.triangle_count], nodes = (double)o.map.node_count;
    cr_expect_float_eq((double)map.nodes, nodes, 0.3 * nodes, "%llu nodes, not %g",
                       (unsigned long long)map.nodes, nodes);
    cr_expect_geq((double)map.bytes, 16 * entries);
    cr_expect_leq((double)map.bytes, 1.15 * (16 * entries + 40 * (double)o.map.triangle_count + 4 * nodes));
    rill_points_size planes = {0, 0}, sections = {0, 0};
    cr_assert_eq(rill_case_judge_places(r.given, &r.plan, &planes), RILL_OK);
    cr_expect_eq(planes.points, o.places.points.count);
    cr_expect_eq(planes.nodes, o.places.points.node_count);
    cr_assert_eq(rill_losses_count(&r.plan, &sections), RILL_OK);
    cr_expect_eq(sections.points, r.vessel->losses->sampler.points.count);
    cr_expect_eq(sections.nodes, r.vessel->losses->sampler.points.node_count);
    (void)rill_centreline_measure(r.geom, r.plan.nodes, &places);
    cr_expect(places >= o.centreline.count && places <= 3 * o.centreline.count, "%llu places, not %llu",
              (unsigned long long)places, (unsigned long long)o.centreline.count);
    rill_observers_free(&o);
    vessel_free(&r);
}
