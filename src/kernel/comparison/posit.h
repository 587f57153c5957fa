/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file posit.h
 * Posits of 16 bits (Gustafson & Yonemoto 2017, doi:10.14529/jsfi170206; Standard for Posit Arithmetic 2022).
 *
 * Behind the sign follow the regime, a run of k + 1 ones or of -k zeros and one opposite bit; `es` exponent
 * bits; and the fraction, as far as there is room: 2^(2^es k + exponent) (1 + fraction). Negative numbers are
 * the two's complement. 0x8000 is NaN. Rounding is to nearest even of the string of bits, so that codes are
 * used up evenly where exponent bits have no room. Zero takes part in it, unlike in the standard, which never
 * rounds to zero: noise below the smallest number would be blown up to it. Too large values become the
 * largest one.
 */
#ifndef RILL_KERNEL_COMPARISON_POSIT_H
#define RILL_KERNEL_COMPARISON_POSIT_H

#include "kernel/storage/bits.h"

#ifdef RILL_ARITHMETIC
/**
 * Return the code of a value.
 * @param[in] bits     16, or 17 for posits of numbers below 1 without their first regime bit, always zero
 * @param[in] largest  largest number that has a code
 */
RILL_FN rill_codes rill_posit_encode(const int es, const int bits, const rill_scalar largest,
                                     const rill_real value)
{
    const int room = RILL_WIDTH - 2 - RILL_MANTISSA - es, cut = RILL_WIDTH + 1 - bits;
    const rill_pattern one = 1;
    /* What is below 2^(-17 2^es) is zero; the bound keeps shifts short. */
    const rill_real size =
        rill_at_least(rill_at_most(rill_magnitude(value), largest), rill_power(-(bits + 1) * (1 << es)));
    const rill_patterns scale = rill_patterns_of(size) - ((rill_pattern)RILL_BIAS << RILL_MANTISSA);
    const rill_integers k = (rill_integers)scale >> (RILL_MANTISSA + es);
    const rill_integers negative = k >> (RILL_WIDTH - 1); /* -1 or 0 */
    const rill_patterns run = (rill_patterns)(k ^ negative);
    /* "10" or "01", exponent and fraction; an arithmetic shift repeats the first bit. */
    const rill_patterns rest = scale & ((one << (RILL_MANTISSA + es)) - 1);
    const rill_patterns text = ((rill_patterns)(negative + 2) << (RILL_WIDTH - 2)) | (rest << room);
    const rill_patterns gone = (rill_all(1) << run) - 1;
    const rill_patterns sticky = ((text & gone) + gone) >> run;
    const rill_patterns shifted = (rill_patterns)((rill_integers)text >> (rill_integers)run) | sticky;
    const rill_patterns code = (shifted + ((one << (cut - 1)) - 1) + ((shifted >> cut) & 1)) >> cut;

    const rill_patterns sign = (rill_patterns)((rill_integers)rill_patterns_of(value) >> (RILL_WIDTH - 1));
    const rill_patterns whole = (code ^ sign) - sign;
    return rill_codes_of_patterns(rill_choose(value == value, whole, rill_all(0x8000)));
}

/** Return the number that a code stands for, divided by 2^`shift`. @param[in] bits  as above */
RILL_FN rill_real rill_posit_decode(const int es, const int bits, const int shift, const rill_codes codes)
{
    const int body = bits - 1; /* bits behind the sign */
    const rill_patterns code = rill_patterns_of_codes(codes);
    const rill_patterns sign = (rill_patterns)((rill_integers)code >> (RILL_WIDTH - 1));
    const rill_patterns size = ((code ^ sign) - sign) & 0x7FFF; /* zero for NaN, too */

    /* The run ends where the bits, all made zeros by its first, have their first one; the exponent of
     * the number that they are gives where, after one more bit that ends a run of all of them. */
    const rill_patterns first = (size >> (body - 1)) & 1;
    const rill_patterns flipped = size ^ ((first << body) - first);
    const rill_real number =
        rill_real_of(((flipped << 1) | 1) + rill_power_bits(RILL_MANTISSA)) - rill_power(RILL_MANTISSA);
    const rill_patterns run = (RILL_BIAS + body) - (rill_patterns_of(number) >> RILL_MANTISSA);
    const rill_patterns k = (run - 1) ^ (first - 1);

    const rill_patterns rest = size << (RILL_WIDTH - body) << run << 1;
    const rill_patterns scale = (k << es) + (rill_pattern)(RILL_BIAS - shift);
    const rill_patterns magnitude = (rest >> (RILL_WIDTH - RILL_MANTISSA - es)) + (scale << RILL_MANTISSA);
    const rill_patterns sign_bit = sign << (RILL_WIDTH - 1);
    const rill_patterns nan = rill_all((rill_pattern)(4 * RILL_BIAS + 3) << (RILL_MANTISSA - 1));
    return rill_real_of(rill_choose(size != 0, magnitude | sign_bit, rill_keep(sign != 0, nan)));
}
#endif

#endif
