/* SPDX-License-Identifier: Apache-2.0 */
/* Sets up the simulation of a case: what stands at walls and openings, how it comes up, the state at the
 * start. */
#include "vessel/plan/plan.h"

#include "vessel/case/end_kinds.h"
#include "vessel/observe/loss.h"
#include "vessel/case/model.h"
#include "vessel/inlet/profile_points.h"
#include "vessel/run/sponge.h"
#include "vessel/run/transport.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "domain/domain.h"
#include "sim/boundary.h"
#include "sim/several_plan.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* lu, pressure per flow: a pressure deviation of 0.01 changes a flow by 1e-7. */
#define SPLIT_RESISTANCE 1e5

/* What a schedule needs; one for each opening. */
typedef struct driven {
    const rill_vessel *vessel;
    const rill_end *end;
    rill_profile *profile;   /* owned */
    rill_harmonics flow;     /* lu, of the mode that is shown, see `unit` */
    double complex *carries; /* [modes of the profile], flow that each field brings, lu; owned */
    double unit;             /* lu: flow that a mode is made for */
    double factor;           /* splits: of what the inlets bring, negative; inlets: 1 */
    const rill_kept *kept;   /* of an inlet's profile; the rest is flat */
    int harmonics;           /* beside the mean */
    int modes;
    int number; /* of the opening */
} driven;

struct rill_vessel_ends {
    driven *each; /* [plan.opening_count] */
    rill_outlook outlook;
    int count;
    rill_sponge_list sponge;
    double start; /* lu: the pressure that everything starts from */
};

/* ---- what comes up slowly -------------------------------------------------------------------- */

/* Time in the middle of a step: a wall meets what is on its way then. */
static double time_of(const rill_vessel *v, uint64_t step)
{
    return rill_case_plan_time(&v->plan, (double)step + 0.5);
}

/* From 0 to 1 over the soft start, smooth at both ends. */
static double soft(const rill_vessel *v, uint64_t step)
{
    const double part = ((double)step + 0.5) / (double)(v->plan.start.soft ? v->plan.start.soft : 1);
    return part >= 1 ? 1 : 0.5 * (1 - cos(M_PI * part));
}

/* ---- velocities ------------------------------------------------------------------------------ */

/* Whether the profile of an inlet comes from points: harmonics are then velocities as they are. */
static bool is_measured(const driven *d) { return d->profile->own != NULL; }

/* Return flow into the vessel that an inlet is to bring at a time, m3/s, without harmonics' end. */
static double inflow_at(const driven *d, double time)
{
    const rill_vessel *v = d->vessel;
    const rill_end *e = d->end;
    const rill_opening *o = &v->geom->surface->openings[d->number];
    if (is_measured(d)) return rill_profile_inflow(d->profile, e, o, time);
    const double value = rill_end_given(e, time);
    if (e->inflow == RILL_INFLOW_FLOW) return value;
    if (e->inflow == RILL_INFLOW_MEAN_VELOCITY) return value * o->area;
    /* What harmonics leave out of a peak velocity goes with the mean's profile. */
    const rill_harmonics *h = &v->ends->outlook.states[d->number].flow;
    rill_harmonics wave = *h;
    wave.mean *= creal(d->profile->peak[0]);
    for (int k = 1; k <= h->count; k++) {
        const double complex a = (h->cosine[k] - I * h->sine[k]) *
                                 d->profile->peak[k < d->profile->count ? k : d->profile->count - 1];
        wave.cosine[k] = creal(a);
        wave.sine[k] = -cimag(a);
    }
    const double rest = value - rill_harmonics_at(&wave, time) / o->area;
    return rill_harmonics_at(h, time) + rest * o->area / creal(d->profile->peak[0]);
}

/* Return the flow into the vessel through a driven opening, m3/s. */
static double flow_at(const driven *d, double time)
{
    if (d->end->kind == RILL_END_INLET) return inflow_at(d, time);
    const struct rill_vessel_ends *ends = d->vessel->ends;
    double in = 0;
    for (int k = 0; k < ends->count; k++)
        if (ends->each[k].end && ends->each[k].end->kind == RILL_END_INLET)
            in += inflow_at(&ends->each[k], time);
    return d->factor * in;
}

static bool is_flattened(const driven *d) { return d->kept->least < 1; }

/* Mode 0 is the mean's profile, 2k - 1 and 2k are the real and imaginary part of harmonic k's. Where not all
 * of it is kept, the last one is flat. */
