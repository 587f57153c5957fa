/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_permeability.c
 * The permeability of small pore spaces: exact where an exact value exists, the same for every tau, storage,
 * number of threads and equivalent set of sides, within its own uncertainty, and refused when it is none.
 * The reference table of sphere arrays is in tests/physics.
 */
#include "core/memory.h"
#include "balls.h"
#include "rill.h"
#include "permeability/plan.h"
#include "geometry/voxels/derive.h"
#include "kernel/storage/rounding.h"
#include "planned.h"
#include "core/sanitized.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

static rill_geom *sphere_array(uint32_t n, double radius)
{
    rill_geom *geom = balls_box(n, n, n);
    balls_put(geom, (const double[3]){0, 0, 0}, radius);
    return geom;
}

/* Voxels that are solid at random: every throat is of the size of a voxel. */
static rill_geom *noise(uint32_t n, double solid, uint64_t seed)
{
    rill_geom *geom = balls_box(n, n, n);
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        if ((double)(seed >> 33) / 2147483648.0 < solid) geom->voxels[v] = RILL_SOLID;
    }
    return geom;
}

static rill_permeability_options options(int axis, double tolerance, rill_storage storage)
{
    rill_permeability_options o = rill_permeability_options_default();
    o.axis = axis;
    o.tolerance = tolerance;
    o.variant.storage = storage;
    o.on.backend = RILL_BACKEND_CPU;
    return o;
}

/* Plan and compute; the geometry is destroyed. */
static rill_status compute(rill_geom *geom, const rill_permeability_options *o, rill_permeability *out)
{
    const rill_status status = computed(geom, o, out);
    rill_geom_destroy(geom);
    return status;
}

static double k_of(rill_geom *geom, rill_permeability_options o)
{
    rill_permeability p;
    cr_assert_eq(compute(geom, &o, &p), RILL_OK, "%s", rill_error_message());
    cr_assert(p.converged);
    cr_assert_leq(p.uncertainty, 2 * o.tolerance);
    const double k = p.k[o.axis][o.axis];
    rill_permeability_free(&p);
    return k;
}

/* Plates across y: k = porosity (H^2 / 12 + 1/24) at Lambda = 3/16, H nodes between them. */
Test(permeability, plates_are_exact)
{
    for (uint32_t h = 1; h <= 8; h += 7)
        for (int axis = 0; axis < 3; axis += 2) {
            rill_geom *geom = balls_box(4, h + 2, 4);
            for (uint32_t i = 0; i < 16; i++)
                for (uint32_t y = h; y < h + 2; y++) *balls_voxel(geom, i % 4, y, i / 4) = RILL_SOLID;
            const double exact = h / (h + 2.0) * (h * h / 12.0 + 1 / 24.0);
            const double k = k_of(geom, options(axis, 1e-9, RILL_FP64));
            cr_assert_float_eq(k / exact, 1, 2e-9, "H %u axis %d: %.12g, not %.12g", h, axis, k, exact);
        }
}

Test(permeability, does_not_depend_on_tau_force_or_storage)
{
    const double k = k_of(sphere_array(16, 6.3), options(2, 1e-9, RILL_FP64));
    for (double tau = 0.55; tau < 4; tau *= 1.6) {
        rill_permeability_options o = options(2, 1e-7, RILL_FP64);
        o.tau = tau;
        const double other = k_of(sphere_array(16, 6.3), o);
        cr_assert_float_eq(other / k, 1, 2e-7, "tau %g: %.12g, not %.12g", tau, other, k);
    }
    rill_permeability_options strong = options(2, 1e-7, RILL_FP64);
    strong.force = -0.05;
    const double pushed = k_of(sphere_array(16, 6.3), strong);
    cr_assert_float_eq(pushed / k, 1, 2e-7);
    const double single = k_of(sphere_array(16, 6.3), options(2, 1e-3, RILL_FP32));
    cr_assert_float_eq(single / k, 1, 1e-3);
    rill_permeability_options inertial = options(2, 1e-4, RILL_FP64);
    inertial.variant.equilibrium = RILL_SECOND_ORDER;
    const double full = k_of(sphere_array(16, 6.3), inertial);
    cr_assert_float_eq(full / k, 1, 1e-4);
}

/* Momentum of the wave length of two nodes outlives everything else in voxel-sized throats and shakes every
 * single step; samples, taken here at even and odd steps in turn, must be free of it. */
