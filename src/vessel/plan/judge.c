/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a plan can be run, and what would do if not. */
#include "vessel/case/model.h"
#include "vessel/plan/plan.h"

#include "core/notes.h"
#include "core/status.h"
#include "core/units.h"
#include "vessel/case/end_kinds.h"
#include "vessel/plan/expected.h"
#include "kernel/launch.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Cells across an opening: fewer are refused, or noted. */
enum { CELLS_LEAST = 4, CELLS_FEW = 20 };

#define MACH_MOST 0.3 /* what a velocity at a wall may be */
#define MACH_HIGH 0.15

/* Reynolds numbers of a cell, velocity × spacing / viscosity, beyond those of plan.h: where TRT is surely
 * unstable; up to which central moments are safe, and where they are surely unstable; up to which cumulants
 * were seen to be stable (docs/vessels.md); of an outlet without extension, where it may be and where it is
 * unstable. */
#define CELL_TRT_MOST 8.0
#define CELL_MOMENTS 8.0
#define CELL_MOMENTS_MOST 35.0
#define CELL_BARE 8.0
#define CELL_BARE_MOST 16.0
#define EXTENSION_LEAST 1.5 /* voxels, as of observe/loss.c */
#define CELL_MOST 200.0

/* Up to which expected errors were measured with any number of cells (plan/expected.c). */
#define CELL_KNOWN_TRT 5.0
#define CELL_KNOWN 10.0

/* Of an opening, covered by measured points: to be noted, refused; of flows, given over measured. */
#define COVERED_LEAST 0.9
#define COVERED_MOST 0.5
#define SCALE_LEAST 0.5

/* Of pressures and circuits, far outside of what vessels have: mmHg, s. */
#define PRESSURE_LOW 0.01
#define PRESSURE_GIVEN 300 /* cgs with the unit of SI is ten times too much */
#define PRESSURE_HIGH 1000
#define PRESSURE_MOST 75000 /* as of pressures that a case gives */
#define TIME_LOW 1e-4
#define TIME_HIGH 100
#define TIME_MOST 1e6

#define TAU_HIGH 1.5
#define TAU_MOST 10
#define SWING_HIGH 0.02  /* of the density, over a cycle */
#define SOUND_HIGH 0.03  /* change of the flow along the vessel by the compressible fluid */
#define STORED_HIGH 0.05 /* of the circuit's compliance and of the stroke volume, that the lattice stores */

void rill_case_say(rill_case_plan *plan, bool refuses, const char *format, ...)
{
    va_list arguments;
    int place = plan->verdict_count;
    if (place == RILL_CASE_PLAN_VERDICTS) { /* what refuses takes the place of the last note */
        if (!refuses) return;
        do place--;
        while (place >= 0 && plan->verdicts[place].refuses);
        if (place < 0) return; /* it is refused already */
    } else
        plan->verdict_count++;
    rill_case_plan_verdict *v = &plan->verdicts[place];
    v->refuses = refuses;
    va_start(arguments, format);
    vsnprintf(v->text, sizeof v->text, format, arguments);
    va_end(arguments);
}

/* Round down to two digits, so that what is advised suffices. */
static double down(double value)
{
    if (!(value > 0)) return 0;
    const double digit = pow(10, floor(log10(value)) - 1);
    return floor(value / digit * (1 + 1e-12)) * digit;
}

/*
 * Numbers that no vessel has, and that a case in g/cm3, Pa s or m would: reported first, because what is
 * refused then has a remedy that leads astray. Liquids have 600 to 3000 kg/m3 (but mercury), blood 3 to 4 mPa
 * s; the fastest jets in hearts have about 6 m/s.
 */
static void judge_units(const rill_case *c, rill_case_plan *plan)
{
    const double viscosity = c->law.viscosity;
    if (c->density < 500 || c->density > 5000)
        rill_case_say(plan, false,
                      "a density of %.3g kg/m3 is far from that of water, 1000 kg/m3: is its unit right?",
                      c->density);
    if (viscosity < 1e-4 || viscosity > 1)
        rill_case_say(
            plan, false,
            "a viscosity of %.3g mPa s is far from that of water, 1 mPa s, and blood, 3.5 mPa s: is its unit right?",
            1e3 * viscosity);
    if (plan->peak.velocity > 10)
        rill_case_say(
            plan, false,
            "up to %.3g m/s are expected, and vessels have 1 m/s or so: are the units of flows, pressures and the geometry right?",
            plan->peak.velocity);
}

