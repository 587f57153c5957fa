/* SPDX-License-Identifier: Apache-2.0 */
/* rill run: a whole case on a small pipe, what it leaves, restart to the same bits, signals, divergence. */
#include "../sanitized.h"
#include "cli_test.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    cr_assert(file);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
}

/* A straight pipe of radius 1 mm, 9 cells across, along z. */
static void begin(void)
{
    cli_test_start();
    cr_assert_eq(setenv("OMP_NUM_THREADS", "1", 1), 0);
    cli_result r = cli_test_run("generate", "bend", "--radius", "1mm", "--angle", "0", "--inlet", "2mm",
                                "--outlet", "2mm", "--edge", "0.15mm", "-q", "-o", "p.stl");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("voxelize", "p.stl", "--units", "mm", "--dx", "0.22mm", "--name", "0mm,0mm,0mm=in",
                     "--name", "0mm,0mm,4mm=out", "-o", "p.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    write_file("wave.csv", "time [ms], flow [mL/s]\n0, 0.1\n10, 0.25\n20, 0.1\n30, 0.05\n40, 0.1\n");
}

TestSuite(cli_run, .init = begin, .fini = cli_test_end, .timeout = 120);

#define FLUID "geometry: p.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\n"
#define STEADY                                                                                               \
    FLUID "openings:\n  in: {kind: inlet, flow: 0.1 mL/s, profile: parabolic}\n"                             \
          "  out: {kind: pressure, pressure: 0 Pa}\nrun: {mach: 0.1, tolerance: 0.002}\n"
#define PULSE                                                                                                \
    FLUID "openings:\n  in: {kind: inlet, waveform: wave.csv}\n"                                             \
          "  out: {kind: windkessel, proximal: 1e7 Pa.s/m3, distal: 4e7 Pa.s/m3, compliance: 2e-10 m3/Pa}\n"
#define OUTPUT                                                                                               \
    "output: {snapshots: 2, fields: yes, probes: {mid: [0 mm, 0 mm, 2 mm]}, planes: {half: {centre: [0 mm, " \
    "0 mm, 2 mm], "                                                                                          \
    "normal: [0, 0, 1]}}}\n"

static json_t *json_of(const char *path)
{
    json_t *json = json_load_file(path, 0, NULL);
    cr_assert(json, "%s", path);
    return json;
}

static double number(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);
    cr_assert(json_is_number(value), "%s", key);
    return json_number_value(value);
}

static bool same_files(const char *a, const char *b)
{
    char command[512];
    snprintf(command, sizeof command, "cmp -s '%s' '%s'", a, b);
    return system(command) == 0;
}

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
        const cli_result r = cli_test_run("run", "s.yaml", "--no-measure", "--overwrite", "--json", "s.json");
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
Test(cli_run, a_steady_pipe_becomes_steady_with_the_shear_of_poiseuille)
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

enum { ROWS = 4096 };

