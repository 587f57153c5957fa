/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file surface_rise.h
 * Bubbles that rise in a closed box of liquid, p V of their gas being constant.
 */
#ifndef RILL_VERIFY_SURFACE_RISE_H
#define RILL_VERIFY_SURFACE_RISE_H

#include "verify/liquid.h"

/** A bubble. Numbers are of its diameter, or of that of the tube. */
typedef struct rill_verify_rise {
    double cells; /**< of the diameter */
    bool tube;    /**< a Taylor bubble, in a tube of voxels; else a ball in a box, periodic along x and y */
    double eotvos, morton;
    double wide, high; /**< the box, in diameters; a tube takes the height alone */
    double middle;     /**< height of the bubble, in diameters */
    double way;        /**< it rises this far, in diameters, and its velocity is that over the last half */
} rill_verify_rise;

/** What came of it. */
typedef struct rill_verify_rise_outcome {
    double reynolds; /**< of the diameter and the velocity */
    double steady; /**< velocity over the last quarter of the way, over that of the quarter before, less 1 */
    double volume; /**< of the gas at the end, over that at the start */
    double mass;   /**< of the liquid, as volume, less 1 */
} rill_verify_rise_outcome;

/** Compute it. @return RILL_NUMERICS where it does not come so far */
rill_status rill_verify_rise_run(const rill_verify_liquid *box, const rill_verify_rise *rise,
                                 rill_verify_rise_outcome *out);

#endif
