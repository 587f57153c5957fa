/* SPDX-License-Identifier: Apache-2.0 */
/* rill run: signals, checkpoints, and going on to the same bits. */
#include "core/sanitized.h"
#include "run_pipe.h"

#include <math.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>

TestSuite(cli_resume, .init = begin, .fini = cli_test_end);

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
    for (int k = 0; k < 12000; k++, rest(10))
        if (access(path, F_OK) == 0) return;
    cr_assert_fail("%s does not appear", path);
}

/* SIGUSR1 saves and goes on, SIGTERM saves and stops; what is resumed ends in the same bits. */
Test(cli_resume, a_run_that_was_stopped_goes_on_to_the_same_bits)
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
            "h5diff whole/wall.vtkhdf parts/wall.vtkhdf /VTKHDF/CellData 2>/dev/null || /usr/bin/python3 -c \"import h5py; "
            "a = h5py.File('whole/wall.vtkhdf'); b = h5py.File('parts/wall.vtkhdf'); p = '/VTKHDF/CellData/'; "
            "assert all(a[p + n][()].tobytes() == b[p + n][()].tobytes() for n in a[p])\""),
        0);
}

/* Windkessels are corrected between cycles: in a run that goes on from a checkpoint, and in one of several
 * parts, by the same bits. */
