/* SPDX-License-Identifier: Apache-2.0 */
/* Seeded geometries: packs, tubes, random fields, gyroids, noise. */
#include "geometry/voxels/components.h"
#include "geometry/generate/generate_priv.h"
#include "geometry/generate/generate_random.h"

#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static uint8_t at(const rill_geom *g, uint32_t x, uint32_t y, uint32_t z)
{
    return g->voxels[((uint64_t)(z % g->n[2]) * g->n[1] + y % g->n[1]) * g->n[0] + x % g->n[0]];
}

/** Return the share of voxels that are fluid together with the one `lag` further along an axis. */
static double two_point(const rill_geom *g, int axis, uint32_t lag)
{
    uint64_t both = 0;
    for (uint32_t z = 0; z < g->n[2]; z++)
        for (uint32_t y = 0; y < g->n[1]; y++)
            for (uint32_t x = 0; x < g->n[0]; x++)
                both += at(g, x, y, z) && at(g, x + (axis == 0 ? lag : 0), y + (axis == 1 ? lag : 0),
                                             z + (axis == 2 ? lag : 0));
    return (double)both / (double)rill_geom_voxels(g);
}

/** Return the share of voxels of the first layer along an axis that equal those of the last. */
static double agreement(const rill_geom *g, int axis, uint32_t one, uint32_t other)
{
    const uint32_t n = g->n[(axis + 1) % 3], m = g->n[(axis + 2) % 3];
    uint64_t same = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < m; j++) {
            uint32_t p[3], q[3];
            p[axis] = one, q[axis] = other;
            p[(axis + 1) % 3] = q[(axis + 1) % 3] = i;
            p[(axis + 2) % 3] = q[(axis + 2) % 3] = j;
            same += at(g, p[0], p[1], p[2]) == at(g, q[0], q[1], q[2]);
        }
    return (double)same / ((double)n * m);
}

Test(generate_random, splitmix64_gives_its_published_numbers)
{
    const uint64_t known[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                              UINT64_C(9817491932198370423), UINT64_C(4593380528125082431),
                              UINT64_C(16408922859458223821)};
    for (uint64_t i = 0; i < 5; i++) cr_expect_eq(rill_random_bits(1234567, i), known[i]);
    double sum = 0, square = 0;
    for (uint64_t i = 0; i < 100000; i++) {
        const double u = rill_random_unit(rill_random_stream(5, 1), i);
        cr_assert(u >= 0 && u < 1);
        sum += u, square += u * u;
    }
    cr_expect_float_eq(sum / 1e5, 0.5, 0.004); /* 4 standard deviations */
    cr_expect_float_eq(square / 1e5, 1.0 / 3, 0.004);
}

/* ---- packs ----------------------------------------------------------------------------------- */

static double image_distance(const rill_pack *p, const uint32_t n[3], uint64_t i, uint64_t j)
{
    double square = 0;
    for (int a = 0; a < 3; a++) {
        double d = fabs(p->spheres[i].centre[a] - p->spheres[j].centre[a]);
        d = fmin(d, n[a] - d);
        square += d * d;
    }
    return sqrt(square);
}

