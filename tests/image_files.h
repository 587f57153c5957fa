/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file image_files.h
 * Image files for tests: a fresh directory for each test, and the bytes of a small image of known values.
 */
#ifndef RILL_TESTS_IMAGE_FILES_H
#define RILL_TESTS_IMAGE_FILES_H

#include "directory.h"
#include "geometry/image/image.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Bytes of a file in the making. */
typedef struct file_bytes {
    unsigned char data[1 << 16];
    size_t size;
} file_bytes;

static char files_directory[DIRECTORY_SIZE];

/** Make a fresh directory and go there. */
static inline void files_start(void)
{
    directory_make(files_directory);
    cr_assert_eq(chdir(files_directory), 0);
}

/** Remove the directory and everything in it. */
static inline void files_end(void)
{
    cr_assert_eq(chdir("/"), 0);
    directory_remove(files_directory);
}

/** Write a file of raw bytes. */
static inline void files_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fwrite(data, 1, size, file), size);
    cr_assert_eq(fclose(file), 0);
}

/** Read a file back. */
static inline void files_read(const char *path, file_bytes *b)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    b->size = fread(b->data, 1, sizeof b->data, file);
    fclose(file);
}

/** Overwrite one byte of a file in place: writing it anew would wait for the disk. */
static inline void files_poke(const char *path, size_t at, unsigned char value)
{
    FILE *file = fopen(path, "r+b");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fseek(file, (long)at, SEEK_SET), 0);
    cr_assert_eq(fputc(value, file), value);
    cr_assert_eq(fclose(file), 0);
}

/** Append text. */
static inline void __attribute__((format(printf, 2, 3))) bytes_print(file_bytes *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    b->size += (size_t)vsnprintf((char *)b->data + b->size, sizeof b->data - b->size, format, args);
    va_end(args);
}

/** Append bytes. */
static inline void bytes_add(file_bytes *b, const void *data, size_t size)
{
    cr_assert_leq(b->size + size, sizeof b->data);
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

/** The grey value at file axes i, j, k of every test image: different in every voxel up to 5 x 6 x 4. */
static inline double files_value(rill_grey type, uint32_t i, uint32_t j, uint32_t k)
{
    const double v = 1 + i + 5. * j + 30. * k;
    switch (type) {
    case RILL_GREY_U8:
        return v;
    case RILL_GREY_I8:
        return v - 60;
    case RILL_GREY_U16:
        return 400 * v;
    case RILL_GREY_I16:
        return 400 * (v - 60);
    case RILL_GREY_U32:
        return 3e7 * v;
    case RILL_GREY_I32:
        return 1e7 * (v - 60);
    case RILL_GREY_U64:
        return 1e12 * v;
    case RILL_GREY_I64:
        return 1e12 * (v - 60);
    case RILL_GREY_BOOL:
        return (i + j + k) % 3 > 0;
    default:
        return 0.25 * v - 3;
    }
}

/** The bits of a binary16 number; the value must be one that it holds, and normal or 0. */
static inline uint16_t files_half(double value)
{
    int exponent = 15;
    const double fraction = frexp(fabs(value), &exponent); /* 1/2 to 1, or 0 */
    const int bits = value == 0 ? 0 : (exponent + 14) << 10 | (int)ldexp(2 * fraction - 1, 10);
    return (uint16_t)(bits | (value < 0) << 15);
}

/** Append one value of a type in a byte order. */
static inline void bytes_value(file_bytes *b, rill_grey type, bool big, double value)
{
    union {
        uint8_t u8;
        int8_t i8;
        uint16_t u16;
        int16_t i16;
        uint32_t u32;
        int32_t i32;
        uint64_t u64;
        int64_t i64;
        float f32;
        double f64;
        unsigned char bytes[8];
    } v = {0};
    const size_t size = rill_grey_size(type);
    switch (type) {
    case RILL_GREY_U8:
        v.u8 = (uint8_t)value;
        break;
    case RILL_GREY_I8:
        v.i8 = (int8_t)value;
        break;
    case RILL_GREY_U16:
        v.u16 = (uint16_t)value;
        break;
    case RILL_GREY_I16:
        v.i16 = (int16_t)value;
        break;
    case RILL_GREY_U32:
        v.u32 = (uint32_t)value;
        break;
    case RILL_GREY_I32:
        v.i32 = (int32_t)value;
        break;
    case RILL_GREY_U64:
        v.u64 = (uint64_t)value;
        break;
    case RILL_GREY_I64:
        v.i64 = (int64_t)value;
        break;
    case RILL_GREY_F16:
        v.u16 = files_half(value);
        break;
    case RILL_GREY_F32:
        v.f32 = (float)value;
        break;
    case RILL_GREY_BOOL: /* every byte but 0 is True */
        v.u8 = (uint8_t)(value ? 255 - b->size % 255 : 0);
        break;
    default:
        v.f64 = value;
        break;
    }
    for (size_t i = 0; i < size; i++) bytes_add(b, &v.bytes[big ? size - 1 - i : i], 1);
}

/** Append the voxels of an image; `order` gives the file axes from the fastest to the slowest. */
static inline void bytes_image(file_bytes *b, rill_grey type, bool big, const uint32_t n[3],
                               const int order[3])
{
    uint32_t at[3];
    for (uint32_t k = 0; k < n[order[2]]; k++)
        for (uint32_t j = 0; j < n[order[1]]; j++)
            for (uint32_t i = 0; i < n[order[0]]; i++) {
                at[order[0]] = i;
                at[order[1]] = j;
                at[order[2]] = k;
                bytes_value(b, type, big, files_value(type, at[0], at[1], at[2]));
            }
}

#endif
