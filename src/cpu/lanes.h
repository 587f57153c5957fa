/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file lanes.h
 * Vectors of cells of a line (lines.h), of which lanes are fluid: their values moved apart from successive
 * ones, brought together again, stored, and chosen.
 *
 * A vector has eight lanes where the level has masks, although twice as many would fit: pores are short.
 */
#ifndef RILL_CPU_LANES_H
#define RILL_CPU_LANES_H

#include "cpu/masks.h"
#include "cpu/rows.h"

#include <stdalign.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#if RILL_CPU_MASKS
enum { VECTOR_BYTES = 8 * sizeof(rill_scalar) };
#else
enum { VECTOR_BYTES = RILL_VECTOR_BYTES };
#endif
enum { LANES = VECTOR_BYTES / sizeof(rill_scalar) };

typedef rill_scalar vector __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t words_of_64 __attribute__((vector_size(VECTOR_BYTES)));

#define ALL_LANES (((uint64_t)1 << LANES) - 1)

RILL_FN vector splat(const rill_scalar value) { return value - (vector){0}; }

RILL_FN vector vector_at(const rill_scalar *at)
{
    vector value;
    memcpy(&value, at, sizeof value);
    return value;
}

#if RILL_CPU_MASKS

/** Lanes that are fluid, and what moves values apart from the first ones, or together to these. */
typedef struct lanes {
    __mmask8 fluid;
} lanes;

RILL_FN lanes lanes_apart(const uint64_t fluid) { return (lanes){(__mmask8)fluid}; }
RILL_FN lanes lanes_together(const uint64_t fluid) { return (lanes){(__mmask8)fluid}; }

#if RILL_WIDTH == 32
/** Return a mask of the other lanes. */
RILL_FN vector lanes_solid(const lanes *l) { return (vector)_mm256_movm_epi32((__mmask8)~l->fluid); }

/** Move the first values to lanes, and 0 to the others. */
RILL_FN vector apart(const lanes *l, const vector values)
{
    return (vector)_mm256_maskz_expand_ps(l->fluid, (__m256)values);
}

/** Move the values of lanes to the first ones. */
RILL_FN vector together(const lanes *l, const vector values)
{
    return (vector)_mm256_maskz_compress_ps(l->fluid, (__m256)values);
}

/** Return values, which are 0 where a mask is set, with others instead of these. */
RILL_FN vector instead(const vector mask, const vector values, const vector others)
{
    return (vector)_mm256_mask_blend_ps(_mm256_movepi32_mask((__m256i)mask), (__m256)values, (__m256)others);
}

/** Store the first values of a vector. */
RILL_FN void put_first(rill_scalar *to, const vector values, const int count)
{
    _mm256_mask_storeu_ps(to, (__mmask8)((1u << count) - 1), (__m256)values);
}

/** Return the first values at an address, and 0 behind them. */
RILL_FN vector first_at(const rill_scalar *at, const int count)
{
    return (vector)_mm256_maskz_loadu_ps((__mmask8)((1u << count) - 1), at);
}
#else
RILL_FN vector lanes_solid(const lanes *l) { return (vector)_mm512_movm_epi64((__mmask8)~l->fluid); }

RILL_FN vector apart(const lanes *l, const vector values)
{
    return (vector)_mm512_maskz_expand_pd(l->fluid, (__m512d)values);
}

RILL_FN vector together(const lanes *l, const vector values)
{
    return (vector)_mm512_maskz_compress_pd(l->fluid, (__m512d)values);
}

RILL_FN vector instead(const vector mask, const vector values, const vector others)
{
    return (vector)_mm512_mask_blend_pd(_mm512_movepi64_mask((__m512i)mask), (__m512d)values,
                                        (__m512d)others);
}

RILL_FN void put_first(rill_scalar *to, const vector values, const int count)
{
    _mm512_mask_storeu_pd(to, (__mmask8)((1u << count) - 1), (__m512d)values);
}

/** Return the first values at an address, and 0 behind them. */
RILL_FN vector first_at(const rill_scalar *at, const int count)
{
    return (vector)_mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1), at);
}
#endif

#else