/* Files that count along outward normals, as those of SimVascular, have a negative inflow. */
static void judge_signs(const rill_case *c, rill_case_plan *plan)
{
    for (int k = 0; k < c->end_count; k++)
        if (c->ends[k].wave && c->ends[k].wave->turned)
            rill_case_say(
                plan, false,
                "the waveform of %s has a negative mean, as files that count along the outward normal have: its sign is changed, and it flows in",
                c->ends[k].name);
}

/* The largest pressure that a case gives for an outlet, Pa. */
static double pressure_given(const rill_end *e)
{
    const bool held = e->kind == RILL_END_PRESSURE;
    const double steady = fabs(held || e->kind == RILL_END_MODEL ? e->pressure : e->beyond);
    if (!e->wave) return steady;
    const double wave = fmax(fabs(e->wave->low), fabs(e->wave->high));
    return held ? steady * wave : fmax(steady, wave);
}

/* Pressures, resistances and compliances in cgs with the units of SI: pressures that no vessel has, or times
 * of days. */
static void judge_units_of_outlets(const rill_case *c, const rill_geom *geom, rill_case_plan *plan)
{
    const double mmhg = 133.322387415;
    for (int k = 0; k < plan->opening_count; k++) {
        const rill_case_plan_opening *o = &plan->openings[k];
        const rill_end *e = &c->ends[o->end];
        const char *name = geom->surface->openings[k].name;
        const double given = rill_end_type_of(e)->outlet ? pressure_given(e) / mmhg : 0;
        if (given > 0 && (given < PRESSURE_LOW || given > PRESSURE_GIVEN))
            rill_case_say(
                plan, false,
                "%s: the case gives a pressure of %.3g mmHg, and vessels have 1 to 200 mmHg: are the units right? 1 dyn/cm2 is 0.1 Pa",
                name, given);
        if (!rill_end_type_of(e)->circuit) continue;
        const double pressure = fabs(o->flow_mean) * (e->distal + e->micro + e->proximal) / mmhg,
                     time = rill_end_stores(e) && e->micro == 0 ? e->distal * e->compliance : 1;
        if (pressure > 0 && (pressure < PRESSURE_LOW || pressure > PRESSURE_HIGH))
            rill_case_say(
                plan, pressure > PRESSURE_MOST,
                "%s: its mean flow of %.3g mL/s through %.3g Pa s/m3 makes %.2g mmHg, and vessels have 1 to 200 mmHg%s: are the units right? 1 dyn s/cm5 is 1e5 Pa s/m3",
                name, 1e6 * o->flow_mean, e->distal + e->micro + e->proximal, pressure,
                pressure > PRESSURE_MOST ? ", at most 75000 mmHg are computed" : "");
        if (time < TIME_LOW || time > TIME_HIGH)
            rill_case_say(
                plan, time > TIME_MOST,
                "%s: distal times compliance is %.2g s, and vessels have 0.1 to 10 s%s: are the units right? 1 cm5/dyn is 1e-5 m3/Pa",
                name, time, time > TIME_MOST ? ", at most 1e6 s are computed" : "");
    }
}

static void judge_cells(const rill_case *c, const rill_geom *geom, rill_case_plan *plan)
{
    char dx[32];
    int least = 0;
    for (int k = 1; k < plan->opening_count; k++)
        if (plan->openings[k].cells < plan->openings[least].cells) least = k;
    const rill_opening *o = &geom->surface->openings[least];
    const double cells = plan->openings[least].cells;
    if (cells >= CELLS_FEW) return;
    const rill_case_plan_errors then = rill_case_expected(c, plan, CELLS_FEW);
    rill_units_format_length(down(o->hydraulic_diameter / (cells < CELLS_LEAST ? CELLS_LEAST : CELLS_FEW)),
                             dx, sizeof dx);
    if (cells < CELLS_LEAST)
        rill_case_say(
            plan, true,
            "only %.2g cells lie across %s, and %d are the least: voxelize with --dx \"%s\" or less", cells,
            o->name, CELLS_LEAST, dx);
    else if (isnan(then.local))
        rill_case_say(plan, false, "%.3g cells lie across %s: voxelize with --dx \"%s\", %d cells across",
                      cells, o->name, dx, CELLS_FEW);
    else
        rill_case_say(
            plan, false,
            "%.3g cells lie across %s, at which the pressure drop of a straight pipe has an error of %s %.2g %% and its wall shear a local error of %.2g %%, more of a vessel where the boundary layer is thin: voxelize with --dx \"%s\", %d cells across, for %s%.2g and %.2g %%",
            cells, o->name, plan->errors.at_least ? "at least" : "about", 100 * plan->errors.pressure,
            100 * plan->errors.local, dx, CELLS_FEW, then.at_least ? "at least " : "", 100 * then.pressure,
            100 * then.local);
}

