/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_uncertainty.c
 * The uncertainty of a permeability is a bound: pore spaces whose slow pressures hardly show in k, with every
 * acceleration, wherever the periodic image is cut, and in formats whose rounding moves k. scripts/honesty
 * tries a thousand others.
 */
#include "carved.h"
#include "kernel/comparison/choices.h"
#include "geometry/voxels/axes.h"
#include "sim/sim.h"
#include "core/sanitized.h"
#include "planned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A duct of 8 x 8 along z with a chamber of 16^3 beside it, which hangs on it by a bent throat of one voxel:
 * it fills in thousands of steps, and k is 0.3 % less until then. */
static rill_geom *dead_end(void)
{
    rill_geom *geom = solid(32, 32, 40);
    OPEN(geom, 4, 4, 0, 8, 8, 40);
    OPEN(geom, 14, 14, 6, 16, 16, 16);
    OPEN(geom, 7, 6, 14, 1, 14, 1);
    OPEN(geom, 7, 18, 14, 13, 1, 1);
    return geom;
}

/* Two chambers of 20 x 20 x 22, one behind the other through throats of 3 x 3, beside a duct of 3 x 3. */
static rill_geom *chain(void)
{
    rill_geom *geom = solid(29, 24, 48);
    for (uint32_t z = 0; z < 48; z += 24) {
        OPEN(geom, 2, 2, z, 20, 20, 22);
        OPEN(geom, 12, 12, z + 22, 3, 3, 2);
    }
    OPEN(geom, 24, 5, 0, 3, 3, 48);
    return geom;
}

/* Open a channel of one voxel, to and fro along x and once along z. */
static void fold(rill_geom *geom)
{
    const uint32_t length = geom->n[0] - 2;
    for (uint32_t z = 0; z < geom->n[2]; z += 2) {
        OPEN(geom, 1, 1, z, length, 1, 1);
        OPEN(geom, z % 4 ? 1 : length, 1, z + 1, 1, 1, 1);
    }
}

static rill_geom *serpentine(void)
{
    rill_geom *geom = solid(32, 6, 32);
    fold(geom);
    return geom;
}

static rill_geom *moved(const rill_geom *from, uint32_t x, uint32_t y, uint32_t z)
{
    rill_geom *geom = solid(from->n[0], from->n[1], from->n[2]);
    for (uint32_t k = 0; k < from->n[2]; k++)
        for (uint32_t j = 0; j < from->n[1]; j++)
            for (uint32_t i = 0; i < from->n[0]; i++)
                geom->voxels[at(geom, (i + x) % from->n[0], (j + y) % from->n[1], (k + z) % from->n[2])] =
                    from->voxels[at(from, i, j, k)];
    return geom;
}

/* Along z. The geometry stays, and the uncertainty is absolute. @return how it ended */
static rill_status found(const rill_geom *geom, rill_backend_kind backend, rill_acceleration how,
                         rill_storage storage, double tolerance, double *k, double *uncertainty)
{
    rill_permeability_options o = rill_permeability_options_default();
    rill_permeability p;
    rill_geom *own = moved(geom, 0, 0, 0);
    o.on.backend = backend;
    o.acceleration = how;
    o.variant.storage = storage;
    o.tolerance = tolerance;
    const rill_status status = computed(own, &o, &p);
    *k = p.k[2][2];
    *uncertainty = p.uncertainty * *k;
    rill_permeability_free(&p);
    rill_geom_destroy(own);
    return status;
}

static const rill_acceleration ways[] = {RILL_ACCELERATION_AUTO, RILL_ACCELERATION_NONE,
                                         RILL_ACCELERATION_NETWORK};

/* Auto gave 0.142212 +- 0.040 % here once. */
Test(uncertainty, holds_with_a_chamber_that_fills_slowly)
{
    rill_geom *geom = dead_end();
    rill_geom *cut = moved(geom, 5, 9, 17);
    double exact, u, k[2];
    ASSERT_OK(found(geom, RILL_BACKEND_CPU, RILL_ACCELERATION_NETWORK, RILL_FP64, 1e-6, &exact, &u));
    cr_assert_float_eq(exact, 0.142618, 1e-6, "%.8g", exact);
    FOR_EACH_BACKEND(backend)
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        ASSERT_OK(found(geom, backend, ways[w], RILL_FP32, 1e-3, &k[0], &u));
        cr_expect_lt(fabs(k[0] - exact), u, "way %zu: %g +- %g of %g", w, k[0], u, exact);
        ASSERT_OK(found(cut, backend, ways[w], RILL_FP32, 1e-3, &k[1], &u));
        cr_expect_lt(fabs(k[1] - exact), u, "way %zu, cut elsewhere: %g +- %g of %g", w, k[1], u, exact);
    }
    rill_geom_destroy(geom);
    rill_geom_destroy(cut);
}

