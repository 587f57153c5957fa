/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses what is fastest on a device. */
#include "sim/choose.h"

#include "kernel/lattice.h"
#include "kernel/storage/storage.h"
#include "kernel/storage/stream.h"

/* Most nodes of a ring buffer, whose entries have numbers of 32 bits: up to as many again are additional. */
#define RING_MOST ((uint64_t)1 << 31)

/* Whether two arrays of populations take less than half of the memory that is free. */
static bool two_arrays_fit(rill_variant v, uint64_t nodes, uint64_t room)
{
    return nodes < UINT64_MAX / 1024 && 2 * nodes *
                                                (uint64_t)(rill_stream_rows((int)v.lattice, (int)v.stream) *
                                                           rill_storage_size((int)v.storage)) <=
                                            room / 2;
}

const char *rill_variant_choose(rill_variant *v, rill_device *device, uint64_t nodes, bool stream,
                                bool addressing)
{
    uint64_t room = 0;
    const char *asked = stream || addressing ? "as requested, else the fastest" : NULL;
    if (stream && addressing) return "as requested";
    if (device->backend->traits.processor) {
        if (!addressing && rill_stream_macroscopic((int)v->stream)) v->addressing = RILL_BITMAP;
        return asked ? asked : "fastest on a CPU";
    }
    if (rill_device_available(device, &room) != RILL_OK)
        room = 0; /* the allocation will fail with a message */
    if (!addressing && !(stream && rill_stream_esoteric(v->stream))) v->addressing = RILL_BITMAP;
    /* A ring buffer gains too little with few bytes: in 16 bits AA is 8 to 20 % faster in large domains
     * (D3Q19), as fast in small ones. */
    const bool ring = nodes < RING_MOST && rill_storage_size((int)v->storage) > 2;
    if (!stream)
        v->stream = v->addressing != RILL_BITMAP      ? RILL_AA
                    : two_arrays_fit(*v, nodes, room) ? RILL_PULL
                    : ring                            ? RILL_RING
                                                      : RILL_AA;
    return asked                    ? asked
           : v->stream == RILL_PULL ? "fastest on a GPU: no index list, writes in whole lines; two arrays fit"
           : v->stream == RILL_RING
               ? "fastest in one array on a GPU: no index list, writes in whole lines; two would not fit well"
               : "fastest in one array on a GPU for so many nodes or so few bits: no index list";
}

const char *rill_variant_choose_for(rill_variant *v, rill_device *device, const rill_geom *geom, bool stream,
                                    bool addressing)
{
    const uint64_t nodes = device->backend->traits.processor
                               ? 0
                               : rill_geom_fluid(geom); /* on a host the number plays no part */
    return rill_variant_choose(v, device, nodes, stream, addressing);
}
