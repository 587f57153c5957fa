/* SPDX-License-Identifier: Apache-2.0 */
/* Has the devices of a simulation interpolate what they begin with. */
#include "sim/refined.h"

#include "core/memory.h"
#include "sim/sim_priv.h"

#include <stdlib.h>
#include <string.h>

/* Arrays that a view is brought to a device with; rows that are summed up at a time. */
enum { SHARED = 5, ROWS = 1 << 18 };

/* The planes of a view that a part has nodes in. */
typedef struct piece {
    rill_sim *sim;
    rill_global_node first, end; /* its nodes there, as the whole numbers them; equal: none */
    rill_global_node part_first; /* the part's first node; of all three kernels know the low 32 bits */
    rill_refiner refiner;        /* pointers are the device's */
    const void *shared[SHARED];
    int count;
} piece;

struct rill_refined {
    rill_sim *sim;
    uint32_t first, end; /* planes */
    int parts;
    piece piece[];
};

/* Return the plane that a node lies in, of planes first … end - 1, of which one has it. */
static uint32_t plane_of(const rill_refined *refined, rill_global_node node, uint32_t first, uint32_t end)
{
    const uint64_t *before = refined->sim->domain->numbering.before;
    while (end - first > 1) {
        const uint32_t middle = first + (end - first) / 2;
        if (before[middle] <= node)
            first = middle;
        else
            end = middle;
    }
    return first;
}

/* Go through the rows of planes first … end - 1. */
static void rows_of(rill_refiner *r, uint32_t first, uint32_t end)
{
    r->first_row = (uint64_t)first * r->fine.n[1];
    r->rows = (uint64_t)(end - first) * r->fine.n[1];
}

static rill_status bring(piece *p, const void *host, uint64_t bytes, const char *what, const void **out)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_device_share(p->sim->device, host, bytes, what, &p->shared[p->count]));
    *out = p->shared[p->count++];
done:
    return status;
}

/* Bring planes first … first + planes - 1 of those that a grid has, counted from its first one. */
static rill_status grid_bring(piece *p, rill_refine_grid *grid, uint32_t first, uint32_t planes)
{
    rill_status status = RILL_OK;
    const size_t plane = (size_t)grid->ny * grid->row_words, at = first * plane, words = planes * plane;
    const rill_build_cells host = grid->cells;
    RILL_TRY(bring(p, host.occupied + at, words * sizeof *host.occupied, "voxels of a grid",
                   (const void **)&grid->cells.occupied));
    RILL_TRY(bring(p, host.base + at, words * sizeof *host.base, "numbers of a grid",
                   (const void **)&grid->cells.base));
    grid->first = (grid->first + first) % grid->box;
    grid->planes = planes;
done:
    return status;
}

/* Bring the planes around first … last, or all where these follow each other around the box. */
static rill_status coarse_bring(piece *p, rill_refine_grid *grid, uint32_t first, uint32_t last)
{
    const bool ends = first == 0 || last + 1 >= grid->n[2];
    const uint32_t low = first - 1 - grid->first + (first - 1 < grid->first ? grid->box : 0),
                   count = last - first + 3;
    if (ends || low + count > grid->planes) return grid_bring(p, grid, 0, grid->planes);
    return grid_bring(p, grid, low, count);
}

static rill_status piece_bring(const rill_refined *refined, const rill_refiner *view, bool there, piece *p)
{
    rill_status status = RILL_OK;
    rill_refiner *r = &p->refiner;
    *r = *view;
    r->moments = NULL;
    r->sums = NULL;
    const uint32_t first = plane_of(refined, p->first, refined->first, refined->end),
                   end = plane_of(refined, p->end - 1, first, refined->end) + 1;
    rows_of(r, first, end);
    RILL_TRY(grid_bring(p, &r->fine, first - r->fine.first, end - first));
    RILL_TRY(coarse_bring(p, &r->coarse, first / 2, (end - 1) / 2));
    if (!there && r->room > 0) /* coarser planes may have no nodes */
        RILL_TRY(bring(p, view->flow, 4 * r->room * (r->wide ? sizeof(double) : sizeof(float)),
                       "a coarser flow", &r->flow));
done:
    return status;
}

rill_status rill_refined_create(rill_sim *sim, const rill_refiner *view, bool there, rill_refined **out)
{
    rill_status status = RILL_OK;
    const int parts = rill_sim_parts(sim);
    const uint64_t *before = sim->domain->numbering.before;
    rill_refined *refined = calloc(1, sizeof *refined + (size_t)parts * sizeof *refined->piece);
    *out = refined;
    if (!refined) return rill_fail(RILL_SYSTEM, "out of memory for a coarser flow");
    refined->sim = sim;
    refined->parts = parts;
    refined->first = (uint32_t)(view->first_row / view->fine.n[1]);
    refined->end = refined->first + (uint32_t)(view->rows / view->fine.n[1]);
    for (int k = 0; k < parts; k++) {
        piece *p = &refined->piece[k];
        p->sim = rill_sim_part(sim, k);
        p->part_first = rill_sim_part_first(sim, k);
        const uint64_t begins = before[refined->first], ends = before[refined->end],
                       last = p->part_first + p->sim->domain->nodes;
        p->first = begins > p->part_first ? begins : p->part_first;
        p->end = ends < last ? ends : last;
        if (p->first >= p->end) p->end = p->first;
        if (p->first < p->end) RILL_TRY(piece_bring(refined, view, there, p));
    }
done:
    return status;
}

