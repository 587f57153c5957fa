/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pairs.h
 * Which links of a boundary see each other.
 */
#ifndef RILL_SIM_PAIRS_H
#define RILL_SIM_PAIRS_H

#include "sim/boundary.h"

/**
 * Make the pairs of a boundary, with the domain's node numbers.
 *
 * Links of walls and velocities are their own partners, in their order. A boundary that holds a pressure has
 * a plane, normal to the axis n along which its links come in on average. Link (n, t) of the node at x is
 * paired with link (n, -t) of the node at x - t, because what comes in along the one is what leaves along the
 * other, reflected at the plane. Where x - t is solid, the link ends where the plane meets a wall, and
 * remains a link of that wall, without a pair. Links that have no partner for another reason (steps of an
 * oblique boundary) are their own, with axis 3.
 * @param[out] pairs  [*count], room for `links` of the boundary; `at` counts its nodes
 * @param[in,out] links  [count of the boundary]: the links that are in a pair, as rill_boundary_node.links
 */
void rill_pairs_make(const rill_boundary *boundary, rill_patch_pair *pairs, uint64_t *count, uint32_t *links);

#endif