Test(generate_random, packs_do_not_overlap)
{
    const rill_pack_options cases[] = {
        {.n = {96, 96, 96}, .radius = 8, .porosity = 0.39, .seed = 3},
        {.n = {64, 48, 80}, .radius = 5.5, .spread = 0.4, .porosity = 0.42, .seed = 4},
        {.n = {40, 40, 20},
         .radius = 9.9,
         .porosity = 0.6,
         .seed = 5}, /* fewer than three cells along an axis */
        {.n = {64, 64, 64}, .radius = 4, .porosity = 0.8, .seed = 6},
        {.n = {64, 64, 64}, .radius = 4, .spread = 0.35, .porosity = 0.36, .seed = 7}, /* denser than equal */
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const rill_pack_options *o = &cases[c];
        rill_pack pack;
        rill_geom *g = NULL;
        cr_assert_eq(rill_pack_create(o, &pack), RILL_OK, "%s", rill_error_message());
        const double box = (double)o->n[0] * o->n[1] * o->n[2];
        double volume = 0, nearest = INFINITY, largest = 0;
        for (uint64_t i = 0; i < pack.count; i++) {
            volume += 4 * M_PI / 3 * pow(pack.spheres[i].radius, 3);
            largest = fmax(largest, pack.spheres[i].radius);
            for (int a = 0; a < 3; a++)
                cr_assert(pack.spheres[i].centre[a] >= 0 && pack.spheres[i].centre[a] < o->n[a]);
            for (uint64_t j = 0; j < i; j++)
                nearest = fmin(nearest, image_distance(&pack, o->n, i, j) /
                                            (pack.spheres[i].radius + pack.spheres[j].radius));
        }
        cr_expect_geq(nearest, 1 - 1e-12, "case %zu", c);
        cr_expect_leq(nearest, 1.2, "case %zu", c);
        cr_expect_float_eq(1 - volume / box, o->porosity, 4 * M_PI / 3 * pow(largest, 3) / box);
        cr_assert_eq(rill_generate_pack(o, &pack, NULL, &g), RILL_OK, "%s", rill_error_message());
        cr_expect_float_eq(g->porosity.total, 1 - volume / box, 0.003, "case %zu", c);
        rill_geom_destroy(g);
        rill_pack_destroy(&pack);
    }
}

Test(generate_random, packs_equal_brute_force)
{
    const rill_pack_options o = {
        .n = {40, 31, 52}, .radius = 6, .spread = 0.3, .porosity = 0.3, .overlap = true, .seed = 9};
    rill_pack pack;
    rill_geom *g = NULL;
    cr_assert_eq(rill_pack_create(&o, &pack), RILL_OK);
    cr_assert_eq(rill_generate_pack(&o, &pack, NULL, &g), RILL_OK);
    uint64_t wrong = 0;
    for (uint32_t z = 0; z < o.n[2]; z++)
        for (uint32_t y = 0; y < o.n[1]; y++)
            for (uint32_t x = 0; x < o.n[0]; x++) {
                const double p[3] = {x + 0.5, y + 0.5, z + 0.5};
                bool solid = false;
                for (uint64_t s = 0; s < pack.count; s++) {
                    double square = 0;
                    for (int a = 0; a < 3; a++)
                        square += pow(remainder(p[a] - pack.spheres[s].centre[a], o.n[a]), 2);
                    solid |= square <= pack.spheres[s].radius * pack.spheres[s].radius;
                }
                wrong += at(g, x, y, z) != (solid ? RILL_SOLID : RILL_FLUID);
            }
    cr_expect_eq(wrong, 0);
    rill_geom_destroy(g);
    rill_pack_destroy(&pack);
}

/* ---- river beds ------------------------------------------------------------------------------ */

/* Whether a place lies within a sphere of the pack, lifted by `up`, periodically along x and y. */
static bool within(const rill_pack *pack, const uint32_t n[3], const double p[3], double up)
{
    for (uint64_t s = 0; s < pack->count; s++) {
        const rill_sphere *ball = &pack->spheres[s];
        const double dx = remainder(p[0] - ball->centre[0], n[0]), dz = p[2] - ball->centre[2] - up;
        const double dy = remainder(p[1] - ball->centre[1], n[1]);
        if (dx * dx + dy * dy + dz * dz <= ball->radius * ball->radius) return true;
    }
    return false;
}

