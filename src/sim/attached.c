/* SPDX-License-Identifier: Apache-2.0 */
/* Copies boundaries to a backend, and counts their memory before. */
#include "sim/attached.h"

#include "sim/pairs.h"
#include "core/memory.h"
#include "core/status.h"
#include "kernel/boundary/boundary.h"
#include "kernel/boundary/walls.h"

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

/* ---- arrays: taken, or counted ------------------------------------------------------------------ */

static void nodes_take(rill_attached *a, rill_room *room)
{
    RILL_ROOM_ARRAY(room, a->node_count, a->nodes);
    RILL_ROOM_ARRAY(room, a->node_count, a->kernel_nodes);
    RILL_ROOM_ARRAY(room, a->node_count, a->links);
}

/* What pairs of a velocity have besides. */
typedef enum parts { PAIRS, VALUES, SLOPES /* and values */ } parts;

/* Pairs on the host, as many as links at most. */
static void pairs_take(rill_attached *a, uint64_t links, parts has, rill_room *room)
{
    RILL_ROOM_ARRAY(room, links, a->pairs);
    if (has >= VALUES) RILL_ROOM_ARRAY(room, a->patch.modes * links, a->values);
    if (has == SLOPES) RILL_ROOM_ARRAY(room, a->patch.modes * links, a->slopes);
}

/* What kernels have of pairs. */
static void pairs_share(rill_attached *a, parts has, rill_room *room)
{
    rill_patch *p = &a->patch;
    RILL_ROOM_SHARE(room, a->pairs, p->count, p->pairs);
    if (p->kind == RILL_BOUNDARY_WALL) return;
    if (has >= VALUES) RILL_ROOM_SHARE(room, a->values, p->modes * p->count, p->values);
    if (has == SLOPES) RILL_ROOM_SHARE(room, a->slopes, p->modes * p->count, p->slopes);
    RILL_ROOM_ALLOC(room, 2 * p->count, p->terms);
}

static void looks_take(rill_attached *a, rill_room *room)
{
    rill_patch *p = &a->patch;
    if (!p->nodes) RILL_ROOM_SHARE(room, a->kernel_nodes, a->node_count, p->nodes);
    if (!p->moments && room->backend->traits.processor) RILL_ROOM_ALLOC(room, 4 * a->node_count, p->moments);
}

static void sums_take(rill_attached *a, rill_room *room)
{
    rill_patch *p = &a->patch;
    if (!p->partials)
        RILL_ROOM_ALLOC(room, (p->count + RILL_PATCH_BLOCK - 1) / RILL_PATCH_BLOCK, p->partials);
}

/* What kernels have of walls with interpolated bounce-back. @param moving  they have velocities */
static void walls_share(rill_attached *a, bool moving, bool measured, bool quadratic, rill_room *room)
{
    rill_walls *w = &a->walls;
    const rill_wall_list *l = &a->list;
    RILL_ROOM_SHARE(room, l->cuts, l->count, w->cuts);
    if (moving) {
        RILL_ROOM_SHARE(room, l->values, l->count, w->values);
    } else {
        RILL_ROOM_SHARE(room, l->nodes, l->node_count + 1, w->nodes);
        RILL_ROOM_SHARE(room, l->links, l->count, w->links);
        RILL_ROOM_SHARE(room, l->fluxes, l->node_count, w->fluxes);
        RILL_ROOM_ALLOC(room, l->count, w->gains);
    }
    RILL_ROOM_ALLOC(room, l->count, w->meetings);
    if (quadratic) {
        RILL_ROOM_SHARE(room, l->next, l->count, w->next);
        RILL_ROOM_ALLOC(room, l->count, w->beyond);
    }
    if (measured) RILL_ROOM_ALLOC(room, l->count, w->sent);
    if (l->bundle_count == 0) return;
    RILL_ROOM_SHARE(room, l->bundles, l->bundle_count, a->in_step.bundles);
    RILL_ROOM_SHARE(room, l->weights, l->weight_count, a->in_step.weights);
}

rill_status rill_attached_look(rill_attached *a)
{
    rill_room room = rill_room_of(a->device, "wall links");
    looks_take(a, &room);
    return room.status;
}

rill_status rill_attached_sum(rill_attached *a)
{
    rill_room room = rill_room_of(a->device, "sums of wall links");
    sums_take(a, &room);
    return room.status;
}

