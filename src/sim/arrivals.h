/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file arrivals.h
 * Populations at listed links.
 */
#ifndef RILL_SIM_ARRIVALS_H
#define RILL_SIM_ARRIVALS_H

#include "device/room.h"
#include "sim/several.h"

/** A link of the whole. */
typedef struct rill_arrival {
    rill_global_node node; /**< that receives */
    uint32_t direction;
} rill_arrival;

/** Reads populations; it has room for some links. */
typedef struct rill_arrivals rill_arrivals;

/** Make room on the host and on the devices. @return RILL_SYSTEM without memory */
rill_status rill_arrivals_create(rill_sim *sim, rill_arrivals **out);

/** Count what that takes on a device. */
void rill_arrivals_count(rill_storage storage, rill_room *of);

/** Free it; NULL is allowed. */
void rill_arrivals_destroy(rill_arrivals *arrivals);

/**
 * Read what comes in at links before the next step; where density and momentum are stored, after it.
 * @param[in] links    [count], numbers of nodes in the order of the domain, and directions
 * @param[out] values  [count], less the weight of the direction if the variant shifts populations
 * @return RILL_SYSTEM for the device
 */
rill_status rill_arrivals_read(rill_arrivals *arrivals, const rill_arrival *links, uint64_t count,
                               double *values);

#endif
