/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the memory of a run of a vessel: the most of what is there at any time; and what it writes. */
#include "vessel/plan/plan.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "domain/links.h"
#include "io/fields.h"
#include "io/view.h"
#include "sim/attached.h"
#include "sim/sim_priv.h"
#include "vessel/case/end_kinds.h"
#include "vessel/observe/loss.h"
#include "vessel/observe/observe.h"
#include "vessel/wall/shear_cycle.h"
#include "vessel/run/sponge.h"
#include "vessel/run/transport.h"

#include <math.h>

/* What checkpoints, walls and pictures take at a time, and fields: of a node, and of a batch of them. */
enum { PIECE_BYTES = 6 << 20, FIELDS_NODE = 192, FIELDS_BYTES = 24 << 20 };

/* Of a node in a sponge layer, while it is made: a table of 16 bytes per node, a third to two thirds of it in
 * use, and the table before it. */
enum { SPONGE_MAKING = 48 };

/* Links of a pressure in a plane of the lattice see each other two by two, but for those along its normal:
 * of nine of D3Q27 one, of five of D3Q19 one. Tangent of the angle from which on they do not: see pairs.c. */
#define PAIRS_OF_LINK 0.6
#define OBLIQUE 0.05

/* What is counted, and of which run. */
typedef struct counting {
    const rill_case *given;
    const rill_geom *geom;
    const rill_outlook *outlook;
    const rill_case_plan *plan;
    rill_room room;  /* a host has what is the device's in its own memory */
    uint64_t making; /* on the host beside that, at most at a time */
} counting;

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

/* ---- boundaries ------------------------------------------------------------------------------ */

static void boundary_add(counting *c, const rill_attached_load *load)
{
    c->making = larger(c->making, rill_attached_count(load, &c->room));
}

static bool is_in_a_plane_of_the_lattice(const rill_opening *o)
{
    int axis = 0;
    for (int a = 1; a < 3; a++)
        if (fabs(o->normal[a]) > fabs(o->normal[axis])) axis = a;
    return hypot(o->normal[(axis + 1) % 3], o->normal[(axis + 2) % 3]) < OBLIQUE * fabs(o->normal[axis]);
}

static void openings_add(counting *c)
{
    for (int k = 0; k < c->plan->opening_count; k++) {
        const rill_opening *o = &c->geom->surface->openings[k];
        rill_attached_load load =
            rill_attached_load_of(o->cuts, o->cut_count, c->plan->options.variant.lattice);
        load.modes = rill_outlook_modes(c->outlook, k);
        if (c->outlook->profiles[k]) c->room.host += rill_profile_bytes(c->outlook->profiles[k]);
        if (load.modes == 0 && is_in_a_plane_of_the_lattice(o))
            load.pairs = (uint64_t)(PAIRS_OF_LINK * (double)load.links);
        boundary_add(c, &load);
    }
}

static void walls_add(counting *c, const rill_links_size *size)
{
    const rill_attached_load load =
        rill_attached_walls(c->geom->surface, c->plan->options.variant, size->stride, c->room.backend,
                            c->given->walls == RILL_WALLS_QUADRATIC);
    if (c->given->walls != RILL_WALLS_HALF_WAY) boundary_add(c, &load);
}

/* A host has the lists of a sponge once, a device has copies. */
static void sponge_add(counting *c)
{
    const uint64_t nodes = rill_sponge_nodes(c->geom, c->plan), lists[] = {sizeof(rill_node), sizeof(float)};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        rill_room_array(&c->room, nodes * lists[k], NULL);
        rill_room_share(&c->room, NULL, nodes * lists[k], NULL);
    }
    c->making = larger(c->making, nodes * SPONGE_MAKING);
}

/* What a device has besides: a batch of the nodes whose shear rates are written, and what a run makes when it
 * first needs it, tables of openings, their records, the buffer of a checkpoint, which come to less than a
 * granule. A host has these in what files take. */
static void besides_add(counting *c)
{
    const uint64_t batch = smaller(c->plan->nodes, RILL_FIELDS_BATCH);
    if (c->room.backend->host) return;
    if (c->given->output.fields) rill_sample_count(batch, c->plan->resources.parts, &c->room);
    c->room.large += c->room.backend->memory.granule;
}

/* ---- the run ---------------------------------------------------------------------------------- */

/* Whether moments of all nodes are set at the start. */
static bool sets_moments(const rill_case *given)
{
    bool stores = false;
    for (int k = 0; k < given->end_count; k++) stores |= rill_end_stores(&given->ends[k]);
    return stores;
}

static void simulation_add(counting *c, const rill_links_size *size)
{
    rill_sim_count(c->plan->options.variant, size, &c->room);
    if (sets_moments(c->given) || c->given->output.fields || c->given->output.helicity)
        rill_room_add(&c->room, rill_sim_slice_bytes(c->plan->nodes));
}

