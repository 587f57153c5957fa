/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TIFF by libtiff: one page per slice in one file, one file per slice, one page that is a volume in tiles
 * (ImageDepth), and ImageJ's big stacks, whose slices follow the only page without pages of their own. Stored
 * values are taken as they are: neither colour maps nor "white is zero" change them. Not read: colour, alpha,
 * 2 to 7, 12 or 24 bits, volumes in strips.
 */
#include "geometry/image/image_priv.h"
#include "core/memory.h"
#include "geometry/image/ome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tiffio.h>
#include <unistd.h>

enum { ALLOCATION_LIMIT = 1 << 30 }; /* what one tag or strip may make libtiff allocate */

/* What every page must have in common. */
typedef struct {
    uint32_t width, height, depth; /* depth above 1: the page is a volume */
    uint16_t bits, format, samples, photometric;
} page;

typedef struct {
    TIFF *tiff;
    uint64_t *pages; /* offsets of the directories in one file; NULL: the image's files are the slices */
    page page;
    void *tile, *raw;    /* a tile as it is used, and as it is stored */
    unsigned char *slab; /* a volume: the slices of one layer of tiles */
    uint32_t layer;      /* which one; UINT32_MAX: none yet */
    char message[256];   /* libtiff's last error */
} reader;

static int keep_error(TIFF *tiff, void *user, const char *module, const char *format, va_list args)
{
    (void)tiff;
    (void)module;
    reader *r = user;
    vsnprintf(r->message, sizeof r->message, format, args);
    return 1;
}

static int ignore_warning(TIFF *tiff, void *user, const char *module, const char *format, va_list args)
{
    (void)tiff, (void)user, (void)module, (void)format, (void)args;
    return 1;
}

static rill_status fail_tiff(const reader *r, const char *what)
{
    return rill_fail(RILL_USAGE, "%s: %s", what, *r->message ? r->message : "the TIFF file is damaged");
}

static rill_status open_file(reader *r, const char *path)
{
    int fd;
    uint64_t length;
    rill_status status = rill_input_open(path, &fd, &length);
    if (status != RILL_OK) return status;
    r->message[0] = '\0';
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (options) {
        TIFFOpenOptionsSetErrorHandlerExtR(options, keep_error, r);
        TIFFOpenOptionsSetWarningHandlerExtR(options, ignore_warning, r);
        TIFFOpenOptionsSetMaxSingleMemAlloc(options, ALLOCATION_LIMIT);
        r->tiff = TIFFFdOpenExt(fd, path, "rm", options); /* m: a mapped file that is cut would kill us */
        TIFFOpenOptionsFree(options);
    }
    if (!r->tiff) {
        close(fd);
        status = rill_image_check_pointer(path);
        if (status != RILL_OK) return status;
        return length ? fail_tiff(r, "it is not a TIFF file") : rill_fail(RILL_USAGE, "the file is empty");
    }
    return RILL_OK;
}

static page read_page(TIFF *tiff)
{
    page p = {0};
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &p.width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &p.height);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_IMAGEDEPTH, &p.depth);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &p.bits);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &p.format);
    TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &p.samples);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &p.photometric);
    return p;
}

static rill_status check_page(const page *p, const page *first, uint64_t number)
{
    const bool same = p->width == first->width && p->height == first->height && p->bits == first->bits &&
                      p->format == first->format && p->samples == first->samples;
    const bool volumes = number > 0 && (p->depth > 1 || first->depth > 1);
    if (volumes)
        return rill_fail(
            RILL_USAGE,
            "slice %llu is a volume of %u slices, slice 0 one of %u: give one volume in a file by itself",
            (unsigned long long)number, p->depth, first->depth);
    if (same) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "slice %llu is %u x %u with %u bits, slice 0 is %u x %u with %u bits: all slices must agree",
        (unsigned long long)number, p->width, p->height, p->bits, first->width, first->height, first->bits);
}