/** Return values, which are 0 where a mask is set, with others instead of these. */
RILL_FN vector instead(const vector mask, const vector values, const vector others)
{
    return values + (vector)((words_of_64)others & (words_of_64)mask);
}

/** Copy 2^class to 2^(class + 1) - 1 values. */
RILL_FN void copy_class(rill_scalar *to, const rill_scalar *from, const int class, const int count)
{
    const int part = 1 << class;
    memcpy(to, from, (size_t)part * sizeof *to);
    memcpy(to + count - part, from + count - part, (size_t)part * sizeof *to);
}

/** Store the first values of a vector, not all. */
RILL_FN void put_first(rill_scalar *to, const vector values, const int count)
{
    alignas(64) rill_scalar from[LANES];
    memcpy(from, &values, sizeof from);
    if (LANES > 4 && count >= 4)
        copy_class(to, from, 2, count);
    else if (LANES > 2 && count >= 2)
        copy_class(to, from, 1, count);
    else
        *to = *from;
}

#ifdef __AVX2__

typedef struct lanes {
    __m256i from, fluid; /* 32-bit words */
} lanes;

/** Return a word with all bits of the bytes set that stand for lanes: 8 for all. */
RILL_FN uint64_t lane_bytes(const uint64_t fluid)
{
    return LANES == 8 ? _pdep_u64(fluid, 0x0101010101010101) * 0xff
                      : _pdep_u64(fluid, 0x0001000100010001) * 0xffff;
}

RILL_FN __m256i words_of(const uint64_t bytes)
{
    return _mm256_cvtepi8_epi32(_mm_cvtsi64_si128((int64_t)bytes));
}

RILL_FN lanes lanes_apart(const uint64_t fluid)
{
    const uint64_t bytes = lane_bytes(fluid);
    return (lanes){words_of(_pdep_u64(0x0706050403020100, bytes)), words_of(bytes)};
}

RILL_FN lanes lanes_together(const uint64_t fluid)
{
    const uint64_t bytes = lane_bytes(fluid);
    return (lanes){words_of(_pext_u64(0x0706050403020100, bytes)), words_of(bytes)};
}

RILL_FN vector lanes_solid(const lanes *l) { return (vector)~l->fluid; }

/** Return the first values at an address, and 0 behind them. */
RILL_FN vector first_at(const rill_scalar *at, const int count)
{
    const lanes l = lanes_apart(((uint64_t)1 << count) - 1);
#if RILL_WIDTH == 32
    return (vector)_mm256_maskload_ps(at, l.fluid);
#else
    return (vector)_mm256_maskload_pd(at, l.fluid);
#endif
}

RILL_FN vector apart(const lanes *l, const vector values)
{
    return (vector)(_mm256_permutevar8x32_epi32((__m256i)values, l->from) & l->fluid);
}

RILL_FN vector together(const lanes *l, const vector values)
{
    return (vector)_mm256_permutevar8x32_epi32((__m256i)values, l->from);
}

#else

typedef struct lanes {
    uint64_t fluid;
} lanes;

RILL_FN lanes lanes_apart(const uint64_t fluid) { return (lanes){fluid}; }
RILL_FN lanes lanes_together(const uint64_t fluid) { return (lanes){fluid}; }

/** Return the first values at an address, and 0 behind them. */
RILL_FN vector first_at(const rill_scalar *at, const int count)
{
    vector out = splat(0);
    for (int k = 0; k < LANES; k++)
        if (k < count) out[k] = at[k];
    return out;
}

RILL_FN vector lanes_solid(const lanes *l)
{
    const words_of_64 none = {0}, all = ~none;
    vector mask = splat(0);
    for (int k = 0; k < LANES; k++)
        if (!(l->fluid >> k & 1)) mask[k] = ((vector)all)[k];
    return mask;
}

RILL_FN vector apart(const lanes *l, const vector values)
{
    vector out = splat(0);
    for (int k = 0, from = 0; k < LANES; k++)
        if (l->fluid >> k & 1) out[k] = values[from++];
    return out;
}

RILL_FN vector together(const lanes *l, const vector values)
{
    vector out = splat(0);
    for (int k = 0, to = 0; k < LANES; k++)
        if (l->fluid >> k & 1) out[to++] = values[k];
    return out;
}

#endif
#endif

#endif
