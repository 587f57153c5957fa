/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/status.h
 * What functions return.
 */
#ifndef RILL_PUBLIC_STATUS_H
#define RILL_PUBLIC_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/** What a function came to; the command's exit codes are the same numbers. */
typedef enum rill_status {
    RILL_OK = 0,       /**< done */
    RILL_USAGE = 1,    /**< a wrong argument, option, unit or input file */
    RILL_NUMERICS = 2, /**< diverged, not converged, or no valid answer exists */
    RILL_SYSTEM = 3,   /**< memory, disk or device */
    RILL_CANCELLED = 4 /**< a progress callback ended the work: see rill/progress.h */
} rill_status;

/**
 * Return the message of the last failure in this thread.
 * @return one sentence; "" when there was no failure. The next failure in this thread overwrites it.
 */
const char *rill_error_message(void);

#ifdef __cplusplus
}
#endif

#endif
