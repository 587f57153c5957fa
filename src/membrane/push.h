/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file push.h
 * A body force on some nodes alone.
 */
#ifndef RILL_MEMBRANE_PUSH_H
#define RILL_MEMBRANE_PUSH_H

#include "kernel/launch.h"
#include "membrane/support.h"

/** Before the step that `launch` describes: set the velocities of nodes, half of the force included, and give
 * them the first half of the force. */
void rill_push_before(rill_support *support, const rill_launch *launch);

/** After it, with the launch of the next step: give them the second half. */
void rill_push_after(const rill_support *support, const rill_launch *launch);

#endif
