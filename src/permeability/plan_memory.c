/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the memory of a permeability run: the most of what is there at any time. */
#include "permeability/plan_memory.h"
#include "device/room.h"
#include "domain/links.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/planes.h"
#include "kernel/variant.h"
#include "network/network.h"
#include "permeability/mixing.h"
#include "permeability/nested.h"
#include "permeability/finish.h"
#include "permeability/reservoir.h"
#include "sim/arrivals.h"
#include "sim/refined.h"

#include <math.h>
#include <string.h>

/* What is read at a time of the moments of all nodes. */
enum { MOMENTS_SLICE = 1 << 16 };

/* Faces of pores at solids for each unit of wall area, which is counted as that of smooth walls. */
#define FACES 1.5

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- sizes --------------------------------------------------------------------------------------- */

/* What depends on the box, and on its nodes. */
static void box_measure(rill_plan_sizes *s, const rill_geom *geom, double surface)
{
    const rill_keeper *keeper = rill_planes_keeper(geom->planes);
    s->numbers = rill_numbering_held(geom);
    s->coarser = rill_nested_bytes(geom, s->nodes, surface, s->stays);
    s->coarser_there = s->stays ? rill_nested_there_bytes(s->nodes, surface) : 0;
    s->labels = rill_network_label_bytes(geom, s->nodes);
    s->distances = rill_network_distance_bytes(geom);
    s->copy = rill_network_copy_bytes(geom);
    s->sensitivity = rill_sensitivity_bytes(geom, s->nodes);
    s->thresholds = 0; /* where voxels are split, there are no grey values */
    const double faces = FACES * surface * (double)s->nodes;
    s->room = rill_wall_room_bytes(geom, smaller((uint64_t)faces, s->nodes));
    s->held = keeper ? s->nodes / (uint64_t)keeper->count : 0;
}

rill_status rill_plan_sizes_take(const rill_domain *domain, const rill_permeability_options *o,
                                 const rill_permeability_plan *plan, rill_device *device,
                                 rill_plan_sizes *out)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = domain->geom;
    rill_plan_sizes s = {.backend = device->backend,
                         .variant = rill_variant_normal(o->variant),
                         .stays = rill_nested_stays(geom, o),
                         .nodes = domain->nodes,
                         .swaps = domain->swap_count};
    RILL_TRY(rill_links_measure(domain, s.variant, &s.links));
    RILL_TRY(rill_links_linked(&domain->numbering, s.variant, device, &s.linked));
    if (o->drive == RILL_DRIVE_PRESSURE) s.face = rill_reservoirs_face(domain);
    s.walls = rill_attached_walls(geom->surface, s.variant, s.links.stride, s.backend, false);
    if (rill_axes_count(o->axis) > 1 && s.variant.addressing != RILL_DENSE) s.own_swaps = s.swaps;
    box_measure(&s, geom, plan->pores.surface / plan->pores.porosity);
    if (o->sensitivity) s.thresholds = rill_threshold_networks_bytes(geom, s.nodes, plan->pores.chambers);
    *out = s;
done:
    return status;
}

static void scale(uint64_t *size, double more) { *size = (uint64_t)((double)*size * more); }

void rill_plan_sizes_scale(rill_plan_sizes *s, const rill_geom *geom, double more, double surface)
{
    rill_attached_load *w = &s->walls;
    rill_attached_load *f = &s->face;
    uint64_t *const volumes[] = {&s->nodes,       &s->links.nodes, &s->links.stride,
                                 &s->links.bytes, &s->linked,      &w->bundles},
                    *const areas[] = {&w->cuts,  &w->links,     &w->axes,  &w->nodes, &w->pairs,
                                      &s->swaps, &s->own_swaps, &f->links, &f->nodes, &f->pairs};
    for (size_t k = 0; k < sizeof volumes / sizeof *volumes; k++) scale(volumes[k], more);
    for (int k = 0; k < s->links.part_count; k++) scale(&s->links.parts[k].bytes, more);
    for (size_t k = 0; k < sizeof areas / sizeof *areas; k++) scale(areas[k], pow(more, 2.0 / 3));
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
    return c->plan->mean_speeds && c->looks ? rill_sim_velocity_bytes(c->s->links.nodes) : 0;
}

/* What a backend has of the network. A host reads the chambers of nodes where the network has them, unless
 * that has those of a few planes alone. */
static void network_add(const counting *c, rill_room *r)
{
    const rill_plan_sizes *s = c->s;
    if (!c->makes_network) return;
    rill_room_add(r, (s->backend->host ? s->held : s->nodes) * sizeof(uint32_t));
    rill_room_add(r, c->plan->chambers * sizeof(int64_t));
    rill_room_add(r, c->plan->chambers * sizeof(double));
    if (!s->backend->host) rill_room_add(r, rill_network_copy_size(c->plan->chambers));
}

