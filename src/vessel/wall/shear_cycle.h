/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file shear_cycle.h
 * What a cycle of wall shear comes to on each triangle: its mean vector, TAWSS, OSI, RRT and ECAP.
 *
 * TAWSS = <|tau|>, OSI = (1 - |<tau>| / <|tau|>)/2 (Ku et al. 1985, doi:10.1161/01.ATV.5.3.293; He & Ku 1996,
 * doi:10.1115/1.2795948), RRT = 1/((1 - 2 OSI) TAWSS) = 1/|<tau>| (Himburg et al. 2004,
 * doi:10.1152/ajpheart.00897.2003), the
 * endothelial cell activation potential ECAP = OSI/TAWSS (Di Achille et al. 2014,
 * doi:10.1098/rspa.2014.0163), means over the time of a cycle.
 */
#ifndef RILL_VESSEL_SHEAR_CYCLE_H
#define RILL_VESSEL_SHEAR_CYCLE_H

#include "rill.h"

/** Sums over a cycle. Owned arrays; one block, so that a checkpoint takes it as it is. */
typedef struct rill_shear_cycle {
    uint64_t triangles;
    double *sums;   /**< [triangles][4]: of tau_x, tau_y, tau_z, |tau| */
    double samples; /**< added so far, or their weights */
} rill_shear_cycle;

enum { RILL_SHEAR_RESULTS = 7 /**< numbers of a triangle in all arrays of a result */ };

/** What came of it, per triangle: NaN where the shear is. Borrowed arrays. */
typedef struct rill_shear_result {
    float (*mean)[3]; /**< [triangles][3], Pa */
    float *tawss;     /**< Pa */
    float *osi;       /**< 0 where the shear vanishes throughout */
    float *rrt;       /**< 1/Pa; infinite where the mean vector vanishes */
    float *ecap;      /**< 1/Pa; 0 where the shear vanishes throughout */
} rill_shear_result;

/** Begin with nothing added. */
rill_status rill_shear_cycle_create(uint64_t triangles, rill_shear_cycle *out);

/** Free the arrays; a cleared one is allowed. */
void rill_shear_cycle_free(rill_shear_cycle *cycle);

/** Forget what was added: a new cycle begins. */
void rill_shear_cycle_restart(rill_shear_cycle *cycle);

/** Add the shear [triangles][3] at a moment. @param weight  its share of the time, above 0 */
void rill_shear_cycle_add(rill_shear_cycle *cycle, const float (*shear)[3], double weight);

/** Indices of a triangle over a cycle; NaN where its shear is. */
typedef struct rill_shear_indices {
    double mean[3], vector; /**< mean vector and its length, Pa */
    double tawss, osi;
} rill_shear_indices;

/** Return the indices of a triangle. */
rill_shear_indices rill_shear_cycle_indices(const rill_shear_cycle *cycle, uint64_t triangle);

/** Compute the result into its arrays, each [triangles] or NULL. */
void rill_shear_cycle_finish(const rill_shear_cycle *cycle, const rill_shear_result *result);

#endif
