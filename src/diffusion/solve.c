/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steady diffusion: conjugate gradients, preconditioned by a cycle down and up the levels: the nodes, then
 * those of a network of chambers (network/levels.c), with a damped sweep of Jacobi each way.
 *
 * The energy of what is found is above D whatever is found (Dirichlet's principle); the gap to what a flow
 * that nowhere piles up says (Thomson's principle, gap.c) bounds D from below. The gap falls with the square
 * of the residual, so that it costs an iteration or two.
 * @see Hestenes & Stiefel (1952), doi:10.6028/jres.049.044, for the decrease of the energy
 */
#include "core/clock.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "core/threads.h"
#include "diffusion/diffusion.h"

#include <math.h>
#include <string.h>

/* The gap over residual times outcome of the cycle, before it was measured. */
#define FIRST_RATIO 25.0

/* Less of the first residual times outcome is rounding. */
#define ROUNDED 1e-28

/* Bounds after another that are no closer, before rounding is all that is left. */
enum { STALLED = 5 };

static const char *const name = "a diffusion";

static rill_status kinds_make(rill_diffusor *d)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = d->geom;
    RILL_TRY(rill_array_create(d->numbering.nodes, 1, name, (void **)&d->kind));
    uint64_t i = 0;
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++)
        if (geom->voxels[v] != RILL_SOLID) d->kind[i++] = (uint8_t)(geom->voxels[v] - RILL_FLUID);
done:
    return status;
}

/* Arrays of the nodes: on a device there are all, and here those that come from it. */
static rill_status arrays_make(rill_diffusor *d, bool fields)
{
    rill_status status = RILL_OK;
    const uint64_t nodes = d->numbering.nodes;
    double **const here[] = {&d->all.found, &d->all.outcome, &d->all.residual, &d->all.direction,
                             &d->all.step};
    double **const there[] = {&d->work.found, &d->work.outcome, &d->work.residual, &d->work.direction,
                              &d->work.step};
    d->array_count = !d->device ? 5 : fields ? 2 : 0;
    /* What is behind each is read, and counts nowhere. */
    RILL_TRY(rill_array_create((uint64_t)d->array_count * (nodes + RILL_DIFFUSION_BEHIND), sizeof(double),
                               name, (void **)&d->arrays));
    const uint64_t partials = (uint64_t)rill_diffusion_rows(&d->all.grid) + RILL_DIFFUSION_SUMS;
    RILL_TRY(rill_array_create(partials, sizeof(double), name, (void **)&d->partial));
    d->all.partial = d->partial;
    for (int k = 0; k < d->array_count; k++)
        *here[k] = d->arrays + (uint64_t)k * (nodes + RILL_DIFFUSION_BEHIND);
    d->work = d->all;
    if (!d->device) return RILL_OK;
    const uint64_t words = (uint64_t)rill_diffusion_rows(&d->all.grid) * d->all.grid.words;
    rill_diffusion_grid *g = &d->work.grid;
    const struct {
        const void *from;
        uint64_t bytes;
        const void **to;
    } given[] = {{g->occupied, words * sizeof *g->occupied, (const void **)&g->occupied},
                 {g->base, words * sizeof *g->base, (const void **)&g->base},
                 {d->between, sizeof d->between, (const void **)&g->between},
                 {g->kind, g->kind ? nodes : 0, (const void **)&g->kind},
                 {NULL, partials * sizeof(double), (const void **)&d->work.partial}};
    for (size_t k = 0; k < sizeof given / sizeof *given; k++) {
        if (given[k].bytes == 0) continue;
        void **slot = &d->lent[d->lent_count];
        RILL_TRY(rill_device_alloc(d->device, given[k].bytes, name, slot));
        d->lent_count++;
        if (given[k].from) RILL_TRY(rill_device_upload(d->device, *slot, given[k].from, given[k].bytes));
        *given[k].to = *slot;
    }
    for (int k = 0; k < 5; k++) {
        void **slot = &d->lent[d->lent_count];
        RILL_TRY(rill_device_alloc(d->device, nodes * sizeof(double), name, slot));
        d->lent_count++;
        *there[k] = *slot;
    }
done:
    return status;
}

