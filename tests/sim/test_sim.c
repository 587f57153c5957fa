/* SPDX-License-Identifier: Apache-2.0 */
/* The simulation itself: start, streaming schemes, sides, moments, determinism, refusals; then its viscosity.
 */
#include "backends.h"
#include "geometry/generate/generate.h"
#include "core/memory.h"
#include "sim/sim.h"
#include "kernel/variant.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Loop over the variants built ahead of time that store 32 bits or more; other formats have other tolerances,
 * and tests of their own. */
#define FOR_EACH_VARIANT(k)                                                                                  \
    for (int k = 0; k < rill_variant_count(); k++)                                                           \
        if (rill_variant_at(k).storage == RILL_FP32 || rill_variant_at(k).storage == RILL_FP64)

static rill_geom *noise(uint32_t nx, uint32_t ny, uint32_t nz, unsigned seed)
{
    const uint32_t n[3] = {nx, ny, nz};
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create(n, &geom));
    srand(seed);
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) geom->voxels[v] = rand() % 10 < 7;
    return geom;
}

typedef struct state {
    rill_domain *domain;
    rill_sim *sim;
    rill_node nodes;
    double *rho, *u; /* [nodes], [3][nodes] */
} state;

static state start(const rill_geom *geom, const rill_sim_options *options)
{
    state s = {0};
    const rill_domain_options domain_options = {options->variant.lattice, 2};
    ASSERT_OK(rill_domain_create(geom, &domain_options, &s.domain));
    ASSERT_OK(rill_sim_create(s.domain, options, &s.sim));
    s.nodes = rill_domain_nodes(s.domain);
    s.rho = calloc(4 * (size_t)s.nodes, sizeof *s.rho);
    s.u = s.rho + s.nodes;
    return s;
}

static void advance(state *s, uint64_t steps)
{
    ASSERT_OK(rill_sim_step(s->sim, steps));
    ASSERT_OK(rill_sim_moments(s->sim, 0, s->nodes, s->rho, s->u));
}

static void stop(state *s)
{
    rill_sim_destroy(s->sim);
    rill_domain_destroy(s->domain);
    free(s->rho);
}

static double difference(const state *a, const state *b)
{
    double largest = 0;
    for (size_t k = 0; k < 4 * (size_t)a->nodes; k++) largest = fmax(largest, fabs(a->rho[k] - b->rho[k]));
    return largest;
}

static rill_sim_options options_of(rill_variant variant, rill_backend_kind backend)
{
    rill_sim_options options = rill_sim_options_default();
    options.variant = variant;
    options.on.backend = backend;
    options.tau = variant.stream == RILL_MACROSCOPIC ? 1 : 0.9;
    if (variant.stream == RILL_MACROSCOPIC) options.magic = 0.25;
    options.force[0] = 1e-5;
    options.force[2] = 3e-5;
    return options;
}

/* Without walls a force moves everything alike: rho u = F t from the first step on, no alternating mode. */
Test(sim, starts_without_a_staggered_mode)
{
    const uint32_t n[3] = {5, 4, 3};
    rill_geom *geom = NULL;
    ASSERT_OK(rill_generate_box(n, &geom));
    FOR_EACH_BACKEND(backend)
    FOR_EACH_VARIANT(k)
    {
        const rill_sim_options options = options_of(rill_variant_at(k), backend);
        state s = start(geom, &options);
        const double epsilon = options.variant.storage == RILL_FP64 ? 1e-15 : 1e-9;
        for (int t = 0; t < 7; t++) {
            rill_totals totals;
            ASSERT_OK(rill_sim_totals(s.sim, &totals));
            for (int a = 0; a < 3; a++)
                cr_expect_float_eq(totals.momentum[a] / s.nodes, t * options.force[a], epsilon,
                                   "variant %d on backend %d, step %d, axis %d: %.12g", k, backend, t, a,
                                   totals.momentum[a] / s.nodes);
            ASSERT_OK(rill_sim_step(s.sim, 1));
        }
        stop(&s);
    }
    rill_geom_destroy(geom);
}

