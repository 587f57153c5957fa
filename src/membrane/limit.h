/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file limit.h
 * How stiff membranes are for the time step: a force that is taken from the positions before a step acts for
 * the whole of it, so that a membrane whose fluid rebounds faster than that diverges.
 */
#ifndef RILL_MEMBRANE_LIMIT_H
#define RILL_MEMBRANE_LIMIT_H

#include "membrane/membrane.h"

/** Return the largest rill_membranes_stiffness() that is allowed; docs/capsules.md says where runs diverge.
 */
double rill_membrane_stiffness_most(double tau);

/**
 * Estimate the stiffness: the largest factor by which the elastic forces of a displacement set nodes in
 * motion, in one step, to carry the membrane back, by power iteration at the present shape of the first
 * membrane. It has no dimension, and is proportional to the elastic moduli in lattice units.
 * @return RILL_USAGE where moduli are beyond numbers, RILL_SYSTEM, RILL_CANCELLED
 */
rill_status rill_membranes_stiffness(rill_membranes *membranes, rill_progress progress, double *out);

#endif
