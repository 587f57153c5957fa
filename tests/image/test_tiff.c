/* SPDX-License-Identifier: Apache-2.0 */
/* TIFF: pages, slices in files of their own, bits, tiles, byte orders, damage. Files are made by libtiff. */
#include "image_files.h"

#include "geometry/image/voxelize.h"

#include <sys/stat.h>
#include <tiffio.h>
#include <zlib.h>

TestSuite(tiff, .init = files_start, .fini = files_end);

/* How a stack is written. */
typedef struct {
    const char *mode; /* libtiff's: "wl", "wb", "w8" */
    rill_grey type;
    uint16_t bits, compression;
    uint32_t tile; /* 0: strips */
    const char *description;
} style;

static void set_fields(TIFF *tiff, const style *s, uint32_t nx, uint32_t ny)
{
    const bool real = s->type == RILL_GREY_F32 || s->type == RILL_GREY_F64;
    const bool negative = s->type == RILL_GREY_I8 || s->type == RILL_GREY_I16 || s->type == RILL_GREY_I32;
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, nx);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, ny);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, s->bits);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT,
                 real       ? SAMPLEFORMAT_IEEEFP
                 : negative ? SAMPLEFORMAT_INT
                            : SAMPLEFORMAT_UINT);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, s->compression);
    if (s->description) {
        TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, s->description);
        TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 0.5);
        TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 0.5);
    }
    if (s->tile) {
        TIFFSetField(tiff, TIFFTAG_TILEWIDTH, s->tile);
        TIFFSetField(tiff, TIFFTAG_TILELENGTH, s->tile);
    } else {
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 4);
    }
}

static double stack_value(const style *s, uint32_t x, uint32_t y, uint32_t z)
{
    if (s->bits == 1) return (x * 3 + y * 5 + z * 7) % 11 < 5;
    return files_value(s->type, x, y % 6, z);
}

/* Write one page of values that depend on x, y and z. */
static void write_page(TIFF *tiff, const style *s, uint32_t nx, uint32_t ny, uint32_t z)
{
    static file_bytes b;
    set_fields(tiff, s, nx, ny);
    const uint32_t width = s->tile ? (nx + s->tile - 1) / s->tile * s->tile : nx;
    const uint32_t step = s->tile ? s->tile : nx;
    for (uint32_t y0 = 0; y0 < ny; y0 += s->tile ? s->tile : 1)
        for (uint32_t x0 = 0; x0 < width; x0 += step) {
            b.size = 0;
            memset(b.data, 0, sizeof b.data);
            for (uint32_t y = y0; y < y0 + (s->tile ? s->tile : 1); y++)
                for (uint32_t x = x0; x < x0 + step; x++) {
                    const double v = x < nx && y < ny ? stack_value(s, x, y, z) : 0;
                    if (s->bits == 1)
                        b.data[(x - x0) / 8] |= (unsigned char)((int)v << (7 - (x - x0) % 8));
                    else
                        bytes_value(&b, s->type, false, v);
                }
            const tmsize_t done =
                s->tile ? TIFFWriteTile(tiff, b.data, x0, y0, 0, 0) : TIFFWriteScanline(tiff, b.data, y0, 0);
            cr_assert_geq(done, 0);
        }
    cr_assert(TIFFWriteDirectory(tiff));
}

static void write_stack(const char *path, const style *s, uint32_t nx, uint32_t ny, uint32_t first,
                        uint32_t count)
{
    TIFF *tiff = TIFFOpen(path, s->mode);
    cr_assert_not_null(tiff);
    for (uint32_t z = first; z < first + count; z++) write_page(tiff, s, nx, ny, z);
    TIFFClose(tiff);
}

static double value_at(rill_grey type, const void *grey, uint64_t i)
{
    switch (type) {
    case RILL_GREY_U8:
        return ((const uint8_t *)grey)[i];
    case RILL_GREY_I8:
        return ((const int8_t *)grey)[i];
    case RILL_GREY_U16:
        return ((const uint16_t *)grey)[i];
    case RILL_GREY_I32:
        return ((const int32_t *)grey)[i];
    case RILL_GREY_F32:
        return (double)((const float *)grey)[i];
    default:
        return ((const double *)grey)[i];
    }
}

