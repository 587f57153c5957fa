/* SPDX-License-Identifier: Apache-2.0 */
/* Case files: what they say arrives in SI, what is wrong is refused in one sentence with its line. */
#include "core/data.h"
#include "message.h"
#include "vessel_case.h"

#include "vessel/case/ends.h"

#include <limits.h>
#include <sys/stat.h>

TestSuite(case_file, .init = files_start, .fini = files_end);

#define TOP "geometry: v.geom.h5\nfluid:\n  density: 1060 kg/m3\n  viscosity: 3.5 mPa.s\n"
#define ENDS "openings:\n  in: {kind: inlet, flow: 120 mL/min}\n  out: {kind: pressure, pressure: 80 mmHg}\n"

static void refuse(const char *text, const char *line, const char *part)
{
    rill_case *c = NULL;
    vessel_write("v.yaml", "%s", text);
    cr_expect_eq(rill_case_read("v.yaml", &c), RILL_USAGE, "taken: %s", text);
    cr_expect_null(c);
    expect_message(part);
    expect_message(line);
}

/* The example cases of data/cases, with their waveforms. */
Test(case_file, examples_are_read)
{
    static const char *const names[] = {"cases/vessel.yaml", "cases/bifurcation.yaml"};
    for (int k = 0; k < 2; k++) {
        char path[PATH_MAX];
        rill_case *c = NULL;
        cr_assert_eq(rill_data_path(names[k], path, sizeof path), RILL_OK, "%s", rill_error_message());
        cr_assert_eq(rill_case_read(path, &c), RILL_OK, "%s", rill_error_message());
        cr_expect_eq(c->end_count, 3);
        cr_assert_not_null(c->ends[0].wave);
        cr_expect_float_eq(c->run.period, 0.8, 1e-12, "%s", names[k]);
        rill_case_destroy(c);
    }
}

/* Write a case of a text, `count` times another with its number, and an end. */
static void refuse_many(const char *begin, const char *format, int count, const char *end, const char *part)
{
    rill_case *c = NULL;
    FILE *file = fopen("v.yaml", "w");
    cr_assert(file);
    fputs(begin, file);
    for (int k = 0; k < count; k++) {
        char item[32];
        snprintf(item, sizeof item, format, k);
        fputs(item, file);
    }
    fputs(end, file);
    cr_assert_eq(fclose(file), 0);
    cr_expect_eq(rill_case_read("v.yaml", &c), RILL_USAGE);
    cr_expect_null(c);
    expect_message(part);
}

/* libyaml and the search for doubled keys would take minutes. */
Test(case_file, refuses_more_than_a_case_can_have)
{
    static const char depth[] = "more than 64 lists and mappings", keys[] = "more than 4096 keys";
    refuse_many("geometry: ", "[", 1000000, "", depth);
    refuse_many("geometry: ", "{a: ", 200000, "", depth);
    refuse_many("geometry:\n ", "- ", 400000, "", depth);
    refuse_many("", "k%d: 1\n", 90000, "", keys);
    refuse_many("geometry: {", "k%d: 1, ", 80000, "}\n", keys);
    refuse_many("geometry: [", "&a%d 1, ", 80000, "]\n", "more than 4096 anchors");
    refuse_many("geometry: [", "%d, ", 100000, "]\n", "more than 20000 keys and values");
    refuse_many("geometry: [", "{a%d: 1}, ", 6000, "]\n", "not a text"); /* many, but not too many */
    refuse_many("geometry: ", "[", 40, "", "not YAML");
}

