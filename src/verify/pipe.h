/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pipe.h
 * Poiseuille flow in a circular pipe of one layer of voxels, and how far it is from the exact profile.
 */
#ifndef RILL_VERIFY_PIPE_H
#define RILL_VERIFY_PIPE_H

#include "verify/steady.h"

/** A pipe along z with half-way bounce-back, fluid where r < R. */
typedef struct rill_verify_pipe {
    double radius;    /**< in voxels */
    double offset[2]; /**< of its axis from a voxel corner */
    double speed;     /**< of the exact solution on the axis, u = F R^2/(4 nu), lu */
} rill_verify_pipe;

/** What came of it; relative to the exact profile u(r) = u_c (1 - r^2/R^2). */
typedef struct rill_verify_pipe_errors {
    double l2;       /**< sqrt(sum (u - exact)^2 / sum exact^2) over the nodes */
    double flow;     /**< sum u / (pi R^2 u_c/2) - 1 */
    double rounding; /**< of either, as rill_verify_rounding() has it */
} rill_verify_pipe_errors;

/**
 * Step a pipe with a force until its flow is steady.
 * @param[in]  options  its force is set here
 * @param[out] u        [*nodes], velocities along the axis over speed, in node order, freed by
 *                      rill_array_destroy(); may be NULL
 * @param[out] nodes    may be NULL
 */
rill_status rill_verify_pipe_run(const rill_verify_pipe *pipe, const rill_sim_options *options,
                                 const rill_verify_until *until, rill_verify_pipe_errors *errors, double **u,
                                 rill_node *nodes);

/** The same, as means (of absolute values) of four offsets of the axis: corner, edge, face, in between. */
rill_status rill_verify_pipe_mean(const rill_verify_pipe *pipe, const rill_sim_options *options,
                                  const rill_verify_until *until, rill_verify_pipe_errors *errors);

#endif
