/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file storage.h
 * Number formats of stored populations: one load and one store each, from and to the arithmetic type.
 *
 * | format | bytes | value of a code           | largest  | smallest > 0 | NaN |
 * |--------|-------|---------------------------|----------|--------------|-----|
 * | fp64   | 8     | IEEE 754 binary64         | 1.8e308  | 4.9e-324     | yes |
 * | fp32   | 4     | IEEE 754 binary32         | 3.4e38   | 1.4e-45      | yes |
 * | fp16   | 2     | IEEE 754 binary16         | 65504    | 2^-24        | yes |
 * | fp16s  | 2     | binary16 / 2^15           | 1.99902  | 2^-39        | yes |
 * | fp16c  | 2     | 1-4-11 bits, bias 15      | 1.99951  | 2^-25        | no  |
 * | p16_0s | 2     | posit, es 0, / 2^7        | 2^7      | 2^-21        | yes |
 * | p16_1s | 2     | posit, es 1, / 2^7        | 2^21     | 2^-35        | yes |
 * | p16_2c | 2     | posit, es 2, below 2 only | 1.99976  | 2^-59        | yes |
 * | int16s | 2     | integer / 2^15            | 0.99997  | 2^-15        | yes |
 *
 * Formats of 16 bits round to nearest, saturate at their largest value instead of overflowing, and give the
 * same bits on every processor and GPU (those of a NaN excepted). All of them hold any population, shifted or
 * not. Names and purpose are those of Lehmann et al. (2022), doi:10.1103/PhysRevE.106.015308; docs/method.md
 * says what is theirs and what is chosen here. Tested by tests/test_storage.c.
 */
#ifndef RILL_KERNEL_STORAGE_H
#define RILL_KERNEL_STORAGE_H

#include "kernel/lattice.h"
#include "kernel/minifloat.h"
#include "kernel/platform.h"
#include "kernel/posit.h"
#include "rill/variant.h"

#include <string.h>

/** Return the bytes of one stored population. */
RILL_FN size_t rill_storage_size(const int storage)
{
    return storage == RILL_FP64 ? 8 : storage == RILL_FP32 ? 4 : 2;
}

/** Return n of the 2^n that values are multiplied by before they are stored. */
RILL_CONSTANT_FN int rill_storage_scale(const int storage)
{
    return storage == RILL_FP16S || storage == RILL_INT16S    ? 15
           : storage == RILL_P16_0S || storage == RILL_P16_1S ? 7
           : storage == RILL_P16_2C                           ? -1 /* see rill_posit_encode() */
                                                              : 0;
}

/** Return the largest value that can be stored; what would be larger is stored as this. */
RILL_CONSTANT_FN double rill_storage_largest(const int storage)
{
    return storage == RILL_FP64     ? 1.7976931348623157e308
           : storage == RILL_FP32   ? 3.4028234663852886e38
           : storage == RILL_FP16   ? 65504.0
           : storage == RILL_FP16S  ? 65504.0 / 32768
           : storage == RILL_FP16C  ? 4095.0 / 2048
           : storage == RILL_P16_0S ? 128.0
           : storage == RILL_P16_1S ? 2097152.0
           : storage == RILL_P16_2C ? 8191.0 / 4096
                                    : 32767.0 / 32768;
}

#ifdef RILL_ARITHMETIC
/** Return the integer nearest to a value as a code, NaN as -32768. */
RILL_FN rill_codes rill_integer_encode(const rill_real value)
{
    /* So large a number is added that the adder rounds to integers, whose bits are then the last ones. */
    const rill_real size = rill_at_least(rill_at_most(value, (rill_scalar)32767), (rill_scalar)-32767);
    const rill_patterns code = rill_patterns_of(size + (rill_scalar)1.5 * rill_power(RILL_MANTISSA));
    return rill_codes_of_patterns(rill_choose(value == value, code, rill_all(0x8000)));
}

/** Return the integer of a code, NaN for -32768. */
RILL_FN rill_real rill_integer_decode(const rill_codes codes)
{
    const rill_scalar far = (rill_scalar)1.5 * rill_power(RILL_MANTISSA);
    const rill_patterns code = rill_patterns_of_codes(codes);
    const rill_real value =
        rill_real_of(code + (rill_power_bits(RILL_MANTISSA) | ((rill_pattern)1 << (RILL_MANTISSA - 1)))) -
        far;
    const rill_pattern nan = (rill_pattern)(4 * RILL_BIAS + 3) << (RILL_MANTISSA - 1);
    return rill_real_of(rill_patterns_of(value) | rill_keep(code == (rill_pattern)-32768, rill_all(nan)));
}