/* Errors of slower flows are not those of the case (docs/wall-shear.md). */
static void judge_measured(rill_case_plan *plan)
{
    const rill_case_plan_errors *e = &plan->errors;
    const double always = plan->options.variant.collision == RILL_TRT ? CELL_KNOWN_TRT : CELL_KNOWN;
    char dx[32];
    if (!e->at_least) return;
    rill_units_format_length(down(plan->scales.length * always / e->cell_reynolds), dx, sizeof dx);
    rill_case_say(
        plan, false,
        "the expected errors are lower bounds: a cell has a Reynolds number of %.3g at the peak, and with %.3g cells across errors were measured up to %.3g "
        "(those of a pipe at Reynolds number 500 are 1.7 to 3 times as large): voxelize with --dx \"%s\", which makes it %g, or estimate them with rill run --error-bar",
        e->cell_reynolds, e->cells, e->measured, dx, always);
}

static void judge_velocity(const rill_passage *fastest, rill_case_plan *plan)
{
    const double dx = plan->scales.length;
    if (plan->peak.velocity == 0)
        rill_case_say(plan, true, "nothing flows: give an inlet a flow above 0, or pressures that differ");
    if (plan->peak.mach > MACH_MOST)
        rill_case_say(
            plan, true,
            "a Mach number of %.3g is above %g, at %.3g m/s: give a time-step of %.2g us or less, or a mach of 0.1",
            plan->peak.mach, MACH_MOST, plan->peak.velocity,
            1e6 * down(0.1 * dx / (sqrt(3.0) * plan->peak.velocity)));
    else if (plan->peak.mach > MACH_HIGH)
        rill_case_say(
            plan, false,
            "a Mach number of %.3g makes errors of about %.2g %%, as its square: mach 0.1 halves them or more",
            plan->peak.mach, 100 * plan->peak.mach * plan->peak.mach);
    if (fastest->area > 0 && 2 * fastest->velocity >= 0.99 * plan->peak.velocity)
        rill_case_say(
            plan, false,
            "the flow is fastest at (%.4g, %.4g, %.4g) mm, where about %.3g mm2 are open, %.3g cells across",
            1e3 * fastest->at[0], 1e3 * fastest->at[1], 1e3 * fastest->at[2], 1e6 * fastest->area,
            sqrt(4 * fastest->area / M_PI) / dx);
}

