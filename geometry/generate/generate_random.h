/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file generate_random.h
 * Random numbers by number, not by order: the i-th draw of a stream costs the same for every i, so that
 * threads share a stream without sharing state and the result does not depend on who drew first.
 *
 * SplitMix64: a Weyl sequence through the finalizer of Stafford (variant 13).
 * @see Steele, Lea & Flood (2014), Fast splittable pseudorandom number generators,
 * doi:10.1145/2660193.2660195
 */
#ifndef RILL_GEOMETRY_GENERATE_GENERATE_RANDOM_H
#define RILL_GEOMETRY_GENERATE_GENERATE_RANDOM_H

#include <stdint.h>

/** Return draw `i` (from 0) of SplitMix64 started at `state`. */
static inline uint64_t rill_random_bits(uint64_t state, uint64_t i)
{
    uint64_t z = state + (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/** Return the state of a stream of its own for each seed and purpose: neighbouring seeds share no draws. */
static inline uint64_t rill_random_stream(uint64_t seed, uint64_t purpose)
{
    return rill_random_bits(rill_random_bits(seed, 0), purpose);
}

/** Return draw `i` as a multiple of 2^-53 in 0 ... 1, 1 excluded. */
static inline double rill_random_unit(uint64_t state, uint64_t i)
{
    return (double)(rill_random_bits(state, i) >> 11) * 0x1p-53;
}

#endif
