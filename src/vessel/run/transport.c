/* SPDX-License-Identifier: Apache-2.0 */
/* What the flow of a vessel carries: how it is chosen, set up and followed. */
#include "vessel/run/transport.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/domain.h"
#include "kernel/lattice.h"
#include "kernel/storage/storage.h"
#include "kernel/variant.h"
#include "sim/carrier.h"
#include "vessel/case/end_kinds.h"
#include "vessel/plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CONCENTRATION, RESIDENCE };
const char *const rill_transport_names[] = {"concentration", "residence_time"};
const char *const rill_transport_units[] = {"1", "s"};
const char *const rill_transport_meanings[] = {"concentration", "time since the fluid came in"};

/* (tau - 1/2)(tau_even - 1/2) of the scalars: the most stable value (Ginzburg, d'Humieres, Kuzmin 2010,
 * doi:10.1007/s10955-010-9969-9). */
#define MAGIC 0.25

/* Diffusivity, lu, above which it changes concentrations within a step. */
#define DIFFUSIVITY_MOST 0.5

/* A link of an outlet along an axis. */
typedef struct face {
    uint64_t at;   /* its node in the sample */
    int direction; /* that leads out */
} face;

struct rill_transport_end {
    face *faces; /* [count], owned; NULL: no outlet */
    uint64_t count;
};

bool rill_transport_has(const rill_case *given, int k)
{
    bool comes_in = false;
    for (int e = 0; e < given->end_count; e++) comes_in |= given->ends[e].concentration >= 0;
    return k == RESIDENCE ? given->transport.residence : comes_in;
}

static int scalars_of(const rill_case *given)
{
    int count = 0;
    for (int k = 0; k < RILL_SCALARS; k++) count += rill_transport_has(given, k);
    return count;
}

/* Return the set of scalar k. */
static int set_of(const rill_case *given, int k)
{
    int set = 1;
    for (int j = 0; j < k; j++) set += rill_transport_has(given, j);
    return set;
}

/* ---- planning --------------------------------------------------------------------------------- */

void rill_transport_plan(const rill_case *given, rill_case_plan *plan)
{
    const double dx = plan->scales.length, dt = plan->scales.time, fast = plan->peak.velocity,
                 least = fast * dx / RILL_CELL_PECLET_LIMIT;
    int inlets = 0;
    plan->transport.scalars = scalars_of(given);
    for (int k = 0; k < given->end_count; k++) inlets += given->ends[k].kind == RILL_END_INLET;
    if (plan->transport.scalars == 0) {
        if (given->transport.diffusivity > 0)
            rill_case_say(
                plan, true,
                "The diffusivity is that of something carried, and nothing is. Give an inlet a concentration, or transport residence-time: yes.");
        return;
    }
    plan->transport.diffusivity = given->transport.diffusivity > 0 ? given->transport.diffusivity
                                  : plan->resume.diffusivity > 0   ? plan->resume.diffusivity
                                                                   : fast * dx / RILL_CELL_PECLET_SMOOTH;
    plan->transport.cell_peclet = fast * dx / plan->transport.diffusivity;
    if (inlets == 0)
        rill_case_say(
            plan, true,
            "What is carried comes in through inlets, and no opening is an inlet. Make one of the pressures an inlet, or leave transport out.");
    if (plan->options.variant.addressing == RILL_DENSE)
        rill_case_say(plan, true, "What is carried does not go with addressing dense. Choose list.");
    if (plan->transport.cell_peclet > RILL_CELL_PECLET_LIMIT * (1 + 1e-9))
        rill_case_say(
            plan, true,
            "The Peclet number of a cell is %.3g, more than %g, above which fronts are not resolved. "
            "Increase the diffusivity to %.3g m2/s, or choose voxels of %.3g mm.",
            plan->transport.cell_peclet, RILL_CELL_PECLET_LIMIT, least,
            1e3 * RILL_CELL_PECLET_LIMIT * plan->transport.diffusivity / fast);
    else if (plan->transport.cell_peclet > RILL_CELL_PECLET_SMOOTH * (1 + 1e-9))
        rill_case_say(
            plan, false,
            "The Peclet number of a cell is %.3g, more than %g: concentrations overshoot at fronts. Compare with smaller voxels.",
            plan->transport.cell_peclet, RILL_CELL_PECLET_SMOOTH);
    if (plan->transport.diffusivity * dt / (dx * dx) > DIFFUSIVITY_MOST)
        rill_case_say(
            plan, true,
            "The diffusivity is %.3g in lattice units, more than %g. Shorten the time step to %.3g s.",
            plan->transport.diffusivity * dt / (dx * dx), DIFFUSIVITY_MOST,
            DIFFUSIVITY_MOST * dx * dx / plan->transport.diffusivity);
}

