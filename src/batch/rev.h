/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rev.h
 * Values of blocks, as the curve of the representative elementary volume shows them.
 */
#ifndef RILL_BATCH_REV_H
#define RILL_BATCH_REV_H

#include "rill.h"

/** Return a quantity of a block; NaN where there is no result. */
double rill_rev_value(const rill_batch_row *row, rill_rev_quantity quantity);

/** Return the factor of the standard deviation of the mean of a two-tailed interval of 95 %. @param freedom
 * at least 5
 */
double rill_rev_student(size_t freedom);

/**
 * Find the interval of 95 % of the permeability of the material. That of k^(1/3) is symmetric about either
 * the image's or the material's: of both readings the wider one is taken on each side.
 * @param[in] error  known
 * @param[out] range [2] in parts of k of the image; the second is infinite where the material may have any
 */
void rill_rev_sample_range(const rill_sample_error *error, double range[2]);

/** Return the name of a quantity in rows: "k_xx", or "d_xx" of diffusivities. */
const char *rill_rev_name(const rill_batch_row *rows, rill_rev_quantity quantity);

/** Return the factor by which the values of rows become m2, of what has no unit and without a spacing 1. */
double rill_rev_scale(const rill_batch_row *rows, rill_rev_quantity quantity, double spacing);

#endif