static void weigh(void *context, uint64_t step, double *weights)
{
    const driven *d = context;
    const rill_vessel *v = d->vessel;
    const double time = time_of(v, step), up = soft(v, step) / (d->unit * v->plan.scales.flow);
    const rill_harmonics *h = &v->ends->outlook.states[d->number].flow;
    const double flow = flow_at(d, time);
    double left = flow;
    for (int k = 1; k <= d->harmonics; k++) {
        const double angle = k * h->omega * time, c = cos(angle), s = sin(angle);
        if (is_measured(d)) { /* what its links bring, the mean's profile completes */
            const double complex turn = c + I * s;
            weights[2 * k - 1] = soft(v, step) * c;
            weights[2 * k] = -soft(v, step) * s;
            left -= creal(d->carries[k] * turn) * v->plan.scales.flow;
            continue;
        }
        weights[2 * k - 1] = up * (h->cosine[k] * c + h->sine[k] * s);
        weights[2 * k] = up * (h->sine[k] * c - h->cosine[k] * s);
        left -= h->cosine[k] * c + h->sine[k] * s;
    }
    weights[0] = up * left;
    if (!is_flattened(d)) return;
    const double kept = rill_kept_at(d->kept, time);
    for (int k = 0; k < d->modes - 1; k++) weights[k] *= kept;
    weights[d->modes - 1] = up * (1 - kept) * flow;
}

/* Velocity of a mode at a place in voxels; not yet made to carry its unit of flow where carries is NULL. */
static void mode_velocity(void *context, const double x[3], int mode, double u[3])
{
    const driven *d = context;
    const rill_vessel *v = d->vessel;
    const rill_geom *geom = v->geom;
    const rill_opening *o = &geom->surface->openings[d->number];
    const int k = (mode + 1) / 2; /* one beyond the harmonics': flat */
    double at[3];
    for (int a = 0; a < 3; a++) at[a] = geom->origin[a] + geom->spacing * x[a];
    if (is_measured(d) && k <= d->harmonics) {
        double complex vector[3];
        double factor = 1 / v->plan.scales.velocity;
        if (k == 0) factor = d->carries ? d->unit / creal(d->carries[0]) : 1e-3;
        rill_profile_vector_at(d->profile, k, at, vector);
        for (int a = 0; a < 3; a++)
            u[a] = factor * (mode && mode % 2 == 0 ? cimag(vector[a]) : creal(vector[a]));
        return;
    }
    double complex value = k > d->harmonics ? 1 : rill_profile_at(d->profile, k, at);
    value *= d->carries ? d->unit / d->carries[k] : 1e-3;
    /* What crosses the plane is that of the normal; the fluid flows along the vessel. */
    double across = 0;
    for (int a = 0; a < 3; a++) across += o->axis[a] * o->normal[a];
    for (int a = 0; a < 3; a++)
        u[a] = (mode && mode % 2 == 0 ? cimag(value) : creal(value)) * o->axis[a] / across;
}

/* Return 1/rate - 1/2 of what a changing momentum flux makes of third moments: of central moments and
 * cumulants it is u times what it makes of the shear stress, at the rate of that. */
static double odd_of(const rill_sim_options *o)
{
    const rill_collision c = o->variant.collision;
    return c == RILL_TRT || c == RILL_MRT ? o->magic / (o->tau - 0.5) : o->tau - 0.5;
}

/*
 * Links sum up another flow than an integral over the section would: every profile is divided by what the
 * links make of it, so that the flow is exact and only its shape approximate.
 */
