/* SPDX-License-Identifier: Apache-2.0 */
/* Remarks of the library, to whoever listens in this thread. */
#include "core/log.h"

#include "core/printable.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local rill_log_fn listener;
static _Thread_local void *listener_context;

void rill_log_to(rill_log_fn fn, void *context)
{
    listener = fn;
    listener_context = context;
}

void rill_log(rill_log_level level, const char *format, ...)
{
    if (!listener) return;
    char line[4096], plain[sizeof line];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    rill_printable_into(plain, sizeof plain, line);
    listener(listener_context, level, plain);
}
