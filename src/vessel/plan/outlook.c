/* SPDX-License-Identifier: Apache-2.0 */
/* What is expected at the openings, before there is a lattice. */
#include "vessel/plan/plan.h"

#include "core/status.h"
#include "vessel/inlet/profile_points.h"
#include "kernel/launch.h"

#include <math.h>
#include <stdlib.h>

/* As much of a waveform's power as harmonics may leave out: the mean's profile takes the rest. */
#define REST 1e-5

/* The viscosity of a law at a shear rate, Pa s. */
static double viscosity_at(const rill_law *law, double shear)
{
    switch (law->kind) {
    case RILL_LAW_CARREAU_YASUDA:
        return law->viscosity +
               (law->at_rest - law->viscosity) *
                   pow(1 + pow(law->time * shear, law->sharpness), (law->index - 1) / law->sharpness);
    case RILL_LAW_CASSON: {
        const double root = sqrt(law->yield_stress / shear) + sqrt(law->viscosity);
        return shear > 0 ? fmin(root * root, RILL_CASSON_RANGE * law->viscosity)
                         : RILL_CASSON_RANGE * law->viscosity;
    }
    default:
        return law->viscosity;
    }
}

double rill_law_least(const rill_law *law, double density) { return law->viscosity / density; }

/* Return the shear rate at the wall that a parabola of this mean velocity has. */
static double typical_shear(const rill_case *c, const rill_geom *geom, const rill_outlook *out)
{
    double shear = 0;
    for (int k = 0; k < geom->surface->opening_count; k++) {
        const rill_end *e = &c->ends[out->ends[k]];
        const rill_opening *o = &geom->surface->openings[k];
        const rill_profile *measured = out->profiles[k];
        double mean = 0;
        if (e->kind != RILL_END_INLET) continue;
        for (int j = 0; j < 64; j++) {
            const double time = c->run.period * j / 64;
            mean += fabs(measured ? rill_profile_inflow(measured, e, o, time) : rill_end_given(e, time)) / 64;
        }
        if (measured || e->inflow == RILL_INFLOW_FLOW) mean /= o->area;
        if (e->inflow == RILL_INFLOW_PEAK_VELOCITY) mean /= 2;
        shear = fmax(shear, 8 * mean / o->hydraulic_diameter);
    }
    return shear > 0 ? shear : 100; /* driven by pressures: large vessels have some hundred per second */
}

static rill_status make_profile(const rill_opening *o, const rill_end *e, rill_harmonics *wave, double nu,
                                rill_profile **out)
{
    double omega[RILL_HARMONICS + 1] = {0};
    const bool developing = e->profile == RILL_PROFILE_WOMERSLEY || e->profile == RILL_PROFILE_FITTED;
    const int count = developing ? wave->count + 1 : 1;
    for (int k = 0; k < count; k++) omega[k] = k * wave->omega;
    return rill_profile_create(e->profile, o, nu, omega, count, out);
}

/* Return the velocity that has the largest cell Reynolds number which may be imposed on fluid that leaves. */
static double outward_limit(const rill_case *c, const rill_geom *geom)
{
    const double least = rill_law_least(&c->law, c->density);
    return RILL_CELL_OUTWARD * least / fmax(geom->spacing, c->coarsest);
}

/* What inlets bring, split over the openings of a kind that share harmonics. */
static rill_status take_inlets(const rill_case *c, const rill_geom *geom, rill_outlook *out, int most)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < out->count; k++) {
        const rill_end *e = &c->ends[out->ends[k]];
        const rill_opening *o = &geom->surface->openings[k];
        rill_harmonics wave;
        if (e->kind != RILL_END_INLET) continue;
        if (out->profiles[k]) {
            rill_profile_analyse(out->profiles[k], e, o, REST, &out->states[k].flow);
            RILL_TRY(rill_kept_find(out->profiles[k], &out->states[k].flow, o->area, outward_limit(c, geom),
                                    &out->kept[k]));
            continue;
        }
        rill_waveform_analyse(e->wave, REST, &wave);
        if (wave.count > most) wave.count = most;
        RILL_TRY(make_profile(o, e, &wave, out->nu, &out->profiles[k]));
        rill_end_inflow(e, o, out->profiles[k], &wave, &out->states[k].flow);
        RILL_TRY(rill_kept_find(out->profiles[k], &out->states[k].flow, o->area, outward_limit(c, geom),
                                &out->kept[k]));
    }
done:
    return status;
}

/* Profiles from points need no viscosity, and have their flow. */
static rill_status measure_inlets(const rill_case *c, const rill_geom *geom, rill_outlook *out, int most)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < out->count; k++) {
        const rill_end *e = &c->ends[out->ends[k]];
        const rill_opening *o = &geom->surface->openings[k];
        if (!e->velocities) continue;
        RILL_TRY(rill_profile_measure(e->velocities, o, most, &out->profiles[k]));
        rill_profile_fit(out->profiles[k], e, o);
    }
done:
    return status;
}

/* An inlet has a weight for its mean, two for each harmonic, and one for what is made flat. */
int rill_case_plan_harmonics(int inlets, int outlets)
{
    if (inlets < 1) return RILL_CASE_PLAN_HARMONICS;
    const int room = (RILL_PATCH_WEIGHTS - outlets - 2 * inlets) / (2 * inlets);
    const int most = room < RILL_CASE_PLAN_HARMONICS ? room : RILL_CASE_PLAN_HARMONICS;
    return most < 1 ? 1 : most;
}

rill_status rill_outlook_make(const rill_case *c, const rill_geom *geom, rill_outlook *out)
{
    rill_status status = RILL_OK;
    int driven = 0;
    *out = (rill_outlook){.count = geom->surface ? geom->surface->opening_count : 0};
    RILL_TRY(rill_case_match(c, geom, out->ends));
    out->states = calloc((size_t)out->count, sizeof *out->states);
    out->kept = calloc((size_t)out->count, sizeof *out->kept);
    if (!out->states || !out->kept) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the openings"));
    for (int k = 0; k < out->count; k++) {
        const rill_end_kind kind = c->ends[out->ends[k]].kind;
        driven += kind == RILL_END_INLET;
    }
    const int most = rill_case_plan_harmonics(driven, out->count - driven);
    RILL_TRY(measure_inlets(c, geom, out, most));
    out->nu = viscosity_at(&c->law, typical_shear(c, geom, out)) / c->density;
    RILL_TRY(take_inlets(c, geom, out, most));
    RILL_TRY(rill_ends_solve(c, geom->surface->openings, out->ends, out->count, out->states));
done:
    return status;
}

int rill_outlook_modes(const rill_outlook *o, int k)
{
    const rill_profile *p = o->profiles[k];
    if (!p) return 0;
    return 1 + (p->fields ? 2 * (p->count - 1) : 0) + (o->kept[k].least < 1);
}

void rill_outlook_destroy(rill_outlook *o)
{
    for (int k = 0; k < o->count; k++) rill_profile_destroy(o->profiles[k]);
    free(o->states);
    free(o->kept);
    o->states = NULL;
    o->kept = NULL;
}
