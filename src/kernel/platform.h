/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file platform.h
 * What differs between the compilers that build the node update: function markers, unrolling, and the
 * number of nodes that one call works on.
 *
 * rill_scalar is the arithmetic type, rill_real holds one value of RILL_LANES nodes: a plain scalar on a
 * GPU thread, a vector of the compiler's vector extension (gcc, clang) on a CPU. Operators work on both,
 * also mixed, so that the physics is written once and is vectorised by construction. The including file
 * defines RILL_ARITHMETIC (float or double) first, and RILL_VECTOR_BYTES on a CPU.
 */
#ifndef RILL_KERNEL_PLATFORM_H
#define RILL_KERNEL_PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__CUDACC__)
#define RILL_FN static __forceinline__ __host__ __device__
#define RILL_CONSTANT_FN static constexpr __host__ __device__
#define RILL_TABLE static constexpr
#define RILL_UNROLL _Pragma("unroll")
#define RILL_NO_UNROLL
#define RILL_APART_FN RILL_FN
#elif defined(__cplusplus)
#define RILL_FN static inline __attribute__((always_inline, unused))
#define RILL_CONSTANT_FN static constexpr
#define RILL_TABLE constexpr
#define RILL_UNROLL
#define RILL_NO_UNROLL
#define RILL_APART_FN RILL_FN
#else
#define RILL_FN static inline __attribute__((always_inline, unused))
#define RILL_CONSTANT_FN RILL_FN
/** On a CPU a function of its own, so that what callers have in registers stays there. */
#define RILL_APART_FN __attribute__((noinline, unused)) static
#define RILL_TABLE static const
#if defined(__clang__)
#define RILL_UNROLL _Pragma("clang loop unroll(full)")
#define RILL_NO_UNROLL _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define RILL_UNROLL _Pragma("GCC unroll 32")
#define RILL_NO_UNROLL _Pragma("GCC unroll 1")
#endif
#endif

/** Return the number of bits set. */
RILL_FN uint32_t rill_popcount(const uint32_t bits)
{
#if defined(__CUDA_ARCH__)
    return (uint32_t)__popc((int)bits);
#else
    return (uint32_t)__builtin_popcount(bits);
#endif
}

#ifdef RILL_ARITHMETIC
typedef RILL_ARITHMETIC rill_scalar;
#if defined(__CUDACC__)
enum { RILL_LANES = 1 };
typedef rill_scalar rill_real;
/** Return the same value for every node. */
RILL_FN rill_real rill_splat(const rill_scalar value) { return value; }
/** Return the values of all nodes: [RILL_LANES]. */
RILL_FN rill_real rill_gather(const rill_scalar *values) { return *values; }
#else
enum { RILL_LANES = RILL_VECTOR_BYTES / sizeof(rill_scalar) };
typedef rill_scalar rill_real __attribute__((vector_size(RILL_VECTOR_BYTES)));
RILL_FN rill_real rill_splat(const rill_scalar value) { return value - (rill_real){0}; }
RILL_FN rill_real rill_gather(const rill_scalar *values)
{
    rill_real all;
    __builtin_memcpy(&all, values, sizeof all);
    return all;
}
#endif
#endif

#endif
