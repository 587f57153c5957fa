/* SPDX-License-Identifier: Apache-2.0 */
/* Images of PNG: every kind of pixel, one file per slice, damaged and hostile files. */
#include "image_expect.h"

#include <png.h>
#include <sys/stat.h>

TestSuite(png_slices, .init = files_start, .fini = files_end);

/* Grey values of slice k as channels of a colour type. */
typedef struct {
    int bits, colour;
    bool interlaced;
} kind;

static int channels_of(int colour)
{
    return colour == PNG_COLOR_TYPE_RGB          ? 3
           : colour == PNG_COLOR_TYPE_RGB_ALPHA  ? 4
           : colour == PNG_COLOR_TYPE_GRAY_ALPHA ? 2
                                                 : 1;
}

static rill_grey type_of(kind p) { return p.bits == 16 ? RILL_GREY_U16 : RILL_GREY_U8; }

/* Write slice k of the test image; below 8 bits, what is left of the values. @param bad  channel of the last
 * pixel that differs; -1: none */
static void write_slice(const char *path, kind p, uint32_t k, int bad)
{
    const int channels = channels_of(p.colour);
    const bool alpha = p.colour & PNG_COLOR_MASK_ALPHA;
    unsigned char row[5 * 4 * 2];
    png_color palette[256] = {{1, 2, 3}};
    FILE *file = fopen(path, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    cr_assert(file && png && info, "%s cannot be written", path);
    png_init_io(png, file);
    png_set_IHDR(png, info, size[0], size[1], p.bits, p.colour, p.interlaced, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (p.colour == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, palette, 1 << p.bits);
    png_write_info(png, info);
    if (p.bits < 8) png_set_packing(png);
    const int passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t j = 0; j < size[1]; j++) {
            size_t at = 0;
            for (uint32_t i = 0; i < size[0]; i++)
                for (int c = 0; c < channels; c++) {
                    unsigned v = (unsigned)files_value(type_of(p), i, j, k);
                    if (p.bits < 8) v &= (1u << p.bits) - 1;
                    if (alpha && c == channels - 1) v = p.bits == 16 ? 0xffff : 0xff;
                    if (bad == c && i == size[0] - 1 && j == size[1] - 1) v ^= 1;
                    if (p.bits == 16) row[at++] = (unsigned char)(v >> 8);
                    row[at++] = (unsigned char)v;
                }
            png_write_row(png, row);
        }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    cr_assert_eq(fclose(file), 0);
}

static void write_series(const char *directory, kind p)
{
    char path[64];
    cr_assert_eq(mkdir(directory, 0700), 0);
    for (uint32_t k = 0; k < size[2]; k++) {
        snprintf(path, sizeof path, "%s/s%u.png", directory, 8 + k);
        write_slice(path, p, k, -1);
    }
}

static const kind kinds[] = {{8, PNG_COLOR_TYPE_GRAY, false},       {8, PNG_COLOR_TYPE_GRAY, true},
                             {16, PNG_COLOR_TYPE_GRAY, false},      {16, PNG_COLOR_TYPE_GRAY, true},
                             {8, PNG_COLOR_TYPE_PALETTE, false},    {8, PNG_COLOR_TYPE_RGB, false},
                             {8, PNG_COLOR_TYPE_RGB, true},         {16, PNG_COLOR_TYPE_RGB, false},
                             {8, PNG_COLOR_TYPE_RGB_ALPHA, false},  {16, PNG_COLOR_TYPE_RGB_ALPHA, true},
                             {8, PNG_COLOR_TYPE_GRAY_ALPHA, false}, {16, PNG_COLOR_TYPE_GRAY_ALPHA, false}};

Test(png_slices, every_kind_of_pixel)
{
    char directory[16], pattern[32];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        snprintf(directory, sizeof directory, "d%zu", k);
        write_series(directory, kinds[k]);
        const rill_image seen = expect(directory, type_of(kinds[k]));
        cr_assert(seen.file_count == 4 && strstr(seen.kind, "PNG") && strstr(seen.kind, ", 4 files"), "%s",
                  seen.kind);
        cr_assert_eq(strstr(seen.remarks, "colour map") != NULL, kinds[k].colour == PNG_COLOR_TYPE_PALETTE);
        snprintf(pattern, sizeof pattern, "d%zu/s*.png", k);
        expect(pattern, type_of(kinds[k]));
        snprintf(pattern, sizeof pattern, "d%zu/s%%d.png", k);
        expect(pattern, type_of(kinds[k]));
    }
    /* TIFF counts first in a directory: a preview may lie beside it. */
    files_write("d0/a.tif", "no TIFF", 7);
    refuse("d0", "not a TIFF", "a.tif");
}

