/* SPDX-License-Identifier: Apache-2.0 */
/* rill run: a whole case on a small pipe, what it leaves, divergence. */
#include "core/sanitized.h"
#include "run_pipe.h"

#include <math.h>
#include <sys/stat.h>

TestSuite(cli_run, .init = begin, .fini = cli_test_end);

/* A steady run makes three spans whatever its steps divide by, and an estimate above 100 % is none. */
Test(cli_run, a_short_steady_run_says_what_it_knows)
{
    static const char *const outlets[] = {"{kind: pressure, pressure: 0 Pa}",
                                          "{kind: resistance, resistance: 4e12 Pa.s/m3}"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 FLUID "openings:\n  in: {kind: inlet, flow: 0.1 mL/s, profile: parabolic}\n  out: %s\n"
                       "run: {mach: 0.1, tolerance: 0.000001, duration: %d ms}\n",
                 outlets[k], 60 + k);
        write_file("s.yaml", text);
        const cli_result r =
            cli_test_run("run", "s.yaml", "--no-measure", "-q", "--overwrite", "--json", "s.json");
        cli_test_expect_failure(&r, 2, "the last two spans differ by ");
        cr_assert_null(strstr(r.err, "soft start"), "%s", r.err);
        json_t *json = json_of("s.json");
        const double steps = number(json_object_get(json, "plan"), "steps"), made = number(json, "steps");
        cr_assert(made == 3 * number(json, "cycle_steps") && steps - made < 3, "%g of %g", made, steps);
        cr_assert(json_is_null(json_object_get(json, "change")));
        cr_assert_gt(number(json, "difference"), 0);
        json_decref(json);
    }
}

/* Poiseuille: tau_w = 4 mu Q / (pi R^3), and the drop of pressure along the pipe; what the wall is, is there.
 */
Test(cli_run, a_steady_pipe_becomes_steady_with_the_shear_of_poiseuille, .disabled = SANITIZED)
{
    write_file("s.yaml", STEADY);
    const cli_result r = cli_test_run("run", "s.yaml", "--no-measure", "--json", "s.json");
    cr_assert_eq(r.code, 0, "%s%s", r.out, r.err);
    json_t *json = json_of("s.json");
    cr_assert_str_eq(json_string_value(json_object_get(json, "end")), "repeats");
    const double shear = 4 * 4e-3 * 0.1e-6 / (M_PI * 1e-9), mean = number(json, "tawss_mean_pa");
    cr_assert_float_eq(mean, shear, 0.04 * shear, "%g, not %g", mean, shear);
    cr_assert_lt(fabs(number(json, "mass_balance")), 0.001);
    cr_assert_eq(number(json, "triangles_missing"), 0);
    json_decref(json);
    cr_assert(same_files("s.json", "s.results/summary.json"));
    static const char *const files[] = {"run.h5",           "openings.csv",   "wall.vtkhdf",
                                        "wall.xmf",         "wall-tawss.png", "wall-phases.xmf",
                                        "wall-0001.vtkhdf", "wall.csv",       "monitor.csv"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char path[64];
        snprintf(path, sizeof path, "s.results/%s", files[k]);
        cr_assert_eq(access(path, R_OK), 0, "%s", path);
    }
    cr_assert_eq(cli_test_run("info", "s.results/run.h5").code, 0);
    cr_assert_eq(cli_test_run("info", "s.results/wall.vtkhdf").code, 0);
    /* The picture of the run is the one that can be drawn of its file. */
    cr_assert_eq(cli_test_run("export", "s.results/wall.vtkhdf", "-o", "w.png").code, 0);
    cr_assert(same_files("w.png", "s.results/wall-tawss.png"));
    cr_assert_eq(cli_test_run("export", "s.results/wall-0001.vtkhdf", "--field", "WSS", "-o", "w.png").code,
                 0);
    cli_test_fails(1, "OSI", "export", "s.results/wall-0001.vtkhdf", "--field", "OSI", "-o", "w.png");
    cli_test_fails(1, "is of voxels", "export", "s.results/wall.vtkhdf", "--field", "speed", "-o", "w.png");
    cli_test_fails(1, "is of walls", "export", "p.geom.h5", "--field", "OSI", "-o", "w.png");
}

/* Mean over its last rows. */
static double column_mean(const char *path, const char *name, int rows)
{
    double values[ROWS], sum = 0;
    const int count = column_read(path, name, values);
    cr_assert_geq(count, rows);
    for (int k = count - rows; k < count; k++) sum += values[k] / rows;
    return sum;
}

