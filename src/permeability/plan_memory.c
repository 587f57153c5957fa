/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the memory of a permeability run: the most of what is there at any time. */
#include "permeability/plan_memory.h"
#include "device/room.h"
#include "domain/links.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/planes.h"
#include "kernel/storage.h"
#include "kernel/variant.h"
#include "network/network.h"
#include "permeability/mixing.h"
#include "permeability/nested.h"
#include "sim/refined.h"

#include <math.h>
#include <string.h>

/* What is read at a time of the moments of all nodes. */
enum { MOMENTS_SLICE = 1 << 16 };

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- sizes --------------------------------------------------------------------------------------- */

/* What depends on the box, and on its nodes. */
static void box_measure(rill_plan_sizes *s, const rill_geom *geom, double surface)
{
    const rill_keeper *keeper = rill_planes_keeper(geom->planes);
    s->voxels = rill_geom_voxels(geom);
    s->numbers = rill_numbering_held(geom);
    s->coarser = rill_nested_bytes(geom, s->nodes, surface, s->stays);
    s->coarser_there = s->stays ? rill_nested_there_bytes(s->nodes, surface) : 0;
    s->labels = rill_network_label_bytes(geom, s->nodes);
    s->distances = rill_network_distance_bytes(geom);
    s->copy = rill_network_copy_bytes(geom);
    s->held = keeper ? s->nodes / (uint64_t)keeper->count : 0;
}

rill_status rill_plan_sizes_take(const rill_domain *domain, const rill_permeability_options *o,
                                 const rill_permeability_plan *plan, rill_device *device,
                                 rill_plan_sizes *out)
{
    rill_status status = RILL_OK;
    rill_links_size size;
    const rill_geom *geom = domain->geom;
    const rill_variant variant = rill_variant_normal(o->variant);
    const uint64_t links = geom->surface ? geom->surface->wall_count : 0,
                   swaps = domain->swap_count * sizeof(rill_swap);
    rill_plan_sizes s = {.host = device->backend->host,
                         .dense = variant.addressing == RILL_DENSE,
                         .stays = rill_nested_stays(geom, o),
                         .granule = device->backend->granule,
                         .nodes = domain->nodes};
    RILL_TRY(rill_links_measure(domain, variant, &size));
    RILL_TRY(rill_links_linked(&domain->numbering, variant, device, &s.linked));
    s.ghosts = size.ghosts;
    s.stepped = size.nodes;
    s.links = size.bytes;
    s.partials = rill_sim_partial_bytes(size.nodes);
    s.arrays = rill_sim_arrays(variant, &size, s.array);
    if (!s.host) {
        const uint64_t more[] = {swaps, links * sizeof(rill_wall_cut), links * sizeof(rill_node)};
        for (size_t k = 0; k < sizeof more / sizeof *more; k++)
            if (more[k]) s.array[s.arrays++] = more[k];
    }
    s.walls = links * (sizeof(rill_wall_cut) + sizeof(float) + 8);
    s.swaps = rill_axes_count(o->axis) > 1 && !s.dense ? swaps : 0;
    box_measure(&s, geom, plan->pores.surface / plan->pores.porosity);
    *out = s;
done:
    return status;
}

void rill_plan_sizes_scale(rill_plan_sizes *s, const rill_geom *geom, double more, double surface)
{
    uint64_t *const sizes[] = {&s->nodes, &s->stepped, &s->links, &s->linked, &s->partials};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        *sizes[k] = (uint64_t)((double)*sizes[k] * more);
    for (int k = 0; k < s->arrays; k++) s->array[k] = (uint64_t)((double)s->array[k] * more);
    const double areas = pow(more, 2.0 / 3);
    s->walls = (uint64_t)((double)s->walls * areas);
    s->swaps = (uint64_t)((double)s->swaps * areas);
    box_measure(s, geom, surface);
}

/* ---- memory -------------------------------------------------------------------------------------- */

/* What is counted, and of which run. */
typedef struct counting {
    const rill_plan_sizes *s;
    const rill_permeability_options *o;
    const rill_permeability_plan *plan;
    bool corrects;      /* pressures are corrected, or may be in another attempt */
    bool makes_network; /* the steps suffice for that */
    bool looks;         /* the steps suffice to look at the flow once */
    bool fields;        /* moments of all nodes are read at the end */
} counting;

static uint64_t velocities_bytes(const counting *c)
{
    return c->plan->mean_speeds && c->looks ? rill_sim_velocity_bytes(c->s->stepped) : 0;
}

/* What lasts on the backend beside the simulation, once it is there. A host reads the chambers of nodes where
 * the network has them, unless that has those of a few planes alone. */
static void backend_add(const counting *c, rill_room *r)
{
    const rill_plan_sizes *s = c->s;
    const bool slices = c->makes_network || c->fields || c->plan->nested || c->plan->reservoirs;
    if (c->makes_network) {
        rill_room_add(r, (s->host ? s->held : s->nodes) * sizeof(uint32_t));
        rill_room_add(r, c->plan->chambers * sizeof(int64_t));
        rill_room_add(r, c->plan->chambers * sizeof(double));
        if (!s->host) rill_room_add(r, rill_network_copy_size(c->plan->chambers));
    }
    rill_room_add(r, velocities_bytes(c));
    if (slices) rill_room_add(r, rill_sim_slice_bytes(s->nodes));
    if (slices && s->dense)
        rill_room_add(r, rill_sim_slice_bytes(s->nodes) / 4 / sizeof(double) * sizeof(rill_node));
}

