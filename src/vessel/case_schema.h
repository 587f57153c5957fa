/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file case_schema.h
 * JSON Schema of a case file, made of the tables of keys by which read.c reads it.
 */
#ifndef RILL_VESSEL_CASE_SCHEMA_H
#define RILL_VESSEL_CASE_SCHEMA_H

#include <jansson.h>

/** Return the schema, which the caller owns. NULL: out of memory. */
json_t *rill_case_schema(void);

#endif
