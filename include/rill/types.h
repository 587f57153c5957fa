/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/types.h
 * Numbers of nodes and voxels, and what lies beyond the faces of a box.
 */
#ifndef RILL_PUBLIC_TYPES_H
#define RILL_PUBLIC_TYPES_H

#include <stdint.h>

typedef uint32_t rill_node;  /**< number of a fluid node, in node order */
typedef uint64_t rill_voxel; /**< number of a voxel, x + nx (y + ny z) */

/** Domain boundary: what lies beyond the two faces of the box that are normal to an axis. */
typedef enum rill_side {
    RILL_PERIODIC, /**< the opposite face */
    RILL_MIRROR,   /**< the box itself, mirrored at the face (half a voxel outside the last centre) */
    RILL_WALL      /**< solid: a no-slip wall half a voxel outside the last centre */
} rill_side;

#endif
