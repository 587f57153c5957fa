/* SPDX-License-Identifier: Apache-2.0 */
/* What happens at the walls of a simulation between two steps, and forces. Outlets and records are
 * outlets.c's. */
#include "sim/attached.h"

#include "core/memory.h"
#include "core/status.h"
#include "kernel/boundary/boundary.h"
#include "kernel/boundary/walls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void rill_patches_free(rill_patches *p, rill_device *device)
{
    for (int k = 0; k < p->count; k++) rill_attached_destroy(p->all[k]);
    if (device) rill_device_free(device, p->own);
    free(p->all);
    free(p->table);
    memset(p, 0, sizeof *p);
}

/* Refuse boundaries that contradict each other. */
static rill_status fit_all(const rill_patches *p, const rill_attached *a)
{
    for (int k = 0; k < p->count; k++) {
        const rill_attached *b = p->all[k];
        if ((rill_attached_rewrites(a) || rill_attached_rewrites(b)) && rill_attached_share(a, b))
            return rill_fail(
                RILL_USAGE,
                "the boundary shares a link with patch %d, and only one can say what comes back along it: leave it out of one of them",
                k);
        if (a->interpolated && b->interpolated && rill_attached_face(a, b))
            return rill_fail(
                RILL_USAGE,
                "the wall with interpolated bounce-back faces patch %d across gaps of one node, where each needs the other's links: make one boundary of both",
                k);
    }
    return RILL_OK;
}

/* Refuse a boundary that does not go with the variant, or with the others. */
static rill_status fits(const rill_patches *p, const rill_attached *a, const rill_sim *sim)
{
    const rill_variant v = rill_sim_variant(sim);
    if (a->interpolated && v.bounce == RILL_FULL_WAY)
        return rill_fail(
            RILL_USAGE,
            "interpolated bounce-back does not go with full-way bounce-back: choose half-way bounce-back");
    if (p->weights + a->patch.modes > RILL_PATCH_WEIGHTS)
        return rill_fail(
            RILL_USAGE,
            "openings with %u modes on top of %u are more than the %d of a simulation: keep fewer harmonics",
            a->patch.modes, p->weights, RILL_PATCH_WEIGHTS);
    return fit_all(p, a);
}

rill_status rill_patches_fit(const rill_patches *p, const rill_patches *other)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < other->count; k++) RILL_TRY(fit_all(p, other->all[k]));
done:
    return status;
}

rill_status rill_patches_refresh(rill_patches *p, const rill_launch *launch, rill_device *device)
{
    rill_status status = RILL_OK;
    p->answers = p->walls = p->openings = false;
    p->in_step = NULL;
    for (int k = 0; k < p->count; k++) {
        const rill_attached *a = p->all[k];
        p->table[k] = a->patch;
        if (a->in_step.weights && !p->walls) p->in_step = a;
        if (a->interpolated && p->walls) p->in_step = NULL; /* two walls share bundles */
        p->walls |= a->interpolated && a->walls.count > 0;
        p->openings |= !a->interpolated && rill_attached_rewrites(a);
        p->answers |= rill_patch_answers((int)launch->variant.equilibrium, &a->patch);
    }
    p->apart = p->in_step && p->in_step->list.together < p->in_step->list.count;
    RILL_TRY(rill_device_upload(device, p->own, p->table, (uint64_t)p->count * sizeof *p->table));
done:
    return status;
}

/* Make room for one more. */
static rill_status grow(rill_patches *p, rill_device *device)
{
    const size_t count = (size_t)p->count + 1;
    rill_attached **all = realloc(p->all, count * sizeof *all);
    if (all) p->all = all;
    rill_patch *table = realloc(p->table, count * sizeof *table);
    if (table) p->table = table;
    if (!all || !table) return rill_fail(RILL_SYSTEM, "out of memory for a boundary");
    void *own = NULL;
    const rill_status status = rill_device_alloc(device, count * sizeof *table, "a boundary", &own);
    if (status != RILL_OK) return status;
    rill_device_free(device, p->own);
    p->own = own;
    return RILL_OK;
}

rill_status rill_patches_add(rill_patches *p, const rill_boundary *boundary, const rill_node *numbers,
                             const rill_sim *sim, const rill_launch *launch)
{
    rill_status status = RILL_OK;
    rill_attached *a = NULL;
    rill_device *device = rill_sim_device_of(sim);
    RILL_TRY(rill_attached_create(boundary, numbers, sim, launch, &a));
    RILL_TRY(fits(p, a, sim));
    if (a->walls.count > 0) launch->kernels->walls(launch, RILL_WALLS_FIND, &a->walls, NULL);
    RILL_TRY(grow(p, device));
    a->patch.first_weight = p->weights;
    p->weights += a->patch.modes;
    p->all[p->count++] = a;
    a = NULL;
    RILL_TRY(rill_patches_refresh(p, launch, device));
done:
    rill_attached_destroy(a);
    return status;
}

