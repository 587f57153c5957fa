/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a batch: what they begin as, and what is derived of them. */
#include "batch/compute.h"

#include "permeability/darcy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void rill_batch_row_init(const rill_batch_item *item, rill_batch_row *row)
{
    memset(row, 0, sizeof *row);
    memcpy(row->first, item->first, sizeof row->first);
    memcpy(row->n, item->n, sizeof row->n);
    row->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    for (int k = 0; k < 9; k++) row->k[k / 3][k % 3] = row->off_axis[k / 3][k % 3] = NAN;
    row->uncertainty = row->flowing = row->diameter = NAN;
    for (int a = 0; a < 3; a++) {
        for (int r = 0; r < RILL_ERROR_ROWS; r++) row->error[r][a] = NAN;
        row->error_total[a] = row->best[a] = NAN;
        row->edge_share[a] = NAN;
        row->flow[a] = (rill_darcy_flow){NAN, NAN, NAN};
    }
    snprintf(row->made.software, sizeof row->made.software, "%s", rill_version());
}

bool rill_batch_row_is_result(const rill_batch_row *row)
{
    return row->status == RILL_OK || row->status == RILL_NUMERICS;
}

void rill_batch_row_flow(const rill_batch_options *o, rill_batch_row *row)
{
    const double dx = row->spacing;
    const bool asked = o->pressure_drop > 0 && dx > 0;
    row->fluid = asked ? o->fluid : (rill_fluid){.viscosity = 0};
    row->pressure_drop = asked ? o->pressure_drop : 0;
    for (int a = 0; a < 3; a++) {
        const double k = row->k[a][a] * dx * dx;
        const rill_sample_shape sample = {.length = dx * row->n[a],
                                          .volume = (double)row->sample * dx * dx * dx,
                                          .pores = row->flowing,
                                          .diameter = row->diameter * dx};
        row->flow[a] = (rill_darcy_flow){NAN, NAN, NAN};
        if (!asked || row->status != RILL_OK || row->sample == 0 || !isfinite(k)) continue;
        row->flow[a] = rill_darcy_flow_of(k, &sample, &o->fluid, o->pressure_drop);
        if (k == 0) row->flow[a].reynolds = 0; /* no pore may have taken part */
    }
}

const char *rill_batch_reason_name(rill_batch_reason reason)
{
    static const char *const names[RILL_BATCH_REASONS] = {
        "open",          "converged",     "not percolating", "no solid",
        "not converged", "input refused", "system failure",  "outside"};
    return (unsigned)reason < RILL_BATCH_REASONS ? names[reason] : "unknown";
}

double rill_batch_row_mean(const rill_batch_row *row)
{
    double sum = 0;
    int count = 0;
    for (int a = 0; a < 3; a++)
        if (!isnan(row->k[a][a])) {
            sum += row->k[a][a];
            count++;
        }
    return count && row->status == RILL_OK ? sum / count : NAN;
}

double rill_batch_row_anisotropy(const rill_batch_row *row)
{
    double least = INFINITY, most = 0;
    for (int a = 0; a < 3; a++) {
        if (isnan(row->k[a][a])) return NAN;
        least = fmin(least, row->k[a][a]);
        most = fmax(most, row->k[a][a]);
    }
    return most > 0 ? (least > 0 ? most / least : INFINITY) : NAN;
}

rill_status rill_batch_status(const rill_batch *b)
{
    rill_status worst = RILL_OK;
    for (size_t i = 0; i < b->count; i++)
        if (b->rows[i].status > worst) worst = b->rows[i].status;
    return worst;
}
