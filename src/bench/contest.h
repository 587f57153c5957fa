/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file contest.h
 * Dense codes against sparse ones: where dense is better, and what a code that has both could gain.
 */
#ifndef RILL_BENCH_CONTEST_H
#define RILL_BENCH_CONTEST_H

#include <stdbool.h>

/* ---- from which porosity on a dense code is better than a sparse one ---- */

/** Speeds, or bytes, of both at a porosity. */
typedef struct rill_contest {
    double porosity, sparse, dense;
} rill_contest;

/**
 * Return the porosity above which dense is better throughout, where the difference of the two, interpolated
 * linearly between neighbouring porosities, is 0: NaN when dense is not better at the highest one, the lowest
 * porosity when it is better at all of them.
 * @param[in] points   [count], by ascending porosity, at least one
 * @param[in] largest  the larger value is the better one: speeds; otherwise the smaller: bytes
 * @see Suffa, Holzer, Köstler & Rüde (2024), doi:10.1177/10943420261434639, figures 4, 5 and 8
 */
double rill_break_even(const rill_contest *points, int count, bool largest);

/* ---- what a hybrid code could gain: dense where all is fluid, sparse elsewhere ---- */

/** Speeds of the same method, node updates per second in any unit. */
typedef struct rill_hybrid {
    double sparse;      /**< of a geometry that is partly free of solid */
    double sparse_free; /**< of a box of fluid */
    double dense_free;  /**< likewise, with direct addressing */
    double free;        /**< nodes in the free part, over all nodes of the geometry */
} rill_hybrid;

/**
 * Return the speed of a hybrid over that of the sparse code, which steps the free part as fast as dense_free,
 * and everything else in the time that the sparse code has left beside a free part at its speed sparse_free.
 * Never below 1: a hybrid may choose sparse everywhere. Exchange between both is free, so that this is a
 * bound. NaN where speeds contradict each other: the free part alone takes the sparse code longer than the
 * whole.
 */
double rill_hybrid_gain(const rill_hybrid *speeds);

/** Return the same for a geometry of which all nodes are stepped at the speed dense_free. */
double rill_hybrid_gain_all(const rill_hybrid *speeds);

#endif