/* Corrections of pressures lead nowhere here, and time steps do not stop for rounding. */
Test(uncertainty, is_found_every_way_in_a_narrow_channel)
{
    rill_geom *geom = serpentine();
    double exact, k, u;
    ASSERT_OK(found(geom, RILL_BACKEND_CPU, RILL_ACCELERATION_NONE, RILL_FP64, 1e-6, &exact, &u));
    FOR_EACH_BACKEND(backend)
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        ASSERT_OK(found(geom, backend, ways[w], RILL_FP32, 1e-3, &k, &u));
        cr_expect_lt(fabs(k - exact), u, "way %zu: %g +- %g of %g", w, k, u, exact);
    }
    rill_geom_destroy(geom);
}

/* A duct of one voxel that folds in two layers, n rows in each, joined where they end and, through the
 * periodic boundary, where they begin: 4 voxels along z, and the pressure falls along n^2. */
static rill_geom *folded(uint32_t n)
{
    rill_geom *geom = solid(n, n, 4);
    for (uint32_t z = 0; z < 4; z += 2)
        for (uint32_t y = 0; y < n; y += 2) {
            OPEN(geom, 0, y, z, n - 1, 1, 1);
            if (y + 2 < n) OPEN(geom, y % 4 == 0 ? n - 2 : 0, y + 1, z, 1, 1, 1);
        }
    OPEN(geom, (n - 2) % 4 == 0 ? n - 2 : 0, n - 2, 1, 1, 1, 1);
    OPEN(geom, 0, 0, 3, 1, 1, 1);
    return geom;
}

/* fp32 gave 2.50789e-8 +- 0.062 % and 8.08770e-9 +- 0.074 %: pressures were large against the flow. The exact
 * values are those of a direct solution of the steady lattice Boltzmann equation. */
Test(uncertainty, of_long_folded_ducts_knows_what_pressures_round_to, .disabled = SANITIZED)
{
    static const struct {
        uint32_t n;
        double k;
    } cases[] = {{32, 1.29391e-7}, {48, 2.48512e-8}, {64, 7.75573e-9}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) FOR_EACH_BACKEND(backend)
        {
            rill_permeability_options o = rill_permeability_options_default();
            rill_geom *geom = folded(cases[c].n);
            rill_permeability p;
            o.on.backend = backend;
            ASSERT_OK(computed(geom, &o, &p));
            cr_expect_lt(fabs(p.k[2][2] / cases[c].k - 1), p.uncertainty + 1e-5, "n %u: %g +- %g of %g",
                         cases[c].n, p.k[2][2], p.uncertainty, cases[c].k);
            cr_expect_eq(p.runs[0].storage, RILL_FP64);
            rill_permeability_free(&p);
            o.keep_storage = true;
            cr_expect_eq(computed(geom, &o, &p), RILL_NUMERICS, "n %u: %g +- %g", cases[c].n, p.k[2][2],
                         p.uncertainty);
            cr_expect_not_null(strstr(rill_error_message(), "--storage fp64"), "%s", rill_error_message());
            cr_expect(p.run_count == 0 || cases[c].n < 48, "n %u: refused after steps", cases[c].n);
            rill_permeability_free(&p);
            rill_geom_destroy(geom);
        }
}

/* Where fp32 is within the tolerance about, rounding is most of the uncertainty: k was 1.1 and 1.6 of it
 * away. */