/* What the first page says about the image. */
static rill_status settle_page(const page *p, rill_image *image)
{
    static const struct {
        uint16_t bits, format;
        rill_grey type;
    } types[] = {{1, SAMPLEFORMAT_UINT, RILL_GREY_U8},    {8, SAMPLEFORMAT_UINT, RILL_GREY_U8},
                 {8, SAMPLEFORMAT_INT, RILL_GREY_I8},     {16, SAMPLEFORMAT_UINT, RILL_GREY_U16},
                 {16, SAMPLEFORMAT_INT, RILL_GREY_I16},   {32, SAMPLEFORMAT_UINT, RILL_GREY_U32},
                 {32, SAMPLEFORMAT_INT, RILL_GREY_I32},   {64, SAMPLEFORMAT_UINT, RILL_GREY_U64},
                 {64, SAMPLEFORMAT_INT, RILL_GREY_I64},   {32, SAMPLEFORMAT_IEEEFP, RILL_GREY_F32},
                 {64, SAMPLEFORMAT_IEEEFP, RILL_GREY_F64}};
    if (p->samples != 1)
        return rill_fail(
            RILL_USAGE,
            "it has %u samples per pixel: colour is not read, save the segmentation as grey values",
            p->samples);
    const uint16_t format = p->format == SAMPLEFORMAT_VOID ? SAMPLEFORMAT_UINT : p->format;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].bits == p->bits && types[i].format == format) {
            image->type = types[i].type;
            if (p->photometric == PHOTOMETRIC_MINISWHITE)
                rill_image_remark(image, "the TIFF shows 0 as white; --pore means the stored values\n");
            if (p->photometric == PHOTOMETRIC_PALETTE)
                rill_image_remark(image,
                                  "the TIFF has a colour map; --pore means the stored numbers of colours\n");
            return RILL_OK;
        }
    return rill_fail(
        RILL_USAGE,
        "it has %u-bit samples of format %u: unsigned (1, 8, 16, 32, 64 bits), signed (8 to 64) and float (32, 64) are read",
        p->bits, p->format);
}

static uint32_t tile_depth(TIFF *tiff)
{
    uint32_t depth = 1;
    TIFFGetFieldDefaulted(tiff, TIFFTAG_TILEDEPTH, &depth);
    return depth ? depth : 1;
}

static rill_status reserve(void **buffer, uint64_t size)
{
    free(*buffer);
    *buffer = size <= ALLOCATION_LIMIT ? malloc((size_t)size) : NULL;
    return *buffer
               ? RILL_OK
               : rill_fail(RILL_SYSTEM, "out of memory for a tile of %llu bytes", (unsigned long long)size);
}

/* libtiff's own size of a tile is that of one slice of it, so deeper tiles are decoded from their raw bytes.
 */
static rill_status read_deep_tile(reader *r, uint32_t number, tmsize_t size)
{
    const uint64_t stored = TIFFGetStrileByteCount(r->tiff, number);
    if (stored == 0 || stored > ALLOCATION_LIMIT) return fail_tiff(r, "a tile has no valid length");
    const rill_status status = reserve(&r->raw, stored);
    if (status != RILL_OK) return status;
    const tmsize_t length = (tmsize_t)stored;
    if (TIFFReadRawTile(r->tiff, number, r->raw, length) != length ||
        !TIFFReadFromUserBuffer(r->tiff, number, r->raw, length, r->tile, size))
        return fail_tiff(r, "a tile cannot be read");
    return RILL_OK;
}

/* Read the tiles at height z; those at the edges are stored whole: copy `count` slices of what lies inside.
 */
static rill_status read_tiles(reader *r, unsigned char *bytes, size_t row, uint32_t z, uint32_t count)
{
    uint32_t tw = 0, th = 0;
    TIFFGetField(r->tiff, TIFFTAG_TILEWIDTH, &tw);
    TIFFGetField(r->tiff, TIFFTAG_TILELENGTH, &th);
    const tmsize_t slice = TIFFTileSize(r->tiff), tile_row = TIFFTileRowSize(r->tiff);
    const uint32_t depth = tile_depth(r->tiff);
    if (tw == 0 || th == 0 || slice <= 0 || slice > ALLOCATION_LIMIT / (tmsize_t)depth || tile_row <= 0 ||
        (uint64_t)tile_row * th > (uint64_t)slice)
        return fail_tiff(r, "its tiles have no valid size");
    rill_status status = reserve(&r->tile, (uint64_t)slice * depth);
    for (uint64_t y = 0; y < r->page.height && status == RILL_OK; y += th)
        for (uint64_t x = 0; x < r->page.width && status == RILL_OK; x += tw) {
            const uint32_t number = TIFFComputeTile(r->tiff, (uint32_t)x, (uint32_t)y, z, 0);
            if (depth > 1)
                status = read_deep_tile(r, number, slice * (tmsize_t)depth);
            else if (TIFFReadTile(r->tiff, r->tile, (uint32_t)x, (uint32_t)y, z, 0) < 0)
                status = fail_tiff(r, "a tile cannot be read");
            const size_t at = (size_t)(x * r->page.bits / 8);
            const size_t used = row - at < (size_t)tile_row ? row - at : (size_t)tile_row;
            for (uint64_t s = 0; s < count && status == RILL_OK; s++)
                for (uint64_t j = y; j < r->page.height && j < y + th; j++)
                    memcpy(bytes + (s * r->page.height + j) * row + at,
                           (char *)r->tile + s * (uint64_t)slice + (j - y) * (uint64_t)tile_row, used);
        }
    return status;
}

