/* SPDX-License-Identifier: Apache-2.0 */
/* rill run with outlets whose pressures another program computes. */
#include "core/sanitized.h"
#include "run_pipe.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/stat.h>

/* The pipe of run_pipe.h and the example of the project beside it. */
static void begin_model(void)
{
    begin();
    cr_assert(getenv("RILL_EXAMPLES"), "set RILL_EXAMPLES to the directory examples, or use `make test`");
    cr_assert_eq(system("cp \"$RILL_EXAMPLES/coupled/rcr.py\" . && chmod +x rcr.py"), 0);
}

TestSuite(cli_model, .init = begin_model, .fini = cli_test_end);

#define WAVE FLUID "openings:\n  in: {kind: inlet, waveform: wave.csv}\n"
#define MODEL WAVE "  out: {kind: model, pressure: 5 Pa, swing: 5 Pa, proximal: 1e7 Pa.s/m3}\n"
#define RCR "model: {program: rcr.py, time-constant: 8 ms, arguments: [\"out=1e7,2e-10,4e7,5\"]}\n"
#define CYCLES(cycles)                                                                                       \
    "run: {cycles: " #cycles ", mach: 0.08, tolerance: 0.1 %}\noutput: {snapshots: 0, surface: no, "         \
    "centre-line: no}\n"

/* Write a program. */
static void write_program(const char *path, const char *text)
{
    write_file(path, text);
    cr_assert_eq(chmod(path, 0755), 0);
}

/* The circuit of a Windkessel in a program gives the flow of the Windkessel: means to 1e-5, pressures at
 * every moment of the last cycle to 0.1 % of their range. */
Test(cli_model, a_windkessel_in_a_program_is_the_built_in_one, .disabled = SANITIZED)
{
    static double values[4][ROWS];
    int rows[4];
    write_file("w.yaml", PULSE CYCLES(5));
    write_file("m.yaml", MODEL RCR CYCLES(5));
    cr_assert_eq(cli_test_run("run", "w.yaml", "--no-measure", "-q", "-o", "w").code, 0);
    const cli_result r = cli_test_run("run", "m.yaml", "--no-measure", "-q", "--allow-program", "-o", "m");
    cr_assert_eq(r.code, 0, "%s", r.err);
    for (int k = 0; k < 4; k++)
        rows[k] = column_read(k / 2 ? "m/openings.csv" : "w/openings.csv",
                              k % 2 ? "out.pressure" : "out.flow", values[k]);
    json_t *json = json_of("m/summary.json");
    const int last = rows[0] / (int)number(json, "cycles");
    json_decref(json);
    cr_assert_eq(rows[0], rows[2]);
    for (int q = 0; q < 2; q++) {
        double low = INFINITY, high = -INFINITY, apart = 0, sum = 0, difference = 0;
        for (int row = rows[0] - last / 2; row < rows[0]; row++) {
            const double a = values[q][row], b = values[2 + q][row];
            low = fmin(low, a);
            high = fmax(high, a);
            apart = fmax(apart, fabs(a - b));
            sum += a;
            difference += b - a;
        }
        cr_expect_gt(high - low, 0);
        cr_expect_lt(apart, 1e-3 * (high - low), "%d: %g of %g", q, apart, high - low);
        cr_expect_lt(fabs(difference / sum), 1e-4, "%d: %g", q, difference / sum);
    }
}

/* A case file of a stranger must not start a program: neither check nor run does without permission. */
Test(cli_model, a_program_runs_only_with_permission)
{
    write_program("rcr.py", "#!/bin/sh\ntouch ran\n");
    write_file("m.yaml", MODEL RCR CYCLES(2));
    cli_test_fails(1, "--allow-program", "run", "m.yaml", "--no-measure", "-q", "-o", "m");
    const cli_result r = cli_test_run("check", "m.yaml", "--no-measure");
    cr_expect_eq(r.code, 1, "%s", r.err);
    cr_expect(strstr(r.out, "rcr.py") && strstr(r.out, "--allow-program"), "%s", r.out);
    cr_expect_eq(cli_test_run("check", "m.yaml", "--no-measure", "--allow-program").code, 0);
    cr_expect(!cli_test_exists("ran"), "the program was started");
}

