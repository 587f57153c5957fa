/* SPDX-License-Identifier: Apache-2.0 */
/* Large datasets written in pieces: rows as they come, and arrays without their empty chunks. */
#include "io/hdf5_chunks.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_ELEMENTS = 65536 };

struct rill_h5_stream {
    rill_h5_file *file; /* borrowed, as is path */
    const char *path;
    rill_h5_type type;
    uint64_t width;    /* elements of a row, 0: one, without an axis of its own */
    size_t row;        /* bytes of a row */
    uint64_t capacity; /* rows of a chunk */
    uint64_t held;     /* rows not yet in the file */
    uint64_t written;  /* rows in the file */
    char *data;        /* [capacity][row] */
};

void rill_h5_version(unsigned version[3]) { H5get_libversion(&version[0], &version[1], &version[2]); }

size_t rill_h5_size(rill_h5_type type)
{
    static const size_t sizes[] = {1, 4, 8, 8, 4, 8, 0};
    return sizes[type];
}

rill_status rill_h5_stream_create(rill_h5_file *file, const char *path, rill_h5_type type, uint64_t width,
                                  int deflate, rill_h5_stream **out)
{
    rill_status status = RILL_OK;
    const uint64_t elements = width ? width : 1;
    const rill_h5_layout layout = {.type = type,
                                   .rank = width ? 2 : 1,
                                   .dims = {0, elements},
                                   .chunk = {CHUNK_ELEMENTS / elements, elements},
                                   .deflate = deflate,
                                   .extendable = true};
    rill_h5_stream *stream = calloc(1, sizeof *stream);
    if (!stream) return rill_fail(RILL_SYSTEM, "out of memory for writing %s", path);
    *stream = (rill_h5_stream){.file = file,
                               .path = path,
                               .type = type,
                               .width = width,
                               .row = elements * rill_h5_size(type),
                               .capacity = CHUNK_ELEMENTS / elements};
    stream->data = malloc(stream->capacity * stream->row);
    if (!stream->data) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for writing %s", path));
    RILL_TRY(rill_h5_dataset_create(file, path, &layout));
    *out = stream;
    stream = NULL;
done:
    rill_h5_stream_destroy(stream);
    return status;
}

rill_status rill_h5_stream_flush(rill_h5_stream *stream)
{
    rill_status status = RILL_OK;
    const uint64_t start[2] = {stream->written, 0}, count[2] = {stream->held, stream->width};
    if (stream->held == 0) return RILL_OK;
    RILL_TRY(rill_h5_extend(stream->file, stream->path, stream->written + stream->held));
    RILL_TRY(rill_h5_write(stream->file, stream->path, stream->type, start, count, stream->data));
    stream->written += stream->held;
    stream->held = 0;
done:
    return status;
}

rill_status rill_h5_stream_append(rill_h5_stream *stream, uint64_t rows, const void *data)
{
    rill_status status = RILL_OK;
    const char *next = data;
    while (rows > 0) {
        const uint64_t room = stream->capacity - stream->held, now = rows < room ? rows : room;
        memcpy(stream->data + stream->held * stream->row, next, now * stream->row);
        next += now * stream->row;
        rows -= now;
        stream->held += now;
        if (stream->held == stream->capacity) RILL_TRY(rill_h5_stream_flush(stream));
    }
done:
    return status;
}

uint64_t rill_h5_stream_rows(const rill_h5_stream *stream) { return stream->written + stream->held; }

void rill_h5_stream_destroy(rill_h5_stream *stream)
{
    if (!stream) return;
    free(stream->data);
    free(stream);
}

/* ---- sparse arrays --------------------------------------------------------------------------- */

/* Chunks that are filtered before they are written one after the other. */
enum { TOGETHER = 64 };

typedef struct filtered {
    uint64_t at[RILL_H5_RANK];
    size_t bytes; /* 0: nothing but 0, is not written */
    bool failed;
} filtered;

static filtered chunk_filter(const rill_h5_cutting *c, const rill_h5_filters *filters, const char *array,
                             uint64_t number, char *scratch, char *to)
{
    filtered f = {.bytes = 0};
    rill_h5_chunk_place(c, number, f.at);
    if (!rill_h5_chunk_copy(c, f.at, array, scratch)) return f;
    f.bytes = rill_h5_filter(filters, (unsigned char *)scratch, c->bytes, (unsigned char *)to);
    f.failed = f.bytes == 0;
    return f;
}

rill_status rill_h5_write_sparse(rill_h5_file *file, const char *path, uint64_t start, uint64_t rows,
                                 const void *data)
{
    RILL_H5_QUIET;
    rill_status status = RILL_OK;
    rill_h5_layout layout;
    rill_h5_filters filters;
    char *scratch = NULL, *done_chunks = NULL;
    filtered list[TOGETHER];
    const hid_t dataset = rill_h5_object(file, path);
    RILL_TRY(rill_h5_dataset_layout(file, path, &layout));
    const rill_h5_cutting c = rill_h5_cut(&layout, rows);
    if (dataset < 0 || !rill_h5_filters_of(dataset, c.element, &filters))
        RILL_TRY(rill_h5_fail(file, "%s has filters that are not known", path));
    const size_t room = rill_h5_filtered_room(c.bytes);
    const uint64_t most = c.count < TOGETHER ? c.count : TOGETHER;
    scratch = malloc(most * room);
    done_chunks = malloc(most * room);
    if (!scratch || !done_chunks) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for chunks of %s", path));
    for (uint64_t first = 0; first < c.count; first += TOGETHER) {
        const uint64_t now = c.count - first < TOGETHER ? c.count - first : TOGETHER;
#pragma omp parallel for schedule(dynamic)
        for (uint64_t k = 0; k < now; k++)
            list[k] = chunk_filter(&c, &filters, data, first + k, scratch + k * room, done_chunks + k * room);
        for (uint64_t k = 0; k < now; k++) {
            hsize_t at[RILL_H5_RANK] = {0};
            for (int a = 0; a < layout.rank; a++) at[a] = list[k].at[c.pad + a] + (a == 0 ? start : 0);
            if (list[k].failed) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for chunks of %s", path));
            if (list[k].bytes &&
                H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, at, list[k].bytes, done_chunks + k * room) < 0)
                RILL_TRY(rill_h5_fail(file, "no data in %s", path));
            RILL_TRY(rill_h5_check(file));
        }
    }
done:
    rill_h5_release(dataset);
    free(scratch);
    free(done_chunks);
    return status;
}
