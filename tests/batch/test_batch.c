/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_batch.c
 * Batches: rows with the bits of single runs whatever is computed at the same time, rows of what does not
 * percolate, cannot be read or has no solid, tables that are read back, blocks and what is made of them.
 */
#include "batch/csv.h"
#include "batch/gate.h"
#include "batch/input.h"
#include "batch/part.h"
#include "core/clock.h"
#include "device/meter.h"
#include "directory.h"
#include "rill.h"

#include <criterion/criterion.h>
#include <math.h>
#include <unistd.h>

static char directory[DIRECTORY_SIZE], home[4096]; /* where the tests were started */

static void start(void)
{
    cr_assert_not_null(getcwd(home, sizeof home));
    directory_make(directory);
    cr_assert_eq(chdir(directory), 0);
}

static void end(void)
{
    cr_assert_eq(chdir("/"), 0);
    directory_remove(directory);
}

TestSuite(batch, .init = start, .fini = end);

/* A medium of n^3 voxels that conducts along z alone in its first half: channels, and balls above. */
static rill_geom *medium(uint32_t n)
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create((const uint32_t[3]){n, n, n}, &geom), RILL_OK);
    geom->spacing = 2e-6;
    for (int a = 0; a < 3; a++) geom->sides[a] = RILL_MIRROR;
    uint8_t *voxel = geom->voxels;
    for (uint32_t z = 0; z < n; z++)
        for (uint32_t y = 0; y < n; y++)
            for (uint32_t x = 0; x < n; x++, voxel++) {
                const double i = x % 6 - 2.5, j = y % 6 - 2.5, k = z % 6 - 2.5;
                const bool ball = i * i + j * j + k * k < 7.5, channel = x % 6 >= 2 && y % 6 >= 2;
                *voxel = x < n / 2 ? channel : !ball;
            }
    return geom;
}

static rill_batch_options options_of(int axis)
{
    rill_batch_options o = rill_batch_options_default();
    o.permeability.axis = axis;
    o.permeability.on.backend = RILL_BACKEND_CPU;
    return o;
}

/* k of a block by itself. */
static void single(const rill_geom *geom, const rill_batch_item *item, int axis, double k[3][3])
{
    rill_geom *part = NULL;
    rill_permeability_plan plan;
    rill_permeability result;
    rill_permeability_options o = rill_permeability_options_default();
    o.axis = axis;
    o.on.backend = RILL_BACKEND_CPU;
    o.variant.stream = RILL_AA;
    o.variant.addressing = RILL_LIST;
    cr_assert_eq(rill_geom_create(item->n, &part), RILL_OK);
    part->spacing = geom->spacing;
    memcpy(part->sides, geom->sides, sizeof part->sides);
    for (uint32_t z = 0; z < item->n[2]; z++)
        for (uint32_t y = 0; y < item->n[1]; y++)
            memcpy(part->voxels + ((size_t)z * item->n[1] + y) * item->n[0],
                   geom->voxels +
                       ((size_t)(item->first[2] + z) * geom->n[1] + item->first[1] + y) * geom->n[0] +
                       item->first[0],
                   item->n[0]);
    cr_assert_eq(rill_permeability_prepare(part, &o), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_permeability_plan_make(part, &o, &plan), RILL_OK);
    cr_assert_eq(rill_permeability_compute(part, &o, &plan, &result), RILL_OK);
    memcpy(k, result.k, sizeof result.k);
    rill_permeability_free(&result);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(part);
}