Test(permeability, samples_do_not_depend_on_the_parity_of_the_step)
{
    rill_permeability_options o = options(2, 1e-12, RILL_FP64);
    o.acceleration = RILL_ACCELERATION_NONE;
    o.tau = 0.6;
    o.every = 5;
    o.max_steps = 400;
    rill_permeability p;
    cr_assert_eq(compute(noise(16, 0.45, 3), &o, &p), RILL_NUMERICS);
    const rill_permeability_flow *run = &p.runs[0];
    cr_assert_geq(run->sample_count, 70u);
    for (size_t i = 30; i + 1 < run->sample_count; i++) {
        const double k = run->samples[i].k[2];
        const double bend = run->samples[i - 1].k[2] - 2 * k + run->samples[i + 1].k[2];
        cr_assert_leq(fabs(bend / k), 1e-6, "step %llu", (unsigned long long)run->samples[i].step);
    }
    rill_permeability_free(&p);
}

Test(permeability, tensor_is_reciprocal)
{
    const rill_permeability_options o = options(-1, 1e-6, RILL_FP64);
    rill_permeability p;
    cr_assert_eq(compute(balls_pack(24, 5, 22, 7), &o, &p), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(p.run_count, 3);
    const double off = fabs(p.k[0][1]) + fabs(p.k[0][2]) + fabs(p.k[1][2]);
    cr_assert_geq(off, 1e-2 * p.k[0][0], "the pack is isotropic: the test would show nothing");
    cr_assert_leq(p.reciprocity, 1e-5);
    for (int a = 0; a < 3; a++) cr_assert_geq(p.runs[a].tortuosity, 1);
    rill_permeability_free(&p);
}

/* Mean speeds of two steps take 12 bytes per node: without room for them k is the same, and no tortuosity
 * known. */
Test(permeability, goes_without_a_tortuosity_where_memory_is_short, .disabled = SANITIZED)
{
    rill_permeability_options o = options(2, 1e-3, RILL_FP32);
    rill_permeability p[2];
    rill_permeability_plan plan;
    char limit[32];
    rill_geom *geom = balls_box(32, 32, 32);
    o.start = RILL_START_REST; /* coarser grids take as much before there are velocities */
    balls_put(geom, (const double[3]){10, 12, 17}, 9);
    cr_assert_eq(planned(geom, &o, &plan), RILL_OK);
    cr_assert(plan.mean_speeds);
    const uint64_t need = plan.resources.host_bytes, all = UINT64_C(1) << 40;
    uint64_t left = 0;
    setenv("RILL_MEMORY", "1TiB", 1); /* what the process holds counts, too */
    cr_assert_eq(rill_memory_available(&left), RILL_OK);
    snprintf(limit, sizeof limit, "%llu B", (unsigned long long)(all - left + need - 6 * plan.nodes));
    unsetenv("RILL_MEMORY");
    rill_permeability_plan_free(&plan);
    for (int k = 0; k < 2; k++) {
        if (k) setenv("RILL_MEMORY", limit, 1);
        cr_assert_eq(planned(geom, &o, &plan), RILL_OK, "%s", rill_error_message());
        cr_expect_eq(plan.mean_speeds, k == 0);
        cr_expect(k == 0 || plan.resources.host_bytes <= need - 12 * plan.nodes);
        unsetenv("RILL_MEMORY");
        cr_assert_eq(rill_permeability_compute(geom, &o, &plan, &p[k]), RILL_OK, "%s", rill_error_message());
        rill_permeability_plan_free(&plan);
    }
    cr_expect_eq(p[0].k[2][2], p[1].k[2][2]);
    cr_expect(p[0].runs[0].tortuosity > 1 && isfinite(p[0].runs[0].tortuosity_uncertainty));
    cr_expect(isnan(p[1].runs[0].tortuosity));
    for (int k = 0; k < 2; k++) rill_permeability_free(&p[k]);
    rill_geom_destroy(geom);
}

/* However well k stands still, it is not known to a tenth of what was asked for. */
Test(permeability, is_uncertain_by_a_quarter_of_the_tolerance)
{
    const rill_permeability_options o = options(2, 1e-3, RILL_FP64);
    rill_permeability p;
    rill_geom *geom = balls_box(14, 7, 14); /* plates, whose k is fitted to a tenth of the tolerance */
    for (uint32_t z = 0; z < 14; z++)
        for (uint32_t x = 0; x < 14; x++) *balls_voxel(geom, x, 0, z) = RILL_SOLID;
    cr_assert_eq(computed(geom, &o, &p), RILL_OK, "%s", rill_error_message());
    const double exact = (6.0 * 6 * 6 / 12 + 6.0 / 24) / 7, u = p.runs[0].uncertainty[2];
    cr_expect_float_eq(u / p.runs[0].k[2], 0.25e-3, 1e-9, "%g", u / p.runs[0].k[2]);
    cr_expect_leq(fabs(p.runs[0].k[2] - exact), u);
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
}

Test(permeability, mirrored_sides_are_a_mirrored_copy)
{
    /* Half a box with mirrored sides, along the flow and across it, against the whole, periodic. */
    for (int axis = 0; axis < 3; axis += 2) {
        rill_geom *half = balls_box(8, 12, 16), *whole = balls_box(16, 12, 16);
        balls_put(half, (const double[3]){3, 5, 7}, 3.4);
        for (uint32_t z = 0; z < 16; z++)
            for (uint32_t y = 0; y < 12; y++)
                for (uint32_t x = 0; x < 16; x++)
                    *balls_voxel(whole, x, y, z) = *balls_voxel(half, x < 8 ? x : 15 - x, y, z);
        half->sides[0] = RILL_MIRROR;
        const rill_permeability_options o = options(axis, 1e-8, RILL_FP64);
        const double a = k_of(half, o), b = k_of(whole, o);
        cr_assert_float_eq(a / b, 1, 2e-8, "axis %d: %.12g and %.12g", axis, a, b);
    }
}

Test(permeability, dead_pores_do_not_count)
{
    rill_geom *clean = balls_box(6, 6, 14), *dirty = balls_box(6, 6, 14);
    for (uint32_t z = 0; z < 14; z++)
        for (uint32_t y = 0; y < 6; y++)
            for (uint32_t x = 0; x < 6; x++) {
                const bool channel = x >= 1 && x < 3 && y >= 1 && y < 3,
                           dead = x == 4 && y == 4 && z > 3 && z < 9;
                *balls_voxel(clean, x, y, z) = channel;
                *balls_voxel(dirty, x, y, z) = channel || dead;
            }
    rill_permeability_plan plan;
    const rill_permeability_options o = options(2, 1e-8, RILL_FP64);
    cr_assert_eq(planned(dirty, &o, &plan), RILL_OK);
    cr_assert_eq(plan.dropped, 5);
    cr_assert_eq(plan.nodes, 4 * 14);
    cr_assert_float_eq(plan.porosity.total, (4 * 14 + 5) / 504.0, 1e-12);
    cr_assert_float_eq(plan.porosity.percolating[2], 4 * 14 / 504.0, 1e-12);
    cr_assert_float_eq(plan.pores.surface, 8.0 * 14 / 504 * 2 / 3, 1e-12);
    cr_assert_eq(plan.pores.opening, 2);
    rill_permeability_plan_free(&plan);
    const double a = k_of(dirty, o), b = k_of(clean, o);
    cr_assert_float_eq(a / b, 1, 2e-8);
}

/* Planning changes no geometry, and refuses one whose pores nobody has looked at. */
Test(permeability, plans_what_is_prepared)
{
    rill_permeability_plan plan;
    rill_permeability_options o = options(2, 1e-3, RILL_FP32);
    rill_geom *geom = balls_box(6, 6, 14), *copy = NULL;
    memset(geom->voxels, RILL_SOLID, rill_geom_voxels(geom));
    for (uint32_t z = 0; z < 14; z++) *balls_voxel(geom, 2, 2, z) = true;
    *balls_voxel(geom, 4, 4, 5) = true;
    cr_assert_eq(rill_geom_crop(geom, (const uint32_t[3]){0}, geom->n, &copy), RILL_OK);
    cr_assert_eq(rill_permeability_plan_make(geom, &o, &plan), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "rill_permeability_prepare()"), "%s",
                       rill_error_message());
    cr_assert_arr_eq(geom->voxels, copy->voxels, rill_geom_voxels(geom));
    cr_assert_eq(rill_permeability_prepare(geom, &o), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(*balls_voxel(geom, 4, 4, 5), RILL_SOLID);
    o.drive = RILL_DRIVE_PRESSURE; /* between walled sides other pores may conduct */
    cr_assert_eq(rill_permeability_plan_make(geom, &o, &plan), RILL_USAGE);
    cr_assert_eq(rill_permeability_prepare(geom, &o), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_permeability_plan_make(geom, &o, &plan), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(plan.nodes, 14);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(copy);
    rill_geom_destroy(geom);
}

Test(permeability, gives_every_process_its_time)
{
    rill_permeability_plan plan;
    const rill_permeability_options o = options(2, 1e-3, RILL_FP32);
    rill_geom *geom = sphere_array(16, 6.3);
    cr_assert_eq(planned(geom, &o, &plan), RILL_OK);
    const double sound = 16 * sqrt(3),
                 viscous = plan.pores.opening * plan.pores.opening / (4 * 5.783186 * plan.nu);
    cr_assert_geq(rill_plan_patience(&plan, 1e9), fmax(sound, viscous) * (1 - 1e-12));
    const double pressure = pow(16 / (2 * M_PI), 2) * plan.pores.porosity * plan.nu / (1e-6 / 3);
    cr_assert_float_eq(rill_plan_patience(&plan, 1e-6) / pressure, 1, 1e-9);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
}

Test(permeability, gives_the_same_bits_for_any_number_of_threads)
{
    const rill_permeability_options o = options(0, 1e-2, RILL_FP32);
    double k[4];
    for (int i = 0; i < 4; i++) {
        omp_set_num_threads((int[]){1, 2, 3, 8}[i]); /* of which the nodes are enough for three */
        k[i] = k_of(balls_pack(32, 4, 112, 7), o);
    }
    for (int i = 1; i < 4; i++) cr_assert_eq(k[0], k[i], "%d: %.17g, not %.17g", i, k[i], k[0]);
}

static void refused(rill_geom *geom, rill_permeability_options o, rill_status expected, const char *part)
{
    rill_permeability p;
    const rill_status status = compute(geom, &o, &p);
    cr_assert_eq(status, expected, "\"%s\" came as %d: %s", part, status, rill_error_message());
    cr_assert_not_null(strstr(rill_error_message(), part), "\"%s\" does not say \"%s\"", rill_error_message(),
                       part);
    cr_assert_not(p.converged);
    for (int b = 0; b < 3 && p.run_count; b++)
        cr_assert(isnan(p.k[b][o.axis]), "a value was given as a result");
    rill_permeability_free(&p);
}

Test(permeability, refuses_what_has_none)
{
    rill_permeability_options o = options(2, 1e-3, RILL_FP32);
    rill_geom *solid = balls_box(4, 4, 4), *blocked = balls_box(8, 8, 8);
    memset(solid->voxels, RILL_SOLID, 64);
    memset(blocked->voxels, RILL_SOLID, 64);
    refused(solid, o, RILL_USAGE, "no pore voxel");
    refused(blocked, o, RILL_NUMERICS, "nothing percolates along z");
    refused(balls_box(4, 4, 4), o, RILL_NUMERICS, "no wall");
    o.max_steps = 20;
    rill_geom *walled = sphere_array(8, 3);
    walled->sides[2] = RILL_WALL;
    refused(walled, o, RILL_USAGE, "solid boundaries normal to z");
    refused(sphere_array(12, 4), o, RILL_NUMERICS, "--max-steps");
}

Test(permeability, refuses_options_out_of_range)
{
    rill_permeability_options o = options(2, 1e-3, RILL_FP32);
    o.tau = 0.5;
    refused(sphere_array(8, 3), o, RILL_USAGE, "tau = 0.5 is not above 0.5");
    for (int k = 0; k < 3; k++) {
        o.tau = (const double[]){100.1, 1e300, INFINITY}[k];
        refused(sphere_array(8, 3), o, RILL_USAGE, "at most 100");
    }
    o = options(2, 1e-3, RILL_FP32);
    o.magic = 1e300;
    refused(sphere_array(8, 3), o, RILL_USAGE, "magic = 1e+300");
    o = options(3, 1e-3, RILL_FP32);
    rill_permeability_plan plan;
    rill_geom *geom = sphere_array(8, 3);
    cr_assert_eq(planned(geom, &o, &plan), RILL_USAGE);
    rill_geom_destroy(geom);
    refused(sphere_array(8, 3), options(2, 0, RILL_FP32), RILL_USAGE, "tolerance = 0");
    o = options(2, 1e-3, RILL_FP32);
    o.force = NAN;
    refused(sphere_array(8, 3), o, RILL_USAGE, "force = nan");
    o.force = 0;
    o.every = 1;
    refused(sphere_array(8, 3), o, RILL_USAGE, "is below 2");
    o.every = 0;
    o.variant.equilibrium = RILL_SECOND_ORDER;
    geom = sphere_array(8, 3);
    geom->sides[2] = RILL_MIRROR;
    refused(geom, o, RILL_USAGE, "stokes equilibrium");
}

Test(permeability, refuses_flow_that_is_no_stokes_flow)
{
    rill_permeability_options o = options(2, 1e-3, RILL_FP64);
    o.variant.equilibrium = RILL_SECOND_ORDER;
    o.tau = 0.8;
    o.force = 1e-3;
    refused(sphere_array(16, 5), o, RILL_NUMERICS, "Stokes range");
    o.tau = 0.501;
    o.force = 0.1;
    refused(sphere_array(16, 5), o, RILL_NUMERICS, "diverged");
}

Test(permeability, refuses_more_digits_than_the_storage_has)
{
    rill_permeability_options o = options(2, 1e-7, RILL_FP32);
    o.max_steps = 20000;
    o.keep_storage = true;
    rill_permeability p;
    cr_assert_eq(compute(sphere_array(12, 4), &o, &p), RILL_NUMERICS);
    cr_assert_not_null(strstr(rill_error_message(), "rounding in fp32"), "%s", rill_error_message());
    cr_assert(isfinite(p.runs[0].last[2]));
    rill_permeability_free(&p);
}

/* Goes on until steps were made. */
static bool stop(void *context, const rill_progress_moment *moment)
{
    if (moment->permeability) ++*(int *)context;
    return !moment->permeability;
}

Test(permeability, stops_when_told)
{
    int calls = 0;
    rill_permeability_options o = options(-1, 1e-12, RILL_FP64);
    o.tau = 0.51;
    o.progress = (rill_progress){stop, &calls};
    rill_permeability p;
    cr_assert_eq(compute(sphere_array(32, 8), &o, &p), RILL_CANCELLED);
    cr_assert_not_null(strstr(rill_error_message(), "stopped along x"));
    cr_assert_eq(calls, 1);
    cr_assert_eq(p.run_count, 1);
    rill_permeability_free(&p);
}

typedef struct seen {
    rill_node nodes;
    double k, axis;
} seen;

/* The moments handed out give the same permeability as the run. */
static rill_status finished(void *context, const rill_permeability_flow *run, rill_node nodes,
                            const float *rho, const float *u)
{
    seen *s = context;
    double sum = 0, mass = 0;
    for (rill_node i = 0; i < nodes; i++) sum += u[(size_t)run->axis * nodes + i], mass += rho[i];
    *s = (seen){nodes, sum, run->axis};
    cr_assert_float_eq(mass / nodes, 0, 1e-6);
    return RILL_OK;
}

Test(permeability, hands_out_moments_that_agree)
{
    seen s = {0};
    rill_permeability_options o = options(1, 1e-6, RILL_FP64);
    o.finished = finished;
    o.context = &s;
    rill_permeability p;
    cr_assert_eq(compute(balls_pack(24, 4.2, 48, 3), &o, &p), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(s.nodes, p.plan.nodes);
    cr_assert_float_eq(s.k * p.plan.nu / p.plan.force / (24. * 24 * 24) / p.k[1][1], 1, 1e-5);
    rill_permeability_free(&p);
}

Test(permeability, asks_for_memory_first)
{
    setenv("RILL_MEMORY", "100 kiB", 1);
    rill_permeability_options o = options(2, 1e-3, RILL_FP32);
    refused(sphere_array(32, 8), o, RILL_SYSTEM, "--memory");
    unsetenv("RILL_MEMORY");
}

/* Formats whose steps are as large as the populations of a slow flow are refused: integers alone. */
Test(permeability, formats_that_round_slow_flow_to_nothing_are_refused)
{
    for (int storage = 0; storage < RILL_STORAGE_COUNT; storage++) {
        rill_permeability_options o = rill_permeability_options_default();
        o.variant.storage = (rill_storage)storage;
        const rill_status status = rill_plan_check(&o);
        cr_expect_eq(status, rill_rounding(storage, -1e-4, 1e-4) > 1e-5 ? RILL_USAGE : RILL_OK,
                     "format %d: %s", storage, rill_error_message());
        if (status != RILL_OK) cr_expect_not_null(strstr(rill_error_message(), "int16s storage rounds"));
    }
}