static rill_image expect(const char *path, const style *s, uint32_t nx, uint32_t ny, uint32_t nz)
{
    const rill_image_options options = rill_image_options_default();
    rill_image *image = NULL;
    cr_assert_eq(rill_image_open(path, &options, &image), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(image->type, s->type);
    cr_assert(image->n[0] == nx && image->n[1] == ny && image->n[2] == nz, "%u %u %u", image->n[0],
              image->n[1], image->n[2]);
    char *grey = malloc(rill_image_slice_voxels(image) * 8);
    for (uint32_t z = 0; z < nz; z++) {
        cr_assert_eq(rill_image_read(image, z, grey), RILL_OK, "%s", rill_error_message());
        for (uint32_t y = 0; y < ny; y++)
            for (uint32_t x = 0; x < nx; x++)
                cr_assert_eq(value_at(s->type, grey, x + (uint64_t)y * nx), stack_value(s, x, y, z),
                             "voxel %u %u %u of %s: %g", x, y, z, rill_grey_name(s->type),
                             value_at(s->type, grey, x + (uint64_t)y * nx));
    }
    free(grey);
    rill_image seen = *image;
    seen.files = NULL;
    rill_image_close(image);
    return seen;
}

/* Opening or reading must fail as a usage error that names both words. */
static void refuse(const char *path, const char *word, const char *other)
{
    const rill_image_options options = rill_image_options_default();
    rill_image *image = NULL;
    rill_status status = rill_image_open(path, &options, &image);
    if (status == RILL_OK) {
        char grey[1 << 12];
        cr_assert_leq(rill_image_slice_voxels(image) * rill_grey_size(image->type), sizeof grey);
        for (uint32_t k = 0; k < image->n[2] && status == RILL_OK; k++)
            status = rill_image_read(image, k, grey);
        rill_image_close(image);
    }
    cr_assert_eq(status, RILL_USAGE, "%s: status %d", path, status);
    cr_assert(strstr(rill_error_message(), word), "\"%s\" lacks \"%s\"", rill_error_message(), word);
    cr_assert(strstr(rill_error_message(), other), "\"%s\" lacks \"%s\"", rill_error_message(), other);
}

static const style plain = {"wl", RILL_GREY_U8, 8, COMPRESSION_NONE, 0, NULL};

Test(tiff, pages)
{
    const style styles[] = {
        plain,
        {"wb", RILL_GREY_U16, 16, COMPRESSION_NONE, 0, NULL},
        {"w8", RILL_GREY_U16, 16, COMPRESSION_ADOBE_DEFLATE, 0, NULL},
        {"wl", RILL_GREY_I8, 8, COMPRESSION_LZW, 0, NULL},
        {"wb", RILL_GREY_I32, 32, COMPRESSION_PACKBITS, 0, NULL},
        {"wl", RILL_GREY_F32, 32, COMPRESSION_NONE, 16, NULL},
        {"wl", RILL_GREY_F64, 64, COMPRESSION_ADOBE_DEFLATE, 32, NULL},
        {"wl", RILL_GREY_U8, 1, COMPRESSION_NONE, 0, NULL},
        {"wb", RILL_GREY_U8, 1, COMPRESSION_CCITTFAX4, 0, NULL},
        {"wl", RILL_GREY_U8, 8, COMPRESSION_LZW, 16, NULL},
    };
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        write_stack("a.tif", &styles[i], 21, 19, 0, 4);
        expect("a.tif", &styles[i], 21, 19, 4);
    }
    write_stack("one.tif", &plain, 5, 6, 0, 1);
    expect("one.tif", &plain, 5, 6, 1);
}

