/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_reading.c
 * Messages on inputs that cannot be opened: each reason with a remedy.
 */
#include "core/reading.h"
#include "directory.h"
#include "rill.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[DIRECTORY_SIZE];

static void start(void)
{
    directory_make(directory);
    cr_assert_eq(chdir(directory), 0);
}

static void end(void)
{
    cr_assert_eq(chdir("/"), 0);
    directory_remove(directory);
}

TestSuite(reading, .init = start, .fini = end);

static void put(const char *path)
{
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fclose(file);
}

/* See the message on a path behind "cannot read it: ". */
static void says(const char *path, int error, const char *remedy)
{
    char expected[4096];
    cr_expect_eq(rill_fail_reading(error, path, "cannot read %s", "it"), rill_status_of_reading(error));
    snprintf(expected, sizeof expected, "cannot read it: %s%s", strerror(error), remedy);
    cr_expect_str_eq(rill_error_message(), expected, "%s", path);
}

Test(reading, a_missing_name_is_looked_for)
{
    char here[2048], text[4096];
    cr_assert_not_null(getcwd(here, sizeof here));
    snprintf(text, sizeof text, ": %s has no rock.raw: check its name, or put its directory before it", here);
    says("rock.raw", ENOENT, text);
    says("./rock.raw", ENOENT, text);
    put("rock.tif");
    put("other.tif");
    snprintf(text, sizeof text, ": %s has no rokc.tif: did you mean rock.tif?", here);
    says("rokc.tif", ENOENT, text);
    snprintf(text, sizeof text, ": %s has no data: check its name, or put its directory before it", here);
    says("data/deep/rock.tif", ENOENT, text);
    cr_assert_eq(mkdir("datas", 0777), 0);
    snprintf(text, sizeof text, ": %s has no data: did you mean datas?", here);
    says("data/rock.tif", ENOENT, text);
    says("datas/rock.tif", ENOENT, ": datas has no rock.tif: check its name, or put its directory before it");
    says("datas/deep//", ENOENT, ": datas has no deep: check its name, or put its directory before it");
    says("/no-such-name-here", ENOENT,
         ": / has no no-such-name-here: check its name, or put its directory before it");
    cr_assert_eq(symlink("gone", "rock.raw"), 0);
    says("rock.raw", ENOENT, ": it is a link to what is not there");
}

/* Whatever the order in which the names of the directory come: nearest are those that begin with it. */
Test(reading, a_link_is_one_beside_similar_names)
{
    const char *near[] = {"rock.raw.bak", "rock.raw1", "rock.raw.gz", "rock.raw~", "rock.rawx"};
    for (int k = 0; k < 5; k++) put(near[k]);
    cr_assert_eq(symlink("gone", "rock.raw"), 0);
    cr_assert_eq(symlink("gone", "rock"), 0);
    says("rock.raw", ENOENT, ": it is a link to what is not there");
    says("rock/a.raw", ENOENT, ": it is a link to what is not there");
    cr_assert_eq(mkdir("deep", 0777), 0);
    put("deep/rock.raw.bak");
    cr_assert_eq(symlink("gone", "deep/rock.raw"), 0);
    says("deep/rock.raw", ENOENT, ": it is a link to what is not there");
}

/* Of names whose distance is not counted none is meant. */
Test(reading, a_long_name_has_no_nearest)
{
    char here[2048], name[131], text[4096];
    cr_assert_not_null(getcwd(here, sizeof here));
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    put("rock.tif");
    snprintf(text, sizeof text, ": %s has no %s: check its name, or put its directory before it", here, name);
    says(name, ENOENT, text);
    char longer[sizeof name + 4];
    snprintf(longer, sizeof longer, "%s.tif", name);
    put(longer);
    snprintf(text, sizeof text, ": %s has no %s: did you mean %s?", here, name, longer);
    says(name, ENOENT, text);
}

Test(reading, other_reasons_have_a_remedy)
{
    says("rock.tif", EACCES, ": see who may read it and its directories (ls -ld)");
    says("rock.tif/a", ENOTDIR, ": a part of its path is a file: see the path");
    says("rock.tif", EMFILE, ": raise the limit of open files (ulimit -n)");
    says("rock.tif", EIO, "");
    says("", ENOENT, "");
}

Test(reading, long_names_are_no_overflow)
{
    static char path[8192];
    memset(path, 'a', sizeof path - 1);
    says(path, ENOENT, "");
    for (size_t k = 1; k < 1000; k += 2) path[k] = '/';
    path[999] = '\0';
    cr_expect_eq(rill_fail_reading(ENOENT, path, "cannot read %s", "it"), RILL_USAGE);
    cr_expect(strstr(rill_error_message(), " has no a: "), "%s", rill_error_message());
}
