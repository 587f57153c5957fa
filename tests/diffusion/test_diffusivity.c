/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_diffusivity.c
 * Effective diffusivities that are known, the bounds of others, and what is refused.
 */
#include "backends.h"
#include "balls.h"
#include "random_rock.h"

#include "core/memory.h"

#include <math.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { X, Y, Z };

static rill_geom *box(uint32_t nx, uint32_t ny, uint32_t nz, rill_side side)
{
    rill_geom *geom = balls_box(nx, ny, nz);
    for (int a = 0; a < 3; a++) geom->sides[a] = side;
    return geom;
}

static uint8_t *voxel(rill_geom *g, uint32_t x, uint32_t y, uint32_t z)
{
    return &g->voxels[((size_t)z * g->n[1] + y) * g->n[0] + x];
}

/* Noise of porosity 0 ... 1, the same for the same seed. */
static void noise(rill_geom *g, double porosity, uint64_t seed)
{
    for (uint64_t v = 0; v < rill_geom_voxels(g); v++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        g->voxels[v] = (double)(seed >> 40) < porosity * (1 << 24);
    }
}

static rill_diffusivity_options options_of(int axis, double tolerance)
{
    rill_diffusivity_options o = rill_diffusivity_options_default();
    o.axis = axis;
    o.tolerance = tolerance;
    return o;
}

/* D along an axis, of a copy. */
static double along(const rill_geom *geom, const rill_diffusivity_options *o)
{
    rill_geom *copy;
    rill_diffusivity d;
    ASSERT_OK(rill_geom_copy(geom, &copy));
    ASSERT_OK(rill_diffusivity_compute(copy, o, &d));
    const double found = d.d[o->axis][o->axis];
    cr_assert_leq(d.runs[0].bound[0], found * (1 + 1e-14));
    cr_assert_float_eq(d.formation[o->axis][o->axis] * found, 1, 1e-12);
    cr_assert_float_eq(d.tortuosity[o->axis] * found, d.porosity.total, 1e-12);
    rill_diffusivity_free(&d);
    rill_geom_destroy(copy);
    return found;
}

Test(diffusivity, layers_in_series_and_in_parallel)
{
    for (int side = RILL_PERIODIC; side <= RILL_MIRROR; side++)
        for (double ratio = 1e-6; ratio < 2e6; ratio *= 1e3) {
            rill_geom *g = box(7, 6, 9, (rill_side)side);
            rill_diffusivity_options o = options_of(Z, 1e-9);
            for (uint32_t z = 0; z < 9; z++)
                for (uint32_t v = 0; v < 42; v++) g->voxels[42 * z + v] = (uint8_t)(z < 4 ? 1 : 2);
            o.phase_count = 2;
            o.ratio[0] = 1;
            o.ratio[1] = ratio;
            const double series = 9 / (4 + 5 / ratio), parallel = (4 + 5 * ratio) / 9;
            cr_expect_float_eq(along(g, &o) / series, 1, 1e-6, "series of %g", ratio);
            o.axis = X;
            cr_expect_float_eq(along(g, &o) / parallel, 1, 1e-6, "parallel of %g", ratio);
            rill_geom_destroy(g);
        }
}

/* A duct of one voxel that goes along x, up, and along x again: a chain of resistors. */
Test(diffusivity, bent_duct_is_a_chain_of_resistors)
{
    static const struct {
        rill_diffusion_drive drive;
        double ends, layers; /* resistors beside those between nodes; voxels between the values */
    } cases[] = {
        {RILL_DIFFUSION_GRADIENT, 1, 10}, {RILL_DIFFUSION_OUTSIDE, 1, 10}, {RILL_DIFFUSION_INSIDE, 0, 9}};
    rill_geom *g = box(10, 4, 6, RILL_MIRROR);
    memset(g->voxels, 0, rill_geom_voxels(g));
    for (uint32_t x = 0; x <= 5; x++) *voxel(g, x, 2, 1) = 1;
    for (uint32_t z = 1; z <= 4; z++) *voxel(g, 5, 2, z) = 1;
    for (uint32_t x = 5; x < 10; x++) *voxel(g, x, 2, 4) = 1;
    for (int c = 0; c < 3; c++) {
        rill_diffusivity_options o = options_of(X, 1e-10);
        o.drive = cases[c].drive;
        const double resistance = 9 + 3 + cases[c].ends; /* 13 nodes */
        cr_expect_float_eq(along(g, &o), cases[c].layers / (resistance * 24), 1e-11, "drive %d", c);
    }
    rill_geom_destroy(g);
}