/* The state of the program is in the checkpoint; with several parts there is one program. */
Test(cli_model, resumed_runs_and_several_parts_give_the_same_bits)
{
    write_file("m.yaml", MODEL RCR CYCLES(4));
    write_file("less.yaml", MODEL RCR CYCLES(2));
    cli_test_run("run", "m.yaml", "--no-measure", "-q", "--allow-program", "-o", "whole");
    cli_test_fails(2, "--resume", "run", "less.yaml", "--no-measure", "-q", "--allow-program", "-o", "parts");
    cli_result r =
        cli_test_run("run", "m.yaml", "--no-measure", "-q", "--allow-program", "-o", "parts", "--resume");
    cr_expect_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("run", "m.yaml", "--no-measure", "-q", "--allow-program", "-o", "ranks", "--ranks", "3");
    cr_expect_eq(r.code, 0, "%s", r.err);
    cr_expect(same_files("whole/openings.csv", "parts/openings.csv"), "with a checkpoint");
    cr_expect(same_files("whole/openings.csv", "ranks/openings.csv"), "in three parts");
    write_file(
        "m.yaml", MODEL
        "model: {program: rcr.py, time-constant: 8 ms, arguments: [\"out=1e7,2e-10,5e7,5\"]}\n" CYCLES(5));
    cli_test_fails(1, "model.argument-1", "run", "m.yaml", "--no-measure", "-q", "--allow-program", "-o",
                   "parts", "--resume");
}

Test(cli_model, a_program_without_a_state_cannot_go_on)
{
    write_program(
        "rcr.py",
        "#!/bin/sh\nwhile read word rest; do\n  case $word in hello) echo ready;; step) echo pressure 5;; *) echo error;; esac\ndone\n");
    write_file("m.yaml", MODEL RCR CYCLES(3));
    write_file("less.yaml", MODEL RCR "run: {cycles: 2, mach: 0.08, tolerance: 0.000001}\n");
    cli_test_fails(2, "--resume", "run", "less.yaml", "--no-measure", "-q", "--allow-program", "-o", "m");
    cli_test_fails(1, "saves no state", "run", "m.yaml", "--no-measure", "-q", "--allow-program", "-o", "m",
                   "--resume");
}

