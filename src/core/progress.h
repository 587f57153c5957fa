/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file progress.h
 * How long work reports its progress, and learns that it is cancelled: see rill/progress.h.
 */
#ifndef RILL_CORE_PROGRESS_H
#define RILL_CORE_PROGRESS_H

#include "rill.h"

/** Return a moment of some work: no part of an error bar, no permeability, no vessel, time left unknown. */
rill_progress_moment rill_progress_moment_of(const char *what, double fraction, const char *detail);

/**
 * Call the callback, if there is one.
 * @param[in] what      what is being done, also named in the message
 * @param[in] fraction  0 to 1; negative when unknown
 * @return RILL_CANCELLED with a message when the callback cancels the work
 */
rill_status rill_progress_report(rill_progress progress, const char *what, double fraction);

/** The same with further text. */
rill_status rill_progress_detail(rill_progress progress, const char *what, double fraction,
                                 const char *detail);

/** Progress of a loop that several threads share. */
typedef struct rill_progress_loop {
    rill_progress progress;
    const char *what;
    bool cancelled;
} rill_progress_loop;

/**
 * Report from within a parallel loop: the thread that entered it calls the callback, the others learn of it.
 * @param[in] stride  every so many counts the callback is called
 * @return false when the work is cancelled; then skip the rest of the loop
 */
bool rill_progress_loop_on(rill_progress_loop *loop, uint64_t done, uint64_t count, uint64_t stride);

/** Return RILL_CANCELLED with a message when the loop was cancelled; to be called behind the loop. */
rill_status rill_progress_loop_end(const rill_progress_loop *loop);

#endif
