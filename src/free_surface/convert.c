/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of state. They are few, and one thread makes them in the order of nodes: first all that fill up,
 * whose gas neighbours become interface, and whose neighbours do not empty; then what empties, whose liquid
 * neighbours become interface; then the mass that is left over goes to the interface.
 */
#include "free_surface/bubbles.h"
#include "sim/links.h"
#include "free_surface/plic.h"

#include <stdlib.h>
#include <string.h>

/* States within the pass, behind those of rill_phase_state. */
enum { FILLS = RILL_LIQUID + 1, EMPTIES, FRESH };

rill_status rill_node_list_add(rill_node_list *list, rill_node node)
{
    if (list->count == list->room) {
        const uint64_t room = 2 * list->room + 1024;
        rill_node *node_room = realloc(list->node, room * sizeof *node_room);
        if (!node_room)
            return rill_fail(RILL_SYSTEM, "out of memory for %lu nodes of a free surface",
                             (unsigned long)room);
        list->node = node_room;
        list->room = room;
    }
    list->node[list->count++] = node;
    return RILL_OK;
}

static rill_status excess_add(rill_free_surface *s, rill_node node, double mass)
{
    if (s->excess_count == s->excess_room) {
        const uint64_t room = 2 * s->excess_room + 1024;
        rill_excess *more = realloc(s->excess, room * sizeof *more);
        if (!more)
            return rill_fail(RILL_SYSTEM, "out of memory for %lu nodes of a free surface",
                             (unsigned long)room);
        s->excess = more;
        s->excess_room = room;
    }
    s->excess[s->excess_count++] = (rill_excess){node, mass};
    return RILL_OK;
}

/* Return link neighbour i of a node, RILL_UPSTREAM_WALL where there is none. */
static rill_node neighbour(const rill_free_surface *s, const rill_node *around, int i)
{
    return around[rill_free_surface_upstream(s->lattice, i)];
}

static void mark(rill_free_surface *s)
{
    for (uint64_t k = 0; k < s->list.count; k++)
        if (s->found[k].change)
            s->state[s->list.node[k]] = (uint8_t)(s->found[k].change > 0 ? FILLS : EMPTIES);
}

/* Make interface of gas beside what fills up; what would empty there stays. */
static rill_status surround(rill_free_surface *s)
{
    rill_status status = RILL_OK;
    s->fresh.count = 0;
    for (uint64_t k = 0; k < s->list.count; k++) {
        rill_node around[RILL_AROUND];
        const rill_node node = s->list.node[k];
        if (s->state[node] != FILLS) continue;
        rill_free_surface_around(s, node, around);
        for (int i = 1; i < rill_q((int)s->lattice); i++) {
            const rill_node other = neighbour(s, around, i);
            if (other == RILL_UPSTREAM_WALL) continue;
            if (s->state[other] == EMPTIES) s->state[other] = RILL_INTERFACE;
            if (s->state[other] != RILL_GAS) continue;
            s->state[other] = FRESH;
            RILL_TRY(rill_node_list_add(&s->fresh, other));
        }
    }
done:
    return status;
}

/* Let a new interface node send the equilibrium of the mean of its neighbours. */
static void begin_node(const rill_free_surface *s, const rill_launch *launch, rill_node node)
{
    rill_node around[RILL_AROUND], there[RILL_AROUND];
    rill_exchange e;
    double density = 0, velocity[3] = {0}, momentum[3], f[RILL_Q_MAX];
    int count = 0;
    rill_free_surface_around(s, node, around);
    for (int i = 1; i < rill_q((int)s->lattice); i++) {
        const rill_node other = neighbour(s, around, i);
        if (other == RILL_UPSTREAM_WALL || s->state[other] == RILL_GAS || s->state[other] == FRESH) continue;
        rill_free_surface_around(s, other, there);
        rill_free_surface_exchange(s, launch, other, there, &e);
        const rill_sent sent = rill_free_surface_sent(s, launch, &e);
        density += sent.density - 1;
        for (int a = 0; a < 3; a++) velocity[a] += sent.velocity[a];
        count++;
    }
    density /= count;
    for (int a = 0; a < 3; a++) momentum[a] = (1 + density) * velocity[a] / count + launch->force[a] / 2;
    rill_link_equilibrium(s->lattice, density, momentum, f);
    rill_link_store(launch, node, 0, f[0]);
    for (int i = 1; i < rill_q((int)s->lattice); i++) {
        const rill_node other = neighbour(s, around, i);
        if (other == RILL_UPSTREAM_WALL)
            rill_link_store(launch, node, i, f[rill_opposite(i)]);
        else
            rill_link_store(launch, other, rill_opposite(i), f[rill_opposite(i)]);
    }
}

