/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tensor.h
 * The permeability tensor out of its runs: closed axes, uncertainty, symmetry, principal values.
 */
#ifndef RILL_PERMEABILITY_TENSOR_H
#define RILL_PERMEABILITY_TENSOR_H

#include "rill.h"

/**
 * Return the axes that a flow is driven along: of several that are requested those along which pores conduct.
 * @param axes  resolved, see geometry/voxels/axes.h; one alone stays
 */
int rill_tensor_driven(const rill_porosity *porosity, int axes);

/**
 * Return whether k_ba is exactly 0 for a force along `axis`, whatever the pores are.
 *
 * The permeability of a mirrored sample is that of the box and its mirror image together. A reflection normal
 * to the force reverses the force, one normal to b reverses the flow along b, and neither reverses both: k_ba
 * of the image is that of the box with the opposite sign, and their mean is 0. Where walls are normal to b,
 * or no pore percolates along b, no fluid crosses the planes normal to b in the steady state, so that the
 * mean flow along b is 0.
 * @param b  0, 1, 2
 */
bool rill_tensor_is_zero(const rill_geom *geom, const rill_porosity *porosity, int axis, int b);

/**
 * Fill in k, converged, uncertainty, reciprocity and principal values of a result whose runs have ended.
 * Along an axis where nothing conducts k is exactly 0, and so is the flow along it for a force along another
 * axis. An entry whose uncertainty is not known is NaN.
 */
rill_status rill_tensor_collect(const rill_geom *geom, const rill_permeability_options *options,
                                rill_permeability *p);

/**
 * Find the eigenvalues of the symmetric part of a tensor, largest first, and its eigenvectors.
 * @param[in] axes  the axes that it has entries of; its other ones are not read
 * @param[out] values  [3], NaN beyond the number of axes, as the next
 * @param[out] vectors  [3][3], vectors[i] belongs to values[i], has the length 1, and its largest component
 *                      is positive
 * @see tests/permeability/test_tensor.c
 */
void rill_tensor_principal(const double k[3][3], int axes, double values[3], double vectors[3][3]);

#endif