Test(batch, rows_have_the_bits_of_single_runs)
{
    rill_geom *geom = medium(24);
    rill_block_grid grid;
    rill_batch_item *items;
    rill_batch batch;
    size_t count;
    double k[3][3];
    rill_batch_options o = options_of(-1);
    cr_assert_eq(rill_blocks_create(geom, "m", (const uint32_t[]){12}, 1, &grid, &items, &count), RILL_OK);
    cr_assert_eq(count, 8);
    for (o.at_once = 1; o.at_once <= 3; o.at_once += 2) {
        cr_assert_eq(rill_batch_compute(items, count, &o, &batch), RILL_OK, "%s", rill_error_message());
        cr_expect_eq(rill_batch_status(&batch), RILL_OK);
        cr_expect_eq(batch.ended[RILL_BATCH_CONVERGED], 8);
        single(geom, &items[1], -1, k); /* balls: all axes */
        cr_expect_arr_eq(batch.rows[1].k, k, sizeof k);
        single(geom, &items[0], -1, k); /* channels: z alone, x and y are 0 */
        cr_expect_arr_eq(batch.rows[0].k, k, sizeof k);
        for (int e = 0; e < 8; e++) cr_expect_eq(k[e / 3][e % 3], 0);
        cr_expect_gt(k[2][2], 0);
        cr_expect_not_null(
            strstr(batch.rows[0].message, "nothing percolates along x (mirrored), y (mirrored)"));
        cr_expect_eq(rill_batch_row_anisotropy(&batch.rows[0]), INFINITY);
        cr_expect_float_eq(rill_batch_row_mean(&batch.rows[0]), k[2][2] / 3, 1e-15);
        cr_expect(batch.device_use > 0 && batch.device_use <= 1, "%g", batch.device_use);
        cr_expect_eq(batch.at_once, o.at_once);
        rill_batch_free(&batch);
    }
    rill_blocks_free(items);
    rill_geom_destroy(geom);
}

Test(batch, what_has_no_flow_is_a_row)
{
    rill_geom *solid = medium(12), *open = medium(12), *plane = medium(12);
    memset(solid->voxels, RILL_SOLID, 12 * 12 * 12);
    memset(open->voxels, RILL_FLUID, 12 * 12 * 12);
    memset(plane->voxels, RILL_FLUID, 12 * 12 * 12);
    memset(plane->voxels + 5 * 12 * 12, RILL_SOLID, 12 * 12);
    const rill_batch_item items[] = {{.name = "solid", .geom = solid},
                                     {.name = "open", .geom = open},
                                     {.name = "plane", .geom = plane},
                                     {.name = "missing.tif"}};
    rill_batch batch;
    rill_batch_options o = options_of(2);
    cr_assert_eq(rill_batch_compute(items, 4, &o, &batch), RILL_OK, "%s", rill_error_message());
    for (int i = 0; i < 3; i += 2) { /* k = 0 is a result, known exactly */
        cr_expect_eq(batch.rows[i].reason, RILL_BATCH_NOT_PERCOLATING);
        cr_expect_eq(batch.rows[i].status, RILL_OK);
        cr_expect_eq(batch.rows[i].k[2][2], 0);
        cr_expect(isnan(batch.rows[i].k[0][0]));
        cr_expect_eq(batch.rows[i].uncertainty, 0);
    }
    cr_expect_eq(batch.rows[0].porosity.total, 0);
    cr_expect_float_eq(batch.rows[2].porosity.total, 11.0 / 12, 1e-15);
    cr_expect_eq(batch.rows[1].reason, RILL_BATCH_NO_SOLID);
    cr_expect(isnan(batch.rows[1].k[2][2]) && batch.rows[1].status == RILL_OK);
    cr_expect_eq(batch.rows[3].reason, RILL_BATCH_REFUSED);
    cr_expect_not_null(strstr(batch.rows[3].message, "missing.tif"));
    cr_expect_eq(rill_batch_status(&batch), RILL_USAGE);
    cr_expect_eq(batch.ended[RILL_BATCH_REFUSED], 1);
    rill_batch_free(&batch);
    o.permeability.axis = 7;
    cr_expect_eq(rill_batch_compute(items, 4, &o, &batch), RILL_USAGE);
    rill_batch_free(&batch);
    cr_expect_eq(rill_batch_compute(items, 0, &o, &batch), RILL_USAGE);
    rill_geom_destroy(solid);
    rill_geom_destroy(open);
    rill_geom_destroy(plane);
}

