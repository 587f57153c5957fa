/* SPDX-License-Identifier: Apache-2.0 */
/* The periodic state of Windkessels: how far a cycle is from it, and that a run comes to it in a few cycles.
 */
#include "vessel_case.h"
#include "core/sanitized.h"

#include "vessel/plan/plan.h"
#include "vessel/run/run_priv.h"
#include "sim/sim.h"

#include <sys/stat.h>

TestSuite(settle, .init = files_start, .fini = files_end);

/* ---- the circuit ----------------------------------------------------------------------------- */

#define PERIOD 0.8

/* Two Windkessels behind a vessel whose branches resist. */
typedef struct circuit {
    rill_case given;
    rill_end ends[3];
    rill_end_state states[3];
    rill_settle settle;
} circuit;

static const int in_order[3] = {0, 1, 2};

static void circuit_make(circuit *c, int windkessels, double branch)
{
    const double proximal[2] = {4e7, 8e7}, distal[2] = {1.6e8, 3.2e8}, time[2] = {8, 3};
    *c = (circuit){.given = {.run = {.pulsatile = true, .period = PERIOD}}};
    c->ends[0] = (rill_end){.kind = RILL_END_INLET};
    for (int k = 0; k < windkessels; k++)
        c->ends[1 + k] = (rill_end){.kind = RILL_END_WINDKESSEL,
                                    .proximal = proximal[k] + branch,
                                    .distal = distal[k],
                                    .compliance = time[k] / distal[k]};
    c->given.ends = c->ends;
    c->given.end_count = 1 + windkessels;
    cr_assert_eq(rill_settle_make(&c->given, in_order, c->states, 1 + windkessels, &c->settle), RILL_OK);
    cr_assert_eq(c->settle.count, windkessels);
}

/* Cycles that were made, at most. */
enum { CYCLES = 8 };

typedef struct history {
    double begin[CYCLES][2], end[CYCLES][2];
} history;

static void history_cycle(const void *context, uint64_t k, const double **begin, const double **end)
{
    const history *h = context;
    *begin = h->begin[k];
    *end = h->end[k];
}

/* The end of a cycle in a circuit whose periodic state is 0. */
static void cycle_make(const rill_settle *s, const double begin[2], double end[2])
{
    for (int i = 0; i < s->count; i++) {
        end[i] = begin[i];
        for (int j = 0; j < s->count; j++)
            end[i] -= s->left[i * s->count + j] * s->root[j] / s->root[i] * begin[j];
    }
}

/* What comes in through an inlet must leave: with one outlet errors decay with R_d C, whatever lies before
 * it. */
Test(settle, one_windkessel_decays_with_its_time_constant)
{
    circuit c;
    double missing;
    circuit_make(&c, 1, 5e7);
    const double kept = exp(-PERIOD / 8);
    const history h = {.begin = {{100}}, .end = {{100 * kept}}};
    cr_assert_eq(rill_settle_missing(&c.settle, 1, history_cycle, &h, 1e-3, &missing), RILL_OK);
    cr_expect_float_eq(missing, -100, 0.02 * 100, "%g", missing);
    rill_settle_free(&c.settle);
}

/* The circuit does not know the resistance of the branches: steps fall short at first, never go too far, and
 * the third is exact. */
Test(settle, steps_learn_the_resistance_of_the_vessel)
{
    circuit known, vessel;
    history h = {.begin = {{100, -60}}};
    double missing[2];
    circuit_make(&known, 2, 0);
    circuit_make(&vessel, 2, 2e8);
    for (uint64_t k = 0; k < 3; k++) {
        cycle_make(&vessel.settle, h.begin[k], h.end[k]);
        cr_assert_eq(rill_settle_missing(&known.settle, k + 1, history_cycle, &h, 1e-3, missing), RILL_OK);
        double energy = 0, was = 0;
        for (int i = 0; i < 2; i++) {
            h.begin[k + 1][i] = h.begin[k][i] + missing[i];
            energy += pow(known.settle.root[i] * h.begin[k + 1][i], 2);
            was += pow(known.settle.root[i] * h.begin[k][i], 2);
        }
        cr_expect_lt(energy, 0.5 * was, "cycle %d: %g of %g is left", (int)k, energy, was);
    }
    for (int i = 0; i < 2; i++)
        cr_expect_float_eq(h.begin[3][i], 0, 1e-5 * 100, "Windkessel %d is %g Pa off", i, h.begin[3][i]);
    rill_settle_free(&known.settle);
    rill_settle_free(&vessel.settle);
}

/* What the soft start left behind in the first cycle teaches a wrong resistance: the next cycles show the
 * right one, and no step makes the next one larger. */