/* Every variant against the CPU's pull list in fp64 of the same physics, through odd and even steps. */
Test(sim, schemes_agree)
{
    rill_geom *geom = noise(19, 7, 5, 1);
    geom->sides[1] = RILL_WALL;
    double scale = 0;
    FOR_EACH_BACKEND(backend)
    FOR_EACH_VARIANT(k)
    {
        const rill_sim_options options = options_of(rill_variant_at(k), backend);
        rill_sim_options plain = options;
        plain.on.backend = RILL_BACKEND_CPU;
        plain.variant.stream = RILL_PULL;
        plain.variant.storage = RILL_FP64;
        state s = start(geom, &options), reference = start(geom, &plain);
        const double epsilon = options.variant.storage == RILL_FP64 ? 1e-15 : 2e-8;
        for (int round = 0; round < 3; round++) {
            advance(&s, 17);
            advance(&reference, 17);
            for (size_t i = 0; i < 3 * (size_t)s.nodes; i++) scale = fmax(scale, fabs(reference.u[i]));
            cr_expect_lt(difference(&s, &reference), epsilon, "variant %d on backend %d: %.3g apart", k,
                         backend, difference(&s, &reference));
        }
        rill_totals totals;
        ASSERT_OK(rill_sim_totals(s.sim, &totals));
        cr_expect_lt(fabs(totals.mass), (options.variant.storage == RILL_FP64 ? 1e-14 : 1e-6) * s.nodes,
                     "mass %.3g", totals.mass);
        stop(&s);
        stop(&reference);
    }
    cr_expect_gt(scale, 1e-5, "the flow must be far above the differences: %.3g", scale);
    rill_geom_destroy(geom);
}

/* A bitmap does not look at the places of nodes that are cells side by side, and gives the flow of a list. */
Test(sim, bitmaps_find_nodes_in_runs)
{
    const uint32_t n[3] = {70, 6, 5};
    rill_geom *geom = NULL;
    int compared = 0;
    ASSERT_OK(rill_geom_create(n, &geom));
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    for (uint64_t v = 61; v < rill_geom_voxels(geom); v += 397) geom->voxels[v] = RILL_SOLID;
    FOR_EACH_BACKEND(backend)
    for (int stream = 0; stream < RILL_MACROSCOPIC; stream++) { /* which does not look at them */
        const rill_variant v = {.collision = RILL_TRT,
                                .equilibrium = RILL_STOKES,
                                .stream = (rill_stream)stream,
                                .addressing = RILL_BITMAP};
        if (rill_variant_check(v) != RILL_OK) continue;
        const rill_sim_options options = options_of(v, backend);
        rill_sim_options plain = options;
        plain.on.backend = RILL_BACKEND_CPU;
        plain.variant.stream = RILL_PULL;
        plain.variant.addressing = RILL_LIST;
        state s = start(geom, &options), reference = start(geom, &plain);
        advance(&s, 41);
        advance(&reference, 41);
        double largest = 0;
        for (size_t i = 0; i < 3 * (size_t)s.nodes; i++) largest = fmax(largest, fabs(reference.u[i]));
        cr_expect_gt(largest, 1e-4);
        cr_expect_lt(difference(&s, &reference), 1e-7, "stream %d on backend %d: %.3g apart", stream, backend,
                     difference(&s, &reference));
        compared++;
        stop(&s);
        stop(&reference);
    }
    cr_expect_geq(compared, 5);
    rill_geom_destroy(geom);
}

/* The same few planes again and again, so many times that a GPU with the memory must count populations in 64
 * bits: the flow is that of these planes, bit for bit. */
