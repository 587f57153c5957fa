/* SPDX-License-Identifier: Apache-2.0 */
/* The circuit that the openings of a case make. */
#include "vessel/ends.h"

#include "core/status.h"
#include "vessel/end_kinds.h"

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
            "%s: the fractions of flow-split add up to %g and no other outlet takes the rest: make "
            "them 1, or one of them murray",
            c->path, sum);
    /* An incompressible flow needs one imposed pressure: where most of it leaves. */
    states[largest].rest = true;
    states[largest].fraction = 0;
    return RILL_OK;
}

/* ---- the circuit ----------------------------------------------------------------------------- */

/* Return p_c / Q of an outlet, and Z = p / Q in *whole, at an angular frequency. */
static double complex impedance(const rill_end *e, double omega, double complex *whole)
{
    const double complex distal =
        rill_end_stores(e) ? e->distal / (1 + I * omega * e->distal * e->compliance) : e->distal;
    *whole = distal + e->proximal;
    return distal;
}

/* One harmonic: `in` comes from inlets less splits, `held` is the pressure of the pressure outlets. */
static void solve_harmonic(const rill_case *c, const int *ends, int count, int k, double omega,
                           rill_end_state *states)
{
    double complex in = 0, admittance = 0, behind = 0, held = 0, p, z;
    int holding = 0, driven = 0;
    for (int j = 0; j < count; j++) {
        const rill_end *e = &c->ends[ends[j]];
        if (e->kind == RILL_END_INLET) in += amplitude(&states[j].flow, k);
    }
    double left = 1;
    for (int j = 0; j < count; j++) {
        const rill_end *e = &c->ends[ends[j]];
        left -= states[j].fraction;
        if (e->kind == RILL_END_PRESSURE || states[j].rest) {
            held += amplitude(&states[j].pressure, k);
            holding++;
        } else if (holds(e)) {
            impedance(e, omega, &z);
            admittance += 1 / z;
            if (k == 0) behind += e->beyond / z;
            driven++;
        }
    }
    in *= left;
    p = holding ? held / holding : driven ? (in + behind) / admittance : 0;
    for (int j = 0; j < count; j++) {
        const rill_end *e = &c->ends[ends[j]];
        if (e->kind == RILL_END_PRESSURE || states[j].rest) continue;
        set_amplitude(&states[j].pressure, k, p);
        if (!holds(e)) continue;
        const double complex stored = impedance(e, omega, &z), q = (p - (k == 0 ? e->beyond : 0)) / z;
        set_amplitude(&states[j].flow, k, -q);
        set_amplitude(&states[j].stored, k, (k == 0 ? e->beyond : 0) + stored * q);
        in -= q;
    }
    for (int j = 0; j < count; j++) /* what is left goes through held pressures, in equal parts */
        if (c->ends[ends[j]].kind == RILL_END_PRESSURE || states[j].rest)
            set_amplitude(&states[j].flow, k, -in / holding);
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
        if (e->kind == RILL_END_PRESSURE) {
            rill_waveform_analyse(e->wave, REST, &states[j].pressure);
            for (int k = 0; k <= states[j].pressure.count; k++)
                set_amplitude(&states[j].pressure, k, e->pressure * amplitude(&states[j].pressure, k));
        }
        if (states[j].flow.count > harmonics) harmonics = states[j].flow.count;
        if (states[j].pressure.count > harmonics) harmonics = states[j].pressure.count;
    }
    for (int j = 0; j < count; j++) {
        states[j].flow.omega = states[j].pressure.omega = states[j].stored.omega = omega;
        states[j].flow.count = states[j].pressure.count = states[j].stored.count = harmonics;
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
        double complex admittance = 0, z;
        for (int j = 0; j < count; j++) {
            const rill_end *e = &c->ends[ends[j]];
            if (!rill_end_type_of(e)->circuit) continue;
            impedance(e, omega, &z);
            admittance += 1 / z;
        }
        set_amplitude(out, k, amplitude(pressure, k) * admittance / (admittance + I * omega * compliance));
    }
}
