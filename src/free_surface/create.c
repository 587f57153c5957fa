/* SPDX-License-Identifier: Apache-2.0 */
/* A free surface: making it, and sums over its liquid. */
#include "core/memory.h"
#include "core/threads.h"
#include "device/device.h"
#include "free_surface/bubbles.h"
#include "free_surface/faces.h"
#include "free_surface/passes.h"
#include "kernel/variant.h"
#include "sim/sim_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const name = "a free surface";

uint64_t rill_free_surface_node_bytes(bool closed)
{
    return sizeof(uint8_t) + sizeof(float) + sizeof(double) + (closed ? 2 : 1) * sizeof(rill_node);
}

rill_status rill_free_surface_cells_check(const uint32_t n[3])
{
    if (n[2] > 0 && (uint64_t)n[0] * n[1] > UINT32_MAX / n[2])
        return rill_fail(
            RILL_USAGE,
            "the box has %u x %u x %u cells, walls included, a free surface takes at most %u: crop the image, or make the box smaller",
            n[0], n[1], n[2], UINT32_MAX);
    return RILL_OK;
}

static rill_status check(const rill_sim *sim, const rill_free_surface_options *o)
{
    const rill_variant v = sim->flow->options.variant;
    if (v.lattice != RILL_D3Q19 && v.lattice != RILL_D3Q27)
        return rill_fail(RILL_USAGE, "a free surface does not go with lattice %s: choose d3q19 or d3q27",
                         rill_lattice_names[v.lattice]);
    if (v.equilibrium != RILL_SECOND_ORDER)
        return rill_fail(
            RILL_USAGE,
            "a free surface does not go with the equilibrium of Stokes flow: choose second-order");
    if (!(o->tension >= 0) || !isfinite(o->tension))
        return rill_fail(RILL_USAGE, "surface tension %g is not a number from 0 on", o->tension);
    if (!(o->contact_angle > 0 && o->contact_angle < 180))
        return rill_fail(RILL_USAGE, "contact angle %g is not between 0 and 180 degrees", o->contact_angle);
    return RILL_OK;
}

/* Make interface of liquid beside gas. */
static void shores_set(const void *shared, uint64_t first, uint64_t end)
{
    const rill_free_surface *s = shared;
    for (uint64_t n = first; n < end; n++) {
        rill_node around[RILL_AROUND];
        if (s->state[n] != RILL_LIQUID) continue; /* no other thread writes it */
        rill_free_surface_around(s, (rill_node)n, around);
        for (int i = 1; i < rill_q((int)s->lattice); i++) {
            const rill_node other = around[rill_free_surface_upstream(s->lattice, i)];
            if (other != RILL_UPSTREAM_WALL &&
                __atomic_load_n(&s->state[other], __ATOMIC_RELAXED) == RILL_GAS)
                __atomic_store_n(&s->state[n], RILL_INTERFACE, __ATOMIC_RELAXED);
        }
    }
}

/* Give nodes their states by fill levels: a full one beside gas is interface. */
static rill_status states_set(rill_free_surface *s, const double *fill)
{
    for (rill_node n = 0; n < s->nodes; n++) {
        if (!(fill[n] >= 0 && fill[n] <= 1))
            return rill_fail(RILL_USAGE, "fill level %g of node %u is not between 0 and 1", fill[n], n);
        s->fill[n] = (float)fill[n];
        s->state[n] = fill[n] >= 1                           ? RILL_LIQUID
                      : fill[n] > 0 || rill_faces_feed(s, n) ? RILL_INTERFACE
                                                             : RILL_GAS;
    }
    enum { piece = 4096 };
    rill_threads_for(s->nodes, piece, shores_set, s);
    return RILL_OK;
}

rill_status rill_free_surface_create(rill_sim *sim, const rill_free_surface_options *options,
                                     const double *fill, rill_free_surface **out)
{
    rill_status status = RILL_OK;
    rill_free_surface *s = NULL;
    RILL_TRY(check(sim, options));
    RILL_TRY(rill_free_surface_cells_check(sim->domain->numbering.n));
    RILL_TRY(rill_array_create_zero(1, sizeof *s, name, (void **)&s));
    const uint64_t nodes = sim->domain->nodes, blocks = (nodes + RILL_SEGMENT_BLOCK - 1) / RILL_SEGMENT_BLOCK;
    s->sim = sim;
    s->numbering = &sim->domain->numbering;
    s->lattice = sim->flow->options.variant.lattice;
    s->tension = options->tension;
    s->angle = options->contact_angle;
    s->closed = options->gas_pressure > 0;
    s->nodes = (rill_node)nodes;
    s->device = sim->several || sim->device->backend->traits.processor ? NULL : sim->device;
    const uint64_t tiles = rill_front_tiles(nodes);
    RILL_TRY(rill_array_create_zero(tiles * RILL_FRONT_TILE, sizeof *s->state, name, (void **)&s->state));
    RILL_TRY(rill_array_create(tiles, sizeof *s->number, name, (void **)&s->number));
    RILL_TRY(rill_array_create(tiles, sizeof *s->stepped, name, (void **)&s->stepped));
    RILL_TRY(rill_array_create(nodes, sizeof *s->fill, name, (void **)&s->fill));
    RILL_TRY(rill_array_create_zero(nodes, sizeof *s->mass, name, (void **)&s->mass));
    RILL_TRY(rill_array_create(nodes, sizeof *s->cell, name, (void **)&s->cell));
    RILL_TRY(rill_array_create(blocks, sizeof *s->runs, name, (void **)&s->runs));
    rill_numbering_cells(s->numbering, 0, s->nodes, s->cell);
    RILL_TRY(rill_faces_create(s, options));
    RILL_TRY(states_set(s, fill));
    RILL_TRY(rill_free_surface_begin(s, options));
    *out = s;
    s = NULL;
done:
    rill_free_surface_destroy(s);
    return status;
}

