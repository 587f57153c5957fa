/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file repair.h
 * Finds what is wrong with a surface, says where, and repairs what can be repaired without a guess.
 */
#ifndef RILL_GEOMETRY_SURFACE_REPAIR_H
#define RILL_GEOMETRY_SURFACE_REPAIR_H

#include "geometry/surface/mesh.h"

/** What may be wrong with a surface. */
typedef enum rill_defect_kind {
    RILL_DEFECT_DEGENERATE,   /**< triangles without area; those with a vertex twice are dropped */
    RILL_DEFECT_DOUBLE,       /**< triangles that were there already: dropped */
    RILL_DEFECT_TURNED,       /**< triangles reversed, because neighbours disagreed */
    RILL_DEFECT_INSIDE_OUT,   /**< shells reversed as a whole, because normals pointed inward */
    RILL_DEFECT_NON_MANIFOLD, /**< edges that more than two triangles share */
    RILL_DEFECT_ONE_SIDED, /**< edges where no way of turning makes neighbours agree, as in a Moebius band */
    RILL_DEFECT_SHELL,     /**< shells beyond the first, not joined to it by an edge */
    RILL_DEFECT_NESTED,    /**< shells within another one: taken as obstacles in it */
    RILL_DEFECT_HOLE,      /**< boundary loops that are no openings: closed */
    RILL_DEFECT_RIM,       /**< openings whose rims lack triangles: repaired */
    RILL_DEFECT_INTERSECTION, /**< pairs of triangles that cut through each other */
    RILL_DEFECT_WITHIN,       /**< triangles within the lumen of shells that overlap: no wall */
    RILL_DEFECT_OVERLAP,      /**< voxels that the surface encloses more than once, or reversed */
    RILL_DEFECT_UNCERTAIN,    /**< voxels beside closed holes, which could be inside or outside */
    RILL_DEFECT_THIN,         /**< links between fluid voxels across walls thinner than a voxel */
    RILL_DEFECT_NO_WALL,      /**< links to solid voxels on which no surface was found: taken half-way */
    RILL_DEFECT_DROPPED,      /**< fluid voxels that no opening leads to: made solid */
    RILL_DEFECT_UNITS,        /**< a size that no vessel has */
    RILL_DEFECT_KINDS
} rill_defect_kind;

enum { RILL_DEFECT_PLACES = 8 /**< of each kind that are remembered */ };

/** One kind of defect. */
typedef struct rill_defect {
    uint64_t count;
    uint32_t kept;                       /**< positions that are remembered */
    double place[RILL_DEFECT_PLACES][3]; /**< metres, in the file's coordinates: the lowest by z, y, x, so
                                            that it does not matter who finds them first */
} rill_defect;

/** Return a sentence's part, "triangles without area", as it stands behind the number `count`. */
const char *rill_defect_name(rill_defect_kind kind, uint64_t count);

/** Count a defect and remember where it is. */
void rill_defect_add(rill_defect *defect, const double place[3]);

/** Drop triangles with a vertex twice and doubles of others; count triangles without area. */
rill_status rill_repair_clean(rill_mesh *mesh, rill_defect defects[RILL_DEFECT_KINDS]);

/**
 * Orient triangles so that neighbours agree and volumes are positive, nested shells negative.
 *
 * Neighbours are asked across edges with two triangles. Which way out is follows from the sign of the volume
 * with boundary loops closed from their centroids. A shell within another one bounds an obstacle.
 */
rill_status rill_repair_orient(rill_mesh *mesh, rill_defect defects[RILL_DEFECT_KINDS]);

/** One part of a surface, joined by edges. */
typedef struct rill_shell {
    uint32_t triangles, boundary; /**< of these, edges with one triangle */
    double area;                  /**< m2 */
    double middle[3];
} rill_shell;

/**
 * Find the parts of a surface, largest area first.
 * @param[out] of    [triangle_count], part of each triangle; rill_array_destroy() frees it
 * @param[out] out   [count], free() frees it
 */
rill_status rill_repair_shells(const rill_mesh *mesh, uint32_t **of, rill_shell **out, uint32_t *count);

/** Keep the triangles of one part. */
void rill_repair_keep(rill_mesh *mesh, const uint32_t *of, uint32_t shell);

/** Closed ways along edges that are walked more often one way than the other. */
typedef struct rill_loops {
    uint32_t count;
    uint32_t *first;    /**< [count + 1] */
    uint32_t *vertices; /**< [first[count]], in the order in which the triangles walk them */
    uint32_t *group;    /**< [count], as given */
    float *plain;       /**< [count], part of its edges that belong to one triangle only */
} rill_loops;

/**
 * Take the boundary of a surface apart into simple closed ways: it always can, for as many ways lead to each
 * vertex as from it.
 * @param[in] group  [triangle_count]: boundaries of each group by themselves, edges with other than two
 *                   triangles being boundary in each; NULL: of the whole surface, opposite ways cancel
 */
rill_status rill_loops_find(const rill_mesh *mesh, const uint32_t *group, rill_loops *out);

/** Free the arrays. */
void rill_loops_destroy(rill_loops *loops);

#endif
