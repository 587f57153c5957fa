/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_dispersion.c
 * Dispersion that is known, what holds for every flow, bounds, and what is refused.
 */
#include "backends.h"
#include "balls.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { X, Y, Z };

static rill_dispersion_options options_of(double tolerance, int count, const double *peclet)
{
    rill_dispersion_options o = rill_dispersion_options_default();
    o.tolerance = tolerance;
    o.peclet_count = count;
    o.length = 4;
    for (int k = 0; k < count; k++) o.peclet[k] = peclet[k];
    return o;
}

/* Any velocities: what is free of divergence in them is a flow along z, but none of a fluid. */
static float *velocities(const rill_geom *geom, uint64_t seed, double sign)
{
    const uint64_t nodes = rill_geom_fluid(geom);
    float *u = malloc(3 * nodes * sizeof *u);
    cr_assert_not_null(u);
    for (uint64_t i = 0; i < 3 * nodes; i++)
        u[i] = (float)(sign * (2 * balls_fraction(&seed) - 1 + (i >= 2 * nodes ? 1 : 0)));
    return u;
}

static rill_dispersion compute(const rill_geom *geom, const float *u, const rill_dispersion_options *o)
{
    rill_geom *copy;
    rill_dispersion r;
    ASSERT_OK(rill_geom_copy(geom, &copy));
    ASSERT_OK(rill_dispersion_compute(copy, u, o, &r));
    rill_dispersion numbers = r;
    numbers.notes = NULL;
    rill_dispersion_free(&r);
    rill_geom_destroy(copy);
    return numbers;
}

/* Taylor (1953) and Aris (1956) between plates: 1 + 2/105 Pe^2 with half the distance; here the discrete sum,
 * too. */
Test(dispersion, plates)
{
    enum { N = 40 };
    rill_geom *g = balls_box(N + 1, 1, 3);
    float u[3 * N * 3] = {0};
    double sum = 0, mean = 0, squares = 0;
    for (uint32_t z = 0; z < 3; z++) g->voxels[(N + 1) * z] = RILL_SOLID;
    for (int k = 0; k < N; k++) {
        const double x = k + 0.5;
        for (int z = 0; z < 3; z++) u[6 * N + z * N + k] = (float)(x * (N - x) / (N * N));
        mean += x * (N - x) / (N * N) / N;
    }
    for (int k = 0; k < N; k++) {
        sum += (k + 0.5) * (N - k - 0.5) / (N * N) - mean;
        squares += sum * sum / N;
    }
    rill_dispersion_options o = options_of(1e-7, 4, (double[]){0, 10, 100, 1000});
    o.length = N / 2.;
    const rill_dispersion r = compute(g, u, &o);
    for (int k = 1; k < 4; k++) {
        const double pe = o.peclet[k], more = r.points[k].d[Z][Z] - 1;
        cr_expect_float_eq(more / (2 * pe * pe / 105), 1, 5e-3, "Pe %g: %g", pe, more);
        cr_expect_float_eq(more / (squares * pow(pe / (o.length * mean), 2)), 1, 1e-6, "Pe %g: %g", pe, more);
    }
    cr_expect_float_eq(r.points[0].d[Z][Z], 1, 1e-9);
    cr_expect_float_eq(r.points[3].d[Y][Y], 1, 1e-9); /* one voxel thick: nothing but diffusion */
    cr_expect_eq(r.points[3].d[X][X], 0);             /* plates close it */
    cr_expect_eq(r.points[3].bound[X][Z], 0);
    cr_expect_float_eq(r.velocity, mean, 1e-6);
    cr_expect_float_eq(r.points[3].cell_peclet, 1000 / o.length * 0.25 / mean, 0.1);
    cr_expect_lt(r.left, 1e-14);
    rill_geom_destroy(g);
}

