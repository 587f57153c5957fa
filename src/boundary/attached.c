/* SPDX-License-Identifier: Apache-2.0 */
/* A boundary as a simulation holds it: its arrays on the backend, and what is read from them. */
#include "boundary/boundary.h"
#include "boundary/pairs.h"

#include "core/memory.h"
#include "core/status.h"
#include "kernel/lattice.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rill_attached {
    const rill_backend *backend;
    rill_lattice lattice;
    rill_patch patch; /* pointers are the backend's */
    uint64_t node_count;
    rill_node *nodes;       /* [node_count], on the host, as the domain numbers them: in ascending order */
    uint32_t *links;        /* [node_count], see rill_boundary_node */
    rill_patch_pair *pairs; /* [count], on the host, as kernels number nodes: a backend may share it */
    rill_node *kernel_nodes;
    double *values;
    double *exchange; /* on the backend, see rill_patch_note(), made when first used */
    double *host_exchange;
    double speed_max, density_min;
};

/* Everything on the host. */
static rill_status prepare(const rill_boundary *boundary, const rill_sim *sim, rill_attached *a)
{
    rill_status status = RILL_OK;
    const uint64_t nodes = a->node_count = boundary->count;
    RILL_TRY(rill_array_create(nodes, sizeof *a->nodes, "wall links", (void **)&a->nodes));
    RILL_TRY(rill_array_create(nodes, sizeof *a->kernel_nodes, "wall links", (void **)&a->kernel_nodes));
    RILL_TRY(rill_array_create(nodes, sizeof *a->links, "wall links", (void **)&a->links));
    RILL_TRY(rill_array_create(boundary->links, sizeof *a->pairs, "wall links", (void **)&a->pairs));
    RILL_TRY(rill_array_create(boundary->links, sizeof *a->values, "wall links", (void **)&a->values));
    memcpy(a->values, boundary->values, boundary->links * sizeof *a->values);
    rill_pairs_make(boundary, a->pairs, &a->patch.count, a->links);
    for (uint64_t k = 0; k < nodes; k++) {
        a->nodes[k] = boundary->nodes[k].node;
        a->kernel_nodes[k] = rill_sim_number(sim, a->nodes[k]);
    }
    for (uint64_t k = 0; k < a->patch.count; k++)
        for (int e = 0; e < 2; e++) a->pairs[k].node[e] = a->kernel_nodes[a->pairs[k].at[e]];
    if (a->patch.count == 0)
        status =
            rill_fail(RILL_USAGE, "every link of the boundary ends where its plane meets a wall: a pressure "
                                  "needs an opening");
done:
    return status;
}

/* What kernels need, on the backend. */
static rill_status upload(rill_attached *a)
{
    rill_status status = RILL_OK;
    const rill_backend *backend = a->backend;
    rill_patch *patch = &a->patch;
    RILL_TRY(backend->share(a->pairs, patch->count * sizeof *a->pairs, "wall links",
                            (const void **)&patch->pairs));
    if (patch->kind == RILL_BOUNDARY_WALL) return RILL_OK;
    RILL_TRY(backend->share(a->values, patch->count * sizeof *a->values, "wall links",
                            (const void **)&patch->values));
    RILL_TRY(backend->alloc(patch->count * sizeof(double), "wall links", (void **)&patch->terms));
    if (patch->kind == RILL_BOUNDARY_VELOCITY) return RILL_OK;
    patch->node_count = a->node_count;
    RILL_TRY(backend->share(a->kernel_nodes, a->node_count * sizeof *a->kernel_nodes, "wall links",
                            (const void **)&patch->nodes));
    RILL_TRY(backend->alloc(3 * a->node_count * sizeof(double), "wall links", (void **)&patch->velocities));
done:
    return status;
}

rill_status rill_attached_create(const rill_boundary *boundary, const rill_sim *sim, rill_attached **out)
{
    rill_status status = RILL_OK;
    rill_attached *a = calloc(1, sizeof *a);
    if (!a) return rill_fail(RILL_SYSTEM, "out of memory for a boundary");
    a->backend = rill_sim_backend_table(sim);
    a->lattice = boundary->domain->lattice;
    a->speed_max = boundary->speed_max;
    a->density_min = boundary->density_min;
    a->patch = (rill_patch){.kind = boundary->kind, .scale = 1};
    RILL_TRY(prepare(boundary, sim, a));
    RILL_TRY(upload(a));
    *out = a;
    a = NULL;
done:
    rill_attached_destroy(a);
    return status;
}