/* Make interface of liquid beside what empties. */
static void open_beside(rill_free_surface *s, const rill_launch *launch)
{
    for (uint64_t k = 0; k < s->list.count; k++) {
        rill_node around[RILL_AROUND], there[RILL_AROUND];
        rill_exchange e;
        if (s->state[s->list.node[k]] != EMPTIES) continue;
        rill_free_surface_around(s, s->list.node[k], around);
        for (int i = 1; i < rill_q((int)s->lattice); i++) {
            const rill_node other = neighbour(s, around, i);
            if (other == RILL_UPSTREAM_WALL || s->state[other] != RILL_LIQUID) continue;
            rill_free_surface_around(s, other, there);
            rill_free_surface_exchange(s, launch, other, there, &e);
            s->state[other] = RILL_INTERFACE;
            s->mass[other] = rill_free_surface_sent(s, launch, &e).density;
            s->fill[other] = 1;
        }
    }
}

/* Give states their final values, and collect the mass that is left over. */
static rill_status finish(rill_free_surface *s)
{
    rill_status status = RILL_OK;
    s->excess_count = 0;
    for (uint64_t k = 0; k < s->list.count; k++) {
        const rill_node node = s->list.node[k];
        const double density = s->found[k].density, full = s->mass[node] / density;
        const uint8_t state = s->state[node];
        s->fill[node] = (float)(full < 0 ? 0 : full > 1 ? 1 : full);
        if (state != FILLS && state != EMPTIES) continue;
        RILL_TRY(excess_add(s, node, s->mass[node] - (state == FILLS ? density : 0)));
        s->state[node] = state == FILLS ? RILL_LIQUID : RILL_GAS;
        s->fill[node] = state == FILLS;
        s->mass[node] = 0;
    }
    for (uint64_t k = 0; k < s->fresh.count; k++) {
        s->state[s->fresh.node[k]] = RILL_INTERFACE;
        s->mass[s->fresh.node[k]] = 0;
        s->fill[s->fresh.node[k]] = 0;
    }
done:
    return status;
}

/* Hand excess mass on to interface neighbours in equal parts, or, without any, to all interface nodes. */
static void hand_on(rill_free_surface *s)
{
    for (uint64_t k = 0; k < s->excess_count; k++) {
        rill_node around[RILL_AROUND];
        int takers = 0;
        rill_free_surface_around(s, s->excess[k].node, around);
        for (int pass = 0; pass < 2; pass++)
            for (int i = 1; i < rill_q((int)s->lattice); i++) {
                const rill_node other = neighbour(s, around, i);
                if (other == RILL_UPSTREAM_WALL || s->state[other] != RILL_INTERFACE) continue;
                if (pass == 0)
                    takers++;
                else
                    s->mass[other] += s->excess[k].mass / takers;
            }
        if (!takers) s->held += s->excess[k].mass;
    }
    if (s->held == 0 || s->list.count == 0) return;
    for (uint64_t k = 0; k < s->list.count; k++) s->mass[s->list.node[k]] += s->held / (double)s->list.count;
    s->held = 0;
}

rill_status rill_free_surface_list(rill_free_surface *s)
{
    rill_status status = RILL_OK;
    const uint64_t blocks = ((uint64_t)s->nodes + RILL_SEGMENT_BLOCK - 1) / RILL_SEGMENT_BLOCK;
    enum { apart = 16 }; /* blocks of gas between two runs, at least */
    uint64_t last = 0;
    s->list.count = s->run_count = 0;
    for (uint64_t b = 0; b < blocks; b++) {
        const uint64_t first = b * RILL_SEGMENT_BLOCK,
                       end = first + RILL_SEGMENT_BLOCK < s->nodes ? first + RILL_SEGMENT_BLOCK : s->nodes;
        bool stepped = false;
        for (uint64_t n = first; n < end; n++) {
            stepped |= s->state[n] != RILL_GAS;
            if (s->state[n] == RILL_INTERFACE) RILL_TRY(rill_node_list_add(&s->list, (rill_node)n));
        }
        if (!stepped) continue;
        if (!s->run_count || b > last + apart) s->runs[s->run_count++].first = (rill_node)first;
        s->runs[s->run_count - 1].end = (rill_node)end;
        last = b;
    }
    if (s->found_room < s->list.room) {
        free(s->found);
        s->found = calloc(s->list.room, sizeof *s->found);
        s->found_room = s->found ? s->list.room : 0;
        if (!s->found) status = rill_fail(RILL_SYSTEM, "out of memory for a free surface");
    }
done:
    return status;
}

rill_status rill_free_surface_convert(rill_free_surface *s, const rill_launch *launch)
{
    rill_status status = RILL_OK;
    mark(s);
    RILL_TRY(surround(s));
    for (uint64_t k = 0; k < s->fresh.count; k++) begin_node(s, launch, s->fresh.node[k]);
    open_beside(s, launch);
    RILL_TRY(finish(s));
    if (!s->excess_count) goto done;
    RILL_TRY(rill_free_surface_list(s));
    hand_on(s);
    status = rill_bubbles_follow(s);
done:
    return status;
}
