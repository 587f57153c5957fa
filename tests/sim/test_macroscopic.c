/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equilibrium storage (Zhou 2021, doi:10.3390/w13010061): density and momentum alone give the flow that 19
 * populations give at tau = 1 and magic = 1/4, step for step.
 */
#include "backends.h"
#include "kernel/variant.h"
#include "sim/arrivals.h"
#include "sim/sim.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static rill_variant variant_of(rill_stream stream, rill_addressing addressing, rill_storage storage)
{
    return (rill_variant){.lattice = RILL_D3Q19,
                          .collision = RILL_TRT,
                          .equilibrium = RILL_STOKES,
                          .stream = stream,
                          .addressing = addressing,
                          .storage = storage,
                          .arithmetic = storage == RILL_FP64 ? RILL_DOUBLE : RILL_SINGLE};
}

/* Where simulations run. */
static rill_backend_kind on = RILL_BACKEND_CPU;

static rill_sim_options options_of(rill_variant variant)
{
    rill_sim_options options = rill_sim_options_default();
    options.variant = variant;
    options.on.backend = on;
    options.tau = 1;
    options.magic = 0.25;
    options.force[2] = 1e-4;
    return options;
}

typedef struct flow {
    rill_domain *domain;
    rill_sim *sim;
} flow;

static flow flow_create(const rill_geom *geom, rill_variant variant)
{
    flow f;
    const rill_domain_options along_z = {variant.lattice, 2};
    const rill_sim_options options = options_of(variant);
    ASSERT_OK(rill_domain_create(geom, &along_z, &f.domain));
    ASSERT_OK(rill_sim_create(f.domain, &options, &f.sim));
    return f;
}

static void flow_destroy(flow *f)
{
    rill_sim_destroy(f->sim);
    rill_domain_destroy(f->domain);
}

/* Return nu <u_z> / F over the box. */
static double permeability(const rill_geom *geom, rill_sim *sim)
{
    rill_totals totals;
    ASSERT_OK(rill_sim_totals(sim, &totals));
    return totals.momentum[2] / 6 / (double)rill_geom_voxels(geom) / 1e-4;
}

static rill_geom *geom_of(const uint32_t n[3], const rill_side sides[3])
{
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create(n, &geom));
    for (int a = 0; a < 3; a++) geom->sides[a] = sides[a];
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    return geom;
}

/* Solid voxels at random, or a sphere in the middle: of a simple cubic array, a fraction 0.216 in an infinite
 * one. */
static void carve(rill_geom *geom, int solid_of_ten)
{
    const uint32_t *n = geom->n;
    unsigned seed = 11;
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++) {
                const double d[3] = {x + 0.5 - n[0] / 2.0, y + 0.5 - n[1] / 2.0, z + 0.5 - n[2] / 2.0};
                const double r = n[0] * cbrt(0.216 * 3 / (4 * M_PI));
                seed = seed * 1664525u + 1013904223u;
                const bool solid = solid_of_ten ? (seed >> 16) % 10 < (unsigned)solid_of_ten
                                                : d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= r * r;
                if (solid) geom->voxels[x + (size_t)n[0] * (y + (size_t)n[1] * z)] = RILL_SOLID;
            }
}

static const struct {
    uint32_t n[3];
    rill_side sides[3];
    int solid_of_ten; /* 0: a sphere */
} cases[] = {{{16, 16, 16}, {RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC}, 0},
             {{16, 16, 16}, {RILL_MIRROR, RILL_MIRROR, RILL_MIRROR}, 0},
             {{9, 8, 7}, {RILL_WALL, RILL_MIRROR, RILL_PERIODIC}, 2},
             {{9, 8, 7}, {RILL_PERIODIC, RILL_WALL, RILL_MIRROR}, 3},
             {{1, 1, 9}, {RILL_WALL, RILL_MIRROR, RILL_PERIODIC}, 0},
             {{30, 3, 4}, {RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC}, 1},
             {{61, 5, 2}, {RILL_MIRROR, RILL_PERIODIC, RILL_PERIODIC}, 2},
             {{120, 4, 3}, {RILL_PERIODIC, RILL_PERIODIC, RILL_MIRROR}, 3},
             {{121, 3, 4}, {RILL_WALL, RILL_PERIODIC, RILL_PERIODIC}, 2},
             {{250, 3, 5}, {RILL_PERIODIC, RILL_WALL, RILL_PERIODIC}, 2}};
