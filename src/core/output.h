/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file output.h
 * Files appear under their name whole or not at all: bytes go to a temporary file in the same directory,
 * which is synchronised and renamed when everything was written, and removed otherwise.
 */
#ifndef RILL_CORE_OUTPUT_H
#define RILL_CORE_OUTPUT_H

#include "rill.h"

#include <stdio.h>

/** Let the name "-" stand for an open descriptor, such as that of standard output: bytes then go there as
 * they are appended. */
void rill_output_stream(int descriptor);

/** A file that is being written. */
typedef struct rill_output rill_output;

/**
 * Open a temporary file beside `path`, with the mode of the file that it is to replace.
 * @return RILL_USAGE when `path` is empty, a directory or no regular file, RILL_SYSTEM when its directory
 *         takes no file, each with path and reason
 */
rill_status rill_output_create(const char *path, rill_output **out);

/** Fail before the work when a file could not be written after it; NULL is allowed. @return as
 * rill_output_create() */
rill_status rill_output_try(const char *path);

/** Return whether writing `output` would replace `input`: another name of the same file, be it there yet or
 * not. */
bool rill_output_replaces(const char *output, const char *input);

/** Remove the temporary file unless it was committed, and free the output; NULL is allowed. */
void rill_output_destroy(rill_output *output);

/** Append `size` bytes. @return RILL_SYSTEM with path and reason, e.g. a full disk */
rill_status rill_output_append(rill_output *output, const void *data, size_t size);

/** Synchronise, rename to the final name and synchronise the directory. Does not free the output. */
rill_status rill_output_commit(rill_output *output);

/** Write a file of `size` bytes. */
rill_status rill_output_write(const char *path, const void *data, size_t size);

/** End a stream of open_memstream(). @param[in] text  that it was opened with: closing needs memory, too, and
 * glibc says by a text that is NULL alone that there was none. @return whether all that was printed is in it
 */
bool rill_output_text_end(FILE *out, char *const *text);

/**
 * Write a text that a function prints; it is put together in memory first, so that printing cannot fail
 * half-way.
 * @param[in] print  its failure leaves what stood under `path`
 */
rill_status rill_output_print(const char *path, rill_status (*print)(FILE *out, const void *context),
                              const void *context);

/** Return the descriptor of the temporary file, owned by the output. */
int rill_output_descriptor(const rill_output *output);

/** Return the name of the temporary file. */
const char *rill_output_temporary(const rill_output *output);

/** Return the name that the file will have. */
const char *rill_output_path(const rill_output *output);

/** Synchronise the directory that holds a file or directory, whose name then survives a power loss. */
rill_status rill_output_sync_name(const char *path);

/** Record "cannot write PATH: REASON: REMEDY" for an errno value. @return RILL_SYSTEM */
rill_status rill_output_fail(const char *path, int error);

/** The same for a file that is open: where space ran out the message has the size that the file reached. */
rill_status rill_output_fail_on(const char *path, int descriptor, int error);

#endif
