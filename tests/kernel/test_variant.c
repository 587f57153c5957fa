/* SPDX-License-Identifier: Apache-2.0 */
/* The list of variants: what is built is valid and named once, and all valid ones are stepped through, each
 * once. */
#include "backends.h"
#include "kernel/variant.h"
#include "sim/choose.h"

#include <stdlib.h>
#include <string.h>

typedef char name[96];

static int compare(const void *a, const void *b) { return strcmp(a, b); }

Test(variant, all_are_valid_and_have_their_own_name)
{
    const uint64_t count = rill_variant_all_count();
    uint64_t cursor = 0, k = 0;
    rill_variant v;
    name *names = calloc(count, sizeof *names);
    cr_assert_not_null(names);
    while (rill_variant_next(&cursor, &v)) {
        cr_assert_lt(k, count);
        cr_assert_eq(rill_variant_check(v), RILL_OK);
        cr_assert_eq(v.arithmetic, rill_variant_normal(v).arithmetic);
        rill_variant_name(v, names[k++], sizeof *names);
    }
    cr_expect_eq(k, count);
    qsort(names, count, sizeof *names, compare);
    for (k = 1; k < count; k++) cr_expect_str_neq(names[k], names[k - 1]);
    free(names);
}

Test(variant, built_ones_are_found_by_name)
{
    name text;
    rill_variant found;
    cr_expect_lt((uint64_t)rill_variant_count(), rill_variant_all_count());
    for (int k = 0; k < rill_variant_count(); k++) {
        const rill_variant v = rill_variant_at(k);
        ASSERT_OK(rill_variant_check(v));
        cr_expect_eq(v.arithmetic, rill_variant_normal(v).arithmetic);
        rill_variant_name(v, text, sizeof text);
        ASSERT_OK(rill_variant_find(text, &found));
        cr_expect(rill_variant_equal(v, found), "%s", text);
        for (int other = 0; other < k; other++)
            cr_expect_not(rill_variant_equal(v, rill_variant_at(other)), "%s is listed twice", text);
    }
    cr_expect_eq(rill_variant_find("d3q19-trt", &found), RILL_USAGE);
    cr_expect(strstr(rill_error_message(), "d3q19-trt is not a variant") != NULL, "%s", rill_error_message());
}

/* Counted by hand, so that no combination comes or goes unseen: see rill_variant_check(). */
Test(variant, combinations_of_the_usual_collision)
{
    uint64_t cursor = 0;
    int pairs = 0, full_way = 0;
    rill_variant v;
    while (rill_variant_next(&cursor, &v)) {
        if (v.lattice != RILL_D3Q19 || v.collision != RILL_TRT || v.equilibrium != RILL_STOKES ||
            v.storage != RILL_FP32 || v.arithmetic != RILL_SINGLE || v.rheology != RILL_NEWTONIAN ||
            v.shift != RILL_SHIFTED)
            continue;
        pairs += v.bounce == RILL_HALF_WAY;
        full_way += v.bounce == RILL_FULL_WAY;
    }
    cr_expect_eq(
        pairs, 3 * (RILL_STREAM_COUNT - 1) + 2 + 2,
        "list, dense and bitmap with all schemes of populations, chase with two; list and bitmap with macroscopic: %d",
        pairs);
    cr_expect_eq(full_way, 3 + 3 + 3 + 1, "Esoteric schemes: %d", full_way);
}

static rill_status room_of_some(rill_device *device, uint64_t *bytes)
{
    (void)device;
    *bytes = UINT64_C(1) << 30;
    return RILL_OK;
}

/* Two arrays of a sparse image fit a device that two arrays of all its voxels would not fit. */
Test(variant, two_arrays_are_of_fluid_nodes)
{
    const rill_backend backend = {.memory.available = room_of_some};
    rill_device device = {.backend = &backend};
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){200, 200, 100}, &geom));
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) geom->voxels[v] = v % 2 ? RILL_FLUID : RILL_SOLID;
    rill_variant v = rill_variant_default();
    rill_variant_choose_for(&v, &device, geom, false, false);
    cr_expect_eq(v.stream, RILL_PULL, "2 million nodes of 152 B take 0.28 GiB of 1 GiB");
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    v = rill_variant_default();
    rill_variant_choose_for(&v, &device, geom, false, false);
    cr_expect_eq(v.stream, RILL_RING, "4 million nodes of 152 B take 0.57 GiB of 1 GiB");
    rill_geom_destroy(geom);
}

/* A device gets a bitmap with two arrays where they fit well, or else a ring, in 16 bits AA, a CPU what it
 * had; what was asked for stays, and what goes with it follows. */
Test(variant, fastest_is_chosen_by_device)
{
    const rill_backend host = {.host = true, .traits.processor = true},
                       other = {.memory.available = room_of_some};
    rill_device cpu = {.backend = &host}, device = {.backend = &other};
    const rill_variant usual = rill_variant_default();
    rill_variant v = usual;
    cr_expect_not_null(rill_variant_choose(&v, &cpu, 1000, false, false));
    cr_expect(rill_variant_equal(v, usual));
    const char *reason = rill_variant_choose(&v, &device, 3500000, false, false);
    cr_expect(v.stream == RILL_PULL && v.addressing == RILL_BITMAP && v.storage == usual.storage, "%s",
              reason);
    v = usual;
    cr_expect_str_neq(rill_variant_choose(&v, &device, 3600000, false, false), reason);
    cr_expect(v.stream == RILL_RING && v.addressing == RILL_BITMAP && v.storage == usual.storage,
              "152 B each");
    ASSERT_OK(rill_variant_check(v));
    v = usual;
    rill_variant_choose(&v, &device, UINT64_C(3) << 30, false, false);
    cr_expect(v.stream == RILL_AA && v.addressing == RILL_BITMAP);
    v = usual;
    v.storage = RILL_FP16S;
    rill_variant_choose(&v, &device, 8000000, false, false);
    cr_expect(v.stream == RILL_AA && v.addressing == RILL_BITMAP && v.storage == RILL_FP16S);
    v = usual;
    v.stream = RILL_ESOTWIST;
    rill_variant_choose(&v, &device, 1000, true, false);
    cr_expect(v.stream == RILL_ESOTWIST && v.addressing == usual.addressing);
    v.stream = RILL_RING;
    rill_variant_choose(&v, &device, 1000, true, false);
    cr_expect(v.stream == RILL_RING && v.addressing == RILL_BITMAP);
    v = usual;
    v.addressing = RILL_CHASE;
    rill_variant_choose(&v, &device, 1000, false, true);
    cr_expect(v.stream == RILL_AA && v.addressing == RILL_CHASE);
    ASSERT_OK(rill_variant_check(v));
}