Test(uncertainty, of_folded_ducts_is_a_bound_at_large_tolerances)
{
    static const struct {
        uint32_t n;
        double tolerance, k; /* of fp64 at a tolerance of 1e-6 */
    } cases[] = {{40, 0.01, 5.21084587e-8}, {56, 0.03, 1.33088017e-8}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        rill_geom *geom = folded(cases[c].n);
        double k, u;
        ASSERT_OK(
            found(geom, RILL_BACKEND_CPU, RILL_ACCELERATION_AUTO, RILL_FP32, cases[c].tolerance, &k, &u));
        cr_expect_lt(fabs(k - cases[c].k), 0.9 * u, "n %u: %g +- %g", cases[c].n, k, u);
        rill_geom_destroy(geom);
    }
}

/* Plates: every node of a layer rounds alike. k is (h^2 + 1/2)/12 times the porosity on this lattice. */
static rill_geom *plates(uint32_t h, double *k)
{
    rill_geom *geom = solid(h + 2, 4, 4);
    OPEN(geom, 1, 0, 0, h, 4, 4);
    *k = (h * h + 0.5) / 12 * h / (h + 2);
    return geom;
}

/* k was 1.1e-4 too small here, and uncertain by 1e-5. */
Test(uncertainty, of_fp32_knows_that_layers_round_alike)
{
    static const double taus[] = {0.8, 1, 2};
    static const double tolerances[] = {1e-5, 1e-4, 1e-3};
    double k;
    int ended = 0;
    rill_geom *geom = plates(40, &k);
    for (size_t t = 0; t < sizeof taus / sizeof *taus; t++)
        for (size_t e = 0; e < sizeof tolerances / sizeof *tolerances; e++) {
            rill_permeability_options o = rill_permeability_options_default();
            rill_permeability p;
            o.variant.storage = RILL_FP32;
            o.acceleration = RILL_ACCELERATION_NONE;
            o.axis = 2;
            o.keep_storage = true;
            o.tau = taus[t];
            o.tolerance = tolerances[e];
            if (computed(geom, &o, &p) == RILL_OK) {
                ended++;
                cr_expect_lt(fabs(p.runs[0].k[2] - k), p.runs[0].uncertainty[2],
                             "tau %g: %.8g +- %.2g of %.8g", taus[t], p.runs[0].k[2],
                             p.runs[0].uncertainty[2], k);
            } else {
                cr_expect_not_null(strstr(rill_error_message(), "rounding in fp32"), "%s",
                                   rill_error_message());
            }
            rill_permeability_free(&p);
        }
    cr_expect_gt(ended, 3, "%d", ended);
    rill_geom_destroy(geom);
}

/* The same of the pressures between plates of an open box: k was 1.1e-3 off, and uncertain by 6.4e-4, plates
 * 158 of the narrow pore spaces of seed 5 (scripts/pore_spaces.py). */
Test(uncertainty, of_fp32_knows_that_pressures_of_layers_round_alike, .disabled = SANITIZED)
{
    rill_permeability p;
    rill_permeability_options o = rill_permeability_options_default();
    double k = 0;
    rill_geom *geom = solid(28, 28, 38);
    OPEN(geom, 0, 0, 1, 28, 28, 37);
    OPEN(geom, 3, 1, 0, 2, 2, 1);
    for (int a = 0; a < 3; a++) geom->sides[a] = RILL_MIRROR;
    o.acceleration = RILL_ACCELERATION_NONE;
    o.axis = 2;
    o.tau = 15;
    for (int e = 0; e < 2; e++) {
        o.variant.storage = e == 0 ? RILL_FP64 : RILL_FP32;
        ASSERT_OK(computed(geom, &o, &p));
        if (e == 0) k = p.k[2][2];
        cr_expect_lt(fabs(p.k[2][2] - k), p.runs[0].uncertainty[2], "%.8g +- %.2g of %.8g", p.k[2][2],
                     p.runs[0].uncertainty[2], k);
        rill_permeability_free(&p);
    }
    rill_geom_destroy(geom);
}