Test(dispersion, at_rest_is_diffusion)
{
    rill_geom *g = balls_rock(12, 9, 3.2, 7);
    float *u = velocities(g, 3, 1);
    rill_dispersion_options o = options_of(1e-7, 2, (double[]){0, 1e-5});
    const rill_dispersion r = compute(g, u, &o);
    rill_diffusivity_options with = rill_diffusivity_options_default();
    rill_diffusivity d;
    with.axis = RILL_AXES_XYZ;
    with.tolerance = 1e-8;
    ASSERT_OK(rill_diffusivity_compute(g, &with, &d));
    for (int k = 0; k < 2; k++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                cr_expect_float_eq(r.points[k].d[a][b] * r.porosity / d.d[a][a], d.d[a][b] / d.d[a][a], 1e-6);
    rill_diffusivity_free(&d);
    rill_dispersion_free((rill_dispersion *)&r);
    rill_geom_destroy(g);
    free(u);
}

/* A flow turned round spreads alike: its operator is the transpose. A flow along z is also one along x of a
 * box that is turned. */
Test(dispersion, flows_turned_round)
{
    rill_geom *g = balls_rock(12, 9, 3.2, 11), *turned = balls_box(12, 12, 12);
    const rill_dispersion_options o = options_of(1e-6, 2, (double[]){3, 20});
    float *u = velocities(g, 5, 1), *back = velocities(g, 5, -1),
          *other = malloc(3 * rill_geom_fluid(g) * sizeof *other);
    cr_assert_not_null(other);
    for (uint32_t v = 0; v < 12 * 12 * 12; v++) /* x, y, z become z, x, y */
        *balls_voxel(turned, v / 144, v % 12, v / 12 % 12) = g->voxels[v];
    const uint64_t nodes = rill_geom_fluid(g);
    uint64_t number[12 * 12 * 12], node = 0;
    for (uint32_t v = 0; v < 12 * 12 * 12; v++) number[v] = g->voxels[v] ? node++ : 0;
    node = 0;
    for (uint32_t v = 0; v < 12 * 12 * 12; v++) {
        if (!turned->voxels[v]) continue;
        const uint64_t from = number[v / 12 % 12 + 12 * (v / 144) + 144 * (v % 12)];
        for (uint64_t a = 0; a < 3; a++) other[(a + 1) % 3 * nodes + node] = u[a * nodes + from];
        node++;
    }
    rill_dispersion_options along = o;
    along.axis = X;
    const rill_dispersion r = compute(g, u, &o), b = compute(g, back, &o), t = compute(turned, other, &along);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const double size = r.points[k].d[Z][Z];
                cr_expect_float_eq(b.points[k].d[i][j] / size, r.points[k].d[i][j] / size, 1e-6);
                cr_expect_float_eq(t.points[k].d[(i + 1) % 3][(j + 1) % 3] / size, r.points[k].d[i][j] / size,
                                   1e-6);
            }
    cr_expect_gt(r.points[1].d[Z][Z], 1.2 * r.points[0].d[Z][Z]);
    cr_expect(r.divergence > 0.1 && r.correction > 0.1 && r.left < 1e-14);
    rill_geom_destroy(g);
    rill_geom_destroy(turned);
    free(u);
    free(back);
    free(other);
}

/* Bounds hold whatever the tolerance is, for every component. */
Test(dispersion, bounds)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        rill_geom *g = balls_rock(11, 9, 3, seed);
        float *u = velocities(g, seed, 1);
        const double peclet[] = {1, 30};
        const rill_dispersion_options fine = options_of(1e-8, 2, peclet);
        const rill_dispersion exact = compute(g, u, &fine);
        for (double tolerance = 0.5; tolerance > 1e-5; tolerance /= 10) {
            const rill_dispersion_options o = options_of(tolerance, 2, peclet);
            const rill_dispersion r = compute(g, u, &o);
            for (int k = 0; k < 2; k++)
                for (int i = 0; i < 9; i++) {
                    const rill_dispersion_point *p = &r.points[k], *e = &exact.points[k];
                    const double bound = p->bound[i / 3][i % 3] + e->bound[i / 3][i % 3];
                    cr_expect_leq(fabs(p->d[i / 3][i % 3] - e->d[i / 3][i % 3]), bound);
                    if (i % 4 == 0)
                        cr_expect_leq(p->bound[i / 3][i / 3], 1.3 * tolerance * p->d[i / 3][i / 3]);
                }
        }
        rill_geom_destroy(g);
        free(u);
    }
}

Test(dispersion, same_bits_for_any_number_of_threads)
{
    rill_geom *g = balls_rock(28, 20, 5, 3);
    float *u = velocities(g, 9, 1);
    const rill_dispersion_options o = options_of(1e-3, 2, (double[]){2, 40});
    rill_dispersion r[2];
    const int threads = omp_get_max_threads();
    cr_assert_gt(rill_geom_fluid(g), 2 * 4096);
    for (int k = 0; k < 2; k++) {
        omp_set_num_threads(k ? 3 : 1);
        r[k] = compute(g, u, &o);
    }
    omp_set_num_threads(threads);
    for (int k = 0; k < 2; k++) {
        cr_expect_eq(memcmp(r[0].points[k].d, r[1].points[k].d, sizeof r[0].points[k].d), 0);
        cr_expect_eq(memcmp(r[0].points[k].bound, r[1].points[k].bound, sizeof r[0].points[k].bound), 0);
    }
    cr_expect_eq(r[0].left, r[1].left);
    for (int k = 0; k < 2; k++) rill_dispersion_free(&r[k]);
    rill_geom_destroy(g);
    free(u);
}