/* Read a column of a CSV file. @return rows */
static int column_read(const char *path, const char *name, double values[ROWS])
{
    char line[4096], *part, *rest;
    int column = -1, count = 0;
    FILE *file = fopen(path, "r");
    cr_assert(file && fgets(line, sizeof line, file), "%s", path);
    rest = line;
    for (int k = 0; (part = strsep(&rest, ",\n")); k++)
        if (strncmp(part, name, strlen(name)) == 0) column = k;
    cr_assert_geq(column, 0, "%s has no %s", path, name);
    while (fgets(line, sizeof line, file) && count < ROWS) {
        rest = line;
        for (int k = 0; k <= column; k++) part = strsep(&rest, ",\n");
        values[count++] = atof(part);
    }
    fclose(file);
    return count;
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

/* Start a run in the background. */
static pid_t start(const char *const *arguments)
{
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child > 0) return child;
    const int nothing = open("log", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const char *argv[16] = {getenv("RILL")};
    for (int k = 0; arguments[k]; k++) argv[k + 1] = arguments[k];
    if (dup2(nothing, 1) < 0 || dup2(nothing, 2) < 0) _exit(126);
    execv(argv[0], (char *const *)argv);
    _exit(127);
}

static void rest(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* Wait for a file to appear. */
static void await(const char *path)
{
    for (int k = 0; k < 2000; k++, rest(10))
        if (access(path, F_OK) == 0) return;
    cr_assert_fail("%s does not appear", path);
}

/* SIGUSR1 saves and goes on, SIGTERM saves and stops; what is resumed ends in the same bits. */
Test(cli_run, a_run_that_was_stopped_goes_on_to_the_same_bits)
{
    int state;
    write_file("p.yaml", PULSE "run: {cycles: 3, mach: 0.08, tolerance: 0.5}\noutput: {snapshots: 0}\n");
    const cli_result whole = cli_test_run("run", "p.yaml", "--no-measure", "-q", "-o", "whole");
    cr_assert_eq(whole.code, 0, "%s", whole.err);
    cr_assert_eq(mkdir("parts", 0777), 0);
    const pid_t child = start((const char *const[]){"run", "p.yaml", "--no-measure", "-q", "-o", "parts",
                                                    "--checkpoint-every", "1ms", NULL});
    await("parts/checkpoint.h5"); /* by then it handles signals */
    cr_assert_eq(kill(child, SIGUSR1), 0);
    await("parts/checkpoint.h5.previous");
    cr_assert_eq(kill(child, SIGTERM), 0);
    cr_assert_eq(waitpid(child, &state, 0), child);
    cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 4, "%d", state);
    cr_assert_neq(access("parts/run.h5", F_OK), 0, "nothing is written of a run that was stopped");
    const cli_result r =
        cli_test_run("run", "p.yaml", "--no-measure", "-o", "parts", "--resume", "--json", "r.json");
    cr_assert_eq(r.code, 0, "%s%s", r.out, r.err);
    json_t *json = json_of("r.json");
    cr_assert_gt(number(json, "steps_resumed"), 0);
    json_decref(json);
    static const char *const files[] = {"openings.csv", "wall.csv", "monitor.csv", "wall-tawss.png"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char a[64], b[64];
        snprintf(a, sizeof a, "whole/%s", files[k]);
        snprintf(b, sizeof b, "parts/%s", files[k]);
        cr_assert(same_files(a, b), "%s", files[k]);
    }
    cr_assert_eq(
        system(
            "h5diff whole/wall.vtkhdf parts/wall.vtkhdf /VTKHDF/CellData 2>/dev/null || "
            "/usr/bin/python3 -c \"import h5py; a = h5py.File('whole/wall.vtkhdf'); b = "
            "h5py.File('parts/wall.vtkhdf'); p = '/VTKHDF/CellData/'; assert all(a[p + n][()].tobytes() == "
            "b[p + n][()].tobytes() for n in a[p])\""),
        0);
}

/* Windkessels are corrected between cycles: in a run that goes on from a checkpoint, and in one of several
 * parts, by the same bits. */
Test(cli_run, windkessels_are_corrected_to_the_same_bits)
{
    static const char slow[] =
        FLUID "openings:\n  in: {kind: inlet, waveform: wave.csv}\n  out: {kind: windkessel, proximal: 1e7 "
              "Pa.s/m3, distal: 4e7 Pa.s/m3, compliance: 8e-9 m3/Pa}\n";
    char text[1024];
    for (int cycles = 2; cycles <= 5; cycles += 3) {
        snprintf(text, sizeof text, "%srun: {cycles: %d, mach: 0.2, tolerance: 0.000001}\n%s", slow, cycles,
                 "output: {snapshots: 0}\n");
        write_file(cycles == 2 ? "less.yaml" : "p.yaml", text);
    }
    cli_test_fails(2, "--resume", "run", "p.yaml", "--no-measure", "-q", "-o", "whole", "--json", "w.json");
    cli_test_fails(2, "--resume", "run", "p.yaml", "--no-measure", "-q", "-o", "ranks", "--ranks", "3");
    cli_test_fails(2, "--resume", "run", "less.yaml", "--no-measure", "-q", "-o", "parts");
    cli_test_fails(2, "--resume", "run", "p.yaml", "--no-measure", "-q", "-o", "parts", "--resume");
    json_t *json = json_of("w.json");
    cr_expect_geq(number(json, "corrections"), 2);
    json_decref(json);
    cr_expect(same_files("whole/openings.csv", "parts/openings.csv"), "with a checkpoint");
    cr_expect(same_files("whole/openings.csv", "ranks/openings.csv"), "in three parts");
}

/* Two runs in one directory would leave files of both. */
Test(cli_run, a_directory_takes_one_run_at_a_time)
{
    int state;
    write_file("p.yaml", PULSE "run: {cycles: 3, mach: 0.05, tolerance: 0.9}\noutput: {snapshots: 0}\n");
    const pid_t child = start((const char *const[]){"run", "p.yaml", "--no-measure", "-q", "-o", "parts",
                                                    "--checkpoint-every", "1ms", NULL});
    await("parts/checkpoint.h5");
    cli_test_fails(1, "another rill run writes to parts", "run", "p.yaml", "--no-measure", "-q", "-o",
                   "parts", "--resume");
    cli_test_fails(1, "another rill run writes to parts", "run", "p.yaml", "--no-measure", "-q", "-o",
                   "parts", "--overwrite");
    cr_assert_eq(kill(child, SIGTERM), 0);
    cr_assert_eq(waitpid(child, &state, 0), child);
    cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 4, "%d", state);
    cr_assert_eq(cli_test_run("run", "p.yaml", "--no-measure", "-q", "-o", "parts", "--resume").code, 0);
}

