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
#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "core/threads.h"
#include "diffusion/diffusion.h"

#include <math.h>
#include <string.h>

/* The gap over residual times outcome of the cycle, before it was measured. */
#define FIRST_RATIO 15.0

/* Less of the first residual times outcome is rounding. */
#define ROUNDED 1e-28

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

rill_status rill_diffusor_create(const rill_geom *geom, const double *ratio, int count, rill_diffusor *out)
{
    rill_status status = RILL_OK;
    *out = (rill_diffusor){.geom = geom};
    RILL_TRY(rill_numbering_create(geom, &out->numbering));
    for (int i = 0; i < RILL_DIFFUSION_KINDS; i++)
        for (int j = 0; j < RILL_DIFFUSION_KINDS; j++) {
            const double a = i < count ? ratio[i] : 1, b = j < count ? ratio[j] : 1;
            out->between[i * RILL_DIFFUSION_KINDS + j] = 2 * a * b / (a + b);
        }
    if (count > 0) RILL_TRY(kinds_make(out));
    const uint64_t nodes = out->numbering.nodes;
    RILL_TRY(rill_array_create(5 * nodes, sizeof(double), name, (void **)&out->arrays));
    RILL_TRY(rill_array_create((uint64_t)out->numbering.n[1] * out->numbering.n[2], sizeof(double), name,
                               (void **)&out->partial));
    out->all = (rill_diffusion){.grid = {.words = (uint32_t)out->numbering.row_words,
                                         .occupied = out->numbering.occupied,
                                         .base = out->numbering.base,
                                         .kind = out->kind,
                                         .between = out->between},
                                .found = out->arrays,
                                .residual = out->arrays + nodes,
                                .direction = out->arrays + 2 * nodes,
                                .step = out->arrays + 3 * nodes,
                                .outcome = out->arrays + 4 * nodes,
                                .partial = out->partial};
    memcpy(out->all.grid.n, out->numbering.n, sizeof out->numbering.n);
    for (int a = 0; a < 3; a++) out->all.grid.last[a] = geom->n[a] - 1;
done:
    return status;
}

static void unjoin(rill_diffusor *d)
{
    rill_network_destroy(&d->chambers);
    rill_array_destroy(d->coarse);
    rill_array_destroy(d->chamber);
    d->coarse = d->chamber = NULL;
}

void rill_diffusor_destroy(rill_diffusor *d)
{
    unjoin(d);
    rill_numbering_destroy(&d->numbering);
    rill_array_destroy(d->kind);
    rill_array_destroy(d->arrays);
    rill_array_destroy(d->partial);
    memset(d, 0, sizeof *d);
}

rill_status rill_diffusor_begin(rill_diffusor *d, int axis, rill_diffusion_ends ends)
{
    unjoin(d);
    d->all.grid.between = d->between;
    d->all.grid.axis = axis;
    d->all.grid.ends = ends;
    const rill_status status = rill_diffusor_join(d);
    d->all.coarse = d->coarse;
    return status;
}

uint64_t rill_diffusor_bytes(const rill_diffusor *d)
{
    const uint64_t each = 5 * sizeof(double) + sizeof *d->coarse + (d->kind ? 1 : 0);
    return rill_numbering_bytes(d->geom) + d->numbering.nodes * each +
           rill_network_bytes(d->chambers.chambers);
}

/* A cycle down the levels and up, of the first smoothing step in `step`, into `outcome`. @return residual
 * times outcome */
static double cycle(rill_diffusor *d)
{
    rill_network *network = &d->chambers;
    const int last = network->levels - 1;
    rill_flow flow = {.found = network->found,
                      .direction = network->direction,
                      .flow = network->flow,
                      .partial = network->partial};
    double sum;
    d->all.given = network->level->given;
    memset(d->all.given, 0, network->chambers * sizeof *d->all.given);
    rill_diffusion_nodes(RILL_DIFFUSION_RESTRICT, &d->all, NULL);
    flow.level = network->level[0];
    rill_flow_rows(NULL, RILL_FLOW_BEGIN, &flow); /* of processors, which cannot fail */
    for (int k = 1; k <= last; k++) {
        flow.level = network->level[k], flow.finer = network->level[k - 1];
        rill_flow_rows(NULL, RILL_FLOW_DESCEND, &flow);
    }
    for (int k = last; k > 0; k--) {
        flow.level = network->level[k], flow.finer = network->level[k - 1];
        rill_flow_rows(NULL, RILL_FLOW_ASCEND, &flow);
    }
    flow.level = network->level[0];
    rill_flow_rows(NULL, RILL_FLOW_FINISH, &flow);
    rill_diffusion_prolong(&d->all, network->level->value, d->numbering.nodes);
    rill_diffusion_nodes(RILL_DIFFUSION_FINISH, &d->all, &sum);
    return sum;
}

static double energy(rill_diffusor *d)
{
    double sum;
    d->all.other = d->all.found;
    d->all.other_axis = d->all.grid.axis;
    rill_diffusion_nodes(RILL_DIFFUSION_ENERGY, &d->all, &sum);
    return sum;
}

/* Find the bounds of D. */
static rill_status bounds_find(rill_diffusor *d, const rill_diffusor_goal *goal, rill_diffusor_outcome *out)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_diffusor_gap(d, &out->gap));
    out->upper = energy(d) / goal->volume;
    out->gap /= goal->volume;
    out->converged = out->gap <= goal->tolerance * out->upper;
done:
    return status;
}

rill_status rill_diffusor_solve(rill_diffusor *d, const rill_diffusor_goal *goal, rill_diffusor_outcome *out)
{
    rill_status status = RILL_OK;
    rill_diffusion *all = &d->all;
    const uint64_t nodes = d->numbering.nodes;
    double product, ratio = FIRST_RATIO;
    *out = (rill_diffusor_outcome){.gap = INFINITY};
    memset(all->found, 0, nodes * sizeof(double));
    memset(all->direction, 0, nodes * sizeof(double));
    rill_diffusion_nodes(RILL_DIFFUSION_BEGIN, all, NULL);
    double left = energy(d), now = cycle(d);
    const double least = now * ROUNDED;
    all->factor = 0;
    rill_diffusion_turn(all, nodes);
    while (out->iterations < goal->most && now > least) {
        const double before = now;
        rill_diffusion_nodes(RILL_DIFFUSION_MULTIPLY, all, &product);
        if (!(product > 0)) break; /* nothing is left */
        all->factor = now / product;
        left -= all->factor * now; /* the energy falls by this */
        rill_diffusion_nodes(RILL_DIFFUSION_GO, all, NULL);
        now = cycle(d);
        out->iterations++;
        if (ratio * now <= goal->tolerance * left) {
            RILL_TRY(bounds_find(d, goal, out));
            if (out->converged) goto done;
            ratio = fmax(out->gap * goal->volume / now, 2 * goal->tolerance * left / now);
        }
        all->factor = now / before;
        rill_diffusion_turn(all, nodes);
        RILL_TRY(rill_progress_report(goal->progress, goal->what, -1));
    }
    RILL_TRY(bounds_find(d, goal, out));
done:
    return status;
}
