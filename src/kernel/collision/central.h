/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file central.h
 * From central moments, those relative to the flow, back to populations: one axis after the other, three
 * values at a time, the "chimera" transform of Geier et al. (2015), doi:10.1016/j.camwa.2015.05.001, in a
 * form that keeps the digits of shifted populations.
 *
 * Moments are k[x + 3 y + 9 z] with the exponents of the velocity relative to u, each less its value at rest,
 * which is 1, 0, 1/3 for the exponents 0, 1, 2, multiplied over the axes. D3Q19 has those with at most two
 * exponents above 0.
 *
 * The way there is shorter: operators that set all moments above the second to their equilibrium need the
 * stress tensor only (kernel/boundary/stress.h).
 */
#ifndef RILL_KERNEL_CENTRAL_H
#define RILL_KERNEL_CENTRAL_H

#include "kernel/boundary/stress.h"

/** Return the moment of order `exponent` along one axis at rest. */
RILL_CONSTANT_FN double rill_rest_moment(const int exponent)
{
    return exponent == 0 ? 1 : exponent == 1 ? 0 : 1.0 / 3.0;
}

/** Return the weight of velocity component c along one axis. */
RILL_CONSTANT_FN double rill_rest_weight(const int c) { return c == 0 ? 2.0 / 3.0 : 1.0 / 6.0; }

/** What a shift along one axis needs. */
typedef struct rill_axis_shift {
    rill_real u, half, half_square; /**< u, u/2, u²/2 */
} rill_axis_shift;

/** Convert moments of order 0, 1, 2 about u into the values of velocity -1, 0, 1. @param rest  of m[0], added
 * to it */
RILL_FN void rill_shift_line(const rill_axis_shift s, const double rest, rill_real *m, const int step)
{
    const rill_scalar half = (rill_scalar)0.5;
    const rill_real all = rest != 0 ? m[0] + (rill_scalar)rest : m[0];
    const rill_real even = s.half_square * all + s.u * m[step] + half * m[2 * step];
    const rill_real odd = s.half * all + half * m[step];
    m[step] = m[0] - (rill_scalar)2 * even;
    m[0] = even - odd;
    m[2 * step] = even + odd;
}

/** Convert the 27 central moments into populations. */
RILL_FN void rill_central_d3q27(const rill_real *u, rill_real *k, rill_real *f)
{
    rill_axis_shift s[3];
    for (int a = 0; a < 3; a++) {
        s[a].u = u[a];
        s[a].half = (rill_scalar)0.5 * u[a];
        s[a].half_square = s[a].half * u[a];
    }
    RILL_UNROLL
    for (int l = 0; l < 9; l++)
        rill_shift_line(s[0], rill_rest_moment(l % 3) * rill_rest_moment(l / 3), k + 3 * l, 1);
    RILL_UNROLL
    for (int l = 0; l < 9; l++)
        rill_shift_line(s[1], rill_rest_weight(l % 3 - 1) * rill_rest_moment(l / 3), k + l % 3 + 9 * (l / 3),
                        3);
    RILL_UNROLL
    for (int l = 0; l < 9; l++)
        rill_shift_line(s[2], rill_rest_weight(l % 3 - 1) * rill_rest_weight(l / 3 - 1), k + l, 9);
    RILL_UNROLL
    for (int i = 0; i < 27; i++)
        f[i] = k[13 + rill_c(RILL_D3Q27, i, 0) + 3 * rill_c(RILL_D3Q27, i, 1) + 9 * rill_c(RILL_D3Q27, i, 2)];
}

/**
 * Convert the 19 central moments of D3Q19 into populations: into raw moments, shifted along both axes of each
 * plane, then these into the edges, axes and rest that have them.
 */
RILL_FN void rill_central_d3q19(const rill_real *u, const rill_real *k, rill_real *f)
{
    const rill_scalar half = (rill_scalar)0.5, quarter = (rill_scalar)0.25, third = (rill_scalar)(1.0 / 3.0);
    rill_real first[3], second[3]; /* raw moments along each axis; less those of the edges further down */
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        const int x = a == 0 ? 1 : a == 1 ? 3 : 9;
        const rill_real momentum = u[a] + k[0] * u[a];
        first[a] = k[x] + momentum;
        second[a] = k[2 * x] + u[a] * (k[x] + first[a]);
    }
    f[0] = k[0] - second[0] - second[1] - second[2];
    rill_real axis_odd[3], axis_even[3];
    for (int a = 0; a < 3; a++) axis_odd[a] = first[a], axis_even[a] = second[a];
    RILL_UNROLL
    for (int p = 0; p < 3; p++) {
        const int a = p == 2, b = p == 0 ? 1 : 2; /* xy, xz, yz: the edges 7, 11, 15 */
        const int x = a == 0 ? 1 : 3, y = b == 1 ? 3 : 9;
        const rill_real b2 = k[2 * y] + third, a2 = second[a] + third;
        /* shifted along a */
        const rill_real xy = k[x + y] + u[a] * k[y];
        const rill_real xyy = k[x + 2 * y] + u[a] * b2;
        const rill_real xxy = k[2 * x + y] + u[a] * (k[x + y] + xy);
        const rill_real xxyy = k[2 * x + 2 * y] + u[a] * (k[x + 2 * y] + xyy);
        /* and along b */
        const rill_real m11 = xy + u[b] * first[a];
        const rill_real m12 = xyy + u[b] * (xy + m11);
        const rill_real m21 = xxy + u[b] * a2;
        const rill_real m22 = xxyy + u[b] * (xxy + m21);
        f[0] = f[0] + m22;
        axis_even[a] = axis_even[a] - m22;
        axis_even[b] = axis_even[b] - m22;
        axis_odd[a] = axis_odd[a] - m12;
        axis_odd[b] = axis_odd[b] - m21;
        const rill_real same = quarter * (m22 + m11), opposed = quarter * (m22 - m11);
        const rill_real sum = quarter * (m12 + m21), difference = quarter * (m12 - m21);
        f[7 + 4 * p] = same + sum;
        f[8 + 4 * p] = same - sum;
        f[9 + 4 * p] = opposed + difference;
        f[10 + 4 * p] = opposed - difference;
    }
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        f[1 + 2 * a] = half * (axis_even[a] + axis_odd[a]);
        f[2 + 2 * a] = half * (axis_even[a] - axis_odd[a]);
    }
}

#endif
