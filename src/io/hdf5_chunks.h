/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file hdf5_chunks.h
 * Chunks filtered by as many threads as there are: HDF5 itself filters one after the other.
 */
#ifndef RILL_IO_HDF5_CHUNKS_H
#define RILL_IO_HDF5_CHUNKS_H

#include "io/hdf5_priv.h"

/** An array of at most four axes, cut into chunks; fewer axes get leading ones of length 1. */
typedef struct rill_h5_cutting {
    size_t element, bytes; /**< of an element, of a chunk */
    int pad;               /**< leading axes */
    uint64_t dims[RILL_H5_RANK], chunk[RILL_H5_RANK], count;
} rill_h5_cutting;

/** Cut `rows` rows of a dataset. */
rill_h5_cutting rill_h5_cut(const rill_h5_layout *layout, uint64_t rows);

/** Find where a chunk begins. */
void rill_h5_chunk_place(const rill_h5_cutting *cutting, uint64_t number, uint64_t at[RILL_H5_RANK]);

/** Copy a chunk out of an array; what lies beyond its edges is 0. @return whether it holds anything but 0 */
bool rill_h5_chunk_copy(const rill_h5_cutting *cutting, const uint64_t at[RILL_H5_RANK], const char *array,
                        char *chunk);

/** Put a chunk where it belongs in an array, NULL: zeros. */
void rill_h5_chunk_put(const rill_h5_cutting *cutting, const uint64_t at[RILL_H5_RANK], const char *chunk,
                       char *array);

/** The filters of a dataset, in their order. */
typedef struct rill_h5_filters {
    H5Z_filter_t kind[3]; /**< H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE or H5Z_FILTER_FLETCHER32 */
    int count, level;     /**< level: of deflate */
    size_t element;       /**< bytes */
} rill_h5_filters;

/** Find the filters of a dataset. @return false when there are others */
bool rill_h5_filters_of(hid_t dataset, size_t element, rill_h5_filters *out);

/** Return the bytes that a chunk may take when it is filtered. */
size_t rill_h5_filtered_room(size_t bytes);

/**
 * Filter a chunk. @param[in,out] chunk  [bytes], overwritten @param[out] filtered  of rill_h5_filtered_room()
 * @return its bytes, 0 when it cannot be filtered
 */
size_t rill_h5_filter(const rill_h5_filters *filters, unsigned char *chunk, size_t bytes,
                      unsigned char *filtered);

/**
 * Undo filters. @param[in,out] filtered  overwritten, as is `chunk` if this fails; both of
 * rill_h5_filtered_room(bytes) @param[out] chunk  [bytes]
 * @return false when it is not what these filters make of `bytes` bytes, or a checksum is wrong
 */
bool rill_h5_unfilter(const rill_h5_filters *filters, unsigned char *filtered, size_t filtered_bytes,
                      unsigned char *chunk, size_t bytes);

/**
 * Read a whole dataset by as many threads as there are. @param type  what `data` is made of
 * @return false when it must be left to HDF5: small, not in chunks, of another type, damaged
 */
bool rill_h5_read_chunks(hid_t dataset, const rill_h5_layout *layout, hid_t type, void *data);

#endif