Test(batch, a_run_that_does_not_converge_is_a_row)
{
    rill_geom *geom = medium(24), *plane = medium(12);
    memset(plane->voxels + 5 * 12 * 12, RILL_SOLID, 12 * 12);
    const rill_batch_item items[] = {{.name = "long", .geom = geom}, {.name = "plane", .geom = plane}};
    rill_batch batch;
    rill_batch_options o = options_of(2);
    o.permeability.max_steps = 40;
    o.table = "k.csv";
    for (o.resume = false;; o.resume = true) { /* it would not converge again, either */
        cr_assert_eq(rill_batch_compute(items, 2, &o, &batch), RILL_OK, "%s", rill_error_message());
        cr_expect_eq(batch.rows[0].reason, RILL_BATCH_NOT_CONVERGED);
        cr_expect_eq(batch.rows[0].status, RILL_NUMERICS);
        cr_expect(isnan(batch.rows[0].k[2][2]) && isnan(batch.rows[0].uncertainty));
        cr_expect_not_null(strstr(batch.rows[0].message, "raise --max-steps"), "%s", batch.rows[0].message);
        cr_expect_eq(batch.rows[1].k[2][2], 0);
        cr_expect_eq(rill_batch_status(&batch), RILL_NUMERICS);
        cr_expect(isnan(rill_batch_row_mean(&batch.rows[0])));
        cr_expect_eq(batch.resumed, o.resume ? 2 : 0);
        rill_batch_free(&batch);
        if (o.resume) break;
    }
    rill_geom_destroy(geom);
    rill_geom_destroy(plane);
}

static bool stop_at_once(void *context, const rill_progress_moment *moment)
{
    (void)moment;
    return ++*(int *)context < 2;
}

/* What was last reported of a batch. */
typedef struct reported {
    double fraction;
    bool further;           /* items have runs whose number is not known before */
    int wrong, calls, none; /* none: calls before an item had ended */
} reported;

static bool note(void *context, const rill_progress_moment *moment)
{
    reported *r = context;
    const bool none = strncmp(moment->what, "0 of ", 5) == 0;
    r->calls++;
    r->none += none;
    r->wrong += moment->fraction >= 0 && moment->fraction < r->fraction;
    r->wrong += moment->fraction > 1;
    r->wrong += none && r->further && (moment->fraction >= 0 || moment->seconds_left >= 0);
    r->fraction = fmax(r->fraction, moment->fraction);
    return true;
}

/* Flows of an error bar are not its item: their estimates went from 84 % back to 2. */
Test(batch, progress_never_goes_back)
{
    rill_geom *geom = medium(24);
    rill_block_grid grid;
    rill_batch_item *items;
    size_t count;
    cr_assert_eq(rill_blocks_create(geom, "a", (const uint32_t[]){12}, 1, &grid, &items, &count), RILL_OK);
    for (int further = 0; further < 2; further++) {
        rill_batch batch;
        rill_batch_options o = options_of(further ? 2 : RILL_AXES_XYZ);
        reported r = {.further = further};
        o.error_bar = further;
        o.at_once = 2;
        o.progress = (rill_progress){note, &r};
        o.progress_seconds = 0;
        cr_assert_eq(rill_batch_compute(items, further ? 2 : count, &o, &batch), RILL_OK, "%s",
                     rill_error_message());
        cr_expect_eq(r.wrong, 0, "%s an error bar: %d moments", further ? "with" : "without", r.wrong);
        cr_expect_geq(r.calls, 2);
        if (further) cr_expect_geq(r.none, 1);
        rill_batch_free(&batch);
    }
    rill_blocks_free(items);
    rill_geom_destroy(geom);
}

