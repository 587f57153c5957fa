/* SPDX-License-Identifier: Apache-2.0 */
/* Copies boundaries to a backend. */
#include "sim/attached.h"

#include "sim/pairs.h"
#include "core/memory.h"
#include "core/status.h"
#include "kernel/boundary.h"
#include "kernel/walls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Find which way a boundary faces: its links' weighted mean, as the openings of links lie in its plane. */
static void normal_of(const rill_boundary *b, double normal[3])
{
    const int lattice = (int)b->domain->lattice;
    double sum[3] = {0, 0, 0};
    for (uint64_t k = 0; k < b->count; k++)
        for (int i = 1; i < rill_q(lattice); i++)
            for (int a = 0; a < 3 && b->nodes[k].links >> i & 1; a++)
                sum[a] += rill_w(lattice, i) * rill_c(lattice, i, a);
    const double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    for (int a = 0; a < 3; a++) normal[a] = length > 0 ? sum[a] / length : 0;
}

/* Number the nodes as kernels do. */
static rill_status number(const rill_boundary *boundary, const rill_node *numbers, const rill_sim *sim,
                          rill_attached *a)
{
    rill_status status = RILL_OK;
    const uint64_t nodes = a->node_count = boundary->count;
    RILL_TRY(rill_array_create(nodes, sizeof *a->nodes, "wall links", (void **)&a->nodes));
    RILL_TRY(rill_array_create(nodes, sizeof *a->kernel_nodes, "wall links", (void **)&a->kernel_nodes));
    RILL_TRY(rill_array_create(nodes, sizeof *a->links, "wall links", (void **)&a->links));
    for (uint64_t k = 0; k < nodes; k++) {
        a->nodes[k] = boundary->nodes[k].node;
        a->kernel_nodes[k] = numbers ? numbers[k] : rill_sim_number(sim, a->nodes[k]);
        a->links[k] = boundary->nodes[k].links;
    }
done:
    return status;
}

/* Pairs on the host. */
static rill_status pair(const rill_boundary *boundary, rill_attached *a)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_array_create(boundary->links, sizeof *a->pairs, "wall links", (void **)&a->pairs));
    rill_pairs_make(boundary, a->pairs, &a->patch.count, a->links);
    for (uint64_t k = 0; k < a->patch.count; k++)
        for (int e = 0; e < 2; e++) a->pairs[k].node[e] = a->kernel_nodes[a->pairs[k].at[e]];
    a->patch.node_count = a->node_count;
    normal_of(boundary, a->patch.normal);
    if (a->patch.count == 0)
        status =
            rill_fail(RILL_USAGE, "every link of the boundary ends where its plane meets a wall: a pressure "
                                  "needs an opening");
    if (status == RILL_OK && boundary->kind == RILL_BOUNDARY_VELOCITY) {
        const uint64_t values = (uint64_t)boundary->modes * boundary->links;
        RILL_TRY(rill_array_create(values, sizeof *a->values, "wall links", (void **)&a->values));
        memcpy(a->values, boundary->values, values * sizeof *a->values);
        if (boundary->slopes) {
            RILL_TRY(rill_array_create(values, sizeof *a->slopes, "wall links", (void **)&a->slopes));
            memcpy(a->slopes, boundary->slopes, values * sizeof *a->slopes);
        }
    }
done:
    return status;
}