Test(case_file, says_everything_in_si)
{
    rill_case *c = NULL;
    vessel_write("wave.csv", "time [ms], factor\n0, 1\n100, 2\n300, 1.5\n800, 1\n");
    cr_assert_eq(mkdir("sub", 0700), 0);
    vessel_write(
        "sub/v.yaml",
        "geometry: ../v.geom.h5\nfluid:\n  density: 1.06 g/cm3\n  viscosity: {law: carreau-yasuda, at-rest: 0.16 Pa.s, at-infinite-shear: "
        "3.5 cP, time: 8.2 s, index: 0.2128, sharpness: 0.64}\n"
        "walls: half-way\nopenings:\n  in: {kind: inlet, mean-velocity: 30 cm/s, waveform: ../wave.csv}\n"
        "  a: {kind: windkessel, proximal: 0.2 mmHg.s/mL, compliance: 1.5 mL/mmHg, distal: 1 mmHg.s/mL}\n"
        "  b: {kind: flow-split, fraction: 30 %%}\n  c: {kind: resistance, resistance: 1e8 Pa.s/m3, beyond: 5 mmHg, backflow: 0}\nrun: {cycles: "
        "3, start: rest, tolerance: 0.5 %%, mach: 0.05, lattice: d3q27, storage: fp16s}\n"
        "output: {snapshots: 20, fields: yes, centre-line: no, checkpoint-every: 10 min, probes: {p: [1 mm, 2 mm, 3 cm]}, planes: {q: {centre: "
        "[0 m, 0 m, 1 mm], normal: [0, 3, 4]}}}\n");
    cr_assert_eq(rill_case_read_outside(NULL, "sub/v.yaml", &c), RILL_OK, "%s", rill_error_message());
    cr_expect_str_eq(c->geometry, "sub/../v.geom.h5");
    cr_expect_float_eq(c->density, 1060, 1e-9);
    cr_expect_eq(c->law.kind, RILL_LAW_CARREAU_YASUDA);
    cr_expect_float_eq(c->law.viscosity, 3.5e-3, 1e-15);
    cr_expect_eq(c->walls, RILL_WALLS_HALF_WAY);
    cr_expect_eq(c->run.start, RILL_CASE_REST);
    cr_assert_eq(c->end_count, 4);
    cr_expect_float_eq(c->ends[0].amount, 0.3, 1e-15);
    cr_expect_eq(c->ends[0].inflow, RILL_INFLOW_MEAN_VELOCITY);
    cr_expect_eq(c->ends[0].profile, RILL_PROFILE_FITTED);
    cr_expect_float_eq(c->ends[0].wave->period, 0.8, 1e-15);
    cr_expect_float_eq(c->ends[1].distal, 133.322387415e6, 1);
    cr_expect_float_eq(c->ends[1].compliance, 1.5e-6 / 133.322387415, 1e-18);
    cr_expect_float_eq(c->ends[2].fraction, 0.3, 1e-15);
    cr_expect_float_eq(c->ends[3].beyond, 5 * 133.322387415, 1e-9);
    cr_expect_eq(c->ends[3].backflow, 0);
    cr_expect_eq(c->ends[1].backflow, 0.5);
    cr_expect(c->run.pulsatile && c->run.cycles == 3 && c->run.period == c->ends[0].wave->period);
    cr_expect_float_eq(c->run.tolerance, 0.005, 1e-15);
    cr_expect_eq(c->run.lattice, RILL_D3Q27);
    cr_expect_eq(c->run.storage, RILL_FP16S);
    cr_expect_eq(c->run.stream, -1);
    cr_expect(c->output.fields && !c->output.centreline && c->output.snapshots == 20);
    cr_expect_eq(c->output.checkpoint_every, 600);
    cr_expect_float_eq(c->output.probes[0].at[2], 0.03, 1e-15);
    cr_expect_str_eq(c->output.planes[0].name, "q");
    cr_expect_float_eq(c->output.planes[0].normal[2], 0.8, 1e-15);
    rill_case_destroy(c);
}

