/* SPDX-License-Identifier: Apache-2.0 */
/* Whole datasets read by all threads: HDF5 itself undoes the filters of one chunk after the other. */
#include "io/hdf5_chunks.h"

#include <stdlib.h>

/* Bytes from which it is worth it, of the largest chunk that is held, and chunks that are held at once. */
enum { WORTH = 1 << 16, CHUNK_MOST = 1 << 24, TOGETHER = 256 };

/* A chunk as it is in the file. */
typedef struct stored {
    uint64_t at[RILL_H5_RANK];
    size_t bytes; /* 0: was never written */
} stored;

static bool suits(hid_t dataset, const rill_h5_layout *layout, hid_t type, const rill_h5_cutting *c)
{
    uint64_t size = c->element;
    for (int a = 0; a < layout->rank; a++) size *= layout->dims[a];
    if (size < WORTH || c->bytes > CHUNK_MOST) return false;
    const hid_t own = H5Dget_type(dataset), properties = H5Dget_create_plist(dataset);
    H5D_fill_value_t fill = H5D_FILL_VALUE_ERROR;
    const bool same = H5Tequal(own, type) > 0,
               zero = H5Pfill_value_defined(properties, &fill) >= 0 && fill != H5D_FILL_VALUE_USER_DEFINED;
    rill_h5_release(properties);
    rill_h5_release(own);
    return same && zero;
}

/* Take a chunk out of the file. HDF5 1.10 and later know no size of one that was never written. */
static bool fetch(hid_t dataset, const rill_h5_cutting *c, int rank, uint64_t number, size_t room,
                  unsigned char *to, stored *s)
{
    hsize_t at[RILL_H5_RANK] = {0}, bytes = 0;
    uint32_t left_out = 0; /* filters that were not used for this chunk */
    rill_h5_chunk_place(c, number, s->at);
    for (int a = 0; a < rank; a++) at[a] = s->at[c->pad + a];
    if (H5Dget_chunk_storage_size(dataset, at, &bytes) < 0) bytes = 0;
    if (bytes > room) return false;
    s->bytes = bytes;
    return bytes == 0 || (H5Dread_chunk(dataset, H5P_DEFAULT, at, &left_out, to) >= 0 && left_out == 0);
}

/* Return whether so many chunks were written: others that were not found are damaged. */
static bool is_all(hid_t dataset, uint64_t found)
{
    hsize_t written = 0;
    const hid_t space = H5Dget_space(dataset);
    const bool known = H5Dget_num_chunks(dataset, space, &written) >= 0;
    rill_h5_release(space);
    return known && written == found;
}

bool rill_h5_read_chunks(hid_t dataset, const rill_h5_layout *layout, hid_t type, void *data)
{
    rill_h5_filters filters;
    stored list[TOGETHER];
    bool good = true;
    uint64_t found = 0;
    if (layout->rank == 0 || layout->chunk[0] == 0) return false;
    const rill_h5_cutting c = rill_h5_cut(layout, layout->dims[0]);
    if (!suits(dataset, layout, type, &c) || !rill_h5_filters_of(dataset, c.element, &filters)) return false;
    const size_t room = rill_h5_filtered_room(c.bytes);
    const uint64_t fits = CHUNK_MOST / c.bytes, held = fits < 1 ? 1 : fits < TOGETHER ? fits : TOGETHER;
    unsigned char *filtered = malloc(held * room), *chunks = malloc(held * room);
    good = filtered && chunks;
    for (uint64_t first = 0; first < c.count && good; first += held) {
        const uint64_t now = c.count - first < held ? c.count - first : held;
        for (uint64_t k = 0; k < now && good; k++) {
            good = fetch(dataset, &c, layout->rank, first + k, room, filtered + k * room, &list[k]);
            found += list[k].bytes > 0;
        }
        if (!good) break;
#pragma omp parallel for schedule(dynamic) reduction(&& : good)
        for (uint64_t k = 0; k < now; k++) {
            unsigned char *chunk = chunks + k * room;
            const bool whole = list[k].bytes == 0 ||
                               rill_h5_unfilter(&filters, filtered + k * room, list[k].bytes, chunk, c.bytes);
            if (whole) rill_h5_chunk_put(&c, list[k].at, list[k].bytes ? (const char *)chunk : NULL, data);
            good = good && whole;
        }
    }
    free(filtered);
    free(chunks);
    return good && is_all(dataset, found);
}
