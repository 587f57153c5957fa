/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/geometry.h
 * A geometry: voxels, and the surface that they were cut from.
 */
#ifndef RILL_PUBLIC_GEOMETRY_H
#define RILL_PUBLIC_GEOMETRY_H

#include "rill/status.h"
#include "rill/types.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Values of a voxel. */
enum {
    RILL_SOLID = 0, /**< not part of the flow */
    RILL_FLUID = 1, /**< a fluid node */
    RILL_LABEL = 2 /**< this and above: a fluid node that carries a label: it has a link through an opening */
};

/** Through what two voxels are connected: flags. */
typedef enum rill_contact {
    RILL_CONTACT_FACES = 1,  /**< the face that they share: links of all lattices */
    RILL_CONTACT_EDGES = 2,  /**< the edge that they share: links of D3Q19, D3Q27 and D2Q9 */
    RILL_CONTACT_CORNERS = 4 /**< the corner that they share: links of D3Q15 and D3Q27 */
} rill_contact;

/** Pore fractions of the sample, which is the whole box unless a part of it is outside, counted before
 * anything was dropped; negative when unknown. */
typedef struct rill_porosity {
    double total;          /**< every pore voxel */
    double connected;      /**< pores whose component reaches an outer face */
    double percolating[3]; /**< pores whose component conducts along x, y, z */
    unsigned contacts;     /**< through what components are connected, flags of rill_contact; 0: unknown, in
                                older files through faces alone */
} rill_porosity;

/** A link from a fluid node that crosses a surface. */
typedef struct rill_cut {
    rill_node node;    /**< the fluid node of the link */
    uint32_t triangle; /**< of the surface, the first one on the way; RILL_NO_TRIANGLE where there is none:
                            closed holes, extensions, openings */
    float q;           /**< how far from the node the surface is, as a part of the link: 0 to 1 */
    uint8_t direction; /**< number i of the D3Q27 velocity c_i that leads from the surface to the node, as in
                            rill_wall_link: the surface is at x - q c_i. D3Q19 has the first 19 of D3Q27 */
} rill_cut;

#define RILL_NO_TRIANGLE UINT32_MAX /**< triangle of a cut that is on none */

enum {
    RILL_OPENING_NAME = 64, /**< bytes of a name, NUL included */
    RILL_OPENINGS = 253     /**< at most: nodes carry their labels */
};

/** A flat piece of the surface through which fluid enters or leaves. */
typedef struct rill_opening {
    char name[RILL_OPENING_NAME]; /**< UTF-8, ends with NUL */
    uint8_t label;                /**< value of the voxels that have a link through it */
    double centre[3];             /**< m, from the corner that geom->origin counts from */
    double normal[3];             /**< of length 1, into the fluid */
    double axis[3]; /**< of length 1, into the fluid: along the vessel where the opening is cut obliquely and
                       not extended, else the normal */
    double area;    /**< of the true outline, m2 */
    double perimeter;          /**< of the true outline without jags, m: docs/surfaces.md */
    double hydraulic_diameter; /**< 4 area / perimeter, m */
    double extension;   /**< m, by which the surface was extended to this plane; NaN in older files, which do
                           not   say */
    rill_cut *cuts;     /**< [cut_count], owned, by node and direction */
    uint64_t cut_count; /**< number of cuts */
    double (*outline)[3]; /**< [outline_count], m, on its plane, one after the other around it; owned; NULL in
                               older files */
    uint64_t outline_count; /**< number of points of the outline */
} rill_opening;

/** Whether a triangle of the surface is a wall. */
typedef enum rill_wall_state {
    RILL_WALL_WHOLE = 0,   /**< it bounds the fluid */
    RILL_WALL_REMOVED = 1, /**< it was taken away for an opening */
    RILL_WALL_WITHIN = 2,  /**< it lies within the lumen of shells that overlap: fluid is on both sides */
    RILL_WALL_PARTLY = 3   /**< part of it does: it crosses another shell */
} rill_wall_state;

/** The triangle surface that a geometry was cut from, and where links cross it. */
typedef struct rill_surface {
    double (*vertices)[3];    /**< [vertex_count], m, owned */
    uint32_t (*triangles)[3]; /**< [triangle_count], vertices; in the order of the file, normals outward */
    uint64_t vertex_count;    /**< number of vertices */
    uint64_t triangle_count;  /**< number of triangles */
    rill_cut *walls;          /**< [wall_count], links to walls, by node and direction, owned */
    uint64_t wall_count;      /**< number of wall cuts */
    rill_opening *openings;   /**< [opening_count], owned */
    int opening_count;        /**< number of openings */
    uint32_t *patches;    /**< [triangle_count], numbers of patch_names, owned; NULL: the file names none */
    char **patch_names;   /**< [patch_count], solids, groups or faces of the file, owned */
    uint32_t patch_count; /**< number of patches */
    uint8_t
        *removed; /**< [triangle_count], a rill_wall_state of each, owned; NULL: all are RILL_WALL_WHOLE */
} rill_surface;

/** Voxels as bits, which several processes share. */
typedef struct rill_planes rill_planes;

/** Voxels outside of a sample, see rill_geom_set_outside(). */
typedef struct rill_outside rill_outside;

/** Grey values around the threshold of an image, see rill_voxelize_options.threshold. */
typedef struct rill_greys rill_greys;

