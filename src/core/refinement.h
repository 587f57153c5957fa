/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file refinement.h
 * From three grids to the limit of ever finer ones.
 */
#ifndef RILL_CORE_REFINEMENT_H
#define RILL_CORE_REFINEMENT_H

#include <stdbool.h>

enum { RILL_REFINEMENT_LEVELS = 3 };

/** What three grids say. */
typedef struct rill_refinement {
    double order;       /**< observed; NaN where there is none */
    bool sane;          /**< between 0.5 and 2.5, whatever the values may be within their own uncertainties */
    double limit;       /**< Richardson's when sane, else the finest value */
    double uncertainty; /**< of it, absolute, those of the values included: not less than the distance to the
                           limit of first order, nor to that of second order */
} rill_refinement;

/**
 * Extrapolate values on three grids.
 *
 * With k(h) = k0 + C h^p the order follows from (k1 - k2) / (k2 - k3) = (h1^p - h2^p) / (h2^p - h3^p), which
 * grows with p (Celik et al. 2008, doi:10.1115/1.2960953, for ratios that differ). The limit keeps the sign
 * of the values.
 * @param[in] h     [RILL_REFINEMENT_LEVELS], spacings in any unit, the coarsest first
 * @param[in] k, u  likewise, values and their absolute uncertainties
 * @see tests/core/test_refinement.c
 */
rill_refinement rill_refinement_take(const double *h, const double *k, const double *u);

#endif
