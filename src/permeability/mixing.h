/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file mixing.h
 * Anderson's mixing for an iteration x <- x + r(x): what earlier iterations taught about how r follows x
 * replaces a plain step by a better one.
 * @see Anderson (1965), doi:10.1145/321296.321305; Walker & Ni (2011), doi:10.1137/10078356X
 */
#ifndef RILL_PERMEABILITY_MIXING_H
#define RILL_PERMEABILITY_MIXING_H

#include "rill.h"

enum { RILL_MIXING_DEPTH = 10 };

/** Plain data. */
typedef struct rill_mixing {
    uint32_t size;
    int made;      /**< iterations since the start */
    double *x, *r; /**< [size], of the last iteration */
    float *dx[RILL_MIXING_DEPTH],
        *dr[RILL_MIXING_DEPTH]; /**< [size], their changes, the oldest is replaced */
    double products[RILL_MIXING_DEPTH][RILL_MIXING_DEPTH]; /**< of changes of r, the older one first */
    double (*partial)[2][RILL_MIXING_DEPTH]; /**< [pieces], sums of products over the entries of each */
} rill_mixing;

/** Return the bytes that a mixing takes in so many iterations: an array of changes is written when it is
 * first used. */
uint64_t rill_mixing_bytes(uint64_t size, uint64_t iterations);

/** Prepare for vectors of `size` numbers. */
rill_status rill_mixing_create(uint32_t size, rill_mixing *out);

/** Forget all iterations: the next one is a plain step. */
void rill_mixing_forget(rill_mixing *mixing);

/** Free the arrays. */
void rill_mixing_destroy(rill_mixing *mixing);

/**
 * Return how far to go.
 * @param[in]  x, r    [size], where the iteration is, and what it would add
 * @param[in]  weight  [size], of the inner product that r is made small in; NULL: all 1
 * @param[out] step    [size], to be added to x instead; may be r
 */
void rill_mixing_step(rill_mixing *mixing, const double *x, const double *r, const double *weight,
                      double *step);

#endif
