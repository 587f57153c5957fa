/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a coarser sample and computes its flow. */
#include "permeability/nested.h"
#include "core/clock.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "geometry/voxels/outside.h"
#include "geometry/voxels/planes.h"
#include "permeability/plan.h"
#include "sim/refined.h"

#include <math.h>
#include <string.h>

/* The coarser run is not worth more than the error of its grid. */
#define TOLERANCE 0.01
/* k of two grids approaches its limit as 2^-ORDER, about (docs/method.md); an extrapolation by more than this
 * part is none. */
#define ORDER 1.585
#define CHANGE_MOST 0.25
/* Voxels of pore that a coarser grid has more, per area of its walls. */
#define WALLS_GAIN 0.16
/* Walls of a voxel or two may be open on coarser grids. Up to 560 times too much there still saved steps;
 * above this, against what the network of the finer grid conducts, the coarser flow takes longer to leave
 * than it saves. */
#define OPENED 1e3
/* Shown, until the run has its own: the extrapolation may be off by so many times its change. */
#define GUESS_FACTOR 2
/* A coarser run of more cycles than these would cost more than it saves; nodes whose moments are read at a
 * time, and rows that a thread takes. */
enum { CYCLES_MOST = 12, SLICE = 1 << 18, PIECE = 8 };

static void coarser_size(const rill_geom *fine, uint32_t n[3])
{
    for (int a = 0; a < 3; a++) n[a] = fine->n[a] / 2 + fine->n[a] % 2;
}

bool rill_nested_stays(const rill_geom *geom, const rill_permeability_options *options)
{
    const bool one =
        options->on.count == 0 || (options->on.count == 1 && options->on.list[0] == options->on.device);
    return rill_plan_steps_apart(options) && one && !geom->planes &&
           options->variant.addressing != RILL_DENSE;
}

/* A voxel that is half pore becomes pore: packs, random fields, a gyroid and noise gain 0.09 to 0.16 of the
 * area of their walls. */
static double coarser_nodes(uint64_t nodes, double surface)
{
    return (double)nodes / 8 * (1 + WALLS_GAIN * surface);
}

uint64_t rill_nested_there_bytes(uint64_t nodes, double surface)
{
    return (uint64_t)(coarser_nodes(nodes, surface) * 4 * sizeof(double));
}

uint64_t rill_nested_bytes(const rill_geom *geom, uint64_t nodes, double surface, bool stays)
{
    /* Its voxels, and labels of their runs, or the moments that are handed over. */
    const rill_keeper *keeper = rill_planes_keeper(geom->planes);
    const uint64_t processes = keeper ? (uint64_t)keeper->count : 1, runs = rill_geom_voxels(geom) / 8,
                   flow = (uint64_t)(coarser_nodes(nodes, surface) * 4 * sizeof(float)),
                   moments = stays ? 0 : flow / processes + rill_nested_start_bytes(flow);
    uint32_t n[3];
    coarser_size(geom, n);
    return rill_planes_held(n, keeper) + (runs > moments ? runs : moments);
}

/* ---- the coarser sample ------------------------------------------------------------------------ */

/* Planes that are seen, from plane 2 z on, and those that are made of them, from plane z on. */
typedef struct coarsening {
    const rill_window *fine, *coarse;
} coarsening;

/* Finer voxels of a row that are summed up at a time. */
enum { FINER = 512 };

/* Sum the pores of up to four rows, voxel by voxel. */
static void pores_add(const uint8_t *const rows[4], int count, uint32_t first, uint32_t end, uint8_t *sums)
{
    memset(sums, 0, end - first);
    for (int k = 0; k < count; k++)
        for (uint32_t x = first; x < end; x++)
            sums[x - first] = (uint8_t)(sums[x - first] + (rows[k][x] >= RILL_FLUID));
}

