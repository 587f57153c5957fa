/* SPDX-License-Identifier: Apache-2.0 */
/* The model of many devices: which parts it times, and what it says of them. */
#include "bench/scaling.h"
#include "bench/bench_plan.h"
#include "domain/domain.h"
#include "core/sanitized.h"

#include <criterion/criterion.h>

/* A tree of arteries, whose parts differ. */
static rill_geom *tree(void)
{
    const rill_bench_shape shape = {
        .suite = RILL_SUITE_SCALING, .cells = 128, .scaling = RILL_SCALING_CORONARY};
    rill_geom *geom = NULL;
    cr_assert_eq(rill_bench_shape_make(&shape, &geom), RILL_OK, "%s", rill_error_message());
    return geom;
}

/* Four of the parts have the largest of all and the most bytes sent among them, six a random one, too. By
 * chance they hardly do for every number of parts. */
Test(scaling, models_time_the_parts_that_should_be_slowest)
{
    rill_device *device = NULL;
    rill_geom *geom = tree();
    rill_domain *domain = NULL;
    const rill_domain_options options = {RILL_D3Q19, 2};
    const rill_scaling_link link = {1, 1e12};
    rill_scaling_record few, four, all;
    cr_assert_eq(rill_device_create(RILL_BACKEND_CPU, 0, &device), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_domain_create(geom, &options, &domain), RILL_OK, "%s", rill_error_message());
    rill_scaling_case c = {.domain = domain,
                           .variant = rill_variant_default(),
                           .tau = 1,
                           .magic = 0.1875,
                           .devices = &device,
                           .parts = 10,
                           .bench = {.seconds = 0.001, .tolerance = 0.1, .max_steps = 30},
                           .unhashed = true};
    cr_assert_eq(rill_scaling_model(&c, &link, 10, &all), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_scaling_model(&c, &link, 6, &few), RILL_OK, "%s", rill_error_message());
    cr_expect_eq(all.measured, 10);
    cr_expect_eq(few.measured, 6);
    cr_expect_gt(few.random, 1); /* the latency of the link */
    cr_expect_leq(few.random, few.step);
    cr_expect_float_eq(few.timed.porosity, (double)rill_domain_nodes(domain) / (double)rill_geom_voxels(geom),
                       1e-12);
    cr_expect_float_eq(few.timed.mlups, 1e-6 * (double)rill_domain_nodes(domain) / few.step,
                       1e-9 * few.timed.mlups);
    for (c.parts = 8; c.parts <= (SANITIZED ? 8 : 20); c.parts += 3) {
        cr_assert_eq(rill_scaling_model(&c, &link, c.parts, &all), RILL_OK, "%s", rill_error_message());
        cr_assert_eq(rill_scaling_model(&c, &link, 4, &four), RILL_OK, "%s", rill_error_message());
        cr_expect_eq(four.largest, all.largest, "%d parts", c.parts);
        cr_expect_eq(four.bytes, all.bytes, "%d parts", c.parts);
        cr_expect_eq(four.random, 0);
    }
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    rill_device_destroy(device);
}
