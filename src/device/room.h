/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file room.h
 * Memory of a device, counted before it is allocated.
 */
#ifndef RILL_DEVICE_ROOM_H
#define RILL_DEVICE_ROOM_H

#include <stdint.h>

/** Arrays of a device, in bytes: large ones take multiples of its granule, small ones share one. */
typedef struct rill_room {
    uint64_t granule; /**< see rill_backend; 0: arrays take exactly their size */
    uint64_t large, small;
} rill_room;

/** Add an array. */
void rill_room_add(rill_room *room, uint64_t bytes);

/** Return what all of them take. */
uint64_t rill_room_bytes(const rill_room *room);

#endif
