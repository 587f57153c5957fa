/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file plan.h
 * The choices of a variant that say where a population is.
 */
#ifndef RILL_KERNEL_PLAN_H
#define RILL_KERNEL_PLAN_H

#include "rill/variant.h"

/** What decides where populations are and how they are stored: compile-time constants. */
typedef struct rill_plan {
    int lattice, stream, addressing, bounce, storage, shift;
} rill_plan;

#endif