/* Insulating spheres in a simple cubic array, by the series of Sangani & Acrivos (1983),
 * doi:10.1098/rspa.1983.0020, at the fraction that the voxels have. */
static double cubic_series(double c)
{
    const double l2 = -3. / 4, l3 = -5. / 6;
    const double third =
        1.305 * l2 * pow(c, 10. / 3) * (1 + 0.231 * l3 * pow(c, 11. / 3)) / (1 - 0.405 * l2 * pow(c, 7. / 3));
    return 1 - 3 * c / (2 + c + third + 0.0723 * l3 * pow(c, 14. / 3));
}

/* Staircases take off in proportion to the voxel: the line through three grids meets the series at 0. */
Test(diffusivity, simple_cubic_spheres)
{
    static const uint32_t size[] = {16, 24, 32};
    double sums[5] = {0}; /* 1, h, h^2, y, h y */
    for (int k = 0; k < 3; k++) {
        const uint32_t n = size[k];
        rill_geom *g = box(n, n, n, RILL_PERIODIC);
        balls_put(g, (double[]){n / 2., n / 2., n / 2.}, n * cbrt(0.3 * 3 / (4 * 3.14159265358979)));
        const double solid = 1 - (double)rill_geom_fluid(g) / (double)rill_geom_voxels(g), h = 1. / n;
        const rill_diffusivity_options o = options_of(Y, 1e-7);
        const double y = along(g, &o) / cubic_series(solid) - 1;
        const double add[] = {1, h, h * h, y, h * y};
        for (int i = 0; i < 5; i++) sums[i] += add[i];
        rill_geom_destroy(g);
    }
    const double at_0 = (sums[2] * sums[3] - sums[1] * sums[4]) / (sums[0] * sums[2] - sums[1] * sums[1]);
    cr_expect_lt(fabs(at_0), 0.005, "%g", at_0);
}

/* Spheres in voxels, whose bar holds the series at the fraction of the shape; plates, which voxels represent
 * exactly, have none. */
Test(diffusivity, error_bar_holds_the_shape)
{
    for (double fraction = 0.1; fraction < 0.35; fraction += 0.1) {
        rill_geom *g = box(48, 48, 48, RILL_PERIODIC);
        rill_diffusivity d;
        rill_diffusivity_options o = options_of(Y, 1e-4);
        o.error_bar = true;
        balls_put(g, (double[]){24, 24, 24}, 48 * cbrt(fraction * 3 / (4 * 3.14159265358979)));
        ASSERT_OK(rill_diffusivity_compute(g, &o, &d));
        const rill_diffusivity_bar *bar = &d.bar[Y];
        const double exact = cubic_series(fraction);
        cr_expect_eq(bar->grids, 3);
        cr_expect_lt(fabs(bar->extrapolated - exact), bar->half_width, "%g: %g ± %g, %g", fraction,
                     bar->extrapolated, bar->half_width, exact);
        cr_expect_lt(fabs(bar->extrapolated - exact), fabs(bar->values[0] - exact), "%g: %g, %g, %g",
                     fraction, bar->values[0], bar->extrapolated, exact);
        cr_expect_eq(d.bar[X].grids, 0);
        rill_diffusivity_free(&d);
        rill_geom_destroy(g);
    }
    rill_geom *g = box(16, 16, 16, RILL_MIRROR);
    rill_diffusivity d;
    rill_diffusivity_options o = options_of(X, 1e-6);
    o.error_bar = true;
    for (uint32_t v = 0; v < 4096; v++) g->voxels[v] = v / 256 % 8 < 4;
    ASSERT_OK(rill_diffusivity_compute(g, &o, &d));
    cr_expect_float_eq(d.bar[X].half_width, 0, 1e-9);
    cr_expect_float_eq(d.bar[X].extrapolated, 0.5, 1e-9);
    rill_diffusivity_free(&d);
    rill_geom_destroy(g);
}

