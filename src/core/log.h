/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file log.h
 * Remarks of the library go to a callback, as progress does (rill/progress.h): the library prints nothing.
 */
#ifndef RILL_CORE_LOG_H
#define RILL_CORE_LOG_H

#include "rill.h"

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

#endif
