/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file part.h
 * How far an item and a batch have come, and when the batch ends, from times that are given: no clock, no
 * lock.
 */
#ifndef RILL_BATCH_PART_H
#define RILL_BATCH_PART_H

#include "rill/batch.h"

/** How much of an item is done; it never becomes less. */
typedef struct rill_batch_part {
    double done;  /**< 0 to 1 */
    double begun; /**< s, when the flow along `axis` began */
    double whole; /**< s, what that flow takes by the last estimate; 0: there was none */
    int axis;     /**< -1: none */
} rill_batch_part;

/** Return the part of an item that begins. */
rill_batch_part rill_batch_part_begin(void);

/**
 * Note an estimate of the time that is left of a flow. Early ones differ many times over: two in a row must
 * agree.
 * @param asked  the axes of the item
 * @param axis   of the flow
 * @param now    s
 * @param left   s; negative: unknown
 */
void rill_batch_part_note(rill_batch_part *part, int asked, int axis, double now, double left);

/** How far a batch has come, in weight; starts as {0} with `all`. */
typedef struct rill_batch_standing {
    size_t ended, failed; /**< items */
    double all, done;
    double fresh; /**< of `done` what was computed now: neither resumed, nor refused */
} rill_batch_standing;

/** Add an item that has ended. */
void rill_batch_standing_add(rill_batch_standing *standing, const rill_batch_row *row, double weight);

/**
 * Return the time until a batch ends: s; -1 before a tenth of what this run computes is done.
 * @param seconds  that have passed
 */
double rill_batch_standing_left(const rill_batch_standing *standing, double seconds);

#endif
