/* SPDX-License-Identifier: Apache-2.0 */
/* The message of the last failure, one per thread, without control characters of files and names. */
#include "core/status.h"

#include "core/log.h"
#include "core/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[1024];

const char *rill_error_message(void) { return message; }

rill_status rill_fail_at(const char *file, int line, rill_status status, const char *format, ...)
{
    char text[sizeof message]; /* arguments may point into the message itself */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    rill_printable_into(message, sizeof message, text);
    rill_log(RILL_LOG_DEBUG, "%s:%d: %s", file, line, message);
    return status;
}

void rill_fail_prefix(const char *format, ...)
{
    char plain[sizeof message], text[2 * sizeof message + 2];
    va_list args;
    va_start(args, format);
    vsnprintf(plain, sizeof plain, format, args);
    va_end(args);
    rill_printable_into(text, sizeof message, plain);
    const size_t used = strlen(text);
    if (strncmp(message, text, used) == 0 && (message[used] == ' ' || message[used] == ':')) return;
    snprintf(text + used, sizeof text - used, ": %s", message);
    memcpy(message, text, sizeof message - 1); /* the last byte stays 0 */
}
