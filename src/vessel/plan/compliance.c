/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fluid of the lattice stores. It is slightly compressible: a volume V has the compliance
 * V / (rho c_s^2), with the speed of sound c_s = dx / (sqrt(3) dt) of the lattice. It lies beside the circuit
 * of the openings like a compliance of the vessel's wall, which the case does not have.
 */
#include "vessel/plan/plan.h"

#include "vessel/case/end_kinds.h"

#include <math.h>

/* Of a cycle, and of an interval that is searched. */
enum { SAMPLES = 256, HALVINGS = 30 };

#define SHARE 0.05 /* of the circuit's compliance, and of the stroke volume, that is planned for */

static bool pulsates(const rill_case *c) { return c->run.period > 0; }

/* Return the volume that comes in over a cycle, m3; 0 without inlets. */
static double stroke_volume(const rill_case *c, const rill_outlook *outlook)
{
    double sum = 0;
    for (int j = 0; j < SAMPLES && pulsates(c); j++)
        for (int k = 0; k < outlook->count; k++)
            if (c->ends[outlook->ends[k]].kind == RILL_END_INLET)
                sum += fmax(rill_harmonics_at(&outlook->states[k].flow, c->run.period * j / SAMPLES), 0) *
                       c->run.period / SAMPLES;
    return sum;
}

static double fluid_volume(const rill_geom *geom)
{
    return (double)rill_geom_fluid(geom) * geom->spacing * geom->spacing * geom->spacing;
}

/*
 * What the lattice stores of the vessel's own drop. Along a vessel of compliance C whose flow Q drops the
 * pressure by R Q + L dQ/dt the mean pressure changes by half of that, and the flow by C/2 d(R Q + L
 * dQ/dt)/dt. Where a pressure is held at the end and nothing is lost, 1/cos(w l/c_s) is what Q is multiplied
 * by, of which this is the first term: a quarter of a wave is at resonance. Finds it over C and the largest
 * flow, and its mean magnitude over C and that of the flow, Pa/m3.
 */
static void find_inertia(const rill_case *c, const rill_outlook *outlook, const rill_passage *fastest,
                         rill_case_plan_compliance *out)
{
    rill_harmonics flow = {0};
    double most = 0, change = 0, largest = 0; /* of the moment that `fastest` belongs to: of what comes in */
    double changes = 0, flows = 0;            /* sums of magnitudes */
    for (int k = 0; k < outlook->count && pulsates(c); k++) {
        const rill_harmonics *one = &outlook->states[k].flow;
        if (c->ends[outlook->ends[k]].kind != RILL_END_INLET) continue;
        flow.omega = one->omega;
        flow.mean += one->mean;
        flow.count = one->count > flow.count ? one->count : flow.count;
        for (int h = 1; h <= one->count; h++) {
            flow.cosine[h] += one->cosine[h];
            flow.sine[h] += one->sine[h];
        }
    }
    for (int j = 0; j < SAMPLES && flow.count > 0; j++) {
        const double time = c->run.period * j / SAMPLES, now = rill_harmonics_at(&flow, time);
        most = fmax(most, now);
        largest = fmax(largest, fabs(now));
        flows += fabs(now);
    }
    if (!(most > 0)) return;
    const double resistance = 8 * M_PI * outlook->nu * c->density * fastest->resist / most,
                 inertance = c->density * fastest->inert / most;
    for (int j = 0; j < SAMPLES; j++) {
        double sum = 0;
        for (int h = 1; h <= flow.count; h++) {
            const double w = h * flow.omega, angle = w * c->run.period * j / SAMPLES,
                         even = flow.cosine[h] * cos(angle) + flow.sine[h] * sin(angle),
                         odd = flow.sine[h] * cos(angle) - flow.cosine[h] * sin(angle);
            sum += w * (resistance * odd - w * inertance * even);
        }
        change = fmax(change, fabs(sum));
        changes += fabs(sum);
    }
    out->inertia = change / (2 * largest);
    out->mean_inertia = changes / (2 * flows);
}

