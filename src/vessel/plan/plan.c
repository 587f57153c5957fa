/* SPDX-License-Identifier: Apache-2.0 */
/* From a case and its geometry to lattice units and steps. Nothing is allocated for the run; its memory is
 * plan_memory.c's, how long it takes is pace.c's. */
#include "vessel/plan/plan.h"

#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "device/device.h"
#include "kernel/storage/stream.h"
#include "kernel/variant.h"
#include "sim/choose.h"
#include "vessel/plan/expected.h"
#include "vessel/run/resume.h"
#include "vessel/run/sponge.h"
#include "vessel/run/transport.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest relaxation time that is chosen: walls with interpolated bounce-back are most accurate below it
 * (docs/method.md). */
#define TAU_CHOSEN 0.8
#define SWING_CHOSEN 0.05 /* of the density over a cycle, that pressures make: the vessel stores as much */
#define MACH_CHOSEN 0.1
#define TAU_AT_REST 5.0 /* the same where a fluid that thins is not sheared */
#define DECAY 0.15      /* of a cycle, at least, between the soft start and the first cycle */
#define ECHOES 5        /* of sound along the vessel, there and back, in that time; a cycle at most */

typedef struct planner {
    const rill_case *given;
    const rill_geom *geom;
    const rill_case_plan_options *options;
    rill_case_plan *plan;
    rill_outlook outlook;
    rill_passage fastest;
    double swing; /* Pa, of the expected pressures over a cycle */
} planner;

/* ---- what flows ------------------------------------------------------------------------------ */

enum { SAMPLES = 256 };

static double when(const planner *p, int j) { return p->given->run.period * j / SAMPLES; }

/* The largest over a cycle of |h| without sign, and its range. */
static double extreme(const planner *p, const rill_harmonics *h, double *swing)
{
    double most = 0, low = INFINITY, high = -INFINITY;
    for (int j = 0; j < SAMPLES; j++) {
        const double value = rill_harmonics_at(h, when(p, j));
        low = fmin(low, value);
        high = fmax(high, value);
        if (fabs(value) > fabs(most)) most = value;
    }
    if (swing) *swing = fmax(*swing, high - low);
    return most;
}

/* Of a profile that was measured. */
static void describe_points(const rill_profile *profile, rill_case_plan_opening *out)
{
    const double scale = profile->wave ? profile->scale : out->flow_mean / creal(profile->own[0]);
    out->velocity_peak = fmax(out->velocity_peak, fabs(scale) * profile->fastest);
    out->points = profile->points;
    out->times = profile->times;
    out->points_apart = profile->apart;
    out->coverage = profile->coverage;
    out->file_flow = creal(profile->own[0]);
}

static void describe_opening(planner *p, int k, double inflow)
{
    const rill_opening *o = &p->geom->surface->openings[k];
    const rill_end_state *s = &p->outlook.states[k];
    const rill_profile *profile = p->outlook.profiles[k];
    rill_case_plan_opening *out = &p->plan->openings[k];
    *out = (rill_case_plan_opening){.end = p->outlook.ends[k],
                                    .cells = o->hydraulic_diameter / p->geom->spacing,
                                    .narrow = rill_expected_width(o) / p->geom->spacing};
    out->flow_mean = s->flow.mean;
    out->flow_peak = extreme(p, &s->flow, NULL);
    out->pressure_mean = s->pressure.mean;
    out->pressure_peak = extreme(p, &s->pressure, &p->swing);
    p->swing = fmax(p->swing, p->given->ends[out->end].swing);
    out->pressure_start = rill_harmonics_at(&s->stored, 0);
    out->share = s->flow.mean < 0 && inflow > 0 ? -s->flow.mean / inflow : 0;
    const double mean = fabs(out->flow_peak) / o->area;
    out->velocity_peak = mean * (profile ? fmax(creal(profile->peak[0]), 1) : 2);
    if (profile && profile->own) describe_points(profile, out);
    out->reynolds = mean * o->hydraulic_diameter / p->outlook.nu;
    out->kept = 1;
    if (profile) {
        const rill_kept *kept = &p->outlook.kept[k];
        out->kept = kept->least;
        out->kept_when = kept->when;
        out->outward = kept->outward;
        out->reversed = kept->reversed;
    }
    if (p->given->run.pulsatile)
        out->womersley = o->hydraulic_diameter / 2 * sqrt(2 * M_PI / p->given->run.period / p->outlook.nu);
}