rill_status rill_diffusor_number(const rill_geom *geom, const double *ratio, int count, rill_diffusor *out)
{
    rill_status status = RILL_OK;
    *out = (rill_diffusor){.geom = geom};
    RILL_TRY(rill_numbering_create(geom, &out->numbering));
    RILL_TRY(rill_numbering_check_32(out->numbering.nodes, "the solver of diffusion"));
    for (int i = 0; i < RILL_DIFFUSION_KINDS; i++)
        for (int j = 0; j < RILL_DIFFUSION_KINDS; j++) {
            const double a = i < count ? ratio[i] : 1, b = j < count ? ratio[j] : 1;
            out->between[i * RILL_DIFFUSION_KINDS + j] = 2 * a * b / (a + b);
        }
    if (count > 0) RILL_TRY(kinds_make(out));
    out->all.grid = (rill_diffusion_grid){.words = (uint32_t)out->numbering.row_words,
                                          .occupied = out->numbering.occupied,
                                          .base = out->numbering.base,
                                          .kind = out->kind,
                                          .between = out->between};
    for (int a = 0; a < 3; a++) {
        out->all.grid.n[a] = out->numbering.n[a];
        out->all.grid.last[a] = geom->n[a] - 1;
    }
done:
    return status;
}

rill_status rill_diffusor_allocate(rill_diffusor *d, rill_device *device, bool fields)
{
    d->all.grid.between = d->between; /* a diffusor may be moved, when it is made */
    d->device = device;
    return arrays_make(d, fields);
}

rill_status rill_diffusor_create(const rill_geom *geom, const double *ratio, int count, rill_device *device,
                                 bool fields, rill_diffusor *out)
{
    const rill_status status = rill_diffusor_number(geom, ratio, count, out);
    return status == RILL_OK ? rill_diffusor_allocate(out, device, fields) : status;
}

void rill_diffusor_destroy(rill_diffusor *d)
{
    rill_diffusor_unjoin(d);
    rill_diffusor_give_back(d, d->work.coarse);
    for (int k = 0; k < d->lent_count; k++) rill_device_free(d->device, d->lent[k]);
    rill_numbering_destroy(&d->numbering);
    rill_array_destroy(d->kind);
    rill_array_destroy(d->arrays);
    rill_array_destroy(d->partial);
    memset(d, 0, sizeof *d);
}

rill_status rill_diffusor_begin(rill_diffusor *d, int axis, rill_diffusion_ends ends)
{
    rill_status status = RILL_OK;
    if (!d->early || d->all.grid.axis != axis || d->all.grid.ends != ends) rill_diffusor_unjoin(d);
    d->all.grid.between = d->between; /* a diffusor may be moved, when it is made */
    d->all.grid.axis = d->work.grid.axis = axis;
    d->all.grid.ends = d->work.grid.ends = ends;
    if (!d->device) d->work.grid.between = d->between;
    const double start = rill_now();
    RILL_TRY(rill_diffusor_join(d));
    rill_log(RILL_LOG_DEBUG, "diffusion: %llu nodes, %u and %u chambers, %d levels in %.3f s",
             (unsigned long long)d->numbering.nodes, d->fine.count, d->chambers.chambers,
             d->chambers.levels + 1, rill_now() - start);
    if (d->device) RILL_TRY(rill_network_put(&d->chambers, d->device));
    rill_log(RILL_LOG_DEBUG, "diffusion: ready to solve in %.3f s", rill_now() - start);
done:
    return status;
}

