/* SPDX-License-Identifier: Apache-2.0 */
/* The check of timed simulations: every variant passes, and whatever is wrong is refused. */
#include "backends.h"
#include "kernel/comparison/choices.h"
#include "bench/probe.h"
#include "kernel/storage/rounding.h"
#include "sim/sim.h"
#include "kernel/variant.h"

#include <string.h>

/* A third of the voxels at random are solid; larger than the boxes compared unless `small`. */
static rill_geom *noise(bool small, rill_side along_y)
{
    const uint32_t n[3] = {small ? 9 : 37, small ? 7 : 25, small ? 8 : 23};
    rill_geom *geom = NULL;
    unsigned seed = 5;
    ASSERT_OK(rill_geom_create(n, &geom));
    geom->sides[1] = along_y;
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        seed = seed * 1664525u + 1013904223u;
        geom->voxels[v] = (seed >> 16) % 10 < 7;
    }
    return geom;
}

static rill_sim_options options_of(rill_variant variant)
{
    rill_sim_options options = rill_sim_options_default();
    options.variant = variant;
    options.on.backend = RILL_BACKEND_CPU;
    options.tau = variant.stream == RILL_MACROSCOPIC ? 1 : 0.8;
    if (variant.stream == RILL_MACROSCOPIC) options.magic = 0.25;
    (variant.collision == RILL_ADVECTION_DIFFUSION ? options.velocity : options.force)[0] = 1e-6;
    return options;
}

static rill_domain *domain_of(const rill_geom *geom, rill_lattice lattice)
{
    rill_domain *domain = NULL;
    const rill_domain_options options = {lattice, 0};
    ASSERT_OK(rill_domain_create(geom, &options, &domain));
    return domain;
}

static rill_probe *probe_of(const rill_domain *domain, const rill_sim_options *options)
{
    rill_probe *probe = NULL;
    ASSERT_OK(rill_probe_create(domain, options, &probe));
    return probe;
}

/* Check a simulation made with `options`, after so many steps, against a probe. */
static rill_status check(const rill_probe *probe, const rill_domain *domain, rill_sim_options options,
                         int steps_before, double *error, double *limit)
{
    rill_sim *sim = NULL;
    ASSERT_OK(rill_sim_create(domain, &options, &sim));
    ASSERT_OK(rill_sim_step(sim, (uint64_t)steps_before));
    const rill_status status = rill_probe_check(probe, sim, &options, error, limit);
    rill_sim_destroy(sim);
    return status;
}

/* Every scheme and addressing in the formats that are mostly used, and every format with one of them. */
static bool wanted(rill_variant v)
{
    const bool usual = v.shift == RILL_SHIFTED && (v.storage == RILL_FP32 || v.storage == RILL_FP16S);
    return v.lattice == RILL_D3Q19 && v.collision == RILL_TRT && v.equilibrium == RILL_STOKES &&
           v.rheology == RILL_NEWTONIAN && v.arithmetic == (v.storage == RILL_FP64) &&
           (usual || (v.stream == RILL_AA && v.addressing == RILL_LIST));
}