Test(case_file, refuses_with_line_and_remedy)
{
    refuse("", "v.yaml", "is empty");
    refuse("- a\n- b\n", "v.yaml:1", "not a mapping");
    refuse("a: [1, 2\nb: 3\n", "v.yaml:2", "not YAML");
    refuse("geometry: v.geom.h5\nfluid:\n\tdensity: 1060 kg/m3\n", "v.yaml:3",
           "is indented with a tab, which YAML does not allow: indent with spaces");
    refuse("geometry: v.geom.h5\nfluid:\n  density: 1060 kg/m3\n \tviscosity: 3 mPa.s\n", "v.yaml:4",
           "is indented with a tab");
    refuse("a: \x01\n", "v.yaml:1", "not YAML");
    refuse(TOP ENDS "---\n" TOP, "v.yaml", "second document");
    refuse(TOP ENDS "rum: {cycles: 3}\n", "v.yaml:8",
           "unknown key \"rum\" in the case: did you mean \"run\"?");
    refuse(TOP ENDS "colour: red\n", "v.yaml:8",
           "unknown key \"colour\" in the case: it may have geometry, fluid");
    refuse(TOP ENDS "walls: half-way\nwalls: half-way\n", "v.yaml:9", "stands here twice, first on line 8");
    refuse(TOP, "v.yaml:1", "lacks the key \"openings\"");
    refuse("geometry: g\nfluid:\n  density: 1060 kg/m3\n" ENDS, "v.yaml:3",
           "fluid lacks the key \"viscosity\"");
    refuse("geometry: g\nfluid: {density: 1060, viscosity: 3.5 mPa.s}\n" ENDS, "v.yaml:2",
           "\"1060\" has no unit");
    refuse("geometry: g\nfluid: {density: 1060 mm, viscosity: 3.5 mPa.s}\n" ENDS, "v.yaml:2",
           "not a quantity in kg/m3");
    refuse("geometry: g\nfluid: {density: -3 kg/m3, viscosity: 3.5 mPa.s}\n" ENDS, "v.yaml:2",
           "must be above 0");
    refuse("geometry: g\nfluid: {density: 1 kg/m3, viscosity: 0 mPa.s}\n" ENDS, "v.yaml:2",
           "must be above 0");
    refuse("geometry: g\nfluid: {density: 1 kg/m3, viscosity: {law: cason}}\n" ENDS, "v.yaml:2",
           "did you mean \"casson\"");
    refuse(TOP "walls: brick\n" ENDS, "v.yaml:5", "it may be interpolated, half-way, quadratic");
    refuse(TOP "walls: interpolate\n" ENDS, "v.yaml:5", "did you mean \"interpolated\"?");
    refuse(TOP ENDS "output: {fields: maybe}\n", "v.yaml:8", "say yes or no");
    refuse(TOP ENDS "output: {snapshots: 3.5}\n", "v.yaml:8", "no whole number");
    refuse(TOP ENDS "output: {probes: {p: [1 mm, 2 mm]}}\n", "v.yaml:8", "not a list of three");
    refuse(TOP ENDS "output: {planes: {p: {centre: [1 mm, 2 mm, 0 m], normal: [0, 0, 0]}}}\n", "v.yaml:8",
           "has no direction");
    refuse(TOP ENDS "run: {cycles: 1.5}\n", "v.yaml:8", "no whole number from 1");
    refuse(TOP ENDS "run: {cycles: 3}\n", "v.yaml", "no opening has one: give run a duration instead");
    refuse(TOP ENDS "run: {start: rest}\n", "v.yaml", "no opening has a waveform: leave it out");
    refuse(TOP ENDS "run: {start: rst}\n", "v.yaml:8", "did you mean \"rest\"?");
    refuse(TOP ENDS "run: {mach: 0.05, time-step: 2 us}\n", "v.yaml", "leave one of them out");
    refuse(TOP ENDS "run: {mach: 0.5}\n", "v.yaml:8", "at most 0.3");
}

Test(case_file, refuses_openings_that_make_no_flow)
{
    refuse(TOP "openings: {}\n", "v.yaml:5", "openings is not a mapping");
    refuse(TOP "openings:\n  in: {flow: 1 mL/s}\n", "v.yaml:6", "lacks the key \"kind\"");
    refuse(TOP "openings:\n  in: {kind: inlett, flow: 1 mL/s}\n", "v.yaml:6", "did you mean \"inlet\"?");
    refuse(TOP "openings:\n  in: {kind: inlet, flow: 1 mL/s}\n", "v.yaml", "no opening is an outlet");
    refuse(TOP "openings:\n  a: {kind: pressure, pressure: 1 mmHg}\n", "v.yaml", "nothing drives the flow");
    refuse(TOP "openings:\n  in: {kind: inlet}\n", "v.yaml:6", "it must be given a flow");
    refuse(TOP "openings:\n  in: {kind: inlet, flow: 12}\n", "v.yaml:6", "\"12\" has no unit");
    refuse(TOP "openings:\n  in: {kind: inlet, flow: 12 mL/s, peak-velocity: 1 m/s}\n", "v.yaml:6",
           "cannot both be given");
    refuse(TOP "openings:\n  in: {kind: inlet, flow: 12 mL/s, compliance: 1 m3/Pa}\n", "v.yaml:6",
           "unknown key \"compliance\" in opening in");
    refuse(TOP "openings:\n  in: {kind: windkessel, proximal: 1 Pa.s/m3, distal: 1 Pa.s/m3}\n", "v.yaml:6",
           "lacks the key \"compliance\"");
    refuse(TOP "openings:\n  ../x: {kind: inlet, flow: 12 mL/s}\n", "v.yaml:6", "cannot be the name");
    refuse(TOP "openings:\n  o: {kind: flow-split, fraction: 120 %}\n", "v.yaml:6",
           "a share between 0 and 1");
    refuse(
        TOP
        "openings:\n  in: {kind: inlet, flow: 12 mL/s}\n  a: {kind: flow-split, fraction: 0.7}\n  b: {kind: flow-split, fraction: 0.7}\n",
        "v.yaml", "add up to 1.4");
}

