/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file route.h
 * Populations of a set that go from one simulation to another between two steps: words, as they are stored.
 * Where the kernels of one device reach the memory of the other they store there; else words are copied.
 */
#ifndef RILL_SIM_ROUTE_H
#define RILL_SIM_ROUTE_H

#include "sim/sim_priv.h"

/** A way for `count` words; both simulations have the same variant and have made the same steps. */
typedef struct rill_route {
    rill_sim *from, *to;
    const rill_set *from_set, *to_set; /* of these */
    int from_part, to_part;            /* for who keeps several; unset by rill_route_create() */
    uint64_t count;
    rill_cut_link *sends[2], *receives[2]; /* [count] slots, of even and odd steps, on the devices */
    bool direct;                           /* `from` stores into the memory of `to` */
    rill_landing words; /* of even and odd exchanges, as the other device may still read the last; of `to`
                           where direct, else of `from` */
    void *received;     /* on `to`; NULL where direct */
} rill_route;

/**
 * Lay a route out.
 * @param set  its number in both
 * @param[in] sends, receives  [count], word k of one is word k of the other; borrowed while the route is
 * there
 */
rill_status rill_route_create(rill_sim *from, rill_sim *to, int set, const rill_cut_link *sends,
                              const rill_cut_link *receives, uint64_t count, rill_route *out);

/** Return the bytes that it takes on the devices of both. */
uint64_t rill_route_held(const rill_route *route);

/** Free what it owns; a zeroed one is allowed. */
void rill_route_destroy(rill_route *route);

/** Copy words off `from`, and offer them, before the step to come. @param queue  of its device
 * @param exchange  number of the exchange */
void rill_route_send(const rill_route *route, void *queue, unsigned exchange);

/** Bring them to the device of `to`, once they are sent. @param queue  of this device */
rill_status rill_route_fetch(const rill_route *route, void *queue, unsigned exchange);

/** Put them where the next step reads them. @param queue  as that of rill_route_fetch() */
void rill_route_receive(const rill_route *route, void *queue, unsigned exchange);

#endif
