/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ranges.h
 * Where a domain is cut into parts: successive ranges of its nodes with about the same work.
 */
#ifndef RILL_DOMAIN_RANGES_H
#define RILL_DOMAIN_RANGES_H

#include "domain/domain.h"

/** What a step does beside the update of nodes, in updates of a node. All zero: parts have as many nodes. */
typedef struct rill_part_costs {
    double wall;         /**< a link with interpolated bounce-back */
    double opening_link; /**< a link through an opening */
    double opening;      /**< a part that has nodes of openings */
    double split;        /**< an opening in several parts, for all of them */
} rill_part_costs;

/** The nodes of one part. */
typedef struct rill_range {
    rill_global_node first, end; /**< multiples of RILL_CHUNK, or the last node's end */
    double cost;                 /**< of a step, in updates of a node */
} rill_range;

/** Those of all parts. */
typedef struct rill_ranges {
    rill_range *range; /**< [count] */
    int count;
    int split; /**< how many times cuts go through openings */
} rill_ranges;

/**
 * Choose ranges whose largest cost is as small as whole chunks allow. A cut goes through no opening of the
 * geometry's surface where moving it avoids that and no part gets dearer by more than 2 % and `split`.
 * @param[in] whole  a domain of one device
 * @param[in] most   parts at most, 1 or more. There are as many, or one for each RILL_CHUNK nodes if that is
 *                   less. There is one part if the domain is periodic along z and some part would lie in more
 *                   than n[2] - 2 planes
 * @param[in] costs  NULL: all zero
 */
rill_status rill_ranges_create(const rill_domain *whole, int most, const rill_part_costs *costs,
                               rill_ranges *out);

/** Free the array; zeroed ones are allowed. */
void rill_ranges_destroy(rill_ranges *ranges);

/** Return the plane of the whole that a node lies in. */
uint32_t rill_ranges_plane(const rill_domain *whole, rill_global_node node);

#endif