Test(generate_random, riverbeds_are_whole_spheres_on_a_cut_floor)
{
    const rill_riverbed_options o = {
        .n = {60, 47, 70}, .height = 33, .radius = 5, .spread = 0.3, .porosity = 0.4, .seed = 2};
    const rill_pack_options bed = {.n = {60, 47, 33}, .radius = 5, .spread = 0.3, .porosity = 0.4, .seed = 2};
    rill_pack pack;
    rill_geom *g = NULL;
    cr_assert_eq(rill_pack_create(&bed, &pack), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_generate_riverbed(&o, &g, NULL), RILL_OK, "%s", rill_error_message());
    uint64_t wrong = 0, above = 0;
    for (uint32_t z = 0; z < o.n[2]; z++)
        for (uint32_t y = 0; y < o.n[1]; y++)
            for (uint32_t x = 0; x < o.n[0]; x++) {
                const double p[3] = {x + 0.5, y + 0.5, z + 0.5};
                const bool below = z < 10 && within(&pack, o.n, p, 1 - 33.0); /* images at the floor */
                const bool solid = z == 0 || within(&pack, o.n, p, 1) || below;
                wrong += at(g, x, y, z) != (solid ? RILL_SOLID : RILL_FLUID);
                above += z >= 34 && solid;
            }
    cr_expect_eq(wrong, 0);
    cr_expect_gt(above, 0); /* spheres rise over the mean height */
    rill_geom_destroy(g);
    rill_pack_destroy(&pack);
}

Test(generate_random, riverbeds_have_their_porosity)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        rill_riverbed_options o = rill_riverbed_options_default();
        rill_riverbed bed;
        rill_geom *g = NULL;
        o.radius = 5;
        o.seed = seed;
        cr_assert_eq(rill_generate_riverbed(&o, &g, &bed), RILL_OK, "%s", rill_error_message());
        cr_expect_eq(bed.height, 64);
        cr_expect_float_eq(bed.porosity, 0.37, 0.005, "%g", bed.porosity);
        cr_expect_float_eq(g->porosity.total, (64 * 0.37 + 63) / 128, 0.005, "%g", g->porosity.total);
        rill_geom_destroy(g);
    }
}

/* Nothing floats over the bed: nearly every sphere at the surface has another one close below. */
Test(generate_random, spheres_of_a_riverbed_lie_on_others)
{
    const rill_pack_options o = {
        .n = {128, 128, 64}, .radius = 5, .spread = 0.2, .porosity = 0.38, .seed = 1};
    rill_pack pack;
    uint64_t top = 0, lie = 0;
    cr_assert_eq(rill_pack_create(&o, &pack), RILL_OK, "%s", rill_error_message());
    for (uint64_t i = 0; i < pack.count; i++) {
        const rill_sphere *a = &pack.spheres[i];
        bool on = false;
        if (a->centre[2] < 64 - 2 * a->radius) continue;
        for (uint64_t j = 0; j < pack.count; j++) {
            const rill_sphere *b = &pack.spheres[j];
            const double dx = remainder(a->centre[0] - b->centre[0], 128), dz = a->centre[2] - b->centre[2];
            const double dy = remainder(a->centre[1] - b->centre[1], 128),
                         reach = 1.05 * (a->radius + b->radius);
            on |= dz > 0 && dx * dx + dy * dy + dz * dz < reach * reach;
        }
        top++;
        lie += on;
    }
    cr_expect_gt(top, 100);
    cr_expect_geq((double)lie, 0.97 * (double)top, "%g of %g", (double)lie, (double)top);
    rill_pack_destroy(&pack);
}

Test(generate_random, overlapping_packs_have_the_porosity_on_average)
{
    enum { packs = 40 };
    rill_pack_options o = {.n = {64, 64, 64}, .radius = 6, .porosity = 0.35, .overlap = true};
    double sum = 0, square = 0, expected = 0;
    for (o.seed = 0; o.seed < packs; o.seed++) {
        rill_pack pack;
        rill_geom *g = NULL;
        cr_assert_eq(rill_pack_create(&o, &pack), RILL_OK);
        cr_assert_eq(rill_generate_pack(&o, &pack, NULL, &g), RILL_OK);
        expected = pow(1 - 4 * M_PI / 3 * 216 / (64.0 * 64 * 64), (double)pack.count);
        sum += g->porosity.total, square += g->porosity.total * g->porosity.total;
        rill_geom_destroy(g);
        rill_pack_destroy(&pack);
    }
    const double mean = sum / packs, deviation = sqrt(square / packs - mean * mean);
    cr_expect_float_eq(expected, 0.35, 0.35 * 2 * M_PI / 3 * 216 / (64.0 * 64 * 64)); /* nearest count */
    cr_expect_float_eq(mean, expected, 4 * deviation / sqrt(packs));
    cr_expect_gt(deviation, 0.001);
}

