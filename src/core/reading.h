/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file reading.h
 * Messages on inputs that could not be opened: why, and what to do about it.
 */
#ifndef RILL_CORE_READING_H
#define RILL_CORE_READING_H

#include "core/status.h"

/**
 * Record that an input could not be opened or read: the sentence, the system's reason, and a remedy. Of a
 * name that is not there it says which directory was looked in, and the nearest name there.
 * @param[in] error   errno value
 * @param[in] path    of the input
 * @param[in] format  the sentence, "cannot read k.yaml"
 * @return rill_status_of_reading()
 */
rill_status rill_fail_reading(int error, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

#endif