/* A case with a waveform of this text. */
static void refuse_wave(const char *wave, const char *line, const char *part)
{
    vessel_write("w.csv", "%s", wave);
    refuse(TOP "openings:\n  in: {kind: inlet, waveform: w.csv}\n  out: {kind: pressure, pressure: 0 Pa}\n",
           line, part);
}

Test(case_file, refuses_waveforms)
{
    refuse_wave("", "w.csv", "is empty");
    refuse_wave("0, 1\n1, 2\n", "w.csv:1", "not called time");
    refuse_wave("time, flow\n0, 1\n", "w.csv:1", "column \"time\" has no unit");
    refuse_wave("time [s], flow\n0, 1\n", "w.csv:1", "column \"flow\" has no unit");
    refuse_wave("time [s], flow [mm]\n0, 1\n", "w.csv:1", "not a quantity in m3/s");
    refuse_wave("time [s], fow [mL/s]\n0, 1\n", "w.csv:1", "did you mean flow?");
    refuse_wave("time [s], flow [mL/s]\n0, 1\n0.1, two\n", "w.csv:3", "not a finite number");
    refuse_wave("time [s], flow [mL/s]\n0, 1\n0.1, nan\n", "w.csv:3", "not a finite number");
    refuse_wave("time [s], flow [mL/s]\n0, 1\n0.2, 2\n0.1, 3\n", "w.csv:4", "sort the rows by time");
    refuse_wave("time [s], flow [mL/s]\n0, 1\n0.2, 2, 3\n", "w.csv:3", "not a row of two numbers");
    refuse_wave("time [s], flow [mL/s]\n0, 1\n0.2, 2\n", "w.csv", "at least 4");
    refuse_wave("time [s], flow [mL/s]\n0, 1\n0.2, 2\n0.5, 2\n0.8, 3\n", "w.csv:5",
                "the cycle is not closed");
    refuse_wave("time [s], pressure [Pa]\n0, 1\n0.2, 2\n0.5, 2\n0.8, 1\n", "v.yaml:6", "gives a pressure");
    refuse_wave("time [s], factor\n0, 1\n0.2, 2\n0.5, 2\n0.8, 1\n", "v.yaml:6", "gives factors");
    refuse(TOP
           "openings:\n  in: {kind: inlet, waveform: none.csv}\n  out: {kind: pressure, pressure: 0 Pa}\n",
           "v.yaml:6", "cannot read the waveform none.csv");
}

/* Blanks, tabs and semicolons separate columns, too; names are in any case; the header may be a comment. */
Test(case_file, reads_waveforms_of_other_programs)
{
    static const char *const texts[] = {
        "time [s], flow [mL/s]\n0, 1\n0.2, 2\n0.5, 2\n0.8, 1\n",
        "Time [s]; Flow [mL/s]\n0; 1\n0.2; 2\n# a remark\n0.5; 2\n0.8; 1\n",
        "#\tTime (sec)\tFlow (cc/sec)\n0\t1\n0.2\t2\n0.5\t2\n0.8\t1\n",
        "# made by hand\n# time [s]   flow [ml/s]\n0 1\n 0.2   2\n0.5 2\n0.8  1\n",
        "TIME (ms)  FLOW (L / s)\n0   0.001\n200  0.002\n500 0.002\n800 0.001\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        rill_waveform *w = NULL;
        vessel_write("w.csv", "%s", texts[k]);
        cr_assert_eq(rill_waveform_read("w.csv", 0, &w), RILL_OK, "%zu: %s", k, rill_error_message());
        cr_expect(w->kind == RILL_WAVE_FLOW && w->count == 3, "%zu", k);
        cr_expect_float_eq(w->period, 0.8, 1e-12, "%zu", k);
        cr_expect_float_eq(w->mean, 1.6875e-6, 1e-12, "%zu: %g", k, w->mean);
        rill_waveform_destroy(w);
    }
    refuse_wave("# time step 0.01\n0 1\n1 2\n", "w.csv:2", "not called time");
}