/* Times as a flow reports them, and the part of its item after each. */
Test(batch, the_part_of_an_item_follows_estimates_that_agree)
{
    const struct {
        int axis;
        double now, left, part;
    } moments[] = {{0, 10, -1, 0},           /* begins */
                   {0, 11, 99, 0},           /* 1 of 100 s: the first estimate */
                   {0, 12, 8, 0},            /* 2 of 10: does not agree with 100 */
                   {0, 13, 7, 0.1},          /* 3 of 10: of three axes */
                   {0, 14, 10, 0.1},         /* 4 of 14: agrees, is less */
                   {0, 14.5, -1, 0.1},       /* unknown again */
                   {0, 15, 4, 0.1},          /* 5 of 9: less than 14 / 1.5 */
                   {0, 19, 1, 0.3},          /* 9 of 10 */
                   {0, 19.5, 0.5, 0.95 / 3}, /* 9.5 of 10 */
                   {1, 20, 10, 0.95 / 3},    /* of the next axis the first */
                   {1, 20.5, 9.5, 1.05 / 3},
                   {2, 30, -1, 1.05 / 3},
                   {2, 36, 4, 1.05 / 3},
                   {2, 40, 0, 1}};
    rill_batch_part part = rill_batch_part_begin();
    for (size_t k = 0; k < sizeof moments / sizeof *moments; k++) {
        rill_batch_part_note(&part, RILL_AXES_XYZ, moments[k].axis, moments[k].now, moments[k].left);
        cr_expect_float_eq(part.done, moments[k].part, 1e-6, "moment %zu: %.9g", k, part.done);
    }
    part = rill_batch_part_begin();
    for (int k = 0; k < 3; k++) {
        rill_batch_part_note(&part, 2, 2, 5 + k, 4 - k);
        cr_expect_float_eq(part.done, k * 0.25, 1e-6, "one axis, moment %d: %.9g", k, part.done);
    }
}

/* Items that are refused in no time say nothing of the others: "0.1 s left" stood for hours. */
Test(batch, the_end_of_a_batch_follows_what_was_computed)
{
    rill_batch_standing s = {.all = 100};
    const rill_batch_row refused = {.status = RILL_USAGE}, resumed = {.resumed = true},
                         computed = {.status = RILL_OK}, slow = {.status = RILL_NUMERICS};
    for (int k = 0; k < 12; k++) rill_batch_standing_add(&s, &refused, 1);
    cr_expect_eq(rill_batch_standing_left(&s, 0.01), -1, "%g", rill_batch_standing_left(&s, 0.01));
    cr_expect_eq(s.failed, 12);
    cr_expect_eq(s.done, 12);
    for (int k = 0; k < 8; k++) rill_batch_standing_add(&s, &resumed, 1);
    cr_expect_eq(rill_batch_standing_left(&s, 0.01), -1);
    rill_batch_standing_add(&s, &computed, 1); /* 1 of 80 */
    cr_expect_eq(rill_batch_standing_left(&s, 10), -1, "%g", rill_batch_standing_left(&s, 10));
    rill_batch_standing_add(&s, &slow, 7); /* 8 of 80: a tenth */
    cr_expect_float_eq(rill_batch_standing_left(&s, 90), 810, 1e-9);
    cr_expect_eq(s.ended, 22);
    s = (rill_batch_standing){.all = 1000};
    rill_batch_standing_add(&s, &resumed, 990);
    rill_batch_standing_add(&s, &computed, 2); /* a fifth of what is not resumed */
    cr_expect_float_eq(rill_batch_standing_left(&s, 3), 12, 1e-9);
}