Test(settle, a_wrong_lesson_is_forgotten)
{
    circuit c;
    history h = {.begin = {{1.1395, 0.9722}}};
    double missing[2], most[CYCLES];
    circuit_make(&c, 2, 0);
    for (uint64_t k = 0; k < CYCLES - 1; k++) {
        cycle_make(&c.settle, h.begin[k], h.end[k]);
        h.end[k][0] += k == 0 ? 0.05 : 0;
        h.end[k][1] -= k == 0 ? 0.05 : 0;
        cr_assert_eq(rill_settle_missing(&c.settle, k + 1, history_cycle, &h, 0.01, missing), RILL_OK);
        most[k] = fmax(fabs(missing[0]), fabs(missing[1]));
        for (int i = 0; i < 2; i++) h.begin[k + 1][i] = h.begin[k][i] + missing[i];
    }
    cr_expect_lt(most[CYCLES - 2], 1e-3 * most[0], "%g, %g, %g Pa", most[0], most[1], most[CYCLES - 2]);
    rill_settle_free(&c.settle);
}

/* Two cycles whose beginnings differ by less than the noise, or whose difference grows, teach nothing. */
Test(settle, noise_teaches_nothing)
{
    static const struct {
        double apart, disturbance, noise; /* Pa */
        bool learns;
    } pairs[] = {{0.5, 0.03, 1, false}, {0.5, 0.03, 0.1, true}, {10, 20, 1, false}, {10, -20, 1, false}};
    circuit c;
    circuit_make(&c, 2, 0);
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
        history h = {.begin = {{50, 50}, {50 - pairs[p].apart, 50 - pairs[p].apart}}}, last = {0};
        double once[2], again[2];
        for (int k = 0; k < 2; k++) cycle_make(&c.settle, h.begin[k], h.end[k]);
        for (int i = 0; i < 2; i++) {
            h.end[0][i] += pairs[p].disturbance;
            last.begin[0][i] = h.begin[1][i];
            last.end[0][i] = h.end[1][i];
        }
        cr_assert_eq(rill_settle_missing(&c.settle, 1, history_cycle, &last, 1, once), RILL_OK);
        cr_assert_eq(rill_settle_missing(&c.settle, 2, history_cycle, &h, pairs[p].noise, again), RILL_OK);
        for (int i = 0; i < 2; i++)
            cr_expect_eq(fabs(again[i] - once[i]) > 1e-9, pairs[p].learns, "pair %zu: %g and %g Pa", p,
                         again[i], once[i]);
    }
    rill_settle_free(&c.settle);
}

/* Cycles as Windkessels without a proximal resistance made them behind a bifurcation, whose fluid takes a
 * cycle to speed up after a correction. The rank-one formula made of them a circuit that hardly forgets, and
 * a step of more than the range of pressures. */
Test(settle, no_lesson_makes_a_step_that_is_far_too_long)
{
    static const history h = {.begin = {{12.56, 12.439}, {12.649, 12.263}, {14.655, 11.201}, {14.015, 11.07}},
                              .end = {{12.691, 12.305}, {12.771, 12.144}, {14.617, 11.21}, {13.988, 11.095}}};
    circuit c = {.given = {.run = {.pulsatile = true, .period = 0.2}, .ends = c.ends, .end_count = 3},
                 .ends = {{.kind = RILL_END_INLET},
                          {.kind = RILL_END_WINDKESSEL, .distal = 5e7, .compliance = 1.2e-7},
                          {.kind = RILL_END_WINDKESSEL, .distal = 5e7, .compliance = 1.2e-7}}};
    double missing[2];
    cr_assert_eq(rill_settle_make(&c.given, in_order, c.states, 3, &c.settle), RILL_OK);
    cr_assert_eq(rill_settle_missing(&c.settle, 4, history_cycle, &h, 0.05, missing), RILL_OK);
    for (int i = 0; i < 2; i++) cr_expect_lt(fabs(missing[i]), 1, "Windkessel %d: %g Pa", i, missing[i]);
    rill_settle_free(&c.settle);
}

/* ---- runs ------------------------------------------------------------------------------------ */

typedef struct outcome {
    rill_run_result result;
    double mean, range, largest; /* m3/s of the smaller branch; Pa of all openings; m3/s of the inlet */
} outcome;

