/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file surface_dam.h
 * A column of liquid on a dry floor, which is let go: a dam that breaks.
 */
#ifndef RILL_VERIFY_SURFACE_DAM_H
#define RILL_VERIFY_SURFACE_DAM_H

#include "verify/liquid.h"

/** A column twice as high as wide, in a plane. */
typedef struct rill_verify_dam {
    uint32_t width; /**< a, cells */
    double force, tau;
    int count;           /**< of times, ascending, in sqrt(a / 2g) */
    const double *times; /**< [count] */
} rill_verify_dam;

/** Find how far its front has come, over its width. @param[out] front  [count] */
rill_status rill_verify_dam_run(const rill_verify_liquid *box, const rill_verify_dam *dam, double *front);

#endif