int rill_transport_sets(const rill_case *given, const rill_case_plan *plan,
                        rill_sim_options sets[1 + RILL_SCALARS])
{
    const double dx = plan->scales.length;
    int count = 1;
    sets[0] = plan->options;
    for (int k = 0; k < RILL_SCALARS; k++) {
        if (!rill_transport_has(given, k)) continue;
        rill_sim_options o = rill_sim_options_default();
        o.variant.lattice = RILL_D3Q7;
        o.variant.collision = RILL_ADVECTION_DIFFUSION;
        o.variant.stream = plan->options.variant.stream;
        o.variant.addressing = plan->options.variant.addressing;
        o.variant.storage = RILL_FP64; /* a time of 10^6 steps grows by one */
        o.tau =
            0.5 + rill_inverse_cs2(RILL_D3Q7) * plan->transport.diffusivity * plan->scales.time / (dx * dx);
        o.magic = MAGIC;
        o.carried = true;
        o.source = k == RESIDENCE;
        sets[count++] = o;
    }
    return count;
}

double rill_transport_pace(const rill_case_plan *plan)
{
    const rill_variant v = plan->options.variant;
    const double populations = (double)rill_q((int)v.lattice) * rill_storage_size((int)v.storage),
                 moments = 4 * sizeof(double), scalar = 2 * rill_q(RILL_D3Q7) * sizeof(double) + moments;
    if (plan->transport.scalars == 0) return 1;
    return 2 * populations / (3 * populations + moments + plan->transport.scalars * scalar);
}

rill_status rill_transport_count(const rill_case *given, const rill_geom *geom, const rill_case_plan *plan,
                                 rill_room *room)
{
    rill_status status = RILL_OK;
    rill_sim_options sets[1 + RILL_SCALARS];
    rill_links_size size = {0};
    const int count = rill_transport_sets(given, plan, sets);
    uint64_t nodes = 0;
    for (int k = 1; k < count; k++) {
        RILL_TRY(rill_links_measure(plan->domain, rill_variant_normal(sets[k].variant), &size));
        rill_set_count(rill_variant_normal(sets[k].variant), &size, room);
    }
    if (count == 1) return RILL_OK;
    RILL_TRY(rill_links_measure(plan->domain, plan->options.variant, &size));
    rill_carrier_count(&size, RILL_OPENINGS, count, room);
    for (int k = 0; k < geom->surface->opening_count; k++) nodes += geom->surface->openings[k].cut_count;
    room->host += nodes * (sizeof(face) + 11 * sizeof(double) + sizeof(rill_node));
    rill_sample_count(nodes, plan->resources.parts, room);
done:
    return status;
}

rill_status rill_transport_open(rill_vessel *v)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < RILL_SCALARS; k++) {
        double outside[RILL_OPENINGS];
        if (!rill_transport_has(v->given, k)) continue;
        for (int e = 0; e < v->plan.opening_count; e++) {
            const rill_end *end = &v->given->ends[v->plan.openings[e].end];
            outside[e] = end->kind != RILL_END_INLET                     ? NAN
                         : k == CONCENTRATION && end->concentration >= 0 ? end->concentration
                                                                         : 0;
        }
        RILL_TRY(rill_sim_scalar_open(v->sim, set_of(v->given, k), v->geom->surface->openings,
                                      v->plan.opening_count, outside));
    }
