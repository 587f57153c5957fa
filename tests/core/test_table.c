/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the data: where they are found, what is read, and how a file that was cut or changed is refused.
 */
#include "core/table.h"
#include "core/data.h"
#include "directory.h"
#include "message.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[DIRECTORY_SIZE];

static void start(void)
{
    directory_make(folder);
    setenv("RILL_DATA", folder, 1);
}

static void end(void) { directory_remove(folder); }

TestSuite(table, .init = start, .fini = end);

static void put_bytes(const char *text, size_t size)
{
    char path[DIRECTORY_SIZE + 16];
    snprintf(path, sizeof path, "%s/t.csv", folder);
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file);
    cr_assert_eq(fwrite(text, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

static void put(const char *text) { directory_put(folder, "t.csv", text); }

/* The table cannot be read, and the message says so and what to do. */
static void refuse(const char *part)
{
    rill_table t;
    cr_assert_eq(rill_table_read("t", &t), RILL_USAGE, "%s expected", part);
    expect_message(part);
    expect_message("install rill again, or set RILL_DATA");
    rill_table_free(&t);
}

static const char good[] = "# Drag.\n# rows: 3\n\n array, solid fraction,\tdrag [mu U], drag limit [1]\r\n"
                           "SC, 0.2, 1.5, 4\n# Between.\nSC, 0.21, -2e-3, nan\nBCC, 0.2, 1e400, 0x1p-1\n";

Test(table, finds_rows_and_columns)
{
    rill_table t;
    int row, column;
    double value;
    put(good);
    cr_assert_eq(rill_table_read("t", &t), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(t.rows, 3);
    cr_assert_eq(t.columns, 4);
    cr_assert_str_eq(t.names[0], "array");
    cr_assert_eq(rill_table_column(&t, "drag", &column), RILL_OK);
    cr_assert_eq(column, 2, "not the column whose name begins so");
    cr_assert_eq(rill_table_row(&t, "SC 0.2", &row), RILL_OK);
    cr_assert_eq(rill_table_number(&t, row, column, &value), RILL_OK);
    cr_assert_eq(value, 1.5);
    cr_assert_eq(rill_table_row(&t, "SC 0.21", &row), RILL_OK);
    cr_assert_eq(rill_table_number(&t, row, column, &value), RILL_OK);
    cr_assert_eq(value, -2e-3);
    rill_table_free(&t);
}

Test(table, refuses_what_it_does_not_hold)
{
    rill_table t;
    int at;
    double value;
    put(good);
    cr_assert_eq(rill_table_read("t", &t), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_table_column(&t, "lift", &at), RILL_USAGE);
    expect_message("it has no column \"lift\"");
    cr_assert_eq(rill_table_row(&t, "FCC", &at), RILL_USAGE);
    cr_assert_eq(rill_table_row(&t, "SC 0", &at), RILL_USAGE);
    cr_assert_eq(rill_table_row(&t, "SC 0.2,1.5", &at), RILL_USAGE);
    cr_assert_eq(rill_table_row(&t, "SC 0.2 1.5 4 5", &at), RILL_USAGE);
    cr_assert_eq(rill_table_row(&t, "SC", &at), RILL_USAGE);
    expect_message("2 rows begin with \"SC\", not one");
    cr_assert_eq(rill_table_number(&t, 1, 3, &value), RILL_USAGE);
    expect_message("t.csv:7: \"nan\" is not a finite number");
    cr_assert_eq(rill_table_number(&t, 2, 2, &value), RILL_USAGE, "1e400 is not finite");
    cr_assert_eq(rill_table_number(&t, 2, 0, &value), RILL_USAGE, "BCC is not a number");
    rill_table_free(&t);
}

Test(table, refuses_files_that_were_cut_or_changed)
{
    refuse("cannot read t.csv in ");
    put("");
    refuse("its last line is not complete");
    put_bytes(good, sizeof good - 5);
    refuse("its last line is not complete");
    put("# rows: 2\na, b\n1, 2\n");
    refuse("it has 1 rows, and its line \"# rows:\" says 2");
    put("a, b\n1, 2\n");
    refuse("says -1");
    put("# rows: 0\n");
    refuse("it has 0 rows");
    put("# rows: 1\na, b\n1, 2, 3\n");
    refuse("t.csv:3: it has 3 cells, not 2");
    put("# rows: 1\na, b\n1,\n");
    refuse("t.csv:3: cell 2 is empty");
    put("# rows: 1\na, b\n\"1\"0, 2\n");
    refuse("t.csv:3: cell 1 has text behind a quote");
    put_bytes("# rows: 1\na, b\n1, \0002\n", 21);
    refuse("it is not text");
    char *large = calloc(1, (1 << 20) + 1);
    memset(large, '#', (1 << 20) + 1);
    put_bytes(large, (1 << 20) + 1);
    free(large);
    refuse("it has more than 1048576 bytes");
}

Test(table, refuses_what_is_no_file)
{
    char path[DIRECTORY_SIZE + 16];
    snprintf(path, sizeof path, "%s/t.csv", folder);
    cr_assert_eq(mkdir(path, 0700), 0);
    refuse("it is not a file");
    cr_assert_eq(rmdir(path), 0);
    cr_assert_eq(mkfifo(path, 0600), 0);
    refuse("it is not a file");
}

Test(table, the_data_are_those_of_the_sources_unless_a_folder_is_named)
{
    char path[PATH_MAX], near[8];
    put(good);
    cr_assert_eq(rill_data_path("t.csv", path, sizeof path), RILL_OK);
    cr_assert_eq(strncmp(path, folder, strlen(folder)), 0, "%s", path);
    cr_assert_eq(rill_data_path("cylinder-arrays.csv", path, sizeof path), RILL_USAGE,
                 "only the folder that is named");
    setenv("RILL_DATA", "", 1);
    cr_assert_eq(rill_data_path("cylinder-arrays.csv", path, sizeof path), RILL_OK, "%s",
                 rill_error_message());
    unsetenv("RILL_DATA");
    cr_assert_eq(rill_data_path("cylinder-arrays.csv", path, sizeof path), RILL_OK, "%s",
                 rill_error_message());
    cr_assert_eq(rill_data_path("t.csv", path, sizeof path), RILL_USAGE);
    expect_message("t.csv not found in ");
    expect_message("share/rill beside the program, or in /");
    cr_assert_eq(rill_data_path("cylinder-arrays.csv", near, sizeof near), RILL_USAGE,
                 "no room for the path");
}
