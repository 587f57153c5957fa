/* SPDX-License-Identifier: Apache-2.0 */
/* Counts memory in the pieces in which a device gives it. */
#include "device/room.h"

static uint64_t whole(uint64_t bytes, uint64_t granule)
{
    return granule ? (bytes + granule - 1) / granule * granule : bytes;
}

void rill_room_add(rill_room *room, uint64_t bytes)
{
    if (bytes >= room->granule)
        room->large += whole(bytes, room->granule);
    else
        room->small += bytes;
}

uint64_t rill_room_bytes(const rill_room *room) { return room->large + whole(room->small, room->granule); }
