/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file minifloat.h
 * Floating-point formats of 16 bits: one sign, some exponent and `mantissa` bits with gradual underflow. Both
 * conversions are correctly rounded, to nearest and to even in a tie, from float and from double alike.
 *
 * Too large values become the largest finite one. IEEE 754 binary16 ("half") keeps NaN; FP16C has neither
 * infinity nor NaN (Lehmann et al. 2022, doi:10.1103/PhysRevE.106.015308), NaN becomes its largest value.
 */
#ifndef RILL_KERNEL_MINIFLOAT_H
#define RILL_KERNEL_MINIFLOAT_H

#include "kernel/storage/bits.h"

#if defined(RILL_ARITHMETIC)
#if !defined(__CUDACC__) && defined(__F16C__)
#include <immintrin.h>
#endif

/** Exponent of the smallest normal number of the formats here: biased by 15, as in binary16. */
enum { RILL_MINIFLOAT_LOWEST = -14 };

/**
 * Return the code of a number without regard to NaN.
 *
 * Adding a power of two `cut` binades above the number's own makes the adder itself round where the format
 * ends, to nearest even; below the smallest normal number that place stays where it is. The low bits of the
 * sum are then the mantissa with its hidden bit, and the exponent less 15 belongs on top: 1 - LOWEST more in
 * the factor take them off, because BIAS + LOWEST and LOWEST - 1 are the same modulo 2^5.
 * @param[in] largest  largest finite value of the format
 */
RILL_FN rill_patterns rill_minifloat_encode(const int mantissa, const rill_scalar largest,
                                            const rill_real value)
{
    const int cut = RILL_MANTISSA - mantissa;
    const rill_pattern exponents = (rill_pattern)(2 * RILL_BIAS + 1) << RILL_MANTISSA, size_bits = 0x7FFF;
    const rill_real size = rill_at_most(rill_magnitude(value), largest);
    const rill_patterns binade =
        rill_patterns_of(rill_at_least(size, rill_power(RILL_MINIFLOAT_LOWEST))) & exponents;
    const rill_scalar factor = rill_power(cut) + (rill_scalar)(1 - RILL_MINIFLOAT_LOWEST);
    const rill_real rounded = rill_real_of(binade) * factor + size;
    const rill_patterns code = rill_patterns_of(rounded) + (binade >> cut);
    const rill_patterns top = rill_patterns_of(value) >> (RILL_WIDTH - 16);
    return (code & size_bits) | (top & ~size_bits);
}

/**
 * Return the number that a code stands for, as if there were no infinities and NaNs.
 *
 * In place of an exponent field the code's is too small by the difference of the biases, so one
 * multiplication by a power of two decodes it, denormals too. That is what a GPU does. Processors take
 * hundreds of cycles for a denormal factor: there the exponent is raised by integers, which leaves what has
 * no hidden bit too large, by the distance to the smallest normal number.
 */
RILL_FN rill_real rill_minifloat_decode(const int mantissa, const rill_codes codes)
{
    const int cut = RILL_MANTISSA - mantissa;
    const rill_pattern sign = (rill_pattern)1 << (RILL_WIDTH - 1), size = (rill_pattern)0x7FFF << cut;
    const rill_patterns bits = rill_patterns_of_codes(codes) << cut;
#if defined(__CUDACC__)
    return rill_real_of(bits & (sign | size)) * rill_power(RILL_BIAS + RILL_MINIFLOAT_LOWEST - 1);
#else
    const rill_pattern offset = (rill_pattern)(RILL_BIAS + RILL_MINIFLOAT_LOWEST - 1) << RILL_MANTISSA;
    const rill_real raised = rill_real_of((bits & size) + offset);
    const rill_real below = raised - rill_power(RILL_MINIFLOAT_LOWEST);
    const rill_real hidden = rill_real_of(rill_keep(below < 0, rill_patterns_of(below)));
    return rill_real_of(rill_patterns_of(raised + hidden) | (bits & sign));
#endif
}

/** Return the code of the binary16 number that is nearest to a value. */
RILL_FN rill_codes rill_half_encode(const rill_real value)
{
    const rill_scalar largest = (rill_scalar)65504;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800 && RILL_WIDTH == 32
    rill_codes code;
    (void)largest;
    asm("cvt.rn.satfinite.f16.f32 %0, %1;" : "=h"(code) : "f"(value));
    return code;
#elif defined(__F16C__) && !defined(__CUDACC__) && RILL_WIDTH == 32
    /* Operands of the comparisons are ordered so that NaN passes. */
    rill_codes codes;
#if RILL_VECTOR_BYTES == 64
    const __m512 bounds = _mm512_set1_ps(largest);
    const __m512 size = _mm512_min_ps(bounds, _mm512_max_ps(-bounds, (__m512)value));
    const __m256i halves = _mm512_cvtps_ph(size, _MM_FROUND_TO_NEAREST_INT);
#elif RILL_VECTOR_BYTES == 32
    const __m256 bounds = _mm256_set1_ps(largest);
    const __m256 size = _mm256_min_ps(bounds, _mm256_max_ps(-bounds, (__m256)value));
    const __m128i halves = _mm256_cvtps_ph(size, _MM_FROUND_TO_NEAREST_INT);
#else
    const __m128 bounds = _mm_set1_ps(largest);
    const __m128 size = _mm_min_ps(bounds, _mm_max_ps(-bounds, (__m128)value));
    const __m128i halves = _mm_cvtps_ph(size, _MM_FROUND_TO_NEAREST_INT);
#endif
    memcpy(&codes, &halves, sizeof codes);
    return codes;
#else
    const rill_patterns words = rill_minifloat_encode(10, largest, value);
    return rill_codes_of_patterns(words | rill_keep(value != value, rill_all(0x7E00)));
#endif
}

/** Return the binary16 number that a code stands for. */
RILL_FN rill_real rill_half_decode(const rill_codes codes)
{
#if defined(__CUDA_ARCH__)
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(codes));
    return value;
#elif defined(__F16C__) && !defined(__CUDACC__)
    float singles __attribute__((vector_size(RILL_VECTOR_BYTES * 32 / RILL_WIDTH)));
#if RILL_VECTOR_BYTES * 32 / RILL_WIDTH == 64
    singles = (__typeof__(singles))_mm512_cvtph_ps((__m256i)codes);
#elif RILL_VECTOR_BYTES * 32 / RILL_WIDTH == 32
    singles = (__typeof__(singles))_mm256_cvtph_ps((__m128i)codes);
#else
    __m128i halves = _mm_setzero_si128();
    memcpy(&halves, &codes, sizeof codes);
    const __m128 four = _mm_cvtph_ps(halves);
    memcpy(&singles, &four, sizeof singles);
#endif
    return __builtin_convertvector(singles, rill_real);
#else
    const rill_real value = rill_minifloat_decode(10, codes);
    const rill_pattern exponents = (rill_pattern)(2 * RILL_BIAS + 1) << RILL_MANTISSA;
    const rill_patterns size = rill_patterns_of_codes(codes) & 0x7FFF;
    return rill_real_of(rill_patterns_of(value) | rill_keep(size >= 0x7C00, rill_all(exponents)));
#endif
}
#endif

#endif