/* A checkpoint that cannot be written is said, and the run goes on. */
Test(cli_run, a_failed_checkpoint_does_not_end_a_run)
{
    int state;
    char log[1 << 16] = "";
    write_file("p.yaml", PULSE "run: {cycles: 2, mach: 0.05, tolerance: 0.9}\noutput: {snapshots: 0}\n");
    cr_assert_eq(mkdir("parts", 0777), 0);
    const pid_t child = start((const char *const[]){"run", "p.yaml", "--no-measure", "-o", "parts",
                                                    "--checkpoint-every", "1ms", NULL});
    await("parts/checkpoint.h5.previous");
    while (mkdir("parts/checkpoint.h5.previous/", 0777) != 0) /* its name is taken */
        remove("parts/checkpoint.h5.previous");
    write_file("parts/checkpoint.h5.previous/x", "");
    cr_assert_eq(waitpid(child, &state, 0), child);
    FILE *file = fopen("log", "r");
    cr_assert(file);
    const size_t length = fread(log, 1, sizeof log - 1, file);
    fclose(file);
    log[length] = '\0';
    cr_assert(WIFEXITED(state) && (WEXITSTATUS(state) == 0 || WEXITSTATUS(state) == 2), "%d: %s", state, log);
    cr_assert(strstr(log, "the run goes on, and the last checkpoint stays"), "%s", log);
    cr_assert(cli_test_exists("parts/run.h5") && cli_test_exists("parts/checkpoint.h5"));
}

/* Results that cannot be written leave a checkpoint, from which they are written later. */
Test(cli_run, results_that_cannot_be_written_leave_a_checkpoint)
{
    write_file("p.yaml", PULSE "run: {cycles: 2, mach: 0.2, tolerance: 0.9}\noutput: {snapshots: 0}\n");
    cr_assert_eq(system("mkdir -p a/wall.vtkhdf/x"), 0);
    const cli_result r = cli_test_run("run", "p.yaml", "--no-measure", "-q", "-o", "a");
    cr_assert_neq(r.code, 0);
    cr_assert(strstr(r.err, "wall.vtkhdf") && strstr(r.err, "is whole: go on with --resume"), "%s", r.err);
    cr_assert_eq(system("rm -r a/wall.vtkhdf"), 0);
    const cli_result later = cli_test_run("run", "p.yaml", "--no-measure", "-q", "-o", "a", "--resume");
    cr_assert_eq(later.code, 0, "%s", later.err);
    cr_assert_eq(cli_test_run("run", "p.yaml", "--no-measure", "-q", "-o", "b").code, 0);
    cr_assert(same_files("a/wall-tawss.png", "b/wall-tawss.png") && same_files("a/wall.csv", "b/wall.csv"));
}