Test(batch, a_table_is_resumed)
{
    rill_geom *geom = medium(24);
    rill_block_grid grid;
    rill_batch_item *items;
    rill_batch first, second;
    size_t count;
    rill_batch_options o = options_of(2);
    o.table = "k.csv";
    cr_assert_eq(rill_blocks_create(geom, "a, \"b\"", (const uint32_t[]){12}, 1, &grid, &items, &count),
                 RILL_OK);
    cr_assert_eq(rill_batch_compute(items, count, &o, &first), RILL_OK, "%s", rill_error_message());
    o.resume = true;
    geom->voxels[0] ^= 1; /* of the first block alone */
    cr_assert_eq(rill_batch_compute(items, count, &o, &second), RILL_OK, "%s", rill_error_message());
    cr_expect_eq(second.resumed, count - 1);
    cr_expect_not(second.rows[0].resumed);
    for (size_t i = 1; i < count; i++) {
        cr_expect(second.rows[i].resumed);
        cr_expect_eq(memcmp(second.rows[i].k, first.rows[i].k, sizeof first.rows[i].k), 0);
        cr_expect_eq(second.rows[i].seconds, first.rows[i].seconds);
        cr_expect_str_eq(second.rows[i].message, first.rows[i].message);
    }
    rill_batch_free(&second);
    /* Other options: all anew. Cancelled at once: the old rows stay where no new ones are. */
    o.permeability.tolerance = 2e-3;
    o.progress_seconds = 0;
    int calls = 1;
    o.progress = (rill_progress){stop_at_once, &calls};
    cr_expect_eq(rill_batch_compute(items, count, &o, &second), RILL_CANCELLED);
    rill_batch_free(&second);
    rill_batch_csv *csv = NULL;
    cr_assert_eq(rill_batch_csv_read("k.csv", false, &csv), RILL_OK, "%s", rill_error_message());
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        for (int which = 0; which < 2; which++) {
            rill_batch_row row = first.rows[i];
            o.permeability.tolerance = which ? 2e-3 : 1e-3;
            cr_assert_eq(rill_batch_options_hash(&items[i], &o, row.made.options_hash), RILL_OK);
            found += rill_batch_csv_find(csv, &items[i], &row);
        }
    cr_expect_eq(found, count);
    rill_batch_csv_destroy(csv);
    rill_batch_free(&first);
    rill_blocks_free(items);
    rill_geom_destroy(geom);
}

Test(batch, a_table_that_is_none_is_refused)
{
    const rill_batch_item item = {.name = "x.tif"};
    rill_batch batch;
    rill_batch_options o = options_of(2);
    o.table = "k.csv";
    o.resume = true;
    const struct {
        const char *text, *part;
    } cases[] = {{"a,b\n1,2\n", "other columns"}, {"", "other columns"}};
    for (size_t k = 0; k < 2; k++) {
        directory_put(directory, "k.csv", cases[k].text);
        cr_expect_eq(rill_batch_compute(&item, 1, &o, &batch), RILL_USAGE);
        cr_expect_not_null(strstr(rill_error_message(), cases[k].part), "%s", rill_error_message());
        rill_batch_free(&batch);
    }
    cr_assert_eq(unlink("k.csv"), 0);
    cr_assert_eq(rill_batch_compute(&item, 1, &o, &batch), RILL_OK); /* one row, refused */
    rill_batch_free(&batch);
    FILE *file = fopen("k.csv", "a");
    fputs("cut,whole,0\n", file);
    fclose(file);
    cr_expect_eq(rill_batch_compute(&item, 1, &o, &batch), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "row 3 has 3 cells"), "%s", rill_error_message());
    rill_batch_free(&batch);
}

/* A flipped bit makes another digit, or another name, of any column: none is taken for a result. */
Test(batch, a_row_that_changed_is_refused)
{
    const rill_batch_item item = {.name = "x.tif"};
    rill_batch batch;
    rill_batch_csv *csv = NULL;
    rill_batch_options o = options_of(2);
    o.table = "k.csv";
    cr_assert_eq(rill_batch_compute(&item, 1, &o, &batch), RILL_OK); /* one row, refused */
    rill_batch_free(&batch);
    char text[8192];
    FILE *file = fopen("k.csv", "r+");
    const size_t size = fread(text, 1, sizeof text, file);
    const char *row = memchr(text, '\n', size);
    cr_assert_not_null(row);
    for (size_t k = (size_t)(row + 1 - text); k + 1 < size; k++) {
        const int bit = text[k] == ',' ? 0 : 1 + (int)(k % 2); /* a comma becomes a hyphen */
        fseek(file, (long)k, SEEK_SET);
        fputc(text[k] ^ 1 << bit, file);
        fflush(file);
        cr_expect_eq(rill_batch_csv_read("k.csv", false, &csv), RILL_USAGE, "byte %zu: '%c'", k, text[k]);
        fseek(file, (long)k, SEEK_SET);
        fputc(text[k], file);
    }
    fclose(file);
    cr_assert_eq(rill_batch_csv_read("k.csv", false, &csv), RILL_OK, "%s", rill_error_message());
    rill_batch_csv_destroy(csv);
}