Test(png_slices, stored_values_below_8_bits)
{
    for (int bits = 1; bits <= 4; bits *= 2)
        for (int palette = 0; palette < 2; palette++) {
            const rill_image_options options = rill_image_options_default();
            rill_image *image = NULL;
            unsigned char grey[30];
            write_slice("a.png",
                        (kind){bits, palette ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_GRAY, palette}, 0, -1);
            cr_assert_eq(rill_image_open("a.png", &options, &image), RILL_OK, "%s", rill_error_message());
            cr_assert(image->n[0] == 5 && image->n[1] == 6 && image->n[2] == 1);
            cr_assert_eq(rill_image_read(image, 0, grey), RILL_OK, "%s", rill_error_message());
            for (unsigned v = 0; v < 30; v++)
                cr_assert_eq(grey[v], (v + 1) & ((1u << bits) - 1), "%u: %u", v, grey[v]);
            rill_image_close(image);
        }
}

Test(png_slices, colour_and_transparency_are_refused)
{
    static const struct {
        kind kind;
        int bad;
        const char *word;
    } cases[] = {{{8, PNG_COLOR_TYPE_RGB, false}, 1, "in colour"},
                 {{16, PNG_COLOR_TYPE_RGB, true}, 2, "in colour"},
                 {{8, PNG_COLOR_TYPE_RGB_ALPHA, false}, 0, "in colour"},
                 {{8, PNG_COLOR_TYPE_RGB_ALPHA, false}, 3, "transparent"},
                 {{16, PNG_COLOR_TYPE_GRAY_ALPHA, true}, 1, "transparent"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        write_slice("a.png", cases[k].kind, 0, cases[k].bad);
        refuse("a.png", cases[k].word, "column 4 of row 5");
    }
}

Test(png_slices, slices_must_agree)
{
    write_series("d", kinds[0]);
    write_slice("d/s9.png", kinds[2], 1, -1);
    refuse("d", "all slices must agree", "d/s9.png");
    write_slice("d/s9.png", kinds[4], 1, -1);
    refuse("d", "all slices must agree", "d/s9.png");
    cr_assert_eq(unlink("d/s9.png"), 0);
    refuse("d", "slices are missing", "s10.png");
    files_write("d/s9.png", "\x89PNG\r\n\x1a\n", 8);
    refuse("d", "damaged PNG", "d/s9.png");
    rill_image_options options = rill_image_options_default();
    options.format = RILL_IMAGE_NPY;
    refuse_with("d", &options, "TIFF and PNG", "npy");
}

Test(png_slices, damaged)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        write_slice("a.png", kinds[k], 0, -1);
        refuse_truncated("a.png");
        if (k % 4 == 1) survive_damage("a.png", 1 << 16);
    }
    files_write("text.png", "no PNG at all", 13);
    refuse("text.png", "does not begin like a PNG", "");
}

/* Bytes of a chunk with its length and checksum. */
static void bytes_chunk(file_bytes *b, const char *name, const void *data, uint32_t length)
{
    unsigned char begin[8], end[4];
    const uLong sum = crc32(crc32(0, (const Bytef *)name, 4), data, length);
    for (int k = 0; k < 4; k++) {
        begin[k] = (unsigned char)(length >> (24 - 8 * k));
        begin[4 + k] = (unsigned char)name[k];
        end[k] = (unsigned char)(sum >> (24 - 8 * k));
    }
    bytes_add(b, begin, 8);
    bytes_add(b, data, length);
    bytes_add(b, end, 4);
}

/* A picture of a size that its pixels do not have, and one with a row beyond the limit. */
Test(png_slices, hostile_sizes_take_no_memory)
{
    static file_bytes b, zeros, packed;
    memset(zeros.data, 0, zeros.size = 1000);
    packed.size = 0;
    bytes_deflate(&packed, &zeros, false);
    static const unsigned char heads[][13] = {{0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 1, 8, 6},
                                              {0, 0, 0, 9, 0x7f, 0xff, 0xff, 0xff, 8, 0},
                                              {0, 1, 0, 0, 0, 1, 0, 0, 16, 0, 0, 0, 1},
                                              {0, 0, 0, 0, 0, 0, 0, 1, 8, 0}};
    setenv("RILL_MEMORY", "100MB", 1);
    for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
        b.size = 0;
        bytes_add(&b, "\x89PNG\r\n\x1a\n", 8);
        bytes_chunk(&b, "IHDR", heads[k], 13);
        bytes_chunk(&b, "IDAT", packed.data, (uint32_t)packed.size);
        bytes_chunk(&b, "IEND", "", 0);
        files_write("a.png", b.data, b.size);
        rill_geom *geom = NULL;
        rill_voxelize_options options = rill_voxelize_options_default();
        options.pore_count = 1; /* 0 */
        const rill_status status = rill_image_voxelize("a.png", &options, (rill_progress){0}, &geom, NULL);
        cr_assert(status == RILL_USAGE || status == RILL_SYSTEM, "%zu: %d", k, status);
    }
    unsetenv("RILL_MEMORY");
}