static rill_status drive(driven *d, rill_boundary *boundary)
{
    rill_status status = RILL_OK;
    const rill_vessel *v = d->vessel;
    const int fields = d->harmonics + 1 + is_flattened(d);
    double complex *carries = NULL;
    RILL_TRY(rill_array_create((uint64_t)fields, sizeof *carries, "a profile", (void **)&carries));
    RILL_TRY(rill_boundary_set_velocity_modes(boundary, d->modes, mode_velocity, d));
    for (int k = 0; k < fields; k++) {
        const double factor = is_measured(d) && k && k <= d->harmonics ? 1 : 1e3;
        carries[k] = factor * rill_boundary_mode_flow(boundary, k ? 2 * k - 1 : 0);
        if (k && k <= d->harmonics) carries[k] += factor * I * rill_boundary_mode_flow(boundary, 2 * k);
    }
    if (!(creal(carries[0]) > 0))
        RILL_TRY(rill_fail(RILL_USAGE,
                           "no link of the lattice lies within the outline of %s: choose a smaller --dx",
                           v->geom->surface->openings[d->number].name));
    d->carries = carries;
    carries = NULL;
    RILL_TRY(rill_boundary_set_velocity_modes(boundary, d->modes, mode_velocity, d));
    if (v->plan.options.variant.equilibrium == RILL_SECOND_ORDER) {
        const rill_opening *o = &v->geom->surface->openings[d->number];
        RILL_TRY(rill_boundary_set_slopes(boundary, mode_velocity, d, o->axis, o->normal,
                                          odd_of(&v->plan.options)));
    }
done:
    rill_array_destroy(carries);
    return status;
}

/* ---- pressures ------------------------------------------------------------------------------- */

/* lu, deviation from that of density 1. */
static double to_pressure(const rill_vessel *v, double pa)
{
    return (pa - v->plan.scales.base) / v->plan.scales.pressure;
}

/* What the extension of an outlet loses, lu; it comes up with the flow. */
static double lost(const driven *d, uint64_t step)
{
    const rill_vessel *v = d->vessel;
    return soft(v, step) * rill_losses_at(v->losses, d->number, step) / v->plan.scales.pressure;
}

/* What is held, or what lies beyond a resistance, lu. It comes up from the pressure that the vessel starts
 * with. */
static void hold(void *context, uint64_t step, double *weights)
{
    const driven *d = context;
    const rill_vessel *v = d->vessel;
    const rill_end *e = d->end;
    const double start = v->ends->start;
    const double pa = e->kind == RILL_END_PRESSURE ? rill_end_given(e, time_of(v, step))
                      : e->kind == RILL_END_MODEL  ? rill_model_pressure(v, d->number, step)
                                                   : e->beyond;
    weights[0] = start + soft(v, step) * (to_pressure(v, pa) - start);
    weights[1] = lost(d, step);
}

/* Give the pressure at the far end of a Windkessel with a compliance; for a coronary outlet with the change
 * of the intramyocardial pressure in the step, see rill_windkessel. */
static void release(void *context, uint64_t step, double *weights)
{
    const driven *d = context;
    const rill_end *e = d->end;
    const rill_case_plan *plan = &d->vessel->plan;
    double pa = e->beyond;
    if (e->micro > 0) {
        const double gain = rill_waveform_at(e->wave, rill_case_plan_time(plan, (double)step + 1)) -
                            rill_waveform_at(e->wave, rill_case_plan_time(plan, (double)step));
        pa += e->distal * e->myocardial * gain / plan->scales.time;
    }
    weights[0] = to_pressure(d->vessel, pa);
    weights[1] = lost(d, step);
}

/*
 * Return p_c, Pa, from which a Windkessel comes into its periodic state by the end of the soft start: what
 * flows in less until then, with the time constant d = distal × compliance, must be in it from the start, 1/C
 * integral of exp(t/d) (1 - soft) Q dt. A long start forgets where it came from.
 */
static double stored_at_start(const rill_vessel *v, int k)
{
    enum { PARTS = 400 };
    const rill_end *e = &v->given->ends[v->plan.openings[k].end];
    const rill_harmonics *flow = &v->ends->outlook.states[k].flow;
    const double constant = e->distal * e->compliance, end = (double)v->plan.start.soft * v->plan.scales.time,
                 begin = rill_case_plan_time(&v->plan, 0),
                 periodic = rill_harmonics_at(&v->ends->outlook.states[k].stored, begin);
    double sum = 0;
    if (end > 3 * constant || e->micro > 0) return periodic;
    for (int j = 0; j < PARTS; j++) {
        const double part = (j + 0.5) / PARTS, time = part * end;
        sum -= exp(time / constant) * 0.5 * (1 + cos(M_PI * part)) * rill_harmonics_at(flow, begin + time) *
               end / PARTS;
    }
    return periodic + sum / e->compliance;
}

/*
 * A share of the flow is held like a current by its source: through a resistance so large that what the
 * pressure in the vessel does does not matter, towards a pressure that makes the flow. It is uniform over the
 * opening, which no velocity that is imposed on an outlet is: that upsets flow which comes with another
 * profile.
 */