enum { case_count = sizeof cases / sizeof *cases };

static rill_geom *case_create(size_t c)
{
    rill_geom *geom = geom_of(cases[c].n, cases[c].sides);
    if (cases[c].solid_of_ten || cases[c].n[0] > 1) carve(geom, cases[c].solid_of_ten);
    return geom;
}

/* On all domain boundaries, and rows of cells that end in the middle of a word, of a tile, and at its end. */
Test(macroscopic, permeability_is_that_of_populations)
{
    omp_set_num_threads(1);
    FOR_EACH_BACKEND(backend)
    for (size_t c = 0; c < case_count; c++) {
        rill_geom *geom = case_create(c);
        on = backend;
        flow populations = flow_create(geom, variant_of(RILL_PULL, RILL_LIST, RILL_FP64));
        ASSERT_OK(rill_sim_step(populations.sim, 1500));
        const double expected = permeability(geom, populations.sim);
        cr_assert_gt(expected, 0, "case %zu has no flow", c);
        for (int k = 0; k < 2; k++) {
            flow stored =
                flow_create(geom, variant_of(RILL_MACROSCOPIC, k ? RILL_BITMAP : RILL_LIST, RILL_FP64));
            ASSERT_OK(rill_sim_step(stored.sim, 1500));
            const double found = permeability(geom, stored.sim);
            cr_expect_float_eq(found / expected, 1, 1e-9,
                               "case %zu, %s, backend %d: %.15g, of populations %.15g", c,
                               rill_addressing_names[k ? RILL_BITMAP : RILL_LIST], backend, found, expected);
            flow_destroy(&stored);
        }
        flow_destroy(&populations);
        rill_geom_destroy(geom);
    }
}

/* The value that an independent program computed (shared by both): 16 voxels, magic 1/4. */
Test(macroscopic, simple_cubic_array)
{
    FOR_EACH_BACKEND(backend)
    {
        on = backend;
        rill_geom *geom = case_create(0);
        flow f = flow_create(geom, variant_of(RILL_MACROSCOPIC, RILL_BITMAP, RILL_FP64));
        ASSERT_OK(rill_sim_step(f.sim, 2000));
        cr_expect_float_eq(permeability(geom, f.sim), 4.6612495, 5e-7, "%.10g", permeability(geom, f.sim));
        flow_destroy(&f);
        rill_geom_destroy(geom);
    }
}

/* Two parallel plates H apart: H^2 / 12 + 1 / 12 at magic 1/4. */
Test(macroscopic, plates)
{
    FOR_EACH_BACKEND(backend)
    {
        on = backend;
        const uint32_t n[3] = {7, 1, 1};
        const rill_side sides[3] = {RILL_WALL, RILL_PERIODIC, RILL_PERIODIC};
        rill_geom *geom = geom_of(n, sides);
        for (int storage = RILL_FP32; storage <= RILL_FP64; storage++) {
            flow f = flow_create(geom, variant_of(RILL_MACROSCOPIC, RILL_BITMAP, (rill_storage)storage));
            ASSERT_OK(rill_sim_step(f.sim, 2000));
            cr_expect_float_eq(permeability(geom, f.sim), (7.0 * 7 + 1) / 12, storage ? 1e-12 : 2e-5, "%.10g",
                               permeability(geom, f.sim));
            flow_destroy(&f);
        }
        rill_geom_destroy(geom);
    }
}

/* A list and a bitmap, and any number of threads, give the same bits. */
Test(macroscopic, results_do_not_depend_on_addressing_or_threads)
{
    for (size_t c = 2; c < case_count; c++) {
        rill_geom *geom = case_create(c);
        for (int storage = RILL_FP32; storage <= RILL_FP64; storage++) {
            rill_totals totals[3];
            for (int k = 0; k < 3; k++) {
                omp_set_num_threads(k == 2 ? 3 : 1);
                flow f = flow_create(
                    geom, variant_of(RILL_MACROSCOPIC, k ? RILL_BITMAP : RILL_LIST, (rill_storage)storage));
                ASSERT_OK(rill_sim_step(f.sim, 99));
                ASSERT_OK(rill_sim_totals(f.sim, &totals[k]));
                flow_destroy(&f);
            }
            for (int k = 1; k < 3; k++) {
                cr_expect_eq(totals[k].mass, totals[0].mass, "case %zu, run %d", c, k);
                cr_expect_eq(totals[k].kinetic, totals[0].kinetic, "case %zu, run %d", c, k);
            }
        }
        rill_geom_destroy(geom);
    }
}