Test(generate_random, radii_spread_as_said)
{
    const rill_pack_options o = {
        .n = {200, 200, 200}, .radius = 4, .spread = 0.25, .porosity = 0.2, .overlap = true, .seed = 2};
    rill_pack pack;
    cr_assert_eq(rill_pack_create(&o, &pack), RILL_OK);
    double sum = 0, square = 0;
    for (uint64_t i = 0; i < pack.count; i++) {
        sum += pack.spheres[i].radius;
        square += pack.spheres[i].radius * pack.spheres[i].radius;
    }
    const double n = (double)pack.count, mean = sum / n;
    cr_assert_gt(n, 10000);
    cr_expect_float_eq(mean, 4, 0.04);
    cr_expect_float_eq(sqrt(square / n - mean * mean), 1, 0.02);
    rill_pack_destroy(&pack);
}

/* ---- tubes ----------------------------------------------------------------------------------- */

Test(generate_random, tubes_run_through_along_their_axis)
{
    for (int axis = 0; axis < 3; axis++) {
        const rill_tubes_options o = {
            .n = {60, 70, 80}, .count = 3, .radius = 5, .axis = axis, .waviness = 12, .knots = 5, .seed = 7};
        rill_geom *g = NULL;
        rill_components found;
        cr_assert_eq(rill_generate_tubes(&o, &g), RILL_OK, "%s", rill_error_message());
        cr_assert_eq(
            rill_components_clean(g, RILL_KEEP_ALL, -1, RILL_CONTACT_FACES, (rill_progress){0}, &found),
            RILL_OK);
        cr_expect_float_eq(found.porosity.percolating[axis], g->porosity.total, 1e-12);
        cr_expect_leq(found.components, 3);
        cr_expect_gt(agreement(g, axis, 0, g->n[axis] - 1), 0.97); /* no jump at the seam */
        rill_geom_destroy(g);
    }
}

Test(generate_random, straight_tubes_are_round)
{
    const rill_tubes_options o = {
        .n = {64, 64, 16}, .count = 1, .radius = 10.3, .axis = 2, .knots = 4, .seed = 8};
    rill_geom *g = NULL;
    cr_assert_eq(rill_generate_tubes(&o, &g), RILL_OK);
    for (uint32_t z = 1; z < 16; z++) cr_expect_eq(agreement(g, 2, 0, z), 1);
    cr_expect_float_eq(g->porosity.total, M_PI * 10.3 * 10.3 / 64 / 64, 0.001);
    rill_geom_destroy(g);
}

/* ---- level sets ------------------------------------------------------------------------------ */

Test(generate_random, random_fields_meet_the_porosity_to_the_voxel)
{
    const double porosities[] = {0.05, 0.5, 0.87654321};
    for (int i = 0; i < 3; i++) {
        const rill_grf_options o = {
            .n = {61, 50, 43}, .correlation = 4.5, .porosity = porosities[i], .seed = 4};
        rill_geom *g = NULL;
        cr_assert_eq(rill_generate_grf(&o, &g), RILL_OK, "%s", rill_error_message());
        cr_expect_eq(rill_geom_fluid(g), (uint64_t)llround(porosities[i] * 61 * 50 * 43));
        rill_geom_destroy(g);
    }
}

static void eighths(const void *context, uint32_t y, uint32_t z, uint32_t *keys)
{
    const uint32_t *n = context;
    for (uint32_t x = 0; x < n[0]; x++)
        keys[x] = 0xfff0 + (x + y + z) % 8 * 8; /* across the halves of a key */
}