rill_attached_load rill_attached_load_of(const rill_cut *cuts, uint64_t count, rill_lattice lattice)
{
    rill_attached_load load = {.cuts = count};
    bool has[RILL_Q_MAX] = {false};
    for (int i = 1; i < RILL_Q_MAX; i++) has[i] = rill_boundary_direction(lattice, i) > 0;
    rill_node last = RILL_UPSTREAM_WALL;
    for (uint64_t k = 0; k < count; k++) {
        if (cuts[k].direction >= RILL_Q_MAX || !has[cuts[k].direction]) continue;
        load.links++;
        load.axes += cuts[k].direction <= rill_wall_fluxes((int)lattice);
        load.nodes += cuts[k].node != last;
        last = cuts[k].node;
    }
    load.pairs = load.links;
    return load;
}

/* Return how many bundles of nodes have weights; 0: steps do not interpolate. */
static uint64_t bundles_of(rill_variant v, size_t stride, const rill_backend *backend)
{
    const bool in_step =
        backend->traits.walls_in_step &&
        rill_walls_in_step((int)v.stream, (int)v.addressing, (int)v.storage, (int)v.arithmetic);
    return in_step ? stride / RILL_BUNDLE : 0;
}

rill_attached_load rill_attached_walls(const rill_surface *surface, rill_variant variant, size_t stride,
                                       const rill_backend *backend, bool quadratic)
{
    rill_attached_load load = {.interpolated = true};
    if (!surface) return load;
    load = rill_attached_load_of(surface->walls, surface->wall_count, variant.lattice);
    load.interpolated = true;
    load.quadratic = quadratic;
    load.bundles = quadratic ? 0 : bundles_of(variant, stride, backend);
    return load;
}

uint64_t rill_attached_count(const rill_attached_load *load, rill_room *room)
{
    const parts has = load->modes > 0 ? SLOPES : PAIRS;
    const uint64_t links = load->links, nodes = load->nodes,
                   making = nodes * sizeof(rill_boundary_node) + load->cuts * sizeof(float);
    if (links == 0) return 0;
    rill_attached a = {.node_count = nodes, .list = {.count = links, .node_count = nodes}};
    nodes_take(&a, room);
    if (load->interpolated) {
        a.list.weight_count = load->bundles ? links + RILL_WALL_FLUXES * nodes - load->axes : 0;
        const rill_wall_list_size size = {.links = links,
                                          .nodes = nodes,
                                          .bundles = load->bundles,
                                          .weights = a.list.weight_count,
                                          .next = load->quadratic};
        rill_wall_list_take(&a.list, &size, room);
        walls_share(&a, false, false, load->quadratic, room);
        return making + nodes * (sizeof *a.list.fluxes + 2 * sizeof(uint64_t) + sizeof(bool)) +
               links * sizeof(uint32_t) + (load->quadratic ? 3 * links * sizeof(rill_node) : 0);
    }
    a.patch =
        (rill_patch){.kind = RILL_BOUNDARY_PRESSURE, .count = load->pairs, .modes = (uint32_t)load->modes};
    pairs_take(&a, load->pairs, has, room);
    pairs_share(&a, has, room);
    looks_take(&a, room);
    sums_take(&a, room);
    /* Values of the boundary beside those of the simulation, or two of its own, and slopes. */
    return making + 2 * (uint64_t)load->modes * links * sizeof *a.values;
}

/* ---- making ------------------------------------------------------------------------------------- */

/* Number the nodes as kernels do. */
static rill_status number(const rill_boundary *boundary, const rill_node *numbers, const rill_sim *sim,
                          rill_attached *a, rill_room *room)
{
    rill_status status = RILL_OK;
    a->node_count = boundary->count;
    nodes_take(a, room);
    RILL_TRY(room->status);
    for (uint64_t k = 0; k < a->node_count; k++) {
        a->nodes[k] = boundary->nodes[k].node;
        a->kernel_nodes[k] = numbers ? numbers[k] : rill_sim_number(sim, a->nodes[k]);
        a->links[k] = boundary->nodes[k].links;
    }
done:
    return status;
}

