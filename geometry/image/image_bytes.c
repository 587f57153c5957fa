/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Voxel bytes in a file, and small helpers for text headers. Lengths are checked when the image is opened; a
 * stream (stream.h) can only be checked while it is read.
 */
#include "core/decimal.h"
#include "core/reading.h"
#include "geometry/image/image_priv.h"
#include "geometry/image/stream.h"
#include "geometry/image/text_numbers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { POINTER_MOST = 1024 /* bytes of a Git LFS pointer are fewer */ };

typedef struct {
    int fd;
    uint64_t offset; /* of the first voxel */
} bytes;

static bool is_stdin(const char *path) { return strcmp(path, "-") == 0; }

const char *rill_input_path(const char *path) { return is_stdin(path) ? "/dev/stdin" : path; }

const char *rill_input_title(const char *path) { return is_stdin(path) ? "standard input" : path; }

rill_status rill_input_open(const char *path, int *fd, uint64_t *length)
{
    struct stat info;
    *fd = open(rill_input_path(path),
               O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO without a writer must not block */
    if (*fd < 0) return rill_fail_reading(errno, rill_input_path(path), "cannot open it");
    if (fstat(*fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(*fd);
        return rill_fail(RILL_USAGE, "it is not a regular file");
    }
    *length = (uint64_t)info.st_size;
    return RILL_OK;
}

rill_status rill_input_read(int fd, uint64_t offset, void *data, size_t count, size_t *got)
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
    RILL_TRY(rill_input_read(fd, 0, text, limit, length));
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
        const char *end = rill_decimal_at(text + strspn(text, " \t"), &values[i]);
        if (!end || (*end && *end != ' ' && *end != '\t')) return false;
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
    RILL_TRY(rill_input_read(b->fd, b->offset + slice * size, grey, size, &got));
    if (got < size)
        return rill_fail(RILL_USAGE, "%s: slice %u has %zu of %llu bytes: the file was cut while it was read",
                         image->files[image->file_count - 1], slice, got, (unsigned long long)size);
done:
    return status;
}

static void close_bytes(rill_image *image)
{
    bytes *b = image->reader;
    if (b->fd >= 0) close(b->fd);
    free(b);
}

rill_status rill_image_check_pointer(const char *path)
{
    char *head = NULL;
    size_t length;
    if (rill_file_head(path, 64, &head, &length) != RILL_OK) return RILL_OK;
    const rill_status status = rill_image_refuse_pointer(head, length);
    if (status != RILL_OK) rill_fail_prefix("%s", path);
    free(head);
    return status;
}

/* Check the length of plain data, and find where it starts. */
static rill_status place(const rill_image *image, const rill_bytes_source *source, uint64_t length,
                         uint64_t *offset)
{
    const uint64_t voxels = (uint64_t)image->n[0] * image->n[1] * image->n[2];
    const uint64_t need = voxels * rill_grey_size(image->type);
    const uint64_t before =
        source->offset < 0 ? (length > need ? length - need : 0) : (uint64_t)source->offset;
    const rill_status elsewhere = length < POINTER_MOST ? rill_image_check_pointer(source->path) : RILL_OK;
    if (elsewhere != RILL_OK) return elsewhere;
    *offset = before;
    if ((source->deflated || source->text) && before < length) return RILL_OK;
    if (before <= length && (source->tail ? length - before >= need : length - before == need))
        return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "%s has %llu bytes, but %u x %u x %u voxels of %s after %llu bytes of header make %llu: %s",
        source->path, (unsigned long long)length, image->n[0], image->n[1], image->n[2],
        rill_grey_name(image->type), (unsigned long long)before, (unsigned long long)(before + need),
        source->remedy);
}

/* Let the image read an open file at random. */
static rill_status read_file(rill_image *image, int fd, uint64_t offset)
{
    bytes *b = malloc(sizeof *b);
    if (!b) return rill_fail(RILL_SYSTEM, "out of memory for reading the image");
    *b = (bytes){fd, offset};
    image->reader = b;
    image->close = close_bytes;
    image->read = read_plain;
    image->threaded = true;
#ifdef POSIX_FADV_SEQUENTIAL
    posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
    return RILL_OK;
}

rill_status rill_image_read_bytes(rill_image *image, const rill_bytes_source *source)
{
    uint64_t length, offset = 0;
    rill_byte_stream *stream = NULL;
    int fd = -1;
    rill_status status = rill_input_open(source->path, &fd, &length);
    if (status != RILL_OK) {
        rill_fail_prefix("%s", source->path);
        return status;
    }
    RILL_TRY(place(image, source, length, &offset));
    RILL_TRY(rill_image_add_file(image, source->path));
    if (source->deflated) {
        RILL_TRY(rill_inflate_open(source->path, offset, &stream));
        RILL_TRY(rill_image_read_stream(image, stream, source->skip, source->tail));
    } else if (source->text) {
        image->swap = false;
        RILL_TRY(rill_numbers_open(source->path, offset, image->type, &stream));
        RILL_TRY(rill_image_read_stream(image, stream, 0, false));
    } else {
        RILL_TRY(read_file(image, fd, offset));
        fd = -1;
    }
done:
    if (fd >= 0) close(fd);
    return status;
}