static void draw(void *context, uint64_t step, double *weights)
{
    const driven *d = context;
    const rill_vessel *v = d->vessel;
    weights[0] = SPLIT_RESISTANCE * soft(v, step) * flow_at(d, time_of(v, step)) / v->plan.scales.flow;
}

static rill_status put_outlet(const driven *d, int patch)
{
    rill_status status = RILL_OK;
    const rill_vessel *v = d->vessel;
    const rill_end *e = d->end;
    const rill_scales *s = &v->plan.scales;
    const double resistance = s->flow / s->pressure; /* lu per Pa s/m3 */
    rill_windkessel w = {.backflow = e->backflow,
                         .layer = v->losses->resistance[d->number] * resistance,
                         .proximal = e->proximal * resistance};
    if (rill_end_type_of(e)->circuit) {
        w.distal = e->distal * resistance;
        w.compliance = e->compliance / (resistance * s->time);
        w.beyond = to_pressure(v, e->beyond);
        w.stored = rill_end_stores(e) ? to_pressure(v, stored_at_start(v, d->number)) : 0;
        if (e->micro > 0) {
            const rill_harmonics *behind = &v->ends->outlook.states[d->number].behind;
            w.micro = e->micro * resistance;
            w.myocardial = e->myocardial / (resistance * s->time);
            w.stored_behind = to_pressure(v, rill_harmonics_at(behind, rill_case_plan_time(&v->plan, 0)));
        }
    }
    const bool split = e->kind == RILL_END_SPLIT && !v->ends->outlook.states[d->number].rest;
    if (split) w.distal = SPLIT_RESISTANCE;
    RILL_TRY(rill_sim_patch_windkessel(v->sim, patch, &w));
    RILL_TRY(rill_sim_patch_schedule(v->sim, patch,
                                     split                ? draw
                                     : rill_end_stores(e) ? release
                                                          : hold,
                                     (void *)d));
done:
    return status;
}

/* Windkessels start from their periodic state, and the fluid from what that is; without one it starts at
 * density 1. */
static void choose_start(rill_vessel *v)
{
    double sum = 0;
    int count = 0;
    for (int k = 0; k < v->plan.opening_count; k++) {
        if (!rill_end_stores(&v->given->ends[v->plan.openings[k].end])) continue;
        const double stored = stored_at_start(v, k);
        rill_case_plan_guard_widen(&v->plan, stored);
        sum += to_pressure(v, stored);
        count++;
    }
    v->ends->start = count ? sum / count : 0;
}

