/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file settle.h
 * How far the Windkessels of a case are from their periodic state.
 *
 * The pressures x that Windkessels store obey dx/dt = A x + b(t) with a b that repeats: over a cycle T an
 * error e of x becomes E e, E = exp(A T). A cycle that begins with x and ends with x + d is therefore (I -
 * E)^-1 d away from the periodic state: Newton's step for the map from cycle to cycle. The first I - E is
 * that of the circuit in which the vessel has no resistance. With the vessel's resistance errors decay more
 * slowly; I - E learns from every two cycles by the symmetric rank-one formula (Nocedal & Wright 2006,
 * doi:10.1007/978-0-387-40065-5, section 6.2), in the norm of the energy that Windkessels store, in which it
 * is symmetric. As the vessel's resistance only makes I - E smaller, a step falls short of the periodic state
 * and does not go beyond it.
 */
#ifndef RILL_VESSEL_SETTLE_H
#define RILL_VESSEL_SETTLE_H

#include "vessel/case/ends.h"

/** The Windkessels of a case. */
typedef struct rill_settle {
    int count;                  /**< of Windkessels; 0 in a steady case */
    int opening[RILL_OPENINGS]; /**< [count], in their order */
    double root[RILL_OPENINGS]; /**< [count], of the compliance */
    double *left;               /**< [count][count], I - E of root x; owned */
} rill_settle;

/**
 * Find the Windkessels of a pulsatile case, and how errors of what they store decay over a cycle.
 * @param[in] ends    [openings], as in rill_ends_solve()
 * @param[in] states  [openings], solved
 */
rill_status rill_settle_make(const rill_case *given, const int *ends, const rill_end_state *states,
                             int openings, rill_settle *out);

/** What Windkessels stored at the beginning and at the end of cycle k, Pa: [count] each. */
typedef void rill_settle_cycle(const void *context, uint64_t k, const double **begin, const double **end);

/**
 * Find what is missing from the beginning of the last cycle to the periodic state.
 * @param[in]  cycles   made, at least 1
 * @param[in]  noise    Pa; two cycles that begin closer to each other teach nothing
 * @param[out] missing  Pa, [count]
 */
rill_status rill_settle_missing(const rill_settle *settle, uint64_t cycles, rill_settle_cycle *cycle,
                                const void *context, double noise, double *missing);

/** Free what it holds; a cleared one is allowed. */
void rill_settle_free(rill_settle *settle);

#endif