/* A small artery that divides, its extensions in diameters, and its waveform over a cycle of so many ms. */
static void bifurcation(double period, double extend)
{
    rill_mesh *mesh = NULL;
    rill_bifurcation_options o = rill_bifurcation_options_default();
    o.radius = 1.5e-3;
    o.parent = 7.5e-3;
    o.branch = 11e-3;
    cr_assert_eq(rill_generate_bifurcation(&o, &mesh), RILL_OK, "%s", rill_error_message());
    vessel_extension = extend;
    vessel_voxelize(mesh, 0.5e-3,
                    (const char *const[]){"opening-1=in", "opening-2=big", "opening-3=small", NULL});
    FILE *file = fopen("wave.csv", "w");
    cr_assert(file);
    fprintf(file, "time [ms], flow [mL/s]\n");
    for (int k = 0; k <= 20; k++)
        fprintf(file, "%g, %.9g\n", period * k / 20, 0.15 * (1 + 0.8 * sin(M_PI * k / 10)));
    cr_assert_eq(fclose(file), 0);
}

#define HELD "pressure, pressure: 0 Pa"
#define SLOW "windkessel, proximal: 8e7 Pa.s/m3, distal: 3.2e8 Pa.s/m3, compliance: 5e-9 m3/Pa"

static void case_write(const char *big, const char *small, const char *keys)
{
    vessel_write("v.yaml",
                 "geometry: v.geom.h5\nfluid: {density: 1056 kg/m3, viscosity: 3.5 mPa.s}\nopenings:\n"
                 "  in: {kind: inlet, waveform: wave.csv}\n  big: {kind: %s}\n  small: {kind: %s}\n"
                 "run: {mach: 0.1, %s}\noutput: {snapshots: 0, surface: no, centre-line: no}\n",
                 big, small, keys);
}

/* Run it with these outlets. */
static outcome run(const char *big, const char *small, const char *keys)
{
    outcome out = {0};
    case_write(big, small, keys);
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    cr_assert_eq(rill_case_run(r.vessel, &(rill_run_options){0}, &out.result), RILL_OK, "%s",
                 rill_error_message());
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < r.plan.opening_count; k++) {
        low = fmin(low, out.result.pressure_low[k]);
        high = fmax(high, out.result.pressure_high[k]);
    }
    out.mean = out.result.flow[vessel_opening(&r, "small")];
    out.range = high - low;
    out.largest = r.plan.openings[vessel_opening(&r, "in")].flow_peak;
    vessel_free(&r);
    return out;
}

static void expect_same(const outcome *a, const outcome *b, double part, const char *what)
{
    cr_expect_eq(a->result.end, RILL_RUN_REPEATS, "%s: %u cycles", what, a->result.cycles);
    cr_expect_float_eq(a->mean, b->mean, part * b->largest, "%s: %g and %g m3/s of %g", what, a->mean,
                       b->mean, b->largest);
    for (int k = 0; k < 3; k++)
        cr_expect_float_eq(a->result.pressure[k], b->result.pressure[k], part * b->range,
                           "%s: opening %d has %g and %g Pa of %g", what, k, a->result.pressure[k],
                           b->result.pressure[k], b->range);
}

/* A held pressure at one outlet and at the other a slow Windkessel, which the vessel's resistance governs:
 * the periodic state is that of many cycles, in a few of them. Without corrections a run goes on until no
 * more than its tolerance is missing, not until cycles change by less. */
Test(settle, a_run_comes_to_the_state_of_many_cycles, .disabled = SANITIZED)
{
    bifurcation(200, 0); /* what an extension loses is learned from cycle to cycle, too */
    const outcome many = run(HELD, SLOW, "start: rest, cycles: 80, tolerance: 0.00002"),
                  rest = run(HELD, SLOW, "start: rest, cycles: 80, tolerance: 0.01"),
                  few = run(HELD, SLOW, "cycles: 80, tolerance: 0.01"),
                  exact = run(HELD, SLOW, "cycles: 80, tolerance: 0.0005");
    cr_expect_gt(many.result.cycles, 20);
    cr_expect_eq(many.result.corrections, 0);
    cr_expect_gt(few.result.corrections, 0);
    cr_expect_lt(few.result.cycles, rest.result.cycles, "%u and %u cycles", few.result.cycles,
                 rest.result.cycles);
    expect_same(&rest, &many, 0.01, "from rest");
    expect_same(&few, &many, 0.01, "with corrections");
    expect_same(&exact, &many, 0.0005, "with corrections, exact");
}

/* A checkpoint may be of the step at which a cycle begins: the run that goes on from it does not correct
 * again. */