/* Pores apart from each other, of one to some twenty cells: vectors of a tile without any are left alone, and
 * what lines before them held there must not be seen. Or a box with one solid voxel, most of whose lines have
 * no wall beside them. */
static void scatter(rill_geom *geom, bool open)
{
    unsigned seed = 5;
    memset(geom->voxels, open ? RILL_FLUID : RILL_SOLID, rill_geom_voxels(geom));
    if (open) geom->voxels[17] = RILL_SOLID;
    if (open) return;
    for (size_t k = 0; k < rill_geom_voxels(geom);) {
        seed = seed * 1664525u + 1013904223u;
        const size_t end = k + 1 + (seed >> 16) % 20;
        for (; (seed >> 8) % 4 == 0 && k < end && k < rill_geom_voxels(geom); k++)
            geom->voxels[k] = RILL_FLUID;
        k = end + (seed >> 24) % 40;
    }
}

Test(macroscopic, scattered_pores_have_the_bits_of_a_list)
{
    const uint32_t edges[][3] = {{97, 9, 8},   {130, 7, 9}, {250, 6, 7}, {120, 8, 6},
                                 {31, 12, 11}, {45, 6, 7},  {120, 5, 6}, {131, 6, 5}};
    const size_t pores = 5; /* the others are open */
    omp_set_num_threads(1);
    for (size_t c = 0; c < sizeof edges / sizeof *edges; c++)
        for (int storage = RILL_FP32; storage <= RILL_FP64; storage++) {
            const rill_side sides[3] = {RILL_PERIODIC, c % 2 ? RILL_WALL : RILL_PERIODIC, RILL_PERIODIC};
            rill_geom *geom = geom_of(edges[c], sides);
            double *found[2];
            size_t bytes = 0;
            scatter(geom, c >= pores);
            for (int k = 0; k < 2; k++) {
                flow f = flow_create(
                    geom, variant_of(RILL_MACROSCOPIC, k ? RILL_BITMAP : RILL_LIST, (rill_storage)storage));
                const rill_node nodes = rill_domain_nodes(f.domain);
                bytes = 4 * (size_t)nodes * sizeof **found;
                found[k] = malloc(bytes);
                for (size_t n = 0; n < 4 * (size_t)nodes; n++) found[k][n] = 1e-2 * sin(0.37 * (double)n);
                ASSERT_OK(rill_sim_set_moments(f.sim, found[k], found[k] + nodes));
                for (int part = 0; part < 2; part++) {
                    ASSERT_OK(rill_sim_step(f.sim, 5));
                    ASSERT_OK(rill_sim_relax(f.sim, rill_relaxation_of(0.5)));
                }
                ASSERT_OK(rill_sim_moments(f.sim, 0, nodes, found[k], found[k] + nodes));
                flow_destroy(&f);
            }
            cr_expect_eq(memcmp(found[0], found[1], bytes), 0, "box %zu, storage %d", c, storage);
            free(found[0]), free(found[1]);
            rill_geom_destroy(geom);
        }
}

/* What arrives at links is made from what is stored at their other ends, for shares of flow through edges:
 * what is stored leaves in the step to come, which populations that are stored have arrived from. */
