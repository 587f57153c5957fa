/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sums.h
 * Sums over nodes as integers, so that no order of nodes changes them.
 */
#ifndef RILL_KERNEL_SUMS_H
#define RILL_KERNEL_SUMS_H

#include "kernel/platform.h"

#include <stdint.h>

/** Of deviations of the density: a hundred thousand nodes per label may be off by 1 each. */
#define RILL_SUM_UNIT 0x1p46

/** Return a value in units of 1 / RILL_SUM_UNIT: what integers cannot hold, after a flow has diverged, is cut
 * to what they can, and no number counts as 0. The totals of the same nodes show both. */
RILL_FN int64_t rill_sum_units(const double value)
{
    const double units = value * RILL_SUM_UNIT, most = 0x1p62;
    if (units != units) return 0;
    return (int64_t)(units > most ? most : units < -most ? -most : units);
}

/** Add units to a sum that other threads add to, too. A sum that is too large wraps. */
RILL_FN void rill_sum_add(int64_t *sum, const int64_t units)
{
#ifdef __CUDA_ARCH__
    atomicAdd((unsigned long long *)sum, (unsigned long long)units);
#else
    __atomic_fetch_add((uint64_t *)sum, (uint64_t)units, __ATOMIC_RELAXED);
#endif
}

#endif
