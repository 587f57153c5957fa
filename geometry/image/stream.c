/* SPDX-License-Identifier: Apache-2.0 */
/* Images whose voxels come as a stream, and the stream of inflated bytes. Lengths are checked while voxels
 * are read: memory is allocated for one slice alone, however much the data inflate to. */
#include "geometry/image/stream.h"
#include "geometry/image/image_priv.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

void rill_stream_close(rill_byte_stream *stream)
{
    if (stream) stream->close(stream);
}

rill_status rill_stream_read(rill_byte_stream *stream, void *data, uint64_t count)
{
    uint64_t got;
    const rill_status status = stream->read(stream, data, count, &got);
    if (status != RILL_OK || got == count) return status;
    return rill_fail(RILL_USAGE, "the %s ends %llu bytes too early: it is cut", stream->what,
                     (unsigned long long)(count - got));
}

/* ---- images ---------------------------------------------------------------------------------- */

typedef struct {
    rill_byte_stream *stream;
    uint32_t next; /* the slice that comes next */
    bool tail;
} reader;

static rill_status check_end(const reader *r, unsigned long long size)
{
    unsigned char more;
    uint64_t got;
    const rill_status status = r->stream->read(r->stream, &more, 1, &got);
    if (status != RILL_OK) return status;
    if (got)
        return rill_fail(RILL_USAGE, "the %s goes on after the %llu bytes of the image: the size is wrong",
                         r->stream->what, size);
    if (!r->stream->ended) return rill_fail(RILL_USAGE, "the %s is cut before its checksum", r->stream->what);
    return RILL_OK;
}

static rill_status read_slice(rill_image *image, uint32_t slice, void *grey)
{
    reader *r = image->reader;
    const uint64_t size = rill_image_slice_voxels(image) * rill_grey_size(image->type);
    const uint32_t slices = image->n[image->order[2]];
    rill_status status = RILL_OK;
    uint64_t got;
    if (slice < r->next)
        return rill_fail(RILL_USAGE, "slices of %s can only be read in order", r->stream->what);
    for (; r->next <= slice; r->next++) {
        RILL_TRY(r->stream->read(r->stream, grey, size, &got));
        if (got < size)
            return rill_fail(RILL_USAGE,
                             "the %s ends after %llu bytes, but %llu voxels of %s need %llu: it is cut",
                             r->stream->what, (unsigned long long)(r->next * size + got),
                             (unsigned long long)(rill_image_slice_voxels(image) * slices),
                             rill_grey_name(image->type), (unsigned long long)(size * slices));
    }
    if (r->next == slices && !r->tail) RILL_TRY(check_end(r, (unsigned long long)(size * slices)));
done:
    return status;
}

static void close_stream(rill_image *image)
{
    reader *r = image->reader;
    rill_stream_close(r->stream);
    free(r);
}

rill_status rill_image_read_stream(rill_image *image, rill_byte_stream *stream, uint64_t skip, bool tail)
{
    rill_status status = RILL_OK;
    unsigned char passed[4096];
    reader *r = malloc(sizeof *r);
    if (!r) {
        rill_stream_close(stream);
        return rill_fail(RILL_SYSTEM, "out of memory for reading the image");
    }
    *r = (reader){.stream = stream, .tail = tail};
    image->reader = r;
    image->close = close_stream;
    image->read = read_slice;
    for (uint64_t left = skip; left > 0;) {
        const uint64_t now = left < sizeof passed ? left : sizeof passed;
        RILL_TRY(rill_stream_read(stream, passed, now));
        left -= now;
    }
done:
    return status;
}

/* ---- inflating ------------------------------------------------------------------------------- */

enum { CHUNK = 1 << 18 };

typedef struct {
    rill_byte_stream stream;
    int fd;
    bool started, gzip; /* gzip: the first member was one */
    uint64_t offset;    /* of the next compressed byte */
    z_stream z;
    unsigned char chunk[CHUNK];
} inflater;

/* Have at least two bytes to look at, unless the file ends. */
static rill_status refill(inflater *s)
{
    size_t filled;
    if (s->z.avail_in >= 2) return RILL_OK;
    if (s->z.avail_in) memmove(s->chunk, s->z.next_in, s->z.avail_in);
    const rill_status status =
        rill_input_read(s->fd, s->offset, s->chunk + s->z.avail_in, CHUNK - s->z.avail_in, &filled);
    s->offset += filled;
    s->z.next_in = s->chunk;
    s->z.avail_in += (uInt)filled;
    return status;
}

static bool at_gzip(const inflater *s)
{
    return s->z.avail_in >= 2 && s->z.next_in[0] == 0x1f && s->z.next_in[1] == 0x8b;
}

static rill_status read_inflated(rill_byte_stream *stream, void *data, uint64_t count, uint64_t *got)
{
    inflater *s = (inflater *)stream;
    rill_status status = RILL_OK;
    *got = 0;
    while (*got < count && !stream->ended) {
        if (s->z.avail_in == 0) {
            RILL_TRY(refill(s));
            if (s->z.avail_in == 0) break;
            s->gzip = s->gzip || (s->z.total_in == 0 && at_gzip(s));
        }
        const uint64_t room = count - *got < 1u << 30 ? count - *got : 1u << 30;
        s->z.next_out = (unsigned char *)data + *got;
        s->z.avail_out = (uInt)room;
        const int code = inflate(&s->z, Z_NO_FLUSH);
        *got += room - s->z.avail_out;
        if (code == Z_STREAM_END) { /* gzip files may be several, one behind the other */
            RILL_TRY(refill(s));
            stream->ended = !s->gzip || !at_gzip(s);
            if (!stream->ended) inflateReset(&s->z);
        } else if (code == Z_MEM_ERROR)
            return rill_fail(RILL_SYSTEM, "out of memory for inflating the image");
        else if (code != Z_OK && code != Z_BUF_ERROR)
            return rill_fail(RILL_USAGE, "the compressed data is damaged: %s",
                             s->z.msg ? s->z.msg : "no reason given");
    }
done:
    return status;
}

static void close_inflated(rill_byte_stream *stream)
{
    inflater *s = (inflater *)stream;
    if (s->started) inflateEnd(&s->z);
    if (s->fd >= 0) close(s->fd);
    free(s);
}

rill_status rill_inflate_open(const char *path, uint64_t offset, rill_byte_stream **out)
{
    rill_status status = RILL_OK;
    uint64_t length;
    inflater *s = malloc(sizeof *s);
    if (!s) return rill_fail(RILL_SYSTEM, "out of memory for inflating the image");
    memset(s, 0, offsetof(inflater, chunk));
    s->stream = (rill_byte_stream){read_inflated, close_inflated, "compressed data", false};
    s->offset = offset;
    s->fd = -1;
    status = rill_input_open(path, &s->fd, &length);
    if (status != RILL_OK) {
        s->fd = -1;
        goto done;
    }
    /* 32: takes gzip and zlib headers alike. */
    if (inflateInit2(&s->z, MAX_WBITS + 32) != Z_OK)
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for inflating the image"));
    s->started = true;
    *out = &s->stream;
    s = NULL;
done:
    if (s) rill_stream_close(&s->stream);
    return status;
}