static void judge_stability(const rill_case *c, rill_case_plan *plan)
{
    const double dx = plan->scales.length, cell = rill_case_plan_cell_reynolds(c, plan);
    const bool trt = plan->options.variant.collision <= RILL_TRT,
               few = plan->options.variant.collision != RILL_CUMULANT;
    const double high = trt   ? RILL_CELL_TRT
                        : few ? CELL_MOMENTS
                              : RILL_CELL_FINE,
                 most = trt   ? CELL_TRT_MOST
                        : few ? CELL_MOMENTS_MOST
                              : CELL_MOST;
    char finer[32], safe[32];
    const char *other = few ? ", or choose the collision cumulant" : "";
    rill_units_format_length(down(dx * most / cell), finer, sizeof finer);
    rill_units_format_length(down(dx * high / cell), safe, sizeof safe);
    if (cell > most)
        rill_case_say(
            plan, true,
            "unstable: a cell has a Reynolds number of %.3g at the peak (tau %.5g), and %g is the most: voxelize with --dx \"%s\" or less%s",
            cell, plan->viscosity.tau_low, most, finer, other);
    else if (cell > high && !few)
        rill_case_say(
            plan, false,
            "coarse: a cell has a Reynolds number of %.3g at the peak (tau %.5g), "
            "so that boundary layers and eddies are not resolved and wall shear depends on --dx; \"%s\" makes it %g",
            cell, plan->viscosity.tau_low, safe, high);
    else if (cell > high)
        rill_case_say(
            plan, false,
            "may become unstable: a cell has a Reynolds number of %.3g at the peak (tau %.5g), and up to %g, with --dx \"%s\", is safe%s",
            cell, plan->viscosity.tau_low, high, safe, other);
    if (plan->viscosity.tau_high > TAU_MOST)
        rill_case_say(plan, true, "tau goes up to %.3g, above %d: give a time-step of %.2g us or less",
                      plan->viscosity.tau_high, TAU_MOST,
                      1e6 * down(plan->scales.time * (1 - 0.5) / (plan->viscosity.tau_high - 0.5)));
    else if (plan->viscosity.tau_high > TAU_HIGH)
        rill_case_say(plan, false,
                      "tau goes up to %.3g, where walls are less exact: a time-step of %.2g us makes it 1",
                      plan->viscosity.tau_high,
                      1e6 * down(plan->scales.time * (1 - 0.5) / (plan->viscosity.tau_high - 0.5)));
}

/* Outlets without an extension whose pressure stands on a staircase of links at the end of the surface, where
 * it changes pressures and wall shear (docs/vessels.md). Surfaces alone can be extended. */
static void judge_bare(const rill_case *c, const rill_geom *geom, rill_case_plan *plan)
{
    const char *first = NULL;
    int count = 0;
    for (int k = 0; k < plan->opening_count && geom->surface->triangle_count > 0; k++) {
        const rill_case_plan_opening *o = &plan->openings[k];
        if (c->ends[o->end].kind == RILL_END_INLET || o->extension >= EXTENSION_LEAST * plan->scales.length)
            continue;
        if (count++ == 0) first = geom->surface->openings[k].name;
    }
    if (count > 0)
        rill_case_say(
            plan, false,
            "%s%s without an extension: wall shear is about 10 %% too low in the last five cells before it where the vessel lies along the lattice, "
            "and up to 70 %% where it is oblique, and the pressure drop is 1 to 6 %% off, 20 %% behind a cut at 45 degrees: voxelize with --extend 0.5D",
            first, count > 1 ? " and other outlets are" : " is");
}

/* A pressure on a staircase of links is unstable where fluid leaves fast; a sponge layer needs an extension.
 */
static void judge_outlets(const rill_case *c, const rill_geom *geom, rill_case_plan *plan)
{
    const double dx = plan->scales.length;
    for (int k = 0; k < plan->opening_count; k++) {
        const rill_case_plan_opening *o = &plan->openings[k];
        const double scale = dx / rill_law_least(&c->law, c->density), cell = o->velocity_peak * scale,
                     jet = 0.5 * plan->peak.velocity * scale; /* as rill_sponge_plan() */
        const char *name = geom->surface->openings[k].name;
        if (c->ends[o->end].kind == RILL_END_INLET || o->sponge > 0) continue;
        if (cell > CELL_BARE)
            rill_case_say(
                plan, cell > CELL_BARE_MOST,
                "%s: the outlet %s has no extension, and fluid leaves through it at a cell Reynolds number of %.3g, above %g: voxelize with --extend 0.5D",
                cell > CELL_BARE_MOST ? "unstable" : "may become unstable", name, cell,
                cell > CELL_BARE_MOST ? CELL_BARE_MOST : CELL_BARE);
        else if (jet > CELL_BARE)
            rill_case_say(
                plan, false,
                "may become unstable: the outlet %s has no extension, and a jet that reaches it has a cell Reynolds number of about %.3g, above %g: "
                "voxelize with --extend 0.5D",
                name, jet, CELL_BARE);
    }
}