/* What lasts on the backend beside the simulation, once it is there. */
static void backend_add(const counting *c, rill_room *r)
{
    const rill_plan_sizes *s = c->s;
    const bool slices = c->makes_network || c->fields || c->plan->nested || c->plan->reservoirs;
    rill_room_add(r, velocities_bytes(c));
    if (slices) rill_room_add(r, rill_sim_slice_bytes(s->nodes));
    if (slices && s->variant.addressing == RILL_DENSE)
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

/* Return the memory of the device, or what a host has for it. @param sim  the simulation and its walls */
static uint64_t device_bytes(const counting *c, const rill_room *sim)
{
    rill_room start = *sim, later = *sim;
    start_add(c, &start);
    backend_add(c, &later);
    rill_room end = later; /* the flow through edges is read when the network is gone */
    network_add(c, &later);
    if (!c->s->backend->host) rill_arrivals_count(c->s->variant.storage, &end);
    return larger(rill_room_bytes(&start), larger(rill_room_bytes(&later), rill_room_bytes(&end)));
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
    return rill_network_bytes(chambers) + (c->s->backend->host ? c->s->labels : 0) +
           (c->corrects ? rill_mixing_bytes(chambers, c->o->max_steps / p->cycle) : 0) +
           (vectors + (uint64_t)looks) * chambers * sizeof(double);
}

/* Fields, rotated where they were between reservoirs; the network is gone by then. */
static uint64_t fields_bytes(const counting *c)
{
    const uint64_t part = 4 * sizeof(double) * smaller(c->s->nodes, MOMENTS_SLICE);
    const bool turned = c->plan->reservoirs && c->o->axis != 2;
    const uint64_t room = c->o->wall_room ? c->s->room : 0;
    return 4 * sizeof(float) * c->plan->nodes * (turned ? 2 : 1) +
           larger(2 * part, larger(room, c->o->finished_bytes)) + (c->o->sensitivity ? c->s->sensitivity : 0);
}

rill_plan_memory rill_plan_memory_count(const rill_plan_sizes *s, const rill_permeability_options *o,
                                        const rill_permeability_plan *plan)
{
    rill_plan_memory m = {.host = 0};
    const bool host = s->backend->host;
    rill_room sim = {.backend = s->backend};
    const rill_room none = sim;
    counting c = {.s = s, .o = o, .plan = plan};
    c.corrects = plan->network || rill_plan_has_other(plan, o);
    c.makes_network = rill_plan_makes_network(plan, o);
    c.looks = o->max_steps >= (plan->network ? plan->cycle : plan->every);
    c.fields = o->finished || o->finished_pieces || o->sensitivity || o->wall_room ||
               o->drive == RILL_DRIVE_PRESSURE || o->variant.equilibrium != RILL_STOKES;
    rill_sim_count(s->variant, &s->links, &sim);
    rill_room_share(&sim, NULL, s->swaps * sizeof(rill_swap), NULL);
    uint64_t walls = rill_attached_count(&s->walls, &sim);
    for (int end = 0; end < 2; end++) walls = larger(walls, rill_attached_count(&s->face, &sim));
    m.sim = s->linked + rill_room_bytes(&sim);
    /* With a GPU only the chambers exist beside the coarser grids; the throats are found later. */
    const bool later = plan->nested && rill_plan_steps_apart(o);
    const uint64_t finding = finding_bytes(&c), before = later ? chambers_bytes(&c) : finding,
                   slice = host ? rill_sim_slice_bytes(s->nodes) : 0,
                   velocities = host ? velocities_bytes(&c) : 0,
                   beside = host ? device_bytes(&c, &none) : 0; /* of the simulation, as a device has it */
    m.standing = s->numbers + sim.host + s->own_swaps * sizeof(rill_swap) + (host ? m.sim : 0);
    m.building = s->numbers * (s->links.ghosts > 0 ? 2 : 1) + (host ? s->links.bytes : 0) +
                 (plan->network ? before : 0);
    /* A network that corrects is found from the beginning on: beside the coarser grids, which on a host
     * together have a seventh of the nodes and no more than a simulation, and the first cycle. Another one is
     * found late, to see whether pressures have settled. */
    m.starting = finding + beside - (plan->network ? velocities : 0);
    if (plan->nested) m.starting = larger(m.starting, slice + before + s->coarser);
    m.starting = larger(m.starting, walls);
    if (plan->reservoirs) m.starting = larger(m.starting, slice + 4 * sizeof(double) * MOMENTS_SLICE);
    m.cycling = network_bytes(&c) + beside;
    m.ending = c.fields ? beside + fields_bytes(&c) : 0;
    m.host = larger(m.building, m.standing + larger(m.starting, larger(m.cycling, m.ending)));
    if (o->sensitivity && s->thresholds) m.host = larger(m.host, s->numbers + s->thresholds);
    m.device = host ? 0 : device_bytes(&c, &sim);
    return m;
}
