/* SPDX-License-Identifier: Apache-2.0 */
/* Large datasets written in pieces: rows as they come, and arrays without their empty chunks. */
#include "io/hdf5_priv.h"

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

/* Copies a block out of an array of four axes; returns whether it holds anything but 0. */
static bool block_copy(const char *array, const uint64_t dims[4], const uint64_t at[4],
                       const uint64_t count[4], size_t element, char *block)
{
    unsigned char any = 0;
    const size_t line = count[3] * element;
    for (uint64_t i = 0; i < count[0]; i++)
        for (uint64_t j = 0; j < count[1]; j++)
            for (uint64_t k = 0; k < count[2]; k++) {
                const uint64_t row = ((at[0] + i) * dims[1] + at[1] + j) * dims[2] + at[2] + k;
                const char *from = array + (row * dims[3] + at[3]) * element;
                memcpy(block, from, line);
                for (size_t b = 0; b < line; b++) any |= (unsigned char)from[b];
                block += line;
            }
    return any != 0;
}

rill_status rill_h5_write_sparse(rill_h5_file *file, const char *path, uint64_t start, uint64_t rows,
                                 const void *data)
{
    rill_status status = RILL_OK;
    rill_h5_layout layout;
    char *block = NULL;
    RILL_TRY(rill_h5_dataset_layout(file, path, &layout));
    const size_t element = rill_h5_size(layout.type);
    /* Arrays of fewer than four axes get leading axes of length 1. */
    const int pad = RILL_H5_RANK - layout.rank;
    uint64_t dims[RILL_H5_RANK] = {1, 1, 1, 1}, chunk[RILL_H5_RANK] = {1, 1, 1, 1}, at[RILL_H5_RANK],
             count[RILL_H5_RANK];
    uint64_t chunks = 1;
    for (int a = 0; a < layout.rank; a++) {
        dims[pad + a] = a == 0 ? rows : layout.dims[a];
        chunk[pad + a] = layout.chunk[a];
    }
    for (int a = 0; a < RILL_H5_RANK; a++) chunks *= (dims[a] + chunk[a] - 1) / chunk[a];
    block = malloc(chunk[0] * chunk[1] * chunk[2] * chunk[3] * element);
    if (!block) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a chunk of %s", path));
    for (uint64_t c = 0; c < chunks; c++) {
        uint64_t rest = c;
        for (int a = RILL_H5_RANK - 1; a >= 0; a--) {
            const uint64_t along = (dims[a] + chunk[a] - 1) / chunk[a];
            at[a] = rest % along * chunk[a];
            count[a] = dims[a] - at[a] < chunk[a] ? dims[a] - at[a] : chunk[a];
            rest /= along;
        }
        if (!block_copy(data, dims, at, count, element, block)) continue;
        at[pad] += start;
        RILL_TRY(rill_h5_write(file, path, layout.type, at + pad, count + pad, block));
    }
done:
    free(block);
    return status;
}
