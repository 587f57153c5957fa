/* SPDX-License-Identifier: Apache-2.0 */
/* Observers of a vessel. */
#include "vessel/observe/observe.h"

#include "vessel/observe/drops.h"
#include "vessel/observe/helicity.h"
#include "vessel/observe/loss.h"
#include "vessel/plan/plan.h"
#include "vessel/case/rhythm.h"
#include "core/memory.h"
#include "core/status.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ------------------------------------------------------------------------------------ */

static rill_status openings_make(rill_observers *o)
{
    rill_status status = RILL_OK;
    const rill_vessel *v = o->vessel;
    const int count = v->plan.opening_count;
    RILL_TRY(rill_record_create("openings", 2 * (uint64_t)count, true, &o->openings));
    for (int k = 0; k < count; k++) {
        const char *name = v->geom->surface->openings[k].name;
        rill_record_name(&o->openings, 2 + 2 * (uint64_t)k, name, "flow", "m3/s",
                         "flow into the vessel, mean since the row before");
        rill_record_name(&o->openings, 3 + 2 * (uint64_t)k, name, "pressure", "Pa",
                         "mean pressure, mean since the row before");
        RILL_TRY(rill_sim_patch_record(v->sim, v->patches[k], o->interval));
    }
    RILL_TRY(rill_array_create(o->interval, sizeof *o->flow, "flows", (void **)&o->flow));
    RILL_TRY(rill_array_create(o->interval, sizeof *o->pressure, "pressures", (void **)&o->pressure));
done:
    return status;
}

static rill_status planes_make(rill_observers *o, uint64_t *places)
{
    rill_status status = RILL_OK;
    const rill_case *c = o->vessel->given;
    o->slabs = calloc((size_t)c->output.plane_count + 1, sizeof *o->slabs);
    if (!o->slabs) return rill_fail(RILL_SYSTEM, "out of memory for planes");
    RILL_TRY(rill_record_create("planes", 3 * (uint64_t)c->output.plane_count, true, &o->planes));
    for (int k = 0; k < c->output.plane_count; k++) {
        const rill_case_plane *p = &c->output.planes[k];
        const uint64_t column = 2 + 3 * (uint64_t)k;
        double normal[3];
        rill_plane_normal(o->vessel->geom, p, normal);
        RILL_TRY(rill_slab_make(o->vessel->domain, p->centre, normal, p->name, &o->slabs[k]));
        *places += o->slabs[k].count;
        rill_record_name(&o->planes, column, p->name, "flow", "m3/s", "flow along the normal");
        rill_record_name(&o->planes, column + 1, p->name, "pressure", "Pa", "mean pressure");
        rill_record_name(&o->planes, column + 2, p->name, "speed_max", "m/s", "largest speed");
    }
done:
    return status;
}

static rill_status probes_make(rill_observers *o)
{
    rill_status status = RILL_OK;
    static const char *const names[4] = {"pressure", "velocity_x", "velocity_y", "velocity_z"};
    const rill_case *c = o->vessel->given;
    RILL_TRY(rill_record_create("probes", 4 * (uint64_t)c->output.probe_count, true, &o->probes));
    for (int k = 0; k < c->output.probe_count; k++)
        for (int a = 0; a < 4; a++)
            rill_record_name(&o->probes, 2 + 4 * (uint64_t)k + (uint64_t)a, c->output.probes[k].name,
                             names[a], a ? "m/s" : "Pa", a ? "velocity" : "pressure");
done:
    return status;
}

/* Probes and planes share a list of nodes. */
static rill_status places_make(rill_observers *o)
{
    rill_status status = RILL_OK;
    const rill_case *c = o->vessel->given;
    const uint64_t probes = (uint64_t)c->output.probe_count;
    uint64_t count = probes;
    double(*places)[3] = NULL;
    RILL_TRY(probes_make(o));
    RILL_TRY(planes_make(o, &count));
    RILL_TRY(rill_array_create(count + 1, sizeof *places, "places", (void **)&places));
    for (uint64_t k = 0; k < probes; k++) memcpy(places[k], c->output.probes[k].at, sizeof *places);
    uint64_t next = probes;
    for (int k = 0; k < c->output.plane_count; next += o->slabs[k++].count)
        memcpy(places[next], o->slabs[k].places, o->slabs[k].count * sizeof *places);
    RILL_TRY(
        rill_sampler_make(o->vessel->sim, o->vessel->domain, (const double(*)[3])places, count, &o->places));
    for (uint64_t k = 0; k < probes; k++)
        if (!rill_points_has(&o->places.points, k)) {
            const rill_case_probe *p = &c->output.probes[k];
            RILL_TRY(rill_fail(
                RILL_USAGE,
                "probe %s: (%g mm, %g mm, %g mm) is not within the fluid: give a place inside of the vessel",
                p->name, 1e3 * p->at[0], 1e3 * p->at[1], 1e3 * p->at[2]));
        }
done:
    rill_array_destroy(places);
    return status;
}

