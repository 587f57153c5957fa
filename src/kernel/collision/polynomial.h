/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file polynomial.h
 * Polynomials of second degree in the velocity c_i: what equilibria, forces and stresses are as populations.
 * Sums are taken in an order in which velocities share them.
 */
#ifndef RILL_KERNEL_POLYNOMIAL_H
#define RILL_KERNEL_POLYNOMIAL_H

#include "kernel/lattice.h"

/** A symmetric tensor. */
typedef struct rill_tensor {
    rill_real diagonal[3]; /**< xx, yy, zz */
    rill_real mixed[3];    /**< xy, xz, yz: component ab is mixed[a + b - 1] */
} rill_tensor;

/** rest + first · c + sum_a second_aa c_a^2 + sum_{a<b} second_ab c_a c_b: mixed components count once. */
typedef struct rill_polynomial {
    int degree; /**< 1: `second` is 0 and not looked at, because a product with 0 is not left out by compilers
                 */
    rill_real rest, first[3];
    rill_tensor second;
} rill_polynomial;

/** Return the trace. */
RILL_FN rill_real rill_trace(const rill_tensor *n)
{
    return n->diagonal[0] + n->diagonal[1] + n->diagonal[2];
}

/** Return the even part of a polynomial at velocity i > 0. */
RILL_FN rill_real rill_polynomial_even(const int lattice, const int i, const rill_polynomial *p)
{
    const rill_tensor *t = &p->second;
    const int x = rill_c(lattice, i, 0), y = rill_c(lattice, i, 1), z = rill_c(lattice, i, 2);
    const int xy = x * y, xz = x * z, yz = y * z;
    rill_real sum = p->rest;
    if (p->degree < 2) return sum;
    if (x) sum = sum + t->diagonal[0];
    if (y) sum = sum + t->diagonal[1];
    if (z) sum = sum + t->diagonal[2];
    if (xy) sum = xy > 0 ? sum + t->mixed[0] : sum - t->mixed[0];
    if (xy && z) { /* a corner */
        const rill_real both = xy > 0 ? t->mixed[1] + t->mixed[2] : t->mixed[1] - t->mixed[2];
        return xz > 0 ? sum + both : sum - both;
    }
    if (xz) sum = xz > 0 ? sum + t->mixed[1] : sum - t->mixed[1];
    if (yz) sum = yz > 0 ? sum + t->mixed[2] : sum - t->mixed[2];
    return sum;
}

/** Return the odd part of a polynomial at velocity i > 0. */
RILL_FN rill_real rill_polynomial_odd(const int lattice, const int i, const rill_polynomial *p)
{
    return rill_along(lattice, i, p->first[0], p->first[1], p->first[2]);
}

/** Return a p + b q in the even and c p + d q in the odd part, p and q of the same degree. */
RILL_FN rill_polynomial rill_polynomial_sum(const rill_real a, const rill_real c, const rill_polynomial *p,
                                            const rill_real b, const rill_real d, const rill_polynomial *q)
{
    rill_polynomial sum;
    sum.degree = p->degree;
    sum.rest = a * p->rest + b * q->rest;
    sum.second = p->second;
    RILL_UNROLL
    for (int k = 0; k < 3; k++) sum.first[k] = c * p->first[k] + d * q->first[k];
    if (p->degree < 2) return sum;
    RILL_UNROLL
    for (int k = 0; k < 3; k++) {
        sum.second.diagonal[k] = a * p->second.diagonal[k] + b * q->second.diagonal[k];
        sum.second.mixed[k] = a * p->second.mixed[k] + b * q->second.mixed[k];
    }
    return sum;
}

#endif
