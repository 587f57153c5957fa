/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file progress.h
 * How long work reports its progress, and learns that it is cancelled: see rill/progress.h.
 */
#ifndef RILL_CORE_PROGRESS_H
#define RILL_CORE_PROGRESS_H

#include "rill.h"

/** Seconds between two calls of a callback at least, where no option says so. */
#define RILL_PROGRESS_SECONDS 0.2

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

/**
 * What a thread reports to while functions work for it that have no progress of their own: a simulation is
 * set up, say. One that begins while another is there takes its place until it ends.
 */
typedef struct rill_progress_watch {
    rill_progress progress;
    const char *what;
    double seconds; /* between two calls of the callback at least */
    double called;  /* when it was called last */
    bool cancelled; /* it has cancelled the work: all polls say so from now on */
    bool begun;
    struct rill_progress_watch *outer;
} rill_progress_watch;

/**
 * Begin to report for this thread.
 * @param[in,out] watch  to be kept until rill_progress_watch_end()
 * @param[in] progress   without a callback nothing begins
 * @param[in] seconds    between two calls of the callback at least
 * @param[in] what       what is being done
 */
void rill_progress_watch_begin(rill_progress_watch *watch, rill_progress progress, double seconds,
                               const char *what);

/** End it. @param[in,out] watch  one of zeros, that did not begin, is allowed */
void rill_progress_watch_end(rill_progress_watch *watch);

/** Call the callback of this thread's watch where it is due. @return RILL_CANCELLED with a message, or
 * RILL_OK */
rill_status rill_progress_poll(void);

/** Return the watch of this thread, for a parallel loop that it enters; NULL without. */
rill_progress_watch *rill_progress_here(void);

/**
 * Poll from within a parallel loop: the thread that entered it calls the callback, the others learn of it.
 * Behind the loop rill_progress_poll() returns the status.
 * @param[in] watch  of rill_progress_here() before the loop
 * @return false when the work is cancelled; then skip the rest of the loop
 */
bool rill_progress_goes_on(rill_progress_watch *watch);

#endif
