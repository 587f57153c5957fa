/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interpolates the flow of a coarser grid. Velocities are scaled so that their mean is that of the k which
 * coarser grids extrapolate to; the populations are the equilibrium of both moments.
 *
 * A thread of its own interpolates, slice by slice, while the caller, whose the device is, makes the
 * simulation and then copies the slices there.
 */
#include "permeability/nested_start.h"
#include "core/aside.h"
#include "core/clock.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "domain/layers.h"
#include "geometry/voxels/planes.h"
#include "permeability/numbered.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Nodes that are interpolated at a time, rows that a thread takes, coarser voxels that are summed at a time,
 * and slices on their way. */
enum { SLICE = 1 << 17, PIECE = 8, CELLS = 32, SLICES = 2 };

/* Moments of successive nodes of the coarser grid; behind the last node comes the first one. */
typedef struct flow {
    const float *moments; /* [4][room] */
    rill_node first;
    uint64_t nodes; /* of the whole */
    size_t room;
    float *own; /* NULL: they are the whole array */
} flow;

/* Rows of the finer grid, whose nodes lie one after the other. */
typedef struct rows {
    const rill_nested *nested;
    const rill_geom *geom;
    const rill_domain *domain;
    rill_window window; /* some planes, and their nodes */
    rill_layers layers;
    rill_layers beside;       /* planes of the coarser grid around these, whose nodes are numbered */
    flow flow;                /* there */
    uint64_t first_row, seen; /* the row behind these planes */
    rill_node first, count;   /* nodes of the rows */
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
    const flow *from = &r->flow;
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
            const rill_node node = rill_layers_node(&r->beside, at[0], at[1], at[2]);
            if (node == RILL_UPSTREAM_WALL) continue;
            const size_t k = node >= from->first ? node - from->first : node + from->nodes - from->first;
            cells[c].pores += weight;
            for (size_t m = 0; m < 4; m++) cells[c].moments[m] += weight * from->moments[m * from->room + k];
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

/* Have the moments of the coarser planes. */
static rill_status flow_see(const rill_nested *nested, const rill_layers *beside, flow *seen)
{
    rill_status status = RILL_OK;
    const uint64_t nodes = nested->plan.nodes, *before = nested->plan.numbered->domain->numbering.before;
    const float *whole = rill_kept_whole(nested->moments);
    uint64_t count = 0;
    seen->nodes = nodes;
    if (whole) {
        seen->moments = whole;
        seen->room = (size_t)nodes;
        return RILL_OK;
    }
    for (uint32_t k = 0; k < beside->numbering.n[2]; k++) {
        const uint32_t z = (uint32_t)(((uint64_t)beside->first + k) % beside->box);
        count += before[z + 1] - before[z];
    }
    if (count > seen->room) {
        rill_array_destroy(seen->own);
        seen->own = NULL;
        RILL_TRY(rill_array_create(4 * count, sizeof *seen->own, "moments", (void **)&seen->own));
        seen->room = (size_t)count;
    }
    seen->moments = seen->own;
    seen->first = (rill_node)(before[beside->first] % nodes);
    const uint64_t left = nodes - seen->first, some = count < left ? count : left;
    for (uint32_t m = 0; m < 4; m++) {
        float *to = seen->own + m * seen->room;
        RILL_TRY(rill_kept_get(nested->moments, m, seen->first, some, to));
        RILL_TRY(rill_kept_get(nested->moments, m, 0, count - some, to + some));
    }
done:
    return status;
}

/* See the planes from the first row on, and what is interpolated there. */
static rill_status planes_see(rows *r)
{
    rill_status status = RILL_OK;
    const uint32_t z = (uint32_t)(r->first_row / r->geom->n[1]), left = r->geom->n[2] - z,
                   most = rill_window_planes(r->geom), count = left < most ? left : most;
    RILL_TRY(rill_window_see(&r->window, z, count));
    RILL_TRY(rill_layers_take(r->domain, z, count, &r->layers));
    const uint32_t low = z / 2, high = (z + count - 1) / 2;
    RILL_TRY(
        rill_layers_take(r->nested->plan.numbered->domain, (int64_t)low - 1, high - low + 3, &r->beside));
    RILL_TRY(flow_see(r->nested, &r->beside, &r->flow));
    r->seen = (uint64_t)(z + count) * r->geom->n[1];
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
    for (; r->first_row < count; r->first_row = r->seen) {
        RILL_TRY(planes_see(r));
        rill_threads_for(r->seen - r->first_row, PIECE, interpolate_rows, r);
    }
    for (uint64_t k = 0; k < count; k++) sum += r->sums[k];
    *mean = sum / ((double)count * r->geom->n[0]);
done:
    rill_array_destroy(r->sums);
    r->sums = NULL;
    r->first_row = r->seen = 0;
    return status;
}

/* Return the first node of a row of the planes that are seen, or behind them. */
static rill_node row_begin(const rows *r, uint64_t row)
{
    const uint32_t y = (uint32_t)(row % r->geom->n[1]), z = (uint32_t)(row / r->geom->n[1]);
    if (y == 0) return rill_numbering_before_plane(&r->domain->numbering, z);
    return rill_layers_rank(&r->layers, 0, y, z);
}

/* Moments on their way to the simulation. */
typedef struct slice {
    rill_node first, count;
    bool last;
    double *moments; /* [4][count] */
} slice;

struct rill_nested_start {
    rows rows;
    double scale; /* of the velocity, over its mean */
    slice slice[SLICES];
    double *moments; /* of all slices */
    uint64_t bytes;
    sem_t empty, full; /* slices */
    atomic_bool stop;
    bool alone; /* without a thread of its own */
    rill_aside aside;
};

/* Wait, whatever signals come in between. */
static void take(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0) continue;
}