Test(sim, offsets_beyond_32_bits)
{
    enum { edge = 64, planes = 4, window = 5000 };
    const uint64_t wanted = UINT64_C(30) << 30, limit = (UINT64_C(1) << 32) / 19;
    rill_geom *cell = noise(edge, edge, planes, 3);
    FOR_EACH_BACKEND(device)
    for (int k = 0; k < 3; k++) {
        const rill_variant v = {.collision = RILL_TRT,
                                .equilibrium = RILL_STOKES,
                                .stream = (const rill_stream[]){RILL_PULL, RILL_AA, RILL_RING}[k],
                                .addressing = RILL_BITMAP,
                                .storage = RILL_FP16S};
        const rill_sim_options options = options_of(v, device);
        rill_device *found;
        uint64_t available, host;
        ASSERT_OK(rill_device_create(device, 0, &found));
        ASSERT_OK(rill_device_available(found, &available));
        ASSERT_OK(rill_memory_available(&host));
        state s = start(cell, &options);
        const bool large = !found->backend->host && available > wanted && host > wanted / 4;
        rill_device_destroy(found);
        const uint32_t times = large ? (uint32_t)(limit / s.nodes) + 100 : 5;
        const uint32_t n[3] = {edge, edge, planes * times};
        rill_geom *geom = NULL;
        ASSERT_OK(rill_geom_create(n, &geom));
        for (uint32_t t = 0; t < times; t++)
            memcpy(geom->voxels + t * rill_geom_voxels(cell), cell->voxels, rill_geom_voxels(cell));
        rill_domain *domain;
        rill_sim *sim;
        const rill_domain_options domain_options = {v.lattice, 2};
        ASSERT_OK(rill_domain_create(geom, &domain_options, &domain));
        rill_geom_destroy(geom);
        ASSERT_OK(rill_sim_create(domain, &options, &sim));
        const uint64_t nodes = rill_domain_nodes(domain);
        cr_expect(!large || nodes > limit);
        advance(&s, 7);
        ASSERT_OK(rill_sim_step(sim, 7));
        double rho[window], u[3 * window], largest = 0;
        const uint64_t firsts[] = {0, nodes / 3, large ? limit - window / 2 : nodes / 2, nodes - window};
        for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++) {
            ASSERT_OK(rill_sim_moments(sim, (rill_node)firsts[f], window, rho, u));
            uint64_t wrong = 0;
            for (uint64_t i = 0; i < window; i++) {
                const uint64_t at = (firsts[f] + i) % s.nodes;
                wrong += rho[i] != s.rho[at];
                for (int a = 0; a < 3; a++) wrong += u[a * window + i] != s.u[a * (uint64_t)s.nodes + at];
                largest = fmax(largest, fabs(u[2 * window + i]));
            }
            cr_expect_eq(wrong, 0, "stream %d from node %llu of %llu: %llu wrong", v.stream,
                         (unsigned long long)firsts[f], (unsigned long long)nodes, (unsigned long long)wrong);
        }
        cr_expect_gt(largest, 1e-6);
        rill_sim_destroy(sim);
        rill_domain_destroy(domain);
        stop(&s);
    }
    rill_geom_destroy(cell);
}

/* A mirrored side is the same flow as a box with its mirrored copy behind it. */
Test(sim, mirrored_sides_double_the_box)
{
    rill_geom *half = noise(7, 6, 5, 2), *whole = NULL;
    const uint32_t n[3] = {14, 12, 10};
    ASSERT_OK(rill_geom_create(n, &whole));
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++) {
                const uint32_t hx = x < 7 ? x : 13 - x, hy = y < 6 ? y : 11 - y, hz = z < 5 ? z : 9 - z;
                whole->voxels[x + 14 * (y + 12 * (uint64_t)z)] =
                    half->voxels[hx + 7 * (hy + 6 * (uint64_t)hz)];
            }
    for (int a = 0; a < 3; a++) half->sides[a] = RILL_MIRROR;
    FOR_EACH_BACKEND(backend)
    for (int k = 0; k < 2 * RILL_STREAM_COUNT * RILL_ADDRESSING_COUNT; k++) {
        const rill_variant variant = {.lattice = k & 1 ? RILL_D3Q27 : RILL_D3Q19,
                                      .collision = RILL_TRT,
                                      .equilibrium = RILL_STOKES,
                                      .stream = (rill_stream)(k / 2 % RILL_STREAM_COUNT),
                                      .addressing = (rill_addressing)(k / 2 / RILL_STREAM_COUNT),
                                      .storage = RILL_FP64};
        const bool built =
            variant.addressing == RILL_LIST && (variant.stream == RILL_AA || variant.stream == RILL_PULL);
        if (rill_variant_check(variant) != RILL_OK || (backend != RILL_BACKEND_CPU && !built)) continue;
        rill_sim_options options = options_of(variant, backend);
        options.force[0] = 0; /* the mirrored flow runs backwards along z, the flow axis, only */
        state h = start(half, &options), w = start(whole, &options);
        for (int t = 0; t < 5; t++) {
            rill_totals th, tw;
            ASSERT_OK(rill_sim_step(h.sim, 7));
            ASSERT_OK(rill_sim_step(w.sim, 7));
            ASSERT_OK(rill_sim_totals(h.sim, &th));
            ASSERT_OK(rill_sim_totals(w.sim, &tw));
            cr_expect_float_eq(8 * th.momentum[2] / tw.momentum[2], 1, 1e-12,
                               "lattice and stream %d on backend %d: %.12g", k, backend,
                               8 * th.momentum[2] / tw.momentum[2]);
            cr_expect_float_eq(th.density_max / tw.density_max, 1, 1e-10);
        }
        stop(&h);
        stop(&w);
    }
    rill_sim_options options = options_of(rill_variant_default(), RILL_BACKEND_CPU);
    options.variant.equilibrium = RILL_SECOND_ORDER;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    const rill_domain_options domain_options = {RILL_D3Q19, 2};
    ASSERT_OK(rill_domain_create(half, &domain_options, &domain));
    cr_expect_eq(rill_sim_create(domain, &options, &sim), RILL_USAGE);
    cr_expect(strstr(rill_error_message(), "stokes") != NULL, "%s", rill_error_message());
    rill_domain_destroy(domain);
    rill_geom_destroy(half);
    rill_geom_destroy(whole);
}