/* Populations that are not less their weights lost all of the force: k was 0, uncertain by 0.025 %. */
Test(uncertainty, of_plain_populations_knows_the_force_that_they_lose)
{
    static const double forces[] = {0, 1e-4};
    double k;
    rill_geom *geom = plates(16, &k);
    for (int f = 0; f < 2; f++) {
        rill_permeability_options o = rill_permeability_options_default();
        rill_permeability p;
        o.variant.storage = RILL_FP32;
        o.variant.shift = RILL_PLAIN;
        o.axis = 2;
        o.force = forces[f];
        const rill_status status = computed(geom, &o, &p);
        if (f == 0) {
            cr_expect_eq(status, RILL_USAGE, "%g +- %g", p.runs[0].k[2], p.runs[0].uncertainty[2]);
            cr_expect_not_null(strstr(rill_error_message(), "plain populations round"), "%s",
                               rill_error_message());
        } else {
            cr_expect_eq(status, RILL_OK, "%s", rill_error_message());
            cr_expect_lt(fabs(p.runs[0].k[2] - k), p.runs[0].uncertainty[2], "%g +- %g of %g", p.runs[0].k[2],
                         p.runs[0].uncertainty[2], k);
        }
        rill_permeability_free(&p);
    }
    rill_geom_destroy(geom);
}

/* Rounding to fp16s made k 3.6 % too large here, and hid it behind 0.038 %. */
Test(uncertainty, of_16_bits_knows_their_rounding, .disabled = SANITIZED)
{
    static const rill_storage storages[] = {RILL_FP16S, RILL_FP16C, RILL_P16_1S};
    rill_geom *geom = chain(), *simple = dead_end();
    double exact[2], k, u;
    int ended = 0;
    ASSERT_OK(found(geom, RILL_BACKEND_CPU, RILL_ACCELERATION_NETWORK, RILL_FP64, 1e-6, &exact[0], &u));
    ASSERT_OK(found(simple, RILL_BACKEND_CPU, RILL_ACCELERATION_NETWORK, RILL_FP64, 1e-6, &exact[1], &u));
    FOR_EACH_BACKEND(backend)
    for (size_t s = 0; s < sizeof storages / sizeof *storages; s++)
        for (int g = 0; g < 2; g++) {
            const rill_status came =
                found(g ? simple : geom, backend, RILL_ACCELERATION_AUTO, storages[s], 5e-3, &k, &u);
            cr_expect(came == RILL_OK || came == RILL_NUMERICS, "%s", rill_error_message());
            if (came != RILL_OK) continue;
            ended++;
            cr_expect_lt(fabs(k - exact[g]), u, "storage %zu of geometry %d: %g +- %g of %g", s, g, k, u,
                         exact[g]);
        }
    cr_expect_gt(ended, 2, "%d", ended);
    cr_expect_eq(found(geom, RILL_BACKEND_CPU, RILL_ACCELERATION_AUTO, RILL_INT16S, 1e-3, &k, &u),
                 RILL_USAGE);
    rill_geom_destroy(geom);
    rill_geom_destroy(simple);
}

/* Flat chambers of 22 x 22 x 7, one behind the other through holes of 1, 2 and 3 voxels that are far apart:
 * most of |u| is beside the flow, and slower by far. */
static rill_geom *chambers(void)
{
    rill_geom *geom = solid(24, 24, 30);
    for (uint32_t z = 0; z < 30; z += 10) OPEN(geom, 1, 1, z, 22, 22, 7);
    OPEN(geom, 20, 14, 7, 1, 1, 3);
    OPEN(geom, 9, 1, 17, 3, 3, 3);
    OPEN(geom, 2, 14, 27, 2, 2, 3);
    return geom;
}

static rill_permeability_flow run_of(const rill_geom *geom, rill_permeability_options o)
{
    rill_permeability p;
    rill_geom *own = moved(geom, 0, 0, 0);
    (void)computed(own, &o, &p);
    rill_permeability_flow run = p.runs[0];
    run.samples = NULL;
    rill_permeability_free(&p);
    rill_geom_destroy(own);
    return run;
}

/* A sheet of 64 x 64 with inclined ellipses, 18 by 6 voxels. @param at_angle  [count], x, y and inclination
 */
static rill_geom *sheet(const double at_angle[][3], size_t count)
{
    rill_geom *geom = solid(64, 64, 1);
    OPEN(geom, 0, 0, 0, 64, 64, 1);
    for (size_t e = 0; e < count; e++)
        for (uint32_t v = 0; v < 64 * 64; v++) {
            const double *now = at_angle[e], x = remainder(v % 64 - now[0], 64),
                         y = remainder(v / 64 - now[1], 64);
            const double along = x * sin(now[2]) + y * cos(now[2]),
                         beside = x * cos(now[2]) - y * sin(now[2]);
            if (along * along / 81 + beside * beside / 9 < 1) geom->voxels[v] = RILL_SOLID;
        }
    return geom;
}

