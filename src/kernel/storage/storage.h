/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file storage.h
 * Number formats of stored populations: one load and one store each, from and to the arithmetic type.
 *
 * variants.def has the formats, one row each; docs/method.md says what a code of each stands for.
 *
 * Formats of 16 bits round to nearest, saturate at their largest value instead of overflowing, and give the
 * same bits on every processor and GPU (those of a NaN excepted). All of them hold any population, shifted or
 * not. Names and purpose are those of Lehmann et al. (2022), doi:10.1103/PhysRevE.106.015308; docs/method.md
 * says what is theirs and what is chosen here. Tested by tests/kernel/test_storage.c.
 */
#ifndef RILL_KERNEL_STORAGE_H
#define RILL_KERNEL_STORAGE_H

#include "kernel/comparison/integer.h"
#include "kernel/comparison/posit.h"
#include "kernel/lattice.h"
#include "kernel/storage/minifloat.h"
#include "kernel/platform.h"
#include "rill/variant.h"

#include <stdbool.h>
#include <string.h>

/** Return the bytes of one stored population. */
RILL_CONSTANT_FN size_t rill_storage_size(const int storage)
{
#define RILL_STORAGE(value, name, bytes, scale, largest, digits, bounded)                                    \
    if (storage == RILL_##value) return bytes;
#include "kernel/variants.def"
    return 0;
}

/** Return n of the 2^n that values are multiplied by before they are stored. */
RILL_CONSTANT_FN int rill_storage_scale(const int storage)
{
#define RILL_STORAGE(value, name, bytes, scale, largest, digits, bounded)                                    \
    if (storage == RILL_##value) return scale;
#include "kernel/variants.def"
    return 0;
}

/** Return the largest value that can be stored; what would be larger is stored as this. */
RILL_CONSTANT_FN double rill_storage_largest(const int storage)
{
#define RILL_STORAGE(value, name, bytes, scale, largest, digits, bounded)                                    \
    if (storage == RILL_##value) return largest;
#include "kernel/variants.def"
    return 0;
}

/**
 * Return how many binary digits, with the first, a flow may be expected to keep: those of a stored population
 * (of binary16 for posits and integers, whose digits depend on the value).
 */
RILL_CONSTANT_FN int rill_storage_digits(const int storage)
{
#define RILL_STORAGE(value, name, bytes, scale, largest, digits, bounded)                                    \
    if (storage == RILL_##value) return digits;
#include "kernel/variants.def"
    return 0;
}

/** Return whether conversion needs few registers of a GPU, so that the bounds of cuda/registers.cuh hold. */
RILL_CONSTANT_FN bool rill_storage_bounded(const int storage)
{
#define RILL_STORAGE(value, name, bytes, scale, largest, digits, bounded)                                    \
    if (storage == RILL_##value) return bounded;
#include "kernel/variants.def"
    return false;
}

#ifdef RILL_ARITHMETIC
/** Return the values of codes of a format of 16 bits. */
RILL_FN rill_real rill_storage_decode(const int storage, const rill_codes codes)
{
    const int scale = rill_storage_scale(storage);
#define RILL_STORAGE_16(format, name, power, most, digits, bounded, decode, encode)                          \
    if (storage == RILL_##format) return decode;
#include "kernel/variants.def"
    return rill_splat(0);
}

/** Return the codes of values in a format of 16 bits. */
RILL_FN rill_codes rill_storage_encode(const int storage, const rill_real unscaled)
{
    const rill_scalar factor = rill_power(rill_storage_scale(storage));
    const rill_scalar largest = (rill_scalar)rill_storage_largest(storage) * factor;
    const rill_real value = unscaled * factor;
#define RILL_STORAGE_16(format, name, power, most, digits, bounded, decode, encode)                          \
    if (storage == RILL_##format) return encode;
#include "kernel/variants.def"
    return rill_codes_of_patterns(rill_all(0));
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