/* What is set is found again, before an even step and before an odd one. */
Test(sim, moments_are_set_and_read)
{
    rill_geom *geom = noise(9, 8, 7, 3);
    FOR_EACH_BACKEND(backend)
    FOR_EACH_VARIANT(k)
    {
        const rill_sim_options options = options_of(rill_variant_at(k), backend);
        const double epsilon = options.variant.storage == RILL_FP64 ? 1e-16 : 1e-8;
        state s = start(geom, &options), wanted = start(geom, &options);
        for (size_t i = 0; i < 4 * (size_t)s.nodes; i++) wanted.rho[i] = 0.01 * sin(0.1 * (double)i);
        for (int odd = 0; odd < 2; odd++) {
            ASSERT_OK(rill_sim_set_moments(s.sim, wanted.rho, wanted.u));
            ASSERT_OK(rill_sim_moments(s.sim, 0, s.nodes, s.rho, s.u));
            cr_expect_lt(difference(&s, &wanted), 10 * epsilon, "variant %d on backend %d: %.3g", k, backend,
                         difference(&s, &wanted));
            ASSERT_OK(rill_sim_step(s.sim, 1));
        }
        const rill_node first = 5, count = 11; /* a part of the nodes */
        double rho[11], u[33];
        advance(&s, 2);
        ASSERT_OK(rill_sim_moments(s.sim, first, count, rho, u));
        for (rill_node i = 0; i < count; i++) {
            cr_expect_eq(rho[i], s.rho[first + i]);
            for (rill_node a = 0; a < 3; a++) cr_expect_eq(u[a * count + i], s.u[a * s.nodes + first + i]);
        }
        cr_expect_eq(rill_sim_moments(s.sim, s.nodes - 1, 2, rho, u), RILL_USAGE);
        stop(&s);
        stop(&wanted);
    }
    rill_geom_destroy(geom);
}

Test(sim, speeds_are_those_of_the_mean_velocity_of_two_steps)
{
    rill_geom *geom = noise(37, 21, 19, 4);
    FOR_EACH_BACKEND(backend)
    FOR_EACH_VARIANT(k)
    {
        const rill_sim_options o = options_of(rill_variant_at(k), backend);
        rill_totals totals[2], kept;
        double speed = 0, largest = 0;
        state s = start(geom, &o);
        advance(&s, 3);
        double *before = malloc(3 * (size_t)s.nodes * sizeof *before);
        memcpy(before, s.u, 3 * (size_t)s.nodes * sizeof *before);
        ASSERT_OK(rill_sim_totals(s.sim, &totals[0]));
        ASSERT_OK(rill_sim_totals_of(s.sim, RILL_SPEEDS_KEEP, &kept));
        cr_expect_arr_eq(&kept, &totals[0], sizeof kept);
        advance(&s, 1);
        ASSERT_OK(rill_sim_totals_of(s.sim, RILL_SPEEDS_MEAN, &totals[0]));
        ASSERT_OK(rill_sim_totals(s.sim, &totals[1]));
        for (size_t n = 0; n < s.nodes; n++) {
            double square = 0;
            for (size_t a = 0; a < 3; a++)
                square += pow(0.5 * (before[a * s.nodes + n] + s.u[a * s.nodes + n]), 2);
            speed += sqrt(square);
            largest = fmax(largest, sqrt(square));
        }
        cr_expect_float_eq(totals[0].speed / speed, 1, 1e-6, "variant %d: %g, not %g", k, totals[0].speed,
                           speed);
        cr_expect_float_eq(totals[0].speed_max / largest, 1, 1e-6);
        cr_expect_lt(speed, 0.99 * totals[1].speed);
        totals[0].speed = totals[1].speed;
        totals[0].speed_max = totals[1].speed_max;
        cr_expect_arr_eq(&totals[0], &totals[1], sizeof totals[0]);
        free(before);
        stop(&s);
    }
    rill_geom_destroy(geom);
}

