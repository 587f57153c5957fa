/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the scatter of blocks says of k of the whole: Student's quantile, blocks whose numbers are known, and
 * random media of which many images are there, so that their scatter is known.
 */
#include "batch/rev.h"
#include "geometry/generate/generate.h"
#include "rill.h"
#include "core/sanitized.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fisher & Yates (1963), table III, to the digits that they give. */
Test(sample_error, quantiles_are_students)
{
    const struct {
        size_t freedom;
        double value;
    } table[] = {{7, 2.365}, {10, 2.228}, {26, 2.056}, {60, 2.000}, {120, 1.980}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        cr_expect_float_eq(rill_rev_student(table[i].freedom), table[i].value, 5.1e-4, "%zu: %.5f",
                           table[i].freedom, rill_rev_student(table[i].freedom));
}

/* k of blocks along x alone. */
static void rows_fill(rill_batch_row *rows, const double *k, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        rows[i] = (rill_batch_row){.reason = RILL_BATCH_CONVERGED, .status = RILL_OK};
        for (int c = 0; c < 9; c++) rows[i].k[c / 3][c % 3] = NAN;
        rows[i].k[0][0] = k[i];
    }
}

/* k^(1/3) is 0 and 2 in turn: its mean is 1, its variance 8/7. */
Test(sample_error, is_that_of_the_cube_roots)
{
    const double k[9] = {0, 8, 0, 8, 0, 8, 0, 8, NAN};
    rill_batch_row rows[9];
    rill_sample_error e;
    rows_fill(rows, k, 9);
    const rill_block_grid grid = {.edge = 10, .count = 9};
    cr_assert(rill_rev_sample_error(&grid, rows, RILL_REV_K, 27000, &e));
    cr_assert_eq(e.blocks, 8);
    cr_assert_float_eq(e.deviation, 3 * sqrt(8.0 / 7), 1e-12);
    const double block = rill_rev_student(7) * e.deviation * (1 + 0.2 * sqrt(8.0 / 7));
    double range[2];
    cr_assert_float_eq(e.half_width, block / sqrt(27), 1e-12);
    rill_rev_sample_range(&e, range);
    cr_assert_float_eq(range[0], pow(1 - e.half_width / 3, 3), 1e-12);
    cr_assert_float_eq(range[1], 1 / range[0], 1e-12);
    /* Blocks that say nothing leave any permeability open. */
    e.half_width = 4;
    rill_rev_sample_range(&e, range);
    cr_assert(range[0] == 0 && isinf(range[1]));
    /* A cube of that edge is good to a tenth. */
    cr_assert(rill_rev_sample_error(&grid, rows, RILL_REV_K_X, pow(e.edge_tenth, 3), &e));
    cr_assert_float_eq(e.half_width, 0.1, 1e-12);
    cr_assert_not(rill_rev_sample_error(&grid, rows, RILL_REV_K_Y, 27000, &e));
    /* Seven are too few, and so are blocks of which none conducts. */
    const rill_block_grid fewer = {.edge = 12, .first = 1, .count = 7};
    cr_assert_not(rill_rev_sample_error(&fewer, rows, RILL_REV_K, 27000, &e));
    cr_assert_eq(e.blocks, 7);
    cr_assert(isnan(e.half_width));
    const rill_block_grid both[2] = {grid, fewer};
    cr_assert_eq(rill_rev_sample_choose(both, 2, rows), 0);
    cr_assert_eq(rill_rev_sample_choose(&fewer, 1, rows), -1);
    const double none[8] = {0};
    rows_fill(rows, none, 8);
    cr_assert_not(rill_rev_sample_error(&grid, rows, RILL_REV_K, 27000, &e));
}

enum { EDGE = 24, ACROSS = 3, IMAGES = ACROSS * ACROSS * ACROSS };

/* Images of 24^3 voxels, cut from one random medium, and eight blocks of each. @return of how many the
 * interval holds k of the medium, the mean of all */
static int covered(rill_geom *medium, double *widest)
{
    rill_block_grid grids[2];
    rill_batch_item *items = NULL;
    size_t count;
    rill_batch batch;
    int inside = 0;
    double mean = 0;
    rill_batch_options o = rill_batch_options_default();
    o.permeability.axis = 0;
    o.permeability.tolerance = 0.01;
    o.permeability.on.backend = RILL_BACKEND_CPU;
    for (int a = 0; a < 3; a++) medium->sides[a] = RILL_MIRROR;
    cr_assert_eq(
        rill_blocks_create(medium, "m", (const uint32_t[]){EDGE, EDGE / 2}, 2, grids, &items, &count),
        RILL_OK);
    cr_assert_eq(rill_batch_compute(items, count, &o, &batch), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(grids[0].count, (size_t)IMAGES);
    for (int i = 0; i < IMAGES; i++) mean += cbrt(batch.rows[i].k[0][0]) / IMAGES;
    *widest = 0;
    for (uint32_t i = 0; i < IMAGES; i++) {
        const uint32_t at[3] = {i % ACROSS, i / ACROSS % ACROSS, i / ACROSS / ACROSS};
        rill_batch_row own[8];
        rill_sample_error e;
        for (uint32_t b = 0; b < 8; b++) {
            const uint32_t x = 2 * at[0] + b % 2, y = 2 * at[1] + b / 2 % 2, z = 2 * at[2] + b / 4;
            own[b] = batch.rows[grids[1].first + x + 2 * ACROSS * (y + 2 * ACROSS * z)];
        }
        const rill_block_grid grid = {.edge = EDGE / 2, .count = 8};
        cr_assert(rill_rev_sample_error(&grid, own, RILL_REV_K, EDGE * EDGE * EDGE, &e));
        double range[2];
        const double part = mean * mean * mean / batch.rows[i].k[0][0];
        rill_rev_sample_range(&e, range);
        inside += part >= range[0] && part <= range[1];
        *widest = fmax(*widest, e.half_width);
    }
    rill_batch_free(&batch);
    rill_blocks_free(items);
    rill_geom_destroy(medium);
    return inside;
}

/* 95 % of 27 are 25.6; fewer than 23 would be chance in one of 90 media. */
Test(sample_error, holds_k_of_random_media, .disabled = SANITIZED)
{
    rill_geom *geom = NULL;
    double widest;
    rill_grf_options field = rill_grf_options_default();
    for (int a = 0; a < 3; a++) field.n[a] = ACROSS * EDGE;
    field.correlation = 2.5;
    field.porosity = 0.4;
    cr_assert_eq(rill_generate_grf(&field, &geom), RILL_OK, "%s", rill_error_message());
    cr_assert_geq(covered(geom, &widest), 23);
    cr_assert_lt(widest, 2);
}