/* One page that is a volume, tiles `deep` slices deep; libtiff writes such tiles only as raw bytes. */
static void write_volume(const char *path, const style *s, const uint32_t n[3], uint32_t deep)
{
    static file_bytes b;
    static unsigned char packed[1 << 16];
    TIFF *tiff = TIFFOpen(path, s->mode);
    cr_assert_not_null(tiff);
    set_fields(tiff, s, n[0], n[1]);
    TIFFSetField(tiff, TIFFTAG_IMAGEDEPTH, n[2]);
    TIFFSetField(tiff, TIFFTAG_TILEDEPTH, deep);
    uint32_t tile = 0;
    for (uint32_t z0 = 0; z0 < n[2]; z0 += deep)
        for (uint32_t y0 = 0; y0 < n[1]; y0 += s->tile)
            for (uint32_t x0 = 0; x0 < n[0]; x0 += s->tile) {
                b.size = 0;
                for (uint32_t z = z0; z < z0 + deep; z++)
                    for (uint32_t y = y0; y < y0 + s->tile; y++)
                        for (uint32_t x = x0; x < x0 + s->tile; x++)
                            bytes_value(&b, s->type, s->mode[1] == 'b',
                                        x < n[0] && y < n[1] && z < n[2] ? stack_value(s, x, y, z) : 0);
                uLongf length = sizeof packed;
                cr_assert_eq(compress(packed, &length, b.data, b.size), Z_OK);
                const bool plain_bytes = s->compression == COMPRESSION_NONE;
                cr_assert_geq(TIFFWriteRawTile(tiff, tile++, plain_bytes ? b.data : packed,
                                               (tmsize_t)(plain_bytes ? b.size : length)),
                              0);
            }
    TIFFClose(tiff);
}

/* Volumes are read whole, whatever the depth of the tiles; in strips and among other pages they are refused.
 */
Test(tiff, volumes)
{
    const uint32_t n[3] = {21, 19, 4};
    const style styles[] = {{"wl", RILL_GREY_U8, 8, COMPRESSION_NONE, 16, NULL},
                            {"wb", RILL_GREY_U16, 16, COMPRESSION_NONE, 16, NULL},
                            {"wb", RILL_GREY_U16, 16, COMPRESSION_ADOBE_DEFLATE, 16, NULL},
                            {"wl", RILL_GREY_F32, 32, COMPRESSION_ADOBE_DEFLATE, 32, NULL}};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        for (uint32_t deep = 1; deep < 6; deep++) {
            write_volume("v.tif", &styles[i], n, deep);
            const rill_image seen = expect("v.tif", &styles[i], 21, 19, 4);
            cr_assert(strstr(seen.kind, "volume"), "%s", seen.kind);
        }
    cr_assert_eq(truncate("v.tif", 300), 0);
    refuse("v.tif", "v.tif", "");

    TIFF *tiff = TIFFOpen("strips.tif", "w");
    set_fields(tiff, &plain, 5, 6);
    TIFFSetField(tiff, TIFFTAG_IMAGEDEPTH, 7);
    for (uint32_t y = 0; y < 6; y++) cr_assert_geq(TIFFWriteScanline(tiff, "12345", y, 0), 0);
    TIFFClose(tiff);
    refuse("strips.tif", "7 slices", "one page per slice");

    cr_assert_eq(mkdir("s", 0700), 0);
    write_volume("s/a1.tif", &styles[0], n, 4);
    refuse("s", "volume of 4 slices", "a1.tif");
}

static void refuse_ome(const char *attributes, const char *word, const char *other)
{
    char text[512];
    style s = plain;
    snprintf(text, sizeof text, "<?xml version=\"1.0\"?><OME><Image><Pixels %s></Pixels></Image></OME>",
             attributes);
    s.description = text;
    write_stack("o.tif", &s, 5, 6, 0, 4);
    refuse("o.tif", word, other);
}

static rill_image expect_ome(const char *attributes)
{
    char text[512];
    style s = plain;
    snprintf(text, sizeof text, "<?xml version=\"1.0\"?><OME><Image><Pixels %s></Pixels></Image></OME>",
             attributes);
    s.description = text;
    write_stack("o.tif", &s, 5, 6, 0, 4);
    return expect("o.tif", &s, 5, 6, 4);
}