/* Fill in the weights of a patch. */
static rill_status weigh(const rill_attached *a, int k, uint64_t step, rill_patch_now *now)
{
    double *weights = now->weights + a->patch.first_weight;
    const bool pressure = rill_patch_holds_pressure(&a->patch);
    if (a->interpolated || a->patch.kind == RILL_BOUNDARY_WALL) return RILL_OK;
    if (a->schedule && a->patch.kind == RILL_BOUNDARY_WINDKESSEL) {
        double both[2] = {0, 0};
        a->schedule(a->context, step, both);
        weights[0] = both[0];
        now->losses[a->patch.first_weight] = (float)(3 * both[1]);
        if (!isfinite(both[1]))
            return rill_fail(RILL_USAGE, "the schedule of patch %d gives the loss %g at step %llu", k,
                             both[1], (unsigned long long)step);
    } else if (a->schedule)
        a->schedule(a->context, step, weights);
    else if (pressure)
        weights[0] = a->patch.kind == RILL_BOUNDARY_WINDKESSEL ? 3 * a->beyond : a->scale * a->density;
    else
        weights[0] = 1;
    for (uint32_t m = 0; m < a->patch.modes; m++) {
        if (pressure && a->schedule) weights[m] *= 3;
        if (!pressure) weights[m] *= a->scale;
        if (!isfinite(weights[m]))
            return rill_fail(RILL_USAGE, "the schedule of patch %d gives mode %u the weight %g at step %llu",
                             k, m, weights[m], (unsigned long long)step);
        if (a->patch.kind == RILL_BOUNDARY_PRESSURE && weights[m] <= -1)
            return rill_fail(
                RILL_USAGE,
                "the schedule of patch %d gives the pressure %g at step %llu, which is not above 0: scale it down, or shorten the time step",
                k, (1 + weights[m]) / 3, (unsigned long long)step);
    }
    return RILL_OK;
}

/* Rewrite links with interpolated bounce-back, and conserve the mass of their nodes. @param whole  the links
 * are all those of the nodes */
static void walls_rewrite(const rill_walls *walls, const rill_launch *launch, bool whole)
{
    const bool links = walls->end > walls->first, nodes = walls->gains && walls->end_node > walls->first_node,
               both = links && nodes && whole;
    if (both) launch->kernels->walls(launch, RILL_WALLS_BOTH, walls, NULL);
    if (links && !both) launch->kernels->walls(launch, RILL_WALLS_REWRITE, walls, NULL);
    if (nodes && !both) launch->kernels->walls(launch, RILL_WALLS_BALANCE, walls, NULL);
}

/* All that need what was sent, or, left to the next step, those of them that it cannot see to. */
static void walls_apply(const rill_attached *a, const rill_launch *launch, bool leave)
{
    rill_walls together = a->walls, apart = a->walls;
    together.end = apart.first = a->list.together;
    together.end_node = apart.first_node = a->list.together_nodes;
    apart.end = a->list.early;
    apart.end_node = a->list.early_nodes;
    if (!leave) walls_rewrite(&together, launch, true);
    walls_rewrite(&apart, launch, a->list.early == a->list.count);
}

bool rill_patches_late(const rill_patches *p)
{
    for (int k = 0; k < p->count; k++)
        if (p->all[k]->interpolated && p->all[k]->list.early < p->all[k]->list.count) return true;
    return false;
}

void rill_patches_apply_late(const rill_patches *p, const rill_launch *launch)
{
    for (int k = 0; k < p->count; k++) {
        const rill_attached *a = p->all[k];
        rill_walls late = a->walls;
        late.first = a->list.early;
        late.first_node = a->list.early_nodes;
        if (a->interpolated) walls_rewrite(&late, launch, false);
    }
}

rill_wall_weights rill_patches_left(const rill_patches *p)
{
    return p->in_step ? p->in_step->in_step : (rill_wall_weights){NULL, NULL};
}

rill_status rill_patches_apply(const rill_patches *p, const rill_launch *launch, uint64_t step, bool leave)
{
    rill_status status = RILL_OK;
    rill_patch_now now = {.step = step};
    const rill_kernels *kernels = launch->kernels;
    const bool walls = p->walls && !(leave && p->in_step && !p->apart);
    const int answer = p->answers ? RILL_PATCH_ANSWER : 0,
              early = walls ? answer : 0; /* before they rewrite what was sent */
    memcpy(now.force, launch->force, sizeof now.force);
    for (int k = 0; k < p->count; k++) RILL_TRY(weigh(p->all[k], k, step, &now));
    if (early) kernels->patch(launch, early, p->own, p->table, p->count, &now, NULL);
    for (int k = 0; k < p->count; k++)
        if (p->all[k]->interpolated) walls_apply(p->all[k], launch, leave && p->all[k] == p->in_step);
    if (p->openings)
        kernels->patch(launch, (answer & ~early) | RILL_PATCH_REWRITE, p->own, p->table, p->count, &now,
                       NULL);
done:
    return status;
}

