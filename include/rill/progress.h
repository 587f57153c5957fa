/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/progress.h
 * How far long work has come.
 */
#ifndef RILL_PUBLIC_PROGRESS_H
#define RILL_PUBLIC_PROGRESS_H

/**
 * Called by long work, a few times a second at most.
 * @param[in] context  that of the rill_progress
 * @param[in] what     what is being done
 * @param[in] fraction 0 to 1, how much of it is done; negative when unknown
 * @param[in] detail   further text; may be ""
 */
typedef void (*rill_progress_fn)(void *context, const char *what, double fraction, const char *detail);

/** A progress callback with its context; fn may be NULL. */
typedef struct rill_progress {
    rill_progress_fn fn; /**< the function; NULL: none */
    void *context;       /**< passed to `fn` */
} rill_progress;

#endif
