/* SPDX-License-Identifier: Apache-2.0 */
/* What HDF5's filters do, so that threads can do it: HDF5 File Format Specification, "Filter Pipeline". */
#include "io/hdf5_chunks.h"

#include <string.h>
#include <zlib.h>

rill_h5_cutting rill_h5_cut(const rill_h5_layout *layout, uint64_t rows)
{
    rill_h5_cutting c = {.element = rill_h5_size(layout->type),
                         .pad = RILL_H5_RANK - layout->rank,
                         .dims = {1, 1, 1, 1},
                         .chunk = {1, 1, 1, 1},
                         .count = 1};
    for (int a = 0; a < layout->rank; a++) {
        c.dims[c.pad + a] = a == 0 ? rows : layout->dims[a];
        c.chunk[c.pad + a] = layout->chunk[a];
    }
    c.bytes = c.element;
    for (int a = 0; a < RILL_H5_RANK; a++) {
        c.count *= (c.dims[a] + c.chunk[a] - 1) / c.chunk[a];
        c.bytes *= c.chunk[a];
    }
    return c;
}

void rill_h5_chunk_place(const rill_h5_cutting *c, uint64_t number, uint64_t at[RILL_H5_RANK])
{
    for (int a = RILL_H5_RANK - 1; a >= 0; a--) {
        const uint64_t along = (c->dims[a] + c->chunk[a] - 1) / c->chunk[a];
        at[a] = number % along * c->chunk[a];
        number /= along;
    }
}

/* The lines of a chunk that lie within the array: where they are in it and in the chunk, in bytes. */
typedef struct lines {
    uint64_t count[RILL_H5_RANK];
    size_t bytes; /* of a line */
} lines;

static lines lines_of(const rill_h5_cutting *c, const uint64_t at[RILL_H5_RANK])
{
    lines l;
    for (int a = 0; a < RILL_H5_RANK; a++)
        l.count[a] = c->dims[a] - at[a] < c->chunk[a] ? c->dims[a] - at[a] : c->chunk[a];
    l.bytes = l.count[3] * c->element;
    return l;
}

static void line_of(const rill_h5_cutting *c, const uint64_t at[RILL_H5_RANK], const lines *l,
                    uint64_t number, size_t *in_array, size_t *in_chunk)
{
    const uint64_t k = number % l->count[2], j = number / l->count[2] % l->count[1],
                   i = number / l->count[2] / l->count[1];
    const uint64_t row = ((at[0] + i) * c->dims[1] + at[1] + j) * c->dims[2] + at[2] + k;
    *in_array = (row * c->dims[3] + at[3]) * c->element;
    *in_chunk = ((i * c->chunk[1] + j) * c->chunk[2] + k) * c->chunk[3] * c->element;
}

bool rill_h5_chunk_copy(const rill_h5_cutting *c, const uint64_t at[RILL_H5_RANK], const char *array,
                        char *chunk)
{
    unsigned char any = 0;
    const lines l = lines_of(c, at);
    if (memcmp(l.count, c->chunk, sizeof l.count) != 0) memset(chunk, 0, c->bytes);
    for (uint64_t n = 0; n < l.count[0] * l.count[1] * l.count[2]; n++) {
        size_t from, to;
        line_of(c, at, &l, n, &from, &to);
        memcpy(chunk + to, array + from, l.bytes);
        for (size_t b = 0; b < l.bytes; b++) any |= (unsigned char)array[from + b];
    }
    return any != 0;
}

void rill_h5_chunk_put(const rill_h5_cutting *c, const uint64_t at[RILL_H5_RANK], const char *chunk,
                       char *array)
{
    const lines l = lines_of(c, at);
    for (uint64_t n = 0; n < l.count[0] * l.count[1] * l.count[2]; n++) {
        size_t from, to;
        line_of(c, at, &l, n, &to, &from);
        if (chunk)
            memcpy(array + to, chunk + from, l.bytes);
        else
            memset(array + to, 0, l.bytes);
    }
}

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

/* First bytes of all elements, then second bytes, back into elements. */
static void unshuffle(const unsigned char *from, size_t bytes, size_t element, unsigned char *to)
{
    const size_t count = bytes / element;
    for (size_t b = 0; b < element; b++)
        for (size_t k = 0; k < count; k++) to[k * element + b] = *from++;
}

bool rill_h5_unfilter(const rill_h5_filters *filters, unsigned char *filtered, size_t filtered_bytes,
                      unsigned char *chunk, size_t bytes)
{
    const size_t room = rill_h5_filtered_room(bytes);
    unsigned char *from = filtered, *to = chunk;
    size_t size = filtered_bytes;
    for (int k = filters->count - 1; k >= 0; k--) {
        if (filters->kind[k] == H5Z_FILTER_FLETCHER32) {
            if (size < sizeof(uint32_t)) return false;
            size -= sizeof(uint32_t);
            uint32_t sum = 0;
            for (int b = 0; b < 4; b++) sum |= (uint32_t)from[size + (size_t)b] << 8 * b;
            if (sum != fletcher(from, size)) return false;
            continue;
        }
        if (filters->kind[k] == H5Z_FILTER_SHUFFLE) {
            if (size != bytes) return false;
            unshuffle(from, size, filters->element, to);
        } else {
            uLongf inflated = (uLongf)room;
            if (uncompress(to, &inflated, from, (uLong)size) != Z_OK) return false;
            size = inflated;
        }
        unsigned char *swap = from;
        from = to;
        to = swap;
    }
    if (size != bytes) return false;
    if (from != chunk) memcpy(chunk, from, bytes);
    return true;
}
