/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file masks.h
 * Whether this level copies vectors of RILL_SEGMENT_LANES numbers by masks.
 */
#ifndef RILL_CPU_MASKS_H
#define RILL_CPU_MASKS_H

#if defined(__AVX512BW__) && defined(__AVX512VL__)
#define RILL_CPU_MASKS 1 /**< segments are masks, else runs: see rill_segment */
#else
#define RILL_CPU_MASKS 0
#endif

#if RILL_CPU_MASKS
#include "kernel/storage/arrays.h"

#include <immintrin.h>

/** Return a mask of the lanes below a number, which may be negative, or more than there are. */
RILL_FN __mmask16 rill_cpu_lanes_below(const int count)
{
    const int lanes = count < 0 ? 0 : count > RILL_SEGMENT_LANES ? RILL_SEGMENT_LANES : count;
    return (__mmask16)((1u << lanes) - 1);
}
#endif

#endif
