/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bench_parts.h
 * The parts of a model of the suite scaling: a table and JSON.
 */
#ifndef RILL_CLI_BENCH_PARTS_H
#define RILL_CLI_BENCH_PARTS_H

#include "bench/scaling.h"

#include <jansson.h>

/** Print a row for each part. @param[in] host  bytes of the host while a part is made, 0: not to be printed
 */
void bench_parts_print(const rill_scaling_part *each, int parts, uint64_t host);

/** Return an array with an object for each part; NULL without memory. */
json_t *bench_parts_json(const rill_scaling_part *each, int parts);

#endif
