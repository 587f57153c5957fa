/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_faces.c
 * Opposite faces of periodic media match, those of crops do not, and which outputs say so.
 */
#include "geometry/generate/generate.h"
#include "geometry/voxels/derive.h"
#include "geometry/voxels/faces.h"
#include "planned.h"
#include "rill.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static rill_geom *field(uint32_t n, double correlation, uint64_t seed)
{
    rill_grf_options o = rill_grf_options_default();
    rill_geom *geom = NULL;
    for (int a = 0; a < 3; a++) o.n[a] = n;
    o.correlation = correlation;
    o.porosity = 0.3;
    o.seed = seed;
    cr_assert_eq(rill_generate_grf(&o, &geom), RILL_OK, "%s", rill_error_message());
    return geom;
}

static int differ(const rill_geom *geom)
{
    rill_faces faces[3];
    int count = 0;
    cr_assert_eq(rill_faces_measure(geom, faces), RILL_OK);
    for (int a = 0; a < 3; a++) count += faces[a].differ;
    return count;
}

Test(faces, of_periodic_fields_match_and_those_of_crops_do_not)
{
    int found = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        rill_geom *geom = field(40, 5, seed), *part = NULL;
        cr_assert_eq(differ(geom), 0, "seed %d", (int)seed);
        cr_assert_eq(
            rill_geom_crop(geom, (const uint32_t[3]){0, 0, 0}, (const uint32_t[3]){24, 24, 24}, &part),
            RILL_OK);
        found += differ(part);
        for (int a = 0; a < 3; a++) part->sides[a] = RILL_MIRROR;
        cr_assert_eq(differ(part), 0, "boundaries are not periodic");
        rill_geom_destroy(part);
        rill_geom_destroy(geom);
    }
    cr_assert_geq(found, 20, "%d of 24", found);
}

/* Shares are what they say: faces with known voxels. */
Test(faces, are_counted_from_the_face_with_fewer_pores)
{
    const uint32_t n[3] = {8, 8, 8};
    rill_geom *geom = NULL;
    rill_faces faces[3];
    cr_assert_eq(rill_geom_create(n, &geom), RILL_OK);
    for (uint32_t v = 0; v < 512;
         v++) { /* the half x < 4, and in the last plane of z 16 voxels, 8 of them there */
        const uint32_t x = v % 8, y = v / 8 % 8, z = v / 64;
        geom->voxels[v] = z < 7 ? x < 4 : x >= 2 && x < 6 && y < 4;
    }
    cr_assert_eq(rill_faces_measure(geom, faces), RILL_OK);
    cr_assert(faces[2].measured);
    cr_assert_float_eq(faces[2].meeting, 0.5, 1e-12);
    cr_assert_float_eq(faces[2].chance, 0.5, 1e-12);
    cr_assert_float_eq(faces[2].inside, (6 * 32 + 8) / (6 * 32. + 16), 1e-12);
    geom->sides[2] = RILL_WALL;
    cr_assert_eq(rill_faces_measure(geom, faces), RILL_OK);
    cr_assert_not(faces[2].measured);
    rill_geom_destroy(geom);
}

/* Noise has nothing that a face could cut; plates and ducts go on behind it. */
Test(faces, of_noise_and_ducts_match)
{
    rill_noise_options noise = rill_noise_options_default();
    rill_geom *geom = NULL;
    for (int a = 0; a < 3; a++) noise.n[a] = 24;
    cr_assert_eq(rill_generate_noise(&noise, &geom), RILL_OK);
    cr_assert_eq(differ(geom), 0);
    rill_geom_destroy(geom);
    rill_duct_options duct = rill_duct_options_default();
    cr_assert_eq(rill_generate_duct(&duct, &geom), RILL_OK);
    cr_assert_eq(differ(geom), 0);
    rill_geom_destroy(geom);
}

Test(faces, that_differ_are_in_the_notes_of_plan_and_result)
{
    rill_geom *geom = field(40, 5, 3), *part = NULL;
    rill_permeability_options o = rill_permeability_options_default();
    rill_permeability p;
    o.on.backend = RILL_BACKEND_CPU;
    o.tolerance = 0.05;
    cr_assert_eq(rill_geom_crop(geom, (const uint32_t[3]){0, 0, 0}, (const uint32_t[3]){24, 24, 24}, &part),
                 RILL_OK);
    rill_geom *mirrored = NULL;
    cr_assert_eq(rill_geom_copy(part, &mirrored), RILL_OK);
    cr_assert_eq(computed(part, &o, &p), RILL_OK, "%s", rill_error_message());
    cr_assert_not_null(p.notes);
    cr_assert_not_null(strstr(p.notes, "--sides mirror"), "%s", p.notes);
    cr_assert_not_null(strstr(p.notes, "z, the flow,"), "%s", p.notes);
    rill_permeability_free(&p);
    for (int a = 0; a < 3; a++) mirrored->sides[a] = RILL_MIRROR;
    cr_assert_eq(computed(mirrored, &o, &p), RILL_OK, "%s", rill_error_message());
    cr_assert_null(p.notes, "%s", p.notes);
    rill_permeability_free(&p);
    cr_assert_eq(computed(geom, &o, &p), RILL_OK, "%s", rill_error_message());
    cr_assert_null(p.notes, "%s", p.notes);
    rill_permeability_free(&p);
    rill_geom_destroy(part);
    rill_geom_destroy(mirrored);
    rill_geom_destroy(geom);
}
