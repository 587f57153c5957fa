/* SPDX-License-Identifier: Apache-2.0 */
/* Whole datasets that threads read are what HDF5 wrote and reads block by block, whatever their shape;
 * damaged ones are refused. */
#include "io/hdf5.h"
#include "io/hdf5_chunks.h"
#include "io_test.h"
#include "rill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char path[IO_TEST_PATH];

static void begin(void)
{
    io_test_start();
    strcpy(path, io_test_path("a.h5"));
}

TestSuite(hdf5_read, .init = begin, .fini = io_test_end);

static uint64_t elements(const rill_h5_layout *layout)
{
    uint64_t count = 1;
    for (int a = 0; a < layout->rank; a++) count *= layout->dims[a];
    return count;
}

static size_t size_of(rill_h5_type type)
{
    return type == RILL_H5_U8 ? 1 : type == RILL_H5_U32 || type == RILL_H5_F32 ? 4 : 8;
}

/* Bytes that deflate finds something in, and that no shift of them repeats. */
static unsigned char *data_of(uint64_t bytes)
{
    unsigned char *data = malloc(bytes);
    unsigned seed = 1;
    for (uint64_t k = 0; k < bytes; k++) {
        if (k % 7 == 0) seed = seed * 1664525u + 1013904223u;
        data[k] = (unsigned char)(seed >> 27);
    }
    return data;
}

/* Write `rows` rows of a dataset by HDF5, the others not at all, which are zeros then. */
static unsigned char *written(const rill_h5_layout *layout, uint64_t rows)
{
    rill_h5_file *file = NULL;
    const uint64_t bytes = elements(layout) * size_of(layout->type), some = bytes / layout->dims[0] * rows;
    unsigned char *data = data_of(bytes);
    uint64_t start[RILL_H5_RANK] = {0}, count[RILL_H5_RANK];
    memcpy(count, layout->dims, sizeof count);
    count[0] = rows;
    memset(data + some, 0, bytes - some);
    cr_assert_eq(rill_h5_create(path, &file), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_h5_dataset_create(file, "/d", layout), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_h5_write(file, "/d", layout->type, start, count, data), RILL_OK);
    cr_assert_eq(rill_h5_commit(file), RILL_OK, "%s", rill_error_message());
    rill_h5_close(file);
    return data;
}

static rill_status whole(rill_h5_type type, void *into)
{
    rill_h5_file *file = NULL;
    rill_h5_layout layout;
    cr_assert_eq(rill_h5_open(path, &file), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_h5_dataset_layout(file, "/d", &layout), RILL_OK, "%s", rill_error_message());
    const rill_status status = rill_h5_read(file, "/d", type, layout.rank, NULL, layout.dims, into);
    rill_h5_close(file);
    return status;
}

Test(hdf5_read, shapes_types_and_chunks)
{
    static const rill_h5_layout layouts[] = {
        {.type = RILL_H5_U8, .rank = 3, .dims = {61, 70, 150}, .chunk = {16, 32, 64}, .deflate = 4},
        {.type = RILL_H5_U8, .rank = 3, .dims = {61, 70, 150}, .chunk = {61, 70, 150}, .deflate = 1},
        {.type = RILL_H5_F32, .rank = 4, .dims = {9, 31, 33, 3}, .chunk = {4, 8, 8, 3}, .deflate = 6},
        {.type = RILL_H5_U32, .rank = 2, .dims = {9, 30001}, .chunk = {2, 4096}},
        {.type = RILL_H5_U64, .rank = 1, .dims = {100003}, .chunk = {1000}, .deflate = 2},
        {.type = RILL_H5_F64, .rank = 2, .dims = {20001, 3}, .chunk = {4096, 3}, .deflate = 9},
        {.type = RILL_H5_U8, .rank = 1, .dims = {70001}},
        {.type = RILL_H5_U8, .rank = 2, .dims = {3, 5}, .chunk = {3, 5}, .deflate = 4},
    };
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++)
        for (int part = 0; part < 2; part++) {
            const rill_h5_layout *layout = &layouts[k];
            const uint64_t bytes = elements(layout) * size_of(layout->type);
            unsigned char *data = written(layout, part ? (layout->dims[0] + 1) / 3 : layout->dims[0]);
            unsigned char *read = malloc(bytes);
            memset(read, 0xA5, bytes);
            cr_assert_eq(whole(layout->type, read), RILL_OK, "%s", rill_error_message());
            cr_assert_eq(memcmp(read, data, bytes), 0, "layout %zu, part %d", k, part);
            free(read);
            free(data);
        }
}

