/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file hdf5_chunks.h
 * Chunks filtered by as many threads as there are: HDF5 itself filters one after the other.
 */
#ifndef RILL_IO_HDF5_CHUNKS_H
#define RILL_IO_HDF5_CHUNKS_H

#include "io/hdf5_priv.h"

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

#endif
