/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file surface.h
 * From a triangle surface on disk to a voxel geometry with cut wall links and openings.
 */
#ifndef RILL_GEOMETRY_SURFACE_SURFACE_H
#define RILL_GEOMETRY_SURFACE_SURFACE_H

#include "core/log.h"
#include "geometry/surface/caps.h"
#include "geometry/surface/lines.h"
#include "geometry/surface/openings.h"
#include "geometry/surface/section.h"
#include "geometry/surface/surface_file.h"

enum { RILL_FLATS_TOLD = 16, RILL_MIN_CELLS = 4 /**< across openings and the narrowest part, by default */ };

/** What was found on the way. */
typedef struct rill_surface_report {
    rill_surface_file file;
    uint32_t triangles, vertices; /**< read; after welding */
    uint32_t merged;              /**< vertices that welding took away */
    double tolerance;             /**< of welding, m */
    double low[3], high[3];       /**< box of the surface as read, m */
    rill_defect defects[RILL_DEFECT_KINDS];
    bool intersections_whole;        /**< all pairs of triangles were examined */
    rill_hole largest_hole;          /**< area 0: none */
    rill_cap flats[RILL_FLATS_TOLD]; /**< [flat_count, at most RILL_FLATS_TOLD], caps first, then flat parts
                                        of the wall that are none */
    int flat_count, caps_opened;
    rill_section_loss planes[RILL_OPENINGS]; /**< [plane_count], what each removed */
    int plane_count;
    double volume;       /**< enclosed by the closed surface, that of the union of overlapping shells, m3 */
    double fluid_volume; /**< of the fluid voxels, m3 */
    uint64_t fluid;      /**< fluid voxels */
    double within_share; /**< of the area of the closed surface, within the lumen of shells that overlap */
    double narrowest;    /**< m; 0: unknown */
    double narrowest_at[3];
} rill_surface_report;

/**
 * Convert a surface to a geometry; the box is that of the closed surface and a layer of solid voxels around
 * it.
 * @param[out] report  may be NULL; filled in as far as the work came, also on failure
 * @return RILL_USAGE for what is no surface, for surfaces that cannot be closed with openings, and for
 *         too few cells; RILL_SYSTEM without memory
 * @see tests/surface/test_surface.c
 */
rill_status rill_surface_voxelize(const char *path, const rill_surface_options *options,
                                  rill_progress progress, rill_geom **out, rill_surface_report *report);

#endif