Test(macroscopic, populations_that_arrive)
{
    FOR_EACH_BACKEND(backend)
    for (size_t c = 2; c < 6; c++) {
        rill_geom *geom = case_create(c);
        on = backend;
        for (int addressing = 0; addressing < 2; addressing++) {
            double *values[2];
            for (int k = 0; k < 2; k++) {
                flow f = flow_create(geom, variant_of(k ? RILL_MACROSCOPIC : RILL_PULL,
                                                      addressing ? RILL_BITMAP : RILL_LIST, RILL_FP64));
                const uint64_t count = 18 * (uint64_t)rill_domain_nodes(f.domain);
                rill_arrival *links = malloc(count * sizeof *links);
                rill_arrivals *arrivals = NULL;
                for (uint64_t l = 0; l < count; l++)
                    links[l] = (rill_arrival){l / 18, 1 + (uint32_t)(l % 18)};
                values[k] = malloc(count * sizeof **values);
                ASSERT_OK(rill_sim_step(f.sim, k ? 30 : 31));
                ASSERT_OK(rill_arrivals_create(f.sim, &arrivals));
                ASSERT_OK(rill_arrivals_read(arrivals, links, count, values[k]));
                for (uint64_t l = 0; k && l < count; l++)
                    cr_assert_float_eq(values[1][l], values[0][l], 1e-15,
                                       "case %zu, link %llu: %.15g, of pull %.15g", c, (unsigned long long)l,
                                       values[1][l], values[0][l]);
                rill_arrivals_destroy(arrivals);
                free(links);
                flow_destroy(&f);
            }
            free(values[0]), free(values[1]);
        }
        rill_geom_destroy(geom);
    }
}

/* What is set is read again, and a state that is saved goes on as if nothing had been, with memory, too. */
Test(macroscopic, moments_and_states_are_kept)
{
    FOR_EACH_BACKEND(backend)
    {
        on = backend;
        rill_geom *geom = case_create(2);
        flow f = flow_create(geom, variant_of(RILL_MACROSCOPIC, RILL_BITMAP, RILL_FP64)),
             other = flow_create(geom, variant_of(RILL_MACROSCOPIC, RILL_BITMAP, RILL_FP64));
        const rill_node nodes = rill_domain_nodes(f.domain);
        double *given = calloc(4 * (size_t)nodes, sizeof *given),
               *found = calloc(4 * (size_t)nodes, sizeof *found);
        for (size_t k = 0; k < 4 * (size_t)nodes; k++) given[k] = 1e-3 * sin(0.37 * (double)k);
        ASSERT_OK(rill_sim_set_moments(f.sim, given, given + nodes));
        ASSERT_OK(rill_sim_moments(f.sim, 0, nodes, found, found + nodes));
        for (size_t k = 0; k < 4 * (size_t)nodes; k++) cr_assert_float_eq(found[k], given[k], 1e-17);

        ASSERT_OK(rill_sim_relax(f.sim, rill_relaxation_of(0.5)));
        ASSERT_OK(rill_sim_step(f.sim, 5));
        const uint64_t bytes = rill_sim_state_bytes(f.sim);
        cr_expect_lt(bytes, 72 * (uint64_t)nodes + 1000, "%llu bytes", (unsigned long long)bytes);
        char *state = malloc(bytes);
        ASSERT_OK(rill_sim_state_save(f.sim, 0, bytes, state));
        for (uint64_t at = 0, some; at < bytes; at += some) { /* in pieces that end anywhere */
            some = bytes - at < 1237 ? bytes - at : 1237;
            ASSERT_OK(rill_sim_state_load(other.sim, at, some, state + at));
        }
        ASSERT_OK(rill_sim_state_resume(other.sim, 5));
        ASSERT_OK(rill_sim_relax(other.sim, rill_relaxation_of(0.5)));
        for (int k = 0; k < 2; k++) {
            flow *one = k ? &other : &f;
            ASSERT_OK(rill_sim_step(one->sim, 6));
            ASSERT_OK(rill_sim_moments(one->sim, 0, nodes, k ? found : given, (k ? found : given) + nodes));
        }
        cr_expect_eq(memcmp(found, given, 4 * (size_t)nodes * sizeof *found), 0);
        free(state), free(given), free(found);
        flow_destroy(&f);
        flow_destroy(&other);
        rill_geom_destroy(geom);
    }
}

/* Return the message of a simulation that is refused. */
static const char *refused(const rill_geom *geom, rill_sim_options options)
{
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    const rill_domain_options along_z = {options.variant.lattice, 2};
    ASSERT_OK(rill_domain_create(geom, &along_z, &domain));
    cr_expect_eq(rill_sim_create(domain, &options, &sim), RILL_USAGE);
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    return rill_error_message();
}