/* OME-XML says the voxel size; what it says of slices, channels and times must fit the file. */
Test(tiff, ome)
{
    static const struct {
        const char *attributes;
        double spacing[3]; /* in metres */
    } sizes[] = {
        {"SizeZ=\"4\" PhysicalSizeX=\"2.5\" PhysicalSizeY=\"2.5\" PhysicalSizeZ=\"2.5\"",
         {2.5e-6, 2.5e-6, 2.5e-6}},
        {"SizeZ='4' PhysicalSizeXUnit='nm' PhysicalSizeYUnit='nm' PhysicalSizeZUnit='nm' PhysicalSizeX='740' PhysicalSizeY='740' PhysicalSizeZ='740'",
         {740e-9, 740e-9, 740e-9}},
        {"SizeZ='4' PhysicalSizeX = '2' PhysicalSizeXUnit='\xc2\xb5m' PhysicalSizeY='2' PhysicalSizeYUnit='&#181;m' PhysicalSizeZ='0.005' PhysicalSizeZUnit='mm'",
         {2e-6, 2e-6, 5e-6}},
        {"SizeZ='1' SizeT='4' PhysicalSizeX='2' PhysicalSizeY='2' PhysicalSizeZ='2'", {2e-6, 2e-6, 2e-6}},
        {"SizeZ='4' PhysicalSizeX='2' PhysicalSizeY='2'", {0, 0, 0}},
        {"SizeZ='4'", {0, 0, 0}},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const rill_image seen = expect_ome(sizes[i].attributes);
        for (int a = 0; a < 3; a++)
            cr_assert_float_eq(seen.spacing[a], sizes[i].spacing[a], 1e-12, "%s: %g", sizes[i].attributes,
                               seen.spacing[a]);
        cr_assert_eq(seen.metric, sizes[i].spacing[0] > 0);
    }
    rill_image seen = expect_ome(sizes[4].attributes);
    cr_assert(strstr(seen.spacing_note, "PhysicalSizeZ"), "%s", seen.spacing_note);
    seen = expect_ome(
        "SizeZ='4' PhysicalSizeX='1' PhysicalSizeY='1' PhysicalSizeZ='2' PhysicalSizeXUnit='pixel'");
    cr_assert(!seen.metric && seen.spacing[2] == 2 * seen.spacing[0], "only ratios count");
    refuse_ome("SizeZ='2' SizeC='2'", "2 channels", "one channel");
    refuse_ome("SizeZ='2' SizeT='2'", "2 times", "one time");
    refuse_ome("SizeZ='8'", "8 slices", "holds 4");
}

/* By hand, as libtiff does not write them: the head of an ImageJ stack with one directory for all slices. */
static void write_imagej(file_bytes *b, bool big, const char *description)
{
    enum { ENTRIES = 10, DESCRIPTION = 8 + 2 + 12 * ENTRIES + 4, DATA = 256 };
    const uint32_t entries[ENTRIES][3] = {{256, 4, 5}, {257, 4, 6},           {258, 3, 16},   {259, 3, 1},
                                          {262, 3, 1}, {270, 2, DESCRIPTION}, {273, 4, DATA}, {277, 3, 1},
                                          {278, 4, 6}, {279, 4, 60}};
    b->size = 0;
    bytes_print(b, big ? "MM" : "II");
    bytes_value(b, RILL_GREY_U16, big, 42);
    bytes_value(b, RILL_GREY_U32, big, 8);
    bytes_value(b, RILL_GREY_U16, big, ENTRIES);
    for (int i = 0; i < ENTRIES; i++) {
        const bool is_short = entries[i][1] == 3, is_text = entries[i][1] == 2;
        bytes_value(b, RILL_GREY_U16, big, entries[i][0]);
        bytes_value(b, RILL_GREY_U16, big, entries[i][1]);
        bytes_value(b, RILL_GREY_U32, big, is_text ? (double)strlen(description) + 1 : 1);
        bytes_value(b, is_short ? RILL_GREY_U16 : RILL_GREY_U32, big, entries[i][2]);
        if (is_short) bytes_value(b, RILL_GREY_U16, big, 0);
    }
    bytes_value(b, RILL_GREY_U32, big, 0);
    bytes_add(b, description, strlen(description) + 1);
    while (b->size < DATA) bytes_add(b, "", 1);
}

