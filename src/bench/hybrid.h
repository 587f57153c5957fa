/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file hybrid.h
 * What a hybrid code could gain: dense where all is fluid, sparse elsewhere.
 */
#ifndef RILL_BENCH_HYBRID_H
#define RILL_BENCH_HYBRID_H

/** Speeds of the same method, node updates per second in any unit. */
typedef struct rill_hybrid {
    double sparse;      /**< of a geometry that is partly free of solid */
    double sparse_free; /**< of a box of fluid */
    double dense_free;  /**< likewise, with direct addressing */
    double free;        /**< nodes in the free part, over all nodes of the geometry */
} rill_hybrid;

/**
 * Return the speed of a hybrid over that of the sparse code, which steps the free part as fast as dense_free,
 * and everything else in the time that the sparse code has left beside a free part at its speed sparse_free.
 * Never below 1: a hybrid may choose sparse everywhere. Exchange between both is free, so that this is a
 * bound. NaN where speeds contradict each other: the free part alone takes the sparse code longer than the
 * whole.
 */
double rill_hybrid_gain(const rill_hybrid *speeds);

/** Return the same for a geometry of which all nodes are stepped at the speed dense_free. */
double rill_hybrid_gain_all(const rill_hybrid *speeds);

#endif