/* An eighth of the voxels at each of eight levels: 0.55 of them end within the fifth. */
Test(generate_random, levels_split_ties_or_keep_them)
{
    const uint32_t n[3] = {64, 16, 8};
    for (int split = 0; split < 2; split++)
        for (int part = 1; part < 16; part++) {
            const double porosity =
                (part + 0.2) / 16; /* without a split, part / 16 rounded to eighths, never all */
            rill_geom *g = NULL;
            cr_assert_eq(rill_geom_create(n, &g), RILL_OK);
            cr_assert_eq(rill_generate_threshold(g, porosity, split, eighths, n), RILL_OK, "%s",
                         rill_error_message());
            const double whole = 1024 * fmin(round(porosity * 8), 7), exact = round(8192 * porosity);
            cr_expect_eq((double)rill_geom_fluid(g), split ? exact : whole, "part %d: %g", part,
                         (double)rill_geom_fluid(g));
            uint64_t wrong = 0; /* nothing above the level of the last fluid voxel is fluid */
            for (uint64_t v = 0; v < 8192; v++)
                wrong += g->voxels[v] && (v % 64 + v / 64 % 16 + v / 1024) % 8 >= ceil(porosity * 8);
            cr_expect_eq(wrong, 0);
            rill_geom_destroy(g);
        }
}

/* At porosity 1/2 the two-point correlation is 1/4 + asin(rho) / 2 pi (Sheppard 1899), rho = exp(-r^2/L^2).
 */
Test(generate_random, random_fields_are_isotropic_and_periodic)
{
    const double length = 6;
    const rill_grf_options o = {.n = {128, 128, 128}, .correlation = length, .porosity = 0.5, .seed = 11};
    rill_geom *g = NULL;
    cr_assert_eq(rill_generate_grf(&o, &g), RILL_OK, "%s", rill_error_message());
    for (uint32_t lag = 1; lag <= 10; lag += 3)
        for (int axis = 0; axis < 3; axis++) {
            const double rho = exp(-(double)lag * lag / length / length);
            cr_expect_float_eq(two_point(g, axis, lag), 0.25 + asin(rho) / 2 / M_PI, 0.008, "lag %u axis %d",
                               lag, axis);
        }
    for (int axis = 0; axis < 3; axis++)
        cr_expect_float_eq(agreement(g, axis, 0, 127), agreement(g, axis, 63, 64), 0.03);
    rill_geom_destroy(g);
}

Test(generate_random, random_fields_may_be_flat)
{
    const rill_grf_options o = {.n = {100, 1, 90}, .correlation = 3, .porosity = 0.4, .seed = 11};
    rill_geom *g = NULL;
    cr_assert_eq(rill_generate_grf(&o, &g), RILL_OK, "%s", rill_error_message());
    cr_expect_eq(rill_geom_fluid(g), 3600);
    rill_geom_destroy(g);
}

Test(generate_random, gyroids_have_their_symmetries)
{
    const double porosities[] = {0.5, 0.37};
    for (int i = 0; i < 2; i++) {
        rill_gyroid_options o = {.cells = 48, .periods = 1, .porosity = porosities[i]};
        rill_geom *g = NULL, *two = NULL;
        cr_assert_eq(rill_generate_gyroid(&o, &g), RILL_OK, "%s", rill_error_message());
        o.cells = 96, o.periods = 2;
        cr_assert_eq(rill_generate_gyroid(&o, &two), RILL_OK, "%s", rill_error_message());
        cr_expect_float_eq(g->porosity.total, porosities[i], 96.0 / 48 / 48 / 48);
        uint64_t wrong = 0, inverted = 0;
        for (uint32_t z = 0; z < 48; z++)
            for (uint32_t y = 0; y < 48; y++)
                for (uint32_t x = 0; x < 48; x++) {
                    const uint8_t v = at(g, x, y, z);
                    wrong += v != at(g, y, z, x);                /* cyclic */
                    wrong += v != at(two, x + 48, y, z + 48);    /* two periods are two copies */
                    wrong += v != at(g, x + 24, 71 - y, 47 - z); /* screw axis: (1/2 + x, 1/2 - y, -z) */
                    inverted += v == at(g, 47 - x, 47 - y, 47 - z);
                }
        cr_expect_eq(wrong, 0);
        if (i == 0) cr_expect_eq(inverted, 0); /* at 1/2 the point reflection swaps pore and solid */
        rill_geom_destroy(two);
        rill_geom_destroy(g);
    }
}

