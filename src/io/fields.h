/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file fields.h
 * Velocity and pressure on the voxels as VTKHDF 1.0 files that ParaView 5.11 and VTK 9.1 open, each with an
 * .xmf beside it that names the same arrays. docs/files.md describes them.
 *
 * "image": ImageData whose points are the voxel centres, with the voxels beside the fields, which are 0 in
 * the solid. "sparse": an UnstructuredGrid with one hexahedron for each fluid node, in node order; the cells
 * are in a file of their own, which the field files of all steps link to, so that a step costs only its
 * fields.
 */
#ifndef RILL_IO_FIELDS_H
#define RILL_IO_FIELDS_H

#include "core/log.h"
#include "rill.h"

/**
 * Hand out moments of the nodes first … first + count - 1; rill_sim_moments() has this shape.
 * @param[out] rho  [count], rho - 1 in lu
 * @param[out] u    [3][count], velocity in lu
 */
typedef rill_status (*rill_moments_fn)(void *context, rill_node first, rill_node count, double *rho,
                                       double *u);

/** Nodes whose values are computed at a time, at most. */
enum { RILL_FIELDS_BATCH = 65536 };

/** Hand out a number for each node, as it is written. @param[out] values  [count] */
typedef rill_status (*rill_scalar_fn)(void *context, rill_node first, rill_node count, double *values);

#define RILL_FIELD_WALLS "wall_sensitivity" /* scalar of a permeability */

enum { RILL_FIELD_SCALARS = 6 /**< beside velocity and pressure, at most */ };

/** Return the host memory that rill_fields_write() takes, without what hands moments out. */
uint64_t rill_fields_bytes(const rill_geom *geom, rill_fields_kind kind);

/** How a field is scaled and what its numbers then are. */
typedef struct rill_field_unit {
    double factor;    /**< written value = factor × value in lu */
    const char *name; /**< unit of the written value: "lu", "m/s", "Pa" */
    double si;        /**< factor from the written value to SI; 0 when unknown */
    double offset;    /**< added to the written value, in its unit */
} rill_field_unit;

/** A further field with one number for each node. */
typedef struct rill_field_scalar {
    const char *name;     /**< "shear_rate" */
    rill_field_unit unit; /**< of what `values` hands out */
    const char *meaning;
    rill_scalar_fn values; /**< called after the moments of the same nodes */
} rill_field_scalar;

/** Fields at one moment. */
typedef struct rill_fields {
    const rill_geom *geom;
    rill_moments_fn moments;
    rill_field_scalar scalars[RILL_FIELD_SCALARS]; /**< [scalar_count] */
    int scalar_count;
    void *context;
    const char *vector;       /**< name of u; NULL: "velocity" */
    const char *number;       /**< name of (rho - 1) / 3; NULL: "pressure" */
    rill_field_unit velocity; /**< of u */
    rill_field_unit pressure; /**< of (rho - 1) / 3 */
    uint64_t step;
    double time_step; /**< seconds of a step; 0 when unknown: times are steps then */
    const char
        *cells; /**< sparse: file of the cells, in the directory of the fields; NULL: out.cells.vtkhdf */
    const char *command;    /**< provenance; may be NULL */
    rill_progress progress; /**< fn may be NULL */
} rill_fields;

/** Return fields in lattice units at step 0, without data. */
rill_fields rill_fields_default(void);

/**
 * Write the fields, and "out.xmf" beside them.
 * @param[in] path  "out.vtkhdf"; with RILL_FIELDS_SPARSE the cells go to "out.cells.vtkhdf" unless that
 * exists and holds the cells of this geometry
 * @return RILL_USAGE without fluid nodes, RILL_SYSTEM for disk or memory, or what moments() returned
 */
rill_status rill_fields_write(const rill_fields *fields, rill_fields_kind kind, const char *path);

/**
 * Copy a field file so that it needs no other: what it links to becomes part of it.
 * @return RILL_USAGE when `from` is no field file of ours
 */
rill_status rill_fields_copy(const char *from, const char *to);

/** Field files of a run of a vessel, at most. */
enum { RILL_POINTS_FILES = 512 };

/**
 * Write the points of field files within a distance of a place, with a column of times where there are
 * several files.
 * @param[in]  paths   [count], sparse field files with velocities in m/s
 * @param[in]  place   m, in the coordinates of the surface
 * @param[out] points  number of points of the first file; may be NULL
 * @return RILL_USAGE for other files, and where no point lies so near
 */
rill_status rill_points_write(const char *const *paths, int count, const double place[3], double reach,
                              const char *out, uint64_t *points);

#endif
