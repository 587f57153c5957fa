/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file links.h
 * Populations of a node of a processor between two steps, see kernel/links.h.
 */
#ifndef RILL_SIM_LINKS_H
#define RILL_SIM_LINKS_H

#include "kernel/launch.h"

#include "kernel/lattice.h"

/** Return f_i - w_i of the population that comes in at a node in the step that `launch` describes. */
double rill_link_load(const rill_launch *launch, rill_node node, int i);

/** Replace it. */
void rill_link_store(const rill_launch *launch, rill_node node, int i, double value);

#endif
