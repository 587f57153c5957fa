/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a coarser sample, computes its flow, and interpolates it. Velocities are scaled so that their mean is
 * that of the k which coarser grids extrapolate to; the populations are the equilibrium of both moments.
 */
#include "permeability/nested.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "domain/domain.h"
#include "permeability/numbered.h"
#include "permeability/plan.h"

#include <math.h>
#include <string.h>

/* The coarser run is not worth more than the error of its grid. */
#define TOLERANCE 0.01
/* k of two grids approaches its limit as 2^-ORDER, about (docs/method.md); an extrapolation by more than this
 * part is none. */
#define ORDER 1.585
#define CHANGE_MOST 0.25
/* Shown, until the run has its own: the extrapolation may be off by so many times its change. */
#define GUESS_FACTOR 2
/* A coarser run of more cycles than these would cost more than it saves; nodes whose moments are set at a
 * time, and rows that a thread takes. */
enum { CYCLES_MOST = 12, SLICE = 1 << 20, PIECE = 8 };

uint64_t rill_nested_bytes(const rill_geom *geom, const rill_permeability_plan *plan)
{
    /* Its voxels and labels of their runs, and moments with what coarse simplifications leave of nodes. */
    return rill_geom_voxels(geom) / 8 * 3 + plan->nodes * 4 * sizeof(float) / 6;
}

/* ---- the coarser sample ------------------------------------------------------------------------ */

typedef struct coarsening {
    const rill_geom *fine;
    rill_geom *coarse;
} coarsening;

/* Pore where at least half of the voxels are pores: throats stay open rather than close. */
static void coarsen_rows(const void *shared, uint64_t first, uint64_t end)
{
    const coarsening *c = shared;
    const uint32_t *n = c->fine->n, *m = c->coarse->n;
    for (uint64_t row = first; row < end; row++) {
        const uint32_t y = 2 * (uint32_t)(row % m[1]), z = 2 * (uint32_t)(row / m[1]);
        uint8_t *to = c->coarse->voxels + row * m[0];
        for (uint32_t x = 0; x < m[0]; x++) {
            int pores = 0, voxels = 0;
            for (uint32_t k = z; k < z + 2 && k < n[2]; k++)
                for (uint32_t j = y; j < y + 2 && j < n[1]; j++)
                    for (uint32_t i = 2 * x; i < 2 * x + 2 && i < n[0]; i++) {
                        pores += c->fine->voxels[((uint64_t)k * n[1] + j) * n[0] + i] >= RILL_FLUID;
                        voxels++;
                    }
            to[x] = 2 * pores >= voxels ? RILL_FLUID : RILL_SOLID;
        }
    }
}

static rill_status coarsen(const rill_geom *fine, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *coarse = NULL;
    const uint32_t n[3] = {(fine->n[0] + 1) / 2, (fine->n[1] + 1) / 2, (fine->n[2] + 1) / 2};
    RILL_TRY(rill_memory_require((uint64_t)n[0] * n[1] * n[2], "a coarser sample"));
    RILL_TRY(rill_geom_create(n, &coarse));
    memcpy(coarse->sides, fine->sides, sizeof coarse->sides);
    rill_threads_for((uint64_t)n[1] * n[2], PIECE, coarsen_rows, &(coarsening){fine, coarse});
    *out = coarse;
done:
    return status;
}

/* ---- its flow ---------------------------------------------------------------------------------- */

/* What the run on the coarser grid calls back with. */
typedef struct context {
    rill_follower *f;
    rill_nested *nested;
} context;

/* Show k in voxels of the finer grid. A run that leaves a checkpoint is stopped at its first step. */
static bool show(void *data, const rill_progress_moment *moment)
{
    rill_follower *f = ((const context *)data)->f;
    const rill_progress *progress = &f->options->progress;
    rill_progress_moment now = *moment;
    rill_permeability_moment k;
    if (!moment->permeability || !progress->fn) return true;
    k = *moment->permeability;
    k.k *= 4;
    k.predicted *= 4;
    k.uncertainty = INFINITY;
    now.permeability = &k;
    now.seconds_left = -1;
    if (progress->fn(progress->context, &now) || f->options->checkpoint) return true;
    f->stopped = true;
    return false;
}

static rill_status take(void *data, const rill_permeability_run *run, rill_node nodes, const float *rho,
                        const float *u)
{
    rill_status status = RILL_OK;
    rill_nested *nested = ((const context *)data)->nested;
    (void)run;
    RILL_TRY(rill_array_create(4 * (uint64_t)nodes, sizeof *rho, "moments", (void **)&nested->moments));
    memcpy(nested->moments, rho, nodes * sizeof *rho);
    memcpy(nested->moments + nodes, u, 3 * (size_t)nodes * sizeof *u);
done:
    return status;
}

