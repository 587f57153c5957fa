/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cuts.h
 * Where links from fluid to solid voxels meet the surface: for each of the 26 directions, the first triangle
 * on the way and how far it is. Crossings of lattice lines (lines.h) along 13 directions give both senses.
 */
#ifndef RILL_GEOMETRY_SURFACE_CUTS_H
#define RILL_GEOMETRY_SURFACE_CUTS_H

#include "geometry/surface/lines.h"
#include "geometry/surface/repair.h"

/**
 * Refuse a grid whose voxels and wall links are more than the memory that is there, before they are made.
 * @param[in] within  share of the area that is no wall, within the lumen of shells that overlap
 * @param[in] volume  enclosed, m3
 * @return RILL_SYSTEM with need, what is there and the remedy
 */
rill_status rill_cuts_require(const rill_mesh *mesh, const rill_grid *grid, double within, double volume);

/**
 * Find the cuts of all links from fluid voxels to solid ones, and label the voxels with links through
 * openings.
 * @param[in,out] geom     voxels 0 and 1, none fluid on the faces of the box; labelled on return
 * @param[in,out] surface  openings without cuts on entry; walls and cuts on return
 * @param[in,out] defects  in: RILL_DEFECT_OVERLAP, whether shells overlap. Out: RILL_DEFECT_NO_WALL, links on
 *                         which no surface was found, which get q = 1/2; RILL_DEFECT_THIN, links between
 * fluid voxels that leave the fluid and enter it through walls that face away from each other
 * @return RILL_USAGE for more than 2^32 - 2 fluid voxels, RILL_SYSTEM without memory, RILL_CANCELLED
 */
rill_status rill_cuts_find(const rill_lines *lines, rill_progress progress, rill_geom *geom,
                           rill_surface *surface, rill_defect defects[RILL_DEFECT_KINDS]);

#endif