Test(diffusivity, tensor_turns_with_the_image)
{
    enum { N = 14 };
    rill_geom *g = box(N, N, N, RILL_PERIODIC), *turned = box(N, N, N, RILL_PERIODIC);
    rill_diffusivity d, t;
    const rill_diffusivity_options o = options_of(RILL_AXES_XYZ, 1e-10);
    noise(g, 0.55, 3);
    for (uint32_t z = 0; z < N; z++) /* x -> y -> z -> x, and a mirror along the new x */
        for (uint32_t y = 0; y < N; y++)
            for (uint32_t x = 0; x < N; x++) *voxel(turned, N - 1 - z, x, y) = *voxel(g, x, y, z);
    ASSERT_OK(rill_diffusivity_compute(g, &o, &d));
    ASSERT_OK(rill_diffusivity_compute(turned, &o, &t));
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            const int to_a = (a + 1) % 3, to_b = (b + 1) % 3;
            const double sign = (to_a == 0) != (to_b == 0) ? -1 : 1;
            cr_expect_float_eq(t.d[to_a][to_b], sign * d.d[a][b], 1e-9, "%d %d", a, b);
            cr_expect_float_eq(d.d[a][b], d.d[b][a], 1e-12);
            double product = 0;
            for (int c = 0; c < 3; c++) product += d.d[a][c] * d.formation[c][b];
            cr_expect_float_eq(product, a == b, 1e-12);
            if (a != b) cr_expect_gt(fabs(d.d[a][b]), 1e-5); /* or nothing was compared */
        }
    for (int i = 0; i < 3; i++) cr_expect_float_eq(d.principal[i], t.principal[i], 1e-9);
    rill_diffusivity_free(&d);
    rill_diffusivity_free(&t);
    rill_geom_destroy(g);
    rill_geom_destroy(turned);
}

/* The bounds hold at every tolerance, of a pore, of two phases, and of the other components. */
Test(diffusivity, bounds_hold)
{
    int compared = 0;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        rill_geom *g = box(11, 12, 9, seed % 2 ? RILL_PERIODIC : RILL_MIRROR);
        rill_diffusivity_options o = options_of(RILL_AXES_XYZ, 1e-12);
        rill_diffusivity exact, rough;
        noise(g, 0.4 + 0.02 * (double)seed, seed);
        if (seed % 3 == 0) {
            o.phase_count = 2;
            o.ratio[0] = 1;
            o.ratio[1] = 1e-3;
            for (uint64_t v = 0; v < rill_geom_voxels(g); v++) g->voxels[v] *= (uint8_t)(1 + v % 5 / 3);
        }
        if (seed % 4 == 0) o.drive = RILL_DIFFUSION_INSIDE;
        ASSERT_OK(rill_diffusivity_compute(g, &o, &exact));
        for (o.tolerance = 0.5; o.tolerance > 1e-4; o.tolerance *= 0.2) {
            ASSERT_OK(rill_diffusivity_compute(g, &o, &rough));
            for (int a = 0; a < 3; a++) {
                const rill_diffusivity_run *r = &rough.runs[a];
                const double d = exact.d[a][a], rounding = 1e-11 * d;
                cr_expect_leq(r->bound[0], d + rounding, "seed %d axis %d", (int)seed, a);
                cr_expect_geq(r->bound[1], d - rounding, "seed %d axis %d", (int)seed, a);
                cr_expect_leq(r->uncertainty[a], o.tolerance * r->d[a]);
                for (int b = 0; b < 3; b++)
                    if (isfinite(exact.d[b][a]))
                        cr_expect_leq(fabs(rough.d[b][a] - exact.d[b][a]), r->uncertainty[b] + rounding);
                compared += r->uncertainty[a] > 10 * rounding;
            }
            rill_diffusivity_free(&rough);
        }
        rill_diffusivity_free(&exact);
        rill_geom_destroy(g);
    }
    cr_expect_gt(compared, 300);
}