Test(macroscopic, what_needs_populations_is_refused)
{
    rill_geom *geom = case_create(2);
    const rill_sim_options options = options_of(variant_of(RILL_MACROSCOPIC, RILL_BITMAP, RILL_FP32));
    rill_sim_options o = options;
    o.tau = 0.9;
    cr_expect_str_eq(
        refused(geom, o),
        "tau = 0.9 and magic = 0.25 are not 1 and 1/4, with which the equilibrium leaves a node, all that macroscopic streaming stores: "
        "give tau 1 and magic 0.25, or choose another streaming scheme");
    o = options;
    o.magic = 3.0 / 16;
    cr_expect(strstr(refused(geom, o), "magic = 0.1875 are not 1 and 1/4"), "%s", rill_error_message());
    const rill_variant wrong[] = {
        {.collision = RILL_MRT, .equilibrium = RILL_SECOND_ORDER},
        {.equilibrium = RILL_SECOND_ORDER},
        {.equilibrium = RILL_STOKES, .rheology = RILL_CASSON, .collision = RILL_TRT},
        {.equilibrium = RILL_STOKES, .storage = RILL_FP16S},
        {.equilibrium = RILL_STOKES, .arithmetic = RILL_DOUBLE},
        {.equilibrium = RILL_STOKES, .shift = RILL_PLAIN},
        {.equilibrium = RILL_STOKES, .bounce = RILL_FULL_WAY},
        {.equilibrium = RILL_STOKES, .addressing = RILL_DENSE},
        {.equilibrium = RILL_STOKES, .addressing = RILL_CHASE}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        rill_variant v = wrong[k];
        v.stream = RILL_MACROSCOPIC;
        cr_expect_eq(rill_variant_check(v), RILL_USAGE, "variant %zu", k);
        cr_expect(strstr(rill_error_message(), "macroscopic"), "%s", rill_error_message());
    }
    flow f = flow_create(geom, options.variant);
    const rill_node node = 0;
    const float keep = 0.5f;
    rill_sample *sample = NULL;
    cr_expect_eq(rill_sim_sponge_set(f.sim, &node, &keep, 1), RILL_USAGE);
    cr_expect_str_eq(
        rill_error_message(),
        "a sponge layer needs populations, which macroscopic streaming does not store: choose another streaming scheme");
    cr_expect_eq(rill_sim_sample_create(f.sim, &node, 1, &sample), RILL_USAGE);
    flow_destroy(&f);
    rill_geom_destroy(geom);
}

/* Where single precision rounds too much a run takes fp64 storage, which is computed in double precision. */
Test(macroscopic, fp64_is_computed_in_double_precision)
{
    rill_geom *geom = case_create(2);
    double found[2];
    for (int k = 0; k < 2; k++) {
        rill_variant v = variant_of(RILL_MACROSCOPIC, RILL_BITMAP, RILL_FP64);
        if (k) v.arithmetic = RILL_SINGLE;
        cr_assert_eq(rill_variant_check(v), RILL_OK, "%s", rill_error_message());
        flow f = flow_create(geom, v);
        ASSERT_OK(rill_sim_step(f.sim, 50));
        found[k] = permeability(geom, f.sim);
        flow_destroy(&f);
    }
    cr_expect_eq(found[1], found[0], "%.17g, %.17g", found[1], found[0]);
    rill_geom_destroy(geom);
}

/* Half of the collisions have no magic parameter of their own. */
Test(macroscopic, one_relaxation_time)
{
    FOR_EACH_BACKEND(backend)
    {
        on = backend;
        rill_geom *geom = case_create(0);
        rill_variant v = variant_of(RILL_MACROSCOPIC, RILL_BITMAP, RILL_FP64);
        v.collision = RILL_SRT;
        flow f = flow_create(geom, v);
        ASSERT_OK(rill_sim_step(f.sim, 2000));
        cr_expect_float_eq(permeability(geom, f.sim), 4.6612495, 5e-7, "%.10g", permeability(geom, f.sim));
        flow_destroy(&f);
        rill_geom_destroy(geom);
    }
}