/* What the flow of a coarser grid takes there before that. Seen in parts, it takes less than what lasts. */
static void start_add(const counting *c, rill_room *r)
{
    const rill_plan_sizes *s = c->s;
    if (!c->plan->nested || !s->stays) return;
    rill_room_add(r, rill_sim_slice_bytes(s->nodes));
    rill_room_add(r, rill_refined_bytes(s->numbers));
    rill_room_add(r, s->coarser_there);
}

/* Return the memory of the device, or what a host has for it. */
static uint64_t device_bytes(const counting *c, bool sim)
{
    rill_room later = {.granule = c->s->granule};
    for (int k = 0; sim && k < c->s->arrays; k++) rill_room_add(&later, c->s->array[k]);
    rill_room start = later;
    start_add(c, &start);
    backend_add(c, &later);
    return larger(rill_room_bytes(&start), rill_room_bytes(&later));
}

/* Host memory while a pore network is found: its chambers, while walls are measured and throats found, then
 * what its solver is made of. */
static uint64_t finding_bytes(const counting *c)
{
    const uint64_t chambers = c->plan->chambers;
    if (!c->makes_network) return 0;
    return c->s->labels + c->s->copy +
           larger(c->s->distances + rill_network_found_bytes(chambers), rill_network_bytes(chambers));
}

/* Host memory of its chambers alone. */
static uint64_t chambers_bytes(const counting *c)
{
    return c->makes_network ? c->s->labels + c->s->copy + rill_network_found_bytes(c->plan->chambers) : 0;
}

/* Host memory of a pore network, of the pressures that are corrected, and of the buffers of a checkpoint. */
static uint64_t network_bytes(const counting *c)
{
    enum { vectors = 8 };
    const rill_permeability_plan *p = c->plan;
    const uint64_t chambers = p->chambers;
    if (!c->makes_network) return 0;
    const double looks = p->network && c->o->checkpoint ? 2 * p->steps_expected / (double)p->cycle : 0;
    return rill_network_bytes(chambers) + (c->s->host ? c->s->labels : 0) +
           (c->corrects ? rill_mixing_bytes(chambers, c->o->max_steps / p->cycle) : 0) +
           (vectors + (uint64_t)looks) * chambers * sizeof(double);
}

/* Fields, rotated where they were between reservoirs; the network is gone by then. */
static uint64_t fields_bytes(const counting *c)
{
    const uint64_t part = 4 * sizeof(double) * smaller(c->s->nodes, MOMENTS_SLICE);
    const bool turned = c->plan->reservoirs && c->o->axis != 2;
    return 4 * sizeof(float) * c->plan->nodes * (turned ? 2 : 1) + larger(2 * part, c->o->finished_bytes);
}

rill_plan_memory rill_plan_memory_count(const rill_plan_sizes *s, const rill_permeability_options *o,
                                        const rill_permeability_plan *plan)
{
    rill_plan_memory m = {.host = 0};
    counting c = {.s = s, .o = o, .plan = plan};
    c.corrects = plan->network || rill_plan_has_other(plan, o);
    c.makes_network = rill_plan_makes_network(plan, o);
    c.looks = o->max_steps >= (plan->network ? plan->cycle : plan->every);
    c.fields = o->finished || o->finished_pieces || o->drive == RILL_DRIVE_PRESSURE ||
               o->variant.equilibrium != RILL_STOKES;
    m.sim = s->linked;
    for (int k = 0; k < s->arrays; k++) m.sim += s->array[k];
    /* With a GPU only the chambers exist beside the coarser grids; the throats are found later. */
    const bool later = plan->nested && rill_plan_steps_apart(o);
    const uint64_t finding = finding_bytes(&c), before = later ? chambers_bytes(&c) : finding,
                   slice = s->host ? rill_sim_slice_bytes(s->nodes) : 0,
                   velocities = s->host ? velocities_bytes(&c) : 0,
                   beside = s->host ? device_bytes(&c, false) : 0; /* of the simulation, as a device has it */
    m.standing = s->numbers + s->partials + s->walls + s->swaps + (s->host ? m.sim : 0);
    m.building =
        s->numbers * (s->ghosts > 0 ? 2 : 1) + (s->host ? s->links : 0) + (plan->network ? before : 0);
    /* A network that corrects is found from the beginning on: beside the coarser grids, which on a host
     * together have a seventh of the nodes and no more than a simulation, and the first cycle. Another one is
     * found late, to see whether pressures have settled. */
    m.starting = finding + beside - (plan->network ? velocities : 0);
    if (plan->nested) m.starting = larger(m.starting, slice + before + s->coarser);
    if (plan->reservoirs) m.starting = larger(m.starting, slice + 4 * sizeof(double) * MOMENTS_SLICE);
    m.cycling = network_bytes(&c) + beside;
    m.ending = c.fields ? beside + fields_bytes(&c) : 0;
    m.host = larger(m.building, m.standing + larger(m.starting, larger(m.cycling, m.ending)));
    m.device = s->host ? 0 : device_bytes(&c, true);
    return m;
}