/* What the callback sees. */
typedef struct seen {
    double all;                       /* flux along z of all nodes */
    double flow[2], concentration[2]; /* of the planes z = 3 and z = 7 */
    uint64_t nodes;
} seen;

static rill_status see(void *context, const rill_diffusion_field *field)
{
    seen *s = context;
    static double flux[3 * 12 * 12 * 12];
    field->flux(field, 0, field->nodes, flux);
    s->nodes = field->nodes;
    for (rill_node i = 0; i < field->nodes; i++) s->all += flux[2 * field->nodes + i];
    for (rill_node i = 0; i < field->nodes; i++)
        for (int k = 0; k < 2; k++)
            if (i / 144 == (k ? 7u : 3u)) {
                s->flow[k] += flux[2 * field->nodes + i];
                s->concentration[k] += field->concentration[i] / 144;
            }
    return RILL_OK;
}

/* Poor conductors beside good ones, 10^-12 of them: D, by elimination with 60 digits, is between bounds that
 * rounding would move past it. */
Test(diffusivity, bounds_hold_where_rounding_is_all_that_is_left)
{
    static const char *const planes[] = {
        "#0#1001#0#0###10#1#1##0#####", "###1#0#10110#####0#0########", "###0#01##100#1#1#####00#0##0",
        "##1####00####1#10#0#11#1#0#0", "01##1##1##1###1#11##1##0##1#", "0#10######10100#00#01110###1",
        "#0##11##0###000##111##11##1#", "11#1##0#####1#0#######10#10#", "#010#00##1101##0#####0#0##0#"};
    const double exact = 9.157394562240052e-08;
    rill_geom *g = box(7, 4, 9, RILL_PERIODIC);
    rill_diffusivity_options o = options_of(Z, 1e-9);
    rill_diffusivity d;
    g->sides[X] = RILL_WALL;
    g->sides[Z] = RILL_MIRROR;
    for (uint64_t v = 0; v < rill_geom_voxels(g); v++) {
        const char c = planes[v / 28][v % 28];
        g->voxels[v] = (uint8_t)(c == '#' ? RILL_SOLID : RILL_FLUID + (c - '0'));
    }
    o.phase_count = 2;
    o.ratio[0] = 1e-6;
    o.ratio[1] = 1e6;
    ASSERT_OK(rill_diffusivity_compute(g, &o, &d));
    cr_expect_leq(d.runs[0].bound[0], exact * (1 + 1e-12), "%.17g", d.runs[0].bound[0]);
    cr_expect_geq(d.runs[0].bound[1], exact * (1 - 1e-12), "%.17g", d.runs[0].bound[1]);
    rill_diffusivity_free(&d);
    rill_geom_destroy(g);
}

Test(diffusivity, field_of_an_open_box_falls_in_a_line)
{
    rill_geom *g = box(12, 12, 12, RILL_MIRROR);
    seen s = {0};
    rill_diffusivity d;
    rill_diffusivity_options o = options_of(Z, 1e-6);
    o.finished = see;
    o.context = &s;
    ASSERT_OK(rill_diffusivity_compute(g, &o, &d));
    cr_expect_eq(s.nodes, 1728);
    for (int k = 0; k < 2; k++) {
        cr_expect_float_eq(s.flow[k], 144. / 12, 1e-9);
        cr_expect_float_eq(s.concentration[k], 1 - (k ? 7.5 : 3.5) / 12, 1e-9);
    }
    rill_diffusivity_free(&d);
    rill_geom_destroy(g);
}

/* The flux at the centres has the mean that D says, in noise as well. */
Test(diffusivity, flux_has_the_mean_of_the_diffusivity)
{
    for (int side = RILL_PERIODIC; side <= RILL_MIRROR; side++) {
        rill_geom *g = box(12, 12, 12, (rill_side)side);
        seen s = {0};
        rill_diffusivity d;
        rill_diffusivity_options o = options_of(Z, 1e-9);
        noise(g, 0.6, 21);
        o.finished = see;
        o.context = &s;
        ASSERT_OK(rill_diffusivity_compute(g, &o, &d));
        cr_expect_float_eq(s.all / (12 * 144) * 12 / d.d[Z][Z], 1, 1e-4, "%g", s.all);
        rill_diffusivity_free(&d);
        rill_geom_destroy(g);
    }
}