uint64_t rill_diffusivity_bytes(uint64_t nodes, int phases)
{
    /* Measured with one phase: 68 in a box of pore, 69 to 71 in Gaussian fields, 101 where each voxel is pore
     * or not at random. Chambers end between phases: 259 where each voxel is one of six at random, 359 on a
     * checkerboard of two. */
    return (phases > 1 ? 370 : 105) * nodes;
}

uint64_t rill_diffusivity_least_bytes(uint64_t nodes) { return 66 * nodes; }

uint64_t rill_diffusor_bytes(const rill_diffusor *d)
{
    const uint64_t each =
        (uint64_t)d->array_count * sizeof(double) + sizeof *d->work.coarse + (d->kind ? 1 : 0);
    return rill_numbering_bytes(d->geom) + d->numbering.nodes * each +
           d->fine.count * (4 * sizeof(double) + sizeof *d->fine.begin) +
           d->fine_links * sizeof *d->fine.link + rill_network_bytes(d->chambers.chambers);
}

rill_status rill_diffusor_do(const rill_diffusor *d, rill_diffusion_work what, double *sum)
{
    rill_status status = RILL_OK;
    const rill_diffusion_grid *g = &d->work.grid;
    const uint32_t rows = rill_diffusion_is_paired(what) ? rill_diffusion_pairs(g) : rill_diffusion_rows(g);
    RILL_TRY(rill_diffusion_nodes(d->device, what, &d->work, d->numbering.nodes));
    if (!sum) return RILL_OK;
    double *sums = d->all.partial + rill_diffusion_rows(g), *there = d->work.partial + rill_diffusion_rows(g);
    RILL_TRY(rill_diffusion_sum(d->device, d->work.partial, rows, there));
    if (d->device) RILL_TRY(rill_device_download(d->device, sums, there, RILL_DIFFUSION_SUMS * sizeof *sums));
    *sum = 0;
    for (uint32_t k = 0; k < RILL_DIFFUSION_SUMS; k++) *sum += sums[k];
done:
    return status;
}

/* A cycle down the levels and up, of the first smoothing step in `step`, into `outcome`. @param[out] product
 * residual times outcome */
static rill_status cycle(rill_diffusor *d, double *product)
{
    rill_status status = RILL_OK;
    const int last = d->chambers.levels;
    rill_flow flow = {.level = d->fine, .partial = d->partial_fine};
    d->work.level = d->fine;
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_RESTRICT, NULL));
    RILL_TRY(rill_flow_rows(d->device, RILL_FLOW_BEGIN, &flow));
    for (int k = 1; k <= last; k++) {
        flow.level = *rill_diffusor_level(d, k), flow.finer = *rill_diffusor_level(d, k - 1);
        RILL_TRY(rill_flow_rows(d->device, RILL_FLOW_DESCEND, &flow));
    }
    for (int k = last; k > 0; k--) {
        flow.level = *rill_diffusor_level(d, k), flow.finer = *rill_diffusor_level(d, k - 1);
        RILL_TRY(rill_flow_rows(d->device, RILL_FLOW_ASCEND, &flow));
    }
    flow.level = d->fine;
    RILL_TRY(rill_flow_rows(d->device, RILL_FLOW_FINISH, &flow));
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_PROLONG, NULL));
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_FINISH, product));
done:
    return status;
}

rill_status rill_diffusor_energy(rill_diffusor *d, const double *other, int other_axis, double *energy)
{
    rill_status status = RILL_OK;
    d->work.other = other ? other : d->work.found;
    if (other && d->device) {
        RILL_TRY(rill_device_upload(d->device, d->work.outcome, other, d->numbering.nodes * sizeof(double)));
        d->work.other = d->work.outcome;
    }
    d->work.other_axis = other_axis;
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_ENERGY, energy));
done:
    return status;
}

/* Bring an array of the nodes from the device. */
static rill_status bring(const rill_diffusor *d, double *to, const double *from)
{
    return d->device ? rill_device_download(d->device, to, from, d->numbering.nodes * sizeof *to) : RILL_OK;
}