/* Interpolate the rows from first_row on, of planes that are seen together, whose nodes fit into a slice. */
static rill_status fill(rill_nested_start *s, slice *out)
{
    rill_status status = RILL_OK;
    rows *r = &s->rows;
    const uint64_t all = (uint64_t)r->geom->n[1] * r->geom->n[2];
    uint64_t row = r->first_row;
    out->last = true; /* unless all goes well */
    if (row == 0) {
        double mean = 0;
        RILL_TRY(mean_take(r, &mean));
        r->u_scale = s->scale / mean;
    }
    if (row == r->seen) RILL_TRY(planes_see(r));
    r->first = row_begin(r, row);
    do row++; /* a row may be longer than a slice */
    while (row < r->seen && row_begin(r, row + 1) - r->first <= SLICE);
    r->count = row_begin(r, row) - r->first;
    r->moments = out->moments;
    rill_threads_for(row - r->first_row, PIECE, interpolate_rows, r);
    r->first_row = row;
    r->moments = NULL;
    out->first = r->first;
    out->count = r->count;
    out->last = row == all;
done:
    return status;
}

static rill_status fill_all(void *of)
{
    rill_nested_start *s = of;
    rill_status status = RILL_OK;
    for (int k = 0;; k = (k + 1) % SLICES) {
        take(&s->empty);
        if (s->stop) break;
        status = fill(s, &s->slice[k]);
        const bool last = s->slice[k].last;
        if (status != RILL_OK) s->slice[k].count = 0;
        sem_post(&s->full);
        if (last) break;
    }
    return status;
}

uint64_t rill_nested_start_bytes(uint64_t nodes)
{
    return SLICES * 4 * (nodes < SLICE ? nodes : SLICE) * sizeof(double);
}

rill_status rill_nested_start_begin(const rill_follower *f, const rill_domain *domain,
                                    const rill_nested *nested, rill_nested_start **out)
{
    rill_status status = RILL_OK;
    const rill_permeability_plan *plan = f->plan;
    const uint64_t most = plan->nodes < SLICE ? plan->nodes : SLICE;
    const uint64_t longest = f->geom->n[0] > most ? f->geom->n[0] : most;
    rill_nested_start *s = calloc(1, sizeof *s);
    if (!s) return rill_fail(RILL_SYSTEM, "out of memory for the start of a run");
    *out = s;
    s->rows = (rows){.nested = nested,
                     .geom = f->geom,
                     .domain = domain,
                     .window = {.geom = f->geom},
                     .axis = f->run->axis,
                     .u_scale = 1,
                     .rho_scale = 2 * plan->force / nested->plan.force};
    s->scale = nested->k * plan->force / plan->nu;
    sem_init(&s->empty, 0, SLICES);
    sem_init(&s->full, 0, 0);
    s->bytes = SLICES * 4 * longest * sizeof(double);
    RILL_TRY(rill_array_create(SLICES * 4 * longest, sizeof(double), "moments", (void **)&s->moments));
    for (uint64_t k = 0; k < SLICES; k++) s->slice[k].moments = s->moments + k * 4 * longest;
    /* This thread alone sees the voxels that other processes keep. */
    s->alone = f->geom->planes || !rill_aside_try(&s->aside, fill_all, s);
done:
    return status;
}

rill_status rill_nested_start_finish(rill_nested_start *s, rill_sim *sim)
{
    rill_status status = RILL_OK;
    const double begun = rill_now();
    rill_device *device = rill_sim_device_of(sim);
    bool last = false;
    rill_device_pin(device, s->moments, s->bytes);
    for (int k = 0; !last; k = (k + 1) % SLICES) {
        slice *now = &s->slice[k];
        if (s->alone)
            RILL_TRY(fill(s, now));
        else
            take(&s->full);
        last = now->last;
        if (now->count)
            RILL_TRY(rill_sim_set_moments_of(sim, now->first, now->count, now->moments,
                                             now->moments + now->count));
        sem_post(&s->empty);
    }
    RILL_TRY(rill_aside_end(&s->aside));
    rill_log(RILL_LOG_DEBUG, "coarser grid: its flow waited for and taken over in %.2g s",
             rill_now() - begun);
done:
    rill_device_unpin(device, s->moments);
    return status;
}

void rill_nested_start_destroy(rill_nested_start *s)
{
    if (!s) return;
    s->stop = true;
    sem_post(&s->empty);
    rill_aside_drop(&s->aside);
    rill_array_destroy(s->moments);
    rill_window_close(&s->rows.window);
    rill_layers_free(&s->rows.layers);
    rill_layers_free(&s->rows.beside);
    rill_array_destroy(s->rows.flow.own);
    sem_destroy(&s->empty);
    sem_destroy(&s->full);
    free(s);
}
