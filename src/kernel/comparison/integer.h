/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file integer.h
 * Integers of 16 bits as populations: the format whose digits do not follow the size of a value.
 */
#ifndef RILL_KERNEL_COMPARISON_INTEGER_H
#define RILL_KERNEL_COMPARISON_INTEGER_H

#include "kernel/storage/bits.h"

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
#endif

#endif
