/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Raw files: size, type, byte order and voxel size from options or from the usual file names, such as
 * rock-480x480x480-u8-5.7um.raw, berea_1000x1000x1000_16bit_be.raw or sand_256x256x256_2d25um.raw.
 * Nothing is guessed that the file's length does not confirm, except little-endian byte order. A file whose
 * name ends in .gz is inflated; its length is that of its content.
 */
#include "geometry/image/file_names.h"
#include "geometry/image/image_priv.h"
#include "geometry/image/stream.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef rill_raw_hints hints;

static const rill_grey_alias types[] = {
    {"u8", RILL_GREY_U8},       {"uint8", RILL_GREY_U8},    {"uchar", RILL_GREY_U8},
    {"8bit", RILL_GREY_U8},     {"i8", RILL_GREY_I8},       {"int8", RILL_GREY_I8},
    {"u16", RILL_GREY_U16},     {"uint16", RILL_GREY_U16},  {"ushort", RILL_GREY_U16},
    {"16bit", RILL_GREY_U16},   {"i16", RILL_GREY_I16},     {"int16", RILL_GREY_I16},
    {"short", RILL_GREY_I16},   {"u32", RILL_GREY_U32},     {"uint32", RILL_GREY_U32},
    {"i32", RILL_GREY_I32},     {"int32", RILL_GREY_I32},   {"u64", RILL_GREY_U64},
    {"uint64", RILL_GREY_U64},  {"i64", RILL_GREY_I64},     {"int64", RILL_GREY_I64},
    {"f16", RILL_GREY_F16},     {"float16", RILL_GREY_F16}, {"f32", RILL_GREY_F32},
    {"float32", RILL_GREY_F32}, {"float", RILL_GREY_F32},   {"f64", RILL_GREY_F64},
    {"float64", RILL_GREY_F64}, {"double", RILL_GREY_F64},  {NULL, RILL_GREY_U8}};

static bool has_prefix(const char *text, const char *prefix)
{
    return strncasecmp(text, prefix, strlen(prefix)) == 0;
}

/* Read "480x480x480" at `text`; more or fewer numbers are no size. */
static bool read_triple(const char *text, uint64_t n[3])
{
    for (int a = 0; a < 3; a++) {
        char *end;
        if (!isdigit((unsigned char)*text)) return false;
        n[a] = strtoull(text, &end, 10);
        if (n[a] == 0 || n[a] > INT32_MAX) return false;
        text = end;
        const bool cross = (*text == 'x' || *text == 'X') && isdigit((unsigned char)text[1]);
        if (cross != (a < 2)) return false;
        text += cross;
    }
    return true;
}

/* Read a type word with an optional byte order behind it ("16bit_be", "u16le"). */
static void read_type(const char *text, hints *h)
{
    for (const rill_grey_alias *t = types; t->name; t++) {
        if (!has_prefix(text, t->name)) continue;
        const char *rest = text + strlen(t->name);
        const char *order = rest + (*rest == '_' || *rest == '-');
        const bool big = has_prefix(order, "be") && !isalnum((unsigned char)order[2]);
        const bool little = has_prefix(order, "le") && !isalnum((unsigned char)order[2]);
        if (isalnum((unsigned char)*rest) && !big && !little) continue;
        h->type = (int)t->type;
        if (big || little) h->big_endian = big;
        return;
    }
}

static void read_order(const char *text, hints *h)
{
    static const struct {
        const char *name;
        int big;
    } words[] = {{"bigendian", 1},    {"big-endian", 1},    {"big_endian", 1},    {"msb", 1},
                 {"littleendian", 0}, {"little-endian", 0}, {"little_endian", 0}, {"lsb", 0}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_prefix(text, words[i].name) && !isalnum((unsigned char)text[strlen(words[i].name)]))
            h->big_endian = words[i].big;
}