Test(diffusivity, threads_leave_the_bits)
{
    rill_geom *g = box(70, 21, 22, RILL_PERIODIC);
    rill_diffusivity d[2];
    const rill_diffusivity_options o = options_of(RILL_AXES_XYZ, 1e-4);
    noise(g, 0.5, 11);
    for (int k = 0; k < 2; k++) {
        omp_set_num_threads(k ? 3 : 1);
        ASSERT_OK(rill_diffusivity_compute(g, &o, &d[k]));
    }
    cr_expect_eq(memcmp(d[0].d, d[1].d, sizeof d[0].d), 0);
    for (int a = 0; a < 3; a++)
        cr_expect_eq(memcmp(d[0].runs[a].bound, d[1].runs[a].bound, sizeof d[0].runs[a].bound), 0);
    for (int k = 0; k < 2; k++) rill_diffusivity_free(&d[k]);
    rill_geom_destroy(g);
}

/* One kind that is listed is worked on node by node; one that is not, where nodes stand side by side, in
 * vectors of the processor's level. */
Test(diffusivity, vectors_have_the_bits_of_single_nodes)
{
    static const char *const levels[] = {"", "v2", "v3"};
    static const uint32_t widths[] = {4, 64, 65, 131};
    int compared = 0;
    for (int c = 0; c < 16; c++) {
        rill_geom *g = box(widths[c / 4], 9, 10, c % 2 ? RILL_MIRROR : RILL_PERIODIC);
        rill_diffusivity d[4];
        rill_diffusivity_options o = options_of(RILL_AXES_XYZ, 1e-7);
        noise(g, c / 4 % 2 ? 0.9 : 0.6, 17 + (uint64_t)c);
        o.keep_all = c % 4 == 0; /* nodes without a neighbour, too */
        o.drive = c % 4 == 2   ? RILL_DIFFUSION_OUTSIDE
                  : c % 4 == 3 ? RILL_DIFFUSION_INSIDE
                               : RILL_DIFFUSION_GRADIENT;
        o.ratio[0] = 1;
        for (int k = 0; k < 4; k++) {
            o.phase_count = k == 0;
            setenv("RILL_CPU_LEVEL", k ? levels[k - 1] : "", 1);
            d[k] = (rill_diffusivity){.run_count = -1};
            if (!rill_backend_available(RILL_BACKEND_CPU)) continue; /* built without that level */
            ASSERT_OK(rill_diffusivity_compute(g, &o, &d[k]));
            compared++;
            cr_expect_eq(memcmp(d[0].d, d[k].d, sizeof d[0].d), 0, "case %d, %s", c, k ? levels[k - 1] : "");
            for (int r = 0; r < d[0].run_count; r++) {
                cr_expect_eq(d[0].runs[r].iterations, d[k].runs[r].iterations);
                cr_expect_eq(memcmp(d[0].runs[r].bound, d[k].runs[r].bound, sizeof d[0].runs[r].bound), 0);
            }
        }
        for (int k = 0; k < 4; k++)
            if (d[k].run_count >= 0) rill_diffusivity_free(&d[k]);
        rill_geom_destroy(g);
    }
    cr_expect_geq(compared, 32);
}