/* The opening that centre lines begin at: the inlet with the largest flow. */
static int root_of(const rill_vessel *v)
{
    int root = 0;
    for (int k = 1; k < v->plan.opening_count; k++)
        if (v->plan.openings[k].flow_mean > v->plan.openings[root].flow_mean) root = k;
    return root;
}

static rill_status wall_make(rill_observers *o)
{
    rill_status status = RILL_OK;
    rill_vessel *v = o->vessel;
    RILL_TRY(rill_record_create("wall", 2, true, &o->wall));
    rill_record_name(&o->wall, 2, NULL, "shear_mean", "Pa", "wall shear stress, mean over the area");
    rill_record_name(&o->wall, 3, NULL, "shear_max", "Pa", "wall shear stress, largest of all triangles");
    RILL_TRY(rill_wall_shear_make(v->domain, v->given->law.kind == RILL_LAW_NEWTONIAN, &o->map));
    const uint64_t triangles = o->map.triangle_count;
    if (o->map.node_count == 0)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "no triangle of the surface has fluid near it: was the geometry made from this surface?"));
    RILL_TRY(rill_shear_cycle_create(triangles, &o->cycle));
    RILL_TRY(rill_array_create(triangles, sizeof *o->shear, "wall shear", (void **)&o->shear));
    RILL_TRY(rill_array_create(10 * o->map.node_count, sizeof *o->stress, "stresses at the wall",
                               (void **)&o->stress));
    RILL_TRY(rill_sim_sample_create(v->sim, o->map.nodes, o->map.node_count, &o->sample));
done:
    return status;
}

static rill_status line_make(rill_observers *o)
{
    rill_status status = RILL_OK;
    rill_vessel *v = o->vessel;
    RILL_TRY(rill_centreline_make(v->domain, root_of(v), &o->centreline));
    RILL_TRY(rill_sampler_make(v->sim, v->domain, (const double(*)[3])o->centreline.places,
                               o->centreline.count, &o->along));
done:
    return status;
}

rill_status rill_observers_make(rill_vessel *vessel, uint32_t interval, rill_observers *out)
{
    rill_status status = RILL_OK;
    *out = (rill_observers){.vessel = vessel, .interval = interval};
    RILL_TRY(rill_record_create("monitor", 3, true, &out->monitor));
    rill_record_name(&out->monitor, 2, NULL, "mach", "1", "largest speed / speed of sound of the lattice");
    rill_record_name(&out->monitor, 3, NULL, "balance", "1", "what comes in too much, of the largest flow");
    rill_record_name(&out->monitor, 4, NULL, "density_max", "1", "largest |rho - 1|");
    RILL_TRY(openings_make(out));
    RILL_TRY(places_make(out));
    RILL_TRY(rill_transport_make(vessel, &out->transport));
    if (vessel->given->output.surface) RILL_TRY(wall_make(out));
    if (vessel->given->output.centreline) RILL_TRY(line_make(out));
    RILL_TRY(rill_record_create("line", 4 * out->centreline.count, false, &out->line));
done:
    if (status != RILL_OK) rill_observers_free(out);
    return status;
}

void rill_observers_free(rill_observers *o)
{
    rill_record *const records[] = {&o->openings, &o->probes, &o->planes, &o->wall, &o->monitor, &o->line};
    for (size_t k = 0; k < sizeof records / sizeof *records; k++) rill_record_free(records[k]);
    for (int k = 0; o->slabs && k < o->vessel->given->output.plane_count; k++) rill_slab_free(&o->slabs[k]);
    free(o->slabs);
    rill_transport_free(&o->transport);
    rill_sampler_free(&o->places);
    rill_sampler_free(&o->along);
    rill_centreline_free(&o->centreline);
    rill_sample_destroy(o->sample);
    rill_wall_shear_free(&o->map);
    rill_shear_cycle_free(&o->cycle);
    rill_array_destroy(o->stress);
    rill_array_destroy(o->shear);
    rill_array_destroy(o->flow);
    rill_array_destroy(o->pressure);
    *o = (rill_observers){0};
}

double rill_observers_time(const rill_observers *o)
{
    return rill_case_plan_time(&o->vessel->plan, (double)rill_sim_steps(o->vessel->sim));
}

/* ---- size ------------------------------------------------------------------------------------ */

/* What is counted, in the order in which it is made. */
typedef struct counting {
    rill_room *room;
    int parts; /* of the simulation, at most */
    rill_observers_size size;
    uint64_t most; /* bytes of the host at any time so far */
} counting;

