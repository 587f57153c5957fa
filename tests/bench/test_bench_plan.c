/* SPDX-License-Identifier: Apache-2.0 */
/* What the suites of the benchmark consist of, and the porosity at which sparse and dense break even. */
#include "backends.h"
#include "domain/domain.h"
#include "geometry/generate/generate.h"
#include "bench/bench.h"
#include "bench/bench_plan.h"
#include "bench/contest.h"
#include "sim/sim.h"
#include "kernel/variant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- break-even ------------------------------------------------------------------------------ */

/* Sparse makes 20 whatever the porosity, dense 25 of all voxels: 25 p = 20 at 0.8, between two points. */
Test(break_even, is_where_the_curves_cross)
{
    rill_contest speed[5], memory[5];
    const double porosities[5] = {0.05, 0.3, 0.7, 0.85, 1};
    for (int k = 0; k < 5; k++) {
        const double p = porosities[k];
        speed[k] = (rill_contest){p, 20, 25 * p};
        memory[k] = (rill_contest){p, 80, 77 / p}; /* bytes: at 77/80 */
    }
    cr_expect_float_eq(rill_break_even(speed, 5, true), 0.8, 1e-12);
    const double lead[2] = {80 - 77 / 0.85, 80 - 77.0};
    cr_expect_float_eq(rill_break_even(memory, 5, false), 0.85 + 0.15 * lead[0] / (lead[0] - lead[1]), 1e-12);
    cr_expect_float_eq(rill_break_even(memory, 5, false), 77.0 / 80, 0.02);
}

Test(break_even, may_not_be_there)
{
    const rill_contest never[] = {{0.1, 20, 2}, {0.5, 20, 10}, {1, 20, 19.9}},
                       equal[] = {{0.1, 20, 2}, {1, 20, 20}}, always[] = {{0.1, 1, 2}, {1, 1, 3}},
                       twice[] = {{0.1, 1, 2}, {0.5, 2, 1}, {0.9, 1, 2}};
    cr_expect(isnan(rill_break_even(never, 3, true)));
    cr_expect(isnan(rill_break_even(equal, 2, true)));
    cr_expect_eq(rill_break_even(always, 2, true), 0.1);
    cr_expect_float_eq(rill_break_even(twice, 3, true), 0.7, 1e-12);
    cr_expect_eq(rill_break_even(twice, 1, true), 0.1);
}

/* ---- plans ----------------------------------------------------------------------------------- */

static rill_bench_wants wants_of(const int *suites, int count)
{
    return (rill_bench_wants){.suites = suites,
                              .suite_count = count,
                              .seconds = 0.3,
                              .bandwidth = 4e12,
                              .threads = 16,
                              .device = true,
                              .vessel = true,
                              .memory = UINT64_C(140) << 30,
                              .host_memory = UINT64_C(120) << 30};
}

static rill_bench_plan plan_of(int suite)
{
    const rill_bench_wants wants = wants_of(&suite, 1);
    rill_bench_plan plan;
    ASSERT_OK(rill_bench_plan_make(&wants, &plan));
    return plan;
}

/* A collision that is named alone brings its equilibrium and lattice; a suite that varies them keeps its own.
 */
Test(bench_plan, collisions_bring_what_they_need)
{
    const int suite = RILL_SUITE_BOX, named[] = {RILL_TRT, RILL_MRT, RILL_CUMULANT};
    rill_bench_wants wants = wants_of(&suite, 1);
    rill_bench_plan plan;
    wants.collision = (rill_bench_values){named, 3};
    ASSERT_OK(rill_bench_plan_make(&wants, &plan));
    int met[RILL_COLLISION_COUNT] = {0};
    for (int k = 0; k < plan.case_count; k++) {
        const rill_variant v = plan.cases[k].variant;
        met[v.collision]++;
        cr_expect_eq(v.equilibrium, v.collision == RILL_TRT ? RILL_STOKES : RILL_SECOND_ORDER);
        cr_expect_eq(v.lattice, v.collision == RILL_CUMULANT ? RILL_D3Q27 : RILL_D3Q19);
    }
    cr_expect(met[RILL_TRT] > 0 && met[RILL_MRT] == met[RILL_TRT] && met[RILL_CUMULANT] == met[RILL_TRT]);
    rill_bench_plan_free(&plan);
}

