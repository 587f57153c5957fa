/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file links.h
 * Populations of a node between two steps, by what they are and not by where a scheme has them: those that
 * come in at a node along i, of which each link holds one for either end. All schemes in place and not,
 * addressings and number formats are behind this.
 */
#ifndef RILL_SIM_LINKS_H
#define RILL_SIM_LINKS_H

#include "kernel/launch.h"

#include "kernel/lattice.h"

/** Return f_i - w_i of the population that comes in at a node in the step that `launch` describes. */
double rill_link_load(const rill_launch *launch, rill_node node, int i);

/** Replace it. */
void rill_link_store(const rill_launch *launch, rill_node node, int i, double value);

/** Add to what a node has sent along i in the step before, where no other pass has replaced it: to what
 * bounced back, at a wall. */
void rill_link_sent_add(const rill_launch *launch, rill_node node, int i, double value);

/** Set f_i^eq - w_i. @param density  rho - 1; @param momentum  rho u and what else it is to carry */
void rill_link_equilibrium(rill_lattice lattice, double density, const double momentum[3],
                           double f[RILL_Q_MAX]);

#endif
