/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file wall_fit.h
 * The value at a place on a wall as a weighted sum of values at nodes around it: a quadratic function of the
 * place is fitted by weighted least squares and evaluated at the wall. The value may be a derivative across
 * the wall of something that is 0 there and known at the same nodes. Knows no stress and no surface.
 */
#ifndef RILL_VESSEL_WALL_FIT_H
#define RILL_VESSEL_WALL_FIT_H

#include "rill.h"

/** A node around a place on a wall, lengths in voxels. */
typedef struct rill_wall_neighbour {
    rill_node node;
    double x[3];     /**< distance from the wall's plane, and the two coordinates along it, from the place */
    double nearness; /**< weight in the fit, above 0 */
    double weight;   /**< out: of the node's value in the value at the wall; all of them add up to 1 */
    double integral; /**< out, of rill_wall_fit_integral(): weight of what is 0 at the wall */
} rill_wall_neighbour;

/**
 * Find the weights that reproduce quadratic functions exactly. Where the nodes do not determine one, or
 * errors of single nodes would be multiplied, linear functions; where they do not determine a slope along the
 * wall, it is taken to be 0; where they do not determine the slope across, all of them are.
 * @return coefficients of the fit: 10, 4, 2 (no slopes along the wall), 1 (a mean: nothing is extrapolated)
 */
int rill_wall_fit(rill_wall_neighbour *neighbours, int count);

/**
 * Find the weights of values and of their integrals from the wall on, which reproduce quadratic values and a
 * wall that is curved. @return whether the nodes determine them
 */
bool rill_wall_fit_integral(rill_wall_neighbour *neighbours, int count);

#endif