static rill_status set_start(rill_vessel *v)
{
    rill_status status = RILL_OK;
    enum { SLICE = 1 << 16 };
    const uint64_t nodes = rill_domain_nodes(v->domain);
    double *state = NULL;
    if (v->ends->start == 0) return RILL_OK;
    RILL_TRY(rill_array_create_zero(4 * SLICE, sizeof *state, "the state at the start", (void **)&state));
    for (int k = 0; k < SLICE; k++) state[k] = 3 * v->ends->start;
    for (uint64_t first = 0; first < nodes; first += SLICE)
        RILL_TRY(rill_sim_set_moments_of(v->sim, first, nodes - first < SLICE ? nodes - first : SLICE, state,
                                         state + SLICE));
done:
    rill_array_destroy(state);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static rill_status add_opening(rill_vessel *v, int k)
{
    rill_status status = RILL_OK;
    rill_boundary *boundary = NULL;
    const rill_opening *o = &v->geom->surface->openings[k];
    driven *d = &v->ends->each[k];
    const rill_end_state *state = &v->ends->outlook.states[k];
    *d = (driven){.vessel = v,
                  .end = &v->given->ends[v->plan.openings[k].end],
                  .factor = -state->fraction,
                  .number = k,
                  .unit = fmax(fabs(v->plan.openings[k].flow_peak) / v->plan.scales.flow, 1e-12)};
    d->profile = v->ends->outlook.profiles[k];
    status = rill_boundary_create_cuts(v->domain, o->cuts, o->cut_count, &boundary);
    if (status != RILL_OK) {
        rill_fail_prefix("%s", o->name);
        goto done;
    }
    rill_boundary_set_halfway(boundary);
    if (d->end->kind == RILL_END_INLET) {
        d->harmonics = d->profile->fields ? d->profile->count - 1 : 0;
        d->kept = &v->ends->outlook.kept[k];
        d->modes = rill_outlook_modes(&v->ends->outlook, k);
        RILL_TRY(drive(d, boundary));
    } else
        RILL_TRY(rill_boundary_set_density(boundary, 0));
    RILL_TRY(rill_sim_boundary_add(v->sim, boundary, &v->patches[k]));
    if (d->end->kind == RILL_END_INLET)
        RILL_TRY(rill_sim_patch_schedule(v->sim, v->patches[k], weigh, d));
    else
        RILL_TRY(put_outlet(d, v->patches[k]));
done:
    rill_boundary_destroy(boundary);
    return status;
}

static rill_status add_walls(rill_vessel *v)
{
    rill_status status = RILL_OK;
    rill_boundary *boundary = NULL;
    const rill_surface *s = v->geom->surface;
    v->walls = -1;
    if (v->given->walls == RILL_WALLS_HALF_WAY || s->wall_count == 0) return RILL_OK;
    RILL_TRY(rill_boundary_create_cuts(v->domain, s->walls, s->wall_count, &boundary));
    if (v->given->walls == RILL_WALLS_QUADRATIC) RILL_TRY(rill_boundary_set_quadratic(boundary));
    RILL_TRY(rill_sim_boundary_add(v->sim, boundary, &v->walls));
done:
    rill_boundary_destroy(boundary);
    return status;
}

rill_status rill_vessel_create(const rill_case *given, const rill_geom *geom, const rill_case_plan *plan,
                               rill_vessel **out)
{
    rill_status status = RILL_OK;
    rill_progress_watch watch;
    rill_vessel *v = calloc(1, sizeof *v);
    if (!v) return rill_fail(RILL_SYSTEM, "out of memory for a vessel");
    rill_progress_watch_begin(&watch, plan->progress, RILL_PROGRESS_SECONDS, "setting up the vessel");
    RILL_TRY(rill_progress_report(plan->progress, watch.what, 0));
    v->given = given;
    v->geom = geom;
    v->plan = *plan;
    v->ends = calloc(1, sizeof *v->ends);
    if (!v->ends) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a vessel"));
    v->ends->each = calloc((size_t)plan->opening_count, sizeof *v->ends->each);
    if (!v->ends->each) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a vessel"));
    v->ends->count = plan->opening_count;
    rill_memory_note("before the simulation");
    RILL_TRY(rill_outlook_make(given, geom, &v->ends->outlook));
    RILL_TRY(rill_domain_create_numbered(geom, &(rill_domain_options){plan->options.variant.lattice, -1},
                                         plan->domain ? &plan->domain->numbering : NULL, &v->domain));
    rill_sim_options sets[1 + RILL_SCALARS];
    RILL_TRY(rill_sim_create_sets(v->domain, sets, rill_transport_sets(given, plan, sets),
                                  rill_case_load(given), &v->sim));
    choose_start(v);
    RILL_TRY(set_start(v));
    rill_memory_note("before openings and walls");
    RILL_TRY(rill_losses_make(v, &v->ends->outlook, &v->losses));
    for (int k = 0; k < plan->opening_count; k++) RILL_TRY(add_opening(v, k));
    RILL_TRY(add_walls(v));
    RILL_TRY(rill_transport_open(v));
    RILL_TRY(rill_sponge_make(v, &v->ends->sponge));
    const rill_sponge_list *sponge = &v->ends->sponge;
    RILL_TRY(rill_sim_sponge_set(v->sim, sponge->nodes, sponge->keep, sponge->count));
    RILL_TRY(rill_progress_poll());
    *out = v;
    v = NULL;
done:
    rill_progress_watch_end(&watch);
    rill_vessel_destroy(v);
    return status;
}

const rill_outlook *rill_vessel_outlook(const rill_vessel *v) { return &v->ends->outlook; }

void rill_vessel_destroy(rill_vessel *v)
{
    if (!v) return;
    rill_losses_destroy(v->losses);
    rill_sim_destroy(v->sim);
    rill_domain_destroy(v->domain);
    rill_array_destroy(v->shear);
    if (v->ends) {
        for (int k = 0; v->ends->each && k < v->ends->count; k++)
            rill_array_destroy(v->ends->each[k].carries);
        rill_outlook_destroy(&v->ends->outlook);
        rill_sponge_free(&v->ends->sponge);
        free(v->ends->each);
        free(v->ends);
    }
    free(v);
}
