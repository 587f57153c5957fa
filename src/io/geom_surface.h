/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file geom_surface.h
 * What a geometry file holds of the surface that it was cut from: docs/files.md.
 */
#ifndef RILL_IO_GEOM_SURFACE_H
#define RILL_IO_GEOM_SURFACE_H

#include "io/hdf5.h"
#include "rill.h"

/** What the numbers of a rill_wall_state mean, in files. */
#define RILL_WALL_STATES                                                                                     \
    "0: wall, 1: taken away for an opening, 2: within the lumen of overlapping shells, no wall, 3: partly "  \
    "so"

/** Write /surface, /walls and /patches. */
rill_status rill_geom_surface_write(const rill_surface *surface, rill_h5_file *file);

/** Write the patches of the triangles and their names (attribute "names", one a line); nothing where there
 * are none. */
rill_status rill_patches_write(rill_h5_file *file, const char *path, const rill_surface *surface);

/**
 * Read them; a file without them gives NULL.
 * @param[in] nodes  fluid voxels, which links may name
 * @return RILL_USAGE when numbers are out of range or do not fit together
 */
rill_status rill_geom_surface_read(rill_h5_file *file, uint64_t nodes, rill_surface **out);

#endif