/* Pore where at least half of the voxels are pores: throats stay open rather than close. */
static void coarsen_rows(const void *shared, uint64_t first, uint64_t end)
{
    const coarsening *c = shared;
    const uint32_t *n = c->fine->geom->n, *m = c->coarse->geom->n;
    for (uint64_t row = first; row < end; row++) {
        const uint32_t y = (uint32_t)(row % m[1]), z = c->coarse->first + (uint32_t)(row / m[1]);
        uint8_t *to = rill_window_row(c->coarse, y, z), sums[FINER];
        const uint8_t *rows[4];
        int count = 0;
        for (uint32_t k = 2 * z; k < 2 * z + 2 && k < n[2]; k++)
            for (uint32_t j = 2 * y; j < 2 * y + 2 && j < n[1]; j++)
                rows[count++] = rill_window_row(c->fine, j, k);
        for (uint32_t x = 0, last; x < n[0]; x = last) {
            last = n[0] - x < FINER ? n[0] : x + FINER;
            pores_add(rows, count, x, last, sums);
            uint8_t *here = to + x / 2;
            for (uint32_t k = 0; k < (last - x) / 2; k++)
                here[k] = sums[2 * k] + sums[2 * k + 1] >= count ? RILL_FLUID : RILL_SOLID;
            if ((last - x) % 2)
                here[(last - x) / 2] = 2 * sums[last - x - 1] >= count ? RILL_FLUID : RILL_SOLID;
        }
    }
}

rill_status rill_nested_coarsen(const rill_geom *fine, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *coarse = NULL;
    rill_window seen = {.geom = fine}, made = {.geom = NULL};
    const rill_keeper *keeper = rill_planes_keeper(fine->planes);
    const uint32_t most = (rill_window_planes(fine) + 1) / 2;
    uint32_t n[3];
    coarser_size(fine, n);
    if (!keeper) RILL_TRY(rill_memory_require((uint64_t)n[0] * n[1] * n[2], "a coarser sample"));
    RILL_TRY(rill_geom_create_kept(n, keeper, &coarse));
    memcpy(coarse->sides, fine->sides, sizeof coarse->sides);
    RILL_TRY(rill_outside_share(fine, coarse));
    made.geom = coarse;
    for (uint32_t z = 0, count; z < n[2]; z += count) {
        count = n[2] - z < most ? n[2] - z : most;
        const uint32_t left = fine->n[2] - 2 * z;
        RILL_TRY(rill_window_see(&seen, 2 * z, left < 2 * count ? left : 2 * count));
        RILL_TRY(rill_window_blank(&made, z, count));
        rill_threads_for((uint64_t)n[1] * count, PIECE, coarsen_rows, &(coarsening){&seen, &made});
        RILL_TRY(rill_window_keep(&made, coarse));
    }
    *out = coarse;
    coarse = NULL;
done:
    rill_window_close(&seen);
    rill_window_close(&made);
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
    const double *from; /* [count] */
    float *to;
} slice;

static void narrow(const void *shared, uint64_t first, uint64_t end)
{
    const slice *s = shared;
    for (size_t k = first; k < end; k++) s->to[k] = (float)s->from[k];
}

static rill_status moments_take(void *data, rill_sim *sim)
{
    rill_status status = RILL_OK;
    const context *own = data;
    rill_nested *nested = own->nested;
    const size_t nodes = (size_t)nested->plan.nodes, most = nodes < SLICE ? nodes : SLICE;
    rill_device *device = rill_sim_device_of(sim);
    double *part = NULL;
    float *narrowed = NULL;
    if (rill_nested_stays(own->f->geom, own->f->options)) {
        nested->device = device;
        return rill_sim_moments_leave(sim, &nested->there);
    }
    RILL_TRY(rill_array_create(4 * (uint64_t)most, sizeof *part, "moments", (void **)&part));
    RILL_TRY(rill_array_create(most, sizeof *narrowed, "moments", (void **)&narrowed));
    rill_device_pin(device, part, 4 * (uint64_t)most * sizeof *part);
    RILL_TRY(rill_kept_create(rill_planes_keeper(nested->geom->planes), 4, nodes, sizeof(float), "moments",
                              &nested->moments));
    float *const whole = rill_kept_whole(nested->moments); /* written at once, by several threads */
    for (size_t first = 0; first < nodes; first += SLICE) {
        const size_t count = nodes - first < SLICE ? nodes - first : SLICE;
        RILL_TRY(rill_sim_moments(sim, first, count, part, part + count));
        for (uint32_t m = 0; m < 4; m++) {
            float *to = whole ? whole + m * nodes + first : narrowed;
            rill_threads_for(count, 1 << 14, narrow, &(slice){part + m * count, to});
            if (!whole) RILL_TRY(rill_kept_put(nested->moments, m, first, count, narrowed));
        }
    }
done:
    rill_device_unpin(device, part);
    rill_array_destroy(part);
    rill_array_destroy(narrowed);
    return status;
}