void rill_compliance_begin(const rill_case *c, const rill_geom *geom, const rill_outlook *outlook,
                           double swing, const rill_passage *fastest, rill_case_plan_compliance *out)
{
    double admittance = 0;
    bool held = false;
    *out = (rill_case_plan_compliance){.volume = fluid_volume(geom), .swing = swing};
    for (int k = 0; k < outlook->count; k++) {
        const rill_end *e = &c->ends[outlook->ends[k]];
        held |= e->kind == RILL_END_PRESSURE || outlook->states[k].rest;
        if (!rill_end_type_of(e)->circuit) continue;
        out->circuit += e->compliance + e->myocardial;
        out->constant = fmax(out->constant, rill_end_constant(e));
        admittance += 1 / (e->proximal + e->micro + e->distal);
    }
    out->resistance = held || !(admittance > 0) ? 0 : 1 / admittance;
    out->stroke = stroke_volume(c, outlook);
    find_inertia(c, outlook, fastest, out);
}

double rill_compliance_step(const rill_case *c, const rill_case_plan_compliance *p, double spacing,
                            double fastest)
{
    double most = INFINITY; /* m3/Pa */
    if (!pulsates(c)) return INFINITY;
    if (p->circuit > 0 && p->resistance > 0) most = SHARE * p->circuit;
    if (p->stroke > 0 && p->swing > 0) most = fmin(most, SHARE * p->stroke / p->swing);
    if (p->inertia > 0) most = fmin(most, RILL_COMPLIANCE_SOUND / p->inertia);
    /* V / (rho c_s^2) = 3 V dt^2 / (rho dx^2) */
    return fmax(spacing * sqrt(most * c->density / (3 * p->volume)),
                RILL_COMPLIANCE_MACH / sqrt(3.0) * spacing / fastest);
}

/* Return the largest change of the pressure by so much compliance, over its range, and its peaks. */
static double change_of(const rill_case *c, const rill_outlook *outlook, double compliance,
                        rill_case_plan_compliance *p)
{
    rill_harmonics stored;
    const rill_harmonics *whole = &outlook->states[0].pressure;
    double change = 0;
    rill_ends_stored(c, outlook->ends, outlook->count, whole, compliance, &stored);
    p->peak = p->peak_stored = -INFINITY;
    for (int j = 0; j < SAMPLES; j++) {
        const double time = c->run.period * j / SAMPLES, a = rill_harmonics_at(whole, time),
                     b = rill_harmonics_at(&stored, time);
        p->peak = fmax(p->peak, a);
        p->peak_stored = fmax(p->peak_stored, b);
        change = fmax(change, p->swing > 0 ? fabs(a - b) / p->swing : 0);
    }
    return change;
}

void rill_compliance_end(const rill_case *c, const rill_outlook *outlook, const rill_scales *scales,
                         rill_case_plan_compliance *p)
{
    double low = 0, high = 1;
    p->lattice = 3 * p->volume / scales->pressure;
    p->share = p->circuit > 0 && p->resistance > 0 ? p->lattice / p->circuit : 0;
    p->stored = p->stroke > 0 ? p->lattice * p->swing / p->stroke : 0;
    p->sound = p->inertia * p->lattice;
    p->mean_sound = p->mean_inertia * p->lattice;
    p->settling = p->resistance * p->lattice;
    p->bearable = 1;
    if (!pulsates(c) || !(p->resistance > 0)) return;
    const double change = change_of(c, outlook, p->lattice, p);
    if (change > RILL_COMPLIANCE_CHANGE) {
        rill_case_plan_compliance less = *p;
        for (int k = 0; k < HALVINGS; k++) {
            const double middle = (low + high) / 2;
            if (change_of(c, outlook, middle * p->lattice, &less) > RILL_COMPLIANCE_CHANGE)
                high = middle;
            else
                low = middle;
        }
        p->bearable = low;
    }
    p->change = change;
}
