/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of standard output ends first, as in `rill … | head`: each command ends without a sentence, with
 * 141 as SIGPIPE gives it, whether the caller ignores SIGPIPE or not, and a command that has files to write
 * writes them.
 */
#include "cli_test.h"

#include "shapes.h"

#include <signal.h>

TestSuite(cli_pipe, .init = cli_test_start, .fini = cli_test_end);

/* Run the program with standard output, or standard error too, into a pipe that nobody reads.
 * @return its exit code; 128 + signal when one ended it */
static int unread(const char *const *words, bool ignored, bool both)
{
    const char *argv[32] = {getenv("RILL")};
    int ends[2], state = 0, n = 1;
    for (; words[n - 1]; n++) argv[n] = words[n - 1];
    cr_assert_eq(pipe(ends), 0);
    close(ends[0]);
    const pid_t child = fork();
    if (child == 0) {
        const int err = open("err", O_WRONLY | O_CREAT | O_TRUNC, 0600);
        signal(SIGPIPE, ignored ? SIG_IGN : SIG_DFL);
        if (dup2(ends[1], 1) < 0 || dup2(both ? ends[1] : err, 2) < 0) _exit(126);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    close(ends[1]);
    cr_assert_eq(waitpid(child, &state, 0), child);
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

#define UNREAD(ignored, both, ...) unread((const char *const[]){__VA_ARGS__, NULL}, ignored, both)

#define EACH(file, ...)                                                                                      \
    for (int k = 0; k < 4; k++) {                                                                            \
        const char *made = file;                                                                             \
        if (made) unlink(made);                                                                              \
        const int code = UNREAD(k & 1, k & 2, __VA_ARGS__);                                                  \
        cr_expect_eq(code, 128 + SIGPIPE, "%s, SIGPIPE %s: exit code %d", #__VA_ARGS__,                      \
                     k & 1 ? "ignored" : "usual", code);                                                     \
        char said[512];                                                                                      \
        cli_test_slurp("err", said, sizeof said);                                                            \
        cr_expect(!*said || strstr(#__VA_ARGS__, "\"-\""), "%s", said); /* of a document: its tables */      \
        cr_expect(!made || cli_test_exists(made), "%s: no %s", #__VA_ARGS__, made);                          \
    }

Test(cli_pipe, commands_that_print)
{
    cr_assert_eq(cli_test_run("generate", "box", "--size", "8", "-o", "b.geom.h5").code, 0);
    cr_assert_eq(cli_test_run("generate", "pipe", "--radius", "3", "-o", "p.geom.h5").code, 0);
    EACH(NULL, "--version");
    EACH(NULL, "--version", "--json");
    EACH(NULL, "--help");
    EACH(NULL, "help", "permeability");
    EACH(NULL, "variants");
    EACH(NULL, "verify", "--list");
    EACH(NULL, "completion", "bash");
    EACH(NULL, "info", "b.geom.h5");
    EACH(NULL, "info", "b.geom.h5", "--json");
    EACH(NULL, "check", "--schema");
    EACH(NULL, "permeability", "p.geom.h5", "--axis", "z", "--max-steps", "4", "--backend", "cpu",
         "--dry-run");
    EACH(NULL, "diffusivity", "b.geom.h5", "--axis", "z", "--backend", "cpu", "-q");
    EACH(NULL, "diffusivity", "b.geom.h5", "--axis", "z", "--backend", "cpu", "-q", "--json", "-");
    EACH(NULL, "bench", "--backend", "cpu", "--suite", "box", "--cells", "16", "--seconds", "0.01",
         "--stream", "aa", "--addressing", "list", "--storage", "fp32", "--dry-run");
}

Test(cli_pipe, commands_that_write)
{
    EACH("b.geom.h5", "generate", "box", "--size", "8", "-o", "b.geom.h5");
    EACH("b.stl", "generate", "bend", "-o", "b.stl");
    EACH("d.h5", "diffusivity", "b.geom.h5", "--axis", "z", "--backend", "cpu", "-o", "d.h5");
    EACH("d.json", "diffusivity", "b.geom.h5", "--axis", "z", "--backend", "cpu", "--json", "d.json");
    EACH("d.h5", "diffusivity", "b.geom.h5", "--axis", "z", "--backend", "cpu", "-o", "d.h5", "--json", "-");
    EACH("b.geom.h5", "voxelize", "b.stl", "--units", "mm", "--dx", "0.4mm", "-o", "b.geom.h5");
    EACH("b.yaml", "case", "b.stl", "--units", "mm", "--dx", "0.4mm");
}