/* The flow across the force is that of the momentum, which no energy corrects: k_xy was 0.15 % of k_yy away,
 * and uncertain by 0.025 %. */
Test(uncertainty, of_components_across_the_force_is_a_bound)
{
    static const double at_angle[][3] = {
        {58.1, 36.4, 0.61}, {48.4, 23.0, 0.79}, {15.5, 33.0, 0.40}, {1.0, 21.9, 0.71},  {33.7, 1.3, 0.37},
        {60.2, 4.6, 0.34},  {13.4, 25.8, 0.60}, {53.1, 51.5, 0.83}, {34.4, 18.9, 1.06}, {49.0, 53.9, 0.64},
        {12.3, 48.9, 0.77}, {43.0, 40.7, 0.88}, {19.2, 4.9, 0.57},  {11.6, 30.2, 0.71}};
    rill_geom *geom = sheet(at_angle, sizeof at_angle / sizeof *at_angle);
    for (int axis = 0; axis < 2; axis++) {
        rill_permeability_options o = rill_permeability_options_default();
        o.on.backend = RILL_BACKEND_CPU;
        o.axis = axis;
        o.variant.storage = RILL_FP64;
        o.acceleration = RILL_ACCELERATION_NONE;
        o.tolerance = 1e-6;
        const rill_permeability_flow exact = run_of(geom, o);
        o.variant.storage = RILL_FP32;
        o.acceleration = RILL_ACCELERATION_NETWORK;
        for (double tolerance = 1e-2; tolerance > 5e-5; tolerance /= 10) {
            o.tolerance = tolerance;
            const rill_permeability_flow run = run_of(geom, o);
            cr_expect(run.converged);
            for (int b = 0; b < 2; b++)
                cr_expect_lt(fabs(run.k[b] - exact.k[b]), run.uncertainty[b],
                             "force along %d, flow along %d, tolerance %g: %g +- %g of %g", axis, b,
                             tolerance, run.k[b], run.uncertainty[b], exact.k[b]);
        }
    }
    rill_geom_destroy(geom);
}

/* Along pierced plates 700 times as much flows as through their holes, so that what rounding adds to momentum
 * moves far more along them: k_xz, which is 0, was 2 uncertainties away. plates, number 620 of the narrow
 * pore spaces of seed 5. */
Test(uncertainty, of_components_across_a_force_in_16_bits_is_a_bound, .disabled = SANITIZED)
{
    rill_geom *geom = solid(23, 23, 43);
    OPEN(geom, 0, 0, 0, 23, 23, 15);
    OPEN(geom, 0, 0, 16, 23, 23, 21);
    OPEN(geom, 0, 0, 41, 23, 23, 2);
    OPEN(geom, 6, 20, 0, 3, 3, 43);
    rill_permeability_options o = rill_permeability_options_default();
    o.on.backend = RILL_BACKEND_CPU;
    o.axis = 2;
    o.variant.storage = RILL_P16_2C;
    const rill_permeability_flow run = run_of(geom, o);
    cr_expect(run.converged, "%s", run.reason);
    for (int b = 0; b < 2; b++)
        cr_expect_lt(fabs(run.k[b]), 0.7 * run.uncertainty[b], "%d: %g +- %g", b, run.k[b],
                     run.uncertainty[b]);
    rill_geom_destroy(geom);
}

/* What a run at these relaxation times finds, D3Q19 in fp32 with a network, against the same flow in fp64. */
static void expect_bounds(const rill_geom *geom, int axis, double tolerance, const double taus[],
                          size_t count)
{
    rill_permeability_options o = rill_permeability_options_default();
    o.on.backend = RILL_BACKEND_CPU;
    o.axis = axis;
    o.acceleration = RILL_ACCELERATION_NETWORK;
    o.variant.storage = RILL_FP64;
    o.tolerance = 1e-6;
    const rill_permeability_flow exact = run_of(geom, o);
    cr_assert(exact.converged, "%s", exact.reason);
    o.variant.storage = RILL_FP32;
    o.tolerance = tolerance;
    for (size_t t = 0; t < count; t++) {
        o.tau = taus[t];
        const rill_permeability_flow run = run_of(geom, o);
        cr_expect(run.converged, "%s", run.reason);
        for (int b = 0; b < 3; b++)
            if (rill_axes_has(axis, b))
                cr_expect_lt(fabs(run.k[b] - exact.k[b]), run.uncertainty[b],
                             "tau %g, flow along %d: %g +- %g of %g", o.tau, b, run.k[b], run.uncertainty[b],
                             exact.k[b]);
    }
}