done:
    return status;
}

/* ---- following -------------------------------------------------------------------------------- */

/* Outlets have columns: what comes in through inlets is given. */
static bool is_followed(const rill_vessel *v, int opening)
{
    return rill_end_type_of(&v->given->ends[v->plan.openings[opening].end])->outlet;
}

/* List the links of outlets along axes, and their nodes. */
static rill_status faces_make(rill_transport *t, const rill_vessel *v)
{
    rill_status status = RILL_OK;
    rill_node *nodes = NULL;
    uint64_t most = 0;
    for (int k = 0; k < v->plan.opening_count; k++) most += v->geom->surface->openings[k].cut_count;
    RILL_TRY(rill_array_create(most + 1, sizeof *nodes, "outlets of scalars", (void **)&nodes));
    for (int k = 0; k < v->plan.opening_count; k++) {
        const rill_opening *o = &v->geom->surface->openings[k];
        struct rill_transport_end *end = &t->ends[k];
        if (!is_followed(v, k)) continue;
        RILL_TRY(rill_array_create(o->cut_count + 1, sizeof *end->faces, "outlets of scalars",
                                   (void **)&end->faces));
        for (uint64_t c = 0; c < o->cut_count; c++) {
            if (o->cuts[c].direction > RILL_AXIS_LINKS) continue;
            if (t->node_count == 0 || nodes[t->node_count - 1] != o->cuts[c].node)
                nodes[t->node_count++] = o->cuts[c].node;
            end->faces[end->count++] = (face){t->node_count - 1, rill_opposite(o->cuts[c].direction)};
        }
    }
    if (t->node_count == 0)
        RILL_TRY(
            rill_fail(RILL_USAGE, "no link along an axis leads through an outlet: choose a smaller --dx"));
    RILL_TRY(
        rill_array_create(10 * t->node_count, sizeof *t->values, "outlets of scalars", (void **)&t->values));
    RILL_TRY(rill_array_create(t->node_count, sizeof *t->phi, "outlets of scalars", (void **)&t->phi));
    RILL_TRY(rill_sim_sample_create(v->sim, nodes, t->node_count, &t->sample));
done:
    rill_array_destroy(nodes);
    return status;
}

rill_status rill_transport_make(const rill_vessel *v, rill_transport *out)
{
    rill_status status = RILL_OK;
    const int count = v->plan.opening_count;
    uint64_t column = 2;
    *out = (rill_transport){.sample = NULL};
    if (v->plan.transport.scalars == 0) return RILL_OK;
    out->end_count = count;
    out->ends = calloc((size_t)count, sizeof *out->ends);
    if (!out->ends) return rill_fail(RILL_SYSTEM, "out of memory for outlets of scalars");
    RILL_TRY(rill_record_create("transport", (uint64_t)v->plan.transport.scalars * ((uint64_t)count + 1),
                                true, &out->record));
    for (int s = 0; s < RILL_SCALARS; s++) {
        if (!rill_transport_has(v->given, s)) continue;
        for (int k = 0; k < count; k++)
            rill_record_name(&out->record, column++, v->geom->surface->openings[k].name,
                             rill_transport_names[s], rill_transport_units[s],
                             "of what leaves through the outlet; nan of inlets, and where nothing leaves");
        char mean[48];
        snprintf(mean, sizeof mean, "%s_mean", rill_transport_names[s]);
        rill_record_name(&out->record, column++, NULL, mean, rill_transport_units[s], "mean over the volume");
    }
    RILL_TRY(faces_make(out, v));
done:
    if (status != RILL_OK) rill_transport_free(out);
    return status;
}

void rill_transport_free(rill_transport *t)
{
    for (int k = 0; t->ends && k < t->end_count; k++) rill_array_destroy(t->ends[k].faces);
    rill_record_free(&t->record);
    rill_sample_destroy(t->sample);
    rill_array_destroy(t->values);
    rill_array_destroy(t->phi);
    free(t->ends);
    *t = (rill_transport){.sample = NULL};
}