/* The surface against the libm's sines: only voxels within rounding of the level may differ. */
Test(generate_random, gyroids_equal_their_formula)
{
    const rill_gyroid_options o = {.cells = 50, .periods = 3, .porosity = 0.6};
    rill_geom *g = NULL;
    cr_assert_eq(rill_generate_gyroid(&o, &g), RILL_OK, "%s", rill_error_message());
    double highest_fluid = -2, lowest_solid = 2;
    for (uint32_t z = 0; z < 50; z++)
        for (uint32_t y = 0; y < 50; y++)
            for (uint32_t x = 0; x < 50; x++) {
                const double k = 2 * M_PI * 3 / 50, a = k * (x + 0.5), b = k * (y + 0.5), c = k * (z + 0.5);
                const double value = sin(a) * cos(b) + sin(b) * cos(c) + sin(c) * cos(a);
                if (at(g, x, y, z))
                    highest_fluid = fmax(highest_fluid, value);
                else
                    lowest_solid = fmin(lowest_solid, value);
            }
    cr_expect_lt(highest_fluid, lowest_solid + 4e-9);
    rill_geom_destroy(g);
}

Test(generate_random, noise_has_its_porosity)
{
    const double porosities[] = {0, 0.1, 0.5, 1};
    for (int i = 0; i < 4; i++) {
        const double p = porosities[i];
        const rill_noise_options o = {.n = {64, 64, 64}, .porosity = p, .seed = 1};
        rill_geom *g = NULL;
        cr_assert_eq(rill_generate_noise(&o, &g), RILL_OK);
        cr_expect_float_eq(g->porosity.total, p, 4 * sqrt(p * (1 - p) / 262144) + 1e-15);
        for (int axis = 0; axis < 3; axis++) cr_expect_float_eq(two_point(g, axis, 1), p * p, 0.004);
        rill_geom_destroy(g);
    }
}

/* ---- the same on every machine --------------------------------------------------------------- */

static rill_status pack(uint64_t seed, bool overlap, rill_geom **out)
{
    const rill_pack_options o = {
        .n = {96, 96, 96}, .radius = 2.5, .spread = 0.1, .porosity = 0.6, .overlap = overlap, .seed = seed};
    rill_pack spheres;
    rill_status status = rill_pack_create(&o, &spheres);
    if (status != RILL_OK) return status;
    cr_expect_gt(spheres.count, 4096); /* so many that threads share the work */
    status = rill_generate_pack(&o, &spheres, NULL, out);
    rill_pack_destroy(&spheres);
    return status;
}

static rill_status make(int kind, uint64_t seed, rill_geom **out)
{
    const rill_tubes_options tubes = {
        .n = {64, 64, 64}, .count = 5, .radius = 4, .axis = 1, .waviness = 9, .knots = 6, .seed = seed};
    const rill_grf_options grf = {.n = {64, 72, 80}, .correlation = 5, .porosity = 0.3, .seed = seed};
    const rill_noise_options noise = {.n = {64, 64, 64}, .porosity = 0.3, .seed = seed};
    const rill_gyroid_options gyroid = {.cells = 60, .periods = 2, .porosity = 0.3 + 0.1 * (double)seed};
    const rill_riverbed_options bed = {
        .n = {64, 72, 80}, .radius = 4, .spread = 0.2, .porosity = 0.4, .seed = seed};
    switch (kind) {
    case 0:
        return pack(seed, false, out);
    case 1:
        return pack(seed, true, out);
    case 2:
        return rill_generate_tubes(&tubes, out);
    case 3:
        return rill_generate_grf(&grf, out);
    case 4:
        return rill_generate_noise(&noise, out);
    case 5:
        return rill_generate_gyroid(&gyroid, out);
    default:
        return rill_generate_riverbed(&bed, out, NULL);
    }
}

