/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/ports.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <string.h>

/* Positions that are tried for a cell, and cells that an inlet adds, before one step; positions that are
 * tried to see whether an inlet has room for any. */
enum { TRIES = 50, MOST = 16, FIRST = 5000 };

static const char *const what = "the openings of cells";

/* Return how far the middle of a voxel is from the plane of an opening, in voxels. */
static double depth_of(const rill_geom *geom, const rill_opening *o, uint64_t voxel)
{
    double depth = 0;
    for (int a = 0; a < 3; a++) {
        const double x = geom->origin[a] + geom->spacing * ((double)(voxel % geom->n[a]) + 0.5);
        depth += (x - o->centre[a]) / geom->spacing * o->normal[a];
        voxel /= geom->n[a];
    }
    return depth;
}

/*
 * List the fluid voxels that an opening is connected with through voxels that are nearer to its plane than a
 * depth. @param seen  [voxels], 0 before and after
 */
static rill_status flood(const rill_geom *geom, const rill_opening *o, double depth, uint8_t *seen,
                         uint64_t **out, uint64_t *count)
{
    rill_status status = RILL_OK;
    const uint64_t all = rill_geom_voxels(geom), step[3] = {1, geom->n[0], (uint64_t)geom->n[0] * geom->n[1]};
    uint64_t *list = NULL, end = 0, room = 0;
    for (uint64_t v = 0; v < all; v++) room += geom->voxels[v] != RILL_SOLID && depth_of(geom, o, v) < depth;
    RILL_TRY(rill_array_create(room + 1, sizeof *list, what, (void **)&list));
    for (uint64_t v = 0; v < all; v++)
        if (geom->voxels[v] == o->label && depth_of(geom, o, v) < depth) {
            seen[v] = 1;
            list[end++] = v;
        }
    for (uint64_t at = 0; at < end; at++)
        for (int a = 0; a < 3; a++)
            for (int way = -1; way <= 1; way += 2) {
                const uint64_t x = list[at] / step[a] % geom->n[a];
                if (way < 0 ? x == 0 : x + 1 == geom->n[a]) continue;
                const uint64_t to = way < 0 ? list[at] - step[a] : list[at] + step[a];
                if (seen[to] || geom->voxels[to] == RILL_SOLID || depth_of(geom, o, to) >= depth) continue;
                seen[to] = 1;
                list[end++] = to;
            }
    for (uint64_t at = 0; at < end; at++) seen[list[at]] = 0;
    *count = end;
    *out = list;
done:
    return status;
}

rill_status rill_ports_create(const rill_geom *geom, const rill_membrane_mesh *mesh, rill_ports *out)
{
    rill_status status = RILL_OK;
    const int count = geom->surface->opening_count;
    rill_ports p = {.geom = geom,
                    .mesh = mesh,
                    .volume = rill_membrane_shape_of(mesh, (const double(*)[3])mesh->vertices).volume};
    uint64_t *list = NULL, found, longest = 0;
    uint8_t *seen = NULL;
    RILL_TRY(rill_array_create_zero((uint64_t)count, sizeof *p.each, what, (void **)&p.each));
    p.count = count;
    RILL_TRY(rill_array_create_zero(rill_geom_voxels(geom), 1, what, (void **)&p.strip));
    RILL_TRY(rill_array_create_zero(rill_geom_voxels(geom), 1, what, (void **)&seen));
    for (int k = 0; k < count; k++) {
        RILL_TRY(flood(geom, &geom->surface->openings[k], RILL_PORTS_STRIP, seen, &list, &found));
        for (uint64_t at = 0; at < found; at++) {
            p.closed += p.strip[list[at]] == 0;
            p.strip[list[at]] = (uint8_t)(1 + k);
        }
        rill_array_destroy(list);
        list = NULL;
    }
    for (int a = 0; a < 3; a++) longest = geom->n[a] > longest ? geom->n[a] : longest;
    p.soft = RILL_PORTS_SOFT * longest;
    *out = p;
    p = (rill_ports){0};
done:
    rill_array_destroy(list);
    rill_array_destroy(seen);
    rill_ports_destroy(&p);
    return status;
}

static rill_seed_options places_of(const rill_ports *p, uint32_t count)
{
    return (rill_seed_options){.geom = p->geom,
                               .closed = p->strip,
                               .mesh = p->mesh,
                               .apart = RILL_CONTACT_RANGE,
                               .count = count,
                               .seed = p->seed,
                               .axis = p->axis};
}

