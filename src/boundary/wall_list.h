/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file wall_list.h
 * The links of an interpolated boundary in the order that kernels want, see rill_walls.
 */
#ifndef RILL_BOUNDARY_WALL_LIST_H
#define RILL_BOUNDARY_WALL_LIST_H

#include "boundary/boundary.h"

/** Host arrays of a rill_walls. */
typedef struct rill_wall_list {
    uint64_t count;
    rill_wall_cut *cuts; /**< [count] */
    double *values;      /**< [count], NULL at rest */
} rill_wall_list;

/**
 * Make the list. Links that are half-way anyhow, at q = 1/2 or where the rule needs a node that does not
 * exist, are left out if they are at rest and nothing is to be measured.
 * @param[in] numbers  [count of the boundary], of nodes as kernels know them
 */
rill_status rill_wall_list_make(const rill_boundary *boundary, const rill_node *numbers, rill_wall_list *out);

/** Free the arrays. */
void rill_wall_list_free(rill_wall_list *list);

#endif