/* Find the velocity to expect where the vessel is narrowest, at the moment of the largest inflow. */
static rill_status find_fastest(planner *p)
{
    double flow[RILL_OPENINGS] = {0}, most = 0, moment = 0;
    for (int j = 0; j < SAMPLES; j++) {
        double in = 0;
        for (int k = 0; k < p->outlook.count; k++)
            in += fmax(rill_harmonics_at(&p->outlook.states[k].flow, when(p, j)), 0);
        if (in <= most) continue;
        most = in;
        moment = when(p, j);
    }
    for (int k = 0; k < p->outlook.count; k++)
        flow[k] = rill_harmonics_at(&p->outlook.states[k].flow, moment);
    return rill_passage_find(p->geom, flow, &p->fastest);
}

static double apart(const rill_opening *a, const rill_opening *b)
{
    return hypot(hypot(a->centre[0] - b->centre[0], a->centre[1] - b->centre[1]),
                 a->centre[2] - b->centre[2]);
}

/* Return the largest difference at any moment between the pressures that two openings hold. */
static double held_drop(const planner *p, int a, int b)
{
    double drop = 0;
    for (int j = 0; j < SAMPLES; j++)
        drop = fmax(drop, fabs(rill_harmonics_at(&p->outlook.states[a].pressure, when(p, j)) -
                               rill_harmonics_at(&p->outlook.states[b].pressure, when(p, j))));
    return drop;
}

/* Return the velocity that pressures drive from opening to opening, through a straight tube or as a free jet.
 * The circuit, whose vessel has no resistance, does not know it. */
static double driven_velocity(const planner *p)
{
    double drop = 0, r = 0, length = 0;
    bool inlet = false;
    const rill_opening *o = p->geom->surface->openings;
    for (int k = 0; k < p->outlook.count; k++)
        inlet |= p->given->ends[p->plan->openings[k].end].kind == RILL_END_INLET;
    for (int k = 0; k < p->outlook.count; k++) {
        if (inlet && p->given->ends[p->plan->openings[k].end].kind != RILL_END_PRESSURE) continue;
        r = fmax(r, o[k].hydraulic_diameter / 2);
        for (int j = 0; j < k; j++) {
            if (inlet && p->given->ends[p->plan->openings[j].end].kind != RILL_END_PRESSURE) continue;
            drop = fmax(drop, held_drop(p, j, k));
            length = fmax(length, apart(&o[j], &o[k]));
        }
    }
    if (!(drop > 0) || !(length > 0)) return 0;
    return fmin(sqrt(2 * drop / p->given->density),
                drop * r * r / (4 * p->outlook.nu * p->given->density * length));
}