/* Return the factor of scalar s in SI. */
static double unit_of(const rill_vessel *v, int s) { return s == RESIDENCE ? v->plan.scales.time : 1; }

/* Return the mean of what leaves through an outlet, as a step of the scalar takes it. */
static double leaving(const rill_transport *t, const struct rill_transport_end *end)
{
    double sum = 0, flow = 0;
    for (uint64_t f = 0; f < end->count; f++) {
        double along = 0;
        for (int a = 0; a < 3; a++)
            along += rill_c(RILL_D3Q7, end->faces[f].direction, a) *
                     t->values[(uint64_t)(1 + a) * t->node_count + end->faces[f].at];
        along *= 1 + t->values[end->faces[f].at]; /* momentum, as in the step */
        if (!(along > 0)) continue;
        flow += along;
        sum += along * t->phi[end->faces[f].at];
    }
    return flow > 0 ? sum / flow : NAN;
}

rill_status rill_transport_take(rill_transport *t, const rill_vessel *v, double time)
{
    rill_status status = RILL_OK;
    uint64_t column = 2;
    if (!t->sample) return RILL_OK;
    double *row = rill_record_append(&t->record, rill_sim_steps(v->sim), time);
    if (!row) return rill_fail(RILL_SYSTEM, "out of memory for a series");
    RILL_TRY(rill_sim_sample_take(v->sim, t->sample, t->values));
    for (int s = 0; s < RILL_SCALARS; s++) {
        double sum;
        if (!rill_transport_has(v->given, s)) continue;
        RILL_TRY(rill_sim_sample_scalar(v->sim, set_of(v->given, s), t->sample, t->phi));
        for (int k = 0; k < v->plan.opening_count; k++)
            row[column++] = unit_of(v, s) * leaving(t, &t->ends[k]);
        RILL_TRY(rill_sim_scalar_sum(v->sim, set_of(v->given, s), &sum));
        if (!isfinite(sum))
            RILL_TRY(rill_fail(
                RILL_NUMERICS,
                "the %s is not finite after step %llu: increase the diffusivity, or choose smaller voxels",
                rill_transport_meanings[s], (unsigned long long)rill_sim_steps(v->sim)));
        row[column++] = unit_of(v, s) * sum / rill_domain_nodes(v->domain);
    }
done:
    return status;
}

void rill_transport_means(const rill_transport *t, const rill_vessel *v, const rill_record *openings,
                          uint64_t rows, rill_run_result *out)
{
    uint64_t column = 2;
    double *const means[] = {&out->transport.concentration_mean, &out->transport.residence_mean},
                  *const ends[] = {out->transport.concentration, out->transport.residence};
    for (int s = 0; s < RILL_SCALARS; s++) {
        *means[s] = NAN;
        for (int k = 0; k < v->plan.opening_count; k++) ends[s][k] = NAN;
        if (!t->sample || !rill_transport_has(v->given, s) || t->record.count < rows || rows == 0) continue;
        for (int k = 0; k < v->plan.opening_count; k++, column++) {
            double sum = 0, left = 0;
            for (uint64_t back = 1; back <= rows; back++) {
                const double value = rill_record_row(&t->record, t->record.count - back)[column],
                             flow = -rill_record_row(openings, openings->count - back)[2 + 2 * k];
                if (isnan(value) || !(flow > 0)) continue;
                sum += flow * value;
                left += flow;
            }
            if (left > 0) ends[s][k] = sum / left;
        }
        *means[s] = rill_record_row(&t->record, t->record.count - 1)[column++];
    }
}

rill_status rill_transport_field(const rill_vessel *v, int s, rill_node first, rill_node count,
                                 double *values)
{
    const rill_status status = rill_sim_scalar(v->sim, set_of(v->given, s), first, count, values);
    for (rill_node k = 0; k < count && status == RILL_OK; k++) values[k] *= unit_of(v, s);
    return status;
}