/* Files that count along outward normals have a negative inflow, which flows in nevertheless. */
Test(case_file, inflow_has_either_sign)
{
    rill_case *c = NULL;
    vessel_write("w.csv", "%s", "time [s], flow [mL/s]\n0, -1\n0.2, -2\n0.5, -2\n0.8, -1\n");
    vessel_write(
        "v.yaml", "%s",
        TOP "openings:\n  in: {kind: inlet, waveform: w.csv}\n  out: {kind: pressure, pressure: 0 Pa}\n");
    cr_assert_eq(rill_case_read("v.yaml", &c), RILL_OK, "%s", rill_error_message());
    const rill_waveform *w = c->ends[0].wave;
    cr_expect(w->turned);
    cr_expect_float_eq(w->mean, 1.6875e-6, 1e-12);
    cr_expect(fabs(w->low - 1e-6) < 1e-15 && fabs(w->high - 2e-6) < 1e-15, "%g to %g", w->low, w->high);
    cr_expect_float_eq(rill_waveform_at(w, 0.2), 2e-6, 1e-12);
    double sum = 0;
    for (int k = 0; k < 800; k++) sum += rill_waveform_at(w, 1e-3 * (k + 0.5)) / 800;
    cr_expect_float_eq(sum, w->mean, 1e-10);
    rill_case_destroy(c);
}

/* Make a waveform of a half-sine of 1 in rows of 30 ms until 330 ms, then nothing until 800 ms. */
static rill_waveform *half_sine(void)
{
    enum { ROWS = 12 };
    double time[ROWS], value[ROWS];
    rill_waveform *w = NULL;
    for (int k = 0; k < ROWS; k++) {
        time[k] = 0.03 * k;
        value[k] = k < ROWS - 1 ? sin(M_PI * k / 11) : 0;
    }
    cr_assert_eq(rill_waveform_create(RILL_WAVE_FLOW, 0.8, time, value, ROWS, &w), RILL_OK);
    return w;
}

/* Rows far apart: no undershoot, and the mean of the rows, of the curve and of its harmonics. */
Test(case_file, waveforms_keep_the_range_and_the_mean_of_their_rows)
{
    double mean = 0, sum = 0, time, value;
    rill_harmonics h;
    rill_waveform *w = half_sine();
    for (int k = 0; k < 12; k++) mean += 0.03 / 0.8 * sin(M_PI * k / 11);
    enum { PARTS = 80000 };
    for (int j = 0; j < PARTS; j++) {
        const double t = 0.8 * (j + 0.5) / PARTS, v = rill_waveform_at(w, t);
        sum += v / PARTS;
        cr_assert(v > -1e-12 && v < 1.03, "%g at %g s", v, t);
        cr_assert(t < 0.33 || fabs(v) < 1e-12, "%g at %g s", v, t);
    }
    cr_expect_float_eq(w->mean, mean, 1e-12);
    cr_expect_float_eq(sum, mean, 1e-7, "%g, not %g", sum, mean);
    rill_waveform_analyse(w, 1e-5, &h);
    cr_expect_float_eq(h.mean, mean, 1e-12);
    cr_expect_lt(rill_waveform_beyond(w, &time, &value), RILL_WAVEFORM_BEYOND);
    for (uint32_t k = 0; k < w->count; k++)
        cr_expect_float_eq(rill_waveform_at(w, w->time[k]), w->value[k], 1e-12);
    rill_waveform_destroy(w);
    /* Even rows that lie beside the extrema of a sine: it passes beyond them, which is said. */
    const double t[] = {0, 0.25, 0.5, 0.75}, v[] = {1, 1, -1, -1};
    cr_assert_eq(rill_waveform_create(RILL_WAVE_FLOW, 1, t, v, 4, &w), RILL_OK);
    cr_expect_gt(rill_waveform_beyond(w, &time, &value), RILL_WAVEFORM_BEYOND);
    cr_expect_gt(fabs(value), 1.04);
    cr_expect_float_eq(w->mean, 0, 1e-12);
    rill_waveform_destroy(w);
}