/* Every scheme with every addressing that it goes with, twice: all with three, two of them with chase. */
Test(bench_plan, schemes_are_all_there)
{
    rill_bench_plan plan = plan_of(RILL_SUITE_SCHEMES);
    int expected = 0;
    rill_variant v;
    for (uint64_t cursor = 0; rill_variant_next(&cursor, &v);)
        expected += v.stream != RILL_MACROSCOPIC && v.lattice == RILL_D3Q19 && v.collision == RILL_TRT &&
                    v.equilibrium == RILL_STOKES && !v.arithmetic && !v.rheology && !v.bounce && !v.shift &&
                    (v.storage == RILL_FP32 || v.storage == RILL_FP16S);
    cr_expect_eq(plan.case_count, expected);
    cr_expect_eq(expected, 2 * (3 * (RILL_STREAM_COUNT - 1) + 2));
    cr_expect_eq(plan.shape_count, 1);
    rill_bench_plan_free(&plan);
}

/* No case twice, all of them valid, ordered so that geometries and lattices are made once. */
Test(bench_plan, cases_are_in_order)
{
    for (int suite = 0; suite < RILL_SUITE_COUNT; suite++) {
        if (suite == RILL_SUITE_ROCK) continue;
        rill_bench_plan plan = plan_of(suite);
        double sum = 0;
        cr_expect_gt(plan.case_count, 0);
        for (int k = 0; k < plan.case_count; k++) {
            const rill_bench_case *c = &plan.cases[k];
            sum += c->seconds;
            cr_expect_gt(c->seconds, 0);
            ASSERT_OK(rill_variant_check(c->variant));
            for (int j = 0; j < k; j++) {
                const rill_bench_case *earlier = &plan.cases[j];
                cr_expect_leq(earlier->shape, c->shape);
                cr_expect(earlier->shape < c->shape || earlier->variant.lattice <= c->variant.lattice);
                cr_expect_not(earlier->shape == c->shape && rill_variant_equal(earlier->variant, c->variant));
            }
        }
        for (int k = 0; k < plan.shape_count; k++) sum += plan.shapes[k].seconds;
        cr_expect_float_eq(plan.seconds, sum, 1e-9 * sum);
        cr_expect_lt(plan.seconds, 120, "%s: %g s", rill_bench_suite_names[suite], plan.seconds);
        rill_bench_plan_free(&plan);
    }
}

/* From 1e5 nodes in half decades, and the largest cube is within the memory and not far below. */
Test(bench_plan, sizes_end_at_what_fits)
{
    rill_bench_plan plan = plan_of(RILL_SUITE_SIZES);
    double last = 0;
    for (int k = 0; k < plan.shape_count; k++) {
        const double nodes = pow(plan.shapes[k].cells, 3);
        cr_expect_gt(nodes, 1.5 * last);
        last = nodes;
    }
    const rill_bytes bytes = rill_variant_bytes(plan.cases[plan.case_count - 1].variant, 1);
    const double share = last * (bytes.populations + bytes.index) / (double)(UINT64_C(140) << 30);
    cr_expect(share > 0.95 && share < 0.98, "%g of the memory", share);
    cr_expect_float_eq(pow(plan.shapes[0].cells, 3), 1e5, 0.05e5);
    rill_bench_plan_free(&plan);
    const int suite = RILL_SUITE_SIZES;
    rill_bench_wants few = wants_of(&suite, 1);
    few.most_nodes = 4000;
    ASSERT_OK(rill_bench_plan_make(&few, &plan));
    cr_expect_eq(plan.shape_count, 1);
    cr_expect_eq(plan.shapes[0].cells, 16);
    rill_bench_plan_free(&plan);
}