/* Of one kind and of two, periodic, between faces and between slices: what runs on a GPU says the same. */
Test(diffusivity, backends_have_the_same_bits)
{
    FOR_EACH_BACKEND(backend)
    for (int c = 0; c < 4; c++) {
        rill_geom *g = box(131, 21, 22, c % 2 ? RILL_MIRROR : RILL_PERIODIC);
        rill_diffusivity d[2];
        rill_diffusivity_options o = options_of(RILL_AXES_XYZ, 1e-7);
        noise(g, 0.5, 11);
        if (c >= 2) {
            o.phase_count = 2;
            o.ratio[0] = 1;
            o.ratio[1] = 1e-4;
            for (uint64_t v = 0; v < rill_geom_voxels(g); v++) g->voxels[v] *= (uint8_t)(1 + v % 7 / 3 % 2);
        }
        if (c == 3) o.drive = RILL_DIFFUSION_INSIDE;
        for (int k = 0; k < 2; k++) {
            o.on.backend = k ? backend : RILL_BACKEND_CPU;
            ASSERT_OK(rill_diffusivity_compute(g, &o, &d[k]));
        }
        cr_expect_str_eq(d[1].backend, backend == RILL_BACKEND_CPU ? "cpu" : "cuda");
        for (int a = 0; a < 3; a++) {
            cr_expect_eq(d[0].runs[a].iterations, d[1].runs[a].iterations);
            cr_expect_eq(memcmp(d[0].runs[a].bound, d[1].runs[a].bound, sizeof d[0].runs[a].bound), 0);
        }
        cr_expect_eq(memcmp(d[0].d, d[1].d, sizeof d[0].d), 0, "case %d", c);
        for (int k = 0; k < 2; k++) rill_diffusivity_free(&d[k]);
        rill_geom_destroy(g);
    }
}

Test(diffusivity, edges_let_flow_through_but_no_diffusion)
{
    rill_geom *g = box(4, 4, 4, RILL_MIRROR);
    rill_diffusivity d;
    rill_diffusivity_options o = options_of(X, 1e-3);
    memset(g->voxels, 0, rill_geom_voxels(g));
    for (uint32_t x = 0; x < 4; x++) *voxel(g, x, x / 2 + 1, 1) = 1; /* 1 and 2 meet at an edge */
    cr_assert_eq(rill_diffusivity_compute(g, &o, &d), RILL_NUMERICS);
    cr_expect_not_null(strstr(rill_error_message(), "nothing percolates along x through faces"), "%s",
                       rill_error_message());
    cr_expect_float_eq(d.flow_percolating[X], 4. / 64, 1e-12);
    cr_expect_eq(d.porosity.percolating[X], 0);
    rill_diffusivity_free(&d);
    rill_geom_destroy(g);
}

Test(diffusivity, iterations_end_without_a_result)
{
    rill_geom *g = box(12, 12, 12, RILL_MIRROR);
    rill_diffusivity d;
    rill_diffusivity_options o = options_of(X, 1e-9);
    o.max_iterations = 2;
    noise(g, 0.5, 5);
    cr_assert_eq(rill_diffusivity_compute(g, &o, &d), RILL_NUMERICS);
    cr_expect(!d.converged && !d.runs[0].converged && d.runs[0].iterations == 2);
    cr_expect_gt(d.uncertainty, 1e-9);
    rill_diffusivity_free(&d);
    rill_geom_destroy(g);
}

/* Phases of an array, whose voxels carry their numbers. */
Test(diffusivity, phases_of_an_array)
{
    const uint8_t grey[] = {7, 7, 9, 0, 8, 7, 9, 0};
    const rill_phase phases[] = {{{9, 9}, 0.5}, {{7, 8}, 2}};
    const uint8_t expected[] = {2, 2, 1, 0, 2, 2, 1, 0};
    rill_voxelize_options o = rill_voxelize_options_default();
    rill_geom *g;
    memcpy(o.image.n, (uint32_t[]){4, 2, 1}, sizeof o.image.n);
    o.image.type = RILL_GREY_U8;
    o.keep = RILL_KEEP_ALL;
    ASSERT_OK(rill_array_voxelize_phases(grey, &o, phases, 2, (rill_progress){NULL, NULL}, &g, NULL));
    cr_expect_arr_eq(g->voxels, expected, sizeof expected);
    rill_geom_destroy(g);
    const rill_phase both[] = {{{7, 9}, 0.5}, {{8, 8}, 2}}, none[] = {{{7, 7}, 1e-7}};
    cr_expect_eq(rill_array_voxelize_phases(grey, &o, both, 2, (rill_progress){NULL, NULL}, &g, NULL),
                 RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "two phases"));
    cr_expect_eq(rill_array_voxelize_phases(grey, &o, none, 1, (rill_progress){NULL, NULL}, &g, NULL),
                 RILL_USAGE);
}

