/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes belong to sponge layers, how much their viscosity is raised, and what pressure that costs. */
#include "vessel/run/sponge.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/layers.h"
#include "geometry/voxels/planes.h"
#include "sim/sim.h"
#include "vessel/inlet/profile.h"

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

/* Of an extension, what stays plain in front of a layer, so that the flow at the end of the surface is that
 * of the fluid; and the voxels that a layer has at least. */
#define PLAIN 0.5
#define VOXELS 2

/* Find how far a place is in front of the plane of an opening, and how far from its axis, m. */
static void place_of(const rill_opening *o, const double x[3], double *ahead, double *aside)
{
    double square = 0;
    *ahead = 0;
    for (int a = 0; a < 3; a++) *ahead += (x[a] - o->centre[a]) * o->normal[a];
    for (int a = 0; a < 3; a++) square += pow(x[a] - o->centre[a] - *ahead * o->normal[a], 2);
    *aside = sqrt(square);
}

/* Return how far the surface that was read ends before the plane of an opening. Older files do not say: there
 * the nearest vertex ahead may be one of another branch. */
static double extension_of(const rill_surface *s, const rill_opening *o)
{
    const double radius = sqrt(o->area / M_PI);
    double least = INFINITY, ahead, aside;
    if (!isnan(o->extension)) return o->extension;
    for (uint64_t k = 0; k < s->vertex_count; k++) {
        place_of(o, s->vertices[k], &ahead, &aside);
        if (aside < 1.5 * radius && ahead > -0.1 * radius) least = fmin(least, fmax(ahead, 0));
    }
    return isfinite(least) ? least : 0;
}

/* Find what a length of an opening's section conducts, see rill_profile; of a circle of the same area where
 * the outline is not known, as in older files, or its profile does not converge. */
static rill_status conductance_of(const rill_opening *o, double nu, double *out)
{
    rill_profile *profile = NULL;
    const double steady = 0;
    *out = o->area / (8 * M_PI);
    if (!o->outline) return RILL_OK;
    const rill_status status = rill_profile_create(RILL_PROFILE_FITTED, o, nu, &steady, 1, &profile);
    if (status == RILL_OK && profile->conductance > 0) *out = profile->conductance;
    rill_profile_destroy(profile);
    return status == RILL_SYSTEM ? status : RILL_OK;
}

/* Return the cell Reynolds number up to which an outlet needs no layer. Outlets without an extension are
 * stable up to RILL_SPONGE_CELL_RATES, too. With TRT and MRT, which have no larger ones, a layer disturbs the
 * wall shear in front of it: by 3 % with 10 cells and an extension of half a diameter. */
static double cell_without(const rill_case_plan *plan)
{
    const rill_collision c = plan->options.variant.collision;
    return c == RILL_CUMULANT || c == RILL_CENTRAL_MOMENT ? RILL_SPONGE_CELL : RILL_SPONGE_CELL_RATES;
}

/* Plan the layer of an opening. */
static void plan_layer(const rill_case *given, const rill_geom *geom, const rill_case_plan *plan,
                       rill_case_plan_opening *p)
{
    const bool inlet = given->ends[p->end].kind == RILL_END_INLET;
    /* Through an inlet, only what leaves counts. Jets may reach an outlet: half of the largest velocity
     * anywhere counts there, too. */
    const double speed = inlet ? p->outward : fmax(p->velocity_peak, 0.5 * plan->peak.velocity),
                 least = inlet ? 0 : NU_LEAST * geom->spacing * geom->spacing / plan->scales.time,
                 shortest = VOXELS * geom->spacing, cell = speed * geom->spacing / plan->viscosity.nu;
    if (cell <= cell_without(plan) || p->extension < shortest) return;
    p->sponge = fmax((1 - PLAIN) * p->extension, shortest);
    p->sponge_nu =
        fmax(plan->viscosity.nu * fmin(cell / RILL_SPONGE_CELL_MADE, pow(cell / RILL_SPONGE_CELL, 2)), least);
}

/* Expect of the extension of an outlet what developed flow loses in the same section; the viscosity of the
 * layer is raised by half of what it is at the opening. */
static rill_status plan_loss(const rill_case *given, const rill_opening *o, double nu,
                             rill_case_plan_opening *p)
{
    double conductance;
    const rill_status status = conductance_of(o, nu, &conductance);
    const double raised = p->sponge > 0 ? (p->sponge_nu - nu) / (POWER + 1) * p->sponge : 0;
    if (status != RILL_OK) return status;
    p->extension_resistance = given->density * (nu * p->extension + raised) / (o->area * conductance);
    return RILL_OK;
}

/* Return the limit of third moments. A larger one is closer to the flow in thin boundary layers, but unstable
 * where pressures stand on a staircase of links at the end of the surface. Steady flow on coarse grids
 * keeps oscillating with it: that of a tube with 8 cells at a Reynolds number of 483 does not become steady
 * with 0.003 to 0.01. */