static rill_status expect(planner *p)
{
    rill_status status = RILL_OK;
    rill_case_plan *plan = p->plan;
    double inflow = 0;
    RILL_TRY(rill_outlook_make(p->given, p->geom, &p->outlook));
    plan->opening_count = p->outlook.count;
    plan->viscosity.nu = p->outlook.nu;
    for (int k = 0; k < p->outlook.count; k++) inflow += fmax(p->outlook.states[k].flow.mean, 0);
    for (int k = 0; k < p->outlook.count; k++) {
        describe_opening(p, k, inflow);
        const rill_case_plan_opening *o = &plan->openings[k];
        plan->peak.velocity = fmax(plan->peak.velocity, o->velocity_peak);
        plan->peak.reynolds = fmax(plan->peak.reynolds, o->reynolds);
        plan->peak.womersley = fmax(plan->peak.womersley, o->womersley);
        plan->weights += p->outlook.profiles[k] ? rill_outlook_modes(&p->outlook, k) : 1;
        plan->opening_links += p->geom->surface->openings[k].cut_count;
    }
    RILL_TRY(find_fastest(p));
    plan->peak.velocity = fmax(plan->peak.velocity, 2 * p->fastest.velocity);
    plan->peak.velocity = fmax(plan->peak.velocity, driven_velocity(p));
    plan->peak.narrowest = p->fastest.area;
    if (p->fastest.area > 0)
        plan->peak.reynolds = fmax(
            plan->peak.reynolds, p->fastest.velocity * sqrt(4 * p->fastest.area / M_PI) / plan->viscosity.nu);
done:
    return status;
}

/* ---- the lattice ----------------------------------------------------------------------------- */

/* Return the Reynolds number of a cell at the peak. */
double rill_case_plan_cell_reynolds(const rill_case *c, const rill_case_plan *plan)
{
    return plan->peak.velocity * plan->scales.length / rill_law_least(&c->law, c->density);
}

const char *rill_step_limit_name(rill_step_limit limit)
{
    static const char *const names[RILL_STEP_LIMITS] = {
        [RILL_STEP_MACH] = "mach",           [RILL_STEP_TAU] = "tau",
        [RILL_STEP_AT_REST] = "tau_at_rest", [RILL_STEP_PRESSURES] = "pressures",
        [RILL_STEP_STORED] = "compliance",   [RILL_STEP_REQUESTED] = "requested",
        [RILL_STEP_RESUMED] = "checkpoint"};
    return names[limit];
}

rill_step_limits rill_case_plan_step_limits(const rill_case *c, const rill_case_plan *plan)
{
    rill_step_limits step = {.binding = RILL_STEP_MACH};
    double *allowed = step.allowed;
    const double dx = plan->scales.length, swing = plan->compliance.swing,
                 fastest = plan->peak.velocity > 0 ? plan->peak.velocity : 1e-3,
                 mach = c->run.mach > 0 ? c->run.mach : MACH_CHOSEN;
    const double thickest = c->law.kind == RILL_LAW_NEWTONIAN ? 0
                            : c->law.kind == RILL_LAW_CASSON  ? RILL_CASSON_RANGE * c->law.viscosity
                                                              : c->law.at_rest;
    for (int k = 0; k < RILL_STEP_LIMITS; k++) allowed[k] = INFINITY;
    if (plan->resume.given) {
        allowed[RILL_STEP_RESUMED] = plan->resume.time_step;
    } else if (c->run.time_step > 0) {
        allowed[RILL_STEP_REQUESTED] = c->run.time_step;
    } else {
        allowed[RILL_STEP_MACH] = mach / sqrt(3.0) * dx / fastest;
        allowed[RILL_STEP_TAU] = (TAU_CHOSEN - 0.5) / 3 * dx * dx / plan->viscosity.nu;
        if (thickest > 0)
            allowed[RILL_STEP_AT_REST] = (TAU_AT_REST - 0.5) / 3 * dx * dx / (thickest / c->density);
        if (c->run.mach == 0 && swing > 0)
            allowed[RILL_STEP_PRESSURES] = dx * sqrt(SWING_CHOSEN * c->density / (3 * swing));
        if (c->run.mach == 0)
            allowed[RILL_STEP_STORED] = rill_compliance_step(c, &plan->compliance, dx, fastest);
    }
    for (int k = 0; k < RILL_STEP_LIMITS; k++)
        if (allowed[k] < allowed[step.binding]) step.binding = (rill_step_limit)k;
    return step;
}

