/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file json_option.h
 * The option --json FILE, where "-" is standard output: then all other text goes to standard error.
 */
#ifndef RILL_CLI_JSON_OPTION_H
#define RILL_CLI_JSON_OPTION_H

#include "rill.h"

#include <jansson.h>

/** The apply function of options whose "-" is standard output: it keeps that for the document alone. */
rill_status cli_stream_apply(const char *text);

/** Return whether documents go to standard output: they are then written once, not as work goes on. */
bool cli_json_streams(const char *path);

/** Write a document to the file of the option, or to standard output. @return as rill_json_write() */
rill_status cli_json_write(const json_t *json, const char *path);

/** The same, and release it. @param json  NULL: it could not be made, which is a failure */
rill_status cli_json_finish(json_t *json, const char *path);

#endif