/* What kernels need of pairs, on the backend. */
static rill_status pairs_upload(const rill_boundary *boundary, const rill_sim *sim, rill_attached *a)
{
    rill_status status = RILL_OK;
    rill_device *device = a->device;
    rill_patch *patch = &a->patch;
    RILL_TRY(pair(boundary, a));
    RILL_TRY(rill_device_share(device, a->pairs, patch->count * sizeof *a->pairs, "wall links",
                               (const void **)&patch->pairs));
    if (patch->kind == RILL_BOUNDARY_WALL) return RILL_OK;
    if (patch->kind == RILL_BOUNDARY_VELOCITY)
        RILL_TRY(rill_device_share(device, a->values, patch->modes * patch->count * sizeof *a->values,
                                   "wall links", (const void **)&patch->values));
    if (a->slopes)
        RILL_TRY(rill_device_share(device, a->slopes, patch->modes * patch->count * sizeof *a->slopes,
                                   "wall links", (const void **)&patch->slopes));
    RILL_TRY(
        rill_device_alloc(device, 2 * patch->count * sizeof(double), "wall links", (void **)&patch->terms));
    if (rill_patch_flows((int)rill_sim_variant(sim).equilibrium, patch)) RILL_TRY(rill_attached_look(a));
done:
    return status;
}

/* What kernels need of a wall with interpolated bounce-back. */
static rill_status walls_upload(const rill_boundary *boundary, const rill_launch *launch, rill_attached *a)
{
    rill_status status = RILL_OK;
    const rill_variant v = launch->variant;
    const bool in_step =
        a->device->backend->walls_in_step && !boundary->values && !boundary->measured &&
        rill_walls_in_step((int)v.stream, (int)v.addressing, (int)v.storage, (int)v.arithmetic);
    RILL_TRY(rill_wall_list_make(boundary, a->kernel_nodes, in_step ? launch->from.stride / RILL_BUNDLE : 0,
                                 &a->list));
    a->walls.count = a->walls.end = a->list.count;
    a->walls.end_node = a->list.node_count;
    if (a->list.count == 0) return RILL_OK;
    RILL_TRY(rill_device_share(a->device, a->list.cuts, a->list.count * sizeof *a->list.cuts, "wall links",
                               (const void **)&a->walls.cuts));
    if (!a->list.values) {
        RILL_TRY(rill_device_share(a->device, a->list.nodes, (a->list.node_count + 1) * sizeof *a->list.nodes,
                                   "wall links", (const void **)&a->walls.nodes));
        RILL_TRY(rill_device_share(a->device, a->list.links, a->list.count * sizeof *a->list.links,
                                   "wall links", (const void **)&a->walls.links));
        RILL_TRY(rill_device_share(a->device, a->list.fluxes, a->list.node_count * sizeof *a->list.fluxes,
                                   "wall links", (const void **)&a->walls.fluxes));
        RILL_TRY(rill_device_alloc(a->device, a->list.count * sizeof(double), "wall links",
                                   (void **)&a->walls.gains));
    }
    RILL_TRY(rill_device_alloc(a->device, a->list.count * sizeof(rill_node), "wall links",
                               (void **)&a->walls.meetings));
    if (a->list.values)
        RILL_TRY(rill_device_share(a->device, a->list.values, a->list.count * sizeof *a->list.values,
                                   "wall links", (const void **)&a->walls.values));
    if (a->list.weights) {
        RILL_TRY(rill_device_share(a->device, a->list.bundles,
                                   launch->from.stride / RILL_BUNDLE * sizeof *a->list.bundles, "wall links",
                                   (const void **)&a->in_step.bundles));
        RILL_TRY(rill_device_share(a->device, a->list.weights, a->list.weight_count * sizeof *a->list.weights,
                                   "wall links", (const void **)&a->in_step.weights));
    }
    if (boundary->measured)
        RILL_TRY(rill_device_alloc(a->device, a->list.count * sizeof(double), "wall links",
                                   (void **)&a->walls.sent));
done:
    return status;
}

rill_status rill_attached_create(const rill_boundary *boundary, const rill_node *numbers, const rill_sim *sim,
                                 const rill_launch *launch, rill_attached **out)
{
    rill_status status = RILL_OK;
    rill_attached *a = calloc(1, sizeof *a);
    if (!a) return rill_fail(RILL_SYSTEM, "out of memory for a boundary");
    a->device = rill_sim_device_of(sim);
    a->lattice = boundary->domain->lattice;
    a->speed_max = boundary->speed_max;
    a->density = boundary->density;
    a->interpolated = boundary->interpolated;
    a->scale = a->walls.scale = 1;
    a->patch = (rill_patch){.kind = boundary->kind, .modes = a->interpolated ? 0 : (uint32_t)boundary->modes};
    RILL_TRY(number(boundary, numbers, sim, a));
    RILL_TRY(a->interpolated ? walls_upload(boundary, launch, a) : pairs_upload(boundary, sim, a));
    *out = a;
    a = NULL;
done:
    rill_attached_destroy(a);
    return status;
}

