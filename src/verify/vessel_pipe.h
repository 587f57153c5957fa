/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vessel_pipe.h
 * Flow in circular pipes whose walls are interpolated, along an axis of the lattice or tilted against it.
 */
#ifndef RILL_VERIFY_VESSEL_PIPE_H
#define RILL_VERIFY_VESSEL_PIPE_H

#include "verify/steady.h"

/** A periodic pipe. */
typedef struct rill_verify_vessel_pipe {
    double radius;    /**< in voxels */
    uint32_t tilt[2]; /**< it runs along (tilt[0], 0, tilt[1]); (0, 1): along z, of one layer of voxels */
    double offset[2]; /**< of its axis from a voxel corner, along x and y */
    double speed;     /**< on the axis in the steady flow of its force, F R^2/(4 nu), lu */
} rill_verify_vessel_pipe;

/** A pipe as geometry. */
typedef struct rill_verify_vessel_shape {
    rill_geom *geom;
    double axis[3];      /**< of length 1 */
    double *radii;       /**< [nodes], distances of nodes from the axis */
    double (*places)[3]; /**< [nodes] */
    rill_node nodes;
} rill_verify_vessel_shape;

/** Make the geometry, with cuts. */
rill_status rill_verify_vessel_shape_make(const rill_verify_vessel_pipe *pipe, rill_verify_vessel_shape *out);

/** Free it; a cleared one is allowed. */
void rill_verify_vessel_shape_free(rill_verify_vessel_shape *shape);

/** What came of it, relative to an exact profile: sqrt(sum of squares of differences / sum of squares). */
typedef struct rill_verify_vessel_errors {
    double l2;
    double flow;     /**< sum u / exact flow - 1 */
    double rounding; /**< to expect, see rill_verify_rounding(); 0 where the flow is not steady */
} rill_verify_vessel_errors;

/**
 * Let a force drive the flow until it is steady.
 * @param[in] options  its force is set here; a viscosity law is taken as it is
 * @param[in] exact    u over speed at r / R, whose mean over the section is `mean`
 */
rill_status rill_verify_vessel_steady(const rill_verify_vessel_pipe *pipe, const rill_sim_options *options,
                                      const rill_verify_until *until,
                                      double (*exact)(const void *context, double r), const void *context,
                                      double mean, rill_verify_vessel_errors *errors);

/** Poiseuille flow, the mean of four offsets of the axis: corner, edge, face, in between. */
rill_status rill_verify_vessel_poiseuille(const rill_verify_vessel_pipe *pipe,
                                          const rill_sim_options *options, const rill_verify_until *until,
                                          rill_verify_vessel_errors *errors);

/**
 * Womersley flow: a force that oscillates drives it, from the exact velocities on, for some periods; errors
 * are over the last one.
 * @param alpha  R sqrt(omega / nu)
 * @see Womersley (1955), doi:10.1113/jphysiol.1955.sp005276
 */
rill_status rill_verify_vessel_womersley(const rill_verify_vessel_pipe *pipe, double alpha, double periods,
                                         const rill_sim_options *options, rill_verify_vessel_errors *errors);

#endif
