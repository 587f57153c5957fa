/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file extension.h
 * Straight pieces of wall that lengthen a vessel at its openings.
 */
#ifndef RILL_GEOMETRY_SURFACE_EXTENSION_H
#define RILL_GEOMETRY_SURFACE_EXTENSION_H

#include "geometry/surface/openings.h"

/** Least cosine between the normal of an opening and the axis of the vessel, 10 degrees: a more oblique cut
 * is noted, and its extension follows the axis. */
#define RILL_OBLIQUE 0.98480775301220806

/**
 * Add a copy of an outline further out, and walls to there. Where the outline is oblique the walls follow the
 * axis, and the copy is normal to it, at least `length` behind the outline. The outline moves along.
 * @param[in,out] outline   measured anew where it is oblique
 * @param[in,out] vertices  [count], of the outline; those of the copy
 * @param[in]     axis      of length 1, out of the vessel
 */
rill_status rill_extension_add(rill_mesh *mesh, rill_outline *outline, uint32_t *vertices, uint32_t count,
                               double length, const double axis[3]);

#endif