static rill_status field_check(void *context, const rill_dispersion_field *field)
{
    int *calls = context;
    double sum = 0, b = 0;
    for (rill_node i = 0; i < field->nodes; i++) sum += field->velocity[i], b += field->b[Z][i];
    cr_expect_float_eq(sum / field->nodes, 1, 1e-9);
    cr_expect_float_eq(b / field->nodes, 0, 1e-9);
    cr_expect_eq(field->point, *calls);
    cr_expect_null(field->b[X]); /* mirrored */
    return ++*calls == 2 ? RILL_CANCELLED : RILL_OK;
}

Test(dispersion, fields_and_mirrors)
{
    rill_geom *g = balls_rock(12, 8, 3, 2), *copy;
    float *u = velocities(g, 1, 1);
    rill_dispersion_options o = options_of(1e-3, 3, (double[]){1, 5, 6});
    int calls = 0;
    rill_dispersion r;
    g->sides[X] = RILL_MIRROR;
    ASSERT_OK(rill_geom_copy(g, &copy));
    o.finished = field_check;
    o.context = &calls;
    cr_expect_eq(rill_dispersion_compute(copy, u, &o, &r), RILL_CANCELLED);
    cr_expect(calls == 2 && isnan(r.points[0].d[X][X]) && isnan(r.points[0].bound[X][Z]) &&
              r.points[0].d[Y][Y] > 0);
    rill_dispersion_free(&r);
    rill_geom_destroy(copy);
    rill_geom_destroy(g);
    free(u);
}

static void refused(rill_geom *g, const rill_dispersion_options *o, rill_status wanted, const char *why)
{
    float *u = velocities(g, 1, 1);
    rill_geom *copy;
    rill_dispersion r;
    ASSERT_OK(rill_geom_copy(g, &copy));
    cr_expect_eq(rill_dispersion_compute(copy, u, o, &r), wanted, "%s", why);
    cr_expect_not_null(strstr(rill_error_message(), why), "%s", rill_error_message());
    rill_dispersion_free(&r);
    rill_geom_destroy(copy);
    free(u);
}

Test(dispersion, refusals)
{
    rill_geom *g = balls_rock(8, 4, 2, 1);
    rill_dispersion_options o = options_of(1e-3, 1, (double[]){1e4});
    refused(g, &o, RILL_USAGE, "take Peclet numbers up to");
    o.peclet[0] = -1;
    refused(g, &o, RILL_USAGE, "a Peclet number of -1");
    o.peclet[0] = 30;
    o.tolerance = 1e-9;
    o.max_iterations = 2;
    refused(g, &o, RILL_NUMERICS, "could not be made free of divergence");
    o = options_of(1e-13, 1, (double[]){30});
    refused(g, &o, RILL_NUMERICS, "the tensor is not known to 1e-13 after");
    o = options_of(1e-3, 0, NULL);
    refused(g, &o, RILL_USAGE, "0 Peclet numbers");
    o = options_of(1e-3, 1, (double[]){1});
    g->sides[Z] = RILL_MIRROR;
    refused(g, &o, RILL_USAGE, "use --sides periodic");
    g->sides[Z] = RILL_PERIODIC;
    for (uint32_t v = 0; v < 512; v++) g->voxels[v] = v % 4 == 1;
    refused(g, &o, RILL_NUMERICS, "separate parts");
    for (uint32_t v = 0; v < 64; v++) g->voxels[v] = RILL_SOLID;
    refused(g, &o, RILL_NUMERICS, "nothing percolates along z through faces");
    rill_geom_destroy(g);
}

/* One number that is none says nothing of a flow: neither that nothing flows, nor a tensor. */
Test(dispersion, velocities_are_finite)
{
    rill_geom *g = balls_box(4, 4, 4);
    uint64_t nodes = rill_geom_fluid(g);
    float *u = velocities(g, 1, 1);
    const rill_dispersion_options o = options_of(1e-3, 1, (const double[]){1});
    rill_dispersion r;
    const float wrong[] = {NAN, INFINITY, -INFINITY};
    for (size_t k = 0; k < 3; k++) {
        const float before = u[nodes + 7];
        u[nodes + 7] = wrong[k];
        cr_expect_eq(rill_dispersion_compute(g, u, &o, &r), RILL_USAGE);
        cr_expect_not_null(strstr(rill_error_message(), "the velocity of node 7 along y is"), "%s",
                           rill_error_message());
        rill_dispersion_free(&r);
        u[nodes + 7] = before;
    }
    ASSERT_OK(rill_dispersion_compute(g, u, &o, &r));
    rill_dispersion_free(&r);
    free(u);
    rill_geom_destroy(g);
}
