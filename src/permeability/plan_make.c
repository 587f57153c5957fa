/* SPDX-License-Identifier: Apache-2.0 */
/* Plans the runs of a prepared sample: numbers its nodes, and counts the memory. */
#include "core/memory.h"
#include "core/status.h"
#include "domain/domain.h"
#include "domain/links.h"
#include "kernel/storage.h"
#include "kernel/variant.h"
#include "network/network.h"
#include "permeability/mixing.h"
#include "permeability/nested.h"
#include "permeability/numbered.h"
#include "permeability/plan.h"
#include "sim/several_plan.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What changes with several devices. */
static rill_status parts_plan(const rill_domain *domain, const rill_permeability_options *o, uint64_t held,
                              rill_permeability_plan *plan)
{
    rill_several_plan several;
    const rill_several_given given = {.variant = rill_variant_normal(o->variant),
                                      .devices = o->devices,
                                      .device_count = o->device_count,
                                      .load = RILL_LOAD_WALLS,
                                      .device_bytes = plan->device_bytes,
                                      .device_free = plan->device_free,
                                      .held = held};
    const rill_status status = rill_several_plan_make(domain, &given, &several);
    if (status != RILL_OK) return status;
    plan->parts = several.count;
    free(plan->part); /* of a plan that did not fit */
    plan->part = several.part;
    plan->host_bytes += several.host_more;
    plan->host_bytes -= several.host_less;
    plan->device_bytes = several.device_bytes;
    plan->device_free = several.device_free;
    return RILL_OK;
}

/* Host memory: links while they are built, then what a simulation adds, and the moments read at the end. */
static rill_status memory_plan(const rill_domain *domain, const rill_permeability_options *o,
                               bool mean_speeds, rill_permeability_plan *plan)
{
    rill_status status = RILL_OK;
    rill_device *device = NULL;
    const rill_geom *geom = domain->geom;
    rill_links_size size;
    const rill_variant variant = rill_variant_normal(o->variant);
    RILL_TRY(rill_device_take(o->device, o->backend, &device));
    RILL_TRY(rill_links_measure(domain, variant, &size));
    const uint64_t numbers = rill_numbering_held(geom), sim = rill_sim_bytes(variant, &size);
    plan->ghosts = size.ghosts;
    plan->mean_speeds = mean_speeds;
    const bool host = device->backend->host;
    /* Links, and their nodes with what is known of them, on the host; links for kernels. */
    const uint64_t links = geom->surface ? geom->surface->wall_count : 0;
    const uint64_t walls = links * (sizeof(rill_wall_cut) + sizeof(float) + 8);
    /* A drive by pressure starts from moments in double, and turns fields at the end. */
    const uint64_t moments = plan->reservoirs ? 4 * sizeof(double) * (plan->nodes + plan->reservoirs)
                                              : 4 * sizeof(float) * plan->nodes;
    const uint64_t mixing =
        plan->network || rill_plan_has_other(plan, o) ? rill_mixing_bytes(plan->chambers) : 0;
    const uint64_t network =
        plan->chambers ? rill_network_bytes(geom, plan->nodes, plan->chambers) + mixing : 0;
    /* A network that corrects is found from the beginning on: while links are built, and beside the coarser
     * grids, which together have a seventh of the nodes and no more than a simulation on the host. */
    const uint64_t building =
        numbers * (size.ghosts ? 2 : 1) + (host ? size.bytes : 0) + (plan->network ? network : 0);
    const uint64_t coarser =
        plan->nested ? rill_nested_bytes(geom, plan) + (host ? 0 : (numbers + network) / 6) : 0;
    const uint64_t velocities = mean_speeds ? rill_sim_velocity_bytes(size.nodes) : 0;
    const uint64_t labels = plan->chambers ? rill_sim_label_bytes(plan->nodes, plan->chambers) : 0;
    const bool fields = o->finished || o->finished_pieces || o->drive == RILL_DRIVE_PRESSURE ||
                        o->variant.equilibrium != RILL_STOKES;
    const uint64_t running = numbers + (fields && moments > network ? moments : network) + walls +
                             (host ? sim + labels + velocities : 0);
    plan->host_bytes = (building > running ? building : running) + coarser;
    plan->device_bytes =
        host ? 0 : sim + labels + velocities + links * (sizeof(rill_wall_cut) + sizeof(rill_node));
    plan->device_free = 0;
    if (!host) RILL_TRY(rill_device_available(device, &plan->device_free));
    RILL_TRY(parts_plan(domain, o, host ? sim + labels + velocities : plan->device_bytes, plan));
done:
    rill_device_leave(o->device, device);
    return status;
}

/* What the first run steps, and the memory of all: the sample, or what reservoirs make of it. */
static rill_status numbered_plan(const rill_geom *geom, const rill_permeability_options *o,
                                 rill_permeability_plan *plan)
{
    rill_status status = RILL_OK;
    rill_numbered *n = plan->numbered = calloc(1, sizeof *n);
    if (!n) return rill_fail(RILL_SYSTEM, "out of memory for a plan");
    RILL_TRY(rill_memory_available(&plan->host_free));
    RILL_TRY(rill_numbered_create(geom, o, o->axis < 0 ? 0 : o->axis, o->progress, NULL, n));
    plan->reservoirs = 2 * n->between.front;
    RILL_TRY(memory_plan(n->domain, o, true, plan));
    if (plan->host_bytes > plan->host_free || plan->device_bytes > plan->device_free)
        RILL_TRY(memory_plan(n->domain, o, false, plan));
    if (n->between.geom) plan->host_bytes += rill_geom_voxels(n->between.geom);
done:
    return status;
}

/* Pore voxels that are no nodes. */
static uint64_t dropped(const rill_geom *geom, uint64_t nodes)
{
    const double pores = geom->porosity.total * (double)rill_geom_voxels(geom);
    return pores > (double)nodes ? (uint64_t)llround(pores) - nodes : 0;
}

rill_status rill_permeability_plan_make(const rill_geom *geom, const rill_permeability_options *o,
                                        rill_permeability_plan *plan)
{
    rill_status status = RILL_OK;
    rill_pore_measure measure;
    const rill_components known = {.porosity = geom->porosity};
    memset(plan, 0, sizeof *plan);
    RILL_TRY(rill_plan_check_sample(geom, o));
    RILL_TRY(rill_plan_check_conducting(geom, o, &known));
    plan->porosity = geom->porosity;
    rill_geom open = *geom; /* not walled at its ends, and with twice its length as the longest wave */
    if (o->drive == RILL_DRIVE_PRESSURE) open.sides[o->axis] = RILL_MIRROR;
    RILL_TRY(rill_pore_measure_take(&open, o->variant.lattice, &measure));
    RILL_TRY(rill_plan_choose(&open, &measure, o, plan));
    plan->dropped = dropped(geom, plan->nodes);
    if (plan->nodes > UINT32_MAX - 1)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "%llu fluid nodes are more than the 4294967294 that fit: crop the image",
                           (unsigned long long)plan->nodes));
    RILL_TRY(numbered_plan(geom, o, plan));
done:
    if (status != RILL_OK) rill_permeability_plan_free(plan);
    return status;
}

void rill_permeability_plan_free(rill_permeability_plan *plan)
{
    if (plan->numbered) rill_numbered_destroy(plan->numbered);
    free(plan->numbered);
    free(plan->part);
    plan->numbered = NULL;
    plan->part = NULL;
}