Test(batch, blocks_are_cut_and_described)
{
    rill_geom *geom = medium(24);
    rill_block_grid grids[2];
    rill_batch_item *items;
    size_t count;
    cr_assert_eq(rill_blocks_create(geom, "m", (const uint32_t[]){7, 12}, 2, grids, &items, &count), RILL_OK);
    cr_expect_eq(count, 27 + 8);
    cr_expect(grids[0].left[1] == 3 && grids[1].left[1] == 0 && grids[1].first == 27);
    cr_expect(items[1].first[0] == 7 && items[3].first[1] == 7 && items[9].first[2] == 7);
    cr_expect(items[27 + 7].first[0] == 12 && items[27 + 7].n[2] == 12);
    const uint32_t wrong[][2] = {{25, 12}, {3, 12}, {12, 12}};
    rill_batch_item *none = NULL;
    for (int k = 0; k < 3; k++)
        cr_expect_eq(rill_blocks_create(geom, "m", wrong[k], 2, grids, &none, &count), RILL_USAGE);

    /* k 1, 2, 3, 10 and 0; one without a result */
    rill_batch_row rows[6] = {{.k = {{0}}}};
    const double values[] = {3, 1, 0, 10, 2, 77};
    const rill_block_grid grid = {.edge = 12, .count = 6};
    for (int i = 0; i < 6; i++) {
        rows[i].reason = i == 5 ? RILL_BATCH_NOT_CONVERGED : RILL_BATCH_CONVERGED;
        rows[i].status = i == 5 ? RILL_NUMERICS : RILL_OK;
        for (int k = 0; k < 9; k++) rows[i].k[k / 3][k % 3] = NAN;
        rows[i].k[1][1] = values[i];
    }
    rill_rev_numbers n;
    cr_assert_eq(rill_rev_describe(&grid, rows, RILL_REV_K, &n), RILL_OK);
    cr_expect(n.blocks == 5 && n.positive == 4);
    cr_expect_float_eq(n.mean, 3.2, 1e-15);
    cr_expect_float_eq(n.deviation, sqrt((0.04 + 4.84 + 10.24 + 46.24 + 1.44) / 4), 1e-14);
    cr_expect_float_eq(n.geometric, pow(60, 0.25), 1e-14);
    const double quantiles[] = {0, 1, 2, 3, 10};
    for (int q = 0; q < 5; q++) cr_expect_eq(n.quantile[q], quantiles[q]);
    cr_assert_eq(rill_rev_describe(&grid, rows, RILL_REV_ANISOTROPY, &n), RILL_OK);
    cr_expect(n.blocks == 0 && isnan(n.mean));
    rill_blocks_free(items);
    rill_geom_destroy(geom);
}

/* A thread that wants memory. */
typedef struct guest {
    rill_gate *gate;
    uint64_t host, device;
    bool alone;
    int most, wrong; /* inside at the same time, and limits exceeded, as it saw it */
} guest;

static void *visit(void *of)
{
    guest *g = of;
    rill_gate *gate = g->gate;
    rill_gate_pass pass = {0};
    for (int k = 0; k < 100; k++) {
        g->wrong += !rill_gate_enter(gate, &pass, 0, g->host, g->alone);
        usleep(50);
        g->wrong += !rill_gate_compute(gate, &pass, g->host, g->device);
        usleep(50);
        pthread_mutex_lock(&gate->lock);
        if (gate->inside > g->most) g->most = gate->inside;
        if (gate->inside > 1) g->wrong += gate->host_used > gate->host_limit;
        if (gate->computing > 1) g->wrong += gate->device_used[0] > gate->device_limit[0];
        pthread_mutex_unlock(&gate->lock);
        rill_gate_leave(gate, &pass);
    }
    return NULL;
}

