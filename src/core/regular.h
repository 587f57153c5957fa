/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file regular.h
 * Opening files that must be regular ones.
 */
#ifndef RILL_CORE_REGULAR_H
#define RILL_CORE_REGULAR_H

#include "rill.h"

#include <stdio.h>

/** Open a file for reading, which is no FIFO that would have to be waited for. @param[in] what  it is, for
 * messages: "the waveform" */
rill_status rill_regular_open(const char *path, const char *what, FILE **out);

#endif
