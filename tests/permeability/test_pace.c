/* SPDX-License-Identifier: Apache-2.0 */
/* The speed that a plan tells is that of the vessel, walls and openings included. */
#include "vessel_case.h"

#include "sim/sim.h"

#include "own_clock.h"
#include "permeability/plan.h"

/* Each reading of the clock is 1/64 s later than the one before, so that a speed tells how many nodes made
 * how many steps. */
static void begin(void)
{
    own_clock_tick = 1.0 / 64;
    files_start();
}

TestSuite(pace, .init = begin, .fini = files_end);

/* A small vessel is stepped itself, 8 steps between readings, for a fifth of a second: 96 steps until the
 * 14th reading. A box has neither walls nor openings. */
Test(pace, a_small_vessel_is_timed_itself)
{
    rill_case_plan plan;
    const rill_case_plan_options options = {.on.backend = RILL_BACKEND_CPU, .measure = true};
    vessel_pipe(0.25e-3, 0);
    vessel_write("v.yaml", "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\n"
                           "openings:\n  in: {kind: inlet, flow: 1 mL/s}\n"
                           "  out: {kind: pressure, pressure: 0 Pa}\nrun: {mach: 0.1}\n");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    cr_expect(!r.plan.speed.measured);
    cr_assert_eq(rill_case_plan_make(r.given, r.geom, &options, &plan), RILL_OK, "%s", rill_error_message());
    cr_expect(plan.speed.measured);
    const double mlups = 1e-6 * (double)plan.nodes * 96 / (14 / 64.0);
    cr_expect_float_eq(plan.speed.mlups, mlups, 1e-12 * mlups);
    cr_expect_float_eq(plan.speed.seconds, 1e-6 * (double)(plan.nodes * plan.steps) / plan.speed.mlups,
                       1e-9 * plan.speed.seconds);
    rill_case_plan_free(&plan);
    vessel_free(&r);
}

/* Step the middle of a box of fluid with a cube of solid in its middle. */
static rill_speed middle(const uint32_t n[3], uint32_t solid, uint64_t most)
{
    rill_sim_options options = rill_sim_options_default();
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_speed speed;
    options.on.backend = RILL_BACKEND_CPU;
    cr_assert_eq(rill_geom_create(n, &geom), RILL_OK);
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++) {
                const uint32_t at[3] = {x, y, z};
                bool in = true;
                for (int a = 0; a < 3; a++) in = in && labs(2 * (long)at[a] + 1 - (long)n[a]) < (long)solid;
                geom->voxels[((size_t)z * n[1] + y) * n[0] + x] = in ? RILL_SOLID : RILL_FLUID;
            }
    cr_assert_eq(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain), RILL_OK);
    cr_assert_eq(rill_sim_speed_within(domain, &options, most, RILL_SPEED_SECONDS, &speed), RILL_OK, "%s",
                 rill_error_message());
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    return speed;
}

/* What is stepped to plan a run on processors is the middle of the sample, no more of it than was asked for.
 */
Test(pace, middle_of_a_sample)
{
    rill_speed speed = middle((const uint32_t[3]){40, 40, 40}, 0, 8000);
    cr_expect_eq(speed.nodes, 8000);
    cr_expect_eq(speed.edge, 0);
    cr_expect_gt(speed.mlups, 0);
    speed = middle((const uint32_t[3]){40, 40, 40}, 10, 8000); /* 63,000 nodes of 64,000 voxels */
    cr_expect_eq(speed.nodes, 20 * 20 * 20 - 10 * 10 * 10);
    speed = middle((const uint32_t[3]){100, 70, 1}, 0, 400); /* a sheet */
    cr_expect_eq(speed.nodes, 400);
    speed = middle((const uint32_t[3]){10, 10, 10}, 0, 1000000); /* all of it */
    cr_expect_eq(speed.nodes, 1000);
    speed = middle((const uint32_t[3]){40, 40, 40}, 30, 20); /* no node is there */
    cr_expect_eq(speed.nodes, 0);
    cr_expect_eq(speed.mlups, 0);
}

/* 2,048,000 nodes of a gyroid, D3Q15, on two threads beside a cache of 32 MiB: a quarter of them lies in it.
 */
