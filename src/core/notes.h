/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file notes.h
 * Notes that change or qualify a value (rill/notes.h): writing them with values, and reading them one by one.
 */
#ifndef RILL_CORE_NOTES_H
#define RILL_CORE_NOTES_H

#include "rill.h"

#include <stdbool.h>
#include <stddef.h>

/** Add one sentence of printf form. @return as rill_notes_add() */
rill_status rill_note(char **notes, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/**
 * Return the next sentence of notes, which ends at a newline or at the end; NULL: there is none.
 * @param[in,out] rest  the notes, NULL allowed; what is behind the sentence
 * @param[out] length  bytes of the sentence
 */
const char *rill_notes_next(const char **rest, size_t *length);

/** Return whether notes have a sentence of `length` bytes. */
bool rill_notes_have(const char *notes, const char *sentence, size_t length);

/** Return whether notes have a sentence that differs from this one in its numbers alone, or not at all. */
bool rill_notes_have_alike(const char *notes, const char *sentence, size_t length);

/** Copy the notes that fit whole into a text; the last one says how many did not. `size` at least 64. */
void rill_notes_copy(const char *notes, char *text, size_t size);

#endif