/* In a box that holds several places and in one that is smaller than a place; rings have been turned, too. */
Test(probe, every_scheme_and_format_passes)
{
    for (int small = 0; small < 2; small++) {
        rill_geom *geom = noise(small, small ? RILL_MIRROR : RILL_PERIODIC);
        rill_domain *domain = domain_of(geom, RILL_D3Q19);
        rill_probe *probe = NULL;
        int passed = 0;
        rill_variant v;
        for (uint64_t cursor = 0; rill_variant_next(&cursor, &v);) {
            const bool ghosts = v.bounce == RILL_FULL_WAY;
            if (!wanted(v) || (small && ghosts)) continue;
            const rill_sim_options options = options_of(v);
            double error, limit;
            char name[96];
            rill_variant_name(v, name, sizeof name);
            if (!probe || !rill_probe_suits(probe, &options)) {
                rill_probe_destroy(probe);
                probe = probe_of(domain, &options);
            }
            cr_expect_eq(check(probe, domain, options,
                               ghosts                  ? 0
                               : v.stream == RILL_RING ? 26
                                                       : 2,
                               &error, &limit),
                         RILL_OK, "%s: %s", name, rill_error_message());
            cr_expect_lt(error, limit);
            passed++;
        }
        cr_assert_gt(passed, 60);
        rill_probe_destroy(probe);
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
}

Test(probe, other_lattices_and_collisions_pass)
{
    rill_geom *geom = noise(false, RILL_WALL);
    rill_variant v;
    for (uint64_t cursor = 0; rill_variant_next(&cursor, &v);) {
        double error, limit;
        if (v.stream != RILL_AA || v.addressing != RILL_LIST || v.storage != RILL_FP32 || v.arithmetic ||
            v.shift || v.rheology)
            continue;
        const rill_sim_options options = options_of(v);
        rill_domain *domain = domain_of(geom, v.lattice);
        rill_probe *probe = probe_of(domain, &options);
        char name[96];
        rill_variant_name(v, name, sizeof name);
        cr_expect_eq(check(probe, domain, options, 2, &error, &limit), RILL_OK, "%s: %s", name,
                     rill_error_message());
        rill_probe_destroy(probe);
        rill_domain_destroy(domain);
    }
    rill_geom_destroy(geom);
}

static bool first_of_all(void *context, const rill_wall_link *link)
{
    bool *taken = context;
    (void)link;
    const bool first = !*taken;
    *taken = true;
    return first;
}

/* One wall link that brings back what a moving wall would: the smallest fault that a kernel can have. */
Test(probe, one_wrong_link_is_refused_in_every_format)
{
    rill_geom *geom = noise(true, RILL_PERIODIC);
    rill_domain *domain = domain_of(geom, RILL_D3Q19);
    for (int storage = 0; storage < RILL_STORAGE_COUNT; storage++) {
        rill_sim *sim = NULL;
        rill_boundary *wall = NULL;
        bool taken = false;
        double error, limit;
        int patch;
        rill_variant v = rill_variant_default();
        v.storage = (rill_storage)storage;
        const rill_sim_options options = options_of(v);
        rill_probe *probe = probe_of(domain, &options);
        ASSERT_OK(rill_boundary_create(domain, first_of_all, &taken, &wall));
        cr_assert_eq(rill_boundary_links(wall), 1);
        ASSERT_OK(rill_boundary_set_velocity(wall, (double[3]){0.08, 0.08, 0.08}));
        ASSERT_OK(rill_sim_create(domain, &options, &sim));
        ASSERT_OK(rill_sim_boundary_add(sim, wall, &patch));
        cr_expect_eq(rill_probe_check(probe, sim, &options, &error, &limit), RILL_NUMERICS, "%s: %g",
                     rill_storage_names[storage], error);
        cr_expect_not_null(strstr(rill_error_message(), "the result is wrong"));
        rill_sim_destroy(sim);
        rill_boundary_destroy(wall);
        rill_probe_destroy(probe);
    }
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* Physics a little off: a relaxation time, the magic parameter, the force, the equilibrium. */
Test(probe, wrong_physics_is_refused)
{
    rill_geom *geom = noise(false, RILL_PERIODIC);
    rill_domain *domain = domain_of(geom, RILL_D3Q19);
    const rill_sim_options right = options_of(rill_variant_default());
    rill_probe *probe = probe_of(domain, &right);
    for (int fault = 0; fault < 5; fault++) {
        rill_sim_options wrong = right;
        double error, limit;
        if (fault == 0) wrong.tau *= 1.0005;
        if (fault == 1) wrong.magic *= 1.005;
        if (fault == 2) wrong.force[0] = 0;
        if (fault == 3) wrong.variant.equilibrium = RILL_SECOND_ORDER;
        cr_expect_eq(rill_probe_suits(probe, &wrong), fault == 4);
        cr_expect_eq(check(probe, domain, wrong, 2, &error, &limit), fault == 4 ? RILL_OK : RILL_NUMERICS,
                     "fault %d: error %g, limit %g", fault, error, limit);
    }
    rill_probe_destroy(probe);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* A solid voxel too many, not far from the last node: what numbers beyond it mean has changed. */
Test(probe, a_wrong_geometry_is_refused)
{
    rill_geom *geom = noise(false, RILL_PERIODIC), *other = noise(false, RILL_PERIODIC);
    const rill_sim_options options = options_of(rill_variant_default());
    double error, limit;
    uint64_t fluid = rill_geom_voxels(geom), solid = 0;
    for (uint64_t k = 0, v = rill_geom_voxels(geom) - 60; k < 60; k++) { /* two voxels exchanged */
        if (geom->voxels[v + k] == RILL_FLUID)
            fluid = v + k;
        else
            solid = v + k;
    }
    other->voxels[fluid] = RILL_SOLID;
    other->voxels[solid] = RILL_FLUID;
    rill_domain *domain = domain_of(geom, RILL_D3Q19), *wrong = domain_of(other, RILL_D3Q19);
    rill_probe *probe = probe_of(domain, &options);
    cr_assert_eq(rill_domain_nodes(domain), rill_domain_nodes(wrong));
    cr_expect_eq(check(probe, wrong, options, 2, &error, &limit), RILL_NUMERICS, "error %g", error);
    rill_probe_destroy(probe);
    rill_domain_destroy(wrong);
    rill_domain_destroy(domain);
    rill_geom_destroy(other);
    rill_geom_destroy(geom);
}

/* The rounding found is that of the format: half a unit in the last place of the largest value. */
Test(probe, rounding_is_measured)
{
    const struct {
        rill_storage storage;
        double low, high, expected;
    } known[] = {{RILL_FP32, 0.5, 1, 0x1p-25},    {RILL_FP64, 0.5, 1, 0x1p-53},
                 {RILL_FP16, 0.5, 1, 0x1p-12},    {RILL_FP16S, -1, 1, 0x1p-12},
                 {RILL_FP16C, 0.5, 1, 0x1p-13},   {RILL_INT16S, 0, 0.1, 0x1p-16},
                 {RILL_FP16, 0, 0x1p-15, 0x1p-25}};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const double found = rill_rounding(known[k].storage, known[k].low, known[k].high);
        cr_expect(found <= known[k].expected && found > 0.9 * known[k].expected, "%zu: %g, not %g", k, found,
                  known[k].expected);
    }
}