/* A host reads them where the caller has them: nothing is taken for them. */
Test(sim, labels_are_shared)
{
    rill_geom *geom = noise(9, 8, 7, 3);
    FOR_EACH_BACKEND(backend)
    {
        const rill_sim_options options = options_of(rill_variant_default(), backend);
        state s = start(geom, &options);
        uint32_t *labels = calloc(s.nodes, sizeof *labels);
        double sums[2];
        labels[3] = 1;
        for (rill_node n = 0; n < s.nodes; n++) s.rho[n] = n == 3 ? 0.5 : n == 4 ? 0.25 : 0;
        ASSERT_OK(rill_sim_set_moments(s.sim, s.rho, s.u));
        ASSERT_OK(rill_sim_label_share(s.sim, 2, labels));
        cr_expect_eq(rill_sim_label_borrows(s.sim), backend == RILL_BACKEND_CPU);
        ASSERT_OK(rill_sim_label_sums(s.sim, sums));
        cr_expect_float_eq(sums[0], 0.25, 1e-6, "%g on backend %d", sums[0], backend);
        cr_expect_float_eq(sums[1], 0.5, 1e-6, "%g on backend %d", sums[1], backend);
        labels[4] = 1;
        ASSERT_OK(rill_sim_label_sums(s.sim, sums));
        cr_expect_float_eq(sums[1], rill_sim_label_borrows(s.sim) ? 0.75 : 0.5, 1e-6, "%g on backend %d",
                           sums[1], backend);
        stop(&s);
        free(labels);
    }
    rill_geom_destroy(geom);
}

/* One pass gives the bits of two, also after odd steps. */
Test(sim, sums_by_label_come_with_totals)
{
    rill_geom *geom = noise(37, 21, 19, 4);
    enum { LABELS = 7 };
    FOR_EACH_BACKEND(backend)
    FOR_EACH_VARIANT(k)
    {
        const rill_sim_options o = options_of(rill_variant_at(k), backend);
        state s = start(geom, &o);
        uint32_t *labels = calloc(s.nodes, sizeof *labels);
        for (rill_node n = 0; n < s.nodes; n++) {
            labels[n] = n / 5 % LABELS;
            s.rho[n] = 1e-3 * sin(n);
        }
        ASSERT_OK(rill_sim_set_moments(s.sim, s.rho, s.u));
        ASSERT_OK(rill_sim_label_share(s.sim, LABELS, labels));
        for (int step = 0; step < 2; step++) {
            double sums[2][LABELS];
            rill_totals totals[2];
            ASSERT_OK(rill_sim_totals(s.sim, &totals[0]));
            ASSERT_OK(rill_sim_label_sums(s.sim, sums[0]));
            ASSERT_OK(rill_sim_label_totals(s.sim, RILL_SPEEDS_NOW, &totals[1], sums[1]));
            cr_expect_arr_eq(sums[1], sums[0], sizeof sums[0], "variant %d on backend %d", k, backend);
            cr_expect_arr_eq(&totals[1], &totals[0], sizeof totals[0]);
            cr_expect_neq(sums[0][0], sums[0][1]);
            ASSERT_OK(rill_sim_step(s.sim, 1));
        }
        free(labels);
        stop(&s);
    }
    rill_geom_destroy(geom);
}

/* Sums of a flow that has diverged are integers all the same: cut where too large, without what is no number.
 */
