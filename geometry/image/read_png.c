/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PNG by libpng: one file per slice, or one file that is one slice. Stored values are taken as they are:
 * neither colour maps nor bit depths below 8 change them. Colour is read where its channels are equal, alpha
 * where all is opaque. Resolution (pHYs) is not used, as that of TIFF.
 */
#include "core/memory.h"
#include "geometry/image/image_priv.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ROW_LIMIT = 1 << 28 /* bytes of a row, which libpng holds twice */,
    CHUNK_LIMIT = 1 << 20 /* what a chunk beside the pixels may make libpng allocate */
};

/* What every slice must have in common. */
typedef struct {
    png_uint_32 width, height;
    int bits, colour;
} page;

typedef struct {
    page page; /* of the first slice */

    /* Of the file that is open. */
    png_structp png;
    png_infop info;
    int fd;
    uint64_t offset; /* of the next byte */
    page now;
    int passes;
    size_t row;         /* bytes of a row */
    png_bytep rows;     /* one row; interlaced: all */
    unsigned char *out; /* [height][width] of the image's type */
    bool cut, bad;      /* the file ends too early; a pixel cannot be taken */
    rill_status status; /* of a step */
    char message[160];  /* of libpng */
} reader;

/* ---- libpng ---------------------------------------------------------------------------------- */

static void on_error(png_structp png, png_const_charp message)
{
    reader *r = png_get_error_ptr(png);
    snprintf(r->message, sizeof r->message, "%s", message);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp message) { (void)png, (void)message; }

static void on_read(png_structp png, png_bytep data, size_t count)
{
    reader *r = png_get_io_ptr(png);
    size_t got = 0;
    r->status = rill_input_read(r->fd, r->offset, data, count, &got);
    r->offset += got;
    r->cut = got < count;
    if (r->status != RILL_OK || r->cut) png_error(png, "the file ends too early");
}

/* Do a step in which libpng may fail; what it changes is in the reader. */
static rill_status guarded(reader *r, void (*step)(reader *r))
{
    r->status = RILL_OK;
    r->message[0] = '\0';
    if (setjmp(png_jmpbuf(r->png)) == 0)
        step(r);
    else if (r->status == RILL_OK)
        r->status = strstr(r->message, "emory")
                        ? rill_fail(RILL_SYSTEM, "out of memory for reading PNG: %s", r->message)
                    : strcmp(r->message, "Not a PNG file") == 0
                        ? rill_fail(RILL_USAGE, "it does not begin like a PNG file")
                        : rill_fail(RILL_USAGE, "it is a damaged PNG: %s", r->cut ? "it is cut" : r->message);
    return r->status;
}

static void read_info(reader *r)
{
    png_read_info(r->png, r->info);
    r->now = (page){.width = png_get_image_width(r->png, r->info),
                    .height = png_get_image_height(r->png, r->info),
                    .bits = png_get_bit_depth(r->png, r->info),
                    .colour = png_get_color_type(r->png, r->info)};
}

/* Let libpng spread out bits, and say how long rows become. */
static void prepare(reader *r)
{
    if (r->now.bits < 8) png_set_packing(r->png);
    r->passes = png_set_interlace_handling(r->png);
    png_read_update_info(r->png, r->info);
    r->row = png_get_rowbytes(r->png, r->info);
}

static int channels_of(int colour)
{
    return (colour & PNG_COLOR_MASK_COLOR && colour != PNG_COLOR_TYPE_PALETTE ? 3 : 1) +
           (colour & PNG_COLOR_MASK_ALPHA ? 1 : 0);
}

/* Take the pixels of a row; false where one is coloured or transparent, with the reason. */
static bool take_row(reader *r, const unsigned char *row, png_uint_32 y)
{
    static const unsigned char opaque[2] = {0xff, 0xff};
    const int channels = channels_of(r->now.colour), colours = channels >= 3 ? 3 : 1;
    const size_t size = r->now.bits == 16 ? 2 : 1;
    unsigned char *out = r->out + (size_t)y * r->now.width * size;
    if (channels == 1) {
        memcpy(out, row, r->now.width * size);
        return true;
    }
    for (png_uint_32 x = 0; x < r->now.width; x++) {
        const unsigned char *pixel = row + x * size * (size_t)channels;
        for (int c = 1; c < colours; c++)
            if (memcmp(pixel, pixel + (size_t)c * size, size) != 0) {
                r->status = rill_fail(
                    RILL_USAGE,
                    "it is a PNG in colour: red, green and blue differ at column %u of row %u: save the segmentation as grey values",
                    (unsigned)x, (unsigned)y);
                return false;
            }
        if (channels > colours && memcmp(pixel + (size_t)colours * size, opaque, size) != 0) {
            r->status = rill_fail(
                RILL_USAGE,
                "it is a PNG with transparent parts, such as column %u of row %u: save it without an alpha channel",
                (unsigned)x, (unsigned)y);
            return false;
        }
        memcpy(out + x * size, pixel, size);
    }
    return true;
}