/* The pores of a sheet of one voxel are wider than a straight run along its normal, and momentum diffuses
 * slowly in them: in cycles of 40 steps k_yx was uncertain by 0.9 % of k_xx after 24 of them, and 15 times as
 * far away. */
Test(uncertainty, of_a_sheet_at_a_small_viscosity_is_a_bound)
{
    static const double at_angle[][3] = {{13.3, 19.9, 0.01}, {45.2, 58.4, 0.00}, {50.2, 25.0, 0.25},
                                         {7.7, 14.4, -0.14}, {59.2, 38.0, 0.05}, {55.7, 53.7, 0.30},
                                         {12.5, 44.7, 0.22}, {15.2, 4.5, 0.10},  {39.8, 10.6, 0.64}};
    rill_geom *geom = sheet(at_angle, sizeof at_angle / sizeof *at_angle);
    expect_bounds(geom, RILL_AXES_XY, 1e-2, (const double[]){0.6, 0.55}, 2);
    rill_geom_destroy(geom);
}

/* Pressures ring in a duct of 5 x 5 that is folded six times: when k had moved little in three cycles it was
 * uncertain by 2 % and 14 % away. */
Test(uncertainty, of_a_folded_duct_at_a_small_viscosity_is_a_bound, .disabled = SANITIZED)
{
    rill_geom *geom = solid(36, 7, 42);
    for (uint32_t fold = 0; fold < 6; fold++) {
        OPEN(geom, 1, 1, 7 * fold, 34, 5, 5);
        OPEN(geom, fold % 2 ? 1 : 30, 1, 7 * fold + 5, 5, 5, 2);
    }
    rill_geom *cut = moved(geom, 13, 0, 0);
    expect_bounds(cut, 2, 2e-2, (const double[]){0.55}, 1);
    rill_geom_destroy(cut);
    rill_geom_destroy(geom);
}

/* With speeds of single steps it was 2.84 in the chambers where k was right to 1e-4, and 2.81 at 1e-6. */
Test(uncertainty, of_a_tortuosity_is_a_bound, .disabled = SANITIZED)
{
    rill_geom *geoms[] = {chambers(), dead_end(), chain()};
    for (size_t g = 0; g < sizeof geoms / sizeof *geoms; g++) {
        rill_permeability_options o = rill_permeability_options_default();
        o.on.backend = RILL_BACKEND_CPU;
        o.variant.storage = RILL_FP64;
        o.acceleration = RILL_ACCELERATION_NETWORK;
        o.tolerance = 1e-6;
        const rill_permeability_flow exact = run_of(geoms[g], o);
        cr_assert(exact.converged, "%s", exact.reason);
        cr_expect_lt(exact.tortuosity_uncertainty, 1e-4 * exact.tortuosity);
        if (g == 0) cr_expect_float_eq(exact.tortuosity, 2.67481, 2e-5, "%.8g", exact.tortuosity);
        o.variant.storage = RILL_FP32;
        FOR_EACH_BACKEND(backend)
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
            for (int loose = 0; loose < 2; loose++) {
                o.on.backend = backend;
                o.acceleration = ways[w];
                o.tolerance = loose ? 1e-2 : 1e-3;
                const rill_permeability_flow run = run_of(geoms[g], o);
                const double u = run.tortuosity_uncertainty, off = run.tortuosity - exact.tortuosity;
                if (!run.converged || (loose && !isfinite(u))) continue;
                cr_expect_lt(fabs(off), u + exact.tortuosity_uncertainty,
                             "geometry %zu, way %zu: %g +- %g, not %g", g, w, run.tortuosity, u,
                             exact.tortuosity);
                if (!loose)
                    cr_expect_lt(u, 0.1 * run.tortuosity, "geometry %zu, way %zu: %g of %g", g, w, u,
                                 run.tortuosity);
            }
        rill_geom_destroy(geoms[g]);
    }
}