Test(pace, more_nodes_are_timed_than_caches_hold)
{
    const uint64_t cache = 32 << 20, node = 15 * 4;
    cr_expect_eq(rill_plan_speed_nodes(2048000, node, 0, 2), 512000);
    cr_expect_geq(node * (rill_plan_speed_nodes(2048000, node, cache, 2) + 1), 2 * cache);
    cr_expect_lt(node * rill_plan_speed_nodes(2048000, node, cache, 2), 2.1 * (double)cache);
    cr_expect_eq(rill_plan_speed_nodes(4400000, 4 * node, cache, 2), 1100000);    /* a quarter is more */
    cr_expect_eq(rill_plan_speed_nodes(2048000, node, 100 * cache, 2), 1200000);  /* for each thread */
    cr_expect_eq(rill_plan_speed_nodes(2048000, node, 100 * cache, 64), 4000000); /* in all */
    cr_expect_eq(rill_plan_speed_nodes(1000, node, 0, 2), 300000); /* the sample has fewer: all of them */
}

/* Runs that were made with a pore network: steps of a cycle are 40, of 60 in the last. */
Test(pace, likely_steps_are_those_of_runs)
{
    const struct {
        double porosity, tolerance;
        uint64_t cycle, steps;
    } runs[] = {
        {0.389, 1e-3, 40, 160},                          /* spheres, R = 8, 96^3 */
        {0.390, 1e-2, 40, 120}, {0.158, 1e-2, 40, 200},  /* overlapping spheres, R = 8, 64^3 */
        {0.158, 1e-3, 40, 280}, {0.0893, 1e-3, 40, 440}, /* Fontainebleau, 240^3, mirrored */
        {0.501, 1e-3, 60, 180},                          /* spheres, R = 8, 96^3 */
    };
    rill_permeability_options options = rill_permeability_options_default();
    options.axis = 2;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        const rill_permeability_plan plan = {
            .network = true, .cycle = runs[k].cycle, .pores.porosity = runs[k].porosity};
        options.tolerance = runs[k].tolerance;
        const double ratio = (double)runs[k].steps / rill_plan_steps_likely(&options, &plan);
        cr_expect(ratio > 0.7 && ratio < 1.3, "run %zu: %g times as many steps", k, ratio);
    }
    /* Overlapping spheres, R = 40, 2048^3: a coarser grid shows that little flows, and cycles are of 512
     * steps. */
    const rill_permeability_plan wide = {.network = true,
                                         .nested = true,
                                         .cycle = 82,
                                         .tau = 10.05,
                                         .nu = 3.182,
                                         .pores.porosity = 0.13424,
                                         .pores.opening = 86,
                                         .momentum = 86 * 86 / (4 * 5.783186),
                                         .length = 2048,
                                         .k_expected = 0.069};
    options.tolerance = 1e-3;
    const double ratio = 4608 / rill_plan_steps_likely(&options, &wide);
    cr_expect(ratio > 0.7 && ratio < 1.3, "%g times as many steps", ratio);
    const rill_permeability_plan plan = {.network = true, .cycle = 40, .pores.porosity = 0.1};
    const double one = rill_plan_steps_likely(&options, &plan);
    options.axis = -1;
    cr_expect_gt(rill_plan_steps_likely(&options, &plan), one);
    options.max_steps = 30;
    cr_expect_eq(rill_plan_steps_likely(&options, &plan), 30);
}

/* Twice as many devices need half of the time for steps, and as long as before for the pore network. */
Test(pace, seconds_count_all_devices)
{
    rill_permeability_options options = rill_permeability_options_default();
    options.axis = 2;
    rill_permeability_plan plan = {.network = true, .cycle = 40, .pores.porosity = 0.4, .nodes = 1000000};
    const rill_speed speed = {.mlups = 100};
    rill_geom *geom = NULL;
    rill_device *device = NULL;
    cr_assert_eq(rill_geom_create((const uint32_t[3]){100, 100, 100}, &geom), RILL_OK);
    cr_assert_eq(rill_device_create(RILL_BACKEND_CPU, 0, &device), RILL_OK);
    options.on.device = device;
    const double one = rill_plan_seconds(geom, &options, &plan, speed, 1, 2);
    cr_expect_float_eq(rill_plan_seconds(geom, &options, &plan, speed, 2, 2), one / 2, 1e-9 * one);
    plan.chambers = 100000;
    const double with = rill_plan_seconds(geom, &options, &plan, speed, 1, 2);
    cr_expect_gt(with, one);
    cr_expect_float_eq(rill_plan_seconds(geom, &options, &plan, speed, 2, 2), with - one / 2, 1e-9 * with);
    rill_device_destroy(device);
    rill_geom_destroy(geom);
}