/** Return the values of codes of a format of 16 bits. */
RILL_FN rill_real rill_storage_decode(const int storage, const rill_codes codes)
{
    const int scale = rill_storage_scale(storage);
    if (storage == RILL_FP16C) return rill_minifloat_decode(11, codes);
    if (storage == RILL_P16_0S) return rill_posit_decode(0, 16, scale, codes);
    if (storage == RILL_P16_1S) return rill_posit_decode(1, 16, scale, codes);
    if (storage == RILL_P16_2C) return rill_posit_decode(2, 17, scale, codes);
    if (storage == RILL_INT16S) return rill_integer_decode(codes) * rill_power(-scale);
    const rill_real value = rill_half_decode(codes);
    return storage == RILL_FP16S ? value * rill_power(-scale) : value;
}

/** Return the codes of values in a format of 16 bits. */
RILL_FN rill_codes rill_storage_encode(const int storage, const rill_real value)
{
    const rill_real scaled = value * rill_power(rill_storage_scale(storage));
    const rill_scalar largest =
        (rill_scalar)rill_storage_largest(storage) * rill_power(rill_storage_scale(storage));
    if (storage == RILL_FP16C) return rill_codes_of_patterns(rill_minifloat_encode(11, largest, value));
    if (storage == RILL_P16_0S) return rill_posit_encode(0, 16, largest, scaled);
    if (storage == RILL_P16_1S) return rill_posit_encode(1, 16, largest, scaled);
    if (storage == RILL_P16_2C) return rill_posit_encode(2, 17, largest, scaled);
    if (storage == RILL_INT16S) return rill_integer_encode(scaled);
    return rill_half_encode(storage == RILL_FP16S ? scaled : value);
}

#if defined(__CUDACC__)

/** Load population `offset` of the array. */
RILL_FN rill_scalar rill_storage_load(const int storage, const void *populations, const size_t offset)
{
    if (storage == RILL_FP64) return (rill_scalar)((const double *)populations)[offset];
    if (storage == RILL_FP32) return (rill_scalar)((const float *)populations)[offset];
    return rill_storage_decode(storage, ((const rill_codes *)populations)[offset]);
}

/** Store population `offset` of the array. */
RILL_FN void rill_storage_store(const int storage, void *populations, const size_t offset,
                                const rill_scalar value)
{
    if (storage == RILL_FP64)
        ((double *)populations)[offset] = (double)value;
    else if (storage == RILL_FP32)
        ((float *)populations)[offset] = (float)value;
    else
        ((rill_codes *)populations)[offset] = rill_storage_encode(storage, value);
}

#else

typedef float rill_singles __attribute__((vector_size(RILL_VECTOR_BYTES * 32 / RILL_WIDTH)));
typedef double rill_doubles __attribute__((vector_size(RILL_VECTOR_BYTES * 64 / RILL_WIDTH)));

/** Load `count` populations, at most RILL_LANES, from `first` on; the other lanes are 0. */
RILL_FN rill_real rill_storage_load_some(const int storage, const void *populations, const size_t first,
                                         const int count)
{
    const size_t size = rill_storage_size(storage);
    const char *from = (const char *)populations + first * size;
    if (storage == RILL_FP64) {
        rill_doubles doubles = {0};
        memcpy(&doubles, from, (size_t)count * size);
        return __builtin_convertvector(doubles, rill_real);
    }
    if (storage == RILL_FP32) {
        rill_singles singles = {0};
        memcpy(&singles, from, (size_t)count * size);
        return __builtin_convertvector(singles, rill_real);
    }
    rill_codes codes = {0};
    memcpy(&codes, from, (size_t)count * size);
    return rill_storage_decode(storage, codes);
}

