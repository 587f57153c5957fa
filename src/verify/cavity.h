/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cavity.h
 * The square cavity with a moving lid, y = 1, on one layer of voxels.
 */
#ifndef RILL_VERIFY_CAVITY_H
#define RILL_VERIFY_CAVITY_H

#include "verify/steady.h"

/** A cavity. */
typedef struct rill_verify_cavity {
    uint32_t cells;  /**< along an edge, even */
    double speed;    /**< U of the lid, lu */
    double reynolds; /**< U cells/nu */
    double turns;    /**< most time, in edges over U */
} rill_verify_cavity;

/** The result, over U; positions over the edge, from the corner of the box. */
typedef struct rill_verify_cavity_flow {
    double *u;                  /**< [cells], u on x = 1/2 along y, owned */
    double *v;                  /**< [cells], v on y = 1/2 along x, owned */
    double u_min, v_max, v_min; /**< extremes of the parabolas through the nodes about them */
} rill_verify_cavity_flow;

/**
 * Step until the flow is steady: the kinetic energy changes by less than 1e-6 in a round (fp64, 1e-5 fp32),
 * or for all rounds with 16 bits.
 * @param[in]  options  tau and equilibrium are set here
 * @param[out] flow     freed by rill_verify_cavity_free(), also after a failure
 */
rill_status rill_verify_cavity_run(const rill_verify_cavity *cavity, const rill_sim_options *options,
                                   rill_verify_cavity_flow *flow);

/** Free what a flow owns; a cleared one is allowed. */
void rill_verify_cavity_free(rill_verify_cavity_flow *flow);

#endif