void rill_attached_destroy(rill_attached *a)
{
    if (!a) return;
    a->backend->release(a->patch.pairs);
    a->backend->release(a->patch.values);
    a->backend->release(a->patch.nodes);
    a->backend->free(a->patch.terms);
    a->backend->free(a->patch.velocities);
    a->backend->free(a->exchange);
    rill_array_destroy(a->nodes);
    rill_array_destroy(a->kernel_nodes);
    rill_array_destroy(a->links);
    rill_array_destroy(a->pairs);
    rill_array_destroy(a->values);
    rill_array_destroy(a->host_exchange);
    free(a);
}

bool rill_attached_rewrites(const rill_attached *a) { return a->patch.kind != RILL_BOUNDARY_WALL; }

bool rill_attached_share(const rill_attached *a, const rill_attached *b)
{
    for (uint64_t i = 0, j = 0; i < a->node_count && j < b->node_count;) {
        const rill_node p = a->nodes[i], q = b->nodes[j];
        if (p == q && a->links[i] & b->links[j]) return true;
        i += p <= q;
        j += q <= p;
    }
    return false;
}

void rill_attached_apply(const rill_attached *a, const rill_launch *launch)
{
    rill_patch patch = a->patch;
    memcpy(patch.force, launch->force, sizeof patch.force);
    if (rill_attached_rewrites(a)) launch->kernels->patch(launch, &patch, NULL);
}

rill_status rill_attached_scale(rill_attached *a, double factor)
{
    const double mach = fabs(factor) * a->speed_max * sqrt(3.0);
    if (!isfinite(factor))
        return rill_fail(RILL_USAGE, "factor %g of a patch is not a finite number", factor);
    if (mach > RILL_BOUNDARY_MACH_MAX)
        return rill_fail(
            RILL_USAGE,
            "factor %g makes the velocity of a wall a Mach number of %.3g, above %g: lower it, or "
            "refine",
            factor, mach, RILL_BOUNDARY_MACH_MAX);
    if (factor * a->density_min <= -1)
        return rill_fail(RILL_USAGE, "factor %g makes the pressure %g, which is not above 0: lower it",
                         factor, (1 + factor * a->density_min) / 3);
    a->patch.scale = factor;
    return RILL_OK;
}

/* Sum over the links in their order, so that nothing depends on the backend's threads. */
static void sum(const rill_attached *a, double force[3], double *flow)
{
    const uint64_t count = a->patch.count;
    for (uint64_t k = 0; k < count; k++) {
        const rill_patch_pair *pair = &a->pairs[k];
        const bool itself = pair->node[0] == pair->node[1] && pair->direction[0] == pair->direction[1];
        for (uint64_t e = 0; e < (itself ? 1 : 2); e++) {
            for (int d = 0; d < 3; d++)
                force[d] -= rill_c((int)a->lattice, pair->direction[e], d) * a->host_exchange[e * count + k];
            *flow += a->host_exchange[(2 + e) * count + k];
        }
    }
}

rill_status rill_attached_measure(rill_attached *a, const rill_launch *launch, double force[3], double *flow)
{
    rill_status status = RILL_OK;
    const uint64_t bytes = 4 * a->patch.count * sizeof(double);
    double f[3] = {0, 0, 0}, through = 0;
    if (!a->exchange) RILL_TRY(a->backend->alloc(bytes, "wall links", (void **)&a->exchange));
    if (!a->host_exchange) RILL_TRY(rill_array_create(bytes, 1, "wall links", (void **)&a->host_exchange));
    launch->kernels->patch(launch, &a->patch, a->exchange);
    RILL_TRY(a->backend->wait());
    RILL_TRY(a->backend->download(a->host_exchange, a->exchange, bytes));
    sum(a, f, &through);
    if (force) memcpy(force, f, sizeof f);
    if (flow) *flow = through;
done:
    return status;
}
