/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file status.h
 * How failures travel: rill_fail() records a message in this thread and returns its status, RILL_TRY
 * hands a status on. Messages give the value, the limit and the remedy, in one sentence without a
 * newline. Nothing here prints or exits: the command does.
 */
#ifndef RILL_CORE_STATUS_H
#define RILL_CORE_STATUS_H

#include "rill.h"

#include <errno.h>

/** Record a printf message and return `status`, so that `return rill_fail(RILL_USAGE, "…", …)` reads well. A
 * remark at debug level says where that was. */
#define rill_fail(...) rill_fail_at(__FILE__, __LINE__, __VA_ARGS__)
rill_status rill_fail_at(const char *file, int line, rill_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5), cold));

/** Put a printf prefix and ": " before the recorded message: "rock.raw: expected 8 bytes". One that
 * begins with this word stays as it is. */
void rill_fail_prefix(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/** Return the status of an input that could not be opened or read for an errno value: RILL_SYSTEM where
 * memory, file descriptors or the disk failed, else RILL_USAGE. */
static inline rill_status rill_status_of_reading(int error)
{
    return error == ENOMEM || error == EMFILE || error == ENFILE || error == EIO ? RILL_SYSTEM : RILL_USAGE;
}

/** Return the letter of an axis. */
static inline char rill_axis(int axis) { return "xyz"[axis]; }

/**
 * Keep the first failure and go to the one `done:` label of the function, which frees its handles.
 * Needs a local `rill_status status = RILL_OK;`.
 */
#define RILL_TRY(call)                                                                                       \
    do {                                                                                                     \
        status = (call);                                                                                     \
        if (status != RILL_OK) goto done;                                                                    \
    } while (0)

#endif
