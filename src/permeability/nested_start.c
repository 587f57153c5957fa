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

/* Nodes that are interpolated at a time, slices on their way; rows that a thread takes, coarser voxels of a
 * row that it unpacks at a time: their finer ones are a word of bits. */
enum { SLICE = 1 << 18, SLICES = 2, PIECE = 16, CELLS = 32 };

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
    rill_layers layers;       /* some planes, whose nodes are numbered */
    rill_layers beside;       /* planes of the coarser grid around these */
    flow flow;                /* there */
    uint64_t first_row, seen; /* the row behind these planes */
    rill_node first, count;   /* nodes of the rows */
    int axis;
    double u_scale, rho_scale;
    double *moments; /* [4][count]; NULL: only sums */
    double *sums;    /* of u along the axis in these rows; NULL: none */
} rows;

/* Values of successive coarser voxels, from one before the first of a block to one behind its last: weighted
 * sums of one row or of several. */
typedef struct line {
    float pores[CELLS + 2], moments[4][CELLS + 2];
} line;

/* The same of the planes around a row of the finer grid, for the coarser rows around some of its rows. */
typedef struct block {
    int64_t first_row;
    line lines[PIECE / 2 + 3];
} block;

/* Return the coarser voxel `at` of an axis, from one before the first to one behind the last. */
static uint32_t beside(const rill_geom *coarse, int axis, int64_t at)
{
    const int64_t n = coarse->n[axis];
    if (coarse->sides[axis] == RILL_PERIODIC) return (uint32_t)(at < 0 ? n - 1 : at < n ? at : 0);
    return (uint32_t)(at < 0 ? 0 : at < n ? at : n - 1);
}

/* The nearer one of two coarser voxels has three quarters. */
static float weigh(float near, float far) { return 0.75f * near + 0.25f * far; }

/* Return the other coarser voxel that counts for a finer one. */
static int64_t farther(uint32_t x) { return (int64_t)(x / 2) + (x % 2 ? 1 : -1); }

/* Add a node of the coarser grid to a cell. For sums of u alone, the other moments stay 0. */
static void cell_add(const rows *r, rill_node node, float weight, int c, line *to)
{
    const flow *from = &r->flow;
    const size_t k = node >= from->first ? node - from->first : node + from->nodes - from->first;
    if (!r->moments) {
        to->moments[1 + r->axis][c] += weight * from->moments[(size_t)(1 + r->axis) * from->room + k];
        return;
    }
    to->pores[c] += weight;
    for (size_t m = 0; m < 4; m++) to->moments[m][c] += weight * from->moments[m * from->room + k];
}

/* Add coarser voxels first - 1 … first + CELLS of a row. Nodes of a row have successive numbers. */
static void line_add(const rows *r, uint32_t first, uint32_t y, uint32_t z, float weight, line *to)
{
    const rill_geom *coarse = r->nested->geom;
    const rill_numbering *numbering = &r->beside.numbering;
    const size_t row = (size_t)rill_layers_plane(&r->beside, z) * numbering->n[1] + y;
    const uint64_t word = numbering->occupied[row * numbering->row_words + first / 64];
    rill_node node = rill_layers_rank(&r->beside, first, y, z);
    for (uint64_t left = word >> first % 64 & 0xffffffff; left; left &= left - 1)
        cell_add(r, node++, weight, 1 + __builtin_ctzll(left), to);
    const uint32_t last = first + CELLS < coarse->n[0] ? first + CELLS : coarse->n[0]; /* behind the block */
    for (int end = 0; end < 2; end++) {
        const uint32_t x = beside(coarse, 0, end ? (int64_t)last : (int64_t)first - 1);
        node = rill_layers_node(&r->beside, x, y, z);
        if (node != RILL_UPSTREAM_WALL) cell_add(r, node, weight, end ? (int)(1 + last - first) : 0, to);
    }
}

/* Sum the coarser planes around plane z, for rows y … y + count - 1. */
static void block_make(const rows *r, uint32_t first, uint32_t y, uint32_t count, uint32_t z, block *b)
{
    const rill_geom *coarse = r->nested->geom;
    const int64_t last = (y + count - 1) / 2 + 1;
    b->first_row = (int64_t)(y / 2) - 1;
    memset(b->lines, 0, (size_t)(last - b->first_row + 1) * sizeof *b->lines);
    for (int64_t k = b->first_row; k <= last; k++) {
        const uint32_t row = beside(coarse, 1, k);
        line_add(r, first, row, beside(coarse, 2, z / 2), weigh(1, 0), &b->lines[k - b->first_row]);
        line_add(r, first, row, beside(coarse, 2, farther(z)), weigh(0, 1), &b->lines[k - b->first_row]);
    }
}