/* The box of overlapping spheres alone has the porosity that is asked for. */
Test(bench_plan, a_porosity_is_that_of_overlapping_spheres)
{
    const int suite = RILL_SUITE_SCALING, cases[] = {RILL_SCALING_SPHERES, RILL_SCALING_OVERLAP};
    for (int k = 0; k < 2; k++) {
        rill_bench_wants wants = wants_of(&suite, 1);
        rill_bench_plan plan;
        wants.scaling = (rill_bench_values){cases, 2};
        wants.porosity = k ? 0.135 : 0;
        ASSERT_OK(rill_bench_plan_make(&wants, &plan));
        cr_assert_eq(plan.shape_count, 2);
        cr_expect_eq(plan.shapes[0].porosity, 0.39);
        cr_expect_eq(plan.shapes[1].porosity, k ? 0.135 : 0.06);
        rill_bench_plan_free(&plan);
    }
}

/* Geometries have the porosity that they are named after. */
Test(bench_plan, porosities_are_reached)
{
    rill_bench_plan plan = plan_of(RILL_SUITE_POROSITY);
    cr_expect_eq(plan.shape_count, 11);
    for (int k = 0; k < plan.shape_count; k++) {
        rill_geom *geom = NULL;
        plan.shapes[k].cells = 96; /* spheres of radius 16 */
        ASSERT_OK(rill_bench_shape_make(&plan.shapes[k], &geom));
        const double found = (double)rill_geom_fluid(geom) / (double)rill_geom_voxels(geom);
        cr_expect_float_eq(found, plan.shapes[k].porosity, 0.03, "%s: %g", plan.shapes[k].name, found);
        rill_geom_destroy(geom);
    }
    rill_bench_plan_free(&plan);
}

/* Named values replace the suite's; what does not exist is left out, and refused when nothing remains. */
Test(bench_plan, values_are_replaced)
{
    const int suite = RILL_SUITE_BOX, streams[] = {RILL_PULL, RILL_ESOTWIST}, chase = RILL_CHASE;
    rill_bench_wants wants = wants_of(&suite, 1);
    rill_bench_plan plan;
    wants.stream = (rill_bench_values){streams, 2};
    wants.addressing = (rill_bench_values){&chase, 1};
    ASSERT_OK(rill_bench_plan_make(&wants, &plan));
    cr_assert_eq(plan.case_count, 1);
    cr_expect_eq(plan.cases[0].variant.stream, RILL_ESOTWIST);
    rill_bench_plan_free(&plan);
    wants.stream.count = 1;
    cr_expect_eq(rill_bench_plan_make(&wants, &plan), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "chase"));
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Where a variant does not fit, that is said before anything is allocated. */
Test(bench_plan, memory_is_asked_for)
{
    rill_geom *geom = NULL;
    rill_bench_subject *subject = NULL;
    rill_bench_yardstick cpu = {.bandwidth = 1e9};
    const uint32_t n[3] = {64, 64, 64};
    ASSERT_OK(rill_generate_box(n, &geom));
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &cpu.device));
    ASSERT_OK(rill_bench_subject_create(geom, RILL_D3Q19, &subject));
    ASSERT_OK(rill_bench_fits(subject, rill_variant_default(), &cpu));
    setenv("RILL_MEMORY", "1MiB", 1);
    cr_expect_eq(rill_bench_fits(subject, rill_variant_default(), &cpu), RILL_SYSTEM);
    cr_expect_not_null(strstr(rill_error_message(), "memory"));
    unsetenv("RILL_MEMORY");
    rill_device_destroy(cpu.device);
    rill_bench_subject_destroy(subject);
    rill_geom_destroy(geom);
}

