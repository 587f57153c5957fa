/* SPDX-License-Identifier: Apache-2.0 */
/* Geometry files: what is written reads back. */
#include "io/geom_file.h"
#include "io/hdf5.h"
#include "rill.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[] = "/tmp/rill-geom-XXXXXX";
static char path[64];

static void begin(void)
{
    cr_assert(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/a.geom.h5", directory);
}

static void end(void)
{
    unlink(path);
    cr_assert_eq(rmdir(directory), 0, "a file was left behind");
}

TestSuite(geom_file, .init = begin, .fini = end);

/* A box larger than a chunk along x, with fluid and patch voxels in one corner only. */
static rill_geom *sample(void)
{
    const uint32_t n[3] = {150, 70, 40};
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create(n, &geom), RILL_OK);
    for (unsigned v = 0; v < 60; v++) geom->voxels[v] = (uint8_t)(v % 4);
    geom->voxels[150 * 70 * 40 - 1] = RILL_FLUID;
    geom->spacing = 5.7e-6;
    geom->origin[1] = -0.25;
    geom->sides[1] = RILL_MIRROR;
    geom->sides[2] = RILL_WALL;
    geom->porosity.total = 0.25;
    geom->porosity.percolating[2] = 0.125;
    geom->source = strdup("rock-ü.raw");
    geom->source_hash = strdup("0123456789abcdef");
    geom->options = strdup("rill voxelize 'a b.raw'");
    return geom;
}

Test(geom_file, reads_back_what_was_written)
{
    rill_geom *geom = sample(), *back = NULL;
    cr_assert_eq(rill_geom_write(geom, path, NULL), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_geom_read(path, &back), RILL_OK, "%s", rill_error_message());
    cr_assert_arr_eq(back->n, geom->n, sizeof geom->n);
    cr_assert_arr_eq(back->voxels, geom->voxels, rill_geom_voxels(geom));
    cr_assert_eq(back->spacing, 5.7e-6);
    cr_assert_arr_eq(back->origin, geom->origin, sizeof geom->origin);
    cr_assert_arr_eq(back->sides, geom->sides, sizeof geom->sides);
    cr_assert_eq(memcmp(&back->porosity, &geom->porosity, sizeof geom->porosity), 0);
    cr_assert_str_eq(back->source, geom->source);
    cr_assert_str_eq(back->source_hash, geom->source_hash);
    cr_assert_str_eq(back->options, geom->options);
    rill_geom_destroy(back);
    rill_geom_destroy(geom);
}
