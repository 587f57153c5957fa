/* SPDX-License-Identifier: Apache-2.0 */
/* Plans the runs of a prepared sample: numbers its nodes, and counts the memory. */
#include "core/memory.h"
#include "core/status.h"
#include "domain/domain.h"
#include "domain/links.h"
#include "geometry/voxels/planes.h"
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

/* What is known of a run when its memory is counted. */
typedef struct counting {
    const rill_domain *domain;
    const rill_permeability_options *o;
    const rill_permeability_plan *plan;
    rill_device *device;
    uint64_t nodes;     /* fluid nodes */
    uint64_t stepped;   /* that kernels run over */
    uint64_t numbers;   /* bytes of their numbers */
    uint64_t box;       /* bytes while a network is found */
    uint64_t sim;       /* bytes of the simulation on its device, with what that makes of a list */
    uint64_t partials;  /* the sums of chunks on the host */
    uint64_t walls;     /* wall links, and their nodes with what is known of them, on the host */
    uint64_t swaps;     /* mirrored links: those of another axis beside those that were planned with */
    bool corrects;      /* pressures are corrected, or may be in another attempt */
    bool makes_network; /* the steps suffice for that */
    bool looks;         /* the steps suffice to look at the flow once */
    bool fields;        /* moments of all nodes are read at the end */
} counting;

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Whether moments are set or read. */
static bool takes_slices(const counting *c)
{
    return c->makes_network || c->fields || c->plan->nested || c->plan->reservoirs;
}

/* Host memory of a pore network, of the pressures that are corrected, and of the buffers of a checkpoint. */
static uint64_t network_bytes(const counting *c)
{
    enum { vectors = 6 };
    const rill_permeability_plan *p = c->plan;
    const uint64_t chambers = p->chambers;
    if (!c->makes_network) return 0;
    const double looks = p->network && c->o->checkpoint ? 2 * p->steps_expected / (double)p->cycle : 0;
    return rill_network_bytes(c->domain->geom, c->nodes, p->chambers) +
           (c->corrects ? rill_mixing_bytes(chambers) : 0) +
           (vectors + (uint64_t)looks) * chambers * sizeof(double);
}

/* Backend memory beside the simulation: what lasts, once it is there. A host reads the chambers of nodes
 * where the network has them, unless that has those of a few planes alone. */
static uint64_t labels_bytes(const counting *c)
{
    const rill_keeper *keeper = rill_planes_keeper(c->domain->geom->planes);
    const uint64_t own = keeper ? c->nodes / (uint64_t)keeper->count : 0;
    if (!c->makes_network) return 0;
    return rill_sim_label_bytes(c->device->backend->host ? own : c->nodes, c->plan->chambers);
}

static uint64_t velocities_bytes(const counting *c)
{
    return c->plan->mean_speeds && c->looks ? rill_sim_velocity_bytes(c->stepped) : 0;
}

/*
 * Host memory: the most of what is there while links are built, when the flow is given what it starts from,
 * while a pore network is found, while steps are made, and when moments are read at the end.
 */
static uint64_t host_bytes(const counting *c, bool ghosts, uint64_t links)
{
    enum { moments_slice = 1 << 16 };
    const bool host = c->device->backend->host;
    const uint64_t slice = rill_sim_slice_bytes(c->nodes), own_slice = host ? slice : 0,
                   velocities = host ? velocities_bytes(c) : 0, network = network_bytes(c);
    const bool turned = c->plan->reservoirs && c->o->axis != 2;
    const uint64_t building =
        c->numbers * (ghosts ? 2 : 1) + (host ? links : 0) + (c->plan->network ? network : 0);
    const uint64_t standing = c->numbers + c->partials + c->walls + c->swaps + (host ? c->sim : 0);
    uint64_t most = 0;
    /* A network that corrects is found from the beginning on: while links are built, beside the coarser
     * grids, which on a host together have a seventh of the nodes and no more than a simulation, and the
     * first cycle. */
    const uint64_t early = c->plan->network ? network : 0;
    if (c->plan->nested)
        most = own_slice + early + rill_nested_bytes(c->domain->geom, c->plan) +
               (host ? 0 : (c->numbers + network) / 6);
    if (c->plan->reservoirs) most = larger(most, own_slice + 4 * sizeof(double) * moments_slice);
    /* Where none are made it is found late, to see whether pressures have settled. The nodes are labelled
     * while its throats are found. */
    const uint64_t labels = network && host ? own_slice + labels_bytes(c) : 0;
    most = larger(most, network ? network + c->box + labels + (c->plan->network ? 0 : velocities) : 0);
    most = larger(most, network + velocities + labels);
    if (c->fields) { /* turned, where they were between reservoirs; the network is gone by then */
        const uint64_t part = 4 * sizeof(double) * (c->nodes < moments_slice ? c->nodes : moments_slice);
        most = larger(most, velocities + own_slice + 4 * sizeof(float) * c->plan->nodes * (turned ? 2 : 1) +
                                larger(2 * part, c->o->finished_bytes));
    }
    return larger(building, standing + most);
}

static rill_status memory_plan(const rill_domain *domain, const rill_permeability_options *o,
                               bool mean_speeds, rill_permeability_plan *plan)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = domain->geom;
    rill_links_size size;
    uint64_t linked;
    counting c = {.domain = domain, .o = o, .plan = plan};
    const rill_variant variant = rill_variant_normal(o->variant);
    RILL_TRY(rill_device_take(o->device, o->backend, &c.device));
    RILL_TRY(rill_links_measure(domain, variant, &size));
    RILL_TRY(rill_links_linked(&domain->numbering, variant, c.device, &linked));
    plan->ghosts = size.ghosts;
    plan->mean_speeds = mean_speeds;
    c.nodes = domain->nodes;
    c.stepped = size.nodes;
    c.numbers = rill_numbering_held(geom);
    c.box = rill_network_finding_bytes(geom);
    c.sim = rill_sim_bytes(variant, &size) + linked;
    c.partials = rill_sim_partial_bytes(size.nodes);
    const uint64_t links = geom->surface ? geom->surface->wall_count : 0;
    c.walls = links * (sizeof(rill_wall_cut) + sizeof(float) + 8);
    c.swaps = o->axis < 0 && variant.addressing != RILL_DENSE ? domain->swap_count * sizeof(rill_swap) : 0;
    c.corrects = plan->network || rill_plan_has_other(plan, o);
    c.makes_network = rill_plan_makes_network(plan, o);
    c.looks = o->max_steps >= (plan->network ? plan->cycle : plan->every);
    c.fields = o->finished || o->finished_pieces || o->drive == RILL_DRIVE_PRESSURE ||
               o->variant.equilibrium != RILL_STOKES;
    const bool host = c.device->backend->host;
    plan->host_bytes = host_bytes(&c, size.ghosts > 0, size.bytes);
    plan->device_bytes = host ? 0
                              : c.sim + labels_bytes(&c) + velocities_bytes(&c) +
                                    (takes_slices(&c) ? rill_sim_slice_bytes(c.nodes) : 0) +
                                    links * (sizeof(rill_wall_cut) + sizeof(rill_node));
    plan->device_free = 0;
    if (!host) RILL_TRY(rill_device_available(c.device, &plan->device_free));
    RILL_TRY(parts_plan(domain, o, host ? c.sim : plan->device_bytes, plan));
done:
    rill_device_leave(o->device, c.device);
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
    plan->host_bytes += rill_reservoirs_bytes(&n->between);
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