void rill_free_surface_destroy(rill_free_surface *s)
{
    if (!s) return;
    rill_free_surface_leave(s);
    rill_faces_destroy(s);
    rill_bubbles_destroy(s);
    rill_array_destroy(s->number);
    rill_array_destroy(s->stepped);
    rill_array_destroy(s->state);
    rill_array_destroy(s->fill);
    rill_array_destroy(s->mass);
    rill_array_destroy(s->cell);
    rill_array_destroy(s->runs);
    free(s->excess);
    rill_array_destroy(s);
}

/* States come first, and bring all that is on a GPU. */
static rill_status states_save(void *context, uint64_t offset, uint64_t bytes, void *to)
{
    rill_free_surface *s = context;
    const rill_status status = offset == 0 ? rill_free_surface_fetch(s) : RILL_OK;
    memcpy(to, s->state + offset, bytes);
    return status;
}

static rill_status states_load(void *context, uint64_t offset, uint64_t bytes, const void *from)
{
    const rill_free_surface *s = context;
    memcpy(s->state + offset, from, bytes);
    return RILL_OK;
}

int rill_free_surface_parts(rill_free_surface *s, rill_checkpoint_part parts[RILL_FREE_SURFACE_PARTS])
{
    parts[0] =
        (rill_checkpoint_part){"states", s->nodes * sizeof *s->state, states_save, states_load, s, NULL};
    parts[1] = rill_checkpoint_memory("fill levels", s->fill, s->nodes * sizeof *s->fill);
    parts[2] = rill_checkpoint_memory("masses", s->mass, s->nodes * sizeof *s->mass);
    parts[3] = rill_checkpoint_memory("mass held", &s->held, sizeof s->held);
    parts[4] = rill_checkpoint_memory("through faces", &s->through, sizeof s->through);
    return 5 + rill_bubbles_parts(s, parts + 5);
}

/* Add a node that moves. */
static void add_node(double mass, double fill, const double u[3], rill_free_surface_totals *t)
{
    double square = 0;
    t->volume += fill;
    for (int a = 0; a < 3; a++) {
        t->momentum[a] += mass * u[a];
        square += u[a] * u[a];
    }
    t->speed_max = fmax(t->speed_max, sqrt(square));
    if (!isfinite(mass) || !isfinite(square)) t->finite = false;
}

/* Add liquid nodes of first … first + count - 1, whose moments were read. */
static void add_liquid(const rill_free_surface *s, rill_node first, rill_node count, const double *rho,
                       const double *u, rill_free_surface_totals *t)
{
    for (rill_node k = 0; k < count; k++) {
        const double velocity[3] = {u[k], u[count + k], u[2 * (size_t)count + k]};
        t->nodes[s->state[first + k]]++;
        if (s->state[first + k] != RILL_LIQUID) continue;
        t->mass += 1 + rho[k];
        add_node(1 + rho[k], 1, velocity, t);
    }
}

/* Add interface nodes, with the mass on its way to them, as it is on its way to liquid nodes, too. */
static rill_status add_interface(rill_free_surface *s, rill_free_surface_totals *t)
{
    rill_status status = RILL_OK;
    rill_node *nodes = NULL;
    rill_front_plane *seen = NULL;
    const uint64_t count = s->front.list.count;
    RILL_TRY(rill_free_surface_measure(s, &nodes, &seen));
    for (uint64_t k = 0; k < count; k++) {
        const rill_node node = nodes[k];
        t->mass += s->mass[node] + seen[k].offset;
        add_node(s->mass[node], (double)s->fill[node], seen[k].normal, t);
    }
done:
    rill_array_destroy(nodes);
    rill_array_destroy(seen);
    return status;
}

rill_status rill_free_surface_totals_take(rill_free_surface *s, rill_free_surface_totals *out)
{
    enum { some = 1 << 16 };
    rill_status status = RILL_OK;
    double *values = NULL;
    rill_free_surface_totals t = {.through = s->through, .gas = rill_bubbles_sum(s), .finite = true};
    RILL_TRY(rill_free_surface_fetch(s));
    t.mass = s->held;
    RILL_TRY(rill_array_create(4 * some, sizeof *values, name, (void **)&values));
    for (rill_node first = 0; first < s->nodes; first += some) {
        const rill_node count = s->nodes - first < some ? s->nodes - first : some;
        RILL_TRY(rill_sim_moments(s->sim, first, count, values, values + some));
        add_liquid(s, first, count, values, values + some, &t);
        if (s->nodes - first <= some) break; /* 32 bits may not hold the next one */
    }
    RILL_TRY(add_interface(s, &t));
    *out = t;
done:
    rill_array_destroy(values);
    return status;
}
