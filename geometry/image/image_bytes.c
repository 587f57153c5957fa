/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Voxel bytes in a file, plain or deflated, and small helpers for text headers.
 * Lengths are checked when the image is opened; a deflated stream can only be checked while it is read.
 */
#include "geometry/image/image_priv.h"
#include "core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 1 << 18 };

typedef struct {
    int fd;
    uint64_t offset;     /* of the first voxel, or of the next compressed byte */
    bool started, ended; /* of the inflating */
    z_stream z;
    uint32_t next; /* deflated: the slice that comes next */
    unsigned char chunk[CHUNK];
} bytes;

rill_status rill_input_open(const char *path, int *fd, uint64_t *length)
{
    struct stat info;
    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO without a writer must not block */
    if (*fd < 0)
        return rill_fail(errno == ENOMEM || errno == EMFILE || errno == ENFILE ? RILL_SYSTEM : RILL_USAGE,
                         "cannot open it: %s", strerror(errno));
    if (fstat(*fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(*fd);
        return rill_fail(RILL_USAGE, "it is not a regular file");
    }
    *length = (uint64_t)info.st_size;
    return RILL_OK;
}

/* Read up to `count` bytes at `offset`, fewer at the end of the file. */
static rill_status read_some(int fd, uint64_t offset, void *data, size_t count, size_t *got)
{
    *got = 0;
    while (*got < count) {
        const ssize_t n = pread(fd, (char *)data + *got, count - *got, (off_t)(offset + *got));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return rill_fail(RILL_SYSTEM, "cannot read the image: %s", strerror(errno));
        if (n == 0) break;
        *got += (size_t)n;
    }
    return RILL_OK;
}

rill_status rill_file_head(const char *path, size_t limit, char **head, size_t *length)
{
    int fd;
    uint64_t whole;
    rill_status status = rill_input_open(path, &fd, &whole);
    if (status != RILL_OK) return status;
    char *text = NULL;
    if (whole == 0) {
        status = rill_fail(RILL_USAGE, "the file is empty");
        goto done;
    }
    text = calloc(limit + 1, 1);
    if (!text) {
        status = rill_fail(RILL_SYSTEM, "out of memory for %zu bytes of header", limit);
        goto done;
    }
    RILL_TRY(read_some(fd, 0, text, limit, length));
    *head = text;
    text = NULL;
done:
    free(text);
    close(fd);
    return status;
}

bool rill_text_integers(const char *text, uint64_t *values, int count)
{
    for (int i = 0; i < count; i++) {
        char *end;
        text += strspn(text, " \t");
        if (*text < '0' || *text > '9') return false;
        errno = 0;
        values[i] = strtoull(text, &end, 10);
        if (errno || (*end && *end != ' ' && *end != '\t')) return false;
        text = end;
    }
    return text[strspn(text, " \t")] == '\0';
}

bool rill_text_reals(const char *text, double *values, int count)
{
    for (int i = 0; i < count; i++) {
        char *end;
        values[i] = strtod(text, &end);
        if (end == text || (*end && *end != ' ' && *end != '\t')) return false;
        text = end;
    }
    return text[strspn(text, " \t")] == '\0';
}

static rill_status read_plain(rill_image *image, uint32_t slice, void *grey)
{
    const bytes *b = image->reader;
    const uint64_t size = rill_image_slice_voxels(image) * rill_grey_size(image->type);
    size_t got;
    rill_status status = RILL_OK;
    RILL_TRY(read_some(b->fd, b->offset + slice * size, grey, size, &got));
    if (got < size)
        return rill_fail(RILL_USAGE, "%s: slice %u has %zu of %llu bytes: the file was cut while it was read",
                         image->files[image->file_count - 1], slice, got, (unsigned long long)size);
done:
    return status;
}

/* Inflate `count` bytes, fewer at the end of the stream. */
static rill_status inflate_bytes(bytes *b, unsigned char *data, uint64_t count, uint64_t *got)
{
    rill_status status = RILL_OK;
    *got = 0;
    while (*got < count && !b->ended) {
        if (b->z.avail_in == 0) {
            size_t filled;
            RILL_TRY(read_some(b->fd, b->offset, b->chunk, CHUNK, &filled));
            if (filled == 0) break;
            b->offset += filled;
            b->z.next_in = b->chunk;
            b->z.avail_in = (uInt)filled;
        }
        const uint64_t room = count - *got < 1u << 30 ? count - *got : 1u << 30;
        b->z.next_out = data + *got;
        b->z.avail_out = (uInt)room;
        const int code = inflate(&b->z, Z_NO_FLUSH);
        *got += room - b->z.avail_out;
        if (code == Z_STREAM_END)
            b->ended = true;
        else if (code == Z_MEM_ERROR)
            return rill_fail(RILL_SYSTEM, "out of memory for inflating the image");
        else if (code != Z_OK && code != Z_BUF_ERROR)
            return rill_fail(RILL_USAGE, "the compressed data is damaged: %s",
                             b->z.msg ? b->z.msg : "no reason given");
    }
done:
    return status;
}

static rill_status read_deflated(rill_image *image, uint32_t slice, void *grey)
{
    bytes *b = image->reader;
    const uint64_t size = rill_image_slice_voxels(image) * rill_grey_size(image->type);
    const uint32_t slices = image->n[image->order[2]];
    rill_status status = RILL_OK;
    uint64_t got;
    if (slice < b->next) return rill_fail(RILL_USAGE, "slices of compressed data can only be read in order");
    for (; b->next <= slice; b->next++) {
        RILL_TRY(inflate_bytes(b, grey, size, &got));
        if (got < size)
            return rill_fail(
                RILL_USAGE,
                "the compressed data ends after %llu bytes, but %llu voxels of %s need %llu: it is cut",
                (unsigned long long)(b->next * size + got),
                (unsigned long long)(rill_image_slice_voxels(image) * slices), rill_grey_name(image->type),
                (unsigned long long)(size * slices));
    }
    if (b->next == slices && !b->ended) {
        unsigned char more;
        RILL_TRY(inflate_bytes(b, &more, 1, &got));
        if (got)
            return rill_fail(
                RILL_USAGE,
                "the compressed data goes on after the %llu bytes of the image: the size is wrong",
                (unsigned long long)(size * slices));
        if (!b->ended) return rill_fail(RILL_USAGE, "the compressed data is cut before its checksum");
    }
done:
    return status;
}

static void close_bytes(rill_image *image)
{
    bytes *b = image->reader;
    if (b->started) inflateEnd(&b->z);
    if (b->fd >= 0) close(b->fd);
    free(b);
}

/* Check the length of plain data, and find where it starts. */
static rill_status place(const rill_image *image, const rill_bytes_source *source, uint64_t length, bytes *b)
{
    const uint64_t voxels = (uint64_t)image->n[0] * image->n[1] * image->n[2];
    const uint64_t need = voxels * rill_grey_size(image->type);
    const uint64_t before =
        source->offset < 0 ? (length > need ? length - need : 0) : (uint64_t)source->offset;
    b->offset = before;
    if (source->deflated && before < length) return RILL_OK;
    if (before <= length && (source->tail ? length - before >= need : length - before == need))
        return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "%s has %llu bytes, but %u x %u x %u voxels of %s after %llu bytes of header make %llu: %s",
        source->path, (unsigned long long)length, image->n[0], image->n[1], image->n[2],
        rill_grey_name(image->type), (unsigned long long)before, (unsigned long long)(before + need),
        source->remedy);
}

rill_status rill_image_read_bytes(rill_image *image, const rill_bytes_source *source)
{
    rill_status status = RILL_OK;
    uint64_t length;
    bytes *b = malloc(sizeof *b);
    if (!b) return rill_fail(RILL_SYSTEM, "out of memory for reading the image");
    memset(b, 0, offsetof(bytes, chunk));
    b->fd = -1;
    image->reader = b;
    image->close = close_bytes;
    image->read = source->deflated ? read_deflated : read_plain;
    status = rill_input_open(source->path, &b->fd, &length);
    if (status != RILL_OK) {
        b->fd = -1;
        rill_fail_prefix("%s", source->path);
        return status;
    }
    RILL_TRY(place(image, source, length, b));
    RILL_TRY(rill_image_add_file(image, source->path));
    if (source->deflated) {
        /* 32: takes gzip and zlib headers alike. */
        if (inflateInit2(&b->z, MAX_WBITS + 32) != Z_OK)
            return rill_fail(RILL_SYSTEM, "out of memory for inflating the image");
        b->started = true;
    }
#ifdef POSIX_FADV_SEQUENTIAL
    posix_fadvise(b->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
done:
    return status;
}
