/* SPDX-License-Identifier: Apache-2.0 */
/* Takes and counts memory, that of a device in the pieces in which it gives it. */
#include "device/room.h"

#include "core/memory.h"

/* Arrays of a device begin at multiples of so many bytes. */
enum { ALIGNED = 512 };

static uint64_t whole(uint64_t bytes, uint64_t granule)
{
    return granule ? (bytes + granule - 1) / granule * granule : bytes;
}

static bool takes(const rill_room *room) { return room->device && room->status == RILL_OK; }

void rill_room_array(rill_room *room, uint64_t bytes, void **out)
{
    room->host += bytes;
    if (takes(room)) room->status = rill_array_create(bytes, 1, room->what, out);
}

void rill_room_alloc(rill_room *room, uint64_t bytes, void **out)
{
    rill_room_add(room, bytes);
    if (takes(room)) room->status = rill_device_alloc(room->device, bytes, room->what, out);
}

void rill_room_share(rill_room *room, const void *host, uint64_t bytes, const void **out)
{
    if (room->backend->host)
        room->held += bytes;
    else
        rill_room_add(room, bytes);
    if (takes(room)) room->status = rill_device_share(room->device, host, bytes, room->what, out);
}

void rill_room_add(rill_room *room, uint64_t bytes)
{
    const uint64_t granule = room->backend->memory.granule, size = whole(bytes, granule ? ALIGNED : 0);
    room->held += bytes;
    if (granule && bytes > granule / 2) {
        room->large += whole(bytes, granule);
    } else {
        room->small += size;
        if (granule && bytes) room->sizes[(bytes - 1) / (granule / 2 / RILL_ROOM_SIZES)]++;
    }
}

/* Return the most granules that small arrays can need. Granule i + 1 begins with an array that i has no room
 * for, so that both together are larger than a granule: summed over all but the last, which holds at least
 * the array that it begins with, (n - 1) granules < small + the n - 2 largest arrays. */
static uint64_t granules(const rill_room *room)
{
    const uint64_t granule = room->backend->memory.granule, class = granule / 2 / RILL_ROOM_SIZES;
    uint64_t n = room->small > 0, largest = 0;
    uint32_t used = 0;
    for (int k = RILL_ROOM_SIZES - 1; n * granule < room->small + largest; n++) {
        while (k >= 0 && used == room->sizes[k]) k--, used = 0;
        if (k < 0) continue;
        largest += (uint64_t)(k + 1) * class;
        used++;
    }
    return n;
}

uint64_t rill_room_bytes(const rill_room *room)
{
    const uint64_t granule = room->backend->memory.granule;
    return room->large + (granule ? granules(room) * granule : room->small);
}