/* A staircase has more wall than the surface, at other positions. */
static void judge_walls(const rill_case *c, rill_case_plan *plan)
{
    if (c->walls != RILL_WALLS_HALF_WAY) return;
    rill_case_say(
        plan, false,
        "half-way bounce-back has a staircase wall: in a straight pipe wall shear is 7 to 8 %% too high in the mean and 27 %% at single triangles, "
        "however fine the voxels, and the pressure drop 2 to 5 %% at 20 cells across: walls: interpolated has 1 %%");
}

/* Velocities of a file that say little of an opening, or of another flow. */
static void judge_points(const rill_end *e, const rill_case_plan_opening *o, rill_case_plan *plan)
{
    const double scale = o->flow_mean / o->file_flow;
    if (o->coverage < COVERED_LEAST)
        rill_case_say(
            plan, o->coverage < COVERED_MOST,
            "the %u points of %s lie over %.3g %% of the opening, %.3g mm apart, and between them and its outline velocities are estimated: "
            "give points over all of it%s",
            o->points, e->name, 100 * o->coverage, 1e3 * o->points_apart,
            o->coverage < COVERED_MOST ? ", at least over half" : "");
    if (!e->from_file && (scale < SCALE_LEAST || scale > 1 / SCALE_LEAST))
        rill_case_say(
            plan, false,
            "the velocities of %s bring %.4g mL/s in the mean and are multiplied by %.3g for the flow that is given: are the units of both right?",
            e->name, 1e6 * o->file_flow, scale);
}

/* Velocity that is imposed on fluid which leaves. */
static void judge_inlets(const rill_case *c, const rill_geom *geom, rill_case_plan *plan)
{
    const double cell = plan->scales.length / rill_law_least(&c->law, c->density);
    for (int k = 0; k < plan->opening_count; k++) {
        const rill_case_plan_opening *o = &plan->openings[k];
        const char *name = geom->surface->openings[k].name;
        if (c->ends[o->end].kind != RILL_END_INLET) continue;
        if (o->points) judge_points(&c->ends[o->end], o, plan);
        if (o->flow_mean < 0)
            rill_case_say(
                plan, false,
                "%.3g mL/s leave through the inlet %s in the mean: is the sign of its flow right? What comes into the vessel is positive",
                -1e6 * o->flow_mean, name);
        if (o->kept < 1)
            rill_case_say(
                plan, false,
                "%s keeps %.2g %% of its profile at %.3g s of the cycle, the rest is flat: "
                "%s, up to %.3g m/s would leave, a cell Reynolds number of %.3g, and above %g that may become unstable%s",
                name, 100 * o->kept, o->kept_when,
                o->points ? "as its velocities are" : "while its flow decreases near the wall", o->outward,
                o->outward * cell, RILL_CELL_OUTWARD,
                c->ends[o->end].inflow == RILL_INFLOW_PEAK_VELOCITY
                    ? "; its flow stays, so that its peak velocity is not the one given meanwhile"
                    : "");
        if (o->reversed * cell > RILL_CELL_OUTWARD)
            rill_case_say(
                plan, false,
                "may become unstable: up to %.3g m/s leave through the inlet %s, a cell Reynolds number of %.3g, "
                "and velocity that is imposed there is safe up to %g: let a pressure drive that opening",
                o->reversed, name, o->reversed * cell, RILL_CELL_OUTWARD);
    }
}

/* Curves that leave the range of their rows. */
static void judge_waveforms(const rill_case *c, rill_case_plan *plan)
{
    static const struct {
        const char *unit;
        double si;
    } units[RILL_WAVE_KINDS] = {{" mL/s", 1e-6}, {" m/s", 1}, {" m/s", 1}, {" mmHg", 133.322387415}, {"", 1}};
    for (int k = 0; k < c->end_count; k++) {
        const rill_waveform *w = c->ends[k].wave;
        double time, value;
        if (!w) continue;
        const double beyond = rill_waveform_beyond(w, &time, &value), si = units[w->kind].si;
        if (beyond > RILL_WAVEFORM_BEYOND)
            rill_case_say(
                plan, false,
                "the waveform of %s reaches %.4g%s at %.3g s, %.2g %% of its range outside of its rows, which lie between %.4g and %.4g%s: "
                "give more rows around that time",
                c->ends[k].name, value / si, units[w->kind].unit, time, 100 * beyond, w->low / si,
                w->high / si, units[w->kind].unit);
    }
}