/* Where samples rise or fall, so does the curve, whatever their spacing. */
Test(case_file, waveforms_are_monotone_between_monotone_rows)
{
    const double time[] = {0, 0.01, 0.02, 0.1, 0.11, 0.5, 0.52, 0.9},
                 value[] = {0, 0, 0.1, 5, 9, 8.9, 1, 0.5};
    rill_waveform *w = NULL;
    cr_assert_eq(rill_waveform_create(RILL_WAVE_FLOW, 1, time, value, 8, &w), RILL_OK);
    for (int k = 0; k < 8; k++)
        for (int j = 0; j < 100; j++) {
            const double h = w->time[k + 1] - w->time[k], rise = w->value[k + 1] - w->value[k],
                         a = rill_waveform_at(w, w->time[k] + h * j / 100),
                         b = rill_waveform_at(w, w->time[k] + h * (j + 1) / 100);
            cr_assert(rise >= 0 ? b > a - 1e-3 * 9 : b < a + 1e-3 * 9, "%g, %g after row %d", a, b, k + 1);
        }
    rill_waveform_destroy(w);
}

/* The cubic of Hermite's is of fourth order: halving the spacing makes a sine sixteen times better. */
Test(case_file, waveforms_are_smooth_and_periodic)
{
    double worst[2] = {0, 0};
    for (int fine = 0; fine < 2; fine++) {
        enum { MOST = 32 };
        double time[MOST], value[MOST];
        const uint32_t count = fine ? MOST : MOST / 2;
        rill_waveform *w = NULL;
        for (uint32_t k = 0; k < count; k++) {
            time[k] = 0.8 * (k + (k % 2 ? 0.2 : 0)) / count; /* not evenly */
            value[k] = 3 + sin(2 * M_PI * time[k] / 0.8);
        }
        cr_assert_eq(rill_waveform_create(RILL_WAVE_FLOW, 0.8, time, value, count, &w), RILL_OK);
        for (int j = 0; j < 1000; j++)
            worst[fine] = fmax(worst[fine], fabs(rill_waveform_at(w, 1.6 * j / 1000 - 0.8) - 3 -
                                                 sin(2 * M_PI * (1.6 * j / 1000) / 0.8)));
        rill_harmonics h;
        rill_waveform_analyse(w, 1e-6, &h);
        cr_expect_eq(h.count, 1);
        cr_expect_float_eq(h.mean, 3, 1e-4);
        cr_expect_float_eq(h.sine[1], 1, 1e-3);
        cr_expect_float_eq(h.cosine[1], 0, 1e-3);
        rill_waveform_destroy(w);
    }
    cr_expect_lt(worst[1], worst[0] / 12, "%g, %g", worst[0], worst[1]);
    cr_expect_lt(worst[1], 1e-4);
}

/* A coronary outlet beside a Windkessel: both of its equations at every time, with the pressure that its file
 * gives. */
Test(case_file, coronary_circuit_solves_its_equations)
{
    rill_case *c = NULL;
    vessel_write("w.csv", "time [s], flow [mL/s]\n0, 5\n0.1, 20\n0.25, 30\n0.4, 8\n0.6, 4\n0.9, 5\n");
    vessel_write("m.csv", "time [s], pressure [mmHg]\n0, 5\n0.1, 60\n0.25, 100\n0.4, 30\n0.6, 4\n0.9, 5\n");
    vessel_write(
        "v.yaml", TOP
        "openings:\n  in: {kind: inlet, waveform: w.csv}\n"
        "  a: {kind: windkessel, proximal: 2e7 Pa.s/m3, compliance: 3e-9 m3/Pa, distal: 8e8 Pa.s/m3}\n"
        "  b: {kind: coronary, intramyocardial: m.csv, arterial: 3e9 Pa.s/m3, arterial-compliance: 2e-12 m3/Pa,\n"
        "    microvascular: 5e9 Pa.s/m3, myocardial-compliance: 3e-11 m3/Pa, venous: 2e9 Pa.s/m3,\n"
        "    beyond: 700 Pa}\n");
    cr_assert_eq(rill_case_read("v.yaml", &c), RILL_OK, "%s", rill_error_message());
    const int ends[] = {0, 1, 2};
    const rill_opening openings[3] = {{.area = 1}, {.area = 1}, {.area = 1}};
    rill_end_state states[3] = {{.fraction = 0}};
    const rill_end_state *s = &states[2];
    const rill_end *e = &c->ends[2];
    rill_harmonics wave;
    rill_waveform_analyse(c->ends[0].wave, 1e-6, &wave);
    rill_end_inflow(&c->ends[0], &openings[0], NULL, &wave, &states[0].flow);
    cr_assert_eq(rill_ends_solve(c, openings, ends, 3, states), RILL_OK);
    cr_expect_float_eq(s->muscle.mean, e->wave->mean, 1e-6 * e->wave->mean);
    for (double t = 0.013, h = 1e-5; t < 0.9; t += 0.05) {
        const double q = -rill_harmonics_at(&s->flow, t), arteries = rill_harmonics_at(&s->stored, t),
                     muscle = rill_harmonics_at(&s->behind, t), between = (arteries - muscle) / 5e9;
        const rill_harmonics *all[] = {&s->stored, &s->behind, &s->muscle};
        double rise[3], sum = 0;
        for (int k = 0; k < 3; k++) {
            rise[k] = (rill_harmonics_at(all[k], t + h) - rill_harmonics_at(all[k], t - h)) / (2 * h);
            sum += rill_harmonics_at(&states[k].flow, t);
        }
        cr_expect_lt(fabs(sum), 1e-15);
        cr_expect_float_eq(rill_harmonics_at(&s->pressure, t), arteries + 3e9 * q, 1e-9 * arteries);
        cr_expect_float_eq(2e-12 * rise[0], q - between, 1e-6 * 3e-6);
        cr_expect_float_eq(3e-11 * (rise[1] - rise[2]), between - (muscle - 700) / 2e9, 1e-6 * 3e-6);
    }
    rill_case_destroy(c);
}

