/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file mesh.h
 * Closed surfaces of triangles: a sphere, and the shape of a red blood cell at rest.
 */
#ifndef RILL_MEMBRANE_MESH_H
#define RILL_MEMBRANE_MESH_H

#include "rill.h"

/** A closed surface, its centre at 0. */
typedef struct rill_membrane_mesh {
    uint32_t vertex_count, triangle_count, edge_count;
    double (*vertices)[3];    /**< [vertex_count], owned, as the next two */
    uint32_t (*triangles)[3]; /**< [triangle_count], counter-clockwise as seen from outside */
    uint32_t (*edges)[4];     /**< [edge_count], each once: a, b, c, d of triangles (a, b, c), (b, a, d) */
} rill_membrane_mesh;

/** Subdivisions of an icosahedron, at most: 2,621,442 vertices. */
enum { RILL_MEMBRANE_LEVELS = 9 };

/**
 * Make a sphere: an icosahedron whose triangles are divided into four `level` times, 10 4^level + 2 vertices.
 * @return RILL_USAGE for a radius that is not above 0 or more levels, RILL_SYSTEM without memory
 */
rill_status rill_membrane_mesh_sphere(double radius, int level, rill_membrane_mesh *out);

/**
 * Make a red blood cell at rest, a biconcave disc normal to z: z = ± R sqrt(1 - r^2) (c0 + c1 r^2 + c2 r^4),
 * r being the distance from the axis over the radius R of the disc (Evans & Fung 1972,
 * doi:10.1016/0026-2862(72)90069-6).
 */
rill_status rill_membrane_mesh_red_cell(double radius, int level, rill_membrane_mesh *out);

/** Free it; zeroed ones are allowed. */
void rill_membrane_mesh_destroy(rill_membrane_mesh *mesh);

#endif
