/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/types.h
 * Numbers of nodes and voxels, and what lies beyond the faces of a box.
 */
#ifndef RILL_PUBLIC_TYPES_H
#define RILL_PUBLIC_TYPES_H

#include <stdint.h>

typedef uint32_t rill_node;        /**< number of a fluid node, in node order: among those of one device */
typedef uint64_t rill_global_node; /**< number of a fluid node in the whole of a domain, of any size */
typedef uint64_t rill_voxel;       /**< number of a voxel, x + nx (y + ny z) */

/** Domain boundary: what lies beyond the two faces of the box that are normal to an axis. */
typedef enum rill_side {
    RILL_PERIODIC, /**< the opposite face */
    RILL_MIRROR,   /**< the box itself, mirrored at the face (half a voxel outside the last centre) */
    RILL_WALL      /**< solid: a no-slip wall half a voxel outside the last centre */
} rill_side;

/** Axes of the flow, beside 0, 1 and 2 for x, y and z. A slice is an image of one voxel along one axis alone.
 */
enum {
    RILL_AXES_XYZ = -1,  /**< x, y and z: the full tensor */
    RILL_AXIS_AUTO = -2, /**< z, and of a slice normal to z x: an axis in its plane */
    RILL_AXES_XY = -3,   /**< x and y: the tensor of a plane */
    RILL_AXES_XZ = -4,   /**< x and z */
    RILL_AXES_YZ = -5,   /**< y and z */
    RILL_AXES_AUTO = -6  /**< x, y and z, and of a slice the two axes in its plane */
};

#endif
