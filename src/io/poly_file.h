/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file poly_file.h
 * Copies of a closed surface of triangles as a .vtp file (VTK XML PolyData), and .vtp.series files that name
 * those of all times, which ParaView opens as one.
 */
#ifndef RILL_IO_POLY_FILE_H
#define RILL_IO_POLY_FILE_H

#include "rill.h"

/** Surfaces at one moment. */
typedef struct rill_poly {
    uint32_t count;                 /**< surfaces */
    const uint64_t *numbers;        /**< [count], of each, from 1 */
    uint32_t vertex_count;          /**< of each */
    uint32_t triangle_count;        /**< of each */
    const uint32_t (*triangles)[3]; /**< [triangle_count], vertices */
    const double (*x)[3];           /**< [count][vertex_count] */
    double scale, origin[3];        /**< a point is written as origin + scale x, m */
    const double (*velocity)[3];    /**< [count][vertex_count] */
    double speed;                   /**< a velocity is written as speed times it, m/s */
    double time;                    /**< s */
} rill_poly;

/** Write points and velocities as 32 bits, and the number of the surface of each triangle, less 1.
 * @return RILL_USAGE for more corners than 2^31 - 1, RILL_SYSTEM */
rill_status rill_poly_write(const rill_poly *poly, const char *path);

/** Write which files are of which time. @param[in] names  [count], in the directory of `path` */
rill_status rill_poly_series_write(const char *path, char *const *names, const double *times, uint64_t count);

#endif
