/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file wall_list.h
 * The links of an interpolated boundary in the order that kernels need, see rill_walls.
 */
#ifndef RILL_SIM_WALL_LIST_H
#define RILL_SIM_WALL_LIST_H

#include "sim/boundary.h"

/** Host arrays of a rill_walls. */
typedef struct rill_wall_list {
    uint64_t count;
    rill_wall_cut *cuts; /**< [count] */
    rill_node *next;     /**< [count], see rill_walls; NULL: none */
    double *values;      /**< [count], NULL at rest */
    uint64_t together;   /**< links in front, of nodes that a step can see to itself */
    uint64_t early;      /**< links in front that need what nodes have sent, before links across mirrored
                              boundaries exchange it; the others read what came in by that */
    uint64_t node_count, together_nodes, early_nodes; /**< early: without a link that is not */
    rill_wall_node *nodes;                            /**< [node_count + 1], likewise */
    uint32_t *links;                                  /**< [count] */
    float (*fluxes)[RILL_WALL_FLUXES];                /**< [node_count] */
    rill_wall_bundle *bundles;
    float *weights; /**< [weight_count], see rill_wall_weights; NULL unless requested */
    uint64_t weight_count, bundle_count;
} rill_wall_list;

/** Room for a list. */
typedef struct rill_wall_list_size {
    uint64_t links, nodes;
    uint64_t bundles, weights; /**< 0: no weights for steps */
    bool values, next;
} rill_wall_list_size;

/** Take its arrays, or count them. */
void rill_wall_list_take(rill_wall_list *list, const rill_wall_list_size *size, rill_room *room);

/**
 * Make the list. Links that are half-way anyhow, at q = 1/2 or where the rule needs a node that does not
 * exist, are left out if they are at rest and nothing is to be measured.
 * @param[in] numbers  [count of the boundary], of nodes as kernels know them, in ascending order
 * @param[in] next     [links of the boundary], likewise; NULL: none
 * @param[in] bundles  how many bundles of nodes the kernels know, to make weights for steps; 0: none
 */
rill_status rill_wall_list_make(const rill_boundary *boundary, const rill_node *numbers,
                                const rill_node *next, uint64_t bundles, rill_room *room,
                                rill_wall_list *out);

/** Free the arrays. */
void rill_wall_list_free(rill_wall_list *list);

#endif
