/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file stage.h
 * An opening whose nodes lie in several parts of a domain: its nodes once more, as isolated cells of a small
 * simulation that makes no steps. After every step of the parts it is given all that the nodes have sent,
 * computes what comes back through the opening as if no cut were there, and returns that to the parts.
 *
 * A link of an isolated cell ends at a wall, where what is sent and what comes in share an entry: so a cell
 * holds what its node has sent along every link, and what comes back takes its place.
 */
#ifndef RILL_SIM_STAGE_H
#define RILL_SIM_STAGE_H

#include "domain/parts.h"
#include "sim/route.h"

typedef struct rill_stage {
    rill_geom *geom;
    rill_domain *domain;
    rill_sim *sim;         /**< the opening is its only patch */
    void *applied;         /**< event of its device: what comes back is computed */
    int count;             /**< parts that have nodes of the opening */
    rill_route *in, *out;  /**< [count] */
    rill_cut_link **lists; /**< [4 count], of the routes */
} rill_stage;

/**
 * Put an opening on a stage.
 * @param[in] sims  [parts->count]
 * @param[in] home  the part whose device it takes
 */
rill_status rill_stage_create(const rill_parts *parts, rill_sim *const *sims, int home,
                              const rill_boundary *boundary, rill_stage **out);

/** Destroy it; NULL is allowed. */
void rill_stage_destroy(rill_stage *stage);

/** Take off the parts what the nodes have sent in the step that was made, before anything is rewritten: in
 * the queue of their devices. */
void rill_stage_send(rill_stage *stage, unsigned exchange);

/** Bring it to the stage, in its queue, which already waits for what was sent. */
rill_status rill_stage_receive(rill_stage *stage, unsigned exchange);

/** Compute what comes back. */
rill_status rill_stage_apply(rill_stage *stage, unsigned exchange);

/** Bring it to the parts, in the queue of their devices, which wait for it. */
rill_status rill_stage_return(rill_stage *stage, unsigned exchange);

#endif