void rill_attached_destroy(rill_attached *a)
{
    if (!a) return;
    rill_device_release(a->device, a->patch.pairs);
    rill_device_release(a->device, a->patch.values);
    rill_device_release(a->device, a->patch.slopes);
    rill_device_release(a->device, a->patch.nodes);
    rill_device_free(a->device, a->patch.terms);
    rill_device_free(a->device, a->patch.moments);
    rill_device_free(a->device, a->patch.stored);
    rill_device_free(a->device, a->patch.partials);
    rill_device_free(a->device, a->patch.record);
    rill_device_release(a->device, a->walls.cuts);
    rill_device_release(a->device, a->walls.values);
    rill_device_release(a->device, a->in_step.bundles);
    rill_device_release(a->device, a->in_step.weights);
    rill_device_release(a->device, a->walls.nodes);
    rill_device_release(a->device, a->walls.links);
    rill_device_release(a->device, a->walls.fluxes);
    rill_device_free(a->device, a->walls.gains);
    rill_device_free(a->device, a->walls.meetings);
    rill_device_free(a->device, a->walls.sent);
    rill_device_free(a->device, a->exchange);
    rill_array_destroy(a->nodes);
    rill_array_destroy(a->kernel_nodes);
    rill_array_destroy(a->links);
    rill_array_destroy(a->pairs);
    rill_array_destroy(a->values);
    rill_array_destroy(a->slopes);
    rill_array_destroy(a->host_exchange);
    rill_wall_list_free(&a->list);
    free(a);
}

bool rill_attached_rewrites(const rill_attached *a)
{
    return a->interpolated || a->patch.kind != RILL_BOUNDARY_WALL;
}

/* Return links with every direction reversed: 2p - 1 and 2p are opposite. */
static uint32_t turned(uint32_t links)
{
    const uint32_t odd = 0xAAAAAAAAu;
    return (links & odd) << 1 | (links >> 1 & odd);
}

static bool meet(const rill_attached *a, const rill_attached *b, bool face)
{
    for (uint64_t i = 0, j = 0; i < a->node_count && j < b->node_count;) {
        const rill_node p = a->nodes[i], q = b->nodes[j];
        if (p == q && a->links[i] & (face ? turned(b->links[j]) : b->links[j])) return true;
        i += p <= q;
        j += q <= p;
    }
    return false;
}

bool rill_attached_share(const rill_attached *a, const rill_attached *b) { return meet(a, b, false); }

bool rill_attached_face(const rill_attached *a, const rill_attached *b) { return meet(a, b, true); }

rill_status rill_attached_look(rill_attached *a)
{
    rill_status status = RILL_OK;
    if (!a->patch.nodes)
        RILL_TRY(rill_device_share(a->device, a->kernel_nodes, a->node_count * sizeof *a->kernel_nodes,
                                   "wall links", (const void **)&a->patch.nodes));
    if (!a->patch.moments && a->device->backend->processor)
        RILL_TRY(rill_device_alloc(a->device, 4 * a->node_count * sizeof(double), "wall links",
                                   (void **)&a->patch.moments));
done:
    return status;
}

rill_status rill_attached_sum(rill_attached *a)
{
    const uint64_t blocks = (a->patch.count + RILL_PATCH_BLOCK - 1) / RILL_PATCH_BLOCK;
    if (a->patch.partials) return RILL_OK;
    return rill_device_alloc(a->device, blocks * sizeof *a->patch.partials, "sums of wall links",
                             (void **)&a->patch.partials);
}