/** Store the first `count` of RILL_LANES values, from `first` on. */
RILL_FN void rill_storage_store_some(const int storage, void *populations, const size_t first,
                                     const int count, const rill_real value)
{
    const size_t size = rill_storage_size(storage);
    char *to = (char *)populations + first * size;
    if (storage == RILL_FP64) {
        const rill_doubles doubles = __builtin_convertvector(value, rill_doubles);
        memcpy(to, &doubles, (size_t)count * size);
    } else if (storage == RILL_FP32) {
        const rill_singles singles = __builtin_convertvector(value, rill_singles);
        memcpy(to, &singles, (size_t)count * size);
    } else {
        const rill_codes codes = rill_storage_encode(storage, value);
        memcpy(to, &codes, (size_t)count * size);
    }
}

/** Load population `offset` of the array. */
RILL_FN rill_scalar rill_storage_load(const int storage, const void *populations, const size_t offset)
{
    return rill_storage_load_some(storage, populations, offset, 1)[0];
}

/** Store population `offset` of the array. */
RILL_FN void rill_storage_store(const int storage, void *populations, const size_t offset,
                                const rill_scalar value)
{
    rill_storage_store_some(storage, populations, offset, 1, (rill_real){value});
}

/** Load RILL_LANES populations from `first` on. */
RILL_FN rill_real rill_storage_load_row(const int storage, const void *populations, const size_t first)
{
    return rill_storage_load_some(storage, populations, first, RILL_LANES);
}

/** Store RILL_LANES populations from `first` on. */
RILL_FN void rill_storage_store_row(const int storage, void *populations, const size_t first,
                                    const rill_real value)
{
    rill_storage_store_some(storage, populations, first, RILL_LANES, value);
}

/** Load `count` populations, a power of two known at compile time, from `first` on. */
RILL_FN void rill_storage_load_part(const int storage, const void *populations, const size_t first,
                                    rill_scalar *values, const int count)
{
    const int some = count < RILL_LANES ? count : RILL_LANES;
    RILL_UNROLL
    for (int k = 0; k < count; k += some) {
        const rill_real value = rill_storage_load_some(storage, populations, first + (size_t)k, some);
        memcpy(values + k, &value, (size_t)some * sizeof *values);
    }
}

/** Store `count` populations, a power of two known at compile time, from `first` on. */
RILL_FN void rill_storage_store_part(const int storage, void *populations, const size_t first,
                                     const rill_scalar *values, const int count)
{
    const int some = count < RILL_LANES ? count : RILL_LANES;
    RILL_UNROLL
    for (int k = 0; k < count; k += some) {
        rill_real value = {0};
        memcpy(&value, values + k, (size_t)some * sizeof *values);
        rill_storage_store_some(storage, populations, first + (size_t)k, some, value);
    }
}
#endif

/** Return what is stored of population i of a fluid of density 1 at rest. */
RILL_FN rill_scalar rill_population_rest(const int lattice, const int shift, const int i)
{
    return shift == RILL_PLAIN ? (rill_scalar)rill_w(lattice, i) : (rill_scalar)0;
}

/**
 * Return populations i as nodes compute with them, f_i - w_i, from what is stored of them. Arithmetic is
 * shifted whatever is stored, so that a comparison of the two shows what storage costs and nothing else.
 * @param[in] shift  a rill_shift
 */
RILL_FN rill_real rill_population_shift(const int lattice, const int shift, const int i,
                                        const rill_real stored)
{
    return shift == RILL_PLAIN ? stored - rill_population_rest(lattice, shift, i) : stored;
}

/** Return what is stored of populations i, given as f_i - w_i. */
RILL_FN rill_real rill_population_unshift(const int lattice, const int shift, const int i,
                                          const rill_real value)
{
    return shift == RILL_PLAIN ? value + rill_population_rest(lattice, shift, i) : value;
}

/**
 * Return loaded values, NaN in place of those that are as large as the format allows: a run that has got
 * there is lost, even if saturation keeps its numbers finite. For moments, where divergence is looked for.
 */
RILL_FN rill_real rill_storage_check(const int storage, const rill_real stored)
{
    const rill_real size = rill_magnitude(stored);
    const rill_pattern nan = (rill_pattern)(4 * RILL_BIAS + 3) << (RILL_MANTISSA - 1);
    return rill_real_of(rill_choose(size < (rill_scalar)rill_storage_largest(storage),
                                    rill_patterns_of(stored), rill_all(nan)));
}
#endif

#endif