/* What is noted in the journal; k is NaN where coarser grids are of no use. */
typedef struct start {
    double k, coarse;
    uint64_t steps;
} start;

static rill_status solve(rill_follower *f, start *out, rill_nested *nested)
{
    rill_status status = RILL_OK;
    context own = {f, nested};
    rill_permeability found;
    rill_permeability_options o = *f->options;
    const int axis = f->run->axis;
    memset(&found, 0, sizeof found);
    o.axis = axis;
    o.tau = 0;
    o.force = 0;
    o.devices = NULL;
    o.device_count = 0;
    o.tolerance = fmax(TOLERANCE, o.tolerance);
    o.acceleration = RILL_ACCELERATION_NETWORK;
    o.settle_fields = false;
    o.checkpoint = NULL;
    o.resume = false;
    o.progress = (rill_progress){show, &own};
    o.finished = take;
    o.context = &own;
    RILL_TRY(coarsen(f->geom, &nested->geom));
    RILL_TRY(rill_permeability_prepare(nested->geom, &o));
    RILL_TRY(rill_permeability_plan_make(nested->geom, &o, &nested->plan));
    o.max_steps = CYCLES_MOST * nested->plan.cycle;
    RILL_TRY(rill_permeability_compute(nested->geom, &o, &nested->plan, &found));
    const rill_permeability_run *run = &found.runs[0];
    const double k = 4 * run->k[axis], coarser = 4 * run->coarse;
    const double change = (k - coarser) / (exp2(ORDER) - 1);
    out->coarse = k;
    out->steps = run->steps + run->coarse_steps / 8;
    out->k = nested->k = isfinite(coarser) && fabs(change) <= CHANGE_MOST * fabs(k) ? k + change : k;
    rill_log(RILL_LOG_DEBUG, "coarser grid: k %.6g after %llu steps, from %.6g, start with %.6g", k,
             (unsigned long long)run->steps, coarser, nested->k);
done:
    rill_permeability_free(&found);
    return status;
}

rill_status rill_nested_create(rill_follower *f, rill_nested *out)
{
    rill_status status = RILL_OK;
    rill_permeability_run *run = f->run;
    start found = {.k = NAN, .coarse = NAN};
    if (!f->plan->nested) return RILL_OK;
    if (!rill_follow_start_replays(f) && solve(f, &found, out) != RILL_OK) {
        rill_nested_destroy(out);
        found = (start){.k = NAN, .coarse = NAN};
        if (!f->stopped)
            rill_log(RILL_LOG_NOTE, "no start from a coarser grid along %c: %s", rill_axis(run->axis),
                     rill_error_message());
    }
    RILL_TRY(rill_follow_start(f, &found, sizeof found));
    run->coarse = found.coarse;
    run->coarse_steps = found.steps;
    if (isfinite(found.k)) {
        f->tuned = *f->plan;
        rill_plan_tune(f->options, found.k, &f->tuned);
        f->limits[run->axis].estimate.value = found.k;
        f->limits[run->axis].estimate.uncertainty = GUESS_FACTOR * fabs(found.k - found.coarse);
    } else {
        const rill_acceleration way = f->options->acceleration;
        RILL_TRY(rill_plan_other(f->geom, f->plan, f->options, way, &f->tuned));
    }
    f->plan = &f->tuned;
done:
    return status;
}

void rill_nested_destroy(rill_nested *nested)
{
    rill_array_destroy(nested->moments);
    rill_permeability_plan_free(&nested->plan);
    rill_geom_destroy(nested->geom);
    memset(nested, 0, sizeof *nested);
}

/* ---- the start --------------------------------------------------------------------------------- */

/* Rows of the finer grid, whose nodes lie one after the other. */
typedef struct rows {
    const rill_nested *nested;
    const rill_geom *geom;
    const rill_numbering *numbering;
    uint64_t first_row;
    rill_node first, count; /* nodes of the rows */
    int axis;
    double u_scale, rho_scale;
    double *moments; /* [4][count]; NULL: only sums */
    double *sums;    /* [rows of the grid], of u along the axis */
} rows;

/* Two coarser voxels around x along an axis, and the part of the second. */
static double around(const rill_geom *coarse, int axis, uint32_t x, uint32_t at[2])
{
    const uint32_t n = coarse->n[axis], low = x / 2;
    const bool wraps = coarse->sides[axis] == RILL_PERIODIC;
    if (x % 2) {
        at[0] = low;
        at[1] = low + 1 < n ? low + 1 : wraps ? 0 : low;
        return 0.25;
    }
    at[0] = low ? low - 1 : wraps ? n - 1 : 0;
    at[1] = low;
    return 0.75;
}

