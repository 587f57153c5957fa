/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of an array of a VTK file as a stream. Three steps, each as needed: bytes of the file,
 * base64, inflating of blocks. In base64 the header and the data are coded together or apart, so that padding
 * may stand between them. The sizes of compressed blocks are passed over: each block is a zlib stream, which
 * has its own end.
 */
#include "core/decimal.h"
#include "geometry/image/text_input.h"
#include "geometry/image/vtk_xml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 1 << 15, WORD = 64 /* bytes of a number in ASCII */ };

typedef struct {
    rill_byte_stream stream;
    int fd;
    bool base64, compressed, swap;
    bool to_tag;     /* its text ends at the next tag */
    uint64_t left;   /* bytes of values that are still to come */
    rill_grey type;  /* ASCII: of the numbers */
    bool colour;     /* ASCII: bytes b as b / 255 */
    uint64_t offset; /* in the file, of the next chunk */
    size_t at, filled;
    bool ended; /* the file, or the text of an array */
    unsigned char quantum[3];
    int quantum_at, quantum_filled; /* base64: decoded bytes that wait */
    bool started, whole;            /* of inflating: begun; the last block was read to its checksum */
    z_stream z;
    unsigned char packed[CHUNK]; /* compressed bytes */
    unsigned char chunk[CHUNK];  /* of the file */
} decoder;

/* ---- bytes of the file ----------------------------------------------------------------------- */

/* The next byte of the file; -1 at its end, or at the end of an array's text. */
static rill_status next_byte(decoder *d, int *out)
{
    *out = -1;
    if (d->ended) return RILL_OK;
    if (d->at == d->filled) {
        const rill_status status = rill_input_read(d->fd, d->offset, d->chunk, CHUNK, &d->filled);
        if (status != RILL_OK) return status;
        d->offset += d->filled;
        d->at = 0;
    }
    d->ended = d->filled == 0 || (d->to_tag && d->chunk[d->at] == '<');
    if (!d->ended) *out = d->chunk[d->at++];
    return RILL_OK;
}

