/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file openings.h
 * Closes a surface: finds the boundary loops, decides which of them are openings, fits their planes, extends
 * and caps them, and closes all others as holes.
 *
 * A boundary loop is an opening when it is flat and the wall stands on its plane; where a triangle is
 * missing from a wall, the loop lies in the wall instead. Loops that a given plane or a dropped patch left
 * are openings whatever they look like.
 */
#ifndef RILL_GEOMETRY_SURFACE_OPENINGS_H
#define RILL_GEOMETRY_SURFACE_OPENINGS_H

#include "geometry/surface/repair.h"

/** What was requested. */
typedef struct rill_openings_options {
    double extend;           /**< how far openings are extended along their normal; 0: not */
    bool extend_diameters;   /**< in hydraulic diameters of each, else metres */
    const char *const *tags; /**< [tag_count] names of openings made by the caller, NULL: to be numbered */
    const uint32_t
        *tagged;          /**< [vertex_count], tag + 1 of vertices on their outlines, 0: none; may be NULL */
    const uint8_t *inner; /**< [inner_count], 1 for vertices within the lumen of another shell: loops of a
                             quarter of them are no openings; NULL: there are none */
    uint32_t inner_count;
    int tag_count;
    bool close_holes; /**< close holes as large as an opening, too; else they are refused */
} rill_openings_options;

/** A boundary loop that is no opening, and was closed. */
typedef struct rill_hole {
    double centre[3], area; /**< m, m2 */
    double low[3], high[3]; /**< box around it */
    uint32_t first, count;  /**< triangles of the mesh that close it */
} rill_hole;

/** What came of it. Arrays are owned. */
typedef struct rill_openings {
    rill_opening *openings; /**< [count], largest area first, named; without cuts */
    int count;
    double places[RILL_OPENINGS][3]; /**< their centres in the file, before extension, m */
    double oblique[RILL_OPENINGS];   /**< rad, between the normal in the file and the axis of the vessel */
    rill_hole *holes;                /**< [hole_count] */
    uint32_t hole_count;
} rill_openings;

/** A boundary loop, measured. */
typedef struct rill_outline {
    double centre[3];       /**< centroid of the area */
    double outward[3];      /**< unit normal of the cap that closes the surface */
    double area, perimeter; /**< perimeter: of all edges, see rill_outline_smooth() */
    double
        off_plane; /**< distance of the outline from the plane, rms: a tooth of one triangle counts little */
    double box[2][3];
} rill_outline;

/** Measure a polygon. @param vertices  [count], as the triangles beside it walk them */
void rill_outline_measure(const rill_mesh *mesh, const uint32_t *vertices, uint32_t count, rill_outline *out);

/** Return whether an outline is so flat that it may be an opening. */
bool rill_outline_is_flat(const rill_outline *outline);

/**
 * Correct the perimeter for jags: it becomes that of the outline on its plane with notches bridged that are
 * at most a tenth of the root of the area deep, less 2 pi / perimeter times the area that bridges add
 * (Steiner's formula for parallel outlines). The perimeter of a convex outline in a plane stays what it is.
 * @return RILL_SYSTEM without memory
 */
rill_status rill_outline_smooth(const rill_mesh *mesh, const uint32_t *vertices, uint32_t count,
                                rill_outline *outline);

/**
 * Close an oriented surface. Triangles are added behind the others: extensions (wall), caps (with their
 * opening) and closed holes (wall).
 *
 * A rim that lacks some triangles is an opening when most of it lies in one plane.
 * @return RILL_USAGE when there are loops but none is an opening, a hole is as large as an opening, or there
 *         are more openings than labels
 */
rill_status rill_openings_close(rill_mesh *mesh, const rill_openings_options *options,
                                rill_defect defects[RILL_DEFECT_KINDS], rill_openings *out);

/**
 * Count the boundary loops of an oriented surface that would become openings.
 * @param[in] aside  [vertex_count], loops with a vertex of which this is not 0 are left out; may be NULL
 * @param[in] within rill_openings_options.inner counts
 */
rill_status rill_openings_count(rill_mesh *mesh, const uint8_t *aside, const rill_openings_options *options,
                                int *count);

/** Free what it holds. */
void rill_openings_destroy(rill_openings *openings);

/** Check the form of what rill_openings_rename() takes, without openings. @param[out] name  the new name, in
 * `text`; may be NULL */
rill_status rill_opening_rename_check(const char *text, const char **name);

/**
 * Rename an opening: "opening-2=iliac", or by position "12mm,30mm,5mm=iliac", the centre
 * in the file that is nearest, and at most a hydraulic diameter away.
 * @return RILL_USAGE for a name that is taken, too long or not there, and for a position that is none
 */
rill_status rill_openings_rename(rill_openings *openings, const char *text);

/** Return RILL_USAGE unless a name can be one of an opening. */
rill_status rill_opening_name_check(const char *name);

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