/* The tortuosity is 6 % too small here with fp16s, which has no k either: it is refused before the first
 * step, and not known after too few. */
Test(uncertainty, of_a_tortuosity_in_16_bits_is_known_with_that_of_k, .disabled = SANITIZED)
{
    rill_geom *geom = chambers();
    rill_permeability_options o = rill_permeability_options_default();
    o.on.backend = RILL_BACKEND_CPU;
    o.variant.storage = RILL_FP16S;
    rill_permeability p;
    cr_expect_eq(computed(geom, &o, &p), RILL_NUMERICS);
    cr_expect_eq(p.run_count, 0, "refused after steps");
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
    geom = dead_end();
    o.max_steps = 200;
    const rill_permeability_flow run = run_of(geom, o);
    cr_expect_not(run.converged);
    cr_expect(isnan(run.tortuosity) && isinf(run.tortuosity_uncertainty), "%g +- %g", run.tortuosity,
              run.tortuosity_uncertainty);
    rill_geom_destroy(geom);
}

/* Along x, where reservoirs turn the sample: what is seen of both is along their z. */
Test(uncertainty, of_a_tortuosity_between_reservoirs)
{
    rill_geom *geom = solid(24, 9, 9);
    OPEN(geom, 0, 1, 1, 24, 3, 3);
    OPEN(geom, 6, 4, 1, 8, 4, 3);
    rill_permeability_options o = rill_permeability_options_default();
    o.on.backend = RILL_BACKEND_CPU;
    o.axis = 0;
    o.drive = RILL_DRIVE_PRESSURE;
    const rill_permeability_flow run = run_of(geom, o);
    o.tolerance = 1e-5;
    o.variant.storage = RILL_FP64;
    const rill_permeability_flow exact = run_of(geom, o);
    cr_assert(run.converged && exact.converged, "%s%s", run.reason, exact.reason);
    cr_expect_lt(run.tortuosity_uncertainty, 0.05 * run.tortuosity, "%g +- %g", run.tortuosity,
                 run.tortuosity_uncertainty);
    cr_expect_lt(fabs(run.tortuosity - exact.tortuosity),
                 run.tortuosity_uncertainty + exact.tortuosity_uncertainty, "%g +- %g, not %g",
                 run.tortuosity, run.tortuosity_uncertainty, exact.tortuosity);
    rill_geom_destroy(geom);
}

/* Before the third cycle nothing is known. */
Test(uncertainty, of_a_tortuosity_is_unknown_at_first)
{
    rill_geom *geom = dead_end();
    rill_permeability_options o = rill_permeability_options_default();
    o.on.backend = RILL_BACKEND_CPU;
    o.max_steps = 100;
    const rill_permeability_flow run = run_of(geom, o);
    cr_expect_not(run.converged);
    cr_expect(isnan(run.tortuosity) && isinf(run.tortuosity_uncertainty));
    cr_expect(isfinite(run.reynolds) && isfinite(run.mach));
    rill_geom_destroy(geom);
}

/* Mean momentum along z, and what rounding adds to it, as means over some steps of a flow that has settled.
 */
static void settle(const rill_geom *geom, rill_backend_kind backend, rill_storage storage, double *momentum,
                   double *added)
{
    const double force = 3e-6;
    enum { steps = 6000, looks = 32 };
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    rill_sim_options o = rill_sim_options_default();
    o.on.backend = backend;
    o.tau = 2;
    o.force[2] = force;
    o.variant.storage = storage;
    o.variant.equilibrium = RILL_STOKES;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){o.variant.lattice, -1}, &domain));
    ASSERT_OK(rill_sim_create(domain, &o, &sim));
    ASSERT_OK(rill_sim_step(sim, steps));
    *momentum = *added = 0;
    for (int n = 0; n < looks; n++) {
        rill_totals totals;
        rill_rounding_sums rounding = {.work = 0};
        ASSERT_OK(rill_sim_totals(sim, &totals));
        if (storage != RILL_FP64) ASSERT_OK(rill_sim_rounding(sim, &rounding));
        ASSERT_OK(rill_sim_step(sim, 5));
        *momentum += totals.momentum[2] / looks;
        *added += rounding.work / (3 * force) / looks;
    }
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
}