/* What a simulation holds is what was foreseen, and what the backend's link() made of a list. */
Test(bench_plan, memory_held_is_memory_foreseen)
{
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_noise_options noise = rill_noise_options_default();
    const rill_domain_options domain_options = {RILL_D3Q19, -1};
    for (int a = 0; a < 3; a++) noise.n[a] = 20;
    ASSERT_OK(rill_generate_noise(&noise, &geom));
    ASSERT_OK(rill_domain_create(geom, &domain_options, &domain));
    rill_variant v;
    int seen = 0;
    for (uint64_t cursor = 0; rill_variant_next(&cursor, &v);) {
        if (v.lattice != RILL_D3Q19 || v.collision != RILL_TRT || v.equilibrium != RILL_STOKES ||
            v.storage != RILL_FP16S || v.arithmetic || v.rheology || v.shift)
            continue;
        rill_sim_options options = rill_sim_options_default();
        rill_links_size size;
        rill_sim *sim = NULL;
        uint64_t linked;
        options.variant = v;
        FOR_EACH_BACKEND(backend)
        {
            options.on.backend = backend;
            ASSERT_OK(rill_links_measure(domain, v, &size));
            ASSERT_OK(rill_sim_create(domain, &options, &sim));
            const uint64_t held = rill_sim_held(sim, &linked);
            cr_expect_eq(held - linked, rill_sim_bytes(v, &size, rill_sim_device_of(sim)));
            cr_expect_eq(linked > 0, backend == RILL_BACKEND_CPU && v.addressing == RILL_LIST);
            rill_sim_destroy(sim);
        }
        seen++;
    }
    cr_expect_gt(seen, 20);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* A hybrid by hand: of 1 s, 0.75 / 1.5 = 0.5 s are free, which dense does in 0.75 / 2 = 0.375 s. */
Test(hybrid, gains_what_the_free_part_gains)
{
    const rill_hybrid faster = {.sparse = 1, .sparse_free = 1.5, .dense_free = 2, .free = 0.75},
                      slower = {.sparse = 1, .sparse_free = 1.5, .dense_free = 0.5, .free = 0.75},
                      wrong = {.sparse = 1, .sparse_free = 0.7, .dense_free = 2, .free = 0.75};
    cr_expect_float_eq(rill_hybrid_gain(&faster), 1 / 0.875, 1e-12);
    cr_expect_float_eq(rill_hybrid_gain_all(&faster), 2, 1e-12);
    cr_expect_eq(rill_hybrid_gain(&slower), 1);
    cr_expect_eq(rill_hybrid_gain_all(&slower), 1);
    cr_expect(isnan(rill_hybrid_gain(&wrong)));
}

/* The river bed of the benchmark: the stream along z, so that copies along z have equal parts of bed and of
 * free channel; the floor at y = 0. */
Test(bench_plan, river_beds_have_the_stream_along_z)
{
    const rill_bench_shape shape = {
        .suite = RILL_SUITE_SCALING, .cells = 64, .scaling = RILL_SCALING_RIVERBED};
    rill_geom *g = NULL;
    cr_assert_eq(rill_bench_shape_make(&shape, &g), RILL_OK, "%s", rill_error_message());
    uint64_t fluid[2] = {0}, by_height[64] = {0};
    for (uint64_t k = 0; k < rill_geom_voxels(g); k++) {
        fluid[k >= rill_geom_voxels(g) / 2] += g->voxels[k] != 0;
        by_height[k / 64 % 64] += g->voxels[k] != 0;
    }
    cr_expect_eq(by_height[0], 0);
    cr_expect_eq(by_height[63], 64 * 64);
    cr_expect_lt(by_height[16], 64 * 64 / 2);
    const double half = 32 * 64 * 64; /* voxels; with the stream along x, 0.37 and 1 of them were fluid */
    for (int k = 0; k < 2; k++) cr_expect_float_eq((double)fluid[k] / half, 0.68, 0.05);
    rill_geom_destroy(g);
}