/* Two Windkessels and a resistance side by side: Kirchhoff, and each one's own equation at every time. */
Test(case_file, circuit_solves_its_equations)
{
    rill_case *c = NULL;
    vessel_write("w.csv", "time [s], flow [mL/s]\n0, 5\n0.1, 20\n0.25, 30\n0.4, 8\n0.6, 4\n0.9, 5\n");
    vessel_write(
        "v.yaml", TOP
        "openings:\n  in: {kind: inlet, waveform: w.csv}\n"
        "  a: {kind: windkessel, proximal: 2e7 Pa.s/m3, compliance: 3e-9 m3/Pa, distal: 8e8 Pa.s/m3}\n"
        "  b: {kind: windkessel, proximal: 5e7 Pa.s/m3, compliance: 1e-9 m3/Pa, distal: 9e8 Pa.s/m3, beyond: 300 Pa}\n  c: {kind: "
        "resistance, resistance: 2e9 Pa.s/m3, beyond: 100 Pa}\n"
        "  d: {kind: flow-split, fraction: 10 %%}\n");
    cr_assert_eq(rill_case_read("v.yaml", &c), RILL_OK, "%s", rill_error_message());
    const int ends[] = {0, 1, 2, 3, 4};
    const rill_opening openings[5] = {{.area = 1}, {.area = 1}, {.area = 1}, {.area = 1}, {.area = 1}};
    rill_end_state states[5] = {{.fraction = 0}};
    rill_harmonics wave;
    rill_waveform_analyse(c->ends[0].wave, 1e-6, &wave);
    rill_end_inflow(&c->ends[0], &openings[0], NULL, &wave, &states[0].flow);
    cr_assert_eq(rill_ends_solve(c, openings, ends, 5, states), RILL_OK);
    for (double t = 0.013; t < 0.9; t += 0.05) {
        double sum = 0;
        const double h = 1e-5, p = rill_harmonics_at(&states[1].pressure, t);
        for (int k = 0; k < 5; k++) sum += rill_harmonics_at(&states[k].flow, t);
        cr_expect_lt(fabs(sum), 1e-12 * 3e-5 * 1e6);
        for (int k = 1; k < 3; k++) {
            const rill_end *e = &c->ends[k];
            const double q = -rill_harmonics_at(&states[k].flow, t),
                         stored = rill_harmonics_at(&states[k].stored, t);
            const double rise =
                (rill_harmonics_at(&states[k].stored, t + h) - rill_harmonics_at(&states[k].stored, t - h)) /
                (2 * h);
            cr_expect_float_eq(p, stored + e->proximal * q, 1e-9 * fabs(p));
            cr_expect_float_eq(e->compliance * rise, q - (stored - e->beyond) / e->distal, 1e-6 * 3e-5);
        }
        cr_expect_float_eq(p, 100 - 2e9 * rill_harmonics_at(&states[3].flow, t), 1e-9 * p);
        cr_expect_float_eq(rill_harmonics_at(&states[4].flow, t),
                           -0.1 * rill_harmonics_at(&states[0].flow, t), 1e-15);
    }
    rill_case_destroy(c);
}
