/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file route.h
 * Populations that go from one simulation to another between two steps: words, as they are stored.
 */
#ifndef RILL_SIM_ROUTE_H
#define RILL_SIM_ROUTE_H

#include "sim/sim_priv.h"

/** A way for `count` words; both simulations have the same variant and have made the same steps. */
typedef struct rill_route {
    rill_sim *from, *to;
    uint64_t count;
    const rill_cut_link *sends, *receives; /* in the memory of the devices */
    void *sent[2];  /* on `from`, of even and odd exchanges: the other device may still copy the last */
    void *received; /* on `to`; NULL on a host, which reads what was sent */
} rill_route;

/**
 * Lay a route out.
 * @param[in] sends, receives  [count], word k of one is word k of the other; borrowed while the route is
 * there
 */
rill_status rill_route_create(rill_sim *from, rill_sim *to, const rill_cut_link *sends,
                              const rill_cut_link *receives, uint64_t count, rill_route *out);

/** Free what it owns; a zeroed one is allowed. */
void rill_route_destroy(rill_route *route);

/** Copy words off `from`, before the step to come. @param exchange  number of the exchange */
void rill_route_send(const rill_route *route, unsigned exchange);

/** Bring them to `to`, once `from` is done or both are on one queue. */
rill_status rill_route_receive(const rill_route *route, unsigned exchange);

#endif
