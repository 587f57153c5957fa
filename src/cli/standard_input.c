/* SPDX-License-Identifier: Apache-2.0 */
/*
 * "-" as the name of an input. Readers need a file, whose length they check and which they read more than
 * once: what comes through a pipe is first copied to a temporary file, which takes the place of standard
 * input and vanishes with the program.
 */
#include "cli/cli.h"
#include "core/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static rill_status fail(const char *directory, const char *what)
{
    return rill_fail(
        RILL_SYSTEM,
        "standard input cannot be %s in %s: %s; set TMPDIR to a directory with room, or give a file", what,
        directory, strerror(errno));
}

static rill_status copy(int to, const char *directory)
{
    char block[1 << 16];
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, block, sizeof block);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return rill_fail(RILL_SYSTEM, "standard input cannot be read: %s", strerror(errno));
        if (got == 0) return RILL_OK;
        for (ssize_t done = 0; done < got;) {
            const ssize_t n = write(to, block + done, (size_t)(got - done));
            if (n < 0 && errno == EINTR) continue;
            if (n < 0) return fail(directory, "kept");
            done += n;
        }
    }
}

rill_status cli_input_prepare(const char *path)
{
    struct stat info;
    char name[512];
    const char *directory = getenv("TMPDIR");
    if (strcmp(path, "-") != 0 && strncmp(path, "-:/", 3) != 0) return RILL_OK;
    if (isatty(STDIN_FILENO))
        return rill_fail(RILL_USAGE, "standard input is a terminal: give a file, or send one through a pipe");
    if (fstat(STDIN_FILENO, &info) != 0)
        return rill_fail(RILL_USAGE, "standard input is closed: give a file");
    if (S_ISREG(info.st_mode)) return RILL_OK;
    if (!directory || !*directory) directory = "/var/tmp";
    if (snprintf(name, sizeof name, "%s/rill-XXXXXX", directory) >= (int)sizeof name)
        return rill_fail(RILL_USAGE, "TMPDIR has more than %d characters: set a shorter one",
                         (int)sizeof name - 13);
    const int file = mkstemp(name);
    if (file < 0) return fail(directory, "kept");
    unlink(name);
    rill_status status = copy(file, directory);
    if (status == RILL_OK && dup2(file, STDIN_FILENO) < 0) status = fail(directory, "replaced");
    close(file);
    return status;
}