/* Read "5.7um", "2d25um", "2p25_um" or "740nm". */
static void read_spacing(const char *text, hints *h)
{
    static const struct {
        const char *name;
        double metres;
    } units[] = {{"microns", 1e-6},   {"micron", 1e-6}, {"um", 1e-6}, {"\xc2\xb5m", 1e-6},
                 {"\xce\xbcm", 1e-6}, {"mm", 1e-3},     {"nm", 1e-9}};
    char number[32];
    size_t used = 0;
    bool point = false;
    for (; used < sizeof number - 1; used++) {
        const char c = text[used];
        const bool mark = strchr(".dp", c) && c && !point && used && isdigit((unsigned char)text[used + 1]);
        if (!isdigit((unsigned char)c) && !mark) break;
        point |= mark;
        number[used] = mark ? '.' : c;
    }
    number[used] = '\0';
    const char *unit = text + used;
    unit += *unit == '_' || *unit == ' ' || *unit == '-';
    for (size_t i = 0; i < sizeof units / sizeof *units && used; i++)
        if (has_prefix(unit, units[i].name) && !isalnum((unsigned char)unit[strlen(units[i].name)])) {
            h->spacing = strtod(number, NULL) * units[i].metres;
            return;
        }
}

hints rill_raw_hints_of(const char *path, uint64_t length)
{
    hints h = {.type = -1, .big_endian = -1};
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    bool fits = false;
    for (const char *c = name; *c; c++) {
        const unsigned char before = c == name ? '_' : (unsigned char)c[-1];
        uint64_t n[3];
        if (!fits && !isdigit(before) && before != 'x' && before != 'X' && read_triple(c, n)) {
            const double bytes = (double)n[0] * (double)n[1] * (double)n[2];
            for (int size = 1; size <= 8; size *= 2) fits |= bytes * size == (double)length;
            if (fits || !h.n[0]) memcpy(h.n, n, sizeof n);
        }
        if (isalnum(before)) continue;
        read_type(c, &h);
        read_order(c, &h);
        if (before != '.' || c == name + 1) read_spacing(c, &h);
    }
    return h;
}

/* Settle the type: option, name, or the bytes per voxel where they leave no choice. */
static rill_status settle_type(const rill_image_options *options, const hints *h, uint64_t data,
                               rill_image *image)
{
    const uint64_t voxels = (uint64_t)image->n[0] * image->n[1] * image->n[2];
    if (options->type >= RILL_GREY_COUNT)
        return rill_fail(RILL_USAGE, "%d is not a type of grey value: 0 to %d are", options->type,
                         RILL_GREY_COUNT - 1);
    const int known = options->type >= 0 ? options->type : h->type;
    if (known >= 0)
        image->type = (rill_grey)known;
    else if (data == 4 * voxels || data == 8 * voxels)
        return rill_fail(
            RILL_USAGE, "it has %d bytes per voxel, which fits several types: give --type, such as %s",
            data == 4 * voxels ? 4 : 8, data == 4 * voxels ? "u32, i32 or f32" : "u64, i64 or f64");
    else
        image->type = data == 2 * voxels ? RILL_GREY_U16 : RILL_GREY_U8;
    return RILL_OK;
}

static void settle_order(const rill_image_options *options, const hints *h, bool packed, rill_image *image)
{
    const int known = options->big_endian >= 0 ? options->big_endian : h->big_endian;
    const bool single = rill_grey_size(image->type) == 1;
    if (known < 0 && !single)
        rill_image_remark(image,
                          "byte order taken as little-endian: --endian big if the grey values look wrong\n");
    image->swap = (known > 0) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    snprintf(image->kind, sizeof image->kind, "raw%s%s", packed ? ", gzip" : "",
             single      ? ""
             : known > 0 ? ", big-endian"
                         : ", little-endian");
}

/* Count the bytes that a file inflates to, up to a limit. */
static rill_status count_inflated(const char *path, uint64_t limit, uint64_t *length)
{
    rill_status status = RILL_OK;
    rill_byte_stream *stream = NULL;
    unsigned char passed[1 << 14];
    uint64_t got = 1;
    *length = 0;
    RILL_TRY(rill_inflate_open(path, 0, &stream));
    while (got > 0 && *length < limit) {
        RILL_TRY(stream->read(stream, passed, sizeof passed, &got));
        *length += got;
    }
done:
    rill_stream_close(stream);
    return status;
}