/* ImageJ says the spacing in its description, and keeps big stacks behind a single page. */
Test(tiff, imagej)
{
    style s = plain;
    s.description = "ImageJ=1.53t\nimages=4\nslices=4\nunit=micron\nspacing=2.0\n";
    write_stack("spaced.tif", &s, 5, 6, 0, 4);
    rill_image seen = expect("spaced.tif", &s, 5, 6, 4);
    for (int a = 0; a < 3; a++) cr_assert_float_eq(seen.spacing[a], 2e-6, 1e-12);

    s.type = RILL_GREY_U16;
    for (int big = 0; big < 2; big++) {
        static file_bytes b;
        write_imagej(&b, big, s.description);
        bytes_image(&b, RILL_GREY_U16, big, (const uint32_t[3]){5, 6, 4}, (const int[3]){0, 1, 2});
        bytes_print(&b, "trailer");
        files_write("big.tif", b.data, b.size);
        seen = expect("big.tif", &s, 5, 6, 4);
        cr_assert(strstr(seen.kind, "ImageJ"), "%s", seen.kind);
        files_write("big.tif", b.data, b.size - 8);
        refuse("big.tif", "ImageJ stack is cut", "big.tif");
    }
}

static void write_slices(const char *format, uint32_t from, uint32_t count, uint32_t step)
{
    for (uint32_t z = 0; z < count; z++) {
        char path[64];
        snprintf(path, sizeof path, format, from + z * step);
        write_stack(path, &plain, 5, 6, z, 1);
    }
}

Test(tiff, one_file_per_slice)
{
    cr_assert_eq(mkdir("s", 0700), 0);
    write_slices("s/scan2_%u.tif", 8, 4, 1); /* 8, 9, 10, 11: numbers, not letters, set the order */
    files_write("s/notes.txt", "x", 1);
    rill_image seen = expect("s", &plain, 5, 6, 4);
    cr_assert_eq(seen.file_count, 4u);
    expect("s/scan2_*.tif", &plain, 5, 6, 4);
    expect("s/scan2_%d.tif", &plain, 5, 6, 4);
    refuse("s/scan3_*.tif", "no file", "scan3");
    refuse("s/scan2_%04d.tif", "no file", "scan2");
    refuse("s/scan2_%s.tif", "%s", "pattern");

    cr_assert_eq(mkdir("t", 0700), 0);
    write_slices("t/a%04u_seg.TIFF", 0, 4, 5);
    expect("t/", &plain, 5, 6, 4);
    cr_assert_eq(chdir("t"), 0);
    expect("a%04d_seg.TIFF", &plain, 5, 6, 4);
    cr_assert_eq(chdir(".."), 0);

    cr_assert_eq(unlink("s/scan2_9.tif"), 0);
    refuse("s", "missing", "scan2_10.tif");
    write_stack("s/scan2_9.tif", &plain, 5, 7, 1, 1);
    refuse("s", "5 x 7", "5 x 6");
    write_stack("s/scan2_9.tif", &plain, 5, 6, 1, 2);
    refuse("s", "several pages", "scan2_9.tif");
    files_write("s/scan2_9.tif", "", 0);
    refuse("s", "empty", "scan2_9.tif");
    files_write("s/scan2_9.tif", "garbage", 7);
    refuse("s", "not a TIFF", "scan2_9.tif");
    write_stack("s/scan2_9.tif", &plain, 5, 6, 1, 1);
    expect("s", &plain, 5, 6, 4);
    write_stack("s/scan2_09.tif", &plain, 5, 6, 1, 1);
    refuse("s", "scan2_09.tif", "same number");
    cr_assert_eq(unlink("s/scan2_09.tif"), 0);
    write_stack("s/preview.tif", &plain, 5, 6, 1, 1);
    refuse("s", "one series", "preview.tif");

    cr_assert_eq(mkdir("u", 0700), 0);
    refuse("u", "no TIFF files", "u");
}

Test(tiff, refused)
{
    style s = {"wl", RILL_GREY_U8, 8, COMPRESSION_NONE, 0, NULL};
    TIFF *tiff = TIFFOpen("mixed.tif", "w");
    write_page(tiff, &s, 5, 6, 0);
    write_page(tiff, &s, 6, 6, 1);
    TIFFClose(tiff);
    refuse("mixed.tif", "6 x 6", "5 x 6");
    s.bits = 4;
    write_stack("four.tif", &s, 5, 6, 0, 1);
    refuse("four.tif", "4-bit", "");
    tiff = TIFFOpen("colour.tif", "w");
    s.bits = 8;
    set_fields(tiff, &s, 5, 6);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_RGB);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    for (uint32_t y = 0; y < 6; y++) cr_assert_geq(TIFFWriteScanline(tiff, "123456789012345", y, 0), 0);
    TIFFClose(tiff);
    refuse("colour.tif", "3 samples", "colour");
}

