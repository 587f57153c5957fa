/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file break_even.h
 * From which porosity on a dense code is better than a sparse one.
 */
#ifndef RILL_BENCH_BREAK_EVEN_H
#define RILL_BENCH_BREAK_EVEN_H

#include <stdbool.h>

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

#endif
