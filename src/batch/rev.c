/* SPDX-License-Identifier: Apache-2.0 */
/* Porosity and permeability of blocks against their size, in numbers. The picture is rev_draw.c's. */
#include "batch/rev.h"

#include "batch/csv.h"
#include "core/output.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>

const char *rill_rev_quantity_name(rill_rev_quantity quantity)
{
    static const char *const names[RILL_REV_QUANTITIES] = {"porosity", "k",    "k_xx",
                                                           "k_yy",     "k_zz", "anisotropy"};
    return (unsigned)quantity < RILL_REV_QUANTITIES ? names[quantity] : "unknown";
}

const char *rill_rev_name(const rill_batch_row *rows, rill_rev_quantity quantity)
{
    static const char *const names[RILL_REV_QUANTITIES] = {"porosity", "d",    "d_xx",
                                                           "d_yy",     "d_zz", "anisotropy"};
    return rows->diffusion ? names[quantity] : rill_rev_quantity_name(quantity);
}

static bool is_k(rill_rev_quantity quantity) { return quantity >= RILL_REV_K && quantity <= RILL_REV_K_Z; }

double rill_rev_scale(const rill_batch_row *rows, rill_rev_quantity quantity, double spacing)
{
    return rows->diffusion || !is_k(quantity) || !(spacing > 0) ? 1 : spacing * spacing;
}

double rill_rev_value(const rill_batch_row *row, rill_rev_quantity quantity)
{
    if (row->status != RILL_OK || row->reason == RILL_BATCH_OPEN) return NAN;
    switch (quantity) {
    case RILL_REV_POROSITY:
        return row->porosity.total >= 0 ? row->porosity.total : NAN;
    case RILL_REV_K:
        return rill_batch_row_mean(row);
    case RILL_REV_K_X:
    case RILL_REV_K_Y:
    case RILL_REV_K_Z:
        return row->k[quantity - RILL_REV_K_X][quantity - RILL_REV_K_X];
    case RILL_REV_ANISOTROPY:
        return rill_batch_row_anisotropy(row);
    case RILL_REV_QUANTITIES:
        break;
    }
    return NAN;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that a fraction of the sorted values is not above, linear between two of them. */
static double quantile(const double *sorted, size_t count, double fraction)
{
    const double at = fraction * (double)(count - 1);
    const size_t low = (size_t)at;
    const double part = at - (double)low, a = sorted[low];
    if (part == 0 || sorted[low + 1] == a) return a; /* two infinite ones, too */
    return a + part * (sorted[low + 1] - a);
}

static void describe(const double *sorted, size_t count, rill_rev_numbers *out)
{
    double sum = 0, logs = 0, squares = 0;
    for (size_t k = 0; k < count; k++) {
        sum += sorted[k];
        if (sorted[k] > 0) {
            logs += log(sorted[k]);
            out->positive++;
        }
    }
    out->blocks = count;
    out->mean = sum / (double)count;
    for (size_t k = 0; k < count; k++) squares += (sorted[k] - out->mean) * (sorted[k] - out->mean);
    if (count > 1 && isfinite(out->mean)) out->deviation = sqrt(squares / (double)(count - 1));
    if (out->positive) out->geometric = exp(logs / (double)out->positive);
    for (int q = 0; q < 5; q++) out->quantile[q] = quantile(sorted, count, q / 4.0);
}

rill_status rill_rev_describe(const rill_block_grid *grid, const rill_batch_row *rows,
                              rill_rev_quantity quantity, rill_rev_numbers *out)
{
    *out = (rill_rev_numbers){
        .mean = NAN, .deviation = NAN, .geometric = NAN, .quantile = {NAN, NAN, NAN, NAN, NAN}};
    double *values = malloc((grid->count + 1) * sizeof *values);
    if (!values) return rill_fail(RILL_SYSTEM, "out of memory for the values of %zu blocks", grid->count);
    size_t count = 0;
    for (size_t i = 0; i < grid->count; i++) {
        const double value = rill_rev_value(&rows[grid->first + i], quantity);
        if (!isnan(value)) values[count++] = value;
    }
    qsort(values, count, sizeof *values, ascending);
    if (count) describe(values, count, out);
    free(values);
    return RILL_OK;
}

/* What is written. */
typedef struct content {
    const rill_block_grid *grids;
    int count;
    const rill_batch_row *rows;
    double spacing, voxels;
} content;

static rill_status line_print(FILE *out, const content *c, const rill_block_grid *grid, rill_rev_quantity q)
{
    rill_rev_numbers n;
    const rill_status status = rill_rev_describe(grid, c->rows, q, &n);
    const bool k = is_k(q), metric = c->spacing > 0;
    const double scale = rill_rev_scale(c->rows, q, c->spacing);
    if (status != RILL_OK || n.blocks == 0) return status;
    fprintf(out, "%u,", grid->edge);
    rill_batch_csv_real(out, metric ? grid->edge * c->spacing : NAN);
    fprintf(out, ",%s,%s,%zu,%zu,%zu", rill_rev_name(c->rows, q),
            !k || c->rows->diffusion ? "1"
            : metric                 ? "m2"
                                     : "lu",
            n.blocks, grid->count - n.blocks, n.positive);
    const double values[] = {n.mean,        n.deviation,   n.geometric,   n.quantile[0],
                             n.quantile[1], n.quantile[2], n.quantile[3], n.quantile[4]};
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        fputc(',', out);
        rill_batch_csv_real(out, values[v] * scale);
    }
    rill_sample_error error = {.half_width = NAN};
    if (k) rill_rev_sample_error(grid, c->rows, q, c->voxels, &error);
    fputc(',', out);
    rill_batch_csv_real(out, error.half_width);
    fputc('\n', out);
    return RILL_OK;
}

static rill_status print(FILE *out, const void *context)
{
    rill_status status = RILL_OK;
    const content *c = context;
    fputs(
        "block_edge_voxels,block_edge_m,quantity,unit,blocks,blocks_without,conducting,mean,standard_deviation,geometric_mean,minimum,quartile_1,median,quartile_3,maximum,sample_half_width\n",
        out);
    for (int g = 0; g < c->count; g++)
        for (int q = 0; q < RILL_REV_QUANTITIES; q++)
            RILL_TRY(line_print(out, c, &c->grids[g], (rill_rev_quantity)q));
done:
    return status;
}

rill_status rill_rev_write(const rill_block_grid *grids, int count, const rill_batch_row *rows,
                           double spacing, double voxels, const char *path)
{
    const content c = {grids, count, rows, spacing, voxels};
    return rill_output_print(path, print, &c);
}