static void mix(const float *near, const float *far, float *out)
{
    for (int c = 0; c < CELLS + 2; c++) out[c] = weigh(near[c], far[c]);
}

/* Take the values of all finer voxels of a block. */
static void refine(const float *values, float finer[2 * CELLS])
{
    for (int c = 0; c < CELLS; c++) {
        finer[2 * c] = weigh(values[c + 1], values[c]);
        finer[2 * c + 1] = weigh(values[c + 1], values[c + 2]);
    }
}

/* Interpolate rho - 1 among pores, and u, which is 0 in solid voxels. @param bits  of the finer voxels of a
 * row of which node `node` is the first, counted from that of the slice */
static void interpolate(const rows *r, const line *all, uint64_t bits, size_t node)
{
    float pores[2 * CELLS], moments[4][2 * CELLS];
    refine(all->pores, pores);
    for (int m = 0; m < 4; m++) refine(all->moments[m], moments[m]);
    for (; bits; bits &= bits - 1, node++) {
        const int x = __builtin_ctzll(bits);
        const double rho_scale = pores[x] > 0 ? r->rho_scale / pores[x] : 0;
        for (size_t m = 0; m < 4; m++)
            r->moments[m * r->count + node] = (m ? r->u_scale : rho_scale) * (double)moments[m][x];
    }
}

/* Return the sum of u along the axis. */
static double sum_up(const float *u, uint64_t bits)
{
    double sum = 0;
    float finer[2 * CELLS];
    refine(u, finer);
    for (; bits; bits &= bits - 1) sum += finer[__builtin_ctzll(bits)];
    return sum;
}

/* Interpolate rows y … y + count - 1 of a plane, in blocks along x. */
static void interpolate_some(const rows *r, uint32_t y, uint32_t count, uint32_t z)
{
    const rill_numbering *numbering = &r->layers.numbering;
    const size_t words = numbering->row_words;
    const size_t begin = ((size_t)rill_layers_plane(&r->layers, z) * numbering->n[1] + y) * words;
    block around;
    line all;
    for (uint32_t x = 0; x < r->geom->n[0]; x += 2 * CELLS) {
        uint64_t any = 0;
        for (uint32_t k = 0; k < count; k++) any |= numbering->occupied[begin + k * words + x / 64];
        if (any) block_make(r, x / 2, y, count, z, &around);
        for (uint32_t k = 0; k < count && any; k++) {
            const size_t word = begin + k * words + x / 64;
            const uint64_t bits = numbering->occupied[word];
            const line *near = &around.lines[(y + k) / 2 - around.first_row];
            const line *far = &around.lines[farther(y + k) - around.first_row];
            for (int m = 0; m < 4; m++)
                if (r->moments || m == 1 + r->axis) mix(near->moments[m], far->moments[m], all.moments[m]);
            if (r->moments) mix(near->pores, far->pores, all.pores);
            if (r->moments) interpolate(r, &all, bits, (size_t)(numbering->base[word] - r->first));
            if (r->sums)
                r->sums[(uint64_t)z * r->geom->n[1] + y + k] += sum_up(all.moments[1 + r->axis], bits);
        }
    }
}

static void interpolate_rows(const void *shared, uint64_t first, uint64_t end)
{
    const rows *r = shared;
    const uint32_t ny = r->geom->n[1];
    for (uint64_t row = r->first_row + first, last = r->first_row + end; row < last;) {
        const uint32_t y = (uint32_t)(row % ny), left = (uint32_t)(last - row);
        const uint32_t plane = ny - y, most = left < PIECE ? left : PIECE,
                       count = plane < most ? plane : most;
        interpolate_some(r, y, count, (uint32_t)(row / ny));
        row += count;
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
    RILL_TRY(rill_array_create_zero(count, sizeof *r->sums, "sums of rows", (void **)&r->sums));
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
    rill_layers_free(&s->rows.layers);
    rill_layers_free(&s->rows.beside);
    rill_array_destroy(s->rows.flow.own);
    sem_destroy(&s->empty);
    sem_destroy(&s->full);
    free(s);
}