/* What is noted in the journal; k is NaN where coarser grids are of no use. */
typedef struct start {
    double k, coarse;
    uint64_t steps;
} start;

static rill_status solve(rill_follower *f, rill_permit *permit, start *out, rill_nested *nested)
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
    if (!f->geom->planes) { /* where several processes keep the sample, all step it */
        o.on.list = NULL;
        o.on.count = 0;
    }
    o.tolerance = fmax(TOLERANCE, o.tolerance);
    o.acceleration = RILL_ACCELERATION_NETWORK;
    o.settle_fields = false;
    o.sensitivity = false;
    o.wall_room = false;
    o.keep_storage = true; /* rounding is below what a coarser grid is good for */
    o.checkpoint = NULL;
    o.resume = false;
    o.progress = (rill_progress){show, &own};
    o.finished = NULL;
    o.finished_pieces = NULL;
    const double begun = rill_now();
    RILL_TRY(rill_nested_coarsen(f->geom, &nested->geom));
    const double coarsened = rill_now();
    RILL_TRY(rill_permeability_prepare(nested->geom, &o));
    RILL_TRY(rill_permeability_plan_make(nested->geom, &o, &nested->plan));
    const double planned = rill_now();
    o.max_steps = CYCLES_MOST * nested->plan.cycle;
    RILL_TRY(rill_follow_all(nested->geom, &o, &nested->plan, (rill_follow_hooks){moments_take, &own, permit},
                             &found));
    const rill_permeability_flow *run = &found.runs[0];
    const double k = 4 * run->k[axis], coarser = 4 * run->coarse;
    const double change = (k - coarser) / (exp2(ORDER) - 1);
    out->coarse = k;
    out->steps = run->steps + run->coarse_steps / 8;
    out->k = nested->k = isfinite(coarser) && fabs(change) <= CHANGE_MOST * fabs(k) ? k + change : k;
    rill_log(
        RILL_LOG_DEBUG,
        "coarser grid: k %.6g after %llu steps, from %.6g, start with %.6g; coarsened in %.2g s, planned in %.2g s, found in %.2g s",
        k, (unsigned long long)run->steps, coarser, nested->k, coarsened - begun, planned - coarsened,
        rill_now() - planned);
done:
    rill_permeability_free(&found);
    return status;
}

/* Find the flow of coarser grids; fail where it is another flow. */
static rill_status solve_alike(rill_follower *f, rill_permit *permit, start *out, rill_nested *nested)
{
    rill_status status = RILL_OK;
    const double conducts = f->plan->pores.conducts;
    RILL_TRY(solve(f, permit, out, nested));
    if (conducts > 0 && out->coarse > OPENED * conducts)
        RILL_TRY(rill_fail(RILL_NUMERICS, "k is %.3g on voxels twice as large and %.3g in the pore network",
                           out->coarse, conducts));
done:
    return status;
}

rill_status rill_nested_create(rill_follower *f, rill_permit *permit, rill_nested *out)
{
    rill_status status = RILL_OK;
    rill_permeability_flow *run = f->run;
    start found = {.k = NAN, .coarse = NAN};
    if (!f->plan->nested) return RILL_OK;
    if (!rill_follow_start_replays(f) && solve_alike(f, permit, &found, out) != RILL_OK) {
        rill_nested_destroy(out);
        found = (start){.k = NAN, .coarse = NAN};
        if (!f->stopped)
            rill_log(
                RILL_LOG_NOTE,
                "the flow along %c starts from rest: voxels twice as large conduct in another way, or not at all",
                rill_axis(run->axis));
    }
    RILL_TRY(rill_follow_start(f, &found, sizeof found));
    run->coarse = found.coarse;
    run->coarse_steps = found.steps;
    if (isfinite(found.k)) {
        f->tuned = *f->plan;
        rill_plan_tune(f->options, found.k, &f->tuned);
        f->limits[run->axis].estimate.value = found.k;
        const double change =
            fabs(found.k - found.coarse); /* 0: two grids, which say nothing of the change */
        f->limits[run->axis].estimate.uncertainty = change > 0 ? GUESS_FACTOR * change : INFINITY;
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
    rill_kept_destroy(nested->moments);
    if (nested->there) rill_device_free(nested->device, nested->there);
    rill_permeability_plan_free(&nested->plan);
    rill_geom_destroy(nested->geom);
    memset(nested, 0, sizeof *nested);
}