static rill_status pairs_make(const rill_boundary *boundary, const rill_sim *sim, rill_attached *a,
                              rill_room *room)
{
    rill_status status = RILL_OK;
    const uint64_t bytes = a->patch.modes * boundary->links * sizeof *a->values;
    const parts has = boundary->kind != RILL_BOUNDARY_VELOCITY ? PAIRS : boundary->slopes ? SLOPES : VALUES;
    pairs_take(a, boundary->links, has, room);
    RILL_TRY(room->status);
    rill_pairs_make(boundary, a->pairs, &a->patch.count, a->links);
    for (uint64_t k = 0; k < a->patch.count; k++)
        for (int e = 0; e < 2; e++) a->pairs[k].node[e] = a->kernel_nodes[a->pairs[k].at[e]];
    a->patch.node_count = a->node_count;
    normal_of(boundary, a->patch.normal);
    if (a->patch.count == 0)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "every link of the boundary ends where its plane meets a wall: a pressure needs an opening"));
    if (has >= VALUES) memcpy(a->values, boundary->values, bytes);
    if (has == SLOPES) memcpy(a->slopes, boundary->slopes, bytes);
    pairs_share(a, has, room);
    if (a->patch.kind != RILL_BOUNDARY_WALL &&
        rill_patch_flows((int)rill_sim_variant(sim).equilibrium, &a->patch))
        looks_take(a, room);
    status = room->status;
done:
    return status;
}

/* @param numbered  nodes beside those of the boundary are numbered as kernels do */
static rill_status walls_make(const rill_boundary *boundary, bool numbered, const rill_sim *sim,
                              const rill_launch *launch, rill_attached *a, rill_room *room)
{
    rill_status status = RILL_OK;
    const bool still = !boundary->values && !boundary->measured && !boundary->next;
    rill_node *next = NULL;
    /* Kernels take links across mirrored boundaries for walls, count weights by walls, and read no node
     * beyond the next one. */
    const uint64_t bundles =
        boundary->domain->swap_count ? 0 : bundles_of(launch->variant, launch->from.stride, room->backend);
    if (boundary->next) {
        RILL_TRY(rill_array_create(boundary->links, sizeof *next, "wall links", (void **)&next));
        for (uint64_t l = 0; l < boundary->links; l++) {
            const rill_node node = boundary->next[l];
            next[l] = numbered || node == RILL_UPSTREAM_WALL ? node : rill_sim_number(sim, node);
        }
    }
    RILL_TRY(rill_wall_list_make(boundary, a->kernel_nodes, next, still ? bundles : 0, room, &a->list));
    a->walls.count = a->walls.end = a->list.count;
    a->walls.excess = fmin(1 / launch->rate_even - 0.5, 0.5);
    a->walls.end_node = a->list.node_count;
    if (a->list.count)
        walls_share(a, boundary->values != NULL, boundary->measured, boundary->next != NULL, room);
    status = room->status;
done:
    rill_array_destroy(next);
    return status;
}

rill_status rill_attached_create(const rill_boundary *boundary, const rill_node *numbers, const rill_sim *sim,
                                 const rill_launch *launch, rill_attached **out)
{
    rill_status status = RILL_OK;
    rill_room room = rill_room_of(rill_sim_device_of(sim), "wall links");
    rill_attached *a = calloc(1, sizeof *a);
    if (!a) return rill_fail(RILL_SYSTEM, "out of memory for a boundary");
    a->device = room.device;
    a->lattice = boundary->domain->lattice;
    a->speed_max = boundary->speed_max;
    a->density = boundary->density;
    a->interpolated = boundary->interpolated;
    a->scale = a->walls.scale = 1;
    a->patch = (rill_patch){.kind = boundary->kind, .modes = a->interpolated ? 0 : (uint32_t)boundary->modes};
    RILL_TRY(number(boundary, numbers, sim, a, &room));
    RILL_TRY(a->interpolated ? walls_make(boundary, numbers != NULL, sim, launch, a, &room)
                             : pairs_make(boundary, sim, a, &room));
    *out = a;
    a = NULL;
done:
    rill_attached_destroy(a);
    return status;
}

void rill_attached_destroy(rill_attached *a)
{
    if (!a) return;
    const rill_patch *p = &a->patch;
    const rill_walls *w = &a->walls;
    const void *const shared[] = {p->pairs,  p->values, p->slopes,          p->nodes,
                                  w->cuts,   w->values, w->nodes,           w->links,
                                  w->fluxes, w->next,   a->in_step.bundles, a->in_step.weights};
    void *const own[] = {p->terms, p->moments,  p->stored, p->partials, p->record,
                         w->gains, w->meetings, w->beyond, w->sent,     a->exchange};
    void *const host[] = {a->nodes,  a->kernel_nodes, a->links,        a->pairs,
                          a->values, a->slopes,       a->host_exchange};
    for (size_t k = 0; k < sizeof shared / sizeof *shared; k++) rill_device_release(a->device, shared[k]);
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) rill_device_free(a->device, own[k]);
    for (size_t k = 0; k < sizeof host / sizeof *host; k++) rill_array_destroy(host[k]);
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