/* In a straight duct all errors of rounding are alike: what is measured is by how much the flow is off. */
Test(uncertainty, rounding_is_measured_as_it_acts)
{
    rill_geom *geom = solid(14, 10, 4);
    OPEN(geom, 2, 1, 0, 10, 8, 4);
    double exact, added, momentum;
    settle(geom, RILL_BACKEND_CPU, RILL_FP64, &exact, &added);
    FOR_EACH_BACKEND(backend)
    for (rill_storage storage = RILL_FP16S; storage <= RILL_FP16C; storage++) {
        settle(geom, backend, storage, &momentum, &added);
        const double off = momentum - exact;
        cr_expect_gt(fabs(off / exact), 1e-4, "storage %d: %g", (int)storage, off / exact);
        cr_expect_lt(fabs(off - added), 0.1 * fabs(off), "storage %d: %g off, measured %g", (int)storage,
                     off / exact, added / exact);
    }
    rill_geom_destroy(geom);
}

/* Momentum of a wave length of two nodes changes its sign from step to step, and decays by a part of 0.002:
 * the mean of two steps was 1.2 uncertainties away. The direct solution of this duct of 1,456 nodes
 * is 1.070735912e-5. */
Test(uncertainty, knows_momentum_that_alternates)
{
    rill_permeability_options o = rill_permeability_options_default();
    rill_geom *geom = solid(40, 4, 24);
    fold(geom);
    o.on.backend = RILL_BACKEND_CPU;
    o.axis = 2;
    o.variant.storage = RILL_FP64;
    o.tolerance = 1e-5;
    const rill_permeability_flow run = run_of(geom, o);
    const double off = fabs(run.k[2] - 1.070735912e-5);
    cr_assert(run.converged, "%s", run.reason);
    cr_expect_lt(off, 0.1 * run.uncertainty[2], "%.9g +- %.2g", run.k[2], run.uncertainty[2]);
    rill_geom_destroy(geom);
}

/* Sums of all populations round eight times as much as pairs of them: k of this duct is off by a part
 * of 2.4e-4, in others by 9e-4. In fp64, at a tolerance of 1e-6, it is 4.0375e-6, and
 * 4.0389e-6 by TRT on the same lattice. */
Test(uncertainty, of_cumulants_counts_their_sums)
{
    rill_permeability_options o = rill_permeability_options_default();
    rill_geom *geom = solid(80, 4, 16);
    fold(geom);
    o.on.backend = RILL_BACKEND_CPU;
    o.axis = 2;
    o.variant.collision = RILL_CUMULANT;
    o.variant.lattice = RILL_D3Q27;
    o.variant.equilibrium = RILL_SECOND_ORDER;
    const rill_permeability_flow run = run_of(geom, o);
    cr_assert(run.converged, "%s", run.reason);
    cr_expect_lt(fabs(run.k[2] - 4.0375e-6), 0.5 * run.uncertainty[2], "%.7g +- %.2g", run.k[2],
                 run.uncertainty[2]);
    rill_geom_destroy(geom);
}

/* k was 4.4 uncertainties away with corrected pressures, which know nothing of the chequerboard of D3Q15. */
Test(uncertainty, of_d3q15_knows_its_chequerboard)
{
    rill_permeability_options o = rill_permeability_options_default();
    rill_geom *geom = chambers();
    o.on.backend = RILL_BACKEND_CPU;
    o.variant.lattice = RILL_D3Q15;
    o.axis = 2;
    o.variant.storage = RILL_FP64;
    o.tolerance = 1e-5;
    const rill_permeability_flow exact = run_of(geom, o);
    cr_assert(exact.converged, "%s", exact.reason);
    o.variant.storage = RILL_FP32;
    o.tolerance = 1e-3;
    const rill_permeability_flow run = run_of(geom, o);
    cr_assert(run.converged, "%s", run.reason);
    cr_expect_lt(fabs(run.k[2] - exact.k[2]), run.uncertainty[2], "%g +- %g of %g", run.k[2],
                 run.uncertainty[2], exact.k[2]);
    o.acceleration = RILL_ACCELERATION_NETWORK;
    rill_permeability p;
    cr_expect_eq(computed(geom, &o, &p), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "another lattice than d3q15"), "%s",
                       rill_error_message());
    rill_geom_destroy(geom);
}