/* What a simulation has room for: patches.c would refuse it, too, when memory is taken already. */
static void judge_weights(const rill_case *c, rill_case_plan *plan)
{
    int inlets = 0;
    for (int k = 0; k < plan->opening_count; k++)
        inlets += c->ends[plan->openings[k].end].kind == RILL_END_INLET;
    if (plan->weights > RILL_PATCH_WEIGHTS)
        rill_case_say(
            plan, true,
            "%d inlets with their harmonics and %d outlets have %d weights at every step, and %d are the most: give inlets the profile parabolic, which has one",
            inlets, plan->opening_count - inlets, plan->weights, RILL_PATCH_WEIGHTS);
}

static void judge_pressure(double swing, rill_case_plan *plan)
{
    const double density = 3 * swing / plan->scales.pressure;
    if (density > 0.5)
        rill_case_say(
            plan, true,
            "a pressure range of %.3g Pa changes the density by %.3g %%: that is not a liquid any more; a mach of %.2g makes it %g %%",
            swing, 100 * density, down(plan->peak.mach * sqrt(SWING_HIGH / density)), 100 * SWING_HIGH);
    else if (density > SWING_HIGH)
        rill_case_say(
            plan, false,
            "a pressure range of %.3g Pa changes the density by %.2g %%, and the vessel stores as much of its volume: a mach of %.2g makes it %g %%",
            swing, 100 * density, down(plan->peak.mach * sqrt(SWING_HIGH / density)), 100 * SWING_HIGH);
}

/* What the fluid of the lattice stores, which blood does not. */
static void judge_compliance(const rill_case *c, rill_case_plan *plan)
{
    const rill_case_plan_compliance *p = &plan->compliance;
    const double mmhg = 133.322387415, slack = 1.01, most = fmax(p->share, p->stored),
                 mach = most > 0 ? down(plan->peak.mach * sqrt(STORED_HIGH / most)) : plan->peak.mach,
                 time = c->run.pulsatile ? c->run.cycles * c->run.period
                                         : (double)plan->steps * plan->scales.time;
    const double all = plan->peak.mach * sqrt(fmin(p->bearable, most > 0 ? STORED_HIGH / most : 1)),
                 bearable = all < RILL_COMPLIANCE_MACH ? plan->peak.mach * sqrt(p->bearable) : all;
    char circuit[80] = "", remedy[64];
    if (p->share > 0)
        snprintf(circuit, sizeof circuit, " and has %.3g times the compliance of the Windkessels", p->share);
    if (mach < RILL_COMPLIANCE_MACH)
        snprintf(remedy, sizeof remedy, "no mach above %g makes it %g %%", RILL_COMPLIANCE_MACH,
                 100 * STORED_HIGH);
    else
        snprintf(remedy, sizeof remedy, "a mach of %.2g makes it %g %%", mach, 100 * STORED_HIGH);
    if (p->change > RILL_COMPLIANCE_CHANGE)
        rill_case_say(
            plan, true,
            "the compressible fluid of the lattice stores %.3g %% of the stroke volume%s: "
            "the pressure would reach %.4g instead of %.4g mmHg, which changes it by %.2g %% of its range, and %g %% is the most: "
            "give a mach of %.2g%s",
            100 * p->stored, circuit, p->peak_stored / mmhg, p->peak / mmhg, 100 * p->change,
            100 * RILL_COMPLIANCE_CHANGE, down(bearable), p->share > 0 ? ", or more compliance" : "");
    else if (p->share == 0 && p->stored > slack * STORED_HIGH)
        rill_case_say(
            plan, false,
            "the compressible fluid of the lattice stores %.3g %% of the stroke volume, so that outflow and inflow differ within a cycle: %s",
            100 * p->stored, remedy);
    else if (most > slack * STORED_HIGH && mach < RILL_COMPLIANCE_MACH)
        rill_case_say(
            plan, false,
            "the compressible fluid of the lattice has %.3g times the compliance of the Windkessels, and no mach above %g makes it %g %%: "
            "an outlet without compliance has the kind resistance",
            p->share, RILL_COMPLIANCE_MACH, 100 * STORED_HIGH);
    else if (most > slack * STORED_HIGH)
        rill_case_say(
            plan, false,
            "the compressible fluid of the lattice has %.3g %% of the compliance of the Windkessels and stores %.3g %% of the stroke volume, "
            "which changes the pressure by up to %.2g %% of its range: a mach of %.2g makes both %g %%",
            100 * p->share, 100 * p->stored, 100 * p->change, mach, 100 * STORED_HIGH);
    if (p->sound > SOUND_HIGH)
        rill_case_say(
            plan, false,
            "sound of the lattice is slow for changes of this flow: "
            "it makes the flow and the wall shear along the vessel differ by up to %.2g %% of the largest flow from those of blood: a mach of %.2g makes it %g %%",
            100 * p->sound, down(plan->peak.mach * sqrt(RILL_COMPLIANCE_SOUND / p->sound)),
            100 * RILL_COMPLIANCE_SOUND);
    if (5 * p->settling > slack * time)
        rill_case_say(
            plan, false,
            "the pressure settles with %.3g s, the resistance of the outlets times the compliance of the lattice, and %.3g s are run: "
            "give %s of five times as much, or a mach of %.2g",
            p->settling, time, c->run.pulsatile ? "cycles" : "a duration",
            down(plan->peak.mach * sqrt(time / (5 * p->settling))));
}

