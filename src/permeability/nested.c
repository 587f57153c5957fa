/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a coarser sample, computes its flow, and interpolates it. Velocities are scaled so that their mean is
 * that of the k which coarser grids extrapolate to; the populations are the equilibrium of both moments.
 */
#include "permeability/nested.h"
#include "core/clock.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "domain/layers.h"
#include "geometry/voxels/planes.h"
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
enum { CELLS = 32 }; /* coarser voxels that are summed at a time */

uint64_t rill_nested_bytes(const rill_geom *geom, const rill_permeability_plan *plan)
{
    /* Its voxels and labels of their runs, and moments of more nodes than an eighth: pores may get wider. */
    return rill_geom_voxels(geom) / 8 * 3 + plan->nodes * 4 * sizeof(float) / 6;
}

/* ---- the coarser sample ------------------------------------------------------------------------ */

typedef struct coarsening {
    const rill_window *fine; /* from plane 2 z on */
    rill_geom *coarse;
    uint64_t first_row;
} coarsening;

/* Pore where at least half of the voxels are pores: throats stay open rather than close. */
static void coarsen_rows(const void *shared, uint64_t first, uint64_t end)
{
    const coarsening *c = shared;
    const uint32_t *n = c->fine->geom->n, *m = c->coarse->n;
    for (uint64_t row = c->first_row + first; row < c->first_row + end; row++) {
        const uint32_t y = 2 * (uint32_t)(row % m[1]), z = 2 * (uint32_t)(row / m[1]);
        uint8_t *to = c->coarse->voxels + row * m[0];
        for (uint32_t x = 0; x < m[0]; x++) {
            int pores = 0, voxels = 0;
            for (uint32_t k = z; k < z + 2 && k < n[2]; k++)
                for (uint32_t j = y; j < y + 2 && j < n[1]; j++)
                    for (uint32_t i = 2 * x; i < 2 * x + 2 && i < n[0]; i++) {
                        pores += rill_window_row(c->fine, j, k)[i] >= RILL_FLUID;
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
    rill_window window = {.geom = fine};
    const uint32_t seen = rill_window_planes(fine), planes = seen < 2             ? 2
                                                             : seen == fine->n[2] ? seen
                                                                                  : seen & ~1u;
    const uint32_t n[3] = {(fine->n[0] + 1) / 2, (fine->n[1] + 1) / 2, (fine->n[2] + 1) / 2};
    RILL_TRY(rill_memory_require((uint64_t)n[0] * n[1] * n[2], "a coarser sample"));
    RILL_TRY(rill_geom_create(n, &coarse));
    memcpy(coarse->sides, fine->sides, sizeof coarse->sides);
    for (uint32_t z = 0, count; z < fine->n[2]; z += count) {
        count = fine->n[2] - z < planes ? fine->n[2] - z : planes;
        RILL_TRY(rill_window_see(&window, z, count));
        rill_threads_for((uint64_t)n[1] * ((count + 1) / 2), PIECE, coarsen_rows,
                         &(coarsening){&window, coarse, (uint64_t)n[1] * (z / 2)});
    }
    *out = coarse;
    coarse = NULL;
done:
    rill_window_close(&window);
    rill_geom_destroy(coarse);
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

/* What a loop over moments of a slice works with. */
typedef struct slice {
    const double *from; /* [4][count] */
    float *to;          /* [4][nodes], of the slice's first node */
    size_t count, nodes;
} slice;

static void narrow(const void *shared, uint64_t first, uint64_t end)
{
    const slice *s = shared;
    for (size_t m = 0; m < 4; m++)
        for (size_t k = first; k < end; k++) s->to[m * s->nodes + k] = (float)s->from[m * s->count + k];
}

static rill_status take(void *data, rill_sim *sim)
{
    rill_status status = RILL_OK;
    rill_nested *nested = ((const context *)data)->nested;
    const size_t nodes = (size_t)nested->plan.nodes;
    double *part = NULL;
    RILL_TRY(rill_array_create(4 * (uint64_t)SLICE, sizeof *part, "moments", (void **)&part));
    RILL_TRY(rill_array_create(4 * (uint64_t)nodes, sizeof(float), "moments", (void **)&nested->moments));
    for (size_t first = 0; first < nodes; first += SLICE) {
        const size_t count = nodes - first < SLICE ? nodes - first : SLICE;
        RILL_TRY(rill_sim_moments(sim, (rill_node)first, (rill_node)count, part, part + count));
        rill_threads_for(count, 1 << 14, narrow, &(slice){part, nested->moments + first, count, nodes});
    }
done:
    rill_array_destroy(part);
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
    o.finished = NULL;
    o.finished_pieces = NULL;
    const double begun = rill_now();
    RILL_TRY(coarsen(f->geom, &nested->geom));
    const double coarsened = rill_now();
    RILL_TRY(rill_permeability_prepare(nested->geom, &o));
    RILL_TRY(rill_permeability_plan_make(nested->geom, &o, &nested->plan));
    const double planned = rill_now();
    o.max_steps = CYCLES_MOST * nested->plan.cycle;
    RILL_TRY(rill_follow_all(nested->geom, &o, &nested->plan, take, &own, &found));
    const rill_permeability_run *run = &found.runs[0];
    const double k = 4 * run->k[axis], coarser = 4 * run->coarse;
    const double change = (k - coarser) / (exp2(ORDER) - 1);
    out->coarse = k;
    out->steps = run->steps + run->coarse_steps / 8;
    out->k = nested->k = isfinite(coarser) && fabs(change) <= CHANGE_MOST * fabs(k) ? k + change : k;
    rill_log(
        RILL_LOG_DEBUG,
        "coarser grid: k %.6g after %llu steps, from %.6g, start with %.6g; coarsened in %.2g s, planned in "
        "%.2g s, found in %.2g s",
        k, (unsigned long long)run->steps, coarser, nested->k, coarsened - begun, planned - coarsened,
        rill_now() - planned);
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
    const rill_domain *domain;
    rill_window window; /* some planes, and their nodes */
    rill_layers layers;
    uint64_t first_row;
    rill_node first, count; /* nodes of the rows */
    int axis;
    double u_scale, rho_scale;
    double *moments; /* [4][count]; NULL: only sums */
    double *sums;    /* of u along the axis in these rows; NULL: none */
} rows;

/* A coarser voxel, or the weighted sum of several. */
typedef struct cell {
    double pores, moments[4];
} cell;

/* Return the coarser voxel `at` of an axis, from one before the first to one behind the last. */
static uint32_t beside(const rill_geom *coarse, int axis, int64_t at)
{
    const int64_t n = coarse->n[axis];
    if (coarse->sides[axis] == RILL_PERIODIC) return (uint32_t)(at < 0 ? n - 1 : at < n ? at : 0);
    return (uint32_t)(at < 0 ? 0 : at < n ? at : n - 1);
}

/* Sum the four coarser rows around a row, for the coarser voxels first - 1 … first + CELLS. */
static void rows_sum(const rows *r, const uint32_t x[3], uint32_t first, cell *cells)
{
    const rill_nested *nested = r->nested;
    const rill_numbering *numbering = &nested->plan.numbered->domain->numbering;
    const size_t n = (size_t)nested->plan.nodes;
    memset(cells, 0, (CELLS + 2) * sizeof *cells);
    for (int corner = 0; corner < 4; corner++) {
        uint32_t at[3];
        double weight = 1;
        for (int a = 1; a < 3; a++) { /* the nearer one has three quarters */
            const bool far = corner >> (a - 1) & 1;
            const int64_t near = x[a] / 2, other = x[a] % 2 ? near + 1 : near - 1;
            at[a] = beside(nested->geom, a, far ? other : near);
            weight *= far ? 0.25 : 0.75;
        }
        for (int c = 0; c < CELLS + 2; c++) {
            at[0] = beside(nested->geom, 0, (int64_t)first + c - 1);
            const rill_node node = rill_numbering_node(numbering, at[0], at[1], at[2]);
            if (node == RILL_UPSTREAM_WALL) continue;
            cells[c].pores += weight;
            for (size_t m = 0; m < 4; m++) cells[c].moments[m] += weight * nested->moments[m * n + node];
        }
    }
}

/* Interpolate rho - 1 among pores, and u, which is 0 in solid voxels, between two sums of coarser rows. */
static void interpolate(const rows *r, const cell *near, const cell *far, double out[4])
{
    const double pores = 0.75 * near->pores + 0.25 * far->pores;
    for (int m = 0; m < 4; m++) out[m] = 0.75 * near->moments[m] + 0.25 * far->moments[m];
    out[0] *= pores > 0 ? r->rho_scale / pores : 0;
    for (int a = 1; a < 4; a++) out[a] *= r->u_scale;
}

/* Interpolate a row, and sum u along the axis. @param node  the first of the row, of those that are set */
static double interpolate_row(const rows *r, const uint32_t at[3], const uint8_t *voxels, size_t node)
{
    cell cells[CELLS + 2];
    double sum = 0, moments[4];
    for (uint32_t block = 0; block < r->geom->n[0]; block += 2 * CELLS) {
        const uint32_t end = block + 2 * CELLS < r->geom->n[0] ? block + 2 * CELLS : r->geom->n[0];
        uint32_t x = block;
        while (x < end && voxels[x] < RILL_FLUID) x++;
        if (x == end) continue;
        rows_sum(r, at, block / 2, cells);
        for (; x < end; x++) {
            if (voxels[x] < RILL_FLUID) continue;
            const cell *near = &cells[1 + (x - block) / 2];
            interpolate(r, near, x % 2 ? near + 1 : near - 1, moments);
            sum += moments[1 + r->axis];
            for (int m = 0; m < 4 && r->moments; m++) r->moments[(size_t)m * r->count + node] = moments[m];
            node++;
        }
    }
    return sum;
}

static void interpolate_rows(const void *shared, uint64_t first, uint64_t end)
{
    const rows *r = shared;
    for (uint64_t k = first; k < end; k++) {
        const uint64_t row = r->first_row + k;
        const uint32_t x[3] = {0, (uint32_t)(row % r->geom->n[1]), (uint32_t)(row / r->geom->n[1])};
        const size_t node = rill_layers_rank(&r->layers, 0, x[1], x[2]) - r->first;
        const double sum = interpolate_row(r, x, rill_window_row(&r->window, x[1], x[2]), node);
        if (r->sums) r->sums[row] = sum;
    }
}

/* See the planes from the first row on. @return in `end` the row behind them */
static rill_status planes_see(rows *r, uint64_t *end)
{
    rill_status status = RILL_OK;
    const uint32_t z = (uint32_t)(r->first_row / r->geom->n[1]), left = r->geom->n[2] - z,
                   most = rill_window_planes(r->geom), count = left < most ? left : most;
    RILL_TRY(rill_window_see(&r->window, z, count));
    RILL_TRY(rill_layers_take(r->domain, z, count, &r->layers));
    *end = (uint64_t)(z + count) * r->geom->n[1];
done:
    return status;
}

/* Return the mean velocity along the axis that interpolation makes of the coarser flow. All rows count: in a
 * periodic structure every n-th row may lie in a wake. */
static rill_status mean_take(rows *r, double *mean)
{
    rill_status status = RILL_OK;
    const uint64_t count = (uint64_t)r->geom->n[1] * r->geom->n[2];
    double sum = 0;
    RILL_TRY(rill_array_create(count, sizeof *r->sums, "sums of rows", (void **)&r->sums));
    for (uint64_t end; r->first_row < count; r->first_row = end) {
        RILL_TRY(planes_see(r, &end));
        rill_threads_for(end - r->first_row, PIECE, interpolate_rows, r);
    }
    for (uint64_t k = 0; k < count; k++) sum += r->sums[k];
    *mean = sum / ((double)count * r->geom->n[0]);
done:
    rill_array_destroy(r->sums);
    r->sums = NULL;
    r->first_row = 0;
    return status;
}

/* Return the first node of a row of the planes that are seen, or behind them. */
static rill_node row_begin(const rows *r, uint64_t row)
{
    const uint32_t y = (uint32_t)(row % r->geom->n[1]), z = (uint32_t)(row / r->geom->n[1]);
    if (y == 0) return rill_numbering_before_plane(&r->domain->numbering, z);
    return rill_layers_rank(&r->layers, 0, y, z);
}

/* Set the moments of the rows from first_row on, up to `end`, whose nodes fit. @return the row behind them */
static rill_status slice_set(rows *r, rill_sim *sim, uint64_t end, uint64_t *next)
{
    uint64_t row = r->first_row;
    r->first = row_begin(r, row);
    do row++; /* a row may be longer than a slice */
    while (row < end && row_begin(r, row + 1) - r->first <= SLICE);
    *next = row;
    r->count = row_begin(r, row) - r->first;
    rill_threads_for(row - r->first_row, PIECE, interpolate_rows, r);
    if (r->count == 0) return RILL_OK;
    return rill_sim_set_moments_of(sim, r->first, r->count, r->moments, r->moments + r->count);
}

rill_status rill_nested_start(rill_follower *f, const rill_domain *domain, const rill_nested *nested)
{
    rill_status status = RILL_OK;
    const rill_permeability_plan *plan = f->plan;
    const uint64_t all = (uint64_t)f->geom->n[1] * f->geom->n[2];
    const uint64_t longest = f->geom->n[0] > SLICE ? f->geom->n[0] : SLICE;
    rows r = {.nested = nested,
              .geom = f->geom,
              .domain = domain,
              .window = {.geom = f->geom},
              .axis = f->run->axis,
              .u_scale = 1,
              .rho_scale = 2 * plan->force / nested->plan.force};
    double mean = 0, *moments = NULL;
    const double begun = rill_now();
    RILL_TRY(mean_take(&r, &mean));
    const double summed = rill_now();
    RILL_TRY(rill_array_create(4 * longest, sizeof *moments, "moments", (void **)&moments));
    r.u_scale = nested->k * plan->force / plan->nu / mean;
    r.moments = moments;
    for (uint64_t end; r.first_row < all;) {
        RILL_TRY(planes_see(&r, &end));
        for (uint64_t next = 0; r.first_row < end; r.first_row = next)
            RILL_TRY(slice_set(&r, f->sim, end, &next));
    }
    rill_log(RILL_LOG_DEBUG, "coarser grid: its mean velocity in %.2g s, its flow taken over in %.2g s",
             summed - begun, rill_now() - summed);
done:
    rill_window_close(&r.window);
    rill_layers_free(&r.layers);
    rill_array_destroy(moments);
    return status;
}
