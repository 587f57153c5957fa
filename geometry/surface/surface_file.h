/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file surface_file.h
 * Triangle surfaces on disk: STL (binary, ASCII), OBJ, PLY (ASCII, binary of either byte order), VTP, and
 * folders of them.
 *
 * Read are positions of vertices, faces (polygons are cut into fans), and the names of solids (ASCII STL),
 * groups (OBJ: g, o), faces (VTP: ModelFaceID) and files (folders). Not read: normals, colours, textures,
 * curves, triangle strips.
 */
#ifndef RILL_GEOMETRY_SURFACE_SURFACE_FILE_H
#define RILL_GEOMETRY_SURFACE_SURFACE_FILE_H

#include "geometry/surface/mesh.h"

/** What a file was. */
typedef struct rill_surface_file {
    const char *format; /**< "STL, binary", "PLY, ASCII", ... */
    char hash[17];      /**< XXH3-64 of its bytes in hexadecimal */
} rill_surface_file;

/**
 * Read a surface; vertices are as in the file, not yet welded.
 * @param[in]  unit  metres per unit of the file
 * @return RILL_USAGE for anything but a whole surface with at least one triangle and finite positions
 */
rill_status rill_surface_read(const char *path, double unit, rill_surface_file *file, rill_mesh **out);

/**
 * Take a surface in memory as if it were read from a file: see rill_triangles_voxelize().
 * @return RILL_USAGE for triangles without vertices and positions that are not finite, RILL_SYSTEM without
 * memory
 */
rill_status rill_surface_take(const rill_triangles *surface, double unit, rill_surface_file *file,
                              rill_mesh **out);

#endif
