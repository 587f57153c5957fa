/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file helicity.h
 * Helicity of the flow, over the snapshots of a cycle: density H = u . curl u, the local normalised helicity
 * LNH = H / (|u| |curl u|), by which Morbiducci et al. (2011, doi:10.1007/s10237-010-0238-2) measure how
 * velocity and vorticity are aligned, and the averages over the volume of the vessel and the cycle h1 = <H>,
 * h2 = <|H|>, h3 = h1 / h2, h4 = |h1| / h2. Nodes in extensions are left out of the averages.
 *
 * Derivatives are central differences, and at walls one-sided ones from two nodes, both of second order. A
 * node with one neighbour along an axis takes the difference of both, and one without any that of a node
 * beside it.
 */
#ifndef RILL_VESSEL_HELICITY_H
#define RILL_VESSEL_HELICITY_H

#include "io/checkpoint.h"
#include "vessel/case/case.h"

/** What a checkpoint keeps. */
typedef struct rill_helicity_state {
    double sum, size; /**< m/s2: of <H> and <|H|> of the snapshots */
    double samples;   /**< snapshots */
    float mean[];     /**< [nodes], sum of LNH */
} rill_helicity_state;

/** The helicity of a run. */
typedef struct rill_helicity {
    const rill_vessel *vessel;  /**< borrowed; NULL: none is requested */
    float *u;                   /**< [3][nodes], m/s */
    float *density, *lnh;       /**< [nodes], of the last snapshot; m/s2 */
    rill_helicity_state *state; /**< owned */
} rill_helicity;

/** Make it where the case requests it. @param[out] out  freed by rill_helicity_free() */
rill_status rill_helicity_make(const rill_vessel *vessel, rill_helicity *out);

/** Free it; a cleared one is allowed. */
void rill_helicity_free(rill_helicity *helicity);

/** Return the bytes that it takes for a number of nodes. */
uint64_t rill_helicity_bytes(uint64_t nodes);

/**
 * Compute density and LNH of a velocity field.
 * @param[in]  u        [3][nodes], m/s
 * @param[in]  spacing  m
 * @param[out] density  [nodes], m/s2 @param[out] lnh  [nodes], -1 to 1; 0 where velocity or vorticity vanish
 */
rill_status rill_helicity_compute(const rill_domain *domain, const float *u, double spacing, float *density,
                                  float *lnh);

/** Take a snapshot. @param[in] first  it is the first of its cycle: earlier ones are forgotten */
rill_status rill_helicity_take(rill_helicity *helicity, bool first);

/** Fill in the averages: NaN without snapshots. */
void rill_helicity_result(const rill_helicity *helicity, rill_run_result *out);

/** Make a part of a checkpoint. */
rill_checkpoint_part rill_helicity_part(rill_helicity *helicity);

#endif
