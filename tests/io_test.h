/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file io_test.h
 * A directory for each test of files, and what must be left there. The check is called by the tests
 * themselves, because Criterion does not count what fails in a suite's `.fini`.
 */
#ifndef RILL_TESTS_IO_TEST_H
#define RILL_TESTS_IO_TEST_H

#include "directory.h"

#include <dirent.h>
#include <hdf5.h>
#include <unistd.h>

enum { IO_TEST_PATH = DIRECTORY_SIZE + 64 }; /**< bytes of the path of a file */
static char io_test_directory[DIRECTORY_SIZE];

static inline void io_test_start(void) { directory_make(io_test_directory); }
static inline void io_test_end(void) { directory_remove(io_test_directory); }

/** Return the path of a file in the directory; the last eight stay valid. */
static inline const char *io_test_path(const char *name)
{
    static char path[8][IO_TEST_PATH];
    static int turn;
    turn = (turn + 1) % 8;
    snprintf(path[turn], sizeof path[turn], "%s/%s", io_test_directory, name);
    return path[turn];
}

/** Remove the checksum at the end of a file, so that the sums inside HDF5 must find what is wrong. */
static inline void io_test_drop_checksum(const char *path)
{
    struct stat info;
    cr_assert_eq(stat(path, &info), 0);
    cr_assert_eq(truncate(path, info.st_size - 32), 0);
}

/** Expect that `count` files are in the directory, no temporary among them, and no HDF5 handle is open. */
static inline void io_test_expect_files(int count)
{
    int found = 0;
    DIR *directory = opendir(io_test_directory);
    cr_assert(directory);
    for (const struct dirent *entry; (entry = readdir(directory));) found += entry->d_name[0] != '.';
    closedir(directory);
    cr_assert_eq(found, count, "%d files are there, not %d", found, count);
    cr_assert_eq(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0, "an HDF5 handle was left open");
}

#endif
