/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file room.h
 * Takes arrays and counts their memory, or counts it alone, before there is a device or memory for them: what
 * takes the arrays of an object through it forecasts them, too.
 */
#ifndef RILL_DEVICE_ROOM_H
#define RILL_DEVICE_ROOM_H

#include "device/device.h"

/** Classes of sizes of small arrays. */
enum { RILL_ROOM_SIZES = 16 };

/** Memory of arrays, in bytes. */
typedef struct rill_room {
    const rill_backend *backend;
    rill_device *device; /**< that arrays are taken from; NULL: they are counted alone, and not written */
    const char *what;    /**< what they are for, "wall links" */
    rill_status status;  /**< of the first that failed; none is taken behind it */
    uint64_t host;       /**< on the host, whatever the backend */
    uint64_t held;       /**< that kernels have, also of the host */
    uint64_t large;      /**< memory of the backend: arrays of more than half a granule, in whole ones */
    uint64_t small;      /**< others, which share granules: see rill_room_bytes() */
    uint32_t sizes[RILL_ROOM_SIZES]; /**< of these, how many there are of each size: [k] above k, up to k + 1
                                        parts of half a granule */
} rill_room;

/** Begin to take arrays from a device. */
static inline rill_room rill_room_of(rill_device *device, const char *what)
{
    return (rill_room){.backend = device->backend, .device = device, .what = what};
}

/** As rill_array_create(). */
void rill_room_array(rill_room *room, uint64_t bytes, void **out);

/** As rill_device_alloc(). */
void rill_room_alloc(rill_room *room, uint64_t bytes, void **out);

/** As rill_device_share(): nothing is taken where the host is the device. */
void rill_room_share(rill_room *room, const void *host, uint64_t bytes, const void **out);

/** The same with [count] of what pointers point to. */
#define RILL_ROOM_ARRAY(room, count, to) rill_room_array(room, (count) * sizeof *(to), (void **)&(to))
#define RILL_ROOM_ALLOC(room, count, to) rill_room_alloc(room, (count) * sizeof *(to), (void **)&(to))
#define RILL_ROOM_SHARE(room, host, count, to)                                                               \
    rill_room_share(room, host, (count) * sizeof *(to), (const void **)&(to))

/** Count an array of the backend alone. */
void rill_room_add(rill_room *room, uint64_t bytes);

/**
 * Return what all arrays of the backend take of its memory, at most, while none is freed. Small arrays lie in
 * granules that they share, and a granule begins with one that fits in no other: whichever is looked at
 * first, n granules are filled by more than n - 1 of them less what the n - 2 largest arrays take.
 */
uint64_t rill_room_bytes(const rill_room *room);

#endif