/* What is made next takes more for a while, beside all that is there with it. */
static void making_add(counting *c, uint64_t bytes)
{
    if (c->room->host + bytes > c->most) c->most = c->room->host + bytes;
}

/* Add a sample of nodes with its values. */
static void sample_add(counting *c, uint64_t nodes)
{
    if (nodes == 0) return;
    c->room->host += 10 * nodes * sizeof(double);
    rill_sample_count(nodes, c->parts, c->room);
}

/* Add positions between nodes, up to eight of them each, which neighbours share. */
static void places_add(counting *c, rill_points_size size)
{
    const rill_points *p = NULL;
    c->room->host += size.points * (sizeof *p->slots + sizeof *p->weights + 8 * sizeof *p->nodes);
    sample_add(c, size.nodes);
}

/* Nodes of a position on a line. */
enum { NODES_OF_PLACE = 4 };

static void shear_add(counting *c, const rill_geom *geom, uint64_t nodes)
{
    const rill_observers *o = NULL;
    const uint64_t triangles = geom->surface->triangle_count;
    const rill_wall_shear_size map = rill_wall_shear_measure(geom, nodes);
    c->room->host += map.bytes;
    making_add(c, map.making);
    /* Sums of a cycle, the shear of a moment, and what is written of the cycle. */
    c->room->host +=
        triangles * (4 * sizeof *o->cycle.sums + sizeof *o->shear + RILL_SHEAR_RESULTS * sizeof(float));
    sample_add(c, map.nodes);
}

rill_observers_size rill_observers_measure(const rill_case *given, const rill_geom *geom,
                                           const rill_case_plan *plan, rill_points_size places,
                                           rill_room *room)
{
    counting c = {.room = room, .parts = plan->resources.parts};
    const uint64_t before = room->host;
    rill_run_rhythm rhythm;
    rill_run_rhythm_make(given, geom, plan, &rhythm);
    const uint64_t cycles = plan->steps / rhythm.cycle + 1, openings = (uint64_t)plan->opening_count,
                   probes = (uint64_t)given->output.probe_count, planes = (uint64_t)given->output.plane_count;
    /* Numbers of a row: step and time of five series, and what follows them. */
    double rows =
        (double)rhythm.series * (double)(6 + 2 * openings + 4 * probes + 3 * planes) +
        (plan->transport.scalars
             ? (double)rhythm.series * (2 + (double)plan->transport.scalars * (double)(openings + 1))
             : 0) +
        (double)rhythm.watch * 5 + (double)rhythm.wall * 4;
    places_add(&c, places);
    if (given->output.surface) shear_add(&c, geom, plan->nodes);
    if (given->output.centreline) {
        uint64_t along;
        making_add(&c, rill_centreline_measure(geom, plan->nodes, &along));
        rows += (double)rhythm.wall * (double)(2 + 4 * along);
        places_add(&c, (rill_points_size){along, NODES_OF_PLACE * along});
    }
    if (given->output.helicity) room->host += rill_helicity_bytes(plan->nodes);
    c.size.series = (uint64_t)fmin(rows * (double)cycles * sizeof(double), 1e18);
    c.size.host = room->host - before + c.size.series;
    c.size.making = c.most > before + c.size.host ? c.most - before - c.size.host : 0;
    return c.size;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static rill_status no_memory(void) { return rill_fail(RILL_SYSTEM, "out of memory for a series"); }

/* Return the value at the end of the last step of a series of their middles. */
static double latest(const double *values, uint32_t steps)
{
    return steps > 1 ? 1.5 * values[steps - 1] - 0.5 * values[steps - 2] : values[0];
}

static rill_status openings_take(rill_observers *o, uint32_t steps, double *excess, double *through)
{
    rill_status status = RILL_OK;
    const rill_vessel *v = o->vessel;
    const rill_scales *scales = &v->plan.scales;
    const uint64_t now = rill_sim_steps(v->sim);
    double *row =
        rill_record_append(&o->openings, now, rill_case_plan_time(&v->plan, (double)now - steps / 2.0));
    *excess = *through = 0;
    if (!row) return no_memory();
    RILL_TRY(rill_losses_take(v->losses, v->sim));
    for (int k = 0; k < v->plan.opening_count; k++) {
        double flow = 0, pressure = 0;
        RILL_TRY(rill_sim_patch_series(v->sim, v->patches[k], now - steps, steps, o->flow, o->pressure));
        for (uint32_t s = 0; s < steps; s++) {
            flow += o->flow[s] / steps;
            pressure += o->pressure[s] / steps;
        }
        row[2 + 2 * k] = scales->flow * flow;
        row[3 + 2 * k] =
            scales->base + scales->pressure * pressure +
            rill_losses_compare(v->losses, k, scales->base + scales->pressure * latest(o->pressure, steps),
                                scales->flow * flow, now);
        *excess += scales->flow * flow;
        *through += scales->flow * fabs(flow) / 2;
    }
    rill_losses_row(v->losses, now);
done:
    return status;
}

static void plane_take(const rill_observers *o, int k, uint64_t first, double row[3])
{
    const rill_slab *slab = &o->slabs[k];
    const double *normal = slab->normal;
    row[0] = row[1] = row[2] = 0;
    for (uint64_t c = 0; c < slab->count; c++) {
        double at[4];
        rill_sampler_read(&o->places, &o->vessel->plan.scales, first + c, at);
        for (int a = 0; a < 3; a++) row[0] += slab->area * at[1 + a] * normal[a];
        row[1] += at[0] / (double)slab->count;
        row[2] = fmax(row[2], sqrt(at[1] * at[1] + at[2] * at[2] + at[3] * at[3]));
    }
}

rill_status rill_observers_series(rill_observers *o, uint32_t steps, double *excess, double *through)
{
    rill_status status = RILL_OK;
    const rill_case *c = o->vessel->given;
    const uint64_t now = rill_sim_steps(o->vessel->sim), probes = (uint64_t)c->output.probe_count;
    const double time = rill_observers_time(o);
    RILL_TRY(openings_take(o, steps, excess, through));
    RILL_TRY(rill_transport_take(&o->transport, o->vessel, time));
    RILL_TRY(rill_sampler_take(&o->places, o->vessel->sim));
    if (probes > 0) {
        double *row = rill_record_append(&o->probes, now, time);
        if (!row) return no_memory();
        for (uint64_t k = 0; k < probes; k++)
            rill_sampler_read(&o->places, &o->vessel->plan.scales, k, row + 2 + 4 * k);
    }
    if (c->output.plane_count > 0) {
        double *row = rill_record_append(&o->planes, now, time);
        if (!row) return no_memory();
        uint64_t first = probes;
        for (int k = 0; k < c->output.plane_count; first += o->slabs[k++].count)
            plane_take(o, k, first, row + 2 + 3 * k);
    }
done:
    return status;
}

/* Find the shear of the triangles from the stresses at nodes. */
static void shear_find(rill_observers *o)
{
    const rill_vessel *v = o->vessel;
    const rill_scales *scales = &v->plan.scales;
    const double unit = scales->length * scales->length / scales->time;
    rill_wall_shear_take(&o->map, o->stress, v->given->law.viscosity / v->given->density / unit,
                         scales->pressure, o->shear);
}

rill_status rill_observers_shear(rill_observers *o)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_observers_wall_end(o)); /* there is room for the stresses of one moment */
    RILL_TRY(rill_sim_sample_take(o->vessel->sim, o->sample, o->stress));
    shear_find(o);