/** A voxel geometry. */
typedef struct rill_geom {
    uint32_t n[3];          /**< voxels along x, y, z */
    uint8_t *voxels;        /**< [nz][ny][nx], owned */
    double spacing;         /**< edge of a voxel in metres; 0 when unknown */
    double origin[3];       /**< corner of voxel 0 in metres */
    rill_side sides[3];     /**< domain boundaries normal to x, y, z */
    rill_porosity porosity; /**< see rill_porosity */
    char *source;           /**< file or generator that it came from, owned, may be NULL */
    char *source_hash;      /**< XXH3-64 of the source file in hexadecimal, owned, may be NULL */
    char *options;          /**< the command that made it, owned, may be NULL */
    char *notes;           /**< what changes or qualifies a value, see rill_notes_add(); owned, may be NULL */
    rill_surface *surface; /**< what it was cut from, owned; NULL for images and generated geometry */
    rill_planes *planes;   /**< NULL, except in a program of several processes: then voxels is NULL */
    rill_outside *outside; /**< voxels outside of the sample, owned; NULL: the sample fills the box */
    rill_greys *greys; /**< grey values of an image whose threshold has a width, owned; NULL: none. Copies and
                            parts of the geometry have none */
} rill_geom;

/**
 * Create a geometry of solid voxels with periodic boundaries, unknown spacing and unknown porosities.
 * @param[in]  n    voxels along x, y, z, each at least 1
 * @param[out] out  the geometry
 * @return RILL_USAGE for an empty or overflowing box, RILL_SYSTEM without memory
 */
rill_status rill_geom_create(const uint32_t n[3], rill_geom **out);

/**
 * Copy a geometry with its surface and its provenance. rill_permeability_plan_make() changes the voxels of
 * its geometry.
 * @param[in] geom the geometry
 * @param[out] out the copy; the caller destroys it
 * @return RILL_SYSTEM without memory
 */
rill_status rill_geom_copy(const rill_geom *geom, rill_geom **out);

/**
 * Destroy a geometry.
 * @param[in] geom NULL is allowed
 */
void rill_geom_destroy(rill_geom *geom);

/**
 * Destroy a surface.
 * @param[in] surface NULL is allowed
 */
void rill_surface_destroy(rill_surface *surface);

/**
 * Return the number of voxels of the box.
 * @param[in] geom the geometry
 * @return n[0] n[1] n[2]
 */
uint64_t rill_geom_voxels(const rill_geom *geom);

/**
 * Return the number of fluid voxels.
 * @param[in] geom the geometry
 * @return the number of voxels whose value is at least RILL_FLUID
 */
uint64_t rill_geom_fluid(const rill_geom *geom);

/**
 * Return the number of voxels of the sample: all but those outside. Porosities, areas and volumes are its
 * fractions.
 * @param[in] geom the geometry
 * @return n[0] n[1] n[2] less those outside
 */
uint64_t rill_geom_sample(const rill_geom *geom);

/**
 * Say which voxels are outside of the sample, such as those around a core in a picture. They become solid,
 * and count neither in porosities nor in the volume that a permeability is a mean over; porosities become
 * unknown.
 * @param[in,out] geom the geometry
 * @param[in] outside [nz][ny][nx], not 0: outside; NULL: none is, and voxels stay as they are
 * @return RILL_USAGE when no voxel is left, RILL_SYSTEM without memory
 */
rill_status rill_geom_set_outside(rill_geom *geom, const uint8_t *outside);

/**
 * Read which voxels are outside of the sample.
 * @param[in] geom the geometry
 * @param[out] outside [nz][ny][nx], 1: outside, 0: of the sample
 */
void rill_geom_outside(const rill_geom *geom, uint8_t *outside);

/**
 * Convert an opening into a wall: its links become links to walls, half-way or as far as the opening is.
 * @param[in,out] geom the geometry of a vessel
 * @param[in] name the name of the opening
 * @return RILL_USAGE when the geometry has no such opening, RILL_SYSTEM without memory
 */
rill_status rill_geom_close_opening(rill_geom *geom, const char *name);

/**
 * Copy values of the fluid nodes to their voxels, e.g. those of rill_permeability_options.finished.
 * @param[in] geom the geometry
 * @param[in] values [nodes], in node order
 * @param[in] nodes number of values: that of the fluid voxels
 * @param[in] solid value of solid voxels
 * @param[out] image [nz][ny][nx]
 * @return RILL_USAGE when the geometry has another number of fluid voxels
 */
rill_status rill_geom_image(const rill_geom *geom, const float *values, rill_node nodes, float solid,
                            float *image);

/**
 * Read a `*.geom.h5` file.
 * @param[in] path the file
 * @param[out] out the geometry; the caller destroys it
 * @return RILL_USAGE when the file is no geometry, or rill-inspect, which is started to read it first,
 * crashes or takes too long; RILL_SYSTEM without memory, or without rill-inspect (see rill/file.h)
 */
rill_status rill_geom_read(const char *path, rill_geom **out);

/** What rill_geom_write() stores beside the voxels. */
typedef struct rill_geom_write_options {
    bool index_pull; /**< the pull index list of `lattice` */
    int lattice;     /**< a rill_lattice */
} rill_geom_write_options;

/**
 * Write a `*.geom.h5` file: whole or not at all.
 * @param[in] geom the geometry
 * @param[in] path the file; replaced if it is there
 * @param[in] options NULL for the voxels and node cells alone
 * @return RILL_USAGE for a file that cannot be created, RILL_SYSTEM for memory or disk
 */
rill_status rill_geom_write(const rill_geom *geom, const char *path, const rill_geom_write_options *options);

#ifdef __cplusplus
}
#endif

#endif
