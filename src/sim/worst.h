/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file worst.h
 * Where a flow that diverged is worst.
 */
#ifndef RILL_SIM_WORST_H
#define RILL_SIM_WORST_H

#include "rill.h"

/** The node where a flow is worst. */
typedef struct rill_worst {
    bool finite;     /**< all nodes have finite numbers */
    double size;     /**< the largest speed, or change of density, of the finite; lu */
    double rho;      /**< there, less 1; lu */
    double place[3]; /**< of it, in voxels from the first; of numbers that are none any more: the one in their
                        middle, for they spread */
} rill_worst;

/**
 * Look at the nodes of a simulation, which are the fluid voxels of `geom`, once or twice.
 * @param[in] dense  by the change of density; else by speed
 */
rill_status rill_worst_find(rill_sim *sim, const rill_geom *geom, uint64_t nodes, bool dense,
                            rill_worst *out);

#endif
