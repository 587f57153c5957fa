/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/progress.h
 * How far long work has come.
 */
#ifndef RILL_PUBLIC_PROGRESS_H
#define RILL_PUBLIC_PROGRESS_H

/** Called by long work, at most a few times a second. @param fraction 0…1, or negative when unknown */
typedef void (*rill_progress_fn)(void *context, const char *what, double fraction, const char *detail);

/** A progress callback with its context; fn may be NULL. */
typedef struct rill_progress {
    rill_progress_fn fn;
    void *context;
} rill_progress;

#endif