/* Two cycles: series, phases with times, fields and slices; the flow through a plane is that of the inlet. */
Test(cli_run, a_pulsatile_case_leaves_what_was_asked_for)
{
    write_file("p.yaml", PULSE "run: {cycles: 4, mach: 0.1, tolerance: 0.3}\n" OUTPUT);
    const cli_result r = cli_test_run("run", "p.yaml", "--no-measure", "-o", "out", "-q", "--json", "p.json");
    cr_assert_eq(r.code, 0, "%s%s", r.out, r.err);
    cr_assert_str_empty(r.out);
    json_t *json = json_of("p.json");
    cr_assert_eq(number(json, "phases"), 2);
    cr_expect_eq(number(json, "cycles"), 2, "snapshots are those of the cycle that repeats");
    const double mean = 0.125e-6; /* of a smooth curve through the points */
    const double flow = number(json_array_get(json_object_get(json, "openings"), 0), "flow_m3_per_s");
    cr_assert_float_eq(fabs(flow), mean, 0.02 * mean, "%g", flow);
    json_decref(json);
    const double plane = column_mean("out/planes.csv", "half.flow", 200),
                 in = column_mean("out/openings.csv", "in.flow", 200);
    cr_assert_float_eq(plane, in, 0.06 * in, "%g, %g", plane, in);
    static const char *const files[] = {"fields-0001.vtkhdf", "fields-0002.vtkhdf", "fields-phases.xmf",
                                        "speed-x.png",        "wall-0002.vtkhdf",   "wall-phases.xmf",
                                        "wall-osi.png",       "probes.csv"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char path[64];
        snprintf(path, sizeof path, "out/%s", files[k]);
        cr_assert_eq(access(path, R_OK), 0, "%s", path);
    }
    cr_assert_eq(
        cli_test_run("export", "out/fields-0002.vtkhdf", "--field", "shear_rate", "-o", "g.png").code, 0);
}

/* Where next to nothing flows for a while, what comes in too much then is little of the cycle's flow. */
Test(cli_run, the_balance_is_of_the_largest_flow, .disabled = SANITIZED)
{
    write_file("wave.csv",
               "time [ms], flow [mL/s]\n0, 0\n80, 0.25\n160, 0\n240, -0.05\n320, 0\n360, 0\n400, 0\n");
    write_file("p.yaml", FLUID "openings:\n  in: {kind: inlet, waveform: wave.csv}\n"
                               "  out: {kind: pressure, pressure: 0 Pa}\n"
                               "run: {cycles: 2, mach: 0.1, tolerance: 0.9}\noutput: {snapshots: 0}\n");
    const cli_result r = cli_test_run("run", "p.yaml", "--no-measure", "-o", "out", "--json", "p.json");
    cr_assert_eq(r.code, 0, "%s%s", r.out, r.err);
    const char *row = strstr(r.out, "mass balance");
    json_t *json = json_of("p.json");
    const double balance = number(json, "mass_balance");
    json_decref(json);
    cr_expect_lt(fabs(balance), 0.02, "%g", balance);
    cr_assert(row, "%s", r.out);
    cr_expect(strstr(row, "% too much came in"), "%s", r.out);
    cr_expect_float_eq(atof(row + strlen("mass balance")), 100 * balance, fabs(10 * balance));
    double values[ROWS], most = 0;
    const int count = column_read("out/monitor.csv", "balance", values);
    for (int k = 0; k < count; k++) most = fmax(most, fabs(values[k]));
    cr_expect(most > 0 && most < 0.1, "%g", most);
}

/* The summary on standard output is that of the directory, and tables and progress are on standard error. */
Test(cli_run, the_summary_goes_to_standard_output)
{
    write_file("p.yaml", PULSE "run: {cycles: 1, mach: 0.1}\noutput: {snapshots: 4, slices: no}\n");
    const cli_result r = cli_test_run("run", "p.yaml", "--no-measure", "-o", "a", "--json", "-");
    cr_assert_eq(r.code, 0, "%s", r.err);
    json_t *shown = json_loads(r.out, 0, NULL), *written = json_of("a/summary.json");
    cr_assert(shown && json_equal(shown, written), "%s", r.out);
    cr_assert_not_null(strstr(r.err, "cells across"), "%s", r.err);
    cr_assert_not(cli_test_exists("-"));
    json_decref(shown);
    json_decref(written);
}

