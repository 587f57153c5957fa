/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file passage.h
 * Cross-sections along a vessel, from its voxels alone: shells of equal distance from the inlets through the
 * fluid. Each connected piece of a shell is a cross-section; the way back from an outlet to the inlets gives
 * which of them its flow went through. Good to tens of per cent: it is for estimates before a run.
 */
#ifndef RILL_VESSEL_PASSAGE_H
#define RILL_VESSEL_PASSAGE_H

#include "rill.h"

/** What is expected where the flow is fastest. */
typedef struct rill_passage {
    double velocity; /**< mean over the section, of the unit of flow / m2 */
    double area;     /**< of it, m2 */
    double at[3];    /**< its middle, m */
    double length;   /**< longest way from inlets to an outlet, m */
    double resist;   /**< integral of flow / area^2 along a way, the largest: viscous drop / (8 pi mu) */
    double inert; /**< integral of flow / area along a way, the largest: drop / (density x relative rate) */
} rill_passage;

/**
 * Find the fastest section.
 * @param[in] flow  [opening_count], into the vessel counted positive: what comes in starts ways, what goes
 * out ends them
 * @return RILL_SYSTEM without memory
 */
rill_status rill_passage_find(const rill_geom *geom, const double *flow, rill_passage *out);

#endif