/* Find the bounds of D, from the residual of what was found: that of the iterations moves away from it by
 * rounding. */
static rill_status bounds_find(rill_diffusor *d, const rill_diffusor_goal *goal, rill_diffusor_place *out)
{
    rill_status status = RILL_OK;
    const double start = rill_now();
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_RESIDUAL, NULL));
    RILL_TRY(rill_diffusor_gap(d, &out->gap));
    rill_log(RILL_LOG_DEBUG, "diffusion: after %llu iterations a bound in %.3f s",
             (unsigned long long)out->iterations, rill_now() - start);
    RILL_TRY(rill_diffusor_energy(d, NULL, d->all.grid.axis, &out->upper));
    out->upper /= goal->volume;
    out->gap /= goal->volume;
    out->converged = out->gap <= goal->tolerance * out->upper;
done:
    return status;
}

/* Begin conjugate gradients at 0. */
static rill_status solve_begin(rill_diffusor *d, rill_diffusor_place *at)
{
    rill_status status = RILL_OK;
    *at = (rill_diffusor_place){.ratio = FIRST_RATIO, .gap = INFINITY};
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_BEGIN, NULL));
    RILL_TRY(rill_diffusor_energy(d, NULL, d->all.grid.axis, &at->left));
    RILL_TRY(cycle(d, &at->now));
    at->least = at->now * ROUNDED;
    d->work.factor = 0;
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_TURN, NULL));
done:
    return status;
}

/* Make an iteration. @param[out] ended  there is no other */
static rill_status iterate(rill_diffusor *d, const rill_diffusor_goal *goal, rill_diffusor_place *at,
                           bool *ended)
{
    rill_status status = RILL_OK;
    double product;
    const double before = at->now;
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_MULTIPLY, &product));
    *ended = !(product > 0); /* nothing is left */
    if (*ended) return RILL_OK;
    d->work.factor = at->now / product;
    at->left -= d->work.factor * at->now; /* the energy falls by this */
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_GO, NULL));
    RILL_TRY(cycle(d, &at->now));
    at->iterations++;
    d->work.factor = at->now / before;
    if (at->ratio * at->now <= goal->tolerance * at->left || at->now <= at->least) {
        const double iterated = at->now, gap = at->gap;
        RILL_TRY(bounds_find(d, goal, at));
        at->stalled = at->gap < 0.9 * gap ? 0 : at->stalled + 1;
        *ended = at->converged || at->stalled == STALLED;
        if (*ended) return RILL_OK;
        RILL_TRY(cycle(d, &at->now));
        at->ratio = fmax(at->gap * goal->volume / at->now, 2 * goal->tolerance * at->left / at->now);
        d->work.factor = at->now > 2 * iterated ? 0 : at->now / before; /* 0: begin again */
    }
    RILL_TRY(rill_diffusor_do(d, RILL_DIFFUSION_TURN, NULL));
done:
    return status;
}

rill_status rill_diffusor_solve(rill_diffusor *d, const rill_diffusor_goal *goal, rill_diffusor_outcome *out)
{
    rill_status status = RILL_OK;
    rill_diffusor_place at;
    bool ended = false;
    if (goal->from)
        at = *goal->from;
    else
        RILL_TRY(solve_begin(d, &at));
    while (at.iterations < goal->most && at.now > 0) {
        RILL_TRY(iterate(d, goal, &at, &ended));
        if (ended) break;
        status = rill_progress_report(goal->progress, goal->what, -1);
        if (goal->keep) status = goal->keep(goal->context, &at, status);
        RILL_TRY(status);
    }
    if (!at.converged) RILL_TRY(bounds_find(d, goal, &at));
    if (goal->field) RILL_TRY(bring(d, d->all.found, d->work.found));
    *out = (rill_diffusor_outcome){at.iterations, at.upper, at.gap, at.converged};
done:
    return status;
}
