/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file log.h
 * Progress and remarks of the library go to callbacks: the library prints nothing.
 */
#ifndef RILL_CORE_LOG_H
#define RILL_CORE_LOG_H

#include "rill.h"

/** Called by long work, at most a few times a second. @param fraction 0…1, or negative when unknown */
typedef void (*rill_progress_fn)(void *context, const char *what, double fraction, const char *detail);

/** How much a remark matters. */
typedef enum rill_log_level {
    RILL_LOG_DEBUG, /**< of use to whoever looks for a fault */
    RILL_LOG_NOTE   /**< of use to every user: why something takes time */
} rill_log_level;

/** Called with one line without a newline. */
typedef void (*rill_log_fn)(void *context, rill_log_level level, const char *line);

/** Send remarks of this thread to `fn`; NULL, as at the start, drops them. */
void rill_log_to(rill_log_fn fn, void *context);

/** Make a remark. */
void rill_log(rill_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/** A progress callback with its context; fn may be NULL. */
typedef struct rill_progress {
    rill_progress_fn fn;
    void *context;
} rill_progress;

#endif