static int digit_of(int c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Decode four letters of base64, fewer bytes with padding. */
static rill_status next_quantum(decoder *d)
{
    rill_status status = RILL_OK;
    uint32_t word = 0;
    int c, letters = 0, padding = 0;
    d->quantum_at = d->quantum_filled = 0;
    while (letters + padding < 4) {
        RILL_TRY(next_byte(d, &c));
        if (c < 0) break;
        if (strchr(" \t\r\n", c) && c) continue;
        const int digit = digit_of(c);
        if (c == '=' && letters >= 2)
            padding++;
        else if (digit >= 0 && padding == 0)
            word = word << 6 | (uint32_t)digit, letters++;
        else
            return rill_fail(RILL_USAGE, "the base64 data have a byte %d that is none: the file is damaged",
                             c);
    }
    if (letters + padding == 0) return RILL_OK;
    if (letters + padding < 4) return rill_fail(RILL_USAGE, "the base64 data are cut");
    word <<= 6 * padding;
    d->quantum_filled = 3 - padding;
    for (int k = 0; k < d->quantum_filled; k++) d->quantum[k] = (unsigned char)(word >> (16 - 8 * k));
done:
    return status;
}

/* Read bytes as they were before base64. */
static rill_status read_stored(decoder *d, void *data, uint64_t count, uint64_t *got)
{
    rill_status status = RILL_OK;
    unsigned char *to = data;
    *got = 0;
    while (*got < count && d->base64) {
        if (d->quantum_at == d->quantum_filled) RILL_TRY(next_quantum(d));
        if (d->quantum_filled == 0) goto done;
        to[(*got)++] = d->quantum[d->quantum_at++];
    }
    while (*got < count && !d->ended) { /* raw */
        if (d->at < d->filled) {
            const uint64_t left = count - *got, has = d->filled - d->at, now = left < has ? left : has;
            memcpy(to + *got, d->chunk + d->at, now);
            d->at += now;
            *got += now;
        } else {
            RILL_TRY(rill_input_read(d->fd, d->offset, d->chunk, CHUNK, &d->filled));
            d->offset += d->filled;
            d->at = 0;
            d->ended = d->filled == 0;
        }
    }
done:
    return status;
}

/* ---- inflating ------------------------------------------------------------------------------- */

static rill_status read_inflated(decoder *d, void *data, uint64_t count, uint64_t *got)
{
    rill_status status = RILL_OK;
    *got = 0;
    while (*got < count && !(d->left == 0 && d->whole)) {
        if (d->z.avail_in == 0) {
            uint64_t filled;
            RILL_TRY(read_stored(d, d->packed, CHUNK, &filled));
            if (filled == 0) break;
            d->z.next_in = d->packed;
            d->z.avail_in = (uInt)filled;
        }
        const uint64_t room = count - *got < 1u << 30 ? count - *got : 1u << 30;
        d->z.next_out = (unsigned char *)data + *got;
        d->z.avail_out = (uInt)room;
        const int code = inflate(&d->z, Z_NO_FLUSH);
        *got += room - d->z.avail_out;
        if (code == Z_MEM_ERROR) return rill_fail(RILL_SYSTEM, "out of memory for inflating an array");
        if (code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END)
            return rill_fail(RILL_USAGE, "the compressed data is damaged: %s",
                             d->z.msg ? d->z.msg : "no reason given");
        d->whole = code == Z_STREAM_END;
        if (d->whole) inflateReset(&d->z); /* the next block */
    }
done:
    return status;
}

/* Read the checksum of the last block, which inflate() may have left when it had all bytes. */
static rill_status check_block(decoder *d)
{
    unsigned char more;
    uint64_t got = 0;
    if (d->whole) return RILL_OK;
    const rill_status status = read_inflated(d, &more, 1, &got);
    if (status != RILL_OK || got == 0) return status;
    return rill_fail(RILL_USAGE, "a compressed block is longer than its header states: the file is damaged");
}

static rill_status read_values(rill_byte_stream *stream, void *data, uint64_t count, uint64_t *got)
{
    decoder *d = (decoder *)stream;
    const uint64_t now = count < d->left ? count : d->left;
    rill_status status = d->compressed ? read_inflated(d, data, now, got) : read_stored(d, data, now, got);
    d->left -= *got;
    if (status == RILL_OK && d->compressed && d->left == 0) status = check_block(d);
    stream->ended = d->left == 0 && (d->whole || !d->compressed);
    return status;
}

/* ---- headers --------------------------------------------------------------------------------- */

static rill_status read_word(decoder *d, int size, uint64_t *out)
{
    unsigned char b[8];
    uint64_t got;
    const rill_status status = read_stored(d, b, (uint64_t)size, &got);
    if (status != RILL_OK) return status;
    if (got < (uint64_t)size)
        return rill_fail(RILL_USAGE, "the length of an array is missing: the file is cut");
    *out = 0;
    const bool big = d->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    for (int k = 0; k < size; k++) *out |= (uint64_t)b[big ? size - 1 - k : k] << 8 * k;
    return RILL_OK;
}

/* Read what is in front of binary data: their length, or number and sizes of compressed blocks. */
static rill_status read_lengths(decoder *d, const rill_vtk_file *file)
{
    rill_status status = RILL_OK;
    uint64_t length, blocks = 0, block = 0, last = 0, passed;
    RILL_TRY(read_word(d, file->header, &blocks));
    length = blocks;
    if (file->compressed) {
        RILL_TRY(read_word(d, file->header, &block));
        RILL_TRY(read_word(d, file->header, &last));
        const bool whole = blocks == 0 || (block <= UINT64_MAX / blocks && last <= block);
        if (!whole)
            RILL_TRY(rill_fail(RILL_USAGE, "an array has %llu blocks of %llu bytes: the file is damaged",
                               (unsigned long long)blocks, (unsigned long long)block));
        length = blocks == 0 ? 0 : last ? (blocks - 1) * block + last : blocks * block;
    }
    if (length != d->left)
        RILL_TRY(rill_fail(RILL_USAGE, "an array has %llu bytes, but %llu are needed: the file is damaged",
                           (unsigned long long)length, (unsigned long long)d->left));
    for (uint64_t k = 0; k < blocks && file->compressed; k++) RILL_TRY(read_word(d, file->header, &passed));
done:
    return status;
}

/* ---- ASCII ----------------------------------------------------------------------------------- */

static bool store_grey(rill_grey type, const char *text, void *to)
{
    char *end = NULL;
    const size_t size = rill_grey_size(type);
    const bool is_real = type == RILL_GREY_F32 || type == RILL_GREY_F64;
    const bool is_signed =
        type == RILL_GREY_I8 || type == RILL_GREY_I16 || type == RILL_GREY_I32 || type == RILL_GREY_I64;
    if (is_real) {
        double value;
        if (!rill_decimal(text, &value) && !rill_decimal_special(text, &value)) return false;
        if (type == RILL_GREY_F32)
            *(float *)to = (float)value;
        else
            *(double *)to = value;
        return true;
    }
    errno = 0;
    uint64_t bits;
    bool fits;
    if (is_signed) {
        const long long value = strtoll(text, &end, 10), top = (long long)((1ULL << (8 * size - 1)) - 1);
        fits = value >= -top - 1 && value <= top;
        bits = (uint64_t)value;
    } else {
        bits = strtoull(text, &end, 10);
        fits = *text != '-' && (size == 8 || bits >> 8 * size == 0);
    }
    for (size_t k = 0; k < size; k++)
        ((unsigned char *)to)[k] =
            (unsigned char)(bits >> 8 * (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? size - 1 - k : k));
    return fits && errno == 0 && *end == '\0' && end > text;
}

/* Store a byte that is written as a fraction of 255, with the digits that the writer took. */
static bool store_colour(const char *text, void *to)
{
    double value;
    if (!store_grey(RILL_GREY_F64, text, &value) || !(value >= 0 && value <= 1)) return false;
    *(unsigned char *)to = (unsigned char)(255 * value + 0.5);
    return true;
}

static rill_status read_numbers(rill_byte_stream *stream, void *data, uint64_t count, uint64_t *got)
{
    rill_status status = RILL_OK;
    decoder *d = (decoder *)stream;
    const size_t size = rill_grey_size(d->type);
    *got = 0;
    while (*got + size <= count && d->left > 0) {
        char word[WORD];
        int length = 0, c;
        for (;;) {
            RILL_TRY(next_byte(d, &c));
            const bool blank = c == ' ' || c == '\t' || c == '\r' || c == '\n';
            if (c < 0 || (blank && length > 0)) break;
            if (blank) continue;
            if (length == WORD - 1 || c == 0)
                return rill_fail(RILL_USAGE,
                                 "a number of an array has more than %d letters: the file is damaged",
                                 WORD - 1);
            word[length++] = (char)c;
        }
        if (length == 0) break;
        word[length] = '\0';
        void *to = (char *)data + *got;
        if (d->colour ? !store_colour(word, to) : !store_grey(d->type, word, to))
            return rill_fail(RILL_USAGE, "\"%s\" is not a number of type %s: the file is damaged", word,
                             rill_grey_name(d->type));
        *got += size;
        d->left -= size;
    }
    stream->ended = d->left == 0;
done:
    return status;
}

/* ---- opening --------------------------------------------------------------------------------- */

static void close_decoder(rill_byte_stream *stream)
{
    decoder *d = (decoder *)stream;
    if (d->started) inflateEnd(&d->z);
    if (d->fd >= 0) close(d->fd);
    free(d);
}

static rill_status place(decoder *d, const rill_vtk_file *file, const rill_vtk_array *array, uint64_t length)
{
    const bool appended = array->coding == RILL_VTK_APPENDED;
    if (array->at == UINT64_MAX && d->left > 0)
        return rill_fail(RILL_USAGE, "the array \"%s\" has no values: the file is damaged", array->name);
    if (appended && !file->appended)
        return rill_fail(RILL_USAGE, "the array \"%s\" is appended, but no data are: the file is cut",
                         array->name);
    d->offset = (appended ? file->appended : 0) + array->at;
    if (array->at != UINT64_MAX && (array->at > length || d->offset > length))
        return rill_fail(RILL_USAGE, "the array \"%s\" begins at byte %llu of %llu: the file is cut",
                         array->name, (unsigned long long)d->offset, (unsigned long long)length);
    return RILL_OK;
}

rill_status rill_vtk_stream(const rill_vtk_file *file, const rill_vtk_array *array, uint64_t count,
                            rill_byte_stream **out)
{
    rill_status status = RILL_OK;
    uint64_t length;
    if (!array->known)
        return rill_fail(RILL_USAGE, "the array \"%s\" holds no numbers of 8 to 64 bits", array->name);
    if (count > UINT64_MAX / 8) return rill_fail(RILL_USAGE, "the array \"%s\" is too long", array->name);
    decoder *d = malloc(sizeof *d);
    if (!d) return rill_fail(RILL_SYSTEM, "out of memory for reading an array");
    memset(d, 0, offsetof(decoder, packed));
    const bool ascii = array->coding == RILL_VTK_ASCII, appended = array->coding == RILL_VTK_APPENDED,
               plain = array->coding == RILL_VTK_PLAIN;
    d->stream = (rill_byte_stream){ascii ? read_numbers : read_values, close_decoder, "array", false};
    d->fd = -1;
    d->left = count * rill_grey_size(array->type);
    d->type = array->type;
    d->colour = array->colour;
    d->swap = file->swap;
    d->base64 = !ascii && !plain && !(appended && file->appended_raw);
    d->to_tag = ascii || d->base64;
    d->compressed = file->compressed;
    status = rill_input_open(file->path, &d->fd, &length);
    if (status != RILL_OK) {
        d->fd = -1;
        goto done;
    }
    RILL_TRY(place(d, file, array, length));
    if (d->left == 0) d->stream.ended = true;
    if (!ascii && !plain && d->left > 0) {
        RILL_TRY(read_lengths(d, file));
        if (d->compressed && inflateInit(&d->z) != Z_OK)
            RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for inflating an array"));
        d->started = d->compressed;
    }
    *out = &d->stream;
    d = NULL;
done:
    if (d) close_decoder(&d->stream);
    return status;
}
