/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/log.h
 * Remarks of the library, such as why something takes time. The library prints nothing: they go to a
 * callback.
 */
#ifndef RILL_PUBLIC_LOG_H
#define RILL_PUBLIC_LOG_H

#ifdef __cplusplus
extern "C" {
#endif

/** How much a remark matters. */
typedef enum rill_log_level {
    RILL_LOG_DEBUG, /**< helps to find a fault */
    RILL_LOG_NOTE   /**< of use to every user: why something takes time */
} rill_log_level;

/**
 * Called with one remark.
 * @param[in] context that of rill_log_to()
 * @param[in] level   how much it matters
 * @param[in] line    one line without a newline; it lives as long as the call
 */
typedef void (*rill_log_fn)(void *context, rill_log_level level, const char *line);

/**
 * Send remarks of functions that this thread calls to `fn`, until it is called again.
 * @param[in] fn      the function; NULL, as at the start, drops remarks
 * @param[in] context passed to `fn`
 */
void rill_log_to(rill_log_fn fn, void *context);

#ifdef __cplusplus
}
#endif

#endif