/* One bit per voxel, high bit first, becomes one byte per voxel: from the end, in place. */
static void spread_bits(unsigned char *grey, uint32_t width, uint32_t height)
{
    const size_t row = ((size_t)width + 7) / 8;
    for (uint32_t y = height; y-- > 0;)
        for (uint32_t x = width; x-- > 0;)
            grey[(size_t)y * width + x] = grey[y * row + x / 8] >> (7 - x % 8) & 1;
}

static size_t row_bytes(const reader *r) { return ((size_t)r->page.width * r->page.bits + 7) / 8; }

static rill_status read_current(reader *r, void *grey)
{
    rill_status status = RILL_OK;
    const size_t row = row_bytes(r);
    if (TIFFIsTiled(r->tiff)) {
        RILL_TRY(read_tiles(r, grey, row, 0, 1));
    } else {
        if (TIFFScanlineSize64(r->tiff) != row) return fail_tiff(r, "its rows have no valid size");
        for (uint32_t y = 0; y < r->page.height; y++)
            if (TIFFReadScanline(r->tiff, (char *)grey + y * row, y, 0) < 0)
                return fail_tiff(r, "a row cannot be read");
    }
    if (r->page.bits == 1) spread_bits(grey, r->page.width, r->page.height);
done:
    return status;
}

static rill_status read_paged(rill_image *image, uint32_t slice, void *grey)
{
    reader *r = image->reader;
    if (!TIFFSetSubDirectory(r->tiff, r->pages[slice])) return fail_tiff(r, "a page cannot be read");
    const page p = read_page(r->tiff);
    rill_status status = check_page(&p, &r->page, slice);
    if (status == RILL_OK) status = read_current(r, grey);
    if (status != RILL_OK) rill_fail_prefix("%s, page %u", image->files[0], slice);
    return status;
}

/* Decode a layer of tiles when a slice of it is first needed, and keep it for the other slices. */
static rill_status read_volume(rill_image *image, uint32_t slice, void *grey)
{
    rill_status status = RILL_OK;
    reader *r = image->reader;
    const uint32_t depth = tile_depth(r->tiff), layers = depth < r->page.depth ? depth : r->page.depth;
    const size_t row = row_bytes(r), size = row * r->page.height;
    const uint32_t layer = slice / depth, first = layer * depth, left = r->page.depth - first;
    if (!r->slab) RILL_TRY(rill_array_create(size, layers, "a layer of the TIFF's tiles", (void **)&r->slab));
    if (layer != r->layer) RILL_TRY(read_tiles(r, r->slab, row, first, left < layers ? left : layers));
    r->layer = layer;
    memcpy(grey, r->slab + (slice - first) * size, size);
    if (r->page.bits == 1) spread_bits(grey, r->page.width, r->page.height);
done:
    if (status != RILL_OK) rill_fail_prefix("%s, slice %u", image->files[0], slice);
    return status;
}

static rill_status read_series(rill_image *image, uint32_t slice, void *grey)
{
    rill_status status = RILL_OK;
    reader *r = image->reader;
    if (r->tiff) TIFFClose(r->tiff);
    r->tiff = NULL;
    RILL_TRY(open_file(r, image->files[slice]));
    const page p = read_page(r->tiff);
    RILL_TRY(check_page(&p, &r->page, slice));
    if (!TIFFLastDirectory(r->tiff)) {
        status = rill_fail(RILL_USAGE, "a slice with several pages: one page per file is needed");
        goto done;
    }
    RILL_TRY(read_current(r, grey));
done:
    if (status != RILL_OK) rill_fail_prefix("%s", image->files[slice]);
    return status;
}

static void close_tiff(rill_image *image)
{
    reader *r = image->reader;
    if (r->tiff) TIFFClose(r->tiff);
    free(r->pages);
    free(r->tile);
    free(r->raw);
    rill_array_destroy(r->slab);
    free(r);
}

