/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cli_test.h
 * Runs the program that the environment variable RILL names, in a fresh directory for each test:
 *
 *     TestSuite(info, .init = cli_test_start, .fini = cli_test_end);
 *     Test(info, wrong_file)
 *     {
 *         cli_test_fails(1, "no.h5", "info", "no.h5");
 *         cli_result r = cli_test_run("generate", "box", "-o", "a.geom.h5");
 *         cr_assert_eq(r.code, 0, "%s", r.err);
 *     }
 *
 * Relative paths of the program and of the test both lie in that directory.
 */
#ifndef RILL_TESTS_CLI_TEST_H
#define RILL_TESTS_CLI_TEST_H

#include "../directory.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/** What one run of the program came to. */
typedef struct cli_result {
    int code;        /**< exit code; 128 + signal when one ended it */
    char out[16384]; /**< standard output, cut */
    char err[4096];  /**< standard error, cut */
} cli_result;

static char cli_test_directory[DIRECTORY_SIZE]; /**< the directory of this test, its working directory */

/** Make a fresh directory and go there. */
static inline void cli_test_start(void)
{
    directory_make(cli_test_directory);
    cr_assert_eq(chdir(cli_test_directory), 0);
    setenv("RILL_OVERWRITE", "1", 1); /* tests use names again; test_cli_overwrite.c runs without */
    cr_assert_not_null(getenv("RILL"), "set RILL to the program under test, or use `make test`");
}

/** Remove the directory and everything in it. */
static inline void cli_test_end(void)
{
    cr_assert_eq(chdir("/"), 0);
    directory_remove(cli_test_directory);
}

/* Read back a captured stream, and remove its file. */
static inline void cli_test_slurp(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    const size_t length = fread(text, 1, size - 1, file);
    text[length] = '\0';
    fclose(file);
    unlink(path);
}

/** Run the program with a NULL-terminated list of arguments. */
static inline cli_result cli_test_run_list(const char *const *arguments)
{
    const char *argv[128] = {getenv("RILL")};
    char out[DIRECTORY_SIZE + 4], err[DIRECTORY_SIZE + 4];
    int n = 1, state = 0;
    for (; *arguments != NULL; arguments++) {
        cr_assert_lt(n, 127);
        argv[n++] = *arguments;
    }
    snprintf(out, sizeof out, "%s.out", cli_test_directory); /* beside the directory: tests list its files */
    snprintf(err, sizeof err, "%s.err", cli_test_directory);
    const pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        const int o = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600),
                  e = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (o < 0 || e < 0 || dup2(o, 1) < 0 || dup2(e, 2) < 0) _exit(126);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    cr_assert_eq(waitpid(child, &state, 0), child);
    cli_result result;
    result.code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    cr_assert(result.code != 126 && result.code != 127, "%s cannot be run", argv[0]);
    cli_test_slurp(out, result.out, sizeof result.out);
    cli_test_slurp(err, result.err, sizeof result.err);
    return result;
}

/** Run the program: cli_test_run("info", "a.geom.h5"). */
#define cli_test_run(...) cli_test_run_list((const char *const[]){__VA_ARGS__, NULL})

static inline void cli_test_expect_failure(const cli_result *result, int code, const char *part)
{
    cr_assert_eq(result->code, code, "exit code %d, not %d: %s", result->code, code, result->err);
    cr_assert_not_null(strstr(result->err, part), "\"%s\" does not say \"%s\"", result->err, part);
    const size_t length = strlen(result->err);
    cr_assert(length > 0 && strchr(result->err, '\n') == result->err + length - 1, "not one line: \"%s\"",
              result->err);
}

/** Run the program and expect an exit code and one line on standard error that contains `part`. */
#define cli_test_fails(code, part, ...)                                                                      \
    do {                                                                                                     \
        const cli_result cli_test_result = cli_test_run(__VA_ARGS__);                                        \
        cli_test_expect_failure(&cli_test_result, code, part);                                               \
    } while (0)

/** Return whether a file exists. */
static inline bool cli_test_exists(const char *path) { return access(path, F_OK) == 0; }

/** Run a command whose result cannot be written at its end, then go on from the checkpoint that it must
 * leave.
 * @param[in] arguments  without --json; the command is the first */
static inline void cli_test_result_is_kept(const char *arguments, const char *checkpoint)
{
    char command[DIRECTORY_SIZE + 512], err[4096];
    int state;
    for (int json = 0; json < 2; json++) {
        snprintf(command, sizeof command, "'%s' %s %s >/dev/full 2>full.err", getenv("RILL"), arguments,
                 json ? "--resume --json -" : "");
        state = system(command);
        cli_test_slurp("full.err", err, sizeof err);
        cr_expect(WIFEXITED(state) && WEXITSTATUS(state) == 3, "%d: %s", state, err);
        cr_expect_not_null(strstr(err, checkpoint), "%s", err);
        cr_expect_not_null(strstr(err, "continue with --resume"), "%s", err);
        cr_assert(cli_test_exists(checkpoint), "it is gone");
    }
    snprintf(command, sizeof command, "'%s' %s --resume --json - >full.out 2>full.err", getenv("RILL"),
             arguments);
    state = system(command);
    cli_test_slurp("full.err", err, sizeof err);
    cr_expect_eq(state, 0, "%s", err);
    cr_expect(!cli_test_exists(checkpoint), "it is still there");
}

#endif
