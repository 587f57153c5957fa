/* SPDX-License-Identifier: Apache-2.0 */
/* The circuit that the openings of a case make. */
#include "vessel/case/ends.h"

#include "core/status.h"
#include "vessel/case/end_kinds.h"

#include <math.h>
#include <string.h>

/* Harmonics are kept up to this part of a waveform's power, in squares. */
#define REST 1e-5

static double complex amplitude(const rill_harmonics *h, int k)
{
    return k == 0 ? h->mean : h->cosine[k] - I * h->sine[k];
}

static void set_amplitude(rill_harmonics *h, int k, double complex value)
{
    if (k == 0)
        h->mean = creal(value);
    else {
        h->cosine[k] = creal(value);
        h->sine[k] = -cimag(value);
    }
}

double rill_end_given(const rill_end *e, double time)
{
    const double amount = e->kind == RILL_END_PRESSURE ? e->pressure : e->amount;
    return e->wave ? amount * rill_waveform_at(e->wave, time) : amount;
}

void rill_end_inflow(const rill_end *e, const rill_opening *o, const rill_profile *profile,
                     const rill_harmonics *wave, rill_harmonics *flow)
{
    *flow = *wave;
    for (int k = 0; k <= wave->count; k++) {
        double complex factor = e->amount;
        if (e->inflow != RILL_INFLOW_FLOW) factor *= o->area;
        if (e->inflow == RILL_INFLOW_PEAK_VELOCITY)
            factor /= profile->peak[k < profile->count ? k : profile->count - 1];
        set_amplitude(flow, k, factor * amplitude(wave, k));
    }
}

/* ---- splits ---------------------------------------------------------------------------------- */

/* Murray (1926), doi:10.1073/pnas.12.3.207: flow goes with the cube of the radius. */
static double cube(const rill_opening *o) { return pow(o->area / M_PI, 1.5); }

static bool holds(const rill_end *e) { return rill_end_type_of(e)->holds; }

/* Whether the pressure is taken as given: that of a model is the one that the case expects. */
static bool is_held(const rill_end *e) { return e->kind == RILL_END_PRESSURE || e->kind == RILL_END_MODEL; }

static rill_status find_fractions(const rill_case *c, const rill_opening *openings, const int *ends,
                                  int count, rill_end_state *states)
{
    double given = 0, cubes = 0, sum = 0;
    int holders = 0, largest = -1, murray = 0;
    for (int k = 0; k < count; k++) {
        const rill_end *e = &c->ends[ends[k]];
        const bool split = e->kind == RILL_END_SPLIT, by_size = split && isnan(e->fraction);
        holders += holds(e);
        murray += by_size;
        if (split && !by_size) given += e->fraction;
        if (holds(e) || by_size) cubes += cube(&openings[k]);
    }
    for (int k = 0; k < count; k++) {
        const rill_end *e = &c->ends[ends[k]];
        if (e->kind != RILL_END_SPLIT) continue;
        states[k].fraction = isnan(e->fraction) ? (1 - given) * cube(&openings[k]) / cubes : e->fraction;
        sum += states[k].fraction;
        if (largest < 0 || states[k].fraction > states[largest].fraction) largest = k;
    }
    if (largest < 0 || holders > 0) return RILL_OK;
    if (!murray && fabs(sum - 1) > 1e-6)
        return rill_fail(
            RILL_USAGE,
            "%s: the fractions of flow-split add up to %g and no other outlet takes the rest: make them 1, or one of them murray",
            c->path, sum);
    /* An incompressible flow needs one imposed pressure: where most of it leaves. */
    states[largest].rest = true;
    states[largest].fraction = 0;
    return RILL_OK;
}

/* ---- the circuit ----------------------------------------------------------------------------- */

/* What an outlet is at an angular frequency: p = source + whole Q, p_c = stored_source + distal Q. */
typedef struct impedance {
    double complex whole, distal, source, stored_source;
} impedance;

/* Find it. @param[in] muscle  harmonic of the pressure in the heart muscle, Pa @param[in] beyond  Pa, 0
 * unless the frequency is 0 */
static impedance impedance_of(const rill_end *e, double omega, double complex muscle, double beyond)
{
    impedance z = {.source = beyond, .stored_source = beyond};
    if (e->micro > 0) { /* what drains from the muscle, what of its pressure drives that, and the arteries */
        const double complex out = 1 / e->distal + I * omega * e->myocardial,
                             open = (beyond / e->distal + I * omega * e->myocardial * muscle) / out,
                             behind = e->micro + 1 / out, divided = 1 + I * omega * e->compliance * behind;
        z.distal = behind / divided;
        z.source = z.stored_source = open / divided;
    } else
        z.distal = rill_end_stores(e) ? e->distal / (1 + I * omega * e->distal * e->compliance) : e->distal;
    z.whole = z.distal + e->proximal;
    return z;
}

/* Return the same at harmonic k of a state. */
static impedance impedance_at(const rill_end *e, int k, double omega, const rill_end_state *s)
{
    const double complex muscle = e->micro > 0 && k <= s->muscle.count ? amplitude(&s->muscle, k) : 0;
    return impedance_of(e, omega, muscle, k == 0 ? e->beyond : 0);
}

