/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file push.h
 * A body force on some nodes alone, beside the step: half of Guo's source term
 *   S_i = w_i (c_i . F / c_s^2 + ((c_i . u)(c_i . F) / c_s^4 - u . F / c_s^2))
 * is added to what comes in at a node, and half to what it has sent. The collision then sees the velocity
 * with half the force, and relaxes the first half: (1 - s) / 2 + 1/2 = 1 - s/2, which is Guo's factor of
 * either part of a pair with its own rate s. So no kernel knows of the force, and nodes without it cost
 * nothing. (Guo, Zheng, Shi 2002, doi:10.1103/PhysRevE.65.046308)
 */
#ifndef RILL_MEMBRANE_PUSH_H
#define RILL_MEMBRANE_PUSH_H

#include "membrane/support.h"

/** Before the step that `launch` describes: set the velocities of nodes, half of the force included, and give
 * them the first half of the force. */
rill_status rill_push_before(const rill_support *support, const rill_launch *launch);

/** After it, with the launch of the next step: give them the second half. */
rill_status rill_push_after(const rill_support *support, const rill_launch *launch);

#endif
