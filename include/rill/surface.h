/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/surface.h
 * From a triangle surface to a voxel geometry with openings, and with the distance to the wall on every link.
 * docs/surfaces.md describes repair, openings and their names.
 */
#ifndef RILL_PUBLIC_SURFACE_H
#define RILL_PUBLIC_SURFACE_H

#include "rill/geometry.h"
#include "rill/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What becomes of flat caps. */
typedef enum rill_caps_choice {
    RILL_CAPS_IF_CLOSED, /**< openings where the surface has no other, else left closed */
    RILL_CAPS_AUTO,      /**< openings */
    RILL_CAPS_NONE       /**< left closed */
} rill_caps_choice;

/** A plane that cuts one vessel of a surface. */
typedef struct rill_plane {
    const char *name; /**< of the opening; NULL: to be numbered */
    double point[3];  /**< m, within the vessel */
    double normal[3]; /**< of any length, to the side that stays */
} rill_plane;

/** A group of triangles that is an opening. */
typedef struct rill_group_name {
    const char *name;  /**< of the opening; NULL: to be numbered */
    const char *group; /**< name of the group */
} rill_group_name;

enum {
    RILL_SHELL_ONE = 0, /**< refuse several vessels */
    RILL_SHELL_ALL = -1 /**< keep all of them */
};

/** How a surface becomes a geometry. */
typedef struct rill_surface_options {
    double unit;              /**< metres per unit of the coordinates, > 0 */
    double spacing;           /**< edge of a voxel, m; 0: from `cells` */
    uint32_t cells;           /**< voxels along the longest side of the closed surface; 0: from `spacing` */
    double extend;            /**< length of extensions of openings; 0: none */
    bool extend_diameters;    /**< `extend` counts in hydraulic diameters, else in metres */
    double min_cells;         /**< refuse fewer cells across an opening or the narrowest part */
    double weld;              /**< vertices so near to each other are one, m; 0: what rounding explains */
    rill_caps_choice caps;    /**< whether flat caps become openings */
    bool close_holes;         /**< close holes as large as an opening, too; else they are refused */
    int shell;                /**< RILL_SHELL_ONE, RILL_SHELL_ALL, or k: the k-th largest vessel */
    const char *const *names; /**< [name_count], names of openings: "opening-2=iliac", or by position
                                 "12mm,30mm,5mm=iliac" */
    int name_count;           /**< number of names */
    const rill_plane *planes; /**< [plane_count], where vessels are cut off and opened */
    int plane_count;          /**< number of planes */
    bool remove_most;         /**< a plane may remove more than half of the volume; else it is refused */
    const rill_group_name *groups; /**< [group_count], which groups of triangles are openings */
    int group_count;               /**< number of groups */
    const char *command;           /**< provenance, kept in the geometry, may be NULL */
    int rotation; /**< axes of the geometry: 0 those of the surface; 1: x of the surface is its y, y its z, z
                 its x; 2: x is its z, y its x, z its y. Positions above, of openings and planes, are those of
                 the geometry */
} rill_surface_options;

/** A triangle surface in memory. Everything is borrowed. */
typedef struct rill_triangles {
    const double (*vertices)[3]; /**< [vertex_count], in units of rill_surface_options.unit */
    uint64_t vertex_count;       /**< number of vertices */
    const uint32_t (
        *triangles)[3]; /**< [triangle_count], numbers of vertices, from 0; their orientation is repaired */
    uint64_t triangle_count; /**< number of triangles */
    const uint16_t *groups;  /**< [triangle_count], numbers of group names; NULL: there are no groups */
    const char *const *group_names; /**< [group_count] */
    uint32_t group_count;           /**< number of groups */
} rill_triangles;

/**
 * Return the default options.
 * @return refusal of several vessels, at least 4 cells across everything, no extension; spacing or cells must
 * be set
 */
rill_surface_options rill_surface_options_default(void);

/**
 * Make a geometry of a triangle surface in memory, as `rill voxelize` does of a file. The box is that of the
 * closed surface and a layer of solid voxels around it.
 * @param[in] surface  the triangles; those of geom->surface are in the same order
 * @param[in] options  how
 * @param[in] progress reports and cancels; all 0: none
 * @param[out] out     the geometry; the caller destroys it
 * @return RILL_USAGE for triangles without vertices, coordinates that are not finite, surfaces that cannot be
 * closed with openings, and for too few cells; RILL_SYSTEM without memory; RILL_CANCELLED
 */
rill_status rill_triangles_voxelize(const rill_triangles *surface, const rill_surface_options *options,
                                    rill_progress progress, rill_geom **out);

/**
 * Make a geometry of a surface file, as rill_triangles_voxelize() does of a surface in memory.
 * @param[in] path     STL (binary or ASCII), OBJ, PLY or VTP; a folder of them, each a group that is called
 * like its file; "-": standard input, which must be a file
 * @param[in] options  how; names of groups are those of the file
 * @param[in] progress reports and cancels; all 0: none
 * @param[out] out     the geometry; the caller destroys it
 * @return as rill_triangles_voxelize(); RILL_USAGE for a file that is no surface
 */
rill_status rill_surface_file_voxelize(const char *path, const rill_surface_options *options,
                                       rill_progress progress, rill_geom **out);

#ifdef __cplusplus
}
#endif

#endif
