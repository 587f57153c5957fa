/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file seed.h
 * Positions for cells of one shape in a geometry, where they overlap neither walls nor each other. Draws are
 * by number, and one cell is placed after the other: the same positions for any number of threads, and on
 * machines whose C library rounds sines alike, which with and without FMA it may not.
 */
#ifndef RILL_MEMBRANE_SEED_H
#define RILL_MEMBRANE_SEED_H

#include "membrane/mesh.h"

/** Where a cell is: its centre, voxels from the corner of the box, and its rotation, a unit quaternion. */
typedef struct rill_seed_place {
    double centre[3], turn[4];
} rill_seed_place;

/** What is placed. */
typedef struct rill_seed_options {
    const rill_geom *geom;          /**< with voxels */
    const uint8_t *closed;          /**< [voxels], not 0 where cells have no place either; NULL: nowhere */
    const rill_membrane_mesh *mesh; /**< of each cell */
    double apart;                   /**< voxels between vertices of two cells, at least */
    uint32_t count;
    const double (*centres)[3]; /**< [count], voxels; NULL: at random */
    uint64_t seed;              /**< of the draws */
    const double *axis;         /**< of length 1, the direction of the cell's z; NULL: at random */
    rill_progress progress;
} rill_seed_options;

/** Return the rotation that moves z into a direction of length 1. */
void rill_seed_turn(const double axis[3], double turn[4]);

/** Return a vertex of a cell at its place, voxels from the corner of the box. */
void rill_seed_vertex(const rill_seed_place *place, const double vertex[3], double x[3]);

/**
 * Place cells. @param[out] places  [count]
 * @return RILL_USAGE where they do not find room, RILL_SYSTEM, RILL_CANCELLED
 */
rill_status rill_seed(const rill_seed_options *options, rill_seed_place *places);

/**
 * Try to place one more cell in part of a geometry, among cells of any shape.
 * @param options  `count` cells are there; `centres` is not looked at
 * @param x        [count + 1][vertices], of the cells that are there; those of the new one, out
 * @param draw     number of the first of `tries` positions that are drawn from the stream of the seed
 * @param voxels   [voxel_count], in which its centre is to lie
 * @param[out] found  whether one of the positions is free
 * @return RILL_SYSTEM
 */
rill_status rill_seed_more(const rill_seed_options *options, double (*x)[3], uint64_t draw, int tries,
                           const uint64_t *voxels, uint64_t voxel_count, bool *found);

/** Return the memory that rill_seed() takes, bytes. */
uint64_t rill_seed_bytes(const rill_geom *geom, uint32_t count, uint32_t vertices);

#endif