Test(sim, sums_by_label_are_defined_after_divergence)
{
    rill_geom *geom = noise(9, 8, 7, 3);
    enum { LARGE, SMALL, NO_NUMBER, USUAL, LABELS };
    const double densities[LABELS] = {1e6, -1e6, NAN, 0.25};
    FOR_EACH_BACKEND(backend)
    {
        rill_variant variant = rill_variant_default();
        variant.storage = RILL_FP64;
        const rill_sim_options options = options_of(variant, backend);
        state s = start(geom, &options);
        uint32_t *labels = calloc(s.nodes, sizeof *labels);
        double sums[LABELS];
        uint64_t usual = 0;
        for (rill_node n = 0; n < s.nodes; n++) {
            labels[n] = n < 3 ? n : USUAL;
            s.rho[n] = densities[labels[n]];
            usual += labels[n] == USUAL;
        }
        ASSERT_OK(rill_sim_set_moments(s.sim, s.rho, s.u));
        ASSERT_OK(rill_sim_label_begin(s.sim, LABELS));
        ASSERT_OK(rill_sim_label_put(s.sim, 0, s.nodes, labels));
        ASSERT_OK(rill_sim_label_sums(s.sim, sums));
        cr_expect_eq(sums[LARGE], 0x1p16, "%g on backend %d", sums[LARGE], backend);
        cr_expect_eq(sums[SMALL], -0x1p16, "%g on backend %d", sums[SMALL], backend);
        cr_expect_eq(sums[NO_NUMBER], 0, "%g on backend %d", sums[NO_NUMBER], backend);
        cr_expect_float_eq(sums[USUAL], 0.25 * (double)usual, 1e-9, "%g on backend %d", sums[USUAL], backend);
        free(labels);
        stop(&s);
    }
    rill_geom_destroy(geom);
}

static void totals_of(const rill_geom *geom, const rill_sim_options *options, int threads,
                      rill_totals *totals, state *s)
{
    omp_set_num_threads(threads);
    *s = start(geom, options);
    advance(s, 13);
    ASSERT_OK(rill_sim_totals(s->sim, totals));
}

/*
 * Return a variant to compare with itself: on a device those that are built; on a CPU pair `k` of scheme and
 * addressing, with the other choices taken by turns so that each occurs. @return false where there is none
 */
static bool some_variant(rill_backend_kind backend, int k, rill_variant *out)
{
    if (backend != RILL_BACKEND_CPU) {
        *out = rill_variant_at(k % rill_variant_count());
        return k < rill_variant_count();
    }
    *out = (rill_variant){.lattice = (rill_lattice)(k % 3), /* the forces of this file have a z */
                          .collision = (rill_collision)(k % RILL_COLLISION_COUNT),
                          .stream = (rill_stream)(k % RILL_STREAM_COUNT),
                          .addressing = (rill_addressing)(k / RILL_STREAM_COUNT % RILL_ADDRESSING_COUNT),
                          .storage = (rill_storage)(k % RILL_STORAGE_COUNT),
                          .arithmetic = (rill_arithmetic)(k / 3 % RILL_ARITHMETIC_COUNT),
                          .bounce = (rill_bounce)(k / 5 % RILL_BOUNCE_COUNT),
                          .shift = (rill_shift)(k / 7 % RILL_SHIFT_COUNT)};
    if (rill_variant_check(*out) != RILL_OK && out->bounce == RILL_FULL_WAY) out->bounce = RILL_HALF_WAY;
    if (rill_variant_check(*out) != RILL_OK) out->collision = RILL_TRT;
    return k < 2 * RILL_STREAM_COUNT * RILL_ADDRESSING_COUNT && rill_variant_check(*out) == RILL_OK;
}

/* Same bits for any number of threads, for every processor level, and twice in a row. */
Test(sim, is_deterministic)
{
    rill_geom *geom = noise(40, 25, 15, 4); /* enough nodes for eight threads */
    int compared = 0;
    FOR_EACH_BACKEND(backend)
    for (int k = 0; k < 64; k++) {
        rill_variant variant;
        if (!some_variant(backend, k, &variant)) continue;
        compared++;
        const rill_sim_options options = options_of(variant, backend);
        rill_totals first, again;
        state a, b;
        totals_of(geom, &options, 1, &first, &a);
        for (int other = 0; other < 4; other++) {
            static const char *const levels[] = {"", "", "v2", "v3"};
            static const int threads[] = {3, 2, 8, 1};
            setenv("RILL_CPU_LEVEL", levels[other], 1);
            if (!rill_backend_available(RILL_BACKEND_CPU)) continue; /* built without that level */
            totals_of(geom, &options, threads[other], &again, &b);
            cr_expect_eq(difference(&a, &b), 0, "variant %d on backend %d, other %d", k, backend, other);
            cr_expect_eq(memcmp(&first, &again, sizeof first), 0, "variant %d on backend %d, other %d", k,
                         backend, other);
            stop(&b);
        }
        setenv("RILL_CPU_LEVEL", "", 1);
        stop(&a);
    }
    cr_expect_geq(compared, 40);
    rill_geom_destroy(geom);
}

