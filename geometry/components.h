/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file components.h
 * Face-connected components of the pore space, and what of it can conduct along an axis.
 *
 * Union-find over x-runs of pore voxels: memory follows the surface, not the volume. With a periodic
 * side a component conducts along that axis when it connects to its own periodic image (winding number
 * not zero, found with offsets in the union-find); with a mirrored side or a wall when it reaches both faces.
 * Faces of the box are joined across periodic sides of the other axes.
 */
#ifndef RILL_GEOMETRY_COMPONENTS_H
#define RILL_GEOMETRY_COMPONENTS_H

#include "core/log.h"
#include "rill.h"

/** What a labelling found. */
typedef struct rill_components {
    uint64_t components;    /**< number of face-connected components */
    rill_porosity porosity; /**< total, connected, percolating */
    uint64_t dropped;       /**< voxels turned solid */
} rill_components;

/** Which components stay when cleaning. */
typedef enum rill_keep {
    RILL_KEEP_ALL,
    RILL_KEEP_CONNECTED,  /**< those that reach an outer face */
    RILL_KEEP_PERCOLATING /**< those that conduct along the axis asked for */
} rill_keep;

/**
 * Label the components, and turn those solid that `keep` does not name.
 * geom->porosity is not touched: the caller decides.
 * @param[in] axis  with RILL_KEEP_PERCOLATING: 0, 1, 2, or -1 for conducting along at least one axis
 * @return RILL_SYSTEM without memory (checked before it is taken)
 */
rill_status rill_components_clean(rill_geom *geom, rill_keep keep, int axis, rill_progress progress, rill_components *out);

#endif