static rill_status create_reader(rill_image *image, reader **out)
{
    reader *r = calloc(1, sizeof *r);
    if (!r) return rill_fail(RILL_SYSTEM, "out of memory for reading TIFF");
    r->layer = UINT32_MAX;
    image->reader = *out = r;
    image->close = close_tiff;
    return RILL_OK;
}

/* The value behind "key=" at the start of a line of ImageJ's description; NULL when missing. */
static const char *imagej_value(const char *description, const char *key)
{
    const size_t length = strlen(key);
    if (!description || strncmp(description, "ImageJ=", 7) != 0) return NULL;
    for (const char *line = description; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, length) == 0 && line[length] == '=') return line + length + 1;
    }
    return NULL;
}

static const char *description_of(TIFF *tiff)
{
    char *description = NULL;
    TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &description);
    return description;
}

/* ImageJ keeps pixels per unit in the resolution, and unit and slice spacing in the description. */
static void settle_imagej(TIFF *tiff, rill_image *image)
{
    const char *description = description_of(tiff);
    const char *unit = imagej_value(description, "unit"), *z = imagej_value(description, "spacing");
    float x = 0, y = 0;
    char text[48];
    if (!unit || !TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x) || !TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y))
        return;
    snprintf(text, sizeof text, "%.*s", (int)strcspn(unit, "\r\n"), unit);
    const double metres = rill_image_unit(text);
    if (!(metres > 0 && x > 0 && y > 0)) return;
    rill_image_set_spacing(
        image, "the resolution of ImageJ",
        (const double[3]){1. / (double)x, 1. / (double)y, z ? strtod(z, NULL) : 1. / (double)x}, metres,
        true);
}

/* Take the voxel size of OME-XML; a flat image needs no spacing across it. */
static void settle_ome(const rill_ome *ome, rill_image *image)
{
    const double x = ome->spacing[0], y = ome->spacing[1], z = ome->spacing[2];
    if (!(x > 0) || !(y > 0)) return;
    if (!(z > 0) && image->n[2] > 1) {
        rill_image_note_spacing(image, "the OME-XML says no PhysicalSizeZ: give --voxel-size");
        return;
    }
    rill_image_set_spacing(image, "the OME-XML", (const double[3]){x, y, z > 0 ? z : x}, 1, ome->metric);
}

/* Refuse OME-XML whose planes are no slices, or not all here. `planes` 0: in files of their own. */
static rill_status check_ome(const rill_ome *ome, uint64_t planes)
{
    if (ome->channels > 1 || (ome->slices > 1 && ome->times > 1))
        return rill_fail(
            RILL_USAGE,
            "its OME-XML says %llu channels and %llu times: save one channel at one time by itself",
            (unsigned long long)ome->channels, (unsigned long long)ome->times);
    const uint64_t said = ome->slices > 1 ? ome->slices : ome->times;
    if (planes == 0 || said == planes) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "its OME-XML says %llu slices, but the file holds %llu: the others are in other files, save the stack in one",
        (unsigned long long)said, (unsigned long long)planes);
}

/* What the description of the first page says of all; `planes` as in check_ome(). */
static rill_status settle_description(TIFF *tiff, uint64_t planes, rill_image *image)
{
    rill_ome ome;
    if (!rill_ome_read(description_of(tiff), &ome)) {
        settle_imagej(tiff, image);
        return RILL_OK;
    }
    const rill_status status = check_ome(&ome, planes);
    if (status == RILL_OK) settle_ome(&ome, image);
    return status;
}

/* Note where every page is; reduced copies of pages are left out. */
static rill_status find_pages(reader *r, uint64_t *count)
{
    enum { PAGES = UINT16_MAX }; /* the programs that write TIFF count pages in 16 bits */
    uint64_t capacity = 0;
    *count = 0;
    do {
        uint32_t kind = 0;
        TIFFGetField(r->tiff, TIFFTAG_SUBFILETYPE, &kind);
        if (kind & FILETYPE_REDUCEDIMAGE) continue;
        const page p = read_page(r->tiff);
        if (*count == 0) r->page = p;
        const rill_status status = check_page(&p, &r->page, *count);
        if (status != RILL_OK) return status;
        if (*count == PAGES)
            return rill_fail(
                RILL_USAGE,
                "it has more than %d pages: save the stack in several files and give each by itself, or save it as raw, NRRD or npy",
                PAGES);
        if (RILL_LIST_GROW(r->pages, *count, capacity, "pages") != RILL_OK) return RILL_SYSTEM;
        r->pages[(*count)++] = TIFFCurrentDirOffset(r->tiff);
    } while (TIFFReadDirectory(r->tiff));
    /* At the last page libtiff says nothing; a page that cannot be read leaves its error. */
    if (!TIFFLastDirectory(r->tiff) || *r->message) return fail_tiff(r, "a page cannot be read");
    return *count ? RILL_OK : rill_fail(RILL_USAGE, "it holds no page but thumbnails");
}