Test(batch, memory_is_shared)
{
    rill_gate gate;
    pthread_t threads[4];
    guest guests[] = {{&gate, 40, 10, false, 0, 0}, /* beside the next on the host, not on the device */
                      {&gate, 40, 95, false, 0, 0},
                      {&gate, 500, 900, false, 0, 0}, /* more than there is: goes on where nobody else is */
                      {&gate, 10, 10, true, 0, 0}};
    rill_gate_init(&gate, 100, (const uint64_t[]){100}, 1);
    for (int k = 0; k < 4; k++) cr_assert_eq(pthread_create(&threads[k], NULL, visit, &guests[k]), 0);
    for (int k = 0; k < 4; k++) cr_assert_eq(pthread_join(threads[k], NULL), 0);
    for (int k = 0; k < 4; k++) cr_expect_eq(guests[k].wrong, 0);
    cr_expect_eq(guests[3].most, 1); /* who is to be alone is */
    cr_expect_eq(gate.host_used + gate.device_used[0] + (uint64_t)gate.inside + (uint64_t)gate.computing, 0);
    rill_gate_pass pass, beside; /* others need not be: the second does not wait */
    cr_expect(rill_gate_enter(&gate, &pass, 0, 40, false) && rill_gate_enter(&gate, &beside, 0, 60, false));
    cr_expect(gate.inside == 2 && gate.host_used == 100);
    rill_gate_leave(&gate, &pass);
    rill_gate_leave(&gate, &beside);
    rill_gate_cancel(&gate);
    cr_expect_not(rill_gate_enter(&gate, &pass, 0, 1, false));
    rill_gate_close(&gate);
}

Test(batch, a_meter_counts_overlapping_periods_once)
{
    rill_meter meter;
    rill_meter_init(&meter);
    const double begun = rill_now();
    rill_meter_begin(&meter);
    usleep(20000);
    rill_meter_begin(&meter);
    usleep(20000);
    rill_meter_end(&meter);
    usleep(20000);
    rill_meter_end(&meter);
    const double seconds = rill_meter_seconds(&meter);
    cr_expect(seconds >= 0.06 && seconds <= rill_now() - begun, "%g", seconds);
    usleep(20000);
    cr_expect_eq(rill_meter_seconds(&meter), seconds); /* nobody steps */
    rill_meter_begin(&meter);
    usleep(1000);
    cr_expect_gt(rill_meter_seconds(&meter), seconds);
    rill_meter_end(&meter);
    rill_meter_close(&meter);
}

/* A row as a batch makes it, with a diagonal. */
static rill_batch_row row_of(rill_batch_reason reason, double x, double y, double z)
{
    rill_batch_row row = {
        .reason = reason, .porosity = {0.25, 0.25, {0.25, 0.25, 0.25}}, .uncertainty = 0.001};
    row.k[0][0] = x;
    row.k[1][1] = y;
    row.k[2][2] = z;
    row.k[0][2] = 0.125;
    return row;
}