/* Threads read what was written in part, too, as samples of little porosity are: HDF5 itself takes one chunk
 * after the other. */
Test(hdf5_read, chunks_that_were_never_written)
{
    const rill_h5_layout layout = {
        .type = RILL_H5_U8, .rank = 3, .dims = {61, 70, 150}, .chunk = {16, 32, 64}, .deflate = 4};
    const uint64_t bytes = elements(&layout);
    unsigned char *data = written(&layout, 20), *read = malloc(bytes);
    memset(read, 0xA5, bytes);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT),
                dataset = H5Dopen2(file, "/d", H5P_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    cr_assert(rill_h5_read_chunks(dataset, &layout, H5T_NATIVE_UINT8, read));
    cr_expect_eq(memcmp(read, data, bytes), 0);
    H5Dclose(dataset);
    H5Fclose(file);
    free(read);
    free(data);
}

/* Other types than the file's are converted. */
Test(hdf5_read, converts)
{
    const rill_h5_layout layout = {
        .type = RILL_H5_U32, .rank = 1, .dims = {50000}, .chunk = {1000}, .deflate = 4};
    uint32_t *data = (uint32_t *)(void *)written(&layout, layout.dims[0]);
    double *read = calloc(layout.dims[0], sizeof *read);
    cr_assert_eq(whole(RILL_H5_F64, read), RILL_OK, "%s", rill_error_message());
    for (uint64_t k = 0; k < layout.dims[0]; k++) cr_assert_eq(read[k], data[k]);
    free(read);
    free(data);
}

/* A byte changed in the middle of the values: checksums tell. */
Test(hdf5_read, damage_is_found)
{
    for (int deflate = 0; deflate < 5; deflate += 4) {
        const rill_h5_layout layout = {
            .type = RILL_H5_F32, .rank = 1, .dims = {100000}, .chunk = {4096}, .deflate = deflate};
        unsigned char *data = written(&layout, layout.dims[0]);
        io_test_drop_checksum(path);
        FILE *f = fopen(path, "r+b");
        fseek(f, 0, SEEK_END);
        fseek(f, ftell(f) / 2, SEEK_SET);
        const int was = fgetc(f);
        fseek(f, -1, SEEK_CUR);
        fputc(was ^ 0x10, f);
        fclose(f);
        cr_assert_eq(whole(RILL_H5_F32, data), RILL_USAGE);
        cr_assert(strstr(rill_error_message(), path) != NULL, "%s", rill_error_message());
        free(data);
    }
}

/* What does not fit where the caller puts it is refused: another number of axes, other extents, other
 * elements. */
Test(hdf5_read, other_shapes_are_refused)
{
    const rill_h5_layout layout = {.type = RILL_H5_F64, .rank = 2, .dims = {3, 4}};
    const uint64_t start[3] = {0};
    rill_h5_file *file = NULL;
    double into[12] = {0};
    const struct {
        rill_h5_type type;
        int rank;
        const uint64_t *start;
        uint64_t count[3];
        const char *says;
    } cases[] = {{RILL_H5_F64, 2, NULL, {3, 4}, NULL},
                 {RILL_H5_F64, 2, start, {2, 4}, NULL},
                 {RILL_H5_F64, 2, NULL, {3, 3}, "4 elements along axis 1, not 3"},
                 {RILL_H5_F64, 1, NULL, {12}, "2 axes, not 1"},
                 {RILL_H5_F64, 1, start, {1}, "2 axes, not 1"},
                 {RILL_H5_F64, 0, NULL, {0}, "2 axes, not 0"},
                 {RILL_H5_F64, 2, start, {3, 5}, "a block outside"},
                 {RILL_H5_U64, 2, NULL, {3, 4}, "no integers"}};
    free(written(&layout, 3));
    cr_assert_eq(rill_h5_open(path, &file), RILL_OK, "%s", rill_error_message());
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const rill_status status =
            rill_h5_read(file, "/d", cases[k].type, cases[k].rank, cases[k].start, cases[k].count, into);
        cr_expect_eq(status, cases[k].says ? RILL_USAGE : RILL_OK, "case %zu: %s", k, rill_error_message());
        if (cases[k].says)
            cr_expect_not_null(strstr(rill_error_message(), cases[k].says), "%s", rill_error_message());
    }
    rill_h5_close(file);
}
