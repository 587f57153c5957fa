/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file json_file.h
 * JSON documents (jansson) as files that appear whole or not at all.
 */
#ifndef RILL_IO_JSON_FILE_H
#define RILL_IO_JSON_FILE_H

#include "rill.h"

#include <jansson.h>

/** Let rill_json_check() know of failed allocations inside jansson: many of its functions then leave out a
 * value without a word. For a program, as jansson has one allocator. */
void rill_json_watch(void);

/** Return RILL_OK unless an allocation inside jansson has failed since rill_json_watch(): documents may lack
 * values. */
rill_status rill_json_check(void);

/** Return a document as text, indented, keys in the order they were set, reals to so many digits (at most
 * 17); the caller frees it. NULL without memory. */
char *rill_json_text(const json_t *json, int digits);

/** Write a document, indented, keys in the order they were set, reals to 17 digits. @return as
 * rill_output_create() */
rill_status rill_json_write(const json_t *json, const char *path);

/** Read a document. @param[out] out  the caller's to free. @return RILL_USAGE for what is no JSON */
rill_status rill_json_read(const char *path, json_t **out);

/** Return a JSON real, or null where the value is not finite (JSON has no NaN); NULL without memory. */
json_t *rill_json_real(double value);

/** Return the sentences of two notes (rill/notes.h) as an array of strings, each once; either may be NULL. */
json_t *rill_json_notes(const char *notes, const char *more);

#endif