/* The size that was given, or that the name says; NULL: none. */
static const uint64_t *size_of(const rill_image_options *options, const hints *h, uint64_t given[3])
{
    for (int a = 0; a < 3; a++) given[a] = options->n[a];
    return given[0] ? given : h->n[0] ? h->n : NULL;
}

static rill_status fail_size(uint64_t data)
{
    const uint64_t edge = (uint64_t)llround(cbrt((double)data));
    char cube[96] = "";
    if (edge * edge * edge == data)
        snprintf(cube, sizeof cube, " (they would be %llux%llux%llu of u8)", (unsigned long long)edge,
                 (unsigned long long)edge, (unsigned long long)edge);
    return rill_fail(
        RILL_USAGE,
        "rill knows no format that begins as this file, so that it is taken as raw voxels, and its name says no size: give --size NXxNYxNZ for its %llu bytes%s",
        (unsigned long long)data, cube);
}

static rill_status check_gzip(const char *path)
{
    char *head = NULL;
    size_t length;
    rill_status status = rill_file_head(path, 2, &head, &length);
    if (status == RILL_OK && (length < 2 || memcmp(head, "\x1f\x8b", 2) != 0))
        status = rill_fail(RILL_USAGE, "its name ends in .gz, but it is not compressed with gzip: rename it");
    free(head);
    return status;
}

/* Read a raw file that is compressed. Where the type is not known, the length of the content decides. */
static rill_status open_packed(const char *path, const rill_image_options *options, rill_image *image)
{
    rill_status status = RILL_OK;
    const hints h = rill_raw_hints_of(path, 0);
    uint64_t given[3], data = 0;
    const uint64_t *n = size_of(options, &h, given);
    RILL_TRY(check_gzip(path));
    if (!n)
        return rill_fail(
            RILL_USAGE,
            "it is compressed with gzip, and its name says no size: give --size NXxNYxNZ if it holds raw voxels, or run gunzip -k on it first");
    RILL_TRY(rill_image_set_size(image, n, 3));
    const uint64_t voxels = (uint64_t)image->n[0] * image->n[1] * image->n[2];
    if (options->skip > INT64_MAX / 2)
        RILL_TRY(rill_fail(RILL_USAGE, "--skip %llu leaves nothing of it: give less",
                           (unsigned long long)options->skip));
    if (options->type < 0 && h.type < 0)
        RILL_TRY(count_inflated(path, options->skip + 8 * voxels + 1, &data));
    RILL_TRY(settle_type(options, &h, data > options->skip ? data - options->skip : 0, image));
    settle_order(options, &h, true, image);
    rill_image_set_spacing(image, "the name of the file", (const double[3]){h.spacing, h.spacing, h.spacing},
                           1, true);
    RILL_TRY(rill_image_read_bytes(
        image, &(rill_bytes_source){.path = path, .deflated = true, .skip = options->skip}));
done:
    return status;
}

rill_status rill_image_open_raw(const char *path, const rill_image_options *options, rill_image *image)
{
    rill_status status = RILL_OK;
    int fd;
    uint64_t length;
    if (rill_name_ends(path, ".gz")) return open_packed(path, options, image);
    RILL_TRY(rill_input_open(path, &fd, &length));
    close(fd);
    if (length == 0) return rill_fail(RILL_USAGE, "the file is empty");
    if (options->skip >= length)
        return rill_fail(RILL_USAGE, "--skip %llu leaves nothing of its %llu bytes: give less",
                         (unsigned long long)options->skip, (unsigned long long)length);
    const uint64_t data = length - options->skip;
    const hints h = rill_raw_hints_of(path, data);
    uint64_t given[3];
    const uint64_t *n = size_of(options, &h, given);
    if (!n) return fail_size(data);
    RILL_TRY(rill_image_set_size(image, n, 3));
    RILL_TRY(settle_type(options, &h, data, image));
    settle_order(options, &h, false, image);
    rill_image_set_spacing(image, "the name of the file", (const double[3]){h.spacing, h.spacing, h.spacing},
                           1, true);
    RILL_TRY(rill_image_read_bytes(
        image, &(rill_bytes_source){.path = path,
                                    .offset = (int64_t)options->skip,
                                    .remedy = "give --size NXxNYxNZ, --type and --skip as they are"}));
done:
    return status;
}
