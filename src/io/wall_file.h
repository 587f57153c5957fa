/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file wall_file.h
 * Results on the triangles of the surface that a vessel was cut from, as VTKHDF 1.0 files (UnstructuredGrid
 * of triangles) that ParaView 5.11 and VTK 9.1 open. docs/files.md describes them.
 */
#ifndef RILL_IO_WALL_FILE_H
#define RILL_IO_WALL_FILE_H

#include "rill.h"

/** One array on the triangles. */
typedef struct rill_wall_array {
    const char *name, *unit, *meaning; /**< "TAWSS", "Pa", one phrase */
    int components;                    /**< 1 or 3 */
    const float *values;               /**< [triangle_count][components] */
} rill_wall_array;

/** A surface at one moment, or over one cycle. */
typedef struct rill_wall_fields {
    const rill_geom *geom; /**< with a surface */
    const rill_wall_array *arrays;
    int array_count;
    uint64_t step;
    double time;         /**< s */
    const char *command; /**< provenance; may be NULL */
} rill_wall_fields;

/**
 * Write the triangles in the order of the surface's file, their points in metres counted as it counts them,
 * and the arrays; an array "triangle" holds their numbers.
 * @return RILL_USAGE without a surface, RILL_SYSTEM for disk or memory
 */
rill_status rill_wall_file_write(const rill_wall_fields *fields, const char *path);

#endif