/* A decaying shear wave on a moving background: its viscosity is (tau - 1/2)/3 at any mean velocity. */
Test(sim, shear_wave_decays_with_the_viscosity)
{
    enum { n = 32 };
    const uint32_t box[3] = {n, n, 1};
    rill_geom *geom = NULL;
    ASSERT_OK(rill_generate_box(box, &geom));
    FOR_EACH_BACKEND(backend)
    for (int k = 0; k < 8; k++) {
        rill_sim_options options = rill_sim_options_default();
        options.on.backend = backend;
        options.variant = (rill_variant){k & 1 ? RILL_D3Q27 : RILL_D3Q19,
                                         k & 2 ? RILL_SRT : RILL_TRT,
                                         RILL_SECOND_ORDER,
                                         RILL_AA,
                                         RILL_LIST,
                                         RILL_FP64};
        options.tau = k & 4 ? 0.6 : 0.8;
        const double wave = 2 * M_PI / n, nu = (options.tau - 0.5) / 3, mean = 0.02;
        state s = start(geom, &options);
        for (rill_node i = 0; i < s.nodes;
             i++) { /* u_y = cos(k x), carried along x; node order is x fastest */
            s.rho[i] = 0;
            s.u[i] = mean;
            s.u[s.nodes + i] = 1e-3 * cos(wave * (i % n + 0.5));
            s.u[2 * s.nodes + i] = 0;
        }
        ASSERT_OK(rill_sim_set_moments(s.sim, s.rho, s.u));
        double amplitude[2];
        for (int i = 0; i < 2; i++) {
            advance(&s, i ? 400 : 100);
            double c = 0, sine = 0;
            for (rill_node m = 0; m < s.nodes; m++) {
                c += s.u[s.nodes + m] * cos(wave * (m % n + 0.5));
                sine += s.u[s.nodes + m] * sin(wave * (m % n + 0.5));
            }
            amplitude[i] = hypot(c, sine);
        }
        const double found = log(amplitude[0] / amplitude[1]) / (400 * wave * wave);
        cr_expect_float_eq(found / nu, 1, 6e-3, "case %d on backend %d: viscosity %.6g, expected %.6g", k,
                           backend, found, nu);
        stop(&s);
    }
    rill_geom_destroy(geom);
}

Test(sim, refuses_what_cannot_run)
{
    rill_geom *geom = noise(4, 4, 4, 5);
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    const rill_domain_options domain_options = {RILL_D3Q19, -1};
    ASSERT_OK(rill_domain_create(geom, &domain_options, &domain));
    const double taus[] = {0.5, 0.49, -1, NAN, INFINITY};
    for (size_t k = 0; k < sizeof taus / sizeof *taus; k++) {
        rill_sim_options options = rill_sim_options_default();
        options.tau = taus[k];
        cr_expect_eq(rill_sim_create(domain, &options, &sim), RILL_USAGE);
        cr_expect(strstr(rill_error_message(), "tau = ") != NULL, "%s", rill_error_message());
    }
    rill_sim_options options = rill_sim_options_default();
    options.force[1] = NAN;
    cr_expect_eq(rill_sim_create(domain, &options, &sim), RILL_USAGE);
    options = rill_sim_options_default();
    options.magic = 0;
    cr_expect_eq(rill_sim_create(domain, &options, &sim), RILL_USAGE);
    options = rill_sim_options_default();
    options.third = 0;
    cr_expect_eq(rill_sim_create(domain, &options, &sim), RILL_USAGE);
    options = rill_sim_options_default();
    options.variant.lattice = RILL_D3Q27;
    cr_expect_eq(rill_sim_create(domain, &options, &sim), RILL_USAGE);
    options = rill_sim_options_default();
    options.on.backend = RILL_BACKEND_CPU;
    setenv("RILL_MEMORY", "1kB", 1);
    cr_expect_eq(rill_sim_create(domain, &options, &sim), RILL_SYSTEM);
    unsetenv("RILL_MEMORY");
    rill_domain_destroy(domain);
    memset(geom->voxels, RILL_SOLID, rill_geom_voxels(geom));
    cr_expect_eq(rill_domain_create(geom, &domain_options, &domain), RILL_USAGE);
    cr_expect(strstr(rill_error_message(), "no fluid voxel") != NULL, "%s", rill_error_message());
    rill_geom_destroy(geom);
}