/* Fields need gigabytes where pictures do: slices come without them, and are what could be drawn of them. */
Test(cli_run, slices_come_without_fields)
{
    char place[16];
    bool same = false;
    static const char *const cases[] = {"output: {snapshots: 4}\n", "output: {snapshots: 4, fields: yes}\n",
                                        "output: {snapshots: 4, slices: no}\n"};
    write_file("wave.csv", "time [ms], flow [mL/s]\n0, 0.1\n10, 0.05\n20, 0.1\n30, 0.25\n40, 0.1\n");
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text, "%srun: {cycles: 1, mach: 0.1}\n%s", PULSE, cases[k]);
        write_file("p.yaml", text);
        const cli_result r = cli_test_run("run", "p.yaml", "--no-measure", "-q", "-o",
                                          k == 0   ? "a"
                                          : k == 1 ? "b"
                                                   : "c");
        cr_assert_eq(r.code, 0, "%s%s", r.out, r.err);
    }
    cr_expect(!cli_test_exists("a/fields-0001.vtkhdf") && !cli_test_exists("c/speed-x.png"));
    for (int a = 0; a < 3; a++) {
        char left[] = "a/speed-x.png", right[] = "b/speed-x.png";
        left[8] = right[8] = "xyz"[a];
        cr_expect(same_files(left, right), "%s", left);
    }
    for (int x = 0; x < 10 && !same; x++) {
        snprintf(place, sizeof place, "x=%d", x);
        cr_assert_eq(cli_test_run("export", "b/fields-0003.vtkhdf", "--slice", place, "-o", "x.png").code, 0);
        same = same_files("x.png", "a/speed-x.png");
    }
    cr_expect(same, "no slice of the third snapshot, where the flow is largest");
}

/* A thin fluid on a coarse grid: found within the steps that are stated, with its place, and nothing is left.
 */
Test(cli_run, a_divergence_is_told_with_its_place_and_reason)
{
    cli_result r = cli_test_run("voxelize", "p.stl", "--units", "mm", "--dx", "0.22mm", "--extend", "0.5D",
                                "--name", "0mm,0mm,0mm=in", "--name", "0mm,0mm,4mm=out", "-o", "d.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    /* MRT diverges at a cell Reynolds number of 34 and a Mach number of 0.3. */
    write_file("d.yaml", "geometry: d.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 1 mPa.s}\n"
                         "openings:\n  in: {kind: inlet, flow: 0.24 mL/s, profile: flat}\n"
                         "  out: {kind: pressure, pressure: 0 Pa}\n"
                         "run: {mach: 0.3, duration: 1 s, collision: mrt, lattice: d3q27}\n");
    r = cli_test_run("run", "d.yaml", "--no-measure", "--json", "d.json");
    const char *steps = strstr(r.out, "looked for every ");
    json_t *json = json_of("d.json");
    cr_assert(steps && atof(steps + strlen("looked for every ")) == number(json, "watch_steps"), "%s", r.out);
    cr_assert_leq(number(json, "watch_steps"), 100);
    json_decref(json);
    cr_assert_eq(r.code, 2, "%d %s%s", r.code, r.out, r.err);
    cr_assert(strstr(r.err, "diverged") && strstr(r.err, "mm from ") && strstr(r.err, "tau is"), "%s", r.err);
    cr_assert_neq(access("d.results/run.h5", F_OK), 0);
}

Test(cli_run, bad_input_is_told_in_one_sentence)
{
    cli_test_fails(1, "no case", "run");
    cli_test_fails(1, "no.yaml", "run", "no.yaml");
    write_file("s.yaml", STEADY);
    static const char *const late[][4] = {
        {"-o", "wave.csv", "is not a directory"},
        {"-o", "no/where", "no/where"},
        {"--json", "no/s.json", "no/s.json"},
        {"--json", "p.geom.h5", "overwrite the input"},
        {"--resume", "-q", "--resume: checkpoint s.results/checkpoint.h5 not found"}};
    for (size_t k = 0; k < sizeof late / sizeof *late; k++) {
        const cli_result r = cli_test_run("run", "s.yaml", "--no-measure", late[k][0], late[k][1]);
        cli_test_expect_failure(&r, k == 1 || k == 2 ? 3 : 1, late[k][2]);
        cr_assert_str_empty(r.out, "a plan is printed first: %s", r.out);
        cr_assert(!cli_test_exists("s.results"), "an empty directory is left");
    }
    static const char *const times[] = {"5", "5mm", "-1s", "1e9s", "soon"};
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        const cli_result r = cli_test_run("run", "s.yaml", "--no-measure", "--checkpoint-every", times[k]);
        cli_test_expect_failure(&r, 1, "--checkpoint-every");
        cr_assert_str_empty(r.out, "nothing is printed before options are known to be good: %s", r.out);
    }
    write_file("s.yaml", STEADY "output: {probes: {far: [9 mm, 0 mm, 2 mm]}}\n");
    cli_test_fails(1, "far", "check", "s.yaml", "--no-measure", "-q");
    cli_test_fails(1, "probe far", "run", "s.yaml", "--no-measure", "-q");
    write_file("s.yaml", STEADY "output: {planes: {far: {centre: [9 mm, 0 mm, 2 mm], normal: [0, 0, 1]}}}\n");
    cli_test_fails(1, "far", "check", "s.yaml", "--no-measure", "-q");
    cli_test_fails(1, "plane far", "run", "s.yaml", "--no-measure", "-q");
}

