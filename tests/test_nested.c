/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that start from coarser grids: the same permeability sooner, to the same bits on any number of threads
 * and parts, and runs from rest where coarser voxels close the pores. */
#include "backends.h"
#include "permeability/plan.h"
#include "planned.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { EDGE = 34 };

static rill_geom *box(void)
{
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){EDGE, EDGE, EDGE}, &geom));
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    geom->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    return geom;
}

/* A solid ball in a periodic box, not in its middle: pores as wide as the box, of an odd number of coarser
 * voxels. */
static rill_geom *ball(void)
{
    rill_geom *geom = box();
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        const double x = (double)(v % EDGE) - 12, y = (double)(v / EDGE % EDGE) - 15,
                     z = (double)(v / EDGE / EDGE) - 19;
        if (x * x + y * y + z * z < 11.0 * 11) geom->voxels[v] = RILL_SOLID;
    }
    return geom;
}

/* A wall with a hole of one voxel. */
static rill_geom *plate(void)
{
    rill_geom *geom = box();
    memset(geom->voxels, RILL_SOLID, 2 * EDGE * EDGE);
    for (int z = 0; z < 2; z++) geom->voxels[(z * EDGE + 16) * EDGE + 16] = RILL_FLUID;
    return geom;
}

/* A flat duct along y = 2 … 5, and beside it a chamber, which hangs on it by a hole of 8 x 8 voxels. With a
 * wall of 2 voxels, every seventh row lies in the chamber; one of 1 voxel opens on the coarser grid. */
static rill_geom *duct_and_chamber(uint32_t wall)
{
    enum { LENGTH = 40 };
    const uint32_t floor = 6 + wall, width = floor + LENGTH + 1;
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){LENGTH, width, LENGTH}, &geom));
    geom->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        const uint32_t x = v % LENGTH, y = v / LENGTH % width, z = (uint32_t)(v / LENGTH / width);
        const bool duct = y >= 2 && y < 6;
        const bool hole = y >= 6 && y < floor && x >= 16 && x < 24 && z >= 16 && z < 24;
        const bool chamber = y >= floor && y < width - 1 && x >= 2 && x < 38 && z >= 2 && z < 38;
        geom->voxels[v] = duct || hole || chamber ? RILL_FLUID : RILL_SOLID;
    }
    return geom;
}

static rill_permeability_options options(rill_permeability_start start)
{
    rill_permeability_options o = rill_permeability_options_default();
    o.backend = RILL_BACKEND_CPU;
    o.start = start;
    return o;
}

/* Compute along z; the geometry stays. */
static rill_permeability_run run_of(rill_geom *geom, const rill_permeability_options *o, double *tau)
{
    rill_permeability p;
    rill_geom *own = NULL;
    ASSERT_OK(rill_geom_copy(geom, &own));
    ASSERT_OK(computed(own, o, &p));
    rill_permeability_run run = p.runs[0];
    if (tau) *tau = p.plan.tau;
    rill_permeability_free(&p);
    rill_geom_destroy(own);
    run.samples = NULL;
    return run;
}

Test(nested, gives_the_same_permeability_sooner)
{
    rill_geom *geom = ball();
    rill_permeability_options o = options(RILL_START_REST);
    const rill_permeability_run rest = run_of(geom, &o, NULL);
    o.start = RILL_START_AUTO;
    const rill_permeability_run nested = run_of(geom, &o, NULL);
    o.variant.storage = RILL_FP64;
    o.tolerance = 1e-6;
    const double exact = run_of(geom, &o, NULL).k[2];
    cr_expect(isnan(rest.coarse) && rest.coarse_steps == 0);
    cr_expect(fabs(nested.coarse / exact - 1) < 0.2, "%g of %g", nested.coarse, exact);
    cr_expect_gt(nested.coarse_steps, 0);
    cr_expect_lt(fabs(rest.k[2] - exact), rest.uncertainty[2]);
    cr_expect_lt(fabs(nested.k[2] - exact), nested.uncertainty[2]);
    cr_expect_leq(3 * (nested.steps + nested.coarse_steps / 8), 2 * rest.steps,
                  "%llu and %llu, not %llu steps", (unsigned long long)nested.steps,
                  (unsigned long long)nested.coarse_steps, (unsigned long long)rest.steps);
    rill_geom_destroy(geom);
}

Test(nested, starts_with_the_flow_of_the_coarser_grid)
{
    rill_geom *geom = ball();
    rill_permeability_options o = options(RILL_START_AUTO);
    rill_permeability p;
    const double exact = run_of(geom, &o, NULL).k[2];
    o.max_steps = 100; /* less than the fewest cycles */
    cr_assert_eq(computed(geom, &o, &p), RILL_NUMERICS);
    cr_assert_geq(p.runs[0].sample_count, 1);
    const double k = p.runs[0].samples[0].predicted;
    cr_expect_lt(fabs(k / exact - 1), 0.02, "%g, not %g", k, exact);
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
}