static void choose_step(planner *p)
{
    rill_case_plan *plan = p->plan;
    const rill_case *c = p->given;
    const double dx = p->geom->spacing;
    plan->scales.length = dx;
    rill_compliance_begin(c, p->geom, &p->outlook, p->swing, &p->fastest, &plan->compliance);
    const rill_step_limits limits = rill_case_plan_step_limits(c, plan);
    double dt = limits.allowed[limits.binding];
    const rill_case_plan_resume *kept = &plan->resume;
    if (kept->given) {
        plan->cycle_steps = kept->cycle_steps;
    } else if (c->run.pulsatile) {
        /* Snapshots fall on steps. */
        const double phases = fmax(c->output.snapshots, 1),
                     steps = ceil(c->run.period / dt / phases - 1e-9) * phases;
        plan->cycle_steps = (uint64_t)fmin(fmax(steps, phases), 1e15);
        dt = c->run.period / (double)plan->cycle_steps;
    }
    plan->scales = (rill_scales){.length = dx,
                                 .time = dt,
                                 .velocity = dx / dt,
                                 .pressure = c->density * (dx / dt) * (dx / dt),
                                 .flow = dx * dx * dx / dt};
    plan->peak.mach = plan->peak.velocity * dt / dx * sqrt(3.0);
    rill_compliance_end(c, &p->outlook, &plan->scales, &plan->compliance);
    double held = 0;
    int holding = 0;
    for (int k = 0; k < plan->opening_count; k++) {
        const rill_end_kind kind = c->ends[plan->openings[k].end].kind;
        if (kind == RILL_END_INLET || (kind == RILL_END_SPLIT && !p->outlook.states[k].rest)) continue;
        held += plan->openings[k].pressure_mean;
        holding++;
    }
    plan->scales.base = holding ? held / holding : 0;
}

/* The law in lattice units. */
static rill_status choose_law(planner *p)
{
    rill_case_plan *plan = p->plan;
    const rill_case *c = p->given;
    rill_sim_options *o = &plan->options;
    const double unit = plan->scales.length * plan->scales.length / plan->scales.time * c->density;
    const double least = c->law.viscosity / unit, typical = plan->viscosity.nu * c->density / unit;
    *o = rill_sim_options_default();
    o->on = p->options->on;
    o->tau = 0.5 + 3 * typical;
    plan->viscosity.tau_low = plan->viscosity.tau_high = o->tau;
    if (c->law.kind == RILL_LAW_NEWTONIAN) return RILL_OK;
    plan->viscosity.tau_low = 0.5 + 3 * least;
    if (c->law.kind == RILL_LAW_CASSON) {
        plan->viscosity.law = RILL_CASSON;
        o->casson = (rill_casson){.nu_inf = least,
                                  .yield = c->law.yield_stress / unit * plan->scales.time,
                                  .nu_max = RILL_CASSON_RANGE * least};
        plan->viscosity.tau_high = 0.5 + 3 * o->casson.nu_max;
        return RILL_OK;
    }
    plan->viscosity.law = RILL_CARREAU_YASUDA;
    o->carreau_yasuda = (rill_carreau_yasuda){.nu_0 = c->law.at_rest / unit,
                                              .nu_inf = least,
                                              .lambda = c->law.time / plan->scales.time,
                                              .n = c->law.index,
                                              .a = c->law.sharpness};
    plan->viscosity.tau_high = 0.5 + 3 * c->law.at_rest / unit;
    return RILL_OK;
}

/*
 * TRT with 3/16 is the fastest; beyond a few cell Reynolds numbers openings make it unstable, and cumulants
 * stay stable (docs/vessels.md has the measurements). With 19 velocities the place of a wall of interpolated
 * bounce-back depends on its direction, with 27 less: the wall shear has two thirds of the error.
 */