/* The limits of the pressure know what Windkessels stored in cycles before the checkpoint. */
Test(cli_run, limits_of_a_resumed_run_are_those_of_the_whole)
{
    static const char *const keys[] = {"pressure_lowest_pa", "pressure_highest_pa"};
    static const struct {
        const char *outlet;
        int before, cycles;
    } cases[] = {{"windkessel, proximal: 1e7 Pa.s/m3, distal: 4e7 Pa.s/m3, compliance: 2e-9 m3/Pa", 4, 5},
                 {"pressure, pressure: 0 Pa", 2, 3}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double limits[2][2];
        for (int resumed = 0; resumed < 2; resumed++) {
            const char *to[] = {"w0", "r0", "w1", "r1"};
            for (int cycles = resumed ? cases[c].before : cases[c].cycles; cycles <= cases[c].cycles;
                 cycles++) {
                char text[1024];
                snprintf(text, sizeof text,
                         FLUID "openings:\n  in: {kind: inlet, waveform: wave.csv}\n  out: {kind: %s}\n"
                               "run: {cycles: %d, mach: 0.2, tolerance: 0.000001}\noutput: {snapshots: 0}\n",
                         cases[c].outlet, cycles);
                write_file("p.yaml", text);
                const bool goes_on = resumed && cycles > cases[c].before;
                const cli_result r =
                    cli_test_run("run", "p.yaml", "--no-measure", "-q", "-o", to[2 * c + resumed], "--json",
                                 "r.json", goes_on ? "--resume" : "-q");
                cr_assert(r.code == 0 || r.code == 2, "%s", r.err);
            }
            json_t *json = json_of("r.json");
            for (int k = 0; k < 2; k++) limits[resumed][k] = number(json_object_get(json, "plan"), keys[k]);
            json_decref(json);
        }
        for (int k = 0; k < 2; k++)
            cr_expect_eq(limits[0][k], limits[1][k], "%s: %.17g, not %.17g", keys[k], limits[1][k],
                         limits[0][k]);
    }
}

Test(cli_run, resume_refuses_what_is_not_its_own)
{
    write_file("p.yaml", PULSE "run: {cycles: 1, mach: 0.2}\noutput: {snapshots: 0}\n");
    cli_test_fails(1, "checkpoint.h5", "run", "p.yaml", "--no-measure", "-q", "-o", "none", "--resume");
    /* Not enough cycles: exit code 2, everything written, and a checkpoint to go on from. */
    write_file("p.yaml", PULSE "run: {cycles: 2, mach: 0.2, tolerance: 0.000001}\noutput: {snapshots: 0}\n");
    const cli_result limit = cli_test_run("run", "p.yaml", "--no-measure", "-o", "a", "--json", "a.json");
    cli_test_expect_failure(&limit, 2, "--resume");
    cr_assert(strstr(limit.err, "the flow is not periodic: the last cycle may be "), "%s", limit.err);
    cr_assert(strstr(limit.out, "NOT CONVERGED: the flow is not periodic"), "%s", limit.out);
    json_t *json = json_of("a.json");
    cr_assert(json_is_false(json_object_get(json, "periodic")));
    cr_assert_gt(number(json, "change"), number(json, "tolerance"));
    json_decref(json);
    cr_assert_eq(access("a/run.h5", R_OK), 0);
    const cli_result told = cli_test_run("info", "a/checkpoint.h5");
    cr_assert(told.code == 0 && strstr(told.out, "checkpoint") && strstr(told.out, "steps"), "%s", told.out);
    write_file("p.yaml", PULSE "run: {cycles: 3, mach: 0.2, tolerance: 0.9}\noutput: {snapshots: 0}\n");
    cr_assert_eq(cli_test_run("run", "p.yaml", "--no-measure", "-q", "-o", "a", "--resume").code, 0);
    write_file("p.yaml", PULSE "run: {cycles: 3, mach: 0.19, tolerance: 0.9}\noutput: {snapshots: 0}\n");
    cli_test_fails(1, "run.mach was 0.2, is 0.19: ", "run", "p.yaml", "--no-measure", "-q", "-o", "a",
                   "--resume");
    write_file("a/checkpoint.h5", "no");
    write_file("a/checkpoint.h5.previous", "no");
    write_file("p.yaml", PULSE "run: {cycles: 3, mach: 0.2, tolerance: 0.9}\noutput: {snapshots: 0}\n");
    cli_test_fails(1, "checkpoint.h5", "run", "p.yaml", "--no-measure", "-q", "-o", "a", "--resume");
}

