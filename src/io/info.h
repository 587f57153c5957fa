/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file info.h
 * What is in a file of ours, as a JSON document: for `rill info`.
 */
#ifndef RILL_IO_INFO_H
#define RILL_IO_INFO_H

#include "rill.h"

#include <jansson.h>

/**
 * Describe a geometry, result, field or cells file. Large arrays are not read.
 * @param[out] out  the caller's reference
 * @return RILL_USAGE when the file is none of ours or damaged, RILL_SYSTEM without memory
 */
rill_status rill_info_read(const char *path, json_t **out);

#endif
