/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes belong to sponge layers, how much their viscosity is raised, and what pressure that costs. */
#include "vessel/sponge.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/domain.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * The viscosity rises as a power of the distance from where the layer begins. In an aorta at a cell Reynolds
 * number of 115 a power of 4 was unstable at a Mach number of 0.1, and 2 at 0.05; lower ones cost more
 * pressure. At small Mach numbers it is relaxation from step to step that counts: so much viscosity at least,
 * lu.
 */
enum { POWER = 1 };
#define NU_LEAST 0.04

/* Find how far a place is in front of the plane of an opening, and how far from its axis, m. */
static void place_of(const rill_opening *o, const double x[3], double *ahead, double *aside)
{
    double square = 0;
    *ahead = 0;
    for (int a = 0; a < 3; a++) *ahead += (x[a] - o->centre[a]) * o->normal[a];
    for (int a = 0; a < 3; a++) square += pow(x[a] - o->centre[a] - *ahead * o->normal[a], 2);
    *aside = sqrt(square);
}

/* Return how far the surface that was read ends before the plane of an opening. */
static double extension_of(const rill_surface *s, const rill_opening *o)
{
    const double radius = sqrt(o->area / M_PI);
    double least = INFINITY, ahead, aside;
    for (uint64_t k = 0; k < s->vertex_count; k++) {
        place_of(o, s->vertices[k], &ahead, &aside);
        if (aside < 1.5 * radius && ahead > -0.1 * radius) least = fmin(least, fmax(ahead, 0));
    }
    return isfinite(least) ? least : 0;
}

void rill_sponge_plan(const rill_case *given, const rill_geom *geom, rill_case_plan *plan)
{
    for (int k = 0; k < plan->opening_count; k++) {
        rill_plan_opening *p = &plan->openings[k];
        const rill_opening *o = &geom->surface->openings[k];
        p->extension = extension_of(geom->surface, o);
        const bool inlet = given->ends[p->end].kind == RILL_END_INLET;
        /* Through an inlet, only what leaves counts. Jets may reach an outlet: half of the largest velocity
         * anywhere counts there, too. */
        const double speed = inlet ? p->outward : fmax(p->velocity_peak, 0.5 * plan->velocity_peak),
                     nu = fmax(speed * geom->spacing / RILL_SPONGE_CELL_MADE,
                               inlet ? 0 : NU_LEAST * geom->spacing * geom->spacing / plan->scales.time);
        if (speed * geom->spacing <= RILL_SPONGE_CELL * plan->nu || p->extension < 2 * geom->spacing)
            continue;
        p->sponge = p->extension;
        p->sponge_nu = nu;
        if (inlet) continue;
        /* Poiseuille's, of what the viscosity is raised by in the mean, on a circle of the same area. */
        p->sponge_resistance =
            8 * M_PI * given->density * (nu - plan->nu) / (POWER + 1) * p->sponge / (o->area * o->area);
    }
}

uint64_t rill_sponge_nodes(const rill_geom *geom, const rill_case_plan *plan)
{
    double volume = 0;
    for (int k = 0; k < plan->opening_count; k++)
        volume += plan->openings[k].sponge * geom->surface->openings[k].area;
    return (uint64_t)ceil(volume / pow(geom->spacing, 3));
}

/* A search through the nodes in front of one opening. */
typedef struct search {
    const rill_vessel *vessel;
    const rill_opening *opening;
    double length;        /* of its layer, m */
    double raised;        /* tau at the opening */
    float *keep;          /* [nodes]; UNSEEN, or what is left of deviations from equilibrium */
    uint32_t (*stack)[3]; /* voxels whose neighbours were not looked at */
    uint64_t count, capacity;
} search;

#define UNSEEN 2.0f

static rill_status push(search *s, const uint32_t x[3])
{
    if (s->count == s->capacity) {
        const uint64_t capacity = s->capacity ? 2 * s->capacity : 4096;
        uint32_t(*stack)[3] = realloc(s->stack, capacity * sizeof *stack);
        if (!stack) return rill_fail(RILL_SYSTEM, "out of memory for a sponge layer");
        s->stack = stack;
        s->capacity = capacity;
    }
    memcpy(s->stack[s->count++], x, sizeof *s->stack);
    return RILL_OK;
}