static void choose_collision(const planner *p, rill_variant *v)
{
    static const rill_lattice lattices[] = {RILL_D3Q19, RILL_D3Q27, RILL_D3Q15};
    const rill_case *c = p->given;
    const bool quick = rill_case_plan_cell_reynolds(c, p->plan) > RILL_CELL_TRT;
    const int lattice = c->run.lattice < 0 ? -1 : (int)lattices[c->run.lattice];
    v->collision = RILL_TRT;
    if (c->run.collision >= 0)
        v->collision = (rill_collision)c->run.collision;
    else if (quick && (lattice < 0 || lattice == RILL_D3Q27))
        v->collision = RILL_CUMULANT;
    else if (quick && lattice == RILL_D3Q19)
        v->collision = RILL_CENTRAL_MOMENT;
    const bool whole =
        v->collision == RILL_CUMULANT || (v->collision == RILL_TRT && c->walls != RILL_WALLS_HALF_WAY);
    v->lattice = lattice >= 0 ? (rill_lattice)lattice : whole ? RILL_D3Q27 : RILL_D3Q19;
}

static rill_status choose_variant(planner *p, rill_device *device)
{
    rill_status status = RILL_OK;
    rill_case_plan *plan = p->plan;
    const rill_case *c = p->given;
    rill_variant v = rill_variant_default();
    v.equilibrium = RILL_SECOND_ORDER;
    v.rheology = plan->viscosity.law;
    choose_collision(p, &v);
    if (c->run.storage >= 0) v.storage = (rill_storage)c->run.storage;
    if (c->run.stream >= 0) v.stream = (rill_stream)c->run.stream;
    if (c->run.addressing >= 0) v.addressing = (rill_addressing)c->run.addressing;
    plan->variant_reason =
        rill_variant_choose_for(&v, device, p->geom, c->run.stream >= 0, c->run.addressing >= 0);
    if (p->options->on.count > 1 && c->run.stream < 0 && rill_stream_ring(v.stream)) {
        v.stream = RILL_AA;
        plan->variant_reason = "one array, on several devices";
    }
    status = rill_variant_flow_check(v);
    if (status != RILL_OK) {
        rill_fail_prefix("%s", c->path);
        goto done;
    }
    plan->options.variant = rill_variant_normal(v);
done:
    return status;
}

/* ---- steps ------------------------------------------------------------------------------------ */

double rill_case_plan_time(const rill_case_plan *plan, double steps)
{
    return (steps - (double)plan->start.lead) * plan->scales.time;
}

/*
 * Return the steps before the first cycle: the soft start, and the time in which what it upset decays. That
 * is sound between inlet and outlets, which loses a part at every echo, and the profile of the flow
 * (docs/vessels.md has the measurements). @param[in] sound  steps along the vessel
 */
static uint64_t lead_steps(const rill_case *c, const rill_case_plan *plan, double sound)
{
    if (!c->run.pulsatile || c->run.start != RILL_CASE_PERIODIC) return 0;
    const double cycle = (double)plan->cycle_steps,
                 decay = fmin(fmax(DECAY * cycle, ECHOES * 2 * sound), cycle);
    return plan->start.soft + (uint64_t)ceil(decay);
}