Test(nested, scales_the_flow_by_its_mean_over_all_rows)
{
    rill_geom *geom = duct_and_chamber(2);
    rill_permeability_options o = options(RILL_START_AUTO);
    rill_permeability p;
    cr_assert_eq(geom->n[1] % 7, 0);
    ASSERT_OK(computed(geom, &o, &p));
    const rill_permeability_sample first = p.runs[0].samples[0];
    const double exact = p.runs[0].k[2];
    cr_expect(isfinite(p.runs[0].coarse));
    cr_expect_lt(fabs(first.k[2] / exact - 1), 0.02, "%g, not %g", first.k[2], exact);
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
}

/* The chamber of the coarser grid conducts 200 times what the duct does: its flow would die out so slowly
 * that k ends before the speeds do. */
Test(nested, leaves_a_flow_that_is_another_on_the_coarser_grid)
{
    rill_geom *geom = duct_and_chamber(1);
    rill_permeability_options o = options(RILL_START_AUTO);
    const rill_permeability_run nested = run_of(geom, &o, NULL);
    o.start = RILL_START_REST;
    const rill_permeability_run rest = run_of(geom, &o, NULL);
    cr_expect(isnan(nested.coarse));
    cr_expect(nested.steps == rest.steps && nested.k[2] == rest.k[2]);
    cr_expect_eq(nested.tortuosity, rest.tortuosity);
    rill_geom_destroy(geom);
}

Test(nested, gives_the_same_bits_for_any_number_of_threads_and_parts)
{
    rill_geom *geom = ball();
    rill_permeability_options o = options(RILL_START_AUTO);
    rill_permeability_run first = {.steps = 0};
    rill_device *device = NULL, *devices[3];
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    for (int d = 0; d < 3; d++) devices[d] = device;
    o.device = device;
    o.devices = devices;
    for (int parts = 1; parts <= 3; parts++) {
        omp_set_num_threads(parts);
        o.device_count = parts;
        const rill_permeability_run run = run_of(geom, &o, NULL);
        if (parts == 1) first = run;
        cr_expect(run.steps == first.steps && run.coarse == first.coarse);
        cr_expect_eq(run.k[2], first.k[2], "%d parts: %.17g, not %.17g", parts, run.k[2], first.k[2]);
        cr_expect_eq(run.uncertainty[2], first.uncertainty[2]);
    }
    rill_device_destroy(device);
    rill_geom_destroy(geom);
}

Test(nested, goes_from_rest_where_coarser_voxels_close_the_pores)
{
    rill_geom *geom = plate();
    rill_permeability_options o = options(RILL_START_AUTO);
    double tau[2];
    const rill_permeability_run nested = run_of(geom, &o, &tau[0]);
    o.start = RILL_START_REST;
    const rill_permeability_run rest = run_of(geom, &o, &tau[1]);
    cr_expect(isnan(nested.coarse));
    cr_expect_eq(tau[0], tau[1]);
    cr_expect(nested.steps == rest.steps && nested.k[2] == rest.k[2]);
    rill_geom_destroy(geom);
}

/* epsilon phi L^2 nu / k is at most 0.05; pressures of a chamber of edge e even out in 1.5 cycles; tau is 2
 * or more. */
Test(nested, takes_a_smaller_viscosity_where_little_flows)
{
    const rill_permeability_plan wide = {
        .fluid = 0.25, .length = 1000, .opening = 80, .tau = 9.5, .nu = 3, .cycle = 92, .force = 1e-6};
    rill_permeability_options o = options(RILL_START_AUTO);
    rill_permeability_plan p = wide;
    rill_plan_tune(&o, 10, &p);
    cr_expect(p.tau == 9.5 && p.cycle == 92 && p.force == 1e-6 && p.k_expected == 10);
    p.length = 3000;
    rill_plan_tune(&o, 5, &p);
    cr_expect_float_eq(p.nu, 0.05 * 5 / (0x1p-24 * 0.25 * 9e6), 1e-9);
    cr_expect_float_eq(p.tau, 0.5 + 3 * p.nu, 1e-12);
    cr_expect(p.force < 1e-6 && p.cycle > 92 && p.cycle % 2 == 0);
    rill_plan_tune(&o, 1e-3, &p);
    cr_expect_float_eq(p.tau, 2, 1e-12);
    o.variant.storage = RILL_FP64; /* does not round so much */
    p = wide;
    rill_plan_tune(&o, 0.5, &p);
    const double momentum = 80 * 80 / (4 * 5.783186), wave = 0.4 * 80 / 3.14159265358979;
    cr_expect_float_eq(p.nu, sqrt(1.5 * 0.8 * momentum * 0.5 / 3 / 0.25) / wave, 1e-9, "%g", p.nu);
    p = wide;
    o = options(RILL_START_AUTO);
    o.tau = 9.5;
    rill_plan_tune(&o, 1e-3, &p);
    cr_expect_eq(p.tau, 9.5);
}
