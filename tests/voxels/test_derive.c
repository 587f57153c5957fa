/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes out of a geometry, and split voxels, against the voxel that each must come from. */
#include "geometry/voxels/components.h"
#include "geometry/voxels/derive.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* 5 × 4 × 3 voxels, each of its own value. */
static rill_geom *numbered(void)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create((const uint32_t[3]){5, 4, 3}, &geom), RILL_OK);
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) geom->voxels[v] = (uint8_t)v;
    geom->spacing = 6e-6;
    geom->origin[1] = 1e-3;
    geom->sides[2] = RILL_MIRROR;
    geom->porosity = (rill_porosity){0.5, 0.4, {0.1, 0.2, 0.3}};
    geom->source = strdup("rock.raw");
    return geom;
}

static uint8_t at(const rill_geom *g, uint32_t x, uint32_t y, uint32_t z)
{
    return g->voxels[x + (uint64_t)g->n[0] * (y + (uint64_t)g->n[1] * z)];
}

Test(derive, crops_take_the_voxels_they_name)
{
    rill_geom *geom = numbered(), *part = NULL, *all = NULL;
    const uint32_t first[3] = {2, 1, 1}, n[3] = {3, 2, 2};
    cr_assert_eq(rill_geom_crop(geom, first, n, &part), RILL_OK, "%s", rill_error_message());
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++)
                cr_assert_eq(at(part, x, y, z), at(geom, x + 2, y + 1, z + 1), "%u %u %u", x, y, z);
    cr_assert_eq(part->sides[2], RILL_MIRROR);
    cr_assert_float_eq(part->origin[0], 2 * 6e-6, 1e-15);
    cr_assert_float_eq(part->origin[1], 1e-3 + 6e-6, 1e-15);
    cr_assert_lt(part->porosity.total, 0, "the porosity of a part is that of the whole");
    cr_assert_str_eq(part->source, "rock.raw");
    cr_assert_eq(rill_geom_crop(geom, (const uint32_t[3]){0}, geom->n, &all), RILL_OK);
    cr_assert_eq(memcmp(all->voxels, geom->voxels, rill_geom_voxels(geom)), 0);
    cr_assert_eq(all->porosity.percolating[1], 0.2);
    rill_geom_destroy(all);
    rill_geom_destroy(part);
    rill_geom_destroy(geom);
}

Test(derive, split_voxels_are_the_same_rock)
{
    for (uint32_t k = 1; k <= 4; k++) {
        rill_geom *geom = numbered(), *fine = NULL;
        const uint32_t factor[3] = {k, k, k < 3 ? k : 1};
        cr_assert_eq(rill_geom_split(geom, factor, &fine), RILL_OK, "%s", rill_error_message());
        for (int a = 0; a < 3; a++) cr_assert_eq(fine->n[a], geom->n[a] * factor[a]);
        for (uint32_t z = 0; z < fine->n[2]; z++)
            for (uint32_t y = 0; y < fine->n[1]; y++)
                for (uint32_t x = 0; x < fine->n[0]; x++)
                    cr_assert_eq(at(fine, x, y, z), at(geom, x / k, y / k, z / factor[2]), "%u: %u %u %u", k,
                                 x, y, z);
        cr_assert_float_eq(fine->spacing, 6e-6 / k, 1e-18);
        cr_assert_eq(fine->porosity.percolating[2], 0.3);
        rill_geom_destroy(fine);
        rill_geom_destroy(geom);
    }
}

/* What porosities a split geometry is given must be what labelling finds. */
Test(derive, splitting_keeps_pores_apart_and_together)
{
    rill_geom *geom = NULL, *fine = NULL;
    rill_components before, after;
    uint64_t seed = 7;
    cr_assert_eq(rill_geom_create((const uint32_t[3]){9, 8, 7}, &geom), RILL_OK);
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        geom->voxels[v] = seed >> 62 ? RILL_SOLID : RILL_FLUID;
        if (seed >> 61 & 1) geom->voxels[v] = RILL_FLUID;
    }
    cr_assert_eq(rill_geom_split(geom, (const uint32_t[3]){3, 3, 3}, &fine), RILL_OK);
    cr_assert_eq(
        rill_components_clean(geom, RILL_KEEP_ALL, -1, RILL_CONTACT_FACES, (rill_progress){0}, &before),
        RILL_OK);
    cr_assert_eq(
        rill_components_clean(fine, RILL_KEEP_ALL, -1, RILL_CONTACT_FACES, (rill_progress){0}, &after),
        RILL_OK);
    cr_assert_gt(before.components, 1);
    cr_assert_eq(before.components, after.components);
    for (int a = 0; a < 3; a++)
        cr_assert_float_eq(before.porosity.percolating[a], after.porosity.percolating[a], 1e-12);
    rill_geom_destroy(fine);
    rill_geom_destroy(geom);
}

Test(derive, refuses_boxes_and_factors_that_are_none)
{
    rill_geom *geom = numbered(), *out = NULL;
    const uint32_t origin[3] = {0, 0, 0};
    cr_assert_eq(rill_geom_crop(geom, (const uint32_t[3]){0, 3, 0}, (const uint32_t[3]){1, 2, 1}, &out),
                 RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "along y"));
    cr_assert_eq(rill_geom_crop(geom, (const uint32_t[3]){5, 0, 0}, (const uint32_t[3]){1, 1, 1}, &out),
                 RILL_USAGE);
    cr_assert_eq(rill_geom_crop(geom, origin, (const uint32_t[3]){1, 0, 1}, &out), RILL_USAGE);
    cr_assert_eq(rill_geom_split(geom, (const uint32_t[3]){2, 3, 2}, &out), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "cubes"));
    cr_assert_eq(rill_geom_split(geom, (const uint32_t[3]){0, 0, 0}, &out), RILL_USAGE);
    cr_assert_eq(rill_geom_split(geom, (const uint32_t[3]){1u << 31, 1u << 31, 1u << 31}, &out), RILL_USAGE);
    setenv("RILL_MEMORY", "100 kiB", 1);
    cr_assert_eq(rill_geom_split(geom, (const uint32_t[3]){100, 100, 100}, &out), RILL_SYSTEM);
    unsetenv("RILL_MEMORY");
    cr_assert_null(out);
    rill_geom_destroy(geom);
}
