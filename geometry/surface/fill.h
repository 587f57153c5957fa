/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file fill.h
 * Which voxels a closed surface encloses, and which of them count.
 *
 * A voxel is fluid when the surface winds around its centre at least once: overlapping shells are joined,
 * shells with normals inward are taken away. Every line meets a closed surface as often inward as outward
 * (lines.h), so all directions give the same answer and one is asked.
 */
#ifndef RILL_GEOMETRY_SURFACE_FILL_H
#define RILL_GEOMETRY_SURFACE_FILL_H

#include "geometry/surface/lines.h"
#include "geometry/surface/openings.h"

/**
 * Fill the voxels of a geometry of the grid's size: 1 inside, 0 outside.
 * @param[out] defect  voxels around which the surface winds other than 0 or 1 times
 * @return RILL_USAGE when the surface is not closed
 */
rill_status rill_fill_inside(const rill_lines *lines, rill_geom *geom, rill_defect *defect);

/**
 * Count the voxels of which a closed hole leaves open where they are: without what closes it, the surface
 * winds around their centres between 1/4 and 3/4 times (Jacobson et al. 2013, doi:10.1145/2461912.2461916).
 * Large holes are sampled.
 */
void rill_fill_uncertain(const rill_mesh *mesh, const rill_grid *grid, const rill_openings *openings,
                         rill_defect *defect);

/**
 * Make those voxels solid that no way through neighbours (faces, edges, corners) leads to from an opening;
 * without openings all stay.
 * @param[out] defect  voxels that went
 */
rill_status rill_fill_keep(const rill_lines *lines, rill_geom *geom, int openings, rill_defect *defect);

#endif