/* Bytes of a triangle in a file of the wall, and of its results; of a node, and of a picture. */
enum {
    TRIANGLE_BYTES = 56,
    SHEAR_BYTES = 12,
    MEAN_BYTES = 4 * RILL_SHEAR_RESULTS,
    FIELD_BYTES = 20,
    SCALAR_BYTES = 4,
    HELICITY_BYTES = 8,
    PICTURE_BYTES = 1 << 20
};

/* What is written, before it is compressed. @param[in] series  bytes of all series, as they are in memory */
static void count_disk(const rill_case *c, const rill_geom *geom, uint64_t series, rill_case_plan *plan)
{
    const uint64_t triangles = geom->surface->triangle_count, phases = (uint64_t)c->output.snapshots,
                   scalars = (uint64_t)plan->transport.scalars;
    rill_variant carried = plan->options.variant;
    carried.lattice = RILL_D3Q7;
    carried.storage = RILL_FP64;
    plan->checkpoint_bytes = rill_sim_population_bytes(plan->options.variant, plan->nodes) +
                             (c->output.surface ? 4 * sizeof(double) * triangles : 0) + series;
    plan->output_bytes = 3 * series; /* HDF5 and text */
    if (c->output.surface)
        plan->output_bytes += triangles * (TRIANGLE_BYTES + MEAN_BYTES) + 2 * PICTURE_BYTES +
                              phases * triangles * (TRIANGLE_BYTES + SHEAR_BYTES);
    if (c->output.helicity) plan->checkpoint_bytes += plan->nodes * sizeof(float);
    plan->checkpoint_bytes += scalars * rill_sim_population_bytes(carried, plan->nodes);
    if (c->output.fields)
        plan->output_bytes +=
            phases * plan->nodes *
            (FIELD_BYTES + SCALAR_BYTES * scalars + (c->output.helicity ? HELICITY_BYTES : 0));
    if (c->output.slices) plan->output_bytes += 3 * PICTURE_BYTES;
}

rill_load rill_case_load(const rill_case *given)
{
    return RILL_LOAD_OPENINGS | (given->walls == RILL_WALLS_HALF_WAY ? RILL_LOAD_NONE : RILL_LOAD_WALLS);
}

rill_status rill_case_plan_memory(const rill_case *given, const rill_geom *geom, const rill_outlook *outlook,
                                  const rill_case_plan_options *options, rill_device *device,
                                  rill_case_plan *plan)
{
    rill_status status = RILL_OK;
    rill_links_size size;
    rill_points_size places = {0, 0};
    uint64_t linked;
    const bool host = device->backend->host;
    counting c = {given, geom, outlook, plan, .room = {.backend = device->backend}};
    plan->resources.parts = (int)larger((uint64_t)options->on.count, 1); /* at most, until they are divided */
    RILL_TRY(rill_memory_available(&plan->resources.host_free));
    RILL_TRY(
        rill_domain_create(geom, &(rill_domain_options){plan->options.variant.lattice, -1}, &plan->domain));
    RILL_TRY(rill_links_measure(plan->domain, plan->options.variant, &size));
    RILL_TRY(rill_links_linked(&plan->domain->numbering, plan->options.variant, device, &linked));
    plan->nodes = plan->domain->nodes;
    RILL_TRY(rill_case_judge_places(given, plan, &places));
    RILL_TRY(rill_losses_count(plan, &places));
    simulation_add(&c, &size);
    RILL_TRY(rill_transport_count(given, geom, plan, &c.room));
    openings_add(&c);
    walls_add(&c, &size);
    sponge_add(&c);
    const uint64_t kept = c.room.host;
    besides_add(&c);
    const rill_observers_size observers = rill_observers_measure(given, geom, plan, places, &c.room);
    const uint64_t held = rill_room_bytes(&c.room) + (host ? linked + kept : 0),
                   fields = given->output.fields
                                ? smaller(PIECE_BYTES + plan->nodes * FIELDS_NODE, FIELDS_BYTES)
                                : 0;
    const uint64_t pieces =
        given->output.surface ? larger(PIECE_BYTES, rill_view_measure(geom->surface)) : PIECE_BYTES;
    /* One after the other: links are made, what is followed is set up, files are written. */
    const uint64_t most = larger(c.making, observers.host + larger(observers.making, larger(fields, pieces)));
    plan->resources.host_bytes = rill_numbering_held(geom) + most + (host ? held : kept);
    plan->resources.device_bytes = host ? 0 : held;
    rill_log(
        RILL_LOG_DEBUG,
        "plan, bytes: numbers %llu, links and openings %llu (making %llu), followed %llu (making %llu), device %llu",
        (unsigned long long)rill_numbering_held(geom), (unsigned long long)kept, (unsigned long long)c.making,
        (unsigned long long)observers.host, (unsigned long long)observers.making, (unsigned long long)held);
    count_disk(given, geom, observers.series, plan);
    if (!host) RILL_TRY(rill_device_available(device, &plan->resources.device_free));
    RILL_TRY(rill_resources_divide(
        plan->domain,
        (rill_several_given){
            .variant = plan->options.variant, .on = options->on, .load = rill_case_load(given), .held = held},
        &plan->resources));
done:
    return status;
}