/** Return the FNV-1a hash of the voxels. */
static uint64_t hash(const rill_geom *g)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (uint64_t v = 0; v < rill_geom_voxels(g); v++) h = (h ^ g->voxels[v]) * UINT64_C(0x100000001b3);
    return h;
}

/* The hashes pin the promise of the header: other compilers, machines and releases make the same voxels. */
Test(generate_random, voxels_depend_on_the_seed_alone)
{
    const uint64_t pinned[] = {UINT64_C(0x492b163ad0ed620d), UINT64_C(0x294067bd676af25d),
                               UINT64_C(0x73fa386ff6453fb9), UINT64_C(0x19e74e113e851a65),
                               UINT64_C(0x511d7ed5e67a361a), UINT64_C(0x8bb834045c9ddda5),
                               UINT64_C(0xb8095fedaaa66e3d)};
    for (int kind = 0; kind < (int)(sizeof pinned / sizeof *pinned); kind++) {
        uint64_t first = 0;
        for (int threads = 1; threads <= 3; threads++) {
            rill_geom *g = NULL;
            omp_set_num_threads(threads);
            cr_assert_eq(make(kind, 1, &g), RILL_OK, "%s", rill_error_message());
            if (threads == 1) first = hash(g);
            cr_expect_eq(hash(g), first, "kind %d, %d threads", kind, threads);
            rill_geom_destroy(g);
        }
        cr_expect_eq(first, pinned[kind], "kind %d: 0x%016llx", kind, (unsigned long long)first);
        rill_geom *other = NULL;
        cr_assert_eq(make(kind, 2, &other), RILL_OK, "%s", rill_error_message());
        cr_expect_neq(hash(other), first, "kind %d", kind);
        rill_geom_destroy(other);
    }
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void expect_refusal(rill_status status, const char *part)
{
    cr_expect_eq(status, RILL_USAGE, "%s", part);
    cr_expect_not_null(strstr(rill_error_message(), part), "\"%s\" does not say \"%s\"", rill_error_message(),
                       part);
}

Test(generate_random, refuse_wrong_options)
{
    rill_geom *g = NULL;
    rill_pack p;
#define PACK(...) rill_pack_create(&(rill_pack_options){__VA_ARGS__}, &p)
#define TUBES(...) rill_generate_tubes(&(rill_tubes_options){__VA_ARGS__}, &g)
    expect_refusal(PACK(.n = {64, 64, 64}, .radius = 5, .porosity = 0.3), "below 0.38");
    expect_refusal(PACK(.n = {64, 64, 64}, .radius = 5, .porosity = 1), "not between 0 and 1");
    expect_refusal(PACK(.n = {64, 64, 64}, .radius = 5, .porosity = NAN), "nan");
    expect_refusal(PACK(.n = {64, 64, 64}, .radius = NAN, .porosity = 0.5), "nan");
    expect_refusal(PACK(.n = {64, 64, 20}, .radius = 11, .porosity = 0.5), "their own images");
    expect_refusal(PACK(.n = {64, 64, 20}, .radius = 6, .spread = 0.5, .porosity = 0.5), "their own images");
    expect_refusal(PACK(.n = {64, 64, 64}, .radius = 6, .spread = 0.6, .porosity = 0.5), "0 ... 0.5");
    expect_refusal(PACK(.n = {64, 64, 64}, .radius = 30, .porosity = 0.95), "more volume");
    expect_refusal(PACK(.n = {8000, 8000, 8000}, .radius = 0.5, .porosity = 0.5), "more than 1e+08");
    expect_refusal(PACK(.n = {64, 64, 64}, .radius = 5, .spread = 0.3, .porosity = 0.35), "below 0.3603");
    expect_refusal(TUBES(.n = {64, 64, 64}, .count = 0, .radius = 4, .knots = 4), "0 tubes");
    expect_refusal(TUBES(.n = {64, 64, 64}, .count = 1, .radius = 40, .knots = 4), "half the width");
    expect_refusal(TUBES(.n = {64, 64, 64}, .count = 1, .radius = NAN, .knots = 4), "nan");
    expect_refusal(TUBES(.n = {64, 64, 64}, .count = 1, .radius = 4, .knots = 3), "3 knots");
    expect_refusal(TUBES(.n = {64, 64, 64}, .count = 1, .radius = 4, .knots = 4, .waviness = -1),
                   "waviness of -1");
    expect_refusal(TUBES(.n = {64, 64, 64}, .count = 1, .radius = 4, .knots = 4, .axis = 3), "not an axis");
    expect_refusal(TUBES(.n = {64, 0, 64}, .count = 1, .radius = 4, .knots = 4), "empty");
#define BED(...) rill_generate_riverbed(&(rill_riverbed_options){__VA_ARGS__}, &g, NULL)
    expect_refusal(BED(.n = {64, 64, 64}, .radius = 5, .porosity = 0.4, .height = 59), "lower --height");
    expect_refusal(BED(.n = {64, 64, 1}, .radius = 5, .porosity = 0.4), "raise --size");
    expect_refusal(BED(.n = {64, 64, 64}, .radius = NAN, .porosity = 0.4), "nan");
    expect_refusal(BED(.n = {64, 64, 64}, .radius = 5, .porosity = 0.4, .height = UINT32_MAX), "4294967295");
    expect_refusal(BED(.n = {64, 64, 64}, .radius = 5, .porosity = 0.3), "below 0.38");
    expect_refusal(BED(.n = {64, 64, 64}, .radius = 10, .porosity = 0.5, .height = 18), "their own images");
#define GRF(...) rill_generate_grf(&(rill_grf_options){__VA_ARGS__}, &g)
    expect_refusal(GRF(.n = {64, 64, 64}, .correlation = 17, .porosity = 0.5), "1 ... 16");
    expect_refusal(GRF(.n = {64, 64, 64}, .correlation = NAN, .porosity = 0.5), "nan");
    expect_refusal(GRF(.n = {64, 64, 64}, .correlation = 4, .porosity = 0), "not between 0 and 1");
    expect_refusal(GRF(.n = {8, 8, 8}, .correlation = 2, .porosity = 1e-4), "no fluid voxel");
    expect_refusal(
        rill_generate_gyroid(&(rill_gyroid_options){.cells = 16, .periods = 5, .porosity = 0.5}, &g),
        "1 ... 4");
    expect_refusal(rill_generate_gyroid(&(rill_gyroid_options){.cells = 16, .periods = 1, .porosity = 2}, &g),
                   "2");
    expect_refusal(rill_generate_noise(&(rill_noise_options){.n = {4, 4, 4}, .porosity = NAN}, &g), "nan");
    cr_expect_null(g);
}

Test(generate_random, refuse_without_memory)
{
    rill_geom *g = NULL;
    rill_pack p;
    setenv("RILL_MEMORY", "1MiB", 1);
    const rill_pack_options large = {.n = {512, 512, 512}, .radius = 4, .porosity = 0.5};
    const rill_grf_options field = {.n = {90, 90, 90}, .correlation = 4, .porosity = 0.5};
    const rill_gyroid_options gyroid = {.cells = 512, .periods = 4, .porosity = 0.5};
    cr_expect_eq(rill_pack_create(&large, &p), RILL_SYSTEM);
    cr_expect_eq(rill_generate_grf(&field, &g), RILL_SYSTEM);
    cr_expect_eq(rill_generate_gyroid(&gyroid, &g), RILL_SYSTEM);
    cr_expect_eq(rill_generate_box((const uint32_t[3]){1024, 1024, 1024}, &g), RILL_SYSTEM);
    cr_expect_null(g);
}
