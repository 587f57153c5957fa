/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file directory.h
 * A fresh directory for a test, below $TMPDIR or /tmp. A test that crashes or takes too long cannot remove
 * its own; scripts/run-tests names a TMPDIR and removes that.
 */
#ifndef RILL_TESTS_DIRECTORY_H
#define RILL_TESTS_DIRECTORY_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { DIRECTORY_SIZE = 160 }; /**< bytes of the path of a directory */

/** Make a directory. */
static inline void directory_make(char path[DIRECTORY_SIZE])
{
    const char *parent = getenv("TMPDIR");
    cr_assert_lt(snprintf(path, DIRECTORY_SIZE, "%s/rill-test-XXXXXX", parent ? parent : "/tmp"),
                 DIRECTORY_SIZE);
    cr_assert_not_null(mkdtemp(path), "%s", path);
}

/** Write a file, and make the directories above it. */
static inline void directory_put(const char *directory, const char *name, const char *text)
{
    char path[DIRECTORY_SIZE + 256];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    for (char *slash = strchr(path + strlen(directory) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file, "%s", path);
    fputs(text, file);
    fclose(file);
}

/** Remove a directory and everything in it. */
static inline void directory_remove(const char *path)
{
    char command[2 * DIRECTORY_SIZE + 32];
    snprintf(command, sizeof command, "chmod -R u+w '%s' && rm -rf '%s'", path, path);
    cr_assert_eq(system(command), 0);
}

#endif