static double third_limit(const rill_case *given, const rill_geom *geom, const rill_case_plan *plan)
{
    const double shortest = VOXELS * fmax(geom->spacing, given->coarsest);
    if (plan->options.variant.collision != RILL_CUMULANT || !given->run.pulsatile) return plan->options.third;
    for (int k = 0; k < plan->opening_count; k++)
        if (given->ends[plan->openings[k].end].kind != RILL_END_INLET &&
            plan->openings[k].extension < shortest)
            return plan->options.third;
    return RILL_SPONGE_THIRD;
}

rill_status rill_sponge_plan(const rill_case *given, const rill_geom *geom, rill_case_plan *plan)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < plan->opening_count; k++) {
        rill_case_plan_opening *p = &plan->openings[k];
        const rill_opening *o = &geom->surface->openings[k];
        p->extension = extension_of(geom->surface, o);
        plan_layer(given, geom, plan, p);
        if (given->ends[p->end].kind != RILL_END_INLET && p->extension > 0)
            RILL_TRY(plan_loss(given, o, plan->viscosity.nu, p));
    }
    plan->options.third = third_limit(given, geom, plan);
done:
    return status;
}

uint64_t rill_sponge_nodes(const rill_geom *geom, const rill_case_plan *plan)
{
    double volume = 0;
    for (int k = 0; k < plan->opening_count; k++)
        volume += plan->openings[k].sponge * geom->surface->openings[k].area;
    return (uint64_t)ceil(volume / pow(geom->spacing, 3));
}

/* A node of a layer: what is left of its deviations from equilibrium. */
typedef struct damped {
    uint64_t number; /* of the node, from 1 on; 0: there is none */
    float keep;
} damped;

/* Voxels that wait. */
typedef struct places {
    uint32_t (*all)[3];
    uint64_t count, capacity;
} places;

/* A search through the nodes in front of openings, of some planes of the box at a time. */
typedef struct search {
    const rill_vessel *vessel;
    const rill_opening *opening;
    double length; /* of its layer, m */
    double raised; /* tau at the opening */
    damped *found; /* [room], a table with open addressing; room is a power of 2 */
    uint64_t count, room;
    places now, later; /* voxels that were not looked at: any, and those in planes that are not seen */
    rill_layers layers;
} search;

static rill_status place_add(places *to, const uint32_t x[3])
{
    const rill_status status =
        RILL_LIST_GROW(to->all, to->count, to->capacity, "the voxels of a sponge layer");
    if (status == RILL_OK) memcpy(to->all[to->count++], x, sizeof *to->all);
    return status;
}

/* Return where a node is in the table, or belongs. */
static damped *slot_of(const search *s, uint64_t number)
{
    uint64_t k = number * UINT64_C(0x9E3779B97F4A7C15) >> 20 & (s->room - 1);
    while (s->found[k].number && s->found[k].number != number) k = (k + 1) & (s->room - 1);
    return &s->found[k];
}

/* Make the table larger, so that a third of it is free at least. */
static rill_status table_grow(search *s)
{
    rill_status status = RILL_OK;
    search larger = {.room = s->room ? 2 * s->room : 1 << 13};
    RILL_TRY(
        rill_array_create_zero(larger.room, sizeof *larger.found, "sponge layers", (void **)&larger.found));
    for (uint64_t k = 0; k < s->room; k++)
        if (s->found[k].number) *slot_of(&larger, s->found[k].number) = s->found[k];
    rill_array_destroy(s->found);
    s->found = larger.found, s->room = larger.room;
done:
    return status;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t m = ((const damped *)a)->number, n = ((const damped *)b)->number;
    return (m > n) - (m < n);
}

static bool is_seen(const search *s, uint32_t z)
{
    const uint32_t have = s->layers.numbering.n[2];
    return have > 0 && (s->layers.borrowed || rill_layers_plane(&s->layers, z) < have);
}

/* Put a voxel of a plane that is seen into the layer, if it is a node in front of the opening that is in
 * none; its neighbours are looked at next. */
static rill_status visit(search *s, const uint32_t x[3])
{
    rill_status status = RILL_OK;
    const rill_geom *g = s->vessel->geom;
    double place[3], ahead, aside;
    if (!rill_layers_has(&s->layers, x[0], x[1], x[2])) return RILL_OK;
    for (int a = 0; a < 3; a++) place[a] = g->origin[a] + g->spacing * (x[a] + 0.5);
    place_of(s->opening, place, &ahead, &aside);
    if (ahead >= s->length) return RILL_OK;
    if (3 * s->count >= 2 * s->room) RILL_TRY(table_grow(s));
    damped *slot = slot_of(s, (uint64_t)rill_layers_rank(&s->layers, x[0], x[1], x[2]) + 1);
    if (slot->number) return RILL_OK;
    const double tau = s->vessel->plan.options.tau, part = pow(1 - fmax(ahead, 0) / s->length, POWER),
                 here = tau + part * (s->raised - tau);
    *slot = (damped){(uint64_t)rill_layers_rank(&s->layers, x[0], x[1], x[2]) + 1,
                     (float)fmax((1 - 1 / here) / (1 - 1 / tau), 0)};
    s->count++;
    for (int way = 0; way < 6; way++) {
        const int a = way / 2, side = way % 2 ? 1 : -1;
        uint32_t next[3] = {x[0], x[1], x[2]};
        if (side < 0 ? x[a] == 0 : x[a] + 1 >= g->n[a]) continue;
        next[a] += (uint32_t)side;
        RILL_TRY(place_add(is_seen(s, next[2]) ? &s->now : &s->later, next));
    }
done:
    return status;
}