/* What is declared takes memory, whatever is stored. */
Test(tiff, extents_are_compared_with_the_bytes)
{
    enum { EDGE = 30000 };
    static char row[EDGE];
    const style s = {"wl", RILL_GREY_U8, 8, COMPRESSION_ADOBE_DEFLATE, 0, NULL};
    TIFF *tiff = TIFFOpen("wide.tif", "w");
    set_fields(tiff, &s, EDGE, EDGE);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, EDGE);
    cr_assert_geq(TIFFWriteScanline(tiff, row, 0, 0), 0);
    TIFFClose(tiff);
    refuse("wide.tif", "declares 30000 x 30000 x 1 voxels, 9e+08 bytes", "65536 times");
}

/* Pages in a chain: each takes time in libtiff, and no program counts more of them. */
Test(tiff, pages_have_a_limit)
{
    enum { ENTRIES = 8, DATA = 8, FIRST = 16, LENGTH = 2 + 12 * ENTRIES + 4, MOST = 65535 };
    static const uint32_t entries[ENTRIES][3] = {{256, 4, 1}, {257, 4, 1},    {258, 3, 8}, {259, 3, 1},
                                                 {262, 3, 1}, {273, 4, DATA}, {278, 4, 1}, {279, 4, 1}};
    static file_bytes b;
    FILE *file = fopen("many.tif", "wb");
    fwrite("II*\0\x10\0\0\0\1\0\0\0\0\0\0\0", 1, FIRST, file);
    for (uint32_t k = 0; k <= MOST; k++) {
        b.size = 0;
        bytes_value(&b, RILL_GREY_U16, false, ENTRIES);
        for (int i = 0; i < ENTRIES; i++) {
            bytes_value(&b, RILL_GREY_U16, false, entries[i][0]);
            bytes_value(&b, RILL_GREY_U16, false, entries[i][1]);
            bytes_value(&b, RILL_GREY_U32, false, 1);
            bytes_value(&b, RILL_GREY_U32, false, entries[i][2]);
        }
        bytes_value(&b, RILL_GREY_U32, false, k < MOST ? FIRST + (k + 1) * LENGTH : 0);
        cr_assert_eq(b.size, LENGTH);
        fwrite(b.data, 1, b.size, file);
    }
    cr_assert_eq(fclose(file), 0);
    refuse("many.tif", "more than 65535 pages", "several files");
}

/* Cut at every byte, and with hostile bytes at every place: no crash, no leak, no success where data is
 * missing. */
Test(tiff, damaged)
{
    static file_bytes whole;
    static const unsigned char hostile[] = {0x00, 0xff, 0x80, 0x01};
    for (int compressed = 0; compressed < 2; compressed++) {
        const style s = {"wl", RILL_GREY_U16, 16, compressed ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE,
                         0,    NULL};
        write_stack("a.tif", &s, 5, 6, 0, 2);
        files_read("a.tif", &whole);
        for (size_t length = whole.size; length-- > 0;) {
            cr_assert_eq(truncate("a.tif", (off_t)length), 0);
            refuse("a.tif", "a.tif", "");
        }
        files_write("a.tif", whole.data, whole.size);
        rill_voxelize_options options = rill_voxelize_options_default();
        options.keep = RILL_KEEP_ALL;
        options.pore_count = 1; /* 0 */
        setenv("RILL_MEMORY", "1MB", 1);
        for (size_t at = 0; at < whole.size; at++)
            for (size_t h = 0; h < sizeof hostile; h++) {
                files_poke("a.tif", at, hostile[h]);
                rill_geom *geom = NULL;
                const rill_status status =
                    rill_image_voxelize("a.tif", &options, (rill_progress){0}, &geom, NULL);
                cr_assert(status == RILL_OK ? geom != NULL : geom == NULL && *rill_error_message());
                rill_geom_destroy(geom);
                files_poke("a.tif", at, whole.data[at]);
            }
        unsetenv("RILL_MEMORY");
    }
}