/* Put a voxel into the layer, if it is a node in front of the opening that is in none. */
static rill_status see(search *s, const uint32_t x[3])
{
    const rill_numbering *numbering = &s->vessel->domain->numbering;
    const rill_geom *g = s->vessel->geom;
    double place[3], ahead, aside;
    if (!rill_numbering_has(numbering, x[0], x[1], x[2])) return RILL_OK;
    float *keep = &s->keep[rill_numbering_rank(numbering, x[0], x[1], x[2])];
    for (int a = 0; a < 3; a++) place[a] = g->origin[a] + g->spacing * (x[a] + 0.5);
    place_of(s->opening, place, &ahead, &aside);
    if (*keep < UNSEEN || ahead >= s->length) return RILL_OK;
    const double tau = s->vessel->plan.options.tau, part = pow(1 - fmax(ahead, 0) / s->length, POWER),
                 here = tau + part * (s->raised - tau);
    *keep = (float)fmax((1 - 1 / here) / (1 - 1 / tau), 0);
    return push(s, x);
}

/* Fill the layer of an opening, from the voxels on. */
static rill_status flood(search *s)
{
    rill_status status = RILL_OK;
    const rill_geom *g = s->vessel->geom;
    const uint64_t voxels = rill_geom_voxels(g);
    for (uint64_t v = 0; v < voxels; v++) {
        const uint32_t at[3] = {(uint32_t)(v % g->n[0]), (uint32_t)(v / g->n[0] % g->n[1]),
                                (uint32_t)(v / g->n[0] / g->n[1])};
        if (g->voxels[v] == s->opening->label) RILL_TRY(see(s, at));
    }
    while (s->count > 0) {
        uint32_t x[3];
        memcpy(x, s->stack[--s->count], sizeof x);
        for (int way = 0; way < 6; way++) {
            const int a = way / 2, side = way % 2 ? 1 : -1;
            uint32_t next[3] = {x[0], x[1], x[2]};
            if (side < 0 ? x[a] == 0 : x[a] + 1 >= g->n[a]) continue;
            next[a] += (uint32_t)side;
            RILL_TRY(see(s, next));
        }
    }
done:
    return status;
}

rill_status rill_sponge_make(const rill_vessel *vessel, rill_sponge_list *out)
{
    rill_status status = RILL_OK;
    const rill_case_plan *plan = &vessel->plan;
    const rill_node nodes = rill_domain_nodes(vessel->domain);
    const double unit = vessel->geom->spacing * vessel->geom->spacing / plan->scales.time;
    search s = {.vessel = vessel};
    rill_sponge_list list = {0};
    if (rill_sponge_nodes(vessel->geom, plan) == 0) return RILL_OK;
    RILL_TRY(rill_array_create(nodes, sizeof *s.keep, "sponge layers", (void **)&s.keep));
    for (rill_node k = 0; k < nodes; k++) s.keep[k] = UNSEEN;
    for (int k = 0; k < plan->opening_count; k++) {
        s.opening = &vessel->geom->surface->openings[k];
        s.length = plan->openings[k].sponge;
        s.raised = 0.5 + 3 * plan->openings[k].sponge_nu / unit;
        if (s.length > 0) RILL_TRY(flood(&s));
    }
    for (rill_node k = 0; k < nodes; k++) list.count += s.keep[k] < UNSEEN;
    RILL_TRY(rill_array_create(list.count, sizeof *list.nodes, "sponge layers", (void **)&list.nodes));
    RILL_TRY(rill_array_create(list.count, sizeof *list.keep, "sponge layers", (void **)&list.keep));
    list.count = 0;
    for (rill_node k = 0; k < nodes; k++) {
        if (!(s.keep[k] < UNSEEN)) continue;
        list.nodes[list.count] = rill_sim_number(vessel->sim, k);
        list.keep[list.count++] = s.keep[k];
    }
    *out = list;
    list = (rill_sponge_list){0};
done:
    rill_array_destroy(s.keep);
    free(s.stack);
    rill_sponge_free(&list);
    return status;
}

void rill_sponge_free(rill_sponge_list *list)
{
    rill_array_destroy(list->nodes);
    rill_array_destroy(list->keep);
    *list = (rill_sponge_list){0};
}