rill_status rill_patches_scale(rill_patches *p, int patch, double factor)
{
    rill_attached *a = p->all[patch];
    const double mach = fabs(factor) * a->speed_max * sqrt(3.0);
    if (!isfinite(factor))
        return rill_fail(RILL_USAGE, "factor %g of a patch is not a finite number", factor);
    if (a->patch.kind == RILL_BOUNDARY_WINDKESSEL || (a->patch.kind == RILL_BOUNDARY_PRESSURE && a->schedule))
        return rill_fail(RILL_USAGE,
                         "the pressure of patch %d follows from its %s, not from a factor: change that",
                         patch, a->patch.kind == RILL_BOUNDARY_WINDKESSEL ? "Windkessel" : "schedule");
    if (mach > RILL_BOUNDARY_MACH_MAX)
        return rill_fail(
            RILL_USAGE,
            "factor %g makes the velocity of a wall a Mach number of %.3g, above %g: lower it, or refine",
            factor, mach, RILL_BOUNDARY_MACH_MAX);
    if (factor * a->density <= -1)
        return rill_fail(RILL_USAGE, "factor %g makes the pressure %g, which is not above 0: lower it",
                         factor, (1 + factor * a->density) / 3);
    a->scale = a->walls.scale = factor;
    return RILL_OK;
}

rill_status rill_patches_schedule(rill_patches *p, int patch, rill_patch_schedule *weights, void *context)
{
    rill_attached *a = p->all[patch];
    if (a->interpolated || a->patch.kind == RILL_BOUNDARY_WALL)
        return rill_fail(RILL_USAGE,
                         "patch %d has no weights: schedules are for half-way velocities and for pressures",
                         patch);
    a->schedule = weights;
    a->context = context;
    return RILL_OK;
}

/* Sum over the links in their order, so that nothing depends on the backend's threads. */
static void sum_pairs(const rill_attached *a, double force[3], double *flow)
{
    const uint64_t count = a->patch.count;
    for (uint64_t k = 0; k < count; k++)
        for (uint64_t e = 0; e < (uint64_t)rill_patch_links(&a->pairs[k]); e++) {
            for (int d = 0; d < 3; d++)
                force[d] -=
                    rill_c((int)a->lattice, a->pairs[k].direction[e], d) * a->host_exchange[e * count + k];
            *flow += a->host_exchange[(2 + e) * count + k];
        }
}

/* The same, by node and direction. */
static void sum_walls(const rill_attached *a, uint64_t first, uint64_t end, double force[3], double *flow)
{
    for (uint64_t n = first; n < end; n++)
        for (uint32_t l = a->list.nodes[n].first; l < a->list.nodes[n + 1].first; l++) {
            const uint32_t k = a->list.links[l];
            const int i = rill_wall_direction(a->list.cuts[k].cut);
            for (int d = 0; d < 3; d++) force[d] -= rill_c((int)a->lattice, i, d) * a->host_exchange[k];
            *flow += a->host_exchange[a->walls.count + k];
        }
}

rill_status rill_patches_measure(const rill_patches *p, int patch, const rill_launch *launch)
{
    rill_status status = RILL_OK;
    rill_attached *a = p->all[patch];
    const uint64_t bytes = (a->interpolated ? 2 * a->walls.count : 4 * a->patch.count) * sizeof(double);
    const rill_patch_now now = {.step = 0};
    if (a->interpolated && a->walls.count && !a->walls.sent)
        return rill_fail(
            RILL_USAGE,
            "what the interpolated links of patch %d send is not kept: call rill_boundary_set_measured() before it is added",
            patch);
    if (!a->exchange) RILL_TRY(rill_device_alloc(a->device, bytes, "wall links", (void **)&a->exchange));
    if (!a->host_exchange) RILL_TRY(rill_array_create(bytes, 1, "wall links", (void **)&a->host_exchange));
    if (a->interpolated)
        launch->kernels->walls(launch, RILL_WALLS_MEASURE, &a->walls, a->exchange);
    else
        launch->kernels->patch(launch, RILL_PATCH_MEASURE, p->own + patch, p->table + patch, 1, &now,
                               a->exchange);
    RILL_TRY(rill_device_wait(a->device));
    RILL_TRY(rill_device_download(a->device, a->host_exchange, a->exchange, bytes));
done:
    return status;
}

void rill_patches_sum(const rill_patches *p, int patch, bool lone, double force[3], double *flow)
{
    const rill_attached *a = p->all[patch];
    if (!a->interpolated && !lone) sum_pairs(a, force, flow);
    if (a->interpolated && a->walls.count)
        sum_walls(a, lone ? a->list.together_nodes : 0, lone ? a->list.node_count : a->list.together_nodes,
                  force, flow);
}
