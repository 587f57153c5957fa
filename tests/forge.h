/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file forge.h
 * Checkpoints in which a stranger changes numbers, and states the hash that belongs to them.
 */
#ifndef RILL_TESTS_FORGE_H
#define RILL_TESTS_FORGE_H

#include <criterion/criterion.h>
#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/** Put bytes into a part of a checkpoint, and exchange them with what was there. */
static inline void forge_bytes(const char *checkpoint, const char *part, size_t at, void *exchanged,
                               size_t count)
{
    char path[64], hash[17], before[16];
    hsize_t size;
    const hid_t file = H5Fopen(checkpoint, H5F_ACC_RDWR, H5P_DEFAULT);
    snprintf(path, sizeof path, "/state/%s", part);
    cr_assert(file >= 0 && H5LTget_dataset_info(file, path, &size, NULL, NULL) >= 0, "%s", part);
    cr_assert(at + count <= size && count <= sizeof before);
    unsigned char *bytes = malloc(size);
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    cr_assert(bytes && H5Dread(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
    memcpy(before, bytes + at, count);
    memcpy(bytes + at, exchanged, count);
    memcpy(exchanged, before, count);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)XXH3_64bits(bytes, size));
    cr_assert(H5Dwrite(set, H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0);
    H5Dclose(set);
    cr_assert(H5LTset_attribute_string(file, path, "xxh3_64", hash) >= 0);
    free(bytes);
    H5Fclose(file);
}

/** Put a part of another length, all bytes 1, into a checkpoint. */
static inline void forge_length(const char *checkpoint, const char *part, hsize_t length)
{
    char path[64], hash[17];
    const hid_t file = H5Fopen(checkpoint, H5F_ACC_RDWR, H5P_DEFAULT);
    snprintf(path, sizeof path, "/state/%s", part);
    unsigned char *bytes = malloc(length);
    cr_assert(bytes && file >= 0 && H5Ldelete(file, path, H5P_DEFAULT) >= 0, "%s", part);
    memset(bytes, 1, length);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)XXH3_64bits(bytes, length));
    cr_assert(H5LTmake_dataset(file, path, 1, &length, H5T_NATIVE_UCHAR, bytes) >= 0);
    cr_assert(H5LTset_attribute_string(file, path, "xxh3_64", hash) >= 0);
    free(bytes);
    H5Fclose(file);
}

#endif