/* What does not fit is refused before the first array, not behind most of them. */
Test(diffusivity, memory_is_checked_before_the_work)
{
    rill_geom *geom = box(64, 64, 64, RILL_MIRROR);
    rill_diffusivity_options o = options_of(Z, 1e-3);
    rill_diffusivity d;
    char limit[32];
    uint64_t left = 0;
    o.on.backend = RILL_BACKEND_CPU;  /* of which the sizes are */
    setenv("RILL_MEMORY", "1TiB", 1); /* less what the process holds: more under sanitizers and with a GPU */
    cr_assert_eq(rill_memory_available(&left), RILL_OK, "%s", rill_error_message());
    const uint64_t held = (UINT64_C(1) << 40) - left;
    /* holds the arrays of the nodes, 11 MiB, and not all of 16.5 MiB, with room for what else may change */
    snprintf(limit, sizeof limit, "%llu B", (unsigned long long)(held + (UINT64_C(14) << 20)));
    setenv("RILL_MEMORY", limit, 1);
    cr_assert_eq(rill_diffusivity_compute(geom, &o, &d), RILL_SYSTEM, "%s", rill_error_message());
    cr_assert_not_null(strstr(rill_error_message(), "no room for the diffusivity: that needs 16.5 MiB"), "%s",
                       rill_error_message());
    unsetenv("RILL_MEMORY");
    rill_diffusivity_free(&d);
    rill_geom_destroy(geom);
}

/* Whether two results are the same bits, but for times. */
static bool same(const rill_diffusivity *a, const rill_diffusivity *b)
{
    bool equal = a->run_count == b->run_count && memcmp(a->d, b->d, sizeof a->d) == 0;
    for (int r = 0; r < a->run_count && equal; r++)
        equal = a->runs[r].iterations == b->runs[r].iterations &&
                memcmp(a->runs[r].bound, b->runs[r].bound, sizeof a->runs[r].bound) == 0 &&
                memcmp(a->runs[r].uncertainty, b->runs[r].uncertainty, sizeof a->runs[r].uncertainty) == 0;
    return equal;
}

/* What stops a run: its callback, when it was called `left` times, or the end of its process. */
typedef struct stop {
    int left;
    bool kill;
} stop;

static bool count_down(void *context, const rill_progress_moment *moment)
{
    stop *s = context;
    if (!strstr(moment->what, "diffusion along") || s->left-- > 0) return true;
    if (s->kill) kill(getpid(), SIGKILL);
    return false;
}

/* Compute until it stops, in a process of its own where that is killed. */
static void compute_stopped(const rill_geom *geom, const rill_diffusivity_options *options, stop *s)
{
    rill_geom *copy;
    rill_diffusivity d;
    rill_diffusivity_options o = *options;
    int code = 0;
    o.progress = (rill_progress){count_down, s};
    o.checkpoint_every = s->kill ? 1e-9 : 0;
    const pid_t child = s->kill ? fork() : 0;
    if (child > 0) {
        cr_assert_eq(waitpid(child, &code, 0), child);
        cr_assert(WIFSIGNALED(code), "the run ended before it was killed");
        return;
    }
    ASSERT_OK(rill_geom_copy(geom, &copy));
    const rill_status status = rill_diffusivity_compute(copy, &o, &d);
    if (s->kill) _exit(0);
    cr_assert_eq(status, RILL_CANCELLED);
    cr_assert_not_null(strstr(rill_error_message(), "--resume"), "%s", rill_error_message());
    rill_diffusivity_free(&d);
    rill_geom_destroy(copy);
}

