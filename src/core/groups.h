/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file groups.h
 * The control groups (cgroups, versions 1 and 2) that this process is in: what else may limit it beside the
 * machine.
 */
#ifndef RILL_CORE_GROUPS_H
#define RILL_CORE_GROUPS_H

#include <stdbool.h>

/** Called for a group. @param directory  of its files  @param unified  they are those of version 2 */
typedef void rill_groups_visit(void *context, const char *directory, bool unified);

/**
 * Visit the groups of this process that a controller ("memory", "cpu") works in, with all their ancestors.
 * Directories may not exist: a container sees its own group as the root.
 * @param root  where /proc and /sys lie; "" is this system
 */
void rill_groups_walk(const char *root, const char *controller, rill_groups_visit *visit, void *context);

#endif