/* A checkpoint of another build is gone on from with a note, that of this build without. */
Test(cli_run, resume_notes_another_build)
{
    write_file("p.yaml", PULSE "run: {cycles: 2, mach: 0.2, tolerance: 0.000001}\noutput: {snapshots: 0}\n");
    cli_test_fails(2, "--resume", "run", "p.yaml", "--no-measure", "-q", "-o", "a");
    write_file("p.yaml", PULSE "run: {cycles: 3, mach: 0.2, tolerance: 0.9}\noutput: {snapshots: 0}\n");
    cr_assert_eq(system("cp -r a b"), 0);
    cli_result r = cli_test_run("run", "p.yaml", "--no-measure", "-o", "b", "--resume");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_null(strstr(r.out, "was written by rill"), "%s", r.out);
    cr_assert_eq(system("/usr/bin/python3 -c \"import h5py; h5py.File('a/checkpoint.h5', 'r+').attrs"
                        "['software_version'] = '0.0.9 (0123456789ab)'\""),
                 0);
    r = cli_test_run("run", "p.yaml", "--no-measure", "-o", "a", "--resume");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert(strstr(r.out, "the checkpoint was written by rill 0.0.9 (0123456789ab), and rill "), "%s",
              r.out);
}

/* The key that differs is named, whatever it is. */
Test(cli_run, resume_names_the_key_that_differs)
{
    static const char *const from = "geometry: p.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\n"
                                    "openings:\n  in: {kind: inlet, waveform: wave.csv}\n"
                                    "  out: {kind: windkessel, proximal: 1e7 Pa.s/m3, distal: 4e7 Pa.s/m3, "
                                    "compliance: 2e-10 m3/Pa}\n"
                                    "run: {cycles: 2, mach: 0.2, tolerance: 0.000001}\n"
                                    "output: {snapshots: 0}\n";
    static const char *const changes[][3] = {
        {"viscosity: 4 mPa.s", "viscosity: 3 mPa.s", "fluid.viscosity was 4 mPa.s, is 3 mPa.s: go on with"},
        {"distal: 4e7", "distal: 5e7", "openings.out.distal was 40000000 Pa.s/m3, is 50000000 Pa.s/m3: "},
        {"waveform: wave.csv", "waveform: other.csv", "openings.in.waveform was flow of 4 rows over 0.04 s"},
        {"waveform: wave.csv", "waveform: wave.csv, profile: flat",
         "openings.in.profile was fitted, is flat: "},
        {"mach: 0.2,", "mach: 0.2, soft-start: 1 ms,", "run.soft-start was not given, is 0.001 s: "},
        {"mach: 0.2,", "mach: 0.2, start: rest,", "run.start was not given, is rest: "},
        {"mach: 0.2, ", "", "run.mach was 0.2, is not given: "},
        {"openings:", "walls: half-way\nopenings:", "walls was interpolated, is half-way: "}};
    write_file("other.csv", "time [ms], flow [mL/s]\n0, 0.1\n10, 0.26\n20, 0.1\n30, 0.05\n40, 0.1\n");
    write_file("p.yaml", from);
    cli_test_fails(2, "--resume", "run", "p.yaml", "--no-measure", "-q", "-o", "a");
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        char text[1024];
        const char *at = strstr(from, changes[k][0]);
        cr_assert(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - from), from, changes[k][1],
                 at + strlen(changes[k][0]));
        write_file("p.yaml", text);
        cli_test_fails(1, changes[k][2], "run", "p.yaml", "--no-measure", "-q", "-o", "a", "--resume");
    }
}