static void read_rows(reader *r)
{
    const bool interlaced = r->passes > 1;
    r->bad = false;
    for (int pass = 0; pass < r->passes; pass++)
        for (png_uint_32 y = 0; y < r->now.height && !r->bad; y++) {
            png_bytep row = interlaced ? r->rows + y * r->row : r->rows;
            png_read_row(r->png, row, NULL);
            if (pass + 1 == r->passes) r->bad = !take_row(r, row, y);
        }
    if (!r->bad) png_read_end(r->png, NULL);
}

/* ---- files ----------------------------------------------------------------------------------- */

static void close_file(reader *r)
{
    if (r->png) png_destroy_read_struct(&r->png, r->info ? &r->info : NULL, NULL);
    if (r->fd >= 0) close(r->fd);
    rill_array_destroy(r->rows);
    r->png = NULL;
    r->info = NULL;
    r->rows = NULL;
    r->fd = -1;
}

/* Open a file and read its header. */
static rill_status open_file(reader *r, const char *path)
{
    rill_status status = RILL_OK;
    uint64_t length;
    r->offset = 0;
    r->cut = false;
    status = rill_input_open(path, &r->fd, &length);
    if (status != RILL_OK) {
        r->fd = -1;
        return status;
    }
    r->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, r, on_error, on_warning);
    r->info = r->png ? png_create_info_struct(r->png) : NULL;
    if (!r->info) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for reading PNG"));
    png_set_user_limits(r->png, INT32_MAX, INT32_MAX);
    png_set_chunk_malloc_max(r->png, CHUNK_LIMIT);
    png_set_read_fn(r->png, r, on_read);
    if (guarded(r, read_info) != RILL_OK) {
        status = rill_image_check_pointer(path); /* the reason, if it is one */
        return status == RILL_OK ? r->status : status;
    }
    const double row = (double)r->now.width * channels_of(r->now.colour) * (r->now.bits == 16 ? 2 : 1);
    if (row > ROW_LIMIT)
        RILL_TRY(rill_fail(RILL_USAGE, "it is a PNG with rows of %.0f bytes: at most %d are read", row,
                           ROW_LIMIT));
done:
    return status;
}

static rill_status check_page(const page *p, const page *first)
{
    if (p->width == first->width && p->height == first->height && p->bits == first->bits &&
        p->colour == first->colour)
        return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "it is a PNG of %u x %u with %d bits and colour type %d, slice 0 one of %u x %u with %d bits and colour type %d: all slices must agree",
        (unsigned)p->width, (unsigned)p->height, p->bits, p->colour, (unsigned)first->width,
        (unsigned)first->height, first->bits, first->colour);
}

static rill_status read_slice(rill_image *image, uint32_t slice, void *grey)
{
    rill_status status = RILL_OK;
    reader *r = image->reader;
    RILL_TRY(open_file(r, image->files[slice]));
    RILL_TRY(check_page(&r->now, &r->page));
    RILL_TRY(guarded(r, prepare));
    RILL_TRY(rill_array_create(r->passes > 1 ? r->now.height : 1, r->row, "the pixels of a PNG",
                               (void **)&r->rows));
    r->out = grey;
    RILL_TRY(guarded(r, read_rows));
done:
    close_file(r);
    if (status != RILL_OK && image->file_count > 1) rill_fail_prefix("%s", image->files[slice]);
    return status;
}

static void close_png(rill_image *image)
{
    close_file(image->reader);
    free(image->reader);
}

rill_status rill_image_open_png(rill_image *image)
{
    rill_status status = RILL_OK;
    reader *r = calloc(1, sizeof *r);
    if (!r) return rill_fail(RILL_SYSTEM, "out of memory for reading PNG");
    r->fd = -1;
    image->reader = r;
    image->close = close_png;
    image->read = read_slice;
    status = open_file(r, image->files[0]);
    close_file(r);
    if (status != RILL_OK && image->file_count > 1) rill_fail_prefix("%s", image->files[0]);
    if (status != RILL_OK) return status;
    r->page = r->now;
    const bool wide = r->page.bits == 16;
    image->type = wide ? RILL_GREY_U16 : RILL_GREY_U8;
    image->swap = wide && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    if (r->page.colour == PNG_COLOR_TYPE_PALETTE)
        rill_image_remark(image, "the PNG has a colour map; --pore means the stored numbers of colours\n");
    const char *colour = channels_of(r->page.colour) > 1 ? " with equal channels" : "";
    if (image->file_count > 1)
        snprintf(image->kind, sizeof image->kind, "PNG%s, %llu files", colour,
                 (unsigned long long)image->file_count);
    else
        snprintf(image->kind, sizeof image->kind, "PNG%s", colour);
    RILL_TRY(
        rill_image_set_size(image, (const uint64_t[3]){r->page.width, r->page.height, image->file_count}, 3));
done:
    return status;
}
