/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_cli_checkpoint.c
 * rill permeability: signals, the checkpoint that they leave, and the run that goes on from it.
 */
#include "pore_files.h"

#include <math.h>
#include <signal.h>

TestSuite(permeability_checkpoint, .init = cli_test_start, .fini = cli_test_end);

#define SLOW                                                                                                 \
    "permeability", "sc.geom.h5", "--storage", "fp64", "--tolerance", "1e-13", "--tau", "0.505",             \
        "--acceleration", "none", "--backend", "cpu"

/* Its plan is what it prints before it begins to step: by then it listens for interrupts. */
static void stop_by(int signal_number)
{
    make_array("sc.geom.h5", "32");
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        const int null = open("/dev/null", O_WRONLY);
        if (null < 0 || dup2(ends[1], 1) < 0 || dup2(null, 2) < 0) _exit(126);
        close(ends[0]);
        close(ends[1]);
        execl(getenv("RILL"), "rill", SLOW, "--max-steps", "1e9", "--json", "a.json", "-o", "a.h5",
              "--checkpoint", "sc.checkpoint.h5", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    char plan[4096];
    cr_assert_gt(read(ends[0], plan, sizeof plan), 0);
    cr_assert_eq(kill(child, signal_number), 0);
    while (read(ends[0], plan, sizeof plan) > 0) {}
    close(ends[0]);
    int state = 0;
    cr_assert_eq(waitpid(child, &state, 0), child);
    cr_assert(WIFEXITED(state) && WEXITSTATUS(state) == 4, "%d", WEXITSTATUS(state));
    json_t *json = load("a.json");
    cr_assert(json_is_false(find(json, "converged")));
    cr_assert_not_null(strstr(json_string_value(find(json, "reason")), "stopped along z"));
    const double steps = real(json, "steps");
    json_decref(json);
    cr_assert(cli_test_exists("sc.checkpoint.h5"));
    cr_assert_not(cli_test_exists("a.h5")); /* the resumed run writes it */
    /* It goes on where it was, and ends by its steps. */
    char most[32];
    snprintf(most, sizeof most, "%.0f", 1.5 * steps + 200);
    const cli_result r = cli_test_run(SLOW, "--max-steps", most, "--resume", "-q", "--json", "b.json");
    cr_assert_eq(r.code, 2, "%s", r.err);
    json = load("b.json");
    cr_assert_geq(real(json, "steps"), steps);
    cr_assert_not_null(strstr(json_string_value(find(json, "reason")), "raise --max-steps"));
    json_decref(json);
    cli_test_fails(1, "another case", SLOW, "--tolerance", "1e-12", "--resume", "-q");
}
Test(permeability_checkpoint, stops_cleanly_when_interrupted) { stop_by(SIGINT); }
Test(permeability_checkpoint, stops_cleanly_when_terminated) { stop_by(SIGTERM); }

/* What a checkpoint is called, and what has none. */
Test(permeability_checkpoint, names_its_checkpoint)
{
    make_array("sc.geom.h5", "8");
    cli_test_fails(1, "checkpoint sc.checkpoint.h5 not found", "permeability", "sc.geom.h5", "--resume");
    cli_test_fails(1, "checkpoint out.v1.checkpoint.h5 not found", "permeability", "sc.geom.h5", "--resume",
                   "-o", "out.v1.h5");
    cli_test_fails(1, "checkpoint slice_.checkpoint.h5 not found", "permeability", "dir/slice*.tif",
                   "--resume");
    cli_test_fails(1, "checkpoint c.h5 not found", "permeability", "sc.geom.h5", "--resume", "--checkpoint",
                   "c.h5");
    cli_test_fails(1, "overwrite the input", "permeability", "sc.geom.h5", "--checkpoint", "sc.geom.h5");
    cli_test_fails(1, "an error bar has no checkpoint", "permeability", "sc.geom.h5", "--error-bar",
                   "--resume");
    const cli_result help = cli_test_run("permeability", "--help");
    static const char *const parts[] = {"--resume", "--checkpoint FILE", "Exit code 4",
                                        "on a GPU pull where"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_assert_not_null(strstr(help.out, parts[i]), "no \"%s\" in %s", parts[i], help.out);
    cr_assert_eq(cli_test_run("permeability", "sc.geom.h5", "-q").code, 0);
    cr_assert_not(cli_test_exists("sc.checkpoint.h5"));
}
