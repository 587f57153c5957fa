/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file compute.h
 * One item of a batch from its input to its row. Errors become rows; nothing here ends a batch.
 */
#ifndef RILL_BATCH_COMPUTE_H
#define RILL_BATCH_COMPUTE_H

#include "batch/gate.h"

/** What computes an item. */
typedef struct rill_batch_worker {
    const rill_batch_options *options;
    rill_gate *gate;
    rill_device *device;
    int number;             /**< of the device among those of the batch */
    rill_progress progress; /**< which cancels; what it reports is of this item */
} rill_batch_worker;

/** Set a row to that of an item which is not computed. */
void rill_batch_row_init(const rill_batch_item *item, rill_batch_row *row);

/** Return whether a row of a table is worth keeping: what was refused or had no memory is tried again. */
bool rill_batch_row_is_result(const rill_batch_row *row);

/** Set the flow of a row for the fluid and the pressure drop of the options. */
void rill_batch_row_flow(const rill_batch_options *options, rill_batch_row *row);

/**
 * Compute an item.
 * @param alone       keep the other items out
 * @param[in,out] row as rill_batch_row_init() made it; options_hash stays
 * @param[out] updates  node updates made
 * @return whether it failed because something was exhausted, so that it may succeed alone
 */
bool rill_batch_compute_item(const rill_batch_worker *worker, const rill_batch_item *item, bool alone,
                             rill_batch_row *row, double *updates);

#endif
