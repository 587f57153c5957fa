/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_network_permeability.c
 * A permeability that is found with a pore network is that of time steps alone, sooner.
 */
#include "backends.h"
#include "core/sanitized.h"
#include "balls.h"
#include "planned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rill_permeability found(const rill_geom *given, rill_acceleration how, int axis, double tolerance,
                               rill_storage storage, rill_backend_kind backend)
{
    rill_geom geom = *given;
    rill_permeability_options o = rill_permeability_options_default();
    rill_permeability_plan plan;
    rill_permeability p;
    geom.voxels = malloc(rill_geom_voxels(given));
    cr_assert_not_null(geom.voxels);
    memcpy(geom.voxels, given->voxels, rill_geom_voxels(given));
    o.acceleration = how;
    o.axis = axis;
    o.tolerance = tolerance;
    o.variant.storage = storage;
    o.on.backend = backend;
    ASSERT_OK(planned(&geom, &o, &plan));
    cr_assert_eq(plan.network, how == RILL_ACCELERATION_NETWORK);
    ASSERT_OK(rill_permeability_compute(&geom, &o, &plan, &p));
    rill_permeability_plan_free(&plan);
    free(geom.voxels);
    return p;
}

/*
 * The same k as by time steps alone, each within its own uncertainty, in a third of the steps at most, along
 * periodic and mirrored sides; twice the same bits.
 */
Test(network_permeability, permeability_is_that_of_time_steps, .disabled = SANITIZED)
{
    FOR_EACH_BACKEND(backend)
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        rill_geom *geom = balls_rock(64, 500, 6, 5);
        for (int a = 0; a < 3; a++) geom->sides[a] = mirrored ? RILL_MIRROR : RILL_PERIODIC;
        rill_permeability exact = found(geom, RILL_ACCELERATION_NETWORK, 2, 1e-6, RILL_FP64, backend);
        rill_permeability series = found(geom, RILL_ACCELERATION_NONE, 2, 1e-3, RILL_FP32, backend);
        rill_permeability soon = found(geom, RILL_ACCELERATION_NETWORK, 2, 1e-3, RILL_FP32, backend);
        rill_permeability again = found(geom, RILL_ACCELERATION_NETWORK, 2, 1e-3, RILL_FP32, backend);
        const double k = exact.k[2][2];
        const char *sides = mirrored ? "mirrored" : "periodic";
        cr_assert_gt(exact.runs[0].chambers, 100);
        cr_assert_eq(series.runs[0].cycles, 0);
        cr_expect_lt(fabs(series.k[2][2] / k - 1), series.uncertainty + 1e-6, "%s: series %g of %g", sides,
                     series.k[2][2], k);
        cr_expect_lt(fabs(soon.k[2][2] / k - 1), soon.uncertainty, "%s: %g of %g", sides, soon.k[2][2], k);
        cr_expect_leq(3 * soon.runs[0].steps, series.runs[0].steps, "%s: %llu and %llu steps", sides,
                      (unsigned long long)soon.runs[0].steps, (unsigned long long)series.runs[0].steps);
        cr_expect_eq(soon.k[2][2], again.k[2][2]);
        cr_expect_eq(soon.runs[0].steps, again.runs[0].steps);
        rill_permeability *const all[] = {&exact, &series, &soon, &again};
        for (int i = 0; i < 4; i++) rill_permeability_free(all[i]);
        rill_geom_destroy(geom);
    }
}

/* A full tensor waits for its smallest entries, too: it is symmetric, and that of time steps. */
Test(network_permeability, tensor_is_symmetric)
{
    rill_geom *geom = balls_rock(32, 40, 6, 11);
    rill_permeability p = found(geom, RILL_ACCELERATION_NETWORK, -1, 1e-5, RILL_FP64, RILL_BACKEND_CPU);
    rill_permeability series = found(geom, RILL_ACCELERATION_NONE, -1, 1e-5, RILL_FP64, RILL_BACKEND_CPU);
    double largest = 0;
    for (int a = 0; a < 3; a++) largest = fmax(largest, p.k[a][a]);
    cr_assert_lt(p.reciprocity, 1e-5, "%g", p.reciprocity);
    for (int i = 0; i < 9; i++)
        cr_expect_lt(fabs(p.k[i / 3][i % 3] - series.k[i / 3][i % 3]), 3e-5 * largest, "entry %d: %g, not %g",
                     i, p.k[i / 3][i % 3], series.k[i / 3][i % 3]);
    rill_permeability_free(&p);
    rill_permeability_free(&series);
    rill_geom_destroy(geom);
}

Test(network_permeability, serves_linear_flows_driven_by_a_force)
{
    rill_geom *geom = balls_rock(16, 3, 6, 2);
    rill_permeability_plan plan;
    rill_permeability_options o = rill_permeability_options_default();
    o.acceleration = RILL_ACCELERATION_NETWORK;
    o.variant.storage = RILL_FP16S;
    cr_assert_eq(planned(geom, &o, &plan), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "fp32 or fp64"));
    o.acceleration = RILL_ACCELERATION_AUTO;
    ASSERT_OK(planned(geom, &o, &plan));
    cr_assert_not(plan.network);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
}
