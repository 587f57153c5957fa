/* SPDX-License-Identifier: Apache-2.0 */
/* Takes and counts memory, that of a device in the pieces in which it gives it. */
#include "device/room.h"

#include "core/memory.h"

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
    const uint64_t granule = room->backend->granule;
    room->held += bytes;
    if (bytes >= granule)
        room->large += whole(bytes, granule);
    else
        room->small += bytes;
}

uint64_t rill_room_bytes(const rill_room *room)
{
    return room->large + whole(room->small, room->backend->granule);
}