Test(settle, a_cycle_is_corrected_once)
{
    double stored[3];
    bifurcation(200, 0.5);
    case_write(HELD, SLOW, "cycles: 3");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    const rill_outlook *outlook = rill_vessel_outlook(r.vessel);
    rill_run_loop loop = {.vessel = r.vessel,
                          .state = {.steps = 100, .settled_at = 0, .missing = 1, .range = 2}};
    cr_assert_eq(rill_settle_make(r.given, outlook->ends, outlook->states, outlook->count, &loop.settle),
                 RILL_OK);
    cr_assert_eq(loop.settle.count, 1);
    cr_assert_eq(rill_record_create("windkessels", 2, false, &loop.settled), RILL_OK);
    const int patch = r.vessel->patches[loop.settle.opening[0]];
    cr_assert_eq(rill_sim_patch_stored(r.vessel->sim, patch, &stored[0]), RILL_OK);
    double *row = rill_record_append(&loop.settled, 0, 0);
    row[2] = loop.state.stored[0] = r.plan.scales.base + r.plan.scales.pressure * stored[0];
    row[3] = row[2] + 1;
    for (int k = 1; k <= 2; k++) {
        cr_assert_eq(rill_run_settle(&loop), RILL_OK, "%s", rill_error_message());
        cr_assert_eq(rill_sim_patch_stored(r.vessel->sim, patch, &stored[k]), RILL_OK);
    }
    cr_expect_gt(r.plan.scales.pressure * (stored[1] - stored[0]), 1, "it is not corrected");
    cr_expect_eq(stored[2], stored[1], "%g, then %g", stored[1], stored[2]);
    cr_expect_eq(loop.state.corrections, 1);
    rill_record_free(&loop.settled);
    rill_settle_free(&loop.settle);
    vessel_free(&r);
}

/* The soft start precedes the first cycle: the second repeats it, where with the soft start in the first
 * cycle the third repeats the second. */
Test(settle, the_second_cycle_repeats_the_first, .disabled = SANITIZED)
{
    static const char *const outlets[] = {
        "windkessel, proximal: 4e7 Pa.s/m3, distal: 1.6e8 Pa.s/m3, compliance: 1.2e-9 m3/Pa",
        "windkessel, proximal: 8e7 Pa.s/m3, distal: 3.2e8 Pa.s/m3, compliance: 0.6e-9 m3/Pa"};
    bifurcation(800, 0); /* the first cycle teaches what an extension loses */
    const outcome rest = run(outlets[0], outlets[1], "start: rest"),
                  periodic = run(outlets[0], outlets[1], "cycles: 10"),
                  single = run(outlets[0], outlets[1], "cycles: 1");
    cr_expect_eq(rest.result.cycles, 3);
    cr_expect_eq(periodic.result.cycles, 2);
    expect_same(&periodic, &rest, 0.005, "two cycles");
    cr_expect_lt(periodic.result.steps, 2.5 * (double)periodic.result.cycle_steps);
    cr_expect_float_eq(single.mean, rest.mean, 0.005 * rest.largest, "%g and %g m3/s", single.mean,
                       rest.mean);
}

/* The flow between two held pressures comes up with R^2/(5.78 nu), nine cycles here: a cycle that differs by
 * less than the tolerance from the one before may be several times as far from the periodic flow. */
Test(settle, a_flow_that_changes_slowly_does_not_repeat_yet, .disabled = SANITIZED)
{
    rill_run_result results[2];
    vessel_extension = 0;
    vessel_pipe(0.6e-3, 0);
    FILE *file = fopen("pressure.csv", "w");
    cr_assert(file);
    fprintf(file, "time [ms], pressure [Pa]\n");
    for (int k = 0; k <= 20; k++) fprintf(file, "%d, %.9g\n", k, 0.5 + 20 * cos(M_PI * k / 10));
    cr_assert_eq(fclose(file), 0);
    for (int k = 0; k < 2; k++) {
        vessel_write(
            "v.yaml",
            "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
            "  in: {kind: pressure, waveform: pressure.csv}\n  out: {kind: pressure, pressure: 0 Pa}\n"
            "run: {mach: 0.05, cycles: 100, tolerance: %g}\n"
            "output: {snapshots: 0, surface: no, centre-line: no}\n",
            k == 0 ? 0.01 : 0.0001);
        vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
        cr_assert_eq(rill_case_run(r.vessel, &(rill_run_options){0}, &results[k]), RILL_OK, "%s",
                     rill_error_message());
        cr_expect_eq(results[k].end, RILL_RUN_REPEATS, "tolerance %d: %u cycles", k, results[k].cycles);
        vessel_free(&r);
    }
    cr_expect_gt(results[1].cycles, 20);
    const double inertia = 1000 * (2 * M_PI / 20e-3) * 12e-3 / (M_PI * 4e-6), /* Pa s/m3, of the pipe */
        largest = results[1].flow[0] + 20 / inertia;
    cr_expect_float_eq(results[0].flow[0], results[1].flow[0], 0.01 * largest, "%g and %g m3/s of %g",
                       results[0].flow[0], results[1].flow[0], largest);
}
