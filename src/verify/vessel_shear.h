/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vessel_shear.h
 * Wall shear on a ring of triangles around a pipe.
 */
#ifndef RILL_VERIFY_VESSEL_SHEAR_H
#define RILL_VERIFY_VESSEL_SHEAR_H

#include "verify/vessel_pipe.h"

/**
 * Put a ring of triangles, a voxel long, on the wall around the middle of a pipe: the one that goes through
 * the corner of the box, or along its middle. What repeats is farther away than the wall shear looks.
 */
rill_status rill_verify_vessel_ring(const rill_verify_vessel_pipe *pipe,
                                    const rill_verify_vessel_shape *shape);

/** The shear that a flow has on the triangles, over the exact one. */
typedef struct rill_verify_vessel_shear_found {
    double mean; /**< along the axis */
    double l2;   /**< error of the vectors */
} rill_verify_vessel_shear_found;

/** Take it. @param nu, exact  viscosity and wall shear, lu */
rill_status rill_verify_vessel_shear_take(const rill_verify_vessel_shape *shape, rill_domain *domain,
                                          rill_sim *sim, double nu, double exact,
                                          rill_verify_vessel_shear_found *out);

#endif