/* What qualifies the geometry qualifies the run. */
static void judge_notes(const rill_geom *geom, rill_case_plan *plan)
{
    enum { MOST = 4 };
    const char *rest = geom->notes;
    size_t length;
    int count = 0;
    for (const char *at; count < MOST && (at = rill_notes_next(&rest, &length)) != NULL; count++)
        rill_case_say(plan, false, "geometry: %.*s", (int)length, at);
}

/* Another build may round or decide otherwise: the steps before and after are then of two methods. */
static void judge_resume(rill_case_plan *plan)
{
    if (!plan->resume.given || strcmp(plan->resume.software, rill_version()) == 0) return;
    rill_case_say(
        plan, false,
        "the checkpoint was written by rill %s, and rill %s goes on: the results are not the bits of either build alone; "
        "start anew, with --overwrite or in another directory, for results of one build",
        plan->resume.software, rill_version());
}

static void judge_memory(rill_case_plan *plan)
{
    char need[32], there[32];
    const bool host = plan->resources.host_bytes > plan->resources.host_free;
    if (!host && plan->resources.device_bytes <= plan->resources.device_free) return;
    rill_units_format_bytes((double)(host ? plan->resources.host_bytes : plan->resources.device_bytes), need,
                            sizeof need);
    rill_units_format_bytes((double)(host ? plan->resources.host_free : plan->resources.device_free), there,
                            sizeof there);
    rill_case_say(
        plan, true,
        "the run needs %s of %s memory, and %s are free: voxelize with a larger --dx, or choose storage fp16c and compare it with fp32 at a larger --dx",
        need, host ? "host" : "device", there);
}

void rill_case_judge(const rill_case *c, const rill_geom *geom, double swing, const rill_passage *fastest,
                     rill_case_plan *plan)
{
    rill_model_judge(c, plan);
    judge_units(c, plan);
    judge_units_of_outlets(c, geom, plan);
    judge_resume(plan);
    judge_signs(c, plan);
    judge_notes(geom, plan);
    judge_cells(c, geom, plan);
    judge_velocity(fastest, plan);
    judge_stability(c, plan);
    judge_measured(plan);
    judge_outlets(c, geom, plan);
    judge_bare(c, geom, plan);
    judge_walls(c, plan);
    judge_inlets(c, geom, plan);
    judge_waveforms(c, plan);
    judge_weights(c, plan);
    judge_pressure(swing, plan);
    judge_compliance(c, plan);
    judge_memory(plan);
}

rill_status rill_case_plan_accept(const rill_case_plan *plan)
{
    for (int k = 0; k < plan->verdict_count; k++)
        if (plan->verdicts[k].refuses) {
            const bool memory = plan->resources.host_bytes > plan->resources.host_free ||
                                plan->resources.device_bytes > plan->resources.device_free;
            return rill_fail(memory && k == plan->verdict_count - 1 ? RILL_SYSTEM : RILL_USAGE, "%s",
                             plan->verdicts[k].text);
        }
    return RILL_OK;
}