Test(cli_resume, windkessels_are_corrected_to_the_same_bits, .disabled = SANITIZED)
{
    static const char slow[] = FLUID
        "openings:\n  in: {kind: inlet, waveform: wave.csv}\n  out: {kind: windkessel, proximal: 1e7 Pa.s/m3, distal: 4e7 Pa.s/m3, compliance: 8e-9 m3/Pa}\n";
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
Test(cli_resume, a_directory_takes_one_run_at_a_time)
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
Test(cli_resume, a_failed_checkpoint_does_not_end_a_run)
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
Test(cli_resume, results_that_cannot_be_written_leave_a_checkpoint)
{
    write_file("p.yaml", PULSE "run: {cycles: 2, mach: 0.2, tolerance: 0.9}\noutput: {snapshots: 0}\n");
    cr_assert_eq(system("mkdir -p a/wall.vtkhdf/x"), 0);
    const cli_result r = cli_test_run("run", "p.yaml", "--no-measure", "-q", "-o", "a");
    cr_assert_neq(r.code, 0);
    cr_assert(strstr(r.err, "wall.vtkhdf") && strstr(r.err, "is whole: continue with --resume"), "%s", r.err);
    cr_assert_eq(system("rm -r a/wall.vtkhdf"), 0);
    const cli_result later = cli_test_run("run", "p.yaml", "--no-measure", "-q", "-o", "a", "--resume");
    cr_assert_eq(later.code, 0, "%s", later.err);
    cr_assert_eq(cli_test_run("run", "p.yaml", "--no-measure", "-q", "-o", "b").code, 0);
    cr_assert(same_files("a/wall-tawss.png", "b/wall-tawss.png") && same_files("a/wall.csv", "b/wall.csv"));
}

/* The limits of the pressure know what Windkessels stored in cycles before the checkpoint. */
Test(cli_resume, limits_of_a_resumed_run_are_those_of_the_whole, .disabled = SANITIZED)
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

Test(cli_resume, resume_refuses_what_is_not_its_own)
{
    write_file("p.yaml", PULSE "run: {cycles: 1, mach: 0.2}\noutput: {snapshots: 0}\n");
    cli_test_fails(1, "checkpoint.h5", "run", "p.yaml", "--no-measure", "-q", "-o", "none", "--resume");
    /* Not enough cycles: exit code 2, everything written, and a checkpoint to continue from. */
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
Test(cli_resume, resume_notes_another_build)
{
    write_file("p.yaml", PULSE "run: {cycles: 2, mach: 0.2, tolerance: 0.000001}\noutput: {snapshots: 0}\n");
    cli_test_fails(2, "--resume", "run", "p.yaml", "--no-measure", "-q", "-o", "a");
    write_file("p.yaml", PULSE "run: {cycles: 3, mach: 0.2, tolerance: 0.9}\noutput: {snapshots: 0}\n");
    cr_assert_eq(system("cp -r a b"), 0);
    cli_result r = cli_test_run("run", "p.yaml", "--no-measure", "-o", "b", "--resume");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_null(strstr(r.out, "was written by rill"), "%s", r.out);
    cr_assert_eq(
        system(
            "/usr/bin/python3 -c \"import h5py; h5py.File('a/checkpoint.h5', 'r+').attrs['software_version'] = '0.0.9 (0123456789ab)'\""),
        0);
    r = cli_test_run("run", "p.yaml", "--no-measure", "-o", "a", "--resume");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert(strstr(r.out, "the checkpoint was written by rill 0.0.9 (0123456789ab), and rill "), "%s",
              r.out);
}

/* The key that differs is named, whatever it is. */
Test(cli_resume, resume_names_the_key_that_differs)
{
    static const char *const from =
        "geometry: p.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\n"
        "openings:\n  in: {kind: inlet, waveform: wave.csv}\n"
        "  out: {kind: windkessel, proximal: 1e7 Pa.s/m3, distal: 4e7 Pa.s/m3, compliance: 2e-10 m3/Pa}\n"
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
        {"openings:", "walls: half-way\nopenings:", "walls was interpolated, is half-way: "},
        {"openings:", "walls: quadratic\nopenings:", "walls was interpolated, is quadratic: "}};
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
Test(cli_resume, a_steady_run_may_be_given_more_time)
{
#define SHORT                                                                                                \
    FLUID "openings:\n  in: {kind: inlet, flow: 0.1 mL/s, profile: parabolic}\n"                             \
          "  out: {kind: pressure, pressure: 0 Pa}\n"
    char text[1024];
    int spans[2];
    write_file("s.yaml", SHORT "run: {mach: 0.2, duration: 135 ms, tolerance: 0.0000001}\n");
    cli_test_fails(2, "allow more time (run.duration) and continue with --resume", "run", "s.yaml",
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
Test(cli_resume, outputs_may_change_on_resume)
{
    write_file("p.yaml", PULSE "run: {cycles: 2, mach: 0.2, tolerance: 0.000001}\noutput: {snapshots: 0}\n");
    cli_test_fails(2, "--resume", "run", "p.yaml", "--no-measure", "-q", "-o", "a");
    cr_assert_eq(system("cp a/openings.csv first.csv"), 0);
    write_file("p.yaml", PULSE
               "run: {cycles: 3, mach: 0.2, tolerance: 0.000001}\n"
               "output: {snapshots: 7, planes: {half: {centre: [0 mm, 0 mm, 2 mm], normal: [0, 0, 1]}}}\n");
    cli_test_fails(2, "--resume", "run", "p.yaml", "--no-measure", "-q", "-o", "a", "--resume");
    const char *first = text_of("first.csv"), *all = text_of("a/openings.csv");
    cr_assert_eq(strncmp(first, all, strlen(first)), 0);
    cr_assert(cli_test_exists("a/wall-0007.vtkhdf") && cli_test_exists("a/planes.csv"));
}

/* Hours of steps are not discarded because an option was forgotten, nor because the new case is wrong. */
Test(cli_resume, a_checkpoint_is_discarded_only_when_asked_for)
{
    write_file("p.yaml", PULSE "run: {cycles: 2, mach: 0.2, tolerance: 0.000001}\noutput: {snapshots: 0}\n");
    cli_test_fails(2, "--resume", "run", "p.yaml", "--no-measure", "-q", "-o", "a");
    cr_assert_eq(rename("a/checkpoint.h5", "kept.h5"), 0);
    cr_assert_eq(system("cp kept.h5 a/checkpoint.h5; cp kept.h5 a/checkpoint.h5.previous"), 0);
    const cli_result r = cli_test_run("run", "p.yaml", "--no-measure", "-o", "a");
    cli_test_expect_failure(&r, 1,
                            "a holds the checkpoint of an earlier run: continue from it with --resume");
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
