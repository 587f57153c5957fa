/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bits.h
 * The bits of numbers in the arithmetic type, and what number formats do with them: choose, clamp, widen.
 * Like rill_real, rill_patterns is one value on a GPU thread and a vector of RILL_LANES values on a CPU;
 * every function works on both, without branches.
 */
#ifndef RILL_KERNEL_BITS_H
#define RILL_KERNEL_BITS_H

#include "kernel/platform.h"

#include <string.h>

#ifdef RILL_ARITHMETIC
#define RILL_BITS_JOIN_(a, b) a##b
#define RILL_BITS_JOIN(a, b) RILL_BITS_JOIN_(a, b)
#define RILL_WIDTH_float 32
#define RILL_WIDTH_double 64
/** Bits of rill_scalar, also for the preprocessor. */
#define RILL_WIDTH RILL_BITS_JOIN(RILL_WIDTH_, RILL_ARITHMETIC)

/** Bits of the mantissa, and what is added to exponents; IEEE 754. */
enum { RILL_MANTISSA = RILL_WIDTH == 32 ? 23 : 52, RILL_BIAS = RILL_WIDTH == 32 ? 127 : 1023 };

#if RILL_WIDTH == 32
typedef uint32_t rill_pattern;
typedef int32_t rill_integer;
#else
typedef uint64_t rill_pattern;
typedef int64_t rill_integer;
#endif

/* rill_patterns: the bits of rill_real; rill_integers: the same, signed; rill_mask: what comparisons give;
 * rill_codes: stored values of 16 bits. */
#if defined(__CUDACC__)
typedef rill_pattern rill_patterns;
typedef rill_integer rill_integers;
typedef bool rill_mask;
typedef int16_t rill_codes;
#else
typedef rill_pattern rill_patterns __attribute__((vector_size(RILL_VECTOR_BYTES)));
typedef rill_integer rill_integers __attribute__((vector_size(RILL_VECTOR_BYTES)));
typedef rill_integers rill_mask;
typedef int16_t rill_codes __attribute__((vector_size(RILL_VECTOR_BYTES * 16 / RILL_WIDTH)));
#endif

/** Return the bits of a number. */
RILL_FN rill_patterns rill_patterns_of(const rill_real value)
{
    rill_patterns bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/** Return the number that has these bits. */
RILL_FN rill_real rill_real_of(const rill_patterns bits)
{
    rill_real value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/** Return the bits of 2^n, n within the range of normal numbers. */
RILL_FN rill_pattern rill_power_bits(const int n) { return (rill_pattern)(RILL_BIAS + n) << RILL_MANTISSA; }

/** Return 2^n, n within the range of normal numbers. */
RILL_FN rill_scalar rill_power(const int n)
{
    const rill_pattern bits = rill_power_bits(n);
    rill_scalar value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/** Return the same bits for every node. */
RILL_FN rill_patterns rill_all(const rill_pattern bits)
{
#if defined(__CUDACC__)
    return bits;
#else
    return (rill_patterns){0} + bits;
#endif
}

/** Return a where the mask holds, else b. */
RILL_FN rill_patterns rill_choose(const rill_mask mask, const rill_patterns a, const rill_patterns b)
{
#if defined(__CUDACC__)
    return mask ? a : b;
#else
    return ((rill_patterns)mask & a) | (~(rill_patterns)mask & b);
#endif
}

/** Return bits of a where the mask holds, else zero. */
RILL_FN rill_patterns rill_keep(const rill_mask mask, const rill_patterns a)
{
#if defined(__CUDACC__)
    return mask ? a : 0;
#else
    return (rill_patterns)mask & a;
#endif
}

/** Return a number without its sign. */
RILL_FN rill_real rill_magnitude(const rill_real value)
{
#if defined(__CUDACC__)
    return (rill_real)fabs(value); /* a modifier of the next instruction */
#else
    return rill_real_of(rill_patterns_of(value) & (((rill_pattern)1 << (RILL_WIDTH - 1)) - 1));
#endif
}

/** Return the smaller of a number and a bound; the bound where the number is NaN. */
RILL_FN rill_real rill_at_most(const rill_real value, const rill_scalar bound)
{
#if defined(__CUDACC__)
    return RILL_WIDTH == 32 ? (rill_real)fminf((float)value, (float)bound)
                            : (rill_real)fmin((double)value, (double)bound);
#else
    rill_real result; /* a loop, because only C++ has choices between vectors: it becomes one instruction */
    for (int l = 0; l < RILL_LANES; l++) result[l] = value[l] < bound ? value[l] : bound;
    return result;
#endif
}

/** Return the larger of a number and a bound; the bound where the number is NaN. */
RILL_FN rill_real rill_at_least(const rill_real value, const rill_scalar bound)
{
#if defined(__CUDACC__)
    return RILL_WIDTH == 32 ? (rill_real)fmaxf((float)value, (float)bound)
                            : (rill_real)fmax((double)value, (double)bound);
#else
    rill_real result; /* a loop, because only C++ has choices between vectors: it becomes one instruction */
    for (int l = 0; l < RILL_LANES; l++) result[l] = value[l] > bound ? value[l] : bound;
    return result;
#endif
}

/** Return codes as words, sign extended. */
RILL_FN rill_patterns rill_patterns_of_codes(const rill_codes codes)
{
#if defined(__CUDACC__)
    return (rill_patterns)(rill_integer)codes;
#else
    return (rill_patterns) __builtin_convertvector(codes, rill_integers);
#endif
}

/** Return the low 16 bits of words. */
RILL_FN rill_codes rill_codes_of_patterns(const rill_patterns words)
{
#if defined(__CUDACC__)
    return (rill_codes)words;
#else
    return __builtin_convertvector(words, rill_codes);
#endif
}
#endif

#endif
