/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file section.h
 * Opens a surface where the options require it: cuts a vessel by a plane, takes away a patch.
 */
#ifndef RILL_GEOMETRY_SURFACE_SECTION_H
#define RILL_GEOMETRY_SURFACE_SECTION_H

#include "geometry/surface/mesh.h"

/** What a plane took away. */
typedef struct rill_section_loss {
    double volume, before; /**< m3, what was removed, and all of it before; ends closed flat */
    bool cap;              /**< the plane lies on a flat part of the surface, which was removed */
} rill_section_loss;

/**
 * Cut a surface by a plane, but only around the section nearest to the plane's point, and drop what hangs on
 * the other side of it. New vertices are added behind the others. Where the plane lies on a flat part of the
 * surface, that part is removed, and nothing is cut.
 * @param[in]     most    largest part of the volume that may be removed
 * @param[in,out] tagged  [vertex_count before], set to `tag` on the rim of a flat part
 * @return RILL_USAGE when the plane does not meet the surface, meets it in an open line, or does not part it,
 *         when its point is not within the section, and when more than `most` would be removed
 */
rill_status rill_section_cut(rill_mesh *mesh, const rill_plane *plane, double most, uint32_t tag,
                             uint32_t *tagged, rill_section_loss *loss);

/**
 * Drop the triangles of a patch.
 * @param[in,out] tagged  [vertex_count], set to `tag` on the rim of the patch
 * @return RILL_USAGE when there is no such group or it is everything
 */
rill_status rill_section_open(rill_mesh *mesh, const char *group, uint32_t tag, uint32_t *tagged);

#endif