/* Return a file's text. */
static char *text_of(const char *path)
{
    static char text[2][1 << 20];
    static int which;
    FILE *file = fopen(path, "r");
    cr_assert(file, "%s", path);
    which = !which;
    const size_t length = fread(text[which], 1, sizeof text[which] - 1, file);
    cr_assert(length + 1 < sizeof text[which]);
    text[which][length] = '\0';
    fclose(file);
    return text[which];
}

/* A steady run whose soft start and span follow from its duration is given more time: what was run stays as
 * it is, and it goes on as if it had not ended. */
Test(cli_run, a_steady_run_may_be_given_more_time)
{
#define SHORT                                                                                                \
    FLUID "openings:\n  in: {kind: inlet, flow: 0.1 mL/s, profile: parabolic}\n"                             \
          "  out: {kind: pressure, pressure: 0 Pa}\n"
    char text[1024];
    int spans[2];
    write_file("s.yaml", SHORT "run: {mach: 0.2, duration: 135 ms, tolerance: 0.0000001}\n");
    cli_test_fails(2, "allow more time (run.duration) and go on with --resume", "run", "s.yaml",
                   "--no-measure", "-q", "-o", "a");
    json_t *json = json_of("a/summary.json");
    spans[0] = (int)number(json, "cycle_steps");
    json_decref(json);
    cr_assert_eq(system("cp a/openings.csv first.csv"), 0);
    write_file("s.yaml",
               SHORT "run: {mach: 0.2, duration: 180 ms, tolerance: 0.0000001}\n"
                     "output: {probes: {mid: [0 mm, 0 mm, 2 mm]}, surface: no, checkpoint-every: 1 h}\n");
    const cli_result r = cli_test_run("run", "s.yaml", "--no-measure", "-o", "a", "--resume");
    cr_assert_eq(r.code, 2, "%s%s", r.out, r.err);
    json = json_of("a/summary.json");
    spans[1] = (int)number(json, "cycle_steps");
    cr_assert_gt(number(json, "time_s"), 0.15);
    json_decref(json);
    cr_assert_eq(spans[0], spans[1]);
    const char *first = text_of("first.csv"), *all = text_of("a/openings.csv");
    cr_assert_gt(strlen(all), 5 * strlen(first) / 4);
    cr_assert_eq(strncmp(first, all, strlen(first)), 0, "the series begins as it did");
    cr_assert(cli_test_exists("a/probes.csv"));
    /* The same in one go, from the soft start of the first run. */
    json = json_of("a/summary.json");
    const json_t *plan = json_object_get(json, "plan");
    snprintf(text, sizeof text,
             SHORT "run: {mach: 0.2, duration: 180 ms, tolerance: 0.0000001, soft-start: %.17g s}\n",
             number(plan, "soft_steps") * number(plan, "time_step_s"));
    json_decref(json);
    write_file("w.yaml", text);
    cr_assert_eq(cli_test_run("run", "w.yaml", "--no-measure", "-q", "-o", "w").code, 2);
    double a[ROWS], b[ROWS];
    const int rows[2] = {column_read("a/openings.csv", "in.pressure", a),
                         column_read("w/openings.csv", "in.pressure", b)};
    cr_assert_eq(a[rows[0] - 1], b[rows[1] - 1], "%.9g, %.9g", a[rows[0] - 1], b[rows[1] - 1]);
}