/* What a run on several devices refuses, a check refuses without measuring; both tell how many parts there
 * are. */
Test(cli_run, a_check_of_parts_agrees_with_a_run)
{
    static const char *const streams[] = {"ring", "aa"};
    for (int k = 0; k < 2; k++) {
        char text[1024];
        snprintf(text, sizeof text, "%s", STEADY);
        snprintf(strstr(text, "tolerance"), 64, "duration: 1 ms, stream: %s}\n", streams[k]);
        write_file("c.yaml", text);
        const cli_result check = cli_test_run("check", "c.yaml", "--ranks", "64", "--no-measure", "--backend",
                                              "cpu", "--json", "c.json"),
                         run = cli_test_run("run", "c.yaml", "--ranks", "64", "--no-measure", "--backend",
                                            "cpu", "-o", streams[k]);
        cr_assert_eq(check.code, k == 0, "%s", check.err);
        cr_assert_eq(run.code == 1, check.code == 1, "%s%s", check.err, run.err);
        cr_assert_eq(strstr(check.err, "the ring buffer does not work on several devices") != NULL, k == 0);
        cr_assert_eq(strstr(run.err, "the ring buffer does not work on several devices") != NULL, k == 0);
        cr_assert_eq(strstr(check.out, "not 64: a part has 4,096 nodes or more") != NULL, k == 1);
    }
    json_t *json = json_of("c.json");
    const json_t *parts = json_object_get(json, "parts");
    cr_assert_eq(number(parts, "devices_given"), 64);
    cr_assert_lt(number(parts, "count"), 64);
    json_decref(json);
}

/* Helicity is in the summary, and where fields are written in each snapshot; the last one has the mean. */
Test(cli_run, helicity_is_in_summary_and_snapshots)
{
    write_file(
        "p.yaml", PULSE
        "run: {cycles: 3, mach: 0.08, tolerance: 0.5}\noutput: {snapshots: 2, fields: yes, helicity: yes, surface: no}\n");
    for (int kind = 0; kind < 2; kind++) {
        const char *name = kind ? "image" : "sparse";
        char script[640];
        const cli_result r = cli_test_run("run", "p.yaml", "--no-measure", "-o", name, "--fields", name);
        cr_assert_eq(r.code, 0, "%s", r.err);
        cr_expect(strstr(r.out, "helicity"), "%s", r.out);
        snprintf(
            script, sizeof script,
            "/usr/bin/python3 -c \"import h5py, json; d = [h5py.File('%s/fields-000%%d.vtkhdf' %% k)['VTKHDF/%sData'] for k in (1, 2)]; "
            "l = [x['LNH'][()] for x in d]; assert 'LNH_mean' not in d[0]; assert abs((l[0] + l[1]) / 2 - d[1]['LNH_mean'][()]).max() < 1e-6; "
            "assert abs(d[0]['helicity'][()]).max() > 0 and d[0]['helicity'].attrs['units'] in ('m/s2', b'm/s2'); "
            "h = json.load(open('%s/summary.json'))['helicity']; assert h['h2_m_per_s2'] > 0 and abs(h['h3']) == h['h4'] <= 1\"",
            name, kind ? "Point" : "Cell", name);
        cr_expect_eq(system(script), 0, "%s", name);
    }
    write_file("p.yaml", STEADY "output: {snapshots: 0, helicity: yes}\n");
    cli_test_fails(1, "helicity is computed from snapshots", "run", "p.yaml", "-q", "-o", "none");
}