/* What a program may do wrong, each with one sentence and an exit code. */
Test(cli_model, faults_of_programs_end_the_run)
{
    static const struct {
        const char *text, *says;
        int code;
    } faults[] = {
        {"read a; echo ready; read a; sleep 100", "did not answer within 0.5 s", 3},
        {"read a; echo ready; read a; exit 5", "ended with exit code 5", 3},
        {"read a; echo ready; read a; kill -9 $$", "ended by signal 9", 3},
        {"read a; echo ready; read a; exec >/dev/null <&-; sleep 100", "closed its standard output", 3},
        {"read a; echo ready; read a; echo pressure nan; read a", "answered \"pressure nan\"", 1},
        {"read a; echo ready; read a; echo pressure 1e999; read a", "answered \"pressure 1e999\"", 1},
        {"read a; echo ready; read a; echo pressure; read a", "answered \"pressure\"", 1},
        {"read a; echo ready; read a; echo pressure 1,5; read a", "answered \"pressure 1,5\"", 1},
        {"read a; echo ready; read a; echo pressure 1 2; read a", "one finite number for each outlet", 1},
        {"read a; echo ready; read a; printf 'pressure 1\\npressure 1\\n'; read a", "one line with several",
         1},
        {"read a; echo ready; read a; printf 'pressure \\000\\n'; read a", "with a NUL", 1},
        {"read a; echo ready; read a; head -c 70000 /dev/zero | tr '\\0' x; read a", "more than 65535 bytes",
         1},
        {"read a; echo error no such outlet; read a", "refuses: no such outlet", 1},
        {"read a; printf 'hi \\033[2J\\n'; read a", "answered \"hi \\u{1b}[2J\"", 1},
        {"read a; echo ready for all; read a", "answered \"for all\"", 1},
        {"exit 0", "ended with exit code 0", 3},
    };
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        char text[256];
        snprintf(text, sizeof text, "#!/bin/sh\n%s\n", faults[k].text);
        write_program("rcr.py", text);
        write_file("m.yaml", k == 0 ? MODEL
                                 "model: {program: rcr.py, time-constant: 8 ms, timeout: 0.5 s}\n" CYCLES(2)
                                    : MODEL "model: {program: rcr.py, time-constant: 8 ms}\n" CYCLES(2));
        cli_test_fails(faults[k].code, faults[k].says, "run", "m.yaml", "--no-measure", "-q",
                       "--allow-program", "-o", "m");
    }
    cr_assert_eq(chmod("rcr.py", 0644), 0);
    cli_test_fails(1, "rcr.py, cannot be run", "run", "m.yaml", "--no-measure", "-q", "--allow-program", "-o",
                   "m");
    write_program("rcr.py", "neither #! nor a program\n");
    cli_test_fails(3, "make it executable", "run", "m.yaml", "--no-measure", "-q", "--allow-program", "-o",
                   "m");
}

/* Return whether a process has ended, also where nobody has waited for it. */
static bool ended(int pid)
{
    char path[64], state = 'X';
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = 'X';
    if (file) fclose(file);
    return state == 'X' || state == 'Z';
}

/* A program that does not end with its input is killed with all that it started. */
Test(cli_model, the_program_ends_with_the_run)
{
    write_program(
        "rcr.py",
        "#!/bin/sh\necho $$ >pid\nsleep 1000 & echo $! >other\n"
        "while read word rest; do\n  case $word in hello) echo ready;; *) echo pressure 5;; esac\ndone\nsleep 1000\n");
    write_file("m.yaml", MODEL RCR CYCLES(2));
    const cli_result r = cli_test_run("run", "m.yaml", "--no-measure", "-q", "--allow-program", "-o", "m");
    cr_assert(r.code == 0 || r.code == 2, "%s", r.err);
    static const char *const names[] = {"pid", "other"};
    for (int k = 0; k < 2; k++) {
        int pid = 0;
        FILE *file = fopen(names[k], "r");
        cr_assert(file && fscanf(file, "%d", &pid) == 1);
        fclose(file);
        bool gone = false;
        for (int wait = 0; wait < 3000 && !gone; wait++) {
            gone = ended(pid);
            if (!gone) usleep(20000);
        }
        cr_expect(gone, "%s %d is there", names[k], pid);
    }
}

/* Cases that do not fit together are refused with their line. */
Test(cli_model, cases_name_a_program_for_their_outlets)
{
    write_file("m.yaml", MODEL CYCLES(2));
    cli_test_fails(1, "m.yaml:5: out is of kind model, and the case names no program", "run", "m.yaml", "-q",
                   "-o", "m");
    write_file("m.yaml", PULSE RCR CYCLES(2));
    cli_test_fails(1, "no outlet is of kind model", "run", "m.yaml", "-q", "-o", "m");
    write_file("m.yaml", MODEL "model: {program: rcr.py, time-constant: 8 ms, arguments: out}\n" CYCLES(2));
    cli_test_fails(1, "is not a list of at most", "run", "m.yaml", "-q", "-o", "m");
    write_file("m.yaml", MODEL "model: {program: ., time-constant: 8 ms, arguments: [out]}\n" CYCLES(2));
    cli_test_fails(1, "not a regular file", "run", "m.yaml", "-q", "-o", "m");
}
