/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file faces.h
 * Do opposite faces of an image match, as those of a periodic medium do?
 */
#ifndef RILL_GEOMETRY_VOXELS_FACES_H
#define RILL_GEOMETRY_VOXELS_FACES_H

#include "rill.h"

/** The pores of the two faces normal to an axis. Shares are of the pore voxels of the face that has fewer. */
typedef struct rill_faces {
    double meeting; /**< share that meets a pore voxel of the opposite face */
    double chance;  /**< that share where pores lie at random: the porosity of the opposite face */
    double inside;  /**< the share between neighbouring planes inside, the mean of up to 16 pairs */
    bool measured;  /**< false: the boundary is not periodic, or a face has nearly no pore */
    bool differ;    /**< the faces do not match */
} rill_faces;

/**
 * Measure the faces of the axes whose boundaries are periodic, by a sample of the planes.
 * @see tests/voxels/test_faces.c for media that match and crops that do not
 */
rill_status rill_faces_measure(const rill_geom *geom, rill_faces out[3]);

#endif