rill_status rill_ports_inlet(rill_ports *p, int opening)
{
    rill_status status = RILL_OK;
    const rill_opening *o = &p->geom->surface->openings[opening];
    rill_port *port = &p->each[opening];
    double reach = 0, (*x)[3] = NULL;
    uint8_t *seen = NULL;
    bool found = false;
    uint64_t kept = 0;
    for (uint32_t v = 0; v < p->mesh->vertex_count; v++) {
        const double *at = p->mesh->vertices[v];
        reach = fmax(reach, sqrt(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]));
    }
    RILL_TRY(rill_array_create_zero(rill_geom_voxels(p->geom), 1, what, (void **)&seen));
    RILL_TRY(flood(p->geom, o, RILL_PORTS_STRIP + 2 * reach + 1, seen, &port->voxels, &port->voxel_count));
    for (uint64_t k = 0; k < port->voxel_count; k++)
        if (!p->strip[port->voxels[k]]) port->voxels[kept++] = port->voxels[k];
    port->voxel_count = kept;
    RILL_TRY(rill_array_create(p->mesh->vertex_count, sizeof *x, what, (void **)&x));
    const rill_seed_options places = places_of(p, 0);
    RILL_TRY(rill_seed_more(&places, x, 0, FIRST, port->voxels, kept, &found));
    if (!found)
        status = rill_fail(
            RILL_USAGE,
            "no cell finds room within %.3g voxels of the inlet %s, of which the first %g are kept free: make the geometry with a longer --extend, or smaller voxels",
            RILL_PORTS_STRIP + 2 * reach + 1, o->name, RILL_PORTS_STRIP);
done:
    rill_array_destroy(seen);
    rill_array_destroy(x);
    return status;
}

void rill_ports_destroy(rill_ports *p)
{
    for (int k = 0; k < p->count; k++) rill_array_destroy(p->each[k].voxels);
    rill_array_destroy(p->each);
    rill_array_destroy(p->strip);
    *p = (rill_ports){0};
}

double rill_ports_soft(const rill_ports *p, double step)
{
    const double part = step / (double)p->soft;
    return part >= 1 ? 1 : 0.5 * (1 - cos(M_PI * part));
}

double rill_ports_through(const rill_ports *p, int opening, uint64_t steps)
{
    const double time = (double)steps, soft = (double)p->soft; /* the integral of the above */
    const double of = time >= soft ? time - soft / 2 : (time - soft / M_PI * sin(M_PI * time / soft)) / 2;
    return p->each[opening].flow * of;
}

double rill_ports_due(const rill_ports *p, int opening, uint64_t steps)
{
    return floor(p->each[opening].share * rill_ports_through(p, opening, steps) / p->volume + 0.5);
}

/* Return the opening that a place is near, -1: none. */
static int near_to(const rill_ports *p, const double x[3])
{
    uint64_t at[3];
    for (int a = 0; a < 3; a++) {
        if (!(x[a] >= 0 && x[a] < p->geom->n[a])) return -1;
        at[a] = (uint64_t)x[a];
    }
    return p->strip[(at[2] * p->geom->n[1] + at[1]) * p->geom->n[0] + at[0]] - 1;
}

/* Take cells away that have come near an opening. */
static void leave(rill_ports_cells *c, rill_membranes *m)
{
    const uint32_t vertices = c->ports->mesh->vertex_count;
    for (uint32_t k = 0; k < m->count;) {
        int opening = -1;
        for (uint32_t v = 0; v < vertices && opening < 0; v++)
            opening = near_to(c->ports, m->x[(uint64_t)k * vertices + v]);
        if (opening < 0) {
            k++;
            continue;
        }
        c->state.left[opening]++;
        memmove(c->numbers + k, c->numbers + k + 1, (m->count - k - 1) * sizeof *c->numbers);
        rill_membranes_remove(m, k);
    }
}

/* Add cells at an inlet, as long as they are due and find room. A cell that came back does not count. */
static rill_status enter(rill_ports_cells *c, int opening, rill_membranes *m)
{
    rill_status status = RILL_OK;
    const rill_ports *p = c->ports;
    const rill_port *port = &p->each[opening];
    const uint64_t step = rill_sim_steps(m->sim), vertices = p->mesh->vertex_count;
    const double due = rill_ports_due(p, opening, step);
    bool found = true;
    for (uint64_t k = 0; k < MOST && found && m->count < m->room; k++) {
        if (!((double)c->state.entered[opening] < due + (double)c->state.left[opening])) break;
        const rill_seed_options places = places_of(p, m->count);
        const uint64_t draw =
            ((step / RILL_PORTS_EVERY * (uint64_t)p->count + (uint64_t)opening) * MOST + k) * TRIES;
        RILL_TRY(rill_seed_more(&places, m->x, draw, TRIES, port->voxels, port->voxel_count, &found));
        if (!found) break;
        memset(m->velocity + m->count * vertices, 0, vertices * sizeof *m->velocity);
        c->numbers[m->count++] = c->state.next++;
        c->state.entered[opening]++;
    }
done:
    return status;
}

rill_status rill_ports_turnover(void *owner, rill_membranes *m)
{
    rill_status status = RILL_OK;
    rill_ports_cells *c = owner;
    if (rill_sim_steps(m->sim) % RILL_PORTS_EVERY) return RILL_OK;
    RILL_TRY(rill_membranes_fetch(m));
    leave(c, m);
    for (int k = 0; k < c->ports->count; k++)
        if (c->ports->each[k].inlet && c->ports->each[k].share > 0) RILL_TRY(enter(c, k, m));
    c->state.count = m->count;
    status = rill_membranes_give(m);
done:
    return status;
}
