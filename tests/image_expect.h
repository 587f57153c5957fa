/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file image_expect.h
 * What tests of image formats ask of an image file: each voxel of the small image of image_files.h, or
 * refusal by a sentence, also of shortened copies and of copies with hostile bytes.
 */
#ifndef RILL_TESTS_IMAGE_EXPECT_H
#define RILL_TESTS_IMAGE_EXPECT_H

#include "image_files.h"

#include "geometry/image/voxelize.h"

#include <math.h>
#include <zlib.h>

static const uint32_t size[3] = {5, 6, 4};
static const int forward[3] __attribute__((unused)) = {0, 1, 2},
                            backward[3] __attribute__((unused)) = {2, 1, 0};

/* A normal number or 0 of binary16. */
static inline double half(uint16_t bits)
{
    const double magnitude = bits & 0x7fff ? ldexp(1 + (bits & 1023) / 1024., (bits >> 10 & 31) - 15) : 0;
    return bits >> 15 ? -magnitude : magnitude;
}

static inline double value_at(rill_grey type, const void *grey, uint64_t i)
{
    switch (type) {
    case RILL_GREY_U8:
    case RILL_GREY_BOOL:
        return ((const uint8_t *)grey)[i];
    case RILL_GREY_I8:
        return ((const int8_t *)grey)[i];
    case RILL_GREY_U16:
        return ((const uint16_t *)grey)[i];
    case RILL_GREY_I16:
        return ((const int16_t *)grey)[i];
    case RILL_GREY_U32:
        return ((const uint32_t *)grey)[i];
    case RILL_GREY_I32:
        return ((const int32_t *)grey)[i];
    case RILL_GREY_U64:
        return (double)((const uint64_t *)grey)[i];
    case RILL_GREY_I64:
        return (double)((const int64_t *)grey)[i];
    case RILL_GREY_F16:
        return half(((const uint16_t *)grey)[i]);
    case RILL_GREY_F32:
        return (double)((const float *)grey)[i];
    default:
        return ((const double *)grey)[i];
    }
}

/* Open a file, check type, size and every voxel, and return the image's own account of itself. */
static inline rill_image expect_with(const char *path, const rill_image_options *options, rill_grey type)
{
    rill_image *image = NULL;
    cr_assert_eq(rill_image_open(path, options, &image), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(image->type, type, "%s is %s, not %s", path, rill_grey_name(image->type),
                 rill_grey_name(type));
    cr_assert_arr_eq(image->n, size, sizeof size, "%s: %u %u %u", path, image->n[0], image->n[1],
                     image->n[2]);
    const uint32_t *n = image->n;
    const int *o = image->order;
    char grey[30 * 8];
    for (uint32_t k = 0; k < n[o[2]]; k++) {
        cr_assert_eq(rill_image_read(image, k, grey), RILL_OK, "%s", rill_error_message());
        for (uint32_t j = 0; j < n[o[1]]; j++)
            for (uint32_t i = 0; i < n[o[0]]; i++) {
                uint32_t at[3];
                at[o[0]] = i, at[o[1]] = j, at[o[2]] = k;
                const double is = value_at(type, grey, i + (uint64_t)j * n[o[0]]);
                cr_assert_eq(is, files_value(type, at[0], at[1], at[2]), "%s: voxel %u %u %u is %g", path,
                             at[0], at[1], at[2], is);
            }
    }
    rill_image seen = *image;
    seen.files = NULL;
    rill_image_close(image);
    return seen;
}

static inline rill_image expect(const char *path, rill_grey type)
{
    const rill_image_options options = rill_image_options_default();
    return expect_with(path, &options, type);
}

/* Opening or reading must fail as a usage error whose message has all of these words. */
static inline void refuse_with(const char *path, const rill_image_options *options, const char *word,
                               const char *other)
{
    rill_image *image = NULL;
    rill_status status = rill_image_open(path, options, &image);
    char grey[1 << 12];
    if (status == RILL_OK) {
        cr_assert_leq(rill_image_slice_voxels(image) * rill_grey_size(image->type), sizeof grey);
        for (uint32_t k = 0; k < image->n[image->order[2]] && status == RILL_OK; k++)
            status = rill_image_read(image, k, grey);
        rill_image_close(image);
    }
    cr_assert_eq(status, RILL_USAGE, "%s: status %d", path, status);
    cr_assert(strstr(rill_error_message(), word), "\"%s\" lacks \"%s\"", rill_error_message(), word);
    cr_assert(strstr(rill_error_message(), other), "\"%s\" lacks \"%s\"", rill_error_message(), other);
}

static inline void refuse(const char *path, const char *word, const char *other)
{
    const rill_image_options options = rill_image_options_default();
    refuse_with(path, &options, word, other);
}

/* Shortened copies of a complete file must be refused: every one, or one of `stride` where a process of its
 * own reads each. */
static inline void refuse_truncated_by(const char *path, size_t stride)
{
    static file_bytes whole;
    files_read(path, &whole);
    for (size_t cut = 1; cut <= whole.size; cut += stride) {
        cr_assert_eq(truncate(path, (off_t)(whole.size - cut)), 0);
        refuse(path, "", "");
    }
    files_write(path, whole.data, whole.size);
}

static inline void refuse_truncated(const char *path) { refuse_truncated_by(path, 1); }

/* Put hostile bytes at every place of a file's first part: nothing may crash, hang or leave memory behind. */
static inline void survive_damage(const char *path, size_t part)
{
    static const unsigned char hostile[] = {0x00, 0xff, 0x80, '9', '-', '(', '\n', ' ', '%'};
    static file_bytes whole;
    files_read(path, &whole);
    setenv("RILL_MEMORY", "1MB", 1);
    rill_voxelize_options options = rill_voxelize_options_default();
    options.keep = RILL_KEEP_ALL;
    options.pore_count = 1; /* 0 */
    for (size_t at = 0; at < part && at < whole.size; at++)
        for (size_t h = 0; h < sizeof hostile; h++) {
            files_poke(path, at, hostile[h]);
            rill_geom *geom = NULL;
            const rill_status status = rill_image_voxelize(path, &options, (rill_progress){0}, &geom, NULL);
            cr_assert(status == RILL_OK ? geom != NULL : geom == NULL && *rill_error_message());
            rill_geom_destroy(geom);
            files_poke(path, at, whole.data[at]);
        }
    unsetenv("RILL_MEMORY");
}

/* gzip or zlib, as one stream. */
static inline void bytes_deflate(file_bytes *b, const file_bytes *plain, bool gzip)
{
    z_stream z = {0};
    cr_assert_eq(deflateInit2(&z, 9, Z_DEFLATED, MAX_WBITS + (gzip ? 16 : 0), 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)plain->data;
    z.avail_in = (uInt)plain->size;
    z.next_out = b->data + b->size;
    z.avail_out = (uInt)(sizeof b->data - b->size);
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    b->size += z.total_out;
    deflateEnd(&z);
}

#endif
