/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file log.h
 * Remarks of the library go to the callback of rill/log.h, as progress does to its own: the library prints
 * nothing.
 */
#ifndef RILL_CORE_LOG_H
#define RILL_CORE_LOG_H

#include "rill.h"

/** Make a remark. */
void rill_log(rill_log_level level, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

#endif