done:
    return status;
}

rill_status rill_observers_wall_end(rill_observers *o)
{
    double largest = 0;
    if (!o->begun.wall) return RILL_OK;
    o->begun.wall = false;
    shear_find(o);
    rill_shear_cycle_add(&o->cycle, (const float(*)[3])o->shear, 1);
    double *row = rill_record_append(&o->wall, o->begun.step, o->begun.time);
    if (!row) return no_memory();
    for (uint64_t t = 0; t < o->map.triangle_count; t++) {
        const float *s = o->shear[t];
        if (!isnan(s[0])) largest = fmax(largest, sqrt((double)(s[0] * s[0] + s[1] * s[1] + s[2] * s[2])));
    }
    row[2] = rill_wall_shear_mean(&o->map, (const float(*)[3])o->shear);
    row[3] = largest;
    return RILL_OK;
}

rill_status rill_observers_wall_begin(rill_observers *o)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_observers_wall_end(o));
    if (o->sample) {
        RILL_TRY(rill_sim_sample_take(o->vessel->sim, o->sample, o->stress));
        o->begun.wall = true;
        o->begun.step = rill_sim_steps(o->vessel->sim);
        o->begun.time = rill_observers_time(o);
    }
    if (o->centreline.count == 0) return RILL_OK;
    RILL_TRY(rill_sampler_take(&o->along, o->vessel->sim));
    double *row = rill_record_append(&o->line, rill_sim_steps(o->vessel->sim), rill_observers_time(o));
    if (!row) return no_memory();
    for (uint64_t k = 0; k < o->centreline.count; k++)
        rill_sampler_read(&o->along, &o->vessel->plan.scales, k, row + 2 + 4 * k);
done:
    return status;
}
