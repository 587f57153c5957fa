/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file journal.h
 * What a follower has seen of its flow and done to it, in order. A run that goes on from a checkpoint follows
 * the journal instead of the flow until it is where it was stopped: the rules that judge a flow, and what
 * they remember, need no place in a file. Of a pore network it holds 16 bytes a chamber and cycle, while what
 * the corrections remember (mixing.h, pressures.h) are 100 bytes a chamber; following it takes the solutions
 * of the network alone, and a run may stop at any step, also within a cycle.
 */
#ifndef RILL_PERMEABILITY_JOURNAL_H
#define RILL_PERMEABILITY_JOURNAL_H

#include "rill.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum rill_journal_kind {
    RILL_JOURNAL_OBSERVED,   /**< k and totals */
    RILL_JOURNAL_LABEL_SUMS, /**< masses of the chambers of a pore network */
    RILL_JOURNAL_LABEL_ADD,  /**< pressures were corrected; nothing is noted but that */
    RILL_JOURNAL_ROUNDING,   /**< sums of rounding */
    RILL_JOURNAL_START       /**< k on coarser grids */
} rill_journal_kind;

/** Cleared to zero it is empty and records. */
typedef struct rill_journal {
    const char *path; /**< of the checkpoint, of which the caller retains the text */
    char *bytes;      /**< owned */
    size_t size, capacity;
    size_t at;      /**< the next entry that is read */
    uint64_t until; /**< steps of the run when it was stopped */
    bool replaying; /**< entries are read, and no step is made */
    bool lost;      /**< memory ran out: there is no checkpoint, and the run goes on */
} rill_journal;

/** Forget all, and record. */
void rill_journal_clear(rill_journal *journal);

/** Note something at a step; NULL is allowed. */
void rill_journal_put(rill_journal *journal, rill_journal_kind kind, uint64_t step, const void *data,
                      size_t size);

/** Return whether the journal is to be read; false for NULL. */
bool rill_journal_replays(const rill_journal *journal);

/** Read the next entry. @return RILL_USAGE when it is of something else: the rules are not those that wrote
 * it */
rill_status rill_journal_take(rill_journal *journal, rill_journal_kind kind, uint64_t step, void *data,
                              size_t size);

/** Record from here on. @return RILL_USAGE when entries are left over */
rill_status rill_journal_arrive(rill_journal *journal);

#endif
