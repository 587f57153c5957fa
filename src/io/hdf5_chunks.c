/* SPDX-License-Identifier: Apache-2.0 */
/* What HDF5's filters do, so that threads can do it: HDF5 File Format Specification, "Filter Pipeline". */
#include "io/hdf5_chunks.h"

#include <string.h>
#include <zlib.h>

bool rill_h5_filters_of(hid_t dataset, size_t element, rill_h5_filters *out)
{
    const hid_t properties = H5Dget_create_plist(dataset);
    const int count = properties < 0 ? -1 : H5Pget_nfilters(properties);
    bool known = count >= 0 && count <= 3;
    *out = (rill_h5_filters){.count = count, .element = element};
    for (int k = 0; k < count && known; k++) {
        unsigned flags, values[8] = {0}, config;
        size_t value_count = sizeof values / sizeof *values;
        out->kind[k] =
            H5Pget_filter2(properties, (unsigned)k, &flags, &value_count, values, 0, NULL, &config);
        if (out->kind[k] == H5Z_FILTER_DEFLATE) out->level = (int)values[0];
        known = out->kind[k] == H5Z_FILTER_SHUFFLE || out->kind[k] == H5Z_FILTER_DEFLATE ||
                out->kind[k] == H5Z_FILTER_FLETCHER32;
    }
    rill_h5_release(properties);
    return known;
}

size_t rill_h5_filtered_room(size_t bytes) { return compressBound((uLong)bytes) + sizeof(uint32_t); }

/* First bytes of all elements, then second bytes, and so on. */
static void shuffle(const unsigned char *from, size_t bytes, size_t element, unsigned char *to)
{
    const size_t count = bytes / element;
    for (size_t b = 0; b < element; b++)
        for (size_t k = 0; k < count; k++) *to++ = from[k * element + b];
}

/* Fletcher's checksum of words of two bytes, the high one first, with carries added at the end around. */
static uint32_t fletcher(const unsigned char *data, size_t bytes)
{
    enum { most = 360 }; /* words before a sum may overflow */
    uint32_t once = 0, twice = 0;
    for (size_t k = 0; k < bytes;) {
        for (int n = 0; n < most && k < bytes; n++, k += 2) {
            once += (uint32_t)data[k] << 8 | (k + 1 < bytes ? data[k + 1] : 0);
            twice += once;
        }
        once = (once & 0xffff) + (once >> 16);
        twice = (twice & 0xffff) + (twice >> 16);
    }
    once = (once & 0xffff) + (once >> 16);
    twice = (twice & 0xffff) + (twice >> 16);
    return twice << 16 | once;
}

size_t rill_h5_filter(const rill_h5_filters *filters, unsigned char *chunk, size_t bytes,
                      unsigned char *filtered)
{
    const size_t room = rill_h5_filtered_room(bytes);
    unsigned char *from = chunk, *to = filtered;
    for (int k = 0; k < filters->count; k++) {
        if (filters->kind[k] == H5Z_FILTER_FLETCHER32) {
            const uint32_t sum = fletcher(from, bytes);
            for (int b = 0; b < 4; b++) from[bytes++] = (unsigned char)(sum >> 8 * b);
            continue;
        }
        if (filters->kind[k] == H5Z_FILTER_SHUFFLE) {
            shuffle(from, bytes, filters->element, to);
        } else {
            uLongf size = (uLongf)room;
            if (compress2(to, &size, from, (uLong)bytes, filters->level) != Z_OK) return 0;
            bytes = size;
        }
        unsigned char *swap = from;
        from = to;
        to = swap;
    }
    if (from != filtered) memcpy(filtered, from, bytes);
    return bytes;
}
