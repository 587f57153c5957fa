/* SPDX-License-Identifier: Apache-2.0 */
/* Files of rill are read through rill/file.h as they were written: types, shapes, blocks, attributes. What is
 * not there, not inside or no HDF5 is refused. */
#include "io/hdf5.h"
#include "io_test.h"
#include "message.h"

#include <string.h>

enum { ROWS = 5, COLUMNS = 7 };

/* /group/table is [5, 7] with 10 row + column; /one is a single value. */
static rill_file *opened(void)
{
    rill_h5_file *made = NULL;
    rill_file *file = NULL;
    double table[ROWS][COLUMNS], one = 2.5;
    const rill_h5_layout two = {.type = RILL_H5_F64,
                                .rank = 2,
                                .dims = {ROWS, COLUMNS},
                                .chunk = {2, COLUMNS}},
                         none = {.type = RILL_H5_F64};
    const int64_t sizes[] = {7, -5};
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) table[r][c] = 10 * r + c;
    const char *path = io_test_path("a.h5");
    cr_assert_eq(rill_h5_create(path, &made), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_h5_dataset_create(made, "/group/table", &two), RILL_OK);
    cr_assert_eq(rill_h5_write(made, "/group/table", RILL_H5_F64, NULL, NULL, table), RILL_OK);
    cr_assert_eq(rill_h5_dataset_create(made, "/one", &none), RILL_OK);
    cr_assert_eq(rill_h5_write(made, "/one", RILL_H5_F64, NULL, NULL, &one), RILL_OK);
    cr_assert_eq(rill_h5_set_text(made, "/group/table", "units", "µm"), RILL_OK);
    cr_assert_eq(rill_h5_set_integers(made, "/group", "sizes", sizes, 2), RILL_OK);
    cr_assert_eq(rill_h5_set_reals(made, "/group", "factor", &one, 1), RILL_OK);
    cr_assert_eq(rill_h5_commit(made), RILL_OK, "%s", rill_error_message());
    rill_h5_close(made);
    cr_assert_eq(rill_file_open(path, &file), RILL_OK, "%s", rill_error_message());
    return file;
}

TestSuite(file, .init = io_test_start, .fini = io_test_end);

/* Names in a row, "a b "; stops after `most`. */
typedef struct names {
    char text[256];
    int count, most;
} names;

static bool take(void *context, const char *name)
{
    names *n = context;
    strcat(strcat(n->text, name), " ");
    return ++n->count < n->most;
}

Test(file, names_types_and_shapes_are_those_written)
{
    rill_file *file = opened();
    names members = {.most = 99}, first = {.most = 1}, attributes = {.most = 99};
    rill_dataset dataset;
    cr_expect_eq(rill_file_members(file, "/", take, &members), RILL_OK);
    cr_expect_str_eq(members.text, "group one ");
    cr_expect_eq(rill_file_members(file, "/", take, &first), RILL_OK);
    cr_expect_str_eq(first.text, "group ");
    cr_expect_eq(rill_file_attributes(file, "/group", take, &attributes), RILL_OK);
    cr_expect_str_eq(attributes.text, "factor sizes ");
    cr_expect(rill_file_has_dataset(file, "/group/table"));
    cr_expect_not(rill_file_has_dataset(file, "/group"));
    cr_expect_eq(rill_file_dataset(file, "/group/table", &dataset), RILL_OK);
    cr_expect_eq(dataset.type, RILL_ELEMENT_F64);
    cr_expect_eq(dataset.rank, 2);
    cr_expect_eq(dataset.n[0], ROWS);
    cr_expect_eq(dataset.n[1], COLUMNS);
    cr_expect_eq(rill_file_dataset(file, "/one", &dataset), RILL_OK);
    cr_expect_eq(dataset.rank, 0);
    rill_file_close(file);
    io_test_expect_files(1);
}

Test(file, blocks_are_those_asked_for)
{
    rill_file *file = opened();
    double whole[ROWS][COLUMNS], block[2][3];
    cr_expect_eq(rill_file_read(file, "/group/table", NULL, NULL, whole), RILL_OK);
    cr_expect_eq(whole[4][6], 46);
    cr_expect_eq(rill_file_read(file, "/group/table", (uint64_t[]){2, 4}, (uint64_t[]){2, 3}, block),
                 RILL_OK);
    for (int k = 0; k < 6; k++) cr_expect_eq(block[k / 3][k % 3], 10 * (2 + k / 3) + 4 + k % 3);
    cr_expect_eq(rill_file_read(file, "/one", NULL, NULL, block), RILL_OK);
    cr_expect_eq(block[0][0], 2.5);
    const uint64_t inside[2] = {0, 0}, late[2] = {0, COLUMNS}, empty[2] = {1, 0}, large[2] = {ROWS + 1, 1};
    cr_expect_eq(rill_file_read(file, "/group/table", late, (uint64_t[]){1, 1}, block), RILL_USAGE);
    expect_message("has 7 elements along axis 1: a block of 1 from 7 is not inside");
    cr_expect_eq(rill_file_read(file, "/group/table", inside, empty, block), RILL_USAGE);
    cr_expect_eq(rill_file_read(file, "/group/table", inside, large, block), RILL_USAGE);
    cr_expect_eq(rill_file_read(file, "/group/table", inside, NULL, block), RILL_USAGE);
    cr_expect_eq(rill_file_read(file, "/group", NULL, NULL, block), RILL_USAGE);
    rill_file_close(file);
    io_test_expect_files(1);
}

Test(file, attributes_are_texts_or_numbers)
{
    rill_file *file = opened();
    rill_attribute a;
    cr_assert_eq(rill_file_attribute(file, "/group/table", "units", &a), RILL_OK, "%s", rill_error_message());
    cr_expect_str_eq(a.text, "µm");
    cr_expect(!a.reals && !a.integers && a.count == 1);
    rill_attribute_free(&a);
    cr_expect_null(a.text);
    cr_assert_eq(rill_file_attribute(file, "/group", "sizes", &a), RILL_OK);
    cr_expect(!a.text && a.count == 2 && a.integers[0] == 7 && a.integers[1] == -5);
    rill_attribute_free(&a);
    cr_assert_eq(rill_file_attribute(file, "/group", "factor", &a), RILL_OK);
    cr_expect(a.count == 1 && a.reals[0] == 2.5);
    rill_attribute_free(&a);
    cr_expect_eq(rill_file_attribute(file, "/group", "nothing", &a), RILL_USAGE);
    expect_message("nothing");
    rill_file_close(file);
    rill_file_close(NULL);
    io_test_expect_files(1);
}

Test(file, refuses_what_is_no_file_of_hdf5)
{
    rill_file *file = NULL;
    FILE *text = fopen(io_test_path("a.txt"), "w");
    cr_assert(text && fputs("no HDF5", text) >= 0 && fclose(text) == 0);
    cr_expect_eq(rill_file_open(io_test_path("a.txt"), &file), RILL_USAGE);
    cr_expect_eq(rill_file_open(io_test_path("missing.h5"), &file), RILL_USAGE);
    cr_expect_null(file);
}
