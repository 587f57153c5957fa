/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file section.h
 * Opens a surface where it is told to: cuts a vessel by a plane, takes away a patch.
 */
#ifndef RILL_GEOMETRY_SECTION_H
#define RILL_GEOMETRY_SECTION_H

#include "geometry/mesh.h"

/** A plane that cuts one vessel of a surface. */
typedef struct rill_plane {
    const char *name; /**< of the opening; NULL: to be numbered */
    double point[3];  /**< m, within the vessel */
    double normal[3]; /**< of any length, to the side that stays */
} rill_plane;

/** A patch that is an opening. */
typedef struct rill_patch_name {
    const char *name;  /**< of the opening; NULL: to be numbered */
    const char *group; /**< of the file */
} rill_patch_name;

/**
 * Cut a surface by a plane, but only around the section nearest to the plane's point, and drop what hangs on
 * the other side of it. New vertices are added behind the others.
 * @return RILL_USAGE when the plane does not meet the surface, meets it in an open line, or does not part it
 */
rill_status rill_section_cut(rill_mesh *mesh, const rill_plane *plane);

/**
 * Drop the triangles of a patch.
 * @param[in,out] tagged  [vertex_count], set to `tag` on the rim of the patch
 * @return RILL_USAGE when there is no such group or it is everything
 */
rill_status rill_section_open(rill_mesh *mesh, const char *group, uint32_t tag, uint32_t *tagged);

#endif
