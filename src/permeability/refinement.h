/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file refinement.h
 * From three grids to the limit of ever finer ones, for error_bar.c.
 */
#ifndef RILL_PERMEABILITY_REFINEMENT_H
#define RILL_PERMEABILITY_REFINEMENT_H

#include "rill.h"

/** What three grids say. */
typedef struct rill_refinement {
    double order;       /**< observed; NaN where there is none */
    bool sane;          /**< between 0.5 and 2.5, whatever the values may be within their own uncertainties */
    double limit;       /**< Richardson's when sane, else the finest value */
    double uncertainty; /**< of it, absolute, those of the values included */
} rill_refinement;

/**
 * Extrapolate values at voxels split into 1, 2 and 3 along each axis.
 *
 * With k(h) = k0 + C h^p the order follows from (k1 - k2) / (k2 - k3) = (1 - 2^-p) / (2^-p - 3^-p), which
 * grows with p (Celik et al. 2008, doi:10.1115/1.2960953, for ratios that differ).
 * @param[in] k, u  [RILL_ERROR_BAR_LEVELS], values and their absolute uncertainties
 * @see tests/test_refinement.c
 */
rill_refinement rill_refinement_take(const double *k, const double *u);

#endif