void rill_refined_destroy(rill_refined *refined)
{
    if (!refined) return;
    for (int k = 0; k < refined->parts; k++) {
        piece *p = &refined->piece[k];
        for (int s = 0; s < p->count; s++) rill_device_release(p->sim->device, p->shared[s]);
    }
    free(refined);
}

/* Add the sums of rows first … end - 1, as far as a piece has them. @param got, sums  [end - first] */
static rill_status rows_sum(piece *p, uint64_t first, uint64_t end, int64_t *got, int64_t *sums)
{
    rill_status status = RILL_OK;
    rill_device *device = p->sim->device;
    rill_refiner r = p->refiner;
    const uint64_t low = first > r.first_row ? first : r.first_row, last = r.first_row + r.rows,
                   high = end < last ? end : last;
    if (low >= high) return RILL_OK;
    r.first_row = low;
    r.rows = high - low;
    r.first = (rill_node)p->first;
    r.count = (rill_node)(p->end - p->first);
    RILL_TRY(rill_device_alloc(device, r.rows * sizeof *sums, "sums of rows", (void **)&r.sums));
    rill_device_refine(device, &r);
    RILL_TRY(rill_device_wait(device));
    RILL_TRY(rill_device_download(device, got, r.sums, r.rows * sizeof *sums));
    for (uint64_t k = 0; k < r.rows; k++) sums[low - first + k] += got[k];
done:
    rill_device_free(device, r.sums);
    return status;
}

rill_status rill_refined_sum(rill_refined *refined, double *sum)
{
    rill_status status = RILL_OK;
    int64_t *got = NULL, *sums = NULL;
    const uint64_t ny = refined->sim->domain->geom->n[1], end = refined->end * ny;
    RILL_TRY(rill_array_create(ROWS, sizeof *got, "sums of rows", (void **)&got));
    RILL_TRY(rill_array_create(ROWS, sizeof *sums, "sums of rows", (void **)&sums));
    for (uint64_t first = refined->first * ny, last; first < end; first = last) {
        last = end - first < ROWS ? end : first + ROWS;
        memset(sums, 0, (last - first) * sizeof *sums);
        for (int k = 0; k < refined->parts; k++) /* integers: any order gives the same */
            if (refined->piece[k].first < refined->piece[k].end)
                RILL_TRY(rows_sum(&refined->piece[k], first, last, got, sums));
        for (uint64_t k = 0; k < last - first; k++) *sum += (double)sums[k] / RILL_SUM_UNIT;
    }
done:
    rill_array_destroy(got);
    rill_array_destroy(sums);
    return status;
}

static rill_status piece_set(const rill_refined *refined, piece *p, double u_scale)
{
    rill_status status = RILL_OK;
    rill_sim *sim = p->sim;
    rill_refiner r = p->refiner;
    r.u_scale = u_scale;
    RILL_TRY(rill_sim_slice_make(sim));
    r.moments = sim->slice;
    rill_launch launch = rill_sim_launch(sim);
    for (uint64_t first = p->first; first < p->end; first += r.count) {
        const uint64_t left = p->end - first;
        r.first = (rill_node)first;
        r.count = (rill_node)(left < RILL_SIM_SLICE ? left : RILL_SIM_SLICE);
        const uint32_t z = plane_of(refined, first, refined->first, refined->end);
        rows_of(&r, z, plane_of(refined, first + r.count - 1, z, refined->end) + 1);
        rill_device_refine(sim->device, &r);
        const rill_node own = (rill_node)(first - p->part_first);
        RILL_TRY(rill_sim_order(sim, own, r.count, &launch));
        sim->flow->kernels->set(&launch, sim->domain->first + own, r.count, r.moments);
    }
done:
    return status;
}

rill_status rill_refined_set(rill_refined *refined, double u_scale)
{
    rill_status status = RILL_OK;
    refined->sim->fresh = refined->sim->steps;
    for (int k = 0; k < refined->parts; k++) { /* devices work side by side */
        piece *p = &refined->piece[k];
        p->sim->fresh = p->sim->given = p->sim->steps;
        if (p->first < p->end) RILL_TRY(piece_set(refined, p, u_scale));
    }
    for (int k = 0; k < refined->parts; k++) RILL_TRY(rill_device_wait(refined->piece[k].sim->device));
done:
    return status;
}

uint64_t rill_refined_bytes(uint64_t numbers) { return numbers + numbers / 8; }

rill_status rill_sim_moments_leave(rill_sim *sim, double **out)
{
    rill_status status = RILL_OK;
    const rill_node nodes = (rill_node)sim->domain->nodes;
    double *moments = NULL;
    RILL_TRY(
        rill_device_alloc(sim->device, 4 * (uint64_t)nodes * sizeof *moments, "moments", (void **)&moments));
    const rill_launch launch = rill_sim_launch(sim);
    sim->flow->kernels->moments(&launch, sim->domain->first, nodes, moments);
    RILL_TRY(rill_device_wait(sim->device));
    *out = moments;
    moments = NULL;
done:
    rill_device_free(sim->device, moments);
    return status;
}
