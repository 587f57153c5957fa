/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file mesh.h
 * A triangle surface in memory: what the readers fill in and what is then repaired, cut and capped.
 *
 * Triangles name their vertices by number; a closed surface has no boundary when every edge is walked as
 * often one way as the other. Nothing here knows voxels or file formats.
 */
#ifndef RILL_GEOMETRY_SURFACE_MESH_H
#define RILL_GEOMETRY_SURFACE_MESH_H

#include "rill.h"

/** A triangle. */
typedef struct rill_triangle {
    uint32_t v[3];    /**< vertices, counter-clockwise seen from outside once the surface is oriented */
    uint32_t source;  /**< its number in the file, from 0, polygons cut into fans; RILL_NO_TRIANGLE for one
                         that was added */
    uint16_t patch;   /**< the solid or group of the file that it belongs to, see rill_mesh.patches */
    uint16_t opening; /**< 0: wall; k: the cap of opening k - 1 */
} rill_triangle;

/** A surface. Arrays are owned and grow. */
typedef struct rill_mesh {
    double (*vertices)[3]; /**< [vertex_count], metres */
    rill_triangle *triangles;
    char **patches; /**< [patch_count], names of the solids or groups in the file */
    uint32_t vertex_count, triangle_count, patch_count;
    uint32_t vertex_room, triangle_room, patch_room;
    uint32_t *patch_slots; /**< [patch_mask + 1], hash table of the names: number of the patch + 1; 0: free */
    uint32_t patch_mask;   /**< 0: no table yet */
} rill_mesh;

/** Make an empty surface. */
rill_status rill_mesh_create(rill_mesh **out);

/** Destroy a surface; NULL is allowed. */
void rill_mesh_destroy(rill_mesh *mesh);

/** Make room for so many more. @return RILL_USAGE for more than 2^31, RILL_SYSTEM without memory */
rill_status rill_mesh_reserve(rill_mesh *mesh, uint64_t vertices, uint64_t triangles);

/** Add a vertex. @param[out] number  of it, may be NULL */
rill_status rill_mesh_add_vertex(rill_mesh *mesh, const double x[3], uint32_t *number);

/** Add a triangle. */
rill_status rill_mesh_add_triangle(rill_mesh *mesh, rill_triangle triangle);

enum { RILL_MESH_GROUPS = UINT16_MAX - 1 }; /**< named ones at most: triangles in none are a patch, too */

/** Find the patch of this name, or add it. @return RILL_USAGE for more than RILL_MESH_GROUPS */
rill_status rill_mesh_patch(rill_mesh *mesh, const char *name, size_t length, uint16_t *number);

/** Find the box around the vertices that triangles use. */
void rill_mesh_box(const rill_mesh *mesh, double low[3], double high[3]);

/** Return the volume that a closed surface encloses, m3; negative when it is inside out. */
double rill_mesh_volume(const rill_mesh *mesh);

/**
 * Merge vertices that are no further than `tolerance` apart, and drop those that no triangle uses.
 * Chains of close vertices are not followed: each vertex goes to the first one kept near it.
 * @param[out] merged  number of vertices that went into another, may be NULL
 */
rill_status rill_mesh_weld(rill_mesh *mesh, double tolerance, uint32_t *merged);

/** Write the vector area, half the cross product of two edges, m2. */
void rill_mesh_area(const rill_mesh *mesh, uint32_t triangle, double area[3]);

/** Write the middle of a triangle. */
void rill_mesh_middle(const rill_mesh *mesh, uint32_t triangle, double middle[3]);

/** An edge of a triangle; the edges of a mesh sorted by their two vertices are how neighbours are found. */
typedef struct rill_half_edge {
    uint64_t key;     /**< lower vertex << 32 | higher vertex */
    uint32_t slot;    /**< 3 times the triangle and the number of its edge, v[slot % 3] to the next */
    uint32_t forward; /**< whether the triangle walks it from the lower to the higher vertex */
} rill_half_edge;

/** List the edges of all triangles by key. @param[out] out  [3 triangle_count], rill_array_destroy() frees it
 */
rill_status rill_mesh_edges(const rill_mesh *mesh, rill_half_edge **out);

/**
 * Find what lies across each edge.
 * @param[in]  edges   of rill_mesh_edges()
 * @param[out] beside  [3 triangle_count]: slot of the same edge in the other triangle; UINT32_MAX where there
 *                     is none or more than one
 */
void rill_mesh_beside(const rill_mesh *mesh, const rill_half_edge *edges, uint32_t *beside);

/**
 * Return the solid angle under which x sees a triangle: positive from inside, so that those of a closed,
 * outward surface add up to 4 pi times how often it winds around x.
 * @see van Oosterom & Strackee (1983), doi:10.1109/TBME.1983.325207
 */
double rill_solid_angle(const double a[3], const double b[3], const double c[3], const double x[3]);

/* ---- vectors of three ------------------------------------------------------------------------ */

static inline double rill_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void rill_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static inline void rill_subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

/** Write a binary STL with lengths in millimetres: whole or not at all. @param note  for its header, may be
 * NULL */
rill_status rill_mesh_write_stl(const rill_mesh *mesh, const char *path, const char *note);

#endif