/* Snapshots and places may change in a pulsatile run; the steps of a cycle stay. */
Test(cli_run, outputs_may_change_on_resume)
{
    write_file("p.yaml", PULSE "run: {cycles: 2, mach: 0.2, tolerance: 0.000001}\noutput: {snapshots: 0}\n");
    cli_test_fails(2, "--resume", "run", "p.yaml", "--no-measure", "-q", "-o", "a");
    cr_assert_eq(system("cp a/openings.csv first.csv"), 0);
    write_file("p.yaml",
               PULSE "run: {cycles: 3, mach: 0.2, tolerance: 0.000001}\n"
                     "output: {snapshots: 7, planes: {half: {centre: [0 mm, 0 mm, 2 mm], normal: [0, 0, "
                     "1]}}}\n");
    cli_test_fails(2, "--resume", "run", "p.yaml", "--no-measure", "-q", "-o", "a", "--resume");
    const char *first = text_of("first.csv"), *all = text_of("a/openings.csv");
    cr_assert_eq(strncmp(first, all, strlen(first)), 0);
    cr_assert(cli_test_exists("a/wall-0007.vtkhdf") && cli_test_exists("a/planes.csv"));
}

/* Hours of steps are not discarded because an option was forgotten, nor because the new case is wrong. */
Test(cli_run, a_checkpoint_is_discarded_only_when_asked_for)
{
    write_file("p.yaml", PULSE "run: {cycles: 2, mach: 0.2, tolerance: 0.000001}\noutput: {snapshots: 0}\n");
    cli_test_fails(2, "--resume", "run", "p.yaml", "--no-measure", "-q", "-o", "a");
    cr_assert_eq(rename("a/checkpoint.h5", "kept.h5"), 0);
    cr_assert_eq(system("cp kept.h5 a/checkpoint.h5; cp kept.h5 a/checkpoint.h5.previous"), 0);
    const cli_result r = cli_test_run("run", "p.yaml", "--no-measure", "-o", "a");
    cli_test_expect_failure(&r, 1, "a holds the checkpoint of an earlier run: go on from it with --resume");
    cr_assert_str_empty(r.out, "a plan is printed first: %s", r.out);
    cr_assert_eq(remove("a/checkpoint.h5"), 0); /* the other one alone can be gone on from, too */
    cli_test_fails(1, "--overwrite", "run", "p.yaml", "--no-measure", "-q", "-o", "a");
    cli_test_fails(1, "leave one of them out", "run", "p.yaml", "-q", "-o", "a", "--resume", "--overwrite");
    write_file("f.yaml", PULSE "output: {probes: {far: [9 mm, 0 mm, 2 mm]}}\n");
    cli_test_fails(1, "probe far", "run", "f.yaml", "--no-measure", "-q", "-o", "a", "--overwrite");
    cr_assert(same_files("kept.h5", "a/checkpoint.h5.previous"));
    write_file("p.yaml", PULSE "run: {cycles: 1, mach: 0.2}\noutput: {snapshots: 0}\n");
    cli_result anew = cli_test_run("run", "p.yaml", "--no-measure", "-o", "a", "--overwrite");
    cr_assert_eq(anew.code, 0, "%s%s", anew.out, anew.err);
    cr_assert(strstr(anew.out, "replace those of an earlier run"), "%s", anew.out);
    cr_assert(!cli_test_exists("a/checkpoint.h5") && !cli_test_exists("a/checkpoint.h5.previous"));
    /* Without a checkpoint results are replaced as any output is, and a new directory has none. */
    anew = cli_test_run("run", "p.yaml", "--no-measure", "-o", "a");
    cr_assert(anew.code == 0 && strstr(anew.out, "replace those"), "%s%s", anew.out, anew.err);
    anew = cli_test_run("run", "p.yaml", "--no-measure", "-o", "b");
    cr_assert(anew.code == 0 && !strstr(anew.out, "replace those"), "%s%s", anew.out, anew.err);
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
    static const char *const late[][4] = {{"-o", "wave.csv", "is no directory"},
                                          {"-o", "no/where", "no/where"},
                                          {"--json", "no/s.json", "no/s.json"},
                                          {"--json", "p.geom.h5", "overwrite the input"},
                                          {"--resume", "-q", "--resume: s.results has no checkpoint.h5"}};
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
