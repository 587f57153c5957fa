/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file attached_size.h
 * The memory of a boundary that is made of cuts, counted before it is made.
 */
#ifndef RILL_SIM_ATTACHED_SIZE_H
#define RILL_SIM_ATTACHED_SIZE_H

#include "device/device.h"
#include "device/room.h"

/** A boundary that is not made yet. */
typedef struct rill_attached_load {
    uint64_t cuts;     /**< in the geometry */
    uint64_t links;    /**< of them along velocities of the lattice */
    uint64_t axes;     /**< of these, along axes */
    uint64_t nodes;    /**< where cuts are */
    uint64_t pairs;    /**< links that are not interpolated: at most */
    uint64_t bundles;  /**< of nodes of the whole simulation, where its steps interpolate; else 0 */
    int modes;         /**< of a velocity; 0: none */
    bool interpolated; /**< bounce-back */
} rill_attached_load;

/** Count the links and nodes of cuts. */
rill_attached_load rill_attached_load_of(const rill_cut *cuts, uint64_t count, rill_lattice lattice);

/** Bytes of a boundary. */
typedef struct rill_attached_size {
    uint64_t host;   /**< on the host, whatever the device */
    uint64_t making; /**< there, besides, until it is made */
} rill_attached_size;

/**
 * Count its memory. See attached.c, boundary.h and wall_list.c, which allocate it.
 * @param[in,out] room  of the device; a host has there what it would not have for another device
 */
rill_attached_size rill_attached_measure(const rill_attached_load *load, const rill_device *device,
                                         rill_room *room);

#endif