Test(batch, vtk_reads_the_map)
{
    rill_geom *geom = medium(12);
    geom->origin[1] = 1e-3;
    const rill_block_grid grid = {.edge = 6, .n = {2, 1, 1}, .count = 2, .first = 1};
    rill_batch_row rows[3] = {row_of(RILL_BATCH_OPEN, 9, 9, 9), row_of(RILL_BATCH_CONVERGED, 0.1, 0.2, 0.4),
                              row_of(RILL_BATCH_NO_SOLID, NAN, NAN, NAN)};
    cr_assert_eq(rill_block_map_write(&grid, rows, geom, "m.vti"), RILL_OK, "%s", rill_error_message());
    rill_geom_destroy(geom);
    char command[512], line[512], path[DIRECTORY_SIZE + 8];
    snprintf(path, sizeof path, "%s/m.vti", directory);
    cr_assert_eq(chdir(home), 0);
    snprintf(command, sizeof command, "/usr/bin/python3 tests/vti_read.py '%s'", path);
    FILE *pipe = popen(command, "r");
    cr_assert_not_null(pipe);
    const char *const wanted[] = {"points 3 2 2",
                                  "spacing 1.2e-05 1.2e-05 1.2e-05",
                                  "origin 0 0.001 0",
                                  "permeability 0 4e-13 0 5e-13 0 8e-13 0 0 0 1.6e-12",
                                  "permeability 1 nan 0 5e-13 0 nan 0 0 0 nan",
                                  "permeability_diagonal 0 4e-13 8e-13 1.6e-12",
                                  "permeability_diagonal 1 nan nan nan",
                                  "porosity 0 0.25",
                                  "porosity 1 0.25",
                                  "uncertainty 0 0.001",
                                  "uncertainty 1 0.001",
                                  "anisotropy 0 4",
                                  "anisotropy 1 nan",
                                  "exit_reason 0 1",
                                  "exit_reason 1 3"};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        cr_assert_not_null(fgets(line, sizeof line, pipe), "%s is missing", wanted[k]);
        const char *at = line, *want = wanted[k];
        cr_expect_eq(strncmp(at, want, strcspn(want, " ") + 1), 0, "%s: %s", want, line);
        at += strcspn(at, " "), want += strcspn(want, " ");
        for (char *end; *want; want = end) { /* number by number, to the last digits but one */
            const double number = strtod(want, &end);
            char *got;
            const double seen = strtod(at, &got);
            cr_assert(got != at, "%s: %s", wanted[k], line);
            cr_expect(isnan(number) ? isnan(seen) : fabs(seen - number) <= 1e-15 * fabs(number), "%s: %s",
                      wanted[k], line);
            at = got;
        }
    }
    cr_expect_null(fgets(line, sizeof line, pipe));
    cr_expect_eq(pclose(pipe), 0);
}

Test(batch, the_picture_is_drawn_of_whatever_there_is)
{
    const rill_block_grid grids[2] = {{.edge = 6, .n = {2, 1, 1}, .count = 2},
                                      {.edge = 12, .first = 2, .count = 1}};
    rill_batch_row rows[3] = {row_of(RILL_BATCH_NO_SOLID, NAN, NAN, NAN),
                              row_of(RILL_BATCH_NOT_PERCOLATING, 0, 0, 0),
                              row_of(RILL_BATCH_NOT_PERCOLATING, 0, 0, 0)};
    for (int k = 0; k < 2; k++) { /* nothing above 0, then one value */
        cr_assert_eq(rill_rev_draw(grids, 2, rows, k * 1e-6, "r.svg"), RILL_OK, "%s", rill_error_message());
        FILE *file = fopen("r.svg", "rb");
        cr_assert_not_null(file);
        char text[1 << 15];
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        cr_expect_eq(strncmp(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" ", 40), 0, "%.60s", text);
        cr_expect_not_null(strstr(text, "</svg>\n"));
        cr_expect_not_null(strstr(text, k ? ">k, m\u00b2</text>" : ">k, lattice units</text>"));
        cr_expect_not_null(strstr(text, k ? ">block edge, \u00b5m</text>" : ">block edge, voxels</text>"));
        int blocks = 0, means = 0; /* one of each in the key, three with a porosity */
        for (const char *at = text; (at = strstr(at, "r=\"2.5\"")) != NULL; at++) blocks++;
        for (const char *at = text; (at = strstr(at, "r=\"6.0\"")) != NULL; at++) means++;
        cr_expect_eq(blocks, 1 + 3 + k, "%d blocks", blocks);
        cr_expect_eq(means, 1 + 2 + k, "%d means", means);
        cr_expect(!strstr(text, "nan") && !strstr(text, "inf"));
        cr_assert_eq(rill_rev_write(grids, 2, rows, k * 1e-6, 24 * 24 * 24, "r.csv"), RILL_OK);
        rows[2] = row_of(RILL_BATCH_CONVERGED, 1, 2, 3);
    }
    cr_expect_neq(rill_rev_draw(grids, 2, rows, 0, "nowhere/r.svg"), RILL_OK);
    cr_expect_eq(rill_rev_draw(grids, 2, rows, 0, "r.png"), RILL_USAGE);
}
