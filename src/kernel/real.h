/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file real.h
 * Powers of two and logarithms of rill_real, to two units in the last place. On a CPU they are
 * polynomials on vectors, additions and multiplications in a fixed order, so that results are the same bits
 * at every vector width; on a GPU the built-in functions.
 */
#ifndef RILL_KERNEL_REAL_H
#define RILL_KERNEL_REAL_H

#include "kernel/storage/bits.h"

#if defined(__CUDACC__)

/** Return 2^x. */
RILL_FN rill_real rill_exp2(const rill_real x)
{
    return RILL_WIDTH == 32 ? (rill_scalar)exp2f((float)x) : (rill_scalar)exp2((double)x);
}

/** Return log2(x) for normal x > 0. */
RILL_FN rill_real rill_log2(const rill_real x)
{
    return RILL_WIDTH == 32 ? (rill_scalar)log2f((float)x) : (rill_scalar)log2((double)x);
}

#else

/** Return 1.5 times the number whose last bit is worth 1: added, it rounds to an integer and shows its bits.
 */
RILL_FN rill_scalar rill_rounder(void)
{
    return (rill_scalar)(RILL_WIDTH == 32 ? 12582912.0 : 6755399441055744.0);
}

/** Return 2^x; x is taken as the nearest exponent of a normal number where it is beyond them. */
RILL_FN rill_real rill_exp2(const rill_real exponent)
{
    const rill_scalar limit = RILL_BIAS - 1;
    const rill_real x = rill_at_most(rill_at_least(exponent, -limit), limit);
    const rill_real rounded = x + rill_rounder();
    const rill_real power = (rill_scalar)0.693147180559945309417 * (x - (rounded - rill_rounder()));
    /* The exponential series of |power| <= ln(2) / 2, even and odd terms apart so that they overlap. */
    RILL_TABLE double factorial[14] = {1,    1,     2,      6,       24,       120,       720,
                                       5040, 40320, 362880, 3628800, 39916800, 479001600, 6227020800.0};
    const int last = RILL_WIDTH == 32 ? 7 : 13;
    const rill_real square = power * power;
    rill_real odd = rill_splat((rill_scalar)(1 / factorial[last]));
    rill_real even = rill_splat((rill_scalar)(1 / factorial[last - 1]));
    RILL_UNROLL
    for (int k = last - 2; k > 0; k -= 2) {
        odd = odd * square + (rill_scalar)(1 / factorial[k]);
        even = even * square + (rill_scalar)(1 / factorial[k - 1]);
    }
    const rill_real sum = even + power * odd;
    return rill_real_of(rill_patterns_of(sum) + (rill_patterns_of(rounded) << RILL_MANTISSA));
}

/** Return log2(x) for normal x > 0. */
RILL_FN rill_real rill_log2(const rill_real x)
{
    /* x = 2^exponent * m with m from sqrt(1/2) to sqrt(2): less the root, the exponent field steps there. */
    const rill_patterns bits = rill_patterns_of(x);
    const rill_patterns root = rill_patterns_of(rill_splat((rill_scalar)0.707106781186547524401));
    const rill_patterns exponent = (rill_patterns)((rill_integers)(bits - root) >> RILL_MANTISSA);
    const rill_real m = rill_real_of(bits - (exponent << RILL_MANTISSA));
    const rill_real whole =
        rill_real_of(rill_patterns_of(rill_splat(rill_rounder())) + exponent) - rill_rounder();
    /* log2 m = 2 / ln 2 (z + z^3/3 + z^5/5 + …), z = (m - 1)/(m + 1), |z| < 0.172; every other term apart. */
    const rill_real z = (m - (rill_scalar)1) / (m + (rill_scalar)1), square = z * z;
    const rill_scalar scale = (rill_scalar)2.88539008177792681472;
    const rill_real fourth = square * square;
    rill_real odd = rill_splat(0), even = rill_splat(0);
    RILL_UNROLL
    for (int k = RILL_WIDTH == 32 ? 4 : 10; k >= 0; k -= 2) {
        odd = odd * fourth + (rill_scalar)(1.0 / (2 * k + 3));
        even = even * fourth + (rill_scalar)(1.0 / (2 * k + 1));
    }
    return whole + scale * z * (even + square * odd);
}

#endif

#endif
