/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vessel_duct.h
 * Straight ducts of three sections along any direction of whole numbers and a pipe with a stenosis, with
 * interpolated bounce-back and bands of triangles, and their exact flow.
 */
#ifndef RILL_VERIFY_VESSEL_DUCT_H
#define RILL_VERIFY_VESSEL_DUCT_H

#include "verify/verify.h"

/** The section across the axis, of half the width r. */
typedef enum rill_verify_section_kind {
    RILL_VERIFY_CIRCLE,   /**< of radius r */
    RILL_VERIFY_ELLIPSE,  /**< of semi-axes r and 5/3 r */
    RILL_VERIFY_TRIANGLE, /**< equilateral, the incircle of radius r */
    RILL_VERIFY_STENOSIS  /**< a circle of radius r that narrows to r/2 and widens, each 9 r again:
                             data/stenosis.csv; 18 r  along the axis are whole numbers of voxels along each
                             axis
                           */
} rill_verify_section_kind;

/** A periodic duct. */
typedef struct rill_verify_duct {
    rill_verify_section_kind kind;
    uint32_t along[3]; /**< the direction of the axis */
    double r;          /**< lu */
    double speed;      /**< on the axis, lu; stenosis: twice the mean velocity in the throat */
    double third;      /**< limit of third moments; 0: the default */
    double aside[2];   /**< of the axis along x and y from where no symmetry of the lattice is, lu */
} rill_verify_duct;

enum { RILL_VERIFY_DUCT_WAVES = 14 }; /**< harmonics of the wall shear along a stenosis, with the mean */

/** It as geometry. */
typedef struct rill_verify_duct_shape {
    rill_verify_duct duct;
    rill_geom *geom;
    double axis[3], x[3], y[3]; /**< of length 1: along it, and across it */
    double middle[3];
    double *exact; /**< [nodes], velocity along the axis, lu; stenosis: of lubrication theory */
    rill_node nodes;
    double flow;       /**< sum of the exact velocity over the volume in the box, lu */
    double resistance; /**< stenosis: over that of a pipe of radius r; and its wall shear over that of the
                          pipe */
    double cosine[RILL_VERIFY_DUCT_WAVES], sine[RILL_VERIFY_DUCT_WAVES];
} rill_verify_duct_shape;

/** Make the geometry with cuts. @param[out] out  zero before */
rill_status rill_verify_duct_make(const rill_verify_duct *duct, rill_verify_duct_shape *out);

/** Free it; a cleared one is allowed. */
void rill_verify_duct_free(rill_verify_duct_shape *shape);

/** Return the body force over the viscosity that drives the flow. */
double rill_verify_duct_drive(const rill_verify_duct_shape *shape);

/** Put a band of triangles, a voxel long, on the wall around the middle of the box, several along a stenosis.
 */
rill_status rill_verify_duct_band(rill_verify_duct_shape *shape);

/**
 * Find the exact wall shear at a position on the wall, over density and viscosity.
 * @param[out] shear  along the wall; NaN within two voxels of a corner, where it is not judged
 */
void rill_verify_duct_shear(const rill_verify_duct_shape *shape, const double position[3], double shear[3]);

#endif