/* Fill the layer of the opening from its labelled voxels on. */
static rill_status flood(search *s, const places *labelled, const uint8_t *labels)
{
    rill_status status = RILL_OK;
    const rill_domain *domain = s->vessel->domain;
    for (uint64_t k = 0; k < labelled->count; k++)
        if (labels[k] == s->opening->label) RILL_TRY(place_add(&s->later, labelled->all[k]));
    while (s->later.count > 0) {
        const places waiting = s->later;
        const uint32_t planes = rill_layers_planes(domain);
        s->later = s->now;
        s->now = waiting;
        RILL_TRY(rill_layers_take(domain, (int64_t)s->now.all[s->now.count - 1][2] - planes / 2, planes,
                                  &s->layers));
        while (s->now.count > 0) {
            uint32_t x[3];
            memcpy(x, s->now.all[--s->now.count], sizeof x);
            RILL_TRY(is_seen(s, x[2]) ? visit(s, x) : place_add(&s->later, x));
        }
    }
done:
    return status;
}

/* List the voxels that have labels, and these. */
static rill_status labelled_list(const rill_geom *geom, places *out, uint8_t **labels)
{
    rill_status status = RILL_OK;
    rill_window window = {.geom = geom};
    uint64_t room = 0;
    for (uint32_t end = 0; rill_window_next(&window, &end, &status);)
        for (uint32_t z = window.first; z < end; z++)
            for (uint32_t y = 0; y < geom->n[1]; y++) {
                const uint8_t *voxels = rill_window_row(&window, y, z);
                for (uint32_t x = 0; x < geom->n[0]; x++) {
                    if (voxels[x] < RILL_LABEL) continue;
                    RILL_TRY(place_add(out, (const uint32_t[3]){x, y, z}));
                    RILL_TRY(RILL_LIST_GROW(*labels, out->count - 1, room, "the labels of a sponge layer"));
                    (*labels)[out->count - 1] = voxels[x];
                }
            }
done:
    rill_window_close(&window);
    return status;
}

/* List what was found, in the order of nodes. */
static rill_status list_make(search *s, rill_sponge_list *out)
{
    rill_status status = RILL_OK;
    rill_sponge_list list = {.count = s->count};
    uint64_t count = 0;
    RILL_TRY(rill_array_create(list.count + 1, sizeof *list.nodes, "sponge layers", (void **)&list.nodes));
    RILL_TRY(rill_array_create(list.count + 1, sizeof *list.keep, "sponge layers", (void **)&list.keep));
    for (uint64_t k = 0; k < s->room; k++)
        if (s->found[k].number) s->found[count++] = s->found[k];
    qsort(s->found, count, sizeof *s->found, by_number);
    for (uint64_t k = 0; k < count; k++) {
        list.nodes[k] = rill_sim_number(s->vessel->sim, (rill_node)(s->found[k].number - 1));
        list.keep[k] = s->found[k].keep;
    }
    *out = list;
    list = (rill_sponge_list){0};
done:
    rill_sponge_free(&list);
    return status;
}

rill_status rill_sponge_make(const rill_vessel *vessel, rill_sponge_list *out)
{
    rill_status status = RILL_OK;
    const rill_case_plan *plan = &vessel->plan;
    const double unit = vessel->geom->spacing * vessel->geom->spacing / plan->scales.time;
    search s = {.vessel = vessel};
    places labelled = {.count = 0};
    uint8_t *labels = NULL;
    if (rill_sponge_nodes(vessel->geom, plan) == 0) return RILL_OK;
    RILL_TRY(labelled_list(vessel->geom, &labelled, &labels));
    for (int k = 0; k < plan->opening_count; k++) {
        s.opening = &vessel->geom->surface->openings[k];
        s.length = plan->openings[k].sponge;
        s.raised = 0.5 + 3 * plan->openings[k].sponge_nu / unit;
        if (s.length > 0) RILL_TRY(flood(&s, &labelled, labels));
    }
    RILL_TRY(list_make(&s, out));
done:
    rill_layers_free(&s.layers);
    rill_array_destroy(s.found);
    free(s.now.all);
    free(s.later.all);
    free(labelled.all);
    free(labels);
    return status;
}

void rill_sponge_free(rill_sponge_list *list)
{
    rill_array_destroy(list->nodes);
    rill_array_destroy(list->keep);
    *list = (rill_sponge_list){0};
}