/* Refuse a volume whose slices libtiff cannot distinguish. */
static rill_status check_volume(const reader *r)
{
    if (r->page.depth < 2 || TIFFIsTiled(r->tiff)) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "it is a volume of %u slices (ImageDepth) in strips, and volumes are read in tiles alone: save it with tiles, or with one page per slice",
        r->page.depth);
}

/* Let the slices of an ImageJ stack that has only one page be read as plain bytes. */
static rill_status open_imagej(const char *path, rill_image *image, uint64_t slices)
{
    reader *r = image->reader;
    uint64_t *offsets = NULL;
    uint16_t compression = 0;
    TIFFGetFieldDefaulted(r->tiff, TIFFTAG_COMPRESSION, &compression);
    if (compression != COMPRESSION_NONE || TIFFIsTiled(r->tiff) || r->page.bits < 8 ||
        !TIFFGetField(r->tiff, TIFFTAG_STRIPOFFSETS, &offsets) || !offsets || offsets[0] > INT64_MAX)
        return rill_fail(RILL_USAGE,
                         "ImageJ announces %llu slices, but one page is there: save it again as TIFF",
                         (unsigned long long)slices);
    const rill_bytes_source source = {
        .path = path, .offset = (int64_t)offsets[0], .tail = true, .remedy = "the ImageJ stack is cut"};
    image->swap = TIFFIsByteSwapped(r->tiff) && rill_grey_size(image->type) > 1;
    close_tiff(image);
    image->reader = NULL;
    image->close = NULL;
    return rill_image_read_bytes(image, &source);
}

rill_status rill_image_open_tiff(const char *path, rill_image *image)
{
    rill_status status = RILL_OK;
    reader *r = NULL;
    uint64_t count = 0;
    RILL_TRY(create_reader(image, &r));
    RILL_TRY(open_file(r, path));
    RILL_TRY(find_pages(r, &count));
    RILL_TRY(settle_page(&r->page, image));
    if (!TIFFSetSubDirectory(r->tiff, r->pages[0])) return fail_tiff(r, "the first page cannot be read");
    const char *images = imagej_value(description_of(r->tiff), "images");
    const uint64_t announced = images && count == 1 && r->page.depth < 2 ? strtoull(images, NULL, 10) : 1;
    const uint32_t depth = r->page.depth;
    RILL_TRY(check_volume(r));
    const uint64_t slices = announced > 1 ? announced : depth > 1 ? depth : count;
    RILL_TRY(rill_image_set_size(image, (const uint64_t[3]){r->page.width, r->page.height, slices}, 3));
    RILL_TRY(settle_description(r->tiff, slices, image));
    if (announced > 1) {
        RILL_TRY(open_imagej(path, image, announced));
    } else {
        image->read = depth > 1 ? read_volume : read_paged;
        RILL_TRY(rill_image_add_file(image, path));
    }
    snprintf(image->kind, sizeof image->kind, "TIFF, %llu page%s%s", (unsigned long long)count,
             count > 1 ? "s" : "",
             announced > 1 ? " of ImageJ"
             : depth > 1   ? " that is a volume"
                           : "");
done:
    return status;
}

rill_status rill_image_open_tiff_series(rill_image *image)
{
    rill_status status = RILL_OK;
    reader *r = NULL;
    RILL_TRY(create_reader(image, &r));
    status = open_file(r, image->files[0]);
    if (status != RILL_OK) {
        rill_fail_prefix("%s", image->files[0]);
        goto done;
    }
    r->page = read_page(r->tiff);
    RILL_TRY(settle_page(&r->page, image));
    if (r->page.depth > 1) {
        status = rill_fail(RILL_USAGE, "%s: a slice that is a volume of %u slices: give that file by itself",
                           image->files[0], r->page.depth);
        goto done;
    }
    RILL_TRY(
        rill_image_set_size(image, (const uint64_t[3]){r->page.width, r->page.height, image->file_count}, 3));
    RILL_TRY(settle_description(r->tiff, 0, image));
    image->read = read_series;
    snprintf(image->kind, sizeof image->kind, "TIFF, %llu files", (unsigned long long)image->file_count);
done:
    return status;
}