/* Interpolate rho - 1 among pores, and u, which is 0 in solid voxels. */
static void interpolate(const rows *r, const uint32_t x[3], double out[4])
{
    const rill_geom *coarse = r->nested->geom;
    const rill_numbering *numbering = &r->nested->plan.numbered->domain->numbering;
    const float *moments = r->nested->moments;
    const size_t n = (size_t)r->nested->plan.nodes;
    uint32_t at[3][2];
    double part[3], sum[4] = {0}, pores = 0;
    for (int a = 0; a < 3; a++) part[a] = around(coarse, a, x[a], at[a]);
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        for (int a = 0; a < 3; a++) weight *= corner >> a & 1 ? part[a] : 1 - part[a];
        const rill_node node =
            rill_numbering_node(numbering, at[0][corner & 1], at[1][corner >> 1 & 1], at[2][corner >> 2 & 1]);
        if (node == RILL_UPSTREAM_WALL) continue;
        pores += weight;
        for (size_t m = 0; m < 4; m++) sum[m] += weight * moments[m * n + node];
    }
    out[0] = pores > 0 ? r->rho_scale * sum[0] / pores : 0;
    for (int a = 1; a < 4; a++) out[a] = pores > 0 ? r->u_scale * sum[a] : 0;
}

static void interpolate_rows(const void *shared, uint64_t first, uint64_t end)
{
    const rows *r = shared;
    for (uint64_t k = first; k < end; k++) {
        const uint64_t row = r->first_row + k;
        uint32_t x[3] = {0, (uint32_t)(row % r->geom->n[1]), (uint32_t)(row / r->geom->n[1])};
        const uint8_t *voxels = r->geom->voxels + row * r->geom->n[0];
        size_t node = rill_numbering_rank(r->numbering, 0, x[1], x[2]) - r->first;
        double sum = 0, moments[4];
        for (; x[0] < r->geom->n[0]; x[0]++) {
            if (voxels[x[0]] < RILL_FLUID) continue;
            interpolate(r, x, moments);
            sum += moments[1 + r->axis];
            for (int m = 0; m < 4 && r->moments; m++) r->moments[(size_t)m * r->count + node] = moments[m];
            node++;
        }
        r->sums[row] = sum;
    }
}

/* Return the first node of a row, or the number of nodes behind the last. */
static rill_node row_begin(const rows *r, uint64_t row)
{
    const uint64_t all = (uint64_t)r->geom->n[1] * r->geom->n[2];
    if (row == all) return (rill_node)r->numbering->nodes;
    return rill_numbering_rank(r->numbering, 0, (uint32_t)(row % r->geom->n[1]),
                               (uint32_t)(row / r->geom->n[1]));
}

/* Set the moments of the rows from first_row on whose nodes fit. @return the row behind them */
static rill_status slice_set(rows *r, rill_sim *sim, uint64_t *next)
{
    const uint64_t all = (uint64_t)r->geom->n[1] * r->geom->n[2];
    uint64_t row = r->first_row;
    r->first = row_begin(r, row);
    while (row < all && row_begin(r, row + 1) - r->first <= SLICE + r->geom->n[0]) row++;
    *next = row;
    r->count = row_begin(r, row) - r->first;
    rill_threads_for(row - r->first_row, PIECE, interpolate_rows, r);
    if (r->count == 0) return RILL_OK;
    return rill_sim_set_moments_of(sim, r->first, r->count, r->moments, r->moments + r->count);
}

rill_status rill_nested_start(rill_follower *f, const rill_domain *domain, const rill_nested *nested)
{
    rill_status status = RILL_OK;
    const rill_permeability_plan *plan = f->plan, *coarse = &nested->plan;
    const uint64_t all = (uint64_t)f->geom->n[1] * f->geom->n[2];
    rows r = {.nested = nested,
              .geom = f->geom,
              .numbering = &domain->numbering,
              .axis = f->run->axis,
              .u_scale = 1,
              .rho_scale = 2 * plan->force / coarse->force};
    double sum = 0, *moments = NULL;
    RILL_TRY(rill_array_create(all, sizeof *r.sums, "sums of rows", (void **)&r.sums));
    RILL_TRY(rill_array_create(4 * (uint64_t)(SLICE + f->geom->n[0]), sizeof *moments, "moments",
                               (void **)&moments));
    rill_threads_for(all, PIECE, interpolate_rows, &r);
    for (uint64_t row = 0; row < all; row++) sum += r.sums[row];
    /* sum u = k F V / nu */
    r.u_scale = nested->k * plan->force * (double)rill_geom_voxels(f->geom) / plan->nu / sum;
    r.moments = moments;
    while (r.first_row < all) {
        uint64_t next = 0;
        RILL_TRY(slice_set(&r, f->sim, &next));
        r.first_row = next;
    }
done:
    rill_array_destroy(moments);
    rill_array_destroy(r.sums);
    return status;
}
