/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file stream.h
 * Voxel bytes that can be read only from the first to the last: inflated, unpacked from an archive, decoded
 * from text. Slices of such an image are read in order.
 */
#ifndef RILL_GEOMETRY_IMAGE_STREAM_H
#define RILL_GEOMETRY_IMAGE_STREAM_H

#include "geometry/image/image.h"

/** A stream. Implementations begin with this structure. */
typedef struct rill_byte_stream rill_byte_stream;
struct rill_byte_stream {
    /** Read `count` bytes, fewer at the end. @return RILL_USAGE for damaged data */
    rill_status (*read)(rill_byte_stream *stream, void *data, uint64_t count, uint64_t *got);
    void (*close)(rill_byte_stream *stream); /**< frees the stream */
    const char *what;                        /**< "compressed data" */
    bool ended;                              /**< the stream was read to its proper end, checksum included */
};

/** Open gzip or zlib data at `offset` of a file as a stream. */
rill_status rill_inflate_open(const char *path, uint64_t offset, rill_byte_stream **out);

/** Close a stream; NULL is allowed. */
void rill_stream_close(rill_byte_stream *stream);

/** Read exactly `count` bytes. @return RILL_USAGE when the stream ends before */
rill_status rill_stream_read(rill_byte_stream *stream, void *data, uint64_t count);

/**
 * Let an image read its slices from a stream, in order.
 * @param[in] stream  the image closes it, also on failure
 * @param[in] skip    bytes to pass over before the first voxel
 * @param[in] tail    bytes after the last voxel are allowed
 */
rill_status rill_image_read_stream(rill_image *image, rill_byte_stream *stream, uint64_t skip, bool tail);

#endif