/* Wherever a run is cancelled or killed, along whichever axis, it goes on to the same bits. */
Test(diffusivity, goes_on_from_a_checkpoint_to_the_same_bits)
{
    rill_geom *geom = box(33, 20, 21, RILL_PERIODIC), *copy;
    rill_diffusivity whole, resumed;
    rill_diffusivity_options o = options_of(RILL_AXES_XYZ, 1e-9);
    noise(geom, 0.6, 7);
    omp_set_num_threads(1); /* a forked process that is to be killed has no threads of OpenMP, nor CUDA */
    o.on.backend = RILL_BACKEND_CPU;
    ASSERT_OK(rill_geom_copy(geom, &copy));
    ASSERT_OK(rill_diffusivity_compute(copy, &o, &whole));
    rill_geom_destroy(copy);
    cr_assert_eq(whole.run_count, 3);
    const int first = (int)whole.runs[0].iterations, second = (int)whole.runs[1].iterations;
    const stop stops[] = {{5, false},     {first + 5, false},      {first + second + 6, false},
                          {6, true},      {first + 7, true},       {first + second + 8, true},
                          {first, false}, {first + second, false}, {first, true}}; /* between two axes */
    o.checkpoint = "d.checkpoint.h5";
    for (size_t k = 0; k < sizeof stops / sizeof *stops; k++) {
        stop s = stops[k];
        o.resume = false;
        compute_stopped(geom, &o, &s);
        o.resume = true;
        stop at_once = {0, false}; /* what was kept stays as it is */
        ASSERT_OK(rill_geom_copy(geom, &copy));
        o.progress = (rill_progress){count_down, &at_once};
        cr_expect_eq(rill_diffusivity_compute(copy, &o, &resumed), RILL_CANCELLED);
        o.progress = (rill_progress){NULL, NULL};
        rill_diffusivity_free(&resumed);
        rill_geom_destroy(copy);
        o.checkpoint_stays = k == 0; /* for who writes the result first */
        ASSERT_OK(rill_geom_copy(geom, &copy));
        ASSERT_OK(rill_diffusivity_compute(copy, &o, &resumed));
        cr_expect(same(&whole, &resumed), "stop %zu: %.17g, %.17g", k, whole.d[2][2], resumed.d[2][2]);
        cr_expect_eq(resumed.checkpoint_left, o.checkpoint_stays);
        cr_expect_eq(access(o.checkpoint, F_OK) == 0, o.checkpoint_stays, "stop %zu: whether it is there", k);
        rill_diffusivity_free(&resumed);
        rill_geom_destroy(copy);
    }
    stop again = stops[0];
    o.resume = false;
    compute_stopped(geom, &o, &again);
    o.resume = true;
    o.tolerance = 1e-8; /* another run */
    ASSERT_OK(rill_geom_copy(geom, &copy));
    cr_expect_eq(rill_diffusivity_compute(copy, &o, &resumed), RILL_USAGE);
    rill_diffusivity_free(&resumed);
    rill_geom_destroy(copy);
    remove(o.checkpoint);
    o.resume = false;
    o.max_iterations = 4; /* too few for the first axis, which is not in the file once it has ended */
    again = (stop){7, false};
    compute_stopped(geom, &o, &again);
    o.resume = true;
    o.max_iterations = 10000;
    ASSERT_OK(rill_geom_copy(geom, &copy));
    cr_expect_eq(rill_diffusivity_compute(copy, &o, &resumed), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "at its limit of 4 iterations"), "%s",
                       rill_error_message());
    rill_diffusivity_free(&resumed);
    rill_geom_destroy(copy);
    remove(o.checkpoint);
    rill_diffusivity_free(&whole);
    rill_geom_destroy(geom);
}

/* The checkpoint of another run has the same name: it is not this one's to remove. */
Test(diffusivity, leaves_checkpoints_that_it_did_not_write)
{
    rill_geom *geom = box(8, 6, 6, RILL_PERIODIC);
    rill_diffusivity result;
    rill_diffusivity_options o = options_of(0, 1e-6);
    noise(geom, 0.7, 3);
    o.checkpoint = "other.checkpoint.h5";
    o.checkpoint_every = 600;
    o.checkpoint_stays = true;
    FILE *file = fopen(o.checkpoint, "w");
    fputs("of another", file);
    fclose(file);
    ASSERT_OK(rill_diffusivity_compute(geom, &o, &result));
    cr_expect_eq(access(o.checkpoint, F_OK), 0, "it is gone");
    cr_expect_not(result.checkpoint_left, "it is not of this run");
    remove(o.checkpoint);
    rill_diffusivity_free(&result);
    rill_geom_destroy(geom);
}