/* Return the pressure in the vessels of the heart muscle: behind what the arteries do not store. */
static double complex muscle_pressure(const rill_end *e, double omega, double complex stored,
                                      double complex flow)
{
    return stored - e->micro * (flow - I * omega * e->compliance * stored);
}

/* One harmonic: `in` comes from inlets less splits, `held` is the pressure of the pressure outlets. */
static void solve_harmonic(const rill_case *c, const int *ends, int count, int k, double omega,
                           rill_end_state *states)
{
    double complex in = 0, admittance = 0, behind = 0, held = 0, p;
    int holding = 0, driven = 0;
    for (int j = 0; j < count; j++) {
        const rill_end *e = &c->ends[ends[j]];
        if (e->kind == RILL_END_INLET) in += amplitude(&states[j].flow, k);
    }
    double left = 1;
    for (int j = 0; j < count; j++) {
        const rill_end *e = &c->ends[ends[j]];
        left -= states[j].fraction;
        if (is_held(e) || states[j].rest) {
            held += amplitude(&states[j].pressure, k);
            holding++;
        } else if (holds(e)) {
            const impedance z = impedance_at(e, k, omega, &states[j]);
            admittance += 1 / z.whole;
            behind += z.source / z.whole;
            driven++;
        }
    }
    in *= left;
    p = holding ? held / holding : driven ? (in + behind) / admittance : 0;
    for (int j = 0; j < count; j++) {
        const rill_end *e = &c->ends[ends[j]];
        if (is_held(e) || states[j].rest) continue;
        set_amplitude(&states[j].pressure, k, p);
        if (!holds(e)) continue;
        const impedance z = impedance_at(e, k, omega, &states[j]);
        const double complex q = (p - z.source) / z.whole, stored = z.stored_source + z.distal * q;
        set_amplitude(&states[j].flow, k, -q);
        set_amplitude(&states[j].stored, k, stored);
        set_amplitude(&states[j].behind, k, muscle_pressure(e, omega, stored, q));
        in -= q;
    }
    for (int j = 0; j < count; j++) /* what is left goes through held pressures, in equal parts */
        if (is_held(&c->ends[ends[j]]) || states[j].rest) set_amplitude(&states[j].flow, k, -in / holding);
}

rill_status rill_ends_solve(const rill_case *c, const rill_opening *openings, const int *ends, int count,
                            rill_end_state *states)
{
    rill_status status = RILL_OK;
    const double omega = c->run.pulsatile ? 2 * M_PI / c->run.period : 0;
    int harmonics = 0;
    RILL_TRY(find_fractions(c, openings, ends, count, states));
    for (int j = 0; j < count; j++) {
        const rill_end *e = &c->ends[ends[j]];
        if (is_held(e)) {
            rill_waveform_analyse(e->wave, REST, &states[j].pressure);
            for (int k = 0; k <= states[j].pressure.count; k++)
                set_amplitude(&states[j].pressure, k, e->pressure * amplitude(&states[j].pressure, k));
        }
        if (e->micro > 0) {
            rill_waveform_analyse(e->wave, REST, &states[j].muscle);
            if (states[j].muscle.count > harmonics) harmonics = states[j].muscle.count;
        }
        if (states[j].flow.count > harmonics) harmonics = states[j].flow.count;
        if (states[j].pressure.count > harmonics) harmonics = states[j].pressure.count;
    }
    for (int j = 0; j < count; j++) {
        rill_harmonics *const all[] = {&states[j].flow, &states[j].pressure, &states[j].stored,
                                       &states[j].behind};
        for (size_t n = 0; n < sizeof all / sizeof *all; n++)
            all[n]->omega = omega, all[n]->count = harmonics;
    }
    for (int k = 0; k <= harmonics; k++) {
        solve_harmonic(c, ends, count, k, k * omega, states);
        double complex in = 0;
        for (int j = 0; j < count; j++)
            if (c->ends[ends[j]].kind == RILL_END_INLET) in += amplitude(&states[j].flow, k);
        for (int j = 0; j < count; j++)
            if (c->ends[ends[j]].kind == RILL_END_SPLIT && !states[j].rest)
                set_amplitude(&states[j].flow, k, -states[j].fraction * in);
    }
done:
    return status;
}

void rill_ends_stored(const rill_case *c, const int *ends, int count, const rill_harmonics *pressure,
                      double compliance, rill_harmonics *out)
{
    *out = *pressure;
    for (int k = 1; k <= pressure->count; k++) {
        const double omega = k * pressure->omega;
        double complex admittance = 0;
        for (int j = 0; j < count; j++) {
            const rill_end *e = &c->ends[ends[j]];
            if (!rill_end_type_of(e)->circuit) continue;
            admittance += 1 / impedance_of(e, omega, 0, 0).whole;
        }
        set_amplitude(out, k, amplitude(pressure, k) * admittance / (admittance + I * omega * compliance));
    }
}
