/* SPDX-License-Identifier: Apache-2.0 */
/* The checksum of a whole file finds what the sums inside HDF5 cannot, and goes when another program writes.
 */
#include "io/checksum.h"
#include "io/hdf5.h"
#include "io_test.h"
#include "rill.h"

#include <hdf5_hl.h>
#include <xxhash.h>

static char path[IO_TEST_PATH];

static void begin(void)
{
    io_test_start();
    strcpy(path, io_test_path("a.h5"));
}

TestSuite(checksum, .init = begin, .fini = io_test_end);

enum { CHUNK = 256, ROWS = 4 * CHUNK };

/* A file with chunks, and a contiguous dataset, which has no sum of its own. */
static void write_file(void)
{
    rill_h5_file *file = NULL;
    uint8_t rows[ROWS];
    const rill_h5_layout chunked = {.type = RILL_H5_U8, .rank = 1, .dims = {ROWS}, .chunk = {CHUNK}},
                         contiguous = {.type = RILL_H5_U8, .rank = 1, .dims = {ROWS}};
    for (int k = 0; k < ROWS; k++) rows[k] = (uint8_t)(k % 251);
    cr_assert_eq(rill_h5_create(path, &file), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_h5_set_text(file, "/", "format", "rill-test"), RILL_OK);
    cr_assert_eq(rill_h5_dataset_create(file, "/chunked", &chunked), RILL_OK);
    cr_assert_eq(rill_h5_write(file, "/chunked", RILL_H5_U8, NULL, NULL, rows), RILL_OK);
    cr_assert_eq(rill_h5_dataset_create(file, "/contiguous", &contiguous), RILL_OK);
    cr_assert_eq(rill_h5_write(file, "/contiguous", RILL_H5_U8, NULL, NULL, rows), RILL_OK);
    cr_assert_eq(rill_h5_commit(file), RILL_OK, "%s", rill_error_message());
    rill_h5_close(file);
}

static unsigned char *load(size_t *size)
{
    struct stat info;
    cr_assert_eq(stat(path, &info), 0);
    unsigned char *bytes = malloc(*size = (size_t)info.st_size);
    FILE *file = fopen(path, "rb");
    cr_assert(file && fread(bytes, 1, *size, file) == *size && fclose(file) == 0);
    return bytes;
}

static void store(const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static bool opens(void)
{
    rill_h5_file *file = NULL;
    const rill_status status = rill_h5_open(path, &file);
    rill_h5_close(file);
    cr_assert(status == RILL_OK || (status == RILL_USAGE && strstr(rill_error_message(), path)));
    return status == RILL_OK;
}

/* docs/files.md: magic, number of bytes before it, XXH3-128 of these bytes. */
Test(checksum, is_what_the_documents_say)
{
    size_t size;
    write_file();
    unsigned char *bytes = load(&size), *end = bytes + size - 32;
    uint64_t before = 0;
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(bytes, size - 32));
    for (int k = 0; k < 8; k++) before |= (uint64_t)end[8 + k] << 8 * k;
    cr_assert_arr_eq(end, "rillsum1", 8);
    cr_assert_eq(before, size - 32);
    cr_assert_arr_eq(end + 16, hash.digest, 16);
    cr_assert_eq(rill_checksum_verify(path), RILL_OK, "%s", rill_error_message());
    free(bytes);
}

Test(checksum, finds_changed_bytes_and_cuts)
{
    size_t size;
    write_file();
    unsigned char *bytes = load(&size);
    for (size_t at = 0; at < size; at += 5) {
        bytes[at] ^= (unsigned char)(1 << at % 8);
        store(bytes, size);
        bytes[at] ^= (unsigned char)(1 << at % 8);
        cr_assert_not(opens(), "byte %zu of %zu", at, size);
        cr_assert_eq(rill_checksum_verify(path), RILL_USAGE);
    }
    for (size_t cut = 1; cut < size; cut += cut < 40 ? 1 : 97) {
        store(bytes, size - cut);
        /* Without the whole trailer, and no byte less, the file is one that has no checksum. */
        cr_assert_eq(opens(), cut == 32, "%zu bytes cut", cut);
        cr_assert_eq(rill_checksum_verify(path), RILL_USAGE);
    }
    free(bytes);
}

/* Chunks carry their sums along when they change places. */
Test(checksum, finds_exchanged_chunks)
{
    unsigned char chunk[CHUNK], *bytes;
    size_t size, first = 0, second = 0;
    write_file();
    bytes = load(&size);
    for (int k = 0; k < CHUNK; k++) chunk[k] = (unsigned char)(k % 251);
    for (size_t at = 0; at + CHUNK + 4 < size && !first; at++)
        if (memcmp(bytes + at, chunk, CHUNK) == 0) first = at;
    for (int k = 0; k < CHUNK; k++) chunk[k] = (unsigned char)((k + CHUNK) % 251);
    for (size_t at = 0; at + CHUNK + 4 < size && !second; at++)
        if (memcmp(bytes + at, chunk, CHUNK) == 0) second = at;
    cr_assert(first && second);
    for (int k = 0; k < CHUNK + 4; k++) { /* with their Fletcher-32 sums */
        const unsigned char kept = bytes[first + (size_t)k];
        bytes[first + (size_t)k] = bytes[second + (size_t)k];
        bytes[second + (size_t)k] = kept;
    }
    store(bytes, size);
    cr_assert_not(opens());
    rill_h5_file *file = NULL;
    uint8_t rows[ROWS];
    io_test_drop_checksum(path);
    cr_assert_eq(rill_h5_open(path, &file), RILL_OK);
    cr_assert_eq(rill_h5_read(file, "/chunked", RILL_H5_U8, 1, NULL, (uint64_t[]){ROWS}, rows), RILL_OK,
                 "the sums of chunks find it, too: %s", rill_error_message());
    rill_h5_close(file);
    free(bytes);
}

/* Notes that a user adds by HDF5 make no damaged file: the checksum goes. */
Test(checksum, goes_when_another_program_writes)
{
    const char note[] = "mine";
    write_file();
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    cr_assert(H5LTset_attribute_string(file, "/chunked", "note", note) >= 0 && H5Fclose(file) >= 0);
    cr_assert(opens(), "%s", rill_error_message());
    cr_assert_eq(rill_checksum_verify(path), RILL_USAGE);
    cr_assert(strstr(rill_error_message(), "no checksum"), "%s", rill_error_message());
}
