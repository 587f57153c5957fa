/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file passes.h
 * What a part of the program that builds on a simulation does in every step, beside the update of the nodes:
 * it rewrites populations before the step, says which nodes take part in it, and looks at what came of it.
 */
#ifndef RILL_SIM_PASSES_H
#define RILL_SIM_PASSES_H

#include "sim/sim.h"

/** A run of nodes, first … end - 1; both are multiples of RILL_SEGMENT_BLOCK or the ends of the domain. */
typedef struct rill_node_run {
    rill_node first, end;
} rill_node_run;

/** The passes of a step. */
typedef struct rill_passes {
    const char *what; /**< whose they are, for messages: "a free surface" */
    bool boundaries;  /**< they go with walls that move and with openings */
    bool gpu;         /**< they run on one, too: what they do to its memory is in its queue */
    /** Before the step that `launch` describes: populations on their way may be rewritten. */
    rill_status (*before)(void *context, const rill_launch *launch);
    /** The runs of nodes that take part in it, in ascending order: what lies between them stays as it is.
     * NULL: all nodes */
    uint64_t (*runs)(void *context, const rill_node_run **runs);
    /** After it, with the launch of the next step. */
    rill_status (*after)(void *context, const rill_launch *launch);
    void *context; /**< not owned */
} rill_passes;

/**
 * Let passes be part of all steps from now on.
 * @return RILL_USAGE for what they do not go with: a GPU unless they say so, several devices,
 * ring buffers, equilibrium storage, full-way bounce-back, direct addressing, mirrored boundaries,
 * interpolated bounce-back, and openings unless they say so
 */
rill_status rill_sim_passes_set(rill_sim *sim, const rill_passes *passes);

#endif