static void count_steps(planner *p)
{
    rill_case_plan *plan = p->plan;
    const rill_case *c = p->given;
    const double dt = plan->scales.time;
    const double sound = p->fastest.length / plan->scales.length * sqrt(3.0);
    plan->start.sound = sound;
    if (c->run.pulsatile)
        plan->steps = (uint64_t)fmin(ceil(c->run.cycles * (double)plan->cycle_steps), 1e15);
    else {
        double widest = 0, along = 0;
        for (int k = 0; k < plan->opening_count; k++) {
            widest = fmax(widest, p->geom->surface->openings[k].hydraulic_diameter / 2);
            along = fmax(along, fabs(plan->openings[k].flow_mean) / p->geom->surface->openings[k].area);
        }
        const rill_case_plan_compliance *stores = &plan->compliance;
        const double passes = plan->transport.scalars ? 15 : 5; /* what is carried comes along walls, too */
        const double chosen = passes * p->fastest.length / fmax(along, 1e-9) +
                              widest * widest / plan->viscosity.nu +
                              5 * (stores->settling + stores->constant);
        const double steps = (c->run.duration > 0 ? c->run.duration : chosen) / dt, rounding = 1e-12;
        plan->steps = (uint64_t)fmin(ceil(steps * (1 - rounding)), 1e15);
    }
    const double whole = c->run.pulsatile ? (double)plan->cycle_steps : (double)plan->steps;
    const double soft =
        c->run.soft_start >= 0 ? c->run.soft_start / dt : fmin(fmax(0.1 * whole, 4 * sound), 0.5 * whole);
    plan->start.soft = plan->resume.given ? plan->resume.soft_steps : (uint64_t)fmin(fmax(soft, 0), 1e15);
    plan->start.lead = plan->resume.given ? plan->resume.lead_steps : lead_steps(c, plan, sound);
    if (c->run.pulsatile) plan->steps += plan->start.lead;
}

/* Wall shear needs triangles: generated geometries have none. */
static rill_status check_surface(const rill_case *given, const rill_geom *geom)
{
    if (!given->output.surface || geom->surface->triangle_count > 0) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "%s has 0 triangles for wall shear, and at least 1 is needed: add `surface: no` to output in the case",
        given->geometry);
}

static rill_status plan_make(const rill_case *given, const rill_geom *geom,
                             const rill_case_plan_options *options, rill_case_plan *plan)
{
    rill_status status = RILL_OK;
    rill_device *device = NULL;
    planner p = {.given = given, .geom = geom, .options = options, .plan = plan};
    if (options->resume) RILL_TRY(rill_resume_find(options->resume, given, &plan->resume));
    RILL_TRY(expect(&p));
    RILL_TRY(check_surface(given, geom));
    plan->voxels = rill_geom_voxels(geom);
    plan->wall_links = geom->surface->wall_count;
    choose_step(&p);
    RILL_TRY(choose_law(&p));
    RILL_TRY(rill_device_take(options->on.device, options->on.backend, &device));
    RILL_TRY(choose_variant(&p, device));
    RILL_TRY(rill_sponge_plan(given, geom, plan));
    rill_transport_plan(given, plan);
    count_steps(&p);
    rill_case_plan_guard(given, &p.outlook, &p.fastest, plan);
    RILL_TRY(rill_case_plan_memory(given, geom, &p.outlook, options, device, plan));
    plan->errors = rill_case_expected(given, plan, NAN);
    rill_case_judge(given, geom, p.swing, &p.fastest, plan);
    if (options->measure) RILL_TRY(rill_case_pace(given, geom, device->backend->host, plan));
    RILL_TRY(rill_memory_peak(plan->resources.host_bytes - rill_numbering_held(geom), &plan->host_peak));
done:
    rill_outlook_destroy(&p.outlook);
    rill_device_leave(options->on.device, device);
    return status;
}

rill_status rill_case_plan_make(const rill_case *given, const rill_geom *geom,
                                const rill_case_plan_options *options, rill_case_plan *plan)
{
    rill_progress_watch watch;
    rill_progress_watch_begin(&watch, options->progress, RILL_PROGRESS_SECONDS, "planning the vessel");
    memset(plan, 0, sizeof *plan);
    rill_status status = rill_progress_report(options->progress, watch.what, 0);
    if (status == RILL_OK) status = plan_make(given, geom, options, plan);
    if (status == RILL_OK) status = rill_progress_poll();
    if (status == RILL_OK)
        plan->progress = options->progress;
    else
        rill_case_plan_free(plan);
    rill_progress_watch_end(&watch);
    return status;
}

void rill_case_plan_free(rill_case_plan *plan)
{
    rill_domain_destroy(plan->domain);
    free(plan->resources.part);
    plan->domain = NULL;
    plan->resources.part = NULL;
}
